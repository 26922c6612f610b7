// tlu_model_mix: the weighted mean of models (learn/mix.h).
//
// Each model becomes a learner again, which gets the classes that it lacks. The mixture is a
// learner with the classes and features of all of them. The inputs are taken in the order of their
// contents, so that the mixture does not depend on the order of the arguments.
#include "learn/mix.h"
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "base/settings.h"
#include "data/impute.h"
#include "input/reader.h"
#include "model/make/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the inputs ----

struct mix_input {
    const tlu_model *model;
    size_t argument; // its place among the arguments
    uint64_t print;  // of its file
    size_t size;     // of its file
    double weight, steps;
    struct tlu_learner learner;
    struct numbering numbering; // from the learner to the mixture
    uint32_t *rows;             // [features of the mixture] of its weights; SCHEMA_NONE: none
};

struct mixture {
    struct mix_input *inputs; // [count]
    size_t count;
    bool same; // all inputs have the same content
    struct tlu_learner learner;
    struct scaling scaling;
};

static void mixture_free(struct mixture *mixture)
{
    for (size_t i = 0; mixture->inputs && i < mixture->count; i++) {
        learner_free_parts(&mixture->inputs[i].learner);
        numbering_free(&mixture->inputs[i].numbering);
        memory_free(mixture->inputs[i].rows);
    }
    memory_free(mixture->inputs);
    learner_free_parts(&mixture->learner);
    scaling_free(&mixture->scaling);
}

// FNV-1a, eight bytes at a time.
static uint64_t print_of(const unsigned char *bytes, size_t size)
{
    uint64_t print = 14695981039346656037u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        print = (print ^ word) * 1099511628211u;
        print ^= print >> 29;
    }
    return print;
}

static int by_content(const void *a, const void *b)
{
    const struct mix_input *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->print > y->print) - (x->print < y->print);
}

static tlu_status order_inputs(struct mixture *mixture, const tlu_model *const *models,
                               tlu_error *error)
{
    mixture->same = true;
    for (size_t i = 0; i < mixture->count; i++) {
        struct mix_input *input = &mixture->inputs[i];
        void *bytes;
        input->model = models[i];
        input->argument = i;
        TRY(tlu_model_save_bytes(models[i], &bytes, &input->size, error));
        input->print = print_of(bytes, input->size);
        tlu_bytes_free(bytes);
        mixture->same &= by_content(&mixture->inputs[0], input) == 0;
    }
    qsort(mixture->inputs, mixture->count, sizeof *mixture->inputs, by_content);
    return TLU_OK;
}

enum mix_weights { BY_ROWS, BY_UPDATES, BY_NONE };

static tlu_status read_weights(const char *text, enum mix_weights *by, tlu_error *error)
{
    static const char *const names[] = {"rows", "updates", "equal"};
    *by = BY_ROWS;
    if (!text)
        return TLU_OK;
    for (int i = BY_ROWS; i <= BY_NONE; i++)
        if (strcmp(text, names[i]) == 0) {
            *by = (enum mix_weights)i;
            return TLU_OK;
        }
    return error_input(error, "the weights of a mixture are rows, updates or equal, not '%.80s'",
                       text);
}

static tlu_status weigh_inputs(struct mixture *mixture, enum mix_weights by, tlu_error *error)
{
    double sum = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        struct mix_input *input = &mixture->inputs[i];
        const tlu_report *report = &input->model->report;
        input->weight = by == BY_ROWS      ? (double)report->examples
                        : by == BY_UPDATES ? (double)report->updates
                                           : 1;
        input->steps = input->model->state.weights.steps;
        sum += input->weight;
    }
    if (sum > 0)
        return TLU_OK;
    if (by == BY_ROWS)
        return error_input(error, "no model says from how many rows it has learned; mix them with "
                                  "equal weights (--weights equal)");
    for (size_t i = 0; i < mixture->count; i++) // all have converged
        mixture->inputs[i].weight = 1;
    return TLU_OK;
}

