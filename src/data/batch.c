#include "data/batch.h"

#include "base/memory.h"

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
    if (batch->lent_entries)
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
    if (!batch->lent_rows) {
        memory_free(batch->labels);
        memory_free(batch->line);
        memory_free(batch->weights);
    }
    memory_free(batch->block);
    memory_free(batch->scratch);
    memory_free(batch->quick);
    memory_free(batch->places);
    memory_free(batch->hashed);
    table_free(&batch->names);
    table_free(&batch->classes);
    if (batch->made)
        batch->made_free(batch->made);
    memory_free(batch);
}

void batch_clear(struct batch *batch)
{
    table_clear(&batch->names);
    table_clear(&batch->classes);
    batch->rows = 0;
    batch->alike = false;
    batch->offsets[0] = 0;
    batch->ones = true;
    batch->weighted = false;
    batch->lowest = UINT32_MAX;
    batch->highest = 0;
    batch->first_row = batch->first_line = batch->lines = batch->bytes = 0;
    batch->skipped = batch->unseen = batch->strange = batch->unknown_labels = batch->queries = 0;
    batch->more_labels = 0;
    batch->hashed_count = 0;
    batch->unknown_label[0] = '\0';
}

bool batch_reserve(struct batch *batch, size_t rows, size_t nonzeros)
{
    size_t used = batch_nonzeros(batch);
    return used + nonzeros < UINT32_MAX && // offsets are 32 bits wide
           memory_reserve(&batch->offsets, &batch->offsets_capacity, batch->rows + rows + 1,
                          sizeof *batch->offsets) &&
           memory_reserve(&batch->labels, &batch->labels_capacity, batch->rows + rows,
                          sizeof *batch->labels) &&
           memory_reserve(&batch->line, &batch->line_capacity, batch->rows + rows,
                          sizeof *batch->line) &&
           memory_reserve(&batch->indices, &batch->indices_capacity, used + nonzeros,
                          sizeof *batch->indices) &&
           memory_reserve(&batch->values, &batch->values_capacity, used + nonzeros,
                          sizeof *batch->values);
}

bool subset_has(const struct subset *subset, uint64_t row)
{
    if (!subset->part)
        return true;
    // A row past the end can only be one that was not there when the parts were dealt out.
    bool inside = row < subset->rows && subset->part[row] == subset->chosen;
    return inside != subset->others;
}

// The text's number in another table; false where memory is out.
static bool renumber(struct table *to, const struct table *from, uint32_t *number)
{
    *number = table_add(to, table_text(from, *number), table_length(from, *number));
    return *number != TABLE_NONE;
}

// The batch's tables again, from the rows that are there: in the order of their first use, as a
// parser would have filled them.
static bool retell(struct batch *batch)
{
    struct table names = {0}, classes = {0};
    bool fine = true, named = batch->names.count > 0, labelled = batch->classes.count > 0;
    batch->lowest = UINT32_MAX;
    batch->highest = 0;
    batch->unknown_labels = 0;
    for (size_t i = 0; fine && i < batch->rows; i++) {
        batch->unknown_labels += batch->labels[i] == TLU_UNKNOWN_LABEL;
        if (labelled && batch->labels[i] != TLU_NO_LABEL)
            fine = renumber(&classes, &batch->classes, &batch->labels[i]);
    }
    for (size_t k = 0, n = batch_nonzeros(batch); fine && k < n; k++) {
        uint32_t index = batch->indices[k];
        if (named && index & BATCH_LOCAL) {
            index &= ~BATCH_LOCAL;
            fine = renumber(&names, &batch->names, &index);
            batch->indices[k] = index | BATCH_LOCAL;
        } else {
            batch->lowest = index < batch->lowest ? index : batch->lowest;
            batch->highest = index > batch->highest ? index : batch->highest;
        }
    }
    table_free(&batch->names);
    table_free(&batch->classes);
    batch->names = names;
    batch->classes = classes;
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
        // Behind what is still to be read: rows never overtakes i.
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
    if (!batch->lent_entries) {
        shrink(&batch->offsets, &batch->offsets_capacity, batch->rows + 1, sizeof *batch->offsets);
        shrink(&batch->indices, &batch->indices_capacity, nonzeros, sizeof *batch->indices);
        if (batch->ones) {
            memory_free(batch->values);
            batch->values = NULL;
            batch->values_capacity = 0;
        } else {
            shrink(&batch->values, &batch->values_capacity, nonzeros, sizeof *batch->values);
        }
    }
    if (!batch->lent_rows) {
        shrink(&batch->labels, &batch->labels_capacity, batch->rows, sizeof *batch->labels);
        shrink(&batch->line, &batch->line_capacity, batch->rows, sizeof *batch->line);
        shrink(&batch->weights, &batch->weights_capacity, batch->weighted ? batch->rows : 0,
               sizeof *batch->weights);
    }
    memory_free(batch->scratch);
    memory_free(batch->quick);
    memory_free(batch->places);
    memory_free(batch->hashed);
    batch->scratch = NULL;
    batch->quick = NULL;
    batch->places = NULL;
    batch->hashed = NULL;
    batch->scratch_capacity = batch->places_capacity = batch->hashed_capacity = 0;
    batch->hashed_count = 0;
    table_free(&batch->names);
    table_free(&batch->classes);
}

void batch_share(struct batch *batch)
{
    uint32_t *first = batch->indices;
    size_t width = batch->rows ? batch->offsets[1] : 0;
    if (batch->alike || batch->rows < 2 || width == 0)
        return;
    for (size_t i = 1; i < batch->rows; i++)
        if (batch->offsets[i + 1] - batch->offsets[i] != width ||
            memcmp(first + i * width, first, width * sizeof *first) != 0)
            return;
    batch->alike = true;
    size_t run = 0;
    while (run < width && first[run] == run)
        run++;
    if (run < width) {
        if (!batch->lent_entries)
            shrink(&batch->indices, &batch->indices_capacity, width, sizeof *batch->indices);
        return;
    }
    if (!batch->lent_entries)
        memory_free(batch->indices);
    batch->indices = NULL;
    batch->indices_capacity = 0;
}

void batch_take_entries(struct batch *batch, struct batch *from)
{
    free_entries(batch);
    batch->lent_entries = false;
    batch->offsets = from->offsets;
    batch->offsets_capacity = from->offsets_capacity;
    batch->indices = from->indices;
    batch->indices_capacity = from->indices_capacity;
    batch->alike = from->alike;
    batch->values = from->values;
    batch->values_capacity = from->values_capacity;
    batch->ones = from->ones;
    from->offsets = from->indices = NULL;
    from->values = NULL;
    batch_free(from);
}

size_t batch_bytes(const struct batch *batch)
{
    size_t entries = batch->offsets_capacity * sizeof *batch->offsets +
                     batch->indices_capacity * sizeof *batch->indices +
                     batch->values_capacity * sizeof *batch->values;
    size_t rows = batch->labels_capacity * sizeof *batch->labels +
                  batch->line_capacity * sizeof *batch->line +
                  batch->weights_capacity * sizeof *batch->weights;
    return (batch->lent_entries ? 0 : entries) + (batch->lent_rows ? 0 : rows) + batch->block_size;
}
