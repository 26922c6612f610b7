#include "model/score/score_cache.h"

#include "base/memory.h"

#define SEVERAL 32 // rows from which on the faster gram pays for itself

void score_cache_free(struct score_cache *score_cache)
{
    if (!score_cache)
        return;
    gram_free(score_cache->gram);
    gram_free(score_cache->faster);
    memory_free(score_cache->updates);
    memory_free(score_cache->left);
    memory_free(score_cache);
}

static struct history_step step_of(const struct replay_step *step)
{
    return (struct history_step){.time = step->time,
                                 .amount = step->amount,
                                 .factor = step->factor,
                                 .group = step->group,
                                 .column = {step->column[0], step->column[1]},
                                 .sign = {step->sign[0], step->sign[1]}};
}

static bool make_updates(struct score_cache *score_cache, const struct tlu_model *model)
{
    const struct replay *replay = &model->replay;
    size_t columns = model->weights.columns;
    uint64_t *since = memory_new(columns, sizeof *since); // time from which on weights count
    score_cache->updates = memory_new(replay->count, sizeof *score_cache->updates);
    score_cache->left = memory_new(columns, sizeof *score_cache->left);
    bool fine = since && score_cache->updates && score_cache->left;
    score_cache->in_order = true;
    for (size_t c = 0; fine && c < columns; c++)
        since[c] = 1;
    for (size_t n = 0; fine && n < replay->count; n++) {
        struct history_step step = step_of(&replay->steps[n]);
        uint32_t support = replay->steps[n].support;
        score_cache->updates[n] = replay_update_of(&step, support, &since[step.group]);
        if (n > 0 && support / GRAM_TILE < replay->steps[n - 1].support / GRAM_TILE)
            score_cache->in_order = false;
    }
    for (size_t c = 0; fine && c < columns; c++)
        score_cache->left[c] = (double)((uint64_t)model->weights.steps + 1 - since[c]);
    memory_free(since);
    return fine;
}

static struct score_cache *score_cache_new(const struct tlu_model *model)
{
    const struct supports *supports = &model->supports;
    struct score_cache *score_cache = memory_new(1, sizeof *score_cache);
    if (!score_cache)
        return NULL;
    score_cache->gram = gram_new(&model->kernel, supports->row, supports->norm, supports->count,
                                 schema_features(&model->schema));
    if (score_cache->gram && make_updates(score_cache, model))
        return score_cache;
    score_cache_free(score_cache);
    return NULL;
}

struct score_cache *model_score_cache(const struct tlu_model *model)
{
    _Atomic(struct score_cache *) *place =
        &((struct tlu_model *)model)->score_cache; // all else is fixed
    struct score_cache *known = atomic_load_explicit(place, memory_order_acquire);
    if (known)
        return known;
    struct score_cache *made = score_cache_new(model);
    if (made && !atomic_compare_exchange_strong(place, &known, made)) {
        score_cache_free(made); // another thread was first
        return known;
    }
    return made;
}

const struct gram *score_cache_gram(struct score_cache *score_cache, size_t rows)
{
    struct gram *known = atomic_load_explicit(&score_cache->faster, memory_order_acquire);
    if (known)
        return known;
    if (atomic_fetch_add_explicit(&score_cache->asked, rows, memory_order_relaxed) + rows < SEVERAL)
        return score_cache->gram;
    struct gram *made = gram_faster(score_cache->gram);
    if (made && !atomic_compare_exchange_strong(&score_cache->faster, &known, made)) {
        gram_free(made); // another thread was first
        return known;
    }
    return made;
}
