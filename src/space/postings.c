#include "space/postings.h"

#include "base/memory.h"
#include "data/batch.h"
#include "vector/lanes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Estimated costs in cycles: of a posting, of a number in a column, and of a number in a panel of
// small integers, of doubles that fit the second-level cache, and of other doubles.
#define POSTING_COST 2.0
#define COLUMN_COST 0.3
#define SMALL_COST 0.1
#define PANEL_COST 0.3
#define WIDE_PANEL_COST 1.2
#define WIDE_PANEL 4096 // features

// A dot product of whole numbers is exact if it is below this.
#define EXACT 4503599627370496.0 // 2^52

void postings_free(struct postings *postings)
{
    memory_free(postings->starts);
    memory_free(postings->items);
    memory_free(postings->column_of);
    memory_free(postings->columns);
    *postings = (struct postings){0};
}

static bool is_column(size_t occurrences, size_t count)
{
    return (double)occurrences * POSTING_COST > (double)count * COLUMN_COST;
}

static bool is_ascending(const tlu_row *x)
{
    for (size_t i = 1; i < x->count; i++)
        if (row_feature(x, i) <= row_feature(x, i - 1))
            return false;
    return true;
}

static bool is_whole(const tlu_row *x)
{
    for (size_t i = 0; x->values && i < x->count; i++)
        if (x->values[i] != rintf(x->values[i]))
            return false;
    return true;
}

static bool is_finite(const tlu_row *x)
{
    for (size_t i = 0; x->values && i < x->count; i++)
        if (!isfinite(x->values[i]))
            return false;
    return true;
}

size_t *postings_count(const tlu_row *rows, size_t count, size_t features)
{
    size_t *occurrences = memory_new(features, sizeof *occurrences);
    for (size_t r = 0; occurrences && r < count; r++)
        for (size_t i = 0; i < rows[r].count; i++)
            occurrences[row_feature(&rows[r], i)]++;
    return occurrences;
}

static void measure_rows(struct postings *postings, const tlu_row *rows, const double *norms)
{
    postings->ascending = postings->whole = true;
    postings->most_norm = 0;
    for (size_t r = 0; r < postings->rows; r++) {
        postings->ascending = postings->ascending && is_ascending(&rows[r]);
        postings->most_norm = norms[r] > postings->most_norm ? norms[r] : postings->most_norm;
    }
    for (size_t r = 0; !postings->ascending && postings->whole && r < postings->rows; r++)
        postings->whole = is_whole(&rows[r]);
}

bool postings_pay(const tlu_row *rows, const double *norms, size_t count, const size_t *occurrences,
                  size_t features, bool small)
{
    struct postings look = {.rows = count};
    if (!count)
        return false;
    double entries = 0, cost = 0; // expected for a row with the same distribution
    for (size_t f = 0; f < features; f++) {
        double share = (double)occurrences[f] / (double)count;
        entries += (double)occurrences[f];
        cost += share * (is_column(occurrences[f], count) ? (double)count * COLUMN_COST
                                                          : (double)occurrences[f] * POSTING_COST);
    }
    double panel_cost = features > WIDE_PANEL ? WIDE_PANEL_COST : PANEL_COST;
    if (cost >= entries * (small ? SMALL_COST : panel_cost))
        return false;
    measure_rows(&look, rows, norms);
    return look.ascending || (look.whole && look.most_norm < EXACT);
}

static bool reserve_items(struct postings *postings, const size_t *occurrences)
{
    size_t columns = 0, listed = 0, features = postings->features;
    postings->starts = memory_new(features, sizeof *postings->starts);
    postings->column_of = memory_new(features, sizeof *postings->column_of);
    if (!postings->starts || !postings->column_of)
        return false;
    for (size_t f = 0; f < features; f++) {
        postings->starts[f] = listed;
        if (is_column(occurrences[f], postings->rows))
            postings->column_of[f] = (uint32_t)++columns;
        else
            listed += occurrences[f];
        listed++;
    }
    if (postings->rows && columns > SIZE_MAX / postings->rows)
        return false;
    postings->columns = memory_new(columns * postings->rows, sizeof *postings->columns);
    postings->items = memory_new(listed, sizeof *postings->items);
    if (!postings->columns || !postings->items)
        return false;
    memory_scattered(postings->columns, columns * postings->rows * sizeof *postings->columns);
    memory_scattered(postings->items, listed * sizeof *postings->items);
    return true;
}

static float *column_at(const struct postings *postings, uint32_t feature)
{
    uint32_t column = postings->column_of[feature];
    return column ? postings->columns + (column - 1) * postings->rows : NULL;
}

bool postings_make(struct postings *postings, const tlu_row *rows, const double *norms,
                   size_t count, const size_t *occurrences, size_t features)
{
    *postings = (struct postings){.rows = count, .features = features};
    measure_rows(postings, rows, norms);
    size_t *next = memory_new(features, sizeof *next);
    if (!next || !reserve_items(postings, occurrences)) {
        memory_free(next);
        postings_free(postings);
        return false;
    }
    memcpy(next, postings->starts, features * sizeof *next);
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < rows[r].count; i++) {
            uint32_t feature = row_feature(&rows[r], i);
            float value = (float)row_value(&rows[r], i), *column = column_at(postings, feature);
            if (column)
                column[r] = value;
            else
                postings->items[next[feature]++] = (struct posting){(uint32_t)r, value};
        }
    for (size_t f = 0; f < features; f++)
        postings->items[next[f]].row = POSTINGS_END;
    memory_free(next);
    return true;
}

