#include "input/text/words.h"

#include "input/text/classes.h"
#include "input/text/unicode.h"
#include "vector/cpu.h"

#include <assert.h>

struct word_rule word_rule_of(const tlu_options *options)
{
    return (struct word_rule){.ngrams = (uint32_t)options_count(options, OPTION_NGRAMS),
                              .lowercase = options_flag(options, OPTION_LOWERCASE)};
}

#define INLINE static inline __attribute__((always_inline))
#define WORDS_KEPT 16 // a power of two above the longest n-gram
#define SHORT_WORD 32 // bytes that are copied at once

// The bytes of a block by what they belong to, the first in the lowest bit.
struct runs {
    uint64_t words, symbols;
    uint64_t alone;  // ideographs and the marks on them
    uint64_t begins; // the first bytes of ideographs
};

// What the byte before a block belongs to: each is 0 or 1.
struct before {
    uint64_t words, symbols, alone;
};

struct word_scan {
    struct named_row *row;
    uint32_t ngrams;
    const char *end;         // of the text
    char block[BLOCK_BYTES]; // its last bytes, if they are fewer than a block
    // For n-grams: the words so far, one after the other with a blank between, so that a run of
    // words is a piece of it.
    char *at;                      // after the last blank
    const char *start[WORDS_KEPT]; // of the last words and the next, by number
    size_t count;
};

// ---- complete words ----

static inline void copy_word(char *to, const char *word, size_t length, const char *end)
{
    if (length <= SHORT_WORD && (size_t)(end - word) >= SHORT_WORD)
        memcpy(to, word, SHORT_WORD);
    else
        memcpy(to, word, length);
}

// The runs that end with the word.
static inline void put_runs(struct word_scan *words, struct named_hand *hand, const char *word,
                            size_t length)
{
    copy_word(words->at, word, length, words->end);
    char *end = words->at + length;
    words->count++;
    size_t most = words->ngrams < words->count ? words->ngrams : words->count;
    for (size_t n = 1; n <= most; n++) {
        const char *start = words->start[(words->count - n) % WORDS_KEPT];
        named_put(hand, start, (size_t)(end - start));
    }
    *end = ' ';
    words->at = end + 1;
    words->start[words->count % WORDS_KEPT] = words->at;
}

// ---- characters past ASCII ----

// The bit before each.
static inline uint64_t shifted(uint64_t bits, uint64_t before)
{
    return bits << 1 | before;
}

// Without the lowest bits.
INLINE uint64_t without_lowest(uint64_t bits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bits &= bits - 1;
    return bits;
}

INLINE struct runs with_character(struct runs runs, struct before before, enum character kind,
                                  uint64_t bits)
{
    uint64_t first = bits & -bits;
    switch (kind) {
    case CHARACTER_WORD:
        runs.words |= bits;
        break;
    case CHARACTER_SYMBOL:
        runs.symbols |= bits;
        break;
    case CHARACTER_ALONE:
        runs.alone |= bits;
        runs.begins |= first;
        break;
    case CHARACTER_MARK: // belongs to what it stands on: a word if that is a space
        if (shifted(runs.symbols, before.symbols) & first)
            runs.symbols |= bits;
        else if (shifted(runs.alone, before.alone) & first)
            runs.alone |= bits;
        else
            runs.words |= bits;
        break;
    case CHARACTER_SPACE:
        break;
    }
    return runs;
}

// Sets the bits of the characters past ASCII. Returns how many bytes of the block are complete
// characters; the others come again with the next block.
static size_t add_characters(struct before before, struct runs *all, uint64_t high,
                             const char *text, size_t size, const char *text_end)
{
    struct runs runs = *all;
    while (high) {
        size_t at = (size_t)__builtin_ctzll(high), length;
        const struct unicode_page *page = at + 1 < size ? unicode_page_of_two(text + at) : NULL;
        if (page && page->words >> (text[at + 1] & 0x3F) & 1) { // most characters of most scripts
            runs.words |= high & ~without_lowest(high, 2);
            high = without_lowest(high, 2);
            continue;
        }
        uint32_t code = unicode_read(text + at, text_end, &length);
        if (at + length > size) {
            size = at;
            break;
        }
        uint64_t rest = without_lowest(high, length);
        runs = with_character(runs, before, unicode_kind(code), high & ~rest);
        high = rest;
    }
    *all = runs;
    return size;
}

