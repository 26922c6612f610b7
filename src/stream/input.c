// Decides by the first lines how a stream is parsed, independent of how the text is divided into
// chunks, and limits the length of rows.
#include "input/csv/csv.h"
#include "input/json/objects.h"
#include "stream/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Opens the reader. The caller cleans up after an error.
static tlu_status open_reader(struct tlu_stream *stream, const char *opening, size_t size,
                              size_t *header, tlu_error *error)
{
    struct input *input = &stream->input;
    const char *rest;
    size_t rest_size;
    TRY(reader_open_stream(&input->reader, "-", opening, size, stream->options,
                           &stream->learner->state.schema, &rest, &rest_size, &input->lines,
                           error));
    if (stream->learner->state.schema.decimal_comma)
        TRY(tlu_options_set(stream->learner->state.options, "decimal", "comma", error));
    if (stream->keep.journal)
        TRY(keep_plan(&stream->keep, stream->learner, input->reader, error));
    reader_limit_rows(input->reader, input->row_max);
    *header = size - rest_size;
    // The bracket of a JSON array may be on the line of its first row.
    size_t mark = size >= 3 && memcmp(opening, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    input->column = 0;
    for (size_t i = *header; i > mark && opening[i - 1] != '\n'; i--)
        input->column++;
    return TLU_OK;
}

void stream_pass(struct tlu_stream *stream, const struct stream_chunk *chunk, size_t whole)
{
    struct input *input = &stream->input;
    uint64_t lines = chunk->size == whole ? chunk->lines : chunk_lines(chunk);
    const char *newline = chunk->size ? memrchr(chunk->bytes, '\n', chunk->size) : NULL;
    input->lines += lines;
    input->column = newline ? (uint64_t)(chunk->bytes + chunk->size - newline - 1)
                            : input->column + chunk->size;
}

// Adds to what is said about the first rows, unless it is long already.
PRINTF_LIKE(2, 3) static void add_guess(struct input *input, const char *format, ...)
{
    size_t used = strlen(input->guessed);
    va_list arguments;
    va_start(arguments, format);
    if (used + 80 < sizeof input->guessed)
        vsnprintf(input->guessed + used, sizeof input->guessed - used, format, arguments);
    va_end(arguments);
}

// CSV without --format csv may be text after all; and some columns are not what options say.
static void note_guess(struct tlu_stream *stream)
{
    const struct schema *schema = &stream->learner->state.schema;
    enum data_format chosen;
    char name[40];
    bool sure = !schema_is_csv(schema) || format_chosen(stream->options, &chosen);
    for (int recognised = 0; recognised < 2; recognised++)
        for (size_t i = 0; i < schema->column_count; i++) {
            const struct column *column = &schema->columns[i];
            error_quote(name, sizeof name, column->name, strlen(column->name));
            if (!recognised && column->kind == COLUMN_LABEL && !sure)
                add_guess(&stream->input, "%s with the label in column '%s'",
                          schema->delimiter == '\t' ? "TSV" : "CSV", name);
            if (recognised && column->recognised)
                add_guess(&stream->input, "%s%s in column '%s'",
                          stream->input.guessed[0] ? ", " : "rows with ",
                          column->kind == COLUMN_TEXT ? "text" : "an identifier (left out)", name);
        }
}

tlu_status stream_open_input(struct tlu_stream *stream, const char *opening, size_t size,
                             size_t *header, tlu_error *error)
{
    struct schema *schema = &stream->learner->state.schema;
    bool settled = schema_is_settled(schema);
    if ((size >= 2 && memcmp(opening, "\x1F\x8B", 2) == 0) ||
        (size >= 4 && memcmp(opening, "\x28\xB5\x2F\xFD", 4) == 0))
        return error_at(error, "-", 1, 1,
                        "the stream is compressed; unpack it first, with zcat or zstdcat");
    tlu_status status = open_reader(stream, opening, size, header, error);
    if (status == TLU_OK) {
        if (!settled)
            note_guess(stream);
        return TLU_OK;
    }
    reader_close(stream->input.reader);
    stream->input.reader = NULL;
    stream->input.lines = 0;
    if (!settled) { // incomplete; nothing was learned yet
        schema_free(schema);
        schema_init(schema);
    }
    return status;
}

static tlu_status too_long(const struct tlu_stream *stream, uint64_t line, tlu_error *error)
{
    const struct reader *reader = stream->input.reader;
    bool csv = reader && schema_is_csv(&stream->learner->state.schema);
    return error_at(error, "-", line, 0, TOO_LONG, stream->input.row_max,
                    csv                                  ? TOO_LONG_CSV
                    : reader && reader_json_rows(reader) ? TOO_LONG_JSON
                                                         : "");
}

tlu_status stream_check_lines(const struct tlu_stream *stream, const char *bytes, size_t size,
                              tlu_error *error)
{
    uint64_t line = 1;
    if (size <= stream->input.row_max)
        return TLU_OK;
    for (const char *at = bytes, *limit = bytes + size; at < limit; line++) {
        const char *newline = memchr(at, '\n', (size_t)(limit - at));
        const char *end = newline ? newline : limit;
        if ((size_t)(end - at) > stream->input.row_max)
            return too_long(stream, line, error);
        at = newline ? newline + 1 : limit;
    }
    return TLU_OK;
}

// Before the format is known, the rest has at most the two rows that decide it.
tlu_status stream_check_rest(const struct tlu_stream *stream, const char *bytes, size_t size,
                             tlu_error *error)
{
    const struct input *input = &stream->input;
    if (!input->reader && size / 2 <= input->row_max)
        return stream_check_lines(stream, bytes, size, error);
    return size > input->row_max ? too_long(stream, input->lines + 1, error) : TLU_OK;
}

// ---- the first lines ----

#define LINES_MAX 200

struct opening {
    const tlu_options *options;
    const struct schema *schema;
};

// Whether a line is a row: not blank, and not a comment (in formats other than text).
static bool is_row(const struct opening *o, const char *line, const char *end)
{
    enum data_format chosen;
    bool text = (format_chosen(o->options, &chosen) && format_is_named(chosen)) ||
                (schema_is_settled(o->schema) && schema_is_named(o->schema));
    if (!text && line < end && *line == '#' &&
        (line + 1 == end || line[1] == ' ' || line[1] == '\t' || line[1] == '\r'))
        return false;
    while (line < end && (*line == ' ' || *line == '\r'))
        line++;
    return line < end;
}

// Whether the lines from the first row on may be CSV; *known: the format is certain.
static bool is_csv(const struct opening *o, const char *bytes, size_t size, bool *known)
{
    enum data_format format;
    *known = true;
    if (format_chosen(o->options, &format))
        return format_has_columns(format);
    if (schema_is_settled(o->schema))
        return schema_is_csv(o->schema);
    *known = format_recognise(bytes, size, &format);
    return !*known || format_has_columns(format);
}

// The size of the complete rows, as CSV.
static size_t csv_rows(const struct opening *o, const char *bytes, size_t size)
{
    char delimiter = '\0';
    csv_delimiter_option(o->options, &delimiter, NULL);
    if (!delimiter)
        delimiter = schema_is_settled(o->schema) ? csv_delimiter_for(o->schema, bytes, size)
                                                 : csv_delimiter(bytes, size);
    return csv_complete(bytes, size, delimiter ? delimiter : ',');
}

// Whether the text is JSON whose rows are not lines, or may still turn out to be that: *opening is
// its size up to the end of the first object, 0 if that is not complete.
static bool is_json_objects(const struct opening *o, const char *bytes, size_t size, bool end,
                            size_t *opening)
{
    enum data_format format;
    bool sure, chosen = format_chosen(o->options, &format);
    bool possible =
        chosen ? format == DATA_JSONL : !schema_is_settled(o->schema) || schema_is_named(o->schema);
    *opening = 0;
    if (!possible || !memchr("{[", *bytes, 2))
        return false;
    const char *limit = bytes + size, *at = bytes;
    enum json_rows rows = json_rows_of(bytes, size, &sure);
    enum json_start start = chosen ? JSON_BEGINS : json_start(bytes, size);
    if (!end && start != JSON_NOT && (start == JSON_MAYBE || !sure))
        return *bytes == '[' || memchr(bytes, '\n', size); // else it is the line that is incomplete
    if (rows == JSON_LINES || start == JSON_NOT)
        return false;
    if (rows == JSON_ARRAY)
        at = json_skip_space(at + 1, limit);
    if (rows == JSON_ARRAY && (at == limit || *at == ']')) // no rows, so far
        return true;
    const char *object = *at == '{' ? json_object_end(at, limit) : limit;
    *opening = object ? (size_t)(object - bytes) : end ? size : 0;
    return true;
}

size_t opening_size(const tlu_options *options, const struct schema *schema, const char *bytes,
                    size_t size, bool end)
{
    const struct opening opening = {options, schema}, *o = &opening;
    bool settled = schema_is_settled(o->schema);
    int header = options_choice(o->options, OPTION_HEADER);
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t first = size, rows = 0, lines = 0; // where the first row is
    for (size_t at = mark, next; at < size; at = next) {
        const char *row = json_skip_space(bytes + at, bytes + size);
        size_t objects;
        if (!lines && row < bytes + size &&
            is_json_objects(o, row, (size_t)(bytes + size - row), end, &objects))
            return objects ? (size_t)(row - bytes) + objects : 0;
        const char *newline = memchr(bytes + at, '\n', size - at);
        next = newline ? (size_t)(newline - bytes) + 1 : size;
        if (!newline && !end)
            return 0;
        if (!is_row(o, bytes + at, bytes + next - (newline != NULL)))
            continue;
        first = lines++ ? first : at;
        bool known, csv = is_csv(o, bytes + first, next - first, &known);
        if (!csv && known)
            return next;
        rows += csv && csv_rows(o, bytes + first, next - first) == next - first;
        if (lines == LINES_MAX || rows == (settled || header == HEADER_NO ? 1 : 2))
            return next;
    }
    return end && lines ? size : 0;
}

bool stream_may_end_row(const struct tlu_stream *stream, const char *text, size_t size, size_t last)
{
    const struct reader *reader = stream->input.reader;
    size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *limit = text + size, *at = json_skip_space(text + mark, limit);
    if (last && (reader ? reader_json_rows(reader) != JSON_LINES : at < limit && *at == '['))
        return true;
    return last && memchr(limit - last, '\n', last);
}

// ---- chunks ----

uint64_t chunk_lines(const struct stream_chunk *chunk)
{
    const char *at = chunk->bytes, *limit = at + chunk->size;
    uint64_t lines = 0;
    for (; (at = memchr(at, '\n', (size_t)(limit - at))); at++)
        lines++;
    return lines;
}

void chunk_parse(struct stream_chunk *chunk, struct reader *reader)
{
    chunk->result = reader_parse(reader, chunk->bytes, chunk->size, chunk->batch, &chunk->why);
    chunk->lines = chunk_lines(chunk);
}

uint64_t chunk_labelled(const struct stream_chunk *chunk)
{
    const struct batch *batch = chunk->batch;
    uint64_t count = 0;
    for (size_t i = 0; i < batch->rows; i++)
        count += batch->labels[i] != TLU_NO_LABEL;
    return count;
}
