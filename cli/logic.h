// What tlu logic and tlu logic run share: automata (logic_automaton.c).
#ifndef TLU_CLI_LOGIC_H
#define TLU_CLI_LOGIC_H

#include "arguments.h"
#include "tlu_logic.h"

// Whether the options name an automaton, and everything that tlu logic does with one.
bool logic_is_automaton(const struct arguments *arguments);
tlu_status logic_automaton(const struct arguments *arguments, tlu_error *error);
// Loads the automaton of --regex, --kiss2 or --automaton; exactly one must be given.
tlu_status logic_load_automaton(const struct arguments *arguments, tlu_automaton **automaton,
                                tlu_error *error);

#endif
