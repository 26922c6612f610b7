// The text form, docs/network-format.md: a line per part.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>

#define INDENT 4 // of continuation lines

static void put_inputs(struct emitter *out)
{
    for (size_t i = 0; i < out->network->inputs; i++) {
        const char *name = out->names.signal[i];
        bool full = out->column + strlen(name) + 3 > LINE_LIMIT;
        emit(out, i == 0 ? "inputs " : full ? "\ninputs " : " ");
        emit_name(out, name);
    }
    if (out->network->inputs)
        emit(out, "\n");
}

static void put_delay(struct emitter *out, size_t i)
{
    const struct delay *delay = &out->network->delay[i];
    emit(out, "delay ");
    emit_name(out, out->names.signal[signal_of_delay(out->network, i)]);
    emit(out, " = ");
    emit_name(out, out->names.signal[delay->from]);
    emit_format(out, " start %d\n", delay->start);
}

static void put_link(struct emitter *out, const struct link *link, bool first)
{
    const char *name = out->names.signal[link->from];
    const char *sign = link->weight < 0 ? (first ? "-" : "- ") : first ? "" : "+ ";
    uint64_t size = link->weight < 0 ? -(uint64_t)link->weight : (uint64_t)link->weight;
    if (!first)
        emit_space(out, strlen(name) + 12, INDENT);
    emit_format(out, "%s%" PRIu64 " ", sign, size);
    emit_name(out, name);
}

static void put_unit(struct emitter *out, size_t i)
{
    const struct unit *unit = &out->network->unit[i];
    emit(out, "unit ");
    emit_name(out, out->names.signal[signal_of_unit(out->network, i)]);
    emit(out, " = ");
    for (size_t j = 0; j < unit->count; j++)
        put_link(out, &unit->links[j], j == 0);
    if (unit->count == 0)
        emit(out, "0");
    emit_space(out, 24, INDENT);
    emit_format(out, ">= %" PRId64 "\n", unit->threshold);
}

static bool write_text(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    put_inputs(out);
    for (size_t i = 0; i < network->delays; i++)
        put_delay(out, i);
    for (size_t i = 0; i < network->units; i++)
        put_unit(out, i);
    for (size_t i = 0; i < network->outputs; i++) {
        emit(out, "output ");
        emit_name(out, out->names.output[i]);
        emit(out, " = ");
        emit_name(out, out->names.signal[network->output[i].from]);
        emit(out, "\n");
    }
    return true;
}

const struct language text_language = {.name = "text", .write = write_text};
