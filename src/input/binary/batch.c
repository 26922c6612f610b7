// Blocks of a binary data file become batches.
#include "base/crc.h"
#include "base/memory.h"
#include "data/hash.h"
#include "input/binary/internal.h"

#include <float.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct arrays {
    uint32_t *offsets, *indices;
    float *values; // NULL if all are 1
    uint32_t *labels, *line;
    float *weights; // NULL if all are 1
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

// Whether every number is in its range. The loops never end early, so that they can be done in
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
    uint32_t base = binary_base(binary), lowest = header->lowest;
    uint32_t span = lowest <= header->highest ? header->highest - lowest + 1 : 0;
    for (size_t i = 0; i < nonzeros; i++)
        bad |= (arrays->indices[i] - lowest >= span) & (arrays->indices[i] - base >= names);
    if (bad)
        return "it has a feature that is not there";
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
    return bad ? "it has a label that is not there" : NULL;
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
    if (crc32_add(0, block->bytes + header->head, (size_t)(header->size - header->head)) !=
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
    if (!binary->input.map || !binary->input.pages || !batch->memory.lent_entries ||
        !batch->memory.lent_rows)
        return;
    // Whole pages alone; what other blocks have on them stays.
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)batch->offsets + page - 1) / page * page;
    uintptr_t end = (uintptr_t)(batch->line + batch->rows) / page * page;
    if (start < end)
        madvise((void *)start, end - start, MADV_DONTNEED);
}
