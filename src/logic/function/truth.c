#include "logic/function/truth.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

const uint64_t truth_low_rows[6] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                    0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};

bool truth_init(struct truth_table *truth, unsigned inputs, bool with_open)
{
    assert(inputs <= TRUTH_INPUTS_MAX);
    memset(truth, 0, sizeof *truth);
    truth->inputs = inputs;
    size_t words = truth_words(truth);
    truth->ones = memory_new(words, sizeof *truth->ones);
    truth->open = with_open ? memory_new(words, sizeof *truth->open) : NULL;
    if (truth->ones && (truth->open || !with_open))
        return true;
    truth_free(truth);
    return false;
}

void truth_free(struct truth_table *truth)
{
    memory_free(truth->ones);
    memory_free(truth->open);
    memset(truth, 0, sizeof *truth);
}

// ---- inputs that a function depends on ----

// The rows of a word with 0 for an input, and the same rows with 1.
struct halves {
    uint64_t *low, *high;
    unsigned shift; // of the second, if both are in one word
    uint64_t mask;
};

static struct halves halves_at(uint64_t *words, size_t word, unsigned bit)
{
    if (bit < 6)
        return (struct halves){&words[word], &words[word], 1U << bit, truth_low_rows[bit]};
    return (struct halves){&words[word], &words[word | (size_t)1 << (bit - 6)], 0, UINT64_MAX};
}

static uint64_t low_of(struct halves halves)
{
    return *halves.low & halves.mask;
}

static uint64_t high_of(struct halves halves)
{
    return *halves.high >> halves.shift & halves.mask;
}

static void set_both(struct halves halves, uint64_t rows)
{
    *halves.low = (*halves.low & ~halves.mask) | rows;
    *halves.high = (*halves.high & ~(halves.mask << halves.shift)) | rows << halves.shift;
}

static bool is_first(size_t word, unsigned bit)
{
    return bit < 6 || !(word >> (bit - 6) & 1);
}

// Whether the value of some row differs from that of the row across the input.
static bool depends(const struct truth_table *truth, unsigned bit)
{
    for (size_t w = 0; w < truth_words(truth); w++) {
        if (!is_first(w, bit))
            continue;
        struct halves ones = halves_at(truth->ones, w, bit);
        uint64_t differ = low_of(ones) ^ high_of(ones);
        if (truth->open) {
            struct halves open = halves_at(truth->open, w, bit);
            differ &= ~(low_of(open) | high_of(open));
        }
        if (differ)
            return true;
    }
    return false;
}

// A don't-care row takes the value of the row across the input.
static void merge(struct truth_table *truth, unsigned bit)
{
    for (size_t w = 0; truth->open && w < truth_words(truth); w++) {
        if (!is_first(w, bit))
            continue;
        struct halves ones = halves_at(truth->ones, w, bit);
        struct halves open = halves_at(truth->open, w, bit);
        set_both(ones, low_of(ones) | high_of(ones));
        set_both(open, low_of(open) & high_of(open));
    }
}

void truth_needs(struct truth_table *truth, unsigned char *needed)
{
    for (unsigned i = 0; i < truth->inputs; i++) {
        unsigned bit = truth->inputs - 1 - i;
        needed[i] = depends(truth, bit);
        if (!needed[i])
            merge(truth, bit);
    }
}

uint32_t truth_expand_row(const unsigned char *needed, unsigned inputs, uint32_t row)
{
    uint32_t whole = 0;
    for (unsigned i = inputs, from = 0; i-- > 0;)
        if (needed[i])
            whole |= (row >> from++ & 1) << (inputs - 1 - i);
    return whole;
}

bool truth_reduce(const struct truth_table *truth, const unsigned char *needed,
                  struct truth_table *reduced)
{
    unsigned count = 0;
    for (unsigned i = 0; i < truth->inputs; i++)
        count += needed[i];
    if (!truth_init(reduced, count, truth->open != NULL))
        return false;
    for (uint32_t row = 0; row < truth_rows(reduced); row++) {
        uint32_t whole = truth_expand_row(needed, truth->inputs, row);
        if (truth_is_open(truth, whole))
            truth_set_open(reduced, row);
        else if (truth_value(truth, whole))
            truth_set(reduced, row);
    }
    return true;
}
