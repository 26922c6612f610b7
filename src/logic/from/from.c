#include "logic/from/from.h"

#include "base/call/fp_env.h"
#include "base/error.h"
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

static tlu_status make(const tlu_model *model, struct ones *rows, const tlu_options *options,
                       tlu_units *units, tlu_network **network, tlu_error *error)
{
    struct planes planes;
    struct rounded rounded = {0};
    TRY(planes_of(model, &planes, error));
    if (units->data)
        TRY(ones_read(rows, model, units->data, options, error));
    tlu_status status = planes_round(&planes, rows, units->bits, &rounded, error);
    if (status == TLU_OK)
        status = planes_network(&planes, &rounded, network, error);
    if (status == TLU_OK)
        status = count_differences(&planes, *network, rows, &units->differences, error);
    if (status == TLU_OK) {
        units->bits_used = bits_of(*network);
        units->exact = rounded.exact;
        units->rows = rows->count;
    } else {
        network_free(*network);
        *network = NULL;
    }
    rounded_free(&rounded);
    return status;
}

static tlu_status check_bits(const tlu_units *units, tlu_error *error)
{
    if (units->bits && (units->bits < BITS_MIN || units->bits > BITS_MAX))
        return error_input(error, "weights have %d to %d bits, not %u", BITS_MIN, BITS_MAX,
                           (unsigned)units->bits);
    return TLU_OK;
}

tlu_status tlu_quantize(const tlu_model *model, const tlu_options *options, tlu_units *units,
                        tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_units own;
    struct ones rows = {0};
    tlu_network *made = NULL;
    *network = NULL;
    TRY(settings_take(&own, sizeof own, units, "tlu_units", error));
    TRY(check_bits(&own, error));
    tlu_status status = make(model, &rows, options, &own, &made, error);
    ones_free(&rows);
    TRY(status);
    settings_give(units, &own);
    *network = made;
    return TLU_OK;
}
