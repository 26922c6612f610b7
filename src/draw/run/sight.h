// The plane in which a run is drawn: the same over all of it, in the units of the data. The learner
// may see scaled rows, and has weights for these: the scaling is undone.
#ifndef TLU_DRAW_SIGHT_H
#define TLU_DRAW_SIGHT_H

#include "draw/plane/view.h"
#include "draw/run/course.h"

struct sight {
    struct view view;
    const tlu_model *model;
    bool by_class;         // a single feature: y is the number of the row's class
    char *x_name, *y_name; // of the axes; y_name is NULL if it is by class
    const char *words;     // what the reader has to know about it; "": nothing
};

// sight_free is due in any case.
tlu_status sight_make(struct sight *sight, const struct course *course,
                      const tlu_plot_settings *settings, tlu_error *error);
void sight_free(struct sight *sight);

// Where a row is.
struct point sight_place(const struct sight *sight, const struct lessons *lessons, size_t row);
struct point sight_place_step(const struct sight *sight, const struct course *course,
                              const tlu_step *step, uint32_t class_index);

// The plane of weights, cut by that of the picture: w0 + w1 x + w2 y.
struct cut {
    uint32_t of, against; // classes; against is CUT_REST but for one versus one
    double w0, w1, w2;
};
#define CUT_REST UINT32_MAX

// That of a step's column.
struct cut sight_cut(const struct sight *sight, const struct course *course, const tlu_step *step,
                     size_t column);
// That which a model of two classes decides by.
struct cut sight_cut_model(const struct sight *sight);

#endif
