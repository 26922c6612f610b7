#include "data/batch.h"

#include "base/memory.h"

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

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    memory_free(batch->offsets);
    memory_free(batch->indices);
    memory_free(batch->values);
    memory_free(batch->labels);
    table_free(&batch->names);
    table_free(&batch->classes);
    memory_free(batch);
}

void batch_clear(struct batch *batch)
{
    table_clear(&batch->names);
    table_clear(&batch->classes);
    batch->rows = 0;
    batch->offsets[0] = 0;
    batch->ones = true;
    batch->lowest = UINT32_MAX;
    batch->highest = 0;
    batch->first_row = batch->lines = batch->bytes = 0;
    batch->skipped = batch->unseen = batch->strange = batch->unknown_labels = batch->queries = 0;
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
           memory_reserve(&batch->indices, &batch->indices_capacity, used + nonzeros,
                          sizeof *batch->indices) &&
           memory_reserve(&batch->values, &batch->values_capacity, used + nonzeros,
                          sizeof *batch->values);
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
    shrink(&batch->offsets, &batch->offsets_capacity, batch->rows + 1, sizeof *batch->offsets);
    shrink(&batch->labels, &batch->labels_capacity, batch->rows, sizeof *batch->labels);
    shrink(&batch->indices, &batch->indices_capacity, nonzeros, sizeof *batch->indices);
    shrink(&batch->values, &batch->values_capacity, batch->ones ? 0 : nonzeros,
           sizeof *batch->values);
    table_free(&batch->names);
    table_free(&batch->classes);
}
