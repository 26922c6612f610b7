// Verdicts of separable and bound: in JSON, and as exit codes.
#ifndef TLU_CLI_VERDICT_H
#define TLU_CLI_VERDICT_H

#include "command.h"
#include "tlu_proof.h"

static const struct {
    const char *name;
    int answer;
} verdicts[] = {[TLU_SEPARABLE] = {"separable", ANSWER_YES},
                [TLU_NOT_SEPARABLE] = {"not separable", ANSWER_NO},
                [TLU_NOT_DECIDED] = {"not decided", ANSWER_OPEN}};

#endif
