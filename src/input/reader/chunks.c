// Cuts text into chunks of whole rows.
#include "input/reader/internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "input/csv/csv.h"
#include "input/json/objects.h"

#include <assert.h>
#include <string.h>

// ---- whole rows ----

size_t rows_complete(const struct row_rule *rule, const char *bytes, size_t size)
{
    if (rule->delimiter)
        return csv_complete(bytes, size, rule->delimiter);
    if (rule->json)
        return json_complete(rule->json, bytes, size);
    const char *newline = size ? memrchr(bytes, '\n', size) : NULL;
    return newline ? (size_t)(newline - bytes) + 1 : 0;
}

static size_t overlong_csv(const struct row_rule *rule, const char *bytes, size_t size)
{
    struct csv_cursor cursor = csv_start(bytes, size, rule->delimiter);
    cursor.bare = true; // and so without memory of its own
    while (csv_next_row(&cursor)) {
        const char *row = cursor.row_start;
        csv_skip_row(&cursor);
        if ((size_t)(cursor.at - row) > rule->longest + 1)
            return (size_t)(row - bytes);
    }
    return size;
}

static size_t overlong_line(const struct row_rule *rule, const char *bytes, size_t size)
{
    const char *line = bytes, *limit = bytes + size;
    while (line < limit) {
        const char *newline = memchr(line, '\n', (size_t)(limit - line));
        if ((size_t)((newline ? newline : limit) - line) > rule->longest)
            return (size_t)(line - bytes);
        line = newline ? newline + 1 : limit;
    }
    return size;
}

size_t rows_overlong(const struct row_rule *rule, const char *bytes, size_t size)
{
    if (size <= rule->longest)
        return size;
    size_t whole = rows_complete(rule, bytes, size);
    if (rule->json)
        return json_overlong(rule->json, bytes, size, rule->longest);
    size_t place =
        rule->delimiter ? overlong_csv(rule, bytes, whole) : overlong_line(rule, bytes, whole);
    return place == whole && size - whole <= rule->longest ? size : place;
}

enum parse_result row_too_long(const struct row_rule *rule, uint64_t line, struct bad_row *bad)
{
    bad->line = line;
    return bad_row_set(bad, 0, TOO_LONG, rule->longest,
                       rule->delimiter ? TOO_LONG_CSV
                       : rule->json    ? TOO_LONG_JSON
                                       : "");
}

enum parse_result reader_parse_rows(const struct reader *reader, const char *bytes, size_t size,
                                    struct batch *batch, struct bad_row *bad)
{
    const struct row_rule *rule = &reader->chunks.rule;
    size_t place = rows_overlong(rule, bytes, size);
    enum parse_result result = reader->parse(&reader->parser, bytes, place, batch, bad);
    if (result != PARSE_OK || place == size)
        return result;
    bad->start = place;
    return row_too_long(rule, batch->place.lines + 1, bad);
}

// After the row that starts at `row`, a line that is not empty.
static const char *row_end(const struct row_rule *rule, const char *row, const char *limit)
{
    const char *newline = memchr(row, '\n', (size_t)(limit - row));
    if (!rule->delimiter)
        return newline ? newline : limit;
    struct csv_cursor cursor = csv_start(row, (size_t)(limit - row), rule->delimiter);
    cursor.bare = true; // and so without memory of its own
    if (!csv_next_row(&cursor))
        return newline ? newline : limit;
    csv_skip_row(&cursor);
    return cursor.at;
}

