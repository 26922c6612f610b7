// Reads text, from the caller, in this thread or in others, and passes it on in chunks of whole
// rows.
#include "base/memory.h"
#include "stream/internal.h"

#include <string.h>

// Opens the stream once its first lines are complete. *used: as below.
static tlu_status open_when_known(struct tlu_stream *stream, const char *bytes, size_t size,
                                  bool end, size_t *used, tlu_error *error)
{
    size_t opening =
        opening_size(stream->options, &stream->learner->state.schema, bytes, size, end);
    if (!opening) {
        *used = end ? size : 0; // blank
        return stream_check_rest(stream, bytes, size - *used, error);
    }
    TRY(stream_check_lines(stream, bytes, opening, error));
    return stream_open_input(stream, bytes, opening, used, error);
}

// Learns the complete rows of the text. *used: the bytes that are done.
static tlu_status feed(struct tlu_stream *stream, const char *bytes, size_t size, bool end,
                       size_t *used, tlu_error *error)
{
    struct input *input = &stream->input;
    struct stream_chunk *chunk = &stream->own;
    *used = 0;
    TRY(check_given(bytes || !size, "text", error));
    if (!input->reader)
        TRY(open_when_known(stream, bytes, size, end, used, error));
    if (!input->reader)
        return TLU_OK;
    chunk->bytes = bytes + *used;
    chunk->size = size - *used;
    if (!end)
        chunk->size = reader_complete(input->reader, chunk->bytes, chunk->size);
    if (!chunk->size && end && input->guessed[0] && !stream->counts.stats.rows)
        return error_input(error,
                           "the stream has a header and no rows, taken for %s; give --header no or "
                           "--format if that is wrong",
                           input->guessed);
    if (chunk->size) {
        chunk_parse(chunk, input->reader);
        TRY(stream_accept(stream, chunk, used, error));
    }
    return stream_check_rest(stream, bytes + *used, size - *used, error);
}

// Returns the answers, also if a row after them failed.
static tlu_status return_answers(const struct tlu_stream *stream, tlu_status status,
                                 const char **text, size_t *length)
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
    return return_answers(stream,
                          feed(stream, bytes || size ? bytes : "", size, end != 0, used, error),
                          text, length);
}

// ---- reading ----

// Reads in this thread. *much: there was so much text that other threads should read the rest.
static tlu_status poll_here(struct tlu_stream *stream, tlu_read_function read, void *context,
                            int *end, bool *much, tlu_error *error)
{
    struct poll *poll = &stream->poll;
    size_t got = 0, used = 0;
    TRY(enough_memory(
        memory_reserve(&poll->waiting, &poll->capacity, poll->size + READ_AHEAD_SIZE, 1), error));
    tlu_error why = {.status = TLU_OK};
    if (read(context, poll->waiting + poll->size, READ_AHEAD_SIZE, &got, end, &why) != 0)
        return error_stopped(error, &why);
    *much = got >= READ_AHEAD_SIZE / 2;
    poll->size += got;
    poll->has_line |= stream_may_end_row(stream, poll->waiting, poll->size, got);
    if (!*end && (!poll->has_line || (*much && poll->size < poll->next_scan)))
        return stream_check_rest(stream, poll->waiting, poll->size, error);
    tlu_status status = feed(stream, poll->waiting, poll->size, *end != 0, &used, error);
    poll->has_line = false;
    poll->size -= used;
    memmove(poll->waiting, poll->waiting + used, poll->size);
    // If a long text has no end of a row, the next search waits for twice as much text.
    poll->next_scan = poll->size > 8 * READ_AHEAD_SIZE ? 2 * poll->size : 0;
    return status;
}

// Takes rows that other threads have read; after the last, the text that they have left.
static tlu_status poll_ahead(struct tlu_stream *stream, int *end, tlu_error *error)
{
    struct poll *poll = &stream->poll;
    size_t size, used = 0;
    const char *rest;
    struct stream_chunk *chunk = read_ahead_next(poll->ahead);
    if (chunk)
        return stream_accept(stream, chunk, &used, error);
    poll->is_ahead = false;
    tlu_status status = read_ahead_rest(poll->ahead, &rest, &size, end, error);
    TRY(enough_memory(memory_reserve(&poll->waiting, &poll->capacity, size + 1, 1), error));
    if (size)
        memcpy(poll->waiting, rest, size);
    poll->size = size;
    poll->has_line = stream_may_end_row(stream, rest, size, size);
    poll->next_scan = 0;
    return status == TLU_OK ? stream_check_rest(stream, rest, size, error) : status;
}

tlu_status tlu_stream_poll(tlu_stream *stream, tlu_read_function read, void *context,
                           tlu_stream_state *state, const char **text, size_t *length,
                           tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct poll *poll = &stream->poll;
    int end = 0;
    bool much = false;
    stream->answers.size = 0;
    if (!poll->is_ahead) // else other threads use the function they were started with
        CALLBACK(poll->read, read, read, context, caller);
    tlu_status status = poll->is_ahead ? poll_ahead(stream, &end, error)
                                       : poll_here(stream, read, context, &end, &much, error);
    if (status == TLU_OK && much && stream->input.reader && poll->threads > 1) {
        poll->ahead = poll->ahead ? poll->ahead : read_ahead_new(poll->threads - 1);
        poll->is_ahead = poll->ahead && read_ahead_start(poll->ahead, stream->input.reader, read,
                                                         context, poll->waiting, poll->size);
    }
    *state = end ? TLU_STREAM_END : poll->is_ahead || much ? TLU_STREAM_MORE : TLU_STREAM_WAIT;
    return return_answers(stream, status, text, length);
}
