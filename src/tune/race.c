// Measures the racing candidates on some folds: for each fold, a candidate is trained on the other
// folds. A training runs in one thread; results do not depend on the order in which trainings
// finish.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/thread.h"
#include "train/clock.h"
#include "tune/tune.h"

#include <math.h>
#include <string.h>

#define REPORT_SECONDS 0.05 // between two calls of the progress callback

// CPU time of this thread.
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct race {
    struct tune *tune;
    size_t first, folds; // range of folds to measure on
    size_t jobs;         // trainings: all candidates on the first fold, then on the next
    double deadline;     // as tune_used counts seconds
    double end;          // the deadline as long as nothing was measured
    atomic_size_t measured;
    bool told;             // this thread also calls the progress callback
    atomic_bool over;      // start no training, and stop those that run
    pthread_mutex_t mutex; // protects the following, and the data that candidates share
    pthread_cond_t changed;
    size_t next, done; // jobs
    double spent;      // seconds of training
    tlu_status status;
    tlu_error *error;
};

// ---- Progress reports ----

// Returns an upper bound, or -1 if there is no estimate yet.
static double seconds_left(const struct race *race)
{
    const struct tune *tune = race->tune;
    if (tune->limit > 0 || race->done == 0) {
        double left = tune->limit - tune_used(tune, 0);
        return tune->limit <= 0 ? -1 : left > 0 ? left : 0;
    }
    double trainings = (double)(race->jobs - race->done);
    return trainings * race->spent / (double)race->done / (double)tune->threads;
}

static void tell(struct race *race)
{
    struct tune *tune = race->tune;
    if (!tune->settings->progress)
        return;
    pthread_mutex_lock(&race->mutex);
    size_t done = race->done / tune->racing_count, folds = tune->settings->folds;
    size_t fold = race->first + (done < race->folds ? done : race->folds - 1);
    if (tune->best)
        tune->best->shown.seconds = tune->best->seconds;
    tlu_tune_progress progress = {.fold = fold % folds + 1,
                                  .folds = folds,
                                  .done = race->done - (fold - race->first) * tune->racing_count,
                                  .racing = tune->racing_count,
                                  .best = tune->best ? &tune->best->shown : NULL,
                                  .seconds = clock_seconds() - tune->started,
                                  .seconds_left = seconds_left(race),
                                  .stage = tune->stage,
                                  .repeat = fold / folds + 1};
    pthread_mutex_unlock(&race->mutex);
    if (tune->settings->progress(tune->settings->progress_context, &progress) == 0)
        return;
    tune->stopped = true;
    atomic_store(&race->over, true);
}

// ---- one training ----

// A race ends at its deadline, or at `end` if nothing was measured by then. `own` is the CPU time
// that this thread's training has used so far.
static bool is_over(struct race *race, double own)
{
    double used = tune_used(race->tune, own);
    return atomic_load(&race->over) || used > race->end ||
           (used > race->deadline && atomic_load(&race->measured) > 0);
}

struct job {
    struct race *race;
    double began; // thread_seconds
};

static int watch(void *context, const tlu_progress *progress)
{
    const struct job *job = context;
    (void)progress;
    if (job->race->told)
        tell(job->race);
    return is_over(job->race, thread_seconds() - job->began);
}

static tlu_status take(struct fold_result *result, size_t fold, const tlu_evaluation *evaluation,
                       tlu_error *error)
{
    size_t count = (size_t)evaluation->examples;
    double value = evaluation->metrics[0].value;
    if (isnan(value))
        return error_input(error, "%s is not defined for fold %zu", evaluation->metrics[0].name,
                           fold + 1);
    result->right = memory_copy(evaluation->is_correct, count, 1);
    TRY(enough_memory(result->right != NULL || count == 0, error));
    result->examples = count;
    result->score = value;
    result->measured = true;
    return TLU_OK;
}

static tlu_status learn_and_measure(struct race *race, struct candidate *candidate, size_t fold,
                                    const tlu_options *options, tlu_error *error)
{
    tlu_model *model;
    tlu_evaluation *evaluation = NULL;
    const tlu_split *rows = candidate->view->rows;
    size_t part = fold % race->tune->settings->folds;
    struct job job = {race, thread_seconds()};
    TRY(split_train_from(rows, part, options, &candidate->path.of->results[fold].multipliers, watch,
                         &job, &model, error));
    tlu_status status = TLU_OK;
    if (strcmp(tlu_model_report(model)->stopped, "interrupted") != 0)
        status = tlu_split_evaluate(rows, part, model, options, &evaluation, error);
    if (status == TLU_OK && evaluation)
        status = take(&candidate->results[fold], part, evaluation, error);
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    return status;
}

