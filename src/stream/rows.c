// A chunk of the stream: its rows are checked, written to the journal, predicted, answered and
// learned from one by one. If not all of them were learned from, the journal is cut back to those
// that were.
#include "base/memory.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "stream/internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Leaves row i out, or ends the stream with an error.
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
    stream->counts.stats.skipped += counted;
    return TLU_OK;
}

// Refuses a row that cannot be learned. The row is resolved like one without a label, which changes
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
    if (guard_accepts(stream->learner, &row, weight, &refusal))
        return TLU_OK;
    guard_message(stream->learner, &refusal, reason, sizeof reason);
    return refuse(stream, i, reason, counted, error);
}

// --max-features, after a row was learned. If there is not enough memory, the next row tries again.
static void prune(struct tlu_stream *stream)
{
    struct tlu_learner *learner = stream->learner;
    uint64_t forgotten = learner->pruning.forgotten;
    if (learner->pruning.max_features)
        learner_prune(learner, learner->pruning.max_features, NULL);
    if (learner->pruning.forgotten > forgotten)
        resolver_forget_names(&stream->resolver, stream->batch);
}

// Finds the class of row i, or its set of labels. *is_new: it has a label that the learner does not
// know.
static tlu_status find_labels(struct tlu_stream *stream, size_t i, struct example *example,
                              bool *is_new, tlu_error *error)
{
    struct schema *schema = &stream->learner->state.schema;
    const struct batch *batch = stream->batch;
    if (!batch->set_cells) {
        example->class_index =
            resolver_class(&stream->resolver, batch, batch->labels[i], schema, is_new);
        return enough_memory(example->class_index != SCHEMA_NONE, error);
    }
    const uint32_t *set =
        resolver_set(&stream->resolver, batch, batch_set(batch, i), schema, is_new);
    TRY(enough_memory(set != NULL, error));
    example_take_set(example, set);
    return TLU_OK;
}

static tlu_status learn(struct tlu_stream *stream, tlu_row *row, size_t i, uint32_t winner,
                        bool counted, tlu_error *error)
{
    struct tlu_learner *learner = stream->learner;
    const tlu_row *unscaled = &stream->resolver.unscaled;
    struct example example = {.id = learner->state.examples,
                              .weight = (double)batch_weight(stream->batch, i)};
    bool decided = counted || learner->state.decision.adapt; // by the current weights
    bool wrong, is_new, right;
    TRY(find_labels(stream, i, &example, &is_new, error));
    right = !is_new && (example.set ? counted && learner_is_right(learner, learner->space.scores, 0,
                                                                  example.set)
                                    : example.class_index == winner);
    TRY(learner_add_classes(learner, example.class_index + 1, error));
    TRY(enough_memory(example.set ? learner_count_set(learner, example.set)
                                  : learner_count(learner, example.class_index),
                      error));
    if (online_scale_is_late(&learner->state.online)) {
        tlu_row mapped = *row; // after this nothing fails
        TRY(enough_memory(weights_map(&learner->state.weights, &mapped), error));
        if (online_scale_update(learner, unscaled)) {
            *row = *unscaled;
            online_scale_row(learner, row, learner->state.online.scratch);
            decided = false;
        }
    }
    example.x = *row;
    TRY(learner_learn_row(learner, &example, decided, &wrong, error));
    resolver_count(&stream->resolver, learner->state.online.on ? unscaled : row, learner);
    if (counted)
        counts_add(&stream->counts, right);
    return TLU_OK;
}

// Answers row i and learns from it, or leaves it out. `counted`: it is new, not from the journal.
static tlu_status feed_row(struct tlu_stream *stream, size_t i, bool counted, tlu_error *error)
{
    struct tlu_learner *learner = stream->learner;
    bool labelled = stream->batch->labels[i] != TLU_NO_LABEL;
    size_t refused = stream->refused.count;
    assert(i < stream->batch->rows);
    tlu_row row;
    uint32_t winner = 0;
    if (labelled)
        TRY(check_guard(stream, i, counted, error));
    if (stream->refused.count > refused)
        return TLU_OK;
    TRY(resolver_row(&stream->resolver, stream->batch, i, learner, labelled, &row, error));
    TRY(resolver_scale(&stream->resolver, learner, labelled, &row, error));
    if (counted || (labelled && learner->state.decision.adapt))
        winner = learner_decide(learner, &row);
    if (counted && !labelled && !guard_finite(learner->space.scores, learner_columns(learner)))
        return refuse(stream, i, GUARD_NO_SCORE, counted, error);
    if (counted)
        TRY(enough_memory(answers_add(&stream->answers, learner, winner), error));
    if (labelled) {
        TRY(learn(stream, &row, i, winner, counted, error));
        prune(stream);
    }
    stream->counts.stats.rows += counted;
    if (counted && labelled)
        counts_report(&stream->counts, learner);
    return TLU_OK;
}

