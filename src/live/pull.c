// Text comes in, given by the caller or read by this thread or others, and goes on in pieces of
// whole rows.
#include "base/memory.h"
#include "live/inside.h"
#include "live/opening.h"

#include <string.h>

// Opens the stream once its first lines are there. *used: as below.
static tlu_status open_when_known(struct tlu_live *live, const char *bytes, size_t size, bool end,
                                  size_t *used, tlu_error *error)
{
    size_t opening = opening_size(live->options, &live->learner->schema, bytes, size, end);
    if (!opening) {
        *used = end ? size : 0; // blank
        return live_check_rest(live, bytes, size - *used, error);
    }
    TRY(live_check_lines(live, bytes, opening, error));
    return live_open_stream(live, bytes, opening, used, error);
}

// The whole rows among the bytes. *used: how many of these are done with.
static tlu_status take(struct tlu_live *live, const char *bytes, size_t size, bool end,
                       size_t *used, tlu_error *error)
{
    struct input *input = &live->input;
    struct piece *piece = &live->own;
    *used = 0;
    TRY(check_given(bytes || !size, "text", error));
    if (!input->reader)
        TRY(open_when_known(live, bytes, size, end, used, error));
    if (!input->reader)
        return TLU_OK;
    piece->bytes = bytes + *used;
    piece->size = size - *used;
    if (!end)
        piece->size = reader_complete(input->reader, piece->bytes, piece->size);
    if (!piece->size && end && input->guessed[0] && !live->tally.counts.rows)
        return error_input(error,
                           "the stream has a header and no rows, taken for %s: give --header no or "
                           "--format if that is wrong",
                           input->guessed);
    if (piece->size) {
        piece_parse(piece, input->reader);
        TRY(live_accept(live, piece, used, error));
    }
    return live_check_rest(live, bytes + *used, size - *used, error);
}

// The answers, also if a row after them failed.
static tlu_status give(const struct tlu_live *live, tlu_status status, const char **text,
                       size_t *length)
{
    *text = live->answers.text;
    *length = live->answers.size;
    return status;
}

tlu_status tlu_live_take(tlu_live *live, const char *bytes, size_t size, int end, size_t *used,
                         const char **text, size_t *length, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    live->answers.size = 0;
    return give(live, take(live, bytes || size ? bytes : "", size, end != 0, used, error), text,
                length);
}

// ---- reading ----

// Rows that this thread reads. *much: there was much of it, and the rest is left to other threads.
static tlu_status pull_here(struct tlu_live *live, tlu_read_function read, void *context, int *end,
                            bool *much, tlu_error *error)
{
    struct pull *pull = &live->pull;
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
        return live_check_rest(live, pull->waiting, pull->size, error);
    tlu_status status = take(live, pull->waiting, pull->size, *end != 0, &used, error);
    pull->has_line = false;
    pull->size -= used;
    memmove(pull->waiting, pull->waiting + used, pull->size);
    // If there is no end of a row in a long text, it is looked for again in twice as much.
    pull->look_at = pull->size > 8 * AHEAD_SIZE ? 2 * pull->size : 0;
    return status;
}

// Rows that others have read; if there are none, what they have left.
static tlu_status pull_ahead(struct tlu_live *live, int *end, tlu_error *error)
{
    struct pull *pull = &live->pull;
    size_t size, used = 0;
    const char *rest;
    struct piece *piece = ahead_next(pull->ahead);
    if (piece)
        return live_accept(live, piece, &used, error);
    pull->is_ahead = false;
    tlu_status status = ahead_rest(pull->ahead, &rest, &size, end, error);
    TRY(enough_memory(memory_reserve(&pull->waiting, &pull->capacity, size + 1, 1), error));
    if (size)
        memcpy(pull->waiting, rest, size);
    pull->size = size;
    pull->has_line = size && memchr(rest, '\n', size);
    pull->look_at = 0;
    return status == TLU_OK ? live_check_rest(live, rest, size, error) : status;
}

tlu_status tlu_live_pull(tlu_live *live, tlu_read_function read, void *context, int *state,
                         const char **text, size_t *length, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct pull *pull = &live->pull;
    int end = 0;
    bool much = false;
    live->answers.size = 0;
    if (!pull->is_ahead) // else other threads use the one that they were given
        CALLBACK(pull->read, read, read, context, caller);
    tlu_status status = pull->is_ahead ? pull_ahead(live, &end, error)
                                       : pull_here(live, read, context, &end, &much, error);
    if (status == TLU_OK && much && live->input.reader && pull->threads > 1) {
        pull->ahead = pull->ahead ? pull->ahead : ahead_new(pull->threads - 1);
        pull->is_ahead = pull->ahead && ahead_start(pull->ahead, live->input.reader, read, context,
                                                    pull->waiting, pull->size);
    }
    *state = end ? TLU_LIVE_END : pull->is_ahead || much ? TLU_LIVE_MORE : TLU_LIVE_WAIT;
    return give(live, status, text, length);
}
