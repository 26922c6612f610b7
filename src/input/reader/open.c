// Opens a reader: reads the first bytes, finds the format, and prepares for it. The columns of CSV
// have to be known before the first row is parsed.
#include "data/impute.h"
#include "input/given_rows.h"
#include "input/reader/internal.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "input/json/objects.h"
#include "input/text/words.h"

#include <string.h>

// ---- the format ----

// Comments are "#" and a blank, since "#id" may be the first name in a CSV header. A
// comment right above the first row stays: it may be the header of CSV. *rows: there is a row.
size_t preamble_size(const struct chunk *chunk, bool comments, uint64_t *lines, bool *rows)
{
    const char *start = chunk->bytes, *limit = start + chunk->size;
    const char *above = NULL; // the line above, if it is a comment
    for (*rows = false; start < limit;) {
        const char *at = start, *newline = memchr(at, '\n', (size_t)(limit - at));
        const char *end = newline ? newline : limit;
        bool comment = comments && *at == '#' &&
                       (end == at + 1 || at[1] == ' ' || at[1] == '\t' || at[1] == '\r');
        while (at < end && (*at == ' ' || *at == '\r'))
            at++;
        *rows = !comment && at < end;
        if (*rows)
            break;
        above = comment && !memchr(start, '"', (size_t)(end - start)) ? start : NULL;
        start = newline ? newline + 1 : limit;
        ++*lines;
    }
    *lines -= above != NULL;
    return (size_t)((above ? above : start) - chunk->bytes);
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
    for (bool rows = false; !rows;) {
        chunk_drop(first, preamble_size(first, comments, &reader->passed.lines, &rows));
        if (!rows && reader->chunks.ended)
            chunk_drop(first, first->size);
        if (!rows && reader->chunks.ended)
            break;
        if (!rows)
            TRY(chunks_grow(&reader->chunks, error));
    }
    return TLU_OK;
}

// Whether the first row of the first chunk is too long.
static tlu_status reader_check_first(const struct reader *reader, tlu_error *error)
{
    const struct chunk *first = &reader->chunks.loaded[0];
    const struct row_rule *rule = &reader->chunks.rule;
    struct bad_row bad;
    if (!first->size || rows_overlong(rule, first->bytes, first->size) > 0)
        return TLU_OK;
    row_too_long(rule, reader->passed.lines + 1, &bad);
    return error_at(error, reader->path, bad.line, 0, "%s", bad.reason);
}

// Rows that are not clear are read from a pipe as from a file, a whole chunk of them.
static tlu_status await_chunk(struct chunks *chunks, tlu_error *error)
{
    chunks->prompt = false;
    tlu_status status = chunks_extend(chunks, error);
    chunks->prompt = true;
    return status;
}

// Whether this row alone tells the format: the model's own, or one with a mark of its own. Of other
// formats with names some rows may look like each other.
static bool is_clear(const struct schema *schema, const char *row, size_t size)
{
    enum data_format format;
    bool known = format_recognise(row, size, &format);
    if (schema_names_columns(schema) && size && (row[0] == '[' || row[0] == '{'))
        return known; // it may be the first line of an object
    if (!schema_is_named(schema))
        return !known || format == schema->format;
    if (known && format_is_named(format))
        return format == schema->format || format == DATA_JSONL || format == DATA_FASTTEXT;
    return schema->format == DATA_TEXT || !memchr(row, '\t', size); // it may be labelled text
}

// The size of the rows that tell the format, after the comment: those of the first chunk. How many
// rows of a pipe that has depends on chance, and the format must not.
static tlu_status find_sample(struct reader *reader, size_t comment, size_t *size, tlu_error *error)
{
    const struct chunk *first = &reader->chunks.loaded[0];
    if (reader->chunks.prompt) {
        const char *row = first->bytes + comment;
        const char *newline = memchr(row, '\n', first->size - comment);
        *size = newline ? (size_t)(newline - row) : first->size - comment;
        if (is_clear(reader->schema, row, *size))
            return TLU_OK;
        TRY(await_chunk(&reader->chunks, error));
    }
    *size = first->size - comment;
    return TLU_OK;
}

