// The plane that a picture shows, in the space of a data set's features: where a row is in it, and
// which row is at a place of it.
#ifndef TLU_PLOT_PLANE_VIEW_H
#define TLU_PLOT_PLANE_VIEW_H

#include "plot/picture.h"
#include "plot/plane/sample.h"

enum view_kind {
    VIEW_FEATURE,  // one feature, spread by chance
    VIEW_FEATURES, // two features are all there are
    VIEW_SLICE,    // two of more features, the others at their means
    VIEW_ACROSS,   // the distance to the hyperplane, the main direction within it
    VIEW_WEIGHTS,  // the main directions of the differences between classes' weights
    VIEW_SCORES,   // the direction that goes with the scores most, and one at right angles to it
    VIEW_MAIN      // the main directions of the rows
};

struct plane_view {
    enum view_kind kind;
    size_t features;
    bool ones; // see struct sample
    // A row is at offset + to . row, and at (x, y) is the row base + x along[0] + y along[1], in
    // the units of the data.
    double *to[2]; // [features]
    double offset[2];
    double *base;       // [features]
    double *along[2];   // [features]
    uint32_t shown[2];  // the features of VIEW_FEATURE (the first), VIEW_FEATURES and VIEW_SLICE
    bool scaled;        // distances are those of values that were scaled
    bool exact;         // what the model says about a row is what it says at its place
    uint64_t rows;      // of the data
    struct point loose; // points are moved by up to this much, so that they do not cover each other
    double share;       // of the variance that is along the plane
    double length;      // VIEW_ACROSS: |w|, by which scores are divided to be distances
};

// x and y: names of features, or NULL. view_free is due in any case.
tlu_status view_make(struct plane_view *view, struct row_reader *rows, const char *x, const char *y,
                     tlu_error *error);
void view_free(struct plane_view *view);

// Where a row is. `number` is that of the row in the data.
struct point view_place(const struct plane_view *view, const tlu_row *row, uint64_t number);
// How its point is moved.
struct point view_loosen(const struct plane_view *view, uint64_t number);

// Whether scores are a linear function of the values as they are.
bool view_model_is_linear(const tlu_model *model);

#endif
