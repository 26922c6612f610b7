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
#include "logic/function/truth.h"

// ---- words ----

enum lexeme_kind {
    LEXEME_END,
    LEXEME_NAME,
    LEXEME_NUMBER,
    LEXEME_OPEN,
    LEXEME_CLOSE,
    LEXEME_COMMA,
    LEXEME_SEMICOLON,
    LEXEME_NOT,
    // Two operands, from what binds most tightly.
    LEXEME_AND,
    LEXEME_XOR,
    LEXEME_OR,
    LEXEME_IMPLIES,
    LEXEME_IFF,
};

struct lexeme {
    enum lexeme_kind kind;
    const char *start; // in the text
    size_t length;
    bool quoted;
};

struct lexer {
    const char *file; // in messages
    const char *text, *at;
};

// The next word. What no word begins with is an error, with what to write instead if that is known.
tlu_status lexer_next(struct lexer *lexer, struct lexeme *lexeme, tlu_error *error);
// Whether the word after the last one is an opening parenthesis.
bool lexer_opens(const struct lexer *lexer);
// An error at a place in the text.
tlu_status lexer_fail(const struct lexer *lexer, const char *at, tlu_error *error,
                      const char *format, ...) PRINTF_LIKE(4, 5);
// For a message: 'the word', or "the end".
const char *lexeme_show(char out[64], const struct lexeme *lexeme);

// ---- programs ----

// In the order in which operands come before their operators.
struct instruction {
    enum opcode {
        OP_INPUT,
        OP_CONSTANT,
        OP_NOT,
        OP_AND,
        OP_XOR,
        OP_OR,
        OP_IMPLIES,
        OP_IFF,
        OP_ATLEAST,
        OP_EXACTLY,
    } kind;
    uint32_t number; // which input; 0 or 1; how many operands
    uint32_t least;  // how many of them must be 1
};

struct expression {
    struct table names;
    bool names_given; // there are no others
    struct instruction *code;
    size_t count, capacity;
};

// Names that are in the table already come first, and are all if `names_given`.
tlu_status expression_read(struct expression *expression, const char *file, const char *text,
                           tlu_error *error);
// The values in all rows.
tlu_status expression_evaluate(const struct expression *expression, struct truth_table *truth,
                               tlu_error *error);
void expression_free(struct expression *expression);

#endif
