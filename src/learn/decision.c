#include "learn/decision.h"

#include "base/memory.h"
#include "learn/learner.h"

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

static bool adapt_init(struct tlu_learner *learner)
{
    learner->decision.adapt = memory_new(1, sizeof *learner->decision.adapt);
    if (!learner->decision.adapt)
        return false;
    learner->decision.adapt->decay = ADAPT_DECAY;
    return adapt_reserve(learner->decision.adapt, learner->space.weights.columns);
}

static void adapt_free(struct adapt *adapt)
{
    for (int by = 0; adapt && by < WEIGHTS_BY_COUNT; by++)
        memory_free(adapt->scores[by]);
    memory_free(adapt);
}

bool adapt_widen(struct tlu_learner *learner, uint32_t columns)
{
    return !learner->decision.adapt || adapt_reserve(learner->decision.adapt, columns);
}

static tlu_status pocket_init(struct tlu_learner *learner, tlu_error *error)
{
    struct pocket *pocket = learner->decision.pocket = memory_new(1, sizeof *pocket);
    TRY(enough_memory(pocket, error));
    pocket->run = memory_new(1, sizeof *pocket->run);
    pocket->best_run = memory_new(1, sizeof *pocket->best_run);
    pocket->best_right = memory_new(1, sizeof *pocket->best_right);
    return enough_memory(pocket->run && pocket->best_run && pocket->best_right &&
                             weights_copy(&pocket->best, &learner->space.weights),
                         error);
}

tlu_status decision_init(struct tlu_learner *learner, tlu_error *error)
{
    struct decision *decision = &learner->decision;
    switch (decision->kind) {
    case DECIDE_VOTE:
    case DECIDE_RANDOM:
        decision->history = memory_new(1, sizeof *decision->history);
        return enough_memory(decision->history, error);
    case DECIDE_BEST:
        return pocket_init(learner, error);
    case DECIDE_ADAPTIVE:
        return enough_memory(adapt_init(learner), error);
    default:
        return TLU_OK;
    }
}

void decision_free(struct tlu_learner *learner)
{
    struct decision *decision = &learner->decision;
    history_free(decision->history);
    if (decision->pocket) {
        weights_free(&decision->pocket->best);
        memory_free(decision->pocket->run);
        memory_free(decision->pocket->best_run);
        memory_free(decision->pocket->best_right);
    }
    memory_free(decision->pocket);
    adapt_free(decision->adapt);
}

static bool enlarge(uint64_t **array, uint32_t columns)
{
    uint64_t *new = memory_new(columns, sizeof *new);
    if (!new)
        return false;
    memory_free(*array);
    *array = new;
    return true;
}

// More classes, and maybe more columns. The pocket's counts start again at 0, because the
// subproblems have changed.
tlu_status decision_widen(struct tlu_learner *learner, uint32_t positive, bool opposite,
                          tlu_error *error)
{
    uint32_t columns = learner->space.weights.columns;
    struct pocket *pocket = learner->decision.pocket;
    if (learner->decision.history && learner->decision.history->count)
        return error_input(error, "--decide vote and random need all classes among the first rows: "
                                  "--shuffle all would do");
    if (!pocket)
        return TLU_OK;
    if (pocket->best.columns < columns &&
        !(enlarge(&pocket->run, columns) && enlarge(&pocket->best_run, columns) &&
          enlarge(&pocket->best_right, columns) &&
          weights_widen_at(&pocket->best, learner->space.weights.slots, columns, positive,
                           opposite)))
        return error_memory(error);
    memset(pocket->run, 0, columns * sizeof *pocket->run);
    memset(pocket->best_run, 0, columns * sizeof *pocket->best_run);
    memset(pocket->best_right, 0, columns * sizeof *pocket->best_right);
    return TLU_OK;
}

// ---- best ----

