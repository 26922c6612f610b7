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

static void put_data(struct out *out, const struct pause *pause)
{
    put_fixed(out, pause->data.all, 1);
    put_count(out, pause->data.print.rows);
    put_count(out, pause->data.print.nonzeros);
    put_count(out, pause->data.every);
    put_count(out, pause->data.names);
    put_fixed(out, pause->data.print.sum, 8);
}

static void put_passes(struct out *out, const struct pause *pause)
{
    put_count(out, pause->run.pass);
    put_count(out, pause->run.now.examples);
    put_count(out, pause->run.now.mistakes);
    put_count(out, pause->run.now.updates_before);
    put_counts(out, pause->run.mistakes, (size_t)pause->run.pass);
    put_count(out, pause->run.shuffles.mark_count);
    for (size_t i = 0; i < pause->run.shuffles.mark_count; i++) {
        put_count(out, pause->run.shuffles.marks[i].shuffle);
        put_random_of(out, &pause->run.shuffles.marks[i].random);
    }
}

static void put_learner(struct out *out, const struct pause *pause)
{
    uint32_t columns = pause->learner.weights.weights.columns;
    put_count(out, pause->learner.classes);
    put_fixed(out, pause->learner.positive, 1);
    put_count(out, pause->learner.examples);
    put_count(out, pause->learner.mistakes);
    put_count(out, pause->learner.updates);
    put_random_of(out, &pause->learner.random);
    put_count(out, columns);
    put_packed(out, &pause->learner.weights);
    put_numbers(out, pause->learner.group_norm, columns);
    put_counts(out, pause->learner.group_updates, columns);
}

void put_run(struct out *out, const tlu_model *model)
{
    const struct pause *pause = model->pause;
    if (!pause)
        return;
    put_passes(out, pause);
    put_data(out, pause);
    put_learner(out, pause);
    put_fixed(out, pause->learner.pocket, 1);
    if (pause->learner.pocket) {
        put_packed(out, &pause->learner.pocket_best);
        put_counts(out, pause->learner.pocket_counts,
                   3 * (size_t)pause->learner.weights.weights.columns);
    }
    put_count(out, pause->run.seen.pass);
    if (pause->run.seen.pass)
        put_packed(out, &pause->seen);
    put_fixed(out, pause->run.accuracy != NULL, 1);
    if (pause->run.accuracy) {
        put_numbers(out, pause->run.accuracy, (size_t)pause->run.pass);
        put_count(out, pause->run.best_pass);
        if (pause->run.best_pass)
            put_packed(out, &pause->best);
    }
}
