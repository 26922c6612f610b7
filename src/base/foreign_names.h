// Names that other tools use for learners and metrics, for error messages.
#ifndef TLU_BASE_FOREIGN_NAMES_H
#define TLU_BASE_FOREIGN_NAMES_H

#include "base/error.h"

// What comes closest to the name here: "did you mean logistic?", or a sentence for what does not
// exist. NULL: the name is unknown. Case does not matter, and _ is -.
const char *foreign_learner(const char *name);
const char *foreign_metric(const char *name);

// The error for a learner that does not exist, with what was probably meant.
tlu_status unknown_learner(const char *name, tlu_error *error);

#endif
