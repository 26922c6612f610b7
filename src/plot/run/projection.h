// The plane in which a run is drawn: the same over all of it, in the units of the data. The learner
// may see scaled rows, and has weights for these: the scaling is undone.
#ifndef TLU_PLOT_RUN_PROJECTION_H
#define TLU_PLOT_RUN_PROJECTION_H

#include "plot/plane/view.h"
#include "plot/run/training_trace.h"
#include "tlu_plot.h"

struct projection {
    struct view view;
    const tlu_model *model;
    bool by_class;         // a single feature: y is the number of the row's class
    char *x_name, *y_name; // of the axes; y_name is NULL if it is by class
    const char *words;     // what the reader has to know about it; "": nothing
};

// projection_free is due in any case.
tlu_status projection_make(struct projection *projection, const struct training_trace *trace,
                           const tlu_plot_settings *settings, tlu_error *error);
void projection_free(struct projection *projection);

// Where a row is.
struct point projection_place(const struct projection *projection,
                              const struct trace_rows *examples, size_t row);
struct point projection_place_step(const struct projection *projection,
                                   const struct training_trace *trace, const tlu_step *step,
                                   uint32_t class_index);

// The plane of weights, cut by that of the picture: w0 + w1 x + w2 y.
struct cut {
    uint32_t of, against; // classes; against is CUT_REST but for one versus one
    double w0, w1, w2;
};
#define CUT_REST UINT32_MAX

// That of a step's column.
struct cut projection_line(const struct projection *projection, const struct training_trace *trace,
                           const tlu_step *step, size_t column);
// That which a model of two classes decides by.
struct cut projection_model_line(const struct projection *projection);

#endif
