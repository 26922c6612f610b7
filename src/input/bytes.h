// Bytes of text, several at a time: eight in a word, the first in its lowest byte, and blocks
// of 64.
#ifndef TLU_INPUT_BYTES_H
#define TLU_INPUT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Functions for CPUs with AVX2 have this attribute. Other machines compile them as plain C and
// never call them.
#ifdef __x86_64__
#include <immintrin.h>
#define BYTES_X86
#define BYTES_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#else
#define BYTES_AVX2
#endif

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

typedef char sixteen_bytes __attribute__((vector_size(16)));

// The first byte from `at` on that is a, b or c, or the limit.
static inline const char *first_of(const char *at, const char *limit, char a, char b, char c)
{
    for (; limit - at >= 16; at += 16) {
        sixteen_bytes bytes;
        char found[16]; // 0xFF: it is one of them
        memcpy(&bytes, at, sizeof bytes);
        bytes = (bytes == a) | (bytes == b) | (bytes == c);
        memcpy(found, &bytes, sizeof found);
        uint64_t first = load_word(found), second = load_word(found + 8);
        if (first | second)
            return at + (first ? __builtin_ctzll(first) : 64 + __builtin_ctzll(second)) / 8;
    }
    while (at < limit && *at != a && *at != b && *at != c)
        at++;
    return at;
}

// ---- blocks of 64 bytes: a bit for each byte, the first in the lowest ----

#define BLOCK_BYTES 64
// For loops whose every round is a few instructions.
#define BYTES_UNROLL _Pragma("GCC unroll 8")

// The bytes that are a or b.
typedef uint64_t either_function(const char *block, char a, char b);
// The bytes from `first` to `last`, both ASCII.
typedef uint64_t between_function(const char *block, char first, char last);

static inline uint64_t either_plain(const char *block, char a, char b)
{
    uint64_t bits = 0;
    BYTES_UNROLL
    for (int i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t word = load_word(block + i);
        bits |= gather_bits(equal_bytes(word, a) | equal_bytes(word, b)) << i;
    }
    return bits;
}

static inline uint64_t between_plain(const char *block, char first, char last)
{
    uint64_t bits = 0;
    BYTES_UNROLL
    for (int i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t word = load_word(block + i), low = word & EVERY(0x7F);
        bits |= gather_bits(bytes_between(low, (unsigned)first, (unsigned)last) & ~word) << i;
    }
    return bits;
}

// Bits that are inside quotes, the opening one included; *inside is carried from block to block.
static inline uint64_t scan_inside(uint64_t quotes, uint64_t *inside)
{
    uint64_t bits = quotes;
    BYTES_UNROLL
    for (int shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    bits ^= *inside;
    *inside = (uint64_t)((int64_t)bits >> 63);
    return bits;
}

#ifdef BYTES_X86
BYTES_AVX2 static inline uint64_t either_avx2(const char *block, char a, char b)
{
    uint64_t bits = 0;
    BYTES_UNROLL
    for (int i = 0; i < BLOCK_BYTES; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        __m256i found = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(a)),
                                        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b)));
        bits |= (uint64_t)(unsigned)_mm256_movemask_epi8(found) << i;
    }
    return bits;
}

BYTES_AVX2 static inline uint64_t between_avx2(const char *block, char first, char last)
{
    uint64_t bits = 0;
    BYTES_UNROLL
    for (int i = 0; i < BLOCK_BYTES; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        __m256i value = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first));
        __m256i most = _mm256_set1_epi8((char)(last - first));
        __m256i found = _mm256_cmpeq_epi8(_mm256_min_epu8(value, most), value);
        bits |= (uint64_t)(unsigned)_mm256_movemask_epi8(found) << i;
    }
    return bits;
}
#else
#define either_avx2 either_plain
#define between_avx2 between_plain
#endif

#endif
