#include "data/scale.h"

#include "base/memory.h"
#include "numeric/exp_log.h"

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
static tlu_status sum_up(struct feature_sums *sums, size_t features, struct batch *const *batches,
                         size_t batch_count, const struct scale_reduction *reduction,
                         double *rows_out, tlu_error *error)
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
    if (reduction) {
        TRY(reduction->sum(reduction->context, &rows, 1, error));
        TRY(reduction->sum(reduction->context, sums->sum, features, error));
        TRY(reduction->sum(reduction->context, sums->count, features, error));
        TRY(reduction->largest(reduction->context, sums->largest, features, error));
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
    *rows_out = rows;
    return reduction ? reduction->sum(reduction->context, sums->squares, features, error) : TLU_OK;
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

// Marks the features that are numbers by 1.
static void mark_numeric(const struct schema *schema, double *numeric, size_t features)
{
    bool mixed = schema->column_count > 0 && !schema_is_csv(schema); // JSON
    bool all = !schema_is_csv(schema) && !mixed && !schema_has_texts(schema);
    for (size_t f = 0; (all || mixed) && f < features; f++)
        numeric[f] = all || schema_is_number(schema, (uint32_t)f);
    for (size_t i = 0; schema_is_csv(schema) && i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_NUMERIC)
            numeric[schema->columns[i].feature] = 1;
}

// ---- words ----

struct scale_rule scale_rule_of(const tlu_options *options, int kind)
{
    return (struct scale_rule){.kind = kind,
                               .tfidf = options_flag(options, OPTION_TFIDF),
                               .min_count = options_count(options, OPTION_MIN_COUNT),
                               .normalize = options_flag(options, OPTION_NORMALIZE)};
}

double word_factor(const struct scale_rule *rule, uint64_t count, uint64_t rows)
{
    if (count < rule->min_count)
        return 0;
    if (!rule->tfidf)
        return 1;
    return same_log((1 + (double)rows) / (1 + (double)count)) + 1;
}

static bool count_words(struct word_counts *words, const struct schema *schema, size_t features,
                        struct batch *const *batches, size_t batch_count)
{
    words->counts = memory_new(features, sizeof *words->counts);
    if (!words->counts)
        return false;
    words->capacity = features;
    for (size_t b = 0; b < batch_count; b++)
        for (size_t r = 0; r < batches[b]->rows; r++) {
            tlu_row row = row_at(batches[b], r);
            words->rows += !batch_is_held_out(batches[b], r);
            for (size_t i = 0; i < row.count; i++)
                words->counts[row_feature(&row, i)]++;
        }
    for (size_t f = 0; f < features; f++)
        if (words->counts[f] && !schema_is_word(schema, (uint32_t)f))
            words->counts[f] = 0;
    return true;
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

// Fits the factors and shifts. They are allocated.
static tlu_status fit_numbers(struct scaling *scaling, const struct schema *schema,
                              struct batch *const *batches, size_t batch_count,
                              const struct scale_reduction *reduction, tlu_error *error)
{
    size_t features = scaling->features;
    double rows, *all = memory_new(features, 4 * sizeof *all);
    TRY(enough_memory(all != NULL, error));
    struct feature_sums sums = {all, all + features, all + 2 * features, all + 3 * features};
    mark_numeric(schema, scaling->factor, features);
    tlu_status status = sum_up(&sums, features, batches, batch_count, reduction, &rows, error);
    for (size_t f = 0; status == TLU_OK && f < features; f++) {
        if (scaling->factor[f] == 1 && sums.count[f] > 0)
            fit_feature(scaling, &sums, f, rows);
        else
            scaling->factor[f] = 1;
    }
    memory_free(all);
    return status;
}

static tlu_status sum_words(struct word_counts *words, const struct scale_reduction *reduction,
                            tlu_error *error)
{
    double rows = (double)words->rows, *counts = memory_new(words->capacity, sizeof *counts);
    TRY(enough_memory(counts != NULL, error));
    for (size_t f = 0; f < words->capacity; f++)
        counts[f] = words->counts[f];
    tlu_status status = reduction->sum(reduction->context, &rows, 1, error);
    if (status == TLU_OK)
        status = reduction->sum(reduction->context, counts, words->capacity, error);
    words->rows = (uint64_t)rows;
    for (size_t f = 0; status == TLU_OK && f < words->capacity; f++)
        words->counts[f] = counts[f] < UINT32_MAX ? (uint32_t)counts[f] : UINT32_MAX;
    memory_free(counts);
    return status;
}

static tlu_status fit(struct scaling *scaling, const struct scale_rule *rule,
                      const struct schema *schema, struct batch *const *batches, size_t batch_count,
                      struct word_counts *words, const struct scale_reduction *reduction,
                      tlu_error *error)
{
    size_t features = scaling->features = schema_features(schema);
    scaling->factor = memory_new(features, sizeof(double));
    scaling->shift = memory_new(features, sizeof(double));
    TRY(enough_memory(scaling->factor && scaling->shift, error));
    for (size_t f = 0; rule->kind == SCALE_NONE && f < features; f++)
        scaling->factor[f] = 1;
    if (rule->kind != SCALE_NONE)
        TRY(fit_numbers(scaling, schema, batches, batch_count, reduction, error));
    if (scale_rule_counts(rule)) {
        TRY(enough_memory(count_words(words, schema, features, batches, batch_count), error));
        if (reduction)
            TRY(sum_words(words, reduction, error));
    }
    for (size_t f = 0; words->counts && f < features; f++)
        if (words->counts[f])
            scaling->factor[f] = word_factor(rule, words->counts[f], words->rows);
    return enough_memory(scaling_index(scaling), error);
}

tlu_status scaling_fit(struct scaling *scaling, const struct scale_rule *rule,
                       const struct schema *schema, struct batch *const *batches,
                       size_t batch_count, struct word_counts *words,
                       const struct scale_reduction *reduction, tlu_error *error)
{
    *scaling = (struct scaling){.kind = rule->kind, .normalize = rule->normalize};
    *words = (struct word_counts){0};
    if (rule->kind == SCALE_NONE && !scale_rule_counts(rule))
        return TLU_OK;
    TRY(fit(scaling, rule, schema, batches, batch_count, words, reduction, error));
    if (rule->kind == SCALE_AUTO)
        scaling->kind = SCALE_STANDARD;
    return TLU_OK;
}

bool scaling_index(struct scaling *scaling)
{
    scaling->shifted_count = 0;
    for (size_t f = 0; f < scaling->features; f++)
        scaling->shifted_count += scaling->shift[f] != 0;
    memory_free(scaling->shifted); // a model file has the factors of columns and of words
    scaling->shifted = memory_resize(NULL, scaling->shifted_count, sizeof *scaling->shifted);
    if (!scaling->shifted)
        return false;
    size_t k = 0;
    scaling->unshifted = 0;
    for (size_t f = 0; f < scaling->features; f++)
        if (scaling->shift[f] != 0) {
            double value = scaling->shift[f] * scaling->factor[f];
            scaling->shifted[k++] = (uint32_t)f;
            scaling->unshifted += value * value;
        }
    return true;
}

// The shifted features that are not in the row have the values of a row without entries.
double scaling_row_length(const struct scaling *scaling, const tlu_row *row)
{
    double sum = scaling->unshifted;
    for (size_t i = 0; i < row->count; i++) {
        double value = row_value(row, i);
        if (scaling->factor) {
            uint32_t f = row_feature(row, i);
            double zero = scaling->shift[f] * scaling->factor[f];
            value = (value - scaling->shift[f]) * scaling->factor[f];
            sum -= zero * zero;
        }
        sum += value * value;
    }
    return sum > 0 ? sqrt(sum) : 1;
}

void values_normalize(float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    double length = sqrt(sum);
    for (size_t i = 0; length > 0 && i < count; i++)
        values[i] = (float)((double)values[i] / length);
}

// One row into `to`: the shifted features first, all of them, then the others in the row's order.
// `dense` [features] is scratch space, zero before and after.
static void scale_row(const struct scaling *scaling, const tlu_row *x, double *dense,
                      struct batch *to)
{
    size_t first = batch_nonzeros(to), n = first;
    for (size_t i = 0; scaling->factor && i < x->count; i++)
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
        float value = (float)row_value(x, i);
        bool shifted = scaling->factor && scaling->shift[f] != 0;
        if (scaling->factor) {
            value = (float)(dense[f] * scaling->factor[f]);
            dense[f] = 0;
        }
        if (!shifted && value != 0) {
            to->indices[n] = f;
            to->values[n++] = value;
        }
    }
    if (scaling->normalize)
        values_normalize(to->values + first, n - first);
    to->offsets[++to->rows] = (uint32_t)n;
}

tlu_status scaling_apply(const struct scaling *scaling, struct batch *batch, tlu_error *error)
{
    if (!scaling_is_on(scaling))
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
