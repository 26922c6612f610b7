#include "mlp/minibatch.h"

#include "base/memory.h"
#include "data/batch.h"

#include <string.h>

bool minibatch_init(struct minibatch *batch, size_t inputs, size_t rows)
{
    *batch = (struct minibatch){.capacity = rows, .inputs = inputs};
    batch->classes = memory_new(rows, sizeof *batch->classes);
    batch->weights = memory_new(rows, sizeof *batch->weights);
    batch->offsets = memory_new(rows + 1, sizeof *batch->offsets);
    batch->slot = memory_new(inputs, sizeof *batch->slot);
    return batch->classes && batch->weights && batch->offsets && batch->slot;
}

void minibatch_free(struct minibatch *batch)
{
    memory_free(batch->classes);
    memory_free(batch->weights);
    memory_free(batch->offsets);
    memory_free(batch->by_row.index);
    memory_free(batch->by_row.value);
    memory_free(batch->met);
    memory_free(batch->met_offsets);
    memory_free(batch->by_input.index);
    memory_free(batch->by_input.value);
    memory_free(batch->slot);
    memory_free(batch->dense);
    *batch = (struct minibatch){0};
}

void minibatch_clear(struct minibatch *batch)
{
    for (size_t i = 0; i < batch->met_count; i++)
        batch->slot[batch->met[i]] = 0;
    batch->rows = batch->met_count = 0;
}

static bool reserve(struct entries *entries, size_t needed)
{
    size_t capacity = entries->capacity;
    return memory_reserve(&entries->index, &capacity, needed, sizeof *entries->index) &&
           memory_reserve(&entries->value, &entries->capacity, needed, sizeof *entries->value);
}

bool minibatch_add(struct minibatch *batch, const tlu_row *row, const uint32_t *place,
                   uint32_t class_index, float weight)
{
    size_t at = batch->offsets[batch->rows];
    if (!reserve(&batch->by_row, at + row->count))
        return false;
    for (size_t k = 0; k < row->count; k++) {
        uint32_t feature = row_feature(row, k), input = place ? place[feature] : feature + 1;
        if (input == 0)
            continue;
        batch->by_row.index[at] = input - 1;
        batch->by_row.value[at++] = row->values ? row->values[k] : 1;
    }
    batch->classes[batch->rows] = class_index;
    batch->weights[batch->rows] = weight;
    batch->offsets[++batch->rows] = at;
    return true;
}

// Which inputs there are, and how many rows each has, in met_offsets[slot].
static bool count_inputs(struct minibatch *batch, size_t entries)
{
    size_t most = entries < batch->inputs ? entries : batch->inputs, scratch = batch->met_capacity;
    if (!memory_reserve(&batch->met, &scratch, most + 1, sizeof *batch->met) ||
        !memory_reserve(&batch->met_offsets, &batch->met_capacity, most + 1,
                        sizeof *batch->met_offsets))
        return false;
    batch->met_offsets[0] = 0;
    for (size_t k = 0; k < entries; k++) {
        uint32_t input = batch->by_row.index[k];
        if (batch->slot[input] == 0) {
            batch->met[batch->met_count++] = input;
            batch->slot[input] = (uint32_t)batch->met_count;
            batch->met_offsets[batch->met_count] = 0;
        }
        batch->met_offsets[batch->slot[input]]++;
    }
    return true;
}

// The entries once more, input by input.
static void turn_round(struct minibatch *batch)
{
    size_t *ends = batch->met_offsets;
    for (size_t i = 0; i < batch->met_count; i++) // where each begins, one place further on
        ends[i + 1] += ends[i];
    for (size_t i = batch->met_count; i > 0; i--)
        ends[i] = ends[i - 1];
    for (size_t r = 0; r < batch->rows; r++)
        for (size_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++) {
            size_t at = ends[batch->slot[batch->by_row.index[k]]]++;
            batch->by_input.index[at] = (uint32_t)r;
            batch->by_input.value[at] = batch->by_row.value[k];
        }
}

static bool spread(struct minibatch *batch)
{
    size_t cells = batch->rows * batch->inputs;
    // One more, so that there is memory for empty rows, too.
    if (!memory_reserve(&batch->dense, &batch->dense_capacity, cells + 1, sizeof *batch->dense))
        return false;
    memset(batch->dense, 0, cells * sizeof *batch->dense);
    for (size_t r = 0; r < batch->rows; r++)
        for (size_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++)
            batch->dense[r * batch->inputs + batch->by_row.index[k]] = batch->by_row.value[k];
    return true;
}

bool minibatch_close(struct minibatch *batch)
{
    size_t entries = batch->offsets[batch->rows];
    if (!count_inputs(batch, entries))
        return false;
    batch->is_dense =
        (double)entries >= MINIBATCH_DENSE * (double)batch->rows * (double)batch->inputs;
    if (batch->is_dense)
        return spread(batch);
    if (!reserve(&batch->by_input, entries))
        return false;
    turn_round(batch);
    return true;
}
