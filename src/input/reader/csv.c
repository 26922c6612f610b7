// CSV: its columns, and what kind each is, have to be known before the first row is parsed.
#include "base/memory.h"
#include "base/parallel.h"
#include "input/reader/internal.h"

#include <string.h>

// ---- the kinds of the columns ----

// Reading the whole file for them.
struct first_reading {
    struct reader *reader;
    bool keep;          // what is read cannot be read again
    size_t given;       // chunks so far
    struct chunk *room; // [threads] for what is not kept
};

// The chunk after those given: one that is loaded, or is now.
static tlu_status next_chunk(struct first_reading *reading, size_t worker, struct chunk **chunk,
                             tlu_error *error)
{
    struct chunks *chunks = &reading->reader->chunks;
    size_t i = reading->given++;
    if (i < chunks->loaded_count) {
        *chunk = &chunks->loaded[i];
        return TLU_OK;
    }
    *chunk = &reading->room[worker];
    if (reading->keep)
        TRY(chunks_add(chunks, chunk, error));
    return chunks_read(chunks, *chunk, error);
}

static tlu_status next_to_look_at(void *context, size_t worker, const char **bytes, size_t *size,
                                  tlu_error *error)
{
    struct first_reading *reading = context;
    struct reader *reader = reading->reader;
    struct chunk *chunk;
    do // the first chunk may have been the header alone
        TRY(next_chunk(reading, worker, &chunk, error));
    while (chunk->size == 0 && !chunk->end);
    if (worker == 0 && caller_is_over(&reader->caller)) // only this thread may ask the caller
        return error_interrupted(error, "interrupted before anything was learned");
    *bytes = chunk->bytes;
    *size = chunk->size;
    return TLU_OK;
}

static tlu_status look_at_all(struct first_reading *reading, size_t threads,
                              struct column_look *looks, tlu_error *error)
{
    struct reader *reader = reading->reader;
    TRY(csv_kinds_search(reader->schema, looks, reader->passed.lines, threads, next_to_look_at,
                         reading, error));
    return csv_kinds_decide(reader->schema, looks, reader->parser.skip_bad, reader->path, error);
}

static tlu_status look_with_room(struct first_reading *reading, size_t threads,
                                 const tlu_options *options, tlu_error *error)
{
    struct reader *reader = reading->reader;
    struct column_look *looks;
    TRY(csv_looks_new(&looks, reader->schema, options, reader->path, error));
    reading->room = memory_new(threads, sizeof *reading->room);
    tlu_status status =
        reading->room ? look_at_all(reading, threads, looks, error) : error_memory(error);
    for (size_t i = 0; reading->room && i < threads; i++)
        memory_free(reading->room[i].bytes);
    memory_free(reading->room);
    memory_free(looks);
    return status;
}

// A plain file is read and then read again; other data stays in memory. Either way reading goes on
// after the first chunk.
static tlu_status find_kinds(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    struct source *source = chunks->source;
    bool again = source && !chunks->ended && source_rereads(source);
    uint64_t place = again ? source_place(source) - chunks->carry.size : 0;
    size_t threads = parallel_threads(options_count(options, OPTION_THREADS));
    if (chunks->ended || (source && source_waits(source)))
        threads = 1;
    struct first_reading reading = {.reader = reader, .keep = !again};
    chunks->shared = threads > 1;
    TRY(look_with_room(&reading, threads, options, error));
    chunks->shared = false;
    if (!again)
        return TLU_OK;
    TRY(source_reread(source, place, error));
    chunks->ended = chunks->overlong = false;
    chunks->carry.size = 0;
    return TLU_OK;
}

// ---- opening ----

static tlu_status find_delimiter(struct reader *reader, const tlu_options *options,
                                 tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->chunks.loaded[0];
    char *delimiter = &reader->plan.delimiter;
    TRY(csv_delimiter_option(options, delimiter, error));
    if (!*delimiter)
        *delimiter = schema_is_settled(schema)
                         ? csv_delimiter_for(schema, first->bytes, first->size)
                         : csv_delimiter(first->bytes, first->size);
    if (!*delimiter)
        *delimiter = ',';
    return TLU_OK;
}

tlu_status reader_open_csv(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct schema *schema = reader->schema;
    struct csv_plan *plan = &reader->plan;
    struct chunk *first = &reader->chunks.loaded[0];
    size_t used = 0; // by the header
    uint64_t lines = reader->passed.lines;
    reader->parser.plan = plan;
    TRY(find_delimiter(reader, options, error));
    reader->chunks.rule.delimiter = plan->delimiter;
    TRY(chunks_recut(&reader->chunks, error));
    TRY(reader_check_first(reader, error));
    if (schema_is_settled(schema)) {
        TRY(csv_plan_make(plan, schema, options, reader->path, first->bytes, first->size, &used,
                          &lines, error));
    } else {
        schema->delimiter = plan->delimiter;
        TRY(csv_columns(schema, options, reader->path, first->bytes, first->size, &used, &lines,
                        error));
    }
    if (used) {
        chunk_drop(first, used);
        reader->passed.lines += lines;
    }
    if (schema_is_settled(schema))
        return TLU_OK;
    TRY(find_kinds(reader, options, error));
    return csv_plan_own(plan, schema, error);
}
