// The smallest set of rows that has one in each of some sets: depth first, by the set that is not
// hit yet and has the fewest rows to choose from; a row that was tried is not tried again below the
// same choice. A branch ends if the sets that are left and share no row are too many.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/find/mistakes.h"

#include <string.h>

#define NODES_MAX 300000

struct hitting {
    size_t rows, count;    // rows that are in some set, and sets
    size_t words;          // of 64 rows
    uint64_t *sets;        // [count][words]
    uint64_t *allowed;     // [words] rows that may still be chosen
    uint64_t *seen;        // [words] scratch
    uint64_t *saved;       // [count + 1][words] what was allowed before the choices of each depth
    unsigned *hits;        // [count] chosen rows in the set
    size_t *chosen, *best; // [count]
    size_t chosen_count, best_count;
    size_t nodes;
    struct patience *patience;
    bool late;
};

static bool has(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static uint64_t *set_of(struct hitting *h, size_t s)
{
    return h->sets + s * h->words;
}

static size_t size_of(struct hitting *h, size_t s)
{
    size_t size = 0;
    for (size_t w = 0; w < h->words; w++)
        size += (size_t)__builtin_popcountll(set_of(h, s)[w] & h->allowed[w]);
    return size;
}

// How many sets that are not hit share no row, taken as they come; *smallest is the one with the
// fewest rows, or `count` if all are hit.
static size_t bound(struct hitting *h, size_t *smallest)
{
    size_t apart = 0, least = SIZE_MAX;
    *smallest = h->count;
    memset(h->seen, 0, h->words * sizeof *h->seen);
    for (size_t s = 0; s < h->count; s++) {
        if (h->hits[s])
            continue;
        size_t size = size_of(h, s);
        if (size < least) {
            least = size;
            *smallest = s;
        }
        bool fresh = true;
        for (size_t w = 0; fresh && w < h->words; w++)
            fresh = !(h->seen[w] & set_of(h, s)[w] & h->allowed[w]);
        for (size_t w = 0; fresh && w < h->words; w++)
            h->seen[w] |= set_of(h, s)[w] & h->allowed[w];
        apart += fresh;
    }
    return apart;
}

static void choose(struct hitting *h, size_t row, unsigned amount)
{
    for (size_t s = 0; s < h->count; s++)
        if (has(set_of(h, s), row))
            h->hits[s] += amount;
}

static void search(struct hitting *h)
{
    size_t s;
    if (h->late || ++h->nodes > NODES_MAX || (h->nodes % 1024 == 0 && is_late(h->patience))) {
        h->late = true;
        return;
    }
    size_t apart = bound(h, &s);
    if (h->chosen_count + apart >= h->best_count)
        return;
    if (s == h->count) {
        h->best_count = h->chosen_count;
        memcpy(h->best, h->chosen, h->chosen_count * sizeof *h->chosen);
        return;
    }
    uint64_t *before = h->saved + h->chosen_count * h->words;
    memcpy(before, h->allowed, h->words * sizeof *before);
    for (size_t row = 0; row < h->rows; row++) {
        if (!has(set_of(h, s), row) || !has(before, row))
            continue;
        h->allowed[row / 64] &= ~((uint64_t)1 << row % 64);
        h->chosen[h->chosen_count++] = row;
        choose(h, row, 1);
        search(h);
        choose(h, row, (unsigned)-1);
        h->chosen_count--;
    }
    memcpy(h->allowed, before, h->words * sizeof *before);
}

// Numbers the rows that are in some set: number[row], from 1; returns how many there are.
static size_t number_rows(const struct task *task, const struct sets *sets, uint32_t *number)
{
    uint32_t count = 0;
    for (size_t s = 0; s < sets->count; s++)
        for (size_t i = 0; i < sets->items[s].count; i++) {
            size_t row = case_row(task, sets->items[s].cases[i]);
            if (!number[row])
                number[row] = ++count;
        }
    return count;
}

static bool allocate(struct hitting *h)
{
    h->words = h->rows / 64 + 1;
    h->sets = memory_new(h->count * h->words, sizeof *h->sets);
    h->allowed = memory_new(h->words, sizeof *h->allowed);
    h->seen = memory_new(h->words, sizeof *h->seen);
    h->saved = memory_new((h->count + 1) * h->words, sizeof *h->saved);
    h->hits = memory_new(h->count, sizeof *h->hits);
    h->chosen = memory_new(h->count + 1, sizeof *h->chosen);
    h->best = memory_new(h->count + 1, sizeof *h->best);
    return h->sets && h->allowed && h->seen && h->saved && h->hits && h->chosen && h->best;
}

static void release(struct hitting *h)
{
    memory_free(h->sets);
    memory_free(h->allowed);
    memory_free(h->seen);
    memory_free(h->saved);
    memory_free(h->hits);
    memory_free(h->chosen);
    memory_free(h->best);
}

static void fill(struct hitting *h, const struct task *task, const struct sets *sets,
                 const uint32_t *number)
{
    memset(h->allowed, 0xFF, h->words * sizeof *h->allowed);
    for (size_t s = 0; s < sets->count; s++)
        for (size_t i = 0; i < sets->items[s].count; i++) {
            uint32_t n = number[case_row(task, sets->items[s].cases[i])] - 1;
            set_of(h, s)[n / 64] |= (uint64_t)1 << n % 64;
        }
}

size_t smallest_hitting(const struct task *task, const struct sets *sets, size_t limit, bool *hit)
{
    size_t rows = task->examples->count;
    struct hitting h = {.count = sets->count, .best_count = limit, .patience = task->patience};
    uint32_t *number = memory_new(rows + 1, sizeof *number);
    h.rows = number ? number_rows(task, sets, number) : 0;
    bool enough = number && allocate(&h);
    if (enough) {
        fill(&h, task, sets, number);
        search(&h);
        memset(hit, 0, rows * sizeof *hit);
        for (size_t row = 0; row < rows && h.best_count < limit; row++)
            for (size_t i = 0; number[row] && i < h.best_count; i++)
                hit[row] |= h.best[i] == number[row] - 1;
    }
    memory_free(number);
    release(&h);
    return !enough ? HITTING_NO_MEMORY : h.late ? HITTING_TOO_LONG : h.best_count;
}
#endif
