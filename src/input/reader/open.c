// Opening: the data's first bytes are read, its format is found, and room is made for batches.
#include "input/reader/internal.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

struct reader *reader_new(const char *path, const tlu_options *options, struct schema *schema)
{
    struct reader *reader = memory_new(1, sizeof *reader);
    if (!reader)
        return NULL;
    workers_init(&reader->workers);
    chunks_init(&reader->chunks);
    reader->chunks.is_over = workers_is_over;
    reader->chunks.context = reader;
    reader->schema = schema;
    reader->origin = &origin_text;
    reader->parser = (struct parser){.schema = schema,
                                     .labelled = !schema->frozen,
                                     .skip_bad = options && options_flag(options, OPTION_SKIP_BAD),
                                     .missing = options ? options_choice(options, OPTION_MISSING)
                                                        : MISSING_REFUSE};
    reader->path = memory_copy_text(path, strlen(path));
    if (!reader->path) {
        reader_close(reader);
        return NULL;
    }
    return reader;
}

tlu_status reader_opened(struct reader **out, struct reader *reader, tlu_status status)
{
    if (status != TLU_OK)
        reader_close(reader);
    *out = status == TLU_OK ? reader : NULL;
    return status;
}

// Names that were read get their numbers from the threads that meet them again, unless numbers
// change: --max-features takes names out.
static void share_names(struct reader *reader, const tlu_options *options)
{
    struct schema *schema = reader->schema;
    if (schema->frozen || schema->slots.bits || reader->stream ||
        options_flag(options, OPTION_MAX_FEATURES) || !table_own(&schema->names))
        return;
    table_share(&schema->names);
    reader->parser.lasting = true;
}

static tlu_status reserve_workers(struct reader *reader, const tlu_options *options,
                                  tlu_error *error)
{
    share_names(reader, options);
    const struct chunks *chunks = &reader->chunks;
    // A small file is parsed by the time a thread has started.
    bool small = chunks->ended && (chunks->loaded_count == 1 || chunks->loaded[1].end);
    size_t threads = parallel_threads((size_t)options_count(options, OPTION_THREADS));
    return workers_reserve(&reader->workers, small ? 1 : threads, error);
}

static void set_row_source(struct reader *reader, const struct row_source *row_source)
{
    reader->subset = row_source->subset;
    reader->parser.labelled &= !row_source->unlabelled;
    reader->parser.exact = row_source->exact;
    reader->texts = row_source->texts;
    reader->caller = (struct caller){row_source->is_over, row_source->context};
    if (row_source->chunk_size)
        reader->chunks.chunk_size = row_source->chunk_size;
}

// ---- rows that a function brings ----

static tlu_status open_rows(struct reader *reader, const struct row_source *row_source,
                            const tlu_options *options, tlu_error *error)
{
    reader->origin = &origin_rows;
    if (row_source->again)
        row_source->again(row_source->next_rows_context, reader->schema);
    reader->row_function =
        (struct row_function){row_source->next_rows, row_source->next_rows_context};
    reader->format = DATA_LIBSVM;
    TRY(reader_settle(reader, DATA_LIBSVM, options, error));
    return workers_reserve(&reader->workers, 1, error); // the function may not be made for threads
}

// ---- a path, or bytes as if they were read from it ----

static tlu_status open_source(struct reader *reader, const struct row_source *row_source,
                              const tlu_options *options, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    struct chunk *first;
    TRY(source_open_bytes(&chunks->source, reader->path, row_source->bytes, row_source->size,
                          error));
    source_watch(chunks->source, workers_is_over, reader);
    TRY(chunks_add(chunks, &first, error));
    TRY(chunks_read(chunks, first, error));
    if (caller_is_over(&reader->caller))
        return error_interrupted(error, "interrupted before anything was learned");
    if (first->end)
        return error_at(error, reader->path, 0, 0, "is empty");
    TRY(reader_open_format(reader, options, error));
    return reserve_workers(reader, options, error);
}

tlu_status reader_open_source(struct reader **out, const char *path,
                              const struct row_source *row_source, const tlu_options *options,
                              struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, options, schema);
    TRY(enough_memory(reader, error));
    set_row_source(reader, row_source);
    reader->chunks.rule.longest = (size_t)options_count(options, OPTION_MAX_ROW);
    return reader_opened(out, reader,
                         row_source->next_rows ? open_rows(reader, row_source, options, error)
                                               : open_source(reader, row_source, options, error));
}

tlu_status reader_open(struct reader **reader, const char *path, const tlu_options *options,
                       struct schema *schema, tlu_error *error)
{
    return reader_open_source(reader, path, &(struct row_source){0}, options, schema, error);
}

// ---- bytes in memory ----

static tlu_status open_loaded(struct reader *reader, const char *bytes, size_t size,
                              const tlu_options *options, tlu_error *error)
{
    TRY(chunks_load(&reader->chunks, bytes, size, error));
    TRY(reader_open_format(reader, options, error));
    return reserve_workers(reader, options, error);
}

tlu_status reader_open_bytes(struct reader **out, const char *bytes, size_t size,
                             const tlu_options *options, struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new("the given text", options, schema);
    TRY(enough_memory(reader, error));
    return reader_opened(out, reader, open_loaded(reader, bytes, size, options, error));
}

tlu_status reader_open_stream(struct reader **out, const char *path, const char *bytes, size_t size,
                              const tlu_options *options, struct schema *schema, const char **rest,
                              size_t *rest_size, uint64_t *lines, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, options, schema);
    TRY(enough_memory(reader, error));
    reader->stream = true;
    reader->parser.labelled = false;
    reader->parser.stream = true;
    TRY(reader_opened(out, reader, open_loaded(reader, bytes, size, options, error)));
    *rest = reader->chunks.loaded[0].bytes;
    *rest_size = reader->chunks.loaded[0].size;
    *lines = reader->passed.lines;
    schema->known = true;
    return TLU_OK;
}
