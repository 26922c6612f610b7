#include "input/reader/internal.h"

#include "input/foreign.h"
#include "input/text/words.h"

#include <string.h>

// The size of the lines at the start that are no data in any format: empty ones, and comments.
// These are "#" and a blank, since "#id" may be the first name in a CSV header. A
// comment right above the first row stays: it may be the header of CSV.
static size_t preamble(const struct chunk *chunk, bool comments, uint64_t *lines)
{
    const char *at = chunk->bytes, *limit = at + chunk->size;
    const char *above = NULL; // the line above, if it is a comment
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

// Drops what comes before the first row; the first chunk is empty only if there is no row at all.
// In formats of text a line that begins with # is a row like any other.
static tlu_status skip_preamble(struct reader *reader, bool comments, tlu_error *error)
{
    struct chunk *first = &reader->chunks.loaded[0];
    const char *problem = first->size ? foreign_format(first->bytes, first->size) : NULL;
    if (problem)
        return error_at(error, reader->path, 0, 0, "%s", problem);
    if (first->size >= 3 && memcmp(first->bytes, "\xEF\xBB\xBF", 3) == 0)
        chunk_drop(first, 3); // UTF-8's byte order mark
    for (;;) {
        chunk_drop(first, preamble(first, comments, &reader->passed.lines));
        if (first->size || reader->chunks.ended)
            return TLU_OK;
        TRY(chunks_read(&reader->chunks, first, error));
    }
}

tlu_status reader_check_first(const struct reader *reader, tlu_error *error)
{
    const struct chunk *first = &reader->chunks.loaded[0];
    const struct row_rule *rule = &reader->chunks.rule;
    struct bad_row bad;
    if (!first->size || rows_overlong(rule, first->bytes, first->size) > 0)
        return TLU_OK;
    row_too_long(rule, reader->passed.lines + 1, &bad);
    return error_at(error, reader->path, bad.line, 0, "%s", bad.reason);
}

// The format of the rows, which are those of the first chunk.
static tlu_status find_format(struct reader *reader, const tlu_options *options,
                              enum data_format *format, tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->chunks.loaded[0];
    size_t comment = csv_comment(first->bytes, first->size);
    bool named = schema_is_settled(schema) && schema_is_named(schema);
    bool chosen = format_chosen(options, format);
    if (!chosen && !format_recognise(first->bytes + comment, first->size - comment, format)) {
        if (!schema_is_settled(schema))
            return error_at(
                error, reader->path, 1, 1,
                "cannot tell the format: expected LIBSVM rows such as '+1 3:0.5 7:1' or "
                "CSV rows such as '5.1,3.5,setosa'; give --format");
        *format = schema->format;
    } else if (!chosen && named && !format_is_named(*format)) {
        *format = schema->format; // any text looks like something
    }
    if (schema_is_settled(schema) && *format != schema->format &&
        !(named && format_is_named(*format)))
        return error_at(error, reader->path, 0, 0,
                        "is %s, but the model was trained on %s; give --format if that is wrong",
                        format_table[*format].title, format_table[schema->format].title);
    return TLU_OK;
}

tlu_status reader_settle(struct reader *reader, enum data_format format, const tlu_options *options,
                         tlu_error *error)
{
    struct schema *schema = reader->schema;
    if (schema_is_settled(schema))
        return TLU_OK;
    schema->format = format;
    schema->base = format_is_indexed(format) ? SCHEMA_DIRECT : 0;
    schema->words = word_rule_of(options);
    if (options_flag(options, OPTION_HASH))
        TRY(enough_memory(schema_hash(schema, (uint32_t)options_count(options, OPTION_HASH)),
                          error));
    if (!format_has_columns(format))
        TRY(csv_options_refuse(options, format, reader->path, error));
    if (format_table[format].words == WORDS_NONE)
        TRY(words_options_refuse(options, format, reader->path, error));
    return TLU_OK;
}

// There are no rows at all, which is fine for a model unless more has to come.
static tlu_status open_empty(struct reader *reader, tlu_error *error)
{
    reader->format = reader->schema->format;
    reader->parse = libsvm_parse; // any parser can read nothing
    if (schema_is_settled(reader->schema) && !reader->stream)
        return TLU_OK;
    return error_at(error, reader->path, 0, 0, "has no examples");
}

tlu_status reader_open_format(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->chunks.loaded[0];
    enum data_format format;
    if (binary_is(first->bytes, first->size) && reader->stream)
        return error_at(error, reader->path, 0, 0, "is a binary data file, not a stream of rows");
    if (binary_is(first->bytes, first->size))
        return reader_open_binary(reader, options, error);
    bool text = (format_chosen(options, &format) && format_is_named(format)) ||
                (schema_is_settled(schema) && schema_is_named(schema));
    TRY(skip_preamble(reader, !text, error));
    TRY(reader_check_first(reader, error));
    if (first->size == 0)
        return open_empty(reader, error);
    TRY(find_format(reader, options, &format, error));
    TRY(reader_settle(reader, format, options, error));
    reader->format = format;
    reader->parse = format_table[format].parse;
    return format_has_columns(format) ? reader_open_csv(reader, options, error) : TLU_OK;
}
