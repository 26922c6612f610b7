// tlu tune: which learner, with which options, and the model of it.
#include "cli.h"
#include "command_line.h"
#include "progress.h"

#include <unistd.h>

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the model goes; without it, as in tlu train"),
    TEXT_OPTION("learners", "LIST",
                "try these alone, with commas between: a name (arow) stands for several values of "
                "its options, a name with options (arow:r=0.1:epochs=3) for itself"),
    NUMBER_OPTION("time", "SECONDS", "", 0.001, 1e9,
                  "search for at most so long; without it, and without --budget, for 0.05 s and "
                  "1.6 s more for each million entries of the data, times the root of the number "
                  "of classes above two: CPU time of the trainings, on each core"),
    COUNT_OPTION("budget", "PASSES", "", 1, COUNT_MAX,
                 "instead of a time, the passes that all trainings may make: the outcome is then "
                 "the same on every machine"),
    COUNT_OPTION("folds", "K", "5", 2, 1e6,
                 "parts that the rows are dealt out to; each is measured on once"),
    FLAG_OPTION("exhaustive", "stop no candidate: measure all of them on all folds"),
    COUNT_OPTION("top", "N", "10", 0, COUNT_MAX, "rows of the table; 0: all of them"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no progress"),
};

// A score, for people: accuracy in percent.
static const char *score_text(char out[NUMBER_SIZE], const char *metric, double score)
{
    if (strcmp(metric, "accuracy") == 0)
        snprintf(out, NUMBER_SIZE, "%.2f%%", 100 * score);
    else
        snprintf(out, NUMBER_SIZE, "%.6g", score);
    return out;
}

// ---- progress

struct tune_line {
    bool visible, drawn;
    double drawn_at;
    const char *metric;
};

static int show_progress(void *context, const tlu_tune_progress *now)
{
    struct tune_line *line = context;
    char score[NUMBER_SIZE], best[160] = "", left[80] = "";
    if (line->visible && now->seconds > line->drawn_at + 0.1) {
        if (now->best)
            snprintf(best, sizeof best, ", best %s %s",
                     score_text(score, line->metric, now->best->score), now->best->name);
        if (now->seconds_left >= 0)
            snprintf(left, sizeof left, ", at most %s left", seconds_text(now->seconds_left));
        status_line("fold %zu of %zu: %zu of %zu candidates%.100s%s", now->fold, now->folds,
                    now->done, now->racing, best, left);
        line->drawn_at = now->seconds;
        line->drawn = true;
    }
    return interrupt_requested();
}

static void wipe(const struct tune_line *line)
{
    if (line->drawn)
        status_clear();
}

// ---- printing

struct tune_result {
    const tlu_tuning *tuning;
    const tlu_model *model;
    const char *data, *output;
};

static void print_command(FILE *file, const struct tune_result *outcome)
{
    write_train(file, outcome->tuning->candidates[0]->options, (size_t)outcome->tuning->classes,
                outcome->data, outcome->output);
}

// Why it was measured on no more folds, for people.
static const char *fate_text(const tlu_candidate *candidate)
{
    static const char *const words[][2] = {
        {"done", ""},
        {"worse", "stopped: significantly worse"},
        {"halved", "stopped: in the worse half"},
        {"budget", "stopped: the budget was spent"},
        {"time", "stopped: the time was over"},
        {"interrupted", "stopped: interrupted"},
        {"skipped", "not reached"},
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(candidate->outcome, words[i][0]) == 0)
            return words[i][1];
    return candidate->reason ? candidate->reason : candidate->outcome;
}

