// What the tests of streams share: a small data set, how each format writes it, and a stream that
// is given in pieces.
#ifndef TLU_TESTS_LIVE_H
#define TLU_TESTS_LIVE_H

#include "learning.h"

#include <unistd.h>

#define MODEL "live.tlu"
#define JOURNAL "stream.journal"
#define ROWS 60

// ---- The rows -------------------------------------------------------------------------------

// A small data set as features by name, and how each format writes it.
struct row {
    const char *label; // NULL: none
    double weight;
    tlu_feature features[8];
    size_t count;
};

static struct row rows[ROWS];
static char names[ROWS][8][24];

static const char *const words[] = {"apple", "bread", "cider", "dates", "eggs", "figs"};

// With several labels per row: the class, and in some rows another, or none at all.
static inline const char *set_of(size_t i, size_t class)
{
    static const char *const both[] = {"blue,red", "blue,green", "green,red"};
    return i % 6 == 1 ? "" : i > 20 && i % 4 == 2 ? both[class] : NULL;
}

// Three classes, the third of which turns up late; every fifth row has no label and every seventh a
// word that no labelled row has.
static inline void make_rows(uint64_t seed, bool weights, bool sets)
{
    struct random random;
    random_seed(&random, seed);
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < ROWS; i++) {
        size_t class = random_below(&random, i < 20 ? 2 : 3);
        rows[i].label = i % 5 == 3 ? NULL : class == 0 ? "red" : class == 1 ? "blue" : "green";
        if (rows[i].label && sets && set_of(i, class))
            rows[i].label = set_of(i, class);
        rows[i].weight = weights && i % 3 == 1 ? 2.5 : 1;
        for (size_t k = 0; k < 6; k++)
            if (k == 2 * class || random_below(&random, 3) == 0)
                rows[i].features[rows[i].count++] = (tlu_feature){words[k], 1};
        if (!rows[i].label && i % 7 == 1)
            rows[i].features[rows[i].count++] = (tlu_feature){"unheard", 1};
    }
}

static char text[1 << 16];
static size_t text_size;

static inline void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_size += (size_t)vsnprintf(text + text_size, sizeof text - text_size, format, list);
    va_end(list);
    assert_true(text_size < sizeof text);
}

// Numbers instead of words, and values that are not 1.
static inline void put_libsvm(void)
{
    put("\n# a comment\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].label)
            put("%s", rows[i].label);
        for (size_t k = 0; k < rows[i].count; k++) {
            tlu_feature *feature = &rows[i].features[k];
            unsigned number = 0;
            for (unsigned w = 0; w < 6; w++)
                if (strcmp(feature->name, words[w]) == 0)
                    number = w == 5 ? 5000000 : 3 * w + 1;
            number = number ? number : 6000000;
            snprintf(names[i][k], sizeof names[i][k], "%u", number);
            *feature = (tlu_feature){names[i][k], 0.25 * (double)(i % 7) + 0.5};
            put("%s%u:%g", rows[i].label || k ? " " : "", number, feature->value);
        }
        put(i % 4 ? "\n" : "\r\n");
    }
}

// A quoted field with a line break in it, a number, a category; the header has a quoted name.
static inline void put_csv(void)
{
    put("size,\"the\nplace\",colour\n");
    for (size_t i = 0; i < ROWS; i++) {
        static const char *const places[] = {"by the\nsea", "a \"hill\", far", "plain", "x\r\ny"};
        size_t place = rows[i].count % 4;
        double size = (double)(i % 9) - 3;
        const char *label = rows[i].label ? rows[i].label : "";
        if (i == 1) // a word that no labelled row has
            place = 0;
        put("%g,\"", size);
        for (const char *at = places[place]; *at; at++)
            put(*at == '"' ? "\"\"" : "%c", *at);
        put("\",%s\n", label);
        rows[i].count = 0;
        if (size != 0)
            rows[i].features[rows[i].count++] = (tlu_feature){"size", size};
        snprintf(names[i][0], sizeof names[i][0], "the\nplace=%s", places[place]);
        rows[i].features[rows[i].count++] = (tlu_feature){names[i][0], 1};
    }
}

