// Options that a model keeps for life: those of learning, and those that say what a feature is.
#ifndef TLU_STREAM_FIXED_H
#define TLU_STREAM_FIXED_H

#include "base/options.h"

bool fixed_option(enum option option);
// An error if the given options differ from those that "model" or "journal" was made with, rather
// than something to pass over in silence.
tlu_status fixed_options_check(const char *what, const tlu_options *own, const tlu_options *given,
                               tlu_error *error);

#endif
