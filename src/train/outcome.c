#include "train/outcome.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "train/pause.h"
#include "train/train.h"

#include <string.h>

// Whether there is a pass that has begun and not ended.
static bool is_inside(const struct run *run)
{
    return run->now.examples > 0;
}

// An unfinished pass counts as one.
static bool copy_passes(struct outcome *outcome, struct training *t)
{
    const struct run *run = &t->run;
    size_t passes = (size_t)run->pass;
    outcome->passes = run->pass + is_inside(run);
    outcome->best_pass = run->best_pass;
    outcome->mistakes = memory_new(passes + 1, sizeof *outcome->mistakes);
    if (!outcome->mistakes)
        return false;
    if (passes)
        memcpy(outcome->mistakes, run->mistakes, passes * sizeof *run->mistakes);
    outcome->mistakes[passes] = run->now.mistakes;
    if (options_number(t->learner.options, OPTION_HOLDOUT) == 0) {
        outcome->best_pass = outcome->passes;
        return true;
    }
    outcome->accuracy = memory_new(passes + 1, sizeof *outcome->accuracy);
    if (!outcome->accuracy)
        return false;
    if (passes)
        memcpy(outcome->accuracy, run->accuracy, passes * sizeof *run->accuracy);
    if (!is_inside(run))
        return true;
    outcome->accuracy[passes] = pass_accuracy(t);
    if (!run->best_pass || outcome->accuracy[passes] > run->accuracy[run->best_pass - 1])
        outcome->best_pass = outcome->passes;
    return true;
}

tlu_status outcome_now(struct outcome *outcome, struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    TRY(enough_memory(copy_passes(outcome, t), error));
    bool earlier = outcome->accuracy && t->run.best.w && outcome->best_pass == t->run.best_pass;
    outcome->weights = earlier                    ? &t->run.best
                       : learner->decision.pocket ? &learner->decision.pocket->best
                                                  : &learner->space.weights;
    outcome->last = !earlier || t->run.best.steps == learner->space.weights.steps;
    return TLU_OK;
}

void outcome_free(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->notices.count; i++)
        memory_free(outcome->notices.items[i]);
    memory_free(outcome->notices.items);
    memory_free(outcome->mistakes);
    memory_free(outcome->accuracy);
    pause_free(outcome->pause);
}