static void print_table(const tlu_tuning *tuning, size_t top)
{
    size_t shown = top && top < tuning->count ? top : tuning->count, measured = 0, refused = 0;
    int width = (int)strlen("candidate");
    for (size_t i = 0; i < tuning->count; i++) {
        int length = (int)strlen(tuning->candidates[i]->name);
        width = i < shown && length > width ? length : width;
        measured += tuning->candidates[i]->folds > 0;
        refused += strcmp(tuning->candidates[i]->outcome, "refused") == 0;
    }
    int wide = strlen(tuning->metric) > 8 ? (int)strlen(tuning->metric) : 8;
    printf("%-*s  %*s  deviation  folds   training\n", width, "candidate", wide, tuning->metric);
    for (size_t i = 0; i < shown; i++) {
        const tlu_candidate *candidate = tuning->candidates[i];
        char text[200], score[NUMBER_SIZE], deviation[NUMBER_SIZE];
        snprintf(text, sizeof text, "%s", fate_text(candidate));
        if (candidate->folds)
            printf("%-*s  %*s  %9s  %5zu %10s%s%s\n", width, candidate->name, wide,
                   score_text(score, tuning->metric, candidate->score),
                   score_text(deviation, tuning->metric, candidate->deviation), candidate->folds,
                   seconds_text(candidate->seconds), text[0] ? "  " : "", text);
        else
            printf("%-*s  %s\n", width, candidate->name, text);
    }
    if (shown < tuning->count)
        printf("(%zu more: --top 0 shows them)\n", tuning->count - shown);
    printf("\ntried     %zu of %zu candidates", measured, tuning->count);
    if (refused)
        printf(" (%zu refused the data)", refused);
}

static void print_text(const struct tune_result *outcome, size_t top)
{
    const tlu_tuning *tuning = outcome->tuning;
    char score[NUMBER_SIZE];
    print_table(tuning, top);
    printf(" by %zu trainings, %s, in %s%s\n", tuning->trainings,
           count_text(tuning->passes, "pass"), seconds_text(tuning->seconds),
           strcmp(tuning->stopped, "time") == 0          ? ": --time gives it more"
           : strcmp(tuning->stopped, "interrupted") == 0 ? ": interrupted"
                                                         : "");
    printf("best      %s: %s %s in cross-validation, %zu of %zu folds\n",
           tuning->candidates[0]->name, tuning->metric,
           score_text(score, tuning->metric, tuning->candidates[0]->score),
           tuning->candidates[0]->folds, tuning->folds);
    printf("model     %s, learned from all %s by\n", path_text(stdout, outcome->output),
           count_text(tuning->rows, "row"));
    print_command(stdout, outcome);
    puts(strcmp(outcome->data, "-") == 0 ? " (with the same data on standard input)" : "");
}

static void json_candidate(struct json *json, const tlu_candidate *candidate)
{
    json_object(json, NULL);
    json_text(json, "name", candidate->name);
    json_number(json, "score", candidate->score);
    json_number(json, "deviation", candidate->folds ? candidate->deviation : NAN);
    json_count(json, "folds", candidate->folds);
    json_number(json, "seconds", candidate->seconds);
    json_text(json, "fate", candidate->outcome);
    if (candidate->reason)
        json_text(json, "reason", candidate->reason);
    json_end(json);
}

static void print_json(const struct tune_result *outcome)
{
    const tlu_tuning *tuning = outcome->tuning;
    struct json json = {.file = stdout};
    char *command = NULL;
    size_t length;
    FILE *file = need(open_memstream(&command, &length));
    print_command(file, outcome);
    fclose(file);
    json_object(&json, NULL);
    json_count(&json, "rows", tuning->rows);
    json_count(&json, "classes", tuning->classes);
    json_count(&json, "folds", tuning->folds);
    json_count(&json, "trainings", tuning->trainings);
    json_count(&json, "passes", tuning->passes);
    json_number(&json, "seconds", tuning->seconds);
    json_number(&json, "limit", tuning->limit > 0 ? tuning->limit : NAN);
    json_text(&json, "stopped", tuning->stopped);
    json_text(&json, "metric", tuning->metric);
    json_text(&json, "pick", tuning->candidates[0]->name);
    json_number(&json, "score", tuning->candidates[0]->score);
    json_number(&json, "deviation", tuning->candidates[0]->deviation);
    json_text(&json, "command", command);
    json_text(&json, "model", outcome->output);
    json_array(&json, "candidates");
    for (size_t i = 0; i < tuning->count; i++)
        json_candidate(&json, tuning->candidates[i]);
    json_end(&json);
    json_end(&json);
    free(command);
}

