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

// The size of the complete rows among the bytes. Before the format is known, lines are rows.
static size_t complete_rows(const struct reader *reader, const struct chunk *chunk)
{
    if (reader->parse == csv_parse)
        return csv_complete(chunk->bytes, chunk->size, reader->plan.delimiter);
    const char *newline = memrchr(chunk->bytes, '\n', chunk->size);
    return newline ? (size_t)(newline - chunk->bytes) + 1 : 0;
}

static tlu_status fill_chunk(struct reader *reader, struct chunk *chunk, size_t size,
                             tlu_error *error)
{
    if (!memory_reserve(&chunk->bytes, &chunk->capacity, size, 1))
        return error_memory(error);
    size_t got = 0;
    tlu_status status = TLU_OK;
    if (reader->source)
        status = source_read(reader->source, chunk->bytes + chunk->size, size - chunk->size, &got,
                             error);
    reader->source_ended = got < size - chunk->size;
    chunk->size += got;
    return status;
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

// Reads the next chunk of whole rows. One without a complete row grows until it has one.
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
         size *= 2) {
        if (size > CHUNK_MOST)
            return error_at(error, reader->path, 0, 0, "a row is longer than 4 GB%s",
                            reader->parse == csv_parse ? ": a quote may not be closed" : "");
        if (chunk->size < size)
            status = fill_chunk(reader, chunk, size, error);
        if (status == TLU_OK && chunk->size)
            complete = complete_rows(reader, chunk);
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
