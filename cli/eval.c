// tlu eval: how good a model is on labelled data.
#include "cli.h"
#include "reading.h"
#include "report.h"
#include "team.h"
#include "terminal.h"

static const tlu_option_info options[] = {
    COUNT_OPTION(
        "errors", "[N]", "0", 0, 1e6,
        "show the N (10) wrong rows of largest margin: line, label, prediction, score, the row "
        "and the features that contributed most; --json has all values"),
    CHOICE_OPTION(
        "curve", "roc|pr FILE", "", "roc|pr",
        "write the points of the ROC curve, or of precision and recall, to FILE as CSV; of more "
        "than two classes, of each against the rest"),
    SHARDS_OPTION,
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no notes"),
};

#define LABEL_COLUMNS 24  // widest label in the table of classes
#define CELL_COLUMNS 12   // widest label above the confusion matrix
#define MATRIX_CLASSES 25 // more do not fit on a page

#define CONTRIBUTIONS 5  // of a row
#define NAME_COLUMNS 40  // widest name of a feature among them
#define VALUES_SHOWN 100 // of binary data
#define ROOM_MIN 30      // columns of a row or its contributions

// ---- --errors: the wrong rows of largest margin, as JSON

static void json_wrong_rows(struct json *json, const tlu_model *model,
                            const tlu_evaluation *evaluation)
{
    json_array(json, "wrong");
    for (size_t i = 0; i < evaluation->wrong_count; i++) {
        const tlu_wrong_row *wrong = &evaluation->wrong[i];
        json_object(json, NULL);
        JSON_MEMBERS(json, wrong, row, line);
        json_text(json, "label", tlu_model_class_label(model, wrong->label));
        json_text(json, "predicted", tlu_model_class_label(model, wrong->predicted));
        JSON_MEMBERS(json, wrong, score, margin, probability, text);
        json_object(json, "values");
        for (size_t k = 0; k < wrong->example.count; k++)
            json_float(json, name_of(model, wrong->example.features[k]),
                       (double)wrong->example.values[k]);
        json_end(json);
        tlu_contribution list[CONTRIBUTIONS];
        size_t count;
        tlu_model_explain(model, &wrong->example, wrong->predicted, list, CONTRIBUTIONS, &count,
                          NULL);
        json_contributions(json, model, list, count);
        json_end(json);
    }
    json_end(json);
}

// ---- --errors, as a table

// The row as it is written, without the label at its start; of binary data its features and values.
static char *row_text(const tlu_model *model, const tlu_wrong_row *wrong)
{
    char *text = NULL;
    size_t size;
    FILE *file = need(open_memstream(&text, &size));
    if (wrong->text)
        fwrite(wrong->text, 1, wrong->text_size, file);
    for (size_t i = 0; !wrong->text && i < wrong->example.count && i < VALUES_SHOWN; i++)
        fprintf(file, "%s%s:%s", i ? " " : "", name_of(model, wrong->example.features[i]),
                float_text((double)wrong->example.values[i]));
    if (fclose(file) != 0)
        need(NULL);
    for (char *at = text; *at; at++)
        if (*at == '\t' || *at == '\n' || *at == '\r')
            *at = ' ';
    const char *label = tlu_model_class_label(model, wrong->label);
    size_t start = strncmp(text, "__label__", 9) == 0 ? 9 : 0, end = start + strlen(label);
    if (strncmp(text + start, label, end - start) == 0 && text[end] && strchr(" ,;", text[end]))
        memmove(text, text + end + 1, strlen(text + end));
    return text;
}

