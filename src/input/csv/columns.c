// The columns of a CSV file: its delimiter, its header, the kind of each column, and the plan that
// leads from the fields of a file to the columns of the schema.
#include "input/csv/csv.h"

#include "base/memory.h"
#include "input/columns.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- the delimiter, and options about CSV alone ----

#define DELIMITER_ROWS 1000

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

size_t csv_comment(const char *bytes, size_t size)
{
    if (size == 0 || bytes[0] != '#' || (size > 1 && !strchr(" \t\r\n", bytes[1])))
        return 0;
    const char *newline = memchr(bytes, '\n', size);
    return newline ? (size_t)(newline - bytes) + 1 : size;
}

char csv_delimiter(const char *bytes, size_t size)
{
    size_t comment = csv_comment(bytes, size);
    bytes += comment;
    size -= comment;
    // The one with which most rows have as many fields as the first; a blank only as a last resort.
    // Rows with broken quotes have 0 fields here.
    // A comma wins only if it is better than the others: it is also a decimal sign.
    static const char candidates[] = "\t;|, ";
    char best = '\0';
    double best_share = 0;
    size_t best_fields = 1;
    for (const char *candidate = candidates; *candidate; candidate++) {
        if (*candidate == ' ' && best)
            break;
        if (!memchr(bytes, *candidate, size)) // rows of one field each, and never the best
            continue;
        struct csv_cursor cursor = csv_start(bytes, size, *candidate);
        cursor.bare = true;
        size_t rows = 0, alike = 0, fields = 0;
        while (rows < DELIMITER_ROWS && csv_next_row(&cursor)) {
            size_t count = count_fields(&cursor);
            rows++;
            if (fields == 0)
                fields = count;
            alike += count && count == fields;
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

char csv_delimiter_for(const struct schema *schema, const char *bytes, size_t size)
{
    size_t comment = csv_comment(bytes, size);
    if (!schema->delimiter) // a model of JSON
        return csv_delimiter(bytes, size);
    struct csv_cursor cursor = csv_start(bytes + comment, size - comment, schema->delimiter);
    cursor.bare = true;
    size_t fields = csv_next_row(&cursor) ? count_fields(&cursor) : 0;
    csv_end(&cursor);
    // A row of one field may be all that the model needs: one feature, and no label.
    char other = fields == 1 && schema->column_count > 2 ? csv_delimiter(bytes, size) : '\0';
    return other ? other : schema->delimiter;
}

tlu_status csv_delimiter_option(const tlu_options *options, char *delimiter, tlu_error *error)
{
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"tab", '\t'},  {"\\t", '\t'},      {"space", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    const char *text = options_text(options, OPTION_DELIMITER);
    *delimiter = strcmp(options_text(options, OPTION_FORMAT), "tsv") == 0 ? '\t' : '\0';
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

// ---- the decimal sign ----

// Whether a field is [-+] digits, the sign, digits.
static bool is_decimal(const char *text, size_t length, char sign)
{
    size_t i = length && (text[0] == '-' || text[0] == '+'), digits = 0, signs = 0;
    for (; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (!digit && text[i] != sign)
            return false;
        digits += digit;
        signs += !digit;
    }
    return signs == 1 && digits > 0 && text[length - 1] != sign;
}

bool csv_decimal_comma(const tlu_options *options, const char *bytes, size_t size, char delimiter,
                       bool known)
{
    int sign = options_choice(options, OPTION_DECIMAL);
    if (sign != DECIMAL_SIGN_AUTO)
        return sign == DECIMAL_SIGN_COMMA;
    if (delimiter == ',')
        return false;
    struct csv_cursor cursor = csv_start(bytes, size, delimiter);
    size_t commas = 0, points = 0;
    cursor.bare = true;
    for (size_t rows = 0; rows < SAMPLE_ROWS && csv_next_row(&cursor); rows++) {
        struct csv_field field = {.last = false};
        struct bad_row bad;
        while (!field.last && csv_next_field(&cursor, &field, &bad) == PARSE_OK) {
            commas += is_decimal(field.text, field.length, ',');
            points += is_decimal(field.text, field.length, '.');
        }
        if (!field.last)
            csv_skip_row(&cursor);
    }
    csv_end(&cursor);
    return commas + points == 0 ? known : commas > 0 && points == 0;
}

bool csv_recognise(const char *bytes, size_t size)
{
    return csv_delimiter(bytes, size) != '\0';
}

// ---- the header ----

// The first row of a CSV file, which may name its columns.

// A copy of the fields of one row.
struct csv_row {
    char **fields;
    size_t count;
};

// The first row, whether or not it is a header, and the comment above it, which may be one: that
// is how numpy.savetxt writes it.
struct first_row {
    struct csv_row row, comment;
    size_t before; // bytes and lines of the comment
    uint64_t lines_before;
    size_t length; // of both
    uint64_t lines;
};

#define HEADER_ROWS 1000 // in which a field of the header does not occur

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
        bad->line = field.line;
        if (memchr(field.text, '\0', field.length))
            return bad_row_set(bad, field.column, "expected text, found a NUL byte");
        if (!memory_reserve(&row->fields, &capacity, row->count + 1, sizeof *row->fields))
            return PARSE_MEMORY;
        row->fields[row->count] = memory_copy_text(field.text, field.length);
        if (!row->fields[row->count])
            return PARSE_MEMORY;
        row->count++;
    }
    return PARSE_OK;
}

// ---- the header ----

static bool is_number_like(const char *text)
{
    double value;
    const char *end, *limit = text + strlen(text);
    enum number_result result = number_parse(text, limit, &value, &end);
    return result != NUMBER_NONE && end == limit;
}

// A first row is a header if none of its fields is a number, unless the label's is a usual name
// (columns may well be called 0, 1, 2...), and none of the others occurs again below in its column.
static bool looks_like_header(const struct csv_row *first, const char *rest, size_t size,
                              char delimiter)
{
    bool numbers = false, label = false;
    for (size_t i = 0; i < first->count; i++) {
        numbers |= is_number_like(first->fields[i]);
        label |= sample_is_usual_label(first->fields[i]);
    }
    if (numbers && !label)
        return false;
    struct csv_cursor cursor = csv_start(rest, size, delimiter);
    cursor.bare = true;
    bool again = false;
    for (size_t rows = 0; !again && rows < HEADER_ROWS && csv_next_row(&cursor); rows++) {
        struct csv_field field = {.last = false};
        struct bad_row bad;
        for (size_t i = 0; !field.last && i < first->count; i++) {
            if (csv_next_field(&cursor, &field, &bad) != PARSE_OK)
                break;
            again |= field.length && first->fields[i][0] == field.text[0] &&
                     strlen(first->fields[i]) == field.length &&
                     memcmp(first->fields[i], field.text, field.length) == 0 &&
                     !is_number_like(first->fields[i]);
        }
        if (!field.last)
            csv_skip_row(&cursor);
    }
    csv_end(&cursor);
    return !again;
}

static void first_row_free(struct first_row *first)
{
    row_free(&first->row);
    row_free(&first->comment);
}

// Reads the comment as a row; if it cannot be one, it stays empty.
static enum parse_result read_comment(struct first_row *first, char delimiter, const char *bytes,
                                      size_t size)
{
    struct csv_cursor cursor = csv_start(bytes, size, delimiter);
    struct bad_row bad = {0};
    enum parse_result result = PARSE_OK;
    cursor.at++; // after the #
    while (cursor.at < cursor.limit && (*cursor.at == ' ' || *cursor.at == '\t'))
        cursor.at++;
    if (cursor.at < cursor.limit)
        result = row_read(&cursor, &first->comment, &bad);
    if (result == PARSE_BAD)
        row_free(&first->comment);
    csv_end(&cursor);
    return result;
}

static tlu_status first_row_read(struct first_row *first, char delimiter, const char *file,
                                 const char *bytes, size_t size, uint64_t lines_before,
                                 tlu_error *error)
{
    struct bad_row bad = {0};
    *first = (struct first_row){.before = csv_comment(bytes, size)};
    first->lines_before = first->before > 0;
    if (first->before && read_comment(first, delimiter, bytes, first->before) == PARSE_MEMORY)
        return error_memory(error);
    bytes += first->before;
    struct csv_cursor cursor = csv_start(bytes, size - first->before, delimiter);
    enum parse_result result = row_read(&cursor, &first->row, &bad);
    first->length = first->before + (size_t)(cursor.at - bytes);
    first->lines = first->lines_before + cursor.line - (cursor.at == cursor.line_start);
    csv_end(&cursor);
    if (result == PARSE_MEMORY)
        return error_memory(error);
    if (result == PARSE_BAD)
        return error_at(error, file, lines_before + first->lines_before + bad.line, bad.column,
                        "%s", bad.reason);
    return TLU_OK;
}

// The header, or NULL: the first row, or the comment above it with as many fields. `choice` is
// HEADER_...
static const struct csv_row *csv_header(const struct first_row *first, int choice,
                                        const char *bytes, size_t size, char delimiter)
{
    if (choice == HEADER_NO)
        return NULL;
    if (looks_like_header(&first->row, bytes + first->length, size - first->length, delimiter))
        return &first->row;
    if (first->comment.count == first->row.count &&
        looks_like_header(&first->comment, bytes + first->before, size - first->before, delimiter))
        return &first->comment;
    return choice == HEADER_YES ? &first->row : NULL;
}

// ---- names of columns ----

// Adds a name to the table under which no other column goes: with a number after it if one
// does. twins[] counts the columns of a name.
static bool add_name(struct table *names, size_t *twins, const char *text)
{
    size_t length = strlen(text);
    uint32_t place = names->count;
    uint32_t first = table_find(names, text, length);
    if (first == TABLE_NONE)
        return table_add(names, text, length) == place;
    char *name = memory_new(length + 32, 1);
    while (name && names->count == place) {
        int n = snprintf(name, length + 32, "%s.%zu", text, ++twins[first] + 1);
        if (table_add(names, name, (size_t)n) == TABLE_NONE)
            break;
    }
    memory_free(name);
    return names->count > place;
}

// The names of `count` columns, numbered by their places: those of the header, else their numbers
// from 1. False if out of memory.
static bool csv_name_columns(struct table *names, const struct csv_row *header, size_t count)
{
    size_t *twins = memory_new(count, sizeof *twins); // [count]
    bool fine = twins != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", i + 1);
        fine = add_name(names, twins, header && header->fields[i][0] ? header->fields[i] : number);
    }
    memory_free(twins);
    return fine;
}

// ---- columns of a file to train on ----

static tlu_status make_columns(struct schema *schema, const struct csv_row *header, size_t count,
                               tlu_error *error)
{
    struct table names = {0};
    schema->columns = memory_new(count, sizeof *schema->columns);
    bool fine = schema->columns && csv_name_columns(&names, header, count);
    for (uint32_t i = 0; fine && i < count; i++) {
        char *name = memory_copy_text(table_text(&names, i), table_length(&names, i));
        fine = name != NULL;
        if (fine)
            schema->columns[schema->column_count++] =
                (struct column){.name = name, .feature = SCHEMA_NONE};
    }
    table_free(&names);
    return enough_memory(fine, error);
}

// ---- what the first rows tell ----

// Adds the first rows to the samples [columns], without malformed ones. False: out of memory.
static bool take_sample(const struct schema *schema, const char *bytes, size_t size,
                        struct column_sample *samples)
{
    enum parse_result result = PARSE_OK;
    struct csv_cursor cursor = csv_start(bytes, size, schema->delimiter);
    for (size_t rows = 0; rows < SAMPLE_ROWS && result != PARSE_MEMORY && csv_next_row(&cursor);
         rows++) {
        struct csv_field field = {.last = false};
        struct bad_row bad;
        for (size_t i = 0; !field.last && i < schema->column_count; i++) {
            result = csv_next_field(&cursor, &field, &bad);
            if (result != PARSE_OK)
                break;
            if (!csv_is_missing(field.text, field.length))
                sample_add(&samples[i], field.text, field.length);
        }
        if (!field.last)
            csv_skip_row(&cursor);
    }
    csv_end(&cursor);
    return result != PARSE_MEMORY;
}

static tlu_status set_all_kinds(struct schema *schema, const tlu_options *options, const char *file,
                                const char *rows, size_t size, tlu_error *error)
{
    struct table_columns columns = {
        .schema = schema, .options = options, .file = file, .named = schema->header};
    tlu_status status = columns_begin(&columns, error);
    if (status == TLU_OK)
        status = enough_memory(take_sample(schema, rows, size, columns.samples), error);
    if (status == TLU_OK)
        status = columns_decide(&columns, error);
    columns_end(&columns);
    return status;
}

static tlu_status name_columns(struct schema *schema, struct first_row *first, int choice,
                               const char *file, const char *bytes, size_t size, size_t *used,
                               uint64_t *lines, tlu_error *error)
{
    TRY(first_row_read(first, schema->delimiter, file, bytes, size, *lines, error));
    if (first->row.count < 2)
        return error_at(error, file, *lines + first->lines_before + 1, 1,
                        "expected at least two columns, a feature and the label, found one; "
                        "give --delimiter if there are more");
    const struct csv_row *header = csv_header(first, choice, bytes, size, schema->delimiter);
    schema->header = header != NULL;
    *used = header == &first->row ? first->length : first->before;
    *lines = header == &first->row ? first->lines : first->lines_before;
    return make_columns(schema, header, first->row.count, error);
}

tlu_status csv_columns(struct schema *schema, const tlu_options *options, const char *file,
                       const char *bytes, size_t size, size_t *used, uint64_t *lines,
                       tlu_error *error)
{
    struct first_row first;
    tlu_status status = name_columns(schema, &first, options_choice(options, OPTION_HEADER), file,
                                     bytes, size, used, lines, error);
    first_row_free(&first);
    TRY(status);
    schema->decimal_comma =
        csv_decimal_comma(options, bytes + *used, size - *used, schema->delimiter, false);
    return set_all_kinds(schema, options, file, bytes + *used, size - *used, error);
}

// ---- numbers or categories ----

tlu_status csv_stats_new(struct column_stats **stats, const struct schema *schema,
                         const tlu_options *options, const char *file, tlu_error *error)
{
    const struct table_columns columns = {
        .schema = (struct schema *)schema, .options = options, .file = file};
    *stats = memory_new(schema->column_count, sizeof **stats);
    TRY(enough_memory(*stats, error));
    for (size_t i = 0; i < schema->column_count; i++)
        (*stats)[i].open = schema->columns[i].kind == COLUMN_NUMERIC;
    const char *cursor = options_text(options, OPTION_NUMERIC), *item;
    size_t length;
    while ((item = options_next_item(&cursor, &length))) {
        size_t i = columns_find(&columns, OPTION_NUMERIC, item, length, error);
        if (i == SCHEMA_NONE) {
            memory_free(*stats);
            *stats = NULL;
            return TLU_ERROR_INPUT;
        }
        (*stats)[i].open = false;
    }
    return TLU_OK;
}

// The features COLUMN=VALUE of a category and COLUMN:WORD of a text must not be another column's:
// neither its name, nor its name with a value after it. Either way the longer column's name begins
// with "COLUMN=" or "COLUMN:".
static tlu_status compare_names(const struct schema *schema, struct table *names, const char *file,
                                tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        TRY(enough_memory(table_add(names, name, strlen(name)) == i, error));
    }
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name, *joint = name;
        if (!column_has_features(schema->columns[i].kind))
            continue;
        for (; (joint = strpbrk(joint, "=:")); joint++) {
            uint32_t other = table_find(names, name, (size_t)(joint - name));
            if (other == TABLE_NONE || !column_has_features(schema->columns[other].kind))
                continue;
            enum column_kind kind = schema->columns[other].kind;
            if (*joint == '=' ? kind == COLUMN_CATEGORICAL || strcmp(joint + 1, MISSING_VALUE) == 0
                              : kind == COLUMN_TEXT)
                return error_at(error, file, 0, 0,
                                "columns '%.80s' and '%.80s' could give features of the same "
                                "name; rename one, or leave one out with --ignore",
                                schema->columns[other].name, name);
        }
    }
    return TLU_OK;
}

