// Means over all rows and a sample of the rows, which determine the plane of a picture.
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
    double *factor;    // [features] scale factors that make values comparable
    // The sampled rows: those whose hashed number has no bit of the mask.
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
    // By sample_score: centred scores of the first of these rows.
    double *scores; // [scored + 1][score_count]; the last row is scratch
    size_t scored, score_count;
};

// Reads all rows. The caller calls sample_free, also after an error. Factors are those of the
// model's scaling; without a model, for dense data, 1 / deviation.
tlu_status sample_take(struct sample *sample, struct row_reader *rows, tlu_error *error);
void sample_free(struct sample *sample);

static inline tlu_row sample_row(const struct sample *sample, size_t i)
{
    size_t start = sample->offsets[i];
    return (tlu_row){sample->offsets[i + 1] - start, sample->indices + start,
                     sample->values + start};
}

// Directions in the space of features times factors: unit vectors, or 0 if there is none.

// The direction of the largest variance, orthogonal to others[count].
tlu_status sample_direction(const struct sample *sample, const double *const *others, size_t count,
                            double *direction, tlu_error *error);
// Fills the scores.
tlu_status sample_score(struct sample *sample, const tlu_model *model, tlu_error *error);
// The direction of the largest covariance with the scores (partial least squares, Wold 1975),
// orthogonal to others[count]. With two classes it points to the positive class.
tlu_status sample_score_direction(const struct sample *sample, const double *const *others,
                                  size_t count, double *direction, tlu_error *error);
// The share of the variance along these directions.
double sample_share(const struct sample *sample, const double *const *directions, size_t count);

// ---- directions, vectors of the space of features

double direction_dot(const double *a, const double *b, size_t count);

// Multiplies `from` by a positive semidefinite matrix.
typedef void direction_matrix(const void *context, const double *from, double *to);
// Its main eigenvector orthogonal to the others, by power iteration; 0 if there is none.
tlu_status direction_find(direction_matrix *matrix, const void *context,
                          const double *const *others, size_t other_count, double *direction,
                          size_t count, tlu_error *error);

#endif
