// The text form, docs/network-format.md: a line per part.
#include "logic/net/write.h"
#include "tlu_logic.h"

#include <inttypes.h>

#define INDENT 4 // of the lines that go on with a unit

static void put_inputs(struct pen *pen)
{
    for (size_t i = 0; i < pen->network->inputs; i++) {
        const char *name = pen->names.signal[i];
        bool full = pen->column + strlen(name) + 3 > LINE_LIMIT;
        pen_text(pen, i == 0 ? "inputs " : full ? "\ninputs " : " ");
        pen_name(pen, name);
    }
    if (pen->network->inputs)
        pen_text(pen, "\n");
}

static void put_delay(struct pen *pen, size_t i)
{
    const struct delay *delay = &pen->network->delay[i];
    pen_text(pen, "delay ");
    pen_name(pen, pen->names.signal[signal_of_delay(pen->network, i)]);
    pen_text(pen, " = ");
    pen_name(pen, pen->names.signal[delay->from]);
    pen_put(pen, " start %d\n", delay->start);
}

static void put_link(struct pen *pen, const struct link *link, bool first)
{
    const char *name = pen->names.signal[link->from];
    const char *sign = link->weight < 0 ? (first ? "-" : "- ") : first ? "" : "+ ";
    uint64_t size = link->weight < 0 ? -(uint64_t)link->weight : (uint64_t)link->weight;
    if (!first)
        pen_blank(pen, strlen(name) + 12, INDENT);
    pen_put(pen, "%s%" PRIu64 " ", sign, size);
    pen_name(pen, name);
}

static void put_unit(struct pen *pen, size_t i)
{
    const struct unit *unit = &pen->network->unit[i];
    pen_text(pen, "unit ");
    pen_name(pen, pen->names.signal[signal_of_unit(pen->network, i)]);
    pen_text(pen, " = ");
    for (size_t j = 0; j < unit->count; j++)
        put_link(pen, &unit->links[j], j == 0);
    if (unit->count == 0)
        pen_text(pen, "0");
    pen_blank(pen, 24, INDENT);
    pen_put(pen, ">= %" PRId64 "\n", unit->threshold);
}

static bool write_text(struct pen *pen)
{
    const struct tlu_network *network = pen->network;
    put_inputs(pen);
    for (size_t i = 0; i < network->delays; i++)
        put_delay(pen, i);
    for (size_t i = 0; i < network->units; i++)
        put_unit(pen, i);
    for (size_t i = 0; i < network->outputs; i++) {
        pen_text(pen, "output ");
        pen_name(pen, pen->names.output[i]);
        pen_text(pen, " = ");
        pen_name(pen, pen->names.signal[network->output[i].from]);
        pen_text(pen, "\n");
    }
    return true;
}

const struct language text_language = {.name = "text", .write = write_text};
