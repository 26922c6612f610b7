#include "data/impute.h"

#include "base/memory.h"
#include "data/large.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MARKER "=" MISSING_VALUE
#define COLUMNS_AT_ONCE 32 // whose values are sorted after one walk over the rows

struct imputer {
    struct schema *schema;
    int missing;
    struct batch *const *batches;
    size_t batch_count;
    size_t features;
    uint32_t *column_of;  // [features] 1 + the numeric column with this feature; 0: none
    uint32_t *marked_by;  // [features] 1 + the column whose missing values it marks; 0: none
    uint64_t *missing_of; // [columns] missing values of rows that are not held out
    uint32_t *category;   // [columns] most-frequent: the feature of the value, or SCHEMA_NONE
    uint64_t rows;        // not held out
};

// ---- columns ----

static bool find_columns(struct imputer *imputer)
{
    const struct schema *schema = imputer->schema;
    imputer->features = schema_features(schema);
    imputer->column_of = memory_new(imputer->features, sizeof *imputer->column_of);
    imputer->marked_by = memory_new(imputer->features, sizeof *imputer->marked_by);
    imputer->missing_of = memory_new(schema->column_count, sizeof *imputer->missing_of);
    imputer->category = memory_new(schema->column_count, sizeof *imputer->category);
    if (!imputer->column_of || !imputer->marked_by || !imputer->missing_of || !imputer->category)
        return false;
    for (uint32_t c = 0; c < schema->column_count; c++) {
        const struct column *column = &schema->columns[c];
        imputer->category[c] = SCHEMA_NONE;
        if (column->kind != COLUMN_NUMERIC && column->kind != COLUMN_CATEGORICAL)
            continue;
        uint32_t marker;
        if (!schema_find_value(schema, column, MISSING_VALUE, &marker))
            return false;
        if (marker != SCHEMA_NONE && marker < imputer->features)
            imputer->marked_by[marker] = c + 1;
        if (column->kind == COLUMN_NUMERIC && column->feature < imputer->features)
            imputer->column_of[column->feature] = c + 1;
    }
    return true;
}

// ---- means ----

static void sum_up(struct imputer *imputer)
{
    struct column *columns = imputer->schema->columns;
    for (size_t c = 0; c < imputer->schema->column_count; c++)
        columns[c].fill.sum = 0; // rows that were read first may be in it
    for (size_t b = 0; b < imputer->batch_count; b++)
        for (size_t r = 0; r < imputer->batches[b]->rows; r++) {
            if (batch_is_held_out(imputer->batches[b], r))
                continue;
            tlu_row row = batch_row(imputer->batches[b], r);
            imputer->rows++;
            for (size_t i = 0; i < row.count; i++) {
                uint32_t f = row_feature(&row, i);
                if (imputer->column_of[f])
                    columns[imputer->column_of[f] - 1].fill.sum += row_value(&row, i);
                else if (imputer->marked_by[f])
                    imputer->missing_of[imputer->marked_by[f] - 1]++;
            }
        }
}

// ---- medians, and the most frequent numbers ----

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The median of sorted values, or their mode; the smallest of several modes.
static double median_or_mode(const float *values, size_t count, bool most_frequent)
{
    size_t best = 0, most = 0;
    if (count == 0)
        return 0;
    if (!most_frequent)
        return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
    for (size_t i = 0, start = 0; i < count; i++) {
        start = values[i] == values[start] ? start : i;
        if (i - start + 1 > most) {
            most = i - start + 1;
            best = start;
        }
    }
    return (double)values[best];
}

// The values of columns first to last - 1, by column: [last - first][rows]. Zeros are not entries.
static void collect_values(const struct imputer *imputer, uint32_t first, uint32_t last,
                           float *values, size_t *counts)
{
    bool is_missing[COLUMNS_AT_ONCE];
    size_t row_number = 0;
    memset(counts, 0, (last - first) * sizeof *counts);
    for (size_t b = 0; b < imputer->batch_count; b++)
        for (size_t r = 0; r < imputer->batches[b]->rows; r++) {
            if (batch_is_held_out(imputer->batches[b], r))
                continue;
            tlu_row row = batch_row(imputer->batches[b], r);
            memset(is_missing, 0, sizeof is_missing);
            for (uint32_t k = 0; k < last - first; k++)
                values[k * imputer->rows + counts[k]] = 0;
            for (size_t i = 0; i < row.count; i++) {
                uint32_t f = row_feature(&row, i);
                uint32_t own = imputer->column_of[f] - 1, marked = imputer->marked_by[f] - 1;
                if (own >= first && own < last)
                    values[(own - first) * imputer->rows + counts[own - first]] =
                        (float)row_value(&row, i);
                if (marked >= first && marked < last)
                    is_missing[marked - first] = true;
            }
            for (uint32_t k = 0; k < last - first; k++)
                counts[k] += !is_missing[k];
            row_number++;
        }
    assert(row_number == imputer->rows);
}

