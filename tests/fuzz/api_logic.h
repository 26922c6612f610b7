// Public calls about networks, Boolean functions, automata, the game, streams, files and proofs,
// with any arguments.
#ifndef TLU_TESTS_FUZZ_API_LOGIC_H
#define TLU_TESTS_FUZZ_API_LOGIC_H

#include "api_models.h"
#include "tlu_logic.h"
#include "tlu_plot.h"
#include "tlu_proof.h"

struct machines {
    tlu_network *network;
    tlu_automaton *automaton;
    tlu_turing *turing;
    tlu_game *game;
    tlu_stream *stream;
};

static inline void write_network(struct input *in, const tlu_network *network)
{
    unsigned sum = 0;
    tlu_error error = {0};
    if (network)
        is_fine(tlu_network_write(network, A_TEXT(in, "text", "json", "dot", "verilog", "c"),
                                  take_bytes, &sum, &error),
                &error);
}

static inline void keep_network(struct machines *machines, tlu_network *network)
{
    tlu_network_free(machines->network);
    machines->network = network;
}

// ---- networks ----

static inline void call_network(struct input *in, struct machines *machines, const tlu_model *model)
{
    tlu_network *network;
    tlu_network_run *run;
    tlu_error error = {0};
    tlu_quantize_settings settings = {.size = sizeof settings, .bits = (uint32_t)an_index(in)};
    tlu_quantization *quantization;
    size_t size;
    const char *text =
        A_TEXT(in, "inputs a b\nunit u = a + b >= 2\noutput both = u\n",
               "inputs a\ndelay d = u start 1\nunit u = 2 a - d >= 1\noutput o = u\noutput p = d\n",
               "{\"inputs\": [\"a\"], \"units\": [], \"outputs\": []}", "inputs\n");
    text = some_bytes(in, text, &size);
    if (one_in(in, 3) && model) {
        if (is_fine(tlu_quantize(model, &settings, NULL, &quantization, &error), &error)) {
            expect(tlu_network_unit_count(quantization->network) > 0 && quantization->bits > 0);
            tlu_quantization_free(quantization);
        }
    } else if (is_fine(tlu_network_parse(text, size, a_name(in), &network, &error), &error)) {
        keep_network(machines, network);
    }
    if (!machines->network)
        return;
    network = machines->network;
    tlu_network_input_name(network, an_index(in));
    tlu_network_output_name(network, an_index(in));
    tlu_network_delay_name(network, an_index(in));
    if (!is_fine(tlu_network_run_new(network, &run, &error), &error))
        return;
    unsigned char *inputs = an_array(in, tlu_network_input_count(network), 1);
    unsigned char *outputs = an_array(in, tlu_network_output_count(network), 1);
    for (size_t step = 0; step < 3; step++) {
        for (size_t i = 0; i < tlu_network_input_count(network); i++)
            inputs[i] = (unsigned char)below(in, 3);
        tlu_network_run_step(run, inputs, outputs);
    }
    tlu_network_run_reset(run);
    tlu_network_run_free(run);
    write_network(in, network);
}

// ---- functions ----

static inline void call_function(struct input *in)
{
    tlu_function *function;
    tlu_realisation *realisation;
    tlu_error error = {0};
    tlu_realise_settings settings = {.size = sizeof settings,
                                     .smallest = one_in(in, 4),
                                     .network = one_in(in, 8),
                                     .effort = one_in(in, 20) ? (int)an_index(in) : 1};
    tlu_status status;
    if (one_in(in, 2))
        status = tlu_function_from_table(A_TEXT(in, "0110", "01", "0001 0x1-", "1", "01101001"),
                                         A_TEXT(in, "a,b", "a", "a,b,c", NULL), &function, &error);
    else
        status = tlu_function_from_expression(
            A_TEXT(in, "a & (b | !c)", "maj(a,b,c) ^ a", "a -> b", "atleast(2; a, b, c, d)", "1"),
            A_TEXT(in, NULL, "a,b,c", "c,b,a,d"), &function, &error);
    if (!is_fine(status, &error))
        return;
    int value = tlu_function_value(function, an_index(in), an_index(in));
    expect(value >= -1 && value <= 1);
    tlu_function_input_name(function, an_index(in));
    tlu_function_output_name(function, an_index(in));
    settings.effort = settings.effort > 3 ? 3 : settings.effort;
    if (is_fine(tlu_function_realise(function, &settings, &realisation, &error), &error)) {
        expect(!realisation->network == !settings.network);
        tlu_realisation_free(realisation);
    }
    tlu_function_free(function);
}

