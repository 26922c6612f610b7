// One step of a network, of which some inputs are not known: 0, 1 or open. A unit is open only if
// it could be either, as far as its own sum tells.
#ifndef TLU_LOGIC_AUTOMATON_SIMULATE_H
#define TLU_LOGIC_AUTOMATON_SIMULATE_H

#include "logic/automaton/automaton.h"
#include "logic/network/network.h"
#include "tlu_logic.h"

enum { SIGNAL_OFF, SIGNAL_ON, SIGNAL_OPEN };

struct probe {
    const tlu_network *network;
    size_t *first;       // [signals + 1] of the links that lead from a signal
    struct link *onward; // to a unit, by its number
    int64_t *low, *high; // [units] what the sum is at least and at most
    uint8_t *value;      // [signals] of which the caller sets those of inputs and delays
    uint64_t done;       // units and links looked at
};

bool probe_new(struct probe *probe, const tlu_network *network); // false: no memory
void probe_settle(struct probe *probe);
void probe_free(struct probe *probe);

// Which inputs of a network say which letter it is.
struct binding {
    enum { BIND_ONEHOT, BIND_BINARY, BIND_VECTOR } kind;
    uint32_t *input; // [letters], [bits] the highest first, or [inputs of the machine]
    size_t count;
    uint32_t *output; // [outputs] of the machine, or "accept" alone: the signal of each
    size_t outputs;
};

// By the names. Free it also after an error.
tlu_status binding_find(struct binding *binding, const tlu_automaton *automaton,
                        const tlu_network *network, tlu_error *error);
void binding_free(struct binding *binding);
// The value of input i of the binding if it is this letter.
uint8_t binding_value(const struct binding *binding, const tlu_automaton *automaton,
                      uint32_t letter, size_t i);

#endif
