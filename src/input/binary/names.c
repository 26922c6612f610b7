// Names and labels of a binary data file: which column a feature is of, and what it is in a model.
#include "base/memory.h"
#include "input/binary/binary.h"
#include "input/csv/csv.h"

#include <string.h>

bool numbers_add(struct numbers *numbers, uint32_t number)
{
    uint32_t **segment = &numbers->segments[numbers->count / NUMBERS_SEGMENT % 32768];
    if (numbers->count >= BATCH_LOCAL)
        return false;
    if (!*segment)
        *segment = memory_resize(NULL, NUMBERS_SEGMENT, sizeof **segment);
    if (!*segment)
        return false;
    (*segment)[numbers->count++ % NUMBERS_SEGMENT] = number;
    return true;
}

void numbers_free(struct numbers *numbers)
{
    for (size_t i = 0; numbers && i < 32768 && numbers->segments[i]; i++)
        memory_free(numbers->segments[i]);
    memory_free(numbers);
}

uint32_t binary_column_of(const struct schema *schema, const struct table *columns,
                          const char *name, size_t length, size_t *value)
{
    for (size_t at = 0; at < length; at++) {
        if (name[at] != '=')
            continue;
        uint32_t place = table_find(columns, name, at);
        if (place == TABLE_NONE)
            continue;
        *value = at + 1;
        enum column_kind kind = schema->columns[place].kind;
        bool missing = length - *value == strlen(CSV_MISSING) &&
                       memcmp(name + *value, CSV_MISSING, strlen(CSV_MISSING)) == 0;
        if (kind == COLUMN_CATEGORICAL || (kind == COLUMN_NUMERIC && missing))
            return place;
    }
    return SCHEMA_NONE;
}

static bool is_feature(const struct column *column)
{
    return column->kind == COLUMN_NUMERIC || column->kind == COLUMN_CATEGORICAL;
}

// As for text (plan.c): by name if both have names, and the file those of at least half of the
// model's features.
static bool goes_by_name(const struct binary_names *names, const struct schema *model)
{
    size_t features = 0, named = 0;
    if (!model->header || !names->file.header)
        return false;
    for (size_t i = 0; i < model->column_count; i++) {
        const char *name = model->columns[i].name;
        features += is_feature(&model->columns[i]);
        named += is_feature(&model->columns[i]) &&
                 table_find(&names->columns, name, strlen(name)) != TABLE_NONE;
    }
    return named > 0 && 2 * named >= features;
}

// Whether the file's column can be used as the model's.
static tlu_status match_column(struct binary_names *names, const struct column *file,
                               const struct column *model, const char *path, tlu_error *error)
{
    static const char *const what[] = {"numbers", "categories", "labels", "nothing"};
    static const char *const how[] = {"numeric", "categorical", "label"};
    if (model->kind == COLUMN_IGNORED || file->kind == model->kind)
        return TLU_OK;
    if (model->kind == COLUMN_LABEL && file->kind == COLUMN_IGNORED) {
        names->labels_differ = true;
        return TLU_OK;
    }
    return error_at(error, path, 0, 0,
                    "column '%.80s' was converted as %s, and the model takes it as %s: convert the "
                    "data again with --%s %.80s",
                    file->name, what[file->kind], what[model->kind], how[model->kind], file->name);
}

tlu_status binary_match_columns(struct binary_names *names, const struct schema *model,
                                const char *path, tlu_error *error)
{
    const struct schema *file = &names->file;
    bool by_name = goes_by_name(names, model), labelled = false;
    names->place = memory_new(file->column_count, sizeof *names->place);
    if (!names->place)
        return error_memory(error);
    for (size_t i = 0; i < file->column_count; i++)
        names->place[i] = SCHEMA_NONE;
    if (!by_name && file->column_count != model->column_count)
        return error_at(error, path, 0, 0, "expected %zu columns as in training, found %zu",
                        model->column_count, file->column_count);
    for (size_t i = 0; i < model->column_count; i++) {
        const struct column *column = &model->columns[i];
        uint32_t place =
            by_name ? table_find(&names->columns, column->name, strlen(column->name)) : (uint32_t)i;
        if (place == TABLE_NONE && is_feature(column))
            return error_at(error, path, 0, 0,
                            "lacks the column '%.80s' that the model was trained on", column->name);
        if (place == TABLE_NONE)
            continue;
        tlu_status status = match_column(names, &file->columns[place], column, path, error);
        if (status != TLU_OK)
            return status;
        labelled |= column->kind == COLUMN_LABEL;
        names->place[place] = (uint32_t)i;
    }
    names->labels_differ |= !labelled;
    return TLU_OK;
}

// The model's feature for COLUMN=VALUE or a numeric COLUMN of the file. If columns go
// by place, the model's may have other names.
static uint32_t translate_csv(struct binary_names *names, const struct schema *model,
                              const char *name, size_t length, bool *memory_out)
{
    size_t value = 0;
    uint32_t place = names->feature->count < names->file.names.count
                         ? table_find(&names->columns, name, length)
                         : binary_column_of(&names->file, &names->columns, name, length, &value);
    uint32_t to = place < names->file.column_count ? names->place[place] : SCHEMA_NONE;
    if (to == SCHEMA_NONE || model->columns[to].kind > COLUMN_CATEGORICAL)
        return BINARY_IGNORED;
    if (value == 0)
        return model->columns[to].feature;
    size_t column = strlen(model->columns[to].name);
    char *own = memory_resize(NULL, column + 1 + length - value + 1, 1);
    *memory_out = !own;
    if (!own)
        return BINARY_NONE;
    memcpy(own, model->columns[to].name, column);
    own[column] = '=';
    memcpy(own + column + 1, name + value, length - value);
    uint32_t feature = schema_find(model, own, column + 1 + length - value);
    memory_free(own);
    return feature;
}

bool binary_add_name(struct binary_names *names, const struct schema *model, const char *name,
                     size_t length)
{
    bool memory_out = false;
    uint32_t feature = schema_is_csv(model) ? translate_csv(names, model, name, length, &memory_out)
                                            : schema_find(model, name, length);
    return !memory_out && numbers_add(names->feature, feature);
}

bool binary_add_label(struct binary_names *names, const struct schema *model, const char *label,
                      size_t length)
{
    uint32_t class_index =
        names->labels_differ ? TLU_NO_LABEL : schema_class_find(model, label, length);
    if (class_index == SCHEMA_NONE && !names->labels_differ)
        class_index = TLU_UNKNOWN_LABEL;
    return numbers_add(names->class_of, class_index);
}

void binary_names_free(struct binary_names *names)
{
    schema_free(&names->file);
    table_free(&names->columns);
    memory_free(names->place);
    numbers_free(names->feature);
    numbers_free(names->class_of);
}
