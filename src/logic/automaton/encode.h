// Networks that do what an automaton does.
#ifndef TLU_LOGIC_AUTOMATON_ENCODE_H
#define TLU_LOGIC_AUTOMATON_ENCODE_H

#include "logic/automaton/automaton.h"
#include "logic/network.h"
#include "tlu_logic.h"

#define UNITS_MAX 1000000

// A network that is being made. Units are put together link by link.
struct sketch {
    const tlu_automaton *automaton;
    bool onehot;         // a delay per state; else numbers of states
    bool binary_letters; // inputs are numbers of letters; else one per letter
    tlu_network *network;
    struct link *links; // of the next unit
    size_t count, capacity;
    bool full;         // there was no memory
    size_t delays;     // onehot: one per state but for that without one; else bits of a number
    uint32_t *code;    // [states] the delay of the state, or its number; STATE_NONE: no delay
    uint32_t *letters; // [letters] the signal that says that it is this letter
    struct fan *fans;  // [delays + outputs] signals that are to be joined
};

// What makes a delay, or an output of a Mealy machine, 1: any of these.
struct fan {
    uint32_t *from;
    size_t count, capacity;
};

void sketch_link(struct sketch *sketch, uint32_t from, int64_t weight);
// What is true of one state alone: links, and what they come to in that state, which is returned.
int64_t sketch_link_state(struct sketch *sketch, uint32_t state);
// The unit that looks at the links so far; SIGNAL_NONE: no memory.
uint32_t sketch_unit(struct sketch *sketch, int64_t threshold, const char *format, ...)
    PRINTF_LIKE(3, 4);
// The unit makes the delays 1 that the state needs.
void sketch_lead(struct sketch *sketch, uint32_t unit, uint32_t state);
void sketch_fan(struct sketch *sketch, size_t fan, uint32_t unit);
// One signal for all of a fan: itself, if there is one; a unit that never fires, if there is none.
uint32_t sketch_join(struct sketch *sketch, size_t fan, const char *name);

// Both add the units; delays and fans are connected afterwards.
void encode_acceptor(struct sketch *sketch);
void encode_mealy(struct sketch *sketch);

// The bits of the highest of `count` numbers from 0.
static inline size_t bits_for(size_t count)
{
    size_t bits = 0;
    while (((size_t)1 << bits) < count)
        bits++;
    return bits;
}

#endif
