// The inputs and outputs of the control of a Turing machine, found by their names.
#include "base/memory.h"
#include "logic/turing/turing.h"

#include <string.h>

void ports_free(struct turing_ports *ports)
{
    memory_free(ports->read);
    memory_free(ports->write);
}

// The name without its prefix; NULL: the name has another beginning.
static const char *after_prefix(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static tlu_status no_input(const char *symbol, tlu_error *error)
{
    char shown[64];
    return error_input(error, "the network has no input '" READ_PREFIX "%s'; add it",
                       error_quote(shown, sizeof shown, symbol, strlen(symbol)));
}

static tlu_status no_output(const char *prefix, const char *name, tlu_error *error)
{
    char shown[64];
    return error_input(error, "the network has no output '%s%s'; add it", prefix,
                       error_quote(shown, sizeof shown, name, strlen(name)));
}

tlu_status ports_symbols(struct table *symbols, const tlu_network *network, tlu_error *error)
{
    char shown[64];
    if (network->inputs == 0)
        return error_input(error, "the network has no inputs; that of a Turing machine has an "
                                  "input '" READ_PREFIX "X' for each symbol X");
    for (size_t i = 0; i < network->inputs; i++) {
        const char *name = network->input_names[i], *symbol = after_prefix(name, READ_PREFIX);
        if (!symbol || !*symbol || strpbrk(symbol, " \t\r\n\f\v"))
            return error_input(error,
                               "the input '%s' of the network is not a symbol of a Turing machine; "
                               "such inputs are called " READ_PREFIX
                               "X, and X is a word without blanks",
                               error_quote(shown, sizeof shown, name, strlen(name)));
        uint32_t number = table_add(symbols, symbol, strlen(symbol));
        TRY(enough_memory(number != TABLE_NONE, error));
        if (number != i)
            return error_input(error, "two inputs of the network have the same name; rename one");
    }
    return TLU_OK;
}

static tlu_status find_inputs(struct turing_ports *ports, const struct table *symbols,
                              const tlu_network *network, tlu_error *error)
{
    struct table own = {0};
    tlu_status status = ports_symbols(&own, network, error);
    for (uint32_t i = 0; status == TLU_OK && i < symbols->count; i++) {
        const char *symbol = table_text(symbols, i);
        ports->read[i] = table_find(&own, symbol, table_length(symbols, i));
        if (ports->read[i] == TABLE_NONE)
            status = no_input(symbol, error);
    }
    if (status == TLU_OK && own.count != symbols->count)
        status = error_input(error,
                             "the network has %u inputs, the machine has %u symbols; give it an "
                             "input for each symbol",
                             (unsigned)own.count, (unsigned)symbols->count);
    table_free(&own);
    return status;
}

static tlu_status find_outputs(struct turing_ports *ports, const struct table *symbols,
                               const tlu_network *network, tlu_error *error)
{
    uint32_t *const single[] = {&ports->left, &ports->right, &ports->halt, &ports->accept};
    static const char *const names[] = {"left", "right", "halt", "accept"};
    for (size_t i = 0; i < network->outputs; i++) {
        const char *name = network->output[i].name, *symbol = after_prefix(name, WRITE_PREFIX);
        uint32_t number = symbol ? table_find(symbols, symbol, strlen(symbol)) : TABLE_NONE;
        if (number != TABLE_NONE)
            ports->write[number] = network->output[i].from;
        for (size_t j = 0; j < 4; j++)
            if (strcmp(name, names[j]) == 0)
                *single[j] = network->output[i].from;
    }
    for (uint32_t i = 0; i < symbols->count; i++)
        if (ports->write[i] == SIGNAL_NONE)
            return no_output(WRITE_PREFIX, table_text(symbols, i), error);
    for (size_t j = 0; j < 3; j++)
        if (*single[j] == SIGNAL_NONE)
            return no_output("", names[j], error);
    return TLU_OK;
}

tlu_status ports_find(struct turing_ports *ports, const struct table *symbols,
                      const tlu_turing *machine, const tlu_network *network, tlu_error *error)
{
    ports->left = ports->right = ports->halt = ports->accept = SIGNAL_NONE;
    ports->read = memory_new(symbols->count + (size_t)1, sizeof *ports->read);
    ports->write = memory_new(symbols->count + (size_t)1, sizeof *ports->write);
    TRY(enough_memory(ports->read && ports->write, error));
    for (size_t i = 0; i < symbols->count; i++)
        ports->write[i] = SIGNAL_NONE;
    TRY(find_inputs(ports, symbols, network, error));
    TRY(find_outputs(ports, symbols, network, error));
    if (machine && machine->facts.accept != TLU_NONE && ports->accept == SIGNAL_NONE)
        return no_output("", "accept", error);
    return TLU_OK;
}

struct turing_outputs turing_outputs(const tlu_turing *machine, uint32_t state, uint32_t symbol)
{
    const struct turing_row *row = turing_find(machine, state, symbol);
    bool accept = state == machine->facts.accept;
    if (!row)
        return (struct turing_outputs){
            .write = TURING_NONE, .halt = true, .accept = accept, .next = state};
    return (struct turing_outputs){.write = row->write,
                                   .left = row->move<0, .right = row->move> 0,
                                   .accept = accept,
                                   .next = row->next};
}
