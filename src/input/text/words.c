#include "input/text/words.h"

#include "base/memory.h"
#include "input/joint.h"
#include "input/text/classes.h"
#include "input/text/unicode.h"
#include "vector/cpu.h"

#include <assert.h>
#include <math.h>

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
    bool plain;    // features are words and runs of words, without a prefix
    bool prefixed; // features are single words with a prefix
    const struct schema *schema;
    const char *prefix;
    size_t prefix_length;
    uint64_t short_prefix[2]; // of up to TABLE_INLINE bytes, with zeros after it
    const char *end;          // of the text
    char block[BLOCK_BYTES];  // its last bytes, if they are fewer than a block
    // For n-grams: the words so far, one after the other with a blank between, so that a run of
    // words is a piece of it.
    char *at;                      // after the last blank
    const char *start[WORDS_KEPT]; // of the last words and the next, by number
    size_t count;
    // For names with a prefix and for runs of characters: they are put together here.
    char *names, *names_end;
    char *name; // the next
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

// ---- words with a prefix, runs of characters, stop words ----

#define PREFIX_SHORT TABLE_INLINE  // bytes of a prefix that are copied at once
#define NAMES_SPACE ((size_t)4096) // for names that wait to be looked up, besides the longest one

// Makes space for a name, and for one more name that waits: there is always space for another.
INLINE enum parse_result reserve_name(struct word_scan *words, struct named_hand *hand,
                                      size_t length)
{
    struct named_row *row = words->row;
    if (length <= (size_t)(words->names_end - words->name) &&
        hand->next + 1 < row->waiting.names + NAMED_WAITING)
        return PARSE_OK;
    named_give(row, hand);
    TRY_PARSE(named_settle(row));
    *hand = named_take(row, words->names);
    words->name = words->names;
    return PARSE_OK;
}

// Adds the name that consists of the prefix, a mark unless it is 0, and a text. Bytes up to `limit`
// may be read.
INLINE enum parse_result put_name(struct word_scan *words, struct named_hand *hand, char mark,
                                  const char *text, size_t length, const char *limit)
{
    size_t before = words->prefix_length + (mark != 0), whole = before + length;
    TRY_PARSE(reserve_name(words, hand, whole));
    char *name = words->name;
    if (words->prefix_length <= PREFIX_SHORT)
        memcpy(name, words->prefix, PREFIX_SHORT);
    else
        memcpy(name, words->prefix, words->prefix_length);
    if (mark)
        name[before - 1] = mark;
    copy_word(name + before, text, length, limit);
    named_put(hand, name, whole);
    if (whole > TABLE_INLINE) // else the key has its bytes
        words->name = name + whole;
    return PARSE_OK;
}

// The runs of characters of a word. Bytes are those of whole characters.
static enum parse_result put_characters(struct word_scan *words, struct named_hand *hand,
                                        const char *word, size_t length)
{
    const struct word_rule *rule = &words->schema->words;
    char *padded = words->names_end + SHORT_WORD; // the word as <WORD>
    size_t whole = length + 2;
    padded[0] = '<';
    memcpy(padded + 1, word, length);
    padded[length + 1] = '>';
    const char *end = padded + whole;
    for (const char *start = padded; start < end; start++) {
        if (((unsigned char)*start & 0xC0) == 0x80)
            continue;
        const char *stop = start;
        for (uint32_t n = 1; n <= rule->chars_max && stop < end; n++) {
            for (stop++; stop < end && ((unsigned char)*stop & 0xC0) == 0x80; stop++)
                ;
            if (n >= rule->chars_min)
                TRY_PARSE(
                    put_name(words, hand, '~', start, (size_t)(stop - start), end + SHORT_WORD));
        }
    }
    return PARSE_OK;
}

static bool is_ascii_symbol(char c)
{
    char lower = (char)(c | 0x20);
    return !(c & 0x80) && !(c >= '0' && c <= '9') && !(lower >= 'a' && lower <= 'z');
}

