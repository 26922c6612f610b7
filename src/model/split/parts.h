// Which part of a data set each row goes to: train, validation or test. The sizes are exact, or
// with groups as close as whole groups allow. A division is made when all rows were counted, and is
// then asked about one row after the other, so it needs no memory per row.
#ifndef TLU_MODEL_SPLIT_PARTS_H
#define TLU_MODEL_SPLIT_PARTS_H

#include "base/error.h"
#include "base/random.h"
#include "data/stratify.h"

enum part { PART_TRAIN, PART_VALIDATION, PART_TEST, PARTS };

struct division {
    uint64_t sizes[PARTS]; // wanted; set by the caller, as is `random`
    struct random random;
    struct class_share *test, *validation; // [classes] by class; of the rows that are not test rows
    uint8_t *part_of_group;                // [groups] by group
    uint64_t next;                         // in file order: the number of the next row
};

// By class: every part gets its share of the rows of each class, which are counts[classes], and the
// training part at least one row of each.
tlu_status division_by_class(struct division *division, const uint64_t *counts, uint32_t classes,
                             const char *path, tlu_error *error);
// By group: the rows of a group, which are counts[groups], go to the same part.
tlu_status division_by_group(struct division *division, const uint64_t *counts, uint32_t groups,
                             const char *path, tlu_error *error);
// The part of the next row in file order, which has this class or group. Without a call of the
// functions above, the first rows are training rows and the last rows test rows.
enum part division_next(struct division *division, uint32_t class_or_group);
void division_free(struct division *division);

#endif
