// What tlu_separability_decide hands out.
#ifndef TLU_PROOF_ANSWER_H
#define TLU_PROOF_ANSWER_H

#include "proof/find/mistakes.h"
#include "proof/proof.h"
#include "tlu_proof.h"

struct conclusion {
    tlu_verdict verdict;
    const char *found_by;
    struct found found;
    struct margin margin;
    struct mistakes mistakes;
};

// NULL: out of memory.
tlu_separability *answer_new(const struct task *task, const struct conclusion *conclusion,
                             int missing, double seconds);

#endif
