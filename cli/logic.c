// tlu logic: a Boolean function as a threshold unit, or as a network of them.
#include "logic.h"
#include "cli.h"
#include "input.h"
#include "networks.h"
#include "trace.h"

#include <inttypes.h>

#define EXPRESSION_MAX ((size_t)1 << 30) // bytes on standard input

static const tlu_option_info options[] = {
    TEXT_OPTION(
        "table", "VALUES",
        "the function by its values, such as 0110, from the row of zeros to that of ones; - or "
        "x: does not matter"),
    TEXT_OPTION(
        "pla", "FILE",
        "the function by a Berkeley PLA file, with one output or several; - is standard input"),
    TEXT_OPTION("names", "NAMES", "names of the inputs, with commas between them"),
    FLAG_OPTION("smallest", "weights with the least sum of absolute values, and a proof"),
    COUNT_OPTION("effort", "N", "1", 1, 1000,
                 "look N times as long for a network with fewer units"),
    NUMBER_OPTION(
        "time", "SECONDS", "0", 0, 1e9,
        "end the search for smaller weights, or for a network, after SECONDS with the best "
        "found; exit code 4 if none is; 0: never"),
    CHOICE_OPTION(
        "as", "LANGUAGE", "", "text|json|dot|verilog|c",
        "write the unit or network in this language, instead of the answer unless --output is "
        "given"),
    TEXT_OPTION("output", "FILE", "write the unit or network to FILE, as text without --as"),
    FLAG_OPTION("learn", "train the perceptron on the truth table and show its steps"),
    NUMBER_OPTION("rate", "ETA", "1", 1e-300, 1e300, "learning rate of --learn"),
    COUNT_OPTION("epochs", "N", "1000", 1, COUNT_MAX, "passes of --learn at most"),
    COUNT_OPTION("steps", "N", "40", 1, COUNT_MAX, "steps of --learn to show at most"),
    TEXT_OPTION(
        "regex", "REGEX",
        "an automaton instead of a function: that of a regular expression, which matches whole "
        "strings, as a network of units and delays"),
    TEXT_OPTION(
        "automaton", "FILE",
        "the automaton of a transition table (docs/automaton-format.md); - is standard input"),
    TEXT_OPTION("kiss2", "FILE", "the Mealy machine of a KISS2 file; - is standard input"),
    TEXT_OPTION(
        "turing", "FILE",
        "the control of a Turing machine (docs/turing-format.md), as a network of units and "
        "delays; - is standard input"),
    CHOICE_OPTION(
        "encoding", "HOW", "", "onehot|binary",
        "how delays hold the state: a delay per state, or its number; without it, the one with "
        "fewer units"),
    CHOICE_OPTION("letters", "HOW", "onehot", "onehot|binary",
                  "how inputs hold the symbol: an input per symbol, or its number"),
    TEXT_OPTION(
        "check", "NET",
        "whether the network in this file does the same for all strings; if not, the shortest "
        "string that tells, and exit code 1"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print only the answers, without table, proof and network"),
};

// ---- for people

#define TABLE_INPUTS 5  // the most for which the whole table is printed
#define TABLE_OUTPUTS 8 // likewise
#define NAME_WIDTH 20   // of a column
#define UNITS_SHOWN 24  // of a network
#define ROWS_SHOWN 40   // of a contradiction

static const char *shown(const char *name)
{
    return text_clip(name, NAME_WIDTH);
}

static int name_width(const char *name)
{
    return (int)text_width(shown(name));
}

static bool input_at(const tlu_function *function, size_t row, size_t input)
{
    return row >> (tlu_function_input_count(function) - 1 - input) & 1;
}

static size_t rows_of(const tlu_function *function)
{
    return (size_t)1 << tlu_function_input_count(function);
}

static const char *all_rows(char out[64], const tlu_function *function)
{
    size_t rows = rows_of(function);
    snprintf(out, 64, rows > 1 ? "all %zu rows" : "its only row", rows);
    return out;
}

// ---- the truth table

static void print_names(const tlu_function *function)
{
    for (size_t i = 0; i < tlu_function_input_count(function); i++)
        printf("%s ", shown(tlu_function_input_name(function, i)));
    printf("|");
    for (size_t i = 0; i < tlu_function_output_count(function); i++)
        printf(" %s", shown(tlu_function_output_name(function, i)));
    printf("\n");
}

static void print_row(const tlu_function *function, size_t row)
{
    for (size_t i = 0; i < tlu_function_input_count(function); i++)
        printf("%*d ", name_width(tlu_function_input_name(function, i)),
               input_at(function, row, i));
    printf("|");
    for (size_t i = 0; i < tlu_function_output_count(function); i++)
        printf(" %*c", name_width(tlu_function_output_name(function, i)),
               "-01"[tlu_function_value(function, i, row) + 1]);
    printf("\n");
}

// How many rows have each value, of a table that is too long to be printed.
static void print_counts(const tlu_function *function, size_t output)
{
    size_t counts[3] = {0, 0, 0};
    for (size_t row = 0; row < rows_of(function); row++)
        counts[tlu_function_value(function, output, row) + 1]++;
    printf("table     %s is 1 in %zu of %zu rows",
           shown(tlu_function_output_name(function, output)), counts[2], rows_of(function));
    if (counts[0])
        printf(" and does not matter in %zu", counts[0]);
    printf(" (--json has it)\n");
}

static void print_table(const tlu_function *function)
{
    size_t outputs = tlu_function_output_count(function);
    if (tlu_function_input_count(function) > TABLE_INPUTS || outputs > TABLE_OUTPUTS) {
        for (size_t i = 0; i < outputs; i++)
            print_counts(function, i);
        return;
    }
    print_names(function);
    for (size_t row = 0; row < rows_of(function); row++)
        print_row(function, row);
    printf("\n");
}

// ---- a unit

// Before a term of a sum.
static const char *sign_text(bool negative, bool first)
{
    return negative ? (first ? "-" : " - ") : first ? "" : " + ";
}

// "2 a + b - c >= 2"
static void print_unit(const tlu_function *function, const tlu_threshold_unit *unit)
{
    bool first = true;
    for (size_t i = 0; i < unit->inputs; i++) {
        int64_t weight = unit->weights[i];
        if (weight == 0)
            continue;
        printf("%s", sign_text(weight < 0, first));
        if (weight != 1 && weight != -1)
            printf("%" PRId64 " ", weight < 0 ? -weight : weight);
        printf("%s", shown(tlu_function_input_name(function, i)));
        first = false;
    }
    printf("%s >= %" PRId64, first ? "0" : "", unit->threshold);
}

static int64_t weights_size(const tlu_threshold_unit *unit)
{
    int64_t sum = 0;
    for (size_t i = 0; i < unit->inputs; i++)
        sum += unit->weights[i] < 0 ? -unit->weights[i] : unit->weights[i];
    return sum;
}

static void print_unneeded(const tlu_function *function, const tlu_threshold_unit *unit)
{
    bool any = false;
    for (size_t i = 0; i < unit->inputs; i++)
        if (!unit->needed[i]) {
            printf("%s%s", any ? ", " : "unneeded  ", shown(tlu_function_input_name(function, i)));
            any = true;
        }
    if (any)
        printf(": it can be computed without\n");
}

// ---- a contradiction

// Width of the largest column sum: that of half of all numbers.
static int sum_width(const tlu_threshold_unit *unit)
{
    char text[32];
    int64_t total = 0;
    for (size_t i = 0; i < unit->count; i++)
        total += unit->times[i];
    return snprintf(text, sizeof text, "%" PRId64, total / 2);
}

static int column_width(const tlu_function *function, size_t input, int digits)
{
    int width = name_width(tlu_function_input_name(function, input));
    return width > digits ? width : digits;
}

static void print_heading(const tlu_function *function, const char *name, int value, int digits)
{
    printf("  %s = %d%*s", name, value, digits + 3, "");
    for (size_t i = 0; i < tlu_function_input_count(function); i++) {
        printf(" ");
        text_write_column(stdout, shown(tlu_function_input_name(function, i)),
                          -column_width(function, i, digits));
    }
    printf("\n");
}

// The rows of one value, each with its number, and their sum.
static void print_side(const tlu_function *function, size_t output, const tlu_threshold_unit *unit,
                       int value)
{
    int64_t sums[64] = {0}, total = 0;
    int digits = sum_width(unit);
    const char *name = shown(tlu_function_output_name(function, output));
    int indent = (int)text_width(name) + 4;
    size_t inputs = tlu_function_input_count(function), left = 0, printed = 0;
    print_heading(function, name, value, digits);
    for (size_t k = 0; k < unit->count; k++) {
        size_t row = unit->rows[k];
        if (tlu_function_value(function, output, row) != value)
            continue;
        total += unit->times[k];
        for (size_t i = 0; i < inputs; i++)
            sums[i] += input_at(function, row, i) * unit->times[k];
        if (printed++ >= ROWS_SHOWN) {
            left++;
            continue;
        }
        printf("  %*s%*" PRId64 " x ", indent, "", digits, unit->times[k]);
        for (size_t i = 0; i < inputs; i++)
            printf(" %*d", column_width(function, i, digits), input_at(function, row, i));
        printf("\n");
    }
    if (left)
        printf("  %*sand %zu more (--json has all)\n", indent, "", left);
    printf("  %*s%*" PRId64 "   ", indent, "", digits, total);
    for (size_t i = 0; i < inputs; i++)
        printf(" %*" PRId64, column_width(function, i, digits), sums[i]);
    printf("  in all\n");
}

static void print_contradiction(const tlu_function *function, size_t output,
                                const tlu_threshold_unit *unit)
{
    print_side(function, output, unit, 1);
    print_side(function, output, unit, 0);
    printf("As many rows add up to the same: with any weights the sums of both kinds have the same "
           "mean, so no\nthreshold has all of the first at or above it and all of the second "
           "below.\n");
}

// ---- the answers

static void print_answer(const tlu_function *function, size_t output,
                         const tlu_threshold_unit *unit, bool quiet)
{
    char rows[64];
    const char *name = shown(tlu_function_output_name(function, output));
    if (!unit->is_threshold) {
        printf("not a threshold function: these rows of %s contradict each other\n", name);
        if (!quiet)
            print_contradiction(function, output, unit);
    } else {
        printf("threshold function: %s is 1 if ", name);
        print_unit(function, unit);
        printf("%s\n", weights_size(unit) == 0
                           ? unit->threshold > 0 ? ", which is never" : ", which is always"
                           : ", else 0");
        if (unit->sum_min && !unit->smallest && !quiet)
            printf("smallest  not proven: the sum of |weights| is %" PRId64
                   ", and no unit for it has a smaller one than %" PRId64 "\n",
                   weights_size(unit), unit->sum_min);
        if (unit->smallest && !quiet)
            printf("smallest  no unit for it has a smaller sum of |weights| than %" PRId64 "\n",
                   weights_size(unit));
        if (!quiet)
            printf("checked   on %s\n", all_rows(rows, function));
    }
    if (!quiet)
        print_unneeded(function, unit);
}

static void print_network(const tlu_function *function, const tlu_realisation *realisation)
{
    char rows[64];
    tlu_error error;
    bool single = realisation->outputs == 1;
    const char *units = count_text(realisation->network_units, "unit");
    const char *hidden = count_text(realisation->hidden, "hidden unit");
    if (single)
        printf("network   %s and one on top", hidden);
    else
        printf("network   %s for all outputs", units);
    printf(", checked on %s%s\n", all_rows(rows, function),
           realisation->fewest    ? "; two layers need as many"
           : realisation->stopped ? "; --time ended the search: fewer may be possible"
           : single               ? "; fewer may be possible"
                                  : "");
    if (realisation->network_units > UNITS_SHOWN)
        printf("          (--as text prints it)\n");
    else if (tlu_network_write(realisation->network, "text", write_to_file, stdout, &error) !=
             TLU_OK)
        printf("          (%s)\n", error.text);
}

static void print_text(const tlu_function *function, const tlu_realisation *realisation, bool quiet)
{
    if (!quiet)
        print_table(function);
    for (size_t i = 0; i < realisation->outputs; i++)
        print_answer(function, i, realisation->units[i], quiet);
    bool units_alone = realisation->outputs == 1 && realisation->hidden == 0;
    if (realisation->network && !quiet && !units_alone)
        print_network(function, realisation);
}

// ---- JSON

static void put_table(struct json *json, const tlu_function *function, size_t output)
{
    char *text = need(calloc(rows_of(function) + 1, 1));
    for (size_t row = 0; row < rows_of(function); row++)
        text[row] = "-01"[tlu_function_value(function, output, row) + 1];
    json_text(json, "table", text);
    free(text);
}

static void put_weights(struct json *json, const tlu_threshold_unit *unit)
{
    json_array(json, "weights");
    for (size_t i = 0; i < unit->inputs; i++)
        json_whole(json, NULL, unit->weights[i]);
    json_end(json);
    json_whole(json, "threshold", unit->threshold);
    json_bool(json, "smallest", unit->smallest);
}

static void put_contradiction(struct json *json, const tlu_function *function, size_t output,
                              const tlu_threshold_unit *unit)
{
    json_array(json, "contradiction");
    for (size_t k = 0; k < unit->count; k++) {
        char bits[64] = "";
        for (size_t i = 0; i < unit->inputs; i++)
            bits[i] = input_at(function, unit->rows[k], i) ? '1' : '0';
        json_object(json, NULL);
        json_count(json, "row", unit->rows[k]);
        json_text(json, "inputs", bits);
        json_count(json, "value", (uint64_t)tlu_function_value(function, output, unit->rows[k]));
        json_whole(json, "times", unit->times[k]);
        json_end(json);
    }
    json_end(json);
}

static void put_output(struct json *json, const tlu_function *function, size_t output,
                       const tlu_threshold_unit *unit)
{
    json_object(json, NULL);
    json_text(json, "name", tlu_function_output_name(function, output));
    put_table(json, function, output);
    json_bool(json, "threshold_function", unit->is_threshold);
    json_array(json, "unneeded");
    for (size_t i = 0; i < unit->inputs; i++)
        if (!unit->needed[i])
            json_text(json, NULL, tlu_function_input_name(function, i));
    json_end(json);
    if (unit->is_threshold)
        put_weights(json, unit);
    else
        put_contradiction(json, function, output, unit);
    json_end(json);
}

static int write_raw(void *context, const char *bytes, size_t size)
{
    json_raw(context, bytes, size);
    return 0;
}

static void put_network(struct json *json, const tlu_realisation *realisation)
{
    tlu_error error;
    json_count(json, "units", realisation->network_units);
    json_count(json, "hidden", realisation->hidden);
    json_bool(json, "fewest", realisation->fewest);
    json_bool(json, "stopped", realisation->stopped);
    json_name(json, "network");
    if (tlu_network_write(realisation->network, "json", write_raw, json, &error) != TLU_OK)
        json_raw(json, "null", 4);
}

static void print_json(const tlu_function *function, const tlu_realisation *realisation)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_array(&json, "inputs");
    for (size_t i = 0; i < tlu_function_input_count(function); i++)
        json_text(&json, NULL, tlu_function_input_name(function, i));
    json_end(&json);
    json_array(&json, "outputs");
    for (size_t i = 0; i < realisation->outputs; i++)
        put_output(&json, function, i, realisation->units[i]);
    json_end(&json);
    if (realisation->network)
        put_network(&json, realisation);
    json_end(&json);
}

