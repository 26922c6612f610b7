// What does not go together, and why: one table for the check, its message and the documentation.
// What single learners do not take is in their own rows (learner_options.c).
#ifndef TLU_LEARN_CONFLICTS_H
#define TLU_LEARN_CONFLICTS_H

#include "learn/learner.h"

// What a learner is wanted for.
enum situation {
    SITUATION_ANY = 1,
    SITUATION_TRAINING = 2,   // from a file
    SITUATION_STREAM = 4,     // row by row, for ever
    SITUATION_TRACE = 8,      // step by step, to be shown
    SITUATION_CHECKPOINT = 16 // to be interrupted, and to go on
};

// Whether nothing in the options is against it: "X does not go with Y: why".
tlu_status conflicts_check(const struct tlu_learner *learner, enum situation situation,
                           tlu_error *error);
// Why not; NULL: nothing is against it.
const char *conflicts_why(const struct tlu_learner *learner, enum situation situation);

#endif
