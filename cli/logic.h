// What tlu logic and tlu logic run share: automata (logic_automaton.c) and Turing machines
// (logic_turing.c, logic_tape.c).
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

// Everything that tlu logic does with --turing.
tlu_status logic_turing(const struct arguments *arguments, tlu_error *error);
// Whether the options of tlu logic run name a Turing machine or a tape, and everything that it does
// with them.
bool logic_is_tape(const struct arguments *arguments);
tlu_status logic_run_tape(const struct arguments *arguments, tlu_error *error);
// Fails if an option of the verb is given that is not among those allowed with option `with`.
tlu_status logic_refuse_others(const struct arguments *arguments, const char *with,
                               const char *allowed, tlu_error *error);

#endif
