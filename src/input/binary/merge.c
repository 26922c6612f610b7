// Tells a growing schema of the names and labels of a block.
#include "base/memory.h"
#include "data/hash.h"
#include "input/binary/internal.h"

#include <string.h>

static tlu_status twice(const struct binary *binary, tlu_error *error)
{
    return binary_damaged(binary, error, "a name or label is there twice");
}

// The file numbers its names and labels as the schema does: in the order of their first use.
static tlu_status merge_all(struct binary *binary, const struct binary_block *block,
                            tlu_error *error)
{
    struct schema *schema = binary->schema;
    struct texts texts = binary_texts(block);
    const char *text;
    size_t length;
    for (uint32_t i = 0; i < block->header.labels && binary_next_text(&texts, &text, &length);
         i++) {
        uint32_t number = schema_class_add(schema, text, length);
        if (number == SCHEMA_NONE)
            return error_memory(error);
        if (number != block->labels_before + i)
            return twice(binary, error);
    }
    for (uint32_t i = 0; i < block->header.names && binary_next_text(&texts, &text, &length); i++) {
        uint32_t number = schema_add(schema, text, length);
        if (number == SCHEMA_NONE)
            return error_memory(error);
        if (number != schema->base + block->names_before + i)
            return twice(binary, error);
    }
    return TLU_OK;
}

// The first names are those of the numeric columns.
static bool remember_columns(struct binary *binary)
{
    for (size_t i = 0; i < binary->schema->column_count; i++) {
        const struct column *column = &binary->schema->columns[i];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        if (!memory_reserve(&binary->merged.feature_to, &binary->merged.feature_capacity,
                            (size_t)column->feature + 1, sizeof *binary->merged.feature_to) ||
            table_add(&binary->merged.names, column->name, strlen(column->name)) == TABLE_NONE)
            return false;
        binary->merged.feature_to[column->feature] = column->feature;
    }
    return true;
}

bool binary_hash(struct binary *binary, uint32_t bits)
{
    struct schema *schema = binary->schema;
    binary->merged.slot_of = memory_new(SCHEMA_DIRECT, sizeof *binary->merged.slot_of);
    if (!binary->merged.slot_of || !remember_columns(binary) || !schema_hash(schema, bits))
        return false;
    memset(binary->merged.slot_of, 0xFF, SCHEMA_DIRECT * sizeof *binary->merged.slot_of);
    table_free(&schema->names);
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        uint32_t slot = schema_add(schema, column->name, strlen(column->name));
        binary->merged.feature_to[column->feature] = slot;
        column->feature = slot;
    }
    return true;
}

// Remembers the block's texts: a later block may be the first that tells the schema of them.
static bool remember(struct binary *binary, const struct binary_block *block)
{
    struct texts texts = binary_texts(block);
    const char *text;
    size_t length;
    if (binary->merged.names.count == 0 && !binary->merged.slot_of && !remember_columns(binary))
        return false;
    for (uint32_t i = 0; i < block->header.labels && binary_next_text(&texts, &text, &length);
         i++) {
        uint32_t number = table_add(&binary->merged.labels, text, length);
        if (number == TABLE_NONE ||
            !memory_reserve(&binary->merged.class_to, &binary->merged.class_capacity,
                            (size_t)number + 1, sizeof *binary->merged.class_to))
            return false;
        binary->merged.class_to[number] = SCHEMA_NONE;
    }
    for (uint32_t i = 0; i < block->header.names && binary_next_text(&texts, &text, &length); i++) {
        uint32_t number = table_add(&binary->merged.names, text, length);
        if (number == TABLE_NONE ||
            !memory_reserve(&binary->merged.feature_to, &binary->merged.feature_capacity,
                            (size_t)number + 1, sizeof *binary->merged.feature_to))
            return false;
        binary->merged.feature_to[number] = SCHEMA_NONE;
    }
    return true;
}

// The schema's number for the file's, which is added if it is new; SCHEMA_NONE without memory.
static uint32_t told(struct schema *schema, uint32_t *to, const struct table *texts,
                     uint32_t number, uint32_t (*add)(struct schema *, const char *, size_t))
{
    if (to[number] == SCHEMA_NONE)
        to[number] = add(schema, table_text(texts, number), table_length(texts, number));
    return to[number];
}

