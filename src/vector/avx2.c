// Routines for CPUs with AVX2: four doubles at a time, in the order that the contract sets.
// Compiled with -mavx2; elsewhere the table below is NULL.
//
// Measured on a Xeon of 2023 with gcc -O2 by bench/layout.c, rows of about 72 entries that stream
// from memory, 47,236 weights, in ns per entry; reference, SSE2, here:
//   dot                             0.96, 0.77, 0.70
//   dot if all values are 1         0.83, 0.65, 0.58
//   dot, and add_pair on 10%        1.12, 0.94, 0.85
//   the same with add twice         1.18, 0.99, 0.91
//   scores of 10 classes            9.5, 5.1, 4.7
// The masked end and prefetching save 10% of dot. The gather instruction would save another 10%,
// but the microcode fix for data sampling makes it several times slower on other CPUs. Prefetching
// past the second cache (prefetchnta), to leave it to the weights, is slower: 1.5 instead of 1.03
// with 15% of updates, 1.8 instead of 1.5 with four times as many weights. Updating sparse rows in
// pairs (simd.h) halves the instructions and saves 2%.
#include "vector/simd.h"

#if defined(__AVX2__)
#include <immintrin.h>

// Four weights, loaded one by one if there are indices.
static inline __m256d weights_of(const double *w, const uint32_t *indices, size_t i)
{
    if (!indices)
        return _mm256_loadu_pd(w + i);
    __m128d low = _mm_loadh_pd(_mm_load_sd(w + indices[i]), w + indices[i + 1]);
    __m128d high = _mm_loadh_pd(_mm_load_sd(w + indices[i + 2]), w + indices[i + 3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

static inline __m256d four_values_of(const float *values, size_t i)
{
    return values ? _mm256_cvtps_pd(_mm_loadu_ps(values + i)) : _mm256_set1_pd(1);
}

// Adds the last `left` entries, 1 to 7, as eight: the missing ones are products of 0 and do not
// change their sums, because no sum is ever -0.
static inline void add_last(const double *w, const uint32_t *indices, const float *values,
                            size_t left, __m256d *a, __m256d *b)
{
    __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)left), lanes);
    __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(there));
    __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(there, 1));
    __m256d first, second;
    if (indices) { // a missing entry has index 0
        uint32_t at[8];
        __m256i known = _mm256_maskload_epi32((const int *)indices, there);
        _mm256_storeu_si256((__m256i *)at, known);
        first = _mm256_and_pd(weights_of(w, at, 0), _mm256_castsi256_pd(low));
        second = _mm256_and_pd(weights_of(w, at, 4), _mm256_castsi256_pd(high));
    } else {
        first = _mm256_maskload_pd(w, low);
        second = _mm256_maskload_pd(w + 4, high);
    }
    if (values) {
        __m256 x = _mm256_maskload_ps(values, there);
        first = _mm256_mul_pd(first, _mm256_cvtps_pd(_mm256_castps256_ps128(x)));
        second = _mm256_mul_pd(second, _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)));
    }
    *a = _mm256_add_pd(*a, first);
    *b = _mm256_add_pd(*b, second);
}

// Entries i to i + 7.
SPECIALISED void add_eight(const double *w, const uint32_t *indices, const float *values, size_t i,
                           __m256d *a, __m256d *b)
{
    *a = _mm256_add_pd(*a, _mm256_mul_pd(weights_of(w, indices, i), four_values_of(values, i)));
    *b = _mm256_add_pd(*b,
                       _mm256_mul_pd(weights_of(w, indices, i + 4), four_values_of(values, i + 4)));
}

