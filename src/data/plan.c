// What the columns of a CSV file are: its delimiter, whether it has a header, which column is the
// label and which are numbers; and for a trained model, which column of another file is which.

#include "base/memory.h"
#include "base/number.h"
#include "data/csv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SAMPLE_ROWS 1000 // looked at for the delimiter and the header

// ---- rows as texts ----

static void row_free(struct csv_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        memory_free(row->fields[i]);
    memory_free(row->fields);
    *row = (struct csv_row){NULL, 0};
}

static enum parse_result row_read(struct csv_cursor *cursor, struct csv_row *row,
                                  struct bad_row *bad)
{
    size_t capacity = 0;
    struct csv_field field = {.last = false};
    while (!field.last) {
        enum parse_result result = csv_next_field(cursor, &field, bad);
        if (result != PARSE_OK)
            return result;
        if (!memory_reserve(&row->fields, &capacity, row->count + 1, sizeof *row->fields))
            return PARSE_MEMORY;
        row->fields[row->count] = memory_copy_text(field.text, field.length);
        if (!row->fields[row->count])
            return PARSE_MEMORY;
        row->count++;
    }
    return PARSE_OK;
}

static size_t count_fields(struct csv_cursor *cursor)
{
    struct csv_field field = {.last = false};
    struct bad_row bad;
    size_t count = 0;
    while (!field.last) {
        if (csv_next_field(cursor, &field, &bad) != PARSE_OK) {
            csv_skip_row(cursor);
            return 0;
        }
        count++;
    }
    return count;
}

// ---- the delimiter ----

char csv_delimiter(const char *bytes, size_t size)
{
    // The one with which most rows have as many fields as the first; a blank only as a last resort.
    static const char candidates[] = ",\t;| ";
    char best = '\0';
    double best_share = 0;
    size_t best_fields = 1;
    for (const char *candidate = candidates; *candidate; candidate++) {
        if (*candidate == ' ' && best)
            break;
        struct csv_cursor cursor = csv_start(bytes, size, *candidate);
        size_t rows = 0, alike = 0, fields = 0;
        while (rows < SAMPLE_ROWS && csv_next_row(&cursor)) {
            size_t count = count_fields(&cursor);
            if (rows++ == 0)
                fields = count;
            alike += count == fields;
        }
        csv_end(&cursor);
        double share = rows ? (double)alike / (double)rows : 0;
        if (fields > 1 && (share > best_share || (share == best_share && fields > best_fields))) {
            best = *candidate;
            best_share = share;
            best_fields = fields;
        }
    }
    return best;
}

tlu_status csv_delimiter_option(const tlu_options *options, char *delimiter, tlu_error *error)
{
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"tab", '\t'}, {"\\t", '\t'},      {"space", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    const char *text = options_text(options, OPTION_DELIMITER);
    *delimiter = options_choice(options, OPTION_FORMAT) == FORMAT_TSV ? '\t' : '\0';
    if (text[0] == '\0')
        return TLU_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) {
            *delimiter = names[i].delimiter;
            return TLU_OK;
        }
    if (text[1] != '\0' || strchr("\"\n\r", text[0]))
        return error_input(error,
                           "--delimiter is one character, or tab, space, comma, semicolon or "
                           "pipe, not '%.40s'",
                           text);
    *delimiter = text[0];
    return TLU_OK;
}

// ---- the header ----

static bool is_number_like(const char *text)
{
    double value;
    const char *end, *limit = text + strlen(text);
    enum number_result result = number_parse(text, limit, &value, &end);
    return result != NUMBER_NONE && end == limit;
}

// A first row is a header where none of its fields is a number and none occurs again below in its
// own column.
static bool looks_like_header(const struct csv_row *first, struct csv_cursor *cursor)
{
    for (size_t i = 0; i < first->count; i++)
        if (is_number_like(first->fields[i]))
            return false;
    size_t rows = 0;
    while (rows < SAMPLE_ROWS && csv_next_row(cursor)) {
        struct csv_field field = {.last = false};
        struct bad_row bad;
        for (size_t i = 0; !field.last && i < first->count; i++) {
            if (csv_next_field(cursor, &field, &bad) != PARSE_OK)
                break;
            if (field.length && strlen(first->fields[i]) == field.length &&
                memcmp(first->fields[i], field.text, field.length) == 0)
                return false;
        }
        if (!field.last)
            csv_skip_row(cursor);
        rows++;
    }
    return rows > 0;
}

// ---- columns of the training file ----

static bool is_taken(const struct schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0)
            return true;
    return false;
}

