// tlu cv: stratified cross-validation.
#include "cli.h"
#include "report.h"
#include "team.h"

static const tlu_option_info options[] = {
    COUNT_OPTION("folds", "K", "10", 2, 1e6, "number of folds"),
    COUNT_OPTION("repeat", "N", "1", 1, 1e6, "repeat with other folds, N times in all"),
    SHARDS_OPTION,
    MIX_OPTIONS,
    FLAG_OPTION("json", "print one JSON object, with the rows of every fold"),
    FLAG_OPTION("quiet", "print no progress"),
};

static int on_fold(void *context, const tlu_fold *fold)
{
    const bool *visible = context;
    if (*visible)
        status_line("repeat %llu, fold %llu: accuracy %.2f%%", ULL(fold->repeat), ULL(fold->fold),
                    100 * fold->accuracy);
    return 0;
}

// Notes: the folds for which the metric is undefined, and the options that were given and change
// nothing. --seed and the options for measuring matter to the folds, whatever the learner.
static void each_note(const struct arguments *arguments, const tlu_validation *validation,
                      struct json *notices)
{
    size_t without = validation->count - validation->defined;
    char why[200];
    for (size_t i = 0; i < validation->facts->notices; i++)
        note(notices, "%s", validation->facts->notice[i]);
    if (without)
        note(
            notices,
            "%s is not defined for %zu of the %zu folds, in which a class has no rows: the mean is "
            "over the others",
            validation->metric, without, validation->count);
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        if (strcmp(info->name, "seed") != 0 && strcmp(info->group, "measuring") != 0 &&
            option_is_given(arguments->library, info->name) &&
            tlu_options_no_effect(arguments->library, info->name, why, sizeof why) > 0)
            note(notices, "%s", why);
    }
}

static void print_json(const tlu_validation *validation, const struct arguments *arguments)
{
    struct json json = json_open(stdout);
    bool chosen = strcmp(validation->metric, "accuracy") != 0;
    json_text(&json, "learner", validation->learner);
    if (validation->learner_reason)
        json_text(&json, "learner_reason", validation->learner_reason);
    JSON_MEMBERS(&json, validation, rows, classes);
    json_label_column(&json, validation->facts->label_column, validation->facts->label_reason);
    if (chosen)
        json_text(&json, "metric", validation->metric);
    json_number(&json, chosen ? "mean" : "accuracy", validation->mean);
    json_number(&json, "deviation", validation->deviation);
    if (validation->metric_count > 1) {
        json_object(&json, "metrics");
        for (size_t i = 0; i < validation->metric_count; i++) {
            json_object(&json, validation->metrics[i].name);
            JSON_MEMBERS(&json, &validation->metrics[i], mean, deviation);
            json_end(&json);
        }
        json_end(&json);
    }
    if (validation->label_count)
        json_array(&json, "labels");
    for (size_t i = 0; i < validation->label_count; i++) {
        const tlu_fold_label *label = &validation->labels[i];
        json_object(&json, NULL);
        JSON_MEMBERS(&json, label, label, precision, recall, f1, support, predictions, hits);
        json_end(&json);
    }
    if (validation->label_count)
        json_end(&json);
    json_array(&json, "folds");
    for (size_t i = 0; i < validation->count; i++) {
        const tlu_fold *fold = validation->folds[i];
        json_object(&json, NULL);
        JSON_MEMBERS(&json, fold, repeat, fold);
        json_count(&json, "learned", fold->training_examples);
        JSON_MEMBERS(&json, fold, examples, correct, accuracy);
        for (size_t k = 0; chosen && k < validation->metric_count; k++)
            json_number(&json, validation->metrics[k].name, fold->values[k]);
        json_number(&json, "seconds", fold->seconds);
        json_counts(&json, "rows", fold->rows, (size_t)fold->examples);
        json_end(&json);
    }
    json_end(&json);
    json_array(&json, "notices");
    each_note(arguments, validation, &json);
    json_end(&json);
    json_end(&json);
}

static void print_metric(const tlu_validation *validation, size_t metric, int width)
{
    const tlu_fold_metric *of = &validation->metrics[metric];
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < validation->count; i++) {
        double value = validation->folds[i]->values[metric];
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    if (strcmp(of->name, "accuracy") == 0)
        printf("accuracy  %.2f%%, standard deviation %.2f%% over the folds (%.2f%% to %.2f%%)\n",
               100 * of->mean, 100 * of->deviation, 100 * least, 100 * most);
    else
        printf("%-*s %.6g, standard deviation %.4g over the folds (%.6g to %.6g)\n", width,
               of->name, of->mean, of->deviation, least, most);
}

