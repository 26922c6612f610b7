// One row of a stream after the other: predicted, answered and learned from.
#include "base/memory.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "stream/internal.h"

// Row i is left out, or ends the stream.
static tlu_status refuse(struct tlu_stream *stream, size_t i, const char *reason, bool counted,
                         tlu_error *error)
{
    struct refused *refused = &stream->refused;
    if (counted && !options_flag(stream->options, OPTION_SKIP_BAD))
        return error_at(error, "-", stream->input.lines + stream->batch->line[i], 0, "%s", reason);
    TRY(enough_memory(memory_reserve(&refused->rows, &refused->capacity, refused->count + 1,
                                     sizeof *refused->rows),
                      error));
    refused->rows[refused->count++] = i;
    stream->tally.counts.skipped += counted;
    return TLU_OK;
}

// Whether the row can be learned from. It is looked at as one without a label, which changes
// nothing.
static tlu_status check_guard(struct tlu_stream *stream, size_t i, bool counted, tlu_error *error)
{
    double weight = (double)batch_weight(stream->batch, i);
    struct refusal refusal;
    char reason[300];
    tlu_row row = batch_row(stream->batch, i);
    if (guard_is_sure(stream->learner, row.count, weight))
        return TLU_OK;
    TRY(resolver_row(&stream->resolver, stream->batch, i, stream->learner, false, &row, error));
    if (guard_look(stream->learner, &row, weight, &refusal))
        return TLU_OK;
    guard_say(stream->learner, &refusal, reason, sizeof reason);
    return refuse(stream, i, reason, counted, error);
}

// --max-features, once a row is learned. If there is not enough memory, the next row tries again.
static void prune(struct tlu_stream *stream)
{
    struct tlu_learner *learner = stream->learner;
    uint64_t forgotten = learner->pruning.forgotten;
    if (learner->pruning.max_features)
        learner_prune(learner, learner->pruning.max_features, NULL);
    if (learner->pruning.forgotten > forgotten)
        resolver_forget_names(&stream->resolver, stream->batch);
}

static tlu_status learn(struct tlu_stream *stream, tlu_row *row, size_t i, uint32_t winner,
                        bool counted, tlu_error *error)
{
    struct tlu_learner *learner = stream->learner;
    const tlu_row *unscaled = &stream->resolver.unscaled;
    double weight = (double)batch_weight(stream->batch, i);
    bool decided = counted || learner->decision.adapt; // just now, by weights that are as they were
    bool wrong, is_new;
    uint32_t class = resolver_class(&stream->resolver, stream->batch, stream->batch->labels[i],
                                    &learner->schema, &is_new);
    TRY(enough_memory(class != SCHEMA_NONE, error));
    TRY(learner_add_classes(learner, class + 1, error));
    TRY(enough_memory(learner_count(learner, class), error));
    if (learner->online.recent) {
        tlu_row mapped = *row; // after this nothing fails
        TRY(enough_memory(weights_map(&learner->space.weights, &mapped), error));
        if (online_scale_meet(learner, unscaled)) {
            *row = *unscaled;
            online_scale_row(learner, row, learner->online.scratch);
            decided = false;
        }
    }
    TRY((decided ? learner_learn_decided : learner_learn)(learner, row, learner->examples, class,
                                                          weight, &wrong, error));
    if (counted)
        tally_guess(&stream->tally, !is_new && class == winner);
    return TLU_OK;
}

// Answers row i and learns from it, or leaves it out. `counted`: it is new, and not the journal's.
static tlu_status take_row(struct tlu_stream *stream, size_t i, bool counted, tlu_error *error)
{
    struct tlu_learner *learner = stream->learner;
    bool labelled = stream->batch->labels[i] != TLU_NO_LABEL;
    size_t refused = stream->refused.count;
    tlu_row row;
    uint32_t winner = 0;
    if (labelled)
        TRY(check_guard(stream, i, counted, error));
    if (stream->refused.count > refused)
        return TLU_OK;
    TRY(resolver_row(&stream->resolver, stream->batch, i, learner, labelled, &row, error));
    TRY(resolver_scale(&stream->resolver, learner, labelled, &row, error));
    if (counted || (labelled && learner->decision.adapt))
        winner = learner_decide(learner, &row);
    if (counted && !labelled && !guard_finite(learner->space.scores, learner_columns(learner)))
        return refuse(stream, i, GUARD_NO_SCORE, counted, error);
    if (counted)
        TRY(enough_memory(answers_add(&stream->answers, learner, winner), error));
    if (labelled) {
        TRY(learn(stream, &row, i, winner, counted, error));
        prune(stream);
    }
    stream->tally.counts.rows += counted;
    if (counted && labelled)
        tally_report(&stream->tally, learner);
    return TLU_OK;
}

static tlu_status begin(struct tlu_stream *stream, tlu_error *error)
{
    stream->refused.count = 0;
    stream->tally.stopped = false;
    return enough_memory(resolver_begin(&stream->resolver, stream->batch), error);
}

tlu_status stream_feed_rows(struct tlu_stream *stream, size_t *done, tlu_error *error)
{
    *done = 0;
    TRY(begin(stream, error));
    for (; *done < stream->batch->rows && !stream->tally.stopped; ++*done) {
        size_t answered = stream->answers.size;
        tlu_status status = take_row(stream, *done, true, error);
        if (status != TLU_OK) {
            stream->answers.size = answered;
            return status;
        }
    }
    return stream->tally.stopped
               ? error_interrupted(error, "stopped by the function of the reports")
               : TLU_OK;
}

tlu_status stream_replay_rows(struct tlu_stream *stream, bool skip_bad, tlu_error *error)
{
    TRY(begin(stream, error));
    for (size_t i = 0; i < stream->batch->rows && (skip_bad || !stream->refused.count); i++)
        TRY(take_row(stream, i, false, error));
    return TLU_OK;
}
