// Routines for CPUs with AVX-512: eight classes side by side, from 21 classes on. Compiled with
// -mavx512f and relatives; elsewhere the table below is NULL.
//
// With 32 classes and 47,236 features an entry takes 14.7 ns, against 17.0 ns with AVX2; with 20
// classes (news20) AVX2 is faster: 13.4 against 14.6 ms per pass. A dot product would gain 2% from
// wider sums, so it is AVX2's, like everything else here.
#include "vector/simd.h"

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>

// Up to 32 classes side by side, their sums kept in 1 to 4 registers over the whole row. `mask`
// tells which classes of the last register there are.
static inline void score_block(const double *w, size_t columns, const uint32_t *indices,
                               const float *values, size_t count, double *sums, size_t registers,
                               __mmask8 mask)
{
    __m512d s[4];
    size_t last = registers - 1;
#pragma GCC unroll 3
    for (size_t k = 0; k < last; k++)
        s[k] = _mm512_loadu_pd(sums + 8 * k);
    s[last] = _mm512_maskz_loadu_pd(mask, sums + 8 * last);
    for (size_t i = 0; i < count; i++) {
        const double *row = w + index_at(indices, i) * columns;
        __m512d value = _mm512_set1_pd(value_at(values, i));
#pragma GCC unroll 3
        for (size_t k = 0; k < last; k++)
            s[k] = _mm512_add_pd(s[k], _mm512_mul_pd(_mm512_loadu_pd(row + 8 * k), value));
        __m512d weights = _mm512_maskz_loadu_pd(mask, row + 8 * last);
        s[last] = _mm512_add_pd(s[last], _mm512_mul_pd(weights, value));
    }
#pragma GCC unroll 3
    for (size_t k = 0; k < last; k++)
        _mm512_storeu_pd(sums + 8 * k, s[k]);
    _mm512_mask_storeu_pd(sums + 8 * last, mask, s[last]);
}

static void scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, double *sums)
{
    if (columns <= 20) {
        avx2_scores(w, columns, indices, values, count, sums);
        return;
    }
    for (size_t first = 0; first < columns; first += 32) {
        size_t width = columns - first < 32 ? columns - first : 32;
        size_t registers = (width + 7) / 8;
        __mmask8 mask = (__mmask8)(0xFFu >> (8 * registers - width));
        switch (registers) { // constants, so that the sums stay in registers
        case 1:
            score_block(w + first, columns, indices, values, count, sums + first, 1, mask);
            break;
        case 2:
            score_block(w + first, columns, indices, values, count, sums + first, 2, mask);
            break;
        case 3:
            score_block(w + first, columns, indices, values, count, sums + first, 3, mask);
            break;
        default:
            score_block(w + first, columns, indices, values, count, sums + first, 4, mask);
            break;
        }
    }
}

static void totals(const double *w, size_t columns, const uint32_t *indices, const float *values,
                   size_t count, const double *bias, double *sums)
{
    if (columns <= 20)
        avx2_totals(w, columns, indices, values, count, bias, sums);
    else
        totals_by(scores, w, columns, indices, values, count, bias, sums);
}

static const struct vector_routines routines = {.name = "avx512",
                                                .dot = avx2_dot,
                                                .add = avx2_add,
                                                .scores = scores,
                                                .totals = totals,
                                                .add_column = reference_add_column,
                                                .add_pair = avx2_add_pair,
                                                .adagrad = avx2_adagrad,
                                                .adagrad_column = avx2_adagrad_column,
                                                .dot_rows = avx2_dot_rows};
const struct vector_routines *const vector_avx512 = &routines;
#else
const struct vector_routines *const vector_avx512 = NULL;
#endif