// ---- rows whose products are wanted ----

bool postings_take(const struct postings *postings, const tlu_row *x)
{
    if (!is_finite(x)) // infinity times a zero in a column would be NaN
        return false;
    if (postings->ascending)
        return true;
    double norm = 0;
    for (size_t i = 0; i < x->count; i++)
        norm += row_value(x, i) * row_value(x, i);
    return is_whole(x) && norm < EXACT && sqrt(norm) * sqrt(postings->most_norm) < EXACT;
}

void postings_rows_free(struct postings_rows *slot)
{
    memory_free(slot->entries);
    memory_free(slot->starts);
    *slot = (struct postings_rows){0};
}

static int by_feature(const void *a, const void *b)
{
    uint32_t x = ((const struct postings_entry *)a)->feature;
    uint32_t y = ((const struct postings_entry *)b)->feature;
    return (x > y) - (x < y);
}

static void load_row(const struct postings *postings, struct postings_rows *slot, const tlu_row *x)
{
    size_t first = slot->count;
    for (size_t i = 0; i < x->count; i++) {
        uint32_t feature = row_feature(x, i);
        const struct posting *at = postings->items + postings->starts[feature];
        struct postings_entry entry = {feature, at->row, at, column_at(postings, feature),
                                       row_value(x, i)};
        if (entry.column || entry.next != POSTINGS_END)
            slot->entries[slot->count++] = entry;
    }
    if (!is_ascending(x))
        qsort(slot->entries + first, slot->count - first, sizeof *slot->entries, by_feature);
}

bool postings_load(const struct postings *postings, struct postings_rows *slot, const tlu_row *rows,
                   size_t count)
{
    size_t entries = 0;
    for (size_t i = 0; i < count; i++)
        entries += rows[i].count;
    // One more, so that the arrays are not empty if no row has entries.
    if (!memory_reserve(&slot->entries, &slot->capacity, entries + 1, sizeof *slot->entries) ||
        !memory_reserve(&slot->starts, &slot->starts_capacity, count + 1, sizeof *slot->starts))
        return false;
    slot->count = 0;
    slot->rows = count;
    slot->vector = vector_best();
    for (size_t i = 0; i < count; i++) {
        slot->starts[i] = slot->count;
        load_row(postings, slot, &rows[i]);
    }
    slot->starts[count] = slot->count;
    return true;
}

// ---- products ----

// Prefetches the next postings of row i, which are scattered over memory.
static void fetch(const struct postings_rows *slot, size_t i, size_t last)
{
    for (size_t e = slot->starts[i]; e < slot->starts[i + 1]; e++)
        if (slot->entries[e].next < last) {
            __builtin_prefetch(slot->entries[e].at);
            __builtin_prefetch(slot->entries[e].at + 8);
        }
}

// Most of the time of a vote is spent in this loop. `from` is the address at which the product with
// kept row 0 would be.
LANES_BODY void add_postings(struct postings_entry *entry, uint32_t last, uintptr_t from)
{
    const struct posting *at = entry->at;
    uint32_t row = entry->next;
    double value = entry->value;
    do {
        *(double *)(from + row * sizeof(double)) += (double)at->value * value;
        row = (++at)->row;
    } while (row < last);
    entry->at = at;
    entry->next = row;
}

LANES_BODY void add_entries(struct postings_rows *slot, size_t i, size_t first, size_t last,
                            double *dots)
{
    uintptr_t from = (uintptr_t)dots - first * sizeof *dots;
    struct postings_entry *end = slot->entries + slot->starts[i + 1];
    for (struct postings_entry *entry = slot->entries + slot->starts[i]; entry < end; entry++) {
        assert(entry->column || entry->next >= first); // the calls for a row are in order
        if (entry->column)
            slot->vector->add(dots, NULL, entry->column + first, last - first, entry->value);
        else if (entry->next < last)
            add_postings(entry, (uint32_t)last, from);
    }
}

// With AVX2 the compiler need not clear a register for every float that it converts.
LANES_AVX2 static void add_avx2(struct postings_rows *slot, size_t i, size_t first, size_t last,
                                double *dots)
{
    add_entries(slot, i, first, last, dots);
}

static void add_plain(struct postings_rows *slot, size_t i, size_t first, size_t last, double *dots)
{
    add_entries(slot, i, first, last, dots);
}

void postings_dots(struct postings_rows *slot, size_t i, size_t first, size_t last, double *dots)
{
    memset(dots, 0, (last - first) * sizeof *dots);
    if (i + 1 < slot->rows)
        fetch(slot, i + 1, last);
    (lanes_have_avx2() ? add_avx2 : add_plain)(slot, i, first, last, dots);
}