// ---- what can be mixed ----

static bool has_output(const tlu_model *model)
{
    const struct score_output *output = &model->state.output;
    return output->calibration.kind != CALIBRATE_NONE || output->threshold.on != THRESHOLD_NONE ||
           output->labels.on != THRESHOLD_NONE;
}

static tlu_status refuse_difference(const struct mix_input *a, const struct mix_input *b,
                                    const char *what, tlu_error *error)
{
    size_t first = a->argument < b->argument ? a->argument : b->argument;
    size_t second = a->argument < b->argument ? b->argument : a->argument;
    return error_input(error, "models %zu and %zu cannot be mixed: %s", first + 1, second + 1,
                       what);
}

static tlu_status check_options(const struct mix_input *a, const struct mix_input *b,
                                tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        // Two classes are the same with each scheme, and a shard of a table may have had only two.
        bool few = i == OPTION_MULTICLASS &&
                   (a->model->state.scheme.classes <= 2 || b->model->state.scheme.classes <= 2);
        if (mix_option_may_differ(i) || few ||
            options_same(a->model->state.options, b->model->state.options, i))
            continue;
        char what[400];
        snprintf(what, sizeof what, "--%s is '%.80s' in one and '%.80s' in the other",
                 tlu_option_at(i)->name, options_text(a->model->state.options, i),
                 options_text(b->model->state.options, i));
        return refuse_difference(a, b, what, error);
    }
    return TLU_OK;
}

static tlu_status check_alike(const struct mixture *mixture, const struct mix_input *a,
                              const struct mix_input *b, tlu_error *error)
{
    TRY(check_options(a, b, error));
    const struct schema *x = &a->model->state.schema, *y = &b->model->state.schema;
    if (schema_is_indexed(x) != schema_is_indexed(y) || x->column_count != y->column_count ||
        (x->column_count && !schema_reads_same(x, y)))
        return refuse_difference(a, b,
                                 "the columns or formats of their data differ; name the kinds of "
                                 "columns with --categorical, --numeric and --text",
                                 error);
    if (!mixture->same && (has_output(a->model) || has_output(b->model)))
        return refuse_difference(a, b,
                                 "one has a calibration or a threshold, which is for its own "
                                 "scores; mix first, then set the threshold of the mixture",
                                 error);
    return TLU_OK;
}

static tlu_status check_input(const struct mix_input *input, tlu_error *error)
{
    const tlu_model *model = input->model;
    const char *obstacle = mix_obstacle(&input->learner);
    if (obstacle)
        return error_input(error, "model %zu cannot be mixed: %s", input->argument + 1, obstacle);
    if (!model_can_stream(model) || (model_keeps_groups(model) && !model->state.group_norm))
        return error_input(error, "model %zu cannot be mixed: it lacks the state of its learner",
                           input->argument + 1);
    return TLU_OK;
}

// ---- classes and features ----

static tlu_status new_learner(struct tlu_learner *learner, const tlu_model *model, tlu_error *error)
{
    uint32_t bits = model->state.schema.slots.bits;
    TRY(learner_init(learner, model->state.options, error));
    return enough_memory(!bits || schema_hash(&learner->state.schema, bits), error);
}

static tlu_status load_input(struct mix_input *input, tlu_error *error)
{
    TRY(new_learner(&input->learner, input->model, error));
    TRY(check_input(input, error));
    TRY(resume_learner(&input->learner, input->model, error));
    weights_settle(&input->learner.state.weights);
    return TLU_OK;
}

static tlu_status add_classes(struct tlu_learner *to, const struct schema *from, tlu_error *error)
{
    for (uint32_t c = 0; c < schema_classes(from); c++)
        TRY(enough_memory(schema_class_add(&to->state.schema, from->spelled[c],
                                           strlen(from->spelled[c])) != SCHEMA_NONE,
                          error));
    return learner_add_classes(to, schema_classes(&to->state.schema), error);
}

