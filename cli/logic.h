// What tlu logic prints about a function, in its files.
#ifndef TLU_CLI_LOGIC_H
#define TLU_CLI_LOGIC_H

#include "arguments.h"

// logic_text.c: the truth table, if it is short, and the answers in words.
void logic_print(const tlu_function *function, const tlu_realisation *realisation, bool quiet);
// The contradiction alone.
void logic_print_contradiction(const tlu_function *function, size_t output,
                               const tlu_threshold *unit);
// logic_json.c
void logic_print_json(const tlu_function *function, const tlu_realisation *realisation);
// logic_learn.c: trains the perceptron on the truth table of one output, and shows the steps.
tlu_status logic_learn(const struct arguments *arguments, const tlu_function *function,
                       const tlu_realisation *realisation, tlu_error *error);

#endif
