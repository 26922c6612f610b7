// Graphviz: inputs on the left, delays as boxes, thresholds in the units, weights on the edges.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

// Nodes are i1, d1, u1, ...; names appear in labels only.
static const char *node_name(char text[32], const struct tlu_network *network, uint32_t signal)
{
    size_t inner = network->inputs + network->delays;
    char kind = signal >= inner ? 'u' : signal >= network->inputs ? 'd' : 'i';
    size_t first = kind == 'u' ? inner : kind == 'd' ? network->inputs : 0;
    snprintf(text, 32, "%c%zu", kind, signal - first + 1);
    return text;
}

// Escapes a label; Graphviz reads & as HTML does.
static void quote_label(char *out, const char *name)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            *out++ = '\\';
        *out++ = (char)((unsigned char)*name < 32 ? ' ' : *name);
        if (*name == '&') {
            memcpy(out, "amp;", 4);
            out += 4;
        }
    }
    *out = '\0';
}

// The inputs, or the outputs.
static void put_rank(struct emitter *out, const char *rank, char kind, char **names, size_t count)
{
    emit(out, "    { rank=%s; node [shape=plaintext];\n", rank);
    for (size_t i = 0; i < count; i++)
        emit(out, "        %c%zu [label=\"%s\"];\n", kind, i + 1, names[i]);
    emit(out, "    }\n");
}

static void write_dot(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    char node[32];
    emit(out, "digraph network {\n    rankdir=LR;\n    node [shape=circle];\n");
    put_rank(out, "source", 'i', out->signal, network->inputs);
    for (size_t i = 0; i < network->delays; i++)
        emit(out,
             "    d%zu [shape=box, label=\"%s\\nstarts as %d\"];\n"
             "    %s -> d%zu [constraint=false];\n", // the feedback edge
             i + 1, out->signal[signal_of_delay(network, i)], network->delay[i].start,
             node_name(node, network, network->delay[i].from), i + 1);
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        emit(out, "    u%zu [label=\"%s\\n>= %" PRId64 "\"];\n", i + 1,
             out->signal[signal_of_unit(network, i)], unit->threshold);
        for (size_t j = 0; j < unit->count; j++) {
            int64_t weight = unit->links[j].weight;
            emit(out, "    %s -> u%zu", node_name(node, network, unit->links[j].from), i + 1);
            if (weight != 1)
                emit(out, " [label=\"%" PRId64 "\"%s]", weight, weight < 0 ? ", style=dashed" : "");
            emit(out, ";\n");
        }
    }
    put_rank(out, "sink", 'o', out->output, network->outputs);
    for (size_t i = 0; i < network->outputs; i++)
        emit(out, "    %s -> o%zu;\n", node_name(node, network, network->output[i].from), i + 1);
    emit(out, "}\n");
}

const struct language dot_language = {
    .name = "dot", .spell = spell_utf8, .quote = quote_label, .write = write_dot};
