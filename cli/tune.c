// tlu tune: which learner, with which options, and the model of it.
#include "cli.h"
#include "command_line.h"
#include "progress.h"
#include "report.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the model goes; without it, as in tlu train"),
    TEXT_OPTION("learners", "LIST",
                "try these alone, with commas between: a name (arow) stands for several values of "
                "its options, a name with options (arow:r=0.1:epochs=3) for itself"),
    NUMBER_OPTION(
        "time", "SECONDS", "", 0.001, 1e9,
        "search and train for so long at most; without it, and without --budget, search for "
        "0.5 s and 1.6 s more for each million entries of the data, times the root of the number "
        "of classes above two: CPU time of the trainings, on each core"),
    COUNT_OPTION("budget", "PASSES", "", 1, COUNT_MAX,
                 "instead of a time, the passes that all trainings may make: the outcome is then "
                 "the same on every machine"),
    COUNT_OPTION("folds", "K", "5", 2, 1e6,
                 "parts that the rows are dealt out to; each is measured on once"),
    COUNT_OPTION("repeats", "N", "", 1, 1000,
                 "how often the rows are dealt out to folds for the best candidates, at most; "
                 "without it, as often as the choice depends on it, while the time allows (with "
                 "--budget up to 20 times; more than 20,000 rows only with --time)"),
    FLAG_OPTION("exhaustive",
                "stop no candidate of the table: measure all of them on all folds, and no others"),
    COUNT_OPTION("top", "N", "10", 0, COUNT_MAX, "rows of the table; 0: all of them"),
    SHARDS_OPTION,
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no progress"),
};

// A score, for people: accuracy in percent.
static const char *score_text(const char *metric, double score)
{
    return strcmp(metric, "accuracy") == 0 ? format_text("%.2f%%", 100 * score)
                                           : format_text("%.6g", score);
}

// ---- progress

struct tune_line {
    struct proof_progress progress;
    const char *metric;
};

static int show_progress(void *context, const tlu_tune_progress *now)
{
    struct tune_line *line = context;
    if (progress_is_due(&line->progress, now->seconds)) {
        const char *best = "", *left = "";
        if (now->best)
            best = format_text(", best %s %s", score_text(line->metric, now->best->score),
                               now->best->name);
        if (now->seconds_left >= 0)
            left = format_text(", at most %s left", seconds_text(now->seconds_left));
        status_line("%s, fold %zu of %zu: %zu of %zu candidates%.100s%s", now->stage, now->fold,
                    now->folds, now->done, now->racing, best, left);
    }
    return interrupt_requested();
}

// ---- printing

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
        {NULL},
    };
    return text_of_pair(words, candidate->outcome,
                        candidate->reason ? candidate->reason : candidate->outcome);
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
        const char *fate = fate_text(candidate);
        if (candidate->folds)
            printf("%-*s  %*s  %9s  %5zu %10s%s%.199s\n", width, candidate->name, wide,
                   score_text(tuning->metric, candidate->score),
                   score_text(tuning->metric, candidate->deviation), candidate->folds,
                   seconds_text(candidate->seconds), fate[0] ? "  " : "", fate);
        else
            printf("%-*s  %.199s\n", width, candidate->name, fate);
    }
    if (shown < tuning->count)
        printf("(%zu more: --top 0 shows them)\n", tuning->count - shown);
    printf("\ntried     %zu of %zu candidates", measured, tuning->count);
    if (refused)
        printf(" (%zu refused the data)", refused);
}

// Why the search ended before the time was over.
static void print_end(const tlu_tuning *tuning, const struct arguments *arguments)
{
    bool all = tuning->limit > 0 && strcmp(tuning->stopped, "done") == 0;
    for (size_t i = 0; i < tuning->count; i++) {
        const char *outcome = tuning->candidates[i]->outcome;
        all = all && strcmp(outcome, "skipped") != 0 && strcmp(outcome, "time") != 0;
    }
    if (!all)
        return;
    if (arguments_flag(arguments, "exhaustive"))
        puts("ended     before the time was over: all candidates were measured on all folds");
    else
        printf("ended     before the time was over: all candidates and all neighbours of the best "
               "were tried%s\n",
               arguments_given(arguments, "repeats") || tuning->repeats < 2
                   ? ""
                   : ", and more divisions into folds would hardly change the choice");
}

