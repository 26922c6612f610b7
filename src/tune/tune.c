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
#define SECONDS_MIN 0.5
#define RACE_SHARE 0.4    // of the time for all folds of the table without halving
#define REPEAT_ROWS 20000 // more rows are divided again only if the user gives a time
#define FINALISTS 12      // candidates in the first repeat
#define FINALISTS_MIN 4   // that halving leaves for the later ones
#define REFINE_BUDGET 0.6 // of the budget, after which the repeats begin
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

void tune_sort(struct candidate **candidates, size_t count)
{
    qsort(candidates, count, sizeof(struct candidate *), by_score);
}

static void sum_up(const struct tune *tune, struct candidate *candidate, size_t folds)
{
    double mean = 0, squares = 0, count = (double)folds;
    for (size_t i = 0; i < folds; i++)
        mean += candidate->results[i].score / count;
    for (size_t i = 0; i < folds; i++)
        squares += (candidate->results[i].score - mean) * (candidate->results[i].score - mean);
    candidate->shown.folds = folds;
    candidate->shown.score = mean;
    candidate->rank = tune->lower ? -mean : mean;
    candidate->shown.deviation = folds > 1 ? sqrt(squares / (count - 1)) : 0;
    double once = folds < tune->settings->folds ? count : (double)tune->settings->folds;
    candidate->shown.standard_error = candidate->shown.deviation / sqrt(once);
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

// Passes of the trainings on some folds that are still to be made.
static uint64_t passes_ahead(const struct tune *tune, size_t first, size_t count)
{
    uint64_t passes = 0;
    for (size_t i = 0; i < tune->racing_count; i++)
        for (size_t fold = first; fold < first + count; fold++) {
            const struct candidate *candidate = tune->racing[i];
            bool measured = fold < candidate->capacity && candidate->results[fold].measured;
            passes += measured ? 0 : candidate_passes(tune, candidate);
        }
    return passes;
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

// The time on the clock for the last training, on all rows, which reads the data again.
static double reserve(const struct tune *tune)
{
    double folds = (double)tune->settings->folds;
    if (tune->settings->seconds <= 0 || !tune->best)
        return 0;
    return tune->opening + candidate_seconds(tune, tune->best) * folds / (folds - 1);
}

// The seconds that the search may use.
static double search_end(const struct tune *tune)
{
    return tune->limit > 0 ? tune->limit - reserve(tune) : INFINITY;
}

static double passes_left(const struct tune *tune, double share)
{
    double budget = (double)tune->settings->budget;
    return budget > 0 ? share * budget - (double)tune->shown.passes : INFINITY;
}

bool tune_has_time(const struct tune *tune, double share)
{
    return !tune->stopped && tune_used(tune, 0) < share * search_end(tune) &&
           passes_left(tune, share) > 0;
}

bool tune_has_repeats(const struct tune *tune)
{
    return !tune->settings->exhaustive && tune->settings->repeats != 1 &&
           (tune->shown.rows <= REPEAT_ROWS || tune->settings->seconds > 0);
}

double tune_used_share(const struct tune *tune)
{
    return tune->limit > 0 ? fmin(tune_used(tune, 0) / search_end(tune), 1) : 0;
}

// Drops candidates if the rest of the budget is not enough for all of them on `folds` more folds.
static void fit_budget(struct tune *tune, size_t folds, double share)
{
    while (tune->racing_count &&
           passes_of(tune, tune->racing_count) * (double)folds > passes_left(tune, share))
        tune->racing[--tune->racing_count]->fate = TOO_EXPENSIVE;
}

// The number of folds from `first` on that all candidates were measured on. Later folds do not
// count, because candidates must be compared on the same rows.
static size_t finished_folds(const struct tune *tune, size_t first, size_t count)
{
    size_t done = 0;
    for (bool all = true; all && done < count; done += all)
        for (size_t i = 0; i < tune->racing_count; i++)
            all = all && (tune->racing[i]->fate == REFUSED ||
                          tune->racing[i]->results[first + done].measured);
    return done;
}

// Drops candidates that were not measured on the folds.
static void count_folds(struct tune *tune, size_t folds)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->racing_count; i++) {
        struct candidate *candidate = tune->racing[i];
        if (candidate->fate == REFUSED || !candidate->results[folds - 1].measured)
            continue;
        sum_up(tune, candidate, folds);
        candidate->fate = IN_RACE;
        tune->racing[count++] = candidate;
    }
    tune->racing_count = count;
    tune_sort(tune->racing, count);
}

// Seconds that the first `count` candidates need for some folds.
static double seconds_of(const struct tune *tune, size_t count, size_t folds)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += candidate_seconds(tune, tune->racing[i]);
    return sum * (double)folds / (double)tune->threads;
}

// The number of candidates that go on: half of them, or more if there is time for them on all the
// other folds. A budget always keeps half.
static size_t kept_count(const struct tune *tune, size_t folds, double share)
{
    size_t kept = halved(tune->racing_count);
    double left = share * search_end(tune) - tune_used(tune, 0);
    while (tune->limit > 0 && kept < tune->racing_count &&
           seconds_of(tune, kept + 1, folds) <= left)
        kept++;
    return kept;
}

