#include "train/rows.h"

#include "base/memory.h"
#include "train/clock.h"

#include <assert.h>
#include <math.h>

tlu_status rows_open(struct rows *rows, tlu_options *options, struct schema *schema,
                     tlu_error *error)
{
    rows->counts.last_class = SCHEMA_NONE;
    cache_init(&rows->cache, options);
    double start = clock_seconds();
    TRY(reader_open_source(&rows->reader, rows->path, &rows->row_source, options, schema, error));
    rows->seconds += clock_seconds() - start;
    rows->format = reader_format(rows->reader);
    return reader_adopt(rows->reader, options, error);
}

void rows_free(struct rows *rows)
{
    reader_close(rows->reader); // first: its threads look at the schema
    for (size_t i = 0; i < rows->batch_count; i++)
        batch_free(rows->batches[i]);
    cache_free(&rows->cache);
    scaling_free(&rows->scaling);
    memory_free(rows->batches);
    cache_array_free(&rows->order.where, rows->order.items);
    cache_array_free(&rows->norms.where, rows->norms.items);
    cache_array_free(&rows->held_out.where, rows->held_out.items);
    memory_free(rows->mask);
}

// ---- reading ----

// The first rows are kept in any case; the passing ones come after them.
static void begin_passing(struct rows *rows)
{
    for (size_t b = 0; b < rows->batch_count; b++)
        fingerprint_add(&rows->gone, rows->batches[b], rows->batches[b]->rows, rows_every(rows));
    rows->passing = true;
}

static void drop_passing(struct rows *rows)
{
    struct batch *batch = rows->batches[--rows->batch_count];
    fingerprint_add(&rows->gone, batch, batch->rows, rows_every(rows));
    reader_recycle(rows->reader, batch);
}

static void count_batch(struct row_counts *counts, const struct batch *batch)
{
    counts->rows += batch->rows;
    counts->nonzeros += batch_nonzeros(batch);
    counts->skipped += batch->counts.skipped_rows;
    counts->qid_fields += batch->counts.qid_fields;
    counts->multi_label_rows += batch->counts.multi_label_rows;
    counts->bytes = batch->place.bytes;
    for (size_t i = 0; !batch->set_cells && i < batch->rows; i++) {
        counts->class_changes += batch->labels[i] != counts->last_class;
        counts->last_class = batch->labels[i];
    }
}

static tlu_status add_places(struct rows *rows, uint32_t number, size_t count, tlu_error *error)
{
    struct places *places = &rows->order;
    TRY(cache_reserve(&rows->cache, &places->where, &places->items, &places->capacity,
                      places->count + count, sizeof *places->items, error));
    for (size_t i = 0; i < count; i++)
        places->items[places->count++] = (struct place){number, (uint32_t)i};
    return TLU_OK;
}

// Instead of a batch that is to be kept, a copy of it, if that is better: then the parsers have
// their memory back.
static struct batch *kept_copy(struct rows *rows, struct batch *batch)
{
    struct batch *copy = rows->whole && !rows->copies ? NULL : cache_copy(&rows->cache, batch);
    if (copy)
        reader_recycle(rows->reader, batch);
    return copy ? copy : batch;
}

// Multiplies the weights of a batch by the factors of its rows.
static tlu_status weigh(const struct rows *rows, struct batch *batch, tlu_error *error)
{
    const uint64_t first = rows->counts.rows;
    if (batch->rows > rows->factor_count - first)
        return error_at(error, rows->path, 0, 0,
                        "there are more rows than the %llu that have weights",
                        (unsigned long long)rows->factor_count);
    if (!batch->weighted)
        TRY(enough_memory(memory_reserve(&batch->weights, &batch->memory.weights_capacity,
                                         batch->rows, sizeof *batch->weights),
                          error));
    for (size_t i = 0; i < batch->rows; i++) {
        const float weight = rows->factors[first + i] * (batch->weighted ? batch->weights[i] : 1);
        if (!(weight >= 0) || !isfinite(weight))
            return reader_refuse(rows->reader, batch, i,
                                 "the weight of the row is not a number of 0 or more", error);
        batch->weights[i] = weight;
    }
    batch->weighted = true;
    return TLU_OK;
}

tlu_status rows_read(struct rows *rows, const tlu_options *options, bool keep, tlu_error *error)
{
    struct batch *batch;
    double start = clock_seconds();
    TRY(reader_next(rows->reader, &batch, error));
    rows->seconds += clock_seconds() - start;
    rows->ended = !batch;
    if (!batch && rows->factors && rows->counts.rows != rows->factor_count)
        return error_at(error, rows->path, 0, 0, "%llu rows have weights, and there are %llu",
                        (unsigned long long)rows->factor_count,
                        (unsigned long long)rows->counts.rows);
    if (!batch)
        return TLU_OK;
    if (rows->factors) {
        const tlu_status status = weigh(rows, batch, error);
        if (status != TLU_OK) {
            batch_free(batch);
            return status;
        }
    }
    if (options_flag(options, OPTION_BINARIZE))
        batch->ones = true; // the values are not looked at any more
    if (keep)
        batch = kept_copy(rows, batch);
    if (rows->passing)
        drop_passing(rows);
    else if (!keep)
        begin_passing(rows);
    if (!keep) {
        rows->passed += rows->order.count;
        rows->order.count = 0;
    }
    if (!memory_reserve(&rows->batches, &rows->batch_capacity, rows->batch_count + 1,
                        sizeof *rows->batches)) {
        batch_free(batch);
        return error_memory(error);
    }
    rows->batches[rows->batch_count++] = batch;
    count_batch(&rows->counts, batch);
    TRY(add_places(rows, (uint32_t)rows->batch_count - 1, batch->rows, error));
    bool settled = batch->memory.kept > 0; // it is such a copy
    return keep && !settled ? cache_keep(&rows->cache, batch, error) : TLU_OK;
}

