#include "data/scale.h"

#include "base/memory.h"
#include "base/options.h"

#include <math.h>
#include <string.h>

void scaling_free(struct scaling *scaling)
{
    memory_free(scaling->factor);
    memory_free(scaling->shift);
    memory_free(scaling->shifted);
    *scaling = (struct scaling){0};
}

// Sums over the rows of each feature: all [features].
struct feature_sums {
    double *largest; // |x|
    double *sum;     // x
    double *squares; // (x - mean)^2 of the entries that are not zero
    double *count;   // entries that are not zero
};

// A row; one without entries for a row that takes no part.
static tlu_row row_at(const struct batch *batch, size_t i)
{
    return batch_is_held_out(batch, i) ? (tlu_row){0} : batch_row(batch, i);
}

// Two walks over the data: the mean first, then the squares of the distances to it, which does not
// lose digits if the mean is large and the spread small.
static double sum_up(struct feature_sums *sums, struct batch *const *batches, size_t batch_count)
{
    double rows = 0;
    for (size_t b = 0; b < batch_count; b++)
        for (size_t r = 0; r < batches[b]->rows; r++) {
            tlu_row row = row_at(batches[b], r);
            rows += !batch_is_held_out(batches[b], r);
            for (size_t i = 0; i < row.count; i++) {
                uint32_t f = row_feature(&row, i);
                double x = row_value(&row, i);
                sums->sum[f] += x;
                sums->count[f] += 1;
                if (fabs(x) > sums->largest[f])
                    sums->largest[f] = fabs(x);
            }
        }
    for (size_t b = 0; b < batch_count; b++)
        for (size_t r = 0; r < batches[b]->rows; r++) {
            tlu_row row = row_at(batches[b], r);
            for (size_t i = 0; i < row.count; i++) {
                uint32_t f = row_feature(&row, i);
                double distance = row_value(&row, i) - sums->sum[f] / rows;
                sums->squares[f] += distance * distance;
            }
        }
    return rows;
}

// Numbers of a feature that is not a column: of size 1 on average, and zeros stay zeros.
static double sparse_factor(const struct feature_sums *sums, size_t f, double rows)
{
    double mean = sums->sum[f] / rows;
    double power = sums->squares[f] + mean * (2 * sums->sum[f] - sums->count[f] * mean);
    double size = sqrt(power / sums->count[f]);
    // If all entries are alike, the largest is exact.
    return 1 / (sums->largest[f] - size > 1e-6 * size ? size : sums->largest[f]);
}

static void fit_feature(struct scaling *scaling, const struct feature_sums *sums, size_t f,
                        double rows)
{
    double largest = sums->largest[f], count = sums->count[f];
    if (scaling->kind == SCALE_MAXABS) {
        scaling->factor[f] = largest > 0 ? 1 / largest : 1;
        return;
    }
    double mean = sums->sum[f] / rows, zeros = rows - count;
    double deviation = sqrt((sums->squares[f] + zeros * mean * mean) / rows);
    bool constant = !(deviation > 1e-12 * fabs(mean));
    if (scaling->kind == SCALE_AUTO) {
        bool alike = fabs(fabs(sums->sum[f]) - largest * count) <= 1e-6 * largest * count;
        if (alike || 2 * count < rows || constant) {
            scaling->factor[f] = sparse_factor(sums, f, rows);
            return;
        }
    }
    // A constant column has nothing to say: it is shifted to 0, not blown up.
    scaling->factor[f] = constant ? 1 : 1 / deviation;
    if (scaling->kind == SCALE_AUTO || 4 * count >= rows)
        scaling->shift[f] = mean;
}

// Which features are numbers: in CSV those of numeric columns, elsewhere all.
static void mark_numeric(const struct schema *schema, double *numeric, size_t features)
{
    for (size_t f = 0; !schema_is_csv(schema) && f < features; f++)
        numeric[f] = 1;
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_NUMERIC)
            numeric[schema->columns[i].feature] = 1;
}

// ---- what is in the columns ----

static void widen(struct value_range *range, float value)
{
    if (range->count == 0)
        range->low = range->high = value;
    if (value < range->low)
        range->low = value;
    if (value > range->high)
        range->high = value;
    range->count++;
}

uint64_t ranges_find(struct value_range *ranges, struct batch *const *batches, size_t batch_count,
                     uint64_t most)
{
    uint64_t rows = 0;
    for (size_t b = 0; b < batch_count; b++)
        for (size_t r = 0; r < batches[b]->rows && rows < most; r++) {
            if (batch_is_held_out(batches[b], r))
                continue;
            tlu_row row = batch_row(batches[b], r);
            for (size_t i = 0; i < row.count; i++)
                widen(&ranges[row_feature(&row, i)], (float)row_value(&row, i));
            rows++;
        }
    return rows;
}

double range_width(const struct value_range *range, uint64_t rows)
{
    double low = range->low, high = range->high;
    if (range->count < rows) { // a zero among them
        low = low < 0 ? low : 0;
        high = high > 0 ? high : 0;
    }
    return high - low;
}

