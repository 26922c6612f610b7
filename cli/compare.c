// tlu compare: every learner on the same data.
#include "arguments.h"
#include "json.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEARNERS_MOST 64
#define TEST_SHARE 5 // without --test one row in five is measured on

static const tlu_option_info options[] = {
    {"test", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "measure on these rows; without it, on a fifth of DATA that nobody learns from"},
    {"limit", "command", TLU_OPTION_NUMBER, "SECONDS", "60", NULL, 0.001, 1e9,
     "end the training of a learner after this time, with the model so far"},
    {"epochs", "command", TLU_OPTION_COUNT, "N", "", NULL, 1, COUNT_MOST,
     "passes over the data at most; without it, as many as each learner makes by default"},
    {"seed", "command", TLU_OPTION_COUNT, "N", "1", NULL, 0, COUNT_MOST,
     "start of the random numbers, for the choice of rows and for the learners"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no progress"},
};

struct entry {
    const tlu_learner_info *learner;
    size_t place; // among the learners
    bool measured;
    char reason[1024]; // why it was not
    uint64_t learned, examples, correct;
    double accuracy, seconds;
    double bytes; // of the model file
    bool cut;     // by the time limit
};

struct comparison {
    tlu_split *data, *test; // test is data where a part of it is measured on
    size_t part;            // that part, or TLU_NONE
    double limit;
    size_t count;
    struct entry entries[LEARNERS_MOST];
};

static int watch(void *context, const tlu_progress *progress)
{
    return progress->seconds > *(double *)context;
}

// ---- one learner

// The size of the model as a file; 0 where it cannot be told.
static double file_size(const tlu_model *model)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    struct stat about = {0};
    if (asprintf(&path, "%s/tlu-compare-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        return 0;
    int file = mkstemp(path);
    if (file >= 0) {
        close(file);
        if (tlu_model_save(model, path, NULL) != TLU_OK || stat(path, &about) != 0)
            about.st_size = 0;
        unlink(path);
    }
    free(path);
    return (double)about.st_size;
}

// The options of the user for a learner. Max-margin without --C gives up where no plane is between
// the classes, which is how most data is.
static tlu_status options_for(const struct arguments *arguments, const tlu_learner_info *learner,
                              tlu_options **out, tlu_error *error)
{
    tlu_options *own = need(tlu_options_new());
    tlu_status status = tlu_options_set(own, "learner", learner->name, error);
    for (size_t i = 0; status == TLU_OK && i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        const char *value = tlu_options_get(arguments->library, info->name);
        if (strcmp(info->group, "learning") != 0 && strcmp(value, info->value) != 0)
            status = tlu_options_set(own, info->name, value, error);
    }
    if (status == TLU_OK && strcmp(learner->name, "max-margin") == 0)
        status = tlu_options_set(own, "C", "1", error);
    if (status == TLU_OK && arguments_text(arguments, "epochs"))
        status = tlu_options_set(own, "epochs", arguments_text(arguments, "epochs"), error);
    if (status == TLU_OK)
        status = tlu_options_set(own, "seed", arguments_text(arguments, "seed"), error);
    *out = own;
    return status;
}

static tlu_status measure(struct comparison *comparison, const tlu_options *own,
                          struct entry *entry, tlu_error *error)
{
    tlu_model *model;
    tlu_evaluation *evaluation = NULL;
    tlu_status status = tlu_split_train(comparison->data, comparison->part, own, watch,
                                        &comparison->limit, &model, error);
    if (status == TLU_OK)
        status =
            tlu_split_evaluate(comparison->test, comparison->part, model, own, &evaluation, error);
    if (status == TLU_OK) {
        const tlu_report *report = tlu_model_report(model);
        entry->measured = true;
        entry->learned = report->examples;
        entry->examples = evaluation->examples;
        entry->correct = evaluation->correct;
        entry->accuracy = evaluation->accuracy;
        entry->seconds = report->seconds_total;
        entry->bytes = file_size(model);
        entry->cut = strcmp(report->stopped, "interrupted") == 0;
    }
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    return status;
}

// Data that does not suit a learner is a reason, not an error.
static tlu_status try_learner(struct comparison *comparison, const struct arguments *arguments,
                              const tlu_learner_info *learner, tlu_error *error)
{
    struct entry *entry = &comparison->entries[comparison->count];
    tlu_options *own;
    *entry = (struct entry){.learner = learner, .place = comparison->count++};
    tlu_status status = options_for(arguments, learner, &own, error);
    if (status == TLU_OK)
        status = measure(comparison, own, entry, error);
    tlu_options_free(own);
    // What was cut before it had learned anything is told like what cannot take the data.
    if (status == TLU_ERROR_INPUT || strncmp(error->text, "interrupted", 11) == 0) {
        snprintf(entry->reason, sizeof entry->reason, "%s", error->text);
        return TLU_OK;
    }
    return status;
}

// ---- what to pick

// The best first; of equals the smaller model, then the order of tlu learners.
static int by_accuracy(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->measured != b->measured)
        return a->measured ? -1 : 1;
    if (a->correct != b->correct)
        return a->correct > b->correct ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

// Why the first: it is right most often; who is so near that another sample could turn it round, by
// one standard error.
static void say_why(char *out, size_t size, const struct comparison *comparison)
{
    const struct entry *best = &comparison->entries[0];
    double n = (double)best->examples, p = best->accuracy;
    double doubt = n > 0 ? sqrt(p * (1 - p) / n) : 0;
    int used =
        snprintf(out, size, "it is right about the most rows, %llu of %llu (%.2f%%)",
                 (unsigned long long)best->correct, (unsigned long long)best->examples, 100 * p);
    size_t near = 0;
    for (size_t i = 1; i < comparison->count && comparison->entries[i].measured; i++) {
        const struct entry *entry = &comparison->entries[i];
        if (entry->accuracy < p - doubt)
            break;
        used += snprintf(out + used, size - (size_t)used, "%s%s",
                         near++ ? ", "
                                : "; within the "
                                  "standard error of so many rows: ",
                         entry->learner->name);
    }
}

// ---- printing

static void print_text(const struct comparison *comparison)
{
    char time[NUMBER_SIZE], size[NUMBER_SIZE], why[1024];
    int width = (int)strlen("learner");
    for (size_t i = 0; i < comparison->count; i++) {
        int length = (int)strlen(comparison->entries[i].learner->name);
        width = length > width ? length : width;
    }
    printf("%-*s  accuracy   training      model\n", width, "learner");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct entry *entry = &comparison->entries[i];
        if (entry->measured)
            printf("%-*s  %7.2f%% %10s %10s%s\n", width, entry->learner->name,
                   100 * entry->accuracy, seconds_text(time, entry->seconds),
                   size_text(size, entry->bytes), entry->cut ? "  ended by --limit" : "");
    }
    for (size_t i = 0; i < comparison->count; i++)
        if (!comparison->entries[i].measured)
            printf("%-*s  left out: %s\n", width, comparison->entries[i].learner->name,
                   comparison->entries[i].reason);
    say_why(why, sizeof why, comparison);
    printf("\npick %s: %s\n", comparison->entries[0].learner->name, why);
}

static void print_json(const struct comparison *comparison)
{
    struct json json = {.file = stdout};
    char why[1024];
    say_why(why, sizeof why, comparison);
    json_object(&json, NULL);
    json_count(&json, "learned", comparison->entries[0].learned);
    json_count(&json, "examples", comparison->entries[0].examples);
    json_array(&json, "learners");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct entry *entry = &comparison->entries[i];
        json_object(&json, NULL);
        json_text(&json, "learner", entry->learner->name);
        json_number(&json, "accuracy", entry->measured ? entry->accuracy : NAN);
        if (entry->measured) {
            json_count(&json, "correct", entry->correct);
            json_number(&json, "seconds", entry->seconds);
            json_number(&json, "bytes", entry->bytes);
            json_bool(&json, "cut", entry->cut);
        } else {
            json_text(&json, "reason", entry->reason);
        }
        json_end(&json);
    }
    json_end(&json);
    json_text(&json, "pick", comparison->entries[0].learner->name);
    json_text(&json, "why", why);
    json_end(&json);
}

