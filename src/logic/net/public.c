// What tlu.h has about networks.
#include "base/call/callback.h"
#include "base/error.h"
#include "base/memory.h"
#include "logic/network.h"
#include "tlu_logic.h"

tlu_status tlu_network_load(const char *path, tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *network = NULL;
    TRY(check_given(path != NULL, "path", error));
    return network_read(path, network, error);
}

tlu_status tlu_network_parse(const char *bytes, size_t size, const char *name,
                             tlu_network **network, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *network = NULL;
    TRY(check_given(bytes || !size, "text", error));
    return network_parse(size ? bytes : "", size, name, network, error);
}

tlu_status tlu_network_write(const tlu_network *network, const char *language,
                             tlu_write_function write, void *context, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(language != NULL, "language", error));
    TRY(check_given(write != NULL, "function to write with", error));
    struct callback own;
    CALLBACK(own, write, write, context, caller);
    return network_write(network, language, write, context, error);
}

size_t tlu_network_input_count(const tlu_network *network)
{
    return network->inputs;
}

size_t tlu_network_output_count(const tlu_network *network)
{
    return network->outputs;
}

size_t tlu_network_delay_count(const tlu_network *network)
{
    return network->delays;
}

size_t tlu_network_unit_count(const tlu_network *network)
{
    return network->units;
}

const char *tlu_network_input_name(const tlu_network *network, size_t input)
{
    return input < network->inputs ? network->input_names[input] : NULL;
}

const char *tlu_network_output_name(const tlu_network *network, size_t output)
{
    return output < network->outputs ? network->output[output].name : NULL;
}

const char *tlu_network_delay_name(const tlu_network *network, size_t delay)
{
    return delay < network->delays ? network->delay[delay].name : NULL;
}

void tlu_network_free(tlu_network *network)
{
    network_free(network);
}

// ---- at work ----

struct tlu_network_run {
    const struct tlu_network *network;
    bool *signals; // [network_signals]
    bool *room;    // [delays]
};

void tlu_network_run_free(tlu_network_run *run)
{
    if (!run)
        return;
    memory_free(run->signals);
    memory_free(run->room);
    memory_free(run);
}

tlu_status tlu_network_run_new(const tlu_network *network, tlu_network_run **run, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct tlu_network_run *made = memory_new(1, sizeof *made);
    TRY(enough_memory(made, error));
    made->network = network;
    made->signals = memory_new(network_signals(network) + 1, sizeof *made->signals);
    made->room = memory_new(network->delays + 1, sizeof *made->room);
    if (!made->signals || !made->room) {
        tlu_network_run_free(made);
        return error_memory(error);
    }
    tlu_network_run_reset(made);
    *run = made;
    return TLU_OK;
}

void tlu_network_run_reset(tlu_network_run *run)
{
    for (size_t i = 0; i < run->network->delays; i++)
        run->signals[signal_of_delay(run->network, i)] = run->network->delay[i].start;
}

void tlu_network_run_step(tlu_network_run *run, const unsigned char *inputs, unsigned char *outputs)
{
    const struct tlu_network *network = run->network;
    for (size_t i = 0; i < network->inputs; i++)
        run->signals[i] = inputs[i] != 0;
    network_settle(network, run->signals);
    for (size_t i = 0; i < network->outputs; i++)
        outputs[i] = run->signals[network->output[i].from];
    network_advance(network, run->signals, run->room);
}
