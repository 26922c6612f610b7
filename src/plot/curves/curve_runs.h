// The learners of a picture of curves, and what they have done.
#ifndef TLU_PLOT_CURVES_CURVE_RUNS_H
#define TLU_PLOT_CURVES_CURVE_RUNS_H

#include "plot/curves/curve_run.h"
#include "plot/plot.h"

struct curve_runs {
    struct curve_run *all; // [count]
    size_t count, capacity;
    uint64_t passes; // the most of any
};

// Lists them by --learners, or --learner, or a choice, and lets each learn. In the end, also after
// an error, curve_runs_free.
tlu_status curve_runs_train(struct curve_runs *runs, const struct plot *plot, tlu_error *error);
void curve_runs_free(struct curve_runs *runs);

#endif