// Copies the weights of a group into the pocket: one column, or all with winner-takes-all.
static void keep(struct tlu_learner *learner, uint32_t group)
{
    struct weights *best = &learner->decision.pocket->best, *now = &learner->space.weights;
    bool all = learner->scheme.kind == SCHEME_WTA;
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

static void look_at_run(struct tlu_learner *learner, uint32_t group)
{
    struct pocket *pocket = learner->decision.pocket;
    if (pocket->run[group] > pocket->best_run[group]) {
        uint64_t right = pocket->count_right ? pocket->count_right(pocket->context, group) : 1;
        if (!pocket->count_right || right > pocket->best_right[group]) {
            keep(learner, group);
            pocket->best_run[group] = pocket->run[group];
            pocket->best_right[group] = right;
        }
    }
    pocket->run[group] = 0;
}

void decision_before(struct tlu_learner *learner, const struct binary_example *example)
{
    if (learner->decision.pocket && learner->decision.pocket->run[example->group])
        look_at_run(learner, example->group);
}

void decision_after(struct tlu_learner *learner, const struct binary_example *example)
{
    if (learner->decision.pocket && !example->wrong)
        learner->decision.pocket->run[example->group]++;
}

void decision_end(struct tlu_learner *learner, bool converged)
{
    for (uint32_t g = 0; learner->decision.pocket &&
                         g < scheme_groups(learner->scheme.kind, learner->scheme.classes);
         g++) {
        if (converged)
            keep(learner, g);
        else
            look_at_run(learner, g);
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
    struct history *history = learner->decision.history;
    if (!history)
        return;
    if (!memory_reserve(&history->steps, &history->capacity, history->count + 1,
                        sizeof *history->steps)) {
        history->no_memory = true;
        return;
    }
    struct history_step *step = &history->steps[history->count++];
    *step = (struct history_step){.id = example->id,
                                  .time = (uint64_t)learner->space.weights.steps + 1,
                                  .amount = amount,
                                  .factor = factor,
                                  .group = example->group};
    for (size_t i = 0; amount != 0 && i < example->parts; i++) {
        step->column[i] = example->part[i].column;
        step->sign[i] = example->part[i].sign > 0 ? 1 : -1;
    }
}

double *decision_record_gains(struct tlu_learner *learner, const struct binary_example *example,
                              double amount)
{
    struct history *history = learner->decision.history;
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
    struct adapt *adapt = learner->decision.adapt;
    const struct weights *weights = &learner->space.weights;
    enum weights_by in_use = weights_decide_by(weights);
    const double *deciding = learner->space.current;
    weights_products(weights, x, learner->space.current);
    for (enum weights_by by = WEIGHTS_BY_AVERAGE; weights->steps > 0 && by < WEIGHTS_BY_COUNT;
         by++) {
        weights_average_scores(weights, x, by, learner->space.current, adapt->scores[by]);
        adapt->answer[by] = learner_elect(learner, adapt->scores[by]);
        if (by == in_use)
            deciding = adapt->scores[by];
    }
    weights_finish_scores(weights, learner->space.current);
    adapt->answer[WEIGHTS_BY_LAST] = learner_elect(learner, learner->space.current);
    adapt->answered = weights->steps > 0; // before the first step all candidates are equal
    memcpy(learner->space.scores, deciding, weights->columns * sizeof *deciding);
}

void adapt_count(struct tlu_learner *learner, uint32_t class_index)
{
    struct adapt *adapt = learner->decision.adapt;
    enum weights_by best = learner->space.weights.by;
    if (!adapt->answered)
        return;
    for (int by = 0; by < WEIGHTS_BY_COUNT; by++)
        adapt->right[by] =
            adapt->decay * adapt->right[by] + (adapt->answer[by] == class_index ? 1 : 0);
    for (enum weights_by by = 0; by < WEIGHTS_BY_COUNT; by++)
        if (adapt->right[by] > adapt->right[best])
            best = by;
    learner->space.weights.by = best;
    adapt->answered = false;
}