static tlu_status begin(struct tlu_stream *stream, tlu_error *error)
{
    stream->refused.count = 0;
    stream->counts.stopped = false;
    return enough_memory(resolver_begin(&stream->resolver, stream->batch), error);
}

// Predicts, answers and learns the rows of stream->batch; *done of them. A row that would make the
// weights overflow is an error; with --skip-bad it is left out, and in stream->refused.
static tlu_status feed_rows(struct tlu_stream *stream, size_t *done, tlu_error *error)
{
    *done = 0;
    TRY(begin(stream, error));
    for (; *done < stream->batch->rows && !stream->counts.stopped; ++*done) {
        size_t answered = stream->answers.size;
        tlu_status status = feed_row(stream, *done, true, error);
        if (status != TLU_OK) {
            stream->answers.size = answered;
            return status;
        }
    }
    return stream->counts.stopped
               ? error_interrupted(error, "stopped by the function of the reports")
               : TLU_OK;
}

tlu_status stream_replay_rows(struct tlu_stream *stream, bool skip_bad, tlu_error *error)
{
    TRY(begin(stream, error));
    for (size_t i = 0; i < stream->batch->rows && (skip_bad || !stream->refused.count); i++)
        TRY(feed_row(stream, i, false, error));
    return TLU_OK;
}

// ---- chunks ----

// The first row with a third class, which --positive does not allow; if there is none, the number
// of rows.
static tlu_status third_class(const struct tlu_stream *stream, size_t *row, tlu_error *error)
{
    const struct schema *schema = &stream->learner->state.schema;
    const struct batch *batch = stream->batch;
    const char *positive = options_text(stream->learner->state.options, OPTION_POSITIVE);
    bool news = schema_classes(schema) < 2;
    for (uint32_t c = 0; !news && c < batch->classes.count; c++)
        news = schema_class_find(schema, table_text(&batch->classes, c),
                                 table_length(&batch->classes, c)) == SCHEMA_NONE;
    *row = batch->rows;
    if (!positive[0] || !news)
        return TLU_OK;
    struct schema known;
    schema_init(&known);
    bool fine = schema_class_add(&known, positive, strlen(positive)) != SCHEMA_NONE;
    for (uint32_t c = 0; fine && c < schema_classes(schema); c++)
        fine =
            schema_class_add(&known, schema->spelled[c], strlen(schema->spelled[c])) != SCHEMA_NONE;
    for (size_t i = 0; fine && i < *row; i++) {
        uint32_t label = batch->labels[i];
        if (label == TLU_NO_LABEL)
            continue;
        fine = schema_class_add(&known, table_text(&batch->classes, label),
                                table_length(&batch->classes, label)) != SCHEMA_NONE;
        if (schema_classes(&known) > 2)
            *row = i;
    }
    schema_free(&known);
    return fine ? TLU_OK : error_memory(error);
}

// The bytes before a line of the chunk, from 1.
static size_t bytes_before(const char *bytes, size_t size, uint64_t line)
{
    const char *at = bytes, *limit = bytes + size;
    while (--line && (at = memchr(at, '\n', (size_t)(limit - at))))
        at++;
    return at ? (size_t)(at - bytes) : size;
}

// The bytes before a row of the chunk; all of them if there is no such row.
static size_t bytes_before_row(const struct stream_chunk *chunk, size_t row)
{
    const struct batch *batch = chunk->batch;
    if (row >= batch->rows)
        return chunk->size;
    if (batch->scratch.starts_count) // JSON objects, which may share a line
        return batch->scratch.starts[row];
    return bytes_before(chunk->bytes, chunk->size, batch->line[row]);
}

