// Operators have several spellings: those of C, of logic and of English. Messages about other
// common spellings say what to write.
#include "logic/function/expression.h"
#include "logic/append.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- lexer ----

enum lexeme_kind {
    LEXEME_END,
    LEXEME_NAME,
    LEXEME_NUMBER,
    LEXEME_OPEN,
    LEXEME_CLOSE,
    LEXEME_COMMA,
    LEXEME_SEMICOLON,
    LEXEME_NOT,
    // Binary operators, from the tightest.
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

struct counting_form;

// An operator before its right operand, or an open parenthesis.
struct stack_entry {
    enum lexeme_kind kind;            // LEXEME_OPEN: a parenthesis
    const struct counting_form *form; // NULL: a plain parenthesis
    uint32_t operands, least;
    const char *at;
};

struct expression_parser {
    const char *file; // in messages
    const char *text, *at;
    tlu_error *error;
    struct lexeme lexeme; // the one that is looked at
    struct expression *expression;
    struct stack_entry *stack;
    size_t depth, capacity;
};

struct operator_name {
    const char *text;
    enum lexeme_kind kind;
};

// A longer operator comes before its prefixes.
static const struct operator_name signs[] = {
    {"<->", LEXEME_IFF},     {"<=>", LEXEME_IFF},   {"->", LEXEME_IMPLIES}, {"=>", LEXEME_IMPLIES},
    {"==", LEXEME_IFF},      {"!=", LEXEME_XOR},    {"&&", LEXEME_AND},     {"||", LEXEME_OR},
    {"&", LEXEME_AND},       {"|", LEXEME_OR},      {"^", LEXEME_XOR},      {"!", LEXEME_NOT},
    {"~", LEXEME_NOT},       {"(", LEXEME_OPEN},    {")", LEXEME_CLOSE},    {",", LEXEME_COMMA},
    {";", LEXEME_SEMICOLON}, {"¬", LEXEME_NOT},     {"∧", LEXEME_AND},      {"∨", LEXEME_OR},
    {"⊕", LEXEME_XOR},       {"→", LEXEME_IMPLIES}, {"↔", LEXEME_IFF},
};

static const struct operator_name named[] = {
    {"and", LEXEME_AND}, {"or", LEXEME_OR},           {"not", LEXEME_NOT},
    {"xor", LEXEME_XOR}, {"AND", LEXEME_AND},         {"OR", LEXEME_OR},
    {"NOT", LEXEME_NOT}, {"XOR", LEXEME_XOR},         {"iff", LEXEME_IFF},
    {"IFF", LEXEME_IFF}, {"implies", LEXEME_IMPLIES}, {"IMPLIES", LEXEME_IMPLIES},
};

static const struct {
    const char *text, *fix;
} wrong[] = {
    {"<-", "a <- b is b -> a, and <-> is if and only if"},
    {"<", "-> is implies and <-> is if and only if"},
    {">", "-> is implies and <-> is if and only if"},
    {"-", "! is not, and -> is implies"},
    {"=", "<-> is if and only if"},
    {"*", "& is and"},
    {"·", "& is and"},
    {"+", "| is or, and ^ is exclusive or"},
    {"/\\", "& is and"},
    {"\\/", "| is or"},
    {"'", "a' is written !a, and names are quoted by \""},
    {"[", "a name with brackets is quoted: \"x[0]\""},
    {"{", "there are only round parentheses"},
    {"%", NULL},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const struct operator_name *sign_at(const char *at)
{
    for (size_t i = 0; i < COUNT(signs); i++)
        if (begins(at, signs[i].text))
            return &signs[i];
    return NULL;
}

// Whether a character may be part of a name: letters, digits, _ and other UTF-8 that is not an
// operator.
static bool is_named_by(const char *at)
{
    char c = *at;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_')
        return true;
    return (unsigned char)c >= 0x80 && !sign_at(at) && !begins(at, "·");
}

// ---- messages

// An error at a position of the text.
static tlu_status fail(const struct expression_parser *parser, const char *at, const char *format,
                       ...) PRINTF_LIKE(3, 4);

static tlu_status fail(const struct expression_parser *parser, const char *at, const char *format,
                       ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint64_t line = 1;
    const char *start = parser->text;
    for (const char *c = parser->text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return error_at(parser->error, parser->file, line, (uint64_t)(at - start) + 1, "%s", text);
}

// For a message: 'the lexeme', or "the end".
static const char *lexeme_show(char out[64], const struct lexeme *lexeme)
{
    char quoted[48];
    if (lexeme->kind == LEXEME_END)
        snprintf(out, 64, "the end");
    else
        snprintf(out, 64, lexeme->quoted ? "%s" : "'%s'",
                 error_quote(quoted, sizeof quoted, lexeme->start, lexeme->length));
    return out;
}

static size_t character_length(const char *at)
{
    size_t length = 1;
    while (((unsigned char)*at & 0x80) && ((unsigned char)at[length] & 0xC0) == 0x80)
        length++;
    return length;
}

static tlu_status lex_unknown(const struct expression_parser *parser)
{
    char shown[48];
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (begins(parser->at, wrong[i].text))
            return fail(parser, parser->at, "unknown operator '%s'%s%s", wrong[i].text,
                        wrong[i].fix ? "; " : "", wrong[i].fix ? wrong[i].fix : "");
    error_quote(shown, sizeof shown, parser->at, character_length(parser->at));
    return fail(parser, parser->at,
                "unknown operator '%s'; expected a name, a constant, & | ! ^ -> <-> or a "
                "parenthesis",
                shown);
}

// ---- lexemes

static tlu_status lex_quoted(struct expression_parser *parser)
{
    struct lexeme *lexeme = &parser->lexeme;
    const char *end = lexeme->start + 1;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end)
        return fail(parser, lexeme->start, "this \" is never closed");
    if (end == lexeme->start + 1)
        return fail(parser, lexeme->start, "the name is empty; write it between the quotes");
    lexeme->kind = LEXEME_NAME;
    lexeme->quoted = true;
    lexeme->length = (size_t)(end - lexeme->start) + 1;
    return TLU_OK;
}

static tlu_status lex_number(struct expression_parser *parser)
{
    struct lexeme *lexeme = &parser->lexeme;
    const char *end = lexeme->start;
    while (is_digit(*end))
        end++;
    if (is_named_by(end))
        return fail(parser, lexeme->start,
                    "a name does not begin with a digit, unless it is quoted by \"");
    lexeme->kind = LEXEME_NUMBER;
    lexeme->length = (size_t)(end - lexeme->start);
    return TLU_OK;
}

static void lex_name(struct lexeme *lexeme)
{
    const char *end = lexeme->start;
    while (is_named_by(end))
        end++;
    lexeme->kind = LEXEME_NAME;
    lexeme->length = (size_t)(end - lexeme->start);
    for (size_t i = 0; i < COUNT(named); i++)
        if (strlen(named[i].text) == lexeme->length && begins(lexeme->start, named[i].text))
            lexeme->kind = named[i].kind;
}

// Reads the next lexeme. The error for an unknown operator suggests a replacement if there is one.
static tlu_status next(struct expression_parser *parser)
{
    struct lexeme *lexeme = &parser->lexeme;
    while (is_space(*parser->at))
        parser->at++;
    *lexeme = (struct lexeme){.kind = LEXEME_END, .start = parser->at};
    const struct operator_name *sign = sign_at(parser->at);
    if (sign) {
        lexeme->kind = sign->kind;
        lexeme->length = strlen(sign->text);
    } else if (*parser->at == '"') {
        TRY(lex_quoted(parser));
    } else if (is_digit(*parser->at)) {
        TRY(lex_number(parser));
    } else if (is_named_by(parser->at)) {
        lex_name(lexeme);
    } else if (*parser->at) {
        return lex_unknown(parser);
    }
    parser->at += lexeme->length;
    return TLU_OK;
}

// Whether an opening parenthesis follows.
static bool opens(const struct expression_parser *parser)
{
    const char *at = parser->at;
    while (is_space(*at))
        at++;
    return *at == '(';
}

// ---- parser ----
//
// Operator precedence parsing (Dijkstra's shunting yard) with an explicit stack: only memory limits
// the nesting of parentheses.

#define COUNT_MAX 1000000000 // K of atleast(K; ...)
#define EXPECTED_OPERAND "a name, 0, 1, ! or ("

struct counting_form {
    const char *name;
    bool counted; // has a number before its operands
    enum { FORM_MAJORITY, FORM_ATLEAST, FORM_ATMOST, FORM_EXACTLY } kind;
};

static const struct counting_form forms[] = {
    {"maj", false, FORM_MAJORITY},   {"majority", false, FORM_MAJORITY},
    {"atleast", true, FORM_ATLEAST}, {"atmost", true, FORM_ATMOST},
    {"exactly", true, FORM_EXACTLY},
};

// ---- the program

static tlu_status add_instruction(struct expression_parser *parser, struct instruction instruction)
{
    struct expression *e = parser->expression;
    return enough_memory(APPEND(e->code, e->count, e->capacity, instruction), parser->error);
}

static tlu_status add_operator(struct expression_parser *parser, enum lexeme_kind kind)
{
    static const enum opcode code[] = {
        [LEXEME_NOT] = OP_NOT, [LEXEME_AND] = OP_AND,         [LEXEME_XOR] = OP_XOR,
        [LEXEME_OR] = OP_OR,   [LEXEME_IMPLIES] = OP_IMPLIES, [LEXEME_IFF] = OP_IFF};
    return add_instruction(parser, (struct instruction){.kind = code[kind]});
}

static tlu_status add_form(struct expression_parser *parser, const struct stack_entry *form)
{
    struct instruction instruction = {
        .kind = OP_ATLEAST, .number = form->operands, .least = form->least};
    if (form->form->kind == FORM_MAJORITY)
        instruction.least = form->operands / 2 + 1;
    if (form->form->kind == FORM_EXACTLY)
        instruction.kind = OP_EXACTLY;
    if (form->form->kind != FORM_ATMOST)
        return add_instruction(parser, instruction);
    instruction.least++; // no more than K: not K + 1 of them
    TRY(add_instruction(parser, instruction));
    return add_instruction(parser, (struct instruction){.kind = OP_NOT});
}

static tlu_status push(struct expression_parser *parser, struct stack_entry waiting)
{
    return enough_memory(APPEND(parser->stack, parser->depth, parser->capacity, waiting),
                         parser->error);
}

// Emits the operators on the stack that bind at least as tightly as the next one, or more tightly
// if the next one is right-associative.
static tlu_status reduce(struct expression_parser *parser, enum lexeme_kind next)
{
    while (parser->depth > 0) {
        enum lexeme_kind top = parser->stack[parser->depth - 1].kind;
        if (top == LEXEME_OPEN || top > next || (top == next && next == LEXEME_IMPLIES))
            return TLU_OK;
        parser->depth--;
        TRY(add_operator(parser, top));
    }
    return TLU_OK;
}

// ---- names

static bool is_word(const struct lexeme *lexeme, const char *text)
{
    return !lexeme->quoted && strlen(text) == lexeme->length &&
           memcmp(lexeme->start, text, lexeme->length) == 0;
}

// A copy of the name without quotes and backslashes.
static char *plain_name(const struct lexeme *lexeme, size_t *length)
{
    const char *from = lexeme->start + lexeme->quoted,
               *end = lexeme->start + lexeme->length - lexeme->quoted;
    char *name = memory_copy_text(from, (size_t)(end - from));
    *length = 0;
    for (; name && from < end; from++) {
        from += lexeme->quoted && *from == '\\' && from + 1 < end;
        name[(*length)++] = *from;
    }
    return name;
}

static tlu_status number_of(struct expression_parser *parser, const char *name, size_t length,
                            uint32_t *number)
{
    struct table *names = &parser->expression->names;
    char shown[64];
    lexeme_show(shown, &parser->lexeme);
    *number = table_find(names, name, length);
    if (*number != TABLE_NONE)
        return TLU_OK;
    if (parser->expression->names_given)
        return fail(parser, parser->lexeme.start,
                    "%s is not one of the names that were given; add it to --names", shown);
    if (names->count == TRUTH_INPUTS_MAX)
        return fail(parser, parser->lexeme.start,
                    "too many inputs: %s is one more than the %d that a truth table has at "
                    "most",
                    shown, TRUTH_INPUTS_MAX);
    *number = table_add(names, name, length);
    return enough_memory(*number != TABLE_NONE, parser->error);
}

static tlu_status take_name(struct expression_parser *parser)
{
    const struct lexeme *lexeme = &parser->lexeme;
    bool yes = is_word(lexeme, "true") || is_word(lexeme, "TRUE");
    if (yes || is_word(lexeme, "false") || is_word(lexeme, "FALSE"))
        return add_instruction(parser, (struct instruction){.kind = OP_CONSTANT, .number = yes});
    size_t length;
    struct instruction instruction = {.kind = OP_INPUT};
    char *name = plain_name(lexeme, &length);
    if (!name)
        return error_memory(parser->error);
    tlu_status status = number_of(parser, name, length, &instruction.number);
    memory_free(name);
    return status == TLU_OK ? add_instruction(parser, instruction) : status;
}

// ---- forms: atleast(2; a, b, c)

static const struct counting_form *form_named(const struct lexeme *lexeme)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (is_word(lexeme, forms[i].name))
            return &forms[i];
    return NULL;
}

static tlu_status take_least(struct expression_parser *parser, struct stack_entry *form)
{
    char shown[64];
    struct lexeme number = parser->lexeme;
    unsigned long long value = number.length < 12 ? strtoull(number.start, NULL, 10) : UINT64_MAX;
    if (number.kind != LEXEME_NUMBER)
        return fail(parser, number.start, "expected how many, as in %s(2; a, b, c), found %s",
                    form->form->name, lexeme_show(shown, &number));
    if (value > COUNT_MAX)
        return fail(parser, number.start, "%s is more than %d", lexeme_show(shown, &number),
                    COUNT_MAX);
    form->least = (uint32_t)value;
    TRY(next(parser));
    bool gap = parser->lexeme.kind == LEXEME_SEMICOLON || parser->lexeme.kind == LEXEME_COMMA;
    if (!gap && parser->lexeme.kind != LEXEME_CLOSE)
        return fail(parser, parser->lexeme.start,
                    "expected ; after how many, as in %s(2; a, b, c), found %s", form->form->name,
                    lexeme_show(shown, &parser->lexeme));
    return gap ? next(parser) : TLU_OK;
}

// Consumes the name and the parenthesis of a counting form, up to its first operand.
static tlu_status open_form(struct expression_parser *parser)
{
    char shown[64];
    struct lexeme name = parser->lexeme;
    struct stack_entry form = {.kind = LEXEME_OPEN, .form = form_named(&name), .operands = 1};
    if (!form.form)
        return fail(parser, name.start,
                    "expected an operator between %s and (, or one of maj, atleast, atmost, "
                    "exactly before (",
                    lexeme_show(shown, &name));
    TRY(next(parser));
    form.at = parser->lexeme.start;
    TRY(next(parser));
    if (form.form->counted)
        TRY(take_least(parser, &form));
    if (parser->lexeme.kind == LEXEME_CLOSE)
        return fail(parser, name.start, "%s of nothing: expected operands, as in %s",
                    form.form->name, form.form->counted ? "atleast(2; a, b, c)" : "maj(a, b, c)");
    return push(parser, form);
}

// ---- the grammar

// Parses an operand: a name or constant, after any number of !, ( and counting forms.
static tlu_status take_operand(struct expression_parser *parser)
{
    char shown[64];
    for (;;) {
        const struct lexeme *lexeme = &parser->lexeme;
        bool constant =
            lexeme->kind == LEXEME_NUMBER && lexeme->length == 1 && *lexeme->start < '2';
        if (lexeme->kind == LEXEME_NAME && opens(parser)) {
            TRY(open_form(parser));
            continue;
        }
        if (constant || lexeme->kind == LEXEME_NAME)
            break;
        if (lexeme->kind != LEXEME_NOT && lexeme->kind != LEXEME_OPEN)
            return fail(parser, lexeme->start, "expected %s, found %s", EXPECTED_OPERAND,
                        lexeme_show(shown, lexeme));
        TRY(push(parser, (struct stack_entry){.kind = lexeme->kind, .at = lexeme->start}));
        TRY(next(parser));
    }
    struct instruction instruction = {.kind = OP_CONSTANT, .number = *parser->lexeme.start == '1'};
    TRY(parser->lexeme.kind == LEXEME_NAME ? take_name(parser)
                                           : add_instruction(parser, instruction));
    return next(parser);
}

static tlu_status close_parenthesis(struct expression_parser *parser)
{
    TRY(reduce(parser, LEXEME_IFF));
    if (parser->depth == 0)
        return fail(parser, parser->lexeme.start, "there is no ( for this ); remove it");
    const struct stack_entry *opened = &parser->stack[--parser->depth];
    if (opened->form)
        TRY(add_form(parser, opened));
    return next(parser);
}

// Parses what follows an operand: closing parentheses, then a binary operator, a comma or the end.
static tlu_status take_operator(struct expression_parser *parser, bool *ended)
{
    char shown[64];
    while (parser->lexeme.kind == LEXEME_CLOSE)
        TRY(close_parenthesis(parser));
    enum lexeme_kind kind = parser->lexeme.kind;
    *ended = kind == LEXEME_END;
    TRY(reduce(parser, kind >= LEXEME_AND ? kind : LEXEME_IFF));
    struct stack_entry *top = parser->depth ? &parser->stack[parser->depth - 1] : NULL;
    if (*ended && top)
        return fail(parser, top->at, "this ( is never closed; add )");
    if (*ended)
        return TLU_OK;
    if (kind == LEXEME_COMMA && top && top->form)
        top->operands++;
    else if (kind >= LEXEME_AND)
        TRY(push(parser, (struct stack_entry){.kind = kind, .at = parser->lexeme.start}));
    else
        return fail(parser, parser->lexeme.start, "expected & | ^ -> <->%s or %s, found %s",
                    top && top->form ? " ," : "", top ? ")" : "the end",
                    lexeme_show(shown, &parser->lexeme));
    return next(parser);
}

static tlu_status read_all(struct expression_parser *parser)
{
    bool ended = false;
    TRY(next(parser));
    if (parser->lexeme.kind == LEXEME_END)
        return fail(parser, parser->lexeme.start,
                    "the expression is empty; expected " EXPECTED_OPERAND);
    while (!ended) {
        TRY(take_operand(parser));
        TRY(take_operator(parser, &ended));
    }
    return TLU_OK;
}

tlu_status expression_read(struct expression *expression, const char *file, const char *text,
                           tlu_error *error)
{
    struct expression_parser parser = {
        .file = file, .text = text, .at = text, .error = error, .expression = expression};
    tlu_status status = read_all(&parser);
    memory_free(parser.stack);
    return status;
}

void expression_free(struct expression *expression)
{
    table_free(&expression->names);
    memory_free(expression->code);
}

// ---- evaluation ----
//
// Evaluates all rows, 64 per word.

#define BLOCK 8 // words per instruction

#define PLANES 32 // bits of a counter

// The values of an input in the 64 rows of a word.
static uint64_t input_word(const struct truth_table *truth, unsigned input, size_t word)
{
    unsigned bit = truth->inputs - 1 - input;
    if (bit < 6)
        return ~truth_low_rows[bit];
    return word >> (bit - 6) & 1 ? UINT64_MAX : 0;
}

// Whether at least, or exactly, `least` operands are 1. Counts in bit-sliced form: bit r of
// planes[p] is bit p of the counter of row r.
static uint64_t count_word(const uint64_t *operands, size_t count, uint32_t least, bool exactly)
{
    uint64_t planes[PLANES] = {0}, above = 0, equal = UINT64_MAX;
    unsigned used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t carry = operands[i * BLOCK];
        for (unsigned p = 0; carry; p++) {
            uint64_t next = planes[p] & carry;
            planes[p] ^= carry;
            carry = next;
            used = p >= used ? p + 1 : used;
        }
    }
    for (unsigned p = PLANES; p-- > 0;) {
        uint64_t wanted = least >> p & 1 ? UINT64_MAX : 0, found = p < used ? planes[p] : 0;
        above |= equal & found & ~wanted;
        equal &= ~(found ^ wanted);
    }
    return exactly ? equal : above | equal;
}

