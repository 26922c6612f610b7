// Reads an expression by operator precedence (Dijkstra's shunting yard), with a stack of its own:
// parentheses may be nested as deeply as there is memory.
#include "logic/function/expression.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define MIN_MAX 1000000000 // of atleast(K; ...)
#define EXPECTED_OPERAND "a name, 0, 1, ! or ("

struct form {
    const char *name;
    bool counted; // has a number before its operands
    enum { FORM_MAJORITY, FORM_ATLEAST, FORM_ATMOST, FORM_EXACTLY } kind;
};

static const struct form forms[] = {
    {"maj", false, FORM_MAJORITY},   {"majority", false, FORM_MAJORITY},
    {"atleast", true, FORM_ATLEAST}, {"atmost", true, FORM_ATMOST},
    {"exactly", true, FORM_EXACTLY},
};

// An operator that waits for its right operand, or a parenthesis for its end.
struct waiting {
    enum word_kind kind;     // WORD_OPEN: a parenthesis
    const struct form *form; // NULL: a parenthesis of no form
    uint32_t operands, least;
    const char *at;
};

struct parser {
    struct words words;
    struct word word; // the one that is looked at
    struct expression *expression;
    struct waiting *stack;
    size_t depth, capacity;
};

// ---- the program

static tlu_status add_step(struct parser *parser, struct step step, tlu_error *error)
{
    struct expression *e = parser->expression;
    TRY(enough_memory(memory_reserve(&e->steps, &e->capacity, e->count + 1, sizeof *e->steps),
                      error));
    e->steps[e->count++] = step;
    return TLU_OK;
}

static tlu_status add_operator(struct parser *parser, enum word_kind kind, tlu_error *error)
{
    static const enum step_kind steps[] = {
        [WORD_NOT] = STEP_NOT, [WORD_AND] = STEP_AND,         [WORD_XOR] = STEP_XOR,
        [WORD_OR] = STEP_OR,   [WORD_IMPLIES] = STEP_IMPLIES, [WORD_IFF] = STEP_IFF};
    return add_step(parser, (struct step){.kind = steps[kind]}, error);
}

static tlu_status add_form(struct parser *parser, const struct waiting *form, tlu_error *error)
{
    struct step step = {.kind = STEP_ATLEAST, .number = form->operands, .least = form->least};
    if (form->form->kind == FORM_MAJORITY)
        step.least = form->operands / 2 + 1;
    if (form->form->kind == FORM_EXACTLY)
        step.kind = STEP_EXACTLY;
    if (form->form->kind != FORM_ATMOST)
        return add_step(parser, step, error);
    step.least++; // no more than K: not K + 1 of them
    TRY(add_step(parser, step, error));
    return add_step(parser, (struct step){.kind = STEP_NOT}, error);
}

static tlu_status push(struct parser *parser, struct waiting waiting, tlu_error *error)
{
    TRY(enough_memory(
        memory_reserve(&parser->stack, &parser->capacity, parser->depth + 1, sizeof *parser->stack),
        error));
    parser->stack[parser->depth++] = waiting;
    return TLU_OK;
}

// Operators that bind at least as tightly as one on the right of them, or more if that groups from
// the right, have got their operands.
static tlu_status reduce(struct parser *parser, enum word_kind next, tlu_error *error)
{
    while (parser->depth > 0) {
        enum word_kind top = parser->stack[parser->depth - 1].kind;
        if (top == WORD_OPEN || top > next || (top == next && next == WORD_IMPLIES))
            return TLU_OK;
        parser->depth--;
        TRY(add_operator(parser, top, error));
    }
    return TLU_OK;
}

// ---- names

static bool is_word(const struct word *word, const char *text)
{
    return !word->quoted && strlen(text) == word->length &&
           memcmp(word->start, text, word->length) == 0;
}

