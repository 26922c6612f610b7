// Words are found 64 bytes at a time: the same as one character after the other, on every set of
// instructions, wherever a word or a character meets the end of a block or of the memory.
#include "base/random.h"
#include "data/formats.h"
#include "input/named.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "words_reference.h"

#define TEXT_MAX 1000
#define LABEL "y\ta b c\nx\t" // after a row of three words
#define LABEL_SIZE (sizeof LABEL - 1)

// ---- what the words of a row are ----

struct counted {
    char *name;
    size_t length;
    float times;
};

static struct {
    struct counted words[16 * TEXT_MAX];
    size_t count;
} expected;

static void count_word(void *context, const char *name, size_t length)
{
    (void)context;
    size_t i = 0;
    while (i < expected.count && (expected.words[i].length != length ||
                                  memcmp(expected.words[i].name, name, length) != 0))
        i++;
    if (i == expected.count) {
        struct counted *word = &expected.words[expected.count++];
        *word = (struct counted){.name = malloc(length), .length = length};
        memcpy(word->name, name, length);
    }
    expected.words[i].times++;
}

static void fail_with(const char *text, size_t length, struct word_rule rule)
{
    fprintf(stderr, "ngrams %u, lowercase %d:", rule.ngrams, rule.lowercase);
    for (size_t i = 0; i < length; i++)
        fprintf(stderr, " %02x", (unsigned char)text[i]);
    fail_msg("%s", "the words are not those of the reference");
}

static const char *const stop_words[] = {"a", "Z", "aa", "09", "x9"};
#define STOP_WORDS (sizeof stop_words / sizeof stop_words[0])

static bool is_stop_word(const char *word, size_t length)
{
    for (size_t i = 0; i < STOP_WORDS; i++)
        if (strlen(stop_words[i]) == length && memcmp(stop_words[i], word, length) == 0)
            return true;
    return false;
}

// The row, without a newline, ends where the memory does.
static void check(const char *line, size_t size, struct word_rule rule, bool stops)
{
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_TEXT;
    schema.words = rule;
    for (size_t i = 0; stops && i < STOP_WORDS; i++)
        assert_int_equal(table_add(&schema.stop_words, stop_words[i], strlen(stop_words[i])), i);
    struct parser parser = {.schema = &schema, .labelled = true};
    struct batch *batch = batch_new();
    struct bad_row bad;
    assert_non_null(batch);
    assert_int_equal(text_parse(&parser, line, size, batch, &bad), PARSE_OK);
    assert_int_equal(batch->rows, 2);
    assert_true(schema_merge(&schema, batch));

    const char *text = line + LABEL_SIZE;
    size_t length = size - LABEL_SIZE;
    expected.count = 0;
    reference_words(rule, stops ? is_stop_word : NULL, text, length, count_word, NULL);
    const uint32_t start = batch->offsets[1];
    bool same = batch_nonzeros(batch) - start == expected.count;
    for (size_t k = 0; same && k < expected.count; k++) {
        const struct counted *word = &expected.words[k];
        uint32_t number = batch->indices[start + k];
        same = table_length(&schema.names, number) == word->length &&
               memcmp(table_text(&schema.names, number), word->name, word->length) == 0 &&
               (batch->values ? batch->values[start + k] : 1) == word->times;
    }
    if (!same)
        fail_with(text, length, rule);
    for (size_t k = 0; k < expected.count; k++)
        free(expected.words[k].name);
    batch_free(batch);
    schema_free(&schema);
}

// ---- texts at random ----

static char *memory_end; // of a page before one that cannot be read

static int map_memory(void **state)
{
    (void)state;
    size_t size = 8192;
    char *memory =
        mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + size, 4096, PROT_NONE) != 0)
        return -1;
    memory_end = memory + size;
    return 0;
}

