#include "logic/from/from.h"

#include "base/call/fp_env.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "tlu_logic.h"

#include <stdlib.h>

static unsigned bits_of(const struct tlu_network *network)
{
    uint64_t largest = 0;
    unsigned bits = 1; // the sign
    for (size_t i = 0; i < network->units; i++)
        for (size_t j = 0; j < network->unit[i].count; j++) {
            const struct link *link = &network->unit[i].links[j];
            uint64_t size = (uint64_t)llabs(link->weight);
            largest = size > largest && link->from < network->inputs ? size : largest;
        }
    while (largest >> (bits - 1))
        bits++;
    return bits;
}

static tlu_status make(const tlu_model *model, const tlu_quantize_settings *settings,
                       const tlu_options *options, struct ones *rows,
                       tlu_quantization *quantization, tlu_error *error)
{
    struct planes planes;
    struct rounded rounded = {0};
    tlu_network *network = NULL;
    TRY(planes_of(model, &planes, error));
    if (settings->path)
        TRY(ones_read(rows, model, settings->path, options, error));
    tlu_status status = planes_round(&planes, rows, settings->bits, &rounded, error);
    if (status == TLU_OK)
        status = planes_network(&planes, &rounded, &network, error);
    if (status == TLU_OK)
        status = count_differences(&planes, network, rows, &quantization->differences, error);
    if (status == TLU_OK) {
        quantization->bits = bits_of(network);
        quantization->exact = rounded.exact;
        quantization->rows = rows->count;
        quantization->network = network;
    } else {
        network_free(network);
    }
    rounded_free(&rounded);
    return status;
}

static tlu_status check_bits(unsigned bits, tlu_error *error)
{
    if (bits && (bits < BITS_MIN || bits > BITS_MAX))
        return error_input(error, "weights have %d to %d bits, not %u", BITS_MIN, BITS_MAX, bits);
    return TLU_OK;
}

tlu_status tlu_quantize(const tlu_model *model, const tlu_quantize_settings *settings,
                        const tlu_options *options, tlu_quantization **quantization,
                        tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_quantize_settings own;
    struct ones rows = {0};
    *quantization = NULL;
    TRY(settings_take(&own, sizeof own, settings, "tlu_quantize_settings", error));
    TRY(check_bits(own.bits, error));
    tlu_quantization *made = memory_new(1, sizeof *made);
    TRY(enough_memory(made, error));
    tlu_status status = make(model, &own, options, &rows, made, error);
    ones_free(&rows);
    if (status == TLU_OK)
        *quantization = made;
    else
        memory_free(made);
    return status;
}

void tlu_quantization_free(tlu_quantization *quantization)
{
    if (quantization)
        network_free((tlu_network *)quantization->network);
    memory_free(quantization);
}
