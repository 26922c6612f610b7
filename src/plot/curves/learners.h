// The learners that a picture of curves compares.
#ifndef TLU_PLOT_CURVES_LEARNERS_H
#define TLU_PLOT_CURVES_LEARNERS_H

#include "plot/plot.h"

#define CURVES_MAX 64

struct curve_learner {
    char *name;           // the learner and its options
    char *words;          // the same for the legend
    tlu_options *options; // the caller frees them
};

// Lists the learners of a specification separated by commas. NULL or "": that of the option
// "learner", or else `usual`. After an error the options of the first *count are to be freed, too.
tlu_status curve_learners(struct plot *plot, const char *list, const char *usual,
                          struct curve_learner all[CURVES_MAX], size_t *count, tlu_error *error);

// Moves *low and *high so that they include the values that are not NaN.
void curve_widen(double *low, double *high, const double *values, size_t count);
// An axis for accuracies of this range.
struct axis curve_accuracy_axis(double low, double high);
// An error if the caller ended the training.
tlu_status curve_check_trained(const tlu_model *model, tlu_error *error);

#endif
