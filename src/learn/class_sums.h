// The sums of the rows of each class, which is all that the closed forms look at.
#ifndef TLU_LEARN_CLASS_SUMS_H
#define TLU_LEARN_CLASS_SUMS_H

#include "learn/whole.h"

struct class_sums {
    uint32_t classes, columns;
    size_t features;
    double *rows;      // [classes] how many there are of each class, by their weights
    double *sum;       // [features][classes] of the values, by the same weights
    signed char *sign; // [columns][classes] y of the class in the problem of the column
};

// What the learner takes a value as; an error where it cannot take it. `line` is the row's in the
// file.
typedef tlu_status (*class_sums_value)(const struct tlu_learner *learner, uint64_t line,
                                       uint32_t feature, double *value, tlu_error *error);

// `value_of` may be NULL: values are taken as they are.
tlu_status class_sums_of(struct class_sums *sums, const struct tlu_learner *learner,
                         struct batch *const *batches, size_t batch_count,
                         class_sums_value value_of, tlu_error *error);
void class_sums_free(struct class_sums *sums);

// Splits [classes] of the sums, `rows` or a feature's, into the two sides of a column's problem:
// what belongs to y = -1 goes to sides[0], what belongs to y = +1 to sides[1].
static inline void class_sums_split(const struct class_sums *sums, const double *of_classes,
                                    uint32_t column, double sides[2])
{
    const signed char *sign = sums->sign + (size_t)column * sums->classes;
    sides[0] = sides[1] = 0;
    for (uint32_t c = 0; c < sums->classes; c++)
        if (sign[c])
            sides[sign[c] > 0] += of_classes[c];
}

#endif
