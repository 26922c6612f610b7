// RUN, PAST, DUAL, NETR: the checkpoint of an interrupted run (train/checkpoint/checkpoint.h),
// packed from the training itself. RUN has the passes, the data and the learner, PAST the updates
// (--decide vote, random), DUAL the scores of the dual form (--kernel), NETR the layers. The data
// and the options that it is for are checked when the run continues.
#include "base/memory.h"
#include "mlp/layers.h"
#include "model/file/sections.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

// ---- blocks ----

static void put_counts(struct packer *out, const uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_count(out, counts[i]);
}

// The features that have weights: the gaps between their numbers, and their arrays.
static void put_packed(struct packer *out, const struct weights *from)
{
    struct weights packed, *weights = &packed;
    uint32_t *numbers, next = 0; // next: the lowest number that can come
    if (!weights_compact(weights, &numbers, from)) {
        out->no_memory = true;
        return;
    }
    size_t columns = weights->columns, count = weights->features * columns;
    put_fixed(out, weights_parts(weights), 1);
    put_double(out, weights->steps);
    put_count(out, weights->features);
    for (size_t i = 0; i < weights->features; next = numbers[i++] + 1)
        put_count(out, numbers[i] - next);
    put_numbers(out, weights->bias, columns);
    put_numbers(out, weights->w, count);
    if (weights->u) {
        put_numbers(out, weights->u_bias, columns);
        put_numbers(out, weights->u, count);
    }
    if (weights->scale) {
        put_numbers(out, weights->scale, columns);
        put_numbers(out, weights->sum, columns);
        put_numbers(out, weights->sum_at, columns);
    }
    if (weights->state) {
        put_double(out, weights->state_start);
        put_numbers(out, weights->state_bias, columns);
        put_numbers(out, weights->state, count);
    }
    weights_free(weights);
    memory_free(numbers);
}

static uint64_t *get_counts(struct unpack *in, uint64_t count)
{
    if (count > unpack_left(in))
        unpack_damaged(in, "the section is too short for %llu counts", (unsigned long long)count);
    if (unpack_failed(in))
        return NULL;
    uint64_t *counts = unpack_checked(in, memory_new((size_t)count, sizeof *counts));
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++)
        counts[i] = unpack_count(in);
    return counts;
}

// The numbers of the features. NULL: unpacking has failed.
static uint32_t *get_features(struct unpack *in, size_t count)
{
    uint64_t next = 0; // the lowest number that can come
    uint32_t *features = unpack_checked(in, memory_new(count, sizeof *features));
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= BATCH_LOCAL || next + gap >= BATCH_LOCAL)
            unpack_damaged(in, "the number of a feature is past %u", BATCH_LOCAL - 1);
        else
            features[i] = (uint32_t)(next + gap);
        next += gap + 1;
    }
    return features;
}

// Fills weights and the numbers of their features.
static void get_packed(struct unpack *in, struct weights *weights, uint32_t **features,
                       uint32_t columns)
{
    unsigned parts =
        unpack_choice(in, WEIGHTS_AVERAGE | WEIGHTS_SCALE | WEIGHTS_STATE, "the parts");
    double steps = unpack_steps(in, 0, model_replays(in->known));
    size_t count = (size_t)unpack_length(in, 1, "features");
    if (!unpack_failed(in))
        *features = get_features(in, count);
    if (unpack_failed(in) || !unpack_new_weights(in, weights, columns, parts, 0, count))
        return;
    weights->steps = steps;
    unpack_vectors(in, weights);
    if (weights->scale) {
        unpack_numbers(in, weights->scale, columns);
        unpack_numbers(in, weights->sum, columns);
        unpack_numbers(in, weights->sum_at, columns);
    }
    if (weights->state) {
        weights->state_start = unpack_number(in, CODE_DOUBLE);
        unpack_states(in, weights);
    }
}

// ---- RUN ----

static void put_passes(struct packer *out, const struct run *run)
{
    put_count(out, run->pass);
    put_count(out, run->now.examples);
    put_count(out, run->now.mistakes);
    put_count(out, run->now.updates_before);
    put_counts(out, run->mistakes, (size_t)run->pass);
    put_count(out, run->shuffles.mark_count);
    for (size_t i = 0; i < run->shuffles.mark_count; i++) {
        put_count(out, run->shuffles.marks[i].shuffle);
        put_random_state(out, &run->shuffles.marks[i].random);
    }
}

