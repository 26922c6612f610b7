#include "format/csv/numbers.h"

typedef bool convert_one(const char *start, const char *end, const char *floor, double *value);

static inline struct csv_converted convert_each(const char *floor, const uint32_t *before,
                                                const uint32_t *ends, float *values,
                                                convert_one *convert)
{
    struct csv_converted outcome = {0, 0, 0};
    for (unsigned i = 0; i < NUMBERS_AT_ONCE; i++) {
        double number = 0;
        bool plain = convert(floor + before[i] + 1, floor + ends[i], floor, &number);
        values[i] = (float)number;
        outcome.odd |= (uint8_t)(!plain << i);
        outcome.zeros |= (uint8_t)((values[i] == 0) << i);
        outcome.others |= (uint8_t)((values[i] != 0 && values[i] != 1) << i);
    }
    return outcome;
}

// By the character. Up to 15 digits are exact, and so is the power of ten: the quotient is the
// right one (Clinger 1990).
static bool number_by_byte(const char *start, const char *end, const char *floor, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    (void)floor;
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
    return convert_each(floor, before, ends, values, number_by_byte);
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

#ifdef SCAN_SSE2
static struct csv_converted convert_sse2(const char *floor, const uint32_t *before,
                                         const uint32_t *ends, float *values)
{
    return convert_each(floor, before, ends, values, scan_number);
}

static size_t run_sse2(struct csv_run *run)
{
    return convert_run(run, convert_sse2);
}

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
#ifdef SCAN_SSE2
    way = csv_best_way(way);
    if (way >= CSV_AVX2 && csv_converters_avx2.eight)
        return csv_converters_avx2;
    if (way >= CSV_SSE2)
        return (struct csv_converters){convert_sse2, run_sse2};
#else
    (void)way;
#endif
    return (struct csv_converters){convert_plain, run_plain};
}

csv_compact *csv_compacter(enum csv_way way)
{
#ifdef SCAN_SSE2
    return csv_best_way(way) >= CSV_AVX2 ? compact_avx2 : compact_plain;
#else
    (void)way;
    return compact_plain;
#endif
}
