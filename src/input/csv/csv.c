#include "input/csv/row.h"

#include "base/memory.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>

// Adds an entry whose value is 1.
static enum parse_result store_one(struct csv_rows *row, uint32_t feature)
{
    float value = 1;
    TRY_PARSE(row_exact(row->parser, row->batch, row->count, NULL, NULL, &value));
    csv_store(row, feature, value);
    return PARSE_OK;
}

// The feature COLUMN=VALUE with the value 1.
static enum parse_result store_category(struct csv_rows *row, const char *column, const char *value,
                                        size_t length)
{
    struct batch *batch = row->batch;
    size_t column_length = strlen(column), needed = column_length + length + 1;
    if (!memory_reserve(&batch->scratch.text, &batch->scratch.text_capacity, needed, 1))
        return PARSE_MEMORY;
    char *name = batch->scratch.text;
    memcpy(name, column, column_length);
    name[column_length] = '=';
    memcpy(name + column_length + 1, value, length);
    length += column_length + 1;

    const struct schema *schema = row->parser->schema;
    if (schema_looks_up(schema)) {
        uint32_t feature = schema_find(schema, name, length);
        if (feature == SCHEMA_NONE)
            batch->counts.unknown_values++;
        else
            return store_one(row, feature);
        return PARSE_OK;
    }
    // What another batch has brought has its number already.
    struct table_key key = table_key(&batch->names, name, length);
    uint32_t feature = row->shared ? table_find_key(&schema->names, &key) : TABLE_NONE;
    if (feature == TABLE_NONE) {
        uint32_t number = table_add_key(&batch->names, &key);
        if (number >= BATCH_LOCAL)
            return PARSE_MEMORY;
        feature = number | BATCH_LOCAL;
    }
    return store_one(row, feature);
}

static enum parse_result parse_number(struct csv_rows *row, const struct plan_column *column,
                                      const struct csv_field *field)
{
    double number = 0;
    float value;
    const char *end;
    const char *limit = field->text + field->length;
    enum number_result result = number_parse(field->text, limit, &number, &end);
    char found[64];
    if (result == NUMBER_NONE || end != limit) {
        bool grows = row->parser->stream && !row->parser->schema->frozen;
        return bad_row_set(row->bad, field->column,
                           "expected a number in column '%.80s', found '%s'%s%.80s%s", column->name,
                           error_quote(found, sizeof found, field->text, field->length),
                           grows ? "; a new stream with --categorical " : "",
                           grows ? column->name : "", grows ? " takes it as a category" : "");
    }
    const char *problem = value_problem(result, number, &value);
    if (problem)
        return bad_row_set(row->bad, field->column, "the value %s in column '%.80s' %s",
                           error_quote(found, sizeof found, field->text, field->length),
                           column->name, problem);
    enum parse_result exact =
        row_exact(row->parser, row->batch, row->count, field->text, limit, &value);
    if (exact == PARSE_BAD)
        return bad_row_set(row->bad, field->column, "the value in column '%.80s' " TOO_SMALL,
                           column->name);
    if (exact == PARSE_OK && value != 0)
        csv_store(row, column->feature, value);
    return exact;
}

// For a message. A missing value is empty or a short word.
static const char *what_is_missing(char out[16], const struct csv_field *field)
{
    snprintf(out, 16, "found '%.*s'", (int)field->length, field->text);
    return field->length ? out : "the field is empty";
}

enum parse_result csv_parse_field(struct csv_rows *row, const struct plan_column *column,
                                  const struct csv_field *field)
{
    row->bad->line = field->line;
    if (column->kind == COLUMN_IGNORED)
        return PARSE_OK;
    if (memchr(field->text, '\0', field->length))
        return bad_row_set(row->bad, field->column,
                           "expected text in column '%.80s', found a NUL byte", column->name);
    char found[16];
    if (column->kind == COLUMN_LABEL) {
        bool none = field->length == 0 || (field->length == 1 && field->text[0] == '?');
        if (none && row->parser->labelled)
            return bad_row_set(row->bad, field->column,
                               "the label in column '%.80s' is missing: %s", column->name,
                               what_is_missing(found, field));
        return row_label(row->parser, row->batch, none ? NULL : field->text, field->length);
    }
    if (csv_is_missing(field->text, field->length)) {
        if (row->parser->missing == MISSING_REFUSE)
            return bad_row_set(row->bad, field->column,
                               "the value in column '%.80s' is missing: %s; --missing zero or "
                               "--missing indicator would allow that",
                               column->name, what_is_missing(found, field));
        if (row->parser->missing == MISSING_INDICATOR)
            return store_category(row, column->name, CSV_MISSING, strlen(CSV_MISSING));
        return PARSE_OK;
    }
    if (column->kind == COLUMN_CATEGORICAL && row->parser->missing == MISSING_INDICATOR &&
        field->length == strlen(CSV_MISSING) &&
        memcmp(field->text, CSV_MISSING, field->length) == 0)
        return bad_row_set(row->bad, field->column,
                           "the value '" CSV_MISSING "' in column '%.80s' means a missing value "
                           "with --missing indicator: leave the field empty, or spell it "
                           "differently",
                           column->name);
    if (column->kind == COLUMN_CATEGORICAL)
        return store_category(row, column->name, field->text, field->length);
    return parse_number(row, column, field);
}

