// TLU_PROVES: GMP and Clp are available. Without them most files of this folder are empty, and
// tlu_separability_decide reports what is missing.
#ifndef TLU_PROOF_BUILT_H
#define TLU_PROOF_BUILT_H

#include "tlu_proof.h"

#include "tlu.h" // ISO C forbids an empty translation unit

#if defined(TLU_HAVE_GMP) && defined(TLU_HAVE_CLP)
#define TLU_PROVES
#endif

// The message of a function that needs what was not available.
#define NOT_BUILT                                                                                  \
    "this tlu was built without GMP (libgmp-dev) or Clp (coinor-libclp-dev), which proofs need: "  \
    "install them and build again"

// See base/call/callback.h.
int callback_proof_progress(void *context, const char *stage, double seconds);

#endif
