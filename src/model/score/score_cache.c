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

static bool make_updates(struct score_cache *score_cache, const struct tlu_model *model)
{
    const struct history *history = model->state.decision.history;
    size_t columns = model->state.weights.columns;
    uint64_t *since = memory_new(columns, sizeof *since); // time from which on weights count
    score_cache->updates = memory_new(history->count, sizeof *score_cache->updates);
    score_cache->left = memory_new(columns, sizeof *score_cache->left);
    bool fine = since && score_cache->updates && score_cache->left;
    score_cache->in_order = true;
    for (size_t c = 0; fine && c < columns; c++)
        since[c] = 1;
    for (size_t n = 0; fine && n < history->count; n++) {
        const struct history_step *step = &history->steps[n];
        score_cache->updates[n] = replay_update_of(step, (uint32_t)step->id, &since[step->group]);
        if (n > 0 && step->id / GRAM_TILE < step[-1].id / GRAM_TILE)
            score_cache->in_order = false;
    }
    for (size_t c = 0; fine && c < columns; c++)
        score_cache->left[c] = (double)((uint64_t)model->state.weights.steps + 1 - since[c]);
    memory_free(since);
    return fine;
}

static struct score_cache *score_cache_new(const struct tlu_model *model)
{
    const struct supports *supports = &model->supports;
    struct score_cache *score_cache = memory_new(1, sizeof *score_cache);
    if (!score_cache)
        return NULL;
    score_cache->gram = gram_new(&model->state.kernel, supports->row, supports->norm,
                                 supports->count, schema_features(&model->state.schema));
    if (score_cache->gram && (!model_replays(model) || make_updates(score_cache, model)))
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
