// The classes of the bytes of a block, 64 at a time, and its lower case: once for each instruction
// set. Bytes of characters past ASCII are told apart in words.c.
#ifndef TLU_INPUT_TEXT_CLASSES_H
#define TLU_INPUT_TEXT_CLASSES_H

#include "input/bytes.h"

#if defined(__aarch64__)
#define CLASSES_NEON
#include <arm_neon.h>
#endif

// The bytes of a block that are of a class, the first in the lowest bit.
struct classes {
    uint64_t words;   // letters and digits of ASCII
    uint64_t symbols; // its other characters; not blanks and controls
    uint64_t high;    // not ASCII
};

typedef struct classes classes_function(const char *block);
// Writes the block with small letters for the capitals of ASCII; the bytes that are not ASCII.
typedef uint64_t lower_function(char *out, const char *block);

// ---- C alone: 8 bytes in a word ----

static inline struct classes classes_plain(const char *block)
{
    struct classes classes = {0, 0, 0};
    for (int i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t bytes = load_word(block + i), low = bytes & EVERY(0x7F);
        uint64_t letters = bytes_between(low | EVERY(0x20), 'a', 'z');
        uint64_t words = (letters | bytes_between(low, '0', '9')) & ~bytes;
        uint64_t symbols = bytes_between(low, '!', '~') & ~bytes & ~words;
        classes.words |= gather_bits(words) << i;
        classes.symbols |= gather_bits(symbols) << i;
        classes.high |= gather_bits(bytes) << i;
    }
    return classes;
}

static inline uint64_t lower_plain(char *out, const char *block)
{
    uint64_t high = 0;
    for (int i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t bytes = load_word(block + i);
        uint64_t capitals = bytes_between(bytes & EVERY(0x7F), 'A', 'Z') & ~bytes;
        high |= gather_bits(bytes) << i;
        store_word(out + i, bytes | (capitals & EVERY(0x80)) >> 2);
    }
    return high;
}

// ---- AVX2 ----

#ifdef BYTES_X86
// A byte is what the bits say that its halves have in common. Of letters and digits, above: "0" to
// "9", "A" to "O" or "P" to "Z"; of all that is seen, below: 0x21 to 0x2F, 0x30 to 0x6F, 0x70 to
// 0x7E.
#define CLASSES_LOWER_HALF                                                                         \
    0x53, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x67, 0x27, 0x27, 0x27, 0x27, 0x25
#define CLASSES_UPPER_HALF 0, 0, 4, 0x11, 0x21, 0x41, 0x21, 0x42, 0, 0, 0, 0, 0, 0, 0, 0

BYTES_AVX2 static inline struct classes classes_avx2(const char *block)
{
    const __m256i lower = _mm256_setr_epi8(CLASSES_LOWER_HALF, CLASSES_LOWER_HALF);
    const __m256i upper = _mm256_setr_epi8(CLASSES_UPPER_HALF, CLASSES_UPPER_HALF);
    const __m256i half = _mm256_set1_epi8(0xF);
    struct classes classes = {0, 0, 0};
    uint64_t seen = 0;
#pragma GCC unroll 2
    for (int i = 0; i < BLOCK_BYTES; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        __m256i halves = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
        __m256i bits = _mm256_and_si256(_mm256_shuffle_epi8(lower, bytes), // 0 past ASCII
                                        _mm256_shuffle_epi8(upper, halves));
        __m256i words = _mm256_cmpgt_epi8(bits, half);
        __m256i any = _mm256_cmpgt_epi8(bits, _mm256_setzero_si256());
        classes.words |= (uint64_t)(unsigned)_mm256_movemask_epi8(words) << i;
        seen |= (uint64_t)(unsigned)_mm256_movemask_epi8(any) << i;
        classes.high |= (uint64_t)(unsigned)_mm256_movemask_epi8(bytes) << i;
    }
    classes.symbols = seen & ~classes.words;
    return classes;
}

BYTES_AVX2 static inline uint64_t lower_avx2(char *out, const char *block)
{
    uint64_t high = 0;
    for (int i = 0; i < BLOCK_BYTES; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        __m256i letter = _mm256_sub_epi8(bytes, _mm256_set1_epi8('A'));
        __m256i capitals =
            _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8('Z' - 'A')), letter);
        __m256i small = _mm256_or_si256(bytes, _mm256_and_si256(capitals, _mm256_set1_epi8(0x20)));
        _mm256_storeu_si256((__m256i *)(void *)(out + i), small);
        high |= (uint64_t)(unsigned)_mm256_movemask_epi8(bytes) << i;
    }
    return high;
}
#endif

// ---- NEON ----

#ifdef CLASSES_NEON
static inline uint8x16_t between_neon(uint8x16_t bytes, uint8_t first, uint8_t last)
{
    return vcleq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8((uint8_t)(last - first)));
}

// One bit for each byte of four, which are all ones or 0: a bit of its own is kept in each of 8
// bytes, and neighbours are added until 8 are one.
static inline uint64_t gather_neon(const uint8x16_t bytes[4])
{
    static const uint8_t own[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits = vld1q_u8(own);
    uint8x16_t first = vpaddq_u8(vandq_u8(bytes[0], bits), vandq_u8(bytes[1], bits));
    uint8x16_t second = vpaddq_u8(vandq_u8(bytes[2], bits), vandq_u8(bytes[3], bits));
    first = vpaddq_u8(first, second);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(first, first)), 0);
}

static inline struct classes classes_neon(const char *block)
{
    uint8x16_t words[4], seen[4], high[4];
    for (int i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8((const uint8_t *)block + 16 * i);
        uint8x16_t small = vorrq_u8(bytes, vdupq_n_u8(0x20));
        words[i] = vorrq_u8(between_neon(small, 'a', 'z'), between_neon(bytes, '0', '9'));
        seen[i] = between_neon(bytes, '!', '~');
        high[i] = vcgeq_u8(bytes, vdupq_n_u8(0x80));
    }
    uint64_t word_bits = gather_neon(words);
    return (struct classes){word_bits, gather_neon(seen) & ~word_bits, gather_neon(high)};
}

static inline uint64_t lower_neon(char *out, const char *block)
{
    uint8x16_t high[4];
    for (int i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8((const uint8_t *)block + 16 * i);
        uint8x16_t capitals = between_neon(bytes, 'A', 'Z');
        uint8x16_t small = vorrq_u8(bytes, vandq_u8(capitals, vdupq_n_u8(0x20)));
        vst1q_u8((uint8_t *)out + 16 * i, small);
        high[i] = vcgeq_u8(bytes, vdupq_n_u8(0x80));
    }
    return gather_neon(high);
}
#endif

#endif
