// Reads a binary data file: its bytes, mapped or read; its header, with the columns and settings;
// its blocks, one after the other. The file is untrusted: every size and number in it is checked.
#include "input/binary/internal.h"

#include "base/crc.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FETCH_FIRST ((size_t)1 << 20) // more is believed only when it comes

tlu_status binary_damaged(const struct binary *binary, tlu_error *error, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return error_at(error, binary->path, 0, 0,
                    "the binary data is damaged: %s; convert the text again", reason);
}

static tlu_status binary_cut_short(const struct binary *binary, tlu_error *error)
{
    return error_at(
        error, binary->path, 0, 0,
        "the binary data is cut short: its last block is missing; convert the text again");
}

// ---- bytes ----

// Up to `size` bytes, fewer only at the end of the data.
static tlu_status binary_read(struct binary *binary, char *bytes, size_t size, size_t *got,
                              tlu_error *error)
{
    size_t left = binary->input.start_size - binary->input.start_at, more = 0;
    *got = size < left ? size : left;
    if (*got)
        memcpy(bytes, binary->input.start + binary->input.start_at, *got);
    binary->input.start_at += *got;
    tlu_status status = TLU_OK;
    if (*got < size && binary->input.source)
        status = source_read(binary->input.source, bytes + *got, size - *got, &more, error);
    *got += more;
    return status;
}

// A block of `size` bytes of which `have` are in *bytes already. Grows with what comes, not with
// what the file says.
static tlu_status binary_fetch(struct binary *binary, char **bytes, size_t *capacity, size_t have,
                               uint64_t size, tlu_error *error)
{
    while (have < size) {
        size_t step = have < FETCH_FIRST ? FETCH_FIRST : have, got;
        if (step > size - have)
            step = (size_t)(size - have);
        TRY(enough_memory(memory_reserve(bytes, capacity, have + step, 1), error));
        TRY(binary_read(binary, *bytes + have, step, &got, error));
        if (got < step)
            return binary_cut_short(binary, error);
        have += got;
    }
    return TLU_OK;
}

// ---- texts ----

bool binary_next_text(struct binary_texts *texts, const char **text, size_t *length)
{
    uint32_t size;
    if ((size_t)(texts->end - texts->at) < sizeof size)
        return false;
    memcpy(&size, texts->at, sizeof size);
    texts->at += sizeof size;
    if ((size_t)(texts->end - texts->at) < size)
        return false;
    *text = texts->at;
    *length = size;
    texts->at += size;
    return !memchr(*text, '\0', size);
}

// Whether the rest is padding.
static bool binary_texts_end(const struct binary_texts *texts)
{
    if (texts->end - texts->at >= BINARY_ALIGNMENT)
        return false;
    for (const char *at = texts->at; at < texts->end; at++)
        if (*at)
            return false;
    return true;
}

struct binary_texts binary_texts(const struct binary_block *block)
{
    return (struct binary_texts){block->bytes + BINARY_BLOCK, block->bytes + block->header.head};
}

// ---- the header ----

// A column, which goes into `schema`.
static tlu_status read_column(struct binary *binary, struct binary_texts *texts,
                              struct schema *schema, tlu_error *error)
{
    uint32_t kind;
    const char *name;
    size_t length;
    bool fine = (size_t)(texts->end - texts->at) >= sizeof kind;
    if (fine) {
        memcpy(&kind, texts->at, sizeof kind);
        texts->at += sizeof kind;
        fine = kind < (schema_is_csv(schema) ? COLUMN_TEXT + 1 : COLUMN_CODES) &&
               binary_next_text(texts, &name, &length);
    }
    if (!fine)
        return binary_damaged(binary, error, "column %zu is malformed", schema->column_count + 1);
    struct column *column = &schema->columns[schema->column_count];
    *column = (struct column){
        .name = memory_copy_text(name, length), .feature = SCHEMA_NONE, .missing = UINT64_MAX};
    column_set_code(column, kind);
    TRY(enough_memory(column->name, error));
    schema->column_count++;
    if (column->kind == COLUMN_NUMERIC) {
        column->feature = schema_add(schema, name, length);
        TRY(enough_memory(column->feature != SCHEMA_NONE, error));
    }
    return TLU_OK;
}

