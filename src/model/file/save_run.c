// Writes the section of an interrupted run (docs/model-format.md); load_run.c reads it.
#include "model/file/pack.h"

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

static void put_packed(struct out *out, const struct pause_weights *packed)
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
    put_fixed(out, pause->all, 1);
    put_count(out, pause->rows.rows);
    put_count(out, pause->rows.nonzeros);
    put_count(out, pause->every);
    put_count(out, pause->names);
    put_fixed(out, pause->rows.sum, 8);
}

static void put_passes(struct out *out, const struct pause *pause)
{
    put_count(out, pause->pass);
    put_count(out, pause->examples);
    put_count(out, pause->pass_mistakes);
    put_count(out, pause->pass_updates);
    put_counts(out, pause->mistakes, (size_t)pause->pass);
    put_count(out, pause->mark_count);
    for (size_t i = 0; i < pause->mark_count; i++) {
        put_count(out, pause->marks[i].shuffle);
        put_random_of(out, &pause->marks[i].random);
    }
}

static void put_learner(struct out *out, const struct pause *pause)
{
    uint32_t columns = pause->weights.weights.columns;
    put_count(out, pause->classes);
    put_fixed(out, pause->positive, 1);
    put_count(out, pause->learned);
    put_count(out, pause->mistaken);
    put_count(out, pause->updates);
    put_random_of(out, &pause->random);
    put_count(out, columns);
    put_packed(out, &pause->weights);
    put_numbers(out, pause->group_norm, columns);
    put_counts(out, pause->group_updates, columns);
}

void put_run(struct out *out, const tlu_model *model)
{
    const struct pause *pause = model->pause;
    if (!pause)
        return;
    put_passes(out, pause);
    put_data(out, pause);
    put_learner(out, pause);
    put_fixed(out, pause->pocket, 1);
    if (pause->pocket) {
        put_packed(out, &pause->pocket_best);
        put_counts(out, pause->pocket_counts, 3 * (size_t)pause->weights.weights.columns);
    }
    put_count(out, pause->seen_pass);
    if (pause->seen_pass)
        put_packed(out, &pause->seen);
    put_fixed(out, pause->accuracy != NULL, 1);
    if (pause->accuracy) {
        put_numbers(out, pause->accuracy, (size_t)pause->pass);
        put_count(out, pause->best_pass);
        if (pause->best_pass)
            put_packed(out, &pause->best);
    }
}