static const char *other_file(const struct column_stats *stats, const char *file)
{
    return stats->other_file ? stats->other_file : file;
}

tlu_status csv_kinds_decide(struct schema *schema, const struct column_stats *stats, bool skip_bad,
                            const char *file, tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        const struct column_stats *column_stats = stats ? &stats[i] : NULL;
        if (stats && column_stats->open && column_stats->others > 0) {
            if (column_stats->commas == column_stats->others)
                return error_at(error, other_file(column_stats, file), column_stats->other_line,
                                column_stats->other_column,
                                "expected a number in column '%.80s', found '%s': numbers take %s; "
                                "change the data, or give --categorical %.80s for categories",
                                column->name, column_stats->other,
                                schema->decimal_comma ? "a decimal comma and no points"
                                                      : "a decimal point and no commas",
                                column->name);
            // A few words among many numbers are more likely a slip than a category.
            bool slip = column_stats->numbers > 9 * column_stats->others;
            if (slip && !skip_bad)
                return error_at(error, other_file(column_stats, file), column_stats->other_line,
                                column_stats->other_column,
                                "expected a number in column '%.80s', as in %llu other rows, found "
                                "'%s'; --categorical %.80s would take all its values as categories",
                                column->name, (unsigned long long)column_stats->numbers,
                                column_stats->other, column->name);
            if (!slip)
                column->kind = COLUMN_CATEGORICAL;
        }
        column->missing = !stats               ? UINT64_MAX
                          : column_stats->open ? column_stats->missing
                                               : UINT64_MAX;
        if (column->kind == COLUMN_NUMERIC) {
            column->feature = schema_add(schema, column->name, strlen(column->name));
            TRY(enough_memory(column->feature != SCHEMA_NONE, error));
        }
    }
    struct table names = {0};
    tlu_status status = compare_names(schema, &names, file, error);
    table_free(&names);
    return status;
}

