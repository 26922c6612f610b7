// tlu predict: a label per row.
#include "cli.h"
#include "reading.h"
#include "report.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the predictions go; without it, standard output"),
    FLAG_OPTION("scores",
                "after the label, separated by tabs, the score of the positive class, or with more "
                "than two classes one score per class in the order of the classes"),
    FLAG_OPTION("probabilities", "after the label, and the scores if they are asked for, separated "
                                 "by tabs, one probability per class in the order of the classes"),
    NUMBER_OPTION(
        "threshold", "T", "", -1e300, 1e300,
        "with two classes: the positive one from this on, instead of the model's own threshold; of "
        "the probability of that class, or of the score if the model has no probabilities; with "
        "several labels per row, for each label"),
    FLAG_OPTION(
        "ambiguous",
        "after the label, separated by a tab, a ? if it is not clear: one versus the rest found no "
        "class or several, or one versus one several with as many votes; and count them"),
    FLAG_OPTION("json", "print a JSON object per row: its label and the score of that, or its "
                        "labels, the id, scores and probabilities of all classes if they are asked "
                        "for"),
    FLAG_OPTION("quiet", "print no notes"),
};

// How a row is printed.
struct line_form {
    const tlu_model *model;
    bool with_scores, with_probabilities, with_marks, json;
    size_t score_count; // per row
    size_t class_count;
    const char *separator; // --multilabel: between labels; NULL: a row has one label
    char **labels;         // [class_count] escaped for printing
    size_t *lengths;       // [class_count]
    size_t longest;        // maximum length of a line, without the id
};

static void form_open(struct line_form *form, const struct arguments *arguments,
                      const tlu_model *model)
{
    size_t all = 0; // the length of a list of all labels
    form->model = model;
    if (tlu_model_is_multilabel(model))
        form->separator = option_is_given(arguments->library, "label-separator")
                              ? tlu_options_get(arguments->library, "label-separator")
                              : tlu_model_label_separator(model);
    form->score_count = tlu_model_score_count(model);
    form->class_count = tlu_model_class_count(model);
    form->labels = need(calloc(form->class_count, sizeof *form->labels));
    form->lengths = need(calloc(form->class_count, sizeof *form->lengths));
    for (size_t i = 0; i < form->class_count; i++) {
        const char *label = tlu_model_class_label(model, i);
        form->labels[i] = need(malloc(2 * strlen(label) + 1));
        form->lengths[i] = (size_t)(text_put_field(form->labels[i], label) - form->labels[i]);
        if (form->lengths[i] > form->longest)
            form->longest = form->lengths[i];
        all += form->lengths[i] + (form->separator ? strlen(form->separator) : 0);
    }
    if (form->separator)
        form->longest = all;
    form->longest += sizeof "\t?" + (form->score_count + form->class_count) * (1 + NUMBER_SIZE) + 1;
}

static void form_close(struct line_form *form)
{
    for (size_t i = 0; i < form->class_count; i++)
        free(form->labels[i]);
    free(form->labels);
    free(form->lengths);
}

static char *put_numbers(char *to, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *to++ = '\t';
        tlu_number_format(to, NUMBER_SIZE, numbers[i] == 0 ? 0 : numbers[i]); // prints -0 as 0
        to += strlen(to);
    }
    return to;
}

// Scratch memory of a thread.
struct row_scratch {
    double *probabilities; // [class_count]
    uint32_t *classes;     // [class_count] --multilabel: those of a row
};

// Writes a row and returns its end.
static char *put_row(char *to, const struct line_form *form, const tlu_predictions *predictions,
                     size_t row, const struct row_scratch *scratch)
{
    const double *scores =
        predictions->scores ? predictions->scores + row * form->score_count : NULL;
    uint32_t class_index = predictions->classes[row];
    if (predictions->ids) {
        to = text_put_field(to, predictions->ids[row]);
        *to++ = '\t';
    }
    memcpy(to, form->labels[class_index], form->lengths[class_index]);
    to += form->lengths[class_index];
    if (form->with_marks) {
        *to++ = '\t';
        if (predictions->ambiguous[row])
            *to++ = '?';
    }
    if (form->with_scores)
        to = put_numbers(to, scores, form->score_count);
    if (form->with_probabilities) {
        tlu_model_probabilities(form->model, scores, scratch->probabilities, NULL);
        to = put_numbers(to, scratch->probabilities, form->class_count);
    }
    *to++ = '\n';
    return to;
}

