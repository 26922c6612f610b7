// Numbers with known ends, eight at a time by AVX2: indices and values of LIBSVM, fields of CSV. No
// branch depends on the length of a number, which a CPU cannot predict. Only files that are
// compiled with the flags for AVX2 include this header.
#ifndef TLU_INPUT_NUMBERS_AVX2_H
#define TLU_INPUT_NUMBERS_AVX2_H

#include "input/number_shapes.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

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

#define ENTRIES_AT_ONCE 8

static inline __m256i bytes_of(char c)
{
    return _mm256_set1_epi8(c);
}

// 8 bytes from each of four places.
static inline __m256i four_words(const char *a, const char *b, const char *c, const char *d)
{
    __m128i low = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)a),
                                     _mm_loadl_epi64((const __m128i *)(const void *)b));
    __m128i high = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)c),
                                      _mm_loadl_epi64((const __m128i *)(const void *)d));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// 16 bytes from each of two places.
static inline __m256i two_texts(const void *a, const void *b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a)),
                                   _mm_loadu_si128((const __m128i *)b), 1);
}

// Which of the four 64-bit lanes are not 0, as bits.
static inline uint32_t lanes_set(__m256i lanes)
{
    __m256i zero = _mm256_cmpeq_epi64(lanes, _mm256_setzero_si256());
    return 15 ^ (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero));
}

// The digits before four colons, one number of four digits in each 32-bit lane, the last four
// first. Lanes of *strange are set if these are not 1 to 8 digits after a blank.
static inline __m256i four_indices(const char *text, const uint32_t *colons, __m256i *strange)
{
    const __m256i reverse = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
                                             7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    const char *before = text - 8;
    __m256i words =
        four_words(before + colons[0], before + colons[1], before + colons[2], before + colons[3]);
    words = _mm256_shuffle_epi8(words, reverse); // the last digit is the lowest byte
    __m256i blanks = _mm256_cmpeq_epi8(words, bytes_of(' '));
    __m256i kept = _mm256_andnot_si256(blanks, _mm256_add_epi64(blanks, _mm256_set1_epi64x(-1)));
    __m256i digits = _mm256_and_si256(_mm256_xor_si256(words, bytes_of('0')), kept);
    __m256i none = _mm256_cmpeq_epi64(kept, _mm256_setzero_si256());
    __m256i eight = _mm256_cmpeq_epi64(blanks, _mm256_setzero_si256());
    *strange = _mm256_or_si256(_mm256_subs_epu8(digits, bytes_of(9)), none);
    if (!_mm256_testz_si256(eight, eight)) {
        words = four_words(before - 1 + colons[0], before - 1 + colons[1], before - 1 + colons[2],
                           before - 1 + colons[3]);
        __m256i others = _mm256_slli_epi64(_mm256_xor_si256(words, bytes_of(' ')), 56);
        *strange = _mm256_or_si256(*strange, _mm256_and_si256(others, eight));
    }
    return _mm256_madd_epi16(_mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x0A01)),
                             _mm256_set1_epi32(0x00640001));
}

// The numbers of 1 to 8 digits before eight colons, with a blank before them. Returns which do not
// look so.
static inline uint32_t convert_indices(const char *text, const uint32_t *colons, int32_t *indices)
{
    __m256i strange_low, strange_high;
    __m256i low = four_indices(text, colons, &strange_low);
    __m256i high = four_indices(text, colons + 4, &strange_high);
    __m256i eights =
        _mm256_madd_epi16(_mm256_packus_epi32(low, high), _mm256_set1_epi32(0x27100001));
    _mm256_storeu_si256((__m256i *)(void *)indices, _mm256_permute4x64_epi64(eights, 0xD8));
    __m256i any = _mm256_or_si256(strange_low, strange_high);
    if (_mm256_testz_si256(any, any))
        return 0;
    return lanes_set(strange_low) | lanes_set(strange_high) << 4;
}

