// The grammar, by recursive descent:
//
//     sum      = product { ("+" | "-") product }
//     product  = signed { ("*" | "/") signed }
//     signed   = { "+" | "-" } power
//     power    = operand [ "^" signed ]              so that -x^2 is -(x^2) and 2^3^2 is 2^9
//     operand  = number | "x" | "pi" | "e" | "(" sum ")" | function "(" sum { "," sum } ")"
#include "approximate/formula.h"
#include "base/memory.h"
#include "numeric/exp_log.h"
#include "numeric/number.h"
#include "numeric/trig.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NESTED_MAX 200
#define SOURCE "function" // the file of messages

enum formula_op {
    FORMULA_NUMBER,
    FORMULA_X,
    FORMULA_NEGATE,
    FORMULA_ADD,
    FORMULA_SUBTRACT,
    FORMULA_MULTIPLY,
    FORMULA_DIVIDE,
    FORMULA_POWER,
    FORMULA_SIN,
    FORMULA_COS,
    FORMULA_TAN,
    FORMULA_EXP,
    FORMULA_LOG,
    FORMULA_SQRT,
    FORMULA_ABS,
    FORMULA_TANH,
    FORMULA_FLOOR,
    FORMULA_SIGN,
    FORMULA_MIN,
    FORMULA_MAX,
};

struct formula_step {
    enum formula_op op;
    double number;
};

static const struct formula_function {
    const char *name;
    enum formula_op op;
    bool several; // takes two or more arguments
} functions[] = {
    {"sin", FORMULA_SIN, false},   {"cos", FORMULA_COS, false},   {"tan", FORMULA_TAN, false},
    {"exp", FORMULA_EXP, false},   {"log", FORMULA_LOG, false},   {"sqrt", FORMULA_SQRT, false},
    {"abs", FORMULA_ABS, false},   {"tanh", FORMULA_TANH, false}, {"floor", FORMULA_FLOOR, false},
    {"sign", FORMULA_SIGN, false}, {"min", FORMULA_MIN, true},    {"max", FORMULA_MAX, true},
};
#define FUNCTIONS (sizeof functions / sizeof functions[0])
#define KNOWN                                                                                      \
    "x, pi, e, sin, cos, tan, exp, log, sqrt, abs, tanh, floor, sign, min and max are known"

// Common spellings in other languages.
static const struct {
    const char *text, *fix;
} wrong[] = {
    {"**", "a power is written ^, as in x^2"},
    {"|", "the absolute value of x is written abs(x)"},
    {"\xc2\xb7", "a product is written *"},
    {"\xc3\x97", "a product is written *"},
    {"\xcf\x80", "write pi"},
    {"[", "use round parentheses"},
    {"]", "use round parentheses"},
    {"{", "use round parentheses"},
    {"}", "use round parentheses"},
    {"=", "write only what is right of the equals sign, such as sin(x)"},
    {";", "arguments are separated by commas"},
    {"%", "there is no remainder; a - b*floor(a/b) is one"},
    {"!", "there is no factorial"},
    {"<", "write a step as (1 + sign(x)) / 2"},
    {">", "write a step as (1 + sign(x)) / 2"},
};

static const char *const renamed[][2] = {
    {"ln", "log"},
    {"log2", "log(x) / log(2)"},
    {"log10", "log(x) / log(10)"},
    {"X", "x"},
    {"PI", "pi"},
    {"Pi", "pi"},
    {"fabs", "abs"},
    {"pow", "x^2"},
    {"sgn", "sign"},
    {"ceil", "-floor(-x)"},
};

struct formula_parser {
    const char *text, *at;
    struct formula *formula;
    size_t nested;
    tlu_error *error;
};

// ---- messages

static tlu_status fail(const struct formula_parser *parser, const char *at, const char *format, ...)
    PRINTF_LIKE(3, 4);

static tlu_status fail(const struct formula_parser *parser, const char *at, const char *format, ...)
{
    char reason[400];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    return error_at(parser->error, SOURCE, 1, (uint64_t)(at - parser->text) + 1, "%s", reason);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || (length && is_digit(at[length])))
        length++;
    return length;
}

