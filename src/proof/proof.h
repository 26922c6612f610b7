// The proof as text (docs/proof-format.md).
#ifndef TLU_PROOF_PROOF_H
#define TLU_PROOF_PROOF_H

#include "proof/find/mistakes.h"
#include "proof/margin/margin.h"
#include "proof/task.h"

// A growing text. After an allocation fails, `failed` stays set.
struct proof_text {
    char *bytes;
    size_t size, capacity;
    bool failed;
    bool unfit; // the format cannot represent some line
};
void text_put(struct proof_text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_put_whole(struct proof_text *text, const mpz_t value);
void text_end_string(struct proof_text *text); // a NUL beyond the size

// The head of a proof: the data and the question. False: the format does not support such data.
bool proof_head(struct proof_text *text, const struct separation_task *task, int missing);
void proof_weights(struct proof_text *text, const struct separation_task *task,
                   const struct witness *weights);
void proof_margin(struct proof_text *text, const struct separation_task *task,
                  const struct margin *margin, bool low);
void proof_rows(struct proof_text *text, const struct separation_task *task,
                const struct contradiction *contradiction);
void proof_mistakes(struct proof_text *text, const struct separation_task *task,
                    const struct mistakes *mistakes);
void proof_end(struct proof_text *text);

// Appends the name of a feature.
void feature_name(struct proof_text *text, const struct examples *examples, size_t column);

#endif