// "offer +1.5, age=22 -0.31, (bias) +0.2": as many of the largest as there is room for.
static char *contributions_text(const tlu_model *model, const tlu_wrong_row *wrong, size_t room)
{
    tlu_contribution list[CONTRIBUTIONS];
    size_t count = 0, used = 0, size;
    char *text = NULL;
    FILE *file = need(open_memstream(&text, &size));
    tlu_model_explain(model, &wrong->example, wrong->predicted, list, CONTRIBUTIONS, &count, NULL);
    for (size_t i = 0; i < count; i++) {
        bool valued = list[i].feature != TLU_NONE && list[i].value != 1;
        const char *item =
            format_text("%s%s%s%s %+.3g", i ? ", " : "",
                        text_clip(name_of(model, list[i].feature), NAME_COLUMNS), valued ? "=" : "",
                        valued ? format_text("%.6g", list[i].value) : "", list[i].amount);
        used += text_width(item);
        if (used > room)
            break;
        fputs(item, file);
    }
    if (fclose(file) != 0)
        need(NULL);
    return text;
}

static const char *const headings[] = {"line",  "true",   "predicted",
                                       "score", "margin", "probability"};
#define CELLS COUNT_OF(headings)

// The text of a column; "" if the model has no such number.
static const char *cell_text(const tlu_model *model, const tlu_wrong_row *wrong, size_t column)
{
    size_t class_index = column == 1 ? wrong->label : wrong->predicted;
    switch (column) {
    case 0:
        return format_text("%llu", ULL(wrong->line));
    case 1:
    case 2:
        return text_clip(tlu_model_class_label(model, class_index), LABEL_COLUMNS);
    case 3:
        return format_text("%.4g", wrong->score);
    case 4:
        return tlu_model_positive_class(model) == TLU_NONE ? format_text("%.4g", wrong->margin)
                                                           : "";
    default:
        return isfinite(wrong->probability) ? format_text("%.4f", wrong->probability) : "";
    }
}

// A line of the table: the cells, then text. The headings, if `wrong` is NULL.
static void print_cells(const tlu_model *model, const tlu_wrong_row *wrong, const int *widths,
                        const char *text)
{
    for (size_t c = 0; c < CELLS; c++) {
        if (widths[c] == 0)
            continue;
        bool label = c == 1 || c == 2;
        text_write_column(stdout, wrong ? cell_text(model, wrong, c) : headings[c],
                          label ? widths[c] : -widths[c]);
        fputs("  ", stdout);
    }
    printf("%s\n", text);
}

static void print_wrong_table(const tlu_model *model, const tlu_evaluation *evaluation)
{
    int widths[CELLS] = {0}; // 0: there is no such column
    size_t taken = 0, columns = screen_columns();
    for (size_t c = 0; c < CELLS; c++) {
        for (size_t i = 0; i < evaluation->wrong_count; i++) {
            int width = (int)text_width(cell_text(model, &evaluation->wrong[i], c));
            widths[c] = width > widths[c] ? width : widths[c];
        }
        if (widths[c] && widths[c] < (int)strlen(headings[c]))
            widths[c] = (int)strlen(headings[c]);
        taken += widths[c] ? (size_t)widths[c] + 2 : 0;
    }
    size_t room = columns > taken + ROOM_MIN ? columns - taken : ROOM_MIN;
    // Indices and values say little; a model with a kernel has no contributions.
    bool explained = tlu_model_explain(model, &evaluation->wrong[0].example, 0, NULL, 0,
                                       &(size_t){0}, NULL) == TLU_OK;
    bool rows = !explained || strcmp(tlu_model_report(model)->format, "libsvm") != 0;
    print_cells(model, NULL, widths,
                !explained ? "row"
                : rows     ? "row, main contributions to the score"
                           : "main contributions to the score");
    for (size_t i = 0; i < evaluation->wrong_count; i++) {
        const tlu_wrong_row *wrong = &evaluation->wrong[i];
        OWNED(char) row = row_text(model, wrong);
        OWNED(char) contributions = contributions_text(model, wrong, room);
        print_cells(model, wrong, widths, rows ? text_clip(row, room) : contributions);
        if (rows && *contributions)
            printf("%*s%s\n", (int)taken, "", contributions);
    }
}

