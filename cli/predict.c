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
    {"ambiguous", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "behind the label, separated by a tab, a ? where it is not clear: one versus the rest found "
     "no "
     "class or several, or one versus one several with as many votes; and count them"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no notes"},
};

struct guesses { // of a batch
    bool with_scores, with_marks;
    size_t capacity; // rows
    uint32_t *classes;
    double *scores;  // [rows][score_count]
    char *ambiguous; // [rows]
    uint64_t marked; // rows, in all batches
};

static void make_room(struct guesses *guesses, size_t rows, size_t score_count)
{
    if (rows <= guesses->capacity)
        return;
    guesses->capacity = rows;
    guesses->classes = need(realloc(guesses->classes, rows * sizeof *guesses->classes));
    guesses->ambiguous = need(realloc(guesses->ambiguous, rows));
    if (guesses->with_scores)
        guesses->scores =
            need(realloc(guesses->scores, rows * score_count * sizeof *guesses->scores));
}

static void print_row(FILE *file, const tlu_model *model, struct guesses *guesses, size_t row)
{
    size_t score_count = tlu_model_score_count(model);
    text_write_field(file, tlu_model_class_label(model, guesses->classes[row]));
    if (guesses->with_marks)
        fputs(guesses->ambiguous[row] ? "\t?" : "\t", file);
    guesses->marked += guesses->ambiguous[row] != 0;
    for (size_t i = 0; guesses->with_scores && i < score_count; i++) {
        char text[NUMBER_SIZE];
        fputc('\t', file);
        fputs(number_text(text, guesses->scores[row * score_count + i]), file);
    }
    fputc('\n', file);
}

static tlu_status print_all(const tlu_model *model, tlu_reader *reader, struct output *output,
                            struct guesses *guesses, tlu_error *error)
{
    const tlu_batch *batch = NULL;
    tlu_status status;
    while ((status = tlu_reader_next(reader, &batch, error)) == TLU_OK && batch) {
        make_room(guesses, batch->rows, tlu_model_score_count(model));
        status = tlu_model_predict_batch(model, batch, guesses->classes, guesses->scores,
                                         guesses->ambiguous, error);
        for (size_t i = 0; status == TLU_OK && i < batch->rows; i++)
            print_row(output->file, model, guesses, i);
        if (status == TLU_OK)
            status = output_flush(output, error);
        if (status != TLU_OK)
            break;
    }
    free(guesses->classes);
    free(guesses->scores);
    free(guesses->ambiguous);
    return status;
}

static void print_notes(const struct guesses *guesses, const tlu_reading *reading)
{
    char count[64];
    print_reading_notes(stderr, reading, false);
    if (guesses->with_marks)
        fprintf(stderr, "note: %s of %llu ambiguous\n", count_text(count, guesses->marked, "row"),
                (unsigned long long)reading->rows);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct session session;
    struct output output;
    const char *path = arguments_text(arguments, "output");
    struct guesses guesses = {.with_scores = arguments_flag(arguments, "scores"),
                              .with_marks = arguments_flag(arguments, "ambiguous")};
    tlu_status status = session_open(&session, arguments, path, error);
    if (status != TLU_OK)
        return status;
    status = output_open(&output, path, error);
    if (status == TLU_OK) {
        status = print_all(session.model, session.reader, &output, &guesses, error);
        status = output_close(&output, status, error);
    }
    if (status == TLU_OK && !arguments_flag(arguments, "quiet"))
        print_notes(&guesses, tlu_reader_reading(session.reader));
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
                 "tlu predict digits.tlu data/digits-test.svm --scores --ambiguous",
                 "tlu train data/weather.csv -o weather.tlu",
                 "echo 'rainy,mild,high,true' | tlu predict weather.tlu - --header no"},
    .run = run,
};
