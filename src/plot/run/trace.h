// The trace of a training. It is repeated as often as needed, with the same result each time, so
// that memory holds only what is drawn, not all steps.
#ifndef TLU_PLOT_RUN_TRACE_H
#define TLU_PLOT_RUN_TRACE_H

#include "plot/plot.h"
#include "plot/text.h"
#include "tlu_proof.h"

struct run_trace {
    const char *path;
    tlu_options *options; // complete: see trace_open
    tlu_model *model;     // the result
    uint64_t steps, updates, mistakes;
    bool gave_up;    // stopped early because convergence was not in sight
    size_t features; // of the model
    // Maps features of a step to features of the model; SIZE_MAX: it has none.
    size_t *numbers; // [known]
    size_t known, capacity;
};

// Trains and counts. Without --learner: the perceptron with the last weights and up to 1,000 passes
// until it converges; if it does not, the first 10 passes, unless `all` is set and they are not too
// many. The caller frees it, also after an error.
tlu_status trace_open(struct run_trace *trace, const struct plot *plot, bool all, tlu_error *error);
void trace_free(struct run_trace *trace);

// Repeats the training, until the function returns nonzero.
tlu_status trace_run(struct run_trace *trace, tlu_step_function function, void *context,
                     tlu_error *error);
// Updates numbers[] for a step; false: out of memory.
bool trace_number(struct run_trace *trace, const tlu_step *step);

// "converged after 25 mistakes in 3 passes", or how it ended otherwise.
const char *trace_ending(const struct run_trace *trace, char *out, size_t size);

// ---- all rows, as the learner sees them: after --scale

struct trace_rows {
    size_t count;
    uint64_t *offsets;  // [count + 1]
    uint32_t *features; // [entries] numbers of the model
    float *values;      // [entries]
    uint32_t *classes;  // [count]
    size_t offsets_capacity, features_capacity, values_capacity, classes_capacity;
};

// The rows of the first pass, in order.
tlu_status trace_rows_gather(struct trace_rows *examples, struct run_trace *trace,
                             tlu_error *error);
void trace_rows_free(struct trace_rows *examples);

// ---- the best separator of the rows that a learner sees, which the convergence theorem is about

// Rows are z = (x, 1), or x without a bias.
struct separator {
    tlu_verdict verdict; // the other fields are valid if it is TLU_SEPARABLE
    double radius;       // R = max |z|
    double margin;       // gamma: the least y (u . z)
    double bound;        // (R / gamma)^2
    bool best;           // no other u has a larger margin
    double *u;           // [features + 1] of length 1; the last is that of the bias
};

// For two classes; gives up after this many seconds.
tlu_status separator_find(struct separator *separator, const struct run_trace *trace,
                          const struct trace_rows *examples, double seconds, tlu_error *error);
void separator_free(struct separator *separator);

#endif