static void print_wrong_rows(const tlu_model *model, const tlu_evaluation *evaluation)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < evaluation->examples; i++)
        wrong += !evaluation->is_correct[i];
    if (wrong == 0) {
        printf("\nerrors    none\n");
        return;
    }
    printf("\nerrors    %llu of %llu, the largest margins first\n\n", ULL(evaluation->wrong_count),
           ULL(wrong));
    if (evaluation->wrong_count)
        print_wrong_table(model, evaluation);
}

// ---- --curve

static void write_label(FILE *file, const char *label)
{
    bool quoted = strpbrk(label, ",\"\r\n") || label[0] == ' ';
    if (quoted)
        fputc('"', file);
    for (; *label; label++)
        fprintf(file, *label == '"' ? "\"\"" : "%c", *label);
    if (quoted)
        fputc('"', file);
}

static tlu_status write_curve(FILE *file, const char *kind, const tlu_model *model,
                              const tlu_evaluation *evaluation, size_t class_index,
                              tlu_error *error)
{
    tlu_curve *curve;
    bool many = tlu_model_positive_class(model) == TLU_NONE;
    tlu_status status = tlu_evaluation_curve(evaluation, kind, class_index, &curve, error);
    for (size_t i = 0; status == TLU_OK && i < curve->count; i++) {
        const tlu_curve_point *point = &curve->points[i];
        if (many) {
            write_label(file, tlu_model_class_label(model, class_index));
            fputc(',', file);
        }
        fprintf(file, "%s,%s,%s\n", number_text(point->threshold), number_text(point->x),
                number_text(point->y));
    }
    tlu_curve_free(curve);
    return status;
}

static tlu_status write_curves(const char *kind, const char *path, const tlu_model *model,
                               const tlu_evaluation *evaluation, tlu_error *error)
{
    struct output output;
    size_t first, end;
    tlu_status status = TLU_OK;
    TRY(output_open(&output, path, error));
    shown_classes(model, &first, &end);
    fprintf(output.file, "%sthreshold,%s\n",
            tlu_model_positive_class(model) == TLU_NONE ? "class," : "",
            strcmp(kind, "roc") == 0 ? "fpr,tpr" : "precision,recall");
    for (size_t c = first; status == TLU_OK && c < end; c++)
        status = write_curve(output.file, kind, model, evaluation, c, error);
    return output_close(&output, status, error);
}

// ---- JSON

static void print_json(const struct arguments *arguments, const tlu_model *model,
                       const tlu_evaluation *evaluation)
{
    struct json json = json_open(stdout);
    size_t classes = evaluation->classes;
    JSON_MEMBERS(&json, evaluation, examples, correct, accuracy);
    json_classes(&json, model);
    json_label_column(&json, tlu_model_label_column(model), NULL);
    if (evaluation->confusion) {
        json_array(&json, "confusion");
        for (size_t i = 0; i < classes; i++)
            json_counts(&json, NULL, evaluation->confusion + i * classes, classes);
        json_end(&json);
    }
    json_array(&json, "per_class");
    for (size_t i = 0; i < classes; i++) {
        const tlu_class_quality *quality = &evaluation->per_class[i];
        json_object(&json, NULL);
        json_text(&json, "label", tlu_model_class_label(model, i));
        JSON_MEMBERS(&json, quality, precision, recall, f1, support);
        json_end(&json);
    }
    json_end(&json);
    JSON_MEMBERS(&json, evaluation, auc, ambiguous);
    JSON_MEMBERS(&json, evaluation->reader_stats, unknown_labels, skipped, unseen_values);
    json_object(&json, "metrics");
    for (size_t i = 0; i < evaluation->metric_count; i++)
        json_number(&json, evaluation->metrics[i].name, evaluation->metrics[i].value);
    json_end(&json);
    if (arguments_count(arguments, "errors"))
        json_wrong_rows(&json, model, evaluation);
    json_array(&json, "notices");
    reading_notes(&json, arguments, model, evaluation->reader_stats, true);
    json_end(&json);
    json_end(&json);
}

// ---- text

