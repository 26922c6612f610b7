// The main loop of tuning.
#include "tune/tune.h"

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "data/cache.h"
#include "metrics/metrics.h"
#include "model/model.h"
#include "train/clock.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SHARE 0.4 // of the time for the first fold; later folds have fewer candidates
#define SECONDS_MIN 0.05
#define SECONDS_PER_ENTRY 1.6e-6

#define FATE_NAME(fate, name) [fate] = name,
static const char *const fates[] = {FATES(FATE_NAME)};

// CPU time of all threads.
static double process_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tune_used(const struct tune *tune, double own)
{
    if (tune->settings->seconds > 0)
        return clock_seconds() - tune->started;
    double spent = 1e-6 * (double)atomic_load(&tune->spent);
    return tune->read + (spent + own) / (double)tune->threads;
}

// ---- the order of candidates ----

// Rounds off the effect of the order in which fold scores are added.
static double rounded(double score)
{
    return floor(score * 1e12 + 0.5);
}

// Candidates measured on more folds rank higher, then by score, then by place in the table.
static int by_score(const void *left, const void *right)
{
    const struct candidate *a = *(struct candidate *const *)left;
    const struct candidate *b = *(struct candidate *const *)right;
    if (a->shown.folds != b->shown.folds)
        return a->shown.folds > b->shown.folds ? -1 : 1;
    if (a->shown.folds && rounded(a->rank) != rounded(b->rank))
        return a->rank > b->rank ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void sort(struct candidate **candidates, size_t count)
{
    qsort(candidates, count, sizeof(struct candidate *), by_score);
}

static void sum_up(struct candidate *candidate, size_t folds, bool lower)
{
    double mean = 0, squares = 0, count = (double)folds;
    for (size_t i = 0; i < folds; i++)
        mean += candidate->scores[i] / count;
    for (size_t i = 0; i < folds; i++)
        squares += (candidate->scores[i] - mean) * (candidate->scores[i] - mean);
    candidate->shown.folds = folds;
    candidate->shown.score = mean;
    candidate->rank = lower ? -mean : mean;
    candidate->shown.deviation = folds > 1 ? sqrt(squares / (count - 1)) : 0;
}

// ---- the folds ----

static double passes_of(const struct tune *tune, size_t count)
{
    double passes = 0;
    for (size_t i = 0; i < count; i++)
        passes += (double)candidate_passes(tune, tune->racing[i]);
    return passes;
}

static size_t halved(size_t count)
{
    size_t half = (count + 1) / 2;
    return half >= TUNE_FEW ? half : count < TUNE_FEW ? count : TUNE_FEW;
}

// Number of trainings in a race of this many candidates if the test drops none.
static double trainings_of(const struct tune *tune, size_t count)
{
    double sum = 0;
    for (size_t fold = 0; fold < tune->settings->folds; fold++) {
        sum += (double)count;
        if (!tune->settings->exhaustive)
            count = halved(count);
    }
    return sum;
}

// With a budget, starts as many of the first candidates as can finish the race.
static tlu_status choose_starters(struct tune *tune, tlu_error *error)
{
    double budget = (double)tune->settings->budget;
    tune->racing = memory_copy(tune->candidates, tune->shown.count, sizeof *tune->racing);
    TRY(enough_memory(tune->racing != NULL, error));
    size_t count = tune->racing_count = tune->shown.count;
    while (budget > 0 && count > 0 &&
           passes_of(tune, count) / (double)count * trainings_of(tune, count) > budget)
        count--;
    if (count == 0 && passes_of(tune, 1) > budget)
        return error_input(error,
                           "a budget of %.0f passes is not enough for one training: %s takes %.0f",
                           budget, tune->racing[0]->name, passes_of(tune, 1));
    tune->racing_count = count ? count : 1;
    return TLU_OK;
}

// Drops candidates if the rest of the budget is not enough for all of them on one more fold.
static void fit_budget(struct tune *tune)
{
    double budget = (double)tune->settings->budget - (double)tune->shown.passes;
    while (tune->settings->budget && tune->racing_count &&
           passes_of(tune, tune->racing_count) > budget)
        tune->racing[--tune->racing_count]->fate = TOO_EXPENSIVE;
}

// The first fold counts for the candidates that finished it; a later fold counts only if all did,
// because candidates must be compared on the same rows.
static bool is_finished(const struct tune *tune, size_t fold)
{
    size_t missing = 0;
    for (size_t i = 0; i < tune->racing_count; i++)
        missing += tune->racing[i]->fate == OUT_OF_TIME;
    return fold == 0 || missing == 0;
}

// Drops candidates that were not measured on the fold.
static void count_fold(struct tune *tune, size_t fold)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->racing_count; i++) {
        struct candidate *candidate = tune->racing[i];
        if (candidate->fate != IN_RACE)
            continue;
        sum_up(candidate, fold + 1, tune->lower);
        tune->racing[count++] = candidate;
    }
    tune->racing_count = count;
    sort(tune->racing, count);
}

