// The caller's functions that a training calls: one that reports progress and may end the training,
// one that reports every example, and one that saves a checkpoint.
#ifndef TLU_TRAIN_PROGRESS_H
#define TLU_TRAIN_PROGRESS_H

#include "data/batch.h"

struct training;

#define WATCH_ROWS 8192       // between two calls of the progress function
#define WATCH_WORK (1u << 22) // multiplications: if rows are long, that is sooner

// What the passes with a kernel have cost.
struct kernel_effort {
    double started;           // seconds from the start of the training to that of the first pass
    double work_before;       // before the current pass, in dual_work's unit
    double last, before_last; // rows updated in the last pass, and in the one before it
};

struct progress_reporter {
    // Set by the caller; all of it may be left out.
    tlu_progress_function progress;
    void *context;
    // Called after every example; its scores are in the learner. False ends the training.
    bool (*on_step)(struct training *training, const struct batch *batch, size_t row, bool wrong,
                    bool updated);
    void *step_context;
    // Called between two examples about every checkpoint_seconds, to save the state so far.
    tlu_status (*checkpoint)(struct training *training, tlu_error *error);
    double checkpoint_seconds;
    const char *checkpoint_path;
    uint64_t stop_after; // examples over all passes, for tests; 0: do not

    bool interrupted;
    double started;        // by clock_seconds
    double checkpoint_due; // likewise
    uint64_t work;         // since the progress function was called, in multiplications
    struct kernel_effort effort;
    bool solving; // a batch solver is running
};

// Calls the progress function, which may end the training.
void progress_report(struct training *training);
// The same; returns whether the training is to end. For the reader and learners that take long.
bool progress_ends(void *training);
// After an example that took `work` multiplications, the one of this number in its pass: whether
// progress_examples is due.
static inline bool progress_is_due(struct progress_reporter *reporter, uint64_t example,
                                   uint64_t work)
{
    reporter->work += work;
    return example % WATCH_ROWS == 0 || reporter->work > WATCH_WORK;
}
tlu_status progress_examples(struct training *training, tlu_error *error);
// Saves a checkpoint if one is due.
tlu_status progress_checkpoint(struct training *training, tlu_error *error);
// Before a pass with a kernel: notes the cost of the pass before.
void progress_note_effort(struct training *training);

#endif