static int label_columns(const tlu_model *model, size_t classes, size_t least, size_t most)
{
    size_t widest = least;
    for (size_t i = 0; i < classes; i++) {
        size_t width = text_width(text_clip(tlu_model_class_label(model, i), most));
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

static void print_label(const tlu_model *model, size_t class_index, size_t most, int width)
{
    const char *label = text_clip(tlu_model_class_label(model, class_index), most);
    text_write_column(stdout, label, width);
}

// Whether there are rows of the class, or guesses: others are not in the averages, unless rows have
// several labels.
static bool is_met(const tlu_evaluation *evaluation, size_t class_index)
{
    return !evaluation->confusion ||
           evaluation->per_class[class_index].support + evaluation->predicted_counts[class_index] >
               0;
}

static void print_per_class(const tlu_model *model, const tlu_evaluation *evaluation)
{
    double precision = 0, recall = 0, f1 = 0, classes = 0;
    int width = label_columns(model, evaluation->classes, sizeof "average" - 1, LABEL_COLUMNS);
    printf("%-*s  precision   recall       f1       rows\n", width,
           evaluation->confusion ? "class" : "label");
    for (size_t i = 0; i < evaluation->classes; i++) {
        const tlu_class_quality *quality = &evaluation->per_class[i];
        print_label(model, i, LABEL_COLUMNS, width);
        printf("   %7.2f%% %7.2f%% %7.2f%% %10llu\n", 100 * quality->precision,
               100 * quality->recall, 100 * quality->f1, ULL(quality->support));
        classes += is_met(evaluation, i);
        precision += quality->precision;
        recall += quality->recall;
        f1 += quality->f1;
    }
    printf("%-*s   %7.2f%% %7.2f%% %7.2f%% %10llu\n", width, "average", 100 * precision / classes,
           100 * recall / classes, 100 * f1 / classes, ULL(evaluation->examples));
}

static int cell_columns(const tlu_model *model, const tlu_evaluation *evaluation)
{
    uint64_t most = 0;
    for (size_t i = 0; i < evaluation->classes * evaluation->classes; i++)
        most = evaluation->confusion[i] > most ? evaluation->confusion[i] : most;
    int digits = snprintf(NULL, 0, "%llu", ULL(most));
    return label_columns(model, evaluation->classes, (size_t)digits, CELL_COLUMNS) + 2;
}

static void print_confusion(const tlu_model *model, const tlu_evaluation *evaluation)
{
    static const char corner[] = "true \\ predicted";
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
            printf("%*llu", cell, ULL(evaluation->confusion[i * classes + j]));
        fputc('\n', stdout);
    }
}

// ---- metrics

// The default metrics.
static tlu_status ask_for_metrics(const struct arguments *arguments, const tlu_model *model,
                                  tlu_error *error)
{
    bool several = tlu_model_is_multilabel(model); // the library has the default
    if (option_is_given(arguments->library, "metric") || (several && !arguments->json))
        return TLU_OK;
    const char *metrics =
        format_text("accuracy,balanced-accuracy,f1,matthews%s%s",
                    tlu_model_has_probabilities(model) ? ",log-loss,brier,ece" : "",
                    option_is_given(arguments->library, "costs") ? ",cost" : "");
    return tlu_options_set(arguments->library, "metric", arguments->json ? "all" : metrics, error);
}

static double value_of(const tlu_evaluation *evaluation, const char *name)
{
    for (size_t i = 0; i < evaluation->metric_count; i++)
        if (strcmp(evaluation->metrics[i].name, name) == 0)
            return evaluation->metrics[i].value;
    return NAN;
}

// Why a metric has no value: some need more than the rows.
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

// The class that precision, recall and F1 are about: "of spam".
static const char *about_class(const tlu_model *model)
{
    size_t positive = tlu_model_positive_class(model);
    return positive == TLU_NONE
               ? "the mean of the classes"
               : format_text("of %s",
                             text_clip(tlu_model_class_label(model, positive), LABEL_COLUMNS));
}

static const char *accuracy_text(const tlu_evaluation *evaluation, bool weighted)
{
    return format_text("%.2f%%%s (%llu of %s)", 100 * value_of(evaluation, "accuracy"),
                       weighted ? " by weight" : "", ULL(evaluation->correct),
                       count_text(evaluation->examples, "row"));
}

// The value of a metric as the summary has it: shares of rows in percent.
static const char *metric_text(const tlu_model *model, const tlu_evaluation *evaluation,
                               const tlu_metric_value *metric, bool weighted)
{
    static const char *const shares[] = {"balanced-accuracy", "precision", "recall", "f1", "top-"};
    const char *name = metric->name;
    if (strcmp(name, "accuracy") == 0)
        return accuracy_text(evaluation, weighted);
    if (strcmp(name, "cost") == 0)
        return format_text("%.6g per row", metric->value);
    for (size_t i = 0; i < COUNT_OF(shares); i++)
        if (strncmp(name, shares[i], strlen(shares[i])) == 0)
            return format_text("%.2f%%%s%s%s", 100 * metric->value,
                               i && !strchr(name, '-') ? " (" : "",
                               i && !strchr(name, '-') ? about_class(model) : "",
                               i && !strchr(name, '-') ? ")" : "");
    return format_text("%.4f", metric->value);
}

static void print_metrics(const struct arguments *arguments, const tlu_model *model,
                          const tlu_evaluation *evaluation, bool weighted)
{
    size_t width = strlen("accuracy");
    for (size_t i = 0; i < evaluation->metric_count; i++)
        if (strlen(evaluation->metrics[i].name) > width)
            width = strlen(evaluation->metrics[i].name);
    for (size_t i = 0; i < evaluation->metric_count; i++) {
        const tlu_metric_value *metric = &evaluation->metrics[i];
        printf("%-*s  %s\n", (int)width, metric->name,
               isnan(metric->value) ? why_not(arguments, model, metric->name)
                                    : metric_text(model, evaluation, metric, weighted));
    }
}

// Of rows with several labels.
static void print_sets(const tlu_evaluation *evaluation, bool weighted)
{
    printf("F1        micro %.2f%%, macro %.2f%%%s\n", 100 * value_of(evaluation, "f1-micro"),
           100 * value_of(evaluation, "f1-macro"), weighted ? " by weight" : "");
    printf("exact     %.2f%% (all labels correct: %llu of %s)\n",
           100 * value_of(evaluation, "exact-match"), ULL(evaluation->correct),
           count_text(evaluation->examples, "row"));
    printf("Hamming   %.6f (share of labels that are missing or wrong)\n",
           value_of(evaluation, "hamming-loss"));
    printf("precision %.2f%% at 1, %.2f%% at 3, %.2f%% at 5 (of the highest scores)\n",
           100 * value_of(evaluation, "precision-at-1"),
           100 * value_of(evaluation, "precision-at-3"),
           100 * value_of(evaluation, "precision-at-5"));
}

static void print_summary(const tlu_model *model, const tlu_evaluation *evaluation, bool weighted)
{
    printf("accuracy  %s\n", accuracy_text(evaluation, weighted));
    printf("balanced  accuracy %.2f%%; F1 %.2f%% (%s); Matthews correlation %.4f\n",
           100 * value_of(evaluation, "balanced-accuracy"), 100 * value_of(evaluation, "f1"),
           about_class(model), value_of(evaluation, "matthews"));
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
               ULL(evaluation->ambiguous), count_text(evaluation->examples, "row"));
    if (tlu_model_label_column(model))
        printf("label     column %s, as in training\n",
               text_clip(tlu_model_label_column(model), 60));
}