// ---- norms ----

// Four rows side by side: a sum waits for the addition before it.
static void measure_four(const struct batch *batch, size_t first, double norms[4])
{
    const float *x[4];
    size_t count[4], common = SIZE_MAX;
    for (size_t k = 0; k < 4; k++) {
        tlu_row row = batch_row(batch, first + k);
        x[k] = row.values;
        count[k] = row.count;
        common = row.count < common ? row.count : common;
    }
    double s0 = norms[0], s1 = norms[1], s2 = norms[2], s3 = norms[3];
    for (size_t i = 0; i < common; i++) {
        s0 += (double)x[0][i] * (double)x[0][i];
        s1 += (double)x[1][i] * (double)x[1][i];
        s2 += (double)x[2][i] * (double)x[2][i];
        s3 += (double)x[3][i] * (double)x[3][i];
    }
    double sums[4] = {s0, s1, s2, s3};
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = common; i < count[k]; i++)
            sums[k] += (double)x[k][i] * (double)x[k][i];
        norms[k] = sums[k];
    }
}

static void measure_batch(const struct batch *batch, double bias, double *norms)
{
    size_t i = 0;
    for (size_t k = 0; k < batch->rows; k++)
        norms[k] = bias;
    for (; !batch->ones && i + 4 <= batch->rows; i += 4)
        measure_four(batch, i, norms + i);
    for (; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        if (!row.values)
            norms[i] += (double)row.count;
        for (size_t k = 0; row.values && k < row.count; k++)
            norms[i] += (double)row.values[k] * (double)row.values[k];
    }
}

tlu_status rows_measure(struct rows *rows, bool bias, tlu_error *error)
{
    struct norms *norms = &rows->norms;
    const struct batch *newest = rows_newest(rows);
    if (rows->passing) // the order has no others
        norms->count = 0;
    if (norms->count == 0)
        norms->first = rows->passing ? newest->first_row : rows->batches[0]->first_row;
    for (uint64_t next; (next = norms->first + norms->count) < newest->first_row + newest->rows;) {
        const struct batch *batch = rows->batches[rows_find(rows, next).batch];
        TRY(cache_reserve(&rows->cache, &norms->where, &norms->items, &norms->capacity,
                          norms->count + batch->rows, sizeof *norms->items, error));
        measure_batch(batch, bias, norms->items + norms->count);
        norms->count += batch->rows;
    }
    return TLU_OK;
}

// ---- order ----

struct place rows_find(const struct rows *rows, uint64_t id)
{
    size_t low = 0, high = rows->batch_count; // the batch is one of low to high - 1
    assert(high > 0 && id >= rows->batches[0]->first_row);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (rows->batches[middle]->first_row <= id)
            low = middle;
        else
            high = middle;
    }
    assert(id - rows->batches[low]->first_row < rows->batches[low]->rows);
    return (struct place){(uint32_t)low, (uint32_t)(id - rows->batches[low]->first_row)};
}

void rows_shuffle(struct rows *rows, struct random *random)
{
    struct place *places = rows->order.items;
    struct random own = *random; // which stays in registers
    for (size_t i = rows->order.count; i > 1; i--) {
        size_t j = (size_t)random_below(&own, i);
        struct place swap = places[i - 1];
        places[i - 1] = places[j];
        places[j] = swap;
    }
    *random = own;
}

// ---- which rows they are ----

tlu_status rows_refuse(const struct rows *rows, uint64_t id, const char *reason, tlu_error *error)
{
    for (size_t b = 0; b < rows->batch_count; b++) {
        const struct batch *batch = rows->batches[b];
        if (id >= batch->first_row && id - batch->first_row < batch->rows)
            return reader_refuse(rows->reader, batch, (size_t)(id - batch->first_row), reason,
                                 error);
    }
    return error_at(error, rows->path, 0, 0, "%s", reason);
}

struct fingerprint rows_fingerprint(const struct rows *rows, uint64_t count, uint64_t every)
{
    struct fingerprint print = {0};
    size_t first = 0;
    if (rows->passing && count >= rows->gone.rows) {
        print = rows->gone;
        first = rows->batch_count - 1;
    }
    for (size_t b = first; b < rows->batch_count && print.rows < count; b++) {
        uint64_t left = count - print.rows;
        size_t there = rows->batches[b]->rows;
        fingerprint_add(&print, rows->batches[b], left < there ? (size_t)left : there, every);
    }
    return print;
}
