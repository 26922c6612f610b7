// The second layer of two: fewer hidden units, and smaller weights.
#ifndef TLU_LOGIC_SYNTHESIS_TOP_H
#define TLU_LOGIC_SYNTHESIS_TOP_H

#include "logic/synthesis/synthesis.h"

// Leaves out hidden units that the one on top can do without, with other weights, and takes smaller
// weights if it finds some. Ends early past `until`.
tlu_status top_improve(const struct truth *truth, double until, struct two_layers *layers,
                       tlu_error *error);

#endif