// The format of rows without a mark of their own: the model's. To a model of JSON objects with a
// text, rows that are no objects are texts.
static enum data_format own_format(const struct schema *schema, const char *rows, size_t size)
{
    const char *at = json_skip_space(rows, rows + size);
    bool object = at < rows + size && (*at == '{' || *at == '[');
    bool texts = schema->format == DATA_JSONL && !schema_is_records(schema) && !object;
    return texts && schema->frozen ? DATA_TEXT : schema->format;
}

// The format of the rows, which are those of the first chunk.
static tlu_status find_format(struct reader *reader, const tlu_options *options,
                              enum data_format *format, tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->chunks.loaded[0];
    size_t comment = csv_comment(first->bytes, first->size), size = 0;
    bool named = schema_is_settled(schema) && schema_is_named(schema);
    bool records = schema_is_settled(schema) && schema_is_records(schema);
    bool chosen = format_chosen(options, format);
    if (!chosen)
        TRY(find_sample(reader, comment, &size, error));
    if (!chosen && !format_recognise(first->bytes + comment, size, format)) {
        if (!schema_is_settled(schema))
            return error_at(
                error, reader->path, 1, 1,
                "cannot tell the format: expected LIBSVM rows such as '+1 3:0.5 7:1' or "
                "CSV rows such as '5.1,3.5,setosa'; give --format");
        *format = own_format(schema, first->bytes + comment, size);
    } else if (!chosen && named && !records && !format_is_named(*format)) {
        *format = own_format(schema, first->bytes + comment, size); // any text looks like one
    }
    if (schema_names_columns(schema) && (format_has_columns(*format) || *format == DATA_JSONL))
        return TLU_OK;
    if (*format == DATA_TEXT && schema->frozen && schema_text_column(schema) && chosen)
        return TLU_OK;
    if (records && *format != schema->format)
        return error_at(error, reader->path, 0, 0,
                        "is %s, but the model was trained on JSON records, which are objects such "
                        "as {\"length\": 7}; give --format if that is wrong",
                        format_table[*format].title);
    if (schema_is_settled(schema) && *format != schema->format &&
        !(named && format_is_named(*format)))
        return error_at(error, reader->path, 0, 0,
                        "is %s, but the model was trained on %s; give --format if that is wrong",
                        format_table[*format].title, format_table[schema->format].title);
    return TLU_OK;
}

// A growing schema, if it is not settled, takes features as the format has them.
static tlu_status reader_settle(struct reader *reader, enum data_format format,
                                const tlu_options *options, tlu_error *error)
{
    struct schema *schema = reader->schema;
    if (schema_is_settled(schema))
        return TLU_OK;
    schema->format = format;
    schema->base = format_is_indexed(format) ? SCHEMA_DIRECT : 0;
    TRY(words_set_rule(schema, options, error));
    TRY(schema_set_labels(schema, options, error));
    if (options_flag(options, OPTION_HASH))
        TRY(enough_memory(schema_hash(schema, (uint32_t)options_count(options, OPTION_HASH)),
                          error));
    // Options about columns are checked when these are known.
    return format_has_columns(format) || format == DATA_JSONL
               ? TLU_OK
               : format_check_options(options, schema, reader->path, error);
}

// ---- CSV: the kinds of its columns ----

// Reading the whole file for them.
struct first_reading {
    struct reader *reader;
    bool keep;             // what is read cannot be read again
    size_t given;          // chunks so far
    struct chunk *scratch; // [threads] for what is not kept
    uint64_t lines;        // so far
    struct file_lines {    // a file with rows
        size_t file;
        uint64_t before;  // lines of files before it
        uint64_t skipped; // lines of its own before the rows
    } * files;            // [file_count]
    size_t file_count, file_capacity;
};

