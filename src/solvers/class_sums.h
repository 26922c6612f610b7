// The sums of the rows of each class, which is all that the closed forms look at.
#ifndef TLU_SOLVERS_CLASS_SUMS_H
#define TLU_SOLVERS_CLASS_SUMS_H

#include "solvers/batch_solver.h"

struct class_sums {
    uint32_t classes, columns;
    size_t features; // rows of the weights, see space/weights.h
    enum scheme_kind scheme;
    uint32_t positive; // of two classes
    double *rows;      // [classes] how many there are of each class, by their weights
    double *sum;       // [features][classes] of the values, by the same weights
    bool *occurs;      // [features] whether any of these is above 0
    bool hasty;        // the caller wanted it to end before it began: learn from what is there
};

// What the learner takes a value as; an error if it cannot take it. `line` is the row's in the
// file.
typedef tlu_status (*class_sums_value)(const struct tlu_learner *learner, uint64_t line,
                                       uint32_t feature, double *value, tlu_error *error);

// `value_of` may be NULL: values are taken as they are.
tlu_status class_sums_of(struct class_sums *sums, struct tlu_learner *learner,
                         struct batch *const *batches, size_t batch_count,
                         class_sums_value value_of, tlu_error *error);
// To be asked after each column: whether the caller wants it to end. Nothing has been learned then,
// as the error says.
tlu_status class_sums_go_on(const struct class_sums *sums, const struct tlu_learner *learner,
                            tlu_error *error);
void class_sums_free(struct class_sums *sums);

// Splits [classes] of the sums, `rows` or a feature's, into the two sides of a column's problem:
// what belongs to y = -1 goes to sides[0], what belongs to y = +1 to sides[1].
static inline void class_sums_split(const struct class_sums *sums, const double *of_classes,
                                    uint32_t column, double sides[2])
{
    sides[0] = sides[1] = 0;
    if (sums->scheme == SCHEME_OVO) {
        uint32_t i, j;
        scheme_unpair(column, &i, &j);
        sides[0] += of_classes[i];
        sides[1] += of_classes[j];
        return;
    }
    uint32_t own = sums->scheme == SCHEME_TWO ? sums->positive : column;
    for (uint32_t c = 0; c < sums->classes; c++)
        sides[c == own] += of_classes[c];
}

#endif
