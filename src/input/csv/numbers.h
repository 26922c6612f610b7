// Numbers with known ends: converted eight at a time if they are plain, [-] digits [. digits].
#ifndef TLU_INPUT_CSV_NUMBERS_H
#define TLU_INPUT_CSV_NUMBERS_H

#include "input/csv/scan.h"

#include <float.h>

#define NUMBERS_AT_ONCE 8
#define NUMBERS_REACH 17   // bytes from the place before a number on that may be read
#define NUMBERS_LONGEST 17 // bytes of a number that may be plain

// The outcome of eight numbers, a bit for each.
struct csv_converted {
    uint8_t odd;    // not plain, or too long: the value means nothing
    uint8_t zeros;  // is 0
    uint8_t others; // is neither 0 nor 1
};

// The numbers between the places `before` and `ends` of the chunk, which begins at `floor`.
// NUMBERS_REACH bytes from each place before are there.
typedef struct csv_converted csv_convert(const char *floor, const uint32_t *before,
                                         const uint32_t *ends, float *values);

// Numbers side by side, of features that ascend by one. There is room for NUMBERS_AT_ONCE entries
// more.
struct csv_run {
    const char *floor;
    const uint32_t *ends; // [n + 1 + NUMBERS_AT_ONCE] number i is between ends[i] and ends[i + 1]
    size_t n;
    size_t limit;     // of the places that may be read
    uint32_t feature; // of the first
    uint32_t *features;
    float *values;
    struct csv_converted outcome; // odd: of the last eight; the others: of all
};
// Converts up to the first odd number, or to one that is too near to the limit; how many that is.
typedef size_t csv_convert_run(struct csv_run *run);

struct csv_converters {
    csv_convert *eight;
    csv_convert_run *run;
};
struct csv_converters csv_converters(enum csv_way way);
extern const struct csv_converters csv_converters_avx2; // of NULL if the compiler has no AVX2

// Takes the entries out whose value is 0, and returns how many are left. Four entries after the
// last may be written.
typedef size_t csv_compact(uint32_t *features, float *values, size_t count);
csv_compact *csv_compacter(enum csv_way way);

// ---- runs ----

// first, first + 1, ...
static inline void number_eight(uint32_t *out, uint32_t first)
{
#ifdef SCAN_SSE2
    __m128i four = _mm_add_epi32(_mm_set1_epi32((int)first), _mm_setr_epi32(0, 1, 2, 3));
    _mm_storeu_si128((__m128i *)(void *)out, four);
    _mm_storeu_si128((__m128i *)(void *)(out + 4), _mm_add_epi32(four, _mm_set1_epi32(4)));
#else
    for (uint32_t i = 0; i < NUMBERS_AT_ONCE; i++)
        out[i] = first + i;
#endif
}

// For each instruction set: `convert` is known where this is inlined, and inlined itself.
static inline __attribute__((always_inline)) size_t convert_run(struct csv_run *run,
                                                                csv_convert *convert)
{
    const uint32_t *ends = run->ends;
    size_t k = 0, n = run->n;
    unsigned odd = 0, zeros = 0, others = 0;
    while (!odd && k < n && ends[k + NUMBERS_AT_ONCE - 1] + (size_t)NUMBERS_REACH < run->limit) {
        struct csv_converted eight = convert(run->floor, ends + k, ends + k + 1, run->values + k);
        number_eight(run->features + k, run->feature + (uint32_t)k);
        size_t taken = n - k < NUMBERS_AT_ONCE ? n - k : NUMBERS_AT_ONCE;
        odd = eight.odd & ((1u << taken) - 1);
        if (odd)
            taken = (size_t)__builtin_ctz(odd);
        zeros |= eight.zeros & ((1u << taken) - 1);
        others |= eight.others & ((1u << taken) - 1);
        k += taken;
    }
    run->outcome = (struct csv_converted){(uint8_t)odd, (uint8_t)zeros, (uint8_t)others};
    return k;
}