// Notes where the lines of a chunk are, if there are several files.
static bool count_chunk(struct first_reading *reading, const struct chunk *chunk)
{
    if (reading->reader->chunks.files.list.count < 2 || chunk->size == 0)
        return true;
    if (!reading->file_count || reading->files[reading->file_count - 1].file != chunk->file) {
        if (!memory_reserve(&reading->files, &reading->file_capacity, reading->file_count + 1,
                            sizeof *reading->files))
            return false;
        reading->files[reading->file_count++] =
            (struct file_lines){chunk->file, reading->lines, chunk->gap.lines};
    }
    for (size_t i = 0; i < chunk->size; i++)
        reading->lines += chunk->bytes[i] == '\n';
    reading->lines += chunk->bytes[chunk->size - 1] != '\n';
    return true;
}

// The file of a line of all files, which becomes a line of that file.
static const char *locate_line(const struct first_reading *reading, uint64_t *line)
{
    const struct reader *reader = reading->reader;
    size_t i = reading->file_count;
    uint64_t head = reader->passed.lines; // of the first file
    if (i == 0)
        return reader->path;
    while (i > 1 && reading->files[i - 1].before + head >= *line)
        i--;
    const struct file_lines *file = &reading->files[i - 1];
    if (i > 1)
        *line = *line - head - file->before + file->skipped;
    return reader_file(reader, file->file);
}

static tlu_status next_to_examine(void *context, size_t worker, const char **bytes, size_t *size,
                                  tlu_error *error)
{
    struct first_reading *reading = context;
    struct reader *reader = reading->reader;
    struct chunks *chunks = &reader->chunks;
    struct chunk *chunk;
    do { // the first chunk may have been the header alone
        bool loaded = reading->given < chunks->loaded_count;
        chunk = loaded ? &chunks->loaded[reading->given] : &reading->scratch[worker];
        reading->given++;
        if (!loaded && reading->keep)
            TRY(chunks_add(chunks, &chunk, error));
        if (!loaded)
            TRY(chunks_read(chunks, chunk, error));
    } while (chunk->size == 0 && !chunk->end);
    if (worker == 0 && caller_is_over(&reader->caller)) // only this thread may ask the caller
        return error_interrupted(error, "interrupted before anything was learned");
    *bytes = chunk->bytes;
    *size = chunk->size;
    return enough_memory(count_chunk(reading, chunk), error);
}

static tlu_status find_stats(struct first_reading *reading, size_t threads,
                             const tlu_options *options, tlu_error *error)
{
    struct reader *reader = reading->reader;
    struct column_stats *stats;
    TRY(csv_stats_new(&stats, reader->schema, options, reader->path, error));
    reading->scratch = memory_new(threads, sizeof *reading->scratch);
    tlu_status status = enough_memory(reading->scratch, error);
    if (status == TLU_OK)
        status = csv_kinds_search(reader->schema, stats, reader->passed.lines, threads,
                                  next_to_examine, reading, error);
    for (size_t i = 0; status == TLU_OK && i < reader->schema->column_count; i++)
        if (stats[i].others)
            stats[i].other_file = locate_line(reading, &stats[i].other_line);
    if (status == TLU_OK)
        status =
            csv_kinds_decide(reader->schema, stats, reader->parser.skip_bad, reader->path, error);
    if (status == TLU_OK && !reader->stream && impute_fits(reader->parser.missing))
        status = csv_check_values(reader->schema, stats, reader->path, error);
    for (size_t i = 0; reading->scratch && i < threads; i++)
        memory_free(reading->scratch[i].bytes);
    memory_free(reading->scratch);
    memory_free(reading->files);
    memory_free(stats);
    return status;
}