// A column's name: that of the header, its number where there is none, a number behind it where
// another column has the same.
static char *column_name(const struct schema *schema, const char *header, size_t place)
{
    char number[32];
    snprintf(number, sizeof number, "%zu", place + 1);
    if (!header || !header[0])
        return memory_copy_text(number, strlen(number));
    if (!is_taken(schema, header))
        return memory_copy_text(header, strlen(header));
    size_t length = strlen(header) + 32;
    char *name = memory_new(length, 1);
    for (unsigned twin = 2; name; twin++) {
        snprintf(name, length, "%s.%u", header, twin);
        if (!is_taken(schema, name))
            break;
    }
    return name;
}

// "a, b, c" for a message.
static void list_columns(const struct schema *schema, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < schema->column_count && used + 8 < size; i++) {
        char name[48];
        const char *text = schema->columns[i].name;
        int n = snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                         error_quote(name, sizeof name, text, strlen(text)));
        used += n > 0 ? (size_t)n : 0;
    }
    if (used + 8 >= size)
        snprintf(out + size - 8, 8, "...");
}

// By name, else by number from 1. SCHEMA_NONE with *error set where there is no such column.
static size_t find_column(const struct schema *schema, const char *option, const char *text,
                          size_t length, const char *file, tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (strlen(schema->columns[i].name) == length &&
            memcmp(schema->columns[i].name, text, length) == 0)
            return i;
    uint64_t number;
    if (number_index(text, length, &number) && number >= 1 && number <= schema->column_count)
        return (size_t)number - 1;
    char columns[400], wanted[64];
    list_columns(schema, columns, sizeof columns);
    error_at(error, file, 0, 0, "there is no column '%s' for --%s; the columns are %s",
             error_quote(wanted, sizeof wanted, text, length), option, columns);
    return SCHEMA_NONE;
}

static tlu_status set_kinds(struct schema *schema, const tlu_options *options, enum option option,
                            enum column_kind kind, const char *file, tlu_error *error)
{
    const char *cursor = options_text(options, option), *item;
    size_t length;
    while ((item = options_next_item(&cursor, &length))) {
        size_t i = find_column(schema, tlu_option_at(option)->name, item, length, file, error);
        if (i == SCHEMA_NONE)
            return TLU_ERROR_INPUT;
        if (schema->columns[i].kind == COLUMN_LABEL)
            return error_at(error, file, 0, 0, "column '%.80s' is the label and cannot be in --%s",
                            schema->columns[i].name, tlu_option_at(option)->name);
        schema->columns[i].kind = kind;
    }
    return TLU_OK;
}

static tlu_status find_label(struct schema *schema, const tlu_options *options, const char *file,
                             tlu_error *error)
{
    static const char *const usual[] = {"label", "class", "target", "y"};
    const char *wanted = options_text(options, OPTION_LABEL);
    size_t label = schema->column_count - 1;
    if (wanted[0]) {
        label = find_column(schema, "label", wanted, strlen(wanted), file, error);
        if (label == SCHEMA_NONE)
            return TLU_ERROR_INPUT;
    } else {
        for (size_t k = sizeof usual / sizeof usual[0]; k-- > 0;)
            for (size_t i = 0; i < schema->column_count; i++)
                if (strcasecmp(schema->columns[i].name, usual[k]) == 0)
                    label = i;
    }
    schema->columns[label].kind = COLUMN_LABEL;
    return TLU_OK;
}

static tlu_status bad_first_row(enum parse_result result, const struct bad_row *bad,
                                const char *file, uint64_t lines_before, tlu_error *error)
{
    if (result == PARSE_MEMORY)
        return error_memory(error);
    return error_at(error, file, lines_before + bad->line, bad->column, "%s", bad->reason);
}

// Reads the first row and decides whether it is a header.
static tlu_status first_row(struct csv_row *first, bool *header, char delimiter,
                            const tlu_options *options, const char *file, const char *bytes,
                            size_t size, size_t *used, uint64_t *lines, tlu_error *error)
{
    struct csv_cursor cursor = csv_start(bytes, size, delimiter);
    struct bad_row bad = {0};
    csv_next_row(&cursor);
    enum parse_result result = row_read(&cursor, first, &bad);
    tlu_status status = TLU_OK;
    if (result != PARSE_OK)
        status = bad_first_row(result, &bad, file, *lines, error);
    size_t length = (size_t)(cursor.at - bytes);
    uint64_t header_lines = cursor.line - 1 + (cursor.at == cursor.limit && length &&
                                               cursor.at[-1] != '\n');
    int choice = options_choice(options, OPTION_HEADER);
    *header = choice == HEADER_YES;
    if (status == TLU_OK && choice == HEADER_AUTO)
        *header = looks_like_header(first, &cursor);
    csv_end(&cursor);
    *used = *header ? length : 0;
    *lines = *header ? header_lines : 0;
    return status;
}