static tlu_status read_columns(struct binary *binary, struct binary_texts *texts, uint32_t count,
                               struct schema *schema, tlu_error *error)
{
    // Each takes at least eight bytes: what the file says is not believed beyond that.
    if (count > (size_t)(texts->end - texts->at) / 8)
        return binary_damaged(binary, error, "%u columns are more than it has", count);
    schema->columns = memory_new(count, sizeof *schema->columns);
    TRY(enough_memory(schema->columns, error));
    for (uint32_t i = 0; i < count; i++)
        TRY(read_column(binary, texts, schema, error));
    if ((schema_is_csv(schema) || count) && !schema_columns_fit(schema))
        return binary_damaged(binary, error, "not exactly one column is the label");
    return TLU_OK;
}

static tlu_status read_settings(struct binary *binary, struct binary_texts *texts, uint32_t count,
                                tlu_error *error)
{
    if (count > OPTION_COUNT)
        return binary_damaged(binary, error, "%u settings are too many", count);
    binary->settings = memory_new(count, sizeof *binary->settings);
    TRY(enough_memory(binary->settings, error));
    for (uint32_t i = 0; i < count; i++) {
        const char *name, *value;
        size_t length, value_length;
        if (!binary_next_text(texts, &name, &length) ||
            !binary_next_text(texts, &value, &value_length))
            return binary_damaged(binary, error, "setting %u is malformed", i + 1);
        struct setting *setting = &binary->settings[binary->setting_count++];
        setting->name = memory_copy_text(name, length);
        setting->value = memory_copy_text(value, value_length);
        TRY(enough_memory(setting->name && setting->value, error));
    }
    return binary_texts_end(texts) ? TLU_OK
                                   : binary_damaged(binary, error, "the header is too long");
}

// The number of a format whose features are names; 0 for the others, as CSV has a flag. Of these,
// CSV and JSON have columns.
static bool format_is_one(const struct binary_header *header)
{
    bool columns = header->flags & BINARY_CSV || header->format == DATA_JSONL;
    if (header->columns && !columns)
        return false;
    return header->format == 0 ||
           (header->format < DATA_FORMATS && format_is_named((enum data_format)header->format) &&
            (header->flags & ~(uint32_t)BINARY_SETS) == 0);
}

static tlu_status check_header(const struct binary *binary, const struct binary_header *header,
                               tlu_error *error)
{
    if (header->order == 0x04030201u)
        return error_at(error, binary->path, 0, 0,
                        "the binary data is from a machine with another order of bytes; convert "
                        "the text again here");
    if (header->order == BINARY_ORDER && header->version > BINARY_VERSION)
        return error_at(
            error, binary->path, 0, 0,
            "the binary data was made by a newer version (format %u); convert the text again here",
            header->version);
    if (header->order != BINARY_ORDER || header->version == 0)
        return binary_damaged(binary, error, "its header is malformed");
    if (header->size < BINARY_HEADER || header->size % BINARY_ALIGNMENT || header->flags > 15 ||
        (header->version == BINARY_VERSION) != ((header->flags & BINARY_SETS) != 0) ||
        header->delimiter > 127 || !format_is_one(header))
        return binary_damaged(binary, error, "its header is impossible");
    return TLU_OK;
}

// The bytes of the header, in the mapping or in memory of their own.
static tlu_status find_header(struct binary *binary, struct binary_header *header, char **owned,
                              tlu_error *error)
{
    const struct binary_input *input = &binary->input;
    size_t capacity = 0;
    if (!input->map)
        TRY(binary_fetch(binary, owned, &capacity, 0, BINARY_HEADER, error));
    else if (input->map_size < BINARY_HEADER)
        return binary_cut_short(binary, error);
    memcpy(header, input->map ? input->map : *owned, sizeof *header);
    TRY(check_header(binary, header, error));
    if (!input->map)
        TRY(binary_fetch(binary, owned, &capacity, BINARY_HEADER, header->size, error));
    else if (header->size > input->map_size)
        return binary_cut_short(binary, error);
    return TLU_OK;
}