// A plain file is read and then read again; other data stays in memory. Either way reading goes on
// after the first chunk.
static tlu_status find_kinds(struct reader *reader, const tlu_options *options, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    struct source *source = chunks->source;
    bool open = false;
    for (size_t i = 0; i < reader->schema->column_count; i++)
        open |= reader->schema->columns[i].kind == COLUMN_NUMERIC;
    if (!open)
        return csv_kinds_decide(reader->schema, NULL, true, reader->path, error);
    bool again = source && chunks_more(chunks) && files_reread(chunks);
    uint64_t place = again ? source_place(source) - chunks->carry.size : 0;
    size_t threads = parallel_threads(options_count(options, OPTION_THREADS));
    if (!chunks_more(chunks) || (source && source_waits(source)) || chunks->files.waits)
        threads = 1;
    struct first_reading reading = {.reader = reader, .keep = !again};
    chunks->shared = threads > 1;
    TRY(find_stats(&reading, threads, options, error));
    chunks->shared = false;
    if (!again)
        return TLU_OK;
    return files_return(chunks, place, error);
}

// ---- opening ----

static tlu_status find_delimiter(struct reader *reader, const tlu_options *options,
                                 tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->chunks.loaded[0];
    char *delimiter = &reader->plan.delimiter;
    TRY(csv_delimiter_option(options, delimiter, error));
    if (!*delimiter && reader->chunks.prompt &&
        csv_delimiter_for(schema, first->bytes, first->size) != schema->delimiter)
        TRY(await_chunk(&reader->chunks, error));
    if (!*delimiter)
        *delimiter = schema_is_settled(schema)
                         ? csv_delimiter_for(schema, first->bytes, first->size)
                         : csv_delimiter(first->bytes, first->size);
    if (!*delimiter)
        *delimiter = ',';
    return TLU_OK;
}

static void ignore_features(struct schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind != COLUMN_LABEL)
            schema->columns[i].kind = COLUMN_IGNORED;
}

// Other files may have the same header.
static tlu_status keep_header(struct file_set *files, const char *header, size_t size,
                              tlu_error *error)
{
    while (size && (header[size - 1] == '\n' || header[size - 1] == '\r'))
        size--;
    if (files->list.count < 2)
        return TLU_OK;
    files->header = memory_copy_text(header, size);
    files->header_size = size;
    return enough_memory(files->header != NULL, error);
}

static tlu_status reader_open_csv(struct reader *reader, const tlu_options *options,
                                  tlu_error *error)
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
        TRY(reader->rules->csv(schema, options, reader->path, first->bytes, first->size, &used,
                               &lines, error));
        TRY(format_check_options(options, schema, reader->path, error));
    }
    if (used)
        TRY(keep_header(&reader->chunks.files, first->bytes, used, error));
    if (used) {
        chunk_drop(first, used);
        reader->passed.lines += lines;
    }
    if (schema_is_settled(schema))
        return TLU_OK;
    if (reader->labels_only)
        ignore_features(schema);
    else
        TRY(reader->rules->csv_kinds(reader, options, error));
    return csv_plan_own(plan, schema, error);
}

// ---- JSON: what a row is, and what its members are ----

// Finds out what a row is, and cuts the first chunk accordingly.
static tlu_status find_json_rows(struct reader *reader, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    const struct chunk *first = &chunks->loaded[0];
    enum json_rows before = chunks->rule.json;
    bool sure;
    enum json_rows rows = json_rows_of(first->bytes, first->size, &sure);
    if (!sure && !chunks->ended) {
        chunks->rule.json = before = JSON_OBJECTS; // all of the first object
        TRY(chunks_recut(chunks, error));
        rows = json_rows_of(first->bytes, first->size, &sure);
    }
    // The first line alone may be malformed.
    if (rows == JSON_OBJECTS && !reader->stream && json_is_lines(first->bytes, first->size))
        rows = JSON_LINES;
    reader->parser.rows = chunks->rule.json = rows;
    return before == rows ? TLU_OK : chunks_recut(chunks, error);
}