static void print_text(const tlu_model *model, const tlu_evaluation *evaluation, bool weighted)
{
    if (evaluation->confusion)
        print_summary(model, evaluation, weighted);
    else
        print_sets(evaluation, weighted);
    fputc('\n', stdout);
    print_per_class(model, evaluation);
    if (evaluation->confusion && evaluation->classes <= MATRIX_CLASSES) {
        fputc('\n', stdout);
        print_confusion(model, evaluation);
    }
}

// ---- the verb

OWNED_TYPE(tlu_evaluation, tlu_evaluation_free)

static tlu_status evaluate(const struct arguments *arguments, const tlu_team *team,
                           tlu_evaluate_settings *settings, tlu_model **model,
                           tlu_evaluation **evaluation, tlu_error *error)
{
    tlu_error own = {0};
    const char *path = arguments_file(arguments, "curve");
    own.status = load_first(arguments, model, &own);
    if (own.status == TLU_OK)
        own.status = ask_for_metrics(arguments, *model, &own);
    for (size_t i = 0; own.status == TLU_OK && settings->curves && i < 2; i++)
        own.status = refuse_overwriting(path, arguments->positional[i], &own);
    if (team)
        TRY(tlu_team_join(team, &own, error));
    else if (own.status != TLU_OK && error)
        *error = own;
    TRY(own.status);
    return tlu_evaluate_with(*model, settings, arguments->library, evaluation, error);
}