// The words with something before each, as those of a column of CSV.
static void check_prefixed(const char *text, size_t length, struct word_rule rule,
                           const char *prefix, size_t prefix_length)
{
    struct schema schema;
    schema_init(&schema);
    schema.words = rule;
    struct parser parser = {.schema = &schema};
    struct batch *batch = batch_new();
    struct bad_row bad;
    struct named_row row;
    assert_non_null(batch);
    assert_true(batch_reserve(batch, 1, 0));
    assert_true(named_begin(&row, &parser, batch, &bad, text + length, length));
    assert_true(named_scratch(&row, words_scratch(&schema, length, prefix_length)));
    assert_true(named_continue(&row, 0));
    row.line = row.cursor = text;
    row.end = text + length;
    const struct words_text words = {text, length, prefix, prefix_length};
    assert_int_equal(words_add(&row, &words, batch->scratch.text), PARSE_OK);
    assert_int_equal(named_settle(&row), PARSE_OK);
    expected.count = 0;
    reference_words(rule, NULL, text, length, count_word, NULL);
    bool same = row.count == expected.count;
    for (size_t k = 0; same && k < expected.count; k++) {
        const struct counted *word = &expected.words[k];
        uint32_t number = batch->indices[k] & ~BATCH_LOCAL;
        const char *name = table_text(&batch->names, number);
        same = table_length(&batch->names, number) == prefix_length + word->length &&
               memcmp(name, prefix, prefix_length) == 0 &&
               memcmp(name + prefix_length, word->name, word->length) == 0 &&
               batch->values[k] == word->times;
    }
    if (!same)
        fail_with(text, length, rule);
    for (size_t k = 0; k < expected.count; k++)
        free(expected.words[k].name);
    batch_free(batch);
    schema_free(&schema);
}

static void check_prefixes(const char *text, size_t length)
{
    static const struct word_rule rules[] = {{1, false, 0, 0}, {1, true, 0, 0}, {2, false, 2, 3}};
    static const char prefix[] = "a column with a rather long name, longer than any word:";
    static const size_t lengths[] = {1, 3, 7, 8, 9, 15, 16, 17, sizeof prefix - 1};
    size_t n = lengths[length % (sizeof lengths / sizeof lengths[0])];
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        check_prefixed(text, length, rules[i], prefix, n);
}

// Checks a text in all ways to make words of it.
static void check_text(const char *text, size_t length)
{
    static const struct word_rule rules[] = {{1, false, 0, 0}, {1, true, 0, 0},  {2, false, 0, 0},
                                             {3, true, 0, 0},  {1, false, 3, 5}, {2, true, 1, 2},
                                             {0, true, 4, 4},  {3, false, 0, 0}};
    char *line = memory_end - length - LABEL_SIZE;
    memcpy(line, LABEL, LABEL_SIZE);
    memcpy(line + LABEL_SIZE, text, length);
    for (size_t i = 0; length && i < length; i++) // what would end the row
        if (line[LABEL_SIZE + i] == '\n' || line[LABEL_SIZE + i] == '\r')
            line[LABEL_SIZE + i] = '\v';
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        check(line, LABEL_SIZE + length, rules[i], i >= 5);
    check_prefixes(line + LABEL_SIZE, length);
}

// What a text is made of, in how many parts of it.
enum part {
    PART_LETTERS,
    PART_BLANKS,
    PART_SYMBOLS,
    PART_ANY_ASCII,
    PART_TWO_BYTES,
    PART_CHARACTER,
    PART_SPECIAL,
    PART_ANY_BYTE,
    PARTS
};

// Ideographs, marks, joiners, spaces, letters whose lower case is longer or shorter, an emoji, an
// overlong form, a surrogate, cut characters.
static const char *const special[] = {
    "\xe4\xb8\xad", "\xe5\x9b\xbd",     "\xf0\xa0\x80\x80", "\xcc\x81", "\xe2\x80\x8d",
    "\xc2\xa0",     "\xe3\x80\x80",     "\xc8\xba",         "\xc4\xb0", "\xe2\x84\xaa",
    "\xc3\x89",     "\xf0\x9f\x98\x80", "\xc0\xaf",         "\xc3",     "\xed\xa0\x80",
    "\xe2\x82",     "\xf0\x9f\x98",     "\xf4\x90\x80\x80", "\xff",     "\xd7\x90"};

