// An entry "index:value", 16 bytes at a time. See quick_lines.h.
#include "input/libsvm/quick_row.h"

#include <emmintrin.h>

// What the place of the point in 16 bytes says.
struct point_place {
    uint8_t fraction[16]; // 255 for the bytes after it
    double scales[2];     // what the digits are to be divided by; that of negative numbers
};

#define X 255
// Without a point: all bytes stay. With a point at the end too, so that it is found to be no digit.
static const struct point_place point_places[17] = {
    {{0, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X}, {1e15, -1e15}},
    {{0, 0, X, X, X, X, X, X, X, X, X, X, X, X, X, X}, {1e14, -1e14}},
    {{0, 0, 0, X, X, X, X, X, X, X, X, X, X, X, X, X}, {1e13, -1e13}},
    {{0, 0, 0, 0, X, X, X, X, X, X, X, X, X, X, X, X}, {1e12, -1e12}},
    {{0, 0, 0, 0, 0, X, X, X, X, X, X, X, X, X, X, X}, {1e11, -1e11}},
    {{0, 0, 0, 0, 0, 0, X, X, X, X, X, X, X, X, X, X}, {1e10, -1e10}},
    {{0, 0, 0, 0, 0, 0, 0, X, X, X, X, X, X, X, X, X}, {1e9, -1e9}},
    {{0, 0, 0, 0, 0, 0, 0, 0, X, X, X, X, X, X, X, X}, {1e8, -1e8}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, X, X, X, X, X, X, X}, {1e7, -1e7}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, X, X, X, X, X}, {1e6, -1e6}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, X, X, X, X}, {1e5, -1e5}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, X, X, X}, {1e4, -1e4}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, X, X}, {1e3, -1e3}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, X}, {1e2, -1e2}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X}, {1e1, -1e1}},
    {{X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X}, {1, -1}},
    {{X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X}, {1, -1}}};

// The last n of 16 bytes: from [n] on.
static const uint8_t last_of_16[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                       X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X};
#undef X

static inline __m128i load_16(const void *at)
{
    return _mm_loadu_si128((const __m128i *)at);
}

static inline uint32_t bits_of(__m128i bytes)
{
    return (uint32_t)_mm_movemask_epi8(bytes);
}

// Which bytes are blanks, ends of lines or control characters, as bits.
static inline uint32_t blank_bits(__m128i text)
{
    return bits_of(_mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(' ')), text));
}

// Sixteen digits to four numbers of four digits.
static inline __m128i four_digits(__m128i digits)
{
    __m128i pairs = _mm_srli_epi16(_mm_mullo_epi16(digits, _mm_set1_epi16(10 << 8 | 1)), 8);
    return _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
}

// Two numbers of four digits each to one.
static inline __m128i eight_digits(__m128i low, __m128i high)
{
    return _mm_madd_epi16(_mm_packs_epi32(low, high), _mm_set1_epi32(1 << 16 | 10000));
}

static inline bool all_digits(__m128i digits)
{
    __m128i beyond = _mm_subs_epu8(digits, _mm_set1_epi8(9));
    return bits_of(_mm_cmpeq_epi8(beyond, _mm_setzero_si128())) == 0xFFFF;
}

// An entry that is plain; false if it is not.
static inline bool plain_entry(const char *at, struct quick_entry *entry)
{
    const __m128i zeros = _mm_set1_epi8('0');
    __m128i head = load_16(at);
    uint32_t blanks = blank_bits(head) | blank_bits(load_16(at + 16)) << 16;
    uint32_t colons = bits_of(_mm_cmpeq_epi8(head, _mm_set1_epi8(':')));
    size_t size = (uint32_t)__builtin_ctz(blanks | 1u << 31);
    size_t colon = (uint32_t)__builtin_ctz(colons | 1u << 31);
    entry->stop = at + size;
    if (colon - 1 > 7)
        return false;
    __m128i name = _mm_sll_epi64(_mm_xor_si128(_mm_move_epi64(head), _mm_move_epi64(zeros)),
                                 _mm_cvtsi32_si128((int)(64 - 8 * colon)));
    if (size == colon + 2) {
        entry->index = _mm_cvtsi128_si32(eight_digits(four_digits(name), _mm_setzero_si128()));
        bool digit = one_digit(at[colon + 1], entry);
        return all_digits(name) && digit;
    }
    size_t negative = at[colon + 1] == '-';
    size_t length = size - colon - 1 - negative;
    if (length - 1 > 14)
        return false;
    __m128i text = _mm_and_si128(_mm_xor_si128(load_16(entry->stop - 16), zeros),
                                 load_16(last_of_16 + length));
    // What is before the point moves up by one.
    uint32_t points = bits_of(_mm_cmpeq_epi8(text, _mm_set1_epi8('.' ^ '0')));
    const struct point_place *point = point_places + (uint32_t)__builtin_ctz(points | 1u << 16);
    __m128i fraction = load_16(point->fraction);
    __m128i digits = _mm_or_si128(_mm_and_si128(fraction, text),
                                  _mm_andnot_si128(fraction, _mm_slli_si128(text, 1)));
    if (!all_digits(_mm_max_epu8(digits, name)))
        return false;
    __m128i numbers = eight_digits(four_digits(name), four_digits(digits));
    entry->index = _mm_cvtsi128_si32(numbers);
    __m128d halves = _mm_cvtepi32_pd(_mm_unpackhi_epi64(numbers, numbers));
    double mantissa = _mm_cvtsd_f64(halves) * 1e8 + _mm_cvtsd_f64(_mm_unpackhi_pd(halves, halves));
    entry->there = mantissa != 0;
    entry->value = (float)(mantissa / point->scales[negative]);
    return true;
}
