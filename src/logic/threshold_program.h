// The linear program of a threshold function: the least sum of |weights| for which
//
//     w . x - t >= 0  for the true rows x,    t - w . x >= 1  for the false ones,
//
// in fractions, which are exact; or positive numbers of rows that show that there are none.
#ifndef TLU_LOGIC_THRESHOLD_PROGRAM_H
#define TLU_LOGIC_THRESHOLD_PROGRAM_H

#include "logic/threshold_rows.h"

#define VARIABLES_MOST (2 * (TRUTH_INPUTS_MOST + 1))

struct separation {
    bool possible;
    // If so, everything times `scale`, in the key rows' sense of each input.
    int64_t scale, threshold;
    int64_t weights[TRUTH_INPUTS_MOST]; // by bit
    // If not: key rows and their numbers. The sum of the true rows plus `lacking` is that of the
    // false ones, the total of the numbers of true rows that of the false ones plus `excess`.
    // Neither is negative, and both are 0 if a sign is not known.
    size_t count;
    size_t key[VARIABLES_MOST + 1]; // into the key rows
    int64_t multiple[VARIABLES_MOST + 1];
    int64_t lacking[TRUTH_INPUTS_MOST];
    int64_t excess;
};

// There is a row of either kind. TLU_ERROR_SYSTEM: no memory.
tlu_status program_solve(const struct key_rows *keys, struct separation *separation,
                         tlu_error *error);

#endif
