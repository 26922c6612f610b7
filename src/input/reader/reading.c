#include "input/reader.h"

#include "base/memory.h"
#include "input/reader/internal.h"
#include "input/text/words.h"

#include <string.h>

// The schema's columns that the fields of the plan are, by their names, each of which is there
// once.
static bool find_columns(uint32_t *columns, const struct csv_plan *plan,
                         const struct schema *schema)
{
    struct table names = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < schema->column_count; i++)
        fine = table_add(&names, schema->columns[i].name, strlen(schema->columns[i].name)) == i;
    for (size_t i = 0; fine && i < plan->count; i++) {
        const struct plan_column *field = &plan->columns[i];
        columns[i] = field->kind == COLUMN_IGNORED
                         ? SCHEMA_NONE
                         : table_find(&names, field->name, strlen(field->name));
    }
    table_free(&names);
    return fine;
}

tlu_status reading_of(struct reading *reading, const struct reader *reader, tlu_error *error)
{
    const struct csv_plan *plan = &reader->plan;
    *reading = (struct reading){.format = reader->format,
                                .skip_bad = reader->parser.skip_bad,
                                .missing = reader->parser.missing,
                                .json = reader->parser.rows};
    if (!format_has_columns(reader->format))
        return TLU_OK;
    if (plan->decimal_comma != reader->schema->decimal_comma)
        return error_at(
            error, reader->path, 0, 0,
            "numbers of the model have a decimal %s and these have a %s; give --decimal, "
            "or convert them",
            reader->schema->decimal_comma ? "comma" : "point",
            plan->decimal_comma ? "comma" : "point");
    reading->delimiter = plan->delimiter;
    reading->decimal_comma = plan->decimal_comma;
    reading->count = plan->count;
    reading->columns = memory_new(plan->count, sizeof *reading->columns);
    bool fine = reading->columns && find_columns(reading->columns, plan, reader->schema);
    return enough_memory(fine, error);
}

void reading_free(struct reading *reading)
{
    memory_free(reading->columns);
    *reading = (struct reading){0};
}

static tlu_status plan_as(struct csv_plan *plan, const struct reading *reading,
                          const struct schema *schema, tlu_error *error)
{
    plan->delimiter = reading->delimiter;
    plan->columns = memory_new(reading->count, sizeof *plan->columns);
    TRY(enough_memory(plan->columns, error));
    plan->count = reading->count;
    for (size_t i = 0; i < plan->count; i++) {
        uint32_t column = reading->columns[i];
        const struct column *own = column == SCHEMA_NONE ? NULL : &schema->columns[column];
        plan->columns[i] = (struct plan_column){.kind = own ? own->kind : COLUMN_IGNORED,
                                                .feature = own ? own->feature : SCHEMA_NONE,
                                                .name = own ? own->name : "",
                                                .fill = own ? &own->fill : NULL};
    }
    plan->decimal_comma = reading->decimal_comma;
    return enough_memory(csv_plan_complete(plan), error);
}

tlu_status reader_open_read(struct reader **out, const char *path, const struct reading *reading,
                            struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct reader *reader = reader_new(path, NULL, schema);
    TRY(enough_memory(reader, error));
    reader->stream = true;
    reader->chunks.ended = true;
    reader->format = reading->format;
    reader->parse = format_table[reading->format].parse;
    reader->parser.labelled = false;
    reader->parser.stream = true;
    reader->parser.skip_bad = reading->skip_bad;
    reader->parser.missing = reading->missing;
    tlu_status status = TLU_OK;
    if (schema_has_members(schema)) {
        reader->parser.members = &reader->members;
        status = enough_memory(json_plan_make(&reader->members, schema), error);
    }
    reader->parser.rows = reader->chunks.rule.json = reading->json;
    if (format_has_columns(reading->format)) {
        reader->parser.plan = &reader->plan;
        reader->chunks.rule.delimiter = reading->delimiter;
        status = plan_as(&reader->plan, reading, schema, error);
    }
    return reader_opened(out, reader, status);
}

bool schema_reads_same(const struct schema *a, const struct schema *b)
{
    bool same = a->format == b->format && words_same_rule(a, b) &&
                a->column_count == b->column_count && a->header == b->header &&
                a->delimiter == b->delimiter && a->decimal_comma == b->decimal_comma;
    for (size_t i = 0; same && i < a->column_count; i++)
        same = column_code(&a->columns[i]) == column_code(&b->columns[i]) &&
               strcmp(a->columns[i].name, b->columns[i].name) == 0;
    return same;
}

static tlu_status copy_columns(struct schema *schema, const struct schema *decided,
                               tlu_error *error)
{
    schema->columns = memory_new(decided->column_count, sizeof *schema->columns);
    TRY(enough_memory(schema->columns, error));
    for (size_t i = 0; i < decided->column_count; i++) {
        const struct column *from = &decided->columns[i];
        char *name = memory_copy_text(from->name, strlen(from->name));
        TRY(enough_memory(name, error));
        schema->columns[i] = (struct column){
            .name = name, .kind = from->kind, .by_type = from->by_type, .feature = SCHEMA_NONE};
        schema->column_count = i + 1;
    }
    return TLU_OK;
}

tlu_status schema_settle_as(struct schema *schema, const struct schema *decided, const char *path,
                            tlu_error *error)
{
    schema->format = decided->format;
    schema->base = schema_is_indexed(decided) && !schema->slots.bits ? SCHEMA_DIRECT : 0;
    TRY(enough_memory(words_copy_rule(schema, decided), error));
    schema->header = decided->header;
    schema->delimiter = decided->delimiter;
    schema->decimal_comma = decided->decimal_comma;
    schema->known = true;
    if (!decided->column_count)
        return TLU_OK;
    TRY(copy_columns(schema, decided, error));
    if (!schema_is_csv(decided))
        return enough_memory(json_add_features(schema), error);
    struct column_stats *stats =
        memory_new(decided->column_count, sizeof *stats); // nothing is open
    TRY(enough_memory(stats, error));
    tlu_status status = csv_kinds_decide(schema, stats, false, path, error);
    memory_free(stats);
    return status;
}