// Drops what comes before the first object of an array; all of an array without any.
static tlu_status open_array(struct reader *reader, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    struct chunk *first = &chunks->loaded[0];
    const char *limit = first->bytes + first->size;
    const char *bracket = json_skip_space(first->bytes, limit);
    const char *at = json_skip_space(bracket + 1, limit);
    size_t used = (size_t)(bracket - first->bytes) + 1;
    if (at < limit && *at == ']' && json_skip_space(at + 1, limit) == limit && chunks->ended) {
        reader->passed.closed = true;
        used = first->size;
    }
    for (size_t i = 0; i < used; i++) {
        bool newline = first->bytes[i] == '\n';
        reader->passed.lines += newline;
        reader->passed.column = newline ? 0 : reader->passed.column + 1;
    }
    chunk_drop(first, used);
    return chunks_recut(chunks, error);
}

// What the objects of a settled schema are must be what they were.
static tlu_status check_members(const struct reader *reader, tlu_error *error)
{
    const struct chunk *first = &reader->chunks.loaded[0];
    bool found;
    TRY(enough_memory(
        json_find_features(reader->schema, reader->parser.rows, first->bytes, first->size, &found),
        error));
    return found ? error_at(error, reader->path, 0, 0,
                            "has rows with a member \"features\", but the model was trained on "
                            "JSON records, whose members are the features themselves")
                 : TLU_OK;
}

static tlu_status reader_open_json(struct reader *reader, const tlu_options *options,
                                   tlu_error *error)
{
    struct schema *schema = reader->schema;
    const struct chunks *chunks = &reader->chunks;
    const struct chunk *first = &chunks->loaded[0];
    bool settled = schema_is_settled(schema);
    TRY(find_json_rows(reader, error));
    if (reader->parser.rows == JSON_ARRAY)
        TRY(open_array(reader, error));
    if (first->size == 0)
        return settled ? TLU_OK : error_at(error, reader->path, 0, 0, "has no examples");
    const char *problem = json_other_shape(reader->parser.rows, first->bytes, first->size,
                                           chunks->ended && !reader->stream, settled);
    if (problem)
        return error_at(error, reader->path, 0, 0, "%s", problem);
    TRY(reader_check_first(reader, error));
    if (!settled) {
        TRY(reader->rules->json(schema, options, reader->path, reader->parser.rows, first->bytes,
                                first->size, reader->stream, error));
        TRY(format_check_options(options, schema, reader->path, error));
    }
    if (!schema_has_members(schema) && !(settled && schema_is_csv(schema)))
        return TLU_OK;
    if (settled && schema_is_table(schema))
        TRY(check_members(reader, error));
    reader->parser.members = &reader->members;
    return enough_memory(json_plan_make(&reader->members, schema), error);
}

// ---- binary data ----

static tlu_status read_block(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    TRY(binary_next(reader->binary, &slot->block, error));
    slot->end = slot->block.end;
    return TLU_OK;
}

static tlu_status parse_block(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    tlu_status status = binary_batch(reader->binary, &slot->block, &slot->batch, error);
    binary_drop(&slot->block);
    return status;
}

static tlu_status admit_block(struct reader *reader, struct reader_slot *slot, tlu_error *error)
{
    reader->passed.lines = slot->block.header.first_line;
    if (reader->schema->frozen)
        return enough_memory(batch_select(slot->batch, &reader->subset, reader->passed.file_rows),
                             error);
    return binary_merge(reader->binary, &slot->block, &slot->batch, &reader->subset,
                        reader->passed.file_rows, error);
}

const struct origin origin_binary = {read_block, parse_block, admit_block};

