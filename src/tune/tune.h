// Tuning: which learner and options predict rows best that they were not trained on?
//
// Candidates (candidates.c: a table of learners and options, the most promising first) race over
// the same folds. After each fold, candidates that are significantly worse than the best by a
// paired test are dropped, then the worse half of the rest: successive halving (Jamieson and
// Talwalkar 2016) with folds as the resource. So most candidates cost one training, and the few
// that may be best are measured on all rows.
//
// Every fold is a complete training, so a candidate is judged by the accuracy that its command line
// gives.
#ifndef TLU_TUNE_TUNE_H
#define TLU_TUNE_TUNE_H

#include "base/options.h"
#include "model/split/split.h"

#include <stdatomic.h>

#define TUNE_FOLDS 5
#define TUNE_FEW 3 // candidates that halving keeps for the last folds

// What became of a candidate, and its name in reports.
#define FATES(X)                                                                                   \
    X(IN_RACE, "done")                                                                             \
    X(NOT_TRIED, "skipped")                                                                        \
    X(REFUSED, "refused")                                                                          \
    X(OUT_OF_TIME, "time")                                                                         \
    X(WORSE, "worse")                                                                              \
    X(HALVED, "halved")                                                                            \
    X(TOO_EXPENSIVE, "budget")

#define FATE_NUMBER(fate, name) fate,
enum fate { FATES(FATE_NUMBER) };
#undef FATE_NUMBER

struct candidate {
    tlu_candidate shown; // first: the caller gets its address
    tlu_options *options;
    char *name;
    char *reason; // why it was refused
    const tlu_split *rows;
    size_t place; // in the order of the table
    enum fate fate;
    double *scores;       // [folds] measured so far: shown.folds of them
    unsigned char *right; // [examples] was the row predicted correctly? the same rows for all
    size_t examples;
    double rank; // the score, signed so that higher is better
    double seconds;
    bool measured; // on the current fold
};

// The data set as read with some options; all views have the same folds.
enum { VIEW_NGRAMS, VIEW_LOWERCASE, VIEW_CATEGORICAL, VIEW_OPTIONS };
extern const char *const view_options[VIEW_OPTIONS]; // their names
struct data_view {
    const char *values[VIEW_OPTIONS]; // NULL: the user's
    tlu_split *rows;
};
#define VIEWS_MAX 3

struct tune {
    tlu_tuning shown; // first: the caller gets its address
    const tlu_tune_settings *settings;
    const tlu_options *given;
    char *path;
    struct row_source whole;
    unsigned char *bytes; // of input that can be read only once; `whole` then refers to them
    struct data_facts facts;
    struct data_view views[VIEWS_MAX];
    size_t view_count;
    struct candidate **candidates; // [shown.count]
    size_t capacity;
    struct candidate **racing; // [racing_count] still in the race, best first
    size_t racing_count;
    double started;             // by clock_seconds
    double read;                // seconds spent on reading the data
    double limit;               // seconds allowed; 0: no limit
    atomic_uint_fast64_t spent; // microseconds of training, over all threads
    size_t threads;
    char metric[32];
    bool by_rows; // the metric is a mean over rows
    bool lower;   // lower is better
};

// ---- tune.c ----

// Seconds used so far: wall-clock time if the user gave a limit, else the CPU time of the trainings
// divided by the threads, so that the result does not depend on the machine's load. `own` is the
// time of this thread's unfinished training.
double tune_used(const struct tune *tune, double own);

// ---- views.c: the data ----

// Reads the data in every way that a candidate may use.
tlu_status views_open(struct tune *tune, tlu_error *error);
void views_close(struct tune *tune);
// Sets the options of the view.
tlu_status view_set(const struct data_view *view, tlu_options *options, tlu_error *error);

// ---- candidates.c ----

// Fills tune->candidates from the table, for the requested learners and this data.
tlu_status candidates_make(struct tune *tune, tlu_error *error);
void candidate_free(struct candidate *candidate);
// Passes of one training.
uint64_t candidate_passes(const struct tune *tune, const struct candidate *candidate);

// ---- race.c ----

// Measures the racing candidates on a fold, on all cores, until `deadline` seconds are used.
// Candidates not measured by then, or when the caller stops, are OUT_OF_TIME.
tlu_status race_fold(struct tune *tune, size_t fold, double deadline, bool *stopped,
                     tlu_error *error);

// ---- worse.c: the paired test ----

// Whether a candidate is significantly worse than the best.
bool is_worse(const struct tune *tune, const struct candidate *best, const struct candidate *other);

#endif
