// A network of threshold units and unit delays.
//
// A signal is 0 or 1. Signals are numbered: the inputs first, then the delays, then the units in an
// order in which each unit comes after those that it looks at. A unit fires, that is its signal is
// 1, if the weighted sum of the signals that it looks at reaches its threshold. A delay's signal is
// what its source was one step before, and `start` in the first step.
//
// A unit without links is a constant: 1 if its threshold is at most 0.
#ifndef TLU_LOGIC_NETWORK_NETWORK_H
#define TLU_LOGIC_NETWORK_NETWORK_H

#include "tlu.h"
#include "tlu_logic.h"

#include <stdbool.h>

struct link {
    uint32_t from; // a signal
    int64_t weight;
};

struct unit {
    char *name;
    struct link *links; // [count] ascending by signal, none with weight 0
    size_t count;
    int64_t threshold; // the sum of |weights| and this stay within 2^62
};

struct delay {
    char *name;
    uint32_t from; // a signal, of any kind
    bool start;
};

struct output {
    char *name;
    uint32_t from;
};

struct tlu_network {
    size_t inputs, delays, units, outputs;
    char **input_names;    // [inputs]
    struct delay *delay;   // [delays]
    struct unit *unit;     // [units]
    struct output *output; // [outputs]
    size_t unit_capacity, output_capacity;
};

#define SIGNAL_NONE UINT32_MAX

// ---- making one: first all names of inputs and delays, then units, then outputs ----

// Names are set by network_name_...; NULL: out of memory.
struct tlu_network *network_new(size_t inputs, size_t delays);
bool network_name_input(struct tlu_network *network, size_t input, const char *name);
bool network_name_delay(struct tlu_network *network, size_t delay, const char *name, bool start);
// Adds a unit and returns its signal; `links` are sorted and joined, those of weight 0 left out. A
// name of NULL becomes u1, u2, ... Returns SIGNAL_NONE if there is no memory.
uint32_t network_add_unit(struct tlu_network *network, const char *name, const struct link *links,
                          size_t count, int64_t threshold);
void network_connect_delay(struct tlu_network *network, size_t delay, uint32_t from);
bool network_add_output(struct tlu_network *network, const char *name, uint32_t from);
void network_free(struct tlu_network *network);

static inline size_t network_signals(const struct tlu_network *network)
{
    return network->inputs + network->delays + network->units;
}

static inline uint32_t signal_of_delay(const struct tlu_network *network, size_t delay)
{
    return (uint32_t)(network->inputs + delay);
}

static inline uint32_t signal_of_unit(const struct tlu_network *network, size_t unit)
{
    return (uint32_t)(network->inputs + network->delays + unit);
}

// ---- running one ----

// One step: signals[network_signals] has the inputs and the delays; the units are filled in.
void network_settle(const struct tlu_network *network, bool *signals);
// The delays for the next step, from all signals of this one. `room` is [delays].
void network_advance(const struct tlu_network *network, bool *signals, bool *room);

// ---- reading and writing one (src/logic/net) ----

// The text or the JSON form; `name` is what messages call it.
tlu_status network_parse(const char *bytes, size_t size, const char *name,
                         struct tlu_network **network, tlu_error *error);
tlu_status network_read(const char *path, struct tlu_network **network, tlu_error *error);

// The language is "text" or "json", which can be read again, "dot", "verilog" or "c". Names that
// the language does not have, or that two signals share, are changed.
tlu_status network_write(const struct tlu_network *network, const char *language,
                         tlu_write_function write, void *context, tlu_error *error);

#endif