// ---- one number ----

#define SCAN_NUMBER 16 // bytes that are looked at, all before the end

#ifdef SCAN_SSE2
// The bits of `length` bytes at the end of 16.
static inline unsigned scan_tail(size_t length)
{
    return 0xFFFFu & (0xFFFFu << (SCAN_NUMBER - length));
}

// Which of the bytes of a text of 1 to 16 bytes are not digits; *digits gets the values of them
// all, those before the text included.
static inline unsigned scan_digits(const char *end, size_t length, __m128i *bytes, __m128i *digits)
{
    *bytes = _mm_loadu_si128((const __m128i *)(const void *)(end - SCAN_NUMBER));
    *digits = _mm_sub_epi8(*bytes, _mm_set1_epi8('0'));
    __m128i small = _mm_cmpeq_epi8(_mm_min_epu8(*digits, _mm_set1_epi8(9)), *digits);
    return ~(unsigned)_mm_movemask_epi8(small) & scan_tail(length);
}

// Whether the bytes that are not digits are at most one point, with a digit beside it.
static inline bool scan_is_point(__m128i bytes, unsigned others, size_t length)
{
    unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    return ((others & ~points) | (others & (others - 1))) == 0 && length > (others != 0);
}

// 16 digits, the first in the lowest byte.
static inline uint64_t scan_join(__m128i digits)
{
    __m128i low = _mm_and_si128(digits, _mm_set1_epi16(0xFF));
    __m128i pairs =
        _mm_add_epi16(_mm_mullo_epi16(low, _mm_set1_epi16(10)), _mm_srli_epi16(digits, 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
    uint64_t both;
    _mm_storel_epi64((__m128i *)(void *)&both, eights);
    return (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
}
#endif

#ifdef SCAN_SSE2
// What the digits are to be divided by, by how many places before the end the point is.
static const double scan_scales[17] = {1e0, 1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// The digits of a text of `length` bytes, 0 before them; those before the point (16: there is
// none) move into its place.
static inline __m128i scan_without_point(__m128i digits, size_t length, size_t point)
{
    enum { M = 0xFF };
    static const uint8_t kept[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                     M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    static const uint8_t moved[48] = {M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M};
    const uint8_t *move = moved + 15 - point + 32 * (point == SCAN_NUMBER);
    __m128i keep = _mm_loadu_si128((const __m128i *)(const void *)(kept + length));
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)move);
    digits = _mm_and_si128(digits, keep);
    return _mm_or_si128(_mm_and_si128(mask, _mm_slli_si128(digits, 1)),
                        _mm_andnot_si128(mask, digits));
}
#endif

// The usual number: [-] digits [. digits] in at most 16 bytes after the sign, rounded as
// number_parse rounds it. False if it is anything else. Nothing before `floor` is read; *start
// and *end are there, even if the text is empty.
static inline bool scan_number(const char *start, const char *end, const char *floor, double *value)
{
#ifdef SCAN_SSE2
    bool negative = *start == '-';
    size_t length = (size_t)(end - start) - negative;
    if (length - 1 >= SCAN_NUMBER || end - floor < SCAN_NUMBER)
        return false;
    __m128i bytes, digits;
    unsigned others = scan_digits(end, length, &bytes, &digits);
    if (!scan_is_point(bytes, others, length))
        return false;
    size_t point = (size_t)__builtin_ctz(others | 1u << SCAN_NUMBER);
    digits = scan_without_point(digits, length, point);
    uint64_t mantissa = scan_join(digits);
    // Up to 15 digits are exact, and so is the power of ten: the quotient is the right one (Clinger
    // 1990). 16 have no point, so that they are rounded once, and divided by 1.
    double magnitude = (double)(int64_t)mantissa / scan_scales[SCAN_NUMBER - point];
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(value, &bits, sizeof bits);
    return true;
#else
    (void)start, (void)end, (void)floor, (void)value;
    return false;
#endif
}

#ifdef SCAN_SSE2
// The bytes of a text of 17 to 32 bytes that are not digits: of the last 16 in the higher half, of
// those before them in the lower.
struct scan_halves {
    __m128i head, tail; // the values of digits
    unsigned others;
};

// False if the text is not digits with at most one point.
static inline bool scan_halves(struct scan_halves *halves, const char *end, size_t length)
{
    __m128i head, tail;
    __m128i point = _mm_set1_epi8('.');
    unsigned others = scan_digits(end - SCAN_NUMBER, length - SCAN_NUMBER, &head, &halves->head) |
                      scan_digits(end, SCAN_NUMBER, &tail, &halves->tail) << SCAN_NUMBER;
    unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(head, point)) |
                      (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(tail, point)) << SCAN_NUMBER;
    halves->others = others;
    return ((others & ~points) | (others & (others - 1))) == 0;
}
#endif

// A number of more digits, up to 32 bytes, with an error of at most seven roundings.
static inline bool scan_long_number(const char *start, const char *end, const char *floor,
                                    double *number)
{
#ifdef SCAN_SSE2
    static const double powers[32] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                      1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
    bool negative = *start == '-';
    size_t length = (size_t)(end - start) - negative;
    struct scan_halves halves;
    if (length - SCAN_NUMBER - 1 >= SCAN_NUMBER || end - floor < 2 * SCAN_NUMBER ||
        !scan_halves(&halves, end, length))
        return false;
    unsigned head = halves.others & 0xFFFF, tail = halves.others >> SCAN_NUMBER;
    size_t head_point = (size_t)__builtin_ctz(head | 1u << SCAN_NUMBER);
    size_t tail_point = (size_t)__builtin_ctz(tail | 1u << SCAN_NUMBER);
    uint64_t first = scan_join(scan_without_point(halves.head, length - SCAN_NUMBER, head_point));
    uint64_t last = scan_join(scan_without_point(halves.tail, SCAN_NUMBER, tail_point));
    double digits = (double)(int64_t)first * (tail ? 1e15 : 1e16) + (double)(int64_t)last;
    *number = digits / powers[tail ? 15 - tail_point : head ? 31 - head_point : 0];
    if (negative)
        *number = -*number;
    return true;
#else
    (void)start, (void)end, (void)floor, (void)number;
    return false;
#endif
}

// The same with a power of two digits after it: e+NN or e-NN, up to 22. One rounding more.
static inline bool scan_power_number(const char *start, const char *end, const char *floor,
                                     double *number)
{
    static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; // all exact
    if (end - start < 5)
        return false;
    const char *mark = end - 4;
    if ((mark[0] | 0x20) != 'e' || (mark[1] != '-' && mark[1] != '+'))
        return false;
    unsigned tens = (unsigned char)(mark[2] - '0'), ones = (unsigned char)(mark[3] - '0');
    unsigned power = 10 * tens + ones;
    if (tens > 9 || ones > 9 || power > 22 ||
        !(scan_number(start, mark, floor, number) || scan_long_number(start, mark, floor, number)))
        return false;
    *number = mark[1] == '-' ? *number / powers[power] : *number * powers[power];
    return true;
}

// A number that is computed with an error far below what a float can show: two bounds around it are
// nearly always the same float, and if they are, that is what the correctly rounded double
// becomes, which lies between them. False else.
static inline bool scan_round(double number, float *value)
{
    const double error = 0x1p-48; // ten roundings of 2^-53 are less
    float low = (float)(number * (1 - error)), high = (float)(number * (1 + error));
    *value = low;
    return low == high && low <= FLT_MAX && low >= -FLT_MAX;
}

// [-] digits [. digits] e [+-] digits, up to 19 digits and powers of ten that a double has, as a
// float. False if it is anything else.
bool csv_power_number(const char *start, const char *end, float *value);
// Whether it is [-] digits [. digits] [e [+-] digits], whatever the size; false if that is not
// seen.
bool csv_is_number(const char *start, const char *end);

#endif
