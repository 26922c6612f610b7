// Which bytes of a block are of some kind, as bits, the first byte in the lowest: parsers go from
// one to the next and look at no byte in between. All levels of the CPU give the same.
#ifndef TLU_INPUT_MARKS_H
#define TLU_INPUT_MARKS_H

#include "vector/cpu.h"

#include <stdint.h>
#include <string.h>

#define MARKS_BLOCK 64

// Of Vowpal Wabbit's format.
struct marks_vw {
    uint64_t blanks, others; // ":" and "|"
};

// Of MARKS_BLOCK bytes that may be read.
typedef struct marks_vw marks_function(const char *block);

marks_function *marks_of_vw(enum cpu_level level);

// The same for a block of which the first `size` bytes count, and those from `limit` on may not be
// read; the other bits are 0.
static inline struct marks_vw marks_before(marks_function *marks_of, const char *block, size_t size,
                                           const char *limit)
{
    size_t left = (size_t)(limit - block);
    char copy[MARKS_BLOCK] = {0};
    if (left < MARKS_BLOCK)
        block = memcpy(copy, block, left);
    struct marks_vw marks = marks_of(block);
    uint64_t counted = size >= MARKS_BLOCK ? UINT64_MAX : ((uint64_t)1 << size) - 1;
    return (struct marks_vw){marks.blanks & counted, marks.others & counted};
}

// ---- 8 bytes at a time: the highest bit of each byte that is of the kind ----

#define MARKS_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t marks_zeros(uint64_t word)
{
    return ~(((word & MARKS_BYTES(0x7F)) + MARKS_BYTES(0x7F)) | word | MARKS_BYTES(0x7F));
}

// What may not be in a string of JSON as it is, and bytes past ASCII.
static inline uint64_t marks_json(uint64_t word)
{
    uint64_t others = ~((word & MARKS_BYTES(0x7F)) + MARKS_BYTES(0x60)) | word; // not 0x20 to 0x7F
    return marks_zeros(word ^ MARKS_BYTES('"')) | marks_zeros(word ^ MARKS_BYTES('\\')) |
           (others & MARKS_BYTES(0x80));
}

// How many bytes are before the first that is marked.
static inline size_t marks_first(uint64_t marks)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (size_t)__builtin_clzll(marks) / 8;
#else
    return (size_t)__builtin_ctzll(marks) / 8;
#endif
}

#endif