tlu_status csv_check_values(const struct schema *schema, const struct column_stats *stats,
                            const char *file, tlu_error *error)
{
    char names[320] = "";
    size_t count = 0, used = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        if (schema->columns[i].kind != COLUMN_NUMERIC || !stats[i].open || !stats[i].missing ||
            stats[i].numbers + stats[i].others > 0)
            continue;
        if (used + strlen(name) + 2 < sizeof names) // else the next attempt tells
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", count ? "," : "", name);
        count++;
    }
    if (count == 0)
        return TLU_OK;
    return error_at(error, file, 0, 0, "%s '%s' %s no value; leave %s out with --ignore %s",
                    count == 1 ? "column" : "columns", names, count == 1 ? "has" : "have",
                    count == 1 ? "it" : "them", names);
}

// ---- the plan: which field of a row is which column ----

void csv_plan_free(struct csv_plan *plan)
{
    for (size_t i = 0; plan->columns && i < plan->count; i++)
        memory_free(plan->columns[i].prefix);
    memory_free(plan->columns);
    *plan = (struct csv_plan){0};
}

bool csv_plan_complete(struct csv_plan *plan)
{
    for (size_t i = plan->count; i-- > 0;) {
        struct plan_column *column = &plan->columns[i], *next = column + 1;
        bool goes_on = i + 1 < plan->count && next->kind == COLUMN_NUMERIC &&
                       next->feature == column->feature + 1;
        column->run = column->kind != COLUMN_NUMERIC ? 0 : goes_on ? next->run + 1 : 1;
        if (column->kind != COLUMN_TEXT)
            continue;
        plan->texts = true;
        column->prefix_length = strlen(column->name) + 1;
        column->prefix = memory_new(column->prefix_length + 1, 1);
        if (!column->prefix)
            return false;
        memcpy(column->prefix, column->name, column->prefix_length - 1);
        column->prefix[column->prefix_length - 1] = ':';
    }
    return true;
}

