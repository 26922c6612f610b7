// The values of an expression in all rows, 64 of them in a word.
#include "logic/function/expression.h"

#include "base/memory.h"

#include <string.h>

#define BLOCK 8 // words that a step computes at once

// For the number of ones among many operands, in binary: plane i has its bit i, for 64 rows.
#define PLANES 32

// Input i of n in the 64 rows of a word.
static uint64_t input_word(const struct truth *truth, unsigned input, size_t word)
{
    static const uint64_t low[6] = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
                                    0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
    unsigned bit = truth->inputs - 1 - input;
    if (bit < 6)
        return low[bit];
    return word >> (bit - 6) & 1 ? UINT64_MAX : 0;
}

// How many of them are 1 (0: at least `least`, else exactly): a counter per row, bit by bit.
static uint64_t count_word(const uint64_t *operands, size_t count, uint32_t least, bool exactly)
{
    uint64_t planes[PLANES] = {0}, above = 0, equal = UINT64_MAX;
    unsigned used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t carry = operands[i * BLOCK];
        for (unsigned p = 0; carry; p++) {
            uint64_t next = planes[p] & carry;
            planes[p] ^= carry;
            carry = next;
            used = p >= used ? p + 1 : used;
        }
    }
    for (unsigned p = PLANES; p-- > 0;) {
        uint64_t wanted = least >> p & 1 ? UINT64_MAX : 0, found = p < used ? planes[p] : 0;
        above |= equal & found & ~wanted;
        equal &= ~(found ^ wanted);
    }
    return exactly ? equal : above | equal;
}

static uint64_t join(enum step_kind kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case STEP_AND:
        return a & b;
    case STEP_XOR:
        return a ^ b;
    case STEP_OR:
        return a | b;
    case STEP_IMPLIES:
        return ~a | b;
    default:
        return ~(a ^ b);
    }
}

// What a step does to the number of values that wait.
static size_t depth_after(size_t depth, const struct step *step)
{
    switch (step->kind) {
    case STEP_INPUT:
    case STEP_CONSTANT:
        return depth + 1;
    case STEP_NOT:
        return depth;
    case STEP_ATLEAST:
    case STEP_EXACTLY:
        return depth - step->number + 1;
    default:
        return depth - 1;
    }
}

// One step for one word; `at` is where its result goes, and its first operand is.
static void run_step(const struct truth *truth, const struct step *step, size_t word, uint64_t *at)
{
    switch (step->kind) {
    case STEP_INPUT:
        *at = input_word(truth, step->number, word);
        break;
    case STEP_CONSTANT:
        *at = step->number ? UINT64_MAX : 0;
        break;
    case STEP_NOT:
        *at = ~*at;
        break;
    case STEP_ATLEAST:
        *at = count_word(at, step->number, step->least, false);
        break;
    case STEP_EXACTLY:
        *at = count_word(at, step->number, step->least, true);
        break;
    default:
        *at = join(step->kind, at[0], at[BLOCK]);
    }
}

static void run_block(const struct expression *e, struct truth *truth, size_t first, size_t words,
                      uint64_t *stack)
{
    size_t depth = 0;
    for (size_t i = 0; i < e->count; i++) {
        depth = depth_after(depth, &e->steps[i]);
        for (size_t w = 0; w < words; w++)
            run_step(truth, &e->steps[i], first + w, stack + (depth - 1) * BLOCK + w);
    }
    memcpy(truth->ones + first, stack, words * sizeof *stack);
}

tlu_status expression_evaluate(const struct expression *e, struct truth *truth, tlu_error *error)
{
    size_t depth = 0, most = 0, words = truth_words(truth);
    for (size_t i = 0; i < e->count; i++) {
        depth = depth_after(depth, &e->steps[i]);
        most = depth > most ? depth : most;
    }
    uint64_t *stack = memory_new(most, BLOCK * sizeof *stack);
    if (!stack)
        return error_memory(error);
    for (size_t first = 0; first < words; first += BLOCK)
        run_block(e, truth, first, words - first < BLOCK ? words - first : BLOCK, stack);
    if (truth_rows(truth) < 64)
        truth->ones[0] &= ((uint64_t)1 << truth_rows(truth)) - 1;
    memory_free(stack);
    return TLU_OK;
}
