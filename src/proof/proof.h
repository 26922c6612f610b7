// What is handed out: the answer, and the proof as text (docs/proof-format.md).
#ifndef TLU_PROOF_PROOF_H
#define TLU_PROOF_PROOF_H

#include "proof/find/mistakes.h"
#include "proof/margin/margin.h"
#include "proof/task.h"

// Bytes that grow. Once out of memory it stays so.
struct proof_text {
    char *bytes;
    size_t size, capacity;
    bool failed;
    bool unfit; // a line of the proof cannot say what it should
};
void text_put(struct proof_text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_put_whole(struct proof_text *text, const mpz_t value);
void text_end_string(struct proof_text *text); // a NUL, which does not count

// The head of a proof: the data and the question. False: the data is such that it has no proofs.
bool proof_head(struct proof_text *text, const struct separation_task *task, int missing);
void proof_weights(struct proof_text *text, const struct separation_task *task,
                   const struct witness *weights);
void proof_margin(struct proof_text *text, const struct separation_task *task,
                  const struct margin *margin, bool low);
// One case, times its coefficient, in the set with this number. They come in ascending order of the
// cases, over all sets together.
void proof_row(struct proof_text *text, const struct separation_task *task, size_t c,
               const mpz_t coefficient, size_t set);
void proof_rows(struct proof_text *text, const struct separation_task *task,
                const struct contradiction *contradiction);
void proof_mistakes(struct proof_text *text, const struct separation_task *task,
                    const struct mistakes *mistakes);
void proof_end(struct proof_text *text);

// The name of a feature for the user, and in a proof; NUL-terminated, in the text.
void feature_name(struct proof_text *text, const struct examples *examples, size_t column);

#endif
