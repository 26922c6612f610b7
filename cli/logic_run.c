// tlu logic run: feeds strings to a network with delays. (logic_tape.c: runs it on a tape.)
#include "cli.h"
#include "input.h"
#include "logic.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("regex", "REGEX", "run the network of a regular expression"),
    TEXT_OPTION("automaton", "FILE",
                "run the network of a transition table (docs/automaton-format.md)"),
    TEXT_OPTION("kiss2", "FILE",
                "run the network of a KISS2 machine; strings are inputs with blanks between them: "
                "'01 11 00'"),
    CHOICE_OPTION(
        "encoding", "HOW", "", "onehot|binary",
        "how delays hold the state: a delay per state, or its number; without it, the one with "
        "fewer units"),
    FLAG_OPTION("trace", "show each step"),
    TEXT_OPTION(
        "turing", "FILE",
        "run the control of a Turing machine (docs/turing-format.md) on a tape; - is standard "
        "input"),
    TEXT_OPTION(
        "tape", "TEXT",
        "the symbols on the tape from cell 0 on, where the head starts, with blanks between "
        "them unless each is one character; without it, a blank tape"),
    COUNT_OPTION("steps", "N", "10000", 0, COUNT_MAX,
                 "with a tape: stop after N steps, with exit code 4 if it has not halted"),
    CHOICE_OPTION("as", "FORM", "text", "text|markdown|csv|json|latex",
                  "with a tape: how to print the steps"),
    FLAG_OPTION("quiet", "with a tape: print only the outcome"),
    FLAG_OPTION("json", "print one JSON object per string or tape"),
};

struct feeding {
    tlu_automaton_run *run;
    bool json, trace;
    bool accepts; // the network has an output for it
    uint64_t accepted;
};

// ---- one string

static void print_cells(const char *step, const char *symbol, const char *state, const char *delays,
                        int width, const char *last)
{
    printf("%6s  ", step);
    text_write_column(stdout, text_clip(symbol, 14), 14);
    if (state) {
        printf("  ");
        text_write_column(stdout, text_clip(state, 14), 14);
    }
    printf("  %-*s  %s\n", width, delays, last);
}

// Width of the column of delays, with its heading.
static int delays_width(const tlu_automaton_run_state *state)
{
    size_t width = strlen(state->delays);
    return width < 6 ? 6 : width > 100 ? 100 : (int)width;
}

static void print_step(const tlu_automaton_run_state *state)
{
    char number[32];
    const char *verdict = state->accepted ? "yes" : "no";
    const char *symbol = state->symbols == 0 ? "" : state->symbol ? state->symbol : "(no symbol)";
    snprintf(number, sizeof number, "%llu", ULL(state->symbols));
    print_cells(number, symbol, state->state, state->delays, delays_width(state),
                state->accepted < 0 ? state->outputs : verdict);
}

static void print_heading(const tlu_automaton_run_state *state)
{
    print_cells("step", "symbol", state->state ? "state" : NULL, "delays", delays_width(state),
                state->accepted < 0 ? "outputs" : "accept");
}

static void json_step(struct json *json, const tlu_automaton_run_state *state)
{
    json_object(json, NULL);
    json_text(json, "letter", state->symbol);
    json_text(json, "delays", state->delays);
    json_text(json, "outputs", state->outputs);
    if (state->state)
        json_text(json, "state", state->state);
    if (state->accepted >= 0)
        json_bool(json, "accepted", state->accepted);
    json_end(json);
}

static void print_outcome(const char *string, const tlu_automaton_run_state *state,
                          const char *outputs)
{
    text_write_field(stdout, string);
    printf("%s%s", *string ? ": " : "(empty): ",
           state->accepted < 0 ? outputs
           : state->accepted   ? "accepted"
                               : "not accepted");
    if (state->strayed)
        printf(", it has something that is not a symbol");
    else if (state->state)
        printf(", state %s", text_clip(state->state, 40));
    printf("\n");
}

static void json_outcome(struct json *json, const tlu_automaton_run_state *state,
                         const char *outputs)
{
    json_count(json, "letters", state->symbols);
    json_bool(json, "strayed", state->strayed);
    if (state->accepted >= 0)
        json_bool(json, "accepted", state->accepted);
    else
        json_text(json, "outputs", outputs);
    if (state->state)
        json_text(json, "state", state->state);
    json_text(json, "delays", state->delays);
    json_end(json);
}

static void begin_string(const struct feeding *feeding, struct json *json, const char *string)
{
    const tlu_automaton_run_state *state = tlu_automaton_run_get_state(feeding->run);
    if (feeding->json) {
        json_object(json, NULL);
        json_text(json, "string", string);
        if (feeding->trace)
            json_array(json, "steps");
    } else if (feeding->trace) {
        print_heading(state);
        print_step(state);
    }
}

// An acceptor rejects a string with an unknown symbol; a Mealy machine has no output for it.
static tlu_status refuse_symbol(const char *string, uint64_t step, tlu_error *error)
{
    return fail_input(error,
                      "symbol %llu of '%s' is not known to the machine: those of KISS2 are a 0 or "
                      "1 per input, those of a network the names of its inputs",
                      ULL(step), text_clip(string, 60));
}

