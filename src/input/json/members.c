#include "input/json/members.h"

#include "base/memory.h"
#include "input/columns.h"
#include "input/json/json.h"
#include "input/json/objects.h"

#include <string.h>

#define MEMBERS_MAX 16384 // that the first rows decide on; further ones are what their type says

// ---- rows to look at ----

// Steps through the members of the first rows. The rest of a malformed row is skipped.
struct sampler {
    enum json_rows rows;
    const char *at, *limit;
    size_t count;          // rows so far
    struct named_row *row; // too large for a stack
    char *scratch;         // for texts of the row
    size_t capacity;
    struct bad_row bad; // not used
};

static bool sampler_begin(struct sampler *sampler, enum json_rows rows, const char *bytes,
                          size_t size)
{
    *sampler = (struct sampler){.rows = rows, .at = bytes, .limit = bytes + size};
    sampler->row = memory_new(1, sizeof *sampler->row);
    if (!sampler->row)
        return false;
    sampler->row->bad = &sampler->bad;
    return true;
}

static void sampler_end(struct sampler *sampler)
{
    memory_free(sampler->row);
    memory_free(sampler->scratch);
}

// Goes to the next row with members; false: there is no such row, or *fine is false: out of
// memory.
static bool next_row(struct sampler *sampler, bool *fine)
{
    struct named_row *row = sampler->row;
    const char *start, *end;
    bool more = false;
    while (*fine && !more && sampler->count++ < SAMPLE_ROWS &&
           (end = json_next_row(sampler->rows, &sampler->at, sampler->limit, &start))) {
        *fine = memory_reserve(&sampler->scratch, &sampler->capacity,
                               (size_t)(end - start) + JSON_STRING_SCRATCH, 1);
        row->line = row->cursor = start;
        row->end = row->limit = end;
        if (*fine && json_open(row, '}', 0, &more) != PARSE_OK)
            more = false;
    }
    return *fine && more;
}

// The key of the next member, in the scratch; the cursor is at its value.
static bool next_key(struct sampler *sampler, size_t *length)
{
    return json_key(sampler->row, sampler->scratch, length) == PARSE_OK;
}

// After the value.
static bool next_member(struct sampler *sampler)
{
    bool more;
    return json_next(sampler->row, '}', &more) == PARSE_OK && more;
}

// ---- the names ----

struct found_members {
    bool features;       // a row has a member "features"
    bool others;         // or one that is not known
    struct table *names; // NULL: not wanted
};

static bool is_key(const char *key, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

static bool note_key(struct found_members *found, const char *key, size_t length)
{
    bool features = is_key(key, length, "features");
    found->features |= features;
    found->others |= !features && !is_key(key, length, "label") && !is_key(key, length, "text") &&
                     !is_key(key, length, "weight");
    return !found->names || found->names->count >= MEMBERS_MAX ||
           table_add(found->names, key, length) != TABLE_NONE;
}

// False: out of memory.
static bool find_members(struct found_members *found, enum json_rows rows, const char *bytes,
                         size_t size)
{
    struct sampler sampler;
    bool fine = sampler_begin(&sampler, rows, bytes, size);
    size_t length;
    while (fine && !found->features && next_row(&sampler, &fine)) {
        struct named_row *row = sampler.row;
        bool more = next_key(&sampler, &length);
        while (more && fine) {
            fine = note_key(found, sampler.scratch, length);
            const char *end = json_value_end(row->cursor, row->end);
            if (end)
                row->cursor = end;
            more = end && next_member(&sampler) && next_key(&sampler, &length);
        }
    }
    sampler_end(&sampler);
    return fine;
}

// ---- the values ----

// How many values of a member have which type.
struct member_types {
    uint64_t strings, numbers, others;
};

// The value at the cursor; false: it is malformed.
static bool sample_value(struct sampler *sampler, struct column_sample *sample,
                         struct member_types *types)
{
    struct named_row *row = sampler->row;
    char c = json_peek(row);
    const char *text = row->cursor;
    size_t length = c == 'f' ? 5 : 4;
    bool number = c == '-' || (c >= '0' && c <= '9'), nested = c == '{' || c == '[';
    enum parse_result result = PARSE_OK;
    if (c == '"') {
        result = json_string(row, sampler->scratch, &length);
        text = sampler->scratch;
    } else if (number) {
        result = json_read_number(row, NULL, &text, &length);
    } else {
        result = nested ? json_skip(row, sampler->scratch, 1) : json_literal(row);
    }
    if (result != PARSE_OK)
        return false;
    types->strings += c == '"';
    types->numbers += number;
    types->others += nested || c == 't' || c == 'f';
    if (!nested && c != 'n')
        sample_add(sample, text, length);
    return true;
}

// Adds the first rows to the samples and types [names].
static bool take_sample(const struct table *names, enum json_rows rows, const char *bytes,
                        size_t size, struct column_sample *samples, struct member_types *types)
{
    struct sampler sampler;
    bool fine = sampler_begin(&sampler, rows, bytes, size);
    size_t length;
    while (fine && next_row(&sampler, &fine)) {
        bool more = next_key(&sampler, &length);
        while (more) {
            uint32_t member = table_find(names, sampler.scratch, length);
            bool read = member == TABLE_NONE
                            ? json_skip(sampler.row, sampler.scratch, 1) == PARSE_OK
                            : sample_value(&sampler, &samples[member], &types[member]);
            more = read && next_member(&sampler) && next_key(&sampler, &length);
        }
    }
    sampler_end(&sampler);
    return fine;
}

// ---- the columns ----

// Members of a stream that its first rows lack.
static bool add_named(struct table *names, const tlu_options *options)
{
    static const enum option lists[] = {OPTION_NUMERIC, OPTION_CATEGORICAL, OPTION_TEXT,
                                        OPTION_IGNORE};
    const char *label = options_text(options, OPTION_LABEL);
    bool fine = !label[0] || table_add(names, label, strlen(label)) != TABLE_NONE;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const char *cursor = options_text(options, lists[i]), *item;
        size_t length;
        while (fine && (item = options_next_item(&cursor, &length)))
            fine = table_add(names, item, length) != TABLE_NONE;
    }
    return fine;
}

