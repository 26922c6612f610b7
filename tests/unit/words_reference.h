// The words of a text, one character after the other: what words.c does 64 bytes at a time.
#ifndef TLU_TESTS_WORDS_REFERENCE_H
#define TLU_TESTS_WORDS_REFERENCE_H

#include "input/text/unicode.h"
#include "input/text/words.h"

#include <stdlib.h>
#include <string.h>

#define REFERENCE_KEPT 16 // above the longest n-gram

typedef void word_function(void *context, const char *name, size_t length);

// Whether a word is left out.
typedef bool stop_function(const char *word, size_t length);

struct reference_words {
    struct word_rule rule;
    stop_function *stops; // NULL: none
    char *at;
    const char *start[REFERENCE_KEPT];
    size_t count;
    word_function *found;
    void *context;
};

// Each run of the rule's numbers of characters of <WORD>, from each of its characters on.
static void reference_characters(const struct reference_words *words, const char *word,
                                 size_t length)
{
    char *padded = malloc(length + 3), *name = malloc(length + 4);
    size_t *starts = malloc((length + 3) * sizeof *starts), count = 0;
    padded[0] = '<';
    memcpy(padded + 1, word, length);
    padded[length + 1] = '>';
    for (size_t i = 0; i < length + 2; i++)
        if (((unsigned char)padded[i] & 0xC0) != 0x80)
            starts[count++] = i;
    starts[count] = length + 2;
    for (size_t i = 0; i < count; i++)
        for (size_t n = words->rule.chars_min; n <= words->rule.chars_max && i + n <= count; n++) {
            size_t size = starts[i + n] - starts[i];
            name[0] = '~';
            memcpy(name + 1, padded + starts[i], size);
            words->found(words->context, name, size + 1);
        }
    free(padded);
    free(name);
    free(starts);
}

static void reference_end_word(struct reference_words *words)
{
    const char *end = words->at, *word = words->start[words->count % REFERENCE_KEPT];
    size_t length = (size_t)(end - word);
    bool symbol = (unsigned char)*word < 128 && !strchr("0123456789", *word) &&
                  !((*word | 32) >= 'a' && (*word | 32) <= 'z');
    if (words->stops && words->stops(word, length)) {
        words->at = (char *)words->start[words->count % REFERENCE_KEPT];
        return;
    }
    if (words->rule.chars_max && !symbol)
        reference_characters(words, word, length);
    words->count++;
    for (size_t n = 1; n <= words->rule.ngrams && n <= words->count; n++) {
        const char *start = words->start[(words->count - n) % REFERENCE_KEPT];
        words->found(words->context, start, (size_t)(end - start));
    }
    *words->at++ = ' ';
    words->start[words->count % REFERENCE_KEPT] = words->at;
}

// Calls `found` for each word and each n-gram, in the order of their ends.
static void reference_words(struct word_rule rule, stop_function *stops, const char *text,
                            size_t length, word_function *found, void *context)
{
    char *room = malloc(3 * length + 8);
    struct reference_words words = {.rule = rule,
                                    .stops = stops,
                                    .at = room,
                                    .start = {room},
                                    .found = found,
                                    .context = context};
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