static struct plan_column planned(const struct column *column)
{
    return (struct plan_column){.kind = column->kind,
                                .feature = column->feature,
                                .name = column->name,
                                .fill = &column->fill};
}

// A column of a model of JSON records, whose features have names alone.
static struct plan_column planned_member(const struct schema *schema, const struct column *column)
{
    struct plan_column plan = planned(column);
    if (column->kind != COLUMN_NUMERIC)
        return plan;
    plan.feature = schema_find(schema, column->name, strlen(column->name));
    if (plan.feature == SCHEMA_NONE) // it had no values but 0
        plan.kind = COLUMN_IGNORED;
    return plan;
}

// A column of the file that is no column of the model. Of JSON records it may be a member whose
// values had several types, such as true and false, which is the feature of this name.
static struct plan_column planned_other(const struct schema *schema, bool members, const char *name)
{
    size_t length = strlen(name);
    uint32_t number = members ? table_find(&schema->names, name, length) : TABLE_NONE;
    if (number == TABLE_NONE)
        return (struct plan_column){.kind = COLUMN_IGNORED, .name = ""};
    return (struct plan_column){.kind = COLUMN_NUMERIC,
                                .feature = schema_find(schema, name, length),
                                .name = table_text(&schema->names, number)};
}

#define TEXT_REMEDY "put the text in quotes, or give --format text, which reads each line as a text"

