// Which field of a file's rows is which column of the schema.

#include "base/memory.h"
#include "input/csv/header.h"

#include <string.h>

void csv_plan_free(struct csv_plan *plan)
{
    memory_free(plan->columns);
    *plan = (struct csv_plan){0};
}

void csv_plan_runs(struct csv_plan *plan)
{
    for (size_t i = plan->count; i-- > 0;) {
        struct plan_column *column = &plan->columns[i], *next = column + 1;
        bool goes_on = i + 1 < plan->count && next->kind == COLUMN_NUMERIC &&
                       next->feature == column->feature + 1;
        column->run = column->kind != COLUMN_NUMERIC ? 0 : goes_on ? next->run + 1 : 1;
    }
}

static struct plan_column planned(const struct column *column)
{
    return (struct plan_column){column->kind, column->feature, column->name, 0};
}

// By place: as many columns as in training, or one less if the label is left out.
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

// names: of the file's columns, numbered by their places.
static tlu_status plan_by_name(struct csv_plan *plan, const struct schema *schema,
                               const struct table *names, const char *file, uint64_t line,
                               tlu_error *error)
{
    for (size_t i = 0; i < plan->count; i++)
        plan->columns[i] = (struct plan_column){COLUMN_IGNORED, SCHEMA_NONE, "", 0};
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        uint32_t place = table_find(names, column->name, strlen(column->name));
        if (place != TABLE_NONE)
            plan->columns[place] = planned(column);
        else if (column->kind == COLUMN_NUMERIC || column->kind == COLUMN_CATEGORICAL)
            return error_at(error, file, line, 1,
                            "the header lacks the column '%.80s' that the model was trained on",
                            column->name);
    }
    return TLU_OK;
}

// What names at least half of the model's features is a header, no matter what else it looks like.
static bool names_features(const struct schema *schema, const struct table *names)
{
    size_t features = 0, named = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        if (column->kind != COLUMN_NUMERIC && column->kind != COLUMN_CATEGORICAL)
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
    csv_plan_runs(plan);
    return TLU_OK;
}

// The file's header, or NULL, with its names in the table, numbered by their places.
static tlu_status find_named(const struct first_row *first, const struct schema *schema, int choice,
                             const struct csv_row **header, struct table *names, tlu_error *error)
{
    const struct csv_row *rows[] = {&first->row, &first->comment};
    *header = NULL;
    for (size_t i = 0; choice != HEADER_NO && schema->header && i < 2; i++) {
        table_free(names);
        if (rows[i]->count != first->row.count)
            break;
        TRY(enough_memory(csv_name_columns(names, rows[i], rows[i]->count), error));
        if (names_features(schema, names)) {
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
                    "has no column '%s' for --id: give its name in the header, or its number, from "
                    "1 to %zu",
                    error_quote(quoted, sizeof quoted, id, strlen(id)), plan->count);
}

static tlu_status plan_for(struct csv_plan *plan, const struct schema *schema,
                           const struct first_row *first, struct table *names, int choice,
                           const char *file, size_t *used, uint64_t *lines, tlu_error *error)
{
    const struct csv_row *header;
    TRY(plan_new(plan, first->row.count, error));
    TRY(find_named(first, schema, choice, &header, names, error));
    uint64_t line = *lines + first->lines_before + (header != &first->comment);
    *used = header == &first->row ? first->length : first->before;
    *lines = header == &first->row ? first->lines : first->lines_before;
    return header && schema->header ? plan_by_name(plan, schema, names, file, line, error)
                                    : plan_by_place(plan, schema, file, line, error);
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
        status = plan_for(plan, schema, &first, &names, choice, file, used, lines, error);
    if (status == TLU_OK)
        status = find_id(plan, names.count ? &names : NULL, id, file, error);
    if (status == TLU_OK)
        csv_plan_runs(plan);
    first_row_free(&first);
    table_free(&names);
    return status;
}
