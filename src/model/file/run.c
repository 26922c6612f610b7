// RUN, PAST, DUAL, NETR: the checkpoint of an interrupted run (train/checkpoint/checkpoint.h),
// packed from the training itself. RUN has the passes, the data and the learner, PAST the updates
// (--decide vote, random), DUAL the scores of the dual form (--kernel), NETR the layers. The data
// and the options that it is for are checked when the run continues.
#include "base/memory.h"
#include "mlp/layers.h"
#include "model/file/sections.h"
#include "train/train.h"

#include <string.h>

// ---- blocks ----

static void put_counts(struct packer *out, const uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_count(out, counts[i]);
}

// One array of the weights: the rows of the features that have weights, which are `used`.
static void put_rows_of(struct packer *out, const struct weights *weights, const double *cells,
                        size_t used)
{
    size_t columns = weights->columns, n = 0, row;
    double *packed = memory_new(used, columns * sizeof *packed);
    out->no_memory |= !packed;
    if (!packed)
        return;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row))
        if (weights_are_used(weights, row))
            memcpy(packed + columns * n++, cells + columns * row, columns * sizeof *packed);
    put_numbers(out, packed, columns * used);
    memory_free(packed);
}

// Puts the gaps between the features that have weights, unless `out` is NULL; returns how many
// there are.
static size_t put_used(struct packer *out, const struct weights *weights)
{
    size_t used = 0, next = 0, row; // next: the lowest number that can come
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row)) {
        if (!weights_are_used(weights, row))
            continue;
        if (out)
            put_count(out, f - next);
        next = f + 1;
        used++;
    }
    return used;
}

