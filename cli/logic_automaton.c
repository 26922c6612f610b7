// tlu logic with --regex, --automaton or --kiss2: an automaton as a network of units and delays.
#include "cli.h"
#include "logic.h"
#include "networks.h"

static const char *const kinds[] = {"regex", "automaton", "kiss2"};
#define KINDS (COUNT_OF(kinds))

bool logic_is_automaton(const struct arguments *arguments)
{
    for (size_t i = 0; i < KINDS; i++)
        if (arguments_given(arguments, kinds[i]))
            return true;
    return false;
}

tlu_status logic_load_automaton(const struct arguments *arguments, tlu_automaton **automaton,
                                tlu_error *error)
{
    size_t given = 0, last = 0;
    *automaton = NULL;
    for (size_t i = 0; i < KINDS; i++)
        if (arguments_given(arguments, kinds[i])) {
            given++;
            last = i;
        }
    if (given != 1)
        return fail_input(error, "--regex, --automaton and --kiss2 cannot be combined, because "
                                 "each gives an automaton; choose one");
    const char *text = arguments_text(arguments, kinds[last]);
    if (last == 0)
        return tlu_automaton_from_regex(text, automaton, error);
    return tlu_automaton_load(text, last == 1 ? "table" : "kiss2", automaton, error);
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    static const char *const others[] = {"table", "pla",  "names",  "smallest",
                                         "learn", "rate", "epochs", "steps"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (arguments_given(arguments, others[i]))
            return fail_input(
                error,
                "--%s is about a function and cannot be combined with an automaton; remove one",
                others[i]);
    if (arguments->positional_count)
        return fail_input(error, "an expression cannot be combined with an automaton; remove one");
    const char *path = arguments_text(arguments, "output");
    const char *net = arguments_text(arguments, "check");
    if (net && (path || arguments_given(arguments, "as") ||
                arguments_given(arguments, "encoding") || arguments_given(arguments, "letters")))
        return fail_input(error, "--check reads a network and writes none; remove --as, --output, "
                                 "--encoding and --letters");
    if (arguments_given(arguments, "kiss2") && arguments_given(arguments, "letters"))
        return fail_input(error, "--letters cannot be combined with --kiss2: the inputs are those "
                                 "of the machine; remove it");
    for (size_t i = 1; i < KINDS; i++)
        TRY(refuse_overwriting(path, arguments_text(arguments, kinds[i]), error));
    return TLU_OK;
}

#define STATES_SHOWN 40 // of a table
#define WIDTH_MAX 100   // likewise
#define NAME_WIDTH 24   // of a column
#define DELAYS_SHOWN 32

static const char *shown(const char *name)
{
    return text_clip(name, NAME_WIDTH);
}

// ---- the table: a row per state, a column per symbol or group of symbols that do the same

struct state_table {
    size_t count;
    size_t *first;  // [count] the symbol that a column stands for
    char **heading; // [count]
    int *width;     // [count]
    int state_width, whole;
};

static bool same_column(const tlu_automaton *automaton, size_t a, size_t b)
{
    for (size_t i = 0; i < tlu_automaton_get_facts(automaton)->states; i++) {
        const char *x = tlu_automaton_outputs(automaton, i, a);
        const char *y = tlu_automaton_outputs(automaton, i, b);
        if (tlu_automaton_next(automaton, i, a) != tlu_automaton_next(automaton, i, b) ||
            (x && strcmp(x, y) != 0))
            return false;
    }
    return true;
}

// "b c", or "0-1 11-"
static char *add_heading(char *heading, const char *symbol)
{
    size_t before = heading ? strlen(heading) : 0;
    const char *name = shown(strcmp(symbol, " ") == 0 ? "blank" : symbol);
    heading = need(realloc(heading, before + strlen(name) + 2));
    sprintf(heading + before, "%s%s", before ? " " : "", name);
    return heading;
}

// "q1", or "q1/01" with outputs
static const char *cell_text(const tlu_automaton *automaton, size_t state, size_t symbol)
{
    const char *outputs = tlu_automaton_outputs(automaton, state, symbol);
    size_t next = tlu_automaton_next(automaton, state, symbol);
    return format_text("%s%s%.*s", shown(tlu_automaton_state_name(automaton, next)),
                       outputs ? "/" : "", WIDTH_MAX, outputs ? outputs : "");
}

static void find_columns(struct state_table *columns, const tlu_automaton *automaton)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    columns->first = need(calloc(facts->symbols + 1, sizeof *columns->first));
    columns->heading = need(calloc(facts->symbols + 1, sizeof *columns->heading));
    columns->width = need(calloc(facts->symbols + 1, sizeof *columns->width));
    for (size_t symbol = 0; symbol < facts->symbols; symbol++) {
        size_t at = 0;
        while (at < columns->count && !same_column(automaton, columns->first[at], symbol))
            at++;
        if (at == columns->count)
            columns->first[columns->count++] = symbol;
        columns->heading[at] =
            add_heading(columns->heading[at], tlu_automaton_symbol_name(automaton, symbol));
    }
}

