#include "train/outcome.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "mlp/layers.h"
#include "train/train.h"

#include <string.h>

// Whether there is a pass that has begun and not ended.
static bool is_inside(const struct run *run)
{
    return run->now.examples > 0;
}

// An unfinished pass counts as one.
static bool copy_passes(struct outcome *outcome, const struct run *run, bool measured)
{
    size_t passes = (size_t)run->pass;
    outcome->passes = run->pass + is_inside(run);
    outcome->best_pass = measured ? run->best_pass : outcome->passes;
    outcome->mistakes = memory_new(passes + 1, sizeof *outcome->mistakes);
    if (measured)
        outcome->accuracy = memory_new(passes + 1, sizeof *outcome->accuracy);
    if (!outcome->mistakes || (measured && !outcome->accuracy))
        return false;
    if (passes)
        memcpy(outcome->mistakes, run->mistakes, passes * sizeof *run->mistakes);
    if (passes && measured)
        memcpy(outcome->accuracy, run->accuracy, passes * sizeof *run->accuracy);
    outcome->mistakes[passes] = run->now.mistakes;
    return true;
}

tlu_status outcome_now(struct outcome *outcome, struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    const struct run *run = &t->run;
    bool measured = options_number(learner->state.options, OPTION_HOLDOUT) > 0;
    TRY(enough_memory(copy_passes(outcome, run, measured), error));
    if (measured && is_inside(run)) {
        double *now = &outcome->accuracy[run->pass];
        TRY(holdout_quality(t, now, error));
        if (!run->best_pass ||
            metric_is_better(t->holdout.metric.metric, *now, run->accuracy[run->best_pass - 1]))
            outcome->best_pass = outcome->passes;
    }
    const struct history *history = learner->state.decision.history;
    const struct pocket *pocket = learner->state.decision.pocket;
    bool earlier = measured && run->best.w && outcome->best_pass == run->best_pass;
    outcome->weights = earlier ? &run->best : pocket ? &pocket->best : &learner->state.weights;
    outcome->net = earlier ? run->best_net : learner->state.net;
    outcome->last = !earlier || run->best.steps == learner->state.weights.steps;
    outcome->updates = earlier ? run->best_updates : history ? history->count : 0;
    return TLU_OK;
}

void outcome_free(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->notices.count; i++)
        memory_free(outcome->notices.items[i]);
    memory_free(outcome->notices.items);
    memory_free(outcome->mistakes);
    memory_free(outcome->accuracy);
    memory_free(outcome->checkpoint.bytes);
}
