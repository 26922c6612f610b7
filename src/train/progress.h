// Callbacks of a training run: one reports progress and may end the run, one reports every example,
// and one saves checkpoints.
#ifndef TLU_TRAIN_PROGRESS_H
#define TLU_TRAIN_PROGRESS_H

#include "data/batch.h"

struct training;

// The progress function is called after this many rows, or this many multiplications if the rows
// are long.
#define PROGRESS_ROWS 8192
#define PROGRESS_WORK (1u << 22)

// The cost of the passes of a run with a kernel, to estimate the time left.
struct kernel_effort {
    double started;           // seconds from the start of the training to its first pass
    double work_before;       // work before the current pass, in the unit of dual_work
    double last, before_last; // rows updated in the last pass, and in the pass before it
};

struct progress_reporter {
    // Set by the caller; every callback may be NULL.
    tlu_progress_function progress;
    void *context;
    // Called before and after every example; after it, its scores are in the learner. False from
    // on_step ends the training, from before_step it means out of memory. Both are set, or neither.
    bool (*before_step)(struct training *training, const struct batch *batch, size_t row);
    bool (*on_step)(struct training *training, const struct batch *batch, size_t row, bool wrong,
                    bool updated);
    void *step_context;
    // Saves the state so far. Called between two examples, about every checkpoint_seconds.
    tlu_status (*checkpoint)(struct training *training, tlu_error *error);
    double checkpoint_seconds;
    const char *checkpoint_path;
    uint64_t stop_after; // interrupts after this many examples over all passes, for tests; 0: never

    bool interrupted;
    double started;        // time by clock_seconds
    double checkpoint_due; // time by clock_seconds
    uint64_t work;         // multiplications since the last call of the progress function
    struct kernel_effort effort;
    bool solving; // a batch solver is running
};

// Calls the progress function, which may end the training.
void progress_report(struct training *training);
// Calls it too, and returns whether the training should end. The reader and slow learners use it as
// a callback.
bool progress_ends(void *training);
// Whether progress_examples is due, after example number `example` of the pass, which took `work`
// multiplications.
static inline bool progress_is_due(struct progress_reporter *reporter, uint64_t example,
                                   uint64_t work)
{
    reporter->work += work;
    return example % PROGRESS_ROWS == 0 || reporter->work > PROGRESS_WORK;
}
// Calls the progress function, and saves a checkpoint if one is due. In the dual form, which saves
// checkpoints between blocks only, it saves none.
tlu_status progress_examples(struct training *training, tlu_error *error);
// Saves a checkpoint if one is due.
tlu_status progress_checkpoint(struct training *training, tlu_error *error);
// Called before a pass with a kernel: records the cost of the previous pass.
void progress_note_effort(struct training *training);

#endif
