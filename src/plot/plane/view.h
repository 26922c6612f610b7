// The plane of a picture in the space of features: maps rows to places and places to rows.
#ifndef TLU_PLOT_PLANE_VIEW_H
#define TLU_PLOT_PLANE_VIEW_H

#include "plot/picture.h"
#include "plot/plane/sample.h"

enum view_kind {
    VIEW_FEATURE,  // one feature, with random y
    VIEW_FEATURES, // the only two features
    VIEW_SLICE,    // two features, the others at their means
    VIEW_ACROSS,   // distance to the hyperplane, main direction within it
    VIEW_WEIGHTS,  // main directions of the differences between weights of classes
    VIEW_SCORES,   // direction of the scores, and an orthogonal one
    VIEW_MAIN      // main directions of the rows
};

struct plane_view {
    enum view_kind kind;
    size_t features;
    bool ones; // see struct sample
    // A row is at offset + to . row; the row at (x, y) is base + x along[0] + y along[1], in the
    // units of the data.
    double *to[2]; // [features]
    double offset[2];
    double *base;       // [features]
    double *along[2];   // [features]
    uint32_t shown[2];  // the features of VIEW_FEATURE (the first), VIEW_FEATURES and VIEW_SLICE
    bool scaled;        // distances are those of scaled values
    bool exact;         // the prediction of a row is that at its place
    uint64_t rows;      // of the data
    struct point loose; // points are moved by up to this much, to reduce overlaps
    double share;       // of the variance along the plane
    double length;      // VIEW_ACROSS: |w|; score / |w| is a distance
};

// x and y: names of features, or NULL. The caller calls view_free, also after an error.
tlu_status view_make(struct plane_view *view, struct row_reader *rows, const char *x, const char *y,
                     tlu_error *error);
void view_free(struct plane_view *view);

// The place of a row. `number` is that of the row in the data.
struct point view_place(const struct plane_view *view, const tlu_row *row, uint64_t number);
// The displacement of its point.
struct point view_loosen(const struct plane_view *view, uint64_t number);

// Whether scores are a linear function of the values as they are.
bool view_model_is_linear(const tlu_model *model);

#endif
