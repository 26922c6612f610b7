// tlu logic --turing: builds the control of a Turing machine as a network of units and delays.
#include "cli.h"
#include "logic.h"
#include "networks.h"
#include "table.h"

tlu_status logic_refuse_others(const struct arguments *arguments, const char *with,
                               const char *allowed, tlu_error *error)
{
    for (size_t i = 0; i < arguments->verb->option_count; i++) {
        const char *name = arguments->verb->options[i].name;
        if (arguments_given(arguments, name) && !list_has(allowed, ' ', name))
            return fail_input(error, "--%s cannot be combined with --%s; remove one", name, with);
    }
    return TLU_OK;
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    TRY(logic_refuse_others(arguments, "turing", "turing encoding as output check json quiet",
                            error));
    if (arguments->positional_count)
        return fail_input(error, "an expression cannot be combined with --turing; remove one");
    const char *path = arguments_text(arguments, "output");
    if (arguments_given(arguments, "check") &&
        (path || arguments_given(arguments, "as") || arguments_given(arguments, "encoding")))
        return fail_input(error, "--check reads a network and writes none; remove --as, --output "
                                 "and --encoding");
    return refuse_overwriting(path, arguments_text(arguments, "turing"), error);
}

#define CELLS_SHOWN 400 // larger tables are not printed
#define WIDTH_MAX 100   // nor are wider ones
#define NAME_WIDTH 24   // maximum width of a column
#define DELAYS_SHOWN 32

static const char *shown(const char *name)
{
    return text_clip(name, NAME_WIDTH);
}

// "1 R carry", or "halt"
static const char *row_text(const tlu_turing *machine, size_t state, size_t symbol)
{
    size_t next = tlu_turing_next(machine, state, symbol);
    if (next == TLU_NONE)
        return "halt";
    return format_text(
        "%s %c %s",
        shown(tlu_turing_symbol_name(machine, tlu_turing_written(machine, state, symbol))),
        "LSR"[tlu_turing_move(machine, state, symbol) + 1],
        shown(tlu_turing_state_name(machine, next)));
}

static void print_line(struct text_table *table, const tlu_turing *machine,
                       tlu_turing_equivalence *equivalence, size_t state)
{
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    table_begin_cell(table, "state", false);
    table_add(table, shown(tlu_turing_state_name(machine, state)));
    for (size_t symbol = 0; symbol < facts->symbols; symbol++) {
        table_begin_cell(table, shown(tlu_turing_symbol_name(machine, symbol)), false);
        table_add(table, row_text(machine, state, symbol));
    }
    const char *delays = tlu_turing_equivalence_delays(equivalence, state);
    table_begin_cell(table, "delays", false);
    table_add(table, delays && strlen(delays) <= DELAYS_SHOWN ? delays : "");
    table_end_row(table);
}

static void print_table(const tlu_turing *machine, tlu_turing_equivalence *equivalence)
{
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    struct text_table table;
    if (facts->symbols > 8 || facts->states > CELLS_SHOWN / facts->symbols) {
        printf("table      too large to print; --json prints it\n\n");
        return;
    }
    table_open(&table, stdout, "text");
    table.heading = true;
    print_line(&table, machine, equivalence, 0);
    table.heading = false;
    for (size_t state = 0; state < facts->states; state++)
        print_line(&table, machine, equivalence, state);
    table_close(&table);
    printf("\n");
}

static void print_symbols(const tlu_turing *machine)
{
    size_t column = 11;
    printf("symbols    ");
    for (size_t i = 0; i < tlu_turing_get_facts(machine)->symbols; i++) {
        const char *name = shown(tlu_turing_symbol_name(machine, i));
        if (column + text_width(name) > 78) {
            printf("\n%11s", "");
            column = 11;
        }
        column += text_width(name) + 1;
        printf("%s%s", i ? " " : "", name);
    }
    printf("; the first is the blank\n");
}

static void print_verdict(const tlu_turing *machine, const tlu_turing_equivalence *equivalence)
{
    if (equivalence->equal) {
        printf("equal: %llu pairs of a state and delays x %llu symbols checked\n",
               ULL(equivalence->pairs), ULL(equivalence->symbols));
        return;
    }
    printf("different: in state '%s', reading '%s'", shown(equivalence->state),
           shown(equivalence->symbol));
    for (size_t i = 0; i < equivalence->length && i < 20; i++)
        printf("%s'%s'", i ? " " : ", after reading ",
               shown(tlu_turing_symbol_name(machine, equivalence->word[i])));
    printf("%s, the output %s is %d and should be %d\n", equivalence->length > 20 ? " ..." : "",
           text_clip(equivalence->output, 60), !equivalence->expected, equivalence->expected);
}

static void print_answer(const tlu_turing *machine, const tlu_network *network,
                         tlu_turing_equivalence *equivalence)
{
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    printf("states     %zu in the file, %zu reachable, starting in %s\n", facts->states_given,
           facts->states, shown(tlu_turing_state_name(machine, 0)));
    print_symbols(machine);
    printf("rows       %zu", facts->rows);
    if (facts->missing)
        printf("; %s of a state and a symbol without a row: the machine halts there",
               count_text(facts->missing, "pair"));
    printf("\n\n");
    print_table(machine, equivalence);
    printf("network    %s", count_text(tlu_network_unit_count(network), "unit"));
    printf(", %s", count_text(tlu_network_delay_count(network), "delay"));
    printf(", %s", count_text(tlu_network_input_count(network), "input"));
    printf(", %s\n", count_text(tlu_network_output_count(network), "output"));
    printf("proof      ");
    print_verdict(machine, equivalence);
}

