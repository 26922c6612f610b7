// Proofs need GMP and Clp. Without them the files of this folder are empty, and
// tlu_separability_decide says what is missing.
#ifndef TLU_PROOF_BUILT_H
#define TLU_PROOF_BUILT_H

#include "tlu_proof.h" // no file is empty to the compiler

#if defined(TLU_HAVE_GMP) && defined(TLU_HAVE_CLP)
#define TLU_PROVES
#endif

// See base/call/callback.h.
int callback_proof_progress(void *context, const char *stage, double seconds);

#endif
