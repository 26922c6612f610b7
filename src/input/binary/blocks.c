// Finds the blocks of a binary data file, one after the other.
#include "base/crc.h"
#include "base/memory.h"
#include "input/binary/internal.h"

#include <string.h>

static bool sizes_fit(const struct binary *binary, const struct binary_block_header *header)
{
    bool indexed = format_is_indexed(binary_format(binary));
    bool direct = header->lowest <= header->highest;
    if (header->head < BINARY_BLOCK || header->head % BINARY_ALIGNMENT ||
        header->head > UINT64_MAX / 2 || header->rows >= UINT32_MAX ||
        header->nonzeros >= UINT32_MAX || header->flags > (BINARY_ONES | BINARY_WEIGHTED) ||
        (direct && (!indexed || header->highest >= SCHEMA_DIRECT)) ||
        header->labels >= BATCH_LOCAL - binary->found.labels ||
        header->names >= BATCH_LOCAL - SCHEMA_DIRECT - binary->found.names)
        return false;
    uint64_t entries = binary_padded(4 * header->nonzeros) * (header->flags & BINARY_ONES ? 1 : 2);
    uint64_t rows = binary_padded(4 * (header->rows + 1)) +
                    (header->flags & BINARY_WEIGHTED ? 3 : 2) * binary_padded(4 * header->rows);
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
    struct texts texts = binary_texts(block);
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
        if (!fine)
            return error_memory(error);
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

// The block's bytes, in the mapping or read; what is read is the block's to free.
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