static void put_data(struct packer *out, const struct checkpoint_data *data)
{
    put_fixed(out, data->all, 1);
    put_count(out, data->print.rows);
    put_count(out, data->print.nonzeros);
    put_count(out, data->every);
    put_count(out, data->names);
    put_fixed(out, data->print.sum, 8);
}

static void put_state(struct packer *out, const struct learner_state *state)
{
    const struct pocket *pocket = state->decision.pocket;
    uint32_t columns = state->weights.columns;
    put_count(out, state->scheme.classes);
    put_fixed(out, state->scheme.positive, 1);
    put_count(out, state->examples);
    put_count(out, state->mistakes);
    put_count(out, state->updates);
    put_random_state(out, &state->random);
    put_count(out, columns);
    put_packed(out, &state->weights);
    put_numbers(out, state->group_norm, columns);
    put_counts(out, state->group_updates, columns);
    put_fixed(out, pocket != NULL, 1);
    if (pocket) {
        put_packed(out, &pocket->best);
        for (uint32_t c = 0; c < columns; c++)
            put_count(out, pocket->groups[c].run);
        for (uint32_t c = 0; c < columns; c++)
            put_count(out, pocket->groups[c].best_run);
        for (uint32_t c = 0; c < columns; c++)
            put_count(out, pocket->groups[c].best_right);
    }
}

// The state after an earlier pass, as weights.
static void put_seen(struct packer *out, const struct seen_state *seen, const struct weights *now)
{
    size_t cells = seen->count - now->columns;
    put_packed(out, &(struct weights){.columns = now->columns,
                                      .features = cells / now->columns, // if there are no slots
                                      .slots = now->slots,
                                      .rows = cells / now->columns,
                                      .w = seen->cells,
                                      .bias = seen->cells + cells,
                                      .u = seen->u,
                                      .u_bias = seen->u ? seen->u + cells : NULL});
}

static void put_run(struct packer *out, const struct training *t)
{
    const struct run *run = &t->run;
    struct checkpoint_data data = checkpoint_data_now(t);
    put_passes(out, run);
    put_data(out, &data);
    put_state(out, &t->learner.state);
    put_count(out, run->seen.pass);
    if (run->seen.pass)
        put_seen(out, &run->seen, &t->learner.state.weights);
    put_fixed(out, run->accuracy != NULL, 1);
    if (run->accuracy) {
        put_numbers(out, run->accuracy, (size_t)run->pass);
        put_count(out, run->best_pass);
        if (run->best_pass)
            put_packed(out, &run->best);
    }
}

static void get_data(struct unpack *in, struct checkpoint *checkpoint)
{
    checkpoint->data.all = unpack_choice(in, 1, "a flag") != 0;
    checkpoint->data.print.rows = unpack_count(in);
    checkpoint->data.print.nonzeros = unpack_count(in);
    checkpoint->data.every = unpack_count(in);
    if (checkpoint->data.every == 0)
        unpack_damaged(in, "every 0th row is summed up");
    uint64_t names = unpack_count(in);
    if (names >= BATCH_LOCAL)
        unpack_damaged(in, "there are too many names");
    checkpoint->data.names = (uint32_t)names;
    checkpoint->data.print.sum = unpack_fixed(in, 8);
}

static void get_passes(struct unpack *in, struct checkpoint *checkpoint)
{
    checkpoint->run.pass = unpack_count(in);
    checkpoint->run.now.examples = unpack_count(in);
    if (checkpoint->run.pass == 0 && checkpoint->run.now.examples == 0)
        unpack_damaged(in, "nothing was learned");
    checkpoint->run.now.mistakes = unpack_count(in);
    checkpoint->run.now.updates_before = unpack_count(in);
    checkpoint->run.mistakes = get_counts(in, checkpoint->run.pass);
    checkpoint->run.mistakes_capacity = (size_t)checkpoint->run.pass;
    size_t marks = (size_t)unpack_length(in, 33, "random states");
    if (unpack_failed(in))
        return;
    checkpoint->run.shuffles.marks =
        unpack_checked(in, memory_new(marks, sizeof *checkpoint->run.shuffles.marks));
    for (size_t i = 0; i < marks && !unpack_failed(in); i++) {
        checkpoint->run.shuffles.marks[i].shuffle = unpack_count(in);
        unpack_random_state(in, &checkpoint->run.shuffles.marks[i].random);
    }
    checkpoint->run.shuffles.mark_count = marks;
}