// A text with the delimiter looks like several fields: the one in the place of the label is no
// label that the model knows, and has a blank, which no known label has.
static tlu_status check_label(const struct csv_plan *plan, const struct schema *schema,
                              const struct csv_row *row, const char *file, uint64_t line,
                              tlu_error *error)
{
    char quoted[80];
    if (!schema->frozen || !schema_text_column(schema))
        return TLU_OK;
    for (uint32_t c = 0; c < schema_classes(schema); c++)
        if (strchr(schema->spelled[c], ' '))
            return TLU_OK;
    for (size_t i = 0; i < plan->count; i++) {
        const char *label = row->fields[i];
        if (schema->columns[i].kind == COLUMN_LABEL && strchr(label, ' ') && !schema->multilabel &&
            schema_class_find(schema, label, strlen(label)) == TABLE_NONE)
            return error_at(error, file, line, 1,
                            "'%s' is not a label that the model knows; if it is the start of a "
                            "text, " TEXT_REMEDY,
                            error_quote(quoted, sizeof quoted, label, strlen(label)));
    }
    return TLU_OK;
}

// By place: as many columns as in training, or one less if the label is left out.
static tlu_status plan_by_place(struct csv_plan *plan, const struct schema *schema,
                                const struct csv_row *row, const char *file, uint64_t line,
                                bool skip_bad, tlu_error *error)
{
    bool labelled = plan->count == schema->column_count;
    if (!labelled && plan->count + 1 != schema->column_count)
        return error_at(error, file, line, 1,
                        "expected %zu columns as in training, or %zu without the label, found "
                        "%zu%s",
                        schema->column_count, schema->column_count - 1, plan->count,
                        schema_text_column(schema) ? "; " TEXT_REMEDY : "");
    if (labelled && !skip_bad)
        TRY(check_label(plan, schema, row, file, line, error));
    size_t k = 0;
    for (size_t i = 0; i < schema->column_count; i++)
        if (labelled || schema->columns[i].kind != COLUMN_LABEL)
            plan->columns[k++] = planned(&schema->columns[i]);
    return TLU_OK;
}

