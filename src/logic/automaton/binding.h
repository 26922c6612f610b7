// Connects an automaton to the inputs and outputs of a network, by their names.
#ifndef TLU_LOGIC_AUTOMATON_BINDING_H
#define TLU_LOGIC_AUTOMATON_BINDING_H

#include "logic/automaton/automaton.h"
#include "logic/network/network.h"

struct binding {
    enum { BIND_ONEHOT, BIND_BINARY, BIND_VECTOR } kind;
    uint32_t *input; // [symbols], [bits] highest first, or [inputs of the machine]
    size_t count;
    uint32_t *output; // [outputs] signals: of the machine, or "accept" alone
    size_t outputs;
};

// The caller frees the binding, also after an error.
tlu_status binding_find(struct binding *binding, const tlu_automaton *automaton,
                        const tlu_network *network, tlu_error *error);
void binding_free(struct binding *binding);
// The value of input i of the binding for a symbol: SIGNAL_OFF, SIGNAL_ON or SIGNAL_OPEN.
uint8_t binding_value(const struct binding *binding, const tlu_automaton *automaton,
                      uint32_t symbol, size_t i);

#endif
