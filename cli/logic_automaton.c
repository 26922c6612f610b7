// tlu logic with --regex, --automaton or --kiss2: an automaton as a network of units and delays.
#include "logic.h"
#include "text.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"regex", "automaton", "kiss2"};
#define KINDS (sizeof kinds / sizeof kinds[0])

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
        return fail(error, TLU_ERROR_INPUT,
                    "--regex, --automaton and --kiss2 each give an automaton; give one of them");
    const char *text = arguments_text(arguments, kinds[last]);
    if (last == 0)
        return tlu_automaton_from_regex(text, automaton, error);
    return tlu_automaton_load(text, last == 1 ? "table" : "kiss2", automaton, error);
}

static tlu_status check_together(const struct arguments *arguments, tlu_error *error)
{
    static const char *const others[] = {"table", "pla",  "names",  "smallest",
                                         "learn", "rate", "epochs", "steps"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (arguments_given(arguments, others[i]))
            return fail(error, TLU_ERROR_INPUT,
                        "--%s is about a function, and does not go with an automaton", others[i]);
    if (arguments->positional_count)
        return fail(error, TLU_ERROR_INPUT,
                    "an expression is about a function, and does not go with an automaton");
    const char *path = arguments_text(arguments, "output");
    const char *net = arguments_text(arguments, "check");
    if (net && (path || arguments_given(arguments, "as") ||
                arguments_given(arguments, "encoding") || arguments_given(arguments, "letters")))
        return fail(error, TLU_ERROR_INPUT,
                    "--check is about a network that is there: it makes none, and does not go with "
                    "--as, --output, --encoding or --letters");
    if (arguments_given(arguments, "kiss2") && arguments_given(arguments, "letters"))
        return fail(error, TLU_ERROR_INPUT,
                    "--letters does not go with --kiss2: the inputs are those of the machine");
    for (size_t i = 1; i < KINDS; i++) {
        tlu_status status = refuse_overwriting(path, arguments_text(arguments, kinds[i]), error);
        if (status != TLU_OK)
            return status;
    }
    return TLU_OK;
}

static int write_file(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

// As --as and --output say; *told: it has gone to standard output, and nothing else should.
static tlu_status write_network(const struct arguments *arguments, const tlu_network *network,
                                bool *told, tlu_error *error)
{
    const char *language = arguments_text(arguments, "as");
    const char *path = arguments_text(arguments, "output");
    struct output output;
    *told = false;
    if (!language && !path)
        return TLU_OK;
    tlu_status status = output_open(&output, path, error);
    if (status != TLU_OK)
        return status;
    *told = !path || strcmp(path, "-") == 0;
    status =
        tlu_network_write(network, language ? language : "text", write_file, output.file, error);
    return output_close(&output, status, error);
}

static tlu_status answer(const struct arguments *arguments, const tlu_automaton *automaton,
                         const tlu_network *network, tlu_equivalence *walk, tlu_error *error)
{
    bool told = false;
    if (!walk->equal)
        verb_answer = ANSWER_NO;
    tlu_status status = write_network(arguments, network, &told, error);
    if (status != TLU_OK || told)
        return status;
    if (arguments_flag(arguments, "json"))
        automaton_print_json(automaton, network, walk);
    else if (arguments_flag(arguments, "quiet") || arguments_given(arguments, "check"))
        automaton_print_verdict(automaton, walk);
    else
        automaton_print(automaton, network, walk);
    return TLU_OK;
}

tlu_status logic_automaton(const struct arguments *arguments, tlu_error *error)
{
    tlu_automaton *automaton = NULL;
    tlu_network *network = NULL;
    tlu_equivalence *walk = NULL;
    const char *net = arguments_text(arguments, "check");
    tlu_status status = check_together(arguments, error);
    if (status == TLU_OK)
        status = logic_load_automaton(arguments, &automaton, error);
    if (status == TLU_OK && net)
        status = tlu_network_load(net, &network, error);
    else if (status == TLU_OK)
        status = tlu_network_from_automaton(automaton, arguments_text(arguments, "encoding"),
                                            tlu_automaton_get_facts(automaton)->inputs
                                                ? NULL
                                                : arguments_text(arguments, "letters"),
                                            &network, error);
    if (status == TLU_OK)
        status = tlu_equivalence_check(automaton, network, &walk, error);
    if (status == TLU_OK)
        status = answer(arguments, automaton, network, walk, error);
    tlu_equivalence_free(walk);
    tlu_network_free(network);
    tlu_automaton_free(automaton);
    return status;
}
