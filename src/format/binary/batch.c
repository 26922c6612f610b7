// Blocks of a binary data file become batches.
#include "base/crc.h"
#include "base/memory.h"
#include "data/hash.h"
#include "format/binary/inside.h"

#include <float.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- from a block to a batch ----

struct arrays {
    uint32_t *offsets, *indices;
    float *values; // NULL where all are 1
    uint32_t *labels, *line;
    float *weights; // NULL where all are 1
};

static struct arrays arrays_of(const struct binary_block *block)
{
    const struct binary_block_header *header = &block->header;
    struct arrays arrays = {0};
    char *at = (char *)block->bytes + header->head; // the mapping may be written to
    arrays.offsets = (uint32_t *)(void *)at;
    at += binary_padded(4 * (header->rows + 1));
    arrays.indices = (uint32_t *)(void *)at;
    at += binary_padded(4 * header->nonzeros);
    if (!(header->flags & BINARY_ONES)) {
        arrays.values = (float *)(void *)at;
        at += binary_padded(4 * header->nonzeros);
    }
    arrays.labels = (uint32_t *)(void *)at;
    at += binary_padded(4 * header->rows);
    arrays.line = (uint32_t *)(void *)at;
    at += binary_padded(4 * header->rows);
    if (header->flags & BINARY_WEIGHTED)
        arrays.weights = (float *)(void *)at;
    return arrays;
}

// The number of the file's first name: LIBSVM indices come before it.
static uint32_t base_of(const struct binary *binary)
{
    return format_is_indexed(binary_format(binary)) ? SCHEMA_DIRECT : 0;
}

// Whether every number is where it may be. The loops have no way out, so that they can be done in
// vectors.
static const char *find_fault(const struct binary *binary, const struct binary_block *block,
                              const struct arrays *arrays)
{
    const struct binary_block_header *header = &block->header;
    size_t rows = (size_t)header->rows, nonzeros = (size_t)header->nonzeros;
    uint32_t labels = block->labels_before + header->labels;
    uint32_t names = block->names_before + header->names;
    bool bad = arrays->offsets[0] != 0;
    for (size_t i = 0; i < rows; i++)
        bad |= arrays->offsets[i] > arrays->offsets[i + 1];
    if (bad || arrays->offsets[rows] != nonzeros)
        return "the offsets of its rows do not ascend";
    uint32_t base = base_of(binary), lowest = header->lowest;
    uint32_t span = lowest <= header->highest ? header->highest - lowest + 1 : 0;
    for (size_t i = 0; i < nonzeros; i++)
        bad |= (arrays->indices[i] - lowest >= span) & (arrays->indices[i] - base >= names);
    if (bad)
        return "it has a feature that is none";
    for (size_t i = 0; arrays->values && i < nonzeros; i++) {
        uint32_t bits;
        memcpy(&bits, &arrays->values[i], sizeof bits);
        bad |= (bits & 0x7FFFFFFFu) - 1 >= 0x7F800000u - 1; // 0, infinite or no number
    }
    if (bad)
        return "it has a value that is 0 or not finite";
    for (size_t i = 0; arrays->weights && i < rows; i++)
        bad |= !(arrays->weights[i] >= 0 && arrays->weights[i] <= FLT_MAX);
    if (bad)
        return "it has a weight that is negative or not finite";
    for (size_t i = 0; i < rows; i++)
        bad |= (arrays->labels[i] >= labels) & (arrays->labels[i] != TLU_NO_LABEL);
    return bad ? "it has a label that is none" : NULL;
}

