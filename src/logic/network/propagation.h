// One step of a network some of whose inputs are unknown: three-valued logic. A unit is open only
// if the bounds of its sum allow both values. Links are followed from their source, so that signals
// that are 0 cost nothing.
#ifndef TLU_LOGIC_NETWORK_PROPAGATION_H
#define TLU_LOGIC_NETWORK_PROPAGATION_H

#include "logic/network/network.h"

enum { SIGNAL_OFF, SIGNAL_ON, SIGNAL_OPEN };

struct propagation {
    const tlu_network *network;
    size_t *first;       // [signals + 1] the first link from a signal
    struct link *onward; // [links] `from` is the unit that the link leads to
    int64_t *low, *high; // [units] bounds of the sum
    uint8_t *value;      // [signals] the caller sets those of inputs and delays
    uint64_t done;       // units and links visited
};

bool propagation_new(struct propagation *p, const tlu_network *network); // false: out of memory
void propagation_free(struct propagation *p);
// Computes the units from all inputs and delays.
void propagation_settle(struct propagation *p);

// The parts of propagation_settle, for rows with few inputs that are 1: clear the sums, push the
// inputs that are not 0, run the units.
void propagation_clear(struct propagation *p);
void propagation_push(struct propagation *p, size_t signal);
void propagation_run_units(struct propagation *p);

#endif