const char *reader_row_text(const struct reader *reader, const struct batch *batch,
                            struct row_text *last, size_t row, size_t *length)
{
    const struct batch_scratch *scratch = &batch->scratch;
    const char *limit = scratch->source + scratch->source_size;
    if (scratch->source_size == 0)
        return NULL;
    if (scratch->starts_count) {
        const char *object = scratch->source + scratch->starts[row];
        *length = (size_t)(json_object_end(object, limit) - object);
        return object;
    }
    if (last->number == 0)
        *last = (struct row_text){scratch->source, 1};
    for (; last->number < batch->line[row]; last->number++) {
        const char *newline = memchr(last->line, '\n', (size_t)(limit - last->line));
        if (!newline)
            return NULL;
        last->line = newline + 1;
    }
    const char *end = row_end(&reader->chunks.rule, last->line, limit);
    while (end > last->line && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    *length = (size_t)(end - last->line);
    return last->line;
}

// ---- chunks ----

#define CHUNK_SIZE ((size_t)1 << 20)
#define STEP_SIZE ((size_t)4 << 20) // of a longer row, before it is asked whether to go on
#define BYTES_PER_MILLISECOND ((size_t)1 << 20) // in which the end of a row is found, or faster

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
    files_free(&chunks->files);
}

tlu_status chunk_append(struct chunk *chunk, const char *bytes, size_t size, tlu_error *error)
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
    assert(used <= chunk->size);
    if (used)
        memmove(chunk->bytes, chunk->bytes + used, chunk->size - used);
    chunk->size -= used;
    chunk->place += used;
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
    return chunk_append(first, bytes, size, error);
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

// Whether the chunk ends here, if it has a whole row. To look for its end in a long row takes time,
// and no more than is spent waiting for the next bytes before it is looked for.
static bool is_served(const struct chunks *chunks, const struct chunk *chunk)
{
    return chunks->prompt && chunk->size &&
           !source_is_ready(chunks->source, (int)(chunk->size / BYTES_PER_MILLISECOND));
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
            status = (chunks->prompt ? source_read_ready : source_read)(
                chunks->source, chunk->bytes + chunk->size, wanted, &got, error);
        chunks->ended = chunks->prompt ? got == 0 : got < wanted;
        if (chunks->copy)
            file_put(chunks->copy, chunk->bytes + chunk->size, got);
        chunk->size += got;
        chunks->read += got;
        TRY(status);
        if (is_served(chunks, chunk))
            break;
    }
    return TLU_OK;
}

// A JSON array may have no newline for gigabytes.
static void expect_array(struct chunks *chunks, const struct chunk *chunk)
{
    size_t mark = chunk->size >= 3 && byte_order_mark(chunk->bytes, 3) ? 3 : 0;
    const char *limit = chunk->bytes + chunk->size;
    const char *at = json_skip_space(chunk->bytes + mark, limit);
    if (at < limit && *at == '[' && json_start(at, (size_t)(limit - at)) == JSON_BEGINS)
        chunks->rule.json = JSON_ARRAY;
    chunks->opening = false;
}

// Reads until there is a whole row, of which `complete` bytes are, or one that is too long.
static tlu_status fill_rows(struct chunks *chunks, struct chunk *chunk, size_t *complete,
                            tlu_error *error)
{
    size_t size = chunks->chunk_size, most = chunks->rule.longest + 1;
    while (!chunks->ended && !*complete) {
        TRY(fill_chunk(chunks, chunk, size, error));
        if (chunks->opening)
            expect_array(chunks, chunk);
        if (chunk->size)
            *complete = rows_complete(&chunks->rule, chunk->bytes, chunk->size);
        if (!*complete && chunk->size > chunks->rule.longest)
            chunks->overlong = chunks->ended = true;
        if (chunk->size >= size) // the row may be longer
            size = size < most / 2 ? 2 * size : size < most ? most : size + 1;
    }
    return TLU_OK;
}

// Bytes of the files that are read before the open one.
static uint64_t passed_files(const struct file_set *files)
{
    return files->starts && files->open > files->first
               ? files->starts[files->open] - files->starts[files->first]
               : 0;
}