// All learners get all classes, and the numbers of the mixture's classes in each.
static tlu_status unite_classes(struct mixture *mixture, tlu_error *error)
{
    struct learner_state *state = &mixture->learner.state;
    for (size_t i = 0; i < mixture->count; i++)
        for (uint32_t c = 0; c < schema_classes(&mixture->inputs[i].learner.state.schema); c++) {
            const char *label = mixture->inputs[i].learner.state.schema.spelled[c];
            uint32_t number = schema_class_add(&state->schema, label, strlen(label));
            TRY(enough_memory(number != SCHEMA_NONE, error));
        }
    TRY(learner_add_classes(&mixture->learner, schema_classes(&state->schema), error));
    for (size_t i = 0; i < mixture->count; i++) {
        struct mix_input *input = &mixture->inputs[i];
        TRY(add_classes(&input->learner, &state->schema, error));
        uint32_t *numbers = memory_new(state->scheme.classes, sizeof *numbers);
        input->numbering.classes = numbers;
        for (uint32_t c = 0; numbers && c < state->scheme.classes; c++)
            numbers[c] = schema_class_find(&input->learner.state.schema, state->schema.spelled[c],
                                           strlen(state->schema.spelled[c]));
        TRY(enough_memory(numbers && numbering_order_columns(&input->numbering, &state->scheme),
                          error));
    }
    return TLU_OK;
}

// The number in its learner of feature f of a model.
static uint32_t own_number(const struct mix_input *input, uint32_t f)
{
    const struct schema *from = &input->model->state.schema;
    return f < from->numbered ? from->ids[f]
                              : input->learner.state.schema.base + f - from->numbered;
}

// The number in the mixture of feature f of a model; the feature is added if it is new.
// SCHEMA_NONE: out of memory.
static uint32_t united_number(struct schema *schema, const struct mix_input *input, uint32_t f)
{
    const struct schema *from = &input->model->state.schema;
    if (from->slots.bits) {
        schema_meet(schema, from->ids[f]);
        return from->ids[f];
    }
    char scratch[64];
    if (f < from->numbered)
        return schema_add(schema, scratch, schema_name(from, f, scratch, sizeof scratch));
    size_t length;
    const char *name = schema_name_at(from, f - from->numbered, scratch, &length);
    return schema_add(schema, name, length);
}

static bool unite_features_of(struct mixture *mixture, struct mix_input *input, uint32_t *united)
{
    struct tlu_learner *learner = &mixture->learner;
    for (uint32_t f = 0; f < schema_features(&input->model->state.schema); f++) {
        united[f] = united_number(&learner->state.schema, input, f);
        if (united[f] == SCHEMA_NONE || !learner_reserve(learner) ||
            weights_add_row(&learner->state.weights, united[f]) == SIZE_MAX)
            return false;
    }
    return true;
}

// Which row of an input's weights a feature of the mixture has.
static bool find_rows(struct mix_input *input, const uint32_t *united, size_t features)
{
    input->rows = memory_new_filled(features, sizeof *input->rows, 0);
    for (size_t f = 0; input->rows && f < features; f++)
        input->rows[f] = SCHEMA_NONE;
    for (uint32_t f = 0; input->rows && f < schema_features(&input->model->state.schema); f++) {
        size_t row = weights_row(&input->learner.state.weights, own_number(input, f));
        if (row != SIZE_MAX)
            input->rows[united[f]] = (uint32_t)row;
    }
    return input->rows != NULL;
}

// ---- scaling, missing values, words ----

static tlu_status refuse_scaling(const struct mix_input *input, const char *what, tlu_error *error)
{
    return error_input(
        error,
        "model %zu cannot be mixed with the others: %s differs; train the other parts with --start "
        "from a model that has it, such as that of the first part, or train with mpirun, which "
        "fits it to all rows",
        input->argument + 1, what);
}

// The scaling of a feature in the inputs that have it.
struct united_scale {
    bool known, differs;
    double factor, shift; // of the first input that has the feature
    double least;         // the smallest factor
    double sum, weight;   // of the weighted shifts, and of the weights
};

