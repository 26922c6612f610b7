// What the plane of a picture is found by: means over all rows, and some of the rows.
#ifndef TLU_PLOT_PLANE_SAMPLE_H
#define TLU_PLOT_PLANE_SAMPLE_H

#include "base/error.h"
#include "plot/plane/row_reader.h"

#include <stddef.h>

struct sample {
    size_t features;
    bool ones;         // --binarize: every entry counts as 1
    uint64_t seen;     // rows
    uint64_t *entries; // [features] in all rows
    double *mean;      // [features]
    double *factor;    // [features] by which values are multiplied to be compared
    // Rows that are kept: those whose number, mixed up, has no bit of the mask.
    size_t rows;
    size_t *offsets; // [rows + 1]
    size_t offsets_capacity;
    uint64_t *numbers; // [rows]
    size_t numbers_capacity;
    uint32_t *indices;
    size_t indices_capacity;
    float *values;
    size_t values_capacity;
    uint64_t mask;
    // By sample_score: what the model says about the first of these rows, the mean taken off.
    double *scores; // [scored][score_count], and room for one more
    size_t scored, score_count;
};

// Reads all rows. sample_free is due in any case. Factors are those of the model's scaling; without
// a model, of data that is not sparse, 1 / deviation.
tlu_status sample_take(struct sample *sample, struct row_reader *rows, tlu_error *error);
void sample_free(struct sample *sample);

static inline tlu_row sample_row(const struct sample *sample, size_t i)
{
    size_t start = sample->offsets[i];
    return (tlu_row){sample->offsets[i + 1] - start, sample->indices + start,
                     sample->values + start};
}

// Directions in the space of features times factors; all of length 1, or 0 if there is none.

// The direction in which the rows differ most, at right angles to others[count].
tlu_status sample_direction(const struct sample *sample, const double *const *others, size_t count,
                            double *direction, tlu_error *error);
// Fills the scores.
tlu_status sample_score(struct sample *sample, const tlu_model *model, tlu_error *error);
// The direction that goes with the scores most (the covariances' largest singular vector: partial
// least squares, Wold 1975), at right angles to others[count]. With two classes the positive one is
// ahead.
tlu_status sample_score_direction(const struct sample *sample, const double *const *others,
                                  size_t count, double *direction, tlu_error *error);
// The share of the variance of the rows that is along these directions.
double sample_share(const struct sample *sample, const double *const *directions, size_t count);

// ---- directions, vectors of the space of features

double direction_dot(const double *a, const double *b, size_t count);

// Fills `to` with what a symmetric matrix without negative eigenvalues makes of `from`.
typedef void direction_matrix(const void *context, const double *from, double *to);
// Its main direction at right angles to the others, by power iteration; 0 if there is none.
tlu_status direction_find(direction_matrix *matrix, const void *context,
                          const double *const *others, size_t other_count, double *direction,
                          size_t count, tlu_error *error);

#endif