static inline void call_count(struct input *in)
{
    tlu_enumeration_settings settings = {.size = sizeof settings, .threads = 1};
    tlu_enumeration *count;
    tlu_error error = {0};
    size_t inputs = an_index(in);
    settings.inputs = (unsigned)(inputs > 3 && inputs < 10 ? 3 : inputs);
    if (is_fine(tlu_enumeration_run(&settings, &count, &error), &error))
        tlu_enumeration_free(count);
}

// ---- automata ----

static inline void make_automaton(struct input *in, struct machines *machines)
{
    tlu_automaton *automaton;
    tlu_error error = {0};
    size_t size;
    tlu_status status;
    if (one_in(in, 2)) {
        status = tlu_automaton_from_regex(A_TEXT(in, "a(b|c)*", "[0-9]+", "(a|b)*abb", ""),
                                          &automaton, &error);
    } else {
        const char *text =
            some_bytes(in,
                       A_TEXT(in, ".i 1\n.o 1\n.s 2\n0 a a 0\n1 a b 1\n- b a 0\n.e\n",
                              "start q\naccept q\nq a r\nr a q\n", "q a q\n"),
                       &size);
        status = tlu_automaton_parse(text, size, a_name(in), A_TEXT(in, "kiss2", "table"),
                                     &automaton, &error);
    }
    if (is_fine(status, &error)) {
        tlu_automaton_free(machines->automaton);
        machines->automaton = automaton;
    }
}

static inline void run_automaton(struct input *in, const struct machines *machines)
{
    tlu_automaton_run *run;
    tlu_error error = {0};
    size_t size, used = 1;
    if (!machines->network ||
        !is_fine(tlu_automaton_run_new(one_in(in, 4) ? NULL : machines->automaton,
                                       machines->network, &run, &error),
                 &error))
        return;
    const char *text = some_bytes(in, A_TEXT(in, "abcabc", "0 1 0", "a r q", "\xC3\xA4"), &size);
    while (used) {
        used = tlu_automaton_run_feed(run, text, size);
        expect(text ? used <= size : used == 0);
        text = used ? text + used : text;
        size -= used;
        expect(tlu_automaton_run_get_state(run)->delays != NULL);
    }
    tlu_automaton_run_reset(run);
    tlu_automaton_run_free(run);
}

static inline void call_automaton(struct input *in, struct machines *machines)
{
    tlu_network *network;
    tlu_equivalence *walk;
    tlu_error error = {0};
    if (!machines->automaton || one_in(in, 3))
        make_automaton(in, machines);
    const tlu_automaton *automaton = machines->automaton;
    if (!automaton)
        return;
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    size_t state = an_index(in), letter = an_index(in);
    bool there = state < facts->states && letter < facts->symbols;
    expect((tlu_automaton_state_name(automaton, state) != NULL) == (state < facts->states));
    expect((tlu_automaton_symbol_name(automaton, letter) != NULL) == (letter < facts->symbols));
    expect((tlu_automaton_next(automaton, state, letter) < facts->states) == there);
    tlu_automaton_is_accepting(automaton, state);
    tlu_automaton_outputs(automaton, state, letter);
    if (is_fine(tlu_network_from_automaton(automaton, A_TEXT(in, "onehot", "binary", NULL),
                                           A_TEXT(in, "onehot", "binary", NULL), &network, &error),
                &error))
        keep_network(machines, network);
    if (machines->network &&
        is_fine(tlu_equivalence_check(automaton, machines->network, &walk, &error), &error)) {
        tlu_equivalence_delays(walk, an_index(in));
        tlu_equivalence_free(walk);
    }
    run_automaton(in, machines);
}

// ---- Turing machines ----

static inline void run_turing(struct input *in, const struct machines *machines)
{
    tlu_turing_run *run;
    tlu_error error = {0};
    size_t size;
    if (!machines->network || !is_fine(tlu_turing_run_new(one_in(in, 2) ? NULL : machines->turing,
                                                          machines->network, &run, &error),
                                       &error))
        return;
    const char *text = some_bytes(in, A_TEXT(in, "0110", "a b", "", "\xC3\xA4"), &size);
    is_fine(tlu_turing_run_set_tape(run, text, size, &error), &error);
    for (int i = 0; i < 50; i++)
        if (!is_fine(tlu_turing_run_step(run, &error), &error))
            break;
    const tlu_turing_run_state *state = tlu_turing_run_get_state(run);
    expect(state->delays && state->first <= state->head && state->head <= state->last);
    expect(tlu_turing_run_cell(run, (int64_t)an_index(in)) != NULL);
    tlu_turing_run_free(run);
}

