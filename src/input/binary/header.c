// The header of a binary data file: its columns and settings.
#include "base/crc.h"
#include "base/memory.h"
#include "input/binary/internal.h"

#include <string.h>

// A column of CSV, which goes into `schema`.
static tlu_status read_column(struct binary *binary, struct texts *texts, struct schema *schema,
                              tlu_error *error)
{
    uint32_t kind;
    const char *name;
    size_t length;
    bool fine = (size_t)(texts->end - texts->at) >= sizeof kind;
    if (fine) {
        memcpy(&kind, texts->at, sizeof kind);
        texts->at += sizeof kind;
        fine = kind <= COLUMN_IGNORED && binary_next_text(texts, &name, &length);
    }
    if (!fine)
        return binary_damaged(binary, error, "column %zu is malformed", schema->column_count + 1);
    struct column *column = &schema->columns[schema->column_count];
    *column = (struct column){memory_copy_text(name, length), (enum column_kind)kind, SCHEMA_NONE};
    if (!column->name)
        return error_memory(error);
    schema->column_count++;
    if (kind == COLUMN_NUMERIC) {
        column->feature = schema_add(schema, name, length);
        if (column->feature == SCHEMA_NONE)
            return error_memory(error);
        if (column->feature + 1 != schema->names.count)
            return binary_damaged(binary, error, "two columns have the same name");
    }
    return TLU_OK;
}

static tlu_status read_columns(struct binary *binary, struct texts *texts, uint32_t count,
                               struct schema *schema, tlu_error *error)
{
    size_t labels = 0;
    // Each takes at least eight bytes: what the file says is not believed beyond that.
    if (count > (size_t)(texts->end - texts->at) / 8 || (!schema_is_csv(schema) && count))
        return binary_damaged(binary, error, "%u columns are more than it has", count);
    schema->columns = memory_new(count, sizeof *schema->columns);
    TRY(enough_memory(schema->columns, error));
    for (uint32_t i = 0; i < count; i++) {
        TRY(read_column(binary, texts, schema, error));
        labels += schema->columns[i].kind == COLUMN_LABEL;
    }
    if (schema_is_csv(schema) && labels != 1)
        return binary_damaged(binary, error, "%zu columns are the label's", labels);
    return TLU_OK;
}

static tlu_status read_settings(struct binary *binary, struct texts *texts, uint32_t count,
                                tlu_error *error)
{
    if (count > OPTION_COUNT)
        return binary_damaged(binary, error, "%u settings are too many", count);
    binary->settings = memory_new(count, sizeof *binary->settings);
    if (!binary->settings)
        return error_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const char *name, *value;
        size_t length, value_length;
        if (!binary_next_text(texts, &name, &length) ||
            !binary_next_text(texts, &value, &value_length))
            return binary_damaged(binary, error, "setting %u is malformed", i + 1);
        struct setting *setting = &binary->settings[binary->setting_count++];
        setting->name = memory_copy_text(name, length);
        setting->value = memory_copy_text(value, value_length);
        if (!setting->name || !setting->value)
            return error_memory(error);
    }
    return binary_texts_end(texts) ? TLU_OK
                                   : binary_damaged(binary, error, "the header is too long");
}

// The number of a format whose features are names; 0 for the others, as CSV has a flag.
static bool format_is_one(const struct binary_header *header)
{
    return header->format == 0 ||
           (header->format < DATA_FORMATS && format_is_named((enum data_format)header->format) &&
            header->flags == 0 && header->columns == 0);
}

static tlu_status check_header(const struct binary *binary, const struct binary_header *header,
                               tlu_error *error)
{
    if (header->order == 0x04030201u)
        return error_at(error, binary->path, 0, 0,
                        "the binary data is from a machine with another order of bytes: convert "
                        "the text again here");
    if (header->order == BINARY_ORDER && header->version > BINARY_VERSION)
        return error_at(error, binary->path, 0, 0,
                        "the binary data was made by a newer version (format %u)", header->version);
    if (header->order != BINARY_ORDER || header->version != BINARY_VERSION)
        return binary_damaged(binary, error, "its header is malformed");
    if (header->size < BINARY_HEADER || header->size % BINARY_ALIGNMENT || header->flags > 3 ||
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
    struct texts texts = {bytes + BINARY_HEADER, bytes + header.size};
    schema->format = header.flags & BINARY_CSV ? DATA_CSV : (enum data_format)header.format;
    schema->header = header.flags & BINARY_NAMED;
    schema->delimiter = (char)header.delimiter;
    schema->base = schema_is_indexed(schema) ? SCHEMA_DIRECT : 0;
    TRY(read_columns(binary, &texts, header.columns, schema, error));
    TRY(read_settings(binary, &texts, header.settings, error));
    binary->input.at = binary->input.map ? (size_t)header.size : 0;
    binary->input.position = header.size;
    binary->found.names = schema->names.count;
    return TLU_OK;
}

tlu_status binary_read_header(struct binary *binary, struct schema *schema, tlu_error *error)
{
    char *owned = NULL;
    tlu_status status = take_header(binary, schema, &owned, error);
    memory_free(owned);
    return status;
}