static tlu_status look_at_scaling(struct mixture *mixture, const struct mix_input *input,
                                  const uint32_t *united, struct united_scale *scales,
                                  tlu_error *error)
{
    const struct scaling *from = &input->model->scaling;
    const tlu_model *first = mixture->inputs[0].model;
    if (from->normalize != first->scaling.normalize)
        return refuse_scaling(input, "--normalize", error);
    if (!from->factor != !first->scaling.factor)
        return refuse_scaling(input, "the scaling of values", error);
    const struct schema *schema = &mixture->learner.state.schema;
    for (size_t f = 0; from->factor && f < from->features; f++) {
        struct united_scale *scale = &scales[united[f]];
        double factor = from->factor[f], shift = from->shift[f];
        if (!scale->known)
            *scale = (struct united_scale){true, false, factor, shift, factor, 0, 0};
        scale->differs |= factor != scale->factor || shift != scale->shift;
        scale->least = factor < scale->least ? factor : scale->least;
        scale->sum += input->weight * shift;
        scale->weight += input->weight;
        if (scale->differs && input->model->state.words.counts && schema_is_word(schema, united[f]))
            return refuse_scaling(input, "the frequency of words (--tfidf)", error);
        if (scale->differs && from->normalize)
            return refuse_scaling(input, "the scaling of rows that are normalised afterwards",
                                  error);
    }
    const struct word_counts *words = &input->model->state.words;
    uint32_t *counts = mixture->learner.state.words.counts;
    for (size_t f = 0; words->counts && counts && f < words->capacity; f++)
        counts[united[f]] = words->counts[f];
    return TLU_OK;
}

// The mixture scales by the smallest factor, that of the widest range, and subtracts the mean of
// the shifts.
static void choose_scaling(struct scaling *to, struct united_scale *scales)
{
    for (size_t f = 0; f < to->features; f++) {
        struct united_scale *scale = &scales[f];
        if (scale->known) {
            to->factor[f] = scale->least;
            to->shift[f] = !scale->differs     ? scale->shift
                           : scale->weight > 0 ? scale->sum / scale->weight
                                               : scale->shift;
        }
    }
}

// With factor a and shift s of an input and A and S of the mixture, w (x - s) a is w' (x - S) A + w
// a (S - s) with w' = w a / A. The same holds for u. Variances and sums of squared gradients belong
// to the values, so they change by the square of a / A, or of A / a.
static void convert_scaling(struct mix_input *input, const uint32_t *united,
                            const struct united_scale *scales, const struct scaling *to)
{
    struct weights *own = &input->learner.state.weights;
    const struct scaling *from = &input->model->scaling;
    for (size_t f = 0; from->factor && f < from->features; f++) {
        size_t row = weights_row(own, own_number(input, (uint32_t)f));
        double factor = from->factor[f], ratio = factor / to->factor[united[f]];
        double moved = factor * (to->shift[united[f]] - from->shift[f]);
        for (uint32_t c = 0; scales[united[f]].differs && row != SIZE_MAX && c < own->columns;
             c++) {
            size_t at = row * own->columns + c;
            own->bias[c] += own->w[at] * moved;
            own->w[at] *= ratio;
            if (own->u) {
                own->u_bias[c] += own->u[at] * moved;
                own->u[at] *= ratio;
            }
            if (own->state && own->state_start > 0)
                weights_set_state(own, at, weights_state(own, at) * (ratio * ratio));
            else if (own->state)
                own->state[at] /= ratio * ratio;
        }
    }
}

