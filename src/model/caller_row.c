#include "model/caller_row.h"

#include "base/memory.h"
#include "data/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW 64 // entries whose features are sorted without allocating

// ---- one row ----

// Two floats side by side. The sum has the sign bit of a float if its exponent is all ones: the
// float is not finite.
#define EXPONENTS UINT64_C(0x7F8000007F800000)
#define LOWEST_EXPONENTS UINT64_C(0x0080000000800000)
#define SIGNS UINT64_C(0x8000000080000000)

static tlu_status check_values(const tlu_row *row, tlu_error *error)
{
    size_t count = row->values ? row->count : 0;
    uint64_t sums = 0, two;
#pragma GCC unroll 4
    for (size_t i = 0; i + 2 <= count; i += 2) {
        memcpy(&two, &row->values[i], sizeof two);
        sums |= (two & EXPONENTS) + LOWEST_EXPONENTS;
    }
    bool finite = !(sums & SIGNS) && (count % 2 == 0 || isfinite(row->values[count - 1]));
    for (size_t i = 0; !finite && i < count; i++)
        if (!isfinite(row->values[i]))
            return error_input(error, "the value of feature %zu is not a finite number",
                               row->features ? (size_t)row->features[i] : i);
    return TLU_OK;
}

static bool is_ascending(const tlu_row *row)
{
    size_t count = row->features ? row->count : 0;
#pragma GCC unroll 8
    for (size_t i = 1; i < count; i++)
        if (row->features[i - 1] >= row->features[i])
            return false;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// For a row whose features are not in ascending order.
static tlu_status check_repeats(const tlu_row *row, tlu_error *error)
{
    uint32_t few[FEW], *sorted = few;
    tlu_status status = TLU_OK;
    if (row->count > FEW)
        sorted = memory_resize(NULL, row->count, sizeof *sorted);
    TRY(enough_memory(sorted, error));
    memcpy(sorted, row->features, row->count * sizeof *sorted);
    qsort(sorted, row->count, sizeof *sorted, by_number);
    for (size_t i = 1; i < row->count && status == TLU_OK; i++)
        if (sorted[i] == sorted[i - 1])
            status = error_input(error, "feature %u occurs twice in the row; give it once",
                                 (unsigned)sorted[i]);
    if (sorted != few)
        memory_free(sorted);
    return status;
}

// Sets *ascending: whether the features are in ascending order.
static tlu_status check_row(const tlu_row *row, bool *ascending, tlu_error *error)
{
    TRY(check_values(row, error));
    *ascending = is_ascending(row);
    return *ascending ? TLU_OK : check_repeats(row, error);
}

// Number of entries whose feature is below the limit.
static size_t count_known(const tlu_row *row, bool ascending, size_t features)
{
    size_t known = 0;
    if (!row->features)
        return row->count < features ? row->count : features;
    if (!ascending) {
        for (size_t i = 0; i < row->count; i++)
            known += row->features[i] < features;
        return known;
    }
    for (known = row->count; known && row->features[known - 1] >= features;)
        known--;
    return known;
}

// Copies these entries; `values` is NULL if every value is 1. Returns how many there are.
static size_t copy_known(const tlu_row *row, size_t features, uint32_t *numbers, float *values)
{
    size_t known = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row->features[i];
        if (feature >= features)
            continue;
        if (values)
            values[known] = row->values[i];
        numbers[known++] = feature;
    }
    return known;
}

tlu_status caller_row_take(struct caller_row *row, const tlu_row *given, size_t features,
                           tlu_error *error)
{
    bool ascending;
    *row = (struct caller_row){0};
    TRY(check_given(given != NULL, "row", error));
    TRY(check_row(given, &ascending, error));
    size_t known = count_known(given, ascending, features);
    row->row = (tlu_row){known, given->features, given->values};
    if (ascending || known == given->count) // unknown features come last
        return TLU_OK;
    row->features = memory_new(known, sizeof *row->features);
    row->values = given->values ? memory_new(known, sizeof *row->values) : NULL;
    TRY(enough_memory(row->features && (row->values || !given->values), error));
    copy_known(given, features, row->features, row->values);
    row->row.features = row->features;
    row->row.values = row->values;
    return TLU_OK;
}

void caller_row_free(struct caller_row *row)
{
    if (!row->features && !row->values) // the usual case
        return;
    memory_free(row->features);
    memory_free(row->values);
}

// ---- a batch ----

static tlu_status check_batch(const tlu_batch *batch, size_t features, bool *known,
                              tlu_error *error)
{
    *known = true;
    if (batch->rows)
        TRY(check_given(batch->offsets != NULL, "array of offsets", error));
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_error why;
        bool ascending;
        if (batch->offsets[i] > batch->offsets[i + 1])
            return error_input(error, "row %zu of the batch goes from entry %u to %u", i + 1,
                               (unsigned)batch->offsets[i], (unsigned)batch->offsets[i + 1]);
        if (batch->offsets[i] == batch->offsets[i + 1])
            continue;
        TRY(check_given(batch->features != NULL, "array of features", error));
        tlu_row row = tlu_batch_row(batch, i);
        tlu_status status = check_row(&row, &ascending, &why);
        if (status == TLU_ERROR_INPUT)
            return error_input(error, "row %zu of the batch: %s", i + 1, why.text);
        TRY(enough_memory(status == TLU_OK, error));
        *known = *known && count_known(&row, ascending, features) == row.count;
    }
    return TLU_OK;
}

tlu_status caller_batch_take(struct caller_batch *batch, const tlu_batch *given, size_t features,
                             tlu_error *error)
{
    bool known;
    *batch = (struct caller_batch){0};
    TRY(check_given(given != NULL, "batch", error));
    TRY(check_batch(given, features, &known, error));
    batch->batch = *given;
    if (known)
        return TLU_OK;
    size_t entries = given->offsets[given->rows] - given->offsets[0], count = 0;
    batch->offsets = memory_new(given->rows + 1, sizeof *batch->offsets);
    batch->features = memory_new(entries, sizeof *batch->features);
    batch->values = given->values ? memory_new(entries, sizeof *batch->values) : NULL;
    TRY(enough_memory(batch->offsets && batch->features && (batch->values || !given->values),
                      error));
    for (size_t i = 0; i < given->rows; i++) {
        tlu_row row = tlu_batch_row(given, i);
        count += copy_known(&row, features, batch->features + count,
                            batch->values ? batch->values + count : NULL);
        batch->offsets[i + 1] = (uint32_t)count;
    }
    batch->batch.offsets = batch->offsets;
    batch->batch.features = batch->features;
    batch->batch.values = batch->values;
    return TLU_OK;
}

void caller_batch_free(struct caller_batch *batch)
{
    memory_free(batch->offsets);
    memory_free(batch->features);
    memory_free(batch->values);
}
