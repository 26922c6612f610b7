// Random models of every shape, for the tests of the model file, and how two models are compared.
#ifndef TLU_TESTS_MODEL_SHAPES_H
#define TLU_TESTS_MODEL_SHAPES_H

#include "model_bytes.h"

#include <math.h>

struct shape {
    uint32_t classes;
    const char *learner, *decide, *scheme, *kernel;
    bool csv, holdout, ones, multilabel;
    int scale;
    uint32_t numbered, names, supports, steps;
    uint64_t epochs;
    double zeros; // the share of weights that are 0
};

static inline double some_number(struct random *random, double zeros)
{
    if (random_unit(random) < zeros)
        return 0;
    switch (random_below(random, 6)) {
    case 0:
        return (double)random_below(random, 65536) - 32768;
    case 1:
        return (double)random_below(random, 1u << 30) - (1 << 29);
    case 2:
        return (float)random_normal(random);
    case 3:
        return -0.0;
    case 4:
        return random_normal(random) * 1e100;
    default:
        return random_normal(random);
    }
}

static inline double *some_numbers(struct random *random, size_t count, double zeros)
{
    double *numbers = memory_new(count, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = some_number(random, zeros);
    return numbers;
}

static inline void fill_schema(tlu_model *model, struct random *random, const struct shape *shape)
{
    struct schema *schema = &model->state.schema;
    char text[64];
    schema->frozen = true;
    assert_int_equal(schema_set_labels(schema, model->state.options, NULL), TLU_OK);
    schema->format = shape->csv ? DATA_CSV : DATA_LIBSVM;
    schema->numbered = shape->numbered;
    schema->ids = memory_new(shape->numbered, sizeof *schema->ids);
    assert_non_null(schema->ids);
    for (uint32_t i = 0, id = 0; i < shape->numbered; i++, id++)
        schema->ids[i] = id += (uint32_t)random_below(random, i % 3 ? 1 : 300);
    for (uint32_t i = 0; i < shape->names; i++) { // the first name is empty
        int n = i ? snprintf(text, sizeof text, "n%u=\xC3\xA4\t%u", i, i * i) : 0;
        assert_int_equal(table_add(&schema->names, text, (size_t)n), i);
    }
    for (uint32_t i = 0; i < shape->classes; i++) {
        int n = snprintf(text, sizeof text, i % 2 ? "+%u" : "%u.0", i);
        assert_int_equal(schema_class_add(schema, text, (size_t)n), i);
    }
    if (!shape->csv)
        return;
    schema->header = random_below(random, 2);
    schema->delimiter = '\t';
    schema->column_count = shape->names + 2;
    schema->columns = memory_new(schema->column_count, sizeof *schema->columns);
    assert_non_null(schema->columns);
    for (uint32_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        column->name = memory_copy_text(text, i % 5);
        column->kind = i == 0 ? COLUMN_LABEL : i % 2 ? COLUMN_CATEGORICAL : COLUMN_IGNORED;
        column->feature = SCHEMA_NONE;
        if (i > 1 && i % 3) {
            column->kind = COLUMN_NUMERIC;
            column->feature = i - 2;
        }
    }
}

static inline void fill_report(tlu_model *model, struct random *random, const struct shape *shape)
{
    tlu_report *report = &model->report;
    report->examples = random_bits(random);
    report->held_out = random_below(random, 100);
    report->nonzeros = UINT64_MAX;
    report->features = random_below(random, 1u << 21);
    report->classes = shape->classes;
    report->epochs = shape->epochs;
    report->best_epoch = random_below(random, shape->epochs + 1);
    report->updates = 128;
    report->converged = (int)random_below(random, 2);
    report->stopped = model_stopped_name((enum stopped)random_below(random, 6));
    report->skipped = 127;
    report->format = shape->csv ? "csv" : "stream";
    report->data = model->recorded.data = memory_copy_text("data.csv", random_below(random, 9));
    report->mistakes = model->recorded.mistakes =
        memory_new((size_t)shape->epochs, sizeof *report->mistakes);
    for (uint64_t i = 0; i < shape->epochs; i++)
        model->recorded.mistakes[i] = random_bits(random) >> random_below(random, 64);
    if (shape->holdout)
        model->recorded.accuracy = some_numbers(random, (size_t)shape->epochs, 0.5);
    report->held_out_accuracy = model->recorded.accuracy;
    report->cycle = random_below(random, 300);
    report->supports = model->supports.count;
    model->recorded.figures[0] = random_unit(random);
    model->recorded.figures[1] = (double)random_below(random, 3) - 1;
    model->recorded.figures[2] = random_unit(random);
    model_set_errors(model);
}

static inline bool is_replayed(const struct shape *shape)
{
    return strcmp(shape->decide, "vote") == 0 || strcmp(shape->decide, "random") == 0;
}

// Rows of some of the features, in any order.
static inline void fill_rows(struct supports *supports, struct random *random,
                             const struct shape *shape, uint32_t features)
{
    uint32_t *order = malloc((features + 1) * sizeof *order);
    assert_non_null(order);
    for (uint32_t f = 0; f < features; f++)
        order[f] = f;
    size_t start = 0;
    for (size_t i = 0; i < supports->count; i++) {
        size_t left = supports->nonzeros - start, later = (supports->count - i - 1) * features;
        size_t least = left > later ? left - later : 0; // what the rows to come cannot take
        size_t most = left < features ? left : features;
        size_t count = least + (size_t)random_below(random, most - least + 1);
        for (size_t k = 0; k < count; k++) {
            size_t other = k + (size_t)random_below(random, features - k);
            uint32_t swap = order[k];
            order[k] = order[other];
            order[other] = swap;
            supports->features[start + k] = order[k];
            float value = (float)some_number(random, 0);
            supports->values[start + k] = shape->ones                          ? 1
                                          : value != 0 && fabsf(value) < 1e30f ? value
                                                                               : 0.1f;
        }
        supports->row[i] = (tlu_row){count, supports->features + start, supports->values + start};
        start += count;
    }
    free(order);
}

static inline void fill_supports(tlu_model *model, struct random *random, const struct shape *shape)
{
    struct supports *supports = &model->supports;
    uint32_t features = (uint32_t)schema_features(&model->state.schema);
    bool rows = model->state.kernel.kind || is_replayed(shape);
    size_t nonzeros = 0;
    if (rows)
        nonzeros = (size_t)random_below(random, (uint64_t)features * shape->supports + 1);
    assert_true(supports_new(supports, shape->supports, nonzeros));
    if (rows)
        fill_rows(supports, random, shape, features);
    for (uint32_t i = 0; i < shape->supports; i++) {
        supports->line[i] = i % 7 ? supports->line[i - 1] + 1 + random_below(random, 200)
                                  : random_bits(random) >> random_below(random, 64);
        supports->classes[i] = (uint32_t)random_below(random, shape->classes + shape->multilabel);
        supports->alpha[i] = fabs(some_number(random, 0.1));
    }
}

static inline void fill_replay(tlu_model *model, struct random *random, const struct shape *shape)
{
    struct history *replay = model->state.decision.history;
    uint64_t time = 1;
    if (!is_replayed(shape) || !shape->supports)
        return;
    replay->steps = memory_new(shape->steps, sizeof *replay->steps);
    assert_non_null(replay->steps);
    replay->count = shape->steps;
    for (uint32_t n = 0; n < shape->steps; n++) {
        struct history_step *step = &replay->steps[n];
        step->time = time += random_below(random, 3) * random_below(random, 200);
        step->id = random_below(random, shape->supports);
        step->amount =
            n && random_below(random, 2) ? replay->steps[n - 1].amount : some_number(random, 0.3);
        step->factor = random_below(random, 2) ? 1 : some_number(random, 0);
        bool wta = model->state.scheme.kind == SCHEME_WTA;
        if (!wta)
            step->group = (uint32_t)random_below(random, model->state.weights.columns);
        for (int p = 0; p < 1 + wta; p++) {
            step->sign[p] = (int8_t)((int)random_below(random, 3) - 1);
            if (step->sign[p])
                step->column[p] =
                    wta ? (uint32_t)random_below(random, shape->classes) : step->group;
        }
    }
    model->state.weights.steps = (double)(time + random_below(random, 5));
    if (strcmp(shape->learner, "arow") != 0)
        return;
    for (uint32_t n = 0; n < shape->steps; n++)
        for (int p = 0; p < 2; p++)
            if (replay->steps[n].sign[p]) // and one for the bias
                replay->gain_count += model->supports.row[replay->steps[n].id].count + 1;
    replay->gains = some_numbers(random, replay->gain_count, 0.1);
}

static inline void fill_options(tlu_model *model, const struct shape *shape)
{
    if (!model->state.options)
        tlu_options_new(&model->state.options, NULL);
    tlu_options *options = model->state.options;
    tlu_options_set(options, "learner", shape->learner, NULL);
    tlu_options_set(options, "decide", shape->decide, NULL);
    tlu_options_set(options, "multiclass", shape->scheme, NULL);
    tlu_options_set(options, "kernel", shape->kernel, NULL);
    if (strcmp(shape->learner, "hinge") == 0)
        tlu_options_set(options, "schedule", "adagrad", NULL);
    if (shape->multilabel) {
        tlu_options_set(options, "multilabel", "yes", NULL);
        tlu_options_set(options, "label-separator", "; ", NULL);
    }
    tlu_options_set(options, "positive", "\xF0\x9F\x8D\x8E apple", NULL);
    tlu_options_set(options, "ignore", "", NULL);
    tlu_options_set(options, "class-weight", "1=2,3=4", NULL);
    for (enum option i = 0; i < OPTION_COUNT; i++) { // as training leaves them: none is open
        char usual[64], value[64];
        tlu_options_default(options, tlu_option_at(i)->name, usual, sizeof usual);
        snprintf(value, sizeof value, "%s", options_text(options, i));
        if (usual[0] && strcmp(usual, value) != 0 && !options_is_set(options, i))
            tlu_options_set(options, tlu_option_at(i)->name, value, NULL);
    }
    model->state.decision.kind = options_choice(options, OPTION_DECIDE);
    assert_true(decision_new_parts(&model->state.decision));
    assert_int_equal(kernel_parse(&model->state.kernel, shape->kernel, NULL), TLU_OK);
    model->state.scheme.kind = SCHEME_TWO;
    if (shape->classes > 2)
        model->state.scheme.kind =
            (enum scheme_kind)(SCHEME_WTA + options_choice(options, OPTION_MULTICLASS));
    if (shape->multilabel)
        model->state.scheme.kind = SCHEME_MULTILABEL;
}

static inline void fill_array(double *numbers, size_t count, struct random *random, double zeros)
{
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = some_number(random, zeros);
}

static inline void fill_weights(tlu_model *model, struct random *random, const struct shape *shape)
{
    struct weights *weights = &model->state.weights;
    uint32_t columns = model->state.scheme.kind == SCHEME_TWO ? 1 : shape->classes;
    if (model->state.scheme.kind == SCHEME_OVO)
        columns = shape->classes * (shape->classes - 1) / 2;
    unsigned parts = strcmp(shape->decide, "average") == 0 ? WEIGHTS_AVERAGE : 0;
    if (strcmp(shape->learner, "arow") == 0 || strcmp(shape->learner, "hinge") == 0)
        parts |= WEIGHTS_STATE;
    size_t rows =
        model->state.kernel.kind ? model->supports.count : schema_features(&model->state.schema);
    assert_true(weights_init(weights, columns, parts, parts & WEIGHTS_STATE ? 0.7 : 0));
    assert_true(weights_reserve(weights, rows));
    weights->steps = (double)(1 + random_below(random, 1000));
    fill_array(weights->w, rows * columns, random, shape->zeros);
    fill_array(weights->u, rows * columns, random, shape->zeros);
    fill_array(weights->state, rows * columns, random, shape->zeros);
    for (size_t i = 0; weights->state && i < rows * columns; i++)
        weights->state[i] = fabs(weights->state[i]); // never -0
    fill_array(weights->bias, columns, random, 0.2);
    fill_array(weights->u_bias, columns, random, 0.2);
    fill_array(weights->state_bias, columns, random, 0.2);
}

// What a stream would need: the order of the classes, indices, squares and updates, scales.
static inline void fill_stream_state(tlu_model *model, struct random *random,
                                     const struct shape *shape)
{
    struct learner_state *state = &model->state;
    struct schema *schema = &state->schema;
    struct weights *weights = &state->weights;
    uint32_t groups = scheme_groups(state->scheme.kind, shape->classes), columns = weights->columns;
    if (!model_can_stream(model))
        return;
    if (random_below(random, 2)) {
        model->order = memory_new(shape->classes, sizeof *model->order);
        assert_non_null(model->order);
        for (uint32_t i = 0; i < shape->classes; i++) {
            uint32_t j = (uint32_t)random_below(random, i + 1);
            model->order[i] = model->order[j];
            model->order[j] = i;
        }
    }
    if (!shape->csv && random_below(random, 2)) {
        bool any = shape->numbered > 0;
        schema->base = SCHEMA_DIRECT;
        schema->direct.lowest = any ? schema->ids[0] / 2 : UINT32_MAX;
        schema->direct.highest = any ? schema->ids[shape->numbered - 1] + 3 : 0;
    }
    if (model_keeps_groups(model)) {
        state->group_norm = some_numbers(random, groups, 0.3);
        state->group_updates = memory_new(groups, sizeof *state->group_updates);
        assert_non_null(state->group_updates);
        for (uint32_t g = 0; g < groups; g++)
            state->group_updates[g] = random_bits(random) >> random_below(random, 64);
    }
    if (!model_keeps_scales(model) || random_below(random, 3) == 0)
        return;
    weights->scale = some_numbers(random, columns, 1);
    weights->sum = some_numbers(random, columns, 1);
    weights->sum_at = some_numbers(random, columns, 1);
    for (uint32_t c = 0; c < columns; c++) {
        bool settled = c > 0 && random_below(random, 2);
        weights->scale[c] = settled ? 1 : 0.01 + random_unit(random) / 2;
        weights->sum[c] = settled ? 0 : some_number(random, 0);
        weights->sum_at[c] = settled ? 0 : (double)random_below(random, 2);
    }
}

static inline tlu_model *some_model(struct random *random, const struct shape *shape)
{
    tlu_model *model = model_new();
    assert_non_null(model);
    fill_options(model, shape);
    memory_free(model->recorded.version);
    model->recorded.version = memory_copy_text("0.1.0-test", 10);
    fill_schema(model, random, shape);
    size_t features = schema_features(&model->state.schema);
    model->state.scheme.positive =
        model->state.scheme.kind == SCHEME_TWO ? (uint32_t)random_below(random, 2) : SCHEMA_NONE;
    if (shape->multilabel && random_below(random, 2))
        model->state.output.labels = (struct label_thresholds){
            THRESHOLD_SCORE, some_numbers(random, shape->classes, 0.3), shape->classes};
    model->scaling.kind = shape->scale;
    if (shape->scale != SCALE_NONE) {
        model->scaling.features = features;
        model->scaling.factor = some_numbers(random, features, 0);
        model->scaling.shift = some_numbers(random, features, 0.8);
        assert_true(scaling_index(&model->scaling));
    }
    fill_supports(model, random, shape);
    fill_weights(model, random, shape);
    fill_replay(model, random, shape);
    fill_stream_state(model, random, shape);
    random_seed(&model->state.random, random_bits(random));
    model->state.scheme.class_examples =
        memory_new(shape->classes, sizeof *model->state.scheme.class_examples);
    assert_non_null(model->state.scheme.class_examples);
    model->state.scheme.classes = shape->classes;
    model->state.scheme.class_examples_count = shape->classes;
    for (uint32_t i = 0; i < shape->classes; i++)
        model->state.scheme.class_examples[i] = random_below(random, 1000);
    fill_report(model, random, shape);
    return model;
}

static inline void some_shape(struct random *random, struct shape *shape)
{
    static const uint32_t classes[] = {2, 2, 3, 5, 40};
    static const char *const learners[] = {"perceptron", "romma", "pa",
                                           "arow",       "hinge", "max-margin"};
    static const char *const decisions[] = {"average", "last", "vote", "random", "best"};
    static const char *const schemes[] = {"wta", "ovr", "ovo"};
    static const char *const routines[] = {"", "linear", "poly:3,0.5", "rbf:2"};
    memset(shape, 0, sizeof *shape);
    shape->classes = classes[random_below(random, 5)];
    size_t learner = (size_t)random_below(random, 6);
    bool row_by_row = learner < 3; // the others have states, or have seen all rows at once
    shape->learner = learners[learner];
    shape->decide = decisions[learner == 5 ? 1 : random_below(random, learner < 4 ? 5 : 2)];
    shape->scheme = schemes[random_below(random, 3)];
    shape->kernel = routines[row_by_row ? random_below(random, 4) : 0];
    shape->csv = random_below(random, 2);
    shape->multilabel = random_below(random, 4) == 0;
    shape->holdout = random_below(random, 2);
    shape->ones = random_below(random, 2);
    shape->scale = (int)random_below(random, 3);
    shape->numbered = shape->csv ? 0 : (uint32_t)random_below(random, 50);
    shape->names = (uint32_t)random_below(random, 30);
    if (shape->kernel[0] || is_replayed(shape) || learner == 5)
        shape->supports = (uint32_t)random_below(random, 2) * (uint32_t)random_below(random, 30);
    shape->steps = (uint32_t)random_below(random, 60);
    shape->epochs = random_below(random, 20);
    shape->zeros = random_unit(random);
}

static inline void assert_same_doubles(const double *a, const double *b, size_t count)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && count)
        assert_memory_equal(a, b, count * sizeof *a);
}