// Drops candidates that are significantly worse than the best, then the worse half.
static void thin_out(struct tune *tune)
{
    size_t kept = halved(tune->racing_count), count = 0;
    for (size_t i = 0; i < tune->racing_count; i++) {
        struct candidate *candidate = tune->racing[i];
        if (i > 0 && is_worse(tune, tune->racing[0], candidate))
            candidate->fate = WORSE;
        else if (i >= kept)
            candidate->fate = HALVED;
        else
            tune->racing[count++] = candidate;
    }
    tune->racing_count = count;
}

// Seconds that the first `count` candidates need for the rest of the race.
static double seconds_of(const struct tune *tune, size_t count, size_t fold)
{
    double sum = 0;
    for (; fold < tune->settings->folds; fold++) {
        for (size_t i = 0; i < count; i++)
            sum += tune->racing[i]->seconds / (double)tune->racing[i]->shown.folds;
        if (!tune->settings->exhaustive)
            count = halved(count);
    }
    return sum / (double)tune->threads;
}

// Drops candidates so that the best reach the last fold in time.
static void fit_time(struct tune *tune, size_t fold)
{
    double left = tune->limit - tune_used(tune, 0);
    while (tune->limit > 0 && tune->racing_count > 1 &&
           seconds_of(tune, tune->racing_count, fold) > left)
        tune->racing[--tune->racing_count]->fate = OUT_OF_TIME;
}

static tlu_status run_folds(struct tune *tune, tlu_error *error)
{
    bool stopped = false;
    double end = tune->limit > 0 ? tune->limit : INFINITY;
    for (size_t fold = 0; fold < tune->settings->folds && tune->racing_count; fold++) {
        bool half = fold == 0 && !tune->settings->exhaustive;
        tune->shown.passes += (uint64_t)passes_of(tune, tune->racing_count);
        TRY(race_fold(tune, fold, half ? end * FIRST_SHARE : end, &stopped, error));
        if (!is_finished(tune, fold))
            break;
        count_fold(tune, fold);
        if (stopped || fold + 1 == tune->settings->folds)
            break;
        if (!tune->settings->exhaustive)
            thin_out(tune);
        fit_budget(tune);
        fit_time(tune, fold + 1);
    }
    tune->shown.stopped = stopped ? "interrupted" : tune_used(tune, 0) > end ? "time" : "done";
    return TLU_OK;
}

// ---- Limits and results ----

// The default time: a fraction of a second for small data, the time of some passes for large data.
static double sensible_seconds(const tlu_split *rows)
{
    double entries = (double)split_summary(rows)->nonzeros, classes = (double)split_classes(rows);
    return SECONDS_MIN + SECONDS_PER_ENTRY * entries * (classes > 2 ? sqrt(classes) : 1);
}

static tlu_status choose_metric(struct tune *tune, tlu_error *error)
{
    struct chosen_metric chosen;
    TRY(metric_choose(metric_asked(tune->given), &chosen, error));
    metric_name(&chosen, tune->metric);
    tune->shown.metric = tune->metric;
    tune->by_rows = strcmp(tune->metric, "accuracy") == 0;
    tune->lower = !chosen.metric->info.higher_is_better;
    return TLU_OK;
}

static tlu_status prepare(struct tune *tune, tlu_error *error)
{
    const tlu_tune_settings *settings = tune->settings;
    struct cache cache;
    double before = process_seconds();
    TRY(choose_metric(tune, error));
    TRY(views_open(tune, error));
    const tlu_split *rows = tune->views[0].rows;
    TRY(candidates_make(tune, error));
    cache_init(&cache, tune->given);
    uint64_t copies = split_bytes(rows) ? cache.limit / split_bytes(rows) : 1;
    tune->threads = parallel_threads((size_t)options_count(tune->given, OPTION_THREADS));
    if (copies < tune->threads) // each thread has its own copy of the rows
        tune->threads = copies ? (size_t)copies : 1;
    cache_free(&cache);
    tune->read = (process_seconds() - before) / (double)tune->threads;
    tune->limit = settings->seconds > 0 ? settings->seconds
                  : settings->budget    ? 0
                                        : sensible_seconds(rows);
    tune->shown.rows = tlu_split_row_count(rows);
    tune->shown.classes = split_classes(rows);
    tune->shown.folds = settings->folds;
    tune->facts = split_take_facts(tune->views[0].rows);
    tune->shown.facts = &tune->facts.view;
    tune->shown.limit = tune->limit;
    return choose_starters(tune, error);
}

