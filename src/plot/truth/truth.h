// What a learner finds in a few rows of a recipe, compared with the true classes.
#ifndef TLU_PLOT_TRUTH_TRUTH_H
#define TLU_PLOT_TRUTH_TRUTH_H

#include "data/generate/truth.h"
#include "plot/plot.h"

// ---- rows of a recipe: those to train on, then fresh ones to measure on

struct truth_sample {
    size_t learned, count; // training rows, all rows
    struct point *at;      // [count]
    uint32_t *classes;     // [count]: see truth_class
    size_t class_count;
    const char **names; // [class_count] labels as they are written
};

// ---- trials

#define FRESH 1000 // rows to measure on

struct trial {
    struct arena memory;
    struct recipe_truth truth;
    struct truth_sample sample;
    tlu_model *model;
    uint32_t feature[2]; // of the model, for x and y; UINT32_MAX: none
    uint32_t *classes;   // [classes of the model] classes of the sample
    size_t mistakes;     // on the training rows
    double accuracy;     // on the fresh rows
    double best;         // accuracy of the true regions: below 1 if labels are noisy
};

// The caller calls trial_free, also after an error.
tlu_status trial_run(const tlu_recipe *recipe, const tlu_options *options,
                     tlu_progress_function progress, void *context, struct trial *trial,
                     tlu_error *error);
void trial_free(struct trial *trial);

// Predictions at places of the plane, as classes of the sample.
tlu_status trial_predict(const struct trial *trial, const struct point *at, size_t count,
                         uint32_t *classes, tlu_error *error);
static inline uint32_t trial_true_class(const struct trial *trial, const struct point *at)
{
    return truth_class(&trial->truth, truth_label(&trial->truth, at->x, at->y));
}

// Over all seeds.
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
    // Shares of the area of the rows: false negatives, false positives (two classes), and all wrong
    // places.
    double missed, claimed, wrong;
    const char *only; // the only predicted class; NULL: several
    size_t drawn;     // rows
};

// Fills in the shares and `only`.
tlu_status measure_areas(struct truth_comparison *comparison, struct plot *plot, tlu_error *error);

#endif