// ---- from classes to words ----

static const char *padded_block(char *block, const char *bytes, size_t size)
{
    memset(block, 0, BLOCK_BYTES);
    return memcpy(block, bytes, size);
}

// The classes of the `size` bytes at `at`, 64 at most. Nothing outside the text is read.
INLINE struct classes block_classes(struct word_scan *words, const char *text, const char *at,
                                    size_t size, classes_function *classes_of)
{
    size_t missing = BLOCK_BYTES - size;
    if ((size_t)(at - text) < missing) // a text shorter than a block
        return classes_of(padded_block(words->block, at, size));
    struct classes classes = classes_of(at - missing);
    classes.words >>= missing;
    classes.symbols >>= missing;
    classes.high >>= missing;
    return classes;
}

INLINE struct named_edges edges_of(struct runs runs, struct before before)
{
    uint64_t after_word = shifted(runs.words, before.words);
    uint64_t after_symbol = shifted(runs.symbols, before.symbols);
    uint64_t after_alone = shifted(runs.alone, before.alone);
    return (struct named_edges){
        (runs.words & ~after_word) | (runs.symbols & ~after_symbol) | runs.begins,
        (after_word & ~runs.words) | (after_symbol & ~runs.symbols) |
            (after_alone & (~runs.alone | runs.begins)),
    };
}

#define LAST_BIT (UINT64_C(1) << 63) // for the start after the last, of which there may be none

// The words that end in the block, with the runs before them. *word is the current one.
static enum parse_result put_all_runs(struct word_scan *words, struct named_edges edges,
                                      const char **word, const char *at)
{
    struct named_row *row = words->row;
    struct named_hand hand = named_take(row, words->at);
    uint64_t starts = edges.starts | LAST_BIT;
    for (uint64_t ends = edges.ends; ends; ends &= ends - 1, starts &= starts - 1) {
        if (hand.next > row->waiting.names + NAMED_WAITING - WORDS_KEPT) {
            named_give(row, &hand);
            TRY_PARSE(named_settle(row));
            hand = named_take(row, words->at);
        }
        put_runs(words, &hand, *word, (size_t)(at + __builtin_ctzll(ends) - *word));
        *word = at + __builtin_ctzll(starts);
    }
    named_give(row, &hand);
    return PARSE_OK;
}

// The function is known where this is inlined, and is inlined itself.
INLINE enum parse_result scan(struct word_scan *words, const char *text, size_t length,
                              classes_function *classes_of)
{
    const char *end = text + length, *word = text;
    struct before before = {0, 0, 0};
    size_t size;
    words->end = end;
    for (const char *at = text; at < end; at += size) {
        size = (size_t)(end - at) < BLOCK_BYTES ? (size_t)(end - at) : BLOCK_BYTES;
        struct classes classes = block_classes(words, text, at, size, classes_of);
        struct runs runs = {.words = classes.words, .symbols = classes.symbols};
        if (classes.high)
            size = add_characters(before, &runs, classes.high, at, size, end);
        struct named_edges edges = edges_of(runs, before);
        edges.ends &= UINT64_MAX >> (BLOCK_BYTES - size);
        if (!(before.words | before.symbols | before.alone)) {
            word = at + __builtin_ctzll(edges.starts | LAST_BIT);
            edges.starts &= edges.starts - 1;
        }
        TRY_PARSE(named_reserve(words->row));
        if (words->ngrams > 1)
            TRY_PARSE(put_all_runs(words, edges, &word, at));
        else
            word = at + named_put_all(words->row, edges, word - at, at, at + size);
        before.words = runs.words >> (size - 1) & 1;
        before.symbols = runs.symbols >> (size - 1) & 1;
        before.alone = runs.alone >> (size - 1) & 1;
    }
    struct named_edges last = {0, before.words | before.symbols | before.alone};
    if (words->ngrams > 1)
        return put_all_runs(words, last, &word, end);
    TRY_PARSE(named_reserve(words->row));
    named_put_all(words->row, last, word - end, end, end);
    return PARSE_OK;
}