static uint32_t told_index(struct binary *binary, uint32_t index, struct batch *to)
{
    uint32_t *slot = binary->merged.slot_of ? &binary->merged.slot_of[index] : NULL;
    if (!slot) {
        index_range_add(&to->direct, index);
        return index;
    }
    if (*slot == SCHEMA_NONE)
        *slot = hash_index_add(binary->schema, index);
    return *slot;
}

static bool copy_row(struct binary *binary, const struct batch *from, size_t row, struct batch *to)
{
    struct schema *schema = binary->schema;
    size_t count = batch_nonzeros(to);
    uint32_t label = from->labels[row], base = binary_base(binary);
    if (label != TLU_NO_LABEL)
        label =
            told(schema, binary->merged.class_to, &binary->merged.labels, label, schema_class_add);
    if (label == SCHEMA_NONE && from->labels[row] != TLU_NO_LABEL)
        return false;
    to->labels[to->rows] = label;
    for (uint32_t k = from->offsets[row]; k < from->offsets[row + 1]; k++, count++) {
        uint32_t index = from->indices[k];
        if (index >= base)
            index = told(schema, binary->merged.feature_to, &binary->merged.names, index - base,
                         schema_add);
        else
            index = told_index(binary, index, to);
        if (index == SCHEMA_NONE)
            return false;
        to->indices[count] = index;
        to->values[count] = from->ones ? 1 : from->values[k];
        to->ones &= to->values[count] == 1;
    }
    if (!row_weight(to, batch_weight(from, row)))
        return false;
    row_close(to, count, from->line[row]);
    return true;
}

// As text would: what has a name is told to the schema even if all of its values are 0.
static bool tell_all(struct binary *binary, const struct binary_block *block)
{
    struct schema *schema = binary->schema;
    bool fine = true;
    for (uint32_t i = 0; fine && i < block->header.labels; i++)
        fine = told(schema, binary->merged.class_to, &binary->merged.labels,
                    block->labels_before + i, schema_class_add) != SCHEMA_NONE;
    for (uint32_t i = 0; fine && i < block->header.names; i++)
        fine = told(schema, binary->merged.feature_to, &binary->merged.names,
                    block->names_before + i, schema_add) != SCHEMA_NONE;
    return fine;
}

static tlu_status merge_some(struct binary *binary, const struct binary_block *block,
                             struct batch **batch, const struct subset *subset, uint64_t first,
                             tlu_error *error)
{
    struct batch *from = *batch, *to = batch_new();
    bool fine =
        to && remember(binary, block) && batch_reserve(to, from->rows, batch_nonzeros(from));
    if (fine && (binary->merged.labels.count != block->labels_before + block->header.labels ||
                 binary->merged.names.count != block->names_before + block->header.names)) {
        batch_free(to);
        return twice(binary, error);
    }
    if (fine && !subset->part)
        fine = tell_all(binary, block);
    for (size_t i = 0; fine && i < from->rows; i++)
        if (!subset->part || subset_has(subset, first + i))
            fine = copy_row(binary, from, i, to);
    if (!fine || (binary->merged.slot_of && !hash_fold(to))) {
        batch_free(to);
        return error_memory(error);
    }
    to->place.lines = from->place.lines;
    to->counts.skipped_rows = from->counts.skipped_rows;
    to->counts.qid_fields = from->counts.qid_fields;
    to->counts.multi_label_rows = from->counts.multi_label_rows;
    to->place.bytes = from->place.bytes;
    binary_forget(binary, from);
    batch_free(from);
    *batch = to;
    return TLU_OK;
}

tlu_status binary_merge(struct binary *binary, const struct binary_block *block,
                        struct batch **batch, const struct subset *subset, uint64_t first,
                        tlu_error *error)
{
    struct schema *schema = binary->schema;
    tlu_status status = subset->part || binary->merged.slot_of
                            ? merge_some(binary, block, batch, subset, first, error)
                            : merge_all(binary, block, error);
    if (status == TLU_OK && (*batch)->direct.lowest <= (*batch)->direct.highest) {
        index_range_add(&schema->direct, (*batch)->direct.lowest);
        index_range_add(&schema->direct, (*batch)->direct.highest);
    }
    return status;
}