// What the options ask of data that a growing schema takes features from.
static tlu_status check_options(const struct reader *reader, const tlu_options *options,
                                tlu_error *error)
{
    const struct schema *schema = reader->schema;
    if (schema->multilabel != options_flag(options, OPTION_MULTILABEL))
        return error_at(error, reader->path, 0, 0, "was converted with%s --multilabel; %s",
                        schema->multilabel ? "" : "out",
                        schema->multilabel ? "give the option here, too"
                                           : "convert the text again with the option");
    if (options_flag(options, OPTION_HASH))
        TRY(enough_memory(
            binary_hash(reader->binary, (uint32_t)options_count(options, OPTION_HASH)), error));
    if (options_flag(options, OPTION_MAX_FEATURES))
        return error_at(error, reader->path, 0, 0,
                        "--max-features forgets names, and binary data has each of them once; give "
                        "the text that it was made of, or --hash BITS");
    return format_check_options(options, schema, reader->path, error);
}

static tlu_status reader_open_binary(struct reader *reader, const tlu_options *options,
                                     tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    const struct schema *schema = reader->schema;
    // What was read so far may have been cut at what would be a newline in text.
    TRY(chunks_uncut(chunks, error));
    if (chunks->overlong) // there are no rows of text in it
        chunks->ended = chunks->overlong = false;
    TRY(binary_open(&reader->binary, chunks->source, reader->path, chunks->loaded[0].bytes,
                    chunks->loaded[0].size, &reader->parser, reader->schema, error));
    reader->origin = &origin_binary;
    if (schema->frozen && !schema->multilabel && binary_has_sets(reader->binary))
        return error_at(error, reader->path, 0, 0,
                        "its rows have several labels, and the model gives one; train it with "
                        "--multilabel");
    if (!schema->frozen)
        TRY(check_options(reader, options, error));
    reader->format = schema->frozen ? binary_format(reader->binary) : schema->format;
    return TLU_OK;
}

// Decides on the format and prepares for it. The first chunk is loaded.
static tlu_status reader_open_format(struct reader *reader, const tlu_options *options,
                                     tlu_error *error)
{
    const struct schema *schema = reader->schema;
    const struct chunk *first = &reader->chunks.loaded[0];
    enum data_format format;
    if (options_is_set(options, OPTION_LABEL_SEPARATOR))
        TRY(separator_of(options, reader->parser.separator, error));
    if (binary_is(first->bytes, first->size) && reader->stream)
        return error_at(error, reader->path, 0, 0, "is a binary data file, not a stream of rows");
    if (binary_is(first->bytes, first->size) && reader->labels_only)
        return error_at(error, reader->path, 0, 0,
                        "is a binary data file, which has no rows of text; give the text that it "
                        "was made of");
    if (binary_is(first->bytes, first->size))
        return reader_open_binary(reader, options, error);
    bool text = (format_chosen(options, &format) && format_is_named(format)) ||
                (schema_is_settled(schema) && schema_is_named(schema));
    TRY(skip_preamble(reader, !text, error));
    TRY(reader_check_first(reader, error));
    if (first->size == 0) { // no rows at all: fine for a model, unless more has to come
        reader->format = schema->format;
        reader->parse = libsvm_parse; // any parser can read nothing
        return schema_is_settled(schema) && !reader->stream
                   ? TLU_OK
                   : error_at(error, reader->path, 0, 0, "has no examples");
    }
    TRY(find_format(reader, options, &format, error));
    TRY(reader_settle(reader, format, options, error));
    reader->format = format;
    reader->parse = format_table[format].parse;
    reader->chunks.files.libsvm = format == DATA_LIBSVM && !format_chosen(options, &format);
    if (format == DATA_JSONL)
        return reader_open_json(reader, options, error);
    if (reader->chunks.rule.json) { // the first bytes were taken for JSON
        reader->chunks.rule.json = JSON_LINES;
        TRY(chunks_recut(&reader->chunks, error));
    }
    if (format_has_columns(format))
        return reader_open_csv(reader, options, error);
    if (!schema_is_table(schema))
        return TLU_OK;
    reader->parser.plan = &reader->plan; // labelled text, for a table's column of texts
    return csv_plan_own(&reader->plan, schema, error);
}