SPECIALISED double sum_products(const double *w, const uint32_t *indices, const float *values,
                                size_t count)
{
    __m256d a = _mm256_setzero_pd(); // sums 0 to 3
    __m256d b = _mm256_setzero_pd(); // sums 4 to 7
    size_t i = 0;
    for (size_t whole = count & ~(size_t)15; i < whole; i += 16) { // a cache line of each array
        fetch_ahead(indices ? indices + i : NULL);
        fetch_ahead(values ? values + i : NULL);
        add_eight(w, indices, values, i, &a, &b);
        add_eight(w, indices, values, i + 8, &a, &b);
    }
    if (count & 8) {
        add_eight(w, indices, values, i, &a, &b);
        i += 8;
    }
    if (i < count)
        add_last(indices ? w : w + i, indices ? indices + i : NULL, values ? values + i : NULL,
                 count - i, &a, &b);
    __m256d four = _mm256_add_pd(a, b);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

double avx2_dot(const double *w, const uint32_t *indices, const float *values, size_t count)
{
    if (!indices)
        return values ? sum_products(w, NULL, values, count) : sum_products(w, NULL, NULL, count);
    return values ? sum_products(w, indices, values, count) : sum_products(w, indices, NULL, count);
}

void avx2_add(double *w, const uint32_t *indices, const float *values, size_t count, double amount)
{
    if (indices || !values) {
        reference_add(w, indices, values, count, amount);
        return;
    }
    __m256d factor = _mm256_set1_pd(amount);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256d low = _mm256_mul_pd(factor, _mm256_cvtps_pd(_mm_loadu_ps(values + i)));
        __m256d high = _mm256_mul_pd(factor, _mm256_cvtps_pd(_mm_loadu_ps(values + i + 4)));
        _mm256_storeu_pd(w + i, _mm256_add_pd(_mm256_loadu_pd(w + i), low));
        _mm256_storeu_pd(w + i + 4, _mm256_add_pd(_mm256_loadu_pd(w + i + 4), high));
    }
    for (; i < count; i++)
        w[i] += amount * (double)values[i];
}

// Classes side by side, four per register; their sums stay in 1 to 8 registers over the whole row.
// The last register holds the last four classes. It may overlap the one before: both compute the
// same sums.
struct score_block {
    const double *w;
    size_t columns, width;
    const double *bias; // NULL: add to the sums that are there
    double *sums;
};

// Offsets of each register's weights within an entry's weights. Up to three are separate variables,
// so that the address is part of the instruction.
SPECIALISED void score_places(const struct score_block *block, size_t registers, size_t last_at,
                              const double **from)
{
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++) {
        from[k] = block->w + (k + 1 < registers ? 4 * k : last_at);
        if (registers <= 3)
            __asm__("" : "+r"(from[k]));
    }
}

// With fewer than four classes, the mask selects those that exist.
SPECIALISED __m256d score_part(const double *at, bool few, __m256i mask)
{
    return few ? _mm256_maskload_pd(at, mask) : _mm256_loadu_pd(at);
}

SPECIALISED void score_entry(const double *const *from, size_t at, __m256d value, __m256d *s,
                             size_t registers, bool few, __m256i mask)
{
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        s[k] = _mm256_add_pd(s[k], _mm256_mul_pd(value, score_part(from[k] + at, few, mask)));
}

// The initial sums.
SPECIALISED void score_load(const double *from, size_t last_at, __m256d *s, size_t registers,
                            bool few, __m256i mask)
{
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        s[k] = score_part(from + (k + 1 < registers ? 4 * k : last_at), few, mask);
}

SPECIALISED void score_add(const double *from, size_t last_at, __m256d *s, size_t registers,
                           bool few, __m256i mask)
{
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        s[k] = _mm256_add_pd(s[k],
                             score_part(from + (k + 1 < registers ? 4 * k : last_at), few, mask));
}

SPECIALISED void score_give(double *sums, size_t last_at, const __m256d *s, size_t registers,
                            bool few, __m256i mask)
{
    if (few) {
        _mm256_maskstore_pd(sums, mask, s[0]);
        return;
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        _mm256_storeu_pd(sums + (k + 1 < registers ? 4 * k : last_at), s[k]);
}

SPECIALISED void score_rows(const struct score_block *block, const uint32_t *indices,
                            const float *values, size_t count, size_t registers, bool few)
{
    size_t columns = block->columns, last_at = few ? 0 : block->width - 4, i = 0;
    __m256i lanes = _mm256_set_epi64x(3, 2, 1, 0);
    __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)block->width), lanes);
    __m256d s[8], one = _mm256_set1_pd(1);
    const double *from[8];
    score_places(block, registers, last_at, from);
