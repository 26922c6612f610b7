// tlu train: data in, a model out.
#include "cli.h"
#include "command_line.h"
#include "progress.h"
#include "report.h"
#include "team.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const tlu_option_info options[] = {
    TEXT_OPTION(
        "output", "FILE",
        "where the model goes; without it, into this folder under the data's name with .tlu "
        "instead of .csv, .svm and the like, or model.tlu for standard input"),
    SHARDS_OPTION,
    FLAG_OPTION("json", "print the report as one JSON object, and no summary"),
    FLAG_OPTION(
        "resume",
        "continue the interrupted training that left the model at -o FILE, with its options and "
        "the same DATA, to the same result as without the interruption; a larger --epochs "
        "continues a complete one too"),
    TEXT_OPTION(
        "start", "MODEL",
        "go on from this model, such as one of tlu mix, with its options: one pass over DATA, "
        "or --epochs"),
    NUMBER_OPTION("checkpoint", "SECONDS", "0", 0, 1e9,
                  "save the model so far every SECONDS, so that --resume can continue after a "
                  "crash; 0: never"),
    MIX_OPTIONS,
    FLAG_OPTION("quiet", "print no progress, summary and notes"),
};

// ---- the summary

static void print_classes(FILE *file, const tlu_model *model)
{
    size_t classes = tlu_model_class_count(model), most = classes > 12 ? 10 : classes;
    for (size_t i = 0; i < most; i++)
        fprintf(file, "%s%s", i ? ", " : "", text_clip(tlu_model_class_label(model, i), 24));
    if (most < classes)
        fprintf(file, " and %zu more", classes - most);
}

static void print_mistakes(FILE *file, const tlu_report *report)
{
    if (report->epochs == 0 || is_solved(report))
        return;
    fprintf(file, "mistakes  %llu in the first pass", ULL(report->mistakes[0]));
    if (report->epochs > 1)
        fprintf(file, ", %llu in the last%s", ULL(report->mistakes[report->epochs - 1]),
                strcmp(report->stopped, "interrupted") == 0 ? ", unfinished one" : "");
    fprintf(file, "; %llu updates\n", ULL(report->updates));
}

// With --hash: how full the slots are.
static void print_slots(FILE *file, const tlu_model *model)
{
    const char *bits = tlu_options_get(tlu_model_options(model), "hash");
    const tlu_report *report = tlu_model_report(model);
    if (bits[0] == '\0')
        return;
    fprintf(file, "hashed    %llu of 2^%s slots used, %llu of them by several names\n",
            ULL(report->slots_used), bits, ULL(report->slots_shared));
}

static void print_model_line(FILE *file, const char *path)
{
    struct stat about;
    fprintf(file, "model     %s", path_text(file, path));
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
        fprintf(file, " (%s)", size_text((double)about.st_size));
    fputc('\n', file);
}

// How a training in several processes mixed their weights.
static void print_mixtures(FILE *file, const tlu_report *report)
{
    fprintf(file, "\nmixed     %s of %s: %s per process sent in %s",
            count_text(report->mixtures, "time"), count_text(report->processes, "process"),
            size_text((double)report->mixture_bytes), seconds_text(report->seconds_mixed));
}