// The text at a place, for a message: a name, a character or the end.
static const char *found(const char *at, char out[64])
{
    char quoted[48];
    size_t length = name_length(at);
    if (!*at)
        return "the end";
    length += length == 0;
    while (((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    snprintf(out, 64, "'%s'", error_quote(quoted, sizeof quoted, at, length));
    return out;
}

static tlu_status expected(const struct formula_parser *parser, const char *what)
{
    char shown[64];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (strncmp(parser->at, wrong[i].text, strlen(wrong[i].text)) == 0)
            return fail(parser, parser->at, "expected %s, found '%s'; %s", what, wrong[i].text,
                        wrong[i].fix);
    return fail(parser, parser->at, "expected %s, found %s", what, found(parser->at, shown));
}

// ---- instructions

static void skip_blanks(struct formula_parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool take(struct formula_parser *parser, char c)
{
    skip_blanks(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

static tlu_status add(struct formula_parser *parser, enum formula_op op, double number)
{
    struct formula *formula = parser->formula;
    if (!memory_reserve(&formula->steps, &formula->capacity, formula->count + 1,
                        sizeof *formula->steps))
        return error_memory(parser->error);
    formula->steps[formula->count++] = (struct formula_step){op, number};
    bool binary = (op >= FORMULA_ADD && op <= FORMULA_POWER) || op >= FORMULA_MIN;
    formula->depth += op <= FORMULA_X;
    formula->depth -= binary;
    formula->uses_x = formula->uses_x || op == FORMULA_X;
    if (formula->depth > formula->depth_max)
        formula->depth_max = formula->depth;
    return TLU_OK;
}

// ---- the grammar

static tlu_status read_sum(struct formula_parser *parser);

static const struct formula_function *function_named(const char *name, size_t length)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return &functions[i];
    return NULL;
}

static tlu_status close_parenthesis(struct formula_parser *parser, const char *opened)
{
    if (take(parser, ')'))
        return TLU_OK;
    if (!*parser->at)
        return fail(parser, opened, "this ( is never closed; add )");
    if (*parser->at == ',')
        return fail(parser, parser->at, "there is nothing to separate here; remove the comma");
    return expected(parser, "an operator or )");
}

static tlu_status read_call(struct formula_parser *parser, const struct formula_function *function,
                            const char *name)
{
    skip_blanks(parser);
    const char *opened = parser->at;
    if (!take(parser, '('))
        return fail(parser, name, "%s needs its argument in parentheses, as in %s", function->name,
                    function->several ? "max(x, 0)" : "sin(x)");
    TRY(read_sum(parser));
    size_t count = 1;
    for (; function->several && take(parser, ','); count++) {
        TRY(read_sum(parser));
        TRY(add(parser, function->op, 0));
    }
    if (!function->several && take(parser, ','))
        return fail(parser, parser->at - 1, "%s takes one argument; remove the others",
                    function->name);
    TRY(close_parenthesis(parser, opened));
    if (function->several)
        return count > 1 ? TLU_OK
                         : fail(parser, name, "%s takes two arguments or more, as in %s(x, 0)",
                                function->name, function->name);
    return add(parser, function->op, 0);
}

static tlu_status read_name(struct formula_parser *parser)
{
    const char *name = parser->at;
    size_t length = name_length(name);
    char shown[64];
    const struct formula_function *function = function_named(name, length);
    parser->at += length;
    if (function)
        return read_call(parser, function, name);
    if (length == 1 && *name == 'x')
        return add(parser, FORMULA_X, 0);
    if (length == 1 && *name == 'e')
        return add(parser, FORMULA_NUMBER, 0x1.5bf0a8b145769p+1);
    if (length == 2 && memcmp(name, "pi", 2) == 0)
        return add(parser, FORMULA_NUMBER, 0x1.921fb54442d18p+1);
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strlen(renamed[i][0]) == length && memcmp(renamed[i][0], name, length) == 0)
            return fail(parser, name, "%s is not known; write %s", found(name, shown),
                        renamed[i][1]);
    return fail(parser, name, "%s is not known; " KNOWN, found(name, shown));
}

static tlu_status read_number(struct formula_parser *parser)
{
    double value;
    const char *start = parser->at, *end;
    if (number_parse(start, start + strlen(start), &value, &end) != NUMBER_OK)
        return fail(parser, start, "this number overflows; write a smaller one");
    parser->at = end;
    if (is_letter(*end))
        return fail(parser, end,
                    "expected an operator after the number; a product is written "
                    "with *, as in 2*x");
    return add(parser, FORMULA_NUMBER, value);
}

static tlu_status read_operand(struct formula_parser *parser)
{
    skip_blanks(parser);
    const char *start = parser->at;
    if (is_digit(*start) || (*start == '.' && is_digit(start[1])))
        return read_number(parser);
    if (is_letter(*start))
        return read_name(parser);
    if (!take(parser, '('))
        return expected(parser, "a number, x, a function or (");
    TRY(read_sum(parser));
    return close_parenthesis(parser, start);
}

static tlu_status read_signed(struct formula_parser *parser)
{
    bool negative = false;
    for (;;) {
        if (take(parser, '-'))
            negative = !negative;
        else if (!take(parser, '+'))
            break;
    }
    if (parser->nested == NESTED_MAX)
        return fail(parser, parser->at, "the function is nested more than %d deep; simplify it",
                    NESTED_MAX);
    parser->nested++;
    TRY(read_operand(parser));
    if (take(parser, '^')) {
        TRY(read_signed(parser));
        TRY(add(parser, FORMULA_POWER, 0));
    }
    parser->nested--;
    return negative ? add(parser, FORMULA_NEGATE, 0) : TLU_OK;
}

static tlu_status read_product(struct formula_parser *parser)
{
    TRY(read_signed(parser));
    for (;;) {
        skip_blanks(parser);
        char c = *parser->at;
        if ((c != '*' && c != '/') || parser->at[1] == '*')
            return TLU_OK;
        parser->at++;
        TRY(read_signed(parser));
        TRY(add(parser, c == '*' ? FORMULA_MULTIPLY : FORMULA_DIVIDE, 0));
    }
}

static tlu_status read_sum(struct formula_parser *parser)
{
    TRY(read_product(parser));
    for (;;) {
        bool plus = take(parser, '+');
        if (!plus && !take(parser, '-'))
            return TLU_OK;
        TRY(read_product(parser));
        TRY(add(parser, plus ? FORMULA_ADD : FORMULA_SUBTRACT, 0));
    }
}

tlu_status formula_read(struct formula *formula, const char *text, tlu_error *error)
{
    struct formula_parser parser = {.text = text, .at = text, .formula = formula, .error = error};
    skip_blanks(&parser);
    if (!*parser.at)
        return fail(&parser, parser.at, "the function is empty; write one such as sin(x)");
    TRY(read_sum(&parser));
    skip_blanks(&parser);
    if (*parser.at == ')')
        return fail(&parser, parser.at, "there is no ( for this ); remove it");
    if (is_letter(*parser.at) || is_digit(*parser.at) || *parser.at == '(')
        return fail(&parser, parser.at,
                    "expected an operator; a product is written with *, as in 2*x");
    if (*parser.at)
        return expected(&parser, "+ - * / ^ or the end");
    assert(formula->depth == 1);
    formula->stack = memory_new(formula->depth_max, sizeof *formula->stack);
    return enough_memory(formula->stack, error);
}

void formula_free(struct formula *formula)
{
    memory_free(formula->steps);
    memory_free(formula->stack);
}

// ---- evaluation

static double apply(enum formula_op op, double a, double b)
{
    switch (op) {
    case FORMULA_NEGATE:
        return -a;
    case FORMULA_ADD:
        return a + b;
    case FORMULA_SUBTRACT:
        return a - b;
    case FORMULA_MULTIPLY:
        return a * b;
    case FORMULA_DIVIDE:
        return a / b;
    case FORMULA_POWER:
        return same_pow(a, b);
    case FORMULA_SIN:
        return same_sin(a);
    case FORMULA_COS:
        return same_cos(a);
    case FORMULA_TAN:
        return same_tan(a);
    case FORMULA_EXP:
        return same_exp(a);
    case FORMULA_LOG:
        return same_log(a);
    case FORMULA_SQRT:
        return sqrt(a);
    case FORMULA_ABS:
        return fabs(a);
    case FORMULA_TANH:
        return same_tanh(a);
    case FORMULA_FLOOR:
        return floor(a);
    case FORMULA_SIGN:
        return isnan(a) ? a : (double)(a > 0) - (double)(a < 0);
    case FORMULA_MIN:
        return isnan(a) || a < b ? a : b;
    default:
        assert(op == FORMULA_MAX);
        return isnan(a) || a > b ? a : b;
    }
}

// Called for each operation: its operands and its value. False ends the evaluation.
typedef bool formula_observer(void *context, enum formula_op op, double a, double b, double value);

static double evaluate(const struct formula *formula, double x, formula_observer *observer,
                       void *context)
{
    double *top = formula->stack - 1;
    for (size_t i = 0; i < formula->count; i++) {
        const struct formula_step *step = &formula->steps[i];
        if (step->op <= FORMULA_X) {
            *++top = step->op == FORMULA_X ? x : step->number;
            continue;
        }
        bool binary =
            (step->op >= FORMULA_ADD && step->op <= FORMULA_POWER) || step->op >= FORMULA_MIN;
        double b = binary ? *top-- : 0, a = *top;
        *top = apply(step->op, a, b);
        if (observer && !observer(context, step->op, a, b, *top))
            return *top;
    }
    return *top;
}

double formula_value(const struct formula *formula, double x)
{
    return evaluate(formula, x, NULL, NULL);
}

// ---- places that are not finite

static const char *name_of(enum formula_op op)
{
    static const char *const signs[] = {"", "", "-", "+", "-", "*", "/", "^"};
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (functions[i].op == op)
            return functions[i].name;
    return op <= FORMULA_POWER ? signs[op] : "";
}

static bool write_reason(void *context, enum formula_op op, double a, double b, double value)
{
    char *out = context, left[32], right[32];
    if (isfinite(value) || !isfinite(a) || !isfinite(b))
        return true;
    number_print_as(left, sizeof left, 'g', 6, a);
    number_print_as(right, sizeof right, 'g', 6, b);
    if (op >= FORMULA_SIN && op <= FORMULA_TAN)
        snprintf(out, FORMULA_REASON_SIZE, "%s of %s, which is beyond %d", name_of(op), left,
                 (int)TRIG_MAX);
    else if (op >= FORMULA_SIN)
        snprintf(out, FORMULA_REASON_SIZE, "%s of %s", name_of(op), left);
    else
        snprintf(out, FORMULA_REASON_SIZE, "%s %s %s", left, name_of(op), right);
    return false;
}

const char *formula_reason(const struct formula *formula, double x, char out[FORMULA_REASON_SIZE])
{
    snprintf(out, FORMULA_REASON_SIZE, "it overflows");
    evaluate(formula, x, write_reason, out);
    return out;
}

// Finds the divisor of one operation: of /, of tan (a cosine) or of a negative power (its base).
struct divisor_search {
    size_t wanted, seen; // index of the operation, and number of operations so far
    double divisor;
};

static bool find_divisor(void *context, enum formula_op op, double a, double b, double value)
{
    struct divisor_search *search = context;
    (void)value;
    bool divides = op == FORMULA_DIVIDE || op == FORMULA_TAN ||
                   (op == FORMULA_POWER && b < 0 && b == floor(b));
    if (!divides || search->seen++ < search->wanted)
        return true;
    search->divisor = op == FORMULA_DIVIDE ? b : op == FORMULA_TAN ? same_cos(a) : a;
    return false;
}

// Returns NaN if there is no such operation.
static double divisor_at(const struct formula *formula, double x, size_t which)
{
    struct divisor_search search = {.wanted = which, .divisor = NAN};
    evaluate(formula, x, find_divisor, &search);
    return search.divisor;
}

bool formula_has_pole(const struct formula *formula, double from, double to, double *pole)
{
    const double steep = 1e6; // how much the value must grow
    double usual = fmax(fabs(formula_value(formula, from)), fabs(formula_value(formula, to)));
    for (size_t which = 0;; which++) {
        double low = from, high = to, before = divisor_at(formula, from, which);
        double after = divisor_at(formula, to, which);
        if (isnan(before) || isnan(after))
            return false;
        if (!((before < 0 && after > 0) || (before > 0 && after < 0)))
            continue;
        for (;;) {
            double middle = low + (high - low) / 2;
            if (!(middle > low && middle < high))
                break;
            if ((divisor_at(formula, middle, which) < 0) == (before < 0))
                low = middle;
            else
                high = middle;
        }
        double value = fmax(fabs(formula_value(formula, low)), fabs(formula_value(formula, high)));
        if (!(value < steep * fmax(usual, 1e-300))) {
            *pole = high;
            return true;
        }
    }
}