static void show(struct tune *tune)
{
    bool interrupted = tune->shown.stopped[0] == 'i';
    for (size_t i = 0; i < tune->shown.count; i++) {
        struct candidate *candidate = tune->candidates[i];
        enum fate fate = candidate->fate;
        candidate->shown.name = candidate->name;
        candidate->shown.options = candidate->options;
        candidate->shown.reason = candidate->reason;
        candidate->shown.seconds = candidate->seconds;
        candidate->shown.outcome = fate == OUT_OF_TIME && interrupted ? "interrupted" : fates[fate];
    }
    tune->shown.candidates = (const tlu_candidate *const *)tune->candidates;
    tune->shown.seconds = clock_seconds() - tune->started;
}

// Reports why nothing was measured: too little time, or unsuitable data.
static tlu_status nothing(const struct tune *tune, tlu_error *error)
{
    if (tune->shown.stopped[0] == 'i')
        return error_interrupted(error, "stopped before anything was measured");
    for (size_t i = 0; i < tune->shown.count; i++)
        if (tune->candidates[i]->fate == REFUSED)
            return error_input(error, "%s", tune->candidates[i]->reason);
    return error_input(error, "%g seconds are not enough for one training: give it more time",
                       tune->limit);
}

static tlu_status run(struct tune *tune, tlu_error *error)
{
    TRY(prepare(tune, error));
    TRY(run_folds(tune, error));
    sort(tune->candidates, tune->shown.count);
    show(tune);
    return tune->candidates[0]->shown.folds ? TLU_OK : nothing(tune, error);
}

static tlu_status check_settings(tlu_tune_settings *own, const tlu_tune_settings *given,
                                 tlu_error *error)
{
    TRY(settings_take(own, sizeof *own, given, "tlu_tune_settings", error));
    own->folds = own->folds ? own->folds : TUNE_FOLDS;
    if (!own->path)
        return error_input(error, "tuning needs a path");
    if (own->folds < 2)
        return error_input(error, "tuning takes 2 folds or more");
    if (!(own->seconds >= 0))
        return error_input(error, "the seconds of tuning are 0 or more");
    return TLU_OK;
}

tlu_status tlu_tune(const tlu_tune_settings *settings, const tlu_options *options,
                    tlu_tuning **tuning, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_tune_settings own;
    struct callback progress;
    *tuning = NULL;
    TRY(check_settings(&own, settings, error));
    CALLBACK(progress, tune, own.progress, own.progress_context, caller);
    struct tune *tune = memory_new(1, sizeof *tune);
    tlu_options *given = options_copy(options);
    if (tune)
        tune->path = memory_copy_text(own.path, strlen(own.path));
    tlu_status status = enough_memory(tune && given && tune->path, error);
    if (status == TLU_OK) {
        tune->settings = &own;
        tune->given = given;
        tune->started = clock_seconds();
        status = run(tune, error);
        views_close(tune);
        tune->settings = NULL;
        tune->given = NULL;
    }
    tlu_options_free(given);
    if (status == TLU_OK)
        *tuning = &tune->shown;
    else if (tune)
        tlu_tuning_free(&tune->shown);
    return status;
}

tlu_status tlu_tuning_train(const tlu_tuning *tuning, size_t candidate,
                            tlu_progress_function progress, void *context, tlu_model **model,
                            tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const struct tune *tune = (const struct tune *)tuning;
    *model = NULL;
    if (candidate >= tuning->count)
        return error_input(error, "there is no candidate %zu: there are %zu", candidate,
                           tuning->count);
    struct callback own;
    CALLBACK(own, progress, progress, context, caller);
    struct training training = {.rows = {.path = tune->path, .row_source = tune->whole},
                                .reporter = {.progress = progress, .context = context}};
    return model_train(&training, tune->candidates[candidate]->options, NULL, model, error);
}

void tlu_tuning_free(tlu_tuning *tuning)
{
    struct tune *tune = (struct tune *)tuning;
    if (!tune)
        return;
    for (size_t i = 0; i < tune->shown.count; i++)
        candidate_free(tune->candidates[i]);
    memory_free(tune->candidates);
    memory_free(tune->racing);
    data_facts_free(&tune->facts);
    memory_free(tune->path);
    memory_free(tune->bytes);
    memory_free(tune);
}
