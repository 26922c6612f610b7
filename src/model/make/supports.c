// The training rows that a model keeps, and the updates that a vote replays.
#include "base/memory.h"
#include "learn/decision.h"
#include "model/make/internal.h"
#include "solvers/batch_solver.h"
#include "space/panel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- rows that are kept ----

bool make_rows(struct mapping *mapping, const struct learned *learned)
{
    const struct tlu_learner *learner = learned->learner;
    const struct history *history = learner->state.decision.history;
    const struct solution *solution = learner->solving.solution;
    const struct batch *last =
        learned->batch_count ? learned->batches[learned->batch_count - 1] : NULL;
    uint64_t all = last ? last->first_row + last->rows : 0;
    assert(learned->updates == 0 || (history && learned->updates <= history->count));
    if (!learner->state.kernel.kind && learned->updates == 0 && !solution)
        return true;
    uint32_t *kept = mapping->support_of = memory_new(all, sizeof *kept);
    if (!kept)
        return false;
    for (size_t i = 0; learner->state.kernel.kind && i < learned->weights->features && i < all; i++)
        if (learned_uses(learned, i))
            kept[i] = 1;
    for (size_t i = 0; i < learned->updates; i++)
        kept[history->steps[i].id] = 1;
    for (size_t i = 0; solution && i < solution->count; i++)
        kept[solution->supports[i].id] = 1;
    for (uint64_t id = 0; id < all; id++)
        mapping->row_count += kept[id];
    mapping->rows = memory_new(mapping->row_count, sizeof *mapping->rows);
    if (!mapping->rows)
        return false;
    uint32_t count = 0;
    for (uint64_t id = 0; id < all; id++)
        if (kept[id]) {
            kept[id] = count;
            mapping->rows[count++] = id;
        }
    return true;
}

static uint32_t support_of(const struct mapping *mapping, uint64_t row)
{
    uint32_t support = mapping->support_of[row];
    assert(support < mapping->row_count && mapping->rows[support] == row);
    return support;
}

// ---- supports ----

tlu_row row_find(struct row_finder *finder, const struct learned *learned, uint64_t id)
{
    while (id >=
           learned->batches[finder->number]->first_row + learned->batches[finder->number]->rows) {
        finder->number++;
        assert(finder->number < learned->batch_count);
    }
    finder->batch = learned->batches[finder->number];
    assert(id >= finder->batch->first_row); // the rows come in ascending order
    finder->i = (size_t)(id - finder->batch->first_row);
    return batch_row(finder->batch, finder->i);
}

bool make_needs_rows(const struct learned *learned)
{
    return learned->learner->state.kernel.kind || learned->learner->state.decision.history;
}

// The sum of absolute coefficients of each row.
static void sum_alphas(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping)
{
    double *alpha = model->supports.alpha;
    const struct history *history = learned->learner->state.decision.history;
    const struct solution *solution = learned->learner->solving.solution;
    const struct weights *weights = &model->state.weights;
    for (size_t i = 0; i < learned->updates; i++)
        alpha[support_of(mapping, history->steps[i].id)] += fabs(history->steps[i].amount);
    for (size_t i = 0; solution && !model->state.kernel.kind && i < solution->count; i++)
        alpha[support_of(mapping, solution->supports[i].id)] += fabs(solution->supports[i].alpha);
    for (size_t i = 0; !history && model->state.kernel.kind && i < model->supports.count; i++)
        for (uint32_t c = 0; c < weights->columns; c++)
            alpha[i] += fabs(weights->w[i * weights->columns + c]);
}

// The class of a row in the model; of a set, the first of its labels, or the number of classes if
// it has none.
static uint32_t class_of(const struct learned *learned, const struct mapping *mapping,
                         const struct row_finder *finder)
{
    const uint32_t *set = batch_set(finder->batch, finder->i), *old = mapping->numbering.classes;
    uint32_t c = 0, classes = learned->learner->state.scheme.classes;
    while (c < classes &&
           !(set ? set_has(set, old[c]) : old[c] == finder->batch->labels[finder->i]))
        c++;
    return c;
}

