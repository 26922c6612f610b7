#include "space/kernel_rows.h"

#include "base/memory.h"
#include "data/batch.h"
#include "space/postings.h"
#include "space/small.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TILE 1024       // values whose dot products stay in the first-level cache
#define PANELS_SHARE 4  // panels take at most this fraction of the memory, 1 / PANELS_SHARE
#define EXACT 0x1p52    // a dot product of whole numbers below this is exact
#define NONE UINT32_MAX // no slot

// A row of the matrix in the cache. The slots in use are a list from the one used last to the one
// used longest ago.
struct slot {
    double *values; // [count], rounded up to full panels
    uint32_t row;
    uint32_t before, after; // neighbours in the list; NONE: none
};

struct sorted_entry {
    uint32_t feature;
    float value;
};

struct kernel_rows {
    struct kernel kernel;
    tlu_row *rows; // [count]
    double *norms; // [count] x . x
    size_t count, features;

    // Copies of rows whose entries are not in ascending order; NULL if there are none.
    uint32_t *sorted_features;
    float *sorted_values;

    bool small;
    struct small_panel *panels; // [panel_count] all rows
    size_t panel_count;
    struct small_rows pairs;
    size_t *starts; // [count + 1] of pairs.pairs
    struct postings postings;
    struct postings_rows loaded;

    uint32_t *slot_of; // [count] number of its slot; NONE
    struct slot *slots;
    size_t slot_count, slot_capacity, slots_max;
    uint32_t newest, oldest;
    double *passing; // [count] a row that is not cached; NULL until there is one
    uint64_t computed;
};

void kernel_rows_free(struct kernel_rows *k)
{
    if (!k)
        return;
    for (size_t p = 0; k->panels && p < k->panel_count; p++)
        small_panel_free(&k->panels[p]);
    for (size_t s = 0; s < k->slot_count; s++)
        memory_free(k->slots[s].values);
    small_rows_free(&k->pairs);
    postings_free(&k->postings);
    postings_rows_free(&k->loaded);
    void *parts[] = {k->rows,   k->norms,   k->sorted_features, k->sorted_values, k->panels,
                     k->starts, k->slot_of, k->slots,           k->passing};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memory_free(parts[i]);
    memory_free(k);
}

// ---- the rows ----

static size_t rounded_up(size_t count)
{
    return (count + SMALL_LANES - 1) / SMALL_LANES * SMALL_LANES;
}

static void measure_rows(struct kernel_rows *k)
{
    for (size_t r = 0; r < k->count; r++) {
        k->norms[r] = panel_norm(&k->rows[r]);
        for (size_t i = 0; i < k->rows[r].count; i++)
            if (row_feature(&k->rows[r], i) >= k->features)
                k->features = (size_t)row_feature(&k->rows[r], i) + 1;
    }
}

static bool are_small(const struct kernel_rows *k, uint64_t memory)
{
    bool small = small_features_fit(k->features) &&
                 rounded_up(k->count) <= memory / PANELS_SHARE / (k->features + 2) / 2;
    for (size_t r = 0; small && r < k->count; r++)
        small = small_row_fits(&k->rows[r], k->norms[r]);
    return small;
}

static bool make_panels(struct kernel_rows *k)
{
    k->small = true;
    k->panel_count = rounded_up(k->count) / SMALL_LANES;
    k->panels = memory_new(k->panel_count, sizeof *k->panels);
    k->starts = memory_new(k->count + 1, sizeof *k->starts);
    bool fine = k->panels && k->starts;
    for (size_t p = 0; fine && p < k->panel_count; p++)
        fine = small_panel_init(&k->panels[p], k->features);
    for (size_t r = 0; fine && r < k->count; r++) {
        small_panel_add(&k->panels[r / SMALL_LANES], &k->rows[r], k->norms[r]);
        fine = small_rows_add(&k->pairs, &k->rows[r]) != SIZE_MAX;
        k->starts[r + 1] = k->pairs.count;
    }
    return fine;
}

