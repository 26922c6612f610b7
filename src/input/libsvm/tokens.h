// Tokens of text by vector instructions. For the files that are compiled for an instruction set of
// their own (quick_avx2.c and its like): what is in here is as wide as their flags allow.
//
// Text is taken apart in two steps, so that nothing depends on a branch that the CPU cannot foresee
// (how many digits a number has is different every time): first the places of all separators are
// listed, 64 bytes at a time, here; then the tokens between them are turned into numbers, no matter
// how long they are (entries_avx2.h and its like).
#ifndef TLU_INPUT_LIBSVM_TOKENS_H
#define TLU_INPUT_LIBSVM_TOKENS_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    _Alignas(64) uint8_t packed[64]; // or a sanitizer puts it where the compiler does not expect it
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

// Whether eight values are of one byte, such as those of binary features. The lengths are with the
// colon before each.
static inline bool are_short(__m256i lengths)
{
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(lengths, _mm256_set1_epi32(2))) == -1;
}

// Values of one byte after eight colons. Returns which are no digits. Not inline, so that the usual
// values keep their registers.
__attribute__((noinline)) static uint32_t
convert_short_values(const char *text, const uint32_t *colons, float *values)
{
    const char *after = text + 1;
    __m128i digits = _mm_setr_epi8(after[colons[0]], after[colons[1]], after[colons[2]],
                                   after[colons[3]], after[colons[4]], after[colons[5]],
                                   after[colons[6]], after[colons[7]], 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i numbers = _mm256_sub_epi32(_mm256_cvtepu8_epi32(digits), _mm256_set1_epi32('0'));
    _mm256_storeu_ps(values, _mm256_cvtepi32_ps(numbers));
    __m256i digit = _mm256_cmpeq_epi32(_mm256_min_epu32(numbers, _mm256_set1_epi32(9)), numbers);
    return 255 ^ (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(digit));
}

#endif
