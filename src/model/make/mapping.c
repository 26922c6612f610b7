#include "model/make/internal.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "mlp/layers.h"
#include "solvers/batch_solver.h"

#include <assert.h>
#include <stdlib.h>

void mapping_free(struct mapping *mapping)
{
    memory_free(mapping->classes);
    memory_free(mapping->features);
    memory_free(mapping->feature_of);
    memory_free(mapping->columns);
    memory_free(mapping->signs);
    memory_free(mapping->column_of);
    memory_free(mapping->rows);
}

// ---- classes and columns ----

// Only classes in use: the schema has one more if the first example of a class could not be
// learned.
bool mapping_order_classes(struct mapping *mapping, const struct tlu_learner *learner)
{
    mapping->classes = learner_order_classes(learner);
    return mapping->classes != NULL;
}

bool mapping_order_columns(struct mapping *mapping, const struct tlu_learner *learner)
{
    uint32_t classes = learner->scheme.classes, columns = learner_columns(learner);
    mapping->columns = memory_new(columns, sizeof *mapping->columns);
    mapping->column_of = memory_new(columns, sizeof *mapping->column_of);
    mapping->signs = memory_new(columns, sizeof *mapping->signs);
    if (!mapping->columns || !mapping->column_of || !mapping->signs)
        return false;
    mapping->signs[0] = 1;
    for (uint32_t b = 0; learner->scheme.kind != SCHEME_TWO && b < classes; b++) {
        uint32_t old_b = mapping->classes[b];
        if (learner->scheme.kind != SCHEME_OVO) {
            mapping->columns[b] = old_b;
            mapping->signs[b] = 1;
        }
        for (uint32_t a = 0; learner->scheme.kind == SCHEME_OVO && a < b; a++) {
            uint32_t old_a = mapping->classes[a], column = scheme_pair(a, b);
            mapping->columns[column] = scheme_pair(old_a, old_b);
            mapping->signs[column] = old_b > old_a ? 1 : -1;
        }
    }
    for (uint32_t c = 0; c < columns; c++)
        mapping->column_of[mapping->columns[c]] = c;
    return true;
}

// ---- rows that are kept ----

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool learned_uses(const struct learned *learned, size_t feature)
{
    const struct weights *weights = learned->weights;
    const struct layers *layers = learned->learner->space.layers;
    if (layers)
        return layers_use(layers, feature);
    size_t row = weights_row(weights, feature);
    if (row == SIZE_MAX)
        return false;
    size_t start = row * weights->columns;
    for (size_t i = start; i < start + weights->columns; i++)
        if (weights->w[i] != 0 || (weights->u && weights->u[i] != 0) ||
            (weights->state && weights->state[i] != 0) ||
            (weights->recent.r && weights->recent.r[i] != 0))
            return true;
    return false;
}

static bool add_row(struct mapping *mapping, uint64_t row)
{
    if (!memory_reserve(&mapping->rows, &mapping->row_capacity, mapping->row_count + 1,
                        sizeof *mapping->rows))
        return false;
    mapping->rows[mapping->row_count++] = row;
    return true;
}

bool mapping_collect_rows(struct mapping *mapping, const struct learned *learned)
{
    const struct tlu_learner *learner = learned->learner;
    const struct history *history = learner->decision.history;
    const struct solution *solution = learner->solving.solution;
    bool fine = true;
    assert(learned->updates == 0 || (history && learned->updates <= history->count));
    for (size_t i = 0; fine && learner->space.kernel.kind && i < learned->weights->features; i++)
        if (learned_uses(learned, i))
            fine = add_row(mapping, i);
    for (size_t i = 0; fine && i < learned->updates; i++)
        fine = add_row(mapping, history->steps[i].id);
    for (size_t i = 0; fine && solution && i < solution->count; i++)
        fine = add_row(mapping, solution->supports[i].id);
    if (!fine || mapping->row_count == 0)
        return fine;
    qsort(mapping->rows, mapping->row_count, sizeof *mapping->rows, by_number);
    size_t distinct = 1;
    for (size_t i = 1; i < mapping->row_count; i++)
        if (mapping->rows[i] != mapping->rows[distinct - 1])
            mapping->rows[distinct++] = mapping->rows[i];
    mapping->row_count = distinct;
    return true;
}

uint32_t mapping_support_of(const struct mapping *mapping, uint64_t row)
{
    const uint64_t *found = bsearch(&row, mapping->rows, mapping->row_count, sizeof row, by_number);
    assert(found);
    return (uint32_t)(found - mapping->rows);
}