// How certain the choice is, and what was not tried.
static void print_certainty(const tlu_tuning *tuning)
{
    const tlu_candidate *best = tuning->candidates[0];
    size_t skipped = 0;
    for (size_t i = 0; i < tuning->count; i++)
        skipped += strcmp(tuning->candidates[i]->outcome, "skipped") == 0;
    if (skipped)
        printf("not tried %zu candidates, for lack of %s: --top 0 shows them\n", skipped,
               tuning->limit > 0 ? "time" : "budget");
    printf("certainty standard error %s", score_text(tuning->metric, best->standard_error));
    if (tuning->repeats > 1)
        printf(", %zu divisions into folds", tuning->repeats);
    if (isnan(tuning->p_value))
        puts("; no other was measured on as many folds");
    else
        printf("; runner-up %s: %s, different predictions for %.4g rows, p = %.2g\n",
               tuning->candidates[1]->name,
               score_text(tuning->metric, tuning->candidates[1]->score), tuning->differing_rows,
               tuning->p_value);
}

static void print_text(const tlu_tuning *tuning, const struct arguments *arguments,
                       const char *data, const char *output)
{
    size_t top = (size_t)arguments_count(arguments, "top");
    const tlu_candidate *best = tuning->candidates[0];
    print_table(tuning, top);
    printf(" by %zu trainings, %s, in %s%s\n", tuning->trainings,
           count_text(tuning->passes, "pass"), seconds_text(tuning->seconds),
           strcmp(tuning->stopped, "time") == 0          ? ": --time gives it more"
           : strcmp(tuning->stopped, "interrupted") == 0 ? ": interrupted"
                                                         : "");
    printf("data      %s in %llu classes", count_text(tuning->rows, "row"), ULL(tuning->classes));
    print_label_column(stdout, tuning->facts->label_column, tuning->facts->label_reason);
    printf("\nbest      %s: %s %s in cross-validation, %zu of %zu folds\n", best->name,
           tuning->metric, score_text(tuning->metric, best->score), best->folds,
           tuning->folds * tuning->repeats);
    print_end(tuning, arguments);
    print_certainty(tuning);
    printf("model     %s, trained on all %s with\n", path_text(stdout, output),
           count_text(tuning->rows, "row"));
    write_train(stdout, best->options, (size_t)tuning->classes, data, output);
    puts(strcmp(data, "-") == 0 ? " (with the same data on standard input)" : "");
}

static void json_candidate(struct json *json, const tlu_candidate *candidate)
{
    json_object(json, NULL);
    JSON_MEMBERS(json, candidate, name, score);
    json_number(json, "deviation", candidate->folds ? candidate->deviation : NAN);
    json_number(json, "standard_error", candidate->folds ? candidate->standard_error : NAN);
    JSON_MEMBERS(json, candidate, folds, seconds);
    json_text(json, "fate", candidate->outcome);
    if (candidate->reason)
        json_text(json, "reason", candidate->reason);
    json_end(json);
}

static void print_json(const tlu_tuning *tuning, const char *data, const char *output)
{
    const tlu_candidate *best = tuning->candidates[0];
    OWNED(char) command = train_text(best->options, (size_t)tuning->classes, data, output);
    struct json json = json_open(stdout);
    JSON_MEMBERS(&json, tuning, rows, classes, folds, trainings, passes, seconds);
    json_label_column(&json, tuning->facts->label_column, tuning->facts->label_reason);
    json_number(&json, "limit", tuning->limit > 0 ? tuning->limit : NAN);
    JSON_MEMBERS(&json, tuning, stopped, metric);
    json_text(&json, "pick", best->name);
    JSON_MEMBERS(&json, best, score, deviation, standard_error);
    JSON_MEMBERS(&json, tuning, repeats, p_value, differing_rows);
    json_text(&json, "runner_up", tuning->count > 1 ? tuning->candidates[1]->name : "");
    json_text(&json, "command", command);
    json_text(&json, "model", output);
    json_array(&json, "candidates");
    for (size_t i = 0; i < tuning->count; i++)
        json_candidate(&json, tuning->candidates[i]);
    json_end(&json);
    json_facts(&json, tuning->facts);
    json_end(&json);
}

