// The sum of the rows of each class, which is all that closed-form learners need. With --multilabel
// a row is one of each of its labels, and the sums of all rows come last.
#ifndef TLU_SOLVERS_CLASS_SUMS_H
#define TLU_SOLVERS_CLASS_SUMS_H

#include "solvers/batch_solver.h"

#include <assert.h>

struct class_sums {
    uint32_t classes, columns; // --multilabel: one class more, for all rows
    size_t features;           // rows of the weights, see space/weights.h
    const struct scheme *scheme;
    double *rows;     // [classes] sum of the weights of the rows
    double *sum;      // [features][classes] weighted sum of the values
    bool *occurs;     // [features] the feature occurs in some row
    bool interrupted; // interrupted before solving began: learn from the rows read so far
};

// Converts a value to the one that the learner uses, or returns an error. `line` is the line of the
// row in the file.
typedef tlu_status (*class_sums_value)(const struct tlu_learner *learner, uint64_t line,
                                       uint32_t feature, double *value, tlu_error *error);

// Computes the sums. `value_of` may be NULL: values are used unchanged.
tlu_status class_sums_of(struct class_sums *sums, struct tlu_learner *learner,
                         struct batch *const *batches, size_t batch_count,
                         class_sums_value value_of, tlu_error *error);
// The learner calls it after each column. It fails if the caller of the training interrupts;
// nothing has been learned then, and the error says so.
tlu_status class_sums_go_on(const struct class_sums *sums, const struct tlu_learner *learner,
                            tlu_error *error);
void class_sums_free(struct class_sums *sums);

// Adds up numbers by class, [classes], over the two sides of a column's binary problem: sides[0]
// for y = -1 and sides[1] for y = +1.
static inline void class_sums_split(const struct class_sums *sums, const double *of_classes,
                                    uint32_t column, double sides[2])
{
    assert(column < sums->columns);
    sides[0] = sides[1] = 0;
    if (sums->scheme->kind == SCHEME_OVO) {
        uint32_t i, j;
        scheme_unpair(column, &i, &j);
        sides[0] += of_classes[i];
        sides[1] += of_classes[j];
        return;
    }
    if (sums->scheme->kind == SCHEME_MULTILABEL) {
        double with = of_classes[column], all = of_classes[sums->classes - 1];
        sides[1] = scheme_label_weight(sums->scheme, column, true) * with;
        sides[0] = scheme_label_weight(sums->scheme, column, false) * (all - with);
        return;
    }
    uint32_t own = sums->scheme->kind == SCHEME_TWO ? sums->scheme->positive : column;
    for (uint32_t c = 0; c < sums->classes; c++)
        sides[c == own] += of_classes[c];
}

#endif