static uint64_t apply(enum opcode kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case OP_AND:
        return a & b;
    case OP_XOR:
        return a ^ b;
    case OP_OR:
        return a | b;
    case OP_IMPLIES:
        return ~a | b;
    default:
        assert(kind == OP_IFF);
        return ~(a ^ b);
    }
}

// The depth of the stack after an instruction.
static size_t depth_after(size_t depth, const struct instruction *instruction)
{
    switch (instruction->kind) {
    case OP_INPUT:
    case OP_CONSTANT:
        return depth + 1;
    case OP_NOT:
        return depth;
    case OP_ATLEAST:
    case OP_EXACTLY:
        return depth - instruction->number + 1;
    default:
        return depth - 1;
    }
}

// Runs one instruction on one word; `at` is its first operand and its result.
static void run_instruction(const struct truth_table *truth, const struct instruction *instruction,
                            size_t word, uint64_t *at)
{
    switch (instruction->kind) {
    case OP_INPUT:
        *at = input_word(truth, instruction->number, word);
        break;
    case OP_CONSTANT:
        *at = instruction->number ? UINT64_MAX : 0;
        break;
    case OP_NOT:
        *at = ~*at;
        break;
    case OP_ATLEAST:
        *at = count_word(at, instruction->number, instruction->least, false);
        break;
    case OP_EXACTLY:
        *at = count_word(at, instruction->number, instruction->least, true);
        break;
    default:
        *at = apply(instruction->kind, at[0], at[BLOCK]);
    }
}

static void run_block(const struct expression *e, struct truth_table *truth, size_t first,
                      size_t words, uint64_t *stack)
{
    size_t depth = 0;
    for (size_t i = 0; i < e->count; i++) {
        depth = depth_after(depth, &e->code[i]);
        for (size_t w = 0; w < words; w++)
            run_instruction(truth, &e->code[i], first + w, stack + (depth - 1) * BLOCK + w);
    }
    memcpy(truth->ones + first, stack, words * sizeof *stack);
}

tlu_status expression_evaluate(const struct expression *e, struct truth_table *truth,
                               tlu_error *error)
{
    size_t depth = 0, most = 0, words = truth_words(truth);
    for (size_t i = 0; i < e->count; i++) {
        depth = depth_after(depth, &e->code[i]);
        most = depth > most ? depth : most;
    }
    uint64_t *stack = memory_new(most, BLOCK * sizeof *stack);
    if (!stack)
        return error_memory(error);
    for (size_t first = 0; first < words; first += BLOCK)
        run_block(e, truth, first, words - first < BLOCK ? words - first : BLOCK, stack);
    truth->ones[0] &= truth_mask(truth);
    memory_free(stack);
    return TLU_OK;
}
