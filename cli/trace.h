// A training, step by step, as a table.
#ifndef TLU_CLI_TRACE_H
#define TLU_CLI_TRACE_H

#include "tlu.h"

#include <stdbool.h>

struct arguments;

// tlu trace --mistakes.
tlu_status mistakes_print(const struct arguments *arguments, tlu_error *error);

struct trace_settings {
    const char *form; // "text", "markdown", "csv", "json" or "latex"
    uint64_t steps;   // to show at most
    bool to_the_end;  // train on when these have been shown
};

// Trains on the data of the settings and prints the steps on standard output; *model is what comes
// of it, and *cut whether there were more steps.
tlu_status trace_print(const tlu_train_settings *data, const tlu_options *options,
                       const struct trace_settings *settings, tlu_model **model, bool *cut,
                       tlu_error *error);

#endif