// A word and all runs that end with it.
static enum parse_result put_word(struct word_scan *words, struct named_hand *hand,
                                  const char *word, size_t length)
{
    const struct schema *schema = words->schema;
    if (schema->stop_words.count && table_find(&schema->stop_words, word, length) != TABLE_NONE)
        return PARSE_OK;
    if (schema->words.chars_max && !is_ascii_symbol(*word))
        TRY_PARSE(put_characters(words, hand, word, length));
    if (words->ngrams == 1)
        return put_name(words, hand, 0, word, length, words->end);
    if (words->ngrams == 0)
        return PARSE_OK;
    copy_word(words->at, word, length, words->end);
    char *end = words->at + length;
    words->count++;
    size_t most = words->ngrams < words->count ? words->ngrams : words->count;
    for (size_t n = 1; n <= most; n++) {
        const char *start = words->start[(words->count - n) % WORDS_KEPT];
        TRY_PARSE(put_name(words, hand, 0, start, (size_t)(end - start), end + SHORT_WORD));
    }
    *end = ' ';
    words->at = end + 1;
    words->start[words->count % WORDS_KEPT] = words->at;
    return PARSE_OK;
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
        size_t length = (size_t)(at + __builtin_ctzll(ends) - *word);
        if (!words->plain) {
            TRY_PARSE(put_word(words, &hand, *word, length));
            *word = at + __builtin_ctzll(starts);
            continue;
        }
        if (hand.next > row->waiting.names + NAMED_WAITING - WORDS_KEPT) {
            named_give(row, &hand);
            TRY_PARSE(named_settle(row));
            hand = named_take(row, words->at);
        }
        put_runs(words, &hand, *word, length);
        *word = at + __builtin_ctzll(starts);
    }
    named_give(row, &hand);
    return PARSE_OK;
}

// A word with the prefix that is not short, or near the end of the text.
static __attribute__((noinline)) enum parse_result
put_long_name(struct word_scan *words, struct named_hand *hand, const char *word, size_t length)
{
    return put_name(words, hand, 0, word, length, words->end);
}

// The words that end in the block of `size` bytes, with the prefix before each. Most names are
// short: their keys are put together in registers.
INLINE enum parse_result put_all_prefixed(struct word_scan *words, struct named_edges edges,
                                          const char **word, const char *at, size_t size,
                                          join_function *join)
{
    struct named_row *row = words->row;
    struct named_hand hand = named_take(row, at + size);
    const struct joint joint = {{words->short_prefix[0], words->short_prefix[1]},
                                words->prefix_length};
    const size_t most = hand.most > joint.length ? hand.most - joint.length : 0;
    const char *start = *word;
    uint64_t starts = edges.starts | LAST_BIT;
    for (uint64_t ends = edges.ends; ends; ends &= ends - 1, starts &= starts - 1) {
        size_t length = (size_t)(at + __builtin_ctzll(ends) - start);
        if (__builtin_expect(length <= most, true))
            named_put_key(&hand, join(&joint, hand.key, start, length));
        else
            TRY_PARSE(put_long_name(words, &hand, start, length));
        start = at + __builtin_ctzll(starts);
    }
    *word = start;
    named_give(row, &hand);
    return PARSE_OK;
}

// The function is known where this is inlined, and is inlined itself.
INLINE enum parse_result scan(struct word_scan *words, const char *text, size_t length,
                              classes_function *classes_of, join_function *join)
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
        if (words->prefixed)
            TRY_PARSE(put_all_prefixed(words, edges, &word, at, size, join));
        else if (words->ngrams != 1 || !words->plain)
            TRY_PARSE(put_all_runs(words, edges, &word, at));
        else
            word = at + named_put_all(words->row, edges, word - at, at, at + size);
        before.words = runs.words >> (size - 1) & 1;
        before.symbols = runs.symbols >> (size - 1) & 1;
        before.alone = runs.alone >> (size - 1) & 1;
    }
    struct named_edges last = {0, before.words | before.symbols | before.alone};
    if (words->prefixed) {
        TRY_PARSE(named_reserve(words->row));
        return put_all_prefixed(words, last, &word, end, 0, join);
    }
    if (words->ngrams != 1 || !words->plain)
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
                                  lower_function *lower_block, join_function *join)
{
    if (lowercase) {
        length = lower(words, text, length, lower_block);
        text = words->at;
        words->start[0] = words->at += length;
    }
    return scan(words, text, length, classes, join);
}

