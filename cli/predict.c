// tlu predict: a label per row.
#include "cli.h"
#include "reading.h"
#include "report.h"
#include "team.h"

#include <errno.h>

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the predictions go; without it, standard output"),
    FLAG_OPTION("scores",
                "after the label and a tab, the score of the positive class, or of each of several "
                "classes"),
    FLAG_OPTION(
        "probabilities",
        "after the label (and the scores), the probability of each class, separated by tabs"),
    NUMBER_OPTION(
        "threshold", "T", "", -1e300, 1e300,
        "two classes: predict the positive one from this probability on (from this score, if "
        "the model has no probabilities), instead of the model's own threshold; several labels "
        "per row: predict each from it on"),
    FLAG_OPTION(
        "ambiguous",
        "after the label and a tab, a ? if one versus the rest found no class or several, or "
        "one versus one a tie; and count them"),
    COUNT_OPTION(
        "top", "K", "", 1, 1e6,
        "print the K best classes and their scores, the best first; with --probabilities their "
        "probabilities, with --scores --probabilities both"),
    FLAG_OPTION("column-names", "print a first line that names the columns"),
    SHARDS_OPTION,
    FLAG_OPTION("json",
                "print a JSON object per row: the label and its score, or the list of labels; id, "
                "scores and probabilities of all classes if asked for, or the list of --top"),
    FLAG_OPTION("quiet", "print no notes"),
};

// How a row is printed.
struct line_form {
    const tlu_model *model;
    bool with_scores, with_probabilities, with_marks, json;
    size_t top;         // classes; 0: the columns of the label, and of all scores and probabilities
    bool ranked;        // the line has more than scores
    size_t score_count; // per row
    size_t class_count;
    const char *separator; // --multilabel: between labels; NULL: a row has one label
    char **labels;         // [class_count] escaped for printing
    size_t *lengths;       // [class_count]
    size_t longest;        // maximum length of a line, without the id
};

// The classes of a row.
struct class_order {
    double *scores;        // [class_count]
    double *probabilities; // [class_count], if they are asked for
    uint32_t *order;       // [class_count] the predicted class, then the others by score
    uint32_t predicted;
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
        form->labels[i][form->lengths[i]] = '\0';
        if (form->lengths[i] > form->longest)
            form->longest = form->lengths[i];
        all += form->lengths[i] + (form->separator ? strlen(form->separator) : 0);
    }
    if (form->top > form->class_count)
        form->top = form->class_count;
    if (form->top && !form->with_probabilities)
        form->with_scores = true;
    form->ranked = form->top || form->with_probabilities;
    size_t labels = form->top ? form->top : 1;
    form->longest = (form->separator ? all : 0) + labels * (form->longest + 1) + sizeof "\t?" +
                    (form->score_count + 2 * form->class_count) * (1 + NUMBER_SIZE);
}

static void form_close(struct line_form *form)
{
    for (size_t i = 0; i < form->class_count; i++)
        free(form->labels[i]);
    free(form->labels);
    free(form->lengths);
}

// ---- the best classes

static struct class_order order_new(const struct line_form *form)
{
    size_t count = form->class_count;
    return (struct class_order){.scores = need(calloc(count, sizeof(double))),
                                .probabilities = need(calloc(count, sizeof(double))),
                                .order = need(calloc(count, sizeof(uint32_t)))};
}

static void order_free(struct class_order *classes)
{
    free(classes->scores);
    free(classes->probabilities);
    free(classes->order);
}

static int compare_classes(const void *one, const void *other, void *context)
{
    const struct class_order *classes = context;
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    if (a == classes->predicted || b == classes->predicted)
        return (b == classes->predicted) - (a == classes->predicted);
    double x = classes->scores[a], y = classes->scores[b];
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

// Fills in what the form asks for.
static void order_classes(struct class_order *classes, const struct line_form *form,
                          uint32_t class_index, const double *scores)
{
    if (form->with_probabilities)
        tlu_model_probabilities(form->model, scores, classes->probabilities, NULL);
    if (!form->top)
        return;
    classes->predicted = class_index;
    for (size_t i = 0; i < form->class_count; i++) {
        classes->scores[i] = class_score(form->model, i, scores);
        classes->order[i] = (uint32_t)i;
    }
    qsort_r(classes->order, form->class_count, sizeof *classes->order, compare_classes, classes);
}

// ---- text

static char *put_numbers(char *to, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *to++ = '\t';
        tlu_number_format(to, NUMBER_SIZE, numbers[i] == 0 ? 0 : numbers[i]); // prints -0 as 0
        to += strlen(to);
    }
    return to;
}

