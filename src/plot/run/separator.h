// The best separator of the rows that a learner sees: what the convergence theorem is about.
#ifndef TLU_PLOT_RUN_SEPARATOR_H
#define TLU_PLOT_RUN_SEPARATOR_H

#include "plot/run/training_trace.h"
#include "tlu_proof.h"

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