// The same for --multilabel.
static char *put_list(char *to, const struct line_form *form, const tlu_predictions *predictions,
                      size_t row, const struct row_scratch *scratch)
{
    const double *scores = predictions->scores + row * form->score_count;
    const uint32_t *classes = scratch->classes;
    size_t count = tlu_model_labels(form->model, scores, scratch->classes, form->class_count);
    size_t between = strlen(form->separator);
    if (predictions->ids) {
        to = text_put_field(to, predictions->ids[row]);
        *to++ = '\t';
    }
    for (size_t i = 0; i < count; i++) {
        if (i)
            to = (char *)memcpy(to, form->separator, between) + between;
        memcpy(to, form->labels[classes[i]], form->lengths[classes[i]]);
        to += form->lengths[classes[i]];
    }
    if (form->with_scores)
        to = put_numbers(to, scores, form->score_count);
    if (form->with_probabilities) {
        tlu_model_probabilities(form->model, scores, scratch->probabilities, NULL);
        to = put_numbers(to, scratch->probabilities, form->class_count);
    }
    *to++ = '\n';
    return to;
}

// ---- JSON

static void json_by_class(struct json *json, const char *key, const tlu_model *model,
                          const double *numbers)
{
    json_object(json, key);
    for (size_t i = 0; i < tlu_model_class_count(model); i++)
        json_number(json, tlu_model_class_label(model, i), numbers[i]);
    json_end(json);
}

static void json_labels(struct json *json, const struct line_form *form, const double *scores,
                        uint32_t *classes)
{
    size_t count = tlu_model_labels(form->model, scores, classes, form->class_count);
    json_array(json, "labels");
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL, tlu_model_class_label(form->model, classes[i]));
    json_end(json);
}

static void json_row(FILE *file, const struct line_form *form, const tlu_predictions *predictions,
                     size_t row, const struct row_scratch *scratch)
{
    struct json json = json_open(file);
    const tlu_model *model = form->model;
    const double *scores = predictions->scores + row * form->score_count;
    uint32_t class_index = predictions->classes[row];
    if (predictions->ids)
        json_text(&json, "id", predictions->ids[row]);
    if (form->separator) {
        json_labels(&json, form, scores, scratch->classes);
    } else {
        json_text(&json, "label", tlu_model_class_label(model, class_index));
        json_number(&json, "score", class_score(model, class_index, scores));
    }
    if (form->with_marks)
        json_bool(&json, "ambiguous", predictions->ambiguous[row] != 0);
    if (form->with_scores && tlu_model_positive_class(model) == TLU_NONE)
        json_by_class(&json, "scores", model, scores);
    if (form->with_probabilities) {
        tlu_model_probabilities(model, scores, scratch->probabilities, NULL);
        json_by_class(&json, "probabilities", model, scratch->probabilities);
    }
    json_end(&json);
}

static bool json_rows(const struct line_form *form, const tlu_predictions *predictions,
                      tlu_output *text, const struct row_scratch *scratch)
{
    char *bytes = NULL;
    size_t size;
    FILE *file = need(open_memstream(&bytes, &size));
    for (size_t i = 0; i < predictions->rows; i++)
        json_row(file, form, predictions, i, scratch);
    if (fclose(file) != 0)
        need(NULL);
    char *to;
    bool fine = tlu_output_reserve(text, size, &to, NULL) == TLU_OK;
    if (fine)
        memcpy(to, bytes, size);
    fine = fine && tlu_output_commit(text, size, NULL) == TLU_OK;
    free(bytes);
    return fine;
}

// Memory is reserved for several rows at a time, of this many bytes.
#define RESERVED_BYTES 65536

// Rows first to last - 1.
static bool put_some_rows(const struct line_form *form, const tlu_predictions *predictions,
                          size_t first, size_t last, tlu_output *text,
                          const struct row_scratch *scratch)
{
    size_t size = form->longest * (last - first);
    for (size_t i = first; predictions->ids && i < last; i++)
        size += 2 * strlen(predictions->ids[i]) + 1;
    char *start;
    if (tlu_output_reserve(text, size, &start, NULL) != TLU_OK)
        return false;
    char *to = start;
    if (form->separator)
        for (size_t i = first; i < last; i++)
            to = put_list(to, form, predictions, i, scratch);
    else
        for (size_t i = first; i < last; i++)
            to = put_row(to, form, predictions, i, scratch);
    return tlu_output_commit(text, (size_t)(to - start), NULL) == TLU_OK;
}

