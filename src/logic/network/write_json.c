// The JSON form, docs/network-format.md: one object, a line per part.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT 5 // of continuation lines

static void put_string(struct emitter *out, const char *text)
{
    emit(out, "\"");
    for (; *text; text++) {
        char one[] = {*text, '\0'};
        if (*text == '"' || *text == '\\')
            emit_format(out, "\\%c", *text);
        else if ((unsigned char)*text < 32 || *text == 127)
            emit_format(out, "\\u%04x", (unsigned)*text);
        else
            emit(out, one);
    }
    emit(out, "\"");
}

static void put_signal(struct emitter *out, uint32_t signal)
{
    put_string(out, out->names.signal[signal]);
}

// Before item i of several on a line.
static void next_on_line(struct emitter *out, size_t i, const char *name)
{
    if (i == 0)
        return;
    emit(out, ",");
    emit_space(out, strlen(name) + 12, INDENT);
}

// Before item i of a list with a line for each.
static void next_line(struct emitter *out, size_t i)
{
    emit(out, i ? ",\n   " : "\n   ");
}

static void put_inputs(struct emitter *out)
{
    emit(out, "{\"inputs\": [");
    for (size_t i = 0; i < out->network->inputs; i++) {
        next_on_line(out, i, out->names.signal[i]);
        put_signal(out, (uint32_t)i);
    }
    emit(out, "],\n");
}

static void put_delays(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    if (!network->delays)
        return;
    emit(out, " \"delays\": [");
    for (size_t i = 0; i < network->delays; i++) {
        next_line(out, i);
        emit(out, "{\"name\": ");
        put_signal(out, signal_of_delay(network, i));
        emit(out, ", \"from\": ");
        put_signal(out, network->delay[i].from);
        emit_format(out, ", \"start\": %d}", network->delay[i].start);
    }
    emit(out, "],\n");
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    emit(out, "{\"name\": ");
    put_signal(out, signal_of_unit(out->network, i));
    emit(out, ", \"weights\": {");
    for (size_t j = 0; j < unit->count; j++) {
        next_on_line(out, j, out->names.signal[unit->links[j].from]);
        put_signal(out, unit->links[j].from);
        emit_format(out, ": %" PRId64, unit->links[j].weight);
    }
    char threshold[64];
    int length =
        snprintf(threshold, sizeof threshold, "\"threshold\": %" PRId64 "}", unit->threshold);
    emit(out, "},");
    emit_space(out, (size_t)length + 3, INDENT);
    emit(out, threshold);
}

static bool write_json(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    put_inputs(out);
    put_delays(out);
    emit(out, " \"units\": [");
    for (size_t i = 0; i < network->units; i++) {
        next_line(out, i);
        put_unit(out, i);
    }
    emit(out, "],\n \"outputs\": [");
    for (size_t i = 0; i < network->outputs; i++) {
        next_line(out, i);
        emit(out, "{\"name\": ");
        put_string(out, out->names.output[i]);
        emit(out, ", \"from\": ");
        put_signal(out, network->output[i].from);
        emit(out, "}");
    }
    emit(out, "]}\n");
    return true;
}

const struct language json_language = {
    .name = "json",
    .naming = {.spell = spell_utf8},
    .write = write_json,
};
