// Which columns are numbers and which are categories, by the looks of their values.

#include "base/memory.h"
#include "input/csv/columns.h"
#include "input/csv/fields.h"

#include <string.h>

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
        size_t i = csv_find_column(schema, "numeric", item, length, file, error);
        if (i == SCHEMA_NONE) {
            memory_free(*looks);
            *looks = NULL;
            return TLU_ERROR_INPUT;
        }
        (*looks)[i].open = false;
    }
    return TLU_OK;
}

// The feature COLUMN=VALUE of a category must not be another column's: neither its name, nor its
// name with a value after it. Either way the longer column's name begins with "COLUMN=".
static tlu_status compare_names(const struct schema *schema, struct table *names, const char *file,
                                tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        TRY(enough_memory(table_add(names, name, strlen(name)) == i, error));
    }
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name, *equals = name;
        if (schema->columns[i].kind > COLUMN_CATEGORICAL)
            continue;
        for (; (equals = strchr(equals, '=')); equals++) {
            uint32_t other = table_find(names, name, (size_t)(equals - name));
            if (other == TABLE_NONE || schema->columns[other].kind > COLUMN_CATEGORICAL)
                continue;
            if (schema->columns[other].kind == COLUMN_CATEGORICAL ||
                strcmp(equals + 1, CSV_MISSING) == 0)
                return error_at(error, file, 0, 0,
                                "columns '%.80s' and '%.80s' could give features of the same "
                                "name: rename one, or leave one out with --ignore",
                                schema->columns[other].name, name);
        }
    }
    return TLU_OK;
}

static tlu_status refuse_shared_names(const struct schema *schema, const char *file,
                                      tlu_error *error)
{
    struct table names = {0};
    tlu_status status = compare_names(schema, &names, file, error);
    table_free(&names);
    return status;
}

tlu_status csv_kinds_decide(struct schema *schema, const struct column_look *looks, bool skip_bad,
                            const char *file, tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        const struct column_look *look = &looks[i];
        if (look->open && look->others > 0) {
            if (look->commas == look->others)
                return error_at(
                    error, file, look->other_line, look->other_column,
                    "expected a number in column '%.80s', found '%s': numbers take a "
                    "decimal point and no commas; --categorical %.80s would take them as "
                    "categories",
                    column->name, look->other, column->name);
            // A few words among many numbers are more likely a slip than a category.
            bool slip = look->numbers > 9 * look->others;
            if (slip && !skip_bad)
                return error_at(error, file, look->other_line, look->other_column,
                                "expected a number in column '%.80s', as in %llu other rows, found "
                                "'%s'; --categorical %.80s would take all its values as categories",
                                column->name, (unsigned long long)look->numbers, look->other,
                                column->name);
            if (!slip)
                column->kind = COLUMN_CATEGORICAL;
        }
        if (column->kind == COLUMN_NUMERIC) {
            column->feature = schema_add(schema, column->name, strlen(column->name));
            if (column->feature == SCHEMA_NONE)
                return error_memory(error);
        }
    }
    return refuse_shared_names(schema, file, error);
}
