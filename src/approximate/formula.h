// A function of one variable, given as text: x, numbers, pi, e, + - * / ^, parentheses and named
// functions.
#ifndef TLU_APPROXIMATE_FORMULA_H
#define TLU_APPROXIMATE_FORMULA_H

#include "base/error.h"

#include <stddef.h>

struct formula_step; // an instruction of a stack machine

struct formula {
    struct formula_step *steps; // [count]
    size_t count, capacity;
    size_t depth, depth_max; // of the stack
    double *stack;           // [depth_max]
    bool uses_x;
};

// Parses the text. Errors name the column. The caller frees the formula, also after an error.
tlu_status formula_read(struct formula *formula, const char *text, tlu_error *error);
void formula_free(struct formula *formula);

double formula_value(const struct formula *formula, double x);

// Describes why the value at x is not finite, such as "log of 0".
#define FORMULA_REASON_SIZE 120
const char *formula_reason(const struct formula *formula, double x, char out[FORMULA_REASON_SIZE]);

// Looks between two neighbouring points for a pole: a place where a divisor changes its sign and
// the value grows without bound.
bool formula_has_pole(const struct formula *formula, double from, double to, double *pole);

#endif