// ---- --learn: the perceptron on the truth table

// The rows of the truth table that matter, as examples.
struct truth_rows {
    tlu_rows rows;
    float *values;      // [rows][inputs]
    uint32_t *labels;   // [rows]
    const char **names; // [inputs]
};

static const char *const labels[] = {"0", "1"};

static void examples_make(struct truth_rows *examples, const tlu_function *function)
{
    size_t inputs = tlu_function_input_count(function), all = rows_of(function), count = 0;
    examples->values = need(calloc(all * inputs + 1, sizeof(float)));
    examples->labels = need(calloc(all, sizeof(uint32_t)));
    examples->names = need(calloc(inputs + 1, sizeof(char *)));
    for (size_t i = 0; i < inputs; i++)
        examples->names[i] = tlu_function_input_name(function, i);
    for (size_t row = 0; row < all; row++) {
        int value = tlu_function_value(function, 0, row);
        if (value < 0)
            continue;
        for (size_t i = 0; i < inputs; i++)
            examples->values[count * inputs + i] = (float)input_at(function, row, i);
        examples->labels[count++] = (uint32_t)value;
    }
    examples->rows = (tlu_rows){.size = sizeof examples->rows,
                                .rows = count,
                                .columns = inputs,
                                .values = examples->values,
                                .labels = examples->labels,
                                .label_names = labels,
                                .label_count = 2,
                                .feature_names = examples->names,
                                .feature_count = inputs};
}

