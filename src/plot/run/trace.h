// The trace of a training, gone through as often as is needed: it is the same each time. So the
// memory that a picture of it takes is that of what is drawn, not of all steps.
#ifndef TLU_PLOT_RUN_TRACE_H
#define TLU_PLOT_RUN_TRACE_H

#include "plot/plot.h"
#include "plot/text.h"
#include "tlu_proof.h"

struct training_trace {
    const char *path;
    tlu_options *options; // complete: see training_trace_open
    tlu_model *model;     // what comes of it
    uint64_t steps, updates, mistakes;
    bool gave_up;    // it would have gone on, but for how long?
    size_t features; // of the model
    // From the numbers of a step's features to those of the model, SIZE_MAX: it has none.
    size_t *numbers; // [known]
    size_t known, capacity;
};

// Trains, and counts. Without --learner it is the perceptron of the notes: the last weights, and up
// to 1,000 passes until one is without a mistake; if none is, the first 10, unless all are wanted
// and are not too many. The caller frees it in any case.
tlu_status training_trace_open(struct training_trace *trace, const struct plot *plot, bool all,
                               tlu_error *error);
void training_trace_free(struct training_trace *trace);

// Goes through the steps again, until the function says that it has seen enough.
tlu_status training_trace_run(struct training_trace *trace, tlu_step_function function,
                              void *context, tlu_error *error);
// Brings numbers[] up to date with a step; false: out of memory.
bool training_trace_number(struct training_trace *trace, const tlu_step *step);

// "converged after 25 mistakes in 3 passes", or how else it ended.
const char *training_trace_ending(const struct training_trace *trace, char *out, size_t size);

// ---- all rows, as the learner sees them: after --scale

struct trace_rows {
    size_t count;
    uint64_t *offsets;  // [count + 1]
    uint32_t *features; // [entries] numbers of the model
    float *values;      // [entries]
    uint32_t *classes;  // [count]
    size_t offsets_capacity, features_capacity, values_capacity, classes_capacity;
};

// Those of the first pass, in its order.
tlu_status trace_rows_gather(struct trace_rows *examples, struct training_trace *trace,
                             tlu_error *error);
void trace_rows_free(struct trace_rows *examples);

// ---- the best separator of the rows that a learner sees, which the convergence theorem is about

// Rows are z = (x, 1), or x without a bias.
struct separator {
    tlu_verdict verdict; // the rest has a meaning if they are separable
    double radius;       // R = max |z|
    double margin;       // gamma: the least y (u . z)
    double bound;        // (R / gamma)^2
    bool best;           // no other u has a larger margin
    double *u;           // [features + 1] of length 1; the last is that of the bias
};

// Of two classes; gives up after so many seconds.
tlu_status separator_find(struct separator *separator, const struct training_trace *trace,
                          const struct trace_rows *examples, double seconds, tlu_error *error);
void separator_free(struct separator *separator);

#endif