static void print_summary(FILE *file, const tlu_model *model, const char *path)
{
    const tlu_report *report = tlu_model_report(model);
    fprintf(file, "data      %s: %s, %s%s", text_clip(report->data ? report->data : "", 60),
            count_text(report->examples, "row"), count_text(report->features, "feature"),
            tlu_model_is_scaled(model) ? ", scaled" : "");
    if (report->skipped)
        fprintf(file, "; %llu malformed left out", ULL(report->skipped));
    if (report->processes)
        print_mixtures(file, report);
    fprintf(file, "\nclasses   %zu: ", tlu_model_class_count(model));
    print_classes(file, model);
    print_label_column(file, tlu_model_label_column(model), tlu_model_label_reason(model));
    fputc('\n', file);
    print_learner(file, 9, tlu_model_learner(model), report->learner_reason);
    fprintf(file, "training  %s in %s: %s reading, %s training\n", training_text(report),
            seconds_text(report->seconds_total), seconds_text(report->seconds_read),
            seconds_text(report->seconds_learn));
    print_mistakes(file, report);
    if (report->cycle)
        fprintf(file, "cycle     the weights repeat after %s\n", count_text(report->cycle, "pass"));
    report_errors(file, model);
    output_print(file, model);
    report_held_out(file, report);
    print_slots(file, model);
    print_model_line(file, path);
    for (size_t i = 0; i < report->notices; i++)
        fprintf(file, "note: %s\n", report->notice[i]);
}

// ---- JSON

static void json_held_out(struct json *json, const tlu_report *report)
{
    if (!report->held_out_accuracy)
        return;
    json_count(json, "held_out", report->held_out);
    report_held_out_json(json, report);
    json_count(json, "best_epoch", report->best_epoch);
}

static void print_json(const tlu_model *model, const char *path)
{
    const tlu_report *report = tlu_model_report(model);
    struct json json = json_open(stdout);
    json_text(&json, "learner", tlu_model_learner(model));
    if (report->learner_reason)
        json_text(&json, "learner_reason", report->learner_reason);
    json_text(&json, "decision", tlu_model_decision(model));
    json_text(&json, "scheme", tlu_model_scheme(model));
    JSON_MEMBERS(&json, report, examples, features);
    json_classes(&json, model);
    json_label_column(&json, tlu_model_label_column(model), tlu_model_label_reason(model));
    report_passes_json(&json, report);
    json_object(&json, "seconds");
    json_number(&json, "read", report->seconds_read);
    json_number(&json, "learn", report->seconds_learn);
    json_number(&json, "total", report->seconds_total);
    json_end(&json);
    if (report->processes) {
        json_object(&json, "mixed");
        JSON_MEMBERS(&json, report, processes, mixtures, mixture_bytes, mixture_bytes_dense);
        json_number(&json, "seconds", report->seconds_mixed);
        json_end(&json);
    }
    json_text(&json, "model", path);
    json_held_out(&json, report);
    report_errors_json(&json, report);
    output_json(&json, model);
    if (tlu_options_get(tlu_model_options(model), "hash")[0]) {
        JSON_MEMBERS(&json, report, slots_used, slots_shared);
    }
    json_count(&json, "skipped", report->skipped);
    json_array(&json, "notices");
    for (size_t i = 0; i < report->notices; i++)
        json_text(&json, NULL, report->notice[i]);
    json_end(&json);
    json_end(&json);
}

// ---- interrupted trainings

// Whether the training, or the calibration after it, was interrupted.
static bool is_cut(const tlu_model *model)
{
    return strcmp(tlu_model_report(model)->stopped, "interrupted") == 0 ||
           tlu_model_can_resume(model, NULL, NULL);
}

// What was saved, and how to continue.
static void print_interrupted(FILE *file, const tlu_model *model, const char *data,
                              const char *output)
{
    uint64_t pass, examples;
    const tlu_report *report = tlu_model_report(model);
    const char *path = path_text(file, output);
    if (!tlu_model_can_resume(model, &pass, &examples)) {
        fprintf(file,
                "tlu: interrupted; %s has the model so far, from %s. This training cannot be "
                "resumed: train again to finish it\n",
                path, count_text(report->examples, "row"));
        return;
    }
    if (strcmp(report->stopped, "interrupted") == 0)
        fprintf(file, "tlu: interrupted in pass %llu after %s; %s has the model so far", ULL(pass),
                count_text(examples, "example"), path);
    else
        fprintf(file,
                "tlu: interrupted in the calibration; %s has the model, without probabilities",
                path);
    fputs(". To continue: tlu train ", file);
    write_data(file, data);
    fputs(" --resume -o ", file);
    write_word(file, output);
    fputc('\n', file);
}