// Where a file has the label, if not in a column with the name of the model's: in one with another
// usual name that is no column of the model. An imported model knows no data, and the label of a
// column is often renamed. TABLE_NONE: nowhere.
static uint32_t find_renamed_label(const struct schema *schema, const struct column *label,
                                   const struct table *names)
{
    const char *usual;
    for (size_t k = 0; sample_is_usual_label(label->name) && (usual = sample_usual_label(k)); k++) {
        uint32_t place = table_find(names, usual, strlen(usual));
        for (size_t i = 0; place != TABLE_NONE && i < schema->column_count; i++)
            if (strcmp(schema->columns[i].name, usual) == 0)
                place = TABLE_NONE;
        if (place != TABLE_NONE)
            return place;
    }
    return TABLE_NONE;
}

// Adds a name to a list for a message, "'a', 'b', 'c' and more"; `count` is that of names before
// it.
static void list_add(char *list, size_t size, size_t *count, const char *name)
{
    char quoted[48];
    size_t used = strlen(list);
    if (used + sizeof quoted + 16 < size)
        snprintf(list + used, size - used, "%s'%s'", (*count)++ ? ", " : "",
                 error_quote(quoted, sizeof quoted, name, strlen(name)));
    else if (list[used - 1] == '\'')
        snprintf(list + used, size - used, " and more");
}