tlu_status chunks_read_file(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    struct chunk *carry = &chunks->carry;
    const struct file_set *files = &chunks->files;
    size_t complete = 0;
    chunk->size = 0;
    chunk->gap = (struct gap){0};
    chunk->file = files->open;
    chunk->place = chunks->source ? source_place(chunks->source) - carry->size : 0;
    TRY(chunk_append(chunk, carry->bytes, carry->size, error));
    carry->size = 0;
    TRY(fill_rows(chunks, chunk, &complete, error));
    if (!chunks->ended) { // what comes after the last complete row is for the next chunk
        TRY(chunk_append(carry, chunk->bytes + complete, chunk->size - complete, error));
        chunk->size = complete;
    }
    chunk->end = chunk->size == 0;
    chunk->position =
        chunks->source ? passed_files(files) + source_position(chunks->source) : chunk->size;
    chunk->position -= chunk->position < files->start ? chunk->position : files->start;
    return TLU_OK;
}

tlu_status chunks_read(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    bool found;
    TRY(chunks_read_file(chunks, chunk, error));
    if (!chunk->end)
        return TLU_OK;
    TRY(files_next(chunks, chunk, &found, error));
    chunk->end = !found;
    return TLU_OK;
}

static tlu_status next_chunk(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    if (chunks->loaded_next == chunks->loaded_count)
        return chunks_read(chunks, chunk, error);
    memory_free(chunk->bytes);
    *chunk = chunks->loaded[chunks->loaded_next];
    chunks->loaded[chunks->loaded_next++] = (struct chunk){0};
    return TLU_OK;
}

tlu_status chunks_next(struct chunks *chunks, struct chunk *chunk, tlu_error *error)
{
    struct gap gap = {0};
    size_t file = 0;
    do {
        TRY(next_chunk(chunks, chunk, error));
        if (chunk->file != file)
            gap = (struct gap){0};
        file = chunk->file;
    } while (chunks->files.starts && !files_cut(chunks, chunk, &gap));
    return TLU_OK;
}

tlu_status chunks_uncut(struct chunks *chunks, tlu_error *error)
{
    struct chunk *carry = &chunks->carry;
    assert(chunks->loaded_count == 1 && chunks->loaded_next == 0);
    TRY(chunk_append(&chunks->loaded[0], carry->bytes, carry->size, error));
    carry->size = 0;
    return TLU_OK;
}

// Reads the first chunk again, with the bytes that were read after it.
static tlu_status reread_first(struct chunks *chunks, tlu_error *error)
{
    TRY(chunks_uncut(chunks, error));
    struct chunk swap = chunks->carry;
    chunks->carry = chunks->loaded[0];
    chunks->loaded[0] = swap;
    return chunks_read_file(chunks, &chunks->loaded[0], error);
}

tlu_status chunks_extend(struct chunks *chunks, tlu_error *error)
{
    if (chunks->overlong) // by another rule
        chunks->ended = chunks->overlong = false;
    return chunks->ended ? TLU_OK : reread_first(chunks, error);
}

tlu_status chunks_grow(struct chunks *chunks, tlu_error *error)
{
    size_t before = chunks->loaded[0].size, usual = chunks->chunk_size;
    tlu_status status = chunks_extend(chunks, error);
    while (status == TLU_OK && !chunks->ended && chunks->loaded[0].size <= before &&
           chunks->chunk_size < chunks->rule.longest) {
        chunks->chunk_size *= 2;
        status = reread_first(chunks, error);
    }
    chunks->chunk_size = usual;
    return status;
}

tlu_status chunks_recut(struct chunks *chunks, tlu_error *error)
{
    struct chunk *first = &chunks->loaded[0], *carry = &chunks->carry;
    size_t complete = 0;
    if (chunks->prompt && !chunks->ended) {
        TRY(chunks_uncut(chunks, error));
        complete = rows_complete(&chunks->rule, first->bytes, first->size);
    }
    if (!complete)
        return chunks_extend(chunks, error);
    TRY(chunk_append(carry, first->bytes + complete, first->size - complete, error));
    first->size = complete;
    return TLU_OK;
}