static void find_widths(struct state_table *columns, const tlu_automaton *automaton)
{
    size_t states = tlu_automaton_get_facts(automaton)->states;
    columns->state_width = 5;
    for (size_t i = 0; i < states; i++) {
        int width = (int)text_width(shown(tlu_automaton_state_name(automaton, i)));
        columns->state_width = width > columns->state_width ? width : columns->state_width;
    }
    columns->whole = columns->state_width;
    for (size_t c = 0; c < columns->count; c++) {
        columns->width[c] = (int)text_width(columns->heading[c]);
        for (size_t i = 0; i < states; i++) {
            int width = (int)text_width(cell_text(automaton, i, columns->first[c]));
            columns->width[c] = width > columns->width[c] ? width : columns->width[c];
        }
        columns->whole += columns->width[c] + 2;
    }
}

static void columns_free(struct state_table *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        free(columns->heading[i]);
    free(columns->first);
    free(columns->heading);
    free(columns->width);
}

static void print_cell(const char *text, int width)
{
    printf("  ");
    text_write_column(stdout, text, width);
}

static void print_columns(const struct state_table *columns, const tlu_automaton *automaton,
                          tlu_equivalence *equivalence)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    text_write_column(stdout, "state", columns->state_width);
    for (size_t c = 0; c < columns->count; c++)
        print_cell(columns->heading[c], columns->width[c]);
    printf("%s  delays\n", facts->outputs ? "" : "  accept");
    for (size_t i = 0; i < facts->states; i++) {
        const char *delays = tlu_equivalence_delays(equivalence, i);
        text_write_column(stdout, shown(tlu_automaton_state_name(automaton, i)),
                          columns->state_width);
        for (size_t c = 0; c < columns->count; c++)
            print_cell(cell_text(automaton, i, columns->first[c]), columns->width[c]);
        if (!facts->outputs)
            print_cell(tlu_automaton_is_accepting(automaton, i) ? "yes" : "no", 6);
        printf("  %s\n", delays && strlen(delays) <= DELAYS_SHOWN ? delays : "");
    }
    printf("\n");
}

static void print_table(const tlu_automaton *automaton, tlu_equivalence *equivalence)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    struct state_table columns = {0};
    if (facts->states <= STATES_SHOWN && facts->symbols <= 1024) {
        find_columns(&columns, automaton);
        find_widths(&columns, automaton);
    }
    if (columns.first && columns.whole <= WIDTH_MAX)
        print_columns(&columns, automaton, equivalence);
    else
        printf("table      too large to be printed (--json has it)\n");
    columns_free(&columns);
}

// ---- the rest

// "symbols    a b other"
static void print_names(const char *title, const char *const *names, size_t count,
                        const char *after)
{
    size_t column = 11;
    printf("%-11s", title);
    for (size_t i = 0; i < count; i++) {
        const char *name = shown(names[i]);
        if (column + text_width(name) > 78) {
            printf("\n%11s", "");
            column = 11;
        }
        column += text_width(name) + 1;
        printf("%s%s", name, i + 1 < count ? " " : "");
    }
    printf("%s\n", after);
}