// ---- the verb

static tlu_status search(const struct arguments *arguments, tlu_tuning **tuning, tlu_error *error)
{
    bool silent = arguments_flag(arguments, "json") || arguments_flag(arguments, "quiet");
    const char *metric = tlu_options_get(arguments->library, "metric");
    struct tune_line line = {.visible = !silent && isatty(STDERR_FILENO),
                             .metric = metric[0] ? metric : "accuracy"};
    tlu_tune_settings settings = {.size = sizeof settings,
                                  .path = arguments->positional[0],
                                  .learners = arguments_text(arguments, "learners"),
                                  .folds = (size_t)arguments_count(arguments, "folds"),
                                  .exhaustive = arguments_flag(arguments, "exhaustive"),
                                  .progress = show_progress,
                                  .progress_context = &line};
    if (arguments_given(arguments, "budget"))
        settings.budget = arguments_count(arguments, "budget");
    if (arguments_given(arguments, "time"))
        settings.seconds = arguments_number(arguments, "time");
    catch_interrupts();
    tlu_status status = tlu_tune(&settings, arguments->library, tuning, error);
    wipe(&line);
    return status;
}

static tlu_status tune_to(const struct arguments *arguments, const char *output, tlu_error *error)
{
    tlu_tuning *tuning;
    tlu_model *model = NULL;
    TRY(search(arguments, &tuning, error));
    // After Ctrl-C too: it ended the search, and a second one ends the command.
    tlu_status status = tlu_tuning_train(tuning, 0, NULL, NULL, &model, error);
    if (status == TLU_OK)
        status = tlu_model_save(model, output, error);
    struct tune_result outcome = {tuning, model, arguments->positional[0], output};
    if (status == TLU_OK && arguments_flag(arguments, "json"))
        print_json(&outcome);
    else if (status == TLU_OK)
        print_text(&outcome, (size_t)arguments_count(arguments, "top"));
    tlu_model_free(model);
    tlu_tuning_free(tuning);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *data = arguments->positional[0], *asked = arguments_text(arguments, "output");
    char *output = asked ? need(strdup(asked)) : model_path(data);
    tlu_status status = check_model_path(output, data, false, error);
    // --costs without --metric implies --metric cost.
    if (status == TLU_OK && option_is_given(arguments->library, "costs") &&
        !option_is_given(arguments->library, "metric"))
        status = tlu_options_set(arguments->library, "metric", "cost", error);
    if (status == TLU_OK)
        status = tune_to(arguments, output, error);
    free(output);
    return status;
}

const struct verb tune_verb = {
    .name = "tune",
    .summary = "find the learner and options that do best on the data, and train with them",
    .description =
        "Tries learners with several values of their options, of scaling and, for text, of "
        "--ngrams and --lowercase, for CSV of --categorical, and saves the model of the best, "
        "trained on all rows. Candidates are measured on one fold after the other, on all cores; "
        "after each fold, those that are significantly worse than the best (McNemar's test, 1%; "
        "with another --metric than accuracy, Student's paired test) are stopped, and then the "
        "worse half of the others. Prints the best in a table and the command that trains the "
        "model again. Learning options that are given hold for all candidates. Ctrl-C ends the "
        "search with the best so far; a second one ends the command.",
    .arguments = {{"DATA", NULL, .help = "labelled rows; - is standard input"}, {0}},
    .groups = "reading data learning measuring",
    .without = "learner",
    OPTIONS(options),
    .examples = {"tlu tune data/digits-train.svm -o digits.tlu",
                 "tlu tune data/iris.csv --budget 2000 --metric f1-macro",
                 "tlu tune data/iris.csv --learners alma,arow:r=0.1 --time 5 --json"},
    .run = run,
};
