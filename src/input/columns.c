#include "input/columns.h"

#include "base/memory.h"
#include "input/named.h"
#include "numeric/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

tlu_status columns_begin(struct table_columns *columns, tlu_error *error)
{
    const struct schema *schema = columns->schema;
    size_t count = schema->column_count;
    columns->options_of = memory_new(count, sizeof *columns->options_of);
    columns->samples = memory_new(count, sizeof *columns->samples);
    TRY(enough_memory(columns->options_of && columns->samples, error));
    for (size_t i = 0; i < count; i++)
        columns->samples[i].name = schema->columns[i].name;
    return TLU_OK;
}

void columns_end(struct table_columns *columns)
{
    memory_free(columns->options_of);
    memory_free(columns->samples);
}

static const char *what(const struct table_columns *columns)
{
    return columns->members ? "member" : "column";
}

static bool copies(const struct table_columns *columns)
{
    return columns->schema->plain && !columns->members;
}

// ---- columns that options name ----

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

size_t columns_find(const struct table_columns *columns, enum option option, const char *text,
                    size_t length, tlu_error *error)
{
    const struct schema *schema = columns->schema;
    const char *name_of_option = tlu_option_at(option)->name;
    for (size_t i = 0; i < schema->column_count; i++)
        if (strlen(schema->columns[i].name) == length &&
            memcmp(schema->columns[i].name, text, length) == 0)
            return i;
    uint64_t number;
    if (!columns->members && number_index(text, length, &number) && number >= 1 &&
        number <= schema->column_count)
        return (size_t)number - 1;
    char list[400], wanted[64], near[64];
    error_quote(wanted, sizeof wanted, text, length);
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        if (strlen(name) == length && strncasecmp(name, text, length) == 0) {
            error_at(error, columns->file, 0, 0, "there is no %s '%s' for --%s; did you mean '%s'?",
                     what(columns), wanted, name_of_option,
                     error_quote(near, sizeof near, name, length));
            return SCHEMA_NONE;
        }
    }
    list_columns(schema, list, sizeof list);
    error_at(error, columns->file, 0, 0, "there is no %s '%s' for --%s; the %ss are %s",
             what(columns), wanted, name_of_option, what(columns), list);
    return SCHEMA_NONE;
}

static tlu_status set_kinds(struct table_columns *columns, enum option option,
                            enum column_kind kind, tlu_error *error)
{
    const char *cursor = options_text(columns->options, option), *item;
    size_t length;
    while ((item = options_next_item(&cursor, &length))) {
        size_t i = columns_find(columns, option, item, length, error);
        if (i == SCHEMA_NONE)
            return TLU_ERROR_INPUT;
        struct column *column = &columns->schema->columns[i];
        enum option *option_of = &columns->options_of[i];
        if (column->kind == COLUMN_LABEL)
            return error_at(error, columns->file, 0, 0,
                            "%s '%.80s' is the label and cannot be in --%s", what(columns),
                            column->name, tlu_option_at(option)->name);
        if (*option_of && *option_of != option)
            return error_at(error, columns->file, 0, 0,
                            "%s '%.80s' is in --%s and in --%s; name it in only one of them",
                            what(columns), column->name, tlu_option_at(*option_of)->name,
                            tlu_option_at(option)->name);
        *option_of = option;
        column->kind = copies(columns) && kind == COLUMN_TEXT ? COLUMN_CATEGORICAL : kind;
    }
    return TLU_OK;
}

