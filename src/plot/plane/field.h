// Predictions of a model at places of a plane. Linear and kernel models are reduced to a few
// numbers per column or support, so that a prediction does not need all features.
#ifndef TLU_PLOT_PLANE_FIELD_H
#define TLU_PLOT_PLANE_FIELD_H

#include "plot/plane/plane.h"
#include "plot/plane/view.h"

struct model_field {
    const tlu_model *model;
    const struct plane_view *view;
    size_t threads;
    bool linear;
    // Linear: the score of a column is part[0] + part[1] x + part[2] y. Kernel: this is the dot
    // product with a support, and the squared norm of the place is norm[0] + norm[1] x + norm[2] y
    // + norm[3] x^2 + norm[4] x y + norm[5] y^2.
    double *part[3]; // [columns or supports]
    double norm[6];
};

// The caller calls field_free, also after an error.
tlu_status field_make(struct model_field *field, const struct row_reader *rows,
                      const struct plane_view *view, tlu_error *error);
void field_free(struct model_field *field);
// A function for struct region_field.
tlu_status field_label(void *field, const struct point *at, size_t count, uint32_t *labels,
                       tlu_error *error);
// Two classes, linear: f[0] + f[1] x + f[2] y >= 0 is the positive class. False: another kind of
// model, or a threshold that puts all rows into one class.
bool field_line(const struct model_field *field, double f[3]);
// Whether predictions are so slow that a coarse grid should come first.
bool field_is_slow(const struct model_field *field);

#endif
