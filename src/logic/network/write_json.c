// The JSON form, docs/network-format.md: one object, a line per part.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT 5 // of continuation lines

static void quote_json(char *out, const char *name)
{
    *out++ = '"';
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            *out++ = '\\';
        if ((unsigned char)*name < 32 || *name == 127)
            out += snprintf(out, 7, "\\u%04x", (unsigned)*name);
        else
            *out++ = *name;
    }
    memcpy(out, "\"", 2);
}

static const char *comma_line(size_t i)
{
    return i ? ",\n   " : "\n   ";
}

// Before item i of several on a line.
static void next_on_line(struct emitter *out, size_t i, uint32_t signal)
{
    if (i == 0)
        return;
    emit(out, ",");
    emit_space(out, out->length[signal] + 12, INDENT);
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    emit(out, "%s{\"name\": %s, \"weights\": {", comma_line(i),
         out->signal[signal_of_unit(out->network, i)]);
    for (size_t j = 0; j < unit->count; j++) {
        next_on_line(out, j, unit->links[j].from);
        emit(out, "%s: %" PRId64, out->signal[unit->links[j].from], unit->links[j].weight);
    }
    char threshold[64];
    int length =
        snprintf(threshold, sizeof threshold, "\"threshold\": %" PRId64 "}", unit->threshold);
    emit(out, "},");
    emit_space(out, (size_t)length + 3, INDENT);
    emit(out, "%s", threshold);
}

static void write_json(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    emit(out, "{\"inputs\": [");
    for (uint32_t i = 0; i < network->inputs; i++) {
        next_on_line(out, i, i);
        emit(out, "%s", out->signal[i]);
    }
    emit(out, "],\n%s", network->delays ? " \"delays\": [" : "");
    for (size_t i = 0; i < network->delays; i++)
        emit(out, "%s{\"name\": %s, \"from\": %s, \"start\": %d}", comma_line(i),
             out->signal[signal_of_delay(network, i)], out->signal[network->delay[i].from],
             network->delay[i].start);
    emit(out, "%s \"units\": [", network->delays ? "],\n" : "");
    for (size_t i = 0; i < network->units; i++)
        put_unit(out, i);
    emit(out, "],\n \"outputs\": [");
    for (size_t i = 0; i < network->outputs; i++)
        emit(out, "%s{\"name\": %s, \"from\": %s}", comma_line(i), out->output[i],
             out->signal[network->output[i].from]);
    emit(out, "]}\n");
}

const struct language json_language = {
    .name = "json", .spell = spell_utf8, .quote = quote_json, .write = write_json};
