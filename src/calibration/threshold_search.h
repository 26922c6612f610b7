// Where to cut between two classes: the threshold that does best what is asked for.
#ifndef TLU_CALIBRATION_THRESHOLD_SEARCH_H
#define TLU_CALIBRATION_THRESHOLD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cut_row {
    double value; // score or probability
    bool positive;
};

enum threshold_search_aim { CUT_F1, CUT_PRECISION, CUT_RECALL, CUT_COST };

struct threshold_objective {
    enum threshold_search_aim aim;
    double value;                          // precision or recall that is to be reached
    double false_positive, false_negative; // cost of each
};

struct cut {
    double threshold;       // rows at or above it are called positive
    uint64_t called, right; // rows that are, and those of them that are positive
};

// Sorts the rows and finds the best cut, the highest of those that are equally good:
//
//     f1         the highest f1
//     precision  the highest recall, with a precision of at least the value
//     recall     the highest precision, with a recall of at least the value
//     cost       the lowest cost
//
// False: the value is out of reach, and the cut is the one that comes nearest. There must be a row
// of each class. A threshold lies half way between the values that it parts.
bool threshold_search_find(struct cut_row *rows, size_t count,
                           const struct threshold_objective *wish, struct cut *found);

double threshold_search_precision(const struct cut *cut); // 1 if no row is called positive
double threshold_search_recall(const struct cut *cut, uint64_t positives);
double threshold_search_f1(const struct cut *cut, uint64_t positives);
double threshold_search_cost(const struct cut *cut, uint64_t positives,
                             const struct threshold_objective *wish);

#endif