static bool is_table(const struct value_range *ranges, const double *numeric, size_t features,
                     uint64_t rows)
{
    double entries = 0, in_columns = 0, widest = 0, narrowest = 0;
    for (size_t f = 0; f < features; f++) {
        const struct value_range *range = &ranges[f];
        if (numeric[f] == 0 || range->count == 0 || range->low == range->high)
            continue;
        entries += range->count;
        if ((uint64_t)range->count * 2 < rows)
            continue;
        in_columns += range->count;
        double width = range_width(range, rows);
        widest = width > widest ? width : widest;
        narrowest = narrowest == 0 || width < narrowest ? width : narrowest;
    }
    return entries > 0 && (in_columns >= 0.75 * entries || widest >= RANGE_RATIO * narrowest) &&
           in_columns > 0;
}

tlu_status scaling_wanted(const struct schema *schema, struct batch *const *batches,
                          size_t batch_count, uint64_t most, bool *wanted, tlu_error *error)
{
    bool ones = true;
    for (size_t b = 0; b < batch_count; b++)
        ones = ones && batches[b]->ones;
    *wanted = false;
    if (ones) // no numbers
        return TLU_OK;
    size_t features = schema_features(schema);
    struct value_range *ranges = memory_new(features, sizeof *ranges);
    double *numeric = memory_new(features, sizeof *numeric);
    bool fine = ranges && numeric;
    if (fine) {
        mark_numeric(schema, numeric, features);
        uint64_t rows = ranges_find(ranges, batches, batch_count, most);
        *wanted = is_table(ranges, numeric, features, rows);
    }
    memory_free(ranges);
    memory_free(numeric);
    return enough_memory(fine, error);
}

tlu_status scaling_fit(struct scaling *scaling, int kind, const struct schema *schema,
                       struct batch *const *batches, size_t batch_count, tlu_error *error)
{
    *scaling = (struct scaling){.kind = kind};
    if (kind == SCALE_NONE)
        return TLU_OK;
    size_t features = scaling->features = schema_features(schema);
    scaling->factor = memory_new(features, sizeof(double));
    scaling->shift = memory_new(features, sizeof(double));
    double *all = memory_new(features, 4 * sizeof *all);
    bool fine = all && scaling->factor && scaling->shift;
    if (fine) {
        struct feature_sums sums = {all, all + features, all + 2 * features, all + 3 * features};
        mark_numeric(schema, scaling->factor, features);
        double rows = sum_up(&sums, batches, batch_count);
        for (size_t f = 0; f < features; f++) {
            if (scaling->factor[f] == 1 && sums.count[f] > 0)
                fit_feature(scaling, &sums, f, rows);
            else
                scaling->factor[f] = 1;
        }
        fine = scaling_index(scaling);
        if (kind == SCALE_AUTO)
            scaling->kind = SCALE_STANDARD;
    }
    memory_free(all);
    return enough_memory(fine, error);
}

bool scaling_index(struct scaling *scaling)
{
    scaling->shifted_count = 0;
    for (size_t f = 0; f < scaling->features; f++)
        scaling->shifted_count += scaling->shift[f] != 0;
    scaling->shifted = memory_resize(NULL, scaling->shifted_count, sizeof *scaling->shifted);
    if (!scaling->shifted)
        return false;
    size_t k = 0;
    for (size_t f = 0; f < scaling->features; f++)
        if (scaling->shift[f] != 0)
            scaling->shifted[k++] = (uint32_t)f;
    return true;
}

// One row into `to`: the shifted features first, all of them, then the others in the row's order.
// `dense` [features] is scratch space, zero before and after.
static void scale_row(const struct scaling *scaling, const tlu_row *x, double *dense,
                      struct batch *to)
{
    size_t n = batch_nonzeros(to);
    for (size_t i = 0; i < x->count; i++)
        dense[row_feature(x, i)] = row_value(x, i);
    for (size_t k = 0; k < scaling->shifted_count; k++) {
        uint32_t f = scaling->shifted[k];
        float value = (float)((dense[f] - scaling->shift[f]) * scaling->factor[f]);
        if (value != 0) {
            to->indices[n] = f;
            to->values[n++] = value;
        }
    }
    for (size_t i = 0; i < x->count; i++) {
        uint32_t f = row_feature(x, i);
        float value = (float)(dense[f] * scaling->factor[f]);
        if (scaling->shift[f] == 0 && value != 0) {
            to->indices[n] = f;
            to->values[n++] = value;
        }
        dense[f] = 0;
    }
    to->offsets[++to->rows] = (uint32_t)n;
}

tlu_status scaling_apply(const struct scaling *scaling, struct batch *batch, tlu_error *error)
{
    if (scaling->kind == SCALE_NONE)
        return TLU_OK;
    struct batch *scaled = batch_new();
    double *dense = memory_new(scaling->features, sizeof *dense);
    bool fine = scaled && dense;
    for (size_t i = 0; fine && i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        fine = batch_reserve(scaled, 1, row.count + scaling->shifted_count);
        if (fine)
            scale_row(scaling, &row, dense, scaled);
    }
    memory_free(dense);
    if (!fine) {
        batch_free(scaled);
        return error_memory(error);
    }
    // The labels and counts stay where they are; the entries change places.
    scaled->ones = false;
    batch_take_entries(batch, scaled);
    return TLU_OK;
}
