// Text comes in, given by the caller or read by this thread or others, and goes on in pieces of
// whole rows.
#include "base/memory.h"
#include "stream/internal.h"
#include "stream/opening.h"

#include <string.h>

// Opens the stream once its first lines are there. *used: as below.
static tlu_status open_when_known(struct tlu_stream *stream, const char *bytes, size_t size,
                                  bool end, size_t *used, tlu_error *error)
{
    size_t opening = opening_size(stream->options, &stream->learner->schema, bytes, size, end);
    if (!opening) {
        *used = end ? size : 0; // blank
        return stream_check_rest(stream, bytes, size - *used, error);
    }
    TRY(stream_check_lines(stream, bytes, opening, error));
    return stream_open_input(stream, bytes, opening, used, error);
}

// The whole rows among the bytes. *used: how many of these are done with.
static tlu_status take(struct tlu_stream *stream, const char *bytes, size_t size, bool end,
                       size_t *used, tlu_error *error)
{
    struct input *input = &stream->input;
    struct piece *piece = &stream->own;
    *used = 0;
    TRY(check_given(bytes || !size, "text", error));
    if (!input->reader)
        TRY(open_when_known(stream, bytes, size, end, used, error));
    if (!input->reader)
        return TLU_OK;
    piece->bytes = bytes + *used;
    piece->size = size - *used;
    if (!end)
        piece->size = reader_complete(input->reader, piece->bytes, piece->size);
    if (!piece->size && end && input->guessed[0] && !stream->tally.counts.rows)
        return error_input(error,
                           "the stream has a header and no rows, taken for %s: give --header no or "
                           "--format if that is wrong",
                           input->guessed);
    if (piece->size) {
        piece_parse(piece, input->reader);
        TRY(stream_accept(stream, piece, used, error));
    }
    return stream_check_rest(stream, bytes + *used, size - *used, error);
}

// The answers, also if a row after them failed.
static tlu_status give(const struct tlu_stream *stream, tlu_status status, const char **text,
                       size_t *length)
{
    *text = stream->answers.text;
    *length = stream->answers.size;
    return status;
}

tlu_status tlu_stream_feed(tlu_stream *stream, const char *bytes, size_t size, int end,
                           size_t *used, const char **text, size_t *length, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    stream->answers.size = 0;
    return give(stream, take(stream, bytes || size ? bytes : "", size, end != 0, used, error), text,
                length);
}

// ---- reading ----

// Rows that this thread reads. *much: there was much of it, and the rest is left to other threads.
static tlu_status pull_here(struct tlu_stream *stream, tlu_read_function read, void *context,
                            int *end, bool *much, tlu_error *error)
{
    struct pull *pull = &stream->pull;
    size_t got = 0, used = 0;
    TRY(enough_memory(memory_reserve(&pull->waiting, &pull->capacity, pull->size + AHEAD_SIZE, 1),
                      error));
    tlu_error why = {.status = TLU_OK};
    if (read(context, pull->waiting + pull->size, AHEAD_SIZE, &got, end, &why) != 0)
        return error_stopped(error, &why);
    *much = got >= AHEAD_SIZE / 2;
    pull->has_line |= got && memchr(pull->waiting + pull->size, '\n', got);
    pull->size += got;
    if (!*end && (!pull->has_line || (*much && pull->size < pull->look_at)))
        return stream_check_rest(stream, pull->waiting, pull->size, error);
    tlu_status status = take(stream, pull->waiting, pull->size, *end != 0, &used, error);
    pull->has_line = false;
    pull->size -= used;
    memmove(pull->waiting, pull->waiting + used, pull->size);
    // If there is no end of a row in a long text, it is looked for again in twice as much.
    pull->look_at = pull->size > 8 * AHEAD_SIZE ? 2 * pull->size : 0;
    return status;
}

// Rows that others have read; if there are none, what they have left.
static tlu_status pull_ahead(struct tlu_stream *stream, int *end, tlu_error *error)
{
    struct pull *pull = &stream->pull;
    size_t size, used = 0;
    const char *rest;
    struct piece *piece = ahead_next(pull->ahead);
    if (piece)
        return stream_accept(stream, piece, &used, error);
    pull->is_ahead = false;
    tlu_status status = ahead_rest(pull->ahead, &rest, &size, end, error);
    TRY(enough_memory(memory_reserve(&pull->waiting, &pull->capacity, size + 1, 1), error));
    if (size)
        memcpy(pull->waiting, rest, size);
    pull->size = size;
    pull->has_line = size && memchr(rest, '\n', size);
    pull->look_at = 0;
    return status == TLU_OK ? stream_check_rest(stream, rest, size, error) : status;
}

tlu_status tlu_stream_poll(tlu_stream *stream, tlu_read_function read, void *context,
                           tlu_stream_state *state, const char **text, size_t *length,
                           tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct pull *pull = &stream->pull;
    int end = 0;
    bool much = false;
    stream->answers.size = 0;
    if (!pull->is_ahead) // else other threads use the one that they were given
        CALLBACK(pull->read, read, read, context, caller);
    tlu_status status = pull->is_ahead ? pull_ahead(stream, &end, error)
                                       : pull_here(stream, read, context, &end, &much, error);
    if (status == TLU_OK && much && stream->input.reader && pull->threads > 1) {
        pull->ahead = pull->ahead ? pull->ahead : ahead_new(pull->threads - 1);
        pull->is_ahead = pull->ahead && ahead_start(pull->ahead, stream->input.reader, read,
                                                    context, pull->waiting, pull->size);
    }
    *state = end ? TLU_STREAM_END : pull->is_ahead || much ? TLU_STREAM_MORE : TLU_STREAM_WAIT;
    return give(stream, status, text, length);
}
