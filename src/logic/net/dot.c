// Graphviz: inputs on the left, delays as boxes, thresholds in the units, weights on the edges.
#include "logic/net/write.h"
#include "tlu_logic.h"

#include <inttypes.h>

// Node of a signal: i1, d1, u1, counted from 1 in each kind. Names are in labels alone, which take
// any.
static void put_node(struct pen *pen, uint32_t signal)
{
    const struct tlu_network *network = pen->network;
    size_t inputs = network->inputs, number = signal;
    char kind = 'i';
    if (number >= inputs + network->delays) {
        kind = 'u';
        number -= inputs + network->delays;
    } else if (number >= inputs) {
        kind = 'd';
        number -= inputs;
    }
    pen_put(pen, "%c%zu", kind, number + 1);
}

// What goes between the quotes of a label; Graphviz reads & as HTML does.
static void put_label(struct pen *pen, const char *name)
{
    for (; *name; name++) {
        char one[] = {*name, '\0'};
        if (*name == '"' || *name == '\\')
            pen_put(pen, "\\%c", *name);
        else if (*name == '&')
            pen_text(pen, "&amp;");
        else
            pen_text(pen, (unsigned char)*name < 32 ? " " : one);
    }
}

static void put_inputs(struct pen *pen)
{
    pen_text(pen, "    { rank=source; node [shape=plaintext];\n");
    for (size_t i = 0; i < pen->network->inputs; i++) {
        pen_put(pen, "        i%zu [label=\"", i + 1);
        put_label(pen, pen->names.signal[i]);
        pen_text(pen, "\"];\n");
    }
    pen_text(pen, "    }\n");
}

static void put_outputs(struct pen *pen)
{
    pen_text(pen, "    { rank=sink; node [shape=plaintext];\n");
    for (size_t i = 0; i < pen->network->outputs; i++) {
        pen_put(pen, "        o%zu [label=\"", i + 1);
        put_label(pen, pen->names.output[i]);
        pen_text(pen, "\"];\n");
    }
    pen_text(pen, "    }\n");
    for (size_t i = 0; i < pen->network->outputs; i++) {
        pen_text(pen, "    ");
        put_node(pen, pen->network->output[i].from);
        pen_put(pen, " -> o%zu;\n", i + 1);
    }
}

static void put_unit(struct pen *pen, size_t i)
{
    const struct unit *unit = &pen->network->unit[i];
    pen_put(pen, "    u%zu [label=\"", i + 1);
    put_label(pen, pen->names.signal[signal_of_unit(pen->network, i)]);
    pen_put(pen, "\\n>= %" PRId64 "\"];\n", unit->threshold);
    for (size_t j = 0; j < unit->count; j++) {
        int64_t weight = unit->links[j].weight;
        pen_text(pen, "    ");
        put_node(pen, unit->links[j].from);
        pen_put(pen, " -> u%zu", i + 1);
        if (weight != 1)
            pen_put(pen, " [label=\"%" PRId64 "\"%s]", weight, weight < 0 ? ", style=dashed" : "");
        pen_text(pen, ";\n");
    }
}

static void put_delay(struct pen *pen, size_t i)
{
    const struct delay *delay = &pen->network->delay[i];
    pen_put(pen, "    d%zu [shape=box, label=\"", i + 1);
    put_label(pen, pen->names.signal[signal_of_delay(pen->network, i)]);
    pen_put(pen, "\\nstarts as %d\"];\n    ", delay->start);
    put_node(pen, delay->from);
    pen_put(pen, " -> d%zu [constraint=false];\n", i + 1); // the way back
}

static bool write_dot(struct pen *pen)
{
    pen_text(pen, "digraph network {\n    rankdir=LR;\n    node [shape=circle];\n");
    put_inputs(pen);
    for (size_t i = 0; i < pen->network->delays; i++)
        put_delay(pen, i);
    for (size_t i = 0; i < pen->network->units; i++)
        put_unit(pen, i);
    put_outputs(pen);
    pen_text(pen, "}\n");
    return true;
}

const struct language dot_language = {
    .name = "dot",
    .spelling = {.spell = spell_utf8},
    .write = write_dot,
};
