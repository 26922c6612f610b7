// What the pictures of tlu plot are made from.
#ifndef TLU_CLI_PLOT_H
#define TLU_CLI_PLOT_H

#include "arguments.h"
#include "tlu_plot.h"

// The kind of picture that is asked for: "data" if none is named.
tlu_status plot_find_kind(const struct arguments *arguments, const char **kind, tlu_error *error);

// Of one argument, or of two, which is the data and which is the model; NULL: it is not given.
// Arguments and options that the kind has no use for are refused.
tlu_status plot_sort_arguments(const struct arguments *arguments, const char *kind,
                               const char **data, const char **model, tlu_error *error);

// "svg": what the output is, by its ending or before ":-", which is standard output; "" if that is
// not said.
const char *plot_format(const struct arguments *arguments);
// Whether it is said where the picture goes.
tlu_status plot_check_output(const struct arguments *arguments, tlu_error *error);
// Saves or shows it, and says what is to be seen.
tlu_status plot_give(const struct arguments *arguments, const tlu_picture *picture,
                     tlu_error *error);

#endif