// The name without quotes and backslashes, in memory of its own.
static char *plain_name(const struct word *word, size_t *length)
{
    const char *from = word->start + word->quoted, *end = word->start + word->length - word->quoted;
    char *name = memory_copy_text(from, (size_t)(end - from));
    *length = 0;
    for (; name && from < end; from++) {
        from += word->quoted && *from == '\\' && from + 1 < end;
        name[(*length)++] = *from;
    }
    return name;
}

static tlu_status number_of(struct parser *parser, const char *name, size_t length,
                            uint32_t *number, tlu_error *error)
{
    struct table *names = &parser->expression->names;
    char shown[64];
    word_show(shown, &parser->word);
    *number = table_find(names, name, length);
    if (*number != TABLE_NONE)
        return TLU_OK;
    if (parser->expression->names_given)
        return words_fail(&parser->words, parser->word.start, error,
                          "%s is not one of the names that were given", shown);
    if (names->count == TRUTH_INPUTS_MAX)
        return words_fail(&parser->words, parser->word.start, error,
                          "too many inputs: %s is one more than the %d that a truth table has at "
                          "most",
                          shown, TRUTH_INPUTS_MAX);
    *number = table_add(names, name, length);
    return enough_memory(*number != TABLE_NONE, error);
}

static tlu_status take_name(struct parser *parser, tlu_error *error)
{
    const struct word *word = &parser->word;
    bool yes = is_word(word, "true") || is_word(word, "TRUE");
    if (yes || is_word(word, "false") || is_word(word, "FALSE"))
        return add_step(parser, (struct step){.kind = STEP_CONSTANT, .number = yes}, error);
    size_t length;
    struct step step = {.kind = STEP_INPUT};
    char *name = plain_name(word, &length);
    if (!name)
        return error_memory(error);
    tlu_status status = number_of(parser, name, length, &step.number, error);
    memory_free(name);
    return status == TLU_OK ? add_step(parser, step, error) : status;
}

// ---- forms: atleast(2; a, b, c)

static const struct form *form_named(const struct word *word)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (is_word(word, forms[i].name))
            return &forms[i];
    return NULL;
}

static tlu_status take_least(struct parser *parser, struct waiting *form, tlu_error *error)
{
    char shown[64];
    struct word number = parser->word;
    unsigned long long value = number.length < 12 ? strtoull(number.start, NULL, 10) : UINT64_MAX;
    if (number.kind != WORD_NUMBER)
        return words_fail(&parser->words, number.start, error,
                          "expected how many, as in %s(2; a, b, c), found %s", form->form->name,
                          word_show(shown, &number));
    if (value > MIN_MAX)
        return words_fail(&parser->words, number.start, error, "%s is more than %d",
                          word_show(shown, &number), MIN_MAX);
    form->least = (uint32_t)value;
    TRY(words_next(&parser->words, &parser->word, error));
    bool gap = parser->word.kind == WORD_SEMICOLON || parser->word.kind == WORD_COMMA;
    if (!gap && parser->word.kind != WORD_CLOSE)
        return words_fail(&parser->words, parser->word.start, error,
                          "expected ; after how many, as in %s(2; a, b, c), found %s",
                          form->form->name, word_show(shown, &parser->word));
    return gap ? words_next(&parser->words, &parser->word, error) : TLU_OK;
}

// Its name is the word that is looked at; after it, its first operand.
static tlu_status open_form(struct parser *parser, tlu_error *error)
{
    char shown[64];
    struct word name = parser->word;
    struct waiting form = {.kind = WORD_OPEN, .form = form_named(&name), .operands = 1};
    if (!form.form)
        return words_fail(&parser->words, name.start, error,
                          "expected an operator between %s and (, or one of maj, atleast, atmost, "
                          "exactly before (",
                          word_show(shown, &name));
    TRY(words_next(&parser->words, &parser->word, error));
    form.at = parser->word.start;
    TRY(words_next(&parser->words, &parser->word, error));
    if (form.form->counted)
        TRY(take_least(parser, &form, error));
    if (parser->word.kind == WORD_CLOSE)
        return words_fail(&parser->words, name.start, error,
                          "%s of nothing: expected operands, as in %s", form.form->name,
                          form.form->counted ? "atleast(2; a, b, c)" : "maj(a, b, c)");
    return push(parser, form, error);
}