#pragma GCC unroll 8
    for (size_t k = 0; k < registers; k++)
        s[k] = _mm256_setzero_pd();
    if (!block->bias)
        score_load(block->sums, last_at, s, registers, few, mask);
    for (size_t whole = count & ~(size_t)3; i < whole; i += 4) {
        __m256d x = four_values_of(values, i);
        size_t at[4];
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++)
            at[k] = index_at(indices, i + k) * columns;
        score_entry(from, at[0], values ? _mm256_permute4x64_pd(x, 0x00) : one, s, registers, few,
                    mask);
        score_entry(from, at[1], values ? _mm256_permute4x64_pd(x, 0x55) : one, s, registers, few,
                    mask);
        score_entry(from, at[2], values ? _mm256_permute4x64_pd(x, 0xAA) : one, s, registers, few,
                    mask);
        score_entry(from, at[3], values ? _mm256_permute4x64_pd(x, 0xFF) : one, s, registers, few,
                    mask);
    }
    for (; i < count; i++)
        score_entry(from, index_at(indices, i) * columns, _mm256_set1_pd(value_at(values, i)), s,
                    registers, few, mask);
    if (block->bias)
        score_add(block->bias, last_at, s, registers, few, mask);
    score_give(block->sums, last_at, s, registers, few, mask);
}

// One function per number of registers, so that the sums stay in them, and per form of rows: with
// both arrays, without values, without indices. The first is for one to three classes.
typedef void score_function(const struct score_block *block, const uint32_t *indices,
                            const float *values, size_t count);

#define SCORES_OF(name, registers, few)                                                            \
    static void score_both_##name(const struct score_block *block, const uint32_t *indices,        \
                                  const float *values, size_t count)                               \
    {                                                                                              \
        if (!indices || !values) /* gcc should know */                                             \
            __builtin_unreachable();                                                               \
        score_rows(block, indices, values, count, registers, few);                                 \
    }                                                                                              \
    static void score_ones_##name(const struct score_block *block, const uint32_t *indices,        \
                                  const float *values, size_t count)                               \
    {                                                                                              \
        (void)values;                                                                              \
        if (!indices)                                                                              \
            __builtin_unreachable();                                                               \
        score_rows(block, indices, NULL, count, registers, few);                                   \
    }                                                                                              \
    static void score_dense_##name(const struct score_block *block, const uint32_t *indices,       \
                                   const float *values, size_t count)                              \
    {                                                                                              \
        (void)indices;                                                                             \
        score_rows(block, NULL, values, count, registers, few);                                    \
    }
SCORES_OF(few, 1, true)
SCORES_OF(1, 1, false)
SCORES_OF(2, 2, false)
SCORES_OF(3, 3, false)
SCORES_OF(4, 4, false)
SCORES_OF(5, 5, false)
SCORES_OF(6, 6, false)
SCORES_OF(7, 7, false)
SCORES_OF(8, 8, false)

#define SCORE_FORM(form)                                                                           \
    {                                                                                              \
        score_##form##_few, score_##form##_1, score_##form##_2, score_##form##_3,                  \
            score_##form##_4, score_##form##_5, score_##form##_6, score_##form##_7,                \
            score_##form##_8                                                                       \
    }
static score_function *const score_functions[3][9] = {SCORE_FORM(both), SCORE_FORM(ones),
                                                      SCORE_FORM(dense)};

enum { SCORES_MAX = 32 }; // classes at once

static void score_few(const struct score_block *block, const uint32_t *indices, const float *values,
                      size_t count)
{
    score_function *const *functions = score_functions[!indices ? 2 : !values];
    functions[block->width < 4 ? 0 : (block->width + 3) / 4](block, indices, values, count);
}