#define LABEL_COLUMNS 24

static void print_labels(const tlu_validation *validation)
{
    int width = sizeof "label" - 1;
    for (size_t i = 0; i < validation->label_count; i++) {
        int own = (int)text_width(text_clip(validation->labels[i].label, LABEL_COLUMNS));
        width = own > width ? own : width;
    }
    printf("\n%-*s  precision   recall       f1       rows\n", width, "label");
    for (size_t i = 0; i < validation->label_count; i++) {
        const tlu_fold_label *label = &validation->labels[i];
        text_write_column(stdout, text_clip(label->label, LABEL_COLUMNS), width);
        printf("   %7.2f%% %7.2f%% %7.2f%% %10llu\n", 100 * label->precision, 100 * label->recall,
               100 * label->f1, ULL(label->support));
    }
}

static void print_text(const tlu_validation *validation, uint64_t repeats)
{
    double seconds = 0;
    int width = validation->metric_count > 1 ? 14 : 9; // that of precision-at-1
    for (size_t i = 0; i < validation->count; i++)
        seconds += validation->folds[i]->seconds;
    for (size_t i = 0; i < validation->metric_count; i++)
        print_metric(validation, i, width);
    printf("%-*s %zu", width, "folds", validation->count);
    if (repeats > 1)
        printf(" (%s)", count_text(repeats, "repeat"));
    printf(" of %s in %llu classes", count_text(validation->rows, "row"), ULL(validation->classes));
    print_label_column(stdout, validation->facts->label_column, validation->facts->label_reason);
    printf("; trained in %s\n", seconds_text(seconds));
    print_learner(stdout, width, validation->learner, validation->learner_reason);
    if (validation->label_count)
        print_labels(validation);
}

OWNED_TYPE(tlu_validation, tlu_validation_free)

static tlu_status validate(const struct arguments *arguments, const tlu_team *team,
                           tlu_validation **validation, tlu_error *error)
{
    bool visible = (!team || team->rank == 0) && arguments_progress(arguments);
    tlu_validation_settings settings = {.size = sizeof settings,
                                        .path = arguments->positional[0],
                                        .folds = (size_t)arguments_count(arguments, "folds"),
                                        .repeats = (size_t)arguments_count(arguments, "repeat"),
                                        .function = on_fold,
                                        .context = &visible,
                                        .team = team};
    settings.mix_every = (uint64_t)arguments_number(arguments, "mix-every");
    settings.mix_weights = arguments_text(arguments, "mix-weights");
    tlu_status status = tlu_cross_validate_with(&settings, arguments->library, validation, error);
    if (visible)
        status_clear();
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const tlu_team *team;
    OWNED(tlu_validation) validation = NULL;
    TRY(team_open(&team, arguments, error));
    tlu_status status = validate(arguments, team, &validation, error);
    team_close(team, status, error);
    TRY(status);
    if (!validation) // process 0 has it
        return TLU_OK;
    if (arguments->json)
        print_json(validation, arguments);
    else
        print_text(validation, arguments_count(arguments, "repeat"));
    if (!arguments->json && !arguments->quiet)
        each_note(arguments, validation, NULL);
    return TLU_OK;
}

const struct verb cv_verb = {
    .name = "cv",
    .summary = "measure a learner by cross-validation",
    .description = "Splits the rows of DATA at random (by --seed) into stratified folds, trains on "
                   "all folds but one, measures on that one, and prints the mean and the standard "
                   "deviation of the accuracy, or of --metric, over the folds; with --multilabel, "
                   "of several metrics, and the quality of each label over all folds. Scaling, "
                   "categories and class weights come from the training rows alone. Nothing is "
                   "saved. Under mpirun, the folds are the same, and all processes train each.",
    .arguments = {SEVERAL_LABELLED_ARGUMENT},
    .groups = "reading data learning measuring",
    .common = "learner folds metric label repeat",
    OPTIONS(options),
    .examples = {"tlu cv data/iris.csv -k 10",
                 "tlu cv data/iris.csv -k 5 --repeat 4 --learner arow",
                 "tlu cv data/iris.csv -k 5 --metric f1-macro",
                 "tlu cv data/digits-train.svm --kernel poly:3 -k 3 --json"},
    .run = run,
};
