// WGHT, RAND: the weights and the random state at the end of the training.
#include "model/file/sections.h"

void put_weights(struct out *out, const tlu_model *model)
{
    const struct weights *weights = &model->weights;
    size_t count = weights->features * weights->columns;
    put_fixed(out, weights->u != NULL, 1);
    put_fixed(out, weights->state != NULL, 1);
    put_double(out, weights->steps);
    if (weights->state)
        put_double(out, weights->state_start);
    put_numbers(out, weights->bias, weights->columns);
    put_numbers(out, weights->w, count);
    if (weights->u) {
        put_numbers(out, weights->u_bias, weights->columns);
        put_numbers(out, weights->u, count);
    }
    if (weights->state) {
        put_numbers(out, weights->state_bias, weights->columns);
        put_numbers(out, weights->state, count);
    }
}

// A learner that has looked at all rows at once has no run to average.
static bool has_sums(const tlu_model *model)
{
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
    return (model->decide == DECIDE_AVERAGE || model->decide == DECIDE_ADAPTIVE) &&
           !(kind->traits & LEARNER_BATCH);
}

static bool has_state(const tlu_model *model)
{
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
    return kind->traits & LEARNER_STATE ||
           options_choice(model->options, OPTION_SCHEDULE) == SCHEDULE_ADAGRAD;
}

// Whether optional numbers of the weights are there, which the options say too.
static bool get_part(struct unpack *in, bool expected, const char *what)
{
    bool found = unpack_choice(in, 1, "a flag") != 0;
    if (found != expected)
        unpack_damaged(in, "%s %s", what, found ? "should not be there" : "are missing");
    return found;
}

static double get_steps(struct unpack *in, bool average)
{
    return unpack_steps(in, average || model_replays(in->model) ? 1 : 0);
}

// Memory for `rows` rows, once the bytes for them are known to be there.
static void new_weights(struct unpack *in, unsigned parts, double state_start, size_t rows)
{
    tlu_model *model = in->model;
    uint32_t columns = scheme_columns(model->scheme, schema_classes(&model->schema));
    uint64_t count = (uint64_t)rows * columns;
    unsigned arrays = 1u + (parts & WEIGHTS_AVERAGE ? 1u : 0u) + (parts & WEIGHTS_STATE ? 1u : 0u);
    if (!unpack_numbers_fit(in, count) || !unpack_numbers_fit(in, arrays * count) ||
        !unpack_numbers_fit(in, columns))
        return;
    if (!weights_init(&model->weights, columns, parts, state_start) ||
        !weights_reserve(&model->weights, rows))
        unpack_checked(in, NULL);
}

void unpack_weights(struct unpack *in)
{
    tlu_model *model = in->model;
    struct weights *weights = &model->weights;
    size_t rows = model->kernel.kind ? model->supports.count : schema_features(&model->schema);
    bool average = get_part(in, has_sums(model), "the sums for the average");
    bool stateful = get_part(in, has_state(model), "the states");
    double steps = get_steps(in, average);
    double state_start = stateful ? unpack_number(in, CODE_DOUBLE) : 0;
    unsigned parts = (average ? WEIGHTS_AVERAGE : 0u) | (stateful ? WEIGHTS_STATE : 0u);
    if (!unpack_failed(in))
        new_weights(in, parts, state_start, rows);
    if (unpack_failed(in))
        return;
    weights->steps = steps;
    size_t count = rows * weights->columns;
    unpack_numbers(in, weights->bias, weights->columns);
    unpack_cells(in, weights->w, count);
    if (average) {
        unpack_numbers(in, weights->u_bias, weights->columns);
        unpack_cells(in, weights->u, count);
    }
    if (stateful) {
        unpack_numbers(in, weights->state_bias, weights->columns);
        unpack_cells(in, weights->state, count);
    }
}

// ---- RAND ----

void put_random(struct out *out, const tlu_model *model)
{
    for (int i = 0; i < 4; i++)
        put_fixed(out, model->random.state[i], 8);
}

void unpack_random(struct unpack *in)
{
    uint64_t *state = in->model->random.state;
    for (int i = 0; i < 4; i++)
        state[i] = unpack_fixed(in, 8);
    if ((state[0] | state[1] | state[2] | state[3]) == 0) // it would stay 0 for ever
        unpack_damaged(in, "a state of nothing but zeros");
}
