// tlu cv: stratified cross-validation.
#include "cli.h"

#include <unistd.h>

static const tlu_option_info options[] = {
    COUNT_OPTION("folds", "K", "10", 2, 1e6,
                 "parts that the rows are dealt out to; each is measured on once"),
    COUNT_OPTION("repeat", "N", "1", 1, 1e6,
                 "do it all N times, with the rows dealt out in another way"),
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

// Whether this option was given and changes nothing, and why. The folds are drawn by --seed, and
// measured on by the options for that.
static bool idle_option(const struct arguments *arguments, size_t option, char *why, size_t size)
{
    const char *name = tlu_option_at(option)->name;
    return strcmp(name, "seed") != 0 && strcmp(tlu_option_at(option)->group, "measuring") != 0 &&
           option_is_given(arguments->library, name) &&
           tlu_options_no_effect(arguments->library, name, why, size) > 0;
}

// The folds for which the metric is undefined.
static bool undefined_text(char *text, size_t size, const tlu_validation *validation)
{
    size_t without = validation->count - validation->defined;
    snprintf(text, size,
             "%s is not defined for %zu of the %zu folds, in which a class has no rows: the mean "
             "is over the others",
             validation->metric, without, validation->count);
    return without > 0;
}

static void print_notes(const struct arguments *arguments, const tlu_validation *validation)
{
    char why[200];
    if (undefined_text(why, sizeof why, validation))
        fprintf(stderr, "note: %s\n", why);
    for (size_t i = 0; i < tlu_option_count(); i++)
        if (idle_option(arguments, i, why, sizeof why))
            fprintf(stderr, "note: %s\n", why);
}

static void print_json(const tlu_validation *validation, const struct arguments *arguments)
{
    struct json json = {.file = stdout};
    char why[200];
    bool chosen = strcmp(validation->metric, "accuracy") != 0;
    json_object(&json, NULL);
    json_text(&json, "learner", tlu_options_get(arguments->library, "learner"));
    json_count(&json, "rows", validation->rows);
    json_count(&json, "classes", validation->classes);
    if (chosen)
        json_text(&json, "metric", validation->metric);
    json_number(&json, chosen ? "mean" : "accuracy", validation->mean);
    json_number(&json, "deviation", validation->deviation);
    json_array(&json, "folds");
    for (size_t i = 0; i < validation->count; i++) {
        const tlu_fold *fold = validation->folds[i];
        json_object(&json, NULL);
        json_count(&json, "repeat", fold->repeat);
        json_count(&json, "fold", fold->fold);
        json_count(&json, "learned", fold->training_examples);
        json_count(&json, "examples", fold->examples);
        json_count(&json, "correct", fold->correct);
        json_number(&json, "accuracy", fold->accuracy);
        if (chosen)
            json_number(&json, validation->metric, fold->value);
        json_number(&json, "seconds", fold->seconds);
        json_array(&json, "rows");
        for (uint64_t k = 0; k < fold->examples; k++)
            json_count(&json, NULL, fold->rows[k]);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    json_array(&json, "notices");
    if (undefined_text(why, sizeof why, validation))
        json_text(&json, NULL, why);
    for (size_t i = 0; i < tlu_option_count(); i++)
        if (idle_option(arguments, i, why, sizeof why))
            json_text(&json, NULL, why);
    json_end(&json);
    json_end(&json);
}

static void print_text(const tlu_validation *validation, uint64_t repeats)
{
    double least = INFINITY, most = -INFINITY, seconds = 0;
    bool percent = strcmp(validation->metric, "accuracy") == 0;
    for (size_t i = 0; i < validation->count; i++) {
        const tlu_fold *fold = validation->folds[i];
        least = fold->value < least ? fold->value : least;
        most = fold->value > most ? fold->value : most;
        seconds += fold->seconds;
    }
    if (percent)
        printf("accuracy  %.2f%%, deviation %.2f%% over the folds (%.2f%% to %.2f%%)\n",
               100 * validation->mean, 100 * validation->deviation, 100 * least, 100 * most);
    else
        printf("%-9s %.6g, deviation %.4g over the folds (%.6g to %.6g)\n", validation->metric,
               validation->mean, validation->deviation, least, most);
    printf("folds     %zu", validation->count);
    if (repeats > 1)
        printf(" (%s)", count_text(repeats, "repeat"));
    printf(" of %s in %llu classes, learned in %s\n", count_text(validation->rows, "row"),
           ULL(validation->classes), seconds_text(seconds));
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    bool json = arguments_flag(arguments, "json");
    bool visible = !json && !arguments_flag(arguments, "quiet") && isatty(STDERR_FILENO);
    uint64_t repeats = arguments_count(arguments, "repeat");
    tlu_validation *validation;
    tlu_status status = tlu_cross_validate(arguments->positional[0], arguments->library,
                                           (size_t)arguments_count(arguments, "folds"),
                                           (size_t)repeats, on_fold, &visible, &validation, error);
    if (visible)
        status_clear();
    if (status != TLU_OK)
        return status;
    if (json)
        print_json(validation, arguments);
    else
        print_text(validation, repeats);
    if (!json && !arguments_flag(arguments, "quiet"))
        print_notes(arguments, validation);
    tlu_validation_free(validation);
    return TLU_OK;
}

const struct verb cv_verb = {
    .name = "cv",
    .summary = "measure a learner by cross-validation",
    .description = "Splits the rows of DATA at random (by --seed) into stratified folds, trains on "
                   "all folds but one, measures on that one, and prints the mean and the standard "
                   "deviation of the accuracy, or of --metric, over the folds. Scaling, categories "
                   "and class weights come from the training rows alone. Nothing is saved.",
    .arguments = {{"DATA", NULL, .help = "labelled rows; - is standard input"}, {0}},
    .groups = "reading data learning measuring",
    OPTIONS(options),
    .examples = {"tlu cv data/iris.csv -k 10",
                 "tlu cv data/iris.csv -k 5 --repeat 4 --learner arow",
                 "tlu cv data/iris.csv -k 5 --metric f1-macro",
                 "tlu cv data/digits-train.svm --kernel poly:3 -k 3 --json"},
    .run = run,
};
