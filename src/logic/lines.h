// Text files of lines of words: PLA and KISS2 files, transition tables.
#ifndef TLU_LOGIC_LINES_H
#define TLU_LOGIC_LINES_H

#include "base/error.h"

struct line_word {
    const char *text;
    size_t length;
};

struct line_reader {
    const char *text, *end; // the rest of the file
    const char *name;       // of the file
    const char *blanks;     // characters between words
    bool hash_in_words;     // # begins a comment only where a word could begin
    tlu_error *error;
    uint64_t line;            // number of the last line read
    const char *start, *stop; // of that line, without its comment
    struct line_word *words;  // [count] its words
    size_t count, capacity;
};

// Reads the next line with words. False: at the end, a byte 0 or out of memory, by *status.
bool line_next(struct line_reader *lines, tlu_status *status);
void line_reader_free(struct line_reader *lines);
// An error at a place of the line; NULL: without a column.
tlu_status line_error_at(const struct line_reader *lines, const char *at, const char *format, ...)
    PRINTF_LIKE(3, 4);
// An error at word i; without a column if there are fewer words.
#define line_error(lines, i, ...)                                                                  \
    line_error_at(lines, (i) < (lines)->count ? (lines)->words[i].text : NULL, __VA_ARGS__)
bool line_has(const struct line_reader *lines, size_t i, const char *text);
// An error if the line has more than `count` words.
tlu_status line_ends(const struct line_reader *lines, size_t count);
// The number after the first word, and nothing else.
tlu_status line_number(const struct line_reader *lines, uint64_t least, uint64_t most,
                       uint64_t *value);

#endif
