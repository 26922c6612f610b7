// The checker's two files: rows.c reads the data, check.c the proof, and looks whether it follows.
// They share no code with what writes proofs or reads data elsewhere: of the library they use the
// allocator and the messages alone. All numbers are whole (GMP), the decimals of the data times
// 10^digits. The first thing that is not as it should be ends the check, by a jump.
#ifndef TLU_PROOF_CHECK_CHECK_H
#define TLU_PROOF_CHECK_CHECK_H

#include "base/error.h"
#include "tlu_proof.h"

#include <gmp.h>
#include <setjmp.h>

#define DIGITS "0123456789"
enum {
    DIGITS_MAX = 1000,     // after the point
    NUMBER_MAX = 3000,     // digits of a value times 10^digits
    EXPONENT_MAX = 1 << 30 // past which it makes no difference
};

struct item; // a number, and what it is of

struct bound { // the square of a margin as the proof has it; NULL: none
    const char *text;
    unsigned long long line;
};

struct checker {
    jmp_buf stop;
    tlu_proof_report *verdict;
    bool no_memory, in_data;
    unsigned long long line; // in question, of the proof or of the data
    struct {
        char *start, *at, *end, *rest; // rest: what is left of the line that was taken
        unsigned long long next_line;
        mpz_t integer;
    } proof;
    struct { // what the proof says
        int claim;
        unsigned long long bias, rows, classes, sets, mistakes, question_line, claim_line;
        struct bound low, high;
    } said;
    struct {                // the data, and how to read it
        char *start, *name; // name: room for that of a feature
        unsigned long long delimiter, header, digits;
        char missing;
        const char *kinds;  // of columns; NULL: LIBSVM
        bool too_long;      // a value of the row has more digits after the point
        struct item *label; // of the row
        mpz_t value;        // of an entry
    } data;
    struct item **table, *all, *scores, *cited; // cited: rows in the proof that were not met yet
    size_t buckets;                             // of the table
    unsigned long long rows, mistakes;          // met in the data
    mpz_t one, least, total, hull, weights; // 10^digits; score, coefficients, squares of lengths
};

// Unless it holds, the check ends here, by a jump: the verdict is no, with the line in question.
__attribute__((format(printf, 3, 4))) void need(struct checker *c, bool holds, const char *format,
                                                ...);

// Calls these for each row of the data: the label and the entries, which are c->data.value, in any
// order.
void read_rows(struct checker *c);
void start_row(struct checker *c);
bool is_label(struct checker *c, const char *text); // the proof has it
void take_label(struct checker *c, const char *text);
void take_entry(struct checker *c, const char *feature);
void end_row(struct checker *c);

#endif