static tlu_status new_scaling(struct mixture *mixture, size_t features, tlu_error *error)
{
    const tlu_model *first = mixture->inputs[0].model;
    struct scaling *to = &mixture->scaling;
    struct word_counts *words = &mixture->learner.state.words;
    to->kind = first->scaling.kind;
    to->normalize = first->scaling.normalize;
    if (first->state.words.counts) {
        words->rows = first->state.words.rows;
        words->capacity = features;
        words->counts = memory_new(features, sizeof *words->counts);
        TRY(enough_memory(words->counts != NULL, error));
    }
    if (!first->scaling.factor)
        return TLU_OK;
    to->features = features;
    to->factor = memory_new(features, sizeof *to->factor);
    to->shift = memory_new(features, sizeof *to->shift);
    TRY(enough_memory(to->factor && to->shift, error));
    for (size_t f = 0; f < features; f++)
        to->factor[f] = 1;
    return TLU_OK;
}

static tlu_status unite_scaling(struct mixture *mixture, uint32_t *const *united, tlu_error *error)
{
    struct scaling *to = &mixture->scaling;
    struct united_scale *scales =
        memory_new(schema_features(&mixture->learner.state.schema), sizeof *scales);
    tlu_status status = enough_memory(scales != NULL, error);
    for (size_t i = 0; status == TLU_OK && i < mixture->count; i++)
        status = look_at_scaling(mixture, &mixture->inputs[i], united[i], scales, error);
    if (status == TLU_OK && to->factor) {
        choose_scaling(to, scales);
        for (size_t i = 0; i < mixture->count; i++)
            convert_scaling(&mixture->inputs[i], united[i], scales, to);
        status = enough_memory(scaling_index(to), error);
    }
    memory_free(scales);
    return status;
}

// The value of a missing one is the mean over all rows, as far as the models know their sums.
static tlu_status unite_fills(struct mixture *mixture, tlu_error *error)
{
    struct schema *schema = &mixture->learner.state.schema;
    int missing = options_choice(mixture->learner.state.options, OPTION_MISSING);
    for (size_t k = 0; k < schema->column_count; k++) {
        struct fill *fill = &schema->columns[k].fill;
        for (size_t i = 1; i < mixture->count; i++) {
            const struct fill *other = &mixture->inputs[i].model->state.schema.columns[k].fill;
            bool same = fill->known == other->known && fill->value == other->value &&
                        !fill->text == !other->text &&
                        (!fill->text || strcmp(fill->text, other->text) == 0);
            bool means = missing == MISSING_AUTO || missing == MISSING_MEAN;
            if (same)
                continue;
            if (!means || fill->text || other->text)
                return refuse_difference(&mixture->inputs[0], &mixture->inputs[i],
                                         "they replace missing values by different ones; use "
                                         "--missing indicator",
                                         error);
            fill->sum += other->sum;
            fill->count += other->count;
            fill_set_mean(fill);
        }
    }
    return TLU_OK;
}

static tlu_status unite_features(struct mixture *mixture, uint32_t **united, tlu_error *error)
{
    struct tlu_learner *learner = &mixture->learner;
    struct schema *schema = &learner->state.schema;
    const struct schema *first = &mixture->inputs[0].model->state.schema;
    schema->format = first->format;
    schema->base = 0;
    for (size_t i = 0; i < mixture->count; i++) {
        const struct schema *own = &mixture->inputs[i].learner.state.schema;
        schema->base = own->base > schema->base ? own->base : schema->base;
        if (own->direct.lowest <= own->direct.highest) {
            index_range_add(&schema->direct, own->direct.lowest);
            index_range_add(&schema->direct, own->direct.highest);
        }
    }
    if (schema->slots.bits)
        TRY(enough_memory(learner_reserve(learner), error));
    for (size_t i = 0; i < mixture->count; i++) {
        size_t features = schema_features(&mixture->inputs[i].model->state.schema);
        united[i] = memory_new(features, sizeof *united[i]);
        TRY(enough_memory(united[i] && unite_features_of(mixture, &mixture->inputs[i], united[i]),
                          error));
    }
    TRY(enough_memory(learner_reserve(learner), error));
    TRY(enough_memory(make_columns(schema, first, first->ids), error));
    TRY(unite_fills(mixture, error));
    size_t features = schema_features(schema);
    TRY(new_scaling(mixture, features, error));
    for (size_t i = 0; i < mixture->count; i++)
        TRY(enough_memory(find_rows(&mixture->inputs[i], united[i], features), error));
    return unite_scaling(mixture, united, error);
}