static size_t put_part(struct random *random, enum part part, char *out)
{
    switch (part) {
    case PART_LETTERS:
        out[0] = "aZx09qBmNz"[random_below(random, 10)];
        return 1;
    case PART_BLANKS:
        out[0] = "  \t"[random_below(random, 3)];
        return 1;
    case PART_SYMBOLS:
        out[0] = ".,!'/:@[`{~"[random_below(random, 11)];
        return 1;
    case PART_ANY_ASCII:
        out[0] = (char)random_below(random, 128);
        return 1;
    case PART_TWO_BYTES:
        return unicode_write(out, 0x80 + (uint32_t)random_below(random, 0x780));
    case PART_CHARACTER:
        return unicode_write(out, 0x800 + (uint32_t)random_below(random, 0x1F800));
    case PART_SPECIAL: {
        const char *text = special[random_below(random, sizeof special / sizeof special[0])];
        memcpy(out, text, strlen(text));
        return strlen(text);
    }
    default:
        out[0] = (char)random_below(random, 256);
        return 1;
    }
}

static size_t make_text(struct random *random, char *text, size_t most)
{
    unsigned often_of[PARTS], all = 0;
    for (size_t i = 0; i < PARTS; i++)
        all += often_of[i] = random_below(random, 3) ? 0 : (unsigned)random_below(random, 20);
    if (!all)
        all = often_of[PART_LETTERS] = 1;
    size_t length = 0;
    while (length < most) {
        unsigned pick = (unsigned)random_below(random, all), part = 0;
        while (pick >= often_of[part])
            pick -= often_of[part++];
        length += put_part(random, (enum part)part, text + length);
    }
    return most; // the last character may be cut
}

static void any_text(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 12);
    char text[TEXT_MAX + 8];
    for (int i = 0; i < (int)unless_sanitized((size_t)often(20000), 400); i++) {
        size_t most = random_below(&random, random_below(&random, 4) ? 150 : TEXT_MAX / 2);
        check_text(text, make_text(&random, text, most));
    }
}

// Every kind of character at every place around the ends of blocks.
static void ends_of_blocks(void **state)
{
    (void)state;
    char text[200];
    static const char *const around[] = {"a", ".", " ", "\xe4\xb8\xad", "\xd0\x96"};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        for (size_t k = 0; k < sizeof around / sizeof around[0]; k++)
            for (size_t at = 0; at < 135; at += at % 8 == 1 ? 5 : unless_sanitized(1, 3)) {
                size_t length = 0;
                while (length + strlen(around[k]) <= at)
                    length += (size_t)sprintf(text + length, "%s", around[k]);
                length += (size_t)sprintf(text + length, "%s", special[i]);
                check_text(text, length);
                length += (size_t)sprintf(text + length, "%sB", around[k]);
                check_text(text, length);
            }
}

static void long_words(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    static const size_t lengths[] = {1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 999};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (size_t before = 0; before < 3 && before + lengths[i] <= TEXT_MAX; before++) {
            memset(text, ' ', before);
            memset(text + before, 'W', lengths[i]);
            check_text(text, before + lengths[i]);
        }
    memset(text, '\0', sizeof text);
    check_text(text, 200);
    check_text(text, 0);
}

// For each set of instructions a process of its own: the choice is made once.
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text),
        cmocka_unit_test(ends_of_blocks),
        cmocka_unit_test(long_words),
    };
    static const char *const levels[] = {"plain", "avx2"};
    int failed = 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("TLU_SIMD", levels[i], 1);
            exit(cmocka_run_group_tests_name(levels[i], tests, map_memory, NULL) != 0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        failed |= status != 0;
    }
    return failed;
}
