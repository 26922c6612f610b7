// What is handed out: the answer, and the proof as text (docs/proof-format.md).
#ifndef TLU_PROVE_PROOF_H
#define TLU_PROVE_PROOF_H

#include "prove/margin.h"
#include "prove/task.h"

// Bytes that grow. Once out of memory it stays so.
struct text {
    char *bytes;
    size_t size, capacity;
    bool failed;
};
void text_put(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_put_whole(struct text *text, const mpz_t value);
void text_put_label(struct text *text, const char *label); // escaped, and the end of the line
void text_end_string(struct text *text);                   // a NUL, which does not count

// The head of a proof: the data and the question. False: the format of the data has no proofs.
bool proof_head(struct text *text, const struct task *task, int missing);
void proof_weights(struct text *text, const struct task *task, const struct witness *weights);
void proof_margin(struct text *text, const struct task *task, const struct margin *margin,
                  bool low);
void proof_rows(struct text *text, const struct task *task,
                const struct contradiction *contradiction);
void proof_end(struct text *text);

// The name of a feature for the user, and in a proof; NUL-terminated, in the text.
void feature_name(struct text *text, const struct examples *examples, size_t column);

#endif