static tlu_status set_given_kinds(struct table_columns *columns, tlu_error *error)
{
    static const struct {
        enum option option;
        enum column_kind kind;
    } lists[] = {{OPTION_NUMERIC, COLUMN_NUMERIC},
                 {OPTION_CATEGORICAL, COLUMN_CATEGORICAL},
                 {OPTION_TEXT, COLUMN_TEXT},
                 {OPTION_IGNORE, COLUMN_IGNORED}};
    const char *wanted = options_text(columns->options, OPTION_LABEL);
    if (wanted[0]) {
        size_t label = columns_find(columns, OPTION_LABEL, wanted, strlen(wanted), error);
        if (label == SCHEMA_NONE)
            return TLU_ERROR_INPUT;
        columns->schema->columns[label].kind = COLUMN_LABEL;
        columns->schema->label_reason = LABEL_GIVEN;
        columns->options_of[label] = OPTION_LABEL;
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        TRY(set_kinds(columns, lists[i].option, lists[i].kind, error));
    return TLU_OK;
}

// ---- what the first rows tell ----

static tlu_status find_label(struct table_columns *columns, bool *open, tlu_error *error)
{
    struct schema *schema = columns->schema;
    const size_t count = schema->column_count;
    char list[400];
    if (schema->label_reason == LABEL_GIVEN)
        return TLU_OK;
    size_t label = sample_find_label(columns->samples, count, open, &schema->label_reason);
    if (columns->members && schema->label_reason == LABEL_LAST) {
        list_columns(schema, list, sizeof list);
        return error_at(error, columns->file, 0, 0,
                        "no member has a common label name such as label or class; choose the "
                        "label with --label NAME; the members are %s",
                        list);
    }
    if (schema->label_reason == LABEL_LAST) { // of those that no option names
        for (size_t i = 0; i < count; i++)
            open[i] &= !columns->options_of[i];
        label = sample_find_label(columns->samples, count, open, &schema->label_reason);
    }
    if (columns->options_of[label])
        return error_at(error, columns->file, 0, 0,
                        "%s '%.80s' is the label and cannot be in --%s; choose another label with "
                        "--label",
                        what(columns), schema->columns[label].name,
                        tlu_option_at(columns->options_of[label])->name);
    schema->columns[label].kind = COLUMN_LABEL;
    return TLU_OK;
}

static void recognise_columns(struct table_columns *columns, const bool *open)
{
    struct schema *schema = columns->schema;
    size_t count = schema->column_count, features = 0, identifiers = 0;
    for (size_t i = 0; i < count; i++) {
        struct column *column = &schema->columns[i];
        if (columns->options_of[i] || column->kind == COLUMN_LABEL) {
            features += column_has_features(column->kind);
            continue;
        }
        if (copies(columns)) {
            features++;
            continue;
        }
        // The column's name is part of the name of each word, so it must not be too long.
        bool is_text = open[i] && strlen(column->name) <= NAMED_PATH_MAX &&
                       sample_is_text(&columns->samples[i]);
        features += open[i];
        identifiers += !open[i];
        column->recognised = is_text || !open[i];
        column->kind = is_text ? COLUMN_TEXT : open[i] ? column->kind : COLUMN_IGNORED;
    }
    for (size_t i = 0; features == 0 && identifiers && i < count; i++)
        if (schema->columns[i].recognised)
            schema->columns[i] = (struct column){
                .name = schema->columns[i].name, .kind = COLUMN_NUMERIC, .feature = SCHEMA_NONE};
}

static tlu_status decide(struct table_columns *columns, bool *open, tlu_error *error)
{
    const struct schema *schema = columns->schema;
    TRY(set_given_kinds(columns, error));
    for (size_t i = 0; i < schema->column_count; i++)
        open[i] =
            columns->options_of[i] || !sample_is_identifier(&columns->samples[i], columns->named);
    TRY(find_label(columns, open, error));
    recognise_columns(columns, open);
    return TLU_OK;
}

tlu_status columns_decide(struct table_columns *columns, tlu_error *error)
{
    const struct schema *schema = columns->schema;
    bool *open = memory_new(schema->column_count, sizeof *open);
    tlu_status status = open ? decide(columns, open, error) : error_memory(error);
    memory_free(open);
    TRY(status);
    size_t features = 0, label = 0;
    for (size_t i = 0; i < schema->column_count; i++) {
        features += column_has_features(schema->columns[i].kind);
        label = schema->columns[i].kind == COLUMN_LABEL ? i : label;
    }
    if (features == 0)
        return error_at(error, columns->file, 0, 0,
                        "there is nothing to learn from: no %s is left besides the label '%.80s'; "
                        "check --ignore",
                        what(columns), schema->columns[label].name);
    return TLU_OK;
}