// The repeats get the time that TUNE_REPEATS divisions take, but at most half of what is left.
double tune_refine_share(const struct tune *tune, double used)
{
    double end = search_end(tune), seconds = 0;
    size_t best = tune->shown.count < FINALISTS_MIN ? tune->shown.count : FINALISTS_MIN;
    if (!tune_has_repeats(tune))
        return 1;
    if (tune->limit <= 0)
        return REFINE_BUDGET;
    for (size_t i = 0; i < best; i++)
        seconds += candidate_seconds(tune, tune->candidates[i]) / (double)best;
    double trainings =
        (double)tune->settings->folds * (FINALISTS_MIN * TUNE_REPEATS + 2.0 * FINALISTS);
    seconds *= trainings / (double)tune->threads;
    return fmax((1 + used) / 2, 1 - seconds / end);
}

// Drops candidates that are significantly worse than the best, then all but the first `kept`.
static void thin_out(struct tune *tune, size_t kept, const struct candidate *best)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->racing_count; i++) {
        struct candidate *candidate = tune->racing[i];
        if ((i > 0 && is_worse(tune, tune->racing[0], candidate)) ||
            (best && is_worse(tune, best, candidate)))
            candidate->fate = WORSE;
        else if (i >= kept)
            candidate->fate = HALVED;
        else
            tune->racing[count++] = candidate;
    }
    tune->racing_count = count;
}

// Drops candidates so that the best reach the last fold in time, if each fold halves them.
static void fit_time(struct tune *tune, size_t folds, double share)
{
    double left = share * search_end(tune) - tune_used(tune, 0);
    for (; tune->limit > 0 && tune->racing_count > 1; tune->racing_count--) {
        double sum = 0;
        size_t count = tune->racing_count;
        for (size_t fold = 0; fold < folds; fold++, count = halved(count))
            sum += seconds_of(tune, tune->settings->exhaustive ? tune->racing_count : count, 1);
        if (sum <= left)
            return;
        tune->racing[tune->racing_count - 1]->fate = OUT_OF_TIME;
    }
}

tlu_status tune_race(struct tune *tune, double share, const struct candidate *best,
                     tlu_error *error)
{
    size_t folds = tune->settings->folds;
    bool exhaustive = tune->settings->exhaustive;
    for (size_t fold = 0; fold < folds && tune->racing_count; fold++) {
        double end = search_end(tune) * (best ? share : fold || exhaustive ? 1 : FIRST_SHARE);
        if (best)
            fit_budget(tune, folds - fold, share);
        else if (fold > 0)
            fit_budget(tune, 1, 1);
        tune->shown.passes += passes_ahead(tune, fold, 1);
        TRY(race_folds(tune, fold, 1, end, error));
        if (fold > 0 && finished_folds(tune, fold, 1) == 0)
            break;
        count_folds(tune, fold + 1);
        if (!best && tune->racing_count)
            tune->best = tune->racing[0];
        if (tune->stopped || fold + 1 == folds)
            break;
        size_t left = folds - fold - 1;
        if (!exhaustive)
            thin_out(tune, kept_count(tune, left, best ? share : RACE_SHARE), best);
        fit_time(tune, left, best ? share : 1);
    }
    return TLU_OK;
}

// ---- repeats ----

// The best candidates that were measured on all folds, first those of earlier repeats.
static tlu_status choose_finalists(struct tune *tune, tlu_error *error)
{
    struct candidate **racing =
        memory_resize(tune->racing, tune->shown.count + 1, sizeof *tune->racing);
    TRY(enough_memory(racing != NULL, error));
    tune->racing = racing;
    tune->racing_count = 0;
    tune_sort(tune->candidates, tune->shown.count);
    for (size_t i = 0; i < tune->shown.count && tune->racing_count < FINALISTS; i++) {
        struct candidate *candidate = tune->candidates[i];
        if (candidate->fate == IN_RACE && candidate->shown.folds >= tune->settings->folds &&
            !is_worse(tune, tune->candidates[0], candidate) && !equals_parent(tune, candidate))
            tune->racing[tune->racing_count++] = candidate;
    }
    // All begin with the first division; what was measured before is not measured again.
    for (size_t i = 0; i < tune->shown.count; i++)
        if (tune->candidates[i]->shown.folds > tune->settings->folds)
            sum_up(tune, tune->candidates[i], tune->settings->folds);
    tune_sort(tune->racing, tune->racing_count);
    tune->divisions = 1;
    return TLU_OK;
}