// ---- weights ----

struct model_mixing {
    struct mixture *mixture;
    struct mix mix;
    struct mix_cells cells;
    size_t filled;        // lanes of the cells
    size_t at[MIX_LANES]; // their places in the mixture
    double *numbers;      // [3 count][MIX_LANES] for the cells
};

// Reads cell `at` of an array of an input, negated if a pair of classes has changed places.
static double cell_of(const double *cells, size_t at, bool negated)
{
    return negated ? 0 - cells[at] : cells[at];
}

static void mix_filled(struct model_mixing *mixing)
{
    struct weights *to = &mixing->mixture->learner.state.weights;
    struct mix_cells *cells = &mixing->cells;
    if (mixing->filled)
        mix_cells(&mixing->mix, cells);
    for (size_t k = 0; k < mixing->filled; k++) {
        size_t at = mixing->at[k];
        to->w[at] = cells->mean_w[k];
        if (to->u)
            to->u[at] = cells->mean_u[k];
        if (to->state && cells->mean_state[k] != to->state_start)
            weights_set_state(to, at, cells->mean_state[k]);
    }
    mixing->filled = 0;
}

static void mix_feature(struct model_mixing *mixing, size_t feature, size_t row)
{
    struct mixture *mixture = mixing->mixture;
    struct weights *to = &mixture->learner.state.weights;
    struct mix_cells *cells = &mixing->cells;
    for (uint32_t c = 0; c < learner_columns(&mixture->learner); c++) {
        size_t lane = mixing->filled++;
        mixing->at[lane] = row * to->columns + c;
        for (size_t i = 0; i < mixture->count; i++, lane += MIX_LANES) {
            const struct mix_input *input = &mixture->inputs[i];
            const struct weights *from = &input->learner.state.weights;
            bool there = input->rows[feature] != SCHEMA_NONE, negated = input->numbering.negated[c];
            size_t at =
                there ? (size_t)input->rows[feature] * from->columns + input->numbering.columns[c]
                      : 0;
            cells->w[lane] = there ? cell_of(from->w, at, negated) : 0;
            if (cells->u)
                cells->u[lane] = there ? cell_of(from->u, at, negated) : 0;
            if (cells->state)
                cells->state[lane] = there ? weights_state(from, at) : from->state_start;
        }
        if (mixing->filled == MIX_LANES)
            mix_filled(mixing);
    }
}

static void mix_biases(struct model_mixing *mixing)
{
    struct mixture *mixture = mixing->mixture;
    struct weights *to = &mixture->learner.state.weights;
    struct mix_cells *cells = &mixing->cells;
    for (uint32_t c = 0; c < learner_columns(&mixture->learner); c++) {
        for (size_t i = 0; i < mixture->count; i++) {
            const struct mix_input *input = &mixture->inputs[i];
            const struct weights *from = &input->learner.state.weights;
            uint32_t own = input->numbering.columns[c];
            bool negated = input->numbering.negated[c];
            cells->w[i * MIX_LANES] = cell_of(from->bias, own, negated);
            if (cells->u)
                cells->u[i * MIX_LANES] = cell_of(from->u_bias, own, negated);
            if (cells->state)
                cells->state[i * MIX_LANES] = from->state_bias[own];
        }
        mix_cells(&mixing->mix, cells);
        to->bias[c] = cells->mean_w[0];
        if (to->u)
            to->u_bias[c] = cells->mean_u[0];
        if (to->state)
            to->state_bias[c] = cells->mean_state[0];
    }
}