// Reports the columns that the header lacks, and those that the model does not know.
static tlu_status columns_differ(const struct schema *schema, const struct table *names,
                                 const char *remedy, const char *file, uint64_t line,
                                 tlu_error *error)
{
    char missing[320] = "", new[320] = "";
    size_t missing_count = 0, new_count = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        if (column_has_features(column->kind) &&
            table_find(names, column->name, strlen(column->name)) == TABLE_NONE)
            list_add(missing, sizeof missing, &missing_count, column->name);
    }
    for (uint32_t k = 0; k < names->count; k++) {
        bool known = sample_is_usual_label(table_text(names, k));
        for (size_t i = 0; !known && i < schema->column_count; i++)
            known = strcmp(schema->columns[i].name, table_text(names, k)) == 0;
        if (!known)
            list_add(new, sizeof new, &new_count, table_text(names, k));
    }
    return error_at(error, file, line, 1,
                    "the columns differ from those that the model was trained on: missing %s%s%s; "
                    "%s",
                    missing, new_count ? "; new " : "", new, remedy);
}

// names: of the file's columns, numbered by their places.
static tlu_status plan_by_name(struct csv_plan *plan, const struct schema *schema,
                               const struct table *names, const char *file, uint64_t line,
                               tlu_error *error)
{
    bool members = schema_is_records(schema);
    for (size_t i = 0; i < plan->count; i++)
        plan->columns[i] = planned_other(schema, members, table_text(names, (uint32_t)i));
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        uint32_t place = table_find(names, column->name, strlen(column->name));
        if (place == TABLE_NONE && column->kind == COLUMN_LABEL)
            place = find_renamed_label(schema, column, names);
        if (place != TABLE_NONE)
            plan->columns[place] = members ? planned_member(schema, column) : planned(column);
        else if (column_has_features(column->kind))
            return columns_differ(schema, names, "rename or add columns in the data", file, line,
                                  error);
    }
    return TLU_OK;
}

bool csv_names_features(const struct schema *schema, const struct table *names)
{
    size_t features = 0, named = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        if (!column_has_features(column->kind))
            continue;
        features++;
        named += table_find(names, column->name, strlen(column->name)) != TABLE_NONE;
    }
    return named > 0 && 2 * named >= features;
}

static tlu_status plan_new(struct csv_plan *plan, size_t count, tlu_error *error)
{
    plan->count = count;
    plan->columns = memory_new(count, sizeof *plan->columns);
    return enough_memory(plan->columns, error);
}

tlu_status csv_plan_own(struct csv_plan *plan, const struct schema *schema, tlu_error *error)
{
    TRY(plan_new(plan, schema->column_count, error));
    for (size_t i = 0; i < plan->count; i++)
        plan->columns[i] = planned(&schema->columns[i]);
    plan->decimal_comma = schema->decimal_comma;
    return enough_memory(csv_plan_complete(plan), error);
}

static bool has_names(const struct schema *schema)
{
    return schema->header || !schema_is_csv(schema);
}

// The file's header, or NULL, with its names in the table, numbered by their places.
static tlu_status find_named(const struct first_row *first, const struct schema *schema, int choice,
                             const struct csv_row **header, struct table *names, tlu_error *error)
{
    const struct csv_row *rows[] = {&first->row, &first->comment};
    *header = NULL;
    for (size_t i = 0; choice != HEADER_NO && has_names(schema) && i < 2; i++) {
        table_free(names);
        if (rows[i]->count != first->row.count)
            break;
        TRY(enough_memory(csv_name_columns(names, rows[i], rows[i]->count), error));
        if (csv_names_features(schema, names)) {
            *header = rows[i];
            return TLU_OK;
        }
    }
    if (choice != HEADER_YES)
        return TLU_OK;
    *header = &first->row;
    table_free(names);
    return enough_memory(csv_name_columns(names, &first->row, first->row.count), error);
}