static void examples_free(struct truth_rows *examples)
{
    free(examples->values);
    free(examples->labels);
    free(examples->names);
}

static bool has_both(const struct truth_rows *examples)
{
    for (size_t i = 1; i < examples->rows.rows; i++)
        if (examples->labels[i] != examples->labels[0])
            return true;
    return false;
}

static tlu_status set_options(const struct arguments *arguments, tlu_error *error)
{
    const char *const fixed[][2] = {{"learner", "perceptron"},
                                    {"decide", "last"},
                                    {"shuffle", "none"},
                                    {"scale", "none"},
                                    {"epochs", arguments_text(arguments, "epochs")},
                                    {"rate", arguments_text(arguments, "rate")}};
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        TRY(tlu_options_set(arguments->library, fixed[i][0], fixed[i][1], error));
    return TLU_OK;
}

static void print_learning(const tlu_report *report)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < report->epochs; i++)
        sum += report->mistakes[i];
    printf("mistakes  %s in ", count_text(sum, "mistake"));
    printf("%s: ", count_text(report->epochs, "pass"));
    for (uint64_t i = 0; i < report->epochs && i < 20; i++)
        printf("%s%llu", i ? " " : "", ULL(report->mistakes[i]));
    printf("%s\n", report->epochs > 20 ? " ..." : "");
}