static const struct column_rules column_rules = {csv_columns, find_kinds, json_columns};

// ---- opening ----

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
    memcpy(reader->parser.separator, schema->separator, sizeof schema->separator);
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

static tlu_status reserve_workers(struct reader *reader, const tlu_options *options,
                                  tlu_error *error)
{
    struct schema *schema = reader->schema;
    // Names that were read get their numbers from the threads that meet them again, unless numbers
    // change: --max-features takes names out.
    reader->parser.lasting = !schema->frozen && !schema->slots.bits && !reader->stream &&
                             !options_flag(options, OPTION_MAX_FEATURES) &&
                             table_own(&schema->names);
    if (reader->parser.lasting)
        table_share(&schema->names);
    const struct chunks *chunks = &reader->chunks;
    // A small file is parsed by the time a thread has started.
    bool small = !chunks_more(chunks) && (chunks->loaded_count == 1 || chunks->loaded[1].end);
    size_t threads = parallel_threads((size_t)options_count(options, OPTION_THREADS));
    return workers_reserve(&reader->workers, small ? 1 : threads, error);
}

static void set_row_source(struct reader *reader, const struct row_source *row_source)
{
    reader->subset = row_source->subset;
    reader->parser.labelled &= !row_source->unlabelled;
    reader->parser.exact = row_source->exact;
    reader->texts = row_source->texts;
    reader->labels_only = row_source->labels_only;
    reader->chunks.copy = row_source->copy;
    reader->chunks.prompt = row_source->prompt;
    reader->caller = (struct caller){row_source->is_over, row_source->context};
    if (row_source->chunk_size)
        reader->chunks.chunk_size = row_source->chunk_size;
}

// ---- rows that a function returns ----

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

// Bytes or a descriptor are one file, and so is standard input.
static tlu_status read_first(struct reader *reader, const struct row_source *row_source,
                             const tlu_options *options, struct chunk *first, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    if (!row_source->descriptor && !row_source->bytes) {
        TRY(file_list_make(&chunks->files.list, reader->path, error));
        tlu_status status = files_begin(chunks, first, options, error);
        const char *path = chunks->files.list.paths[chunks->files.open];
        memory_free(reader->path);
        reader->path = memory_copy_text(path, strlen(path));
        reader->passed.file = chunks->files.open;
        return status != TLU_OK ? status : enough_memory(reader->path != NULL, error);
    }
    TRY(row_source->descriptor
            ? source_open_descriptor(&chunks->source, reader->path, row_source->descriptor, error)
            : source_open_bytes(&chunks->source, reader->path, row_source->bytes, row_source->size,
                                error));
    source_watch(chunks->source, workers_is_over, reader);
    chunks->prompt &= source_waits(chunks->source);
    chunks->opening = true;
    return chunks_read(chunks, first, error);
}

// The part of the data that --part asks for: chunks, or else rows.
static tlu_status take_part(struct reader *reader, const struct data_part *part, bool seeks,
                            tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    if (reader->binary && chunks->files.list.count > 1)
        return error_at(
            error, reader->path, 0, 0,
            "is a binary data file, which is read alone; give the texts that such files "
            "were made of");
    bool taken;
    chunks->files.seeks = seeks;
    TRY(files_take_part(chunks, part, !reader->binary, &taken, error));
    if (chunks->files.unread)
        reader->passed.lines = reader->passed.column = 0; // of the first bytes
    if (!taken) {
        reader->subset.share = part->number - 1;
        reader->subset.share_count = part->count;
    }
    // The array of the ruling file is not read.
    const struct file_set *files = &chunks->files;
    reader->passed.closed |= files->first != files->ruling || files->stop <= files->ruling;
    return TLU_OK;
}