// Leaves as many finalists as there is time for, with the names of those that were measured.
static void fit_finalists(struct tune *tune)
{
    size_t folds = tune->settings->folds, before = tune->racing_count;
    double left = search_end(tune) - tune_used(tune, 0);
    while (tune->racing_count > 1 &&
           ((tune->limit > 0 && seconds_of(tune, tune->racing_count, folds) > left) ||
            passes_of(tune, tune->racing_count) * (double)folds > passes_left(tune, 1)))
        tune->racing_count--;
    for (size_t i = tune->racing_count; tune->racing_count > 1 && i < before; i++)
        tune->racing[i]->fate = tune->settings->budget ? TOO_EXPENSIVE : OUT_OF_TIME;
    tune->cut = tune->cut || (tune->limit > 0 && tune->racing_count < before);
}

// Drops those that more divisions would not make the winner, but for FINALISTS_MIN.
static void drop_settled(struct tune *tune)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->racing_count; i++) {
        struct candidate *candidate = tune->racing[i];
        if (i >= FINALISTS_MIN && tune->divisions >= TUNE_REPEATS &&
            is_settled(tune, tune->racing[0], candidate))
            candidate->fate = HALVED;
        else
            tune->racing[count++] = candidate;
    }
    tune->racing_count = count;
}

static tlu_status run_repeat(struct tune *tune, tlu_error *error)
{
    size_t folds = tune->settings->folds, first = tune->divisions * folds;
    for (size_t v = 0; v < tune->view_count; v++)
        TRY(split_divide(tune->views[v].rows, tune->divisions + 1, error));
    tune->shown.passes += passes_ahead(tune, first, folds);
    TRY(race_folds(tune, first, folds, search_end(tune), error));
    size_t done = finished_folds(tune, first, folds);
    for (size_t i = 0; i < tune->racing_count; i++)
        if (tune->racing[i]->fate == OUT_OF_TIME)
            tune->racing[i]->fate = IN_RACE; // it has all folds of earlier divisions
    tune->cut = tune->cut || done < folds;
    if (done == 0)
        return TLU_OK;
    count_folds(tune, first + done);
    tune->divisions++;
    if (done == folds && tune->racing_count > 1) {
        size_t ahead = tune->divisions < TUNE_REPEATS ? TUNE_REPEATS - tune->divisions : 1;
        size_t kept = kept_count(tune, folds * ahead, 1);
        thin_out(tune, kept > FINALISTS_MIN ? kept : FINALISTS_MIN, NULL);
        drop_settled(tune);
    }
    return TLU_OK;
}

static bool are_settled(const struct tune *tune)
{
    bool settled = tune->divisions >= TUNE_REPEATS;
    for (size_t i = 1; i < tune->racing_count; i++)
        settled = settled && is_settled(tune, tune->racing[0], tune->racing[i]);
    return settled;
}

// Deals the rows out to folds again for the best, until one is left, or chance plays no role any
// more.
static tlu_status run_repeats(struct tune *tune, tlu_error *error)
{
    size_t most = tune->settings->repeats ? tune->settings->repeats
                  : tune->limit > 0       ? SIZE_MAX
                                          : TUNE_REPEATS;
    tune->stage = "repeat";
    if (!tune_has_repeats(tune))
        return TLU_OK;
    TRY(choose_finalists(tune, error));
    while (tune->divisions < most && !tune->cut && !are_settled(tune) && tune_has_time(tune, 1)) {
        fit_finalists(tune);
        if (tune->racing_count < 2)
            break;
        TRY(run_repeat(tune, error));
    }
    return TLU_OK;
}

static tlu_status run_stages(struct tune *tune, tlu_error *error)
{
    tune->divisions = 1;
    tune->stage = "table";
    TRY(tune_race(tune, 1, NULL, error));
    tune->open = tune->best && !tune->settings->exhaustive && !tune->stopped;
    for (size_t before = 0; tune->open && tune->shown.trainings > before;) {
        before = tune->shown.trainings;
        TRY(refine(tune, error));
        TRY(run_repeats(tune, error));
        if (tune->limit <= 0 || tune->cut || !tune_has_time(tune, 1))
            break;
    }
    bool over = tune->limit > 0 && !tune_has_time(tune, 1);
    tune->shown.stopped = tune->stopped ? "interrupted" : over || tune->cut ? "time" : "done";
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
    tune->opening = (clock_seconds() - tune->started) / (double)tune->view_count;
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
        candidate->shown.reason = candidate->reason;
        candidate->shown.seconds = candidate->seconds;
        candidate->shown.outcome = fate == OUT_OF_TIME && interrupted ? "interrupted" : fates[fate];
    }
    const struct candidate *best = tune->candidates[0];
    const struct candidate *second = tune->shown.count > 1 ? tune->candidates[1] : NULL;
    tune->shown.repeats = tune->divisions;
    tune->shown.p_value = tune->shown.differing_rows = NAN;
    if (second && best->shown.folds && second->shown.folds == best->shown.folds)
        compare_pair(tune, best, second, &tune->shown.p_value, &tune->shown.differing_rows);
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
    return error_input(error, "%g seconds are not enough for one training; give it more time",
                       tune->limit);
}

static tlu_status run(struct tune *tune, tlu_error *error)
{
    TRY(prepare(tune, error));
    TRY(run_stages(tune, error));
    tune_sort(tune->candidates, tune->shown.count);
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