// Nothing was learned by then.
static tlu_status interrupted_early(const char *output, tlu_error *error)
{
    OWNED(char) reason = need(strdup(error->text));
    bool old = access(output, F_OK) == 0;
    return fail(error, TLU_INTERRUPTED, "%s; no model is saved%s%s%s", reason, old ? ", and '" : "",
                old ? output : "", old ? "' is left as it was" : "");
}

// The model of an interrupted training, or of one that is to have more passes. *model stays NULL
// if nothing is to be done.
static tlu_status load_interrupted(const struct arguments *arguments, const char *output,
                                   tlu_model **model, tlu_error *error)
{
    if (access(output, F_OK) != 0)
        return fail_input(
            error,
            "--resume: there is no model '%s' to go on with; -o FILE says which. A training that "
            "ended before its first checkpoint is started again without --resume",
            output);
    TRY(tlu_model_load(output, model, error));
    const tlu_report *report = tlu_model_report(*model);
    if (tlu_model_can_resume(*model, NULL, NULL) || strcmp(report->stopped, "interrupted") == 0)
        return TLU_OK; // why the latter cannot go on, the library says
    const char *epochs = tlu_options_get(arguments->library, "epochs");
    if (epochs != tlu_option_find("epochs")->value && strcmp(report->stopped, "epochs") == 0 &&
        strtod(epochs, NULL) > (double)report->epochs)
        return TLU_OK; // for more passes
    if (!arguments->quiet)
        fprintf(stderr, "tlu: '%s' is complete after %s (%s): nothing is left to do\n",
                path_text(stderr, output), count_text(report->epochs, "pass"),
                stopped_text(report->stopped));
    tlu_model_free(*model);
    *model = NULL;
    return TLU_OK;
}

// ---- the verb

// What a training works with, from its options to the model.
struct work {
    const struct arguments *arguments;
    const tlu_team *team; // NULL: one process
    char *output;
    tlu_model *begun, *start, *model;
    bool done; // --resume of a complete training
};

static void work_free(struct work *work)
{
    free(work->output);
    tlu_model_free(work->begun);
    tlu_model_free(work->start);
    tlu_model_free(work->model);
}

// The file from which a job can go on after it has ended early.
static const char *checkpoint_of(const struct work *work)
{
    bool checkpoints = arguments_number(work->arguments, "checkpoint") > 0 ||
                       arguments_flag(work->arguments, "resume");
    return checkpoints ? work->output : NULL;
}

static tlu_status prepare(struct work *work, tlu_error *error)
{
    const struct arguments *arguments = work->arguments;
    TRY(model_output(arguments, arguments_number(arguments, "checkpoint") > 0, &work->output,
                     error));
    if (arguments_flag(arguments, "resume")) {
        TRY(load_interrupted(arguments, work->output, &work->begun, error));
        work->done = !work->begun;
    }
    if (arguments_given(arguments, "start"))
        TRY(tlu_model_load(arguments_text(arguments, "start"), &work->start, error));
    return TLU_OK;
}

// Process 0 has the files.
static tlu_status prepare_in_team(struct work *work, tlu_error *error)
{
    tlu_error own = {0};
    if (work->team->rank == 0)
        own.status = prepare(work, &own);
    else if (arguments_given(work->arguments, "output")) // for messages
        work->output = need(strdup(arguments_text(work->arguments, "output")));
    TRY(tlu_team_join(work->team, &own, error));
    TRY(team_share_model(work->team, &work->begun, error));
    TRY(team_share_model(work->team, &work->start, error));
    work->done = arguments_flag(work->arguments, "resume") && !work->begun;
    return TLU_OK;
}

struct shown {
    struct progress progress;
    const struct work *work;
};

