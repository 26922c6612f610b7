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

// Whether the value of some row differs from that of the row across the input.
static bool depends(const struct truth_table *truth, unsigned bit)
{
    for (size_t w = 0; w < truth_words(truth); w++) {
        uint64_t differ = truth->ones[w] ^ truth_flipped(truth->ones, bit, w);
        if (truth->open)
            differ &= ~(truth->open[w] | truth_flipped(truth->open, bit, w));
        if (differ)
            return true;
    }
    return false;
}

// A don't-care row takes the value of the row across the input.
static void merge(struct truth_table *truth, unsigned bit)
{
    size_t step = bit < 6 ? 0 : (size_t)1 << (bit - 6);
    for (size_t w = 0; truth->open && w < truth_words(truth); w++) {
        if (w & step)
            continue; // done with the word across
        truth->ones[w] |= truth_flipped(truth->ones, bit, w);
        truth->open[w] &= truth_flipped(truth->open, bit, w);
        truth->ones[w | step] |= truth_flipped(truth->ones, bit, w | step);
        truth->open[w | step] &= truth_flipped(truth->open, bit, w | step);
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
