// tlu logic: a Boolean function as a threshold unit, or as a network of them.
#include "logic.h"

#include "input.h"
#include "text.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

#define EXPRESSION_MAX ((size_t)1 << 30) // bytes on standard input

static const tlu_option_info options[] = {
    {"table", "command", TLU_OPTION_TEXT, "VALUES", "", NULL, 0, 0,
     "the function by its values, 0110, from the row of zeros to that of ones; - or x if a value "
     "does not matter"},
    {"pla", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "the function by a Berkeley PLA file, of several outputs if need be; - is standard input"},
    {"names", "command", TLU_OPTION_TEXT, "NAMES", "", NULL, 0, 0,
     "names of the inputs in their order, with commas between them"},
    {"smallest", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "weights with the least sum of absolute values, proven to be the least"},
    {"effort", "command", TLU_OPTION_COUNT, "N", "1", NULL, 1, 1000,
     "look N times as long for a network with fewer units"},
    {"time", "command", TLU_OPTION_NUMBER, "SECONDS", "0", NULL, 0, 1e9,
     "end the search for smaller weights and for a network after SECONDS, with the best found; "
     "without a network that was asked for, exit code 4; 0: never"},
    {"as", "command", TLU_OPTION_CHOICE, "LANGUAGE", "", "text|json|dot|verilog|c", 0, 0,
     "write the unit or network in this language, instead of the answer unless --output is given"},
    {"output", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "write the unit or network to FILE, as text without --as"},
    {"learn", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "train the perceptron on the truth table and show its steps and mistakes"},
    {"rate", "command", TLU_OPTION_NUMBER, "ETA", "1", NULL, 1e-300, 1e300,
     "learning rate of --learn"},
    {"epochs", "command", TLU_OPTION_COUNT, "N", "1000", NULL, 1, COUNT_MAX,
     "passes of --learn at most"},
    {"steps", "command", TLU_OPTION_COUNT, "N", "40", NULL, 1, COUNT_MAX,
     "steps of --learn to show at most"},
    {"regex", "command", TLU_OPTION_TEXT, "REGEX", "", NULL, 0, 0,
     "an automaton instead of a function: the one that accepts the strings that a regular "
     "expression matches from end to end, as a network of units and delays"},
    {"automaton", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "the automaton of a transition table (docs/automaton-format.md); - is standard input"},
    {"kiss2", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "the Mealy machine of a KISS2 file; - is standard input"},
    {"encoding", "command", TLU_OPTION_CHOICE, "HOW", "", "onehot|binary", 0, 0,
     "how the delays hold the state of an automaton: a delay per state, or its number; without it, "
     "the one with fewer units"},
    {"letters", "command", TLU_OPTION_CHOICE, "HOW", "onehot", "onehot|binary", 0, 0,
     "how the inputs hold the letter: an input per letter, or its number"},
    {"check", "command", TLU_OPTION_TEXT, "NET", "", NULL, 0, 0,
     "whether the network in this file does what the automaton does, for all strings; if not, the "
     "shortest string that tells, and exit code 1"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "print the answers alone, without table, proof and network"},
};

// ---- the function

static tlu_status parse_expression(const char *text, const char *names, tlu_function **function,
                                   tlu_error *error)
{
    if (strcmp(text, "-") != 0)
        return tlu_function_from_expression(text, names, function, error);
    char *all;
    size_t size;
    tlu_status status = input_whole("-", EXPRESSION_MAX, input_look_text, &all, &size, error);
    if (status == TLU_OK) // input_whole has checked the first bytes alone
        status = input_look_text("-", all, size, error);
    if (status == TLU_OK)
        status = tlu_function_from_expression(all, names, function, error);
    free(all);
    return status;
}

static tlu_status make_function(const struct arguments *arguments, tlu_function **function,
                                tlu_error *error)
{
    const char *text = arguments->positional_count ? arguments->positional[0] : NULL;
    const char *names = arguments_text(arguments, "names");
    const char *table = arguments_text(arguments, "table"), *pla = arguments_text(arguments, "pla");
    if ((text != NULL) + (table != NULL) + (pla != NULL) != 1)
        return fail(error, TLU_ERROR_INPUT,
                    "logic needs one function, EXPR ('a & (b | !c)'), --table VALUES or --pla "
                    "FILE, or an automaton, --regex, --automaton or --kiss2; see tlu logic --help");
    if (pla && names)
        return fail(error, TLU_ERROR_INPUT,
                    "--names does not go with --pla: a PLA file has them in .ilb");
    if (table)
        return tlu_function_from_table(table, names, function, error);
    return pla ? tlu_function_from_pla(pla, function, error)
               : parse_expression(text, names, function, error);
}

// ---- the answer