// The plane that was learned; no row of the table is on it.
static void print_learned(const tlu_function *function, const tlu_model *model)
{
    size_t positive = tlu_model_class_find(model, "1");
    bool first = true;
    printf("learned   ");
    for (size_t i = 0; i <= tlu_function_input_count(function); i++) {
        bool bias = i == tlu_function_input_count(function);
        const char *input = bias ? NULL : tlu_function_input_name(function, i);
        size_t feature = bias ? TLU_NONE : tlu_model_feature_find(model, input);
        double weight = bias                  ? tlu_model_bias(model, positive)
                        : feature == TLU_NONE ? 0
                                              : tlu_model_weight(model, positive, feature);
        if (weight == 0)
            continue;
        printf("%s%s", sign_text(weight < 0, first), number_text(fabs(weight)));
        if (!bias)
            printf(" %s", text_clip(input, 30));
        first = false;
    }
    printf("%s > 0 is %s\n", first ? "0" : "",
           text_clip(tlu_function_output_name(function, 0), 30));
}

static void print_ending(const tlu_function *function, const tlu_threshold_unit *unit,
                         const tlu_model *model)
{
    const tlu_report *report = tlu_model_report(model);
    print_learning(report);
    if (report->converged) {
        print_learned(function, model);
        return;
    }
    if (report->cycle)
        printf("cycling   the weights repeat after %s: training would never end\n",
               count_text(report->cycle, "pass"));
    if (unit->is_threshold) {
        printf("open      it has not come to an end after %s; as it is a threshold function, it "
               "will: --epochs N\n",
               count_text(report->epochs, "pass"));
        return;
    }
    printf("It never stops, as no weights are right:\n"
           "not a threshold function: these rows of %s contradict each other\n",
           tlu_function_output_name(function, 0));
    print_contradiction(function, 0, unit);
}