// Refuses rows that cannot be learned before they are written to the journal. *bad: there is such a
// row, and the chunk now ends before it.
static tlu_status check_chunk(struct tlu_stream *stream, struct stream_chunk *chunk, bool *bad,
                              tlu_error *error)
{
    struct batch *batch = chunk->batch;
    size_t third;
    TRY(enough_memory(chunk->result != PARSE_MEMORY, error));
    TRY(third_class(stream, &third, error));
    bool is_third = third < batch->rows;
    *bad = chunk->result == PARSE_BAD || is_third;
    if (is_third) {
        char name[64];
        uint32_t label = batch->labels[third];
        error_quote(name, sizeof name, table_text(&batch->classes, label),
                    table_length(&batch->classes, label));
        snprintf(chunk->why.reason, sizeof chunk->why.reason,
                 "--positive is for two classes, and '%s' would be the third", name);
        chunk->why.line = batch->line[third];
        chunk->why.column = 0;
        chunk->size = bytes_before_row(chunk, third);
        batch->rows = third;
    } else if (*bad && reader_json_rows(stream->input.reader)) {
        chunk->size = chunk->why.start;
    } else if (*bad) { // the line may be one inside of the row
        chunk->size = bytes_before(chunk->bytes, chunk->size, chunk->why.line);
        chunk->size = reader_complete(stream->input.reader, chunk->bytes, chunk->size);
    }
    return TLU_OK;
}

// Copies the bytes of the chunk without refused rows; returns how many.
static size_t leave_out(const struct tlu_stream *stream, const struct stream_chunk *chunk, char *to)
{
    const struct batch *batch = stream->batch;
    const struct batch_scratch *scratch = &batch->scratch;
    size_t at = 0, size = 0;
    uint64_t line = 1; // at `at`
    for (size_t k = 0; k < stream->refused.count; k++) {
        size_t row = stream->refused.rows[k];
        for (size_t end = 0; end < 2; end++) { // to the start of the row, and then to its end
            size_t left = chunk->size - at, bytes = left;
            if (row + end < batch->rows)
                bytes = scratch->starts_count ? scratch->starts[row + end] - at
                                              : bytes_before(chunk->bytes + at, left,
                                                             batch->line[row + end] - line + 1);
            if (!end)
                memcpy(to + size, chunk->bytes + at, bytes);
            size += end ? 0 : bytes;
            at += bytes;
            line = row + end < batch->rows ? batch->line[row + end] : line;
        }
    }
    memcpy(to + size, chunk->bytes + at, chunk->size - at);
    return size + chunk->size - at;
}

// Not all of the chunk was learned, because a row was refused or memory ran out. Reduces the
// journal to the rows that were.
static void undo_rows(struct tlu_stream *stream, struct stream_chunk *chunk, uint64_t number,
                      size_t done, bool kept)
{
    struct batch *batch = stream->batch;
    chunk->size = bytes_before_row(chunk, done);
    batch->rows = done;
    if (!kept)
        return;
    char *rest = memory_new(chunk->size + 1, 1);
    size_t size = rest ? leave_out(stream, chunk, rest) : 0;
    stream->keep.incomplete |= !rest;
    keep_fewer_rows(&stream->keep, number, rest,
                    stream->learner->state.examples > number ? size : 0);
    memory_free(rest);
}

tlu_status stream_accept(struct tlu_stream *stream, struct stream_chunk *chunk, size_t *used,
                         tlu_error *error)
{
    uint64_t number = stream->learner->state.examples;
    size_t done = 0, whole = chunk->size;
    bool bad = false;
    stream->batch = chunk->batch;
    TRY(check_chunk(stream, chunk, &bad, error));
    bool kept = stream->keep.journal && chunk_labelled(chunk);
    if (kept)
        TRY(keep_rows(&stream->keep, number, chunk->bytes, chunk->size, error));
    tlu_status status = feed_rows(stream, &done, error);
    if (status != TLU_OK || stream->refused.count)
        undo_rows(stream, chunk, number, done, kept);
    *used += chunk->size;
    stream->counts.stats.skipped += stream->batch->counts.skipped_rows;
    if (status == TLU_OK && bad)
        status =
            error_at(error, "-", stream->input.lines + chunk->why.line,
                     chunk->why.column +
                         (chunk->why.line == 1 && chunk->why.column ? stream->input.column : 0),
                     "%s", chunk->why.reason);
    stream_pass(stream, chunk, whole);
    return status;
}