__attribute__((noinline)) static void score_many(struct score_block block, const uint32_t *indices,
                                                 const float *values, size_t count)
{
    for (size_t left = block.columns; left; left -= block.width) {
        block.width = left <= SCORES_MAX      ? left
                      : left < SCORES_MAX + 4 ? SCORES_MAX - 4 // no end of 1 to 3
                                              : SCORES_MAX;
        score_few(&block, indices, values, count);
        block.w += block.width;
        block.bias += block.bias ? block.width : 0;
        block.sums += block.width;
    }
}

void avx2_totals(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, const double *bias, double *sums)
{
    struct score_block block = {w, columns, columns, bias, sums};
    if (columns <= SCORES_MAX)
        score_few(&block, indices, values, count);
    else
        score_many(block, indices, values, count);
}

void avx2_scores(const double *w, size_t columns, const uint32_t *indices, const float *values,
                 size_t count, double *sums)
{
    avx2_totals(w, columns, indices, values, count, NULL, sums);
}

void avx2_add_pair(double *w, double *u, size_t columns, size_t column, const uint32_t *indices,
                   const float *values, size_t count, double amount, double u_amount)
{
    add_pair_by_twos(w + column, u + column, columns, indices, values, count, amount, u_amount);
}

// rate g / root, or 0 for states of 0, whose root is given as 1.
static inline __m256d adagrad_change(const struct vector_adagrad *step, __m256d g, __m256d root,
                                     __m256d some)
{
    return _mm256_and_pd(_mm256_div_pd(_mm256_mul_pd(_mm256_set1_pd(step->rate), g), root), some);
}

// The classes of a feature mostly share one state: then its root is computed once.
struct adagrad_root {
    __m256d state, root, some; // some: the state is above 0
};

static inline struct adagrad_root root_of(__m256d state)
{
    const __m256d some = _mm256_cmp_pd(state, _mm256_setzero_pd(), _CMP_GT_OQ);
    return (struct adagrad_root){
        state, _mm256_sqrt_pd(_mm256_blendv_pd(_mm256_set1_pd(1), state, some)), some};
}

// Four columns from cell `at` on. Plain stores: masked ones take ten times as long on some CPUs.
static inline void adagrad_four(const struct vector_adagrad *step, size_t at, size_t c,
                                double value, __m256d growth, struct adagrad_root *known)
{
    const __m256d s = _mm256_add_pd(_mm256_loadu_pd(step->state + at), growth);
    if (_mm256_movemask_pd(_mm256_cmp_pd(s, known->state, _CMP_EQ_OQ)) != 15)
        *known = root_of(s);
    const __m256d g = _mm256_mul_pd(_mm256_loadu_pd(step->gradients + c), _mm256_set1_pd(value));
    const __m256d change = adagrad_change(step, g, known->root, known->some);
    _mm256_storeu_pd(step->state + at, s);
    _mm256_storeu_pd(step->w + at, _mm256_add_pd(_mm256_loadu_pd(step->w + at), change));
    if (step->u)
        _mm256_storeu_pd(step->u + at,
                         _mm256_add_pd(_mm256_loadu_pd(step->u + at),
                                       _mm256_mul_pd(_mm256_set1_pd(step->steps), change)));
}

// Prefetches the cells of a row of w, u and state. The rows of sparse data are scattered.
static inline void fetch_cells(const struct vector_adagrad *step, size_t row)
{
    for (size_t c = 0; c < step->classes; c += 8) { // a cache line
        __builtin_prefetch(step->state + row + c, 1);
        __builtin_prefetch(step->w + row + c, 1);
        if (step->u)
            __builtin_prefetch(step->u + row + c, 1);
    }
}

#define ADAGRAD_AHEAD 6 // entries

