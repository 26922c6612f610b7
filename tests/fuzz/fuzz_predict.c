// Any bytes as data for a model; the first one chooses the model and the options.
#include "reading.h"

#define OPTIONS_MAX 5

static const struct {
    const char *text, *options[OPTIONS_MAX][2];
} trainings[] = {
    {"+1 1:1 2:0.5 5000000:1\n-1 2:2 3:1\n+1 1:3\n", {{"scale", "none"}}},
    {"a 1:1\nb 2:1\nc 3:1 0:4\n", {{"scale", "maxabs"}}},
    {"size,shape,label\n1,round,x\n-2,long,y\n7,\"a,\nb\",x\n", {{"scale", "standard"}}},
    {"1;red;x\n2;blue;y\n3;;z\n", {{"missing", "indicator"}}},
    {"+1,2 1:1 2:0.5 5000000:1\n-1 2:2 3:1\n 1:3\n", {{"multilabel", "yes"}}},
    {"t,n,c,label\na b,1,x,p\nthe b,,y,q\nB b,3,,p\n",
     {{"text", "t"},
      {"tfidf", "yes"},
      {"normalize", "yes"},
      {"chars", "1:2"},
      {"stop-words", "a,the"}}},
    {"{\"t\":\"a b\",\"n\":1,\"c\":\"x\",\"label\":\"p\"}\n"
     "{\"t\":\"b\",\"n\":null,\"c\":null,\"label\":\"q\"}\n"
     "{\"t\":\"c\",\"n\":3,\"c\":\"x\",\"label\":\"r\"}\n",
     {{"text", "t"}, {"tfidf", "yes"}, {"missing", "most-frequent"}}},
};
enum { PLAIN = 4, SETS = 4, TABLE = 5, RECORDS = 6 };
enum { MODELS = sizeof trainings / sizeof trainings[0] };

static tlu_model *train(size_t i)
{
    tlu_model *model;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    int file;
    const char *path = file_of(trainings[i].text, strlen(trainings[i].text), &file);
    for (size_t k = 0; k < OPTIONS_MAX && trainings[i].options[k][0]; k++)
        tlu_options_set(options, trainings[i].options[k][0], trainings[i].options[k][1], NULL);
    expect(tlu_train(path, options, &model, NULL) == TLU_OK);
    tlu_options_free(options);
    close(file);
    return model;
}

static void use_row(const tlu_model *model, const tlu_row *row)
{
    double scores[8], sum = 0, size = 1;
    tlu_contribution pushes[64];
    size_t guess, count;
    if (tlu_model_predict(model, row, &guess, scores, NULL) != TLU_OK)
        return; // a score overflows
    expect(guess < tlu_model_class_count(model));
    for (size_t k = 0; k < row->count; k++) {
        expect(row->features[k] < tlu_model_feature_count(model));
        expect(!row->values || (isfinite(row->values[k]) && row->values[k] != 0));
    }
    tlu_model_explain(model, row, guess, pushes, 64, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        sum += pushes[i].amount;
        size += fabs(pushes[i].amount);
    }
    size_t positive = tlu_model_positive_class(model);
    double score = positive == TLU_NONE ? scores[guess]
                   : guess == positive  ? scores[0]
                                        : -scores[0];
    bool pairs = strcmp(tlu_model_scheme(model), "ovo") == 0; // the score is how many were won
    expect(pairs || count == 64 || fabs(sum - score) <= 1e-6 * size);
}

static void read_data(const tlu_model *model, const char *path, const tlu_options *options)
{
    tlu_reader *reader;
    const tlu_batch *batch;
    tlu_error error = {.status = TLU_OK};
    uint64_t rows = 0;
    tlu_status status = tlu_reader_open(model, path, options, &reader, &error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch) {
        expect(batch->first_row == rows);
        rows += batch->rows;
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            use_row(model, &row);
            expect_row_labels(model, reader, batch, i);
        }
    }
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    tlu_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static tlu_model *models[MODELS];
    static const char *const headers[] = {"auto", "yes", "no", "auto"};
    if (size == 0)
        return 0;
    unsigned choice = bytes[0];
    size_t which = choice & 64   ? choice & 128 ? RECORDS : TABLE
                   : choice & 32 ? SETS
                                 : choice % PLAIN;
    if (!models[which])
        models[which] = train(which);
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_options_set(options, "skip-bad", choice & 4 ? "yes" : "no", NULL);
    tlu_options_set(options, "header", headers[choice >> 3 & 3], NULL);
    int file;
    const char *path = file_of(bytes + 1, size - 1, &file);
    read_data(models[which], path, options);
    close(file);
    tlu_options_free(options);

    char *line = malloc(size);
    const char *label = NULL;
    double scores[8];
    expect(line != NULL);
    memcpy(line, bytes + 1, size - 1);
    line[size - 1] = '\0';
    tlu_status status = tlu_model_predict_line(models[which], line, &label, scores, NULL);
    expect((status == TLU_OK) == (label != NULL));
    free(line);
    return 0;
}