// A callback that formats the rows of a batch. The reader's threads call it.
static int put_rows(void *context, const tlu_predictions *predictions, tlu_output *text)
{
    const struct line_form *form = context;
    struct row_scratch scratch = {need(calloc(form->class_count, sizeof(double))),
                                  need(calloc(form->class_count, sizeof(uint32_t)))};
    bool fine = !form->json || json_rows(form, predictions, text, &scratch);
    size_t at_once = form->longest < RESERVED_BYTES ? RESERVED_BYTES / form->longest : 1;
    for (size_t i = 0, rows = predictions->rows; fine && !form->json && i < rows; i += at_once)
        fine = put_some_rows(form, predictions, i, rows - i < at_once ? rows : i + at_once, text,
                             &scratch);
    free(scratch.probabilities);
    free(scratch.classes);
    return fine ? 0 : 1;
}

static tlu_status print_all(tlu_reader *reader, struct line_form *form, struct output *output,
                            uint64_t *marked, tlu_error *error)
{
    const tlu_batch *batch;
    bool scores = form->with_scores || form->with_probabilities || form->json;
    TRY(tlu_reader_predict(reader, scores, put_rows, form, error));
    for (;;) {
        TRY(tlu_reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        if (predictions->text_size)
            fwrite(predictions->text, 1, predictions->text_size, output->file);
        for (size_t i = 0; form->with_marks && i < predictions->rows; i++)
            *marked += predictions->ambiguous[i] != 0;
        TRY(output_flush(output, error));
    }
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(form_close)
    struct line_form form = {.with_scores = arguments_flag(arguments, "scores"),
                             .with_probabilities = arguments_flag(arguments, "probabilities"),
                             .with_marks = arguments_flag(arguments, "ambiguous"),
                             .json = arguments->json};
    CLEANUP(session_close) struct session session = {0}; // closed first: its threads use the form
    struct output output;
    const char *path = arguments_text(arguments, "output");
    uint64_t marked = 0;
    double threshold = arguments_number(arguments, "threshold");
    TRY(session_open(&session, arguments, path,
                     arguments_text(arguments, "threshold") ? &threshold : NULL, error));
    if (form.with_probabilities)
        TRY(tlu_model_probabilities(session.model, NULL, NULL, error));
    if (form.with_marks && tlu_model_is_multilabel(session.model))
        return fail_input(error, "--ambiguous is for one label per row, and the model gives lists "
                                 "of labels: --scores shows how clear they are");
    TRY(output_open(&output, path, error));
    form_open(&form, arguments, session.model);
    tlu_status status = print_all(session.reader, &form, &output, &marked, error);
    TRY(output_close(&output, status, error));
    const tlu_reader_stats *reading = tlu_reader_get_stats(session.reader);
    reading_notes(NULL, arguments, session.model, reading, false);
    if (form.with_marks && !arguments->quiet)
        fprintf(stderr, "note: %s of %llu ambiguous\n", count_text(marked, "row"),
                ULL(reading->rows));
    return TLU_OK;
}

const struct verb predict_verb = {
    .name = "predict",
    .summary = "print the label of every row of the data",
    .description =
        "Prints the label that MODEL gives to each row of DATA, one per line, in the order of the "
        "data. The rows may have a label column or lack it. A tab, newline, carriage return or "
        "backslash in a label is written as \\t, \\n, \\r or \\\\. A model of --multilabel gives "
        "a list: the labels in their order, with --label-separator between them; a line without a "
        "label is empty.",
    .arguments = {MODEL_ARGUMENT, ROWS_ARGUMENT},
    .groups = "reading output",
    OPTIONS(options),
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu predict digits.tlu data/digits-test.svm -o guesses.txt",
                 "tlu predict digits.tlu data/digits-test.svm --scores --ambiguous",
                 "tlu train data/weather.csv -o weather.tlu",
                 "echo 'rainy,mild,high,true' | tlu predict weather.tlu - --header no",
                 "tlu predict weather.tlu data/weather.csv --id outlook --json"},
    .run = run,
};