static void mix_counts(struct model_mixing *mixing)
{
    struct mixture *mixture = mixing->mixture;
    struct learner_state *state = &mixture->learner.state;
    uint32_t groups = scheme_groups(state->scheme.kind, state->scheme.classes);
    for (uint32_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < mixture->count; i++) {
            const struct mix_input *input = &mixture->inputs[i];
            uint32_t own = groups == 1 ? 0 : input->numbering.columns[g];
            mixing->numbers[i] = (double)input->learner.state.group_updates[own];
        }
        state->group_updates[g] = (uint64_t)(mix_mean(&mixing->mix, mixing->numbers, NULL) + 0.5);
    }
    for (uint32_t c = 0; c < state->scheme.classes; c++)
        for (size_t i = 0; i < mixture->count; i++) {
            const struct scheme *from = &mixture->inputs[i].learner.state.scheme;
            uint32_t own = mixture->inputs[i].numbering.classes[c];
            uint64_t rows = own < from->class_examples_count ? from->class_examples[own] : 0;
            state->scheme.class_examples[c] += rows;
        }
}

static tlu_status mix_weights(struct model_mixing *mixing, double *weights, double *steps,
                              tlu_error *error)
{
    struct mixture *mixture = mixing->mixture;
    struct learner_state *state = &mixture->learner.state;
    size_t count = mixture->count;
    TRY(enough_memory(mixing->numbers && weights && steps, error));
    for (size_t i = 0; i < count; i++) {
        weights[i] = mixture->inputs[i].weight;
        steps[i] = mixture->inputs[i].steps;
    }
    TRY(enough_memory(mix_init(&mixing->mix, count, weights, steps, &mixture->learner), error));
    mixing->cells.w = mixing->numbers;
    mixing->cells.u = state->weights.u ? mixing->numbers + MIX_LANES * count : NULL;
    mixing->cells.state = state->weights.state ? mixing->numbers + 2 * MIX_LANES * count : NULL;
    state->scheme.class_examples =
        memory_new(state->scheme.classes, sizeof *state->scheme.class_examples);
    TRY(enough_memory(state->scheme.class_examples != NULL, error));
    state->scheme.class_examples_count = state->scheme.classes;
    size_t row;
    for (size_t f = weights_next(&state->weights, 0, &row); f != SIZE_MAX;
         f = weights_next(&state->weights, f + 1, &row)) {
        bool used = false;
        for (size_t i = 0; !used && i < count; i++)
            used = mixture->inputs[i].rows[f] != SCHEMA_NONE;
        if (used)
            mix_feature(mixing, f, row);
    }
    mix_filled(mixing);
    mix_biases(mixing);
    mix_counts(mixing);
    mix_finish(&mixture->learner, &mixing->mix);
    return TLU_OK;
}

static tlu_status mix_all(struct mixture *mixture, tlu_error *error)
{
    double *weights = memory_new(mixture->count, sizeof *weights);
    double *steps = memory_new(mixture->count, sizeof *steps);
    struct model_mixing mixing = {
        .mixture = mixture, .numbers = memory_new(3 * MIX_LANES * mixture->count, sizeof(double))};
    tlu_status status = mix_weights(&mixing, weights, steps, error);
    mix_free(&mixing.mix);
    memory_free(mixing.numbers);
    memory_free(weights);
    memory_free(steps);
    return status;
}

// ---- the model ----

static tlu_status fill_report(struct tlu_model *model, const struct mixture *mixture,
                              tlu_error *error)
{
    char text[64];
    uint64_t epochs = 0;
    for (size_t i = 0; i < mixture->count; i++)
        if (mixture->inputs[i].model->report.epochs > epochs)
            epochs = mixture->inputs[i].model->report.epochs;
    uint64_t *mistakes = model->recorded.mistakes = memory_new(epochs, sizeof *mistakes);
    snprintf(text, sizeof text, "%zu models", mixture->count);
    model->recorded.data = memory_copy_text(text, strlen(text));
    model->recorded.origin = ORIGIN_MIXTURE;
    TRY(enough_memory(mistakes && model->recorded.data, error));
    tlu_report *report = &model->report;
    *report = (tlu_report){.epochs = epochs,
                           .mistakes = mistakes,
                           .best_epoch = epochs,
                           .converged = true,
                           .features = make_feature_count(model, &mixture->learner.state.schema),
                           .classes = mixture->learner.state.scheme.classes,
                           .stopped = model_stopped_name(STOPPED_EPOCHS),
                           .data = model->recorded.data,
                           .format = mixture->inputs[0].model->report.format};
    for (size_t i = 0; i < mixture->count; i++) {
        const tlu_report *from = &mixture->inputs[i].model->report;
        report->examples += from->examples;
        report->nonzeros += from->nonzeros;
        report->updates += from->updates;
        report->skipped += from->skipped;
        report->converged &= from->converged;
        for (uint64_t e = 0; e < from->epochs; e++)
            mistakes[e] += from->mistakes[e];
    }
    if (report->converged)
        report->stopped = model_stopped_name(STOPPED_CONVERGED);
    model_set_figures(model, false, 0);
    model_set_errors(model);
    return TLU_OK;
}

