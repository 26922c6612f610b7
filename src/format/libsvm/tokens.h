// Tokens of text by vector instructions. For the files that are compiled for an instruction set of
// their own (quick_avx2.c and its like): what is in here is as wide as their flags allow.
//
// Text is taken apart in two steps, so that nothing depends on a branch that the CPU cannot foresee
// (how many digits a number has is different every time): first the places of all separators are
// listed, 64 bytes at a time; then a token, whose both ends are known, is turned into a number at
// once, no matter how long it is.
#ifndef TLU_FORMAT_LIBSVM_TOKENS_H
#define TLU_FORMAT_LIBSVM_TOKENS_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TOKENS_BLOCK 64

// Which bytes of a block are what, as bits.
struct block_bits {
    uint64_t colons, newlines;
    uint64_t blanks; // up to ' ': blanks, ends of lines, control characters
};

static inline struct block_bits block_bits(const char *block)
{
    struct block_bits bits = {0};
#if defined(__AVX512BW__)
    __m512i bytes = _mm512_loadu_si512(block);
    bits.colons = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(':'));
    bits.newlines = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'));
    bits.blanks = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(' '));
#else
    for (int half = 0; half < 2; half++) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32 * half));
        __m256i colons = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(':'));
        __m256i newlines = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
        __m256i blanks = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(' ')), bytes);
        bits.colons |= (uint64_t)(uint32_t)_mm256_movemask_epi8(colons) << (32 * half);
        bits.newlines |= (uint64_t)(uint32_t)_mm256_movemask_epi8(newlines) << (32 * half);
        bits.blanks |= (uint64_t)(uint32_t)_mm256_movemask_epi8(blanks) << (32 * half);
    }
#endif
    return bits;
}

// Appends `base` + the number of each bit; up to 64 are written, those past the last are undefined.
static inline size_t list_bits(uint64_t bits, uint32_t base, uint32_t *out)
{
    size_t count = (size_t)__builtin_popcountll(bits);
#if defined(__AVX512VBMI2__)
    static const uint8_t numbers[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    uint8_t packed[64];
    _mm512_storeu_si512(packed, _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers)));
    for (size_t i = 0; i < count; i += 16) {
        __m128i sixteen = _mm_loadu_si128((const __m128i *)(const void *)(packed + i));
        _mm512_storeu_si512(
            out + i, _mm512_add_epi32(_mm512_cvtepu8_epi32(sixteen), _mm512_set1_epi32((int)base)));
    }
#else
    for (size_t i = 0; i < count; i += 8) // eight at a time, needed or not: one branch
        for (size_t k = 0; k < 8; k++) {
            out[i + k] = base + (uint32_t)_tzcnt_u64(bits);
            bits = _blsr_u64(bits);
        }
#endif
    return count;
}

// The number that 1 to 8 digits write which end before `end`; at least 8 bytes before it are there.
// Anything else than digits sets *strange.
static inline uint32_t token_index(const char *end, size_t length, uint64_t *strange)
{
    uint64_t word;
    memcpy(&word, end - 8, 8);
    uint64_t kept = ~(uint64_t)0 << ((64 - 8 * length) & 63); // the first digit is the lowest byte
    word = (word ^ 0x3030303030303030u) & kept;
    *strange |= ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    *strange |= length - 1 > 7;
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
           32;
    return (uint32_t)word;
}

// The number that `length` bytes before `end` write; at least 16 bytes before `end` are there.
// False if the text is not just a sign and up to 16 digits with or without a point, or if one
// division would not round correctly: *value is then not to be used.
static inline bool token_number(const char *end, size_t length, double *value)
{
    static const uint8_t kept[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                     0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    // From the place of the point on, digits stay; those before it move up by one and close the
    // gap. The last row is for numbers without a point.
#define X 128
    static const uint8_t closed[17][16] = {{X, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},
                                           {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
                                           {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
#undef X
    static const double scales[17] = {1,   1,   1e1,  1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = end[-(ptrdiff_t)length] == '-' && length;
    length -= negative;
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(end - 16));
    bytes = _mm_xor_si128(bytes, _mm_set1_epi8('0'));
    size_t digits = length <= 16 ? length : 0; // and points
    bytes = _mm_and_si128(bytes, _mm_loadu_si128((const __m128i *)(const void *)(kept + digits)));
    uint32_t points = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.' ^ '0')));
    size_t point = _tzcnt_u32(points | 0x10000);
    bytes = _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)(const void *)closed[point]));
    __m128i beyond = _mm_subs_epu8(bytes, _mm_set1_epi8(9));
    bool strange = !_mm_testz_si128(beyond, beyond);
    // Pairs of digits, then fours, then eights.
    bytes = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x010A));
    bytes = _mm_madd_epi16(bytes, _mm_set1_epi32(0x00010064));
    bytes = _mm_packus_epi32(bytes, bytes);
    bytes = _mm_madd_epi16(bytes, _mm_set1_epi32(0x00012710));
    uint64_t halves = (uint64_t)_mm_cvtsi128_si64(bytes);
    uint64_t mantissa = (halves & UINT32_MAX) * 100000000 + (halves >> 32);
    strange |= length - (points != 0) - 1 > 15; // no digit, or too many
    strange |= mantissa >> 53 != 0;
    double magnitude = (double)mantissa / scales[16 - point];
    *value = negative ? -magnitude : magnitude;
    return !strange;
}

#endif