static char *put_label(char *to, const struct line_form *form, uint32_t class_index)
{
    memcpy(to, form->labels[class_index], form->lengths[class_index]);
    return to + form->lengths[class_index];
}

// The probabilities, or the best classes with their numbers; the first label is written already.
static char *put_ordered(char *to, const struct line_form *form, uint32_t predicted,
                         const double *scores, struct class_order *classes)
{
    order_classes(classes, form, predicted, scores);
    if (!form->top)
        return put_numbers(to, classes->probabilities, form->class_count);
    for (size_t i = 0; i < form->top; i++) {
        uint32_t class_index = classes->order[i];
        if (i > 0) {
            *to++ = '\t';
            to = put_label(to, form, class_index);
        }
        if (form->with_scores)
            to = put_numbers(to, &classes->scores[class_index], 1);
        if (form->with_probabilities)
            to = put_numbers(to, &classes->probabilities[class_index], 1);
    }
    return to;
}

// Writes a row and returns its end. `classes` is scratch memory.
static char *put_row(char *to, const struct line_form *form, const tlu_predictions *predictions,
                     size_t row, struct class_order *classes)
{
    const double *scores =
        predictions->scores ? predictions->scores + row * form->score_count : NULL;
    uint32_t class_index = predictions->classes[row];
    if (predictions->ids) {
        to = text_put_field(to, predictions->ids[row]);
        *to++ = '\t';
    }
    to = put_label(to, form, class_index);
    if (form->with_marks) {
        *to++ = '\t';
        if (predictions->ambiguous[row])
            *to++ = '?';
    }
    if (form->with_scores && !form->top)
        to = put_numbers(to, scores, form->score_count);
    if (form->ranked)
        to = put_ordered(to, form, class_index, scores, classes);
    *to++ = '\n';
    return to;
}

// The same for --multilabel: the list of labels, or with --top those with the highest scores.
static char *put_list(char *to, const struct line_form *form, const tlu_predictions *predictions,
                      size_t row, struct class_order *classes)
{
    const double *scores = predictions->scores + row * form->score_count;
    if (predictions->ids) {
        to = text_put_field(to, predictions->ids[row]);
        *to++ = '\t';
    }
    if (form->top) {
        order_classes(classes, form, UINT32_MAX, scores);
        to = put_label(to, form, classes->order[0]);
    } else {
        size_t between = strlen(form->separator);
        size_t count = tlu_model_labels(form->model, scores, classes->order, form->class_count);
        for (size_t i = 0; i < count; i++) {
            if (i)
                to = (char *)memcpy(to, form->separator, between) + between;
            to = put_label(to, form, classes->order[i]);
        }
        if (form->with_scores)
            to = put_numbers(to, scores, form->score_count);
    }
    if (form->ranked)
        to = put_ordered(to, form, UINT32_MAX, scores, classes);
    *to++ = '\n';
    return to;
}