static tlu_status open_source(struct reader *reader, const struct row_source *row_source,
                              const tlu_options *options, tlu_error *error)
{
    struct chunks *chunks = &reader->chunks;
    struct chunk *first;
    struct data_part part = {1, 1};
    if (!row_source->descriptor && !row_source->chosen)
        TRY(data_part_of(&part, options, error));
    TRY(chunks_add(chunks, &first, error));
    TRY(read_first(reader, row_source, options, first, error));
    if (chunks->prompt && first->size && first->bytes[0] == BINARY_MAGIC[0]) // it has no rows
        TRY(await_chunk(chunks, error));
    if (caller_is_over(&reader->caller))
        return error_interrupted(error, "interrupted before anything was learned");
    if (first->end)
        return error_at(error, reader->path, 0, 0, "is empty");
    TRY(reader_open_format(reader, options, error));
    TRY(take_part(reader, &part, row_source->seeks, error));
    return reserve_workers(reader, options, error);
}

// The data in memory that the path stands for, in place of a file.
static tlu_status use_data(struct reader *reader, const tlu_data *data, const tlu_options *options,
                           struct row_source *row_source, tlu_error *error)
{
    if (data->bytes) {
        row_source->bytes = data->bytes;
        row_source->size = data->byte_count;
        return TLU_OK;
    }
    reader->given = memory_new(1, sizeof *reader->given);
    TRY(enough_memory(reader->given, error));
    *reader->given = (struct given_rows){.path = reader->path,
                                         .skip_bad = options_flag(options, OPTION_SKIP_BAD),
                                         .multilabel = options_flag(options, OPTION_MULTILABEL),
                                         .unlabelled = !reader->parser.labelled,
                                         .first = data->rows};
    row_source->next_rows = given_rows_next;
    row_source->next_rows_context = reader->given;
    row_source->again = given_rows_again;
    return TLU_OK;
}

static tlu_status open_path(struct reader *reader, struct row_source row_source,
                            const tlu_options *options, tlu_error *error)
{
    const tlu_data *data = options_data(options, reader->path);
    if (data && !row_source.bytes && !row_source.next_rows && !row_source.descriptor)
        TRY(use_data(reader, data, options, &row_source, error));
    return row_source.next_rows ? open_rows(reader, &row_source, options, error)
                                : open_source(reader, &row_source, options, error);
}

tlu_status reader_open_source(struct reader **out, const char *path,
                              const struct row_source *row_source, const tlu_options *options,
                              struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, options, schema);
    TRY(enough_memory(reader, error));
    set_row_source(reader, row_source);
    reader->rules = &column_rules;
    reader->chunks.rule.longest = (size_t)options_count(options, OPTION_MAX_ROW);
    return reader_opened(out, reader, open_path(reader, *row_source, options, error));
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

static tlu_status open_bytes(struct reader **out, const char *bytes, size_t size,
                             const struct column_rules *rules, const tlu_options *options,
                             struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new("the given text", options, schema);
    TRY(enough_memory(reader, error));
    reader->rules = rules;
    return reader_opened(out, reader, open_loaded(reader, bytes, size, options, error));
}

tlu_status reader_open_bytes(struct reader **out, const char *bytes, size_t size,
                             const tlu_options *options, struct schema *schema, tlu_error *error)
{
    return open_bytes(out, bytes, size, &column_rules, options, schema, error);
}

tlu_status reader_open_frozen(struct reader **out, const char *bytes, size_t size,
                              const tlu_options *options, struct schema *schema, tlu_error *error)
{
    assert(schema->frozen);
    return open_bytes(out, bytes, size, NULL, options, schema, error);
}

tlu_status reader_open_stream(struct reader **out, const char *path, const char *bytes, size_t size,
                              const tlu_options *options, struct schema *schema, const char **rest,
                              size_t *rest_size, uint64_t *lines, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, options, schema);
    TRY(enough_memory(reader, error));
    reader->rules = &column_rules;
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
