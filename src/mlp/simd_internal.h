// The routines, for the instructions that the file which includes this is compiled with. LANES is
// how many floats a register holds, WIDE how many registers of results are kept at once, and
// ROUTINES the name of the table.
#include "mlp/exponential.h"
#include "mlp/simd.h"

#include <math.h>

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

#define INLINE __attribute__((always_inline)) static inline

// ---- sums of rows ----

// One row, `width` registers of it: it is a constant wherever this is inlined.
INLINE void gather_some(const struct sparse *a, size_t row, const float *b, size_t wide,
                        const float *start, float *out, size_t width)
{
    lanes sum[WIDE];
    for (size_t j = 0; j < width; j++)
        sum[j] = start ? *(const lanes *)(start + j * LANES) : (lanes){0};
    for (size_t k = a->offsets[row]; k < a->offsets[row + 1]; k++) {
        const float *from = b + a->index[k] * wide;
        float x = a->value[k];
        for (size_t j = 0; j < width; j++)
            sum[j] = sum[j] + x * *(const lanes *)(from + j * LANES);
    }
    for (size_t j = 0; j < width; j++)
        *(lanes *)(out + j * LANES) = sum[j];
}

// Some columns of all rows, and then the next columns: the part of b that is looked at stays near.
static void gather(const struct sparse *a, size_t first, size_t last, const float *b, size_t wide,
                   const float *start, float *out)
{
    size_t j = 0;
    for (; j + WIDE * LANES <= wide; j += WIDE * LANES)
        for (size_t i = first; i < last; i++)
            gather_some(a, i, b + j, wide, start ? start + j : NULL, out + i * wide + j, WIDE);
    for (; j < wide; j += LANES)
        for (size_t i = first; i < last; i++)
            gather_some(a, i, b + j, wide, start ? start + j : NULL, out + i * wide + j, 1);
}

// ---- products of matrices ----

// `rows` by `width` registers, both of them constants wherever this is inlined.
INLINE void product_block(const struct product *p, size_t i, size_t j, size_t rows, size_t width)
{
    lanes sum[4][WIDE];
    const float *a = p->a + i * p->a_row, *b = p->b + j;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++)
            sum[r][c] = p->start ? *(const lanes *)(p->start + j + c * LANES) : (lanes){0};
    for (size_t k = 0; k < p->terms; k++, b += p->wide, a += p->a_term) {
        lanes terms[WIDE];
        for (size_t c = 0; c < width; c++)
            terms[c] = *(const lanes *)(b + c * LANES);
        for (size_t r = 0; r < rows; r++) {
            float x = a[r * p->a_row];
            for (size_t c = 0; c < width; c++)
                sum[r][c] = sum[r][c] + x * terms[c];
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++)
            *(lanes *)(p->out + (i + r) * p->wide + j + c * LANES) = sum[r][c];
}

INLINE void product_columns(const struct product *p, size_t j, size_t width)
{
    size_t i = p->first;
    for (; i + 4 <= p->last; i += 4)
        product_block(p, i, j, 4, width);
    for (; i < p->last; i++)
        product_block(p, i, j, 1, width);
}

static void product(const struct product *p)
{
    size_t j = 0;
    for (; j + WIDE * LANES <= p->wide; j += WIDE * LANES)
        product_columns(p, j, WIDE);
    for (; j < p->wide; j += LANES)
        product_columns(p, j, 1);
}

// ---- one number after the other ----

static void activate(enum activation activation, float *z, size_t count)
{
    if (activation == ACTIVATION_RELU)
        for (size_t i = 0; i < count; i++)
            z[i] = z[i] < 0 ? 0 : z[i]; // a NaN stays
    else if (activation == ACTIVATION_TANH)
        for (size_t i = 0; i < count; i++)
            z[i] = 1 - 2 / (exponential(2 * z[i]) + 1) + 0 * z[i]; // as it does by the 0
    else
        for (size_t i = 0; i < count; i++)
            z[i] = 1 / (1 + exponential(0 - z[i])) + 0 * z[i];
}

static void derive(enum activation activation, const float *f, float *d, size_t count)
{
    if (activation == ACTIVATION_RELU)
        for (size_t i = 0; i < count; i++)
            d[i] = f[i] > 0 ? d[i] : 0;
    else if (activation == ACTIVATION_TANH)
        for (size_t i = 0; i < count; i++)
            d[i] = d[i] * (1 - f[i] * f[i]);
    else
        for (size_t i = 0; i < count; i++)
            d[i] = d[i] * (f[i] * (1 - f[i]));
}

static void adam(const struct optimiser_step *step, float *restrict w, float *restrict m,
                 float *restrict v, const float *restrict g, size_t count)
{
    float b1 = step->decay1, b2 = step->decay2, c1 = 1 - b1, c2 = 1 - b2;
    float rate = step->rate, l2 = step->l2, epsilon = step->epsilon;
    for (size_t i = 0; i < count; i++) {
        float slope = g[i] + l2 * w[i];
        m[i] = b1 * m[i] + c1 * slope;
        v[i] = b2 * v[i] + c2 * (slope * slope);
        w[i] = w[i] - rate * m[i] / (sqrtf(v[i]) + epsilon);
    }
}

static void descend(const struct optimiser_step *step, float *restrict w, float *restrict m,
                    const float *restrict g, size_t count)
{
    float momentum = step->momentum, rate = step->rate, l2 = step->l2;
    for (size_t i = 0; i < count; i++) {
        float slope = g[i] + l2 * w[i];
        m[i] = momentum * m[i] - rate * slope;
        w[i] = w[i] + m[i];
    }
}

static const struct layer_routines table = {NAME, gather, product, activate, derive, adam, descend};
const struct layer_routines *const ROUTINES = &table;
