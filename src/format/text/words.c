#include "format/text/words.h"

#include "format/text/classes.h"
#include "format/text/unicode.h"
#include "vector/cpu.h"

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

#define INLINE static inline __attribute__((always_inline))
#define WORDS_KEPT 16 // a power of two above the longest n-gram
#define SHORT_WORD 32 // bytes that are copied at once

// The bytes of a block by what they belong to, the first in the lowest bit. In `before` the lowest
// bit is that of the last byte before the block.
struct runs {
    uint64_t words, symbols;
    uint64_t alone;  // ideographs and the marks on them
    uint64_t begins; // their first bytes
};

struct words {
    struct named_row *row;
    uint32_t ngrams;
    struct runs before;
    const char *word; // where the current word starts, if there is one
    // For n-grams: the words so far, one after the other with a blank between, so that a run of
    // words is a piece of it.
    char *at;                      // after the last character
    const char *start[WORDS_KEPT]; // of the last words and the next, by number
    size_t count;
};

// ---- complete words ----

// `end` is that of the text, up to which there may be read.
static inline void copy_word(char *to, const char *word, size_t length, const char *end)
{
    if (length <= SHORT_WORD && (size_t)(end - word) >= SHORT_WORD)
        memcpy(to, word, SHORT_WORD);
    else
        memcpy(to, word, length);
}

static enum parse_result add_runs(struct words *words, const char *word, size_t length,
                                  const char *text_end)
{
    copy_word(words->at, word, length, text_end);
    char *end = words->at + length;
    words->count++;
    for (size_t n = 1; n <= words->ngrams && n <= words->count; n++) {
        const char *start = words->start[(words->count - n) % WORDS_KEPT];
        TRY_PARSE(named_add(words->row, start, (size_t)(end - start), 1));
    }
    *end = ' ';
    words->at = end + 1;
    words->start[words->count % WORDS_KEPT] = words->at;
    return PARSE_OK;
}

INLINE enum parse_result end_word(struct words *words, const char *end, const char *text_end)
{
    size_t length = (size_t)(end - words->word);
    if (words->ngrams == 1)
        return named_add(words->row, words->word, length, 1);
    return add_runs(words, words->word, length, text_end);
}

// ---- from classes to words ----

// Of a bit set, or 64.
INLINE size_t lowest(uint64_t bits)
{
    return bits ? (size_t)__builtin_ctzll(bits) : 64;
}

