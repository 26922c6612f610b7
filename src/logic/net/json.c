// The JSON form, docs/network-format.md: one object, a line per part.
#include "logic/net/write.h"
#include "tlu_logic.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT 5 // of the lines that go on

static void put_string(struct pen *pen, const char *text)
{
    pen_text(pen, "\"");
    for (; *text; text++) {
        char one[] = {*text, '\0'};
        if (*text == '"' || *text == '\\')
            pen_put(pen, "\\%c", *text);
        else if ((unsigned char)*text < 32 || *text == 127)
            pen_put(pen, "\\u%04x", (unsigned)*text);
        else
            pen_text(pen, one);
    }
    pen_text(pen, "\"");
}

static void put_signal(struct pen *pen, uint32_t signal)
{
    put_string(pen, pen->names.signal[signal]);
}

// Before item i of several on a line.
static void next_on_line(struct pen *pen, size_t i, const char *name)
{
    if (i == 0)
        return;
    pen_text(pen, ",");
    pen_blank(pen, strlen(name) + 12, INDENT);
}

// Before item i of a list with a line for each.
static void next_line(struct pen *pen, size_t i)
{
    pen_text(pen, i ? ",\n   " : "\n   ");
}

static void put_inputs(struct pen *pen)
{
    pen_text(pen, "{\"inputs\": [");
    for (size_t i = 0; i < pen->network->inputs; i++) {
        next_on_line(pen, i, pen->names.signal[i]);
        put_signal(pen, (uint32_t)i);
    }
    pen_text(pen, "],\n");
}

static void put_delays(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    if (!network->delays)
        return;
    pen_text(pen, " \"delays\": [");
    for (size_t i = 0; i < network->delays; i++) {
        next_line(pen, i);
        pen_text(pen, "{\"name\": ");
        put_signal(pen, signal_of_delay(network, i));
        pen_text(pen, ", \"from\": ");
        put_signal(pen, network->delay[i].from);
        pen_put(pen, ", \"start\": %d}", network->delay[i].start);
    }
    pen_text(pen, "],\n");
}

static void put_unit(struct pen *pen, size_t i)
{
    const struct unit *unit = &pen->network->unit[i];
    pen_text(pen, "{\"name\": ");
    put_signal(pen, signal_of_unit(pen->network, i));
    pen_text(pen, ", \"weights\": {");
    for (size_t j = 0; j < unit->count; j++) {
        next_on_line(pen, j, pen->names.signal[unit->links[j].from]);
        put_signal(pen, unit->links[j].from);
        pen_put(pen, ": %" PRId64, unit->links[j].weight);
    }
    char threshold[64];
    int length =
        snprintf(threshold, sizeof threshold, "\"threshold\": %" PRId64 "}", unit->threshold);
    pen_text(pen, "},");
    pen_blank(pen, (size_t)length + 3, INDENT);
    pen_text(pen, threshold);
}

static bool write_json(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    put_inputs(pen);
    put_delays(pen);
    pen_text(pen, " \"units\": [");
    for (size_t i = 0; i < network->units; i++) {
        next_line(pen, i);
        put_unit(pen, i);
    }
    pen_text(pen, "],\n \"outputs\": [");
    for (size_t i = 0; i < network->outputs; i++) {
        next_line(pen, i);
        pen_text(pen, "{\"name\": ");
        put_string(pen, pen->names.output[i]);
        pen_text(pen, ", \"from\": ");
        put_signal(pen, network->output[i].from);
        pen_text(pen, "}");
    }
    pen_text(pen, "]}\n");
    return true;
}

const struct language json_language = {
    .name = "json",
    .spelling = {.spell = spell_utf8},
    .write = write_json,
};
