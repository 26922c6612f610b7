// The words of a text, one character after the other: what words.c does 64 bytes at a time.
#ifndef TLU_TESTS_WORDS_REFERENCE_H
#define TLU_TESTS_WORDS_REFERENCE_H

#include "input/text/unicode.h"
#include "input/text/words.h"

#include <stdlib.h>

#define REFERENCE_KEPT 16 // above the longest n-gram

typedef void word_function(void *context, const char *name, size_t length);

struct reference_words {
    uint32_t ngrams;
    char *at;
    const char *start[REFERENCE_KEPT];
    size_t count;
    word_function *found;
    void *context;
};

static void reference_end_word(struct reference_words *words)
{
    const char *end = words->at;
    words->count++;
    for (size_t n = 1; n <= words->ngrams && n <= words->count; n++) {
        const char *start = words->start[(words->count - n) % REFERENCE_KEPT];
        words->found(words->context, start, (size_t)(end - start));
    }
    *words->at++ = ' ';
    words->start[words->count % REFERENCE_KEPT] = words->at;
}

// Calls `found` for each word and each n-gram, in the order of their ends.
static void reference_words(struct word_rule rule, const char *text, size_t length,
                            word_function *found, void *context)
{
    char *room = malloc(3 * length + 8);
    struct reference_words words = {
        .ngrams = rule.ngrams, .at = room, .start = {room}, .found = found, .context = context};
    enum character run = CHARACTER_SPACE; // what the current word is a run of
    const char *end = text + length;
    while (text < end) {
        size_t bytes;
        uint32_t code = unicode_read(text, end, &bytes);
        enum character kind = unicode_kind(code);
        if (kind == CHARACTER_MARK)
            kind = run == CHARACTER_SPACE ? CHARACTER_WORD : run;
        else if (run != CHARACTER_SPACE && (kind != run || kind == CHARACTER_ALONE))
            reference_end_word(&words);
        run = kind;
        text += bytes;
        if (kind != CHARACTER_SPACE)
            words.at += unicode_write(words.at, rule.lowercase ? unicode_lower(code) : code);
    }
    if (run != CHARACTER_SPACE)
        reference_end_word(&words);
    free(room);
}

#endif