static inline void call_turing(struct input *in, struct machines *machines)
{
    tlu_network *network;
    tlu_turing *machine;
    tlu_turing_equivalence *walk;
    tlu_error error = {0};
    size_t size;
    const char *text = some_bytes(in,
                                  A_TEXT(in, "q 0 1 R q\nq _ 1 S halt\n",
                                         "blank a\nq a b L r\nr b a R q\nr a a S accept\n", ""),
                                  &size);
    if (is_fine(tlu_turing_parse(text, size, a_name(in), &machine, &error), &error)) {
        tlu_turing_free(machines->turing);
        machines->turing = machine;
    }
    machine = machines->turing;
    if (!machine)
        return;
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    size_t state = an_index(in), symbol = an_index(in);
    bool there = tlu_turing_next(machine, state, symbol) != TLU_NONE;
    expect((tlu_turing_state_name(machine, state) != NULL) == (state < facts->states));
    expect((tlu_turing_symbol_name(machine, symbol) != NULL) == (symbol < facts->symbols));
    expect(!there || tlu_turing_written(machine, state, symbol) < facts->symbols);
    expect(there || tlu_turing_move(machine, state, symbol) == 0);
    if (is_fine(tlu_network_from_turing(machine, A_TEXT(in, "onehot", "binary", NULL), &network,
                                        &error),
                &error) &&
        !one_in(in, 4))
        keep_network(machines, network);
    else
        tlu_network_free(network);
    if (machines->network &&
        is_fine(tlu_turing_equivalence_check(machine, machines->network, &walk, &error), &error)) {
        tlu_turing_equivalence_delays(walk, an_index(in));
        tlu_turing_equivalence_free(walk);
    }
    run_turing(in, machines);
}

// ---- the game ----

static inline void call_game(struct input *in, struct machines *machines)
{
    tlu_error error = {0};
    int guess, mistake, label;
    if (!machines->game || one_in(in, 8)) {
        size_t dimension = 1 + below(in, 3);
        double *u = one_in(in, 3) ? an_array(in, dimension, sizeof *u) : NULL;
        for (size_t i = 0; u && i < dimension; i++)
            u[i] = a_number(in);
        tlu_game_rules rules = {.size = sizeof rules,
                                .gamma = one_in(in, 8) ? a_number(in) : 0.25,
                                .radius = one_in(in, 8) ? a_number(in) : 1,
                                .dimension = dimension,
                                .u = u};
        tlu_game_free(machines->game);
        is_fine(tlu_game_new(&rules, &machines->game, &error), &error);
    }
    if (!machines->game)
        return;
    const tlu_game_state *state = tlu_game_get_state(machines->game);
    double *x = an_array(in, state->dimension, sizeof *x);
    for (size_t i = 0; i < state->dimension; i++)
        x[i] = one_in(in, 10) ? a_number(in) : (double)((int)below(in, 9) - 4) / 8;
    if (one_in(in, 4))
        is_fine(tlu_game_attack(machines->game, x, &label, &error), &error);
    if (is_fine(tlu_game_offer(machines->game, x, &guess, &error), &error))
        expect(guess == 1 || guess == -1);
    label = one_in(in, 8) ? (int)below(in, 4) - 2 : one_in(in, 2) ? 1 : -1;
    is_fine(tlu_game_label(machines->game, label, &mistake, &error), &error);
    state = tlu_game_get_state(machines->game);
    expect(state->mistakes <= state->mistakes_max);
}

// ---- streams ----

