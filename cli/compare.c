// tlu compare: every learner on the same data.
#include "cli.h"
#include "command_line.h"
#include "report.h"

#include <limits.h>
#include <time.h>

#define LEARNERS_MAX 64
#define FEW_ROWS 200 // fewer do not tell learners apart
#define FOLDS 5
#define SMALL_ROWS 5000 // up to here every fold is measured on, of more rows one
#define FEW_REPEATS 3   // how often fewer than FEW_ROWS are dealt out
#define MEASURED 4000   // of more rows that are small, until about as many have been measured on...
#define VALUE_COLUMNS 9 // of a metric
#define REPEATS_MAX 20  // ...but at most so often: then a seed hardly matters
#define CRITICAL 2.706  // chi squared, one degree of freedom: 5% on one side
#define GAP 1.0         // points that a pick may be below the best
#define DEFAULT_GAP 0.7 // and the default, unless rows are that few
#define NOISY_ROWS 500  // below, 0.7 points are less than other dealings make of it

static const tlu_option_info options[] = {
    TEXT_OPTION("test", "FILE", "measure on these rows; without it, by cross-validation on DATA"),
    TEXT_OPTION("learners", "LIST",
                "compare these alone, with commas between: names, or names with options "
                "(arow:r=0.1:epochs=3)"),
    NUMBER_OPTION("limit", "SECONDS", "60", 0.001, 1e9,
                  "leave out a learner whose trainings take longer in total"),
    COUNT_OPTION("epochs", "N", "", 1, COUNT_MAX,
                 "maximum number of passes; without it, the default of each learner"),
    COUNT_OPTION("seed", "N", "1", 0, COUNT_MAX,
                 "seed of the random numbers, for folds and learners"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no progress"),
};

struct compared_learner {
    const tlu_learner_info *learner;
    char *name;   // with options, if some were asked for: "arow:r=0.1"
    size_t place; // among all
    bool measured;
    char reason[1024]; // why it was not
    tlu_options *options;
    uint64_t learned, examples, correct;
    size_t classes;
    double accuracy;
    double total, seconds; // CPU time of all trainings, and of one
    size_t trainings;
    double value;         // --metric: the mean over what was measured; NaN if it is never defined
    size_t defined;       // how often it is
    double bytes;         // of the model file
    bool cut;             // by the time limit
    unsigned char *right; // [examples], row by row: the same rows for all learners
};

struct comparison {
    tlu_split *data, *test; // test is data if its own parts are measured on
    size_t folds, repeats;  // trainings of each learner; 1 and 1 with --test
    double limit;
    size_t count;
    struct compared_learner entries[LEARNERS_MAX];
    uint64_t rows; // measured on, once each
    const struct compared_learner *pick;
    char *usual;                // the learner that --learner auto chooses
    bool few;                   // too few rows to choose by
    char *label, *label_reason; // the label column of a table, and how it was chosen; NULL: none
    const char *metric;         // if it is not accuracy; else NULL
    int higher;                 // 1: higher is better
};

// ---- the pick

// McNemar's test, of rows that only one of two gets right: whether `other` is worse than the best
// by more than chance. What was measured several times counts once.
static bool is_worse(const struct comparison *comparison, const struct compared_learner *other)
{
    const struct compared_learner *best = &comparison->entries[0];
    double only_best = 0, only_other = 0;
    for (uint64_t i = 0; i < best->examples; i++) {
        only_best += best->right[i] && !other->right[i];
        only_other += other->right[i] && !best->right[i];
    }
    double lead = (only_best - only_other) / (double)comparison->repeats;
    double differ = (only_best + only_other) / (double)comparison->repeats;
    return lead > 0 && lead * lead > CRITICAL * differ;
}

// Whether this many points below the best are acceptable. Counts of rows, so that a gap that is
// exactly as large does not hang on rounding.
static bool is_near(const struct comparison *comparison, const struct compared_learner *other,
                    double points)
{
    const struct compared_learner *best = &comparison->entries[0];
    return 100 * (double)(best->correct - other->correct) <= points * (double)best->examples;
}

static bool is_better(const struct comparison *comparison, const struct compared_learner *a,
                      const struct compared_learner *b)
{
    if (a->defined == 0 || b->defined == 0)
        return a->defined > 0 && b->defined == 0;
    double first = rint(a->value * 1e12), second = rint(b->value * 1e12); // rounding is no merit
    return comparison->higher ? first > second : first < second;
}

static bool is_default(const struct comparison *comparison, const struct compared_learner *entry)
{
    return strcmp(entry->name, comparison->usual) == 0;
}

// The simplest of those that are near the best and not worse; of equals the first of `tlu
// learners`. The best is one of them.
static const struct compared_learner *simplest(const struct comparison *comparison)
{
    const struct compared_learner *pick = NULL;
    for (size_t i = 0; i < comparison->count && comparison->entries[i].measured; i++) {
        const struct compared_learner *entry = &comparison->entries[i];
        int grade = entry->learner->complexity, least = pick ? pick->learner->complexity : INT_MAX;
        if ((grade < least || (grade == least && entry->place < pick->place)) &&
            is_near(comparison, entry, GAP) && !is_worse(comparison, entry))
            pick = entry;
    }
    return pick;
}

// The default, unless the rows say that another is better: if they are few, only the test can
// say that. Of several hundred rows its gap is the smaller one: data on which it is just about a
// point below the best is common, and the pick would change with the seed.
static void choose(struct comparison *comparison)
{
    comparison->rows = comparison->entries[0].examples / comparison->repeats;
    comparison->few = comparison->rows < FEW_ROWS;
    double gap = comparison->rows < NOISY_ROWS ? GAP : DEFAULT_GAP;
    if (comparison->metric) { // McNemar's test is about right and wrong alone
        comparison->pick = &comparison->entries[0];
        return;
    }
    for (size_t i = 0; i < comparison->count && comparison->entries[i].measured; i++) {
        const struct compared_learner *entry = &comparison->entries[i];
        if (!is_default(comparison, entry))
            continue;
        if (!is_worse(comparison, entry) && (comparison->few || is_near(comparison, entry, gap)))
            comparison->pick = entry;
    }
    if (!comparison->pick)
        comparison->pick = simplest(comparison);
}

// Why the pick, in words that the table supports.
static const char *reason_text(const struct comparison *comparison)
{
    const struct compared_learner *best = &comparison->entries[0], *pick = comparison->pick;
    double accuracy = 100 * pick->accuracy;
    const char *few = "", *gap = format_text("%s has %.2f%%", best->name, 100 * best->accuracy);
    if (comparison->metric)
        return format_text("it has the best %s, %.6g", comparison->metric, best->value);
    if (comparison->few)
        few = format_text("%llu rows are too few to choose by; ", ULL(comparison->rows));
    if (is_default(comparison, pick) && pick->correct == best->correct)
        return format_text("%sno other learner is more accurate (%.2f%%)", few, accuracy);
    if (is_default(comparison, pick) && comparison->few)
        return format_text("%s%s has %.2f%%, and the lead of %s (%.2f%%) may be chance", few,
                           pick->name, accuracy, best->name, 100 * best->accuracy);
    if (is_default(comparison, pick))
        return format_text("%.2f%%; %s, which is not significantly better", accuracy, gap);
    if (pick == best)
        return format_text("the most accurate (%.2f%%); every simpler learner is more than a point "
                           "below it or significantly worse",
                           accuracy);
    return format_text("%.2f%%, the simplest of those within a point of the best and not "
                       "significantly worse; %s",
                       accuracy, gap);
}

// ---- one learner

// CPU time of the command.
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int over_limit(void *context, const tlu_progress *progress)
{
    return progress->seconds > *(double *)context;
}

// The size of the model as a file; 0 if it cannot be told.
static double file_size(const tlu_model *model)
{
    void *bytes;
    size_t size;
    if (tlu_model_save_bytes(model, &bytes, &size, NULL) != TLU_OK)
        return 0;
    tlu_bytes_free(bytes);
    return (double)size;
}

static tlu_status set_unless_given(tlu_options *own, const char *name, const char *value,
                                   tlu_error *error)
{
    return option_is_given(own, name) ? TLU_OK : tlu_options_set(own, name, value, error);
}

// What a learner runs with, and what `train` is to be called with: the user's data options, and the
// learner's own defaults, but columns are scaled and the scheme is chosen for all alike. Max-margin
// without --C gives up if no plane separates the classes, as with most data.
static tlu_status set_options(const struct arguments *arguments, struct compared_learner *entry,
                              tlu_error *error)
{
    const char *name = entry->learner->name, *epochs = arguments_text(arguments, "epochs");
    bool bayes = strstr(name, "bayes") != NULL;
    tlu_options_new(&entry->options, NULL);
    tlu_options *own = need(entry->options);
    TRY(tlu_options_set_learner(own, entry->name, error));
    for (size_t i = 0; i < tlu_option_count(); i++) {
        const tlu_option_info *info = tlu_option_at(i);
        if (strcmp(info->group, "learning") != 0 && option_is_given(arguments->library, info->name))
            TRY(set_unless_given(own, info->name, tlu_options_get(arguments->library, info->name),
                                 error));
    }
    if (!bayes)
        TRY(set_unless_given(own, "scale", "auto", error));
    if (!bayes)
        TRY(set_unless_given(own, "multiclass", "auto", error));
    if (strcmp(name, "bernoulli-bayes") == 0)
        TRY(tlu_options_set(own, "binarize", "yes", error));
    if (strcmp(name, "max-margin") == 0)
        TRY(set_unless_given(own, "C", "1", error));
    if (epochs)
        TRY(set_unless_given(own, "epochs", epochs, error));
    if (strcmp(arguments_text(arguments, "seed"), "1") != 0)
        TRY(tlu_options_set(own, "seed", arguments_text(arguments, "seed"), error));
    return TLU_OK;
}

static void take_results(struct compared_learner *entry, const tlu_model *model,
                         const tlu_evaluation *evaluation)
{
    const tlu_report *report = tlu_model_report(model);
    size_t before = (size_t)entry->examples, count = (size_t)evaluation->examples;
    entry->right = need(realloc(entry->right, before + count + 1));
    memcpy(entry->right + before, evaluation->is_correct, count);
    entry->learned = report->examples;
    entry->classes = tlu_model_class_count(model);
    entry->examples += evaluation->examples;
    entry->correct += evaluation->correct;
    entry->accuracy = (double)entry->correct / (double)entry->examples;
    double value = evaluation->metrics[0].value;
    if (!isnan(value)) // the mean so far, and this one
        entry->value += (value - entry->value) / (double)++entry->defined;
    entry->seconds = entry->total / (double)++entry->trainings;
    if (entry->bytes == 0) // once is enough: a file that is safe on the disk takes its time
        entry->bytes = file_size(model);
    entry->cut = strcmp(report->stopped, "interrupted") == 0;
}

OWNED_TYPE(tlu_evaluation, tlu_evaluation_free)

// Learns from all but a part and measures on that.
static tlu_status measure(struct comparison *comparison, size_t part,
                          struct compared_learner *entry, tlu_error *error)
{
    OWNED(tlu_model) model = NULL;
    OWNED(tlu_evaluation) evaluation = NULL;
    double left = comparison->limit - entry->total, before = cpu_seconds();
    tlu_status status =
        tlu_split_train(comparison->data, part, entry->options, over_limit, &left, &model, error);
    entry->total += cpu_seconds() - before;
    TRY(status);
    TRY(tlu_split_evaluate(comparison->test, part, model, entry->options, &evaluation, error));
    take_results(entry, model, evaluation);
    const char *label = tlu_model_label_column(model), *reason = tlu_model_label_reason(model);
    if (label && !comparison->label) {
        comparison->label = need(strdup(label));
        comparison->label_reason = need(strdup(reason ? reason : ""));
    }
    return TLU_OK;
}

// Data that does not suit a learner is a reason, not an error; and one that was cut short has not
// shown what it can.
static tlu_status try_learner(struct comparison *comparison, size_t part,
                              struct compared_learner *entry, tlu_error *error)
{
    if (!entry->measured)
        return TLU_OK;
    tlu_status status = measure(comparison, part, entry, error);
    bool early = status == TLU_INTERRUPTED;
    entry->cut = entry->cut || early || entry->total > comparison->limit;
    if (entry->cut)
        snprintf(entry->reason, sizeof entry->reason, "not done after %g s: --limit",
                 comparison->limit);
    else if (status == TLU_ERROR_INPUT)
        snprintf(entry->reason, sizeof entry->reason, "%s", error->text);
    if (entry->cut || status == TLU_ERROR_INPUT) {
        entry->measured = false;
        return TLU_OK;
    }
    return status;
}

// The best first; of equals the smaller model, then the order of tlu learners.
static int by_quality(const void *left, const void *right, void *context)
{
    const struct compared_learner *a = left, *b = right;
    const struct comparison *comparison = context;
    if (a->measured != b->measured)
        return a->measured ? -1 : 1;
    if (comparison->metric && is_better(comparison, a, b) != is_better(comparison, b, a))
        return is_better(comparison, a, b) ? -1 : 1;
    if (!comparison->metric && a->correct != b->correct)
        return a->correct > b->correct ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

// ---- printing

static void print_text(const struct comparison *comparison, const char *data)
{
    const struct compared_learner *pick = comparison->pick;
    OWNED(char) path = model_path(data);
    int width = (int)strlen("learner");
    for (size_t i = 0; i < comparison->count; i++) {
        int length = (int)strlen(comparison->entries[i].name);
        width = length > width ? length : width;
    }
    int wide = comparison->metric ? (int)strlen(comparison->metric) : 0;
    wide = wide && wide < VALUE_COLUMNS ? VALUE_COLUMNS : wide;
    printf("%-*s  %*s%saccuracy   training      model\n", width, "learner", wide,
           comparison->metric ? comparison->metric : "", wide ? "  " : "");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compared_learner *entry = &comparison->entries[i];
        if (!entry->measured)
            continue;
        printf("%-*s  ", width, entry->name);
        if (wide)
            printf("%*.6f  ", wide, entry->value);
        printf("%7.2f%% %10s %10s\n", 100 * entry->accuracy, seconds_text(entry->seconds),
               size_text(entry->bytes));
    }
    for (size_t i = 0; i < comparison->count; i++)
        if (!comparison->entries[i].measured)
            printf("%-*s  left out: %s\n", width, comparison->entries[i].name,
                   comparison->entries[i].reason);
    printf("\ndata      %s in %zu classes", count_text(comparison->rows, "row"), pick->classes);
    print_label_column(stdout, comparison->label, comparison->label_reason);
    printf("\npick      %s%s: %s\n", pick->name,
           is_default(comparison, pick) ? ", the default" : "", reason_text(comparison));
    write_train(stdout, pick->options, pick->classes, data, path);
    puts(strcmp(data, "-") == 0 ? " (with the same data on standard input)" : "");
}

static void print_json(const struct comparison *comparison, const char *data)
{
    const struct compared_learner *pick = comparison->pick;
    OWNED(char) path = model_path(data);
    OWNED(char) command = train_text(pick->options, pick->classes, data, path);
    struct json json = json_open(stdout);
    json_count(&json, "learned", comparison->entries[0].learned);
    json_count(&json, "examples", comparison->entries[0].examples);
    json_label_column(&json, comparison->label, comparison->label_reason);
    if (comparison->metric)
        json_text(&json, "metric", comparison->metric);
    json_array(&json, "learners");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compared_learner *entry = &comparison->entries[i];
        json_object(&json, NULL);
        json_text(&json, "learner", entry->name);
        json_number(&json, "accuracy", entry->measured ? entry->accuracy : NAN);
        if (comparison->metric)
            json_number(&json, comparison->metric, entry->measured ? entry->value : NAN);
        if (entry->measured) {
            JSON_MEMBERS(&json, entry, correct, seconds, bytes);
            json_bool(&json, "cut", false);
        } else {
            JSON_MEMBERS(&json, entry, reason, cut);
        }
        json_end(&json);
    }
    json_end(&json);
    json_text(&json, "pick", pick->name);
    json_text(&json, "why", reason_text(comparison));
    json_text(&json, "command", command);
    json_facts(&json, tlu_split_get_facts(comparison->data));
    json_end(&json);
}