// The column of --id: by its name in the file or the model, or by its number from 1.
static tlu_status find_id(struct csv_plan *plan, const struct table *names, const char *id,
                          const char *file, tlu_error *error)
{
    char quoted[80];
    uint64_t number = 0;
    uint32_t place = names ? table_find(names, id, strlen(id)) : TABLE_NONE;
    if (id[0] == '\0')
        return TLU_OK;
    if (place != TABLE_NONE)
        plan->id = (size_t)place + 1;
    for (size_t i = 0; !plan->id && i < plan->count; i++)
        if (plan->columns[i].name && strcmp(plan->columns[i].name, id) == 0)
            plan->id = i + 1;
    if (!plan->id && number_index(id, strlen(id), &number) && number <= plan->count)
        plan->id = (size_t)number;
    if (plan->id)
        return TLU_OK;
    return error_at(error, file, 0, 0,
                    "has no column '%s' for --id; give its name in the header, or its number, from "
                    "1 to %zu",
                    error_quote(quoted, sizeof quoted, id, strlen(id)), plan->count);
}

// Whether the first row, which names few of the model's columns, is a header all the same: it has
// only words, where a row of data has numbers, or a usual name of the label among them.
static bool is_other_header(const struct schema *schema, const struct csv_row *row)
{
    bool numbers = false, label = false;
    for (size_t i = 0; i < schema->column_count; i++)
        numbers |= schema->columns[i].kind == COLUMN_NUMERIC;
    for (size_t i = 0; i < row->count; i++) {
        const char *field = row->fields[i];
        if (is_number_like(field) || csv_is_missing(field, strlen(field)))
            return false;
        label |= sample_is_usual_label(field) && field[1]; // y is a common value, too
    }
    return has_names(schema) && row->count > 1 && (numbers || label); // one: another delimiter
}

static tlu_status plan_for(struct csv_plan *plan, const struct schema *schema,
                           const struct first_row *first, struct table *names, int choice,
                           bool skip_bad, const char *file, size_t *used, uint64_t *lines,
                           tlu_error *error)
{
    const struct csv_row *header;
    TRY(plan_new(plan, first->row.count, error));
    TRY(find_named(first, schema, choice, &header, names, error));
    uint64_t line = *lines + first->lines_before + (header != &first->comment);
    *used = header == &first->row ? first->length : first->before;
    *lines = header == &first->row ? first->lines : first->lines_before;
    if (!header && choice == HEADER_AUTO && !skip_bad && is_other_header(schema, &first->row)) {
        table_free(names);
        TRY(enough_memory(csv_name_columns(names, &first->row, first->row.count), error));
        return columns_differ(schema, names,
                              "rename them, or give --header no if the first row is data", file,
                              line, error);
    }
    if (header && has_names(schema))
        return plan_by_name(plan, schema, names, file, line, error);
    if (!schema_is_csv(schema))
        return error_at(error, file, line, 1,
                        "has no header, and the model was trained on JSON records, whose columns "
                        "have names: add a header");
    return plan_by_place(plan, schema, &first->row, file, line, skip_bad, error);
}

tlu_status csv_plan_make(struct csv_plan *plan, const struct schema *schema,
                         const tlu_options *options, const char *file, const char *bytes,
                         size_t size, size_t *used, uint64_t *lines, tlu_error *error)
{
    struct first_row first;
    struct table names = {0};
    int choice = options_choice(options, OPTION_HEADER);
    const char *id = options_text(options, OPTION_ID);
    tlu_status status = first_row_read(&first, plan->delimiter, file, bytes, size, *lines, error);
    if (status == TLU_OK)
        status = plan_for(plan, schema, &first, &names, choice,
                          options_flag(options, OPTION_SKIP_BAD), file, used, lines, error);
    if (status == TLU_OK)
        status = find_id(plan, names.count ? &names : NULL, id, file, error);
    if (status == TLU_OK)
        status = enough_memory(csv_plan_complete(plan), error);
    plan->truths = !schema_is_csv(schema);
    if (status == TLU_OK)
        plan->decimal_comma = csv_decimal_comma(options, bytes + *used, size - *used,
                                                plan->delimiter, schema->decimal_comma);
    first_row_free(&first);
    table_free(&names);
    return status;
}
