// The text form, docs/network-format.md: a line per part.
#include "logic/network/write.h"
#include "tlu_logic.h"

#include <inttypes.h>

#define INDENT 4 // of continuation lines

static void write_text(struct emitter *out)
{
    const struct tlu_network *network = out->network;
    for (size_t i = 0; i < network->inputs; i++) {
        bool full = out->column + out->length[i] + 3 > LINE_LIMIT;
        emit(out, "%s%s", i == 0 ? "inputs " : full ? "\ninputs " : " ", out->signal[i]);
    }
    if (network->inputs)
        emit(out, "\n");
    for (size_t i = 0; i < network->delays; i++)
        emit(out, "delay %s = %s start %d\n", out->signal[signal_of_delay(network, i)],
             out->signal[network->delay[i].from], network->delay[i].start);
    for (size_t i = 0; i < network->units; i++) {
        const struct unit *unit = &network->unit[i];
        emit(out, "unit %s = %s", out->signal[signal_of_unit(network, i)], unit->count ? "" : "0");
        for (size_t j = 0; j < unit->count; j++) {
            const struct link *link = &unit->links[j];
            if (j > 0)
                emit_space(out, out->length[link->from] + 12, INDENT);
            emit(out, "%s%" PRId64 " %s", term_sign(link->weight, j == 0), magnitude(link->weight),
                 out->signal[link->from]);
        }
        emit_space(out, 24, INDENT);
        emit(out, ">= %" PRId64 "\n", unit->threshold);
    }
    for (size_t i = 0; i < network->outputs; i++)
        emit(out, "output %s = %s\n", out->output[i], out->signal[network->output[i].from]);
}

const struct language text_language = {.name = "text", .quote = quote_text, .write = write_text};
