#include "input/reader/internal.h"

#include "base/memory.h"

#include <string.h>

#define CHUNK_SIZE ((size_t)1 << 20)
#define STEP_SIZE ((size_t)4 << 20) // of a longer row, before it is asked whether to go on

void chunks_init(struct chunks *chunks)
{
    chunks->chunk_size = CHUNK_SIZE;
    chunks->rule.longest = SIZE_MAX;
}

void chunks_free(struct chunks *chunks)
{
    for (size_t i = 0; i < chunks->loaded_count; i++)
        memory_free(chunks->loaded[i].bytes);
    memory_free(chunks->loaded);
    memory_free(chunks->carry.bytes);
    source_close(chunks->source);
}

static tlu_status append(struct chunk *chunk, const char *bytes, size_t size, tlu_error *error)
{
    TRY(enough_memory(memory_reserve(&chunk->bytes, &chunk->capacity, chunk->size + size, 1),
                      error));
    if (size)
        memcpy(chunk->bytes + chunk->size, bytes, size);
    chunk->size += size;
    return TLU_OK;
}

void chunk_drop(struct chunk *chunk, size_t used)
{
    if (used)
        memmove(chunk->bytes, chunk->bytes + used, chunk->size - used);
    chunk->size -= used;
}

tlu_status chunks_add(struct chunks *chunks, struct chunk **chunk, tlu_error *error)
{
    TRY(enough_memory(memory_reserve(&chunks->loaded, &chunks->loaded_capacity,
                                     chunks->loaded_count + 1, sizeof *chunks->loaded),
                      error));
    *chunk = &chunks->loaded[chunks->loaded_count++];
    **chunk = (struct chunk){0};
    return TLU_OK;
}

tlu_status chunks_load(struct chunks *chunks, const char *bytes, size_t size, tlu_error *error)
{
    struct chunk *first;
    TRY(chunks_add(chunks, &first, error));
    chunks->ended = true;
    TRY(enough_memory(memory_reserve(&first->bytes, &first->capacity, size + 1, 1), // never NULL
                      error));
    return append(first, bytes, size, error);
}

// Within a row that is longer than others the caller, or the one who closes the reader, may have
// had enough: then there is no more to be had, and the row does not count.
static bool is_interrupted(struct chunks *chunks, struct chunk *chunk)
{
    if (chunk->size <= chunks->chunk_size || chunks->shared || !chunks->is_over ||
        !chunks->is_over(chunks->context))
        return false;
    chunks->ended = true;
    chunk->size = 0;
    return true;
}

static tlu_status fill_chunk(struct chunks *chunks, struct chunk *chunk, size_t size,
                             tlu_error *error)
{
    TRY(enough_memory(memory_reserve(&chunk->bytes, &chunk->capacity, size, 1), error));
    while (chunk->size < size && !chunks->ended) {
        size_t got = 0, wanted = size - chunk->size < STEP_SIZE ? size - chunk->size : STEP_SIZE;
        if (is_interrupted(chunks, chunk))
            break;
        tlu_status status = TLU_OK;
        if (chunks->source)
            status = source_read(chunks->source, chunk->bytes + chunk->size, wanted, &got, error);
        chunks->ended = got < wanted;
        chunk->size += got;
        TRY(status);
    }
    return TLU_OK;
}

// How much to read to find the end of the row, when it was not in `size` bytes.
static size_t next_size(const struct chunks *chunks, size_t size)
{
    size_t most = chunks->rule.longest + 1;
    return size < most / 2 ? 2 * size : size < most ? most : size + 1;
}

// Reads until there is a whole row, of which `complete` bytes are, or one that is too long.
static tlu_status fill_rows(struct chunks *chunks, struct chunk *chunk, size_t *complete,
                            tlu_error *error)
{
    for (size_t size = chunks->chunk_size; !chunks->ended && !*complete;
         size = next_size(chunks, size)) {
        TRY(fill_chunk(chunks, chunk, size, error));
        if (chunk->size)
            *complete = rows_complete(&chunks->rule, chunk->bytes, chunk->size);
        if (!*complete && chunk->size > chunks->rule.longest)
            chunks->overlong = chunks->ended = true;
    }
    return TLU_OK;
}

tlu_status chunks_read(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    struct chunk *carry = &chunks->carry;
    size_t complete = 0;
    chunk->size = 0;
    TRY(append(chunk, carry->bytes, carry->size, error));
    carry->size = 0;
    TRY(fill_rows(chunks, chunk, &complete, error));
    if (!chunks->ended) { // what comes after the last complete row is for the next chunk
        TRY(append(carry, chunk->bytes + complete, chunk->size - complete, error));
        chunk->size = complete;
    }
    chunk->end = chunk->size == 0;
    chunk->position = chunks->source ? source_position(chunks->source) : chunk->size;
    return TLU_OK;
}

tlu_status chunks_next(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    if (chunks->loaded_next == chunks->loaded_count)
        return chunks_read(chunks, chunk, error);
    memory_free(chunk->bytes);
    *chunk = chunks->loaded[chunks->loaded_next];
    chunks->loaded[chunks->loaded_next++] = (struct chunk){0};
    return TLU_OK;
}

tlu_status chunks_uncut(struct chunks *chunks, tlu_error *error)
{
    struct chunk *carry = &chunks->carry;
    TRY(append(&chunks->loaded[0], carry->bytes, carry->size, error));
    carry->size = 0;
    return TLU_OK;
}

tlu_status chunks_recut(struct chunks *chunks, tlu_error *error)
{
    if (chunks->ended)
        return TLU_OK;
    TRY(chunks_uncut(chunks, error));
    struct chunk swap = chunks->carry;
    chunks->carry = chunks->loaded[0];
    chunks->loaded[0] = swap;
    return chunks_read(chunks, &chunks->loaded[0], error);
}