#define INSTRUCTION_SET(set, join, attributes)                                                     \
    attributes static enum parse_result add_##set(struct word_scan *words, bool lowercase,         \
                                                  const char *text, size_t length)                 \
    {                                                                                              \
        return add_text(words, lowercase, text, length, classes_##set, lower_##set, join);         \
    }

INSTRUCTION_SET(plain, join_plain, )
#ifdef BYTES_X86
INSTRUCTION_SET(avx2, join_avx2, BYTES_AVX2)
#endif
#ifdef CLASSES_NEON
INSTRUCTION_SET(neon, join_plain, )
#endif

// In lower case a text may take three bytes for two, and a copy of it for n-grams has a blank after
// each character at worst; blocks of 64 bytes are written whole.
static size_t runs_scratch(size_t length)
{
    return 4 * length + 128;
}

static bool is_plain(const struct schema *schema, size_t prefix_length)
{
    return prefix_length == 0 && schema->words.chars_max == 0 && schema->stop_words.count == 0 &&
           schema->words.ngrams > 0;
}

// A run of words has at most the length of their copy, and a word that of the text in lower case.
size_t words_scratch(const struct schema *schema, size_t length, size_t prefix_length)
{
    size_t runs = runs_scratch(length);
    return is_plain(schema, prefix_length)
               ? runs
               : 3 * runs + NAMES_SPACE + prefix_length + PREFIX_SHORT + 4 * SHORT_WORD;
}

enum parse_result words_add(struct named_row *row, const struct words_text *text, char *scratch)
{
    const struct schema *schema = row->parser->schema;
    struct word_scan words; // the lists need no values
    char prefix[PREFIX_SHORT] = {0};
    size_t runs = runs_scratch(text->length);
    words.row = row;
    assert(schema->words.ngrams < WORDS_KEPT);
    words.schema = schema;
    words.ngrams = schema->words.ngrams;
    words.plain = is_plain(schema, text->prefix_length);
    words.prefixed = text->prefix_length && words.ngrams == 1 && schema->words.chars_max == 0 &&
                     schema->stop_words.count == 0;
    words.count = 0;
    words.start[0] = words.at = scratch;
    words.prefix = text->prefix;
    words.prefix_length = text->prefix_length;
    if (text->prefix_length <= PREFIX_SHORT && text->prefix_length)
        words.prefix = memcpy(prefix, text->prefix, text->prefix_length);
    else if (text->prefix_length == 0)
        words.prefix = prefix;
    memcpy(words.short_prefix, prefix, sizeof words.short_prefix);
    words.names = words.name = scratch + runs;
    words.names_end = words.names + runs + NAMES_SPACE + text->prefix_length;
#if defined(BYTES_X86)
    if (cpu_level() >= CPU_AVX2)
        return add_avx2(&words, schema->words.lowercase, text->text, text->length);
#elif defined(CLASSES_NEON)
    if (cpu_level() >= CPU_SIMD)
        return add_neon(&words, schema->words.lowercase, text->text, text->length);
#endif
    return add_plain(&words, schema->words.lowercase, text->text, text->length);
}

// ---- the rule ----

// Adds the words of a list to the stop words, by parsing it as the text of a row. A symbol is not a
// word.
static enum parse_result add_stop_words(struct schema *schema, const char *list, size_t length)
{
    struct schema plain = {.words = {.ngrams = 1, .lowercase = schema->words.lowercase}};
    struct parser parser = {.schema = &plain};
    struct bad_row bad;
    struct batch *batch = batch_new();
    char *line = memory_new(length + 2, 1);
    enum parse_result result = batch && line ? PARSE_OK : PARSE_MEMORY;
    if (result == PARSE_OK) {
        line[0] = '\t'; // no label
        memcpy(line + 1, list, length);
        result = text_parse(&parser, line, length + 1, batch, &bad);
    }
    for (uint32_t i = 0; result == PARSE_OK && i < batch->names.count; i++) {
        const char *word = table_text(&batch->names, i);
        if (!is_ascii_symbol(*word) &&
            table_add(&schema->stop_words, word, table_length(&batch->names, i)) == TABLE_NONE)
            result = PARSE_MEMORY;
    }
    memory_free(line);
    batch_free(batch);
    return result;
}

tlu_status words_set_rule(struct schema *schema, const tlu_options *options, tlu_error *error)
{
    double low = options_number(options, OPTION_CHARS), high = options_high(options, OPTION_CHARS);
    const char *stop_words = options_text(options, OPTION_STOP_WORDS);
    if (low != floor(low) || high != floor(high))
        return error_input(error, "--chars is a whole number or an interval A:B of them, not '%s'",
                           options_text(options, OPTION_CHARS));
    schema->words = (struct word_rule){.ngrams = (uint32_t)options_count(options, OPTION_NGRAMS),
                                       .lowercase = options_flag(options, OPTION_LOWERCASE),
                                       .chars_min = (uint32_t)low,
                                       .chars_max = (uint32_t)high};
    if (schema->words.ngrams == 0 && high == 0)
        return error_input(error, "--ngrams 0 leaves no features; give --chars A:B, too");
    table_clear(&schema->stop_words);
    return stop_words[0]
               ? enough_memory(add_stop_words(schema, stop_words, strlen(stop_words)) == PARSE_OK,
                               error)
               : TLU_OK;
}

bool words_copy_rule(struct schema *to, const struct schema *from)
{
    to->words = from->words;
    return table_add_all(&to->stop_words, &from->stop_words, NULL);
}

bool words_same_rule(const struct schema *a, const struct schema *b)
{
    const struct word_rule *x = &a->words, *y = &b->words;
    bool same = x->ngrams == y->ngrams && x->lowercase == y->lowercase &&
                x->chars_min == y->chars_min && x->chars_max == y->chars_max &&
                a->stop_words.count == b->stop_words.count;
    for (uint32_t i = 0; same && i < a->stop_words.count; i++)
        same = table_find(&b->stop_words, table_text(&a->stop_words, i),
                          table_length(&a->stop_words, i)) != TABLE_NONE;
    return same;
}
