// Finds the threshold between two classes that is best by a given objective.
#ifndef TLU_CALIBRATION_THRESHOLD_SEARCH_H
#define TLU_CALIBRATION_THRESHOLD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct threshold_row {
    double value; // score or probability
    bool positive;
};

// The objectives and their names in the interface.
#define THRESHOLD_AIMS(X)                                                                          \
    X(AIM_F1, "f1")                                                                                \
    X(AIM_PRECISION, "precision")                                                                  \
    X(AIM_RECALL, "recall")                                                                        \
    X(AIM_COST, "cost")

#define AIM_NUMBER(aim, name) aim,
enum threshold_aim { THRESHOLD_AIMS(AIM_NUMBER) };
#undef AIM_NUMBER

struct threshold_objective {
    enum threshold_aim aim;
    double value;                          // required precision or recall
    double false_positive, false_negative; // cost of each
};

struct threshold_found {
    double threshold;       // rows at or above it are predicted positive
    uint64_t called, right; // predicted positives, true positives
};

// Sorts the rows and finds the best threshold, the highest among equals:
//
//     f1         the highest f1
//     precision  the highest recall, with a precision of at least the value
//     recall     the highest precision, with a recall of at least the value
//     cost       the lowest cost
//
// False: the required value cannot be reached; *found is the nearest. There must be a row of each
// class. A threshold is midway between the values that it separates.
bool threshold_search(struct threshold_row *rows, size_t count,
                      const struct threshold_objective *objective, struct threshold_found *found);

double threshold_precision(const struct threshold_found *at); // 1 if no row is predicted positive
double threshold_recall(const struct threshold_found *at, uint64_t positives);
double threshold_f1(const struct threshold_found *at, uint64_t positives);
double threshold_cost(const struct threshold_found *at, uint64_t positives,
                      const struct threshold_objective *objective);

#endif
