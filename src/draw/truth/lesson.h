// Rows of a recipe in the plane: those to learn from, and after them fresh ones to measure on.
#ifndef TLU_DRAW_TRUTH_LESSON_H
#define TLU_DRAW_TRUTH_LESSON_H

#include "data/generate/truth.h"
#include "draw/picture.h"

struct lesson {
    size_t learned, count; // rows to learn from, all rows
    struct point *at;      // [count]
    uint32_t *classes;     // [count]: see truth_class
    size_t class_count;
    const char **names; // [class_count] labels as they are written
};

// The numbers are those that tlu generate writes. In the end, also after an error, lesson_free.
tlu_status lesson_draw(const struct truth *truth, uint64_t fresh, struct lesson *lesson,
                       tlu_error *error);
void lesson_free(struct lesson *lesson);

// Learns from the first of them; messages name the recipe.
tlu_status lesson_train(const struct lesson *lesson, const tlu_recipe *recipe,
                        const tlu_options *options, tlu_progress_function progress, void *context,
                        tlu_model **model, tlu_error *error);

#endif