static inline void assert_same_schema(const struct schema *a, const struct schema *b)
{
    assert_int_equal(b->frozen, true);
    assert_int_equal(a->format, b->format);
    assert_int_equal(a->multilabel, b->multilabel);
    assert_string_equal(a->separator, b->separator);
    assert_int_equal(a->numbered, b->numbered);
    for (uint32_t i = 0; i < a->numbered; i++)
        assert_int_equal(a->ids[i], b->ids[i]);
    assert_int_equal(a->names.count, b->names.count);
    for (uint32_t i = 0; i < a->names.count; i++)
        assert_string_equal(table_text(&a->names, i), table_text(&b->names, i));
    assert_int_equal(a->labels.count, b->labels.count);
    for (uint32_t i = 0; i < a->labels.count; i++) {
        assert_string_equal(table_text(&a->labels, i), table_text(&b->labels, i));
        assert_string_equal(a->spelled[i], b->spelled[i]);
    }
    if (!schema_is_csv(a))
        return;
    assert_int_equal(a->header, b->header);
    assert_int_equal(a->delimiter, b->delimiter);
    assert_int_equal(a->column_count, b->column_count);
    for (size_t i = 0; i < a->column_count; i++) {
        assert_string_equal(a->columns[i].name, b->columns[i].name);
        assert_int_equal(a->columns[i].kind, b->columns[i].kind);
        assert_int_equal(a->columns[i].feature, b->columns[i].feature);
    }
}

