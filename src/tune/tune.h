// Tuning: which learner, with which options, does best on rows that it has not learned from?
//
// Candidates (candidates.c: a table of learners and options, the most promising first) race over
// folds that are the same for all. After each fold those that are significantly worse than the
// best, by a paired test, are out, and then the worse half of the others: successive halving
// (Jamieson and Talwalkar 2016), with folds as what a candidate is given more of. So most
// candidates cost one training, and the few that may be the best are measured on all rows.
//
// Folds are whole: what a candidate is stopped by, and what it is picked by, is the accuracy of
// just the training that its command line gives.
#ifndef TLU_TUNE_TUNE_H
#define TLU_TUNE_TUNE_H

#include "base/options.h"
#include "model/split/split.h"

#include <stdatomic.h>

#define TUNE_FOLDS 5
#define TUNE_FEW 3 // candidates that halving leaves for the last folds

enum fate { IN_RACE, NOT_TRIED, REFUSED, CUT, WORSE, HALVED, TOO_DEAR };

struct candidate {
    tlu_candidate shown; // first: it is what the caller gets
    tlu_options *options;
    char *name;
    char *reason; // why it was refused
    const tlu_split *rows;
    size_t place; // among all, in the order of the table
    enum fate fate;
    double *scores;       // [folds] measured so far: shown.folds of them
    unsigned char *right; // [examples], row by row: the same rows for all candidates
    size_t examples;
    double rank; // the score, such that higher is better
    double seconds;
    bool measured; // on the fold of now
};

// A data set as some options read it, in the same parts for all of them.
struct view {
    const char *ngrams, *lowercase, *categorical; // NULL: as the user says
    tlu_split *rows;
};
#define VIEWS_MAX 3

struct tune {
    tlu_tuning shown; // first: it is what the caller gets
    const tlu_tune_settings *settings;
    const tlu_options *given;
    char *path;
    struct row_source whole;
    unsigned char *bytes; // of what can be read only once; the row_source then has them
    struct view views[VIEWS_MAX];
    size_t view_count;
    struct candidate **candidates; // [shown.count]
    size_t capacity;
    struct candidate **racing; // [racing_count] the best first
    size_t racing_count;
    double started;             // by clock_seconds
    double read;                // seconds, for reading the data
    double limit;               // seconds in all; 0: none
    atomic_uint_fast64_t spent; // microseconds of trainings, by all threads
    size_t threads;
    char metric[32]; // what candidates are measured by
    bool by_rows;    // it is the share of rows that are right
    bool lower;      // lower is better
};

// ---- tune.c ----

// Seconds used so far: those on the clock if the user has said how many there are. Else, so that
// the outcome does not depend on what the machine does besides, the trainings' CPU time, spread
// over the threads; `own` is that of the training of this thread, which is not over.
double tune_used(const struct tune *tune, double own);

// ---- views.c: the data ----

// Reads it, in every way that a candidate may want it.
tlu_status views_open(struct tune *tune, tlu_error *error);
void views_close(struct tune *tune);
// Sets what the view is about.
tlu_status view_set(const struct view *view, tlu_options *options, tlu_error *error);

// ---- candidates.c ----

// Fills tune->candidates by the table, for the learners that are asked for and this data.
tlu_status candidates_make(struct tune *tune, tlu_error *error);
void candidate_free(struct candidate *candidate);
// Passes of one training.
uint64_t candidate_passes(const struct tune *tune, const struct candidate *candidate);

// ---- race.c ----

// Measures the candidates that are racing on a fold, on all cores, until so many seconds are used.
// What was not done by then, or when the caller said to stop, is CUT.
tlu_status race_fold(struct tune *tune, size_t fold, double deadline, bool *stopped,
                     tlu_error *error);

// ---- worse.c: the paired test ----

// Whether a candidate is worse than the best by more than chance.
bool is_worse(const struct tune *tune, const struct candidate *best, const struct candidate *other);

#endif
