// The words of an expression. Operators are known by several spellings, those of C, of logic and of
// English; of others that people write, the message says what is meant here.
#include "logic/function/expression.h"

#include <stdarg.h>
#include <stdio.h>

struct spelling {
    const char *text;
    enum word_kind kind;
};

// Of two that begin alike the longer comes first.
static const struct spelling signs[] = {
    {"<->", WORD_IFF},     {"<=>", WORD_IFF},   {"->", WORD_IMPLIES}, {"=>", WORD_IMPLIES},
    {"==", WORD_IFF},      {"!=", WORD_XOR},    {"&&", WORD_AND},     {"||", WORD_OR},
    {"&", WORD_AND},       {"|", WORD_OR},      {"^", WORD_XOR},      {"!", WORD_NOT},
    {"~", WORD_NOT},       {"(", WORD_OPEN},    {")", WORD_CLOSE},    {",", WORD_COMMA},
    {";", WORD_SEMICOLON}, {"¬", WORD_NOT},     {"∧", WORD_AND},      {"∨", WORD_OR},
    {"⊕", WORD_XOR},       {"→", WORD_IMPLIES}, {"↔", WORD_IFF},
};

static const struct spelling named[] = {
    {"and", WORD_AND}, {"or", WORD_OR},   {"not", WORD_NOT},         {"xor", WORD_XOR},
    {"AND", WORD_AND}, {"OR", WORD_OR},   {"NOT", WORD_NOT},         {"XOR", WORD_XOR},
    {"iff", WORD_IFF}, {"IFF", WORD_IFF}, {"implies", WORD_IMPLIES}, {"IMPLIES", WORD_IMPLIES},
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

static const struct spelling *sign_at(const char *at)
{
    for (size_t i = 0; i < COUNT(signs); i++)
        if (begins(at, signs[i].text))
            return &signs[i];
    return NULL;
}

// Letters of any alphabet, digits and _ , but no sign that is an operator.
static bool is_named_by(const char *at)
{
    char c = *at;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_')
        return true;
    return (unsigned char)c >= 0x80 && !sign_at(at) && !begins(at, "·");
}

// ---- messages

tlu_status words_fail(const struct words *words, const char *at, tlu_error *error,
                      const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint64_t line = 1;
    const char *start = words->text;
    for (const char *c = words->text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return error_at(error, words->file, line, (uint64_t)(at - start) + 1, "%s", text);
}

const char *word_show(char out[64], const struct word *word)
{
    char quoted[48];
    if (word->kind == WORD_END)
        snprintf(out, 64, "the end");
    else
        snprintf(out, 64, word->quoted ? "%s" : "'%s'",
                 error_quote(quoted, sizeof quoted, word->start, word->length));
    return out;
}

static size_t character_length(const char *at)
{
    size_t length = 1;
    while (((unsigned char)*at & 0x80) && ((unsigned char)at[length] & 0xC0) == 0x80)
        length++;
    return length;
}

static tlu_status no_word(const struct words *words, tlu_error *error)
{
    char shown[48];
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (begins(words->at, wrong[i].text))
            return words_fail(words, words->at, error, "unknown operator '%s'%s%s", wrong[i].text,
                              wrong[i].fix ? "; " : "", wrong[i].fix ? wrong[i].fix : "");
    error_quote(shown, sizeof shown, words->at, character_length(words->at));
    return words_fail(words, words->at, error,
                      "unknown operator '%s'; expected a name, a constant, & | ! ^ -> <-> or a "
                      "parenthesis",
                      shown);
}

// ---- words

static tlu_status take_quoted(struct words *words, struct word *word, tlu_error *error)
{
    const char *end = word->start + 1;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end)
        return words_fail(words, word->start, error, "this \" is never closed");
    if (end == word->start + 1)
        return words_fail(words, word->start, error, "a name has at least one letter");
    word->kind = WORD_NAME;
    word->quoted = true;
    word->length = (size_t)(end - word->start) + 1;
    return TLU_OK;
}

static tlu_status take_number(struct words *words, struct word *word, tlu_error *error)
{
    const char *end = word->start;
    while (is_digit(*end))
        end++;
    if (is_named_by(end))
        return words_fail(words, word->start, error,
                          "a name does not begin with a digit, unless it is quoted by \"");
    word->kind = WORD_NUMBER;
    word->length = (size_t)(end - word->start);
    return TLU_OK;
}

static void take_name(struct word *word)
{
    const char *end = word->start;
    while (is_named_by(end))
        end++;
    word->kind = WORD_NAME;
    word->length = (size_t)(end - word->start);
    for (size_t i = 0; i < COUNT(named); i++)
        if (strlen(named[i].text) == word->length && begins(word->start, named[i].text))
            word->kind = named[i].kind;
}

tlu_status words_next(struct words *words, struct word *word, tlu_error *error)
{
    while (is_space(*words->at))
        words->at++;
    *word = (struct word){.kind = WORD_END, .start = words->at};
    const struct spelling *sign = sign_at(words->at);
    if (sign) {
        word->kind = sign->kind;
        word->length = strlen(sign->text);
    } else if (*words->at == '"') {
        TRY(take_quoted(words, word, error));
    } else if (is_digit(*words->at)) {
        TRY(take_number(words, word, error));
    } else if (is_named_by(words->at)) {
        take_name(word);
    } else if (*words->at) {
        return no_word(words, error);
    }
    words->at += word->length;
    return TLU_OK;
}

bool words_opens(const struct words *words)
{
    const char *at = words->at;
    while (is_space(*at))
        at++;
    return *at == '(';
}
