// Rows of a recipe in the plane: those to learn from, and after them fresh ones to measure on.
#ifndef TLU_PLOT_TRUTH_TRUTH_SAMPLE_H
#define TLU_PLOT_TRUTH_TRUTH_SAMPLE_H

#include "data/generate/truth.h"
#include "plot/picture.h"

struct truth_sample {
    size_t learned, count; // rows to learn from, all rows
    struct point *at;      // [count]
    uint32_t *classes;     // [count]: see truth_class
    size_t class_count;
    const char **names; // [class_count] labels as they are written
};

// The numbers are those that tlu generate writes. In the end, also after an error,
// truth_sample_free.
tlu_status truth_sample_draw(const struct recipe_truth *truth, uint64_t fresh,
                             struct truth_sample *sample, tlu_error *error);
void truth_sample_free(struct truth_sample *sample);

// Learns from the first of them; messages name the recipe.
tlu_status truth_sample_train(const struct truth_sample *sample, const tlu_recipe *recipe,
                              const tlu_options *options, tlu_progress_function progress,
                              void *context, tlu_model **model, tlu_error *error);

#endif
