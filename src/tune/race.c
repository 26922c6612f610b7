// One fold: every racing candidate is trained on the other folds and measured on this one. A
// training runs in one thread; results do not depend on the order in which trainings finish.
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
    size_t fold;
    double deadline; // seconds used
    double end;      // the same, if nothing was measured by the deadline
    atomic_size_t measured;
    bool told;             // this thread also calls the progress callback
    atomic_bool over;      // start and finish nothing more
    pthread_mutex_t mutex; // protects the following
    pthread_cond_t changed;
    size_t next, done; // candidates
    double spent;      // seconds of training
    bool stopped;      // by the caller
    tlu_status status;
    tlu_error *error;
};

// ---- Progress reports ----

// Trainings in the remaining folds if each keeps half of the candidates.
static double trainings_ahead(const struct race *race)
{
    double count = (double)race->tune->racing_count, sum = 0;
    for (size_t fold = race->fold + 1; fold < race->tune->settings->folds; fold++) {
        if (!race->tune->settings->exhaustive)
            count = count / 2 < TUNE_FEW && count > TUNE_FEW ? TUNE_FEW : count / 2;
        sum += count;
    }
    return sum;
}

static double seconds_left(const struct race *race)
{
    const struct tune *tune = race->tune;
    double left = tune->limit > 0 ? tune->limit - tune_used(tune, 0) : -1;
    if (race->done == 0)
        return left;
    double trainings = (double)(tune->racing_count - race->done) + trainings_ahead(race);
    double estimate = trainings * race->spent / (double)race->done / (double)tune->threads;
    return left < 0 || estimate < left ? estimate : left > 0 ? left : 0;
}

static void tell(struct race *race)
{
    const struct tune *tune = race->tune;
    if (!tune->settings->progress)
        return;
    pthread_mutex_lock(&race->mutex);
    tlu_tune_progress progress = {.fold = race->fold + 1,
                                  .folds = tune->settings->folds,
                                  .done = race->done,
                                  .racing = tune->racing_count,
                                  .best = race->fold ? &tune->racing[0]->shown : NULL,
                                  .seconds = clock_seconds() - tune->started,
                                  .seconds_left = seconds_left(race)};
    pthread_mutex_unlock(&race->mutex);
    if (tune->settings->progress(tune->settings->progress_context, &progress) == 0)
        return;
    race->stopped = true;
    atomic_store(&race->over, true);
}

// ---- one training ----

// A fold ends when its time is used up, but not before something was measured on it. `own` is the
// time that this thread's training has used.
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

static tlu_status take(struct candidate *candidate, size_t fold, const tlu_evaluation *evaluation,
                       tlu_error *error)
{
    size_t count = (size_t)evaluation->examples;
    double value = evaluation->metrics[0].value;
    if (isnan(value))
        return error_input(error, "%s is not defined for fold %zu", evaluation->metrics[0].name,
                           fold + 1);
    unsigned char *right = memory_resize(candidate->right, candidate->examples + count + 1, 1);
    TRY(enough_memory(right != NULL, error));
    memcpy(right + candidate->examples, evaluation->is_correct, count);
    candidate->right = right;
    candidate->examples += count;
    candidate->scores[fold] = value;
    candidate->measured = true;
    return TLU_OK;
}

static tlu_status learn_and_measure(struct race *race, struct candidate *candidate,
                                    const tlu_options *options, tlu_error *error)
{
    tlu_model *model;
    tlu_evaluation *evaluation = NULL;
    struct job job = {race, thread_seconds()};
    TRY(tlu_split_train(candidate->rows, race->fold, options, watch, &job, &model, error));
    tlu_status status = TLU_OK;
    if (strcmp(tlu_model_report(model)->stopped, "interrupted") != 0)
        status =
            tlu_split_evaluate(candidate->rows, race->fold, model, options, &evaluation, error);
    if (status == TLU_OK && evaluation)
        status = take(candidate, race->fold, evaluation, error);
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

// A learner that cannot use this data is left out; that is not an error.
static tlu_status run(struct race *race, struct candidate *candidate, tlu_error *error)
{
    double start = thread_seconds();
    tlu_options *options = options_copy(candidate->options);
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "threads", "1", error);
    if (status == TLU_OK)
        status = split_adapt(candidate->rows, options, error);
    if (status == TLU_OK)
        status = set_metric(options, race->tune->given, error);
    if (status == TLU_OK)
        status = learn_and_measure(race, candidate, options, error);
    tlu_options_free(options);
    candidate->seconds += thread_seconds() - start;
    if (status == TLU_ERROR_INPUT) {
        candidate->fate = REFUSED;
        candidate->reason = memory_copy_text(error->text, strlen(error->text));
        return enough_memory(candidate->reason != NULL, error);
    }
    return status == TLU_INTERRUPTED ? TLU_OK : status;
}

// ---- the threads ----

static struct candidate *next(struct race *race)
{
    bool over = is_over(race, 0);
    pthread_mutex_lock(&race->mutex);
    struct candidate *candidate = NULL;
    if (!over && race->next < race->tune->racing_count) {
        candidate = race->tune->racing[race->next++];
        candidate->fate = OUT_OF_TIME; // until it is measured
    }
    pthread_mutex_unlock(&race->mutex);
    return candidate;
}

static void *work(void *context)
{
    struct race *race = context;
    struct candidate *candidate;
    while ((candidate = next(race)) != NULL) {
        tlu_error error;
        double before = candidate->seconds;
        tlu_status status = run(race, candidate, &error);
        pthread_mutex_lock(&race->mutex);
        race->done++;
        atomic_fetch_add(&race->measured, candidate->measured);
        race->spent += candidate->seconds - before;
        atomic_fetch_add(&race->tune->spent, (uint64_t)(1e6 * (candidate->seconds - before)));
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

// Trains candidates until all are done or time is up.
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
        bool over = race->done == race->tune->racing_count || is_over(race, 0);
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
    if (most > race->tune->racing_count)
        most = race->tune->racing_count;
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

tlu_status race_fold(struct tune *tune, size_t fold, double deadline, bool *stopped,
                     tlu_error *error)
{
    struct race race = {.tune = tune,
                        .fold = fold,
                        .deadline = deadline,
                        .end = fold                          ? deadline
                               : tune->settings->seconds > 0 ? tune->limit
                                                             : INFINITY,
                        .error = error,
                        .status = TLU_OK};
    atomic_init(&race.over, false);
    atomic_init(&race.measured, 0);
    for (size_t i = 0; i < tune->racing_count; i++) {
        tune->racing[i]->measured = false;
        tune->racing[i]->fate = fold ? OUT_OF_TIME : NOT_TRIED; // until it is begun and measured
    }
    pthread_mutex_init(&race.mutex, NULL);
    pthread_cond_init(&race.changed, NULL);
    run_threads(&race);
    pthread_mutex_destroy(&race.mutex);
    pthread_cond_destroy(&race.changed);
    *stopped = race.stopped;
    for (size_t i = 0; i < tune->racing_count; i++)
        if (tune->racing[i]->measured)
            tune->racing[i]->fate = IN_RACE;
    tune->shown.trainings += race.done;
    return race.status;
}
