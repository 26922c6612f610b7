// A training run as it is drawn: some of its updates, evenly chosen, in one plane.
#ifndef TLU_PLOT_RUN_RUN_H
#define TLU_PLOT_RUN_RUN_H

#include "plot/chart/chart.h"
#include "plot/plane/view.h"
#include "plot/run/trace.h"
#include "tlu_plot.h"

// ---- the projection
//
// The plane in which a run is drawn: the same over all of it, in the units of the data. The learner
// may see scaled rows, and has weights for these: the scaling is undone.

struct projection {
    struct plane_view view;
    const tlu_model *model;
    bool by_class;         // a single feature: y is the number of the row's class
    char *x_name, *y_name; // of the axes; y_name is NULL if it is by class
    const char *words;     // what the reader has to know about it; "": nothing
};

// projection_free is due in any case.
tlu_status projection_make(struct projection *projection, const struct training_trace *trace,
                           const tlu_plot_run_settings *settings, tlu_error *error);
void projection_free(struct projection *projection);

// Where a row is.
struct point projection_place(const struct projection *projection,
                              const struct trace_rows *examples, size_t row);
struct point projection_place_step(const struct projection *projection,
                                   const struct training_trace *trace, const tlu_step *step,
                                   uint32_t class_index);

// The plane of weights, cut by that of the picture: w0 + w1 x + w2 y.
struct boundary {
    uint32_t of, against; // classes; against is CUT_REST but for one versus one
    double w0, w1, w2;
};
#define CUT_REST UINT32_MAX

// That of a step's column.
struct boundary projection_line(const struct projection *projection,
                                const struct training_trace *trace, const tlu_step *step,
                                size_t column);
// That which a model of two classes decides by.
struct boundary projection_model_line(const struct projection *projection);

// ---- the run

#define FEW_CLASSES 8 // of which the borders before an update are drawn too
#define MARGIN 0.15   // of the ranges, around the rows

// The weights at one time, one cut per column; none before the first update, when all are 0.
struct state {
    struct boundary *boundaries; // [count]
    size_t count;
};

// An update, and 0 before the first.
struct moment {
    uint64_t update, step, pass, mistakes; // of the run so far, this one included
    uint64_t row;                          // of the file, whose update it is
    struct point at;                       // where that row is
    uint32_t class_index;                  // and its class
    bool mistake;
    struct state before, after;
};

struct animation {
    const tlu_picture *picture;
    struct training_trace trace;
    struct trace_rows examples;
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
    bool decided;            // the model decides by another line than the last:
    struct boundary decides; // this one
    double longest;          // |(w1, w2)| of all moments
    bool leaves;             // the line is not among the rows at some moment
};

// `frames` if the settings have none, at most; and so many points.
tlu_status animation_make(struct animation *animation, const struct plot *plot,
                          const tlu_plot_run_settings *settings, uint64_t frames, size_t points,
                          tlu_error *error);
void animation_free(struct animation *animation);
// Figures, and what is said about the picture as a whole.
tlu_status animation_describe(const struct animation *animation, const struct plot *plot,
                              tlu_error *error);
const char *animation_title(const struct animation *animation, const struct plot *plot, char *out,
                            size_t size);

// What there is to say about all frames, and about one.
#define TEXT_SIZE 800
const char *animation_caption(const struct animation *animation, char out[TEXT_SIZE]);
// From 0, with the bound if there is one, to TERSEST. `called` is the class that all in the picture
// is called, or NO_CLASS.
enum { SMALL_TEXT = 3, TERSEST = 5 };
#define NO_CLASS UINT32_MAX
const char *moment_text(const struct animation *animation, const struct moment *moment,
                        uint32_t called, int terse, char out[TEXT_SIZE]);

#endif