static inline void assert_same_report(const tlu_report *a, const tlu_report *b)
{
    assert_true(
        a->examples == b->examples && a->held_out == b->held_out && a->nonzeros == b->nonzeros &&
        a->features == b->features && a->classes == b->classes && a->epochs == b->epochs &&
        a->updates == b->updates && a->best_epoch == b->best_epoch &&
        a->converged == b->converged && a->skipped == b->skipped && a->cycle == b->cycle &&
        a->progressive_error == b->progressive_error && a->training_error == b->training_error &&
        a->sorted_by_class == b->sorted_by_class && a->bound == b->bound &&
        a->margin == b->margin && a->soft_margin == b->soft_margin && a->supports == b->supports);
    assert_string_equal(a->stopped, b->stopped);
    assert_string_equal(a->data, b->data);
    assert_string_equal(a->format, b->format);
    for (uint64_t i = 0; i < a->epochs; i++)
        assert_true(a->mistakes[i] == b->mistakes[i]);
    assert_same_doubles(a->held_out_accuracy, b->held_out_accuracy, (size_t)a->epochs);
    assert_int_equal(b->notices, 0);
}

static inline void assert_same_supports(const struct supports *a, const struct supports *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->nonzeros, b->nonzeros);
    for (size_t i = 0; i < a->count; i++) {
        assert_true(a->line[i] == b->line[i] && a->classes[i] == b->classes[i] &&
                    a->alpha[i] == b->alpha[i]);
        assert_int_equal(a->row[i].count, b->row[i].count);
        double norm = 0;
        for (size_t k = 0; k < a->row[i].count; k++) {
            double value = (double)a->row[i].values[k];
            assert_int_equal(a->row[i].features[k], b->row[i].features[k]);
            assert_true(a->row[i].values[k] == b->row[i].values[k]);
            norm += value * value;
        }
        assert_true(norm == b->norm[i]);
    }
}