// ---- the grammar

// Up to the end of an operand: names and constants, after any number of ! and ( and forms.
static tlu_status take_operand(struct parser *parser, tlu_error *error)
{
    char shown[64];
    for (;;) {
        const struct word *word = &parser->word;
        bool constant = word->kind == WORD_NUMBER && word->length == 1 && *word->start < '2';
        if (word->kind == WORD_NAME && words_opens(&parser->words)) {
            TRY(open_form(parser, error)); // which goes on to the word after it
            continue;
        }
        if (constant || word->kind == WORD_NAME)
            break;
        if (word->kind != WORD_NOT && word->kind != WORD_OPEN)
            return words_fail(&parser->words, word->start, error, "expected %s, found %s",
                              EXPECTED_OPERAND, word_show(shown, word));
        TRY(push(parser, (struct waiting){.kind = word->kind, .at = word->start}, error));
        TRY(words_next(&parser->words, &parser->word, error));
    }
    struct step step = {.kind = STEP_CONSTANT, .number = *parser->word.start == '1'};
    TRY(parser->word.kind == WORD_NAME ? take_name(parser, error) : add_step(parser, step, error));
    return words_next(&parser->words, &parser->word, error);
}

static tlu_status close_parenthesis(struct parser *parser, tlu_error *error)
{
    TRY(reduce(parser, WORD_IFF, error));
    if (parser->depth == 0)
        return words_fail(&parser->words, parser->word.start, error, "there is no ( for this )");
    const struct waiting *opened = &parser->stack[--parser->depth];
    if (opened->form)
        TRY(add_form(parser, opened, error));
    return words_next(&parser->words, &parser->word, error);
}

// After an operand: what closes, and then an operator or a comma, after which comes another
// operand, or the end.
static tlu_status take_operator(struct parser *parser, bool *ended, tlu_error *error)
{
    char shown[64];
    while (parser->word.kind == WORD_CLOSE)
        TRY(close_parenthesis(parser, error));
    enum word_kind kind = parser->word.kind;
    *ended = kind == WORD_END;
    TRY(reduce(parser, kind >= WORD_AND ? kind : WORD_IFF, error));
    struct waiting *top = parser->depth ? &parser->stack[parser->depth - 1] : NULL;
    if (*ended && top)
        return words_fail(&parser->words, top->at, error, "this ( is never closed");
    if (*ended)
        return TLU_OK;
    if (kind == WORD_COMMA && top && top->form)
        top->operands++;
    else if (kind >= WORD_AND)
        TRY(push(parser, (struct waiting){.kind = kind, .at = parser->word.start}, error));
    else
        return words_fail(&parser->words, parser->word.start, error,
                          "expected & | ^ -> <->%s or %s, found %s", top && top->form ? " ," : "",
                          top ? ")" : "the end", word_show(shown, &parser->word));
    return words_next(&parser->words, &parser->word, error);
}

static tlu_status read_all(struct parser *parser, tlu_error *error)
{
    bool ended = false;
    TRY(words_next(&parser->words, &parser->word, error));
    if (parser->word.kind == WORD_END)
        return words_fail(&parser->words, parser->word.start, error,
                          "the expression is empty; expected " EXPECTED_OPERAND);
    while (!ended) {
        TRY(take_operand(parser, error));
        TRY(take_operator(parser, &ended, error));
    }
    return TLU_OK;
}

tlu_status expression_read(struct expression *expression, const char *file, const char *text,
                           tlu_error *error)
{
    struct parser parser = {.words = {.file = file, .text = text, .at = text},
                            .expression = expression};
    tlu_status status = read_all(&parser, error);
    memory_free(parser.stack);
    return status;
}

void expression_free(struct expression *expression)
{
    table_free(&expression->names);
    memory_free(expression->steps);
}
