// Which bytes of a block are of some kind, as bits, the first byte in the lowest: parsers go from
// one to the next and look at no byte in between. All levels of the CPU give the same.
#ifndef TLU_FORMAT_MARKS_H
#define TLU_FORMAT_MARKS_H

#include "vector/cpu.h"

#include <stdint.h>
#include <string.h>

#define MARKS_BLOCK 64

// Of MARKS_BLOCK bytes that may be read.
typedef uint64_t marks_function(const char *block);

marks_function *marks_of_vw(enum cpu_level level); // blanks, ":" and "|"
// What may not be in a string as it is: '"', '\\', control characters; and bytes past ASCII.
marks_function *marks_of_json(enum cpu_level level);

// The same for a block of which bytes from `limit` on may not be read; their bits are 0.
static inline uint64_t marks_before(marks_function *marks, const char *block, const char *limit)
{
    size_t left = (size_t)(limit - block);
    if (left >= MARKS_BLOCK)
        return marks(block);
    char copy[MARKS_BLOCK] = {0};
    memcpy(copy, block, left);
    return marks(copy) & (((uint64_t)1 << left) - 1);
}

// The bits of bytes before `end`, which is at or after the block.
static inline uint64_t marks_cut(uint64_t marks, const char *block, const char *end)
{
    size_t left = (size_t)(end - block);
    return left >= MARKS_BLOCK ? marks : marks & (((uint64_t)1 << left) - 1);
}

#endif
