#include "learn/decision.h"

#include "base/memory.h"
#include "learn/learner.h"

#include <assert.h>
#include <string.h>

static bool adapt_reserve(struct adapt *adapt, uint32_t columns)
{
    for (int by = WEIGHTS_BY_AVERAGE; by < WEIGHTS_BY_COUNT; by++) {
        double *scores = memory_new(columns, sizeof *scores);
        if (!scores)
            return false;
        memory_free(adapt->scores[by]);
        adapt->scores[by] = scores;
    }
    return true;
}

static void adapt_free(struct adapt *adapt)
{
    for (int by = 0; adapt && by < WEIGHTS_BY_COUNT; by++)
        memory_free(adapt->scores[by]);
    memory_free(adapt);
}

bool adapt_widen(struct tlu_learner *learner, uint32_t columns)
{
    return !learner->state.decision.adapt || adapt_reserve(learner->state.decision.adapt, columns);
}

static tlu_status pocket_init(struct tlu_learner *learner, tlu_error *error)
{
    struct pocket *pocket = learner->state.decision.pocket = memory_new(1, sizeof *pocket);
    TRY(enough_memory(pocket, error));
    pocket->groups = memory_new(1, sizeof *pocket->groups);
    return enough_memory(pocket->groups && weights_copy(&pocket->best, &learner->state.weights),
                         error);
}

bool decision_new_parts(struct decision *decision)
{
    bool replays = decision->kind == DECIDE_VOTE || decision->kind == DECIDE_RANDOM;
    bool adapts = decision->kind == DECIDE_ADAPTIVE;
    if (replays)
        decision->history = memory_new(1, sizeof *decision->history);
    if (adapts)
        decision->adapt = memory_new(1, sizeof *decision->adapt);
    if (decision->adapt)
        decision->adapt->decay = ADAPT_DECAY;
    return (decision->history || !replays) && (decision->adapt || !adapts);
}

tlu_status decision_init(struct tlu_learner *learner, tlu_error *error)
{
    struct decision *decision = &learner->state.decision;
    TRY(enough_memory(decision_new_parts(decision), error));
    if (decision->kind == DECIDE_BEST)
        return pocket_init(learner, error);
    return enough_memory(adapt_widen(learner, learner->state.weights.columns), error);
}

void decision_free(struct decision *decision)
{
    history_free(decision->history);
    if (decision->pocket) {
        weights_free(&decision->pocket->best);
        memory_free(decision->pocket->groups);
    }
    memory_free(decision->pocket);
    adapt_free(decision->adapt);
}

// More classes, and maybe more columns. The pocket's counts start again at 0, because the
// subproblems have changed.
tlu_status decision_widen(struct tlu_learner *learner, uint32_t positive, bool opposite,
                          tlu_error *error)
{
    uint32_t columns = learner->state.weights.columns;
    struct pocket *pocket = learner->state.decision.pocket;
    if (learner->state.decision.history && learner->state.decision.history->count)
        return error_input(
            error,
            "--decide vote and random need all classes among the first rows; give --shuffle all");
    if (!pocket)
        return TLU_OK;
    if (pocket->best.columns < columns &&
        !(space_enlarge(&pocket->groups, 0, columns, sizeof *pocket->groups) &&
          weights_widen_at(&pocket->best, learner->state.weights.slots, columns, positive,
                           opposite)))
        return error_memory(error);
    memset(pocket->groups, 0, columns * sizeof *pocket->groups);
    return TLU_OK;
}

// ---- best ----

// Copies the weights of a group into the pocket: one column, or all with winner-takes-all.
static void keep(struct tlu_learner *learner, uint32_t group)
{
    struct weights *best = &learner->state.decision.pocket->best, *now = &learner->state.weights;
    bool all = learner->state.scheme.kind == SCHEME_WTA;
    if (!weights_follow(best, now) || !weights_follow(now, best))
        return; // out of memory: the pocket keeps weights that are valid, though worse
    learner_settle(learner);
    uint32_t first = all ? 0 : group, end = all ? learner_columns(learner) : group + 1;
    for (size_t row = 0; row < now->rows; row++)
        for (size_t at = row * now->columns + first; at < row * now->columns + end; at++)
            if (best->w[at] != now->w[at]) // does not touch memory that was never written to
                best->w[at] = now->w[at];
    for (uint32_t c = first; c < end; c++)
        best->bias[c] = now->bias[c];
}

// Ends a run of correct predictions: its weights may be the best.
static void end_run(struct tlu_learner *learner, uint32_t group)
{
    struct pocket *pocket = learner->state.decision.pocket;
    struct pocket_group *counts = &pocket->groups[group];
    assert(group < pocket->best.columns);
    if (counts->run > counts->best_run) {
        uint64_t right = pocket->count_right ? pocket->count_right(pocket->context, group) : 1;
        if (!pocket->count_right || right > counts->best_right) {
            keep(learner, group);
            counts->best_run = counts->run;
            counts->best_right = right;
        }
    }
    counts->run = 0;
}

