// Tuning: which learner and options predict rows best that they were not trained on?
//
//     1. the table   candidates (candidates.c: learners and options, the most promising first) race
//                    over the same folds: successive halving (Jamieson and Talwalkar 2016) with
//                    folds as the resource, after a paired test that drops what is worse for
//                    certain
//     2. refinement  neighbours of the best (refine.c: numeric options halved and doubled, other
//                    ways of reading) race over the same folds, until none is better
//     3. repeats     the rows are dealt out to folds again and again, for the few best, until the
//                    choice does not depend on the division of the rows
//
// Each stage is left when its share of the time, or of the budget of passes, is used up. If there
// is time after the repeats, refinement goes on with what it left, and the repeats begin again. The
// best mean over all folds wins, ties go to the earlier candidate.
//
// Every fold is a complete training, so a candidate is judged by the accuracy that its command line
// gives.
#ifndef TLU_TUNE_TUNE_H
#define TLU_TUNE_TUNE_H

#include "base/options.h"
#include "model/split/split.h"
#include "solvers/batch_solver.h"

#include <stdatomic.h>

#define TUNE_FOLDS 5
#define TUNE_FEW 3      // candidates that halving keeps for the last folds
#define TUNE_REPEATS 20 // divisions before the winner can be settled; without a time, at most

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

// What a training costs depends on this; speeds are measured for each.
enum effort { EFFORT_ONLINE, EFFORT_KERNEL, EFFORT_SOLVER, EFFORT_NET, EFFORTS };

struct fold_result {
    bool measured;
    double score;
    unsigned char *right; // [examples] was the row predicted correctly? the same rows for all
    size_t examples;
    struct multipliers multipliers; // of the path's candidate that was trained last
};

// A path of C: candidates that differ in nothing else. A race trains them in ascending order, and
// each starts from the multipliers of the one before.
struct candidate_path {
    struct candidate *of;    // the first that was made
    struct candidate *first; // of the path's list in a race, if this is the first that was made
    struct candidate *next;  // in the list
    double C;
    bool leads; // the path takes its turn in the race with this candidate
};

struct candidate {
    tlu_candidate shown; // first: the caller gets its address
    tlu_options *options;
    char *name;
    char *reason; // why it was refused or not tried
    const struct data_view *view;
    const struct candidate *parent; // whose neighbour it is; may be NULL
    struct candidate_path path;
    size_t place; // in the order in which candidates were made
    enum fate fate;
    struct fold_result *results; // [capacity] the folds of the first division, then of the repeats
    size_t capacity;
    double rank;    // the score, signed so that higher is better
    double seconds; // CPU time of all trainings
    double clock;   // the same in the time that the limit counts
    size_t trainings;
    enum effort effort;
    double work; // of a training: operations, roughly
    bool fixed;  // the user gave its options: it has no neighbours
    bool refined;
};

// The data set as read with some options; all views have the same folds.
enum { VIEW_NGRAMS, VIEW_LOWERCASE, VIEW_CATEGORICAL, VIEW_MISSING, VIEW_OPTIONS };
extern const char *const view_options[VIEW_OPTIONS]; // their names
struct data_view {
    const char *values[VIEW_OPTIONS]; // NULL: the user's
    tlu_split *rows;
};
#define VIEWS_MAX 7

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
    size_t divisions; // of the rows into folds so far: 1 and the repeats
    struct tune_speed {
        double work, seconds; // of finished trainings
    } speed[EFFORTS];
    double started;             // by clock_seconds
    double read;                // seconds spent on reading the data
    double limit;               // seconds allowed; 0: no limit
    atomic_uint_fast64_t spent; // microseconds of training, over all threads
    size_t threads;
    struct candidate *best; // so far; NULL before the first fold is done
    bool stopped;           // by the caller
    bool cut;               // a repeat did not end in time
    bool open;              // refinement left candidates or neighbours for later
    bool more_views;        // those that only refinement uses are open
    double opening;         // seconds on the clock that it takes to read the data once
    const char *stage;
    char metric[32];
    bool by_rows; // the metric is a mean over rows
    bool lower;   // lower is better
};