// Fills the schema's format and columns, and the file's settings.
static tlu_status take_header(struct binary *binary, struct schema *schema, char **owned,
                              tlu_error *error)
{
    struct binary_header header;
    TRY(find_header(binary, &header, owned, error));
    const char *bytes = binary->input.map ? binary->input.map : *owned;
    uint32_t crc = crc32_add(0, bytes, BINARY_HEADER - sizeof crc);
    crc = crc32_add(crc, bytes + BINARY_HEADER, (size_t)header.size - BINARY_HEADER);
    if (crc != header.crc)
        return binary_damaged(binary, error, "the checksum of its header is wrong");
    struct binary_texts texts = {bytes + BINARY_HEADER, bytes + header.size};
    schema->format = header.flags & BINARY_CSV ? DATA_CSV : (enum data_format)header.format;
    schema->header = header.flags & BINARY_NAMED;
    schema->numbered_words = header.flags & BINARY_WORDS;
    schema->delimiter = (char)header.delimiter;
    schema->multilabel = binary->sets = header.flags & BINARY_SETS;
    schema->base = schema_is_indexed(schema) ? SCHEMA_DIRECT : 0;
    TRY(read_columns(binary, &texts, header.columns, schema, error));
    TRY(read_settings(binary, &texts, header.settings, error));
    binary->input.at = binary->input.map ? (size_t)header.size : 0;
    binary->input.position = header.size;
    binary->found.names = schema->names.count;
    return TLU_OK;
}

// ---- blocks ----

static bool sizes_fit(const struct binary *binary, const struct binary_block_header *header)
{
    bool indexed = format_is_indexed(binary_format(binary));
    bool direct = header->lowest <= header->highest;
    if (header->head < BINARY_BLOCK || header->head % BINARY_ALIGNMENT ||
        header->head > UINT64_MAX / 2 || header->rows >= UINT32_MAX ||
        header->nonzeros >= UINT32_MAX || header->flags > (BINARY_ONES | BINARY_WEIGHTED) ||
        header->set_cells >= TLU_UNKNOWN_LABEL || (header->set_cells && !binary->sets) ||
        (direct && (!indexed || header->highest >= SCHEMA_DIRECT)) ||
        header->labels >= BATCH_LOCAL - binary->found.labels ||
        header->names >= BATCH_LOCAL - SCHEMA_DIRECT - binary->found.names)
        return false;
    uint64_t entries = binary_padded(4 * header->nonzeros) * (header->flags & BINARY_ONES ? 1 : 2);
    uint64_t rows = binary_padded(4 * (header->rows + 1)) +
                    (header->flags & BINARY_WEIGHTED ? 3 : 2) * binary_padded(4 * header->rows) +
                    binary_padded(4 * header->set_cells);
    return header->size == header->head + entries + rows;
}

static tlu_status check_end(struct binary *binary, const struct binary_block_header *header,
                            tlu_error *error)
{
    char byte;
    size_t more = 0;
    if (header->size != BINARY_BLOCK || header->head != BINARY_BLOCK ||
        header->lines != binary->found.blocks || header->rows != binary->found.rows ||
        header->nonzeros != binary->found.nonzeros || header->labels != binary->found.labels ||
        header->names != binary->found.names)
        return binary_damaged(binary, error, "its blocks are not those that it should have");
    if (binary->input.map)
        more = binary->input.map_size - binary->input.at - BINARY_BLOCK;
    else
        TRY(binary_read(binary, &byte, 1, &more, error));
    return more ? binary_damaged(binary, error, "there is something after its end") : TLU_OK;
}