static bool fit_median_or_mode(const struct imputer *imputer)
{
    struct schema *schema = imputer->schema;
    size_t at_once =
        schema->column_count < COLUMNS_AT_ONCE ? schema->column_count : COLUMNS_AT_ONCE;
    float *values = memory_new(at_once * (imputer->rows + 1), sizeof *values);
    size_t counts[COLUMNS_AT_ONCE];
    for (uint32_t first = 0, last; values && first < schema->column_count; first = last) {
        last = first + (uint32_t)at_once;
        last = last < schema->column_count ? last : (uint32_t)schema->column_count;
        collect_values(imputer, first, last, values, counts);
        for (uint32_t c = first; c < last; c++) {
            float *own = values + (c - first) * imputer->rows;
            if (schema->columns[c].kind != COLUMN_NUMERIC)
                continue;
            if (counts[c - first])
                qsort(own, counts[c - first], sizeof *own, by_value);
            schema->columns[c].fill.value =
                median_or_mode(own, counts[c - first], imputer->missing == MISSING_MODE);
        }
    }
    memory_free(values);
    return values != NULL;
}

// ---- the most frequent categories ----

// The column of a feature COLUMN=VALUE, from 1, and where the value begins; 0: there is none.
static uint32_t category_column(const struct schema *schema, const struct table *names,
                                const char *name, const char **value)
{
    for (const char *equals = name; (equals = strchr(equals, '=')); equals++) {
        uint32_t column = table_find(names, name, (size_t)(equals - name));
        *value = equals + 1;
        if (column != TABLE_NONE && schema->columns[column].kind == COLUMN_CATEGORICAL)
            return column + 1;
    }
    return 0;
}

static bool fit_categories(const struct imputer *imputer)
{
    struct schema *schema = imputer->schema;
    struct table names = {0};
    uint64_t *counts = memory_new(imputer->features, sizeof *counts);
    uint64_t *most = memory_new(schema->column_count, sizeof *most);
    bool fine = counts && most;
    for (size_t c = 0; fine && c < schema->column_count; c++)
        fine = table_add(&names, schema->columns[c].name, strlen(schema->columns[c].name)) == c;
    for (size_t b = 0; fine && b < imputer->batch_count; b++)
        for (size_t r = 0; r < imputer->batches[b]->rows; r++) {
            tlu_row row = batch_row(imputer->batches[b], r);
            for (size_t i = 0; !batch_is_held_out(imputer->batches[b], r) && i < row.count; i++)
                counts[row_feature(&row, i)]++;
        }
    for (uint32_t n = 0; fine && n < schema->names.count; n++) {
        const char *value, *name = table_text(&schema->names, n);
        uint32_t f = schema->base + n, c = category_column(schema, &names, name, &value);
        if (!c || strcmp(value, MISSING_VALUE) == 0 || counts[f] == 0)
            continue;
        struct fill *fill = &schema->columns[c - 1].fill;
        if (counts[f] < most[c - 1] ||
            (counts[f] == most[c - 1] && fill->text && strcmp(value, fill->text) > 0))
            continue;
        char *copy = memory_copy_text(value, strlen(value));
        fine = copy != NULL;
        memory_free(fill->text);
        fill->text = copy;
        fill->known = true;
        most[c - 1] = counts[f];
        imputer->category[c - 1] = f;
    }
    table_free(&names);
    memory_free(counts);
    memory_free(most);
    return fine;
}

// ---- rows ----

// Whether some entry of the batch is to be replaced.
static bool has_markers(const struct imputer *imputer, const struct batch *batch)
{
    for (size_t r = 0; r < batch->rows; r++) {
        tlu_row row = batch_row(batch, r);
        for (size_t i = 0; i < row.count; i++)
            if (imputer->marked_by[row_feature(&row, i)])
                return true;
    }
    return false;
}

static void add_entry(struct batch *to, size_t *n, uint32_t feature, float value)
{
    to->indices[*n] = feature;
    to->values[(*n)++] = value;
}

