// tlu eval: how good a model is on labelled data.
#include "eval.h"
#include "reading.h"
#include "text.h"

#include <math.h>
#include <string.h>

static const tlu_option_info options[] = {
    {"errors", "command", TLU_OPTION_COUNT, "N", "0", NULL, 0, 1e6,
     "show the N wrong rows of largest margin, those that the model is most sure of: their line, "
     "text, label and score, and what pushed the score"},
    {"curve", "command", TLU_OPTION_CHOICE, "roc|pr FILE", "", "roc|pr", 0, 0,
     "write the points of the ROC curve, or of precision and recall, to FILE as CSV; with more "
     "than two classes those of each against the rest"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no notes"},
};

#define LABEL_COLUMNS 24  // widest label in the table of classes
#define CELL_COLUMNS 12   // widest label above the confusion matrix
#define MATRIX_CLASSES 25 // more do not fit on a page

// ---- JSON

static void json_notes(struct json *json, const struct arguments *arguments, const tlu_model *model,
                       const tlu_reader_stats *reading)
{
    struct notes notes;
    reading_notes(&notes, arguments, model, reading, true);
    json_array(json, "notices");
    for (size_t i = 0; i < notes.count; i++)
        json_text(json, NULL, notes.text[i]);
    json_end(json);
}

static void print_json(const struct arguments *arguments, const tlu_model *model,
                       const tlu_evaluation *evaluation)
{
    struct json json = {.file = stdout};
    size_t classes = evaluation->classes;
    json_object(&json, NULL);
    json_count(&json, "examples", evaluation->examples);
    json_count(&json, "correct", evaluation->correct);
    json_number(&json, "accuracy", evaluation->accuracy);
    json_array(&json, "classes");
    for (size_t i = 0; i < classes; i++)
        json_text(&json, NULL, tlu_model_class_label(model, i));
    json_end(&json);
    json_array(&json, "confusion");
    for (size_t i = 0; i < classes; i++) {
        json_array(&json, NULL);
        for (size_t j = 0; j < classes; j++)
            json_count(&json, NULL, evaluation->confusion[i * classes + j]);
        json_end(&json);
    }
    json_end(&json);
    json_array(&json, "per_class");
    for (size_t i = 0; i < classes; i++) {
        const tlu_class_quality *quality = &evaluation->per_class[i];
        json_object(&json, NULL);
        json_text(&json, "label", tlu_model_class_label(model, i));
        json_number(&json, "precision", quality->precision);
        json_number(&json, "recall", quality->recall);
        json_number(&json, "f1", quality->f1);
        json_count(&json, "support", quality->support);
        json_end(&json);
    }
    json_end(&json);
    json_number(&json, "auc", evaluation->auc);
    json_count(&json, "ambiguous", evaluation->ambiguous);
    json_count(&json, "unknown_labels", evaluation->reader_stats->unknown_labels);
    json_count(&json, "skipped", evaluation->reader_stats->skipped);
    json_count(&json, "unseen_values", evaluation->reader_stats->unseen_values);
    json_object(&json, "metrics");
    for (size_t i = 0; i < evaluation->metric_count; i++)
        json_number(&json, evaluation->metrics[i].name, evaluation->metrics[i].value);
    json_end(&json);
    if (arguments_count(arguments, "errors"))
        json_wrong_rows(&json, model, evaluation);
    json_notes(&json, arguments, model, evaluation->reader_stats);
    json_end(&json);
}

// ---- text

static int label_columns(const tlu_model *model, size_t classes, size_t least, size_t most)
{
    size_t widest = least;
    for (size_t i = 0; i < classes; i++) {
        char label[128];
        size_t width =
            text_width(text_show(label, sizeof label, tlu_model_class_label(model, i), most));
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

static void print_label(const tlu_model *model, size_t class_index, size_t most, int width)
{
    char label[128];
    text_show(label, sizeof label, tlu_model_class_label(model, class_index), most);
    text_write_column(stdout, label, width);
}

// Whether there are rows of the class, or guesses: others are not in the averages.
static bool is_met(const tlu_evaluation *evaluation, size_t class_index)
{
    return evaluation->per_class[class_index].support + evaluation->predicted_counts[class_index] >
           0;
}

static void print_per_class(const tlu_model *model, const tlu_evaluation *evaluation)
{
    double precision = 0, recall = 0, f1 = 0, classes = 0;
    int width = label_columns(model, evaluation->classes, sizeof "average" - 1, LABEL_COLUMNS);
    printf("%-*s  precision   recall       f1       rows\n", width, "class");
    for (size_t i = 0; i < evaluation->classes; i++) {
        const tlu_class_quality *quality = &evaluation->per_class[i];
        print_label(model, i, LABEL_COLUMNS, width);
        printf("   %7.2f%% %7.2f%% %7.2f%% %10llu\n", 100 * quality->precision,
               100 * quality->recall, 100 * quality->f1, (unsigned long long)quality->support);
        classes += is_met(evaluation, i);
        precision += quality->precision;
        recall += quality->recall;
        f1 += quality->f1;
    }
    printf("%-*s   %7.2f%% %7.2f%% %7.2f%% %10llu\n", width, "average", 100 * precision / classes,
           100 * recall / classes, 100 * f1 / classes, (unsigned long long)evaluation->examples);
}

static int cell_columns(const tlu_model *model, const tlu_evaluation *evaluation)
{
    uint64_t most = 0;
    for (size_t i = 0; i < evaluation->classes * evaluation->classes; i++)
        most = evaluation->confusion[i] > most ? evaluation->confusion[i] : most;
    int digits = snprintf(NULL, 0, "%llu", (unsigned long long)most);
    return label_columns(model, evaluation->classes, (size_t)digits, CELL_COLUMNS) + 2;
}

static void print_confusion(const tlu_model *model, const tlu_evaluation *evaluation)
{
    static const char corner[] = "truth \\ guess";
    size_t classes = evaluation->classes;
    int width = label_columns(model, classes, sizeof corner - 1, LABEL_COLUMNS);
    int cell = cell_columns(model, evaluation);
    text_write_column(stdout, corner, width);
    for (size_t j = 0; j < classes; j++)
        print_label(model, j, CELL_COLUMNS, -cell);
    fputc('\n', stdout);
    for (size_t i = 0; i < classes; i++) {
        print_label(model, i, LABEL_COLUMNS, width);
        for (size_t j = 0; j < classes; j++)
            printf("%*llu", cell, (unsigned long long)evaluation->confusion[i * classes + j]);
        fputc('\n', stdout);
    }
}

// ---- metrics

// What is measured if the user does not say what.
static tlu_status ask_for_metrics(const struct arguments *arguments, const tlu_model *model,
                                  tlu_error *error)
{
    char metrics[100];
    if (option_is_given(arguments->library, "metric"))
        return TLU_OK;
    snprintf(metrics, sizeof metrics, "accuracy,balanced-accuracy,f1,matthews%s%s",
             tlu_model_has_probabilities(model) ? ",log-loss,brier,ece" : "",
             option_is_given(arguments->library, "costs") ? ",cost" : "");
    return tlu_options_set(arguments->library, "metric",
                           arguments_flag(arguments, "json") ? "all" : metrics, error);
}

static double value_of(const tlu_evaluation *evaluation, const char *name)
{
    for (size_t i = 0; i < evaluation->metric_count; i++)
        if (strcmp(evaluation->metrics[i].name, name) == 0)
            return evaluation->metrics[i].value;
    return NAN;
}

// Among all metrics there are some that want more than the rows.
static const char *why_not(const struct arguments *arguments, const tlu_model *model,
                           const char *name)
{
    const tlu_metric_info *info;
    if (strcmp(name, "cost") == 0 && !option_is_given(arguments->library, "costs"))
        return "needs --costs";
    if (tlu_metric_find(name, &info, NULL) == TLU_OK && strcmp(info->needs, "probabilities") == 0 &&
        !tlu_model_has_probabilities(model))
        return "needs a model with probabilities";
    return "not defined for these rows";
}

static void print_metrics(const struct arguments *arguments, const tlu_model *model,
                          const tlu_evaluation *evaluation)
{
    char value[NUMBER_SIZE];
    for (size_t i = 0; i < evaluation->metric_count; i++) {
        const tlu_metric_value *metric = &evaluation->metrics[i];
        printf("%-17s %s\n", metric->name,
               isnan(metric->value) ? why_not(arguments, model, metric->name)
                                    : brief_text(value, metric->value));
    }
}

static void print_summary(const tlu_model *model, const tlu_evaluation *evaluation, bool weighted)
{
    char rows[64], label[128] = "the mean of the classes";
    size_t positive = tlu_model_positive_class(model);
    if (positive != TLU_NONE) {
        char shown[100];
        snprintf(
            label, sizeof label, "of %s",
            text_show(shown, sizeof shown, tlu_model_class_label(model, positive), LABEL_COLUMNS));
    }
    printf("accuracy  %.2f%%%s (%llu of %s)\n", 100 * value_of(evaluation, "accuracy"),
           weighted ? " by weight" : "", (unsigned long long)evaluation->correct,
           count_text(rows, evaluation->examples, "row"));
    printf("balanced  %.2f%%; F1 %.2f%% (%s); Matthews %.4f\n",
           100 * value_of(evaluation, "balanced-accuracy"), 100 * value_of(evaluation, "f1"), label,
           value_of(evaluation, "matthews"));
    if (isfinite(evaluation->auc))
        printf("AUC       %.4f\n", evaluation->auc);
    if (isfinite(value_of(evaluation, "log-loss")))
        printf("log loss  %.4f; Brier score %.4f; calibration error %.4f\n",
               value_of(evaluation, "log-loss"), value_of(evaluation, "brier"),
               value_of(evaluation, "ece"));
    if (isfinite(value_of(evaluation, "cost")))
        printf("cost      %.6g per row\n", value_of(evaluation, "cost"));
    if (strcmp(tlu_model_scheme(model), "ovr") == 0 || strcmp(tlu_model_scheme(model), "ovo") == 0)
        printf("ambiguous %.2f%% (%llu of %s)\n",
               100 * (double)evaluation->ambiguous / (double)evaluation->examples,
               (unsigned long long)evaluation->ambiguous,
               count_text(rows, evaluation->examples, "row"));
}

static void print_text(const tlu_model *model, const tlu_evaluation *evaluation, bool weighted)
{
    print_summary(model, evaluation, weighted);
    fputc('\n', stdout);
    print_per_class(model, evaluation);
    if (evaluation->classes <= MATRIX_CLASSES) {
        fputc('\n', stdout);
        print_confusion(model, evaluation);
    }
}

// ---- the verb

static void print_all(const struct arguments *arguments, const tlu_model *model,
                      const tlu_evaluation *evaluation, bool chosen)
{
    if (arguments_flag(arguments, "json")) {
        print_json(arguments, model, evaluation);
        return;
    }
    if (chosen)
        print_metrics(arguments, model, evaluation);
    else
        print_text(model, evaluation,
                   strcmp(tlu_options_get(arguments->library, "weighted"), "yes") == 0);
    if (arguments_count(arguments, "errors"))
        print_wrong_rows(model, evaluation);
    fflush(stdout); // before the notes, if both go to one terminal
    if (!arguments_flag(arguments, "quiet"))
        print_reading_notes(stderr, arguments, model, evaluation->reader_stats, true);
}

static tlu_status evaluate(const struct arguments *arguments, const tlu_model *model,
                           tlu_evaluation **evaluation, tlu_error *error)
{
    const char *curve = arguments_text(arguments, "curve");
    const char *path = arguments_file(arguments, "curve");
    tlu_evaluate_settings settings = {.size = sizeof settings,
                                      .path = arguments->positional[1],
                                      .wrong = (size_t)arguments_count(arguments, "errors"),
                                      .curves = curve != NULL};
    tlu_status status = ask_for_metrics(arguments, model, error);
    if (status == TLU_OK && curve)
        status = refuse_overwriting(path, arguments->positional[0], error);
    if (status == TLU_OK && curve)
        status = refuse_overwriting(path, arguments->positional[1], error);
    if (status == TLU_OK)
        status = tlu_evaluate_with(model, &settings, arguments->library, evaluation, error);
    if (status == TLU_OK && curve)
        status = write_curves(curve, path, model, *evaluation, error);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    tlu_model *model = NULL;
    tlu_evaluation *evaluation = NULL;
    bool chosen = option_is_given(arguments->library, "metric");
    tlu_status status = load_first(arguments, &model, error);
    if (status == TLU_OK)
        status = evaluate(arguments, model, &evaluation, error);
    if (status == TLU_OK)
        print_all(arguments, model, evaluation, chosen);
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    return status;
}

const struct verb eval_verb = {
    .name = "eval",
    .summary = "measure a model on labelled data",
    .description =
        "Predicts every row of DATA and compares with its label: accuracy, balanced accuracy, F1 "
        "and Matthews' correlation; with two classes the area under the ROC curve, and if the "
        "model has probabilities log loss, Brier score and expected calibration error; precision, "
        "recall and f1 of each class and their averages over the classes that were met; and the "
        "confusion matrix. With --metric just what it names, one or several with commas between "
        "them, or all (docs/metrics.md). Rows without a label do not count; a row with a "
        "label that the model does not know counts as an error. Ambiguous are rows for which one "
        "versus one has several classes that won as many pairs, or that one versus the rest gives "
        "to none or several; they get a label all the same.",
    .arguments = {{"MODEL", NULL, .help = "a model that tlu train or tlu learn made"},
                  {"DATA", NULL, .help = "labelled rows; - is standard input"},
                  {0}},
    .groups = "reading measuring",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu eval digits.tlu data/digits-test.svm",
                 "tlu eval digits.tlu data/digits-test.svm --metric f1-macro,top-2",
                 "tlu eval digits.tlu data/digits-test.svm --errors 3",
                 "tlu eval digits.tlu data/digits-test.svm --curve roc roc.csv --json"},
    .run = run,
};