// ---- the verb

static tlu_status open_data(struct comparison *comparison, const struct arguments *arguments,
                            tlu_error *error)
{
    const char *test = arguments_text(arguments, "test"), *data = arguments->positional[0];
    if (test && strcmp(test, "-") == 0 && strcmp(data, "-") == 0)
        return fail(error, TLU_ERROR_INPUT, "standard input cannot be both DATA and --test");
    tlu_status status =
        tlu_options_set(arguments->library, "seed", arguments_text(arguments, "seed"), error);
    if (status == TLU_OK)
        status = tlu_split_new(data, arguments->library, test ? 1 : TEST_SHARE, &comparison->data,
                               error);
    comparison->part = test ? TLU_NONE : 0;
    comparison->test = comparison->data;
    if (status == TLU_OK && test)
        status = tlu_split_new(test, arguments->library, 1, &comparison->test, error);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    bool json = arguments_flag(arguments, "json");
    bool visible = !json && !arguments_flag(arguments, "quiet") && isatty(STDERR_FILENO);
    struct comparison *comparison = need(calloc(1, sizeof *comparison));
    comparison->limit = arguments_number(arguments, "limit");
    tlu_status status = open_data(comparison, arguments, error);
    const tlu_learner_info *learner;
    for (size_t i = 0; status == TLU_OK && i < LEARNERS_MOST && (learner = tlu_learner_at(i));
         i++) {
        if (visible)
            fprintf(stderr, "\r%s...\033[K", learner->name);
        status = try_learner(comparison, arguments, learner, error);
    }
    if (visible)
        fputs("\r\033[K", stderr);
    if (status == TLU_OK) {
        qsort(comparison->entries, comparison->count, sizeof *comparison->entries, by_accuracy);
        if (!comparison->entries[0].measured) // the data is to blame
            status = fail(error, TLU_ERROR_INPUT, "%s", comparison->entries[0].reason);
    }
    if (status == TLU_OK)
        (json ? print_json : print_text)(comparison);
    if (comparison->test != comparison->data)
        tlu_split_free(comparison->test);
    tlu_split_free(comparison->data);
    free(comparison);
    return status;
}

const struct verb compare_verb = {
    .name = "compare",
    .summary = "try every learner on the data and tell which to pick",
    .description =
        "Trains every learner with its defaults on DATA, measures all of them on the same rows "
        "that "
        "none has learned from (those of --test, or a fifth of DATA with each class in "
        "proportion), "
        "and prints one table, the most accurate first, with the time that training took and the "
        "size of the model; then which learner to pick, and why. Learners that cannot take the "
        "data "
        "are listed with the reason. max-margin runs with --C 1.",
    .arguments = {{"DATA", NULL, "labelled rows; - is standard input"}, {0}},
    .groups = "reading data",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu compare data/iris.csv --scale standard",
                 "tlu compare data/digits-train.svm --test data/digits-test.svm",
                 "tlu compare data/weather.csv --json"},
    .run = run,
};