// The arrays stay where they are.
static struct batch *lend(struct binary_block *block, const struct arrays *arrays)
{
    struct batch *batch = memory_new(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->rows = (size_t)block->header.rows;
    batch->offsets = arrays->offsets;
    batch->indices = arrays->indices;
    batch->values = arrays->values;
    batch->labels = arrays->labels;
    batch->line = arrays->line;
    batch->weights = arrays->weights;
    batch->weighted = arrays->weights != NULL;
    batch->memory.lent_entries = batch->memory.lent_rows = true;
    batch->memory.block = block->owned;
    batch->memory.block_size = block->owned ? (size_t)block->header.size : 0;
    block->owned = NULL;
    batch->direct.lowest = block->header.lowest;
    batch->direct.highest = block->header.highest;
    return batch;
}

static void name_unknown(const struct binary *binary, struct batch *batch, uint32_t label)
{
    struct binary *own = (struct binary *)binary; // only the lock changes
    pthread_mutex_lock(&own->text_lock);
    error_quote(batch->counts.unknown_label, sizeof batch->counts.unknown_label,
                table_text(&binary->label_texts, label), table_length(&binary->label_texts, label));
    pthread_mutex_unlock(&own->text_lock);
}

// The model's feature of the file's; BINARY_NONE or BINARY_IGNORED.
static inline uint32_t translate(const struct binary *binary, bool indexed, uint32_t index)
{
    const struct schema *model = binary->schema;
    if (!indexed)
        return numbers_at(binary->names.feature, index);
    if (index < SCHEMA_DIRECT && model->slots.bits)
        return hash_index_find(model, index);
    if (index < SCHEMA_DIRECT)
        return index < model->rank_count ? model->rank[index] : BINARY_NONE;
    return numbers_at(binary->names.feature, index - SCHEMA_DIRECT);
}

// A batch of its own, in the model's numbers.
static bool translate_rows(const struct binary *binary, const struct binary_block *block,
                           const struct arrays *arrays, struct batch *batch)
{
    bool csv = schema_is_csv(binary->schema), indexed = schema_is_indexed(binary->schema);
    size_t count = 0;
    batch_clear(batch);
    if (!batch_reserve(batch, (size_t)block->header.rows, (size_t)block->header.nonzeros))
        return false;
    for (size_t i = 0; i < block->header.rows; i++) {
        uint32_t label = arrays->labels[i];
        size_t before = count;
        bool lost = false;
        for (uint32_t k = arrays->offsets[i]; k < arrays->offsets[i + 1]; k++) {
            uint32_t feature = translate(binary, indexed, arrays->indices[k]);
            if (feature >= BINARY_IGNORED) {
                batch->counts.unknown_values += csv && feature == BINARY_NONE;
                lost = true;
                continue;
            }
            float value = arrays->values ? arrays->values[k] : 1;
            batch->indices[count] = feature;
            batch->values[count++] = value;
            batch->ones &= value == 1;
        }
        batch->counts.unknown_rows += !csv && lost && count == before;
        uint32_t to = label == TLU_NO_LABEL ? label : numbers_at(binary->names.class_of, label);
        if (to == TLU_UNKNOWN_LABEL && batch->counts.unknown_labels++ == 0)
            name_unknown(binary, batch, label);
        batch->labels[i] = to;
        if (!row_weight(batch, arrays->weights ? arrays->weights[i] : 1))
            return false;
        row_close(batch, count, arrays->line[i]);
    }
    return !binary->schema->slots.bits || hash_fold(batch);
}

tlu_status binary_batch(const struct binary *binary, struct binary_block *block,
                        struct batch **batch, tlu_error *error)
{
    const struct binary_block_header *header = &block->header;
    struct arrays arrays = arrays_of(block);
    const char *fault = NULL;
    if (crc32_add(0, block->bytes + header->head, header->size - header->head) !=
        header->arrays_crc)
        fault = "its checksum is wrong";
    else
        fault = find_fault(binary, block, &arrays);
    if (fault)
        return binary_damaged(binary, error, "block %llu: %s",
                              (unsigned long long)block->number + 1, fault);
    for (size_t i = 0; binary->labelled && i < header->rows; i++)
        if (arrays.labels[i] == TLU_NO_LABEL)
            return error_at(error, binary->path, 0, 0,
                            "the row of line %llu of the text has no label: learning needs one",
                            (unsigned long long)(header->first_line + arrays.line[i]));
    bool fine;
    if (binary->schema->frozen) {
        if (!*batch)
            *batch = batch_new();
        fine = *batch && translate_rows(binary, block, &arrays, *batch);
    } else {
        batch_free(*batch);
        *batch = lend(block, &arrays);
        fine = *batch != NULL;
    }
    if (!fine)
        return error_memory(error);
    (*batch)->ones = binary->schema->frozen ? (*batch)->ones : header->flags & BINARY_ONES;
    (*batch)->place.lines = header->lines;
    (*batch)->counts.skipped_rows = header->skipped;
    (*batch)->counts.qid_fields = header->queries;
    (*batch)->counts.multi_label_rows = header->more_labels;
    (*batch)->place.bytes = block->position;
    return TLU_OK;
}

void binary_forget(const struct binary *binary, const struct batch *batch)
{
    if (!binary->map || !binary->pages || !batch->memory.lent_entries || !batch->memory.lent_rows)
        return;
    // Whole pages alone; what other blocks have on them stays.
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)batch->offsets + page - 1) / page * page;
    uintptr_t end = (uintptr_t)(batch->line + batch->rows) / page * page;
    if (start < end)
        madvise((void *)start, end - start, MADV_DONTNEED);
}

// ---- growing ----

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
        if (!memory_reserve(&binary->feature_to, &binary->feature_capacity,
                            (size_t)column->feature + 1, sizeof *binary->feature_to) ||
            table_add(&binary->merged_names, column->name, strlen(column->name)) == TABLE_NONE)
            return false;
        binary->feature_to[column->feature] = column->feature;
    }
    return true;
}

