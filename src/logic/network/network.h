// A network of threshold units and unit delays.
//
// A signal is 0 or 1. Signals are numbered: inputs, delays, then units in topological order. A unit
// fires, that is its signal is 1, if the weighted sum of its input signals reaches its threshold.
// The signal of a delay is that of its source one step before, and `start` in the first step.
//
// A unit without links is a constant: 1 if its threshold is at most 0.
#ifndef TLU_LOGIC_NETWORK_NETWORK_H
#define TLU_LOGIC_NETWORK_NETWORK_H

#include "tlu.h"
#include "tlu_logic.h"

#include <assert.h>
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
    uint32_t from; // any signal
    bool start;
};

struct network_output {
    char *name;
    uint32_t from;
};

struct tlu_network {
    size_t inputs, delays, units, outputs;
    char **input_names;            // [inputs]
    struct delay *delay;           // [delays]
    struct unit *unit;             // [units]
    struct network_output *output; // [outputs]
    size_t unit_capacity, output_capacity;
};

#define SIGNAL_NONE UINT32_MAX

// ---- construction: name inputs and delays, then add units, then outputs ----

// NULL: out of memory.
struct tlu_network *network_new(size_t inputs, size_t delays);
bool network_name_input(struct tlu_network *network, size_t input, const char *name);
bool network_name_delay(struct tlu_network *network, size_t delay, const char *name, bool start);
// Adds a unit and returns its signal. Links are sorted, links from the same signal added up, those
// of weight 0 dropped. Without a name (NULL) the unit is called u1, u2, ... SIGNAL_NONE: out of
// memory.
uint32_t network_add_unit(struct tlu_network *network, const char *name, const struct link *links,
                          size_t count, int64_t threshold);
void network_connect_delay(struct tlu_network *network, size_t delay, uint32_t from);
bool network_add_output(struct tlu_network *network, const char *name, uint32_t from);

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

// The name of an input, a delay or a unit.
static inline const char *network_signal_name(const struct tlu_network *network, size_t signal)
{
    size_t inner = network->inputs + network->delays;
    assert(signal < network_signals(network));
    return signal < network->inputs ? network->input_names[signal]
           : signal < inner         ? network->delay[signal - network->inputs].name
                                    : network->unit[signal - inner].name;
}

// ---- execution ----

struct tlu_network_run {
    const struct tlu_network *network;
    bool *signals; // [network_signals]
    bool *scratch; // [delays]
};

// One step: computes the units from inputs and delays, in signals[network_signals].
void network_settle(const struct tlu_network *network, bool *signals);
// Sets the delays for the next step from the signals of this one. `scratch` is [delays].
void network_advance(const struct tlu_network *network, bool *signals, bool *scratch);

#endif
