// What a learner finds in a few rows of a recipe, compared with the true classes.
#ifndef TLU_PLOT_TRUTH_TRUTH_H
#define TLU_PLOT_TRUTH_TRUTH_H

#include "data/generate/truth.h"
#include "plot/chart/chart.h"
#include "plot/picture.h"

// ---- rows of a recipe: those to train on, then fresh ones to measure on

struct truth_sample {
    size_t learned, count; // rows to learn from, all rows
    struct point *at;      // [count]
    uint32_t *classes;     // [count]: see truth_class
    size_t class_count;
    const char **names; // [class_count] labels as they are written
};

// ---- trials

#define FRESH 1000 // rows to measure on, as in the notes

struct trial {
    struct truth truth;
    struct truth_sample sample;
    tlu_model *model;
    uint32_t feature[2]; // of the model: that of x, that of y; UINT32_MAX: it has none
    uint32_t *classes;   // [classes of the model] those of the sample
    size_t mistakes;     // of the model on the rows that it learned from
    double accuracy;     // and on the fresh ones
    double best;         // of the truth: below 1 if rows are spread over its border
};

// In the end, also after an error, trial_free.
tlu_status trial_run(const tlu_recipe *recipe, const tlu_options *options,
                     tlu_progress_function progress, void *context, struct trial *trial,
                     tlu_error *error);
void trial_free(struct trial *trial);

// What was learned about places of the plane, as classes of the sample.
tlu_status trial_predict(const struct trial *trial, const struct point *at, size_t count,
                         uint32_t *classes, tlu_error *error);
static inline uint32_t trial_true_class(const struct trial *trial, const struct point *at)
{
    return truth_class(&trial->truth, truth_label(&trial->truth, at->x, at->y));
}

// Over as many trials as there are seeds.
struct accuracies {
    double *all; // [count]
    size_t count;
    double mean, deviation, least, most;
};
void accuracies_sum_up(struct accuracies *accuracies);

// ---- areas

struct truth_comparison {
    const struct trial *trial;      // of the first seed
    const struct accuracies *seeds; // of all
    // Shares of where the rows are: the positive class was missed there, or claimed and is not
    // there; of several classes `wrong` alone.
    double missed, claimed, wrong;
    const char *only; // what all of that is called; NULL: several are
    size_t drawn;     // rows
};

// Fills in the shares.
tlu_status measure_areas(struct truth_comparison *comparison, tlu_error *error);

#endif
