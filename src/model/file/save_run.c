// Writes the section of an interrupted run (docs/model-format.md); load_run.c reads it.
#include "model/file/sections.h"

static void put_random_of(struct out *out, const struct random *random)
{
    for (int i = 0; i < 4; i++)
        put_fixed(out, random->state[i], 8);
}

static void put_counts(struct out *out, const uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_count(out, counts[i]);
}

static void put_packed(struct out *out, const struct packed_weights *packed)
{
    const struct weights *weights = &packed->weights;
    size_t cells = packed->count * weights->columns;
    put_fixed(out, weights_parts(weights), 1);
    put_double(out, weights->steps);
    put_count(out, packed->count);
    uint32_t next = 0; // the lowest number that can come
    for (size_t i = 0; i < packed->count; i++) {
        put_count(out, packed->feature[i] - next);
        next = packed->feature[i] + 1;
    }
    put_numbers(out, weights->bias, weights->columns);
    put_numbers(out, weights->w, cells);
    if (weights->u) {
        put_numbers(out, weights->u_bias, weights->columns);
        put_numbers(out, weights->u, cells);
    }
    if (weights->scale) {
        put_numbers(out, weights->scale, weights->columns);
        put_numbers(out, weights->sum, weights->columns);
        put_numbers(out, weights->sum_at, weights->columns);
    }
    if (weights->state) {
        put_double(out, weights->state_start);
        put_numbers(out, weights->state_bias, weights->columns);
        put_numbers(out, weights->state, cells);
    }
}

static void put_data(struct out *out, const struct checkpoint *checkpoint)
{
    put_fixed(out, checkpoint->data.all, 1);
    put_count(out, checkpoint->data.print.rows);
    put_count(out, checkpoint->data.print.nonzeros);
    put_count(out, checkpoint->data.every);
    put_count(out, checkpoint->data.names);
    put_fixed(out, checkpoint->data.print.sum, 8);
}

static void put_passes(struct out *out, const struct checkpoint *checkpoint)
{
    put_count(out, checkpoint->run.pass);
    put_count(out, checkpoint->run.now.examples);
    put_count(out, checkpoint->run.now.mistakes);
    put_count(out, checkpoint->run.now.updates_before);
    put_counts(out, checkpoint->run.mistakes, (size_t)checkpoint->run.pass);
    put_count(out, checkpoint->run.shuffles.mark_count);
    for (size_t i = 0; i < checkpoint->run.shuffles.mark_count; i++) {
        put_count(out, checkpoint->run.shuffles.marks[i].shuffle);
        put_random_of(out, &checkpoint->run.shuffles.marks[i].random);
    }
}

static void put_learner(struct out *out, const struct checkpoint *checkpoint)
{
    uint32_t columns = checkpoint->learner.weights.weights.columns;
    put_count(out, checkpoint->learner.classes);
    put_fixed(out, checkpoint->learner.positive, 1);
    put_count(out, checkpoint->learner.examples);
    put_count(out, checkpoint->learner.mistakes);
    put_count(out, checkpoint->learner.updates);
    put_random_of(out, &checkpoint->learner.random);
    put_count(out, columns);
    put_packed(out, &checkpoint->learner.weights);
    put_numbers(out, checkpoint->learner.group_norm, columns);
    put_counts(out, checkpoint->learner.group_updates, columns);
}

void put_run(struct out *out, const tlu_model *model)
{
    const struct checkpoint *checkpoint = model->checkpoint;
    if (!checkpoint)
        return;
    put_passes(out, checkpoint);
    put_data(out, checkpoint);
    put_learner(out, checkpoint);
    put_fixed(out, checkpoint->learner.pocket, 1);
    if (checkpoint->learner.pocket) {
        put_packed(out, &checkpoint->learner.pocket_best);
        put_counts(out, checkpoint->learner.pocket_counts,
                   3 * (size_t)checkpoint->learner.weights.weights.columns);
    }
    put_count(out, checkpoint->run.seen.pass);
    if (checkpoint->run.seen.pass)
        put_packed(out, &checkpoint->seen);
    put_fixed(out, checkpoint->run.accuracy != NULL, 1);
    if (checkpoint->run.accuracy) {
        put_numbers(out, checkpoint->run.accuracy, (size_t)checkpoint->run.pass);
        put_count(out, checkpoint->run.best_pass);
        if (checkpoint->run.best_pass)
            put_packed(out, &checkpoint->best);
    }
}