// ---- the verb

static tlu_status search(const struct arguments *arguments, tlu_tuning **tuning, tlu_error *error)
{
    const char *metric = tlu_options_get(arguments->library, "metric");
    bool several = strcmp(tlu_options_get(arguments->library, "multilabel"), "yes") == 0;
    struct tune_line line = {.metric = metric[0] ? metric : several ? "f1-micro" : "accuracy"};
    tlu_tune_settings settings = {.size = sizeof settings,
                                  .path = arguments->positional[0],
                                  .learners = arguments_text(arguments, "learners"),
                                  .folds = (size_t)arguments_count(arguments, "folds"),
                                  .exhaustive = arguments_flag(arguments, "exhaustive"),
                                  .progress = show_progress,
                                  .progress_context = &line};
    if (arguments_given(arguments, "budget"))
        settings.budget = arguments_count(arguments, "budget");
    if (arguments_given(arguments, "repeats"))
        settings.repeats = (size_t)arguments_count(arguments, "repeats");
    if (arguments_given(arguments, "time"))
        settings.seconds = arguments_number(arguments, "time");
    proof_progress_begin(&line.progress, !arguments->json && !arguments->quiet);
    tlu_status status = tlu_tune(&settings, arguments->library, tuning, error);
    proof_progress_end(&line.progress);
    return status;
}

OWNED_TYPE(tlu_tuning, tlu_tuning_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *data = arguments->positional[0];
    OWNED(char) output = NULL;
    OWNED(tlu_tuning) tuning = NULL;
    OWNED(tlu_model) model = NULL;
    TRY(model_output(arguments, false, &output, error));
    // --costs without --metric implies --metric cost.
    if (option_is_given(arguments->library, "costs") &&
        !option_is_given(arguments->library, "metric"))
        TRY(tlu_options_set(arguments->library, "metric", "cost", error));
    TRY(search(arguments, &tuning, error));
    // After Ctrl-C too: it ended the search, and a second one ends the command.
    TRY(tlu_tuning_train(tuning, 0, NULL, NULL, &model, error));
    TRY(tlu_model_save(model, output, error));
    if (arguments->json)
        print_json(tuning, data, output);
    else
        print_text(tuning, arguments, data, output);
    if (!arguments->json && !arguments->quiet)
        print_facts(stderr, tuning->facts);
    return TLU_OK;
}

const struct verb tune_verb = {
    .name = "tune",
    .summary = "find the learner and options that do best on the data, and train with them",
    .description =
        "Tries learners with several values of their options, of scaling and, for text, of "
        "--ngrams, --lowercase and --tfidf, for CSV of --categorical and --missing, with kernels "
        "and nets where there is time for them, and saves the model of the best, "
        "trained on all rows. Candidates are measured on one fold after the other, on all cores; "
        "after each fold, those that are significantly worse than the best (McNemar's test, 1%; "
        "with another --metric than accuracy, Student's paired test) are stopped, and then the "
        "worse half of the others, if there is no time for them. Then neighbours of the best are "
        "tried, with half and twice the numbers, and the best of all are measured on other random "
        "folds, until the choice does not depend on them or the time is over. Prints the best in a "
        "table and the command "
        "that trains the "
        "model again. Learning options that are given hold for all candidates. Ctrl-C ends the "
        "search with the best so far; a second one ends the command.",
    .arguments = {SEVERAL_LABELLED_ARGUMENT},
    .groups = "reading data learning measuring",
    .without = "learner",
    .common = "output time metric label learners",
    OPTIONS(options),
    .examples = {"tlu tune data/digits-train.svm -o digits.tlu",
                 "tlu tune data/iris.csv --budget 2000 --metric f1-macro",
                 "tlu tune data/iris.csv --learners alma,arow:r=0.1 --time 5 --json"},
    .run = run,
};