static tlu_status learn_table(const struct arguments *arguments, const tlu_function *function,
                              const tlu_realisation *realisation, tlu_error *error)
{
    bool json = arguments_flag(arguments, "json"), cut;
    struct trace_settings settings = {.form = json ? "json" : "text",
                                      .steps = arguments_count(arguments, "steps"),
                                      .to_the_end = true};
    struct truth_rows examples;
    tlu_model *model = NULL;
    if (tlu_function_output_count(function) > 1)
        return fail_input(error, "--learn is for a function with one output, not %zu",
                          tlu_function_output_count(function));
    TRY(set_options(arguments, error));
    examples_make(&examples, function);
    tlu_train_settings data = {.size = sizeof data, .rows = &examples.rows, .name = "truth table"};
    tlu_status status =
        has_both(&examples)
            ? trace_print(&data, arguments->library, &settings, &model, &cut, error)
            : fail_input(error,
                         "--learn needs rows with 0 and rows with 1: the function is constant");
    if (status == TLU_OK && !json) {
        if (cut)
            printf("(These are the first %s; --steps N shows more.)\n",
                   count_text(settings.steps, "step"));
        print_ending(function, realisation->units[0], model);
    }
    tlu_model_free(model);
    examples_free(&examples);
    return status;
}

// ---- the function