void decision_before(struct tlu_learner *learner, const struct binary_example *example)
{
    if (learner->state.decision.pocket &&
        learner->state.decision.pocket->groups[example->group].run)
        end_run(learner, example->group);
}

void decision_after(struct tlu_learner *learner, const struct binary_example *example)
{
    if (learner->state.decision.pocket && !example->wrong)
        learner->state.decision.pocket->groups[example->group].run++;
}

void decision_end(struct tlu_learner *learner, bool converged)
{
    for (uint32_t g = 0;
         learner->state.decision.pocket &&
         g < scheme_groups(learner->state.scheme.kind, learner->state.scheme.classes);
         g++) {
        if (converged)
            keep(learner, g);
        else
            end_run(learner, g);
    }
}

// ---- vote, random ----

void history_free(struct history *history)
{
    if (!history)
        return;
    memory_free(history->steps);
    memory_free(history->gains);
    memory_free(history);
}

void decision_record(struct tlu_learner *learner, const struct binary_example *example,
                     double amount, double factor)
{
    struct history *history = learner->state.decision.history;
    if (!history)
        return;
    if (!memory_reserve(&history->steps, &history->capacity, history->count + 1,
                        sizeof *history->steps)) {
        history->no_memory = true;
        return;
    }
    struct history_step *step = &history->steps[history->count++];
    *step = (struct history_step){.id = example->id,
                                  .time = (uint64_t)learner->state.weights.steps + 1,
                                  .amount = amount,
                                  .factor = factor,
                                  .group = example->group};
    assert(history->count == 1 || step[-1].time <= step->time);
    for (size_t i = 0; amount != 0 && i < example->parts; i++) {
        step->column[i] = example->part[i].column;
        step->sign[i] = example->part[i].sign > 0 ? 1 : -1;
    }
}

double *decision_record_gains(struct tlu_learner *learner, const struct binary_example *example,
                              double amount)
{
    struct history *history = learner->state.decision.history;
    decision_record(learner, example, amount, 1);
    if (history->no_memory)
        return NULL;
    size_t count =
        step_gains(history->steps[history->count - 1].sign, example->x->count, learner->rule.bias);
    if (!memory_reserve(&history->gains, &history->gain_capacity, history->gain_count + count,
                        sizeof *history->gains)) {
        history->no_memory = true;
        return NULL;
    }
    history->gain_count += count;
    return count ? history->gains + history->gain_count - count : NULL;
}

// ---- adaptive ----

void adapt_decide(struct tlu_learner *learner, const tlu_row *x)
{
    struct adapt *adapt = learner->state.decision.adapt;
    const struct weights *weights = &learner->state.weights;
    enum weights_by in_use = weights_decide_by(weights);
    const double *deciding = learner->space.current;
    bool labels = learner->state.scheme.kind == SCHEME_MULTILABEL; // which adapt_count looks at
    weights_products(weights, x, learner->space.current);
    for (enum weights_by by = WEIGHTS_BY_AVERAGE; weights->steps > 0 && by < WEIGHTS_BY_COUNT;
         by++) {
        weights_average_scores(weights, x, by, learner->space.current, adapt->scores[by]);
        adapt->answer[by] = labels ? 0 : learner_elect(learner, adapt->scores[by]);
        if (by == in_use)
            deciding = adapt->scores[by];
    }
    weights_finish_scores(weights, learner->space.current);
    adapt->answer[WEIGHTS_BY_LAST] = labels ? 0 : learner_elect(learner, learner->space.current);
    adapt->answered = weights->steps > 0; // before the first step all candidates are equal
    memcpy(learner->space.scores, deciding, weights->columns * sizeof *deciding);
}

// How right a candidate was about the last row: 0 to 1.
static double rightness(const struct tlu_learner *learner, const struct example *example, int by)
{
    const struct adapt *adapt = learner->state.decision.adapt;
    if (!example->set)
        return adapt->answer[by] == example->class_index ? 1 : 0;
    const double *scores = by == WEIGHTS_BY_LAST ? learner->space.current : adapt->scores[by];
    return (double)learner_right_labels(learner, scores, example->set) /
           (double)learner->state.scheme.classes;
}

void adapt_count(struct tlu_learner *learner, const struct example *example)
{
    struct adapt *adapt = learner->state.decision.adapt;
    enum weights_by best = learner->state.weights.by;
    uint32_t classes = learner->state.scheme.classes;
    if (example->set && (classes == 0 || learner->space.current_classes != classes))
        adapt->answered = false;
    if (!adapt->answered)
        return;
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++)
        adapt->right[by] = adapt->decay * adapt->right[by] + rightness(learner, example, by);
    for (enum weights_by by = 0; by < WEIGHTS_BY_COUNT; by++)
        if (adapt->right[by] > adapt->right[best])
            best = by;
    learner->state.weights.by = best;
    adapt->answered = false;
}