// New labels and names: whether they are what they should be, and for a model what they lead to.
static tlu_status read_texts(struct binary *binary, const struct binary_block *block,
                             tlu_error *error)
{
    struct binary_texts texts = binary_texts(block);
    const struct schema *schema = binary->schema;
    const struct schema *file = schema->frozen ? &binary->names.file : schema;
    uint32_t labels = block->header.labels, names = block->header.names;
    for (uint64_t i = 0; i < (uint64_t)labels + names; i++) {
        const char *text;
        size_t length, value;
        uint64_t index;
        bool label = i < labels;
        bool fine = binary_next_text(&texts, &text, &length) && length > 0;
        if (fine && !label)
            fine = schema_is_named(file) ||
                   (schema_is_csv(file)
                        ? binary_column_of(file, &binary->names.columns, text, length, &value) !=
                              SCHEMA_NONE
                        : number_index(text, length, &index) && index >= SCHEMA_DIRECT);
        if (!fine)
            return binary_damaged(binary, error, "a %s of block %llu is malformed",
                                  label ? "label" : "name", (unsigned long long)block->number + 1);
        if (schema->frozen && label) {
            pthread_mutex_lock(&binary->text_lock);
            uint32_t number = table_add(&binary->label_texts, text, length);
            pthread_mutex_unlock(&binary->text_lock);
            if (number != TABLE_NONE && number != block->labels_before + i)
                return binary_damaged(binary, error, "a label is there twice");
            fine = number != TABLE_NONE && binary_add_label(&binary->names, schema, text, length);
        } else if (schema->frozen) {
            fine = binary_add_name(&binary->names, schema, text, length);
        }
        TRY(enough_memory(fine, error));
    }
    if (!binary_texts_end(&texts))
        return binary_damaged(binary, error, "the head of block %llu is too long",
                              (unsigned long long)block->number + 1);
    return TLU_OK;
}

// Before anything that the header says is believed.
static tlu_status check_block(struct binary *binary, const struct binary_block *block,
                              tlu_error *error)
{
    const struct binary_block_header *header = &block->header;
    unsigned long long number = (unsigned long long)block->number + 1;
    if (header->kind != BINARY_IS_BLOCK && !block->end)
        return binary_damaged(binary, error, "block %llu is of an unknown kind", number);
    if (block->end && header->head != BINARY_BLOCK)
        return binary_damaged(binary, error, "its end is malformed");
    if (block->end)
        return check_end(binary, header, error);
    if (!sizes_fit(binary, header))
        return binary_damaged(binary, error, "the sizes of block %llu are impossible", number);
    return TLU_OK;
}

// The bytes of the block, in the mapping or in block->owned.
static tlu_status find_bytes(struct binary *binary, struct binary_block *block, tlu_error *error)
{
    struct binary_block_header *header = &block->header;
    const struct binary_input *input = &binary->input;
    size_t capacity = 0, left = input->map_size - input->at;
    if (!input->map)
        TRY(binary_fetch(binary, &block->owned, &capacity, 0, BINARY_BLOCK, error));
    else if (left < BINARY_BLOCK)
        return binary_cut_short(binary, error);
    memcpy(header, input->map ? input->map + input->at : block->owned, sizeof *header);
    block->end = header->kind == BINARY_IS_END;
    TRY(check_block(binary, block, error));
    if (!input->map)
        TRY(binary_fetch(binary, &block->owned, &capacity, BINARY_BLOCK, header->size, error));
    else if (header->size > left)
        return binary_cut_short(binary, error);
    block->bytes = input->map ? input->map + input->at : block->owned;
    return TLU_OK;
}

static tlu_status find_block(struct binary *binary, struct binary_block *block, tlu_error *error)
{
    const struct binary_block_header *header = &block->header;
    TRY(find_bytes(binary, block, error));
    if (crc32_add(0, block->bytes + 8, (size_t)header->head - 8) != header->crc)
        return binary_damaged(binary, error, "the checksum of the head of block %llu is wrong",
                              (unsigned long long)block->number + 1);
    return block->end ? TLU_OK : read_texts(binary, block, error);
}