static inline void assert_same_replay(const struct history *a, const struct history *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (!a)
        return;
    assert_int_equal(a->count, b->count);
    for (size_t n = 0; n < a->count; n++) {
        const struct history_step *v = &a->steps[n], *w = &b->steps[n];
        assert_true(v->id == w->id && v->group == w->group && v->time == w->time &&
                    v->column[0] == w->column[0] && v->column[1] == w->column[1] &&
                    v->sign[0] == w->sign[0] && v->sign[1] == w->sign[1]);
        assert_same_doubles(&v->amount, &w->amount, 1);
        assert_same_doubles(&v->factor, &w->factor, 1);
    }
    assert_int_equal(a->gain_count, b->gain_count);
    if (a->gain_count)
        assert_same_doubles(a->gains, b->gains, a->gain_count);
}

static inline void assert_same_stream_state(const tlu_model *a, const tlu_model *b)
{
    const struct learner_state *v = &a->state, *w = &b->state;
    uint32_t classes = schema_classes(&v->schema), groups = scheme_groups(v->scheme.kind, classes);
    uint32_t columns = v->weights.columns;
    assert_int_equal(a->order == NULL, b->order == NULL);
    if (a->order)
        assert_memory_equal(a->order, b->order, classes * sizeof *a->order);
    assert_true(v->schema.base == w->schema.base &&
                v->schema.direct.lowest == w->schema.direct.lowest &&
                v->schema.direct.highest == w->schema.direct.highest);
    assert_same_doubles(v->group_norm, w->group_norm, groups);
    if (v->group_norm)
        assert_memory_equal(v->group_updates, w->group_updates, groups * sizeof *v->group_updates);
    assert_same_doubles(v->weights.scale, w->weights.scale, columns);
    assert_same_doubles(v->weights.sum, w->weights.sum, columns);
    assert_same_doubles(v->weights.sum_at, w->weights.sum_at, columns);
}