static void replace_row(const struct imputer *imputer, const tlu_row *row, struct batch *to)
{
    const struct column *columns = imputer->schema->columns;
    size_t n = batch_nonzeros(to);
    for (size_t i = 0; i < row->count; i++) {
        uint32_t f = row_feature(row, i), c = imputer->marked_by[f] - 1;
        bool numeric = imputer->marked_by[f] && columns[c].kind == COLUMN_NUMERIC;
        if (numeric && (float)columns[c].fill.value != 0)
            add_entry(to, &n, columns[c].feature, (float)columns[c].fill.value);
        if (imputer->marked_by[f] && imputer->category[c] != SCHEMA_NONE)
            f = imputer->category[c];
        if (!numeric || imputer->missing == MISSING_AUTO)
            add_entry(to, &n, f, (float)row_value(row, i));
    }
    to->offsets[++to->rows] = (uint32_t)n;
}

static tlu_status replace_markers(const struct imputer *imputer, struct batch *batch,
                                  tlu_error *error)
{
    if (!has_markers(imputer, batch))
        return TLU_OK;
    struct batch *replaced = batch_new();
    bool fine = replaced != NULL;
    for (size_t r = 0; fine && r < batch->rows; r++) {
        tlu_row row = batch_row(batch, r);
        fine = batch_reserve(replaced, 1, 2 * row.count);
        if (fine)
            replace_row(imputer, &row, replaced);
    }
    if (!fine) {
        batch_free(replaced);
        return error_memory(error);
    }
    replaced->ones = false;
    batch_take_entries(batch, replaced);
    return TLU_OK;
}

// ---- all of it ----

static tlu_status fit(struct imputer *imputer, tlu_error *error)
{
    struct schema *schema = imputer->schema;
    bool sorts = imputer->missing == MISSING_MEDIAN || imputer->missing == MISSING_MODE;
    TRY(enough_memory(find_columns(imputer), error));
    sum_up(imputer);
    for (size_t c = 0; c < schema->column_count; c++) {
        struct fill *fill = &schema->columns[c].fill;
        if (column_has_features(schema->columns[c].kind))
            schema->columns[c].missing = imputer->missing_of[c];
        if (schema->columns[c].kind != COLUMN_NUMERIC)
            continue;
        fill->count = imputer->rows - imputer->missing_of[c];
        fill_set_mean(fill);
    }
    if (sorts)
        TRY(enough_memory(fit_median_or_mode(imputer), error));
    if (imputer->missing == MISSING_MODE)
        TRY(enough_memory(fit_categories(imputer), error));
    return TLU_OK;
}

tlu_status impute_rows(struct schema *schema, int missing, struct batch *const *batches,
                       size_t batch_count, tlu_error *error)
{
    struct imputer imputer = {
        .schema = schema, .missing = missing, .batches = batches, .batch_count = batch_count};
    if (!impute_fits(missing) || !schema_is_table(schema) || schema->slots.bits)
        return TLU_OK;
    tlu_status status = fit(&imputer, error);
    for (size_t b = 0; status == TLU_OK && b < batch_count; b++)
        status = replace_markers(&imputer, batches[b], error);
    memory_free(imputer.column_of);
    memory_free(imputer.marked_by);
    memory_free(imputer.missing_of);
    memory_free(imputer.category);
    return status;
}

bool impute_count(struct schema *schema, const struct batch *batch)
{
    size_t features = 0;
    for (size_t c = 0; c < schema->column_count; c++)
        if (schema->columns[c].kind == COLUMN_NUMERIC && schema->columns[c].feature >= features)
            features = (size_t)schema->columns[c].feature + 1;
    double *sums = memory_new(features, sizeof *sums); // so far, added to row by row
    if (!sums)
        return false;
    for (size_t c = 0; c < schema->column_count; c++)
        if (schema->columns[c].kind == COLUMN_NUMERIC)
            sums[schema->columns[c].feature] = schema->columns[c].fill.sum;
    for (size_t k = 0; !batch->alike && k < batch_nonzeros(batch); k++)
        if (batch->indices[k] < features)
            sums[batch->indices[k]] += batch->ones ? 1 : (double)batch->values[k];
    for (size_t r = 0; batch->alike && r < batch->rows; r++) {
        tlu_row row = batch_row(batch, r);
        for (size_t i = 0; i < row.count; i++)
            if (row_feature(&row, i) < features)
                sums[row_feature(&row, i)] += row_value(&row, i);
    }
    for (size_t c = 0; c < schema->column_count; c++) {
        struct column *column = &schema->columns[c];
        if (column->kind != COLUMN_NUMERIC)
            continue;
        column->fill.sum = sums[column->feature];
        column->fill.count += batch->rows;
        fill_set_mean(&column->fill);
    }
    memory_free(sums);
    return true;
}