// ---- tune.c ----

// Seconds used so far: wall-clock time if the user gave a limit, else the CPU time of the trainings
// divided by the threads, so that the result does not depend on the machine's load. `own` is the
// time of this thread's unfinished training.
double tune_used(const struct tune *tune, double own);

// Races the candidates in tune->racing over all folds of the first division, until `share` of the
// time or budget is used up. `best`: drop what is worse than this one too; may be NULL.
tlu_status tune_race(struct tune *tune, double share, const struct candidate *best,
                     tlu_error *error);
// Whether less than this share of the time and of the budget is used up.
bool tune_has_time(const struct tune *tune, double share);
// Whether the rows are so few that they are divided into folds several times.
bool tune_has_repeats(const struct tune *tune);
// The share of the time or budget after which the repeats begin; `used`: that of the stages before.
double tune_refine_share(const struct tune *tune, double used);
// The share of the time that is used up; 0 without a limit.
double tune_used_share(const struct tune *tune);
// Sorts candidates, the best first.
void tune_sort(struct candidate **candidates, size_t count);

// ---- views.c: the data ----

// Reads the data in every way that a candidate of the table may use.
tlu_status views_open(struct tune *tune, tlu_error *error);
// Reads it in the ways that only refinement uses: other --missing, more --ngrams.
tlu_status views_open_more(struct tune *tune, tlu_error *error);
void views_close(struct tune *tune);
// Sets the options of the view.
tlu_status view_set(const struct data_view *view, tlu_options *options, tlu_error *error);

// ---- candidates.c ----

// Fills tune->candidates from the table, for the requested learners and this data.
tlu_status candidates_make(struct tune *tune, tlu_error *error);
// Adds a candidate with these options, which it owns from then on, unless there is one with the
// same. *added is NULL then.
tlu_status candidate_add(struct tune *tune, tlu_options *options, const struct data_view *view,
                         struct candidate **added, tlu_error *error);
void candidate_free(struct candidate *candidate);
// Passes of one training.
uint64_t candidate_passes(const struct tune *tune, const struct candidate *candidate);
// Seconds of one training: as measured, or else estimated from its work and the measured speed.
double candidate_seconds(const struct tune *tune, const struct candidate *candidate);

// ---- refine.c ----

// The value of an option, set or by default; NaN if it has none.
tlu_status value_of(const tlu_options *options, enum option option, double *value,
                    tlu_error *error);
// Races the neighbours of the best candidates, then those of better ones, while the time allows.
// Called again, first the candidates that were left for lack of time.
tlu_status refine(struct tune *tune, tlu_error *error);

// ---- race.c ----

// Measures the racing candidates on those of some folds on which they were not measured before, on
// all cores, until `deadline` seconds are used.
// Candidates not measured by then, or when the caller stops, are OUT_OF_TIME.
tlu_status race_folds(struct tune *tune, size_t first, size_t count, double deadline,
                      tlu_error *error);

// ---- worse.c: the paired test ----

// Whether a candidate is significantly worse than the best.
bool is_worse(const struct tune *tune, const struct candidate *best, const struct candidate *other);
// Whether the candidate, measured on all folds, predicts the same rows of the first division
// correctly as its parent.
bool equals_parent(const struct tune *tune, const struct candidate *candidate);
// Whether more divisions of the rows would not change which of the two is better: the lead is
// beyond the chance of the divisions, or that chance is negligible beside the standard error of the
// score.
bool is_settled(const struct tune *tune, const struct candidate *best,
                const struct candidate *other);
// How certain it is that the best is better than the other: sets the p-value and the number of rows
// that exactly one of them predicts correctly, in one division of the rows.
void compare_pair(const struct tune *tune, const struct candidate *best,
                  const struct candidate *other, double *p_value, double *differing);

#endif