static tlu_status parse_expression(const char *text, const char *names, tlu_function **function,
                                   tlu_error *error)
{
    if (strcmp(text, "-") != 0)
        return tlu_function_from_expression(text, names, function, error);
    char *all;
    size_t size;
    tlu_status status = input_whole("-", EXPRESSION_MAX, input_look_text, &all, &size, error);
    if (status == TLU_OK) // input_whole has checked the first bytes alone
        status = input_look_text("-", all, size, error);
    if (status == TLU_OK)
        status = tlu_function_from_expression(all, names, function, error);
    free(all);
    return status;
}

static tlu_status make_function(const struct arguments *arguments, tlu_function **function,
                                tlu_error *error)
{
    const char *text = arguments->positional_count ? arguments->positional[0] : NULL;
    const char *names = arguments_text(arguments, "names");
    const char *table = arguments_text(arguments, "table"), *pla = arguments_text(arguments, "pla");
    if ((text != NULL) + (table != NULL) + (pla != NULL) != 1)
        return fail_input(
            error, "logic needs one function, EXPR ('a & (b | !c)'), --table VALUES or --pla FILE, "
                   "or a machine, --regex, --automaton, --kiss2 or --turing; see tlu logic --help");
    if (pla && names)
        return fail_input(
            error,
            "--names cannot be combined with --pla: a PLA file has them in .ilb; remove --names");
    if (table)
        return tlu_function_from_table(table, names, function, error);
    return pla ? tlu_function_from_pla(pla, function, error)
               : parse_expression(text, names, function, error);
}

// ---- the answer

static bool all_are_units(const tlu_realisation *realisation)
{
    for (size_t i = 0; i < realisation->outputs; i++)
        if (!realisation->units[i]->is_threshold)
            return false;
    return true;
}

// Prints the network, the training or the answer.
static tlu_status answer(const struct arguments *arguments, const tlu_function *function,
                         tlu_realisation *realisation, tlu_error *error)
{
    const char *language = arguments_text(arguments, "as");
    const char *path = arguments_text(arguments, "output");
    bool quiet = arguments_flag(arguments, "quiet"), wants_network = language || path;
    if (!wants_network && !all_are_units(realisation))
        verb_answer = ANSWER_NO;
    if (arguments_flag(arguments, "learn"))
        return learn_table(arguments, function, realisation, error);
    if (wants_network) {
        tlu_status status =
            network_print(realisation->network, language ? language : "text", path, error);
        if (status != TLU_OK || !path || strcmp(path, "-") == 0)
            return status;
    }
    if (arguments_flag(arguments, "json"))
        print_json(function, realisation);
    else
        print_text(function, realisation, quiet);
    return TLU_OK;
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    bool learn = arguments_flag(arguments, "learn");
    const char *path = arguments_text(arguments, "output");
    if (learn && (arguments_given(arguments, "as") || path))
        return fail_input(error,
                          "--learn cannot be combined with --as or --output; leave these out");
    static const char *const learning[] = {"rate", "epochs", "steps"};
    for (size_t i = 0; i < 3 && !learn; i++)
        if (arguments_given(arguments, learning[i]))
            return fail_input(error, "--%s needs --learn; add it", learning[i]);
    static const char *const automata[] = {"encoding", "letters", "check"};
    for (size_t i = 0; i < 3; i++)
        if (arguments_given(arguments, automata[i]))
            return fail_input(error, "--%s needs --regex, --automaton%s", automata[i],
                              i == 1 ? " or --kiss2" : ", --kiss2 or --turing");
    return refuse_overwriting(path, arguments_text(arguments, "pla"), error);
}