static int show_progress(void *context, const tlu_progress *progress)
{
    struct shown *shown = context;
    team_check(shown->work->team);
    progress_show(&shown->progress, progress);
    return interrupt_requested();
}

static tlu_status learn(struct work *work, tlu_error *error)
{
    const struct arguments *arguments = work->arguments;
    bool first = !work->team || work->team->rank == 0;
    struct shown shown = {.work = work};
    progress_begin(&shown.progress, first && arguments_progress(arguments));
    tlu_train_settings settings = {.size = sizeof settings,
                                   .path = arguments->positional[0],
                                   .progress = show_progress,
                                   .progress_context = &shown,
                                   .resume = work->begun,
                                   .start = work->start,
                                   .team = work->team};
    settings.mix_every = (uint64_t)arguments_number(arguments, "mix-every");
    settings.mix_weights = arguments_text(arguments, "mix-weights");
    settings.checkpoint_seconds = arguments_number(arguments, "checkpoint");
    settings.checkpoint = settings.checkpoint_seconds > 0 ? first ? work->output : "" : NULL;
    tlu_status status = tlu_train_with(&settings, arguments->library, &work->model, error);
    progress_end(&shown.progress);
    return status;
}

static tlu_status save(const struct work *work, tlu_error *error)
{
    tlu_error own = {0};
    if (!work->team)
        return tlu_model_save(work->model, work->output, error);
    if (work->team->rank == 0)
        own.status = tlu_model_save(work->model, work->output, &own);
    return tlu_team_join(work->team, &own, error);
}

static tlu_status work_run(struct work *work, tlu_error *error)
{
    const struct arguments *arguments = work->arguments;
    TRY((work->team ? prepare_in_team : prepare)(work, error));
    if (work->done)
        return TLU_OK;
    if (work->team)
        team_set_checkpoint(checkpoint_of(work));
    catch_interrupts();
    tlu_status status = learn(work, error);
    if (status == TLU_INTERRUPTED)
        return interrupted_early(work->output, error);
    TRY(status);
    TRY(save(work, error));
    if (work->team && work->team->rank != 0)
        return TLU_OK;
    if (arguments->json)
        print_json(work->model, work->output);
    else if (!arguments->quiet)
        print_summary(stderr, work->model, work->output);
    if (!is_cut(work->model))
        return TLU_OK;
    verb_answer = interrupt_exit_code();
    if (!arguments->quiet)
        print_interrupted(stderr, work->model, arguments->positional[0], work->output);
    return TLU_OK;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(work_free) struct work work = {.arguments = arguments};
    TRY(team_open(&work.team, arguments, error));
    tlu_status status = work_run(&work, error);
    team_close(work.team, status, error);
    return status;
}

const struct verb train_verb = {
    .name = "train",
    .summary = "learn a classifier from data and save it",
    .description =
        "Learns a linear classifier from DATA and saves it as a model. DATA is in any of the "
        "formats that --format lists, plain or compressed (.gz, .zst), recognised by its content; "
        "any labels, any number of classes. The summary on standard error reports the mistakes of "
        "the passes and why training stopped. Ctrl-C or SIGTERM ends training early and saves the "
        "model so far, which --resume continues; the exit code is then 130 or 143. A second signal "
        "ends the command at once and saves nothing. --checkpoint saves the model regularly.",
    .arguments = {{"DATA", .help = "the training data, in one file or several; - is standard input",
                   .several = true}},
    .groups = "reading data learning measuring",
    .common = "output learner epochs label holdout",
    OPTIONS(options),
    .examples = {"tlu train data/digits-train.svm -o digits.tlu",
                 "tlu train data/iris.csv --shuffle all",
                 "tlu train data/weather.csv --positive yes --decide last",
                 "tlu train - -o iris.tlu --holdout 0.2 < data/iris.csv",
                 "tlu train data/digits-train.svm --no-shuffle --seed 7 --json",
                 "tlu train data/digits-train.svm -o digits.tlu --resume"},
    .run = run,
};
