// Any bytes as training data; the first two choose options for texts, missing values and labels.
// A model is trained, saved and loaded again; rows have the same scores as text and as binary data.
#include "reading.h"

static const char *const formats[] = {"auto",  "csv",  "libsvm",   "vw",
                                      "jsonl", "text", "fasttext", "csv"};

static void set(tlu_options *options, const char *name, const char *value)
{
    expect(tlu_options_set(options, name, value, NULL) == TLU_OK);
}

struct scores {
    uint64_t rows;
    struct outcome sum;
    bool failed;
};

static void add_row(struct scores *scores, const tlu_model *model, const tlu_row *row)
{
    double values[64];
    size_t guess, count = tlu_model_score_count(model);
    tlu_error error;
    scores->rows++;
    if (count > 64)
        return;
    for (size_t k = 0; k < row->count; k++)
        expect(row->features[k] < tlu_model_feature_count(model) &&
               (!row->values || (isfinite(row->values[k]) && row->values[k] != 0)));
    if (tlu_model_predict(model, row, &guess, values, &error) != TLU_OK)
        scores->failed = true; // a score overflows
    else
        mix(&scores->sum, values, count * sizeof *values);
}

// Of all rows of a file, which is in this format.
static struct scores score_rows(const tlu_model *model, const char *path, const char *format)
{
    struct scores scores = {0};
    tlu_reader *reader;
    const tlu_batch *batch;
    tlu_error error = {.status = TLU_OK};
    tlu_options *options;
    expect(tlu_options_new(&options, NULL) == TLU_OK);
    set(options, "format", format);
    tlu_status status = tlu_reader_open(model, path, options, &reader, &error);
    tlu_options_free(options);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch)
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            add_row(&scores, model, &row);
        }
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    scores.failed |= status != TLU_OK;
    tlu_reader_close(reader);
    return scores;
}

static void expect_same_scores(const struct scores *a, const struct scores *b)
{
    expect(a->failed == b->failed &&
           (a->failed || (a->rows == b->rows && a->sum.hash == b->sum.hash)));
}

static void check_loaded(const tlu_model *model, const char *path, const char *format,
                         const struct scores *scores)
{
    void *bytes;
    size_t size;
    tlu_model *again;
    tlu_error error;
    if (tlu_model_save_bytes(model, &bytes, &size, &error) != TLU_OK)
        return; // weights that no file holds
    expect(tlu_model_load_bytes(bytes, size, &again, &error) == TLU_OK);
    struct scores found = score_rows(again, path, format);
    expect_same_scores(scores, &found);
    tlu_model_free(again);
    tlu_bytes_free(bytes);
}

static int put_bytes(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

static void check_binary(const tlu_model *model, const char *path, const tlu_options *options,
                         const struct scores *scores)
{
    char *bytes = NULL, binary[64];
    size_t size = 0;
    int file;
    tlu_error error;
    FILE *out = open_memstream(&bytes, &size);
    expect(out != NULL);
    tlu_convert_settings settings = {.size = sizeof settings,
                                     .path = path,
                                     .format = "binary",
                                     .write = put_bytes,
                                     .write_context = out};
    tlu_status status = tlu_convert(&settings, options, NULL, &error);
    fclose(out);
    if (status == TLU_OK) {
        strcpy(binary, file_of(bytes, size, &file));
        struct scores found = score_rows(model, binary, "auto");
        expect_same_scores(scores, &found);
        close(file);
    } else {
        expect(status == TLU_ERROR_INPUT && error.text[0]);
    }
    free(bytes);
}

// Those that tlu_convert takes, too.
static tlu_options *reading_options(unsigned choice, unsigned more)
{
    static const char *const missing[] = {"auto",      "mean", "median", "most-frequent",
                                          "indicator", "zero", "refuse", "auto"};
    static const char *const texts[] = {"", "t", "1", "t,2"};
    tlu_options *options;
    expect(tlu_options_new(&options, NULL) == TLU_OK);
    set(options, "missing", missing[choice & 7]);
    set(options, "multilabel", choice & 8 ? "yes" : "no");
    if (choice & 8 && more & 32)
        set(options, "label-separator", "; ");
    if (choice & 64)
        set(options, "chars", more & 8 ? "1:2" : "3:3");
    set(options, "format", formats[more & 7]);
    if (more & 8)
        set(options, "decimal", "comma");
    if (more & 48)
        set(options, "text", texts[more >> 4 & 3]);
    if (more & 64)
        set(options, "stop-words", "a,the");
    // Said in any case: else --learner auto would choose it for the training alone.
    set(options, "lowercase", more & 128 ? "yes" : "no");
    set(options, "threads", "1");
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2 || size > 4096)
        return 0;
    unsigned choice = bytes[0], more = bytes[1];
    tlu_options *reading = reading_options(choice, more), *options = reading_options(choice, more);
    if (choice & 16)
        set(options, "tfidf", "yes");
    if (choice & 32)
        set(options, "normalize", "yes");
    if (choice & 128)
        set(options, "min-count", "2");
    set(options, "epochs", "2");
    int file;
    char path[64];
    tlu_error error = {.status = TLU_OK};
    tlu_model *model;
    strcpy(path, file_of(bytes + 2, size - 2, &file));
    tlu_status status = tlu_train(path, options, &model, &error);
    expect(status == TLU_OK ? model != NULL : status == TLU_ERROR_INPUT && error.text[0]);
    if (status == TLU_OK) {
        const char *format = formats[more & 7];
        struct scores scores = score_rows(model, path, format);
        check_loaded(model, path, format, &scores);
        check_binary(model, path, reading, &scores);
    }
    tlu_model_free(model);
    close(file);
    tlu_options_free(options);
    tlu_options_free(reading);
    return 0;
}
