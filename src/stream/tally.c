#include "stream/tally.h"

#include "base/memory.h"

#define WINDOW 1000 // unless another is asked for

bool tally_init(struct tally *tally, const tlu_stream_settings *settings)
{
    tally->window = settings->window ? settings->window : WINDOW;
    tally->report = settings->report;
    tally->context = settings->report_context;
    tally->next_report = 1;
    tally->right = memory_new(tally->window, sizeof *tally->right);
    return tally->right != NULL;
}

void tally_guess(struct tally *tally, bool right)
{
    tlu_stream_stats *counts = &tally->counts;
    uint8_t *oldest = &tally->right[counts->examples % tally->window];
    if (counts->window == tally->window)
        counts->window_correct -= *oldest;
    else
        counts->window++;
    *oldest = right;
    counts->window_correct += right;
    counts->correct += right;
    counts->examples++;
}

const tlu_stream_stats *tally_counts(struct tally *tally, const struct tlu_learner *learner)
{
    tlu_stream_stats *counts = &tally->counts;
    const struct slots *slots = &learner->schema.slots;
    counts->learned = learner->examples;
    counts->features = schema_columns(&learner->schema);
    counts->classes = schema_classes(&learner->schema);
    counts->slots = slots->bits ? (uint64_t)1 << slots->bits : 0;
    counts->slots_used = slots->used;
    counts->slots_shared = slots->shared;
    counts->decided_by = weights_by_name(learner->space.weights.by);
    return counts;
}

void tally_report(struct tally *tally, const struct tlu_learner *learner)
{
    if (!tally->report || tally->counts.examples < tally->next_report)
        return;
    tally->next_report *= 2;
    tally->stopped = tally->report(tally->context, tally_counts(tally, learner)) != 0;
}

void tally_free(struct tally *tally)
{
    memory_free(tally->right);
}