tlu_status csv_columns(struct schema *schema, const tlu_options *options, const char *file,
                       const char *bytes, size_t size, size_t *used, uint64_t *lines,
                       tlu_error *error)
{
    struct csv_row first = {NULL, 0};
    uint64_t lines_before = *lines;
    tlu_status status = first_row(&first, &schema->header, schema->delimiter, options, file, bytes,
                                  size, used, lines, error);
    if (status == TLU_OK && first.count < 2)
        status = error_at(error, file, lines_before + 1, 1,
                          "expected at least two columns, a feature and the label, found one; "
                          "--delimiter says what separates them");
    if (status == TLU_OK) {
        schema->columns = memory_new(first.count, sizeof *schema->columns);
        if (!schema->columns)
            status = error_memory(error);
    }
    for (size_t i = 0; status == TLU_OK && i < first.count; i++) {
        char *name = column_name(schema, schema->header ? first.fields[i] : NULL, i);
        if (!name) {
            status = error_memory(error);
            break;
        }
        schema->columns[i] = (struct column){name, COLUMN_NUMERIC, SCHEMA_NONE};
        schema->column_count++;
    }
    row_free(&first);
    if (status == TLU_OK)
        status = find_label(schema, options, file, error);
    if (status == TLU_OK)
        status = set_kinds(schema, options, OPTION_CATEGORICAL, COLUMN_CATEGORICAL, file, error);
    if (status == TLU_OK)
        status = set_kinds(schema, options, OPTION_IGNORE, COLUMN_IGNORED, file, error);
    return status;
}

// ---- kinds of columns ----

tlu_status csv_looks_new(struct column_look **looks, const struct schema *schema,
                         const tlu_options *options, const char *file, tlu_error *error)
{
    *looks = memory_new(schema->column_count, sizeof **looks);
    if (!*looks)
        return error_memory(error);
    for (size_t i = 0; i < schema->column_count; i++)
        (*looks)[i].open = schema->columns[i].kind == COLUMN_NUMERIC;
    const char *cursor = options_text(options, OPTION_NUMERIC), *item;
    size_t length;
    while ((item = options_next_item(&cursor, &length))) {
        size_t i = find_column(schema, "numeric", item, length, file, error);
        if (i == SCHEMA_NONE) {
            memory_free(*looks);
            *looks = NULL;
            return TLU_ERROR_INPUT;
        }
        (*looks)[i].open = false;
    }
    return TLU_OK;
}

bool csv_kinds_scan(const struct schema *schema, struct column_look *looks, const char *bytes,
                    size_t size, uint64_t lines_before)
{
    struct csv_cursor cursor = csv_start(bytes, size, schema->delimiter);
    enum parse_result result = PARSE_OK;
    while (result != PARSE_MEMORY && csv_next_row(&cursor)) {
        struct csv_field field = {.last = false};
        struct bad_row bad;
        for (size_t i = 0; !field.last; i++) {
            result = csv_next_field(&cursor, &field, &bad);
            if (result != PARSE_OK) {
                csv_skip_row(&cursor);
                break;
            }
            if (i >= schema->column_count || !looks[i].open ||
                csv_is_missing(field.text, field.length))
                continue;
            double value;
            const char *end, *limit = field.text + field.length;
            if (number_parse(field.text, limit, &value, &end) != NUMBER_NONE && end == limit) {
                looks[i].numbers++;
            } else if (looks[i].others++ == 0) {
                looks[i].other_line = lines_before + field.line;
                looks[i].other_column = field.column;
                error_quote(looks[i].other, sizeof looks[i].other, field.text, field.length);
            }
        }
    }
    csv_end(&cursor);
    return result != PARSE_MEMORY;
}