// `chosen`: --metric was given.
static tlu_status print(const struct arguments *arguments, const tlu_model *model,
                        const tlu_evaluate_settings *settings, const tlu_evaluation *evaluation,
                        bool chosen, tlu_error *error)
{
    const char *curve = arguments_text(arguments, "curve");
    bool weighted = strcmp(tlu_options_get(arguments->library, "weighted"), "yes") == 0;
    if (curve)
        TRY(write_curves(curve, arguments_file(arguments, "curve"), model, evaluation, error));
    if (arguments->json)
        print_json(arguments, model, evaluation);
    else if (chosen)
        print_metrics(arguments, model, evaluation, weighted);
    else
        print_text(model, evaluation, weighted);
    if (arguments->json)
        return TLU_OK;
    if (settings->wrong)
        print_wrong_rows(model, evaluation);
    reading_notes(NULL, arguments, model, evaluation->reader_stats, true);
    return TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    OWNED(tlu_model) model = NULL;
    OWNED(tlu_evaluation) evaluation = NULL;
    const tlu_team *team;
    bool chosen = option_is_given(arguments->library, "metric");
    TRY(team_open(&team, arguments, error));
    tlu_evaluate_settings settings = {.size = sizeof settings,
                                      .path = arguments->positional[1],
                                      .wrong = (size_t)arguments_count(arguments, "errors"),
                                      .curves = arguments_text(arguments, "curve") != NULL,
                                      .team = team};
    tlu_status status = evaluate(arguments, team, &settings, &model, &evaluation, error);
    if (status == TLU_OK && evaluation)
        status = print(arguments, model, &settings, evaluation, chosen, error);
    team_close(team, status, error);
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
        "confusion matrix. For a model of --multilabel: micro and macro F1, the share of rows "
        "whose "
        "labels are all right, Hamming loss, precision at 1, 3 and 5, and precision, recall and f1 "
        "of each label. With --metric just what it names, one or several with commas between "
        "them, or all (docs/metrics.md). Rows without a label are not counted; a label that the "
        "model does not know counts as an error. A row is ambiguous if one versus one has a tie, "
        "or if one versus the rest finds no class or several. Under mpirun, each process predicts "
        "a "
        "part of the rows, and the first one prints the result.",
    .arguments = {MODEL_ARGUMENT, SEVERAL_LABELLED_ARGUMENT},
    .groups = "reading measuring",
    .common = "metric errors curve json",
    OPTIONS(options),
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu eval digits.tlu data/digits-test.svm",
                 "tlu eval digits.tlu data/digits-test.svm --metric f1-macro,top-2",
                 "tlu eval digits.tlu data/digits-test.svm --errors 3",
                 "tlu eval digits.tlu data/digits-test.svm --curve roc roc.csv --json"},
    .run = run,
};
