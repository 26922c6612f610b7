// tlu predict: a label a row.
#include "arguments.h"
#include "reading.h"
#include "text.h"

#include <stdlib.h>

static const tlu_option_info options[] = {
    {"output", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "where the predictions go; without it, standard output"},
    {"scores", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "behind the label, separated by tabs, the score of the positive class, or with more than two "
     "classes one score a class in the order of the classes"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no notes"},
};

static void print_row(FILE *file, const tlu_model *model, const tlu_row *row, double *scores,
                      bool with_scores)
{
    size_t guess = tlu_model_predict(model, row, scores);
    text_write_field(file, tlu_model_class_label(model, guess));
    for (size_t i = 0; with_scores && i < tlu_model_score_count(model); i++) {
        char text[NUMBER_SIZE];
        fputc('\t', file);
        fputs(number_text(text, scores[i]), file);
    }
    fputc('\n', file);
}

static tlu_status print_all(const struct arguments *arguments, const tlu_model *model,
                            tlu_reader *reader, struct output *output, tlu_error *error)
{
    bool with_scores = arguments_flag(arguments, "scores");
    double *scores = need(calloc(tlu_model_score_count(model), sizeof *scores));
    const tlu_batch *batch = NULL;
    tlu_status status;
    while ((status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch) {
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            print_row(output->file, model, &row, scores, with_scores);
        }
        status = output_flush(output, error);
        if (status != TLU_OK)
            break;
    }
    free(scores);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct session session;
    struct output output;
    const char *path = arguments_text(arguments, "output");
    tlu_status status = session_open(&session, arguments, path, error);
    if (status != TLU_OK)
        return status;
    status = output_open(&output, path, error);
    if (status == TLU_OK) {
        tlu_error closing;
        status = print_all(arguments, session.model, session.reader, &output, error);
        tlu_status closed = output_close(&output, &closing);
        if (status == TLU_OK && closed != TLU_OK) {
            status = closed;
            *error = closing;
        }
    }
    if (status == TLU_OK && !arguments_flag(arguments, "quiet"))
        print_reading_notes(stderr, tlu_reader_reading(session.reader), false);
    session_close(&session);
    return status;
}

const struct verb predict_verb = {
    .name = "predict",
    .summary = "print the label of every row of the data",
    .description =
        "Prints the label that MODEL gives to each row of DATA, one a line, in the order of the "
        "data. The rows may have a label column or lack it. A tab, newline, carriage return or "
        "backslash in a label is written as \\t, \\n, \\r or \\\\.",
    .arguments = {{"MODEL", NULL, "a model that tlu train made"},
                  {"DATA", NULL, "rows like those of the training data; - is standard input"},
                  {0}},
    .groups = "reading",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu predict digits.tlu data/digits-test.svm -o guesses.txt",
                 "tlu predict digits.tlu data/digits-test.svm --scores",
                 "tlu train data/weather.csv -o weather.tlu",
                 "echo 'rainy,mild,high,true' | tlu predict weather.tlu - --header no"},
    .run = run,
};
