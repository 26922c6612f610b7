// A run that was stopped on its way: what it needs to go on as if nothing had happened. It is taken
// where the run stops, before anything is made of the weights, and in the run's own numbers of
// classes and features, which reading the same data again gives again.
//
// To go on, a training reads its data as it did at first, learning nothing, shuffles its rows as
// often as they had been, and takes over from the example where it had stopped.
#ifndef TLU_TRAIN_PAUSE_H
#define TLU_TRAIN_PAUSE_H

#include "base/random.h"
#include "space/weights.h"

struct batch;
struct training;
struct tlu_learner;

// Weights of the features that have one; those of all others are 0.
struct pause_weights {
    struct weights weights; // [count] features
    uint32_t *feature;      // [count] their numbers in the run, ascending
    size_t count;
};

// The random numbers before a shuffle, where they are not those after the shuffle before.
struct pause_mark {
    uint64_t shuffle; // the first is 0
    struct random random;
};

// Rows of the data, in file order. The sum is over their labels, weights and entries.
struct pause_rows {
    uint64_t rows, nonzeros, sum;
};

struct pause {
    uint64_t pass;     // passes before this one
    uint64_t examples; // of this one, learned from
    uint64_t pass_mistakes, pass_updates;

    // Which data it was.
    bool all; // `rows` are all rows, and not only those up to the last one learned from
    struct pause_rows rows;
    uint64_t every; // rows 0, every, 2 every... are in the sum; 0: see pause_at_end
    uint32_t names; // the first so many names of features are in it too, and all labels

    uint64_t *mistakes; // [pass]
    double *accuracy;   // [pass] on the held-out rows; NULL: there are none
    uint64_t best_pass;
    struct pause_weights best; // with `accuracy` alone, and a best pass
    uint64_t seen_pass;        // 0: nothing was seen
    struct pause_weights seen; // the state that look_for_cycle compares with
    struct pause_mark *marks;
    size_t mark_count;

    // The learner.
    uint32_t classes, positive;
    uint64_t learned, mistaken, updates; // over all passes
    struct random random;
    struct pause_weights weights;
    double *group_norm;      // [columns]
    uint64_t *group_updates; // [columns]
    bool pocket;             // --decide best:
    struct pause_weights pocket_best;
    uint64_t *pocket_counts; // [3][columns] run, best_run, best_right
};

// Of a run whose rows are not kept, every so manieth row is in the sum: it costs time while
// learning.
#define PAUSE_EVERY 16

// Why runs of this learner cannot be paused: a sentence's end behind "...: ". NULL: they can.
const char *pause_obstacle(const struct tlu_learner *learner);

// Counts and sums up the first `count` rows of a batch, which follow those before.
void pause_rows_add(struct pause_rows *rows, const struct batch *batch, size_t count,
                    uint64_t every);

// NULL where memory is out.
struct pause *pause_take(struct training *training);
// The end of a run of which the learner is left, and the number of rows and non-zeros that it had.
// What is about passes is for the caller to fill in. Of the data, not the rows are compared but how
// many there are of each class, and the names. Not for files. NULL where memory is out.
struct pause *pause_at_end(const struct tlu_learner *learner, uint64_t rows, uint64_t nonzeros);
// Takes over from training->resume, where so many examples of the same pass have been passed. Fails
// where the data read is not that of the run.
tlu_status pause_restore(struct training *training, tlu_error *error);
void pause_free(struct pause *pause); // NULL is fine

#endif