// Answers without a network if none is found and none was requested.
static tlu_status realise(const tlu_function *function, tlu_realise_settings *settings,
                          bool wants_network, tlu_realisation **realisation, tlu_error *error)
{
    tlu_status status = tlu_function_realise(function, settings, realisation, error);
    if (status == TLU_OK || status == TLU_ERROR_SYSTEM || wants_network || !settings->network)
        return status;
    fprintf(stderr, "note: %s\n", error->text);
    settings->network = 0;
    return tlu_function_realise(function, settings, realisation, error);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    tlu_function *function = NULL;
    tlu_realisation *realisation = NULL;
    bool learn = arguments_flag(arguments, "learn"), quiet = arguments_flag(arguments, "quiet");
    bool wants_network = arguments_given(arguments, "as") || arguments_given(arguments, "output");
    tlu_realise_settings settings = {.size = sizeof settings,
                                     .smallest = arguments_flag(arguments, "smallest"),
                                     .network = wants_network || !(learn || quiet),
                                     .effort = (int)arguments_count(arguments, "effort"),
                                     .seconds = arguments_number(arguments, "time")};
    if (arguments_given(arguments, "turing"))
        return logic_turing(arguments, error);
    if (logic_is_automaton(arguments))
        return logic_automaton(arguments, error);
    TRY(check_together(arguments, error));
    tlu_status status = make_function(arguments, &function, error);
    if (status == TLU_OK)
        status = realise(function, &settings, wants_network, &realisation, error);
    if (status == TLU_OK)
        status = answer(arguments, function, realisation, error);
    if (status == TLU_INTERRUPTED) { // by --time
        fprintf(stderr, "not decided: %s\n", error->text);
        verb_answer = ANSWER_OPEN;
        status = TLU_OK;
    }
    tlu_realisation_free(realisation);
    tlu_function_free(function);
    return status;
}

const struct verb logic_verb = {
    .name = "logic",
    .summary = "a Boolean function, an automaton or a Turing machine's control as threshold units",
    .description =
        "Decides whether one threshold unit computes a Boolean function of up to 20 inputs. If so, "
        "prints its integer weights and threshold: the unit fires if the weights of the inputs "
        "that are 1 add up to the threshold or more. If not, prints rows of the truth table that "
        "contradict each other, and a network of two layers with few units. Both are checked on "
        "every row. EXPR has ! & ^ | -> <->, in order of precedence (-> groups from the right), "
        "parentheses, 0 1 true false, names (others in double quotes), maj(a, b, c), atleast(2; a, "
        "b, c), atmost and exactly; and, or, not, xor, &&, ||, ~, =>, <=> are synonyms. The exit "
        "code is 1 if some output is not a threshold function, unless --as or --output asks for a "
        "network; then it is 4 if --time ended the search before there was one. With --regex, "
        "--automaton or --kiss2 a finite automaton becomes a network with unit delays for its "
        "states: made deterministic and minimal first, and proven equal to the network by checking "
        "all reachable pairs of states. With --turing the same is done with the finite control of "
        "a "
        "Turing machine; the tape is memory outside the network (tlu logic run --tape).",
    .arguments = {{"EXPR", NULL, .help = "an expression: 'a & (b | !c)'; - is standard input",
                   true},
                  {0}},
    .common = "table smallest learn output as",
    .sections = {{"Options of --learn", "rate epochs steps"},
                 {"Options for automata and Turing machines",
                  "regex automaton kiss2 turing encoding letters check"}},
    OPTIONS(options),
    .examples = {"tlu logic 'a & (b | !c)'", "tlu logic --table 0001011- --smallest",
                 "tlu logic 'a ^ b' --as c", "tlu logic 'maj(a, b, c)' --learn --steps 100",
                 "tlu logic --regex 'a(b|c)*'", "tlu logic --turing turing/increment.tm"},
    .run = run,
};
