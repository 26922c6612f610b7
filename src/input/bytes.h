// Eight bytes of text as a word, the first in its lowest byte: what parsers in plain C work with.
#ifndef TLU_INPUT_BYTES_H
#define TLU_INPUT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EVERY(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t load_word(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void store_word(char *text, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(text, &word, sizeof word);
}

// The highest bits of the eight bytes side by side, that of the first byte in the lowest bit.
static inline uint64_t gather_bits(uint64_t word)
{
    return ((word & EVERY(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

// Sets the highest bit of each byte that is c; the other bits mean nothing.
static inline uint64_t equal_bytes(uint64_t word, char c)
{
    uint64_t other = word ^ EVERY((uint64_t)(unsigned char)c);
    return ~(((other & EVERY(0x7F)) + EVERY(0x7F)) | other);
}

// The same with fewer instructions, exact up to the first byte that is c.
static inline uint64_t first_equal(uint64_t word, char c)
{
    uint64_t other = word ^ EVERY((uint64_t)(unsigned char)c);
    return (other - EVERY(1)) & ~other & EVERY(0x80);
}

// Bytes below 0x80 alone: sets the highest bit of each that is at least `first`, or from `first` to
// `last`.
static inline uint64_t bytes_from(uint64_t word, unsigned first)
{
    return word + EVERY(0x80 - first);
}

static inline uint64_t bytes_between(uint64_t word, unsigned first, unsigned last)
{
    return bytes_from(word, first) & ~bytes_from(word, last + 1);
}

// Takes a word ^ EVERY('0'). Sets the highest bit of each byte that is not a digit, exact up to the
// first of them.
static inline uint64_t not_digits(uint64_t digits)
{
    return ((digits + EVERY(0x76)) | digits) & EVERY(0x80);
}

// The number of eight digits, each a byte from 0 to 9: pairs, fours, then all of them.
static inline uint32_t word_number(uint64_t digits)
{
    digits = digits * (10 << 8 | 1) >> 8;
    digits = (digits & UINT64_C(0x00FF00FF00FF00FF)) * (100 << 16 | 1) >> 16;
    return (uint32_t)((digits & UINT64_C(0x0000FFFF0000FFFF)) * ((uint64_t)10000 << 32 | 1) >> 32);
}

#endif
