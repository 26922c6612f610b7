// The tally: how many rows there were, how many answers were right, in total and lately, and the
// function that is told.
#ifndef TLU_STREAM_TALLY_H
#define TLU_STREAM_TALLY_H

#include "learn/learner.h"

struct tally {
    tlu_stream_stats counts; // those about the learner are filled in by tally_counts
    uint8_t *right;          // [window] of the last labelled rows, in a ring
    size_t window;
    tlu_stream_function report; // NULL: no reports
    void *context;
    uint64_t next_report; // labelled rows
    bool stopped;         // by the report function
};

// False: out of memory.
bool tally_init(struct tally *tally, const tlu_stream_settings *settings);
void tally_guess(struct tally *tally, bool right); // of a labelled row
const tlu_stream_stats *tally_counts(struct tally *tally, const struct tlu_learner *learner);
// After 1, 2, 4, 8, ... labelled rows; the report function may set tally->stopped.
void tally_report(struct tally *tally, const struct tlu_learner *learner);
void tally_free(struct tally *tally);

#endif
