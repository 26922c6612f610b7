#include "space/small.h"

#include "base/memory.h"
#include "data/batch.h"
#include "vector/lanes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SMALL_NORM 2147483647.0 // x . z is at most |x| |z|, so it fits 32 bits
#define SMALL_FEATURES 8192     // a panel of so many takes half a megabyte

bool small_features_fit(size_t features)
{
    return features <= SMALL_FEATURES;
}

bool small_row_fits(const tlu_row *row, double norm)
{
    if (!(norm <= SMALL_NORM))
        return false;
    for (size_t i = 0; row->values && i < row->count; i++)
        if (row->values[i] != rintf(row->values[i]) || fabsf(row->values[i]) > INT16_MAX)
            return false;
    return true;
}

size_t small_rows_add(struct small_rows *rows, const tlu_row *row)
{
    // One more, so that the array is not empty after an empty row.
    if (!memory_reserve(&rows->pairs, &rows->capacity, rows->count + row->count + 1,
                        sizeof *rows->pairs))
        return SIZE_MAX;
    struct small_pair *first = rows->pairs + rows->count, *pair = first;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t feature = row_feature(row, i);
        if (pair == first || pair[-1].place != feature / 2)
            *pair++ = (struct small_pair){feature / 2, {0, 0}};
        pair[-1].values[feature % 2] = (int16_t)row_value(row, i);
    }
    rows->count += (size_t)(pair - first);
    return (size_t)(pair - first);
}

void small_rows_free(struct small_rows *rows)
{
    memory_free(rows->pairs);
    *rows = (struct small_rows){0};
}

bool small_panel_init(struct small_panel *panel, size_t features)
{
    *panel = (struct small_panel){.places = features / 2 + 1};
    panel->cells = memory_new(panel->places * SMALL_LANES, 2 * sizeof *panel->cells);
    return panel->cells != NULL;
}

void small_panel_free(struct small_panel *panel)
{
    memory_free(panel->cells);
    *panel = (struct small_panel){0};
}

static int16_t *cell_of(struct small_panel *panel, size_t lane, uint32_t feature)
{
    return panel->cells + ((size_t)(feature / 2) * SMALL_LANES + lane) * 2 + feature % 2;
}

void small_panel_clear(struct small_panel *panel)
{
    for (size_t lane = 0; lane < panel->count; lane++)
        for (size_t i = 0; i < panel->rows[lane]->count; i++)
            *cell_of(panel, lane, row_feature(panel->rows[lane], i)) = 0;
    panel->count = 0;
}

void small_panel_add(struct small_panel *panel, const tlu_row *row, double norm)
{
    assert(panel->count < SMALL_LANES);
    size_t lane = panel->count++;
    panel->rows[lane] = row;
    panel->norms[lane] = norm;
    for (size_t i = 0; i < row->count; i++)
        *cell_of(panel, lane, row_feature(row, i)) = (int16_t)row_value(row, i);
}

// ---- products ----

static void dots_plain(const int16_t *cells, const struct small_pair *x, size_t pairs,
                       int32_t *dots)
{
    memset(dots, 0, SMALL_LANES * sizeof *dots);
    for (size_t i = 0; i < pairs; i++) {
        const int16_t *row = cells + (size_t)x[i].place * SMALL_LANES * 2;
        for (size_t k = 0; k < SMALL_LANES; k++)
            dots[k] += row[2 * k] * x[i].values[0] + row[2 * k + 1] * x[i].values[1];
    }
}

#if defined(__x86_64__)
static int32_t both_of(const struct small_pair *pair)
{
    int32_t both;
    memcpy(&both, pair->values, sizeof both);
    return both;
}

static void dots_sse2(const int16_t *cells, const struct small_pair *x, size_t pairs, int32_t *dots)
{
    __m128i sums[SMALL_LANES / 4];
    for (size_t k = 0; k < SMALL_LANES / 4; k++)
        sums[k] = _mm_setzero_si128();
    for (size_t i = 0; i < pairs; i++) {
        const int16_t *row = cells + (size_t)x[i].place * SMALL_LANES * 2;
        __m128i both = _mm_set1_epi32(both_of(&x[i]));
#pragma GCC unroll 4
        for (size_t k = 0; k < SMALL_LANES / 4; k++) {
            __m128i four_pairs = _mm_loadu_si128((const __m128i *)(row + 8 * k));
            sums[k] = _mm_add_epi32(sums[k], _mm_madd_epi16(four_pairs, both));
        }
    }
    for (size_t k = 0; k < SMALL_LANES / 4; k++)
        _mm_storeu_si128((__m128i *)(dots + 4 * k), sums[k]);
}

LANES_AVX2 static void dots_avx2(const int16_t *cells, const struct small_pair *x, size_t pairs,
                                 int32_t *dots)
{
    __m256i sums[SMALL_LANES / 8];
    for (size_t k = 0; k < SMALL_LANES / 8; k++)
        sums[k] = _mm256_setzero_si256();
    for (size_t i = 0; i < pairs; i++) {
        const int16_t *row = cells + (size_t)x[i].place * SMALL_LANES * 2;
        __m256i both = _mm256_set1_epi32(both_of(&x[i]));
#pragma GCC unroll 4
        for (size_t k = 0; k < SMALL_LANES / 8; k++) {
            __m256i eight_pairs = _mm256_loadu_si256((const __m256i *)(row + 16 * k));
            sums[k] = _mm256_add_epi32(sums[k], _mm256_madd_epi16(eight_pairs, both));
        }
    }
    for (size_t k = 0; k < SMALL_LANES / 8; k++)
        _mm256_storeu_si256((__m256i *)(dots + 8 * k), sums[k]);
}
#endif

static void find_dots(const int16_t *cells, const struct small_pair *x, size_t pairs, int32_t *dots)
{
#if defined(__x86_64__)
    if (cpu_level() >= CPU_AVX2)
        dots_avx2(cells, x, pairs, dots);
    else if (cpu_level() >= CPU_SIMD)
        dots_sse2(cells, x, pairs, dots);
    else
#endif
        dots_plain(cells, x, pairs, dots);
}

void small_values(const struct small_panel *panel, const struct kernel *kernel,
                  const struct small_pair *x, size_t pairs, double norm, double *values)
{
    int32_t dots[SMALL_LANES];
    double products[SMALL_LANES];
    find_dots(panel->cells, x, pairs, dots);
    for (size_t i = 0; i < SMALL_LANES; i++)
        products[i] = dots[i];
    kernel_values(kernel, products, SMALL_LANES, norm, panel->norms, values);
}
