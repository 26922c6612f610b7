// Graphviz: inputs on the left, delays as boxes, thresholds in the units, weights on the edges.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>

// Nodes are i1, d1, u1, ...; names appear in labels only.
static void put_node(struct emitter *out, uint32_t signal)
{
    const struct tlu_network *network = out->network;
    size_t inputs = network->inputs, number = signal;
    char kind = 'i';
    if (number >= inputs + network->delays) {
        kind = 'u';
        number -= inputs + network->delays;
    } else if (number >= inputs) {
        kind = 'd';
        number -= inputs;
    }
    emit_format(out, "%c%zu", kind, number + 1);
}

// Escapes a label; Graphviz reads & as HTML does.
static void put_label(struct emitter *out, const char *name)
{
    for (; *name; name++) {
        char one[] = {*name, '\0'};
        if (*name == '"' || *name == '\\')
            emit_format(out, "\\%c", *name);
        else if (*name == '&')
            emit(out, "&amp;");
        else
            emit(out, (unsigned char)*name < 32 ? " " : one);
    }
}

static void put_inputs(struct emitter *out)
{
    emit(out, "    { rank=source; node [shape=plaintext];\n");
    for (size_t i = 0; i < out->network->inputs; i++) {
        emit_format(out, "        i%zu [label=\"", i + 1);
        put_label(out, out->names.signal[i]);
        emit(out, "\"];\n");
    }
    emit(out, "    }\n");
}

static void put_outputs(struct emitter *out)
{
    emit(out, "    { rank=sink; node [shape=plaintext];\n");
    for (size_t i = 0; i < out->network->outputs; i++) {
        emit_format(out, "        o%zu [label=\"", i + 1);
        put_label(out, out->names.output[i]);
        emit(out, "\"];\n");
    }
    emit(out, "    }\n");
    for (size_t i = 0; i < out->network->outputs; i++) {
        emit(out, "    ");
        put_node(out, out->network->output[i].from);
        emit_format(out, " -> o%zu;\n", i + 1);
    }
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    emit_format(out, "    u%zu [label=\"", i + 1);
    put_label(out, out->names.signal[signal_of_unit(out->network, i)]);
    emit_format(out, "\\n>= %" PRId64 "\"];\n", unit->threshold);
    for (size_t j = 0; j < unit->count; j++) {
        int64_t weight = unit->links[j].weight;
        emit(out, "    ");
        put_node(out, unit->links[j].from);
        emit_format(out, " -> u%zu", i + 1);
        if (weight != 1)
            emit_format(out, " [label=\"%" PRId64 "\"%s]", weight,
                        weight < 0 ? ", style=dashed" : "");
        emit(out, ";\n");
    }
}

static void put_delay(struct emitter *out, size_t i)
{
    const struct delay *delay = &out->network->delay[i];
    emit_format(out, "    d%zu [shape=box, label=\"", i + 1);
    put_label(out, out->names.signal[signal_of_delay(out->network, i)]);
    emit_format(out, "\\nstarts as %d\"];\n    ", delay->start);
    put_node(out, delay->from);
    emit_format(out, " -> d%zu [constraint=false];\n", i + 1); // the feedback edge
}

static bool write_dot(struct emitter *out)
{
    emit(out, "digraph network {\n    rankdir=LR;\n    node [shape=circle];\n");
    put_inputs(out);
    for (size_t i = 0; i < out->network->delays; i++)
        put_delay(out, i);
    for (size_t i = 0; i < out->network->units; i++)
        put_unit(out, i);
    put_outputs(out);
    emit(out, "}\n");
    return true;
}

const struct language dot_language = {
    .name = "dot",
    .naming = {.spell = spell_utf8},
    .write = write_dot,
};
