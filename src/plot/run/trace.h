// The trace of a training. It is repeated as often as needed, with the same result each time, so
// that memory holds only what is drawn, not all steps.
#ifndef TLU_PLOT_RUN_TRACE_H
#define TLU_PLOT_RUN_TRACE_H

#include "plot/plot.h"
#include "tlu_proof.h"

struct run_trace {
    struct plot *plot; // its options are complete after trace_open
    tlu_model *model;  // the result
    uint64_t steps, updates, mistakes;
    size_t rows, entries; // of the first pass
    bool gave_up;         // stopped early because convergence was not in sight
    size_t features;      // of the model
    // Maps features of a step to features of the model; SIZE_MAX: it has none.
    size_t *numbers; // [known]
    size_t known, capacity;
};

// Trains and counts. Without --learner: the perceptron with the last weights and up to 1,000 passes
// until it converges; if it does not, the first 10 passes, unless `all` is set and they are not too
// many. The caller frees it, also after an error.
tlu_status trace_open(struct run_trace *trace, struct plot *plot, bool all, tlu_error *error);
void trace_free(struct run_trace *trace);

// Repeats the training, until the function returns nonzero.
tlu_status trace_run(struct run_trace *trace, tlu_step_function function, void *context,
                     tlu_error *error);
// Updates numbers[] for a step; false: out of memory.
bool trace_number(struct run_trace *trace, const tlu_step *step);

// "converged after 25 mistakes in 3 passes", or how it ended otherwise.
const char *trace_ending(const struct run_trace *trace, char *out, size_t size);

// Refuses options that change the steps y x of a perceptron: the convergence theorem does not cover
// them. `kind` is the option of the picture.
tlu_status check_plain_steps(const tlu_options *options, const char *kind, bool rates,
                             tlu_error *error); // rates: --rate may be given
// Whether the k-th of all updates is drawn, if at most `most` are: the first ones, which are far
// apart on a logarithmic axis, and some of the rest, evenly chosen, including the last.
bool trace_is_drawn(uint64_t k, uint64_t all, uint64_t most);

// ---- all rows, as the learner sees them: after --scale

struct trace_rows {
    size_t count;
    size_t entries;     // without those of the bias
    uint64_t *offsets;  // [count + 1]
    uint32_t *features; // numbers of the model; the last of a row is trace->features, the bias,
                        // unless there is none
    float *values;
    uint32_t *classes; // [count]
};

// The rows of the first pass, in order.
tlu_status trace_rows_gather(struct trace_rows *rows, struct run_trace *trace, tlu_error *error);

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
                          const struct trace_rows *rows, double seconds, tlu_error *error);

#endif