// ---- JSON

static void json_rows(struct json *json, const tlu_turing *machine)
{
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    json_array(json, "rows");
    for (size_t state = 0; state < facts->states; state++)
        for (size_t symbol = 0; symbol < facts->symbols; symbol++) {
            size_t next = tlu_turing_next(machine, state, symbol);
            if (next == TLU_NONE)
                continue;
            json_object(json, NULL);
            json_count(json, "state", state);
            json_count(json, "read", symbol);
            json_count(json, "write", tlu_turing_written(machine, state, symbol));
            json_whole(json, "move", tlu_turing_move(machine, state, symbol));
            json_count(json, "next", next);
            json_end(json);
        }
    json_end(json);
}

static void json_names(struct json *json, const tlu_turing *machine,
                       tlu_turing_equivalence *equivalence)
{
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    json_array(json, "symbols");
    for (size_t i = 0; i < facts->symbols; i++)
        json_text(json, NULL, tlu_turing_symbol_name(machine, i));
    json_end(json);
    json_array(json, "states");
    for (size_t i = 0; i < facts->states; i++) {
        json_object(json, NULL);
        json_text(json, "name", tlu_turing_state_name(machine, i));
        json_text(json, "delays", tlu_turing_equivalence_delays(equivalence, i));
        json_end(json);
    }
    json_end(json);
}

static void json_proof(struct json *json, const tlu_turing *machine,
                       const tlu_turing_equivalence *equivalence)
{
    json_object(json, "proof");
    json_bool(json, "equal", equivalence->equal);
    json_count(json, "pairs", equivalence->pairs);
    json_count(json, "symbols", equivalence->symbols);
    if (!equivalence->equal) {
        json_text(json, "state", equivalence->state);
        json_text(json, "symbol", equivalence->symbol);
        json_array(json, "after");
        for (size_t i = 0; i < equivalence->length; i++)
            json_text(json, NULL, tlu_turing_symbol_name(machine, equivalence->word[i]));
        json_end(json);
        json_text(json, "output", equivalence->output);
        json_bool(json, "expected", equivalence->expected);
    }
    json_end(json);
}

static void print_json(const tlu_turing *machine, const tlu_network *network,
                       tlu_turing_equivalence *equivalence)
{
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_count(&json, "states_given", facts->states_given);
    json_count(&json, "states_reachable", facts->states);
    json_count(&json, "missing", facts->missing);
    json_names(&json, machine, equivalence);
    json_rows(&json, machine);
    json_object(&json, "network");
    json_count(&json, "units", tlu_network_unit_count(network));
    json_count(&json, "delays", tlu_network_delay_count(network));
    json_count(&json, "inputs", tlu_network_input_count(network));
    json_count(&json, "outputs", tlu_network_output_count(network));
    json_end(&json);
    json_proof(&json, machine, equivalence);
    json_end(&json);
}

// ---- the answer

static tlu_status answer(const struct arguments *arguments, const tlu_turing *machine,
                         const tlu_network *network, tlu_turing_equivalence *equivalence,
                         tlu_error *error)
{
    const char *language = arguments_text(arguments, "as");
    const char *path = arguments_text(arguments, "output");
    if (!equivalence->equal)
        verb_answer = ANSWER_NO;
    if (language || path)
        TRY(network_print(network, language ? language : "text", path, error));
    if ((language && !path) || (path && strcmp(path, "-") == 0))
        return TLU_OK; // standard output has the network and must have nothing else
    if (arguments_flag(arguments, "json"))
        print_json(machine, network, equivalence);
    else if (arguments_flag(arguments, "quiet") || arguments_given(arguments, "check"))
        print_verdict(machine, equivalence);
    else
        print_answer(machine, network, equivalence);
    return TLU_OK;
}

tlu_status logic_turing(const struct arguments *arguments, tlu_error *error)
{
    tlu_turing *machine = NULL;
    tlu_network *network = NULL;
    tlu_turing_equivalence *equivalence = NULL;
    const char *net = arguments_text(arguments, "check");
    tlu_status status = check_together(arguments, error);
    if (status == TLU_OK)
        status = tlu_turing_load(arguments_text(arguments, "turing"), &machine, error);
    if (status == TLU_OK && net)
        status = tlu_network_load(net, &network, error);
    else if (status == TLU_OK)
        status = tlu_network_from_turing(machine, arguments_text(arguments, "encoding"), &network,
                                         error);
    if (status == TLU_OK)
        status = tlu_turing_equivalence_check(machine, network, &equivalence, error);
    if (status == TLU_OK)
        status = answer(arguments, machine, network, equivalence, error);
    tlu_turing_equivalence_free(equivalence);
    tlu_network_free(network);
    tlu_turing_free(machine);
    return status;
}
