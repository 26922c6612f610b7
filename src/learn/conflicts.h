// Options that exclude each other, and why: one table for the check, its message and the
// documentation. learner_options.c lists the options that a given learner does not accept.
#ifndef TLU_LEARN_CONFLICTS_H
#define TLU_LEARN_CONFLICTS_H

#include "learn/learner.h"

// What a learner is used for.
enum situation {
    SITUATION_ANY = 1,
    SITUATION_TRAINING = 2,    // from a file
    SITUATION_STREAM = 4,      // row by row, without an end
    SITUATION_TRACE = 8,       // with every step reported
    SITUATION_CHECKPOINT = 16, // to be interrupted and resumed
    SITUATION_MIX = 32         // to be mixed with others, or trained in several processes
};

// Fails if two options of the learner exclude each other: "X cannot be combined with Y: why".
tlu_status conflicts_check(const struct tlu_learner *learner, enum situation situation,
                           tlu_error *error);
// The reason for the first conflict; NULL: there is none.
const char *conflicts_why(const struct tlu_learner *learner, enum situation situation);

#endif