// Without held-out rows the metric does not affect training, so candidates do not carry it.
static tlu_status set_metric(tlu_options *options, const tlu_options *given, tlu_error *error)
{
    static const enum option measuring[] = {OPTION_METRIC, OPTION_COSTS, OPTION_WEIGHTED};
    for (size_t i = 0; i < sizeof measuring / sizeof measuring[0]; i++)
        if (options_is_set(given, measuring[i]))
            TRY(tlu_options_set(options, tlu_option_at(measuring[i])->name,
                                options_text(given, measuring[i]), error));
    return TLU_OK;
}

static tlu_status run(struct race *race, struct candidate *candidate, size_t fold, tlu_error *error)
{
    const tlu_split *rows = candidate->view->rows;
    tlu_options *options = options_copy(candidate->options);
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "threads", "1", error);
    if (status == TLU_OK)
        status = split_adapt(rows, options, error);
    if (status == TLU_OK)
        status = set_metric(options, race->tune->given, error);
    if (status == TLU_OK)
        status = learn_and_measure(race, candidate, fold, options, error);
    tlu_options_free(options);
    return status == TLU_INTERRUPTED ? TLU_OK : status;
}

// A learner that cannot use this data is left out; that is not an error.
static tlu_status refuse(struct candidate *candidate, tlu_error *error)
{
    if (candidate->fate == REFUSED)
        return TLU_OK;
    candidate->fate = REFUSED;
    candidate->reason = memory_copy_text(error->text, strlen(error->text));
    return enough_memory(candidate->reason != NULL, error);
}

// ---- the threads ----

struct turn {
    struct candidate *candidate;
    size_t fold;
};

// Whether a candidate's first training, and then those on the other folds, can end in time. True
// for candidates that were trained before, and until something was measured.
static bool has_time(const struct race *race, struct candidate *candidate)
{
    const struct tune *tune = race->tune;
    if (tune->limit <= 0 || candidate->trainings > 0)
        return true;
    double seconds = candidate_seconds(tune, candidate), used = tune_used(tune, 0);
    double folds = (double)tune->settings->folds;
    bool fine = used + seconds <= race->deadline && used + seconds * folds <= tune->limit;
    if (!fine && atomic_load(&race->measured) > 0 && !candidate->reason) {
        static const char why[] = "not tried: a training would take longer than there is time";
        candidate->reason = memory_copy_text(why, strlen(why)); // out of memory: no reason
    }
    return fine || atomic_load(&race->measured) == 0;
}

// Finds the next training: on the same path if one is left, else on the next path or fold.
static bool next(struct race *race, struct turn *turn)
{
    const struct tune *tune = race->tune;
    bool over = is_over(race, 0), found = false;
    pthread_mutex_lock(&race->mutex);
    while (!over && !found && (turn->candidate || race->next < race->jobs)) {
        struct candidate *candidate = turn->candidate ? turn->candidate->path.next : NULL;
        if (!turn->candidate) {
            size_t job = race->next++;
            candidate = tune->racing[job % tune->racing_count];
            candidate = candidate->path.leads ? candidate->path.of->path.first : NULL;
            turn->fold = race->first + job / tune->racing_count;
        }
        turn->candidate = candidate;
        if (!candidate)
            continue;
        found = candidate->fate != REFUSED && !candidate->results[turn->fold].measured &&
                has_time(race, candidate);
        race->done += !found;
        if (found) {
            candidate->fate = OUT_OF_TIME; // until it is measured on all folds
            memory_free(candidate->reason);
            candidate->reason = NULL;
        }
    }
    pthread_mutex_unlock(&race->mutex);
    return found;
}

static void add_up(struct race *race, const struct turn *turn, double cpu, double clock)
{
    struct candidate *candidate = turn->candidate;
    struct tune *tune = race->tune;
    bool measured = candidate->results[turn->fold].measured;
    double counted = tune->settings->seconds > 0 ? clock : cpu;
    race->done++;
    race->spent += cpu;
    candidate->seconds += cpu;
    candidate->clock += counted;
    candidate->trainings++;
    tune->shown.trainings++;
    if (measured) {
        tune->speed[candidate->effort].work += candidate->work;
        tune->speed[candidate->effort].seconds += counted;
    }
    atomic_fetch_add(&race->measured, measured);
    atomic_fetch_add(&tune->spent, (uint64_t)(1e6 * cpu));
}

