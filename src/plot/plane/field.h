// What a model says at places of a plane: by few numbers, not by all features, where scores follow
// from these.
#ifndef TLU_PLOT_PLANE_FIELD_H
#define TLU_PLOT_PLANE_FIELD_H

#include "plot/plane/plane.h"
#include "plot/plane/view.h"

struct model_field {
    const tlu_model *model;
    const struct plane_view *view;
    size_t threads;
    bool linear;
    // Linear: the scores of the columns are part[0] + part[1] x + part[2] y. A kernel: the same are
    // the dot products with the supports, whose squared length is norm[0] + norm[1] x + norm[2] y +
    // norm[3] x^2 + norm[4] x y + norm[5] y^2.
    double *part[3]; // [columns or supports]
    double norm[6];
};

// field_free is due in any case.
tlu_status field_make(struct model_field *field, const struct row_reader *rows,
                      const struct plane_view *view, tlu_error *error);
void field_free(struct model_field *field);
// For struct region_field.
tlu_status field_label(void *field, const struct point *at, size_t count, uint32_t *labels,
                       tlu_error *error);
// Two classes, linear: what is not below 0 at f[0] + f[1] x + f[2] y is of the positive class.
// False: it is no such model, or its threshold makes all rows one class.
bool field_line(const struct model_field *field, double f[3]);
// Whether a label costs so much that a coarse look comes first.
bool field_is_slow(const struct model_field *field);

#endif