static void print_lines(const tlu_automaton *automaton, const tlu_network *network)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    size_t inputs = tlu_network_input_count(network), outputs = tlu_network_output_count(network);
    size_t most = inputs > outputs ? inputs : outputs;
    const char **names =
        need(calloc((most > facts->symbols ? most : facts->symbols) + 1, sizeof *names));
    if (!facts->outputs) {
        for (size_t i = 0; i < facts->symbols; i++)
            names[i] = tlu_automaton_symbol_name(automaton, i);
        bool regex = strcmp(facts->notation, "regex") == 0;
        print_names("symbols", names, facts->symbols, regex ? " (any other character)" : "");
    } else {
        for (size_t i = 0; i < inputs; i++)
            names[i] = tlu_network_input_name(network, i);
        print_names("inputs", names, inputs, "");
        for (size_t i = 0; i < outputs; i++)
            names[i] = tlu_network_output_name(network, i);
        print_names("outputs", names, outputs, "");
    }
    free(names);
}

static void print_facts(const tlu_automaton *automaton, const tlu_network *network)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    bool regex = strcmp(facts->notation, "regex") == 0;
    printf("states     %zu %s, %zu %s, %zu minimal\n", facts->states_given,
           regex ? "of the expression" : "in the file", facts->states_deterministic,
           facts->outputs ? "can be reached" : "made deterministic", facts->states);
    if (facts->completed)
        printf("completed  %zu pairs of a state and inputs have no next state in the file: it "
               "stays as it is\n",
               facts->completed);
    print_lines(automaton, network);
    printf("\n");
}

// The states in which the delay is 1.
static void print_delay(const tlu_automaton *automaton, const tlu_network *network,
                        tlu_equivalence *equivalence, size_t delay)
{
    const char *start = tlu_equivalence_delays(equivalence, 0);
    bool first = start && start[delay] == '1';
    size_t states = tlu_automaton_get_facts(automaton)->states, count = 0;
    printf("%s%s%s: 1 in", delay ? "           " : "delays     ",
           shown(tlu_network_delay_name(network, delay)), first ? ", 1 at the start" : "");
    for (size_t i = 0; i < states; i++) {
        const char *delays = tlu_equivalence_delays(equivalence, i);
        if (!delays || delays[delay] != '1')
            continue;
        if (count++ < 12)
            printf(" %s", shown(tlu_automaton_state_name(automaton, i)));
    }
    printf("%s\n", count > 12 ? " and others" : count == 0 ? " no state" : "");
}

static void automaton_print_verdict(const tlu_automaton *automaton,
                                    const tlu_equivalence *equivalence)
{
    if (equivalence->equal) {
        printf("equal: %llu pairs of a state and delays x %llu %s checked\n",
               ULL(equivalence->pairs), ULL(equivalence->symbols),
               tlu_automaton_get_facts(automaton)->inputs ? "classes of inputs" : "symbols");
        return;
    }
    const char *text = text_clip(equivalence->text, 300);
    printf("different: after '%s'", text);
    if (equivalence->with_symbol)
        printf(" and while '%s' is read", text_clip(equivalence->with_symbol, 60));
    printf(" the output %s is %d and should be %d\n", text_clip(equivalence->output, 60),
           !equivalence->expected, equivalence->expected);
}

static const char *units_text(char out[200], const tlu_network *network)
{
    snprintf(out, 200, "%s, %s, %s", count_text(tlu_network_unit_count(network), "unit"),
             count_text(tlu_network_delay_count(network), "delay"),
             count_text(tlu_network_input_count(network), "input"));
    return out;
}

static void automaton_print(const tlu_automaton *automaton, const tlu_network *network,
                            tlu_equivalence *equivalence)
{
    char text[200];
    size_t delays = tlu_network_delay_count(network);
    print_facts(automaton, network);
    print_table(automaton, equivalence);
    printf("network    %s\n", units_text(text, network));
    for (size_t i = 0; i < delays && delays <= DELAYS_SHOWN; i++)
        print_delay(automaton, network, equivalence, i);
    if (delays > DELAYS_SHOWN)
        printf("delays     too many to be printed (--json has them)\n");
    printf("proof      ");
    automaton_print_verdict(automaton, equivalence);
}

// ---- JSON

