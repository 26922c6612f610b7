// The training rows that a model keeps, and the updates that a vote replays.
#include "base/memory.h"
#include "learn/decision.h"
#include "model/make/internal.h"
#include "solvers/batch_solver.h"
#include "space/panel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

tlu_row row_find(struct row_finder *finder, const struct learned *learned, uint64_t id)
{
    while (id >=
           learned->batches[finder->number]->first_row + learned->batches[finder->number]->rows)
        finder->number++;
    assert(finder->number < learned->batch_count);
    finder->batch = learned->batches[finder->number];
    finder->i = (size_t)(id - finder->batch->first_row);
    return batch_row(finder->batch, finder->i);
}

bool make_needs_rows(const struct learned *learned)
{
    return learned->learner->space.kernel.kind || learned->learner->decision.history;
}

// The sum of absolute coefficients of each row.
static void sum_alphas(struct tlu_model *model, const struct learned *learned,
                       const struct mapping *mapping)
{
    double *alpha = model->supports.alpha;
    const struct history *history = learned->learner->decision.history;
    const struct solution *solution = learned->learner->solving.solution;
    const struct weights *weights = &model->weights;
    for (size_t i = 0; i < learned->updates; i++)
        alpha[mapping_support_of(mapping, history->steps[i].id)] += fabs(history->steps[i].amount);
    for (size_t i = 0; solution && i < solution->count; i++)
        alpha[mapping_support_of(mapping, solution->supports[i].id)] +=
            fabs(solution->supports[i].alpha);
    for (size_t i = 0; !history && model->kernel.kind && i < model->supports.count; i++)
        for (uint32_t c = 0; c < weights->columns; c++)
            alpha[i] += fabs(weights->w[i * weights->columns + c]);
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
        for (uint32_t c = 0; c < learned->learner->scheme.classes; c++)
            if (mapping->classes[c] == finder.batch->labels[finder.i])
                supports->classes[k] = c;
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
static bool make_gains(struct tlu_model *model, const struct learned *learned)
{
    const struct history *history = learned->learner->decision.history;
    struct replay *replay = &model->replay;
    if (!history->gain_count)
        return true;
    for (size_t n = 0; n < replay->count; n++) {
        const struct replay_step *step = &replay->steps[n];
        replay->gain_count += step_gains(step->sign, model->supports.row[step->support].count,
                                         learned->learner->rule.bias);
    }
    replay->gains = memory_new(replay->gain_count, sizeof *replay->gains);
    if (replay->gains && replay->gain_count)
        memcpy(replay->gains, history->gains, replay->gain_count * sizeof *replay->gains);
    return replay->gains != NULL;
}

bool make_replay(struct tlu_model *model, const struct learned *learned,
                 const struct mapping *mapping)
{
    const struct tlu_learner *learner = learned->learner;
    const struct history *history = learner->decision.history;
    if (!history)
        return true;
    model->replay.steps = memory_new(learned->updates, sizeof *model->replay.steps);
    if (!model->replay.steps)
        return false;
    model->replay.count = learned->updates;
    for (size_t n = 0; n < learned->updates; n++) {
        const struct history_step *from = &history->steps[n];
        struct replay_step *to = &model->replay.steps[n];
        *to = (struct replay_step){.support = mapping_support_of(mapping, from->id),
                                   .time = from->time,
                                   .amount = from->amount,
                                   .factor = from->factor};
        if (learner->scheme.kind != SCHEME_WTA)
            to->group = mapping->column_of[from->group];
        for (int p = 0; p < 2; p++) {
            to->column[p] = from->sign[p] ? mapping->column_of[from->column[p]] : 0;
            to->sign[p] =
                (int8_t)(mapping->signs[to->column[p]] < 0 ? -from->sign[p] : from->sign[p]);
        }
    }
    return make_gains(model, learned);
}
