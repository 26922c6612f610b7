// Entries "index:value" eight at a time, one in each 64-bit lane. See quick_rows.h.
#include "input/libsvm/tokens.h"

#include <immintrin.h>
#include <stdint.h>

#define ENTRIES_AT_ONCE 8

// All but the highest `bits` bits of each lane, which are up to 64.
static inline __m512i all_but_highest(__m512i bits)
{
    return _mm512_srlv_epi64(_mm512_set1_epi64(-1), bits);
}

// Characters to digits; those that the mask has become 0.
static inline __m512i digits_without(__m512i text, __m512i mask)
{
    return _mm512_ternarylogic_epi64(text, _mm512_set1_epi8('0'), mask, 0x14); // (a ^ b) & ~c
}

// The bits of `a` where the mask has none, those of `b` where it has ones.
static inline __m512i choose(__m512i mask, __m512i a, __m512i b)
{
    return _mm512_ternarylogic_epi64(mask, b, a, 0xCA);
}

// Eight digits in the bytes of each lane, the first in the lowest, to a number.
static inline __m512i eight_digits(__m512i digits)
{
    __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));
    __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
    return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)),
                            _mm512_srli_epi64(fours, 32));
}

// The numbers of 1 to 8 digits before eight colons, with a blank before them. Returns which do not
// look so.
static inline uint32_t convert_indices(const char *text, const uint32_t *colons, int32_t *indices)
{
    __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)colons);
    __m512i words = _mm512_i32gather_epi64(at, text - 8, 1);
    __m512i digits = _mm512_xor_si512(words, _mm512_set1_epi8('0'));
    // The highest bits of bytes that are no digits. Of digits 8 bits each are before the first.
    __m512i high = _mm512_set1_epi8(-128);
    __m512i others = _mm512_ternarylogic_epi64(_mm512_add_epi8(digits, _mm512_set1_epi8(0x76)),
                                               digits, high, 0xA8); // (a | b) & c
    __m512i bits = _mm512_lzcnt_epi64(others);
    __m512i before = _mm512_srli_epi64(_mm512_sllv_epi64(words, bits), 56);
    __mmask8 eight = _mm512_testn_epi64_mask(others, others); // digits: what is before them?
    if (eight) {
        __m512i earlier =
            _mm512_and_si512(_mm512_i32gather_epi64(at, text - 9, 1), _mm512_set1_epi64(0xFF));
        before = _mm512_mask_mov_epi64(before, eight, earlier);
    }
    __mmask8 strange = _mm512_cmpneq_epi64_mask(before, _mm512_set1_epi64(' ')) |
                       _mm512_testn_epi64_mask(bits, bits);
    __m512i number = eight_digits(_mm512_andnot_si512(all_but_highest(bits), digits));
    _mm256_storeu_si256((__m256i *)(void *)indices, _mm512_cvtepi64_epi32(number));
    return strange;
}

// The numbers between eight colons and the stops after them, by one division. Returns which are
// anything else than up to 16 digits with at most one point and a minus before them.
static inline uint32_t convert_values(const char *text, const uint32_t *colons,
                                      const uint32_t *stops, float *values)
{
    __m256i from = _mm256_loadu_si256((const __m256i *)(const void *)colons);
    __m256i to = _mm256_loadu_si256((const __m256i *)(const void *)stops);
    __m256i lengths = _mm256_sub_epi32(to, from); // with the colon
    if (are_short(lengths))
        return convert_short_values(text, colons, values);
    __m512i high = _mm512_i32gather_epi64(to, text - 8, 1); // the 16 bytes before the stop
    __m512i low = _mm512_i32gather_epi64(to, text - 16, 1);
    __m512i first = _mm512_i32gather_epi64(from, text + 1, 1);

    // Bits of the text: of its sign too, which is left out.
    __mmask8 negative = _mm512_cmpeq_epi64_mask(_mm512_and_si512(first, _mm512_set1_epi64(0xFF)),
                                                _mm512_set1_epi64('-'));
    __m256i bytes = _mm256_add_epi32(lengths, _mm256_set1_epi32(-1));
    __m512i bits = _mm512_cvtepi32_epi64(_mm256_slli_epi32(bytes, 3));
    __mmask8 zero_last =
        _mm512_cmpeq_epi64_mask(_mm512_srli_epi64(high, 56), _mm512_set1_epi64('0'));
    bits = _mm512_mask_sub_epi64(bits, negative, bits, _mm512_set1_epi64(8));
    __mmask8 strange = _mm512_cmpgt_epu64_mask(bits, _mm512_set1_epi64(128));
    high = digits_without(high, all_but_highest(bits));
    low = digits_without(low, all_but_highest(_mm512_subs_epu16(bits, _mm512_set1_epi64(64))));

    // The point: how many bits are after it, 64 if it is not there.
    __m512i point = _mm512_set1_epi8('.' ^ '0'), ones = _mm512_set1_epi8(1);
    __m512i whole = _mm512_set1_epi64(~7);
    __m512i in_high = _mm512_and_si512(
        whole, _mm512_lzcnt_epi64(_mm512_subs_epu8(ones, _mm512_xor_si512(high, point))));
    __m512i in_low = _mm512_and_si512(
        whole, _mm512_lzcnt_epi64(_mm512_subs_epu8(ones, _mm512_xor_si512(low, point))));
    __mmask8 lower = _mm512_cmpeq_epi64_mask(in_high, _mm512_set1_epi64(64));
    in_low = _mm512_maskz_mov_epi64(lower, in_low);

    // What is before it moves up by one byte.
    __m512i up = _mm512_or_si512(_mm512_slli_epi64(high, 8), _mm512_srli_epi64(low, 56));
    high = choose(all_but_highest(in_high), high, up);
    low = choose(all_but_highest(in_low), low, _mm512_slli_epi64(low, 8));
    __m512i beyond = _mm512_subs_epu8(_mm512_max_epu8(high, low), _mm512_set1_epi8(9));
    strange |= _mm512_test_epi64_mask(beyond, beyond);

    __m512i mantissa = _mm512_add_epi64(
        _mm512_mul_epu32(eight_digits(low), _mm512_set1_epi64(100000000)), eight_digits(high));
    // 0 may be no number, if that does not end in 0.
    strange |= _mm512_testn_epi64_mask(mantissa, mantissa) & ~zero_last;
    strange |= _mm512_cmpgt_epu64_mask(mantissa, _mm512_set1_epi64((int64_t)1 << 53));
    __m512i power = _mm512_srli_epi64(_mm512_add_epi64(in_high, in_low), 3); // 16: no point
    __m512d scale =
        _mm512_permutex2var_pd(_mm512_setr_pd(1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7), power,
                               _mm512_setr_pd(1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15));
    __m512d value = _mm512_div_pd(_mm512_cvtepi64_pd(mantissa), scale);
    value = _mm512_mask_xor_pd(value, negative, value, _mm512_set1_pd(-0.0));
    _mm256_storeu_ps(values, _mm512_cvtpd_ps(value));
    return strange;
}