bool make_supports(struct tlu_model *model, const struct learned *learned,
                   const struct mapping *mapping)
{
    struct supports *supports = &model->supports;
    struct row_finder finder = {0};
    size_t nonzeros = 0;
    for (size_t k = 0; make_needs_rows(learned) && k < mapping->row_count; k++)
        nonzeros += row_find(&finder, learned, mapping->rows[k]).count;
    if (!supports_new(supports, mapping->row_count, nonzeros))
        return false;
    finder = (struct row_finder){0};
    nonzeros = 0;
    for (size_t k = 0; k < mapping->row_count; k++) {
        tlu_row row = row_find(&finder, learned, mapping->rows[k]);
        supports->line[k] = batch_line(finder.batch, finder.i);
        supports->classes[k] = class_of(learned, mapping, &finder);
        if (!make_needs_rows(learned))
            continue;
        supports->row[k] =
            (tlu_row){row.count, supports->features + nonzeros, supports->values + nonzeros};
        supports->norm[k] = panel_norm(&row);
        for (size_t n = 0; n < row.count; n++, nonzeros++) {
            supports->features[nonzeros] = mapping->feature_of[row_feature(&row, n)];
            supports->values[nonzeros] = row.values ? row.values[n] : 1;
        }
    }
    sum_alphas(model, learned, mapping);
    return true;
}

// The entries of a support have the order of the training row, so the gains need no reordering.
static bool copy_gains(struct tlu_model *model, const struct learned *learned)
{
    const struct history *history = learned->learner->state.decision.history;
    struct history *to = model->state.decision.history;
    for (size_t n = 0; history->gain_count && n < to->count; n++) {
        const struct history_step *step = &to->steps[n];
        to->gain_count += step_gains(step->sign, model->supports.row[step->id].count,
                                     learned->learner->rule.bias);
    }
    if (to->gain_count)
        to->gains = memory_copy(history->gains, to->gain_count, sizeof *to->gains);
    return to->gains || !to->gain_count;
}

// The steps themselves, of which there may be millions.
static struct history_step *take_steps(struct history *history, size_t count)
{
    struct history_step *steps = history->steps;
    struct history_step *fewer = count ? memory_resize(steps, count, sizeof *steps) : NULL;
    if (!steps)
        return memory_new(1, sizeof *steps);
    history->steps = NULL;
    history->count = history->capacity = 0;
    return fewer ? fewer : steps;
}

bool make_history(struct tlu_model *model, const struct learned *learned,
                  const struct mapping *mapping)
{
    const struct learner_state *state = &learned->learner->state;
    const struct history *history = state->decision.history;
    const struct numbering *numbering = &mapping->numbering;
    if (!history)
        return true;
    struct history *to = model->state.decision.history;
    to->steps = learned->final
                    ? take_steps(learned->learner->state.decision.history, learned->updates)
                    : memory_copy(history->steps, learned->updates, sizeof *to->steps);
    uint32_t *column_of = memory_new(state_columns(state), sizeof *column_of);
    for (uint32_t c = 0; column_of && c < state_columns(state); c++)
        column_of[numbering->columns[c]] = c;
    to->count = to->steps && column_of ? learned->updates : 0;
    for (size_t n = 0; n < to->count; n++) {
        struct history_step *step = &to->steps[n];
        step->id = support_of(mapping, step->id);
        step->group = state->scheme.kind == SCHEME_WTA ? 0 : column_of[step->group];
        for (int p = 0; p < 2; p++) {
            step->column[p] = step->sign[p] ? column_of[step->column[p]] : 0;
            if (numbering->negated[step->column[p]])
                step->sign[p] = (int8_t)-step->sign[p];
        }
    }
    bool fine = to->steps && column_of && copy_gains(model, learned);
    memory_free(column_of);
    return fine;
}
