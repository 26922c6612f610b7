#include "logic/threshold_rows.h"

#include "base/memory.h"

#include <string.h>

// The true and the false rows as sets, one bit per row. All that is done with them moves rows along
// one input, 64 at a time.
struct sets {
    unsigned inputs;
    size_t words;
    uint64_t *trues, *falses, *room; // [words]
};

// Rows of a word in which bit b < 6 of the row's number is 0.
static const uint64_t without_bit[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                        0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};

// Word w of the set of all rows that are in `set` without the bit, with it.
static uint64_t switched_on(const uint64_t *set, unsigned bit, size_t w)
{
    if (bit < 6)
        return (set[w] & without_bit[bit]) << (1u << bit);
    size_t step = (size_t)1 << (bit - 6);
    return w & step ? set[w ^ step] : 0;
}

static uint64_t switched_off(const uint64_t *set, unsigned bit, size_t w)
{
    if (bit < 6)
        return set[w] >> (1u << bit) & without_bit[bit];
    size_t step = (size_t)1 << (bit - 6);
    return w & step ? 0 : set[w ^ step];
}

static uint32_t first_row(uint64_t word, size_t w)
{
    return (uint32_t)(w * 64 + (size_t)__builtin_ctzll(word));
}

// A row of `to` that is in `from` without the bit; false: there is none.
static bool steps_up(const struct sets *sets, const uint64_t *from, const uint64_t *to,
                     unsigned bit, uint32_t *row)
{
    for (size_t w = 0; w < sets->words; w++) {
        uint64_t found = switched_on(from, bit, w) & to[w];
        if (found) {
            *row = first_row(found, w);
            return true;
        }
    }
    return false;
}

static void turn_around(struct sets *sets, uint64_t **set, unsigned bit)
{
    for (size_t w = 0; w < sets->words; w++)
        sets->room[w] = switched_on(*set, bit, w) | switched_off(*set, bit, w);
    uint64_t *turned = sets->room;
    sets->room = *set;
    *set = turned;
}

// The sign of one input. The rows of a clash are those of the table, since nothing has been turned
// around when they are found.
static void find_sign(const struct sets *sets, bool complete, unsigned bit, struct key_rows *keys)
{
    uint32_t up, down, with = (uint32_t)1 << bit;
    bool rises = steps_up(sets, sets->falses, sets->trues, bit, &up);
    bool falls = steps_up(sets, sets->trues, sets->falses, bit, &down);
    if (rises && falls) {
        keys->clash = true;
        memcpy(keys->clash_rows, (uint32_t[]){up, down ^ with, up ^ with, down}, 4 * sizeof up);
    } else if (rises || falls) {
        keys->flipped |= falls ? with : 0;
        keys->witness[bit] = (rises ? up : down) & ~with;
    } else if (complete) {
        keys->idle |= with;
    } else {
        keys->unsure |= with;
    }
}

// Rows that are in no other's upper (or lower) part; the set itself becomes all rows above (below).
static void keep_extreme(struct sets *sets, uint64_t *set, uint32_t sure,
                         uint64_t (*moved)(const uint64_t *, unsigned, size_t))
{
    for (unsigned bit = 0; bit < sets->inputs; bit++)
        for (size_t w = 0; sure >> bit & 1 && w < sets->words; w++)
            set[w] |= moved(set, bit, w);
    memcpy(sets->room, set, sets->words * sizeof *set);
    for (unsigned bit = 0; bit < sets->inputs; bit++)
        for (size_t w = 0; sure >> bit & 1 && w < sets->words; w++)
            sets->room[w] &= ~moved(set, bit, w);
}

// Adds the rows that keep_extreme left. Idle inputs are off in all of them.
static bool add_rows(const struct sets *sets, struct key_rows *keys)
{
    size_t more = 0;
    for (size_t w = 0; w < sets->words; w++)
        more += (size_t)__builtin_popcountll(sets->room[w]);
    uint32_t *rows = memory_resize(keys->rows, keys->count + more + 1, sizeof *rows);
    if (!rows)
        return false;
    keys->rows = rows;
    for (size_t w = 0; w < sets->words; w++)
        for (uint64_t left = sets->room[w]; left; left &= left - 1)
            rows[keys->count++] = first_row(left, w) & ~keys->idle;
    return true;
}

static bool find_rows(struct sets *sets, struct key_rows *keys)
{
    uint32_t sure = (((uint32_t)1 << sets->inputs) - 1) & ~keys->unsure;
    for (unsigned bit = 0; bit < sets->inputs; bit++) {
        keys->witness[bit] ^= keys->flipped & ~((uint32_t)1 << bit);
        if (keys->flipped >> bit & 1) {
            turn_around(sets, &sets->trues, bit);
            turn_around(sets, &sets->falses, bit);
        }
    }
    keep_extreme(sets, sets->trues, sure, switched_on);
    if (!add_rows(sets, keys))
        return false;
    keys->trues = keys->count;
    keep_extreme(sets, sets->falses, sure, switched_off);
    return add_rows(sets, keys);
}

static bool make_sets(const struct truth *truth, struct sets *sets)
{
    sets->inputs = truth->inputs;
    sets->words = truth_words(truth);
    sets->trues = memory_new(sets->words, sizeof *sets->trues);
    sets->falses = memory_new(sets->words, sizeof *sets->falses);
    sets->room = memory_new(sets->words, sizeof *sets->room);
    if (!sets->trues || !sets->falses || !sets->room)
        return false;
    size_t rows = truth_rows(truth);
    uint64_t all = rows < 64 ? ((uint64_t)1 << rows) - 1 : ~(uint64_t)0;
    for (size_t w = 0; w < sets->words; w++) {
        uint64_t open = truth->open ? truth->open[w] : 0;
        sets->trues[w] = truth->ones[w] & ~open & all;
        sets->falses[w] = ~truth->ones[w] & ~open & all;
    }
    return true;
}

static bool is_complete(const struct truth *truth)
{
    for (size_t w = 0; truth->open && w < truth_words(truth); w++)
        if (truth->open[w])
            return false;
    return true;
}

bool key_rows_find(const struct truth *truth, struct key_rows *keys)
{
    struct sets sets = {0};
    memset(keys, 0, sizeof *keys);
    keys->inputs = truth->inputs;
    bool made = make_sets(truth, &sets), complete = is_complete(truth);
    for (unsigned bit = 0; made && !keys->clash && bit < truth->inputs; bit++)
        find_sign(&sets, complete, bit, keys);
    made = made && (keys->clash || find_rows(&sets, keys));
    memory_free(sets.trues);
    memory_free(sets.falses);
    memory_free(sets.room);
    if (!made)
        key_rows_free(keys);
    return made;
}

void key_rows_free(struct key_rows *keys)
{
    memory_free(keys->rows);
    memset(keys, 0, sizeof *keys);
}

static void fill_half(int64_t *sums, unsigned bits, const int64_t *by_bit)
{
    sums[0] = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        for (uint32_t row = 0; row < (uint32_t)1 << bit; row++)
            sums[row | (uint32_t)1 << bit] = sums[row] + by_bit[bit];
}

void row_sums_fill(struct row_sums *sums, unsigned inputs, const int64_t *by_bit)
{
    fill_half(sums->low, inputs < HALF_BITS ? inputs : HALF_BITS, by_bit);
    fill_half(sums->high, inputs < HALF_BITS ? 0 : inputs - HALF_BITS, by_bit + HALF_BITS);
}
