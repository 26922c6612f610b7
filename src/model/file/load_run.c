// Reads the section of an interrupted run: the mirror image of save_run.c. What the data and the
// options say about it is checked when the run goes on (train/checkpoint/checkpoint.c).
#include "base/memory.h"
#include "model/file/sections.h"

static void get_random(struct unpack *in, struct random *random)
{
    uint64_t any = 0;
    for (int i = 0; i < 4; i++)
        any |= random->state[i] = unpack_fixed(in, 8);
    if (any == 0)
        unpack_damaged(in, "a state of nothing but zeros");
}

static uint64_t *get_counts(struct unpack *in, uint64_t count)
{
    if (count > unpack_left(in))
        unpack_damaged(in, "there is no room for %llu counts", (unsigned long long)count);
    if (unpack_failed(in))
        return NULL;
    uint64_t *counts = unpack_checked(in, memory_new((size_t)count, sizeof *counts));
    for (uint64_t i = 0; i < count && !unpack_failed(in); i++)
        counts[i] = unpack_count(in);
    return counts;
}

// Which features they are; the room for their weights is there.
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
    unsigned arrays = 1u + (parts & WEIGHTS_AVERAGE ? 1u : 0u) + (parts & WEIGHTS_STATE ? 1u : 0u);
    if (unpack_failed(in) || !unpack_numbers_fit(in, (uint64_t)count * columns) ||
        !unpack_numbers_fit(in, arrays * (uint64_t)count * columns))
        return;
    if (!weights_init(weights, columns, parts, 0) || !weights_reserve(weights, count)) {
        unpack_checked(in, NULL);
        return;
    }
    size_t cells = count * columns;
    packed->count = count;
    weights->steps = steps;
    unpack_numbers(in, weights->bias, columns);
    unpack_cells(in, weights->w, cells);
    if (weights->u) {
        unpack_numbers(in, weights->u_bias, columns);
        unpack_cells(in, weights->u, cells);
    }
    if (weights->scale) {
        unpack_numbers(in, weights->scale, columns);
        unpack_numbers(in, weights->sum, columns);
        unpack_numbers(in, weights->sum_at, columns);
    }
    if (weights->state) {
        weights->state_start = unpack_number(in, CODE_DOUBLE);
        unpack_numbers(in, weights->state_bias, columns);
        unpack_cells(in, weights->state, cells);
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
    size_t marks = (size_t)unpack_length(in, 33, "random states");
    if (unpack_failed(in))
        return;
    checkpoint->run.shuffles.marks =
        unpack_checked(in, memory_new(marks, sizeof *checkpoint->run.shuffles.marks));
    for (size_t i = 0; i < marks && !unpack_failed(in); i++) {
        checkpoint->run.shuffles.marks[i].shuffle = unpack_count(in);
        get_random(in, &checkpoint->run.shuffles.marks[i].random);
    }
    checkpoint->run.shuffles.mark_count = marks;
}

static void get_learner(struct unpack *in, struct checkpoint *checkpoint)
{
    uint64_t classes = unpack_count(in);
    if (classes > schema_classes(&in->model->schema))
        unpack_damaged(in, "there are more classes than the model has");
    checkpoint->learner.classes = (uint32_t)classes;
    checkpoint->learner.positive = unpack_choice(in, 1, "the positive class");
    checkpoint->learner.examples = unpack_count(in);
    checkpoint->learner.mistakes = unpack_count(in);
    checkpoint->learner.updates = unpack_count(in);
    get_random(in, &checkpoint->learner.random);
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
    checkpoint->run.best_pass = unpack_count(in);
    if (checkpoint->run.best_pass > checkpoint->run.pass)
        unpack_damaged(in, "the best pass is past the last one");
    if (checkpoint->run.best_pass && !unpack_failed(in))
        get_packed(in, &checkpoint->best, checkpoint->learner.weights.weights.columns);
}

void unpack_run(struct unpack *in)
{
    struct checkpoint *checkpoint = in->model->checkpoint =
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
        checkpoint->learner.pocket_counts = get_counts(in, 3 * (uint64_t)columns);
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