// ---- the verb

static tlu_status open_data(struct comparison *comparison, const struct arguments *arguments,
                            tlu_error *error)
{
    const char *test = arguments_text(arguments, "test"), *data = arguments->positional[0];
    if (test && strcmp(test, "-") == 0 && strcmp(data, "-") == 0)
        return fail_input(
            error, "standard input cannot be both DATA and --test; name a file for one of them");
    TRY(tlu_options_set(arguments->library, "seed", arguments_text(arguments, "seed"), error));
    TRY(tlu_split_new(data, arguments->library, test ? 1 : FOLDS, &comparison->data, error));
    comparison->test = comparison->data;
    comparison->folds = comparison->repeats = 1;
    if (test)
        return tlu_split_new(test, arguments->library, 1, &comparison->test, error);
    uint64_t rows = tlu_split_row_count(comparison->data);
    comparison->folds = rows <= SMALL_ROWS ? FOLDS : 1;
    if (rows <= SMALL_ROWS)
        comparison->repeats = rows < FEW_ROWS                 ? FEW_REPEATS
                              : MEASURED / rows > REPEATS_MAX ? REPEATS_MAX
                              : MEASURED / rows > 1           ? (size_t)(MEASURED / rows)
                                                              : 1;
    return TLU_OK;
}

// One metric is what learners are compared by.
static tlu_status set_metric(struct comparison *comparison, const struct arguments *arguments,
                             tlu_error *error)
{
    const tlu_metric_info *info;
    const char *name = tlu_options_get(arguments->library, "metric");
    bool several = strcmp(tlu_options_get(arguments->library, "multilabel"), "yes") == 0;
    if (!name[0] && several)
        name = "f1-micro";
    TRY(tlu_metric_find(name, &info, error));
    comparison->higher = info->higher_is_better;
    if (name[0] && strcmp(name, "accuracy") != 0)
        comparison->metric = name;
    return TLU_OK;
}

