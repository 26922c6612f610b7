// The classes of the bytes of a block, 64 at a time, and its lower case: once for each instruction
// set. Bytes of characters past ASCII are told apart in words.c.
#ifndef TLU_INPUT_TEXT_CLASSES_H
#define TLU_INPUT_TEXT_CLASSES_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define CLASSES_X86
#include <immintrin.h>
#define CLASSES_AVX2 __attribute__((target("avx2,bmi")))
#define CLASSES_AVX512 __attribute__((target("avx2,bmi,avx512f,avx512bw,avx512vl")))
#elif defined(__aarch64__)
#define CLASSES_NEON
#include <arm_neon.h>
#endif

#define CLASSES_BLOCK 64

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

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

// The highest bit of a byte that is at least `least` and below 0x80; the bytes have no such bit.
static inline uint64_t at_least(uint64_t bytes, unsigned least)
{
    return bytes + EACH(0x80 - least);
}

static inline uint64_t between(uint64_t bytes, unsigned first, unsigned last)
{
    return at_least(bytes, first) & ~at_least(bytes, last + 1);
}

// The highest bits of 8 bytes side by side, the first byte's in the lowest.
static inline uint64_t gather(uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return ((bytes & EACH(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline struct classes classes_plain(const char *block)
{
    struct classes classes = {0, 0, 0};
    for (int i = 0; i < CLASSES_BLOCK; i += 8) {
        uint64_t bytes, low;
        memcpy(&bytes, block + i, 8);
        low = bytes & EACH(0x7F);
        uint64_t words = (between(low | EACH(0x20), 'a', 'z') | between(low, '0', '9')) & ~bytes;
        uint64_t symbols = between(low, '!', '~') & ~bytes & ~words;
        classes.words |= gather(words) << i;
        classes.symbols |= gather(symbols) << i;
        classes.high |= gather(bytes) << i;
    }
    return classes;
}

static inline uint64_t lower_plain(char *out, const char *block)
{
    uint64_t high = 0;
    for (int i = 0; i < CLASSES_BLOCK; i += 8) {
        uint64_t bytes;
        memcpy(&bytes, block + i, 8);
        high |= gather(bytes) << i;
        bytes |= (between(bytes & EACH(0x7F), 'A', 'Z') & ~bytes & EACH(0x80)) >> 2;
        memcpy(out + i, &bytes, 8);
    }
    return high;
}

// ---- SSE2 ----

#ifdef CLASSES_X86
static inline __m128i between_sse2(__m128i bytes, char first, char last)
{
    __m128i from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8((char)(last - first))),
                          from_first);
}

static inline struct classes classes_sse2(const char *block)
{
    struct classes classes = {0, 0, 0};
    uint64_t seen = 0;
    for (int i = 0; i < CLASSES_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        __m128i words = _mm_or_si128(between_sse2(small, 'a', 'z'), between_sse2(bytes, '0', '9'));
        classes.words |= (uint64_t)(unsigned)_mm_movemask_epi8(words) << i;
        seen |= (uint64_t)(unsigned)_mm_movemask_epi8(between_sse2(bytes, '!', '~')) << i;
        classes.high |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << i;
    }
    classes.symbols = seen & ~classes.words;
    return classes;
}

static inline uint64_t lower_sse2(char *out, const char *block)
{
    uint64_t high = 0;
    for (int i = 0; i < CLASSES_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i capitals = between_sse2(bytes, 'A', 'Z');
        __m128i small = _mm_or_si128(bytes, _mm_and_si128(capitals, _mm_set1_epi8(0x20)));
        _mm_storeu_si128((__m128i *)(void *)(out + i), small);
        high |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << i;
    }
    return high;
}

// ---- AVX2 ----

CLASSES_AVX2 static inline __m256i between_avx2(__m256i bytes, char first, char last)
{
    __m256i from_first = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, _mm256_set1_epi8((char)(last - first))),
                             from_first);
}

// A byte is what the bits say that its halves have in common. Of letters and digits, above: "0" to
// "9", "A" to "O" or "P" to "Z"; of all that is seen, below: 0x21 to 0x2F, 0x30 to 0x6F, 0x70 to
// 0x7E.
#define CLASSES_LOWER_HALF                                                                         \
    0x53, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x67, 0x27, 0x27, 0x27, 0x27, 0x25
#define CLASSES_UPPER_HALF 0, 0, 4, 0x11, 0x21, 0x41, 0x21, 0x42, 0, 0, 0, 0, 0, 0, 0, 0

CLASSES_AVX2 static inline struct classes classes_avx2(const char *block)
{
    const __m256i lower = _mm256_setr_epi8(CLASSES_LOWER_HALF, CLASSES_LOWER_HALF);
    const __m256i upper = _mm256_setr_epi8(CLASSES_UPPER_HALF, CLASSES_UPPER_HALF);
    const __m256i half = _mm256_set1_epi8(0xF);
    struct classes classes = {0, 0, 0};
    uint64_t seen = 0;
#pragma GCC unroll 2
    for (int i = 0; i < CLASSES_BLOCK; i += 32) {
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

CLASSES_AVX2 static inline uint64_t lower_avx2(char *out, const char *block)
{
    uint64_t high = 0;
    for (int i = 0; i < CLASSES_BLOCK; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i));
        __m256i capitals = between_avx2(bytes, 'A', 'Z');
        __m256i small = _mm256_or_si256(bytes, _mm256_and_si256(capitals, _mm256_set1_epi8(0x20)));
        _mm256_storeu_si256((__m256i *)(void *)(out + i), small);
        high |= (uint64_t)(unsigned)_mm256_movemask_epi8(bytes) << i;
    }
    return high;
}

// ---- AVX-512 ----

CLASSES_AVX512 static inline uint64_t between_avx512(__m512i bytes, char first, char last)
{
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(first)),
                                  _mm512_set1_epi8((char)(last - first)));
}

CLASSES_AVX512 static inline struct classes classes_avx512(const char *block)
{
    __m512i bytes = _mm512_loadu_si512(block);
    __m512i small = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    uint64_t words = between_avx512(small, 'a', 'z') | between_avx512(bytes, '0', '9');
    return (struct classes){words, between_avx512(bytes, '!', '~') & ~words,
                            _mm512_movepi8_mask(bytes)};
}

CLASSES_AVX512 static inline uint64_t lower_avx512(char *out, const char *block)
{
    __m512i bytes = _mm512_loadu_si512(block);
    uint64_t capitals = between_avx512(bytes, 'A', 'Z');
    __m512i small = _mm512_mask_add_epi8(bytes, capitals, bytes, _mm512_set1_epi8(0x20));
    _mm512_storeu_si512(out, small);
    return _mm512_movepi8_mask(bytes);
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
