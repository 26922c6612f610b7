#include "data/batch.h"

#include "base/memory.h"
#include "data/large.h"

#include <assert.h>
#include <string.h>

struct batch *batch_new(void)
{
    struct batch *batch = memory_new(1, sizeof *batch);
    if (!batch)
        return NULL;
    if (!batch_reserve(batch, 1, 1)) {
        batch_free(batch);
        return NULL;
    }
    batch_clear(batch);
    return batch;
}

static void free_entries(struct batch *batch)
{
    if (batch->memory.lent_entries)
        return;
    memory_free(batch->offsets);
    memory_free(batch->indices);
    memory_free(batch->values);
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    free_entries(batch);
    if (!batch->memory.lent_rows) {
        memory_free(batch->labels);
        memory_free(batch->line);
        memory_free(batch->weights);
    }
    memory_free(batch->memory.block);
    memory_free(batch->scratch.exact.values);
    memory_free(batch->scratch.exact.texts);
    memory_free(batch->scratch.text);
    memory_free(batch->scratch.csv_quick);
    memory_free(batch->scratch.places);
    memory_free(batch->scratch.source);
    memory_free(batch->hashed.items);
    table_free(&batch->names);
    memory_free(batch->large.items);
    table_free(&batch->classes);
    if (batch->memory.made.result)
        batch->memory.made.free(batch->memory.made.result);
    memory_free(batch);
}

void batch_clear(struct batch *batch)
{
    table_clear(&batch->names);
    batch->large.count = 0;
    table_clear(&batch->classes);
    batch->rows = 0;
    batch->alike = false;
    batch->offsets[0] = 0;
    batch->ones = true;
    batch->weighted = false;
    batch->held_out = NULL;
    batch->direct = NO_INDICES;
    batch->first_row = 0;
    batch->place = (struct batch_place){0};
    batch->counts = (struct batch_counts){0};
    batch->hashed.count = 0;
    batch->scratch.exact.size = 0;
    batch->scratch.large = false;
    batch->scratch.source_size = 0;
}

bool batch_reserve(struct batch *batch, size_t rows, size_t nonzeros)
{
    size_t used = batch_nonzeros(batch);
    return used + nonzeros < UINT32_MAX && // offsets are 32 bits wide
           memory_reserve(&batch->offsets, &batch->memory.offsets_capacity, batch->rows + rows + 1,
                          sizeof *batch->offsets) &&
           memory_reserve(&batch->labels, &batch->memory.labels_capacity, batch->rows + rows,
                          sizeof *batch->labels) &&
           memory_reserve(&batch->line, &batch->memory.line_capacity, batch->rows + rows,
                          sizeof *batch->line) &&
           memory_reserve(&batch->indices, &batch->memory.indices_capacity, used + nonzeros,
                          sizeof *batch->indices) &&
           memory_reserve(&batch->values, &batch->memory.values_capacity, used + nonzeros,
                          sizeof *batch->values);
}

bool subset_has(const struct subset *subset, uint64_t row)
{
    if (!subset->part)
        return true;
    // A row past the end can only be one that was not there when the parts were dealt out.
    uint32_t part = row < subset->rows ? subset->part[row] : subset->chosen + 1;
    return part != SUBSET_NONE && (part == subset->chosen) != subset->others;
}

// The text's number in another table; false: out of memory.
static bool renumber(struct table *to, const struct table *from, uint32_t *number)
{
    *number = table_add(to, table_text(from, *number), table_length(from, *number));
    return *number != TABLE_NONE;
}

// A feature's number in the new tables for the one in the batch's; false: out of memory.
static bool renumber_name(struct batch *to, const struct batch *from, uint32_t *feature)
{
    uint32_t number = *feature & ~BATCH_LOCAL;
    if (from->large.count) {
        *feature = large_put(to, from->large.items[number]);
        return *feature != SCHEMA_NONE;
    }
    bool fine = renumber(&to->names, &from->names, &number);
    *feature = number | BATCH_LOCAL;
    return fine;
}

// The batch's tables again, from the rows that are there: in the order of their first use, as a
// parser would have filled them.
static bool retell(struct batch *batch)
{
    struct batch new = {0}; // its tables alone
    bool fine = true, named = batch_names(batch) > 0;
    bool labelled = batch->classes.count > 0;
    batch->direct = NO_INDICES;
    batch->counts.unknown_labels = 0;
    for (size_t i = 0; fine && i < batch->rows; i++) {
        batch->counts.unknown_labels += batch->labels[i] == TLU_UNKNOWN_LABEL;
        if (labelled && batch->labels[i] != TLU_NO_LABEL)
            fine = renumber(&new.classes, &batch->classes, &batch->labels[i]);
    }
    for (size_t k = 0, n = batch_nonzeros(batch); fine && k < n; k++) {
        if (named && batch->indices[k] & BATCH_LOCAL)
            fine = renumber_name(&new, batch, &batch->indices[k]);
        else if (batch->indices[k] < SCHEMA_DIRECT)
            index_range_add(&batch->direct, batch->indices[k]);
    }
    table_free(&batch->names);
    memory_free(batch->large.items);
    table_free(&batch->classes);
    batch->names = new.names;
    batch->large = new.large;
    batch->classes = new.classes;
    return fine;
}