static bool name_columns(struct schema *schema, const struct table *names)
{
    schema->columns = memory_new(names->count, sizeof *schema->columns);
    for (uint32_t i = 0; schema->columns && i < names->count; i++) {
        char *name = memory_copy_text(table_text(names, i), table_length(names, i));
        if (!name)
            return false;
        schema->columns[schema->column_count++] =
            (struct column){.name = name, .feature = SCHEMA_NONE};
    }
    return schema->columns != NULL;
}

// The only column beside "features".
static bool add_text_column(struct schema *schema)
{
    schema->columns = memory_new(1, sizeof *schema->columns);
    if (!schema->columns)
        return false;
    *schema->columns = (struct column){
        .name = memory_copy_text("text", 4), .kind = COLUMN_TEXT, .feature = SCHEMA_NONE};
    schema->column_count = schema->columns->name != NULL;
    return schema->column_count;
}

// Columns that are neither named by an option nor recognised have the type of their values. Those
// with several types, or with values that are neither numbers nor strings, are left out.
static void set_types(struct schema *schema, const enum option *options_of,
                      const struct member_types *types)
{
    size_t kept = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        bool decided = options_of[i] || column->recognised || column->kind == COLUMN_LABEL;
        bool strings = types[i].strings && !types[i].numbers && !types[i].others;
        bool numbers = types[i].numbers && !types[i].strings && !types[i].others;
        if (!decided) {
            column->by_type = true;
            column->kind = strings ? COLUMN_CATEGORICAL : COLUMN_NUMERIC;
        }
        if (decided || strings || numbers)
            schema->columns[kept++] = *column;
        else
            memory_free(column->name);
    }
    schema->column_count = kept;
}

static tlu_status decide(struct table_columns *columns, const struct table *names,
                         struct member_types *types, enum json_rows rows, const char *bytes,
                         size_t size, tlu_error *error)
{
    TRY(columns_begin(columns, error));
    TRY(enough_memory(take_sample(names, rows, bytes, size, columns->samples, types), error));
    TRY(columns_decide(columns, error));
    set_types(columns->schema, columns->options_of, types);
    return enough_memory(json_add_features(columns->schema), error);
}

bool json_add_features(struct schema *schema)
{
    bool fine = true;
    for (size_t i = 0; fine && i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        column->feature = schema_add(schema, column->name, strlen(column->name));
        fine = column->feature != SCHEMA_NONE;
    }
    return fine;
}

tlu_status json_columns(struct schema *schema, const tlu_options *options, const char *file,
                        enum json_rows rows, const char *bytes, size_t size, bool stream,
                        tlu_error *error)
{
    struct table names = {0};
    struct found_members found = {0};
    TRY(enough_memory(find_members(&found, rows, bytes, size), error));
    if (found.features)
        return enough_memory(add_text_column(schema), error);
    if (!found.others)
        return TLU_OK;
    found.names = &names;
    struct table_columns columns = {
        .schema = schema, .options = options, .file = file, .members = true, .named = true};
    struct member_types *types = NULL;
    bool fine = find_members(&found, rows, bytes, size) && (!stream || add_named(&names, options));
    if (fine) {
        types = memory_new(names.count, sizeof *types);
        fine = types && name_columns(schema, &names);
    }
    tlu_status status =
        fine ? decide(&columns, &names, types, rows, bytes, size, error) : error_memory(error);
    columns_end(&columns);
    memory_free(types);
    table_free(&names);
    return status;
}

// ---- the plan ----

bool json_plan_make(struct json_plan *plan, const struct schema *schema)
{
    plan->members = memory_new(schema->column_count, sizeof *plan->members);
    if (!plan->members)
        return false;
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        struct json_member *member = &plan->members[plan->count++];
        *member = (struct json_member){.kind = column->kind,
                                       .by_type = column->by_type,
                                       .name = column->name,
                                       .length = strlen(column->name),
                                       .fill = &column->fill};
        if (table_add(&plan->names, column->name, member->length) != i)
            return false;
        if (column->kind == COLUMN_LABEL)
            plan->label = column->name;
        if (column->kind != COLUMN_TEXT)
            continue;
        member->prefix_length = member->length + 1;
        member->prefix = memory_new(member->prefix_length + 1, 1);
        if (!member->prefix)
            return false;
        memcpy(member->prefix, column->name, member->length);
        member->prefix[member->length] = ':';
        if (member->prefix_length > plan->prefix_max)
            plan->prefix_max = member->prefix_length;
    }
    return true;
}

void json_plan_free(struct json_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        memory_free(plan->members[i].prefix);
    memory_free(plan->members);
    table_free(&plan->names);
    *plan = (struct json_plan){0};
}

bool json_find_features(const struct schema *schema, enum json_rows rows, const char *bytes,
                        size_t size, bool *found)
{
    struct found_members members = {0};
    bool fine = find_members(&members, rows, bytes, size);
    *found = members.features;
    for (size_t i = 0; i < schema->column_count; i++)
        *found = *found && strcmp(schema->columns[i].name, "features") != 0;
    return fine;
}
