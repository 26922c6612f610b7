#include "data/reader_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "format/foreign.h"
#include "format/text/words.h"

#include <string.h>

// Reading the whole file for the kinds of its columns.
struct first_reading {
    struct reader *reader;
    bool keep;          // what is read cannot be read again
    size_t given;       // chunks so far
    struct chunk *room; // [threads] for what is not kept
};

static tlu_status next_to_look_at(void *context, size_t worker, const char **bytes, size_t *size,
                                  tlu_error *error)
{
    struct first_reading *reading = context;
    struct reader *reader = reading->reader;
    tlu_status status = TLU_OK;
    struct chunk *chunk;
    do { // the first chunk may have been the header alone
        size_t i = reading->given++;
        chunk = &reading->room[worker];
        if (i < reader->loaded_count) {
            chunk = &reader->loaded[i];
            continue;
        }
        if (reading->keep) {
            if (!memory_reserve(&reader->loaded, &reader->loaded_capacity, i + 1,
                                sizeof *reader->loaded))
                return error_memory(error);
            chunk = &reader->loaded[reader->loaded_count++];
            *chunk = (struct chunk){0};
        }
        status = reader_read_chunk(reader, chunk, error);
    } while (status == TLU_OK && chunk->size == 0 && !chunk->end);
    if (status == TLU_OK && worker == 0 && reader_is_over(reader)) // the caller alone may be asked
        status = error_interrupted(error, "interrupted before anything was learned");
    *bytes = chunk->bytes;
    *size = chunk->size;
    return status;
}

// Finds the kinds of the columns. A plain file is read and then read again; other data stays in
// memory. The reading is to go on behind the first chunk either way.
static tlu_status find_kinds(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct source *source = reader->source;
    bool again = source && !reader->source_ended && source_rereads(source);
    uint64_t place = again ? source_place(source) - reader->carry.size : 0;
    size_t threads = parallel_threads(options_count(options, OPTION_THREADS));
    if (reader->source_ended || (source && source_waits(source)))
        threads = 1;
    struct first_reading reading = {.reader = reader, .keep = !again};
    reader->shared = threads > 1;
    struct column_look *looks;
    tlu_status status = csv_looks_new(&looks, reader->schema, options, reader->path, error);
    reading.room = memory_new(threads, sizeof *reading.room);
    if (status == TLU_OK && !reading.room)
        status = error_memory(error);
    if (status == TLU_OK)
        status = csv_kinds_search(reader->schema, looks, reader->lines, threads, next_to_look_at,
                                  &reading, error);
    if (status == TLU_OK)
        status =
            csv_kinds_decide(reader->schema, looks, reader->parser.skip_bad, reader->path, error);
    if (status == TLU_OK && again) {
        status = source_reread(source, place, error);
        reader->source_ended = reader->overlong = false;
        reader->carry.size = 0;
    }
    reader->shared = false;
    for (size_t i = 0; reading.room && i < threads; i++)
        memory_free(reading.room[i].bytes);
    memory_free(reading.room);
    memory_free(looks);
    return status;
}

static void drop_start(struct chunk *chunk, size_t used)
{
    if (used)
        memmove(chunk->bytes, chunk->bytes + used, chunk->size - used);
    chunk->size -= used;
}

// The size of the lines at the start that are no data in any format: empty ones, and comments.
// These are "#" with a blank behind it, since "#id" may be the first name in a CSV header. A
// comment right above the first row stays: it may be the header of CSV.
static size_t preamble(const struct chunk *chunk, bool comments, uint64_t *lines)
{
    const char *at = chunk->bytes, *limit = at + chunk->size;
    const char *above = NULL; // the line above, where it is a comment
    while (at < limit) {
        const char *start = at, *newline = memchr(at, '\n', (size_t)(limit - at));
        const char *end = newline ? newline : limit;
        bool comment = comments && *at == '#' &&
                       (end == at + 1 || at[1] == ' ' || at[1] == '\t' || at[1] == '\r');
        while (at < end && (*at == ' ' || *at == '\r'))
            at++;
        if (!comment && at < end) {
            *lines -= above != NULL;
            return (size_t)((above ? above : start) - chunk->bytes);
        }
        above = comment && !memchr(start, '"', (size_t)(end - start)) ? start : NULL;
        at = newline ? newline + 1 : limit;
        ++*lines;
    }
    return chunk->size;
}