tlu_status binary_next(struct binary *binary, struct binary_block *block, tlu_error *error)
{
    *block = (struct binary_block){.number = binary->found.blocks,
                                   .labels_before = binary->found.labels,
                                   .names_before = binary->found.names};
    tlu_status status = find_block(binary, block, error);
    if (status != TLU_OK || block->end) {
        binary_drop(block);
        return status;
    }
    const struct binary_block_header *header = &block->header;
    binary->found.blocks++;
    binary->found.rows += header->rows;
    binary->found.nonzeros += header->nonzeros;
    binary->found.labels += header->labels;
    binary->found.names += header->names;
    binary->input.at += binary->input.map ? (size_t)header->size : 0;
    binary->input.position += header->size;
    block->position = binary->input.position;
    return TLU_OK;
}

void binary_drop(struct binary_block *block)
{
    memory_free(block->owned);
    block->owned = NULL;
}

// ---- opening and closing ----

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
        TRY(enough_memory(place != TABLE_NONE, error));
        if (place != i)
            return binary_damaged(binary, error, "two columns have the same name");
    }
    return TLU_OK;
}

// The features of the file's numeric columns, in the model.
static tlu_status open_frozen(struct binary *binary, tlu_error *error)
{
    const struct schema *model = binary->schema, *file = &binary->names.file;
    bool records = schema_is_records(file), wanted = schema_is_records(model);
    if (records != wanted || schema_has_members(file) != schema_has_members(model) ||
        (file->format != model->format && !(schema_is_named(file) && schema_is_named(model))))
        return error_at(error, binary->path, 0, 0, "is %s, but the model was trained on %s",
                        records ? "JSON records" : format_table[file->format].title,
                        wanted ? "JSON records" : format_table[model->format].title);
    binary->names.feature = memory_new(1, sizeof *binary->names.feature);
    binary->names.class_of = memory_new(1, sizeof *binary->names.class_of);
    TRY(enough_memory(binary->names.feature && binary->names.class_of, error));
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
    char *owned = NULL;
    tlu_status status = take_header(binary, columns, &owned, error);
    memory_free(owned);
    TRY(status);
    TRY(number_columns(binary, columns, error));
    return schema->frozen ? open_frozen(binary, error) : TLU_OK;
}

tlu_status binary_open(struct binary **out, struct source *source, const char *path,
                       const char *first, size_t size, const struct parser *parser,
                       struct schema *schema, tlu_error *error)
{
    *out = NULL;
    struct binary *binary = memory_new(1, sizeof *binary);
    TRY(enough_memory(binary, error));
    pthread_mutex_init(&binary->text_lock, NULL);
    schema_init(&binary->names.file);
    binary->schema = schema;
    binary->labelled = parser->labelled;
    binary->missing = parser->missing;
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

bool binary_has_sets(const struct binary *binary)
{
    return binary->sets;
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
    memory_free(binary->merged.labels.to);
    memory_free(binary->merged.names.to);
    memory_free(binary->merged.slot_of);
    table_free(&binary->merged.labels.texts);
    table_free(&binary->merged.names.texts);
    table_free(&binary->label_texts);
    binary_names_free(&binary->names);
    pthread_mutex_destroy(&binary->text_lock);
    memory_free(binary);
}

tlu_status binary_adopt(const struct binary *binary, tlu_options *options, tlu_error *error)
{
    static const enum option fixed[] = {
        OPTION_DELIMITER, OPTION_HEADER,     OPTION_MISSING, OPTION_LABEL,     OPTION_CATEGORICAL,
        OPTION_NUMERIC,   OPTION_IGNORE,     OPTION_NGRAMS,  OPTION_LOWERCASE, OPTION_TEXT,
        OPTION_CHARS,     OPTION_STOP_WORDS, OPTION_DECIMAL};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        const char *name = tlu_option_at(fixed[i])->name, *stored = tlu_option_at(fixed[i])->value;
        for (size_t k = 0; k < binary->setting_count; k++)
            if (strcmp(binary->settings[k].name, name) == 0)
                stored = binary->settings[k].value;
        if (options_is_set(options, fixed[i]) &&
            strcmp(options_text(options, fixed[i]), stored) != 0)
            return error_at(error, binary->path, 0, 0,
                            "--%s was settled when the data was converted; give it to tlu convert",
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
