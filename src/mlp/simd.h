// The arithmetic of layers, one copy for each instruction set. The contract that makes a net the
// same on every CPU and with any number of threads:
//
// - All numbers are floats. Every result is a sum over one index, from the first term to the last,
//   each product and each sum rounded to float (no fused multiply-add). Vectors hold results side
//   by side, never terms of one sum.
// - exp is our own, of products and sums alone; roots and quotients are exact to the last bit.
//
// So a result depends neither on how many of them are computed at once nor on which of them.
#ifndef TLU_MLP_SIMD_H
#define TLU_MLP_SIMD_H

#include <stddef.h>
#include <stdint.h>

#define LAYER_LANES 16 // rows of matrices are multiples of this long, with zeros at their ends

enum activation { ACTIVATION_RELU, ACTIVATION_TANH, ACTIVATION_SIGMOID };

// A sparse matrix: row i has the entries offsets[i] to offsets[i + 1] - 1.
struct sparse {
    const size_t *offsets;
    const uint32_t *index;
    const float *value;
};

// out[i][j] = start[j] + sum_k a[i, k] b[k][j], for rows first to last - 1 of out, with a[i, k] at
// a + i * a_row + k * a_term.
struct product {
    const float *a;
    size_t a_row, a_term, terms;
    const float *b; // [terms][wide]
    size_t wide;
    const float *start; // [wide]; NULL: 0
    float *out;         // [rows][wide]
    size_t first, last;
};

// What an optimiser does with a gradient (optimise.c).
struct optimiser_step {
    float rate;
    float l2;
    float momentum;                // 0 with Adam
    float decay1, decay2, epsilon; // Adam's
};

struct layer_routines {
    const char *name;
    // out[i] = start + sum of value b[index] over the entries of row i, for rows first to last - 1
    void (*gather)(const struct sparse *a, size_t first, size_t last, const float *b, size_t wide,
                   const float *start, float *out);
    void (*product)(const struct product *product);
    // z := f(z), and d := d f'(z), told from f(z)
    void (*activate)(enum activation activation, float *z, size_t count);
    void (*derive)(enum activation activation, const float *f, float *d, size_t count);
    void (*adam)(const struct optimiser_step *step, float *w, float *m, float *v, const float *g,
                 size_t count);
    void (*descend)(const struct optimiser_step *step, float *w, float *m, const float *g,
                    size_t count);
};

// NULL if they were not compiled in.
extern const struct layer_routines *const layer_plain, *const layer_avx2, *const layer_avx512;
// The best that may be used here.
const struct layer_routines *layer_best(void);

#endif