static inline void put_vw(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        put("%s", rows[i].label ? rows[i].label : "");
        if (rows[i].label && rows[i].weight != 1)
            put(" %g", rows[i].weight);
        put(" |");
        for (size_t k = 0; k < rows[i].count; k++) {
            rows[i].features[k].value = k % 2 ? 0.5 : 1;
            put(k % 2 ? " %s:0.5" : " %s", rows[i].features[k].name);
        }
        put("\n");
    }
}

static inline void put_fasttext(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].label)
            put("__label__%s", rows[i].label);
        for (size_t k = 0; k < rows[i].count; k++)
            put("%s%s", rows[i].label || k ? " " : "", rows[i].features[k].name);
        put("\n");
    }
}

static inline void put_text(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        put("%s\t", rows[i].label ? rows[i].label : "");
        for (size_t k = 0; k < rows[i].count; k++)
            put("%s%s", k ? " " : "", rows[i].features[k].name);
        put("\n");
    }
}

// [] or ["red"], ["red", "blue"].
static inline void put_array(const char *list)
{
    put("[");
    while (*list) {
        size_t length = strcspn(list, ",");
        put("\"%.*s\"", (int)length, list);
        list += length;
        if (*list)
            put("%c ", *list++);
    }
    put("]");
}

static inline void put_json_sets(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        put("{");
        if (rows[i].label) {
            put("\"label\": ");
            put_array(rows[i].label);
            put(", ");
        }
        put("\"features\": {");
        for (size_t k = 0; k < rows[i].count; k++)
            put("%s\"%s\": 1", k ? ", " : "", rows[i].features[k].name);
        put("}}\n");
    }
}

static inline void put_jsonl(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        put("{");
        if (rows[i].label)
            put("\"label\": \"%s\", ", rows[i].label);
        put("\"features\": {");
        for (size_t k = 0; k < rows[i].count; k++)
            put("%s\"%s\": %g", k ? ", " : "", rows[i].features[k].name,
                rows[i].features[k].value *= 2);
        put("}}\n");
    }
}

// JSON objects between `open` and `close`, of which a row is not a line: an array, or one after the
// other. With `members`, these are the features.
static inline void put_objects(const char *open, const char *comma, const char *close,
                               const char *space, bool members)
{
    put("%s", open);
    for (size_t i = 0; i < ROWS; i++) {
        put("%s{%s", i ? comma : "", space);
        if (rows[i].label)
            put("\"%s\":%s\"%s\"%s", members ? "colour" : "label", space, rows[i].label,
                members && !rows[i].count ? "" : ",");
        put("%s", members ? "" : "\"features\":{");
        for (size_t k = 0; k < rows[i].count; k++)
            put("%s\"%s\":%s%g", k ? "," : "", rows[i].features[k].name, space,
                rows[i].features[k].value *= 2);
        put("%s%s}", members ? "" : "}", space);
    }
    put("%s", close);
}

static inline void put_json_line(void) // without a newline
{
    put_objects("[", ",", "]", "", false);
}

static inline void put_json_array(void)
{
    put_objects("\n [\n", ",\n", "\n]\n\n", "\n  ", true);
}

static inline void put_json_objects(void)
{
    put_objects("", "\n", "", "\r\n  ", true);
}

static const struct format {
    const char *settings;
    void (*write)(void);
    bool weights;
    bool array; // of JSON: it begins with a bracket, and the last row ends with the stream
} formats[] = {
    {"", put_libsvm, false, false},
    {"", put_csv, false, false},
    {"format=csv label=colour learner=pa", put_csv, false, false},
    {"format=vw", put_vw, true, false},
    {"", put_fasttext, false, false},
    {"format=fasttext learner=arow", put_fasttext, false, false},
    {"format=text decide=last", put_text, false, false},
    {"format=jsonl", put_jsonl, false, false},
    {"", put_json_line, false, true},
    {"label=colour", put_json_array, false, true},
    {"label=colour text=note", put_json_objects, false, false},
    {"multilabel=yes format=libsvm", put_libsvm, false, false},
    {"multilabel=yes format=jsonl learner=alma", put_json_sets, false, false},
};
#define FORMATS (sizeof formats / sizeof formats[0])