static inline uint64_t first_bits(size_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

// The bit before each.
static inline uint64_t shifted(uint64_t bits, uint64_t before)
{
    return bits << 1 | before;
}

// A mark belongs to what it stands on: a word if that is a space.
static uint64_t *run_under(const struct words *words, struct runs *runs, size_t at)
{
    if (shifted(runs->symbols, words->before.symbols) >> at & 1)
        return &runs->symbols;
    if (shifted(runs->alone, words->before.alone) >> at & 1)
        return &runs->alone;
    return &runs->words;
}

// Sets the bits of the characters past ASCII. Returns how many bytes of the block are complete
// characters; the others come again with the next block.
static size_t add_characters(const struct words *words, struct runs *runs, uint64_t high,
                             const char *text, size_t size, const char *text_end)
{
    while (high) {
        size_t at = lowest(high), length;
        uint32_t code = unicode_read(text + at, text_end, &length);
        if (at + length > size)
            return at;
        uint64_t bits = first_bits(length) << at;
        high &= ~bits;
        switch (unicode_kind(code)) {
        case CHARACTER_WORD:
            runs->words |= bits;
            break;
        case CHARACTER_SYMBOL:
            runs->symbols |= bits;
            break;
        case CHARACTER_ALONE:
            runs->alone |= bits;
            runs->begins |= bits & -bits;
            break;
        case CHARACTER_MARK:
            *run_under(words, runs, at) |= bits;
            break;
        case CHARACTER_SPACE:
            break;
        }
    }
    return size;
}

// The words that end in the block, of whose bytes `size` count.
INLINE enum parse_result add_block(struct words *words, struct runs runs, const char *text,
                                   size_t size, const char *text_end)
{
    const struct runs before = words->before;
    uint64_t after_word = shifted(runs.words, before.words);
    uint64_t after_symbol = shifted(runs.symbols, before.symbols);
    uint64_t after_alone = shifted(runs.alone, before.alone);
    uint64_t starts = (runs.words & ~after_word) | (runs.symbols & ~after_symbol) | runs.begins;
    uint64_t ends = (after_word & ~runs.words) | (after_symbol & ~runs.symbols) |
                    (after_alone & (~runs.alone | runs.begins));
    uint64_t valid = first_bits(size);
    starts &= valid;
    ends &= valid;
    if (!(before.words | before.symbols | before.alone)) {
        words->word = text + lowest(starts);
        starts &= starts - 1;
    }
    for (; ends; ends &= ends - 1, starts &= starts - 1) {
        TRY_PARSE(end_word(words, text + lowest(ends), text_end));
        words->word = text + lowest(starts);
    }
    words->before = (struct runs){.words = runs.words >> (size - 1) & 1,
                                  .symbols = runs.symbols >> (size - 1) & 1,
                                  .alone = runs.alone >> (size - 1) & 1};
    return PARSE_OK;
}

// The function is known where this is inlined, and is inlined itself.
INLINE enum parse_result scan(struct words *words, const char *text, size_t length,
                              classes_function *classes_of)
{
    const char *end = text + length;
    for (size_t size; text < end; text += size) {
        size = (size_t)(end - text);
        char block[CLASSES_BLOCK] = {0};
        struct classes classes;
        if (size >= CLASSES_BLOCK) {
            size = CLASSES_BLOCK;
            classes = classes_of(text);
        } else {
            memcpy(block, text, size);
            classes = classes_of(block);
        }
        struct runs runs = {.words = classes.words, .symbols = classes.symbols};
        if (classes.high)
            size = add_characters(words, &runs, classes.high, text, size, end);
        TRY_PARSE(add_block(words, runs, text, size, end));
    }
    if (words->before.words | words->before.symbols | words->before.alone)
        return end_word(words, end, end);
    return PARSE_OK;
}

// ---- lower case ----

// Writes the text in lower case to `out`, and up to a block more; how long it is. What a byte is,
// or whether it is not UTF-8, does not change.
INLINE size_t lower(char *out, const char *text, size_t length, lower_function *lower_block)
{
    const char *end = text + length;
    char *at = out;
    while (text < end) {
        size_t size = (size_t)(end - text), bytes;
        char block[CLASSES_BLOCK] = {0};
        uint64_t high;
        if (size >= CLASSES_BLOCK) {
            size = CLASSES_BLOCK;
            high = lower_block(at, text);
        } else {
            memcpy(block, text, size);
            high = lower_block(at, block);
        }
        size = high ? lowest(high) : size;
        at += size;
        text += size;
        for (; text < end && (unsigned char)*text >= 0x80; text += bytes) {
            uint32_t code = unicode_read(text, end, &bytes);
            if (code == UNICODE_NONE)
                *at++ = *text;
            else
                at += unicode_write(at, unicode_lower(code));
        }
    }
    return (size_t)(at - out);
}

// ---- for each instruction set ----

INLINE enum parse_result add_text(struct words *words, bool lowercase, const char *text,
                                  size_t length, classes_function *classes,
                                  lower_function *lower_block)
{
    if (lowercase) {
        length = lower(words->at, text, length, lower_block);
        text = words->at;
        words->start[0] = words->at += length;
    }
    return scan(words, text, length, classes);
}

#define INSTRUCTION_SET(set, attributes)                                                           \
    attributes static enum parse_result add_##set(struct words *words, bool lowercase,             \
                                                  const char *text, size_t length)                 \
    {                                                                                              \
        return add_text(words, lowercase, text, length, classes_##set, lower_##set);               \
    }

INSTRUCTION_SET(plain, )
#ifdef CLASSES_X86
INSTRUCTION_SET(sse2, )
INSTRUCTION_SET(avx2, CLASSES_AVX2)
INSTRUCTION_SET(avx512, CLASSES_AVX512)
#endif
#ifdef CLASSES_NEON
INSTRUCTION_SET(neon, )
#endif

enum parse_result words_add(struct named_row *row, const char *text, size_t length, char *room)
{
    struct word_rule rule = row->parser->schema->words;
    struct words words = {.row = row, .ngrams = rule.ngrams, .at = room};
    words.start[0] = room;
    switch (cpu_level()) {
#ifdef CLASSES_X86
    case CPU_AVX512:
        return add_avx512(&words, rule.lowercase, text, length);
    case CPU_AVX2:
        return add_avx2(&words, rule.lowercase, text, length);
    case CPU_SIMD:
        return add_sse2(&words, rule.lowercase, text, length);
#endif
#ifdef CLASSES_NEON
    case CPU_SIMD:
        return add_neon(&words, rule.lowercase, text, length);
#endif
    default:
        return add_plain(&words, rule.lowercase, text, length);
    }
}
