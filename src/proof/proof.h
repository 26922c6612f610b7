// The proof as text (docs/proof-format.md).
#ifndef TLU_PROOF_PROOF_H
#define TLU_PROOF_PROOF_H

#include "proof/find/mistakes.h"
#include "proof/margin.h"
#include "proof/task.h"
#include "tlu_proof.h"

// A growing text, in a computation.
struct proof_text {
    char *bytes; // with a NUL beyond the size
    size_t size, capacity;
    bool unfit; // the format cannot represent some line
};
void text_put(struct proof_text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_put_whole(struct proof_text *text, const mpz_t value);

struct conclusion {
    tlu_verdict verdict;
    const char *found_by;
    struct certificate found;
    struct margin margin;
    struct mistakes mistakes;
};
#define DECISION_SHARE 0.8 // of the time goes to the decision, the rest to the margin
// Decides the question and bounds the margin. The deadline of the task is that of the decision,
// DECISION_SHARE of the time. (separable.c)
void conclusion_reach(struct conclusion *conclusion, const struct separation_task *task,
                      bool approximate);
// Leaves the text empty if nothing was decided or the format does not support such data.
void proof_write(struct proof_text *text, const struct separation_task *task,
                 const struct conclusion *conclusion, int missing);

// Appends the name of a feature.
void feature_name(struct proof_text *text, const struct examples *examples, size_t column);

#endif
