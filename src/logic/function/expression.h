// Boolean expressions: a lexer, a parser and a postfix program.
//
// Operators from the tightest to the loosest: ! & ^ | -> <->. -> is right-associative, a -> (b ->
// c), the others are left-associative. Operands are 0 1 true false, names, names in double quotes,
// and
//     maj(a, b, c)        more than half of them
//     atleast(2; a, b, c) and atmost, exactly
#ifndef TLU_LOGIC_FUNCTION_EXPRESSION_H
#define TLU_LOGIC_FUNCTION_EXPRESSION_H

#include "base/error.h"
#include "base/table.h"
#include "logic/function/truth.h"

// Postfix order: operands come before their operators.
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
    uint32_t number; // of the input; constant; or number of operands
    uint32_t least;  // operands that must be 1
};

struct expression {
    struct table names;
    bool names_given; // other names are an error
    struct instruction *code;
    size_t count, capacity;
};

// Appends new names to the table, unless `names_given`.
tlu_status expression_read(struct expression *expression, const char *file, const char *text,
                           tlu_error *error);
// Computes the values of all rows.
tlu_status expression_evaluate(const struct expression *expression, struct truth_table *truth,
                               tlu_error *error);
void expression_free(struct expression *expression);

#endif