static tlu_status feed_string(struct feeding *feeding, const char *string, size_t size,
                              tlu_error *error)
{
    struct json json = {.file = stdout};
    char *outputs; // of one step after the other: "01 11 00"
    size_t length;
    FILE *all = need(open_memstream(&outputs, &length));
    const tlu_automaton_run_state *state;
    tlu_automaton_run_reset(feeding->run);
    begin_string(feeding, &json, string);
    state = tlu_automaton_run_get_state(feeding->run);
    for (size_t at = 0, used; at < size && !state->strayed; at += used) {
        used = tlu_automaton_run_feed(feeding->run, string + at, size - at);
        if (used == 0)
            break;
        state = tlu_automaton_run_get_state(feeding->run);
        if (!state->strayed)
            fprintf(all, "%s%s", ftell(all) ? " " : "", state->outputs);
        if (feeding->trace && feeding->json)
            json_step(&json, state);
        else if (feeding->trace)
            print_step(state);
    }
    feeding->accepted += state->accepted > 0;
    feeding->accepts = state->accepted >= 0;
    if (feeding->json && feeding->trace)
        json_end(&json);
    bool refused = state->accepted < 0 && state->strayed;
    if (fclose(all) != 0)
        need(NULL);
    if (feeding->json)
        json_outcome(&json, state, outputs);
    else if (!refused)
        print_outcome(string, state, outputs);
    free(outputs);
    return refused ? refuse_symbol(string, state->symbols, error) : TLU_OK;
}

// ---- all of them

static tlu_status feed_lines(struct feeding *feeding, tlu_error *error)
{
    struct input_line line = {0};
    bool found = true;
    tlu_status status = TLU_OK;
    // Stops at the first failed write, because the input may be endless.
    while (status == TLU_OK && !ferror(stdout) &&
           (status = input_next(&line, &found, error)) == TLU_OK && found) {
        if (line.text[line.size - 1] == '\n')
            line.text[--line.size] = '\0';
        status = feed_string(feeding, line.text, line.size, error);
    }
    free(line.text);
    return status;
}

static tlu_status feed_all(const struct arguments *arguments, struct feeding *feeding,
                           bool first_is_string, tlu_error *error)
{
    bool given = first_is_string && arguments->positional_count;
    const char *first = given ? arguments->positional[0] : NULL;
    tlu_status status = TLU_OK;
    if (!given && !arguments->repeated_count)
        return feed_lines(feeding, error);
    if (given)
        status = feed_string(feeding, first, strlen(first), error);
    for (size_t i = 0; status == TLU_OK && i < arguments->repeated_count; i++)
        status =
            feed_string(feeding, arguments->repeated[i], strlen(arguments->repeated[i]), error);
    return status;
}

static tlu_status find_network(const struct arguments *arguments, tlu_automaton **automaton,
                               tlu_network **network, tlu_error *error)
{
    if (logic_is_automaton(arguments)) {
        tlu_status status = logic_load_automaton(arguments, automaton, error);
        if (status != TLU_OK)
            return status;
        return tlu_network_from_automaton(*automaton, arguments_text(arguments, "encoding"), NULL,
                                          network, error);
    }
    if (arguments_given(arguments, "encoding"))
        return fail_input(error, "--encoding needs --regex, --automaton, --kiss2 or --turing: a "
                                 "network has its own; remove it");
    if (!arguments->positional_count)
        return fail_input(error, "logic run needs NET, --regex, --automaton, --kiss2 or --turing; "
                                 "see tlu logic run --help");
    return tlu_network_load(arguments->positional[0], network, error);
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    static const char *const tape[] = {"steps", "as", "quiet"};
    for (size_t i = 0; i < COUNT_OF(tape); i++)
        if (arguments_given(arguments, tape[i]))
            return fail_input(error, "--%s needs --turing or --tape; add one", tape[i]);
    return TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    if (logic_is_tape(arguments))
        return logic_run_tape(arguments, error);
    tlu_automaton *automaton = NULL;
    tlu_network *network = NULL;
    struct feeding feeding = {.json = arguments_flag(arguments, "json"),
                              .trace = arguments_flag(arguments, "trace")};
    tlu_status status = check_together(arguments, error);
    if (status == TLU_OK)
        status = find_network(arguments, &automaton, &network, error);
    if (status == TLU_OK)
        status = tlu_automaton_run_new(automaton, network, &feeding.run, error);
    if (status == TLU_OK)
        status = feed_all(arguments, &feeding, automaton != NULL, error);
    if (status == TLU_OK && feeding.accepts && !feeding.accepted)
        verb_answer = ANSWER_NO;
    tlu_automaton_run_free(feeding.run);
    tlu_network_free(network);
    tlu_automaton_free(automaton);
    return status;
}

const struct verb logic_run_verb = {
    .name = "logic-run",
    .summary = "feed strings, or a tape, to a network with delays",
    .description =
        "Feeds strings, symbol by symbol, to a network of threshold units and delays, and prints "
        "whether they are accepted: NET is a file that tlu logic --regex or --automaton wrote, "
        "whose inputs are symbols, or the network is made from an automaton. Without STRING the "
        "strings are lines of standard input. The exit code is 1 if no string was accepted. The "
        "network of a KISS2 machine shows its outputs instead. With --turing or --tape the network "
        "is "
        "the control of a Turing machine, and the tape, which has no end, is memory outside the "
        "network: each step shows the state, the head, the tape and the delays. The exit code is 1 "
        "if the machine has a state accept and halts in another one, and 4 if it has not halted "
        "after --steps.",
    .arguments = {{"NET", NULL,
                   .help = "a network in text or JSON; with an automaton, the first string", true},
                  {"STRING...", NULL, .help = "strings to feed", true, true},
                  {0}},
    .common = "regex automaton turing tape as",
    OPTIONS(options),
    .examples = {"tlu logic run --regex 'a(b|c)*' abc", "tlu logic --regex '(ab)+' -o ab.net",
                 "tlu logic run ab.net abab --trace",
                 "tlu logic run --turing turing/increment.tm --tape 1011"},
    .run = run,
};
