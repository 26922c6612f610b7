// tlu eval: how good a model is on labelled data.
#include "arguments.h"
#include "json.h"
#include "reading.h"
#include "text.h"

#include <math.h>
#include <string.h>

static const tlu_option_info options[] = {
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no notes"},
};

#define LABEL_COLUMNS 24  // widest label in the table of classes
#define CELL_COLUMNS 12   // widest label above the confusion matrix
#define MATRIX_CLASSES 25 // more do not fit on a page

// ---- JSON

static void json_notes(struct json *json, const struct arguments *arguments, const tlu_model *model,
                       const tlu_reading *reading)
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
    json_count(&json, "unknown_labels", evaluation->reading->unknown_labels);
    json_count(&json, "skipped", evaluation->reading->skipped);
    json_count(&json, "unseen_values", evaluation->reading->unseen_values);
    json_notes(&json, arguments, model, evaluation->reading);
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

static void print_per_class(const tlu_model *model, const tlu_evaluation *evaluation)
{
    double precision = 0, recall = 0, f1 = 0, classes = (double)evaluation->classes;
    int width = label_columns(model, evaluation->classes, sizeof "average" - 1, LABEL_COLUMNS);
    printf("%-*s  precision   recall       f1       rows\n", width, "class");
    for (size_t i = 0; i < evaluation->classes; i++) {
        const tlu_class_quality *quality = &evaluation->per_class[i];
        print_label(model, i, LABEL_COLUMNS, width);
        printf("   %7.2f%% %7.2f%% %7.2f%% %10llu\n", 100 * quality->precision,
               100 * quality->recall, 100 * quality->f1, (unsigned long long)quality->support);
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

static void print_text(const tlu_model *model, const tlu_evaluation *evaluation)
{
    char rows[64];
    printf("accuracy  %.2f%% (%llu of %s)\n", 100 * evaluation->accuracy,
           (unsigned long long)evaluation->correct, count_text(rows, evaluation->examples, "row"));
    if (isfinite(evaluation->auc))
        printf("AUC       %.4f\n", evaluation->auc);
    if (strcmp(tlu_model_scheme(model), "ovr") == 0 || strcmp(tlu_model_scheme(model), "ovo") == 0)
        printf("ambiguous %.2f%% (%llu of %s)\n",
               100 * (double)evaluation->ambiguous / (double)evaluation->examples,
               (unsigned long long)evaluation->ambiguous,
               count_text(rows, evaluation->examples, "row"));
    fputc('\n', stdout);
    print_per_class(model, evaluation);
    if (evaluation->classes <= MATRIX_CLASSES) {
        fputc('\n', stdout);
        print_confusion(model, evaluation);
    }
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    tlu_model *model = NULL;
    tlu_evaluation *evaluation = NULL;
    tlu_status status = load_first(arguments, &model, error);
    if (status == TLU_OK)
        status =
            tlu_evaluate(model, arguments->positional[1], arguments->library, &evaluation, error);
    if (status == TLU_OK && arguments_flag(arguments, "json"))
        print_json(arguments, model, evaluation);
    else if (status == TLU_OK) {
        print_text(model, evaluation);
        fflush(stdout); // before the notes, if both go to one terminal
        if (!arguments_flag(arguments, "quiet"))
            print_reading_notes(stderr, arguments, model, evaluation->reading, true);
    }
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    return status;
}

const struct verb eval_verb = {
    .name = "eval",
    .summary = "measure a model on labelled data",
    .description =
        "Predicts every row of DATA and compares with its label: accuracy, precision, recall and "
        "f1 of each class and their averages over the classes, the confusion matrix, and with two "
        "classes the area under the ROC curve. Rows without a label do not count; a row with a "
        "label that the model does not know counts as an error. Ambiguous are rows for which one "
        "versus one has several classes that won as many pairs, or that one versus the rest gives "
        "to none or several; they get a label all the same.",
    .arguments = {{"MODEL", NULL, "a model that tlu train or tlu learn made"},
                  {"DATA", NULL, "labelled rows; - is standard input"},
                  {0}},
    .groups = "reading",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu eval digits.tlu data/digits-test.svm",
                 "tlu eval digits.tlu data/digits-test.svm --json"},
    .run = run,
};
