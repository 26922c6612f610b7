// The checker's own reader of data: rows of LIBSVM and CSV with their values exactly as written. It
// is slow and simple; docs/proof-format.md has its rules.
#include "base/error.h" // no file is empty to the compiler

#ifdef TLU_HAVE_GMP
#include "proof/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// c->data.value times 10^zeros, if that is whole.
static void shift_value(struct checker *c, long long zeros)
{
    mpz_t scale;
    mpz_init(scale);
    mpz_ui_pow_ui(scale, 10, (unsigned long)llabs(zeros));
    if (zeros >= 0)
        mpz_mul(c->data.value, c->data.value, scale);
    else if (mpz_divisible_p(c->data.value, scale))
        mpz_divexact(c->data.value, c->data.value, scale);
    else
        c->data.too_long = true; // it matters only if the row takes part
    mpz_clear(scale);
}

// [+-] digits [. digits] [e [+-] digits], times 10^digits; false if it is not such a number. The
// text is used up.
static bool take_number(struct checker *c, char *text)
{
    char *at = text + (*text == '-' || *text == '+');
    size_t whole = strspn(at, DIGITS), point = at[whole] == '.';
    size_t part = point ? strspn(at + whole + 1, DIGITS) : 0;
    const char *end = at + whole + point + part;
    long long exponent = 0, most = EXPONENT_MAX;
    if (*end == 'e' || *end == 'E') {
        const char *power = end + 1 + (end[1] == '-' || end[1] == '+');
        exponent = strtoll(end + 1, NULL, 10);
        exponent = exponent > most ? most : exponent < -most ? -most : exponent;
        end = power + strspn(power, DIGITS);
        if (end == power)
            return false;
    }
    if (*end || whole + part == 0)
        return false;
    memmove(at + whole, at + whole + point, part);
    at[whole + part] = '\0';
    mpz_set_str(c->data.value, *text == '+' ? at : text, 10);
    long long zeros = (long long)c->data.digits + exponent - (long long)part,
              digits = (long long)(whole + part);
    if (mpz_sgn(c->data.value) == 0)
        return true;
    need(c, zeros + (long long)mpz_sizeinbase(c->data.value, 10) <= NUMBER_MAX,
         "a number with too many digits");
    if (zeros >= -digits)
        shift_value(c, zeros);
    else
        c->data.too_long = true;
    return true;
}

// label index:value index:value ... # comment
static void libsvm_row(struct checker *c, char *line)
{
    char *save, *word = strtok_r(line, " \t", &save), *comment = NULL;
    take_label(c, word);
    while (!comment && (word = strtok_r(NULL, " \t", &save)) != NULL && *word != '#') {
        size_t digits = strspn(word, DIGITS), zeros = strspn(word, "0");
        bool query = strncmp(word, "qid:", 4) == 0;
        need(c, query || (digits && word[digits] == ':'), "expected index:value, found %.80s",
             word);
        comment = strchr(word, '#');
        if (comment)
            *comment = '\0';
        if (query)
            continue;
        word[digits] = '\0';
        char *value = word + digits + 1;
        need(c, take_number(c, value), "expected a number, found %.80s", value);
        take_entry(c, word + (zeros < digits ? zeros : digits - 1));
    }
}

// Copies the field that begins at `at` to `text`. The start of the next one; NULL: it was the last.
static char *take_field(struct checker *c, char *at, char *text)
{
    char stops[] = {(char)c->data.delimiter, '"', '\0'};
    bool blanks = stops[0] == ' ';
    at += strspn(at, " ");
    if (*at == '"') {
        for (at++; *at != '"' || *++at == '"'; *text++ = *at++)
            need(c, *at, "a quote that is not closed in its line");
    } else {
        size_t length = strcspn(at, stops), end = length;
        while (end && at[end - 1] == ' ')
            end--;
        memcpy(text, at, end);
        text += end;
        at += length;
    }
    *text = '\0';
    char *after = at + strspn(at, " ");
    need(c, !*after || (blanks ? after > at : *after == stops[0]),
         "expected a delimiter, found %.80s", after);
    return *after ? after + !blanks : NULL;
}

static bool is_missing(const char *text)
{
    static const char *const words[] = {"", "?", "NA", "N/A", "nan", "NaN", "null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

// A field in a column of numbers or categories. It is at the end of c->data.name, after `J=`.
static void csv_entry(struct checker *c, char kind, char *text)
{
    bool missing = is_missing(text);
    char policy = c->data.missing;
    need(c, !missing || policy != 'r', "a missing value: %.80s", text);
    need(c, policy != 'i' || kind != 'c' || strcmp(text, "(missing)") != 0,
         "a value that means a missing one: %.80s", text);
    if (missing && policy == 'z')
        return;
    if (missing)
        strcpy(text, "(missing)");
    bool number = !missing && kind == 'n';
    mpz_set(c->data.value, c->one);
    need(c, !number || take_number(c, text), "expected a number, found %.80s", text);
    if (number)
        text[-1] = '\0';
    take_entry(c, c->data.name);
}

static void csv_row(struct checker *c, char *at, bool header)
{
    bool example = true; // a header must not hide one
    for (const char *kind = c->data.kinds; *kind; kind++) {
        size_t column = (size_t)(kind - c->data.kinds) + 1;
        char *text = c->data.name + sprintf(c->data.name, "%zu=", column);
        need(c, at, "fewer fields than the proof has columns");
        at = take_field(c, at, text);
        if (*kind == 'l' && header)
            example &= is_label(c, text);
        else if (*kind == 'l')
            take_label(c, text);
        else if (*kind == 'n' && header)
            example &= is_missing(text) || take_number(c, text);
        else if (*kind != 'i' && !header)
            csv_entry(c, *kind, text);
    }
    need(c, !at, "more fields than the proof has columns");
    need(c, !header || !example, "the header would be an example");
}

void read_rows(struct checker *c)
{
    char *rest = c->data.start + (strncmp(c->data.start, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    bool csv = c->data.kinds, begun = false, header = c->data.header;
    for (c->line = 1; rest; c->line++) {
        char *line = strsep(&rest, "\n"), *row = line + strspn(line, csv ? " " : " \t");
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        bool remark = *row == '#' && (!csv || (!begun && row == line && strchr(" \t", row[1])));
        if (!*row || remark)
            continue;
        begun = true;
        c->data.too_long = false;
        start_row(c);
        if (csv)
            csv_row(c, row, header);
        else
            libsvm_row(c, row);
        if (!header)
            end_row(c);
        header = false;
    }
}
#endif
