// Training: from a file to the weights of a run.
#ifndef TLU_TRAIN_TRAIN_H
#define TLU_TRAIN_TRAIN_H

#include "data/cache.h"
#include "data/reader.h"
#include "data/scale.h"
#include "learn/learner.h"
#include "train/feed.h"
#include "train/pause.h"

// Rows that are read before learning starts. The classes among them are in play from the first
// example on; one that turns up later comes into play with its first example.
#define TRAIN_LOOKAHEAD 4096

struct places {
    struct place *items;
    size_t count, capacity;
};

enum stopped {
    STOPPED_CONVERGED,
    STOPPED_EPOCHS,
    STOPPED_PATIENCE,
    STOPPED_INTERRUPTED,
    STOPPED_CYCLE,
    STOPPED_SOLVED
};

// What the passes with a kernel have cost (progress.c).
struct kernel_effort {
    double started;           // seconds from the start of the training to that of the first pass
    double work_before;       // before the pass at hand, in dual_work's unit
    double last, before_last; // rows updated in the last pass, and in the one before it
};

struct training {
    // What to do: set by the caller.
    const char *path;
    struct excerpt excerpt; // which of its rows; all of them where it is empty
    tlu_progress_function progress;
    void *context;
    // Told about every example learned from, row by row; NULL: nobody wants to know. The scores
    // that the example had are in learner.space.scores. False ends training.
    bool (*on_step)(struct training *training, const struct batch *batch, size_t row, bool wrong,
                    bool updated);
    void *step_context;
    const struct pause *resume; // a run to go on with; NULL: this is a new one
    uint64_t stop_after;        // examples over all passes, for tests; 0: do not
    // Called every so many seconds between two examples, to keep what there is so far; NULL: never.
    // Not while the run catches up with `resume`, nor before there are two classes.
    tlu_status (*checkpoint)(struct training *training, tlu_error *error);
    double checkpoint_seconds;
    const char *checkpoint_path;

    struct tlu_learner learner;
    struct scaling scaling;
    int scale; // SCALE_..., fitted to all rows before the first is learned from

    // Data
    struct reader *reader;
    struct cache cache;     // where the batches stay
    struct batch **batches; // those kept
    size_t batch_count, batch_capacity;
    bool keep;                 // more than one look at the data is needed
    bool whole;                // all rows are read before the first is learned from
    struct places order;       // rows to learn from, in the order of the next pass
    struct places held_out;    // rows to measure on
    uint32_t *held_out_labels; // [held_out.count]
    size_t held_out_labels_capacity;
    const struct batch *passing; // one that is not kept, while it is learned from
    uint64_t rows, nonzeros, skipped, queries, more_labels, bytes;
    uint64_t refused;    // examples that were not learned from (guard.h), with --skip-bad
    uint32_t last_class; // of the row before, in file order
    uint64_t changes;    // rows with another class than the row before
    const char *format;

    struct kernel_effort effort;
    bool solving;             // the learner looks at all rows, which are there
    const tlu_options *given; // as the user gave them; NULL where nobody knows

    // Passes
    uint64_t pass, passes;
    uint64_t pass_examples, pass_mistakes;
    uint64_t pass_updates; // made before this pass
    uint64_t work;         // since the progress function was called, in multiplications
    uint64_t *mistakes;    // [pass]
    size_t mistakes_capacity;
    double *accuracy; // [pass] on the held-out rows
    size_t accuracy_capacity;
    struct weights best; // those of the best pass on the held-out rows
    uint64_t best_pass;
    bool interrupted;
    enum stopped stopped;
    double *seen; // [seen_count] the state after an earlier pass: has it come back?
    size_t seen_count;
    uint64_t seen_pass, cycle;

    // Going on
    bool caught_up;              // with `resume`
    struct pause *pause;         // where it was interrupted; NULL: it was not, or cannot go on
    struct pause_rows passed_by; // rows learned from that are not kept, and all those before
    struct pause_rows all_kept;  // of all rows, once they were summed up; 0 rows: not yet
    uint64_t every;              // of the rows that are summed up
    double checkpoint_due;       // when, by train_seconds
    uint64_t shuffles;
    struct random shuffled; // the random numbers after the last shuffle
    struct pause_mark *marks;
    size_t mark_count, mark_capacity;

    char **notices; // sentences for the user
    size_t notice_count, notice_capacity;
    double started, seconds_read;
};

// Whether the first pass meets one class after the other, as far as the rows were read.
bool training_is_sorted(const struct training *training);

// Trains. What it fills is freed by training_free, whatever the outcome.
tlu_status training_run(struct training *training, const tlu_options *options, tlu_error *error);
void training_free(struct training *training);

double train_seconds(void); // of a clock that never goes back

// Whether it still goes through what a run that it goes on with has done.
static inline bool training_catches_up(const struct training *training)
{
    return training->resume && !training->caught_up;
}

// ---- progress.c ----

// Calls the progress function, which may end the training.
void training_tell(struct training *training);
// After a pass with a kernel.
void training_note_effort(struct training *training);

// ---- holdout.c ----

// Takes the rows of --holdout out of training->order, which has all rows in file order.
tlu_status training_hold_out(struct training *training, tlu_error *error);

// A run that goes on finds the largest values of --scale online by passing the rows by, all of
// them: it cannot tell which of them were refused.
static inline bool training_lost_track(const struct training *training)
{
    return training->refused && training->learner.online.on;
}

// ---- pass_end.c ----

tlu_status training_end_pass(struct training *training, tlu_error *error);
// Whether that was the last pass; why is in training->stopped.
bool training_is_over(struct training *training);
// The share of held-out rows that are right now.
double training_accuracy(struct training *training);
// Whether it looks for passes that end as another one did.
bool training_may_cycle(const struct tlu_learner *learner);

// ---- checkpoint.c ----

// What a training would be if it was interrupted now, with a pause: to make a model of, while it
// goes on. It shares all else with the training, and is freed by training_view_free alone.
tlu_status training_view(struct training *training, struct training *view, tlu_error *error);
void training_view_free(struct training *view);

// ---- hints.c: what the summary tells the user about the data ----

tlu_status training_note(struct training *training, tlu_error *error, const char *format, ...)
    PRINTF_LIKE(3, 4);
// Options that were given and change nothing.
tlu_status training_note_idle(struct training *training, tlu_error *error);
// Looks at the ranges of the columns in the first batches.
tlu_status training_note_ranges(struct training *training, tlu_error *error);
// Sorted by class, suspicious labels, fields ignored.
tlu_status training_note_data(struct training *training, tlu_error *error);

// No better than always giving the same answer?
tlu_status training_note_outcome(struct training *training, tlu_error *error);

#endif
