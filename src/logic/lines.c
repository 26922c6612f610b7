#include "logic/lines.h"

#include "logic/append.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(const struct line_reader *lines, char c)
{
    return c && strchr(lines->blanks, c);
}

static bool split_line(struct line_reader *lines)
{
    const char *at = lines->start;
    lines->count = 0;
    while (at < lines->stop) {
        const char *word = at;
        while (at < lines->stop && !is_blank(lines, *at) &&
               (*at != '#' || (lines->hash_in_words && at > word)))
            at++;
        if (at > word && !APPEND(lines->words, lines->count, lines->capacity,
                                 (struct line_word){word, (size_t)(at - word)}))
            return false;
        while (at < lines->stop && is_blank(lines, *at))
            at++;
        if (at < lines->stop && *at == '#')
            lines->stop = at;
    }
    return true;
}

bool line_next(struct line_reader *lines, tlu_status *status)
{
    *status = TLU_OK;
    while (lines->text < lines->end) {
        const char *newline = memchr(lines->text, '\n', (size_t)(lines->end - lines->text));
        lines->start = lines->text;
        lines->stop = newline ? newline : lines->end;
        lines->text = newline ? newline + 1 : lines->end;
        lines->line++;
        const char *zero = memchr(lines->start, '\0', (size_t)(lines->stop - lines->start));
        if (zero) {
            *status = line_error_at(lines, zero, "this is not text: it has a byte 0");
            return false;
        }
        *status = enough_memory(split_line(lines), lines->error);
        if (lines->count || *status != TLU_OK)
            return *status == TLU_OK;
    }
    return false;
}

void line_reader_free(struct line_reader *lines)
{
    memory_free(lines->words);
}

tlu_status line_error_at(const struct line_reader *lines, const char *at, const char *format, ...)
{
    char reason[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    uint64_t column = at ? (uint64_t)(at - lines->start) + 1 : 0;
    return error_at(lines->error, lines->name, lines->line, column, "%s", reason);
}

bool line_has(const struct line_reader *lines, size_t i, const char *text)
{
    return i < lines->count && lines->words[i].length == strlen(text) &&
           memcmp(lines->words[i].text, text, lines->words[i].length) == 0;
}

tlu_status line_ends(const struct line_reader *lines, size_t count)
{
    char shown[48];
    if (lines->count <= count)
        return TLU_OK;
    const struct line_word *word = &lines->words[count];
    return line_error(lines, count, "expected the end of the line, found '%s'",
                      error_quote(shown, sizeof shown, word->text, word->length));
}

tlu_status line_number(const struct line_reader *lines, uint64_t least, uint64_t most,
                       uint64_t *value)
{
    char key[48], shown[48];
    assert(lines->count);
    error_quote(key, sizeof key, lines->words[0].text, lines->words[0].length);
    if (lines->count < 2)
        return line_error_at(lines, lines->stop, "%s needs a number", key);
    struct line_word word = lines->words[1];
    bool good = word.length < 16;
    *value = 0;
    for (size_t i = 0; good && i < word.length; i++) {
        good = word.text[i] >= '0' && word.text[i] <= '9';
        *value = *value * 10 + (uint64_t)(word.text[i] - '0');
    }
    if (!good || *value < least || *value > most)
        return line_error(lines, 1, "%s is a whole number from %llu to %llu, not '%s'", key,
                          (unsigned long long)least, (unsigned long long)most,
                          error_quote(shown, sizeof shown, word.text, word.length));
    return line_ends(lines, 2);
}