static tlu_status add_entry(struct comparison *comparison, const char *spec, size_t length,
                            const struct arguments *arguments, tlu_error *error)
{
    size_t count = 0, known = strcspn(spec, ":");
    const tlu_learner_info *learner;
    if (comparison->count == LEARNERS_MAX)
        return fail_input(error, "--learners: at most %d of them", LEARNERS_MAX);
    known = known < length ? known : length;
    while ((learner = tlu_learner_at(count)) != NULL &&
           (strlen(learner->name) != known || strncmp(learner->name, spec, known) != 0))
        count++;
    struct compared_learner *entry = &comparison->entries[comparison->count];
    // tlu_options_set_learner reports an unknown learner, with a suggestion.
    *entry = (struct compared_learner){.learner = learner ? learner : tlu_learner_at(0),
                                       .name = need(strndup(spec, length)),
                                       .place = comparison->count++,
                                       .measured = true};
    return set_options(arguments, entry, error);
}

static tlu_status prepare(struct comparison *comparison, const struct arguments *arguments,
                          tlu_error *error)
{
    const char *asked = arguments_text(arguments, "learners");
    const tlu_learner_info *learner;
    for (size_t i = 0; !asked && (learner = tlu_learner_at(i)); i++)
        TRY(add_entry(comparison, learner->name, strlen(learner->name), arguments, error));
    while (asked && *(asked += strspn(asked, ", "))) {
        size_t length = strcspn(asked, ", ");
        TRY(add_entry(comparison, asked, length, arguments, error));
        asked += length;
    }
    return comparison->count
               ? TLU_OK
               : fail_input(error, "--learners is empty; name a learner, such as arow");
}