static void *work(void *context)
{
    struct race *race = context;
    struct turn turn = {NULL, 0};
    while (next(race, &turn)) {
        tlu_error error;
        double cpu = thread_seconds(), clock = clock_seconds();
        tlu_status status = run(race, turn.candidate, turn.fold, &error);
        pthread_mutex_lock(&race->mutex);
        add_up(race, &turn, thread_seconds() - cpu, clock_seconds() - clock);
        if (status == TLU_ERROR_INPUT)
            status = refuse(turn.candidate, &error);
        if (status != TLU_OK && race->status == TLU_OK) {
            race->status = status;
            if (race->error)
                *race->error = error;
            atomic_store(&race->over, true);
        }
        pthread_cond_signal(&race->changed);
        pthread_mutex_unlock(&race->mutex);
        if (race->told)
            tell(race);
    }
    return NULL;
}

// Reports progress until all trainings are done or time is up.
static void wait_for_all(struct race *race)
{
    for (;;) {
        struct timespec until;
        tell(race);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(REPORT_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&race->mutex);
        bool over = race->done == race->jobs || is_over(race, 0);
        if (!over)
            pthread_cond_timedwait(&race->changed, &race->mutex, &until);
        pthread_mutex_unlock(&race->mutex);
        if (over)
            return;
    }
}

static void run_threads(struct race *race)
{
    size_t most = race->tune->threads, started = 0;
    if (most > race->jobs)
        most = race->jobs;
    pthread_t *threads = most > 1 ? memory_new(most, sizeof *threads) : NULL;
    while (threads && started < most && thread_start(&threads[started], work, race))
        started++;
    if (started) {
        wait_for_all(race);
    } else {
        race->told = true;
        work(race);
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    memory_free(threads);
}

// Lists the candidates of each path in ascending order of C.
static void list_paths(struct tune *tune)
{
    for (size_t i = 0; i < tune->racing_count; i++)
        tune->racing[i]->path.of->path.first = NULL;
    for (size_t i = 0; i < tune->racing_count; i++) {
        struct candidate *candidate = tune->racing[i], **at = &candidate->path.of->path.first;
        candidate->path.leads = !*at;
        while (*at && (*at)->path.C < candidate->path.C)
            at = &(*at)->path.next;
        candidate->path.next = *at;
        *at = candidate;
    }
}

// Allocates the results, before the threads start.
static tlu_status reserve(struct candidate *candidate, size_t folds, tlu_error *error)
{
    size_t before = candidate->capacity;
    if (folds <= before)
        return TLU_OK;
    struct fold_result *results = memory_resize(candidate->results, folds, sizeof *results);
    TRY(enough_memory(results != NULL, error));
    memset(results + before, 0, (folds - before) * sizeof *results);
    candidate->results = results;
    candidate->capacity = folds;
    return TLU_OK;
}

static void drop_multipliers(struct candidate *path, size_t first, size_t count)
{
    for (size_t fold = first; fold < first + count; fold++) {
        memory_free(path->results[fold].multipliers.alpha);
        path->results[fold].multipliers = (struct multipliers){0};
    }
}

tlu_status race_folds(struct tune *tune, size_t first, size_t count, double deadline,
                      tlu_error *error)
{
    struct race race = {.tune = tune,
                        .first = first,
                        .folds = count,
                        .jobs = count * tune->racing_count,
                        .deadline = deadline,
                        .end = tune->best                    ? deadline
                               : tune->settings->seconds > 0 ? tune->limit
                                                             : INFINITY,
                        .error = error,
                        .status = TLU_OK};
    atomic_init(&race.over, false);
    atomic_init(&race.measured, tune->best != NULL);
    for (size_t i = 0; i < tune->racing_count; i++) {
        TRY(reserve(tune->racing[i], first + count, error));
        TRY(reserve(tune->racing[i]->path.of, first + count, error));
        tune->racing[i]->fate = first ? OUT_OF_TIME : NOT_TRIED; // until begun and measured
    }
    list_paths(tune);
    pthread_mutex_init(&race.mutex, NULL);
    pthread_cond_init(&race.changed, NULL);
    run_threads(&race);
    pthread_mutex_destroy(&race.mutex);
    pthread_cond_destroy(&race.changed);
    for (size_t i = 0; i < tune->racing_count; i++) {
        if (first >= tune->settings->folds) // this division of the rows is not used again
            drop_multipliers(tune->racing[i]->path.of, first, count);
        bool all = true;
        for (size_t fold = first; fold < first + count; fold++)
            all = all && tune->racing[i]->results[fold].measured;
        if (all)
            tune->racing[i]->fate = IN_RACE;
    }
    return race.status;
}
