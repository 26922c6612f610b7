// C with tables: for units with many links, such as models of many features.
#include "logic/net/c.h"
#include "logic/net/extent.h"
#include "tlu_logic.h"

#include <inttypes.h>

#define INDENT 4

// How large the numbers of a network are.
struct sizes {
    size_t links;
    int64_t weight, threshold, sum; // the largest of each, without signs
    bool dense; // units look at inputs alone, and at most of these: then weights of 0 are written
                // too, and take less room than the numbers of the signals
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct sizes measure(const struct tlu_network *network)
{
    struct sizes sizes = {0};
    bool inner = false;
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        sizes.links += unit->count;
        sizes.threshold = larger(sizes.threshold, magnitude(unit->threshold));
        struct extent extent = unit_extent(unit);
        sizes.sum = larger(sizes.sum, extent.high - extent.low);
        for (size_t j = 0; j < unit->count; j++) {
            sizes.weight = larger(sizes.weight, magnitude(unit->links[j].weight));
            inner = inner || unit->links[j].from >= network->inputs;
        }
    }
    sizes.dense = !inner && sizes.links / network->units >= network->inputs / 2;
    return sizes;
}

static int signed_type(int64_t most)
{
    return most <= INT8_MAX ? 8 : most <= INT16_MAX ? 16 : most <= INT32_MAX ? 32 : 64;
}

static int unsigned_type(uint64_t most)
{
    return most <= UINT8_MAX ? 8 : most <= UINT16_MAX ? 16 : most <= UINT32_MAX ? 32 : 64;
}

// ---- the tables ----

static void begin_table(struct pen *pen, const char *sign, int bits, const char *name)
{
    pen_put(pen, "static const %sint%d_t %s[] = {\n   ", sign, bits, name);
}

static void put_item(struct pen *pen, int64_t value)
{
    pen_blank(pen, 21, INDENT);
    pen_put(pen, "%" PRId64 ",", value);
}

static void end_table(struct pen *pen)
{
    pen_text(pen, "\n};\n");
}

static void put_thresholds(struct pen *pen, const struct sizes *sizes)
{
    begin_table(pen, "", signed_type(sizes->threshold), "threshold");
    for (size_t i = 0; i < pen->network->units; i++)
        put_item(pen, pen->network->unit[i].threshold);
    end_table(pen);
}

static void put_dense_weights(struct pen *pen, const struct sizes *sizes)
{
    const struct tlu_network *network = pen->network;
    pen_text(pen, "\n// Of each unit, one per input.\n");
    begin_table(pen, "", signed_type(sizes->weight), "weight");
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        for (size_t j = 0, input = 0; input < network->inputs; input++) {
            bool linked = j < unit->count && unit->links[j].from == input;
            put_item(pen, linked ? unit->links[j].weight : 0);
            j += linked;
        }
    }
    end_table(pen);
}

static void put_links(struct pen *pen, const struct sizes *sizes)
{
    const struct tlu_network *network = pen->network;
    int64_t before = 0;
    pen_text(pen, "\n// The links of unit i are first[i] to first[i + 1] - 1.\n");
    begin_table(pen, "u", unsigned_type(sizes->links), "first");
    for (size_t i = 0; i < network->units; i++) {
        put_item(pen, before);
        before += (int64_t)network->unit[i].count;
    }
    put_item(pen, before);
    end_table(pen);
    pen_text(pen, "// The signal that a link is from: an input, then a delay, then a unit.\n");
    begin_table(pen, "u", unsigned_type(network_signals(network)), "from");
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            put_item(pen, network->unit[i].links[j].from);
    end_table(pen);
    begin_table(pen, "", signed_type(sizes->weight), "weight");
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++)
            put_item(pen, network->unit[i].links[j].weight);
    end_table(pen);
}

static const char *condition(const struct pen *pen, const struct sizes *sizes)
{
    return sizes->dense ? "inputs[i]"
           : pen->network->inputs == 0
               ? "inner[from[i]]"
               : "from[i] < NETWORK_INPUTS ? inputs[from[i]] : inner[from[i] - NETWORK_INPUTS]";
}

static void put_fires(struct pen *pen, const struct sizes *sizes)
{
    int sum = signed_type(sizes->sum);
    pen_put(pen,
            "\nstatic bool fires(uint32_t unit, const bool *inputs, const bool *inner)\n{\n"
            "    int%d_t sum = 0;\n"
            "    uint32_t i;\n"
            "    (void)%s;\n"
            "    for (i = %s; i < %s; i++)\n",
            sum, sizes->dense ? "inner" : "inputs", sizes->dense ? "0" : "first[unit]",
            sizes->dense ? "NETWORK_INPUTS" : "first[unit + 1]");
    pen_put(pen,
            "        if (%s)\n"
            "            sum = (int%d_t)(sum + weight[%si]);\n"
            "    return sum >= threshold[unit];\n"
            "}\n",
            condition(pen, sizes), sum, sizes->dense ? "unit * NETWORK_INPUTS + " : "");
}

void c_put_tables(struct pen *pen)
{
    struct sizes sizes = measure(pen->network);
    pen_put(pen, "\n#define NETWORK_DELAYS %zu\n#define NETWORK_UNITS %zu\n", pen->network->delays,
            pen->network->units);
    if (sizes.dense)
        put_dense_weights(pen, &sizes);
    else
        put_links(pen, &sizes);
    put_thresholds(pen, &sizes);
    put_fires(pen, &sizes);
}

// ---- the step ----

static void put_signal(struct pen *pen, uint32_t signal)
{
    if (signal < pen->network->inputs)
        pen_put(pen, "inputs[%lu];\n", (unsigned long)signal);
    else
        pen_put(pen, "inner[%zu];\n", signal - pen->network->inputs);
}

void c_put_table_step(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    pen_text(pen, "    bool inner[NETWORK_DELAYS + NETWORK_UNITS] = {false};\n"
                  "    uint32_t i;\n");
    if (network->delays)
        pen_text(pen, "    for (i = 0; i < NETWORK_DELAYS; i++)\n"
                      "        inner[i] = state->delay[i];\n");
    pen_text(pen, "    for (i = 0; i < NETWORK_UNITS; i++)\n"
                  "        inner[NETWORK_DELAYS + i] = fires(i, inputs, inner);\n");
    if (!network->outputs)
        pen_text(pen, "    (void)outputs;\n");
    for (size_t i = 0; i < network->outputs; i++) {
        pen_put(pen, "    outputs[%zu] = ", i);
        put_signal(pen, network->output[i].from);
    }
    for (size_t i = 0; i < network->delays; i++) {
        pen_put(pen, "    state->delay[%zu] = ", i);
        put_signal(pen, network->delay[i].from);
    }
}