// One pass tells which learner --learner auto chooses. Data that it cannot use has none.
static tlu_status find_usual(struct comparison *comparison, const struct arguments *arguments,
                             tlu_error *error)
{
    OWNED(tlu_model) model = NULL;
    TRY(tlu_options_set(arguments->library, "epochs", "1", error));
    bool parts = comparison->test == comparison->data;
    tlu_status status = tlu_split_train(comparison->data, parts ? 0 : TLU_NONE, arguments->library,
                                        NULL, NULL, &model, error);
    TRY(tlu_options_clear(arguments->library, "epochs", error));
    comparison->usual = need(strdup(status == TLU_OK ? tlu_model_learner(model) : ""));
    return status == TLU_ERROR_INPUT ? TLU_OK : status;
}

// Every learner on the same parts.
static tlu_status measure_all(struct comparison *comparison, bool visible, tlu_error *error)
{
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < comparison->repeats * comparison->folds; i++) {
        size_t part = i % comparison->folds;
        if (i > 0 && part == 0)
            status = tlu_split_shuffle(comparison->data, error);
        for (size_t e = 0; status == TLU_OK && e < comparison->count; e++) {
            if (visible)
                status_line("%zu of %zu: %s...", i + 1, comparison->repeats * comparison->folds,
                            comparison->entries[e].name);
            status = try_learner(comparison, comparison->test == comparison->data ? part : TLU_NONE,
                                 &comparison->entries[e], error);
        }
    }
    if (visible)
        status_clear();
    return status;
}