// The texts from two colons on to numbers of four digits each. *minus: '-' is the first byte.
// rows: the shapes of the texts but for the place of the point; they get that too.
static inline __m256i two_values(const char *a, const char *b, const struct number_shape **rows[2],
                                 __m256i *minus, __m256i *beyond)
{
    const __m256i first = _mm256_setr_epi64x(0xFF, 0, 0xFF, 0);
    __m256i texts = two_texts(a + 1, b + 1);
    uint32_t points =
        (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(texts, bytes_of('.'))) | 0x80008000;
    *rows[0] += _tzcnt_u32(points);
    *rows[1] += _tzcnt_u32(points >> 16);
    *minus = _mm256_and_si256(_mm256_cmpeq_epi8(texts, bytes_of('-')), first);
    __m256i digits = _mm256_andnot_si256(*minus, _mm256_sub_epi8(texts, bytes_of('0')));
    digits = _mm256_shuffle_epi8(digits, two_texts((*rows[0])->places, (*rows[1])->places));
    *beyond = _mm256_subs_epu8(digits, bytes_of(9));
    return _mm256_madd_epi16(_mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)),
                             _mm256_set1_epi32(0x00010064));
}

// The numbers after four colons, whose lengths are those of the rows. Lanes of *strange are set
// if the text is anything else than a minus, up to 15 digits and a point.
static inline __m128 four_values(const char *text, const uint32_t *colons, const uint32_t *lengths,
                                 __m256i *strange)
{
    const struct number_shape *row[4];
    for (int i = 0; i < 4; i++)
        row[i] =
            (const struct number_shape *)(const void *)((const char *)number_shapes + lengths[i]);
    __m256i minus_even, minus_odd, beyond_even, beyond_odd;
    __m256i even =
        two_values(text + colons[0], text + colons[2],
                   (const struct number_shape **[2]){&row[0], &row[2]}, &minus_even, &beyond_even);
    __m256i odd =
        two_values(text + colons[1], text + colons[3],
                   (const struct number_shape **[2]){&row[1], &row[3]}, &minus_odd, &beyond_odd);
    // Eight digits in each 32-bit lane, then up to 15 in 64 bits, in the order of the entries.
    __m256i eights =
        _mm256_madd_epi16(_mm256_packus_epi32(even, odd), _mm256_set1_epi32(0x00012710));
    __m256i mantissa = _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                                        _mm256_srli_epi64(eights, 32));
    // Below 2^52: as the fraction of 2^52 it is a double.
    const __m256d magic = _mm256_set1_pd(0x1p52);
    __m256d number = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(mantissa), magic), magic);
    __m256d scale = _mm256_setr_pd(row[0]->scale, row[1]->scale, row[2]->scale, row[3]->scale);
    __m256i sign = _mm256_slli_epi64(_mm256_unpacklo_epi64(minus_even, minus_odd), 63);
    number = _mm256_xor_pd(_mm256_div_pd(number, scale), _mm256_castsi256_pd(sign));
    // -0 may be a minus without digits; a scale of 0 makes no number.
    __m256i odd_number = _mm256_or_si256(
        _mm256_cmpeq_epi64(_mm256_castpd_si256(number), _mm256_set1_epi64x(INT64_MIN)),
        _mm256_castpd_si256(
            _mm256_cmp_pd(_mm256_sub_pd(number, number), _mm256_setzero_pd(), _CMP_NEQ_UQ)));
    *strange = _mm256_or_si256(odd_number,
                               _mm256_or_si256(_mm256_unpacklo_epi64(beyond_even, beyond_odd),
                                               _mm256_unpackhi_epi64(beyond_even, beyond_odd)));
    return _mm256_cvtpd_ps(number);
}

// The numbers between eight colons and the stops after them. Returns which are not as four_values()
// says.
static inline uint32_t convert_values(const char *text, const uint32_t *colons,
                                      const uint32_t *stops, float *values)
{
    __m256i lengths =
        _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(const void *)stops),
                         _mm256_loadu_si256((const __m256i *)(const void *)colons)); // with colon
    if (are_short(lengths))
        return convert_short_values(text, colons, values);
    uint32_t rows[8];
    lengths = _mm256_min_epu32(lengths, _mm256_set1_epi32(NUMBER_SHAPE_LENGTHS - 1));
    _mm256_storeu_si256((__m256i *)(void *)rows, _mm256_slli_epi32(lengths, NUMBER_SHAPE_ROW_BITS));
    __m256i strange_low, strange_high;
    __m128 low = four_values(text, colons, rows, &strange_low);
    __m128 high = four_values(text, colons + 4, rows + 4, &strange_high);
    _mm256_storeu_ps(values, _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1));
    __m256i any = _mm256_or_si256(strange_low, strange_high);
    if (_mm256_testz_si256(any, any))
        return 0;
    return lanes_set(strange_low) | lanes_set(strange_high) << 4;
}

#endif
