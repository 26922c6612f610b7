// A training run as it is drawn: some of its updates, evenly chosen, in one plane.
#ifndef TLU_PLOT_RUN_RUN_H
#define TLU_PLOT_RUN_RUN_H

#include "plot/plane/view.h"
#include "plot/run/sequence.h"
#include "plot/run/trace.h"

// ---- the projection
//
// The plane in which a run is drawn: the same for all frames, in the units of the data. If the
// learner trains on scaled rows, the scaling is undone.

struct projection {
    struct plane_view view;
    const tlu_model *model;
    bool by_class;               // a single feature: y is the class of the row
    const char *x_name, *y_name; // of the axes; y_name is NULL if it is by class
    const char *words;           // a note for the caption, or ""
};

tlu_status projection_make(struct projection *projection, const struct run_trace *trace,
                           tlu_error *error);

// The place of a row.
struct point projection_place(const struct projection *projection, const struct trace_rows *rows,
                              size_t row);
struct point projection_place_step(const struct projection *projection,
                                   const struct run_trace *trace, const tlu_step *step,
                                   uint32_t class_index);

// The hyperplane of a column in the plane of the picture: f = 0.
struct boundary {
    uint32_t of; // class
    struct linear f;
};

// The boundary of a column at a step.
struct boundary projection_line(const struct projection *projection, const struct run_trace *trace,
                                const tlu_step *step, size_t column);
// The boundary of a model of two classes.
struct boundary projection_model_line(const struct projection *projection);

// ---- the run

#define FEW_CLASSES 8 // with more, the borders before an update are not drawn
#define MARGIN 0.15   // of the ranges, around the rows

// The weights at one time, one boundary per column; none before the first update, when all are 0.
struct state {
    struct boundary *boundaries; // [count]
    size_t count;
};

// An update; 0: before the first.
struct moment {
    uint64_t update, step, pass, mistakes; // so far, including this one
    uint64_t row;                          // in the file
    struct point at;                       // of that row
    uint32_t class_index;                  // of that row
    struct state before, after;
};

struct animation {
    struct plot *plot;
    struct run_trace trace;
    struct trace_rows rows;
    struct projection projection;
    struct separator separator; // bound is 0 if it is not known
    struct moment *moments;     // [count]
    size_t count;
    struct point *points; // [shown] of rows, ordered by their classes
    size_t *ends;         // [classes] where the points of a class end
    size_t classes, shown;
    struct point low, high;      // of all rows
    const char **names;          // [classes]
    struct legend_entry *legend; // [legend_count]
    size_t legend_count;
    bool decided;            // the model has another line than the last one:
    struct boundary decides; // this one
    double longest;          // |(w1, w2)| of all moments
    bool leaves;             // at some moment the line is outside the picture
};

// At most `frames` moments, unless the settings say otherwise, and at most `points` points. Sets
// the title, the caption and the figures. The caller calls
// trace_free, also after an error.
tlu_status animation_make(struct animation *run, struct plot *plot, uint64_t frames, size_t points,
                          tlu_error *error);

// The part of the caption that all frames have, and the text of one.
const char *animation_caption(const struct animation *run, char out[TEXT_SIZE]);
// `terse` is 0, with the bound if there is one, to TERSEST. `called` is the class that is predicted
// everywhere in the picture, or NO_CLASS.
#define NO_CLASS UINT32_MAX
const char *moment_text(const struct animation *run, const struct moment *moment, uint32_t called,
                        int terse, char out[TEXT_SIZE]);

#endif
