// A learner with its options as one word: "arow:r=0.1:epochs=3".
#ifndef TLU_TUNE_SPEC_H
#define TLU_TUNE_SPEC_H

#include "base/options.h"

// Sets the learner and options of the first `length` bytes of a spec, except options that the user
// set in `given` (may be NULL). *overruled: the last of these, or OPTION_COUNT.
tlu_status spec_set(tlu_options *options, const char *spec, size_t length, const tlu_options *given,
                    enum option *overruled, tlu_error *error);

#endif
