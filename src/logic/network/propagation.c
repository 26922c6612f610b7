#include "logic/network/propagation.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

void propagation_free(struct propagation *p)
{
    memory_free(p->first);
    memory_free(p->onward);
    memory_free(p->low);
    memory_free(p->high);
    memory_free(p->value);
}

// Groups the links by their source.
static bool index_links(struct propagation *p)
{
    const tlu_network *network = p->network;
    size_t signals = network_signals(network), total = 0;
    for (size_t i = 0; i < network->units; i++)
        total += network->unit[i].count;
    p->first = memory_new(signals + 2, sizeof *p->first);
    p->onward = memory_new(total + 1, sizeof *p->onward);
    if (!p->first || !p->onward)
        return false;
    size_t *at = p->first + 1; // where the next goes; at the end where the next row begins
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            if (network->unit[i].links[j].from + 1 < signals)
                p->first[network->unit[i].links[j].from + 2]++;
    for (size_t i = 2; i <= signals; i++)
        p->first[i] += p->first[i - 1];
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++) {
            struct link link = network->unit[i].links[j];
            p->onward[at[link.from]++] = (struct link){(uint32_t)i, link.weight};
        }
    return true;
}

bool propagation_new(struct propagation *p, const tlu_network *network)
{
    p->network = network;
    p->low = memory_new(network->units + 1, sizeof *p->low);
    p->high = memory_new(network->units + 1, sizeof *p->high);
    p->value = memory_new(network_signals(network) + 1, sizeof *p->value);
    return p->low && p->high && p->value && index_links(p);
}

void propagation_push(struct propagation *p, size_t signal)
{
    assert(signal < network_signals(p->network));
    uint8_t value = p->value[signal];
    if (value == SIGNAL_OFF)
        return;
    size_t first = p->first[signal], end = p->first[signal + 1];
    p->done += end - first;
    for (size_t i = first; i < end; i++) {
        struct link link = p->onward[i];
        if (value == SIGNAL_ON || link.weight < 0)
            p->low[link.from] += link.weight;
        if (value == SIGNAL_ON || link.weight > 0)
            p->high[link.from] += link.weight;
    }
}

void propagation_clear(struct propagation *p)
{
    memset(p->low, 0, p->network->units * sizeof *p->low);
    memset(p->high, 0, p->network->units * sizeof *p->high);
}

void propagation_run_units(struct propagation *p)
{
    const tlu_network *network = p->network;
    for (size_t i = 0; i < network->units; i++) {
        size_t signal = signal_of_unit(network, i);
        int64_t threshold = network->unit[i].threshold;
        p->value[signal] = p->low[i] >= threshold   ? SIGNAL_ON
                           : p->high[i] < threshold ? SIGNAL_OFF
                                                    : SIGNAL_OPEN;
        propagation_push(p, signal);
    }
    p->done += network->units;
}

void propagation_settle(struct propagation *p)
{
    propagation_clear(p);
    for (size_t i = 0; i < p->network->inputs + p->network->delays; i++)
        propagation_push(p, i);
    propagation_run_units(p);
}
