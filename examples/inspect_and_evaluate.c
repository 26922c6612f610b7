/* Grade 2 of tlu.h: options, progress, a reader that walks a file, evaluation, and what a model
   knows. The data is handwritten digits of 8x8 pixels; pixel (row, column) is feature
   8 * row + column + 1.

       inspect_and_evaluate examples/data */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tlu.h>

static int failed(const tlu_error *error)
{
    fprintf(stderr, "inspect_and_evaluate: %s\n", error->text);
    return 1;
}

/* Called now and then during training; a value other than 0 ends it with the model so far. */
static int watch(void *context, const tlu_progress *progress)
{
    ++*(int *)context;
    return progress->seconds > 60;
}

/* Reads the file batch by batch and counts the rows that the model predicts correctly. */
static tlu_status count_right(const tlu_model *model, const char *path, uint64_t *right,
                              tlu_error *error)
{
    tlu_reader *reader;
    tlu_status status = tlu_reader_open(model, path, NULL, &reader, error);
    if (status != TLU_OK)
        return status;
    const tlu_batch *batch = NULL;
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch)
        for (size_t i = 0; i < batch->rows && status == TLU_OK; i++) {
            size_t class_index;
            tlu_row row = tlu_batch_row(batch, i);
            status = tlu_model_predict(model, &row, &class_index, NULL, error);
            *right += class_index == batch->labels[i];
        }
    tlu_reader_close(reader);
    return status;
}

/* The feature with the largest absolute weight in a class. */
static void print_strongest(const tlu_model *model, size_t class_index)
{
    size_t best = 0;
    for (size_t f = 1; f < tlu_model_feature_count(model); f++)
        if (fabs(tlu_model_scaled_weight(model, class_index, f)) >
            fabs(tlu_model_scaled_weight(model, class_index, best)))
            best = f;
    char name[32];
    tlu_model_feature_name(model, best, name, sizeof name);
    int pixel = atoi(name) - 1;
    printf("  %s: ink at row %d, column %d speaks %s it (weight %+.1f)\n",
           tlu_model_class_label(model, class_index), pixel / 8, pixel % 8,
           tlu_model_scaled_weight(model, class_index, best) > 0 ? "for" : "against",
           tlu_model_scaled_weight(model, class_index, best));
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples/data";
    char train[4096], test[4096];
    snprintf(train, sizeof train, "%s/digits-train.svm", folder);
    snprintf(test, sizeof test, "%s/digits-test.svm", folder);

    /* Options are set by name, with the text that the command line takes. */
    tlu_error error;
    tlu_model *model;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    if (!options || tlu_options_set(options, "epochs", "20", &error) != TLU_OK ||
        tlu_options_set(options, "seed", "7", &error) != TLU_OK)
        return options ? failed(&error) : 3;
    int calls = 0;
    tlu_train_settings settings = {
        .size = sizeof settings, .path = train, .progress = watch, .progress_context = &calls};
    tlu_status status = tlu_train_with(&settings, options, &model, &error);
    tlu_options_free(options);
    if (status != TLU_OK)
        return failed(&error);

    /* How training went. */
    const tlu_report *report = tlu_model_report(model);
    printf("%llu rows, %llu features, %zu classes; %llu passes, stopped: %s\nmistakes:",
           (unsigned long long)report->examples, (unsigned long long)report->features,
           tlu_model_class_count(model), (unsigned long long)report->epochs, report->stopped);
    for (uint64_t i = 0; i < report->epochs; i++)
        printf(" %llu", (unsigned long long)report->mistakes[i]);
    printf("\nwhat it looks at:\n");
    for (size_t c = 0; c < 3; c++)
        print_strongest(model, c);

    /* How good it is on rows that it has not seen: counted by hand, and by the library. */
    uint64_t right = 0;
    tlu_evaluation *evaluation;
    if (count_right(model, test, &right, &error) != TLU_OK ||
        tlu_evaluate(model, test, NULL, &evaluation, &error) != TLU_OK)
        return failed(&error);
    printf("%llu of %llu test rows right: accuracy %.4f\n", (unsigned long long)right,
           (unsigned long long)evaluation->examples, evaluation->accuracy);
    int good = calls > 0 && right == evaluation->correct && evaluation->accuracy > 0.92;
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    return good ? 0 : 1;
}
