// The signals of a network while inputs and delays change. Only units whose sum crosses the
// threshold are computed again, because few of the many units of a control change in a step.
#ifndef TLU_LOGIC_TURING_SIGNALS_H
#define TLU_LOGIC_TURING_SIGNALS_H

#include "logic/network/propagation.h"

struct signals {
    struct propagation links; // used for its links by source
    bool *value;              // [signals]
    int64_t *sum;             // [units]
    uint32_t *heap;           // [queued] units to compute, the first in topological order on top
    bool *is_queued;          // [units]
    size_t queued;
    uint64_t work; // links followed
};

// Starts with all inputs and delays 0. False: out of memory. The caller frees the signals in any
// case.
bool signals_new(struct signals *signals, const tlu_network *network);
void signals_free(struct signals *signals);
// Sets an input or a delay.
void signals_set(struct signals *signals, size_t signal, bool value);
// Computes the units after one or more calls of signals_set.
void signals_settle(struct signals *signals);

#endif
