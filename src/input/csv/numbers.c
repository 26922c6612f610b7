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

#ifdef SCAN_AVX2
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
SCAN_AVX2 static size_t compact_avx2(uint32_t *features, float *values, size_t count)
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
#endif

struct csv_converters csv_converters(enum csv_way way)
{
    if (csv_uses_avx2(way) && csv_converters_avx2.eight)
        return csv_converters_avx2;
    return (struct csv_converters){convert_plain, run_plain};
}

csv_compact *csv_compacter(enum csv_way way)
{
#ifdef SCAN_AVX2
    if (csv_uses_avx2(way))
        return compact_avx2;
#endif
    (void)way;
    return compact_plain;
}

// ---- powers of ten ----

// A number in its parts.
struct decimal_parts {
    bool negative;
    uint64_t mantissa; // right if there are at most 19 digits
    long digits;       // of it
    long fraction;     // of these after the point
    long power;        // right if it has at most 4 digits
};

// Appends the digits from `at` on to a number, eight at a time as long as there are as many;
// returns the place after them.
static inline const char *read_digits(const char *at, const char *end, uint64_t *number)
{
    uint64_t sum = *number;
    for (; end - at >= 8; at += 8) {
        uint64_t word = load_word(at) ^ EVERY('0');
        if (not_digits(word))
            break;
        sum = 100000000 * sum + word_number(word);
    }
    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        sum = 10 * sum + (unsigned char)(*at - '0');
    *number = sum;
    return at;
}

// False if it is anything else than [-] digits [. digits] [e [+-] digits].
static bool read_parts(struct decimal_parts *parts, const char *at, const char *end)
{
    *parts = (struct decimal_parts){.negative = at < end && *at == '-'};
    at += parts->negative;
    const char *first = at;
    at = read_digits(at, end, &parts->mantissa);
    parts->digits = at - first;
    if (at < end && *at == '.') {
        first = at + 1;
        at = read_digits(first, end, &parts->mantissa);
        parts->fraction = at - first;
        parts->digits += parts->fraction;
    }
    if (parts->digits == 0 || at == end)
        return parts->digits > 0;
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    bool down = at < end && *at == '-';
    at += down || (at < end && *at == '+');
    uint64_t power = 0;
    first = at;
    at = read_digits(at, end, &power);
    parts->power = at - first > 4 ? 9999 : (long)power;
    if (down)
        parts->power = -parts->power;
    return at > first && at == end;
}

bool csv_is_number(const char *start, const char *end)
{
    struct decimal_parts parts;
    return read_parts(&parts, start, end);
}

// A number that is computed with an error far below what a float can show: two bounds around it are
// nearly always the same float, and if they are, that is what the correctly rounded double
// becomes, which lies between them. False else.
static bool scan_round(double number, float *value)
{
    const double error = 0x1p-48; // ten roundings of 2^-53 are less
    float low = (float)(number * (1 - error)), high = (float)(number * (1 + error));
    *value = low;
    return low == high && low <= FLT_MAX && low >= -FLT_MAX;
}

bool csv_power_number(const char *start, const char *end, float *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; // all exact
    struct decimal_parts parts;
    if (!read_parts(&parts, start, end) || parts.digits > 19)
        return false;
    long power = parts.power - parts.fraction;
    if (power < -22 || power > 22)
        return false;
    double number = (double)parts.mantissa;
    number = power < 0 ? number / powers[-power] : number * powers[power];
    return scan_round(parts.negative ? -number : number, value);
}
