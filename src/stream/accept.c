// A piece of the stream: its rows are checked, put into the journal, predicted and learned from. If
// not all of them were, the journal is cut back to those that were.
#include "base/memory.h"
#include "stream/internal.h"

#include <stdio.h>
#include <string.h>

// The first row of the batch with a class that --positive leaves no room for, else their number.
static tlu_status third_class(const struct tlu_stream *stream, size_t *row, tlu_error *error)
{
    const struct schema *schema = &stream->learner->schema;
    const struct batch *batch = stream->batch;
    const char *positive = options_text(stream->learner->options, OPTION_POSITIVE);
    bool news = schema_classes(schema) < 2;
    for (uint32_t c = 0; !news && c < batch->classes.count; c++)
        news = schema_class_find(schema, table_text(&batch->classes, c),
                                 table_length(&batch->classes, c)) == SCHEMA_NONE;
    *row = batch->rows;
    if (!positive[0] || !news)
        return TLU_OK;
    struct schema met;
    schema_init(&met);
    bool fine = schema_class_add(&met, positive, strlen(positive)) != SCHEMA_NONE;
    for (uint32_t c = 0; fine && c < schema_classes(schema); c++)
        fine =
            schema_class_add(&met, schema->spelled[c], strlen(schema->spelled[c])) != SCHEMA_NONE;
    for (size_t i = 0; fine && i < *row; i++) {
        uint32_t label = batch->labels[i];
        if (label == TLU_NO_LABEL)
            continue;
        fine = schema_class_add(&met, table_text(&batch->classes, label),
                                table_length(&batch->classes, label)) != SCHEMA_NONE;
        if (schema_classes(&met) > 2)
            *row = i;
    }
    schema_free(&met);
    return fine ? TLU_OK : error_memory(error);
}

// The bytes before a line of the piece, from 1.
static size_t bytes_before(const char *bytes, size_t size, uint64_t line)
{
    const char *at = bytes, *limit = bytes + size;
    while (--line && (at = memchr(at, '\n', (size_t)(limit - at))))
        at++;
    return at ? (size_t)(at - bytes) : size;
}

// What cannot be learned from is refused before it is in the journal. *bad: there is such a row,
// and the piece ends before it.
static tlu_status check_piece(struct tlu_stream *stream, struct piece *piece, bool *bad,
                              tlu_error *error)
{
    struct batch *batch = piece->batch;
    size_t third;
    TRY(enough_memory(piece->result != PARSE_MEMORY, error));
    TRY(third_class(stream, &third, error));
    bool is_third = third < batch->rows;
    *bad = piece->result == PARSE_BAD || is_third;
    if (is_third) {
        char name[64];
        uint32_t label = batch->labels[third];
        error_quote(name, sizeof name, table_text(&batch->classes, label),
                    table_length(&batch->classes, label));
        snprintf(piece->why.reason, sizeof piece->why.reason,
                 "--positive is for two classes, and '%s' would be the third", name);
        piece->why.line = batch->line[third];
        piece->why.column = 0;
        batch->rows = third;
    }
    if (*bad)
        piece->size = bytes_before(piece->bytes, piece->size, piece->why.line);
    if (*bad && !is_third) // the line may be one inside of the row
        piece->size = reader_complete(stream->input.reader, piece->bytes, piece->size);
    return TLU_OK;
}

// The bytes of the piece without those of rows that were refused; returns how many.
static size_t leave_out(const struct tlu_stream *stream, const struct piece *piece, char *to)
{
    const struct batch *batch = stream->batch;
    size_t at = 0, size = 0;
    uint64_t line = 1; // at `at`
    for (size_t k = 0; k < stream->refused.count; k++) {
        size_t row = stream->refused.rows[k];
        for (size_t end = 0; end < 2; end++) { // to the start of the row, and then to its end
            size_t left = piece->size - at, bytes = left;
            if (row + end < batch->rows)
                bytes = bytes_before(piece->bytes + at, left, batch->line[row + end] - line + 1);
            if (!end)
                memcpy(to + size, piece->bytes + at, bytes);
            size += end ? 0 : bytes;
            at += bytes;
            line = row + end < batch->rows ? batch->line[row + end] : line;
        }
    }
    memcpy(to + size, piece->bytes + at, piece->size - at);
    return size + piece->size - at;
}

// Not all of the piece was learned from: a row was refused, or memory ran out. The journal gets
// what was, no more.
static void take_back(struct tlu_stream *stream, struct piece *piece, uint64_t number, size_t done,
                      bool kept)
{
    struct batch *batch = stream->batch;
    if (done < batch->rows)
        piece->size = bytes_before(piece->bytes, piece->size, batch->line[done]);
    batch->rows = done;
    if (!kept)
        return;
    char *rest = memory_new(piece->size + 1, 1);
    size_t size = rest ? leave_out(stream, piece, rest) : 0;
    stream->keep.incomplete |= !rest;
    keep_fewer_rows(&stream->keep, number, rest, stream->learner->examples > number ? size : 0);
    memory_free(rest);
}

tlu_status stream_accept(struct tlu_stream *stream, struct piece *piece, size_t *used,
                         tlu_error *error)
{
    uint64_t number = stream->learner->examples;
    size_t done = 0, whole = piece->size;
    bool bad = false;
    stream->batch = piece->batch;
    TRY(check_piece(stream, piece, &bad, error));
    bool kept = stream->keep.journal && piece_labelled(piece);
    if (kept)
        TRY(keep_rows(&stream->keep, number, piece->bytes, piece->size, error));
    tlu_status status = stream_feed_rows(stream, &done, error);
    if (status != TLU_OK || stream->refused.count)
        take_back(stream, piece, number, done, kept);
    *used += piece->size;
    stream->tally.counts.skipped += stream->batch->counts.skipped_rows;
    if (status == TLU_OK && bad)
        status = error_at(error, "-", stream->input.lines + piece->why.line, piece->why.column,
                          "%s", piece->why.reason);
    stream->input.lines += piece->size == whole ? piece->lines : piece_lines(piece);
    return status;
}
