#include "model/score/recall.h"

#include "base/memory.h"

#define SEVERAL 32 // rows: what is faster pays for itself

void recall_free(struct recall *recall)
{
    if (!recall)
        return;
    gram_free(recall->gram);
    gram_free(recall->faster);
    memory_free(recall->turns);
    memory_free(recall->left);
    memory_free(recall);
}

static struct turn turn_of(const struct replay_step *step, uint64_t *since)
{
    struct turn turn = {.support = step->support,
                        .group = step->group,
                        .factor = step->factor,
                        .lasted = (double)(step->time - since[step->group])};
    since[step->group] = step->time;
    for (int p = 0; p < 2; p++) {
        turn.column[p] = step->column[p];
        turn.amount[p] = step->amount * step->sign[p];
    }
    return turn;
}

static bool make_turns(struct recall *recall, const struct tlu_model *model)
{
    const struct replay *replay = &model->replay;
    size_t columns = model->weights.columns;
    uint64_t *since = memory_new(columns, sizeof *since); // time from which on weights count
    recall->turns = memory_new(replay->count, sizeof *recall->turns);
    recall->left = memory_new(columns, sizeof *recall->left);
    bool fine = since && recall->turns && recall->left;
    recall->in_order = true;
    for (size_t c = 0; fine && c < columns; c++)
        since[c] = 1;
    for (size_t n = 0; fine && n < replay->count; n++) {
        recall->turns[n] = turn_of(&replay->steps[n], since);
        recall->in_order =
            recall->in_order && (n == 0 || recall->turns[n].support / GRAM_TILE >=
                                               recall->turns[n - 1].support / GRAM_TILE);
    }
    for (size_t c = 0; fine && c < columns; c++)
        recall->left[c] = (double)((uint64_t)model->weights.steps + 1 - since[c]);
    memory_free(since);
    return fine;
}

static struct recall *recall_new(const struct tlu_model *model)
{
    const struct supports *supports = &model->supports;
    struct recall *recall = memory_new(1, sizeof *recall);
    if (!recall)
        return NULL;
    recall->gram = gram_new(&model->kernel, supports->row, supports->norm, supports->count,
                            schema_features(&model->schema));
    if (recall->gram && make_turns(recall, model))
        return recall;
    recall_free(recall);
    return NULL;
}

struct recall *model_recall(const struct tlu_model *model)
{
    _Atomic(struct recall *) *place = &((struct tlu_model *)model)->recall; // all else is fixed
    struct recall *known = atomic_load_explicit(place, memory_order_acquire);
    if (known)
        return known;
    struct recall *made = recall_new(model);
    if (made && !atomic_compare_exchange_strong(place, &known, made)) {
        recall_free(made); // another thread was first
        return known;
    }
    return made;
}

const struct gram *recall_gram(struct recall *recall, size_t rows)
{
    struct gram *known = atomic_load_explicit(&recall->faster, memory_order_acquire);
    if (known)
        return known;
    if (atomic_fetch_add_explicit(&recall->asked, rows, memory_order_relaxed) + rows < SEVERAL)
        return recall->gram;
    struct gram *made = gram_faster(recall->gram);
    if (made && !atomic_compare_exchange_strong(&recall->faster, &known, made)) {
        gram_free(made); // another thread was first
        return known;
    }
    return made;
}