static void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        tlu_options_free(comparison->entries[i].options);
        free(comparison->entries[i].name);
        free(comparison->entries[i].right);
    }
    if (comparison->test != comparison->data)
        tlu_split_free(comparison->test);
    tlu_split_free(comparison->data);
    free(comparison->usual);
    free(comparison->label);
    free(comparison->label_reason);
    free(comparison);
}

typedef struct comparison comparison;
OWNED_TYPE(comparison, comparison_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    OWNED(comparison) all = need(calloc(1, sizeof *all));
    all->limit = arguments_number(arguments, "limit");
    TRY(set_metric(all, arguments, error));
    TRY(open_data(all, arguments, error));
    TRY(prepare(all, arguments, error));
    TRY(find_usual(all, arguments, error));
    TRY(measure_all(all, arguments_progress(arguments), error));
    qsort_r(all->entries, all->count, sizeof *all->entries, by_quality, all);
    if (!all->entries[0].measured) // the data is to blame
        return fail_input(error, "%s", all->entries[0].reason);
    choose(all);
    (arguments->json ? print_json : print_text)(all, arguments->positional[0]);
    if (!arguments->json && !arguments->quiet)
        print_facts(stderr, tlu_split_get_facts(all->data));
    return TLU_OK;
}

const struct verb compare_verb = {
    .name = "compare",
    .summary = "measure every learner on the data and name the one to use",
    .description =
        "Trains every learner with its defaults, but with --scale auto (naive Bayes: none) and "
        "--multiclass auto, and measures all of them on the same rows: those of --test, or by "
        "cross-validation with five folds (up to 2,000 rows repeated 2 to 20 times; above 5,000 "
        "rows, one of the folds). Prints a table, the best by accuracy or --metric first, with the "
        "CPU time of one training and size of the model, then the learner to pick and the command "
        "that trains it. With "
        "--metric the pick is the best. Without it, the pick is the learner that "
        "--learner auto chooses for the data, unless the best "
        "is significantly better (McNemar's test, 5%) or more than 0.7 points above it (below 500 "
        "rows, one point; below 200 rows only the test counts); else the simplest learner within "
        "one point of the best and not significantly worse. Learners that cannot use the data, or "
        "not within --limit, are listed with the reason. max-margin runs with --C 1, "
        "bernoulli-bayes with --binarize.",
    .arguments = {LABELLED_ARGUMENT},
    .groups = "reading data measuring",
    .common = "test metric label learners limit",
    OPTIONS(options),
    .examples = {"tlu compare data/iris.csv",
                 "tlu compare data/digits-train.svm --test data/digits-test.svm",
                 "tlu compare data/iris.csv --metric f1-macro",
                 "tlu compare data/iris.csv --learners alma,arow:r=0.1,arow:r=1",
                 "tlu compare data/weather.csv --json"},
    .run = run,
};