bool binary_hash(struct binary *binary, uint32_t bits)
{
    struct schema *schema = binary->schema;
    binary->slot_of = memory_new(SCHEMA_DIRECT, sizeof *binary->slot_of);
    if (!binary->slot_of || !remember_columns(binary) || !schema_hash(schema, bits))
        return false;
    memset(binary->slot_of, 0xFF, SCHEMA_DIRECT * sizeof *binary->slot_of);
    table_free(&schema->names);
    for (size_t i = 0; i < schema->column_count; i++) {
        struct column *column = &schema->columns[i];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        uint32_t slot = schema_add(schema, column->name, strlen(column->name));
        binary->feature_to[column->feature] = slot;
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
    if (binary->merged_names.count == 0 && !binary->slot_of && !remember_columns(binary))
        return false;
    for (uint32_t i = 0; i < block->header.labels && binary_next_text(&texts, &text, &length);
         i++) {
        uint32_t number = table_add(&binary->merged_labels, text, length);
        if (number == TABLE_NONE || !memory_reserve(&binary->class_to, &binary->class_capacity,
                                                    (size_t)number + 1, sizeof *binary->class_to))
            return false;
        binary->class_to[number] = SCHEMA_NONE;
    }
    for (uint32_t i = 0; i < block->header.names && binary_next_text(&texts, &text, &length); i++) {
        uint32_t number = table_add(&binary->merged_names, text, length);
        if (number == TABLE_NONE || !memory_reserve(&binary->feature_to, &binary->feature_capacity,
                                                    (size_t)number + 1, sizeof *binary->feature_to))
            return false;
        binary->feature_to[number] = SCHEMA_NONE;
    }
    return true;
}

// The schema's number for the file's, which is added where it is new; SCHEMA_NONE without memory.
static uint32_t told(struct schema *schema, uint32_t *to, const struct table *texts,
                     uint32_t number, uint32_t (*add)(struct schema *, const char *, size_t))
{
    if (to[number] == SCHEMA_NONE)
        to[number] = add(schema, table_text(texts, number), table_length(texts, number));
    return to[number];
}

static uint32_t told_index(struct binary *binary, uint32_t index, struct batch *to)
{
    uint32_t *slot = binary->slot_of ? &binary->slot_of[index] : NULL;
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
    uint32_t label = from->labels[row], base = base_of(binary);
    if (label != TLU_NO_LABEL)
        label = told(schema, binary->class_to, &binary->merged_labels, label, schema_class_add);
    if (label == SCHEMA_NONE && from->labels[row] != TLU_NO_LABEL)
        return false;
    to->labels[to->rows] = label;
    for (uint32_t k = from->offsets[row]; k < from->offsets[row + 1]; k++, count++) {
        uint32_t index = from->indices[k];
        if (index >= base)
            index =
                told(schema, binary->feature_to, &binary->merged_names, index - base, schema_add);
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

// As text would: what has a name is told to the schema even where all of its values are 0.
static bool tell_all(struct binary *binary, const struct binary_block *block)
{
    struct schema *schema = binary->schema;
    bool fine = true;
    for (uint32_t i = 0; fine && i < block->header.labels; i++)
        fine = told(schema, binary->class_to, &binary->merged_labels, block->labels_before + i,
                    schema_class_add) != SCHEMA_NONE;
    for (uint32_t i = 0; fine && i < block->header.names; i++)
        fine = told(schema, binary->feature_to, &binary->merged_names, block->names_before + i,
                    schema_add) != SCHEMA_NONE;
    return fine;
}

static tlu_status merge_some(struct binary *binary, const struct binary_block *block,
                             struct batch **batch, const struct subset *subset, uint64_t first,
                             tlu_error *error)
{
    struct batch *from = *batch, *to = batch_new();
    bool fine =
        to && remember(binary, block) && batch_reserve(to, from->rows, batch_nonzeros(from));
    if (fine && (binary->merged_labels.count != block->labels_before + block->header.labels ||
                 binary->merged_names.count != block->names_before + block->header.names)) {
        batch_free(to);
        return twice(binary, error);
    }
    if (fine && !subset->part)
        fine = tell_all(binary, block);
    for (size_t i = 0; fine && i < from->rows; i++)
        if (!subset->part || subset_has(subset, first + i))
            fine = copy_row(binary, from, i, to);
    if (!fine || (binary->slot_of && !hash_fold(to))) {
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
    tlu_status status = subset->part || binary->slot_of
                            ? merge_some(binary, block, batch, subset, first, error)
                            : merge_all(binary, block, error);
    if (status == TLU_OK && (*batch)->direct.lowest <= (*batch)->direct.highest) {
        index_range_add(&schema->direct, (*batch)->direct.lowest);
        index_range_add(&schema->direct, (*batch)->direct.highest);
    }
    return status;
}
