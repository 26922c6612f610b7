// One row of a stream after the other: predicted, answered and learned from.
#include "base/memory.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "live/inside.h"

// Row i is left out, or ends the stream.
static tlu_status refuse(struct tlu_live *live, size_t i, const char *reason, bool counted,
                         tlu_error *error)
{
    struct refused *refused = &live->refused;
    if (counted && !options_flag(live->options, OPTION_SKIP_BAD))
        return error_at(error, "-", live->input.lines + live->batch->line[i], 0, "%s", reason);
    TRY(enough_memory(memory_reserve(&refused->rows, &refused->capacity, refused->count + 1,
                                     sizeof *refused->rows),
                      error));
    refused->rows[refused->count++] = i;
    live->tally.counts.skipped += counted;
    return TLU_OK;
}

// Whether the row can be learned from. It is looked at as one without a label, which changes
// nothing.
static tlu_status check_guard(struct tlu_live *live, size_t i, bool counted, tlu_error *error)
{
    double weight = (double)batch_weight(live->batch, i);
    struct refusal refusal;
    char reason[300];
    tlu_row row = batch_row(live->batch, i);
    if (guard_is_sure(live->learner, row.count, weight))
        return TLU_OK;
    TRY(resolver_row(&live->resolver, live->batch, i, live->learner, false, &row, error));
    if (guard_look(live->learner, &row, weight, &refusal))
        return TLU_OK;
    guard_say(live->learner, &refusal, reason, sizeof reason);
    return refuse(live, i, reason, counted, error);
}

// --max-features, once a row is learned. If there is not enough memory, the next row tries again.
static void prune(struct tlu_live *live)
{
    struct tlu_learner *learner = live->learner;
    uint64_t forgotten = learner->pruning.forgotten;
    if (learner->pruning.max_features)
        learner_prune(learner, learner->pruning.max_features, NULL);
    if (learner->pruning.forgotten > forgotten)
        resolver_forget_names(&live->resolver, live->batch);
}

static tlu_status learn(struct tlu_live *live, tlu_row *row, size_t i, uint32_t winner,
                        bool counted, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    const tlu_row *unscaled = &live->resolver.unscaled;
    double weight = (double)batch_weight(live->batch, i);
    bool decided = counted || learner->decision.adapt; // just now, by weights that are as they were
    bool wrong, is_new;
    uint32_t class = resolver_class(&live->resolver, live->batch, live->batch->labels[i],
                                    &learner->schema, &is_new);
    TRY(enough_memory(class != SCHEMA_NONE, error));
    TRY(learner_add_classes(learner, class + 1, error));
    TRY(enough_memory(learner_count(learner, class), error));
    if (learner->online.recent) {
        tlu_row seated = *row; // after this nothing fails
        TRY(enough_memory(weights_seat(&learner->space.weights, &seated), error));
        if (online_scale_meet(learner, unscaled)) {
            *row = *unscaled;
            online_scale_row(learner, row, learner->online.room);
            decided = false;
        }
    }
    TRY((decided ? learner_learn_decided : learner_learn)(learner, row, learner->examples, class,
                                                          weight, &wrong, error));
    if (counted)
        tally_guess(&live->tally, !is_new && class == winner);
    return TLU_OK;
}

// Answers row i and learns from it, or leaves it out. `counted`: it is new, and not the journal's.
static tlu_status take_row(struct tlu_live *live, size_t i, bool counted, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    bool labelled = live->batch->labels[i] != TLU_NO_LABEL;
    size_t refused = live->refused.count;
    tlu_row row;
    uint32_t winner = 0;
    if (labelled)
        TRY(check_guard(live, i, counted, error));
    if (live->refused.count > refused)
        return TLU_OK;
    TRY(resolver_row(&live->resolver, live->batch, i, learner, labelled, &row, error));
    TRY(resolver_scale(&live->resolver, learner, labelled, &row, error));
    if (counted || (labelled && learner->decision.adapt))
        winner = learner_decide(learner, &row);
    if (counted && !labelled && !guard_finite(learner->space.scores, learner_columns(learner)))
        return refuse(live, i, GUARD_NO_SCORE, counted, error);
    if (counted)
        TRY(enough_memory(answers_add(&live->answers, learner, winner), error));
    if (labelled) {
        TRY(learn(live, &row, i, winner, counted, error));
        prune(live);
    }
    live->tally.counts.rows += counted;
    if (counted && labelled)
        tally_report(&live->tally, learner);
    return TLU_OK;
}

static tlu_status begin(struct tlu_live *live, tlu_error *error)
{
    live->refused.count = 0;
    live->tally.stopped = false;
    return enough_memory(resolver_begin(&live->resolver, live->batch), error);
}

tlu_status live_take_rows(struct tlu_live *live, size_t *done, tlu_error *error)
{
    *done = 0;
    TRY(begin(live, error));
    for (; *done < live->batch->rows && !live->tally.stopped; ++*done) {
        size_t answered = live->answers.size;
        tlu_status status = take_row(live, *done, true, error);
        if (status != TLU_OK) {
            live->answers.size = answered;
            return status;
        }
    }
    return live->tally.stopped ? error_interrupted(error, "stopped by the function of the reports")
                               : TLU_OK;
}

tlu_status live_replay_rows(struct tlu_live *live, bool skip_bad, tlu_error *error)
{
    TRY(begin(live, error));
    for (size_t i = 0; i < live->batch->rows && (skip_bad || !live->refused.count); i++)
        TRY(take_row(live, i, false, error));
    return TLU_OK;
}