static int write_file(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

static tlu_status write_network(const tlu_realisation *realisation, const char *language,
                                const char *path, tlu_error *error)
{
    struct output output;
    tlu_status status = output_open(&output, path, error);
    if (status != TLU_OK)
        return status;
    status = tlu_network_write(realisation->network, language ? language : "text", write_file,
                               output.file, error);
    return output_close(&output, status, error);
}

static bool all_are_units(const tlu_realisation *realisation)
{
    for (size_t i = 0; i < realisation->outputs; i++)
        if (!realisation->units[i]->is_threshold)
            return false;
    return true;
}

// What was asked for: a network, a training, or an answer, which may be no.
static tlu_status answer(const struct arguments *arguments, const tlu_function *function,
                         tlu_realisation *realisation, tlu_error *error)
{
    const char *language = arguments_text(arguments, "as");
    const char *path = arguments_text(arguments, "output");
    bool quiet = arguments_flag(arguments, "quiet"), wants_network = language || path;
    if (!wants_network && !all_are_units(realisation))
        verb_answer = ANSWER_NO;
    if (arguments_flag(arguments, "learn"))
        return logic_learn(arguments, function, realisation, error);
    if (wants_network) {
        tlu_status status = write_network(realisation, language, path, error);
        if (status != TLU_OK || !path || strcmp(path, "-") == 0)
            return status;
    }
    if (arguments_flag(arguments, "json"))
        logic_print_json(function, realisation);
    else
        logic_print(function, realisation, quiet);
    return TLU_OK;
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    bool learn = arguments_flag(arguments, "learn");
    const char *path = arguments_text(arguments, "output");
    if (learn && (arguments_given(arguments, "as") || path))
        return fail(error, TLU_ERROR_INPUT, "--learn and --as or --output do not go together");
    static const char *const learning[] = {"rate", "epochs", "steps"};
    for (size_t i = 0; i < 3 && !learn; i++)
        if (arguments_given(arguments, learning[i]))
            return fail(error, TLU_ERROR_INPUT, "--%s goes with --learn", learning[i]);
    static const char *const automata[] = {"encoding", "letters", "check"};
    for (size_t i = 0; i < 3; i++)
        if (arguments_given(arguments, automata[i]))
            return fail(error, TLU_ERROR_INPUT, "--%s goes with --regex, --automaton or --kiss2",
                        automata[i]);
    return refuse_overwriting(path, arguments_text(arguments, "pla"), error);
}

// If a network was not asked for and none is found, the answer is what there is without it.
static tlu_status realise(const tlu_function *function, tlu_realise_settings *settings,
                          bool wants_network, tlu_realisation **realisation, tlu_error *error)
{
    tlu_status status = tlu_function_realise(function, settings, realisation, error);
    if (status == TLU_OK || status == TLU_ERROR_SYSTEM || wants_network || !settings->network)
        return status;
    fprintf(stderr, "note: %s\n", error->text);
    settings->network = 0;
    return tlu_function_realise(function, settings, realisation, error);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    tlu_function *function = NULL;
    tlu_realisation *realisation = NULL;
    bool learn = arguments_flag(arguments, "learn"), quiet = arguments_flag(arguments, "quiet");
    bool wants_network = arguments_given(arguments, "as") || arguments_given(arguments, "output");
    tlu_realise_settings settings = {.size = sizeof settings,
                                     .smallest = arguments_flag(arguments, "smallest"),
                                     .network = wants_network || !(learn || quiet),
                                     .effort = (int)arguments_count(arguments, "effort"),
                                     .seconds = arguments_number(arguments, "time")};
    if (logic_is_automaton(arguments))
        return logic_automaton(arguments, error);
    tlu_status status = check_together(arguments, error);
    if (status == TLU_OK)
        status = make_function(arguments, &function, error);
    if (status == TLU_OK)
        status = realise(function, &settings, wants_network, &realisation, error);
    if (status == TLU_OK)
        status = answer(arguments, function, realisation, error);
    if (status == TLU_INTERRUPTED) { // by --time
        fprintf(stderr, "not decided: %s\n", error->text);
        verb_answer = ANSWER_OPEN;
        status = TLU_OK;
    }
    tlu_realisation_free(realisation);
    tlu_function_free(function);
    return status;
}

const struct verb logic_verb = {
    .name = "logic",
    .summary = "a Boolean function or an automaton as a network of threshold units",
    .description =
        "Says whether one threshold unit computes a Boolean function of up to 20 inputs. If so, "
        "its whole-number weights and threshold: the unit fires if the weights of the inputs that "
        "are 1 add up to the threshold or more. If not, rows of the truth table that contradict "
        "each other, and a network of two layers with as few units as were found. Both are checked "
        "on every row. EXPR has ! & ^ | -> <->, from what binds most tightly to what binds least "
        "(-> groups from the right), parentheses, 0 1 true false, names (others in double quotes), "
        "maj(a, b, c), atleast(2; a, b, c), atmost and exactly; and, or, not, xor, &&, ||, ~, =>, "
        "<=> are understood too. The exit code is 1 if some output is not a threshold function, "
        "unless a network was asked for, by --as or --output; then it is 4 if --time ended the "
        "search "
        "before there was one. With --regex, --automaton or --kiss2 "
        "it is a finite automaton that becomes a network, with unit delays for its states: made "
        "deterministic and minimal first, and proven equal to the network by a walk through all "
        "pairs of states.",
    .arguments = {{"EXPR", NULL, .help = "an expression: 'a & (b | !c)'; - is standard input",
                   true},
                  {0}},
    .groups = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu logic 'a & (b | !c)'", "tlu logic --table 0001011- --smallest",
                 "tlu logic 'a ^ b' --as c", "tlu logic 'maj(a, b, c)' --learn --steps 100",
                 "tlu logic --regex 'a(b|c)*'"},
    .run = run,
};