static void json_states(struct json *json, const tlu_automaton *automaton,
                        tlu_equivalence *equivalence)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    json_array(json, "states");
    for (size_t i = 0; i < facts->states; i++) {
        json_object(json, NULL);
        json_text(json, "name", tlu_automaton_state_name(automaton, i));
        if (!facts->outputs)
            json_bool(json, "accept", tlu_automaton_is_accepting(automaton, i));
        json_text(json, "delays", tlu_equivalence_delays(equivalence, i));
        json_array(json, "next");
        for (size_t symbol = 0; symbol < facts->symbols; symbol++)
            json_count(json, NULL, tlu_automaton_next(automaton, i, symbol));
        json_end(json);
        if (facts->outputs) {
            json_array(json, "outputs");
            for (size_t symbol = 0; symbol < facts->symbols; symbol++)
                json_text(json, NULL, tlu_automaton_outputs(automaton, i, symbol));
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

static void json_proof(struct json *json, const tlu_equivalence *equivalence)
{
    json_object(json, "proof");
    json_bool(json, "equal", equivalence->equal);
    json_count(json, "pairs", equivalence->pairs);
    json_count(json, "letters", equivalence->symbols);
    if (!equivalence->equal) {
        json_text(json, "string", equivalence->text);
        json_text(json, "with_letter", equivalence->with_symbol);
        json_text(json, "output", equivalence->output);
        json_bool(json, "expected", equivalence->expected);
    }
    json_end(json);
}

static void automaton_print_json(const tlu_automaton *automaton, const tlu_network *network,
                                 tlu_equivalence *equivalence)
{
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "notation", facts->notation);
    json_count(&json, "states_given", facts->states_given);
    json_count(&json, "states_deterministic", facts->states_deterministic);
    json_count(&json, "states_minimal", facts->states);
    if (facts->outputs)
        json_count(&json, "completed", facts->completed);
    json_array(&json, "letters");
    for (size_t i = 0; i < facts->symbols; i++)
        json_text(&json, NULL, tlu_automaton_symbol_name(automaton, i));
    json_end(&json);
    json_states(&json, automaton, equivalence);
    json_object(&json, "network");
    json_count(&json, "units", tlu_network_unit_count(network));
    json_count(&json, "delays", tlu_network_delay_count(network));
    json_count(&json, "inputs", tlu_network_input_count(network));
    json_count(&json, "outputs", tlu_network_output_count(network));
    json_end(&json);
    json_proof(&json, equivalence);
    json_end(&json);
}

// ---- the answer

static tlu_status answer(const struct arguments *arguments, const tlu_automaton *automaton,
                         const tlu_network *network, tlu_equivalence *equivalence, tlu_error *error)
{
    const char *language = arguments_text(arguments, "as");
    const char *path = arguments_text(arguments, "output");
    if (!equivalence->equal)
        verb_answer = ANSWER_NO;
    if (language || path)
        TRY(network_print(network, language ? language : "text", path, error));
    if ((language && !path) || (path && strcmp(path, "-") == 0))
        return TLU_OK; // the network is on standard output, and nothing else should be
    if (arguments_flag(arguments, "json"))
        automaton_print_json(automaton, network, equivalence);
    else if (arguments_flag(arguments, "quiet") || arguments_given(arguments, "check"))
        automaton_print_verdict(automaton, equivalence);
    else
        automaton_print(automaton, network, equivalence);
    return TLU_OK;
}

tlu_status logic_automaton(const struct arguments *arguments, tlu_error *error)
{
    tlu_automaton *automaton = NULL;
    tlu_network *network = NULL;
    tlu_equivalence *equivalence = NULL;
    const char *net = arguments_text(arguments, "check");
    TRY(check_together(arguments, error));
    tlu_status status = logic_load_automaton(arguments, &automaton, error);
    if (status == TLU_OK && net)
        status = tlu_network_load(net, &network, error);
    else if (status == TLU_OK)
        status = tlu_network_from_automaton(automaton, arguments_text(arguments, "encoding"),
                                            tlu_automaton_get_facts(automaton)->inputs
                                                ? NULL
                                                : arguments_text(arguments, "letters"),
                                            &network, error);
    if (status == TLU_OK)
        status = tlu_equivalence_check(automaton, network, &equivalence, error);
    if (status == TLU_OK)
        status = answer(arguments, automaton, network, equivalence, error);
    tlu_equivalence_free(equivalence);
    tlu_network_free(network);
    tlu_automaton_free(automaton);
    return status;
}
