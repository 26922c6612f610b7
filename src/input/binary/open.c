// Opening and closing a binary data file.
#include "base/memory.h"
#include "input/binary/internal.h"

#include <string.h>

bool binary_is(const char *bytes, size_t size)
{
    return size >= BINARY_MAGIC_SIZE && memcmp(bytes, BINARY_MAGIC, BINARY_MAGIC_SIZE) == 0;
}

static tlu_status number_columns(struct binary *binary, const struct schema *schema,
                                 tlu_error *error)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        uint32_t place = table_add(&binary->names.columns, name, strlen(name));
        if (place == TABLE_NONE)
            return error_memory(error);
        if (place != i)
            return binary_damaged(binary, error, "two columns have the same name");
    }
    return TLU_OK;
}

// The features of the file's numeric columns, in the model.
static tlu_status open_frozen(struct binary *binary, tlu_error *error)
{
    const struct schema *model = binary->schema, *file = &binary->names.file;
    if (file->format != model->format && !(schema_is_named(file) && schema_is_named(model)))
        return error_at(error, binary->path, 0, 0, "is %s, but the model was trained on %s",
                        format_table[file->format].title, format_table[model->format].title);
    binary->names.feature = memory_new(1, sizeof *binary->names.feature);
    binary->names.class_of = memory_new(1, sizeof *binary->names.class_of);
    if (!binary->names.feature || !binary->names.class_of)
        return error_memory(error);
    if (schema_is_csv(file))
        TRY(binary_match_columns(&binary->names, model, binary->path, error));
    for (uint32_t i = 0; i < file->names.count; i++) {
        const char *name = table_text(&file->names, i);
        size_t length = table_length(&file->names, i);
        TRY(enough_memory(binary_add_name(&binary->names, model, name, length), error));
    }
    return TLU_OK;
}

// Maps the source if it can be; else `first` is where its bytes begin.
static tlu_status open_input(struct binary_input *input, struct source *source, const char *first,
                             size_t size, tlu_error *error)
{
    // The arrays are numbers of four bytes.
    if (source && source_map(source, &input->map, &input->map_size, &input->pages) &&
        (uintptr_t)input->map % sizeof(uint32_t))
        input->map = NULL;
    if (input->map)
        return TLU_OK;
    input->source = source;
    input->start = memory_resize(NULL, size, 1);
    TRY(enough_memory(input->start, error));
    memcpy(input->start, first, size);
    input->start_size = size;
    return TLU_OK;
}

static tlu_status open_file(struct binary *binary, struct source *source, const char *path,
                            const char *first, size_t size, tlu_error *error)
{
    struct schema *schema = binary->schema;
    struct schema *columns = schema->frozen ? &binary->names.file : schema;
    binary->path = memory_copy_text(path, strlen(path));
    TRY(enough_memory(binary->path, error));
    TRY(open_input(&binary->input, source, first, size, error));
    TRY(binary_read_header(binary, columns, error));
    TRY(number_columns(binary, columns, error));
    return schema->frozen ? open_frozen(binary, error) : TLU_OK;
}

tlu_status binary_open(struct binary **out, struct source *source, const char *path,
                       const char *first, size_t size, const struct parser *parser,
                       struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct binary *binary = memory_new(1, sizeof *binary);
    if (!binary)
        return error_memory(error);
    pthread_mutex_init(&binary->text_lock, NULL);
    schema_init(&binary->names.file);
    binary->schema = schema;
    binary->labelled = parser->labelled;
    tlu_status status = open_file(binary, source, path, first, size, error);
    if (status != TLU_OK)
        binary_close(binary);
    else
        *out = binary;
    return status;
}

enum data_format binary_format(const struct binary *binary)
{
    return binary->schema->frozen ? binary->names.file.format : binary->schema->format;
}

void binary_close(struct binary *binary)
{
    if (!binary)
        return;
    for (size_t i = 0; i < binary->setting_count; i++) {
        memory_free(binary->settings[i].name);
        memory_free(binary->settings[i].value);
    }
    memory_free(binary->settings);
    memory_free(binary->input.start);
    memory_free(binary->path);
    memory_free(binary->merged.class_to);
    memory_free(binary->merged.feature_to);
    memory_free(binary->merged.slot_of);
    table_free(&binary->merged.labels);
    table_free(&binary->merged.names);
    table_free(&binary->label_texts);
    binary_names_free(&binary->names);
    pthread_mutex_destroy(&binary->text_lock);
    memory_free(binary);
}

tlu_status binary_adopt(const struct binary *binary, tlu_options *options, tlu_error *error)
{
    static const enum option fixed[] = {OPTION_DELIMITER, OPTION_HEADER,      OPTION_MISSING,
                                        OPTION_LABEL,     OPTION_CATEGORICAL, OPTION_NUMERIC,
                                        OPTION_IGNORE,    OPTION_NGRAMS,      OPTION_LOWERCASE};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        const char *name = tlu_option_at(fixed[i])->name, *stored = tlu_option_at(fixed[i])->value;
        for (size_t k = 0; k < binary->setting_count; k++)
            if (strcmp(binary->settings[k].name, name) == 0)
                stored = binary->settings[k].value;
        if (options_is_set(options, fixed[i]) &&
            strcmp(options_text(options, fixed[i]), stored) != 0)
            return error_at(error, binary->path, 0, 0,
                            "--%s was settled when the data was converted: give it to tlu convert",
                            name);
    }
    for (size_t k = 0; k < binary->setting_count; k++) {
        const struct setting *setting = &binary->settings[k];
        const tlu_option_info *info = tlu_option_find(setting->name);
        if (!info || strcmp(info->group, "learning") == 0 ||
            strcmp(info->group, "measuring") == 0 || strcmp(info->name, "scale") == 0 ||
            option_is_technical((enum option)(info - tlu_option_at(0))))
            return binary_damaged(binary, error, "it has a setting of another kind");
        if (options_is_set(options, (enum option)(info - tlu_option_at(0))))
            continue;
        tlu_status status = tlu_options_set(options, setting->name, setting->value, error);
        if (status == TLU_ERROR_INPUT)
            return binary_damaged(binary, error, "its setting of --%s is not allowed",
                                  setting->name);
        TRY(status);
    }
    return TLU_OK;
}