static void put_packed(struct packer *out, const struct weights *weights)
{
    size_t used = put_used(NULL, weights);
    put_fixed(out, weights_parts(weights), 1);
    put_double(out, weights->steps);
    put_count(out, used);
    put_used(out, weights);
    put_numbers(out, weights->bias, weights->columns);
    put_rows_of(out, weights, weights->w, used);
    if (weights->u) {
        put_numbers(out, weights->u_bias, weights->columns);
        put_rows_of(out, weights, weights->u, used);
    }
    if (weights->scale) {
        put_numbers(out, weights->scale, weights->columns);
        put_numbers(out, weights->sum, weights->columns);
        put_numbers(out, weights->sum_at, weights->columns);
    }
    if (weights->state) {
        put_double(out, weights->state_start);
        put_numbers(out, weights->state_bias, weights->columns);
        put_rows_of(out, weights, weights->state, used);
    }
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

// The numbers of the features.
static void get_numbers_of(struct unpack *in, struct packed_weights *packed, size_t count)
{
    uint64_t next = 0; // the lowest number that can come
    packed->feature = unpack_checked(in, memory_new(count, sizeof *packed->feature));
    for (size_t i = 0; i < count && !unpack_failed(in); i++) {
        uint64_t gap = unpack_count(in);
        if (gap >= BATCH_LOCAL || next + gap >= BATCH_LOCAL)
            unpack_damaged(in, "the number of a feature is past %u", BATCH_LOCAL - 1);
        else
            packed->feature[i] = (uint32_t)(next + gap);
        next += gap + 1;
    }
}

static void get_packed(struct unpack *in, struct packed_weights *packed, uint32_t columns)
{
    struct weights *weights = &packed->weights;
    unsigned parts =
        unpack_choice(in, WEIGHTS_AVERAGE | WEIGHTS_SCALE | WEIGHTS_STATE, "the parts");
    double steps = unpack_steps(in, 0);
    size_t count = (size_t)unpack_length(in, 1, "features");
    if (!unpack_failed(in))
        get_numbers_of(in, packed, count);
    if (unpack_failed(in) || !unpack_new_weights(in, weights, columns, parts, 0, count))
        return;
    packed->count = count;
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

static void put_learner(struct packer *out, const struct tlu_learner *learner)
{
    const struct space *space = &learner->space;
    const struct pocket *pocket = learner->decision.pocket;
    uint32_t columns = space->weights.columns;
    put_count(out, learner->scheme.classes);
    put_fixed(out, learner->scheme.positive, 1);
    put_count(out, learner->examples);
    put_count(out, learner->mistakes);
    put_count(out, learner->updates);
    put_random_state(out, &learner->random);
    put_count(out, columns);
    put_packed(out, &space->weights);
    put_numbers(out, space->group_norm, columns);
    put_counts(out, space->group_updates, columns);
    put_fixed(out, pocket != NULL, 1);
    if (pocket) {
        put_packed(out, &pocket->best);
        put_counts(out, pocket->run, columns);
        put_counts(out, pocket->best_run, columns);
        put_counts(out, pocket->best_right, columns);
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
                                      .bias = seen->cells + cells});
}

static void put_run(struct packer *out, const struct run_source *source)
{
    const struct run *run = source->run;
    put_passes(out, run);
    put_data(out, &source->data);
    put_learner(out, source->learner);
    put_count(out, run->seen.pass);
    if (run->seen.pass)
        put_seen(out, &run->seen, &source->learner->space.weights);
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

static void get_learner(struct unpack *in, struct checkpoint *checkpoint)
{
    uint64_t classes = unpack_count(in);
    if (classes > schema_classes(&in->known->schema))
        unpack_damaged(in, "there are more classes than the model has");
    checkpoint->learner.classes = (uint32_t)classes;
    checkpoint->learner.positive = unpack_choice(in, 1, "the positive class");
    checkpoint->learner.examples = unpack_count(in);
    checkpoint->learner.mistakes = unpack_count(in);
    checkpoint->learner.updates = unpack_count(in);
    unpack_random_state(in, &checkpoint->learner.random);
    uint64_t columns = unpack_count(in);
    if (columns == 0 || columns > UINT32_MAX || !unpack_numbers_fit(in, columns)) {
        unpack_damaged(in, "there are %llu columns", (unsigned long long)columns);
        return;
    }
    get_packed(in, &checkpoint->learner.weights, (uint32_t)columns);
    if (unpack_failed(in))
        return;
    checkpoint->learner.group_norm = unpack_new_numbers(in, (size_t)columns);
    checkpoint->learner.group_updates = get_counts(in, columns);
}

static void get_holdout(struct unpack *in, struct checkpoint *checkpoint)
{
    checkpoint->run.accuracy = unpack_new_numbers(in, (size_t)checkpoint->run.pass);
    checkpoint->run.accuracy_capacity = (size_t)checkpoint->run.pass;
    checkpoint->run.best_pass = unpack_count(in);
    if (checkpoint->run.best_pass > checkpoint->run.pass)
        unpack_damaged(in, "the best pass is past the last one");
    if (checkpoint->run.best_pass && !unpack_failed(in))
        get_packed(in, &checkpoint->best, checkpoint->learner.weights.weights.columns);
}

void unpack_run(struct unpack *in)
{
    struct checkpoint *checkpoint = in->checkpoint =
        unpack_checked(in, memory_new(1, sizeof *checkpoint));
    if (!checkpoint)
        return;
    get_passes(in, checkpoint);
    get_data(in, checkpoint);
    get_learner(in, checkpoint);
    uint32_t columns = checkpoint->learner.weights.weights.columns;
    checkpoint->learner.pocket = unpack_choice(in, 1, "a flag") != 0;
    if (checkpoint->learner.pocket && !unpack_failed(in)) {
        get_packed(in, &checkpoint->learner.pocket_best, columns);
        checkpoint->learner.pocket_run = get_counts(in, columns);
        checkpoint->learner.pocket_best_run = get_counts(in, columns);
        checkpoint->learner.pocket_best_right = get_counts(in, columns);
    }
    checkpoint->run.seen.pass = unpack_count(in);
    if (checkpoint->run.seen.pass > checkpoint->run.pass)
        unpack_damaged(in, "a pass was seen that was not there yet");
    if (checkpoint->run.seen.pass && !unpack_failed(in))
        get_packed(in, &checkpoint->seen, columns);
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

static void put_past(struct packer *out, const struct run_source *source)
{
    const struct history *history = source->learner->decision.history;
    uint64_t time = 0;
    if (!history)
        return;
    put_count(out, source->run->best_updates);
    put_count(out, history->count);
    for (size_t n = 0; n < history->count; n++) {
        const struct history_step *step = &history->steps[n];
        put_count(out, step->id);
        put_count(out, step->time - time);
        put_double(out, step->amount);
        put_double(out, step->factor);
        put_count(out, step->group);
        for (int p = 0; p < 2; p++) {
            put_count(out, step->column[p]);
            put_fixed(out, (uint64_t)(step->sign[p] + 1), 1);
        }
        time = step->time;
    }
    if (source->learner->rule.kind->traits & LEARNER_STATE) {
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
    struct history *history = checkpoint->learner.history =
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

static void put_dual(struct packer *out, const struct run_source *source)
{
    struct dual_state taken, *dual = &taken;
    uint64_t before = 0;
    if (!source->learner->space.dual)
        return;
    if (!dual_take(source->learner->space.dual, dual)) {
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
    struct dual_state *dual = checkpoint->learner.dual =
        unpack_checked(in, memory_new(1, sizeof *dual));
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

static void put_checkpoint_net(struct packer *out, const struct run_source *source)
{
    if (!source->learner->space.layers)
        return;
    put_layers(out, source->learner->space.layers->net);
    if (source->run->best_net)
        put_layers(out, source->run->best_net);
}

void unpack_checkpoint_net(struct unpack *in)
{
    const struct net *net = in->known->net;
    struct checkpoint *checkpoint = in->checkpoint;
    if (!checkpoint || !net) {
        unpack_damaged(in, "it is of a run that is not there");
        return;
    }
    checkpoint->learner.net = unpack_layers(in, &net->shape);
    if (checkpoint->run.accuracy && checkpoint->run.best_pass && !unpack_failed(in))
        checkpoint->run.best_net = unpack_layers(in, &net->shape);
}

// ---- all of it ----

#define RUN_PUT(tag, name, required) {tag, put_##name},
static const struct {
    char tag[FORMAT_TAG_SIZE + 1];
    void (*put)(struct packer *out, const struct run_source *source);
} run_puts[] = {RUN_SECTIONS(RUN_PUT)};

static void put_length(unsigned char *bytes, uint64_t length)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(length >> 8 * i);
}

bool run_pack(struct packed_checkpoint *packed, const struct run_source *source)
{
    struct packer out = {.grows = true};
    for (size_t i = 0; i < sizeof run_puts / sizeof run_puts[0] && !out.no_memory; i++) {
        uint64_t start = out.size, content = start + FORMAT_SECTION_SIZE;
        put_bytes(&out, run_puts[i].tag, FORMAT_TAG_SIZE);
        put_fixed(&out, 0, 8); // its length, filled in below
        run_puts[i].put(&out, source);
        put_flush(&out);
        if (out.size == content)
            out.size = start;
        else if (!out.no_memory)
            put_length(out.memory + start + FORMAT_TAG_SIZE, out.size - content);
    }
    *packed = (struct packed_checkpoint){.bytes = out.memory,
                                         .size = (size_t)out.size,
                                         .capacity = out.capacity,
                                         .pass = source->run->pass,
                                         .examples = source->run->now.examples,
                                         .infinite = out.infinite};
    if (out.no_memory) {
        memory_free(out.memory);
        *packed = (struct packed_checkpoint){0};
    }
    return !out.no_memory;
}
