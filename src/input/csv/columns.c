// What the columns of a CSV file to train on are, by its header and by the options.

#include "input/csv/columns.h"

#include "base/memory.h"
#include "input/csv/header.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
                (struct column){name, COLUMN_NUMERIC, SCHEMA_NONE};
    }
    table_free(&names);
    return enough_memory(fine, error);
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

size_t csv_find_column(const struct schema *schema, const char *option, const char *text,
                       size_t length, const char *file, tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (strlen(schema->columns[i].name) == length &&
            memcmp(schema->columns[i].name, text, length) == 0)
            return i;
    uint64_t number;
    if (number_index(text, length, &number) && number >= 1 && number <= schema->column_count)
        return (size_t)number - 1;
    char columns[400], wanted[64], near[64];
    error_quote(wanted, sizeof wanted, text, length);
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        if (strlen(name) == length && strncasecmp(name, text, length) == 0) {
            error_at(error, file, 0, 0, "there is no column '%s' for --%s; did you mean '%s'?",
                     wanted, option, error_quote(near, sizeof near, name, length));
            return SCHEMA_NONE;
        }
    }
    list_columns(schema, columns, sizeof columns);
    error_at(error, file, 0, 0, "there is no column '%s' for --%s; the columns are %s", wanted,
             option, columns);
    return SCHEMA_NONE;
}

static tlu_status set_kinds(struct schema *schema, const tlu_options *options, enum option option,
                            enum column_kind kind, enum option *named_by, const char *file,
                            tlu_error *error)
{
    const char *cursor = options_text(options, option), *item;
    size_t length;
    while ((item = options_next_item(&cursor, &length))) {
        size_t i = csv_find_column(schema, tlu_option_at(option)->name, item, length, file, error);
        if (i == SCHEMA_NONE)
            return TLU_ERROR_INPUT;
        if (schema->columns[i].kind == COLUMN_LABEL)
            return error_at(error, file, 0, 0, "column '%.80s' is the label and cannot be in --%s",
                            schema->columns[i].name, tlu_option_at(option)->name);
        if (named_by[i] && named_by[i] != option)
            return error_at(error, file, 0, 0, "column '%.80s' is in --%s and in --%s: which?",
                            schema->columns[i].name, tlu_option_at(named_by[i])->name,
                            tlu_option_at(option)->name);
        named_by[i] = option;
        schema->columns[i].kind = kind;
    }
    return TLU_OK;
}

static tlu_status find_label(struct schema *schema, const tlu_options *options, const char *file,
                             tlu_error *error)
{
    const char *wanted = options_text(options, OPTION_LABEL);
    size_t label = schema->column_count - 1;
    if (wanted[0]) {
        label = csv_find_column(schema, "label", wanted, strlen(wanted), file, error);
        if (label == SCHEMA_NONE)
            return TLU_ERROR_INPUT;
    } else {
        for (size_t k = CSV_USUAL_LABELS; k-- > 0;)
            for (size_t i = 0; i < schema->column_count; i++)
                if (strcasecmp(schema->columns[i].name, csv_usual_labels[k]) == 0)
                    label = i;
    }
    schema->columns[label].kind = COLUMN_LABEL;
    return TLU_OK;
}

// Columns that --numeric, --categorical and --ignore name; none may be in two of them.
static tlu_status set_all_kinds(struct schema *schema, const tlu_options *options, const char *file,
                                tlu_error *error)
{
    static const struct {
        enum option option;
        enum column_kind kind;
    } lists[] = {{OPTION_NUMERIC, COLUMN_NUMERIC},
                 {OPTION_CATEGORICAL, COLUMN_CATEGORICAL},
                 {OPTION_IGNORE, COLUMN_IGNORED}};
    enum option *named_by = memory_new(schema->column_count, sizeof *named_by); // 0: none
    tlu_status status = enough_memory(named_by, error);
    for (size_t i = 0; status == TLU_OK && i < sizeof lists / sizeof lists[0]; i++)
        status = set_kinds(schema, options, lists[i].option, lists[i].kind, named_by, file, error);
    memory_free(named_by);
    TRY(status);
    size_t features = 0, label = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        features += schema->columns[i].kind <= COLUMN_CATEGORICAL;
        label = schema->columns[i].kind == COLUMN_LABEL ? i : label;
    }
    if (features == 0)
        return error_at(error, file, 0, 0,
                        "there is nothing to learn from: besides the label '%.80s' all columns "
                        "are ignored",
                        schema->columns[label].name);
    return TLU_OK;
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
    TRY(find_label(schema, options, file, error));
    return set_all_kinds(schema, options, file, error);
}