// Drops what comes before the first row; the first chunk is empty only where there is no row at
// all. In formats of text a line that begins with # is a row like any other.
static tlu_status skip_preamble(struct reader *reader, bool comments, tlu_error *error)
{
    struct chunk *first = &reader->loaded[0];
    const char *problem = first->size ? foreign_format(first->bytes, first->size) : NULL;
    if (problem)
        return error_at(error, reader->path, 0, 0, "%s", problem);
    if (first->size >= 3 && memcmp(first->bytes, "\xEF\xBB\xBF", 3) == 0)
        drop_start(first, 3); // UTF-8's byte order mark
    tlu_status status = TLU_OK;
    do {
        drop_start(first, preamble(first, comments, &reader->lines));
        if (first->size || reader->source_ended)
            break;
        status = reader_read_chunk(reader, first, error);
    } while (status == TLU_OK);
    return status;
}

// The first chunk was cut before its format was known, perhaps inside a quoted field: puts it
// together again and cuts it as CSV.
static tlu_status recut_first(struct reader *reader, tlu_error *error)
{
    struct chunk *first = &reader->loaded[0], *carry = &reader->carry;
    if (reader->source_ended)
        return TLU_OK;
    if (!memory_reserve(&first->bytes, &first->capacity, first->size + carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(first->bytes + first->size, carry->bytes, carry->size);
    first->size += carry->size;
    struct chunk swap = *carry;
    *carry = *first;
    *first = swap;
    return reader_read_chunk(reader, first, error);
}

static tlu_status open_csv(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct schema *schema = reader->schema;
    struct csv_plan *plan = &reader->plan;
    struct chunk *first = &reader->loaded[0];
    size_t used = 0;
    uint64_t lines = reader->lines;
    tlu_status status = csv_delimiter_option(options, &plan->delimiter, error);
    if (!plan->delimiter)
        plan->delimiter = schema_is_settled(schema)
                              ? csv_delimiter_for(schema, first->bytes, first->size)
                              : csv_delimiter(first->bytes, first->size);
    if (!plan->delimiter)
        plan->delimiter = ',';
    reader->parse = csv_parse;
    reader->parser.plan = plan;
    if (status == TLU_OK)
        status = recut_first(reader, error);
    if (status == TLU_OK)
        status = reader_check_first(reader, error);
    if (status == TLU_OK && schema_is_settled(schema))
        status = csv_plan_make(plan, schema, options, reader->path, first->bytes, first->size,
                               &used, &lines, error);
    if (status == TLU_OK && !schema_is_settled(schema)) {
        schema->delimiter = plan->delimiter;
        status = csv_columns(schema, options, reader->path, first->bytes, first->size, &used,
                             &lines, error);
    }
    if (status == TLU_OK && used) {
        drop_start(first, used);
        reader->lines += lines;
    }
    if (status == TLU_OK && !schema_is_settled(schema))
        status = find_kinds(reader, options, error);
    if (status == TLU_OK && !schema_is_settled(schema))
        status = csv_plan_own(plan, schema, error);
    return status;
}

// What was read of it so far may have been cut at what would be a newline in text.
static tlu_status open_binary(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct chunk *first = &reader->loaded[0], *carry = &reader->carry;
    if (!memory_reserve(&first->bytes, &first->capacity, first->size + carry->size, 1))
        return error_memory(error);
    if (carry->size)
        memcpy(first->bytes + first->size, carry->bytes, carry->size);
    if (reader->overlong) // there are no rows of text in it
        reader->source_ended = reader->overlong = false;
    tlu_status status =
        binary_open(&reader->binary, reader->source, reader->path, first->bytes,
                    first->size + carry->size, &reader->parser, reader->schema, error);
    const struct schema *schema = reader->schema;
    if (status == TLU_OK && !schema->frozen && options_flag(options, OPTION_HASH) &&
        !binary_hash(reader->binary, (uint32_t)options_count(options, OPTION_HASH)))
        status = error_memory(error);
    if (status == TLU_OK && !schema->frozen && options_flag(options, OPTION_MAX_FEATURES))
        status = error_at(error, reader->path, 0, 0,
                          "--max-features forgets names, and binary data tells each of them once: "
                          "give the text that it was made of, or --hash BITS");
    if (status == TLU_OK)
        reader->format = schema->frozen ? binary_format(reader->binary) : schema->format;
    if (status == TLU_OK && !schema->frozen && !schema_is_csv(schema))
        status = csv_options_refuse(options, schema->format, reader->path, error);
    if (status == TLU_OK && !schema->frozen && format_table[schema->format].words == WORDS_NONE)
        status = words_options_refuse(options, schema->format, reader->path, error);
    return status;
}

// The format of the rows, which are those of the first chunk.
static tlu_status find_format(struct reader *reader, const tlu_options *options,
                              enum data_format *format, tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->loaded[0];
    size_t comment = csv_comment(first->bytes, first->size);
    bool named = schema_is_settled(schema) && schema_is_named(schema);
    bool chosen = format_chosen(options, format);
    if (!chosen && !format_recognise(first->bytes + comment, first->size - comment, format)) {
        if (!schema_is_settled(schema))
            return error_at(
                error, reader->path, 1, 1,
                "cannot tell the format: expected LIBSVM rows such as '+1 3:0.5 7:1' or "
                "CSV rows such as '5.1,3.5,setosa'; --format says which it is");
        *format = schema->format;
    } else if (!chosen && named && !format_is_named(*format)) {
        *format = schema->format; // any text looks like something
    }
    if (schema_is_settled(schema) && *format != schema->format &&
        !(named && format_is_named(*format)))
        return error_at(error, reader->path, 0, 0,
                        "is %s, but the model was trained on %s; --format says otherwise",
                        format_table[*format].title, format_table[schema->format].title);
    return TLU_OK;
}

// Decides on the format and prepares for it. The first chunk is loaded[0].
tlu_status reader_open_format(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct schema *schema = reader->schema;
    enum data_format format;
    bool text = (format_chosen(options, &format) && format_is_named(format)) ||
                (schema_is_settled(schema) && schema_is_named(schema));
    if (binary_is(reader->loaded[0].bytes, reader->loaded[0].size))
        return reader->live ? error_at(error, reader->path, 0, 0,
                                       "is a binary data file, which is no stream of rows")
                            : open_binary(reader, options, error);
    tlu_status status = skip_preamble(reader, !text, error);
    if (status == TLU_OK)
        status = reader_check_first(reader, error);
    if (status != TLU_OK)
        return status;
    if (reader->loaded[0].size == 0) {
        reader->format = schema->format; // any parser can read nothing
        reader->parse = libsvm_parse;
        return schema_is_settled(schema) && !reader->live // where more will come
                   ? TLU_OK
                   : error_at(error, reader->path, 0, 0, "has no examples");
    }
    status = find_format(reader, options, &format, error);
    if (status != TLU_OK)
        return status;
    if (!schema_is_settled(schema)) {
        schema->format = format;
        schema->base = format_is_indexed(format) ? SCHEMA_DIRECT : 0;
        schema->words = word_rule_of(options);
        if (options_flag(options, OPTION_HASH) &&
            !schema_hash(schema, (uint32_t)options_count(options, OPTION_HASH)))
            return error_memory(error);
        if (!format_has_columns(format))
            status = csv_options_refuse(options, format, reader->path, error);
        if (status == TLU_OK && format_table[format].words == WORDS_NONE)
            status = words_options_refuse(options, format, reader->path, error);
    }
    reader->format = format;
    reader->parse = format_table[format].parse;
    if (status == TLU_OK && format_has_columns(format))
        status = open_csv(reader, options, error);
    return status;
}
