// Boolean expressions: text, its words, and the program that computes it from the inputs.
//
// From what binds most tightly to what binds least: ! & ^ | -> <->, of which -> groups from the
// right, a -> (b -> c), and the others from the left. Besides there are 0 1 true false, names,
// names in double quotes, and
//     maj(a, b, c)        more than half of them
//     atleast(2; a, b, c) and atmost, exactly
#ifndef TLU_LOGIC_FUNCTION_EXPRESSION_H
#define TLU_LOGIC_FUNCTION_EXPRESSION_H

#include "base/error.h"
#include "base/table.h"
#include "logic/truth.h"

// ---- words ----

enum word_kind {
    WORD_END,
    WORD_NAME,
    WORD_NUMBER,
    WORD_OPEN,
    WORD_CLOSE,
    WORD_COMMA,
    WORD_SEMICOLON,
    WORD_NOT,
    // Two operands, from what binds most tightly.
    WORD_AND,
    WORD_XOR,
    WORD_OR,
    WORD_IMPLIES,
    WORD_IFF,
};

struct word {
    enum word_kind kind;
    const char *start; // in the text
    size_t length;
    bool quoted;
};

struct words {
    const char *file; // in messages
    const char *text, *at;
};

// The next word. What no word begins with is an error, with what to write instead if that is known.
tlu_status words_next(struct words *words, struct word *word, tlu_error *error);
// Whether the word after the last one is an opening parenthesis.
bool words_opens(const struct words *words);
// An error at a place in the text.
tlu_status words_fail(const struct words *words, const char *at, tlu_error *error,
                      const char *format, ...) PRINTF_LIKE(4, 5);
// For a message: 'the word', or "the end".
const char *word_show(char out[64], const struct word *word);

// ---- programs ----

// In the order in which operands come before their operators.
struct step {
    enum step_kind {
        STEP_INPUT,
        STEP_CONSTANT,
        STEP_NOT,
        STEP_AND,
        STEP_XOR,
        STEP_OR,
        STEP_IMPLIES,
        STEP_IFF,
        STEP_ATLEAST,
        STEP_EXACTLY,
    } kind;
    uint32_t number; // which input; 0 or 1; how many operands
    uint32_t least;  // how many of them must be 1
};

struct expression {
    struct table names;
    bool names_given; // there are no others
    struct step *steps;
    size_t count, capacity;
};

// Names that are in the table already come first, and are all if `names_given`.
tlu_status expression_read(struct expression *expression, const char *file, const char *text,
                           tlu_error *error);
// The values in all rows.
tlu_status expression_evaluate(const struct expression *expression, struct truth *truth,
                               tlu_error *error);
void expression_free(struct expression *expression);

#endif
