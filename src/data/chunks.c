#include "data/reader_inside.h"

#include "base/memory.h"

#include <string.h>

// Whether the caller has had enough.
bool reader_is_over(const struct reader *reader)
{
    return reader->is_over && reader->is_over(reader->context);
}

// Asked by the source while it waits: workers look whether they are to stop, the caller asks
// itself.
bool reader_wait_is_over(void *context)
{
    struct reader *reader = context;
    if (!reader->threaded)
        return reader_is_over(reader);
    pthread_mutex_lock(&reader->state);
    bool stop = reader->stop;
    pthread_mutex_unlock(&reader->state);
    return stop;
}

size_t reader_complete(const struct reader *reader, const char *bytes, size_t size)
{
    if (reader && reader->parse == csv_parse)
        return csv_complete(bytes, size, reader->plan.delimiter);
    const char *newline = size ? memrchr(bytes, '\n', size) : NULL;
    return newline ? (size_t)(newline - bytes) + 1 : 0;
}

// ---- rows that are too long ----

void reader_limit_rows(struct reader *reader, size_t most)
{
    reader->row_most = most;
}

size_t reader_row_most(const struct reader *reader)
{
    return reader->row_most;
}

// Where the first of these CSV rows is that is too long; `size`: there is none.
static size_t overlong_csv(const struct reader *reader, const char *bytes, size_t size)
{
    struct csv_cursor cursor = csv_start(bytes, size, reader->plan.delimiter);
    cursor.bare = true; // and so without memory of its own
    while (csv_next_row(&cursor)) {
        const char *row = cursor.row_start;
        csv_skip_row(&cursor);
        if ((size_t)(cursor.at - row) > reader->row_most + 1)
            return (size_t)(row - bytes);
    }
    return size;
}

static size_t overlong_line(const struct reader *reader, const char *bytes, size_t size)
{
    const char *line = bytes, *limit = bytes + size;
    while (line < limit) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        if ((size_t)((newline ? newline : limit) - line) > reader->row_most)
            return (size_t)(line - bytes);
        line = newline ? newline + 1 : limit;
    }
    return size;
}

// The same of any format. Behind the last whole row there may be a part of one.
static size_t find_overlong(const struct reader *reader, const char *bytes, size_t size)
{
    if (size <= reader->row_most)
        return size;
    size_t whole = reader_complete(reader, bytes, size);
    size_t place = reader->parse == csv_parse ? overlong_csv(reader, bytes, whole)
                                              : overlong_line(reader, bytes, whole);
    return place == whole && size - whole <= reader->row_most ? size : place;
}

static enum parse_result too_long(const struct reader *reader, uint64_t line, struct bad_row *bad)
{
    bad->line = line;
    return bad_row_set(bad, 0, TOO_LONG, reader->row_most,
                       reader->parse == csv_parse ? TOO_LONG_CSV : "");
}

enum parse_result reader_parse_rows(const struct reader *reader, const char *bytes, size_t size,
                                    struct batch *batch, struct bad_row *bad)
{
    size_t place = find_overlong(reader, bytes, size);
    enum parse_result result = reader->parse(&reader->parser, bytes, place, batch, bad);
    return result == PARSE_OK && place < size ? too_long(reader, batch->place.lines + 1, bad)
                                              : result;
}

tlu_status reader_check_first(const struct reader *reader, tlu_error *error)
{
    const struct chunk *first = &reader->loaded[0];
    struct bad_row bad;
    if (!first->size || find_overlong(reader, first->bytes, first->size) > 0)
        return TLU_OK;
    too_long(reader, reader->lines + 1, &bad);
    return error_at(error, reader->path, bad.line, 0, "%s", bad.reason);
}

// ---- chunks ----

// Within a row that is longer than others the caller, or the one who closes the reader, may have
// had enough: then there is no more to be had, and the row is none.
static bool is_interrupted(struct reader *reader, struct chunk *chunk)
{
    if (chunk->size <= reader->chunk_size || reader->shared || !reader_wait_is_over(reader))
        return false;
    reader->source_ended = true;
    chunk->size = 0;
    return true;
}

static tlu_status fill_chunk(struct reader *reader, struct chunk *chunk, size_t size,
                             tlu_error *error)
{
    if (!memory_reserve(&chunk->bytes, &chunk->capacity, size, 1))
        return error_memory(error);
    tlu_status status = TLU_OK;
    while (status == TLU_OK && chunk->size < size && !reader->source_ended) {
        size_t got = 0, wanted = size - chunk->size < STEP_SIZE ? size - chunk->size : STEP_SIZE;
        if (is_interrupted(reader, chunk))
            break;
        if (reader->source)
            status = source_read(reader->source, chunk->bytes + chunk->size, wanted, &got, error);
        reader->source_ended = got < wanted;
        chunk->size += got;
    }
    return status;
}

// How much to read to find the end of the row, when it was not in `size` bytes.
static size_t next_size(const struct reader *reader, size_t size)
{
    size_t most = reader->row_most + 1;
    return size < most / 2 ? 2 * size : size < most ? most : size + 1;
}

// Keeps what is behind the last complete row for the next chunk.
static tlu_status carry_rest(struct reader *reader, struct chunk *chunk, size_t complete,
                             tlu_error *error)
{
    struct chunk *carry = &reader->carry;
    carry->size = chunk->size - complete;
    if (!memory_reserve(&carry->bytes, &carry->capacity, carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(carry->bytes, chunk->bytes + complete, carry->size);
    chunk->size = complete;
    return TLU_OK;
}

// Reads the next chunk of whole rows. One without a complete row grows until it has one, or until
// that is too long, as whoever parses it will say.
tlu_status reader_read_chunk(struct reader *reader, struct chunk *chunk, tlu_error *error)
{
    struct chunk *carry = &reader->carry;
    chunk->size = 0;
    if (!memory_reserve(&chunk->bytes, &chunk->capacity, carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(chunk->bytes, carry->bytes, carry->size);
    chunk->size = carry->size;
    carry->size = 0;
    size_t complete = 0;
    tlu_status status = TLU_OK;
    for (size_t size = reader->chunk_size; status == TLU_OK && !reader->source_ended && !complete;
         size = next_size(reader, size)) {
        if (chunk->size < size)
            status = fill_chunk(reader, chunk, size, error);
        if (status == TLU_OK && chunk->size)
            complete = reader_complete(reader, chunk->bytes, chunk->size);
        if (!complete && chunk->size > reader->row_most)
            reader->overlong = reader->source_ended = true;
    }
    if (status == TLU_OK && !reader->source_ended)
        status = carry_rest(reader, chunk, complete, error);
    chunk->end = chunk->size == 0;
    chunk->position = reader->source ? source_position(reader->source) : chunk->size;
    return status;
}

// The next chunk from memory or from the source.
tlu_status reader_next_chunk(struct reader *reader, struct chunk *chunk, tlu_error *error)
{
    if (reader->loaded_next == reader->loaded_count)
        return reader_read_chunk(reader, chunk, error);
    memory_free(chunk->bytes);
    *chunk = reader->loaded[reader->loaded_next];
    reader->loaded[reader->loaded_next++] = (struct chunk){0};
    return TLU_OK;
}
