// How a stream is read: decided by its first lines, which are always the same, however the stream
// is cut into pieces. And how long a row may get.
#include "stream/internal.h"

#include <stdio.h>
#include <string.h>

// The first steps of the stream; what they leave half done is undone by the caller.
static tlu_status open_reader(struct tlu_stream *stream, const char *opening, size_t size,
                              size_t *header, tlu_error *error)
{
    struct input *input = &stream->input;
    const char *rest;
    size_t rest_size;
    TRY(reader_open_stream(&input->reader, "-", opening, size, stream->options,
                           &stream->learner->schema, &rest, &rest_size, &input->lines, error));
    if (stream->keep.journal)
        TRY(keep_plan(&stream->keep, stream->learner, input->reader, error));
    reader_limit_rows(input->reader, input->row_most);
    *header = size - rest_size;
    return TLU_OK;
}

// CSV without --format csv may be text after all.
static void note_guess(struct tlu_stream *stream)
{
    const struct schema *schema = &stream->learner->schema;
    enum data_format chosen;
    char name[64];
    if (!schema_is_csv(schema) || format_chosen(stream->options, &chosen))
        return;
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_LABEL)
            snprintf(stream->input.guessed, sizeof stream->input.guessed,
                     "%s with the label in column '%s'", schema->delimiter == '\t' ? "TSV" : "CSV",
                     error_quote(name, sizeof name, schema->columns[i].name,
                                 strlen(schema->columns[i].name)));
}

tlu_status stream_open_input(struct tlu_stream *stream, const char *opening, size_t size,
                             size_t *header, tlu_error *error)
{
    struct schema *schema = &stream->learner->schema;
    bool settled = schema_is_settled(schema);
    if ((size >= 2 && memcmp(opening, "\x1F\x8B", 2) == 0) ||
        (size >= 4 && memcmp(opening, "\x28\xB5\x2F\xFD", 4) == 0))
        return error_at(error, "-", 1, 1,
                        "the stream is compressed: unpack it first, with zcat or zstdcat");
    tlu_status status = open_reader(stream, opening, size, header, error);
    if (status == TLU_OK) {
        if (!settled)
            note_guess(stream);
        return TLU_OK;
    }
    reader_close(stream->input.reader);
    stream->input.reader = NULL;
    stream->input.lines = 0;
    if (!settled) { // half made; nothing was learned yet
        schema_free(schema);
        schema_init(schema);
    }
    return status;
}

static tlu_status too_long(const struct tlu_stream *stream, uint64_t line, tlu_error *error)
{
    bool csv = stream->input.reader && schema_is_csv(&stream->learner->schema);
    return error_at(error, "-", line, 0, TOO_LONG, stream->input.row_most, csv ? TOO_LONG_CSV : "");
}

tlu_status stream_check_lines(const struct tlu_stream *stream, const char *bytes, size_t size,
                              tlu_error *error)
{
    uint64_t line = 1;
    if (size <= stream->input.row_most)
        return TLU_OK;
    for (const char *at = bytes, *limit = bytes + size; at < limit; line++) {
        const char *newline = memchr(at, '\n', (size_t)(limit - at));
        const char *end = newline ? newline : limit;
        if ((size_t)(end - at) > stream->input.row_most)
            return too_long(stream, line, error);
        at = newline ? newline + 1 : limit;
    }
    return TLU_OK;
}

// Before the format is known, the rest is two rows at most, as the decision takes.
tlu_status stream_check_rest(const struct tlu_stream *stream, const char *bytes, size_t size,
                             tlu_error *error)
{
    const struct input *input = &stream->input;
    if (!input->reader && size / 2 <= input->row_most)
        return stream_check_lines(stream, bytes, size, error);
    return size > input->row_most ? too_long(stream, input->lines + 1, error) : TLU_OK;
}