// Reports a row that has more or fewer fields than the first.
static void check_count(struct csv_rows *row, struct csv_cursor *cursor)
{
    size_t expected = row->parser->plan->count, count = 0;
    struct csv_field field = {.last = false};
    struct bad_row ignored;
    uint64_t line = 0, column = 0; // of the first field too many, or of the last one
    csv_to_row_start(cursor);
    for (; !field.last; count++) {
        if (csv_next_field(cursor, &field, &ignored) != PARSE_OK)
            return;
        if (count <= expected) {
            line = field.line;
            column = field.column;
        }
    }
    if (count == expected)
        return;
    row->bad->line = line;
    bad_row_set(row->bad, column, "expected %zu fields as in the first row, found %s%zu", expected,
                count < expected ? "only " : "", count);
}

static enum parse_result parse_row(struct csv_rows *row, struct csv_cursor *cursor)
{
    const struct csv_plan *plan = row->parser->plan;
    struct batch *batch = row->batch;
    if (!batch_reserve(batch, 1, plan->count))
        return PARSE_MEMORY;
    row->count = batch_nonzeros(batch);
    batch->labels[batch->rows] = TLU_NO_LABEL;
    uint64_t line = cursor->line;
    struct csv_field field = {.last = false};
    for (size_t i = 0; !field.last; i++) {
        enum parse_result result = csv_next_field(cursor, &field, row->bad);
        if (result != PARSE_OK)
            return result;
        row->bad->line = field.line;
        if (i < plan->count && (!field.last || i + 1 == plan->count))
            result = csv_parse_field(row, &plan->columns[i], &field);
        else if (i == plan->count)
            result =
                bad_row_set(row->bad, field.column,
                            "expected %zu fields as in the first row, found more", plan->count);
        else
            result = bad_row_set(row->bad, field.column,
                                 "expected %zu fields as in the first row, found only %zu",
                                 plan->count, i + 1);
        if (result == PARSE_BAD) // if there is a field too many, others are not in their places
            check_count(row, cursor);
        if (result != PARSE_OK)
            return result;
    }
    row_close(batch, row->count, line);
    return PARSE_OK;
}

static enum parse_result parse_rows(struct csv_rows *row, struct csv_cursor *cursor)
{
    enum parse_result result = PARSE_OK;
    while (result == PARSE_OK && csv_next_row(cursor)) {
        struct row_mark mark = row_mark(row->batch);
        if (row->quick) {
            result = csv_quick_row(row, cursor);
            if (result != PARSE_BAD)
                continue;
            csv_quick_undo(row, &mark);
            csv_to_row_start(cursor);
        }
        result = parse_row(row, cursor);
        if (result == PARSE_BAD && row->parser->skip_bad) {
            row_undo(row->batch, &mark);
            row->batch->counts.skipped_rows++;
            csv_skip_row(cursor);
            result = PARSE_OK;
        }
    }
    return result;
}

// Whether names can be looked up in the growing schema, by the key that the batch's have.
static bool shares_names(const struct parser *parser, struct batch *batch)
{
    const struct schema *schema = parser->schema;
    if (batch->names.count == 0)
        table_adopt_key(&batch->names, &schema->names);
    table_draw_key(&batch->names);
    return parser->lasting && !schema->slots.bits && schema->base == 0 &&
           table_same_key(&batch->names, &schema->names);
}

enum parse_result csv_parse(const struct parser *parser, const char *bytes, size_t size,
                            struct batch *batch, struct bad_row *bad)
{
    struct csv_cursor cursor = csv_start(bytes, size, parser->plan->delimiter);
    struct csv_rows row = {.parser = parser, .batch = batch, .bad = bad};
    row.shared = shares_names(parser, batch);
    cursor.marked = byte_order_mark(bytes, size) != NULL;
    if (parser->way != CSV_STRICT && !parser->exact && cursor.delimiter != ' ' && !cursor.marked &&
        size <= SCAN_MAX) {
        // Large for a stack, and not to be asked for with every row of a stream.
        bool first = !batch->scratch.csv_quick;
        if (first)
            batch->scratch.csv_quick = memory_resize(NULL, 1, sizeof *row.quick);
        row.quick = batch->scratch.csv_quick;
        if (!row.quick)
            return PARSE_MEMORY;
        csv_quick_start(row.quick, &cursor, (enum csv_way)parser->way, first);
    }
    enum parse_result result = parse_rows(&row, &cursor);
    batch->place.lines = cursor.line - (cursor.at == cursor.line_start);
    csv_end(&cursor);
    return result;
}