bool batch_select(struct batch *batch, const struct subset *subset, uint64_t first)
{
    size_t rows = 0, kept = 0;
    for (size_t i = 0; subset->part && i < batch->rows; i++) {
        if (!subset_has(subset, first + i))
            continue;
        uint32_t start = batch->offsets[i], count = batch->offsets[i + 1] - start;
        memmove(batch->indices + kept, batch->indices + start, count * sizeof *batch->indices);
        if (!batch->ones)
            memmove(batch->values + kept, batch->values + start, count * sizeof *batch->values);
        batch->labels[rows] = batch->labels[i];
        batch->line[rows] = batch->line[i];
        if (batch->weighted)
            batch->weights[rows] = batch->weights[i];
        kept += count;
        // Never past what is still to be read: rows does not overtake i.
        batch->offsets[++rows] = (uint32_t)kept;
    }
    if (!subset->part || rows == batch->rows)
        return true;
    batch->rows = rows;
    return retell(batch);
}

static void shrink(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
    void **array = array_pointer;
    void *smaller = count < *capacity ? memory_resize(*array, count, size) : NULL;
    if (smaller) { // else: it stays as large as it is
        *array = smaller;
        *capacity = count;
    }
}

void batch_shrink(struct batch *batch)
{
    size_t nonzeros = batch_nonzeros(batch);
    if (!batch->memory.lent_entries) {
        shrink(&batch->offsets, &batch->memory.offsets_capacity, batch->rows + 1,
               sizeof *batch->offsets);
        shrink(&batch->indices, &batch->memory.indices_capacity, nonzeros, sizeof *batch->indices);
        if (batch->ones) {
            memory_free(batch->values);
            batch->values = NULL;
            batch->memory.values_capacity = 0;
        } else {
            shrink(&batch->values, &batch->memory.values_capacity, nonzeros, sizeof *batch->values);
        }
    }
    if (!batch->memory.lent_rows) {
        shrink(&batch->labels, &batch->memory.labels_capacity, batch->rows, sizeof *batch->labels);
        shrink(&batch->line, &batch->memory.line_capacity, batch->rows, sizeof *batch->line);
        shrink(&batch->weights, &batch->memory.weights_capacity, batch->weighted ? batch->rows : 0,
               sizeof *batch->weights);
    }
    memory_free(batch->scratch.text);
    memory_free(batch->scratch.csv_quick);
    memory_free(batch->scratch.places);
    memory_free(batch->scratch.source);
    memory_free(batch->scratch.exact.values);
    memory_free(batch->scratch.exact.texts);
    memory_free(batch->hashed.items);
    batch->scratch.exact = (struct batch_exact){NULL, 0, NULL, 0, 0, 0};
    batch->scratch.text = NULL;
    batch->scratch.csv_quick = NULL;
    batch->scratch.places = NULL;
    batch->scratch.source = NULL;
    batch->scratch.source_size = batch->scratch.source_capacity = 0;
    batch->hashed.items = NULL;
    batch->scratch.text_capacity = batch->scratch.places_capacity = batch->hashed.capacity = 0;
    batch->hashed.count = 0;
    table_free(&batch->names);
    memory_free(batch->large.items);
    batch->large = (struct large_names){0};
    table_free(&batch->classes);
}

bool batch_is_alike(const struct batch *batch)
{
    const uint32_t *first = batch->indices;
    size_t width = batch->rows ? batch->offsets[1] : 0;
    if (batch->rows < 2 || width == 0)
        return false;
    for (size_t i = 1; i < batch->rows; i++)
        if (batch->offsets[i + 1] - batch->offsets[i] != width ||
            memcmp(first + i * width, first, width * sizeof *first) != 0)
            return false;
    return true;
}

void batch_share(struct batch *batch)
{
    uint32_t *first = batch->indices;
    if (batch->alike || !batch_is_alike(batch))
        return;
    size_t width = batch->offsets[1];
    batch->alike = true;
    size_t run = 0;
    while (run < width && first[run] == run)
        run++;
    if (run < width) {
        if (!batch->memory.lent_entries)
            shrink(&batch->indices, &batch->memory.indices_capacity, width, sizeof *batch->indices);
        return;
    }
    if (!batch->memory.lent_entries)
        memory_free(batch->indices);
    batch->indices = NULL;
    batch->memory.indices_capacity = 0;
}

void batch_take_entries(struct batch *batch, struct batch *from)
{
    assert(from->rows == batch->rows && !from->memory.lent_entries);
    free_entries(batch);
    batch->memory.lent_entries = false;
    batch->offsets = from->offsets;
    batch->memory.offsets_capacity = from->memory.offsets_capacity;
    batch->indices = from->indices;
    batch->memory.indices_capacity = from->memory.indices_capacity;
    batch->alike = from->alike;
    batch->values = from->values;
    batch->memory.values_capacity = from->memory.values_capacity;
    batch->ones = from->ones;
    from->offsets = from->indices = NULL;
    from->values = NULL;
    batch_free(from);
}

size_t batch_bytes(const struct batch *batch)
{
    size_t entries = batch->memory.offsets_capacity * sizeof *batch->offsets +
                     batch->memory.indices_capacity * sizeof *batch->indices +
                     batch->memory.values_capacity * sizeof *batch->values;
    size_t rows = batch->memory.labels_capacity * sizeof *batch->labels +
                  batch->memory.line_capacity * sizeof *batch->line +
                  batch->memory.weights_capacity * sizeof *batch->weights;
    return (batch->memory.lent_entries ? 0 : entries) + (batch->memory.lent_rows ? 0 : rows) +
           batch->memory.block_size;
}