static tlu_status make_mixture(struct mixture *mixture, tlu_model **mixed, tlu_error *error)
{
    struct learned learned = {.learner = &mixture->learner,
                              .weights = &mixture->learner.state.weights,
                              .last = true,
                              .scaling = &mixture->scaling};
    TRY(make_model(mixed, &learned, error));
    tlu_status status = fill_report(*mixed, mixture, error);
    if (status == TLU_OK)
        return TLU_OK;
    tlu_model_free(*mixed);
    *mixed = NULL;
    return status;
}

static tlu_status unite(struct mixture *mixture, tlu_error *error)
{
    uint32_t **united = memory_new(mixture->count, sizeof *united);
    tlu_status status = enough_memory(united != NULL, error);
    if (status == TLU_OK)
        status = unite_features(mixture, united, error);
    for (size_t i = 0; united && i < mixture->count; i++)
        memory_free(united[i]);
    memory_free(united);
    return status;
}

// The scheme of several classes is that of a model that has them.
static const tlu_model *model_with_most_classes(const struct mixture *mixture)
{
    const tlu_model *most = mixture->inputs[0].model;
    for (size_t i = 1; i < mixture->count; i++)
        if (mixture->inputs[i].model->state.scheme.classes > most->state.scheme.classes)
            most = mixture->inputs[i].model;
    return most;
}

static tlu_status mix_models(struct mixture *mixture, const tlu_model *const *models,
                             enum mix_weights by, tlu_model **mixed, tlu_error *error)
{
    mixture->inputs = memory_new(mixture->count, sizeof *mixture->inputs);
    TRY(enough_memory(mixture->inputs != NULL, error));
    TRY(order_inputs(mixture, models, error));
    TRY(weigh_inputs(mixture, by, error));
    for (size_t i = 0; i < mixture->count; i++)
        TRY(load_input(&mixture->inputs[i], error));
    for (size_t i = 1; i < mixture->count; i++)
        TRY(check_alike(mixture, &mixture->inputs[0], &mixture->inputs[i], error));
    TRY(new_learner(&mixture->learner, model_with_most_classes(mixture), error));
    TRY(unite_classes(mixture, error));
    TRY(unite(mixture, error));
    TRY(mix_all(mixture, error));
    if (mixture->same) {
        struct score_output *output = &mixture->inputs[0].learner.state.output;
        mixture->learner.state.output = *output;
        *output = (struct score_output){0};
    }
    return make_mixture(mixture, mixed, error);
}

tlu_status tlu_model_mix(const tlu_model *const *models, size_t count,
                         const tlu_mix_settings *settings, tlu_model **mixed, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_mix_settings own = {0};
    enum mix_weights by;
    *mixed = NULL;
    if (settings)
        TRY(settings_take(&own, sizeof own, settings, "tlu_mix_settings", error));
    TRY(read_weights(own.weights, &by, error));
    if (count == 0)
        return error_input(error, "there is no model to mix");
    struct mixture mixture = {.count = count};
    tlu_status status = mix_models(&mixture, models, by, mixed, error);
    mixture_free(&mixture);
    return status;
}
