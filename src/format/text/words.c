#include "format/text/words.h"

#include "format/text/unicode.h"

#include <string.h>

struct word_rule word_rule_of(const tlu_options *options)
{
    return (struct word_rule){.ngrams = (uint32_t)options_count(options, OPTION_NGRAMS),
                              .lowercase = options_flag(options, OPTION_LOWERCASE)};
}

tlu_status words_options_refuse(const tlu_options *options, enum data_format format,
                                const char *file, tlu_error *error)
{
    static const enum option words_only[] = {OPTION_NGRAMS, OPTION_LOWERCASE};
    enum data_format chosen;
    for (size_t i = 0; i < sizeof words_only / sizeof words_only[0]; i++) {
        const tlu_option_info *info = tlu_option_at(words_only[i]);
        if (strcmp(options_text(options, words_only[i]), info->value) != 0)
            return error_at(error, file, 0, 0, "--%s is for text, and this is %s%s", info->name,
                            format_table[format].title,
                            format_chosen(options, &chosen)
                                ? ""
                                : " by its looks; give --format if that is wrong");
    }
    return TLU_OK;
}

#define WORDS_KEPT 16 // a power of two above the longest n-gram

// The words so far, one after the other with a blank between, so that a run of words is a piece of
// it.
struct words {
    struct named_row *row;
    uint32_t ngrams;
    char *at;                      // after the last character
    const char *start[WORDS_KEPT]; // of the last words and the next, by number
    size_t count;
};

// The word from start[count] to `at` is complete.
static enum parse_result end_word(struct words *words)
{
    const char *end = words->at;
    words->count++;
    for (size_t n = 1; n <= words->ngrams && n <= words->count; n++) {
        const char *start = words->start[(words->count - n) % WORDS_KEPT];
        enum parse_result result = named_add(words->row, start, (size_t)(end - start), 1);
        if (result != PARSE_OK)
            return result;
    }
    *words->at++ = ' ';
    words->start[words->count % WORDS_KEPT] = words->at;
    return PARSE_OK;
}

// Of ASCII: most text is.
static inline enum character ascii_kind(unsigned char c)
{
    unsigned letter = c | 0x20u;
    if (letter - 'a' < 26u || c - (unsigned)'0' < 10u)
        return CHARACTER_WORD;
    return c <= ' ' || c == 0x7F ? CHARACTER_SPACE : CHARACTER_SYMBOL;
}

enum parse_result words_add(struct named_row *row, const char *text, size_t length, char *room)
{
    struct word_rule rule = row->parser->schema->words;
    struct words words = {.row = row, .ngrams = rule.ngrams, .at = room, .start = {room}};
    enum character run = CHARACTER_SPACE; // what the current word is a run of
    const char *end = text + length;
    while (text < end) {
        size_t bytes = 1;
        uint32_t code = (unsigned char)*text;
        enum character kind;
        if (code < 0x80) {
            kind = ascii_kind((unsigned char)code);
        } else {
            code = unicode_read(text, end, &bytes);
            kind = unicode_kind(code);
        }
        if (kind == CHARACTER_MARK)
            kind = run == CHARACTER_SPACE ? CHARACTER_WORD : run;
        else if (run != CHARACTER_SPACE && (kind != run || kind == CHARACTER_ALONE)) {
            enum parse_result result = end_word(&words);
            if (result != PARSE_OK)
                return result;
        }
        run = kind;
        text += bytes;
        if (code < 0x80 && kind != CHARACTER_SPACE)
            *words.at++ = (char)(rule.lowercase && code - 'A' < 26u ? code + 32 : code);
        else if (kind != CHARACTER_SPACE)
            words.at += unicode_write(words.at, rule.lowercase ? unicode_lower(code) : code);
    }
    return run != CHARACTER_SPACE ? end_word(&words) : PARSE_OK;
}
