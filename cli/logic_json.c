// A Boolean function and what it is as units, for programs.
#include "json.h"
#include "logic.h"
#include "text.h"
#include "tlu_logic.h"

#include <stdlib.h>

static size_t rows_of(const tlu_function *function)
{
    return (size_t)1 << tlu_function_input_count(function);
}

static void put_table(struct json *json, const tlu_function *function, size_t output)
{
    char *text = need(calloc(rows_of(function) + 1, 1));
    for (size_t row = 0; row < rows_of(function); row++)
        text[row] = "-01"[tlu_function_value(function, output, row) + 1];
    json_text(json, "table", text);
    free(text);
}

static void put_weights(struct json *json, const tlu_threshold_unit *unit)
{
    json_array(json, "weights");
    for (size_t i = 0; i < unit->inputs; i++)
        json_whole(json, NULL, unit->weights[i]);
    json_end(json);
    json_whole(json, "threshold", unit->threshold);
    json_bool(json, "smallest", unit->smallest);
}

static void put_contradiction(struct json *json, const tlu_function *function, size_t output,
                              const tlu_threshold_unit *unit)
{
    json_array(json, "contradiction");
    for (size_t k = 0; k < unit->count; k++) {
        char bits[64] = "";
        for (size_t i = 0; i < unit->inputs; i++)
            bits[i] = unit->rows[k] >> (unit->inputs - 1 - i) & 1 ? '1' : '0';
        json_object(json, NULL);
        json_count(json, "row", unit->rows[k]);
        json_text(json, "inputs", bits);
        json_count(json, "value", (uint64_t)tlu_function_value(function, output, unit->rows[k]));
        json_whole(json, "times", unit->times[k]);
        json_end(json);
    }
    json_end(json);
}

static void put_output(struct json *json, const tlu_function *function, size_t output,
                       const tlu_threshold_unit *unit)
{
    json_object(json, NULL);
    json_text(json, "name", tlu_function_output_name(function, output));
    put_table(json, function, output);
    json_bool(json, "threshold_function", unit->is_threshold);
    json_array(json, "unneeded");
    for (size_t i = 0; i < unit->inputs; i++)
        if (!unit->needed[i])
            json_text(json, NULL, tlu_function_input_name(function, i));
    json_end(json);
    if (unit->is_threshold)
        put_weights(json, unit);
    else
        put_contradiction(json, function, output, unit);
    json_end(json);
}

static int write_raw(void *context, const char *bytes, size_t size)
{
    json_raw(context, bytes, size);
    return 0;
}

static void put_network(struct json *json, const tlu_realisation *realisation)
{
    tlu_error error;
    json_count(json, "units", realisation->network_units);
    json_count(json, "hidden", realisation->hidden);
    json_bool(json, "fewest", realisation->fewest);
    json_bool(json, "stopped", realisation->stopped);
    json_name(json, "network");
    if (tlu_network_write(realisation->network, "json", write_raw, json, &error) != TLU_OK)
        json_raw(json, "null", 4);
}

void logic_print_json(const tlu_function *function, const tlu_realisation *realisation)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_array(&json, "inputs");
    for (size_t i = 0; i < tlu_function_input_count(function); i++)
        json_text(&json, NULL, tlu_function_input_name(function, i));
    json_end(&json);
    json_array(&json, "outputs");
    for (size_t i = 0; i < realisation->outputs; i++)
        put_output(&json, function, i, realisation->units[i]);
    json_end(&json);
    if (realisation->network)
        put_network(&json, realisation);
    json_end(&json);
}
