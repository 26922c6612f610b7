// What the two halves of the checker share: claim.c reads the proof, check.c looks whether it
// follows.
#ifndef TLU_PROVE_CHECK_CLAIM_H
#define TLU_PROVE_CHECK_CLAIM_H

#include "base/error.h"
#include "prove/check/plain.h"

#include <setjmp.h>

enum { LINE_MOST = 100000 };
#define HASH_START 0xcbf29ce484222325U

// "Lred": a label. "W2 7": the weight of feature 7 for class 2, "W2 " of the bias. "S3 2 7": the
// sum for class 2 over the rows of set 3. "T3": a set.
struct name {
    struct name *next;
    unsigned long class_index, line, seen; // of a label: 0 does not take part; line of the proof
    mpz_t n;
    char text[];
};

struct citation { // a row in the proof, with its coefficient
    unsigned long line, own, against, set, proof_line;
    mpz_t coefficient;
};

struct claim {
    char kind;                         // s(eparable), n(ot separable), b(elow), m(istakes)
    unsigned long rows, classes, bias; // the question
    unsigned long sets, mistakes;      // at least, at most
    const char *low, *high;            // squares of margins; NULL: none
    unsigned long rows_line, low_line, high_line, line; // in the proof
    struct citation *cited;                             // [count]
    size_t count, capacity, here;                       // here: the first one that was not met
};

// Where we are in the proof.
struct proof {
    char *at, *end, *rest; // rest: the text at the end of a line
    unsigned long lines;   // passed
    int used;
    char missing[2];
};

struct checker {
    jmp_buf stop;
    tlu_checked *verdict;
    bool no_memory, in_data;
    unsigned long line; // in question, of the proof or of the data
    struct proof proof;
    struct claim claim;
    struct plain_reader data;
    struct name **names; // [buckets], a power of two
    size_t buckets;
    struct {
        unsigned long rows, mistakes, sets;
    } found;
    mpz_t *scores; // [score_count]: of classes, from 1
    size_t score_count, score_capacity;
    struct {
        mpz_t read;          // in a line of the proof
        mpz_t one;           // 10^digits
        mpz_t least, total;  // score; sum of the coefficients
        mpz_t hull, weights; // squares of the difference of the hulls, and of the weights
    } n;
};

// Unless it holds, the check ends here, by a jump: the verdict is no, with the line in question.
void need(struct checker *c, bool holds, const char *what, const char *which);
// The name that is `front` and `text`; NULL if it is new and not to be added.
struct name *find_name(struct checker *c, const char *front, const char *text, bool add);
// Reads the whole proof; `bytes` are those of before lines were cut.
void take_proof(struct checker *c, const char *bytes, char *proof, size_t size);

#endif
