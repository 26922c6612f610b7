// Any bytes as a stream; the first two choose options, also for words, and where it is cut. In
// pieces it gives the same answers as whole, and its journal the same rows again.
#include "base/random.h"
#include "reading.h"

#define NO_MODEL "/nowhere/fuzz.tlu" // never saved

struct run {
    tlu_status status;
    char *answers;
    size_t size, capacity, used;
    tlu_stream_stats counts;
};

static void add_answers(struct run *run, const char *text, size_t length)
{
    if (run->size + length > run->capacity) {
        run->capacity = 2 * run->capacity + length;
        run->answers = realloc(run->answers, run->capacity);
        expect(run->answers != NULL);
    }
    if (length)
        memcpy(run->answers + run->size, text, length);
    run->size += length;
}

// In pieces of 1 to `most` bytes; 0: whole.
static void run_stream(struct run *run, const tlu_options *options, const char *journal,
                       const char *bytes, size_t size, size_t most)
{
    tlu_stream_settings settings = {
        .size = sizeof settings, .journal = journal, .window = 3, .scores = 1};
    tlu_error error;
    tlu_stream *stream;
    struct random random;
    size_t limit = 0;
    random_seed(&random, most);
    *run = (struct run){.status = tlu_stream_open(NO_MODEL, options, &settings, &stream, &error)};
    if (run->status != TLU_OK) {
        expect(run->status == TLU_ERROR_INPUT && !stream && error.text[0]);
        return;
    }
    do {
        const char *text;
        size_t used, length;
        limit = most && size - limit > most ? limit + 1 + random_below(&random, most) : size;
        run->status = tlu_stream_feed(stream, bytes + run->used, limit - run->used, limit == size,
                                      &used, &text, &length, &error);
        expect(used <= limit - run->used);
        add_answers(run, text, length);
        run->used += used;
    } while (run->status == TLU_OK && limit < size);
    expect(run->status == TLU_OK || (run->status == TLU_ERROR_INPUT && error.text[0]));
    expect(run->status != TLU_OK || run->used == size);
    run->counts = *tlu_stream_get_stats(stream);
    expect(run->counts.correct <= run->counts.examples && run->counts.window <= 3);
    tlu_stream_close(stream);
}

static void expect_same_runs(const struct run *a, const struct run *b)
{
    expect(a->status == b->status && a->used == b->used && a->size == b->size);
    expect(a->size == 0 || memcmp(a->answers, b->answers, a->size) == 0);
    expect(a->counts.learned == b->counts.learned && a->counts.correct == b->counts.correct &&
           a->counts.features == b->counts.features && a->counts.classes == b->counts.classes);
}

// What is counted while a stream learns: rows with a word, and means.
static void set_words(tlu_options *options, unsigned choice)
{
    static const char *const missing[] = {"auto", "mean", "indicator", "zero"};
    tlu_options_set(options, "tfidf", choice & 1 ? "yes" : "no", NULL);
    tlu_options_set(options, "normalize", choice & 2 ? "yes" : "no", NULL);
    tlu_options_set(options, "min-count", choice & 4 ? "2" : "1", NULL);
    tlu_options_set(options, "missing", missing[choice >> 3 & 3], NULL);
    if (choice & 32)
        tlu_options_set(options, "text", "t", NULL);
    if (choice & 64)
        tlu_options_set(options, "chars", "1:2", NULL);
    if (choice & 128)
        tlu_options_set(options, "stop-words", "a,the", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const formats[] = {"auto", "csv",   "libsvm", "vw",
                                          "auto", "jsonl", "text",   "fasttext"};
    static const char *const learners[] = {"perceptron", "pa"};
    if (size < 2)
        return 0;
    unsigned choice = bytes[0];
    size_t most = 1 + bytes[1];
    const char *text = (const char *)bytes + 2;
    size -= 2;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_options_set(options, "format", formats[choice & 7], NULL);
    tlu_options_set(options, "learner", learners[choice >> 3 & 1], NULL);
    tlu_options_set(options, "skip-bad", choice & 16 ? "yes" : "no", NULL);
    bool multilabel = choice & 64;
    tlu_options_set(options, "positive", choice & 32 && !multilabel ? "a" : "", NULL);
    tlu_options_set(options, "multilabel", multilabel ? "yes" : "no", NULL);
    if (choice & 128)
        set_words(options, bytes[1]);
    int file;
    char journal[64];
    struct run whole, parts;
    strcpy(journal, file_of("", 0, &file));
    run_stream(&whole, options, NULL, text, size, 0);
    run_stream(&parts, options, journal, text, size, most);
    expect_same_runs(&whole, &parts);

    // What the journal has is what was learned.
    tlu_stream *stream;
    tlu_error error;
    expect(tlu_stream_open(
               NO_MODEL, options,
               &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = journal},
               &stream, &error) == TLU_OK);
    tlu_stream_stats counts = *tlu_stream_get_stats(stream);
    expect(counts.learned == parts.counts.learned && counts.replayed == counts.learned);
    expect(!counts.learned ||
           (counts.features == parts.counts.features && counts.classes == parts.counts.classes));
    tlu_stream_close(stream);
    close(file);
    free(whole.answers);
    free(parts.answers);
    tlu_options_free(options);
    return 0;
}