static inline void call_live(struct input *in, struct machines *machines,
                             const tlu_options *options)
{
    tlu_error error = {0};
    const char *text;
    size_t used, length, size;
    if (!machines->stream || one_in(in, 8)) {
        tlu_stream_settings settings = {.size = sizeof settings,
                                        .window = one_in(in, 8) ? an_index(in) % 1000 : 3,
                                        .scores = one_in(in, 2),
                                        .probabilities = one_in(in, 8)};
        tlu_stream_close(machines->stream);
        is_fine(tlu_stream_open("/nowhere/fuzz.tlu", options, &settings, &machines->stream, &error),
                &error);
    }
    if (!machines->stream)
        return;
    const char *bytes = some_bytes(in, a_data_text(in), &size);
    is_fine(tlu_stream_feed(machines->stream, bytes, size, one_in(in, 8), &used, &text, &length,
                            &error),
            &error);
    expect(used <= size && (!length || text));
    expect(tlu_stream_get_stats(machines->stream)->correct <=
           tlu_stream_get_stats(machines->stream)->examples);
    tlu_stream_assumption(machines->stream);
}

// ---- files ----

static inline int write_guesses(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    char *at;
    (void)context;
    if (tlu_output_reserve(text, guesses->rows, &at, NULL) != TLU_OK)
        return 1;
    memset(at, 'x', guesses->rows);
    return tlu_output_commit(text, guesses->rows, NULL) != TLU_OK;
}

static inline void call_reader(struct input *in, const tlu_model *model, const tlu_options *options)
{
    int file;
    const char *path = a_file(in, a_data_text(in), &file);
    const tlu_batch *batch;
    tlu_reader *reader;
    tlu_error error = {0};
    tlu_status status = tlu_reader_open(model, path, options, &reader, &error);
    if (is_fine(status, &error) && one_in(in, 2))
        is_fine(tlu_reader_predict(reader, one_in(in, 2), one_in(in, 2) ? write_guesses : NULL,
                                   NULL, &error),
                &error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch)
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            size_t class_index;
            if (is_fine(tlu_model_predict(model, &row, &class_index, NULL, &error), &error))
                expect(class_index < tlu_model_class_count(model));
            expect(!tlu_reader_predictions(reader) ||
                   tlu_reader_predictions(reader)->rows == batch->rows);
        }
    is_fine(status, &error);
    if (reader)
        is_fine(tlu_reader_next(reader, &batch, &error), &error); // after the end, or an error
    tlu_reader_close(reader);
    close(file);
}

static inline void call_evaluate(struct input *in, const tlu_model *model,
                                 const tlu_options *options)
{
    int file;
    tlu_evaluate_settings settings = {.size = sizeof settings,
                                      .path = a_file(in, a_data_text(in), &file),
                                      .wrong = an_index(in),
                                      .curves = one_in(in, 2)};
    tlu_evaluation *evaluation;
    tlu_curve *curve;
    tlu_threshold *threshold;
    tlu_threshold_settings objective = {.size = sizeof objective,
                                        .path = settings.path,
                                        .objective =
                                            A_TEXT(in, "f1", "precision", "recall", "cost"),
                                        .value = a_number(in),
                                        .false_positive_cost = a_number(in),
                                        .false_negative_cost = a_number(in)};
    tlu_error error = {0};
    if (is_fine(tlu_evaluate_with(model, &settings, options, &evaluation, &error), &error)) {
        for (size_t i = 0; i < evaluation->wrong_count; i++)
            expect(evaluation->wrong[i].predicted < evaluation->classes);
        if (is_fine(tlu_evaluation_curve(evaluation, A_TEXT(in, "roc", "pr"), an_index(in), &curve,
                                         &error),
                    &error))
            tlu_curve_free(curve);
        tlu_evaluation_free(evaluation);
    }
    if (is_fine(tlu_threshold_find(model, &objective, options, &threshold, &error), &error))
        tlu_threshold_free(threshold);
    close(file);
}

static inline void call_split(struct input *in, const tlu_model *model, const tlu_options *options)
{
    int file;
    const char *path = a_file(in, a_data_text(in), &file);
    tlu_split *split;
    tlu_evaluation *evaluation;
    tlu_model *made;
    tlu_error error = {0};
    if (is_fine(tlu_split_new(path, options, an_index(in), &split, &error), &error)) {
        tlu_split_row_part(split, an_index(in));
        if (is_fine(tlu_split_train(split, an_index(in), options, NULL, NULL, &made, &error),
                    &error))
            tlu_model_free(made);
        if (model &&
            is_fine(tlu_split_evaluate(split, an_index(in), model, options, &evaluation, &error),
                    &error))
            tlu_evaluation_free(evaluation);
        tlu_split_free(split);
    }
    close(file);
}