static inline void assert_same_model(const tlu_model *a, const tlu_model *b)
{
    assert_string_equal(a->recorded.version, b->recorded.version);
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        assert_string_equal(options_text(a->state.options, i), options_text(b->state.options, i));
        assert_int_equal(options_is_set(a->state.options, i), options_is_set(b->state.options, i));
    }
    assert_same_schema(&a->state.schema, &b->state.schema);
    assert_int_equal(a->state.scheme.positive, b->state.scheme.positive);
    assert_int_equal(a->state.scheme.kind, b->state.scheme.kind);
    const struct label_thresholds *x = &a->state.output.labels, *y = &b->state.output.labels;
    assert_true(x->on == y->on && x->count == y->count);
    assert_same_doubles(x->at, y->at, x->count);
    assert_int_equal(a->state.decision.kind, b->state.decision.kind);
    assert_int_equal(a->state.kernel.kind, b->state.kernel.kind);
    assert_int_equal(a->state.kernel.degree, b->state.kernel.degree);
    assert_true(a->state.kernel.coef == b->state.kernel.coef &&
                a->state.kernel.gamma == b->state.kernel.gamma);
    assert_same_supports(&a->supports, &b->supports);
    assert_same_replay(a->state.decision.history, b->state.decision.history);
    assert_int_equal(a->scaling.kind, b->scaling.kind);
    assert_same_doubles(a->scaling.factor, b->scaling.factor, a->scaling.features);
    assert_same_doubles(a->scaling.shift, b->scaling.shift, a->scaling.features);
    const struct weights *v = &a->state.weights, *w = &b->state.weights;
    assert_int_equal(v->columns, w->columns);
    assert_int_equal(v->features, w->features);
    assert_true(v->steps == w->steps);
    if (v->features)
        assert_same_doubles(v->w, w->w, v->features * v->columns);
    assert_same_doubles(v->bias, w->bias, v->columns);
    assert_same_doubles(v->u_bias, w->u_bias, v->columns);
    assert_same_doubles(v->state_bias, w->state_bias, v->columns);
    assert_true(v->state_start == w->state_start);
    if (v->features) {
        assert_same_doubles(v->u, w->u, v->features * v->columns);
        assert_same_doubles(v->state, w->state, v->features * v->columns);
    }
    assert_memory_equal(&a->state.random, &b->state.random, sizeof a->state.random);
    assert_same_stream_state(a, b);
    assert_memory_equal(a->state.scheme.class_examples, b->state.scheme.class_examples,
                        schema_classes(&a->state.schema) * sizeof *a->state.scheme.class_examples);
    assert_same_report(&a->report, &b->report);
}

#endif
