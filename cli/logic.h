// What tlu logic prints about a function, in its files.
#ifndef TLU_CLI_LOGIC_H
#define TLU_CLI_LOGIC_H

#include "arguments.h"
#include "tlu_logic.h"

// logic_text.c: the truth table, if it is short, and the answers in words.
void logic_print(const tlu_function *function, const tlu_realisation *realisation, bool quiet);
// The contradiction alone.
void logic_print_contradiction(const tlu_function *function, size_t output,
                               const tlu_threshold_unit *unit);
// logic_json.c
void logic_print_json(const tlu_function *function, const tlu_realisation *realisation);
// logic_learn.c: trains the perceptron on the truth table of one output, and shows the steps.
tlu_status logic_learn(const struct arguments *arguments, const tlu_function *function,
                       const tlu_realisation *realisation, tlu_error *error);

// logic_automaton.c: whether the options name an automaton, and all that is done with one.
bool logic_is_automaton(const struct arguments *arguments);
tlu_status logic_automaton(const struct arguments *arguments, tlu_error *error);
// The automaton of --regex, --kiss2 or --automaton, of which one is to be given.
tlu_status logic_load_automaton(const struct arguments *arguments, tlu_automaton **automaton,
                                tlu_error *error);
// logic_automaton_print.c: the automaton and its network, for people and as JSON.
void automaton_print(const tlu_automaton *automaton, const tlu_network *network,
                     tlu_equivalence *walk);
void automaton_print_json(const tlu_automaton *automaton, const tlu_network *network,
                          tlu_equivalence *walk);
// One line: equal, or what tells them apart.
void automaton_print_verdict(const tlu_automaton *automaton, const tlu_equivalence *walk);

#endif