tlu_status csv_kinds_decide(struct schema *schema, const struct column_look *looks,
                            const char *file, tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        const struct column_look *look = &looks[i];
        if (look->open && look->others > 0) {
            // A few words among many numbers are more likely a slip than a category.
            if (look->numbers > 9 * look->others)
                return error_at(error, file, look->other_line, look->other_column,
                                "expected a number in column '%.80s', as in %llu other rows, found "
                                "'%s'; --categorical %.80s would take all its values as categories",
                                column->name, (unsigned long long)look->numbers, look->other,
                                column->name);
            column->kind = COLUMN_CATEGORICAL;
        }
        if (column->kind == COLUMN_NUMERIC) {
            column->feature = schema_add(schema, column->name, strlen(column->name));
            if (column->feature == SCHEMA_NONE)
                return error_memory(error);
        }
    }
    return TLU_OK;
}

// ---- the plan for a file ----

void csv_plan_free(struct csv_plan *plan)
{
    memory_free(plan->columns);
    *plan = (struct csv_plan){0};
}

static struct plan_column planned(const struct column *column)
{
    return (struct plan_column){column->kind, column->feature, column->name};
}

// By place: as many columns as in training, or one less where the label is left out.
static tlu_status plan_by_place(struct csv_plan *plan, const struct schema *schema,
                                const char *file, uint64_t line, tlu_error *error)
{
    bool labelled = plan->count == schema->column_count;
    if (!labelled && plan->count + 1 != schema->column_count)
        return error_at(error, file, line, 1,
                        "expected %zu columns as in training, or %zu without the label, found %zu",
                        schema->column_count, schema->column_count - 1, plan->count);
    size_t k = 0;
    for (size_t i = 0; i < schema->column_count; i++)
        if (labelled || schema->columns[i].kind != COLUMN_LABEL)
            plan->columns[k++] = planned(&schema->columns[i]);
    return TLU_OK;
}

static size_t place_of(const struct csv_row *header, const char *name)
{
    for (size_t i = 0; i < header->count; i++)
        if (strcmp(header->fields[i], name) == 0)
            return i;
    return SCHEMA_NONE;
}

static tlu_status plan_by_name(struct csv_plan *plan, const struct schema *schema,
                               const struct csv_row *header, const char *file, uint64_t line,
                               tlu_error *error)
{
    for (size_t i = 0; i < plan->count; i++)
        plan->columns[i] = (struct plan_column){COLUMN_IGNORED, SCHEMA_NONE, ""};
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        size_t place = place_of(header, column->name);
        if (place != SCHEMA_NONE)
            plan->columns[place] = planned(column);
        else if (column->kind == COLUMN_NUMERIC || column->kind == COLUMN_CATEGORICAL)
            return error_at(error, file, line, 1,
                            "the header lacks the column '%.80s' that the model was trained on",
                            column->name);
    }
    return TLU_OK;
}

static bool names_a_feature(const struct schema *schema, const struct csv_row *row)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind != COLUMN_LABEL &&
            place_of(row, schema->columns[i].name) != SCHEMA_NONE)
            return true;
    return false;
}

tlu_status csv_plan_make(struct csv_plan *plan, const struct schema *schema,
                         const tlu_options *options, const char *file, const char *bytes,
                         size_t size, size_t *used, uint64_t *lines, tlu_error *error)
{
    plan->delimiter = schema->delimiter;
    struct csv_row first = {NULL, 0};
    bool header = false;
    uint64_t lines_before = *lines;
    tlu_status status = TLU_OK;
    if (schema->frozen) {
        char delimiter;
        status = csv_delimiter_option(options, &delimiter, error);
        if (delimiter)
            plan->delimiter = delimiter;
        if (status == TLU_OK)
            status = first_row(&first, &header, plan->delimiter, options, file, bytes, size, used,
                               lines, error);
        // What names the model's columns is a header, whatever else it looks like.
        if (status == TLU_OK && options_choice(options, OPTION_HEADER) == HEADER_AUTO &&
            header != (schema->header && names_a_feature(schema, &first))) {
            header = !header;
            struct csv_cursor cursor = csv_start(bytes, size, plan->delimiter);
            csv_next_row(&cursor);
            if (header)
                csv_skip_row(&cursor);
            *used = header ? (size_t)(cursor.at - bytes) : 0;
            *lines = header ? cursor.line - 1 : 0;
            csv_end(&cursor);
        }
    }
    plan->count = schema->frozen ? first.count : schema->column_count;
    if (status == TLU_OK) {
        plan->columns = memory_new(plan->count, sizeof *plan->columns);
        if (!plan->columns)
            status = error_memory(error);
    }
    if (status == TLU_OK && header && schema->header && schema->frozen)
        status = plan_by_name(plan, schema, &first, file, lines_before + 1, error);
    else if (status == TLU_OK)
        status = plan_by_place(plan, schema, file, lines_before + 1, error);
    row_free(&first);
    return status;
}
