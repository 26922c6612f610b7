#include "solvers/batch_solver.h"

#include "base/memory.h"

bool batch_use_slots(struct tlu_learner *learner, struct batch *const *batches, size_t batch_count)
{
    struct feature_slots *occurring = learner->state.weights.slots ? feature_slots_new() : NULL;
    bool fine = occurring || !learner->state.weights.slots;
    for (size_t b = 0; occurring && b < batch_count; b++)
        for (size_t i = 0; fine && i < batches[b]->rows; i++) {
            tlu_row x = batch_row(batches[b], i);
            for (size_t k = 0; fine && k < x.count; k++)
                fine = feature_slots_add(occurring, row_feature(&x, k)) != 0;
        }
    uint32_t slot;
    for (size_t f = occurring ? feature_slots_next(occurring, 0, &slot) : SIZE_MAX;
         fine && f != SIZE_MAX; f = feature_slots_next(occurring, f + 1, &slot))
        fine = weights_add_row(&learner->state.weights, f) != SIZE_MAX;
    feature_slots_release(occurring);
    return fine;
}

bool batch_slots(struct tlu_learner *learner, struct batch *const *batches, size_t batch_count,
                 uint32_t **slots)
{
    size_t entries = 0, at = 0;
    *slots = NULL;
    if (!learner->state.weights.slots)
        return true;
    for (size_t b = 0; b < batch_count; b++)
        entries += batch_nonzeros(batches[b]);
    *slots = memory_new(entries, sizeof **slots);
    if (!*slots || !batch_use_slots(learner, batches, batch_count))
        return false;
    for (size_t b = 0; b < batch_count; b++)
        for (size_t i = 0; i < batches[b]->rows; i++) {
            tlu_row x = batch_row(batches[b], i);
            for (size_t k = 0; k < x.count; k++)
                (*slots)[at++] = (uint32_t)weights_row(&learner->state.weights, row_feature(&x, k));
        }
    return true;
}

bool batch_solution(struct tlu_learner *learner)
{
    struct solving *solving = &learner->solving;
    if (solving->solution)
        memory_free(solving->solution->supports);
    memory_free(solving->solution);
    solving->solution = memory_new(1, sizeof *solving->solution);
    return solving->solution != NULL;
}

// So many multipliers are always kept; more only if they take about the memory of the rows.
#define MULTIPLIERS_FEW 1000000

void batch_multipliers(struct tlu_learner *learner, struct batch *const *batches,
                       size_t batch_count)
{
    struct multipliers *kept = learner->solving.multipliers;
    uint64_t rows = 0, entries = 0;
    for (size_t b = 0; b < batch_count; b++) {
        rows += batches[b]->rows;
        entries += batches[b]->offsets[batches[b]->rows];
    }
    uint64_t count = learner->state.weights.columns * rows;
    if (!kept || kept->count == count)
        return;
    memory_free(kept->alpha);
    *kept = (struct multipliers){0};
    if (count <= MULTIPLIERS_FEW || count <= 2 * (rows + entries))
        kept->alpha = memory_new((size_t)count, sizeof *kept->alpha);
    if (kept->alpha)
        kept->count = (size_t)count;
    else
        learner->solving.multipliers = NULL;
}

double batch_growth(const struct tlu_learner *learner)
{
    const struct multipliers *kept = learner->solving.multipliers;
    return kept && kept->C > 0 ? learner->rule.C / kept->C : 0;
}

double batch_start(const struct tlu_learner *learner, size_t at)
{
    return batch_growth(learner) > 0 ? learner->solving.multipliers->alpha[at] : 0;
}

void batch_keep(struct tlu_learner *learner, size_t at, double alpha)
{
    if (learner->solving.multipliers)
        learner->solving.multipliers->alpha[at] = alpha;
}

void batch_keep_C(struct tlu_learner *learner)
{
    if (learner->solving.multipliers)
        learner->solving.multipliers->C = learner->rule.C;
}