static inline void make_stream(const struct format *format, uint64_t seed)
{
    make_rows(seed, format->weights, strstr(format->settings, "multilabel") != NULL);
    text_size = 0;
    text[0] = '\0';
    format->write();
}

// ---- A stream in pieces -------------------------------------------------------------------------

struct answers {
    char text[1 << 14];
    size_t size;
};

static inline tlu_stream *open_stream(const char *settings, const tlu_stream_settings *how)
{
    tlu_options *options = options_as_said(settings);
    tlu_stream *stream;
    tlu_error error;
    if (tlu_stream_open(MODEL, options, how, &stream, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return stream;
}

static inline tlu_status take(tlu_stream *stream, const char *bytes, size_t size, bool end,
                              size_t *used, struct answers *answers, tlu_error *error)
{
    const char *said;
    size_t length;
    // A copy of its own, so that the sanitizer sees what is read after it.
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    tlu_status status = tlu_stream_feed(stream, copy, size, end, used, &said, &length, error);
    assert_true(*used <= size);
    assert_true(answers->size + length < sizeof answers->text);
    if (length)
        memcpy(answers->text + answers->size, said, length);
    answers->size += length;
    answers->text[answers->size] = '\0';
    free(copy);
    return status;
}

// Pieces of 1 to `most` bytes (0: all at once) from `from` to `to`; what was not used comes again.
static inline void take_pieces(tlu_stream *stream, size_t from, size_t to, size_t most,
                               struct random *random, bool end, struct answers *answers)
{
    size_t limit = from, used;
    tlu_error error;
    while (limit < to) {
        limit = most ? limit + 1 + random_below(random, most) : to;
        limit = limit < to ? limit : to;
        if (take(stream, text + from, limit - from, end && limit == to, &used, answers, &error) !=
            TLU_OK)
            fail_msg("%s", error.text);
        from += used;
    }
    if (end)
        assert_int_equal(from, to);
}

static inline void save_and_close(tlu_stream *stream)
{
    tlu_error error;
    if (tlu_stream_save(stream, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_stream_close(stream);
}

static inline void forget(void)
{
    unlink(MODEL);
    unlink(JOURNAL);
}

// For a group of tests: a folder in memory, if there is a place for one, as thousands of files are
// synced.
static char in_memory[] = "/dev/shm/tlu-test-XXXXXX"; // "": there is no such folder

static inline int go_to_memory(void **state)
{
    (void)state;
    if (access("/dev/shm", W_OK) != 0 || !mkdtemp(in_memory))
        in_memory[0] = '\0';
    return in_memory[0] ? chdir(in_memory) : 0;
}

static inline int leave_memory(void **state)
{
    (void)state;
    forget();
    unlink("train.svm");
    return in_memory[0] && (chdir("/") != 0 || rmdir(in_memory) != 0);
}

static inline char *run_whole(const char *settings, size_t most, uint64_t seed,
                              struct answers *answers, size_t *size)
{
    struct random random;
    random_seed(&random, seed);
    forget();
    answers->size = 0;
    tlu_stream *stream = open_stream(settings, NULL);
    take_pieces(stream, 0, text_size, most, &random, true, answers);
    save_and_close(stream);
    return read_bytes(MODEL, size);
}

static inline void expect_model(const char *bytes, size_t size)
{
    size_t other_size;
    char *other = read_bytes(MODEL, &other_size);
    assert_int_equal(other_size, size);
    assert_memory_equal(other, bytes, size);
    free(other);
}

#endif
