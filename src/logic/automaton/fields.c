// Lines of words with blanks between them.
#include "logic/automaton/automaton.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool add_word(struct fields *words, const char *start, size_t length)
{
    if (!memory_reserve(&words->at, &words->capacity, words->count + 1, sizeof *words->at) ||
        !memory_reserve(&words->length, &words->length_capacity, words->count + 1,
                        sizeof *words->length))
        return false;
    words->at[words->count] = start;
    words->length[words->count++] = length;
    return true;
}

static bool split_line(struct fields *words, const char *end)
{
    const char *at = words->line_start;
    words->count = 0;
    while (at < end && *at != '#') {
        const char *start = at;
        while (at < end && !is_blank(*at))
            at++;
        if (at > start && !add_word(words, start, (size_t)(at - start)))
            return false;
        while (at < end && is_blank(*at))
            at++;
    }
    return true;
}

bool fields_next(struct fields *words, tlu_status *status)
{
    *status = TLU_OK;
    while (words->text < words->end) {
        size_t left = (size_t)(words->end - words->text);
        const char *newline = memchr(words->text, '\n', left);
        const char *end = newline ? newline : words->end;
        words->line_start = words->text;
        words->text = newline ? newline + 1 : words->end;
        words->line++;
        if (!split_line(words, end)) {
            *status = error_memory(words->error);
            return false;
        }
        if (words->count)
            return true;
    }
    return false;
}

void fields_free(struct fields *words)
{
    memory_free(words->at);
    memory_free(words->length);
}

tlu_status fields_refuse(struct fields *words, size_t i, const char *format, ...)
{
    char reason[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    size_t column = i < words->count ? (size_t)(words->at[i] - words->line_start) + 1 : 0;
    return error_at(words->error, words->name, words->line, column, "%s", reason);
}

bool fields_is(const struct fields *words, size_t i, const char *text)
{
    return i < words->count && words->length[i] == strlen(text) &&
           memcmp(words->at[i], text, words->length[i]) == 0;
}