static void get_pocket(struct unpack *in, struct checkpoint *checkpoint, uint32_t columns)
{
    struct pocket *pocket = checkpoint->state.decision.pocket =
        unpack_checked(in, memory_new(1, sizeof *pocket));
    if (!pocket)
        return;
    get_packed(in, &pocket->best, &checkpoint->pocket_features, columns);
    if (columns > unpack_left(in))
        unpack_damaged(in, "the section is too short for %u counts", columns);
    if (unpack_failed(in))
        return;
    pocket->groups = unpack_checked(in, memory_new(columns, sizeof *pocket->groups));
    for (uint32_t c = 0; c < columns && !unpack_failed(in); c++)
        pocket->groups[c].run = unpack_count(in);
    for (uint32_t c = 0; c < columns && !unpack_failed(in); c++)
        pocket->groups[c].best_run = unpack_count(in);
    for (uint32_t c = 0; c < columns && !unpack_failed(in); c++)
        pocket->groups[c].best_right = unpack_count(in);
}

static void get_state(struct unpack *in, struct checkpoint *checkpoint)
{
    struct learner_state *state = &checkpoint->state;
    uint64_t classes = unpack_count(in);
    if (classes > schema_classes(&in->known->state.schema))
        unpack_damaged(in, "there are more classes than the model has");
    state->scheme.classes = (uint32_t)classes;
    state->scheme.positive = unpack_choice(in, 1, "the positive class");
    state->examples = unpack_count(in);
    state->mistakes = unpack_count(in);
    state->updates = unpack_count(in);
    unpack_random_state(in, &state->random);
    uint64_t columns = unpack_count(in);
    if (columns == 0 || columns > UINT32_MAX || !unpack_numbers_fit(in, columns)) {
        unpack_damaged(in, "there are %llu columns", (unsigned long long)columns);
        return;
    }
    get_packed(in, &state->weights, &checkpoint->features, (uint32_t)columns);
    if (unpack_failed(in))
        return;
    state->group_norm = unpack_new_numbers(in, (size_t)columns);
    state->group_updates = get_counts(in, columns);
    if (unpack_choice(in, 1, "a flag") && !unpack_failed(in))
        get_pocket(in, checkpoint, (uint32_t)columns);
}

static void get_holdout(struct unpack *in, struct checkpoint *checkpoint)
{
    checkpoint->run.accuracy = unpack_new_numbers(in, (size_t)checkpoint->run.pass);
    checkpoint->run.accuracy_capacity = (size_t)checkpoint->run.pass;
    checkpoint->run.best_pass = unpack_count(in);
    if (checkpoint->run.best_pass > checkpoint->run.pass)
        unpack_damaged(in, "the best pass is past the last one");
    if (checkpoint->run.best_pass && !unpack_failed(in))
        get_packed(in, &checkpoint->run.best, &checkpoint->best_features,
                   checkpoint->state.weights.columns);
}

void unpack_run(struct unpack *in)
{
    struct checkpoint *checkpoint = in->checkpoint =
        unpack_checked(in, memory_new(1, sizeof *checkpoint));
    if (!checkpoint)
        return;
    get_passes(in, checkpoint);
    get_data(in, checkpoint);
    get_state(in, checkpoint);
    uint32_t columns = checkpoint->state.weights.columns;
    checkpoint->run.seen.pass = unpack_count(in);
    if (checkpoint->run.seen.pass > checkpoint->run.pass)
        unpack_damaged(in, "a pass was seen that was not there yet");
    if (checkpoint->run.seen.pass && !unpack_failed(in))
        get_packed(in, &checkpoint->seen, &checkpoint->seen_features, columns);
    checkpoint->run.best_pass = checkpoint->run.pass;
    if (unpack_choice(in, 1, "a flag") && !unpack_failed(in))
        get_holdout(in, checkpoint);
}
// The run that a section belongs to, whose section comes before.
static struct checkpoint *stopped_run(struct unpack *in)
{
    if (!in->checkpoint)
        unpack_damaged(in, "it is of a run that is not there");
    return in->checkpoint;
}

static uint32_t unpack_small(struct unpack *in, const char *what)
{
    uint64_t number = unpack_count(in);
    if (number > UINT32_MAX)
        unpack_damaged(in, "%s is out of range", what);
    return (uint32_t)number;
}

// ---- PAST ----

#define STEP_MAX (5 * 10 + 2 * 8 + 2) // bytes: five counts, two doubles and two signs

static inline unsigned char *set_count(unsigned char *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (unsigned char)(value | 128);
    *to++ = (unsigned char)value;
    return to;
}

static inline unsigned char *set_double(unsigned char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        *to++ = (unsigned char)(bits >> 8 * i);
    return to;
}