// ---- lower case ----

// What a piece of text was, and what it became.
struct lowered {
    size_t read, written;
};

// Writes the lower case of characters past ASCII over the copy of a block, up to one that takes
// more or fewer bytes than it did.
static struct lowered lower_characters(char *out, uint64_t high, const char *text, size_t size,
                                       const char *text_end)
{
    while (high) {
        size_t at = (size_t)__builtin_ctzll(high), length;
        const struct unicode_page *page = at + 1 < size ? unicode_page_of_two(text + at) : NULL;
        if (page && !(page->lowered >> (text[at + 1] & 0x3F) & 1)) {
            high = without_lowest(high, 2);
            continue;
        }
        uint32_t code = unicode_read(text + at, text_end, &length);
        if (at + length > size)
            return (struct lowered){at, at};
        high = without_lowest(high, length);
        if (!unicode_has_lower(code))
            continue;
        size_t written = unicode_write(out + at, unicode_lower(code));
        if (written != length)
            return (struct lowered){at + length, at + written};
    }
    return (struct lowered){size, size};
}

// Writes the text in lower case to words->at, and up to a block more; how long it is. What a
// character is, and which bytes are not UTF-8, does not change.
INLINE size_t lower(struct word_scan *words, const char *text, size_t length,
                    lower_function *lower_block)
{
    const char *end = text + length;
    char *out = words->at;
    char *at = out;
    while (text < end) {
        size_t size = (size_t)(end - text);
        const char *from = text;
        if (size < BLOCK_BYTES)
            from = padded_block(words->block, text, size);
        else
            size = BLOCK_BYTES;
        uint64_t high = lower_block(at, from);
        struct lowered lowered = {size, size};
        if (high)
            lowered = lower_characters(at, high, text, size, end);
        text += lowered.read;
        at += lowered.written;
    }
    return (size_t)(at - out);
}

// ---- for each instruction set ----

INLINE enum parse_result add_text(struct word_scan *words, bool lowercase, const char *text,
                                  size_t length, classes_function *classes,
                                  lower_function *lower_block)
{
    if (lowercase) {
        length = lower(words, text, length, lower_block);
        text = words->at;
        words->start[0] = words->at += length;
    }
    return scan(words, text, length, classes);
}

#define INSTRUCTION_SET(set, attributes)                                                           \
    attributes static enum parse_result add_##set(struct word_scan *words, bool lowercase,         \
                                                  const char *text, size_t length)                 \
    {                                                                                              \
        return add_text(words, lowercase, text, length, classes_##set, lower_##set);               \
    }

INSTRUCTION_SET(plain, )
#ifdef BYTES_X86
INSTRUCTION_SET(avx2, BYTES_AVX2)
#endif
#ifdef CLASSES_NEON
INSTRUCTION_SET(neon, )
#endif

enum parse_result words_add(struct named_row *row, const char *text, size_t length, char *scratch)
{
    struct word_rule rule = row->parser->schema->words;
    struct word_scan words; // the lists need no values
    words.row = row;
    assert(rule.ngrams < WORDS_KEPT);
    words.ngrams = rule.ngrams;
    words.count = 0;
    words.start[0] = words.at = scratch;
#if defined(BYTES_X86)
    if (cpu_level() >= CPU_AVX2)
        return add_avx2(&words, rule.lowercase, text, length);
#elif defined(CLASSES_NEON)
    if (cpu_level() >= CPU_SIMD)
        return add_neon(&words, rule.lowercase, text, length);
#endif
    return add_plain(&words, rule.lowercase, text, length);
}
