#include "base/memory.h"

#ifdef TLU_HAVE_GMP
#include "prove/check/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static bool bad(struct plain_reader *reader, const char *problem, const char *found)
{
    reader->problem = problem;
    reader->found = found;
    return false;
}

// [+-] digits [. digits] [e [+-] digits], times 10^digits; false if it is not such a number.
static bool decimal(struct plain_reader *reader, const char *text, mpz_t value)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = strspn(at, DIGITS), part = at[whole] == '.' ? strspn(at + whole + 1, DIGITS) : 0;
    const char *fraction = at + whole + (at[whole] == '.'), *end = fraction + part;
    long exponent = 0;
    if (*end == 'e' || *end == 'E') {
        size_t sign = end[1] == '-' || end[1] == '+', count = strspn(end + 1 + sign, DIGITS);
        exponent = strtol(end + 1, NULL, 10);
        end += count ? 1 + sign + count : 0;
    }
    bool usual = exponent >= -PLAIN_DIGITS_MOST && exponent <= PLAIN_DIGITS_MOST;
    if (*end || whole + part == 0 || strlen(text) > PLAIN_DIGITS_MOST || !usual)
        return bad(reader, "expected a number, found ", text);
    long zeros = (long)reader->digits + exponent - (long)part;
    char digits[3 * PLAIN_DIGITS_MOST + 8];
    int length = snprintf(digits, sizeof digits, "%s%.*s%.*s", *text == '-' ? "-0" : "0",
                          (int)whole, at, (int)part, fraction);
    for (; zeros < 0 && digits[length - 1] == '0' && length > 1; zeros++)
        length--;
    if (zeros < 0) { // it matters only if the row takes part
        reader->too_long = text;
        zeros = 0;
    }
    memset(digits + length, '0', (size_t)zeros);
    digits[length + zeros] = '\0';
    return mpz_set_str(value, digits, 10) == 0;
}

static struct plain_entry *add_entry(struct plain_reader *reader, const char *text)
{
    if (!memory_reserve(&reader->entries, &reader->capacity, reader->count + 1,
                        sizeof *reader->entries)) {
        reader->no_memory = true;
        bad(reader, "out of memory", "");
        return NULL;
    }
    struct plain_entry *entry = &reader->entries[reader->count++];
    if (reader->count > reader->ready) {
        mpz_init(entry->value);
        reader->ready = reader->count;
    }
    entry->front[0] = '\0';
    entry->text = text;
    return entry;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct plain_entry *)a)->text, ((const struct plain_entry *)b)->text);
}

// label index:value index:value ... # comment
static bool libsvm_row(struct plain_reader *reader)
{
    char *save, *word = strtok_r(reader->field, " \t", &save), *comment = NULL;
    reader->label = word;
    while (!comment && (word = strtok_r(NULL, " \t", &save)) != NULL && *word != '#') {
        size_t digits = strspn(word, DIGITS);
        bool query = strncmp(word, "qid:", 4) == 0;
        if (!query && (digits == 0 || word[digits] != ':'))
            return bad(reader, "expected index:value, found ", word);
        comment = strchr(word, '#');
        if (comment)
            *comment = '\0';
        if (query)
            continue;
        word[digits] = '\0';
        char *value = word + digits + 1;
        while (*word == '0' && word[1])
            word++;
        struct plain_entry *entry = add_entry(reader, word);
        if (!entry || !decimal(reader, value, entry->value))
            return false;
    }
    if (reader->count) // the numbers are as good in any order
        qsort(reader->entries, reader->count, sizeof *reader->entries, by_name);
    for (size_t i = 1; i < reader->count; i++)
        if (by_name(&reader->entries[i - 1], &reader->entries[i]) == 0)
            return bad(reader, "an index twice in the row: ", reader->entries[i].text);
    return true;
}

// The next field of the row, in place; reader->field is then after it, NULL after the last. NULL if
// its quotes are not in order.
static char *next_field(struct plain_reader *reader)
{
    char *at = reader->field + strspn(reader->field, " "), *text = at, *end = at;
    char stops[] = {reader->delimiter, '"', '\0'};
    bool blanks = reader->delimiter == ' ', quoted = *at == '"';
    if (quoted) {
        for (text = end = ++at; *at != '"' || *++at == '"'; *end++ = *at++)
            if (!*at) {
                bad(reader, "a quote that is not closed in its line", "");
                return NULL;
            }
    } else {
        at += strcspn(at, stops);
        for (end = at; end > text && end[-1] == ' ';)
            end--;
    }
    char *after = at + strspn(at, " ");
    if (*after && (blanks ? after == at : *after != reader->delimiter)) {
        bad(reader, "expected a delimiter, found ", after);
        return NULL;
    }
    reader->field = *after ? after + !blanks : NULL;
    *end = '\0';
    return text;
}

static bool is_missing(const char *text)
{
    static const char *const words[] = {"", "?", "NA", "N/A", "nan", "NaN", "null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

// A field of the column with this number, from 1.
static bool take_field(struct plain_reader *reader, size_t column, char kind, const char *text)
{
    bool missing = is_missing(text);
    if (missing && reader->missing == 'r')
        return bad(reader, "a missing value: ", text);
    if (reader->missing == 'i' && kind == 'c' && strcmp(text, "(missing)") == 0)
        return bad(reader, "a value that means a missing one: ", text);
    if (missing && reader->missing == 'z')
        return true;
    bool category = missing || kind == 'c';
    struct plain_entry *entry = add_entry(reader, missing ? "(missing)" : kind == 'c' ? text : "");
    if (!entry)
        return false;
    snprintf(entry->front, sizeof entry->front, "%zu%s", column, category ? "=" : "");
    return decimal(reader, category ? "1" : text, entry->value);
}

static bool csv_row(struct plain_reader *reader)
{
    reader->example = true;
    for (const char *kind = reader->kinds; *kind; kind++) {
        if (!reader->field)
            return bad(reader, "fewer fields than the proof has columns", "");
        char *text = next_field(reader);
        if (!text)
            return false;
        if (*kind == 'l')
            reader->label = text;
        else if (*kind != 'i' &&
                 !take_field(reader, (size_t)(kind - reader->kinds) + 1, *kind, text))
            reader->example = false;
        if (!reader->example && (!reader->header || reader->no_memory))
            return false;
    }
    return !reader->field || bad(reader, "more fields than the proof has columns", "");
}

bool plain_next(struct plain_reader *reader)
{
    const char *blank = reader->delimiter ? " " : " \t";
    reader->problem = reader->too_long = NULL;
    reader->count = 0;
    if (reader->line == 0 && strncmp(reader->at, "\xEF\xBB\xBF", 3) == 0)
        reader->at += 3; // a byte order mark
    while (reader->at) {
        char *line = reader->at, *newline = strchr(line, '\n');
        size_t length = newline ? (size_t)(newline - line) : strlen(line);
        reader->at = newline ? newline + 1 : NULL;
        line[length] = '\0';
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        reader->line++;
        reader->field = line + strspn(line, blank);
        bool mark = *reader->field == '#', early = !reader->begun && mark && *line == '#';
        if (!*reader->field || (mark && !reader->delimiter) || (early && strchr(" \t", line[1])))
            continue;
        reader->begun = true;
        return reader->delimiter ? csv_row(reader) : libsvm_row(reader);
    }
    return false;
}

void plain_free(struct plain_reader *reader)
{
    for (size_t i = 0; i < reader->ready; i++)
        mpz_clear(reader->entries[i].value);
    memory_free(reader->entries);
}
#endif