// "label", "score:spam"; with --top "label_1", "score_1", "probability_1", "label_2", ...
static void print_column_names(FILE *file, const struct line_form *form, bool ids)
{
    size_t first, end;
    const char *after = form->top ? "_1" : form->separator ? "s" : "";
    fprintf(file, "%slabel%s%s", ids ? "id\t" : "", after, form->with_marks ? "\tambiguous" : "");
    for (size_t i = 1; i <= form->top; i++) {
        if (i > 1)
            fprintf(file, "\tlabel_%zu", i);
        if (form->with_scores)
            fprintf(file, "\tscore_%zu", i);
        if (form->with_probabilities)
            fprintf(file, "\tprobability_%zu", i);
    }
    shown_classes(form->model, &first, &end);
    for (size_t i = first; !form->top && form->with_scores && i < end; i++)
        fprintf(file, "\tscore:%s", form->labels[i]);
    for (size_t i = 0; !form->top && form->with_probabilities && i < form->class_count; i++)
        fprintf(file, "\tprobability:%s", form->labels[i]);
    fputc('\n', file);
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

static void json_best(struct json *json, const struct line_form *form,
                      const struct class_order *classes)
{
    json_array(json, "top");
    for (size_t i = 0; i < form->top; i++) {
        uint32_t class_index = classes->order[i];
        json_object(json, NULL);
        json_text(json, "label", tlu_model_class_label(form->model, class_index));
        if (form->with_scores)
            json_number(json, "score", classes->scores[class_index]);
        if (form->with_probabilities)
            json_number(json, "probability", classes->probabilities[class_index]);
        json_end(json);
    }
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
                     size_t row, struct class_order *classes)
{
    struct json json = json_open(file);
    const tlu_model *model = form->model;
    const double *scores = predictions->scores + row * form->score_count;
    uint32_t class_index = predictions->classes[row];
    if (predictions->ids)
        json_text(&json, "id", predictions->ids[row]);
    if (form->separator) {
        json_labels(&json, form, scores, classes->order);
    } else {
        json_text(&json, "label", tlu_model_class_label(model, class_index));
        json_number(&json, "score", class_score(model, class_index, scores));
    }
    if (form->with_marks)
        json_bool(&json, "ambiguous", predictions->ambiguous[row] != 0);
    order_classes(classes, form, form->separator ? UINT32_MAX : class_index, scores);
    if (form->top) {
        json_best(&json, form, classes);
    } else {
        if (form->with_scores && tlu_model_positive_class(model) == TLU_NONE)
            json_by_class(&json, "scores", model, scores);
        if (form->with_probabilities)
            json_by_class(&json, "probabilities", model, classes->probabilities);
    }
    json_end(&json);
}

static bool json_rows(const struct line_form *form, const tlu_predictions *predictions,
                      tlu_output *text, struct class_order *classes)
{
    char *bytes = NULL;
    size_t size;
    FILE *file = need(open_memstream(&bytes, &size));
    for (size_t i = 0; i < predictions->rows; i++)
        json_row(file, form, predictions, i, classes);
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
                          size_t first, size_t last, tlu_output *text, struct class_order *classes)
{
    size_t size = form->longest * (last - first);
    for (size_t i = first; predictions->ids && i < last; i++)
        size += 2 * strlen(predictions->ids[i]) + 1;
    char *start;
    if (tlu_output_reserve(text, size, &start, NULL) != TLU_OK)
        return false;
    char *to = start;
    for (size_t i = first; i < last; i++)
        to = (form->separator ? put_list : put_row)(to, form, predictions, i, classes);
    return tlu_output_commit(text, (size_t)(to - start), NULL) == TLU_OK;
}

// A callback that formats the rows of a batch. The reader's threads call it.
static int put_rows(void *context, const tlu_predictions *predictions, tlu_output *text)
{
    const struct line_form *form = context;
    CLEANUP(order_free) struct class_order classes = order_new(form);
    bool fine = !form->json || json_rows(form, predictions, text, &classes);
    size_t at_once = form->longest < RESERVED_BYTES ? RESERVED_BYTES / form->longest : 1;
    for (size_t i = 0, rows = predictions->rows; fine && !form->json && i < rows; i += at_once)
        fine = put_some_rows(form, predictions, i, rows - i < at_once ? rows : i + at_once, text,
                             &classes);
    return fine ? 0 : 1;
}

static tlu_status print_all(tlu_reader *reader, struct line_form *form, struct output *output,
                            uint64_t *marked, const tlu_team *team, tlu_error *error)
{
    const tlu_batch *batch;
    bool scores = form->with_scores || form->with_probabilities || form->json;
    TRY(tlu_reader_predict(reader, scores, put_rows, form, error));
    for (;;) {
        team_check(team);
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

// What a process of predict has. In a job, process 0 writes what all have predicted.
struct prediction {
    const struct arguments *arguments;
    const tlu_team *team; // NULL: one process
    struct line_form form;
    struct session session;
    struct output output; // of processes above 0 a temporary file
    uint64_t marked;
};

static void work_free(struct prediction *work)
{
    session_close(&work->session); // first: its threads use the form
    form_close(&work->form);
}

static tlu_status open_output(struct prediction *work, tlu_error *error)
{
    if (!work->team || work->team->rank == 0)
        return output_open(&work->output, arguments_text(work->arguments, "output"), error);
    work->output.file = tmpfile();
    return work->output.file ? TLU_OK
                             : fail(error, TLU_ERROR_SYSTEM, "cannot write a temporary file: %s",
                                    strerror(errno));
}

// Predicts the rows of this process. The output is open if output.file is set.
static tlu_status predict(struct prediction *work, tlu_error *error)
{
    const struct arguments *arguments = work->arguments;
    struct line_form *form = &work->form;
    const char *path = arguments_text(arguments, "output");
    double threshold = arguments_number(arguments, "threshold");
    bool names = arguments_flag(arguments, "column-names");
    if (names && arguments->json)
        return fail_input(error, "--column-names cannot be combined with --json, which names every "
                                 "value");
    TRY(session_open(&work->session, arguments, path,
                     arguments_text(arguments, "threshold") ? &threshold : NULL, error));
    if (form->with_probabilities)
        TRY(tlu_model_probabilities(work->session.model, NULL, NULL, error));
    if (form->with_marks && tlu_model_is_multilabel(work->session.model))
        return fail_input(error, "--ambiguous is for one label per row, and the model gives lists "
                                 "of labels: --scores shows how clear they are");
    TRY(open_output(work, error));
    form_open(form, arguments, work->session.model);
    if (names && (!work->team || work->team->rank == 0))
        print_column_names(work->output.file, form, option_is_given(arguments->library, "id"));
    return print_all(work->session.reader, form, &work->output, &work->marked, work->team, error);
}

static tlu_status predict_in_team(struct prediction *work, tlu_reader_stats *reading,
                                  tlu_error *error)
{
    tlu_error own = {0};
    own.status = predict(work, &own);
    TRY(tlu_team_join(work->team, &own, error));
    *reading = *tlu_reader_get_stats(work->session.reader);
    TRY(team_gather_text(work->team, work->output.file, error));
    return team_sum_reading(work->team, reading, &work->marked, error);
}

static void print_notes(struct prediction *work, const tlu_reader_stats *reading)
{
    const struct arguments *arguments = work->arguments;
    if (work->team && work->team->rank > 0)
        return;
    // If no label is known, the rows may not be what they seem: an unquoted comma in a text.
    reading_notes(NULL, arguments, work->session.model, reading,
                  reading->unknown_labels == reading->rows);
    if (work->form.with_marks && !arguments->quiet)
        fprintf(stderr, "note: %s of %llu ambiguous\n", count_text(work->marked, "row"),
                ULL(reading->rows));
}

static tlu_status work_run(struct prediction *work, tlu_error *error)
{
    tlu_reader_stats reading = {0};
    tlu_status status = work->team ? predict_in_team(work, &reading, error) : predict(work, error);
    if (work->output.file && work->team && work->team->rank > 0)
        fclose(work->output.file);
    else if (work->output.file)
        status = output_close(&work->output, status, error);
    TRY(status);
    if (!work->team)
        reading = *tlu_reader_get_stats(work->session.reader);
    print_notes(work, &reading);
    return TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(work_free)
    struct prediction work = {
        .arguments = arguments,
        .form = {.with_scores = arguments_flag(arguments, "scores"),
                 .with_probabilities = arguments_flag(arguments, "probabilities"),
                 .with_marks = arguments_flag(arguments, "ambiguous"),
                 .top = (size_t)arguments_count(arguments, "top"),
                 .json = arguments->json}};
    TRY(team_open(&work.team, arguments, error));
    tlu_status status = work.team ? team_take_part(work.team, arguments, error) : TLU_OK;
    if (status == TLU_OK)
        status = work_run(&work, error);
    team_close(work.team, status, error);
    return status;
}

const struct verb predict_verb = {
    .name = "predict",
    .summary = "print the label of every row of the data",
    .description =
        "Prints the label that MODEL gives to each row of DATA, one per line, in the order of the "
        "data. The rows may have a label column or lack it. A tab, newline, carriage return or "
        "backslash in a label is written as \\t, \\n, \\r or \\\\. A model of --multilabel gives "
        "a list: the labels in their order, with --label-separator between them; a line without a "
        "label is empty. Under mpirun, each process predicts a part of the rows, and the first one "
        "writes them in their order.",
    .arguments = {MODEL_ARGUMENT, SEVERAL_ROWS_ARGUMENT},
    .groups = "reading output",
    .common = "output probabilities scores threshold top",
    OPTIONS(options),
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu predict digits.tlu data/digits-test.svm --top 3 --column-names",
                 "tlu predict digits.tlu data/digits-test.svm --scores --ambiguous",
                 "tlu train data/weather.csv -o weather.tlu",
                 "echo 'rainy,mild,high,true' | tlu predict weather.tlu - --header no",
                 "tlu predict weather.tlu data/weather.csv --id outlook --json"},
    .run = run,
};
