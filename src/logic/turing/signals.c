#include "logic/turing/signals.h"

#include "base/memory.h"

#include <assert.h>

void signals_free(struct signals *signals)
{
    propagation_free(&signals->links);
    memory_free(signals->value);
    memory_free(signals->sum);
    memory_free(signals->heap);
    memory_free(signals->is_queued);
}

// ---- the queue: a binary heap ----

static void queue_add(struct signals *signals, uint32_t unit)
{
    size_t at = signals->queued++;
    while (at > 0 && signals->heap[(at - 1) / 2] > unit) {
        signals->heap[at] = signals->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    signals->heap[at] = unit;
    signals->is_queued[unit] = true;
}

static uint32_t queue_take(struct signals *signals)
{
    uint32_t first = signals->heap[0], last = signals->heap[--signals->queued];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < signals->queued && signals->heap[child + 1] < signals->heap[child])
            child++;
        if (child >= signals->queued || signals->heap[child] >= last)
            break;
        signals->heap[at] = signals->heap[child];
        at = child;
    }
    signals->heap[at] = last;
    signals->is_queued[first] = false;
    return first;
}

// ---- changes ----

static bool unit_fires(const struct signals *signals, size_t unit)
{
    return signals->sum[unit] >= signals->links.network->unit[unit].threshold;
}

static void change(struct signals *signals, size_t signal)
{
    const struct propagation *links = &signals->links;
    bool on = signals->value[signal] = !signals->value[signal];
    size_t end = links->first[signal + 1];
    signals->work += end - links->first[signal];
    for (size_t i = links->first[signal]; i < end; i++) {
        uint32_t unit = links->onward[i].from; // the unit that the link leads to
        signals->sum[unit] += on ? links->onward[i].weight : -links->onward[i].weight;
        bool fires = signals->value[signal_of_unit(links->network, unit)];
        if (unit_fires(signals, unit) != fires && !signals->is_queued[unit])
            queue_add(signals, unit);
    }
}

void signals_set(struct signals *signals, size_t signal, bool value)
{
    assert(signal < signals->links.network->inputs + signals->links.network->delays);
    if (signals->value[signal] != value)
        change(signals, signal);
}

void signals_settle(struct signals *signals)
{
    while (signals->queued) {
        size_t unit = queue_take(signals);
        size_t signal = signal_of_unit(signals->links.network, unit);
        if (unit_fires(signals, unit) != signals->value[signal])
            change(signals, signal);
    }
}

bool signals_new(struct signals *signals, const tlu_network *network)
{
    *signals = (struct signals){0};
    signals->value = memory_new(network_signals(network) + 1, sizeof *signals->value);
    signals->sum = memory_new(network->units + 1, sizeof *signals->sum);
    signals->heap = memory_new(network->units + 1, sizeof *signals->heap);
    signals->is_queued = memory_new(network->units + 1, sizeof *signals->is_queued);
    if (!signals->value || !signals->sum || !signals->heap || !signals->is_queued ||
        !propagation_new(&signals->links, network))
        return false;
    for (size_t unit = 0; unit < network->units; unit++)
        queue_add(signals, (uint32_t)unit);
    signals_settle(signals);
    return true;
}