// ---- proofs, recipes, pictures ----

static inline void call_prove(struct input *in, const tlu_options *options)
{
    tlu_rows rows = some_rows(in);
    tlu_separability_settings settings = {.size = sizeof settings,
                                          .rows = &rows,
                                          .only = A_TEXT(in, NULL, NULL, "0,1", "a"),
                                          .seconds = 1};
    tlu_separability *answer;
    tlu_proof_report *report;
    tlu_error error = {0};
    size_t size;
    if (is_fine(tlu_separability_decide(&settings, options, &answer, &error), &error))
        tlu_separability_free(answer);
    const char *data = some_bytes(in, a_data_text(in), &size);
    if (is_fine(tlu_proof_check("tlu proof 1\nend\n", below(in, 17), data, size, &report, &error),
                &error))
        tlu_proof_report_free(report);
}

static inline void call_generate(struct input *in)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    tlu_error error = {0};
    unsigned sum = 0;
    if (!is_fine(tlu_recipe_init(A_TEXT(in, "line", "sparse", "margin", "blobs", "xor", "circle",
                                        "moons", "semicircles"),
                                 &recipe, &error),
                 &error))
        return;
    recipe.rows = below(in, 20);
    recipe.features = recipe.features > 20 ? 20 : recipe.features;
    recipe.nonzeros = recipe.nonzeros > 5 ? 5 : recipe.nonzeros;
    if (one_in(in, 4))
        recipe.noise = a_number(in);
    if (one_in(in, 4))
        recipe.margin = a_number(in);
    if (one_in(in, 4))
        recipe.radius = a_number(in);
    if (one_in(in, 4))
        recipe.classes = an_index(in) % 100;
    if (one_in(in, 4))
        recipe.features = an_index(in) % 100;
    if (one_in(in, 4))
        recipe.nonzeros = an_index(in);
    recipe.format = A_TEXT(in, "csv", "libsvm");
    is_fine(tlu_generate(&recipe, take_bytes, &sum, &error), &error);
}

static inline tlu_status plot_any(struct input *in, const tlu_model *model, const char *path,
                                  const tlu_options *options, const tlu_picture_style *style,
                                  tlu_picture **picture, tlu_error *error)
{
    const tlu_plot_data_settings data = {.size = sizeof data,
                                         .path = path,
                                         .model = model,
                                         .x = one_in(in, 3) ? a_name(in) : NULL,
                                         .y = one_in(in, 3) ? a_name(in) : NULL};
    switch (an_index(in) % 7) {
    case 0:
        return tlu_plot_data(&data, options, style, picture, error);
    case 1:
        return tlu_plot_weights(model, an_index(in), style, picture, error);
    case 2:
        return tlu_plot_confusion(model, path, options, style, picture, error);
    case 3:
        return tlu_plot_roc(model, path, options, style, picture, error);
    case 4:
        return tlu_plot_precision_recall(model, path, options, style, picture, error);
    case 5:
        return tlu_plot_calibration(model, path, options, style, picture, error);
    default:
        return tlu_plot_weight_image(model, an_index(in), an_index(in), style, picture, error);
    }
}

static inline void call_plot(struct input *in, const tlu_model *model, const tlu_options *options)
{
    int file;
    const char *path = a_file(in, a_data_text(in), &file);
    const tlu_picture_style style = {
        .size = sizeof style,
        .width = one_in(in, 4) ? a_number(in) : 0,
        .height = one_in(in, 4) ? a_number(in) : 0,
        .columns = one_in(in, 8) ? an_index(in) : 30,
        .lines = one_in(in, 8) ? an_index(in) : 9,
    };
    tlu_picture *picture;
    tlu_error error = {0};
    void *bytes;
    char *text;
    size_t size;
    double seconds;
    if (is_fine(plot_any(in, model, path, options, &style, &picture, &error), &error)) {
        tlu_picture_figure(picture, an_index(in), &seconds);
        tlu_picture_notice(picture, an_index(in));
        if (is_fine(tlu_picture_frame(picture, an_index(in), &text, &size, &seconds, &error),
                    &error))
            tlu_bytes_free(text);
        if (is_fine(
                tlu_picture_save_bytes(picture, A_TEXT(in, "txt", "svg"), &bytes, &size, &error),
                &error))
            tlu_bytes_free(bytes);
        tlu_picture_free(picture);
    }
    close(file);
}

#endif
