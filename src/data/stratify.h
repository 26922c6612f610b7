// Chooses rows so that every class gives its share: how many rows of each class, by largest
// remainders, and which, at random.
#ifndef TLU_DATA_STRATIFY_H
#define TLU_DATA_STRATIFY_H

#include "base/error.h"
#include "base/random.h"

struct class_share {
    uint64_t rows;   // of the class, which are still to come in file order
    uint64_t chosen; // rows of these to choose
    double exact;    // the number to choose before it is rounded
    double carry;    // rows of the class that were lost when other parts were rounded; usually 0
};

// Sets `chosen`, given the other fields: each exact number is rounded down, and the classes with
// the largest remainders plus carry, the first of equals, get one row more until `wanted` rows are
// chosen. A class keeps at least one row. *missing is the number of rows that could not be chosen.
tlu_status shares_round(struct class_share *shares, uint32_t classes, uint64_t wanted,
                        uint64_t *missing, tlu_error *error);

// Whether the next row of a class is chosen; every set of rows is equally likely (selection
// sampling, Knuth).
bool share_draw(struct class_share *share, struct random *random);

#endif
