#include "input/csv/numbers.h"

#include <float.h>

// By the character. Up to 15 digits are exact, and so is the power of ten: the quotient is the
// right one (Clinger 1990).
static bool number_by_byte(const char *start, const char *end, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = start < end && *start == '-';
    const char *point = NULL, *at = start + negative;
    if (end - at > 16)
        return false;
    uint64_t mantissa = 0;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit < 10)
            mantissa = 10 * mantissa + digit;
        else if (*at == '.' && !point)
            point = at;
        else
            return false;
    }
    size_t digits = (size_t)(end - start) - negative - (point != NULL);
    if (digits - 1 >= 15)
        return false;
    double magnitude = (double)mantissa / powers[point ? end - point - 1 : 0];
    *value = negative ? -magnitude : magnitude;
    return true;
}

static struct csv_converted convert_plain(const char *floor, const uint32_t *before,
                                          const uint32_t *ends, float *values)
{
    struct csv_converted outcome = {0, 0, 0};
    for (unsigned i = 0; i < NUMBERS_AT_ONCE; i++) {
        double number = 0;
        bool plain = number_by_byte(floor + before[i] + 1, floor + ends[i], &number);
        values[i] = (float)number;
        outcome.odd |= (uint8_t)(!plain << i);
        outcome.zeros |= (uint8_t)((values[i] == 0) << i);
        outcome.others |= (uint8_t)((values[i] != 0 && values[i] != 1) << i);
    }
    return outcome;
}

static size_t run_plain(struct csv_run *run)
{
    return convert_run(run, convert_plain);
}

static size_t compact_plain(uint32_t *features, float *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        features[kept] = features[i];
        values[kept] = values[i];
        kept += values[i] != 0;
    }
    return kept;
}

#ifdef BYTES_X86
// [lanes][byte] shuffles that move the lanes whose bits are set to the front.
static const uint8_t fronts[16][16] = {
#define LANE(i) 4 * (i), 4 * (i) + 1, 4 * (i) + 2, 4 * (i) + 3
    {0},
    {LANE(0)},
    {LANE(1)},
    {LANE(0), LANE(1)},
    {LANE(2)},
    {LANE(0), LANE(2)},
    {LANE(1), LANE(2)},
    {LANE(0), LANE(1), LANE(2)},
    {LANE(3)},
    {LANE(0), LANE(3)},
    {LANE(1), LANE(3)},
    {LANE(0), LANE(1), LANE(3)},
    {LANE(2), LANE(3)},
    {LANE(0), LANE(2), LANE(3)},
    {LANE(1), LANE(2), LANE(3)},
    {LANE(0), LANE(1), LANE(2), LANE(3)},
#undef LANE
};

// Four at a time: what is after those that are kept is overwritten next.
BYTES_AVX2 static size_t compact_avx2(uint32_t *features, float *values, size_t count)
{
    size_t kept = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        __m128 four = _mm_loadu_ps(values + i);
        __m128i names = _mm_loadu_si128((const __m128i *)(const void *)(features + i));
        unsigned there = (unsigned)_mm_movemask_ps(_mm_cmpneq_ps(four, _mm_setzero_ps()));
        __m128i front = _mm_loadu_si128((const __m128i *)(const void *)fronts[there]);
        _mm_storeu_si128((__m128i *)(void *)(values + kept),
                         _mm_shuffle_epi8(_mm_castps_si128(four), front));
        _mm_storeu_si128((__m128i *)(void *)(features + kept), _mm_shuffle_epi8(names, front));
        kept += (size_t)_mm_popcnt_u32(there);
    }
    for (; i < count; i++) {
        features[kept] = features[i];
        values[kept] = values[i];
        kept += values[i] != 0;
    }
    return kept;
}
#else
#define compact_avx2 compact_plain
#endif

struct csv_converters csv_converters(enum csv_way way)
{
    bool avx2 = csv_uses_avx2(way);
    struct csv_converters plain = {convert_plain, run_plain, avx2 ? compact_avx2 : compact_plain};
    if (!avx2 || !csv_converters_avx2.eight)
        return plain;
    return (struct csv_converters){csv_converters_avx2.eight, csv_converters_avx2.run,
                                   plain.compact};
}

// ---- any decimal number ----

// Powers of ten: exact up to 10^22, then rounded.
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
                                1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32};
#define POWER_MAX 32

#define DECIMAL_MIN 8 // bytes; shorter ones are copied

// Appends the digits of a fraction to a number, eight at a time; returns the place after them.
// There are eight bytes before `end`.
static inline const char *read_fraction(const char *at, const char *end, double *number)
{
    double sum = *number;
    for (; end - at >= 8; at += 8) {
        uint64_t digits = load_word(at) ^ EVERY('0');
        if (not_digits(digits))
            break;
        sum = sum * 1e8 + word_number(digits);
    }
    size_t left = (size_t)(end - at);
    uint64_t last = (load_word(end - 8) ^ EVERY('0')) & ~(UINT64_MAX >> 8 * (left & 7));
    if (left < 8 && !not_digits(last)) {
        *number = sum * powers[left] + word_number(last);
        return end;
    }
    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        sum = sum * 10 + (unsigned char)(*at - '0');
    *number = sum;
    return at;
}

// e [+-] digits; false if it is anything else.
static bool read_power(const char *at, const char *end, long *power)
{
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    bool negative = at < end && *at == '-';
    at += negative || (at < end && *at == '+');
    const char *first = at;
    long sum = 0;
    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        sum = sum < 10000 ? 10 * sum + (*at - '0') : sum;
    *power = negative ? -sum : sum;
    return at > first && at == end;
}

// The error of the double is far below what a float can show: two bounds around it are nearly
// always the same float, and if they are, so is the correctly rounded double, which lies between
// them.
bool csv_decimal_number(const char *start, const char *end, float *value)
{
    const double error = 0x1p-47; // 64 roundings; there are at most two per digit after the 15th
    char copy[DECIMAL_MIN] = {0};
    size_t length = (size_t)(end - start);
    if (length < DECIMAL_MIN) {
        start = memcpy(copy + DECIMAL_MIN - length, start, length);
        end = copy + DECIMAL_MIN;
    }
    bool negative = start < end && *start == '-';
    const char *first = start + negative, *at = first, *point = NULL;
    double number = 0;
    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        number = number * 10 + (unsigned char)(*at - '0');
    if (at < end && *at == '.') {
        point = at;
        at = read_fraction(at + 1, end, &number);
    }
    long digits = at - first - (point != NULL), power = 0;
    if (digits < 1 || digits > POWER_MAX || (at < end && !read_power(at, end, &power)))
        return false;
    if (point)
        power -= at - point - 1;
    if (power < -POWER_MAX || power > POWER_MAX)
        return false;
    number = power < 0 ? number / powers[-power] : number * powers[power];
    number = negative ? -number : number;
    float low = (float)(number * (1 - error)), high = (float)(number * (1 + error));
    *value = low;
    return low == high && low <= FLT_MAX && low >= -FLT_MAX;
}
