// What the finished network says about rows, against what the model has said. Rows have few ones:
// the links go from the inputs to the units here, so that only these are looked at.
#include "logic/from/from.h"

#include "base/error.h"
#include "base/memory.h"
#include "tlu_logic.h"

#include <string.h>

struct play {
    const struct tlu_network *network;
    size_t *first;      // [inputs + 1] of the links of an input
    struct link *links; // `from` is a unit here, whose sum gets the weight
    int64_t *sums;      // [units]
    bool *fires;        // [units]
};

static void play_free(struct play *play)
{
    memory_free(play->first);
    memory_free(play->links);
    memory_free(play->sums);
    memory_free(play->fires);
}

static bool play_new(struct play *play, const struct tlu_network *network)
{
    size_t inputs = network->inputs;
    play->network = network;
    play->first = memory_new(inputs + 2, sizeof *play->first);
    play->sums = memory_new(network->units + 1, sizeof *play->sums);
    play->fires = memory_new(network->units + 1, sizeof *play->fires);
    if (!play->first || !play->sums || !play->fires)
        return false;
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            if (network->unit[i].links[j].from < inputs)
                play->first[network->unit[i].links[j].from + 2]++;
    for (size_t i = 0; i < inputs; i++)
        play->first[i + 2] += play->first[i + 1];
    play->links = memory_new(play->first[inputs + 1] + 1, sizeof *play->links);
    if (!play->links)
        return false;
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++) {
            struct link link = network->unit[i].links[j];
            if (link.from < inputs)
                play->links[play->first[link.from + 1]++] = (struct link){(uint32_t)i, link.weight};
        }
    return true;
}

static void play_row(struct play *play, const uint32_t *ones, size_t count)
{
    const struct tlu_network *network = play->network;
    memset(play->sums, 0, network->units * sizeof *play->sums);
    for (size_t i = 0; i < count; i++)
        for (size_t j = play->first[ones[i]]; j < play->first[ones[i] + 1]; j++)
            play->sums[play->links[j].from] += play->links[j].weight;
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        for (size_t j = unit->count; j-- > 0 && unit->links[j].from >= network->inputs;)
            if (play->fires[unit->links[j].from - network->inputs])
                play->sums[i] += unit->links[j].weight;
        play->fires[i] = play->sums[i] >= unit->threshold;
    }
}

// Whether the outputs are those of the class: the first is that of the positive one, or there is
// one per class.
static bool says(const struct play *play, const struct planes *planes, uint32_t class_index)
{
    const struct tlu_network *network = play->network;
    bool same = true;
    for (size_t i = 0; i < network->outputs; i++) {
        bool wanted = class_index == (network->outputs == 1 ? planes->positive : i);
        same = same && play->fires[network->output[i].from - network->inputs] == wanted;
    }
    return same;
}

tlu_status count_differences(const struct planes *planes, const struct tlu_network *network,
                             const struct ones *rows, uint64_t *differences, tlu_error *error)
{
    struct play play = {0};
    *differences = 0;
    bool enough = play_new(&play, network);
    for (size_t i = 0; enough && i < rows->count; i++) {
        size_t start = i ? rows->end[i - 1] : 0;
        play_row(&play, rows->features + start, rows->end[i] - start);
        *differences += !says(&play, planes, rows->said[i]);
    }
    play_free(&play);
    return enough_memory(enough, error);
}