static int by_feature(const void *a_pointer, const void *b_pointer)
{
    const struct sorted_entry *a = a_pointer, *b = b_pointer;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

// Copies the rows with their entries in ascending order, which an inverted index needs. False: out
// of memory.
static bool sort_rows(struct kernel_rows *k)
{
    size_t entries = 0, longest = 0, at = 0;
    for (size_t r = 0; r < k->count; r++) {
        entries += k->rows[r].count;
        longest = k->rows[r].count > longest ? k->rows[r].count : longest;
    }
    struct sorted_entry *sorted = memory_new(longest, sizeof *sorted);
    k->sorted_features = memory_new(entries, sizeof *k->sorted_features);
    k->sorted_values = memory_new(entries, sizeof *k->sorted_values);
    bool fine = sorted && k->sorted_features && k->sorted_values;
    for (size_t r = 0; fine && r < k->count; r++) {
        size_t first = at, count = k->rows[r].count;
        for (size_t i = 0; i < count; i++)
            sorted[i] = (struct sorted_entry){row_feature(&k->rows[r], i),
                                              (float)row_value(&k->rows[r], i)};
        qsort(sorted, count, sizeof *sorted, by_feature);
        for (size_t i = 0; i < count; i++, at++) {
            k->sorted_features[at] = sorted[i].feature;
            k->sorted_values[at] = sorted[i].value;
        }
        k->rows[r] = (tlu_row){count, k->sorted_features + first, k->sorted_values + first};
    }
    memory_free(sorted);
    return fine;
}

static bool make_index(struct kernel_rows *k, const size_t *occurrences)
{
    if (!postings_make(&k->postings, k->rows, k->norms, k->count, occurrences, k->features))
        return false;
    if (k->postings.ascending || (k->postings.whole && k->postings.most_norm < EXACT))
        return true;
    postings_free(&k->postings);
    return sort_rows(k) &&
           postings_make(&k->postings, k->rows, k->norms, k->count, occurrences, k->features);
}

// Chooses the method that is faster.
static bool prepare(struct kernel_rows *k, uint64_t memory)
{
    size_t *occurrences = postings_count(k->rows, k->count, k->features);
    if (!occurrences)
        return false;
    bool small = are_small(k, memory) &&
                 !postings_pay(k->rows, k->norms, k->count, occurrences, k->features, true);
    bool fine = small ? make_panels(k) : make_index(k, occurrences);
    memory_free(occurrences);
    return fine;
}

struct kernel_rows *kernel_rows_new(const struct kernel *kernel, const tlu_row *rows, size_t count,
                                    uint64_t memory)
{
    assert(count > 0 && count < NONE);
    struct kernel_rows *k = memory_new(1, sizeof *k);
    if (!k)
        return NULL;
    *k = (struct kernel_rows){.kernel = *kernel, .count = count, .newest = NONE, .oldest = NONE};
    uint64_t rows_max = memory / sizeof(double) / rounded_up(count);
    k->slots_max = rows_max < 2 ? 2 : rows_max < count ? (size_t)rows_max : count;
    k->rows = memory_copy(rows, count, sizeof *rows);
    k->norms = memory_new(count, sizeof *k->norms);
    k->slot_of = memory_new(count, sizeof *k->slot_of);
    bool fine = k->rows && k->norms && k->slot_of;
    if (fine) {
        memset(k->slot_of, 0xff, count * sizeof *k->slot_of);
        measure_rows(k);
    }
    if (fine && prepare(k, memory))
        return k;
    kernel_rows_free(k);
    return NULL;
}

size_t kernel_rows_count(const struct kernel_rows *k)
{
    return k->count;
}

uint64_t kernel_rows_computed(const struct kernel_rows *k)
{
    return k->computed;
}

double kernel_rows_own(const struct kernel_rows *k, size_t i)
{
    return kernel_value(&k->kernel, k->norms[i], k->norms[i], k->norms[i]);
}

// ---- values ----

static bool find_values(struct kernel_rows *k, size_t i, double *values)
{
    k->computed++;
    if (k->small) {
        for (size_t p = 0; p < k->panel_count; p++)
            small_values(&k->panels[p], &k->kernel, k->pairs.pairs + k->starts[i],
                         k->starts[i + 1] - k->starts[i], k->norms[i], values + p * SMALL_LANES);
        return true;
    }
    if (!postings_load(&k->postings, &k->loaded, &k->rows[i], 1))
        return false;
    for (size_t first = 0; first < k->count; first += TILE) {
        size_t last = k->count - first < TILE ? k->count : first + TILE;
        postings_dots(&k->loaded, 0, first, last, values + first);
        kernel_values(&k->kernel, values + first, last - first, k->norms[i], k->norms + first,
                      values + first);
    }
    return true;
}

// ---- the cache ----

static void unlink_slot(struct kernel_rows *k, uint32_t s)
{
    struct slot *slot = &k->slots[s];
    *(slot->before == NONE ? &k->newest : &k->slots[slot->before].after) = slot->after;
    *(slot->after == NONE ? &k->oldest : &k->slots[slot->after].before) = slot->before;
}

static void link_newest(struct kernel_rows *k, uint32_t s)
{
    struct slot *slot = &k->slots[s];
    slot->before = NONE;
    slot->after = k->newest;
    *(k->newest == NONE ? &k->oldest : &k->slots[k->newest].before) = s;
    k->newest = s;
}

// A slot that is not in the list: a new one or, if the cache is full or memory is short, the one
// used longest ago. NONE: out of memory.
static uint32_t free_slot(struct kernel_rows *k)
{
    if (k->slot_count < k->slots_max &&
        memory_reserve(&k->slots, &k->slot_capacity, k->slot_count + 1, sizeof *k->slots)) {
        double *values = memory_new(rounded_up(k->count), sizeof *values);
        if (values) {
            k->slots[k->slot_count].values = values;
            return (uint32_t)k->slot_count++;
        }
    }
    if (k->slot_count < 2)
        return NONE;
    uint32_t s = k->oldest;
    unlink_slot(k, s);
    k->slot_of[k->slots[s].row] = NONE;
    return s;
}

const double *kernel_rows_get(struct kernel_rows *k, size_t i)
{
    assert(i < k->count);
    uint32_t s = k->slot_of[i];
    if (s != NONE) {
        unlink_slot(k, s);
        link_newest(k, s);
        return k->slots[s].values;
    }
    s = free_slot(k);
    if (s == NONE)
        return NULL;
    k->slots[s].row = (uint32_t)i;
    k->slot_of[i] = s;
    link_newest(k, s);
    return find_values(k, i, k->slots[s].values) ? k->slots[s].values : NULL;
}

const double *kernel_rows_pass(struct kernel_rows *k, size_t i)
{
    assert(i < k->count);
    uint32_t s = k->slot_of[i];
    if (s != NONE)
        return k->slots[s].values;
    if (k->slot_count < k->slots_max)
        return kernel_rows_get(k, i);
    if (!k->passing && !(k->passing = memory_new(rounded_up(k->count), sizeof *k->passing)))
        return NULL;
    return find_values(k, i, k->passing) ? k->passing : NULL;
}
