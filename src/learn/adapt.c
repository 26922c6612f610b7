#include "learn/adapt.h"

#include "base/memory.h"
#include "learn/learner.h"

#include <string.h>

static bool reserve(struct adapt *adapt, uint32_t columns)
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

bool adapt_init(struct tlu_learner *learner)
{
    learner->decision.adapt = memory_new(1, sizeof *learner->decision.adapt);
    if (!learner->decision.adapt)
        return false;
    learner->decision.adapt->decay = ADAPT_DECAY;
    return reserve(learner->decision.adapt, learner->space.weights.columns);
}

void adapt_free(struct adapt *adapt)
{
    for (int by = 0; adapt && by < WEIGHTS_BY_COUNT; by++)
        memory_free(adapt->scores[by]);
    memory_free(adapt);
}

bool adapt_widen(struct tlu_learner *learner, uint32_t columns)
{
    return !learner->decision.adapt || reserve(learner->decision.adapt, columns);
}

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
    adapt->answered = weights->steps > 0; // before that none has anything to say
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