// At once: a vote has millions of steps, and an interrupted training packs them while the user
// waits.
static void put_step(struct packer *out, const struct history_step *step, uint64_t time)
{
    unsigned char bytes[STEP_MAX], *end = bytes;
    out->infinite |= !isfinite(step->amount) || !isfinite(step->factor);
    end = set_count(end, step->id);
    end = set_count(end, step->time - time);
    end = set_double(end, step->amount);
    end = set_double(end, step->factor);
    end = set_count(end, step->group);
    for (int p = 0; p < 2; p++) {
        end = set_count(end, step->column[p]);
        *end++ = (unsigned char)(step->sign[p] + 1);
    }
    put_bytes(out, bytes, (size_t)(end - bytes));
}

static void put_past(struct packer *out, const struct training *t)
{
    const struct history *history = t->learner.state.decision.history;
    uint64_t time = 0;
    if (!history)
        return;
    put_count(out, t->run.best_updates);
    put_count(out, history->count);
    for (size_t n = 0; n < history->count; n++) {
        put_step(out, &history->steps[n], time);
        time = history->steps[n].time;
    }
    if (t->learner.rule.kind->traits & LEARNER_STATE) {
        put_count(out, history->gain_count);
        put_numbers(out, history->gains, history->gain_count);
    }
}

#define STEP_MIN 23 // bytes

static void get_step(struct unpack *in, struct history_step *step, uint64_t time)
{
    step->id = unpack_count(in);
    step->time = time + unpack_count(in);
    step->amount = unpack_number(in, CODE_DOUBLE);
    step->factor = unpack_number(in, CODE_DOUBLE);
    step->group = unpack_small(in, "a group");
    for (int p = 0; p < 2; p++) {
        step->column[p] = unpack_small(in, "a column");
        step->sign[p] = (int8_t)((int)unpack_choice(in, 2, "a sign") - 1);
    }
    if (step->time < time)
        unpack_damaged(in, "a time overflows");
}

static void get_gains(struct unpack *in, struct history *history)
{
    uint64_t count = unpack_count(in);
    if (unpack_failed(in) || !unpack_numbers_fit(in, count))
        return;
    history->gains = unpack_new_numbers(in, (size_t)count);
    history->gain_count = history->gain_capacity = unpack_failed(in) ? 0 : (size_t)count;
}

void unpack_past(struct unpack *in)
{
    struct checkpoint *checkpoint = stopped_run(in);
    if (!checkpoint)
        return;
    struct history *history = checkpoint->state.decision.history =
        unpack_checked(in, memory_new(1, sizeof *history));
    uint64_t best = unpack_count(in), time = 0;
    size_t count = (size_t)unpack_length(in, STEP_MIN, "steps");
    if (unpack_failed(in))
        return;
    if (best > count)
        unpack_damaged(in, "the best pass is past the last step");
    checkpoint->run.best_updates = (size_t)best;
    history->steps = unpack_checked(in, memory_new(count, sizeof *history->steps));
    history->count = history->capacity = unpack_failed(in) ? 0 : count;
    for (size_t n = 0; n < count && !unpack_failed(in); time = history->steps[n++].time)
        get_step(in, &history->steps[n], time);
    if (model_keeps_gains(in->known))
        get_gains(in, history);
}

// ---- DUAL ----

static void put_dual(struct packer *out, const struct training *t)
{
    struct dual_state taken, *dual = &taken;
    uint64_t before = 0;
    if (!t->learner.space.dual)
        return;
    if (!dual_take(t->learner.space.dual, dual)) {
        out->no_memory = true;
        return;
    }
    put_count(out, dual->rows);
    put_count(out, dual->columns);
    put_numbers(out, dual->scores, (size_t)dual->rows * dual->columns);
    put_count(out, dual->block_count);
    for (size_t b = 0; b < dual->block_count; before = dual->block_ends[b++])
        put_count(out, dual->block_ends[b] - before);
    put_count(out, dual->change_count);
    for (size_t i = 0; i < dual->change_count; i++) {
        put_count(out, dual->changes[i].row);
        put_count(out, dual->changes[i].column);
        put_double(out, dual->changes[i].amount);
    }
    put_count(out, dual->support_count);
    put_numbers(out, dual->delta, dual->support_count * dual->columns);
    dual_state_free(dual);
}

#define CHANGE_MIN 10 // bytes