void avx2_adagrad(const struct vector_adagrad *step, const uint32_t *indices, const float *values,
                  size_t count)
{
    const size_t whole = step->classes & ~(size_t)3;
    struct vector_adagrad rest = *step; // the last columns, fewer than four
    rest.classes -= whole;
    rest.gradients += whole;
    rest.w += whole;
    rest.u = step->u ? step->u + whole : NULL;
    rest.state += whole;
    for (size_t i = 0; i < count; i++) {
        if (indices && i + ADAGRAD_AHEAD < count)
            fetch_cells(step, indices[i + ADAGRAD_AHEAD] * step->columns);
        const size_t row = index_at(indices, i) * step->columns;
        const double value = value_at(values, i), growth = step->square * (value * value);
        struct adagrad_root known = root_of(_mm256_set1_pd(step->state[row] + growth));
        for (size_t c = 0; c < whole; c += 4)
            adagrad_four(step, row + c, c, value, _mm256_set1_pd(growth), &known);
    }
    if (rest.classes)
        reference_adagrad(&rest, indices, values, count);
}

// Entries i to i + left - 1. Inlined, so that `left` is a constant.
SPECIALISED void adagrad_entries(const struct vector_adagrad *step, size_t column,
                                 const uint32_t *indices, const float *values, size_t i,
                                 size_t left)
{
    size_t at[4];
    double s[4], change[4];
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) // a missing entry is the first one again
        at[k] = index_at(indices, k < left ? i + k : i) * step->columns + column;
    const __m256d state = _mm256_set_pd(step->state[at[3]], step->state[at[2]], step->state[at[1]],
                                        step->state[at[0]]);
    const __m256d x =
        left == 4 ? four_values_of(values, i)
                  : _mm256_set_pd(0, left > 2 ? value_at(values, i + 2) : 0,
                                  left > 1 ? value_at(values, i + 1) : 0, value_at(values, i));
    const __m256d slope = _mm256_mul_pd(_mm256_set1_pd(step->gradients[0]), x);
    const struct adagrad_root root = root_of(_mm256_add_pd(state, _mm256_mul_pd(slope, slope)));
    _mm256_storeu_pd(s, root.state);
    _mm256_storeu_pd(change, adagrad_change(step, slope, root.root, root.some));
#pragma GCC unroll 4
    for (size_t k = 0; k < left; k++) {
        step->state[at[k]] = s[k];
        step->w[at[k]] += change[k];
        if (step->u)
            step->u[at[k]] += step->steps * change[k];
    }
}

void avx2_adagrad_column(const struct vector_adagrad *step, size_t column, const uint32_t *indices,
                         const float *values, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        adagrad_entries(step, column, indices, values, i, 4);
    if (count - i == 1)
        adagrad_entries(step, column, indices, values, i, 1);
    else if (count - i == 2)
        adagrad_entries(step, column, indices, values, i, 2);
    else if (count - i == 3)
        adagrad_entries(step, column, indices, values, i, 3);
}

void avx2_dot_rows(const double *rows, size_t width, const double *b, size_t count,
                   double *products)
{
    __m256d sums[VECTOR_ROWS];
    size_t k = 0;
    for (size_t r = 0; r < VECTOR_ROWS; r++)
        sums[r] = _mm256_setzero_pd();
    for (; k + 4 <= count; k += 4) {
        __m256d four = _mm256_loadu_pd(b + k);
        for (size_t r = 0; r < VECTOR_ROWS; r++)
            sums[r] =
                _mm256_add_pd(sums[r], _mm256_mul_pd(_mm256_loadu_pd(rows + r * width + k), four));
    }
    for (size_t r = 0; r < VECTOR_ROWS; r++) {
        __m128d two =
            _mm_add_pd(_mm256_castpd256_pd128(sums[r]), _mm256_extractf128_pd(sums[r], 1));
        products[r] = _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
        for (size_t rest = k; rest < count; rest++)
            products[r] += rows[r * width + rest] * b[rest];
    }
}

static const struct vector_routines routines = {.name = "avx2",
                                                .dot = avx2_dot,
                                                .add = avx2_add,
                                                .scores = avx2_scores,
                                                .totals = avx2_totals,
                                                .add_column = reference_add_column,
                                                .add_pair = avx2_add_pair,
                                                .adagrad = avx2_adagrad,
                                                .adagrad_column = avx2_adagrad_column,
                                                .dot_rows = avx2_dot_rows};
const struct vector_routines *const vector_avx2 = &routines;
#else
const struct vector_routines *const vector_avx2 = NULL;
#endif