static void get_scores(struct unpack *in, struct dual_state *dual)
{
    dual->rows = unpack_count(in);
    dual->columns = unpack_small(in, "the columns");
    if (dual->columns == 0 || dual->rows > UINT32_MAX)
        unpack_damaged(in, "there are scores of nothing");
    else if (unpack_numbers_fit(in, dual->rows * dual->columns))
        dual->scores = unpack_new_numbers(in, (size_t)dual->rows * dual->columns);
}

static void get_blocks(struct unpack *in, struct dual_state *dual)
{
    uint64_t end = 0;
    dual->block_count = (size_t)unpack_length(in, 1, "blocks");
    if (unpack_failed(in))
        return;
    dual->block_ends = unpack_checked(in, memory_new(dual->block_count, sizeof *dual->block_ends));
    for (size_t b = 0; b < dual->block_count && !unpack_failed(in); b++)
        dual->block_ends[b] = end += unpack_count(in);
}

static void get_changes(struct unpack *in, struct dual_state *dual)
{
    dual->change_count = (size_t)unpack_length(in, CHANGE_MIN, "changes");
    if (unpack_failed(in))
        return;
    dual->changes = unpack_checked(in, memory_new(dual->change_count, sizeof *dual->changes));
    for (size_t i = 0; i < dual->change_count && !unpack_failed(in); i++) {
        dual->changes[i].row = unpack_small(in, "a row");
        dual->changes[i].column = unpack_small(in, "a column");
        dual->changes[i].amount = unpack_number(in, CODE_DOUBLE);
    }
}

void unpack_dual(struct unpack *in)
{
    struct checkpoint *checkpoint = stopped_run(in);
    if (!checkpoint)
        return;
    struct dual_state *dual = checkpoint->dual = unpack_checked(in, memory_new(1, sizeof *dual));
    if (unpack_failed(in))
        return;
    get_scores(in, dual);
    get_blocks(in, dual);
    get_changes(in, dual);
    uint64_t supports = unpack_count(in);
    if (unpack_failed(in) || supports > dual->rows ||
        !unpack_numbers_fit(in, supports * dual->columns)) {
        unpack_damaged(in, "there are more sums than rows");
        return;
    }
    dual->support_count = (size_t)supports;
    dual->delta = unpack_new_numbers(in, (size_t)supports * dual->columns);
}

// ---- NETR ----

static void put_checkpoint_net(struct packer *out, const struct training *t)
{
    if (!t->learner.state.net)
        return;
    put_layers(out, t->learner.state.net);
    if (t->run.best_net)
        put_layers(out, t->run.best_net);
}

void unpack_checkpoint_net(struct unpack *in)
{
    const struct net *net = in->known->state.net;
    struct checkpoint *checkpoint = in->checkpoint;
    if (!checkpoint || !net) {
        unpack_damaged(in, "it is of a run that is not there");
        return;
    }
    checkpoint->state.net = unpack_layers(in, &net->shape);
    if (checkpoint->run.accuracy && checkpoint->run.best_pass && !unpack_failed(in))
        checkpoint->run.best_net = unpack_layers(in, &net->shape);
}

// ---- all of it ----

#define RUN_PUT(tag, name, required) {tag, put_##name},
static const struct {
    char tag[FORMAT_TAG_SIZE + 1];
    void (*put)(struct packer *out, const struct training *t);
} run_puts[] = {RUN_SECTIONS(RUN_PUT)};

static void put_length(unsigned char *bytes, uint64_t length)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(length >> 8 * i);
}

bool checkpoint_pack(struct packed_checkpoint *packed, const struct training *t)
{
    struct packer out = {.grows = true};
    for (size_t i = 0; i < sizeof run_puts / sizeof run_puts[0] && !out.no_memory; i++) {
        uint64_t start = out.size, content = start + FORMAT_SECTION_SIZE;
        put_bytes(&out, run_puts[i].tag, FORMAT_TAG_SIZE);
        put_fixed(&out, 0, 8); // its length, filled in below
        run_puts[i].put(&out, t);
        put_flush(&out);
        if (out.size == content)
            out.size = start;
        else if (!out.no_memory)
            put_length(out.memory + start + FORMAT_TAG_SIZE, out.size - content);
    }
    *packed = (struct packed_checkpoint){.bytes = out.memory,
                                         .size = (size_t)out.size,
                                         .capacity = out.capacity,
                                         .pass = t->run.pass,
                                         .examples = t->run.now.examples,
                                         .infinite = out.infinite};
    if (out.no_memory) {
        memory_free(out.memory);
        *packed = (struct packed_checkpoint){0};
    }
    return !out.no_memory;
}
