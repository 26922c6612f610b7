// Rows in an order of their own, brought by a second thread. Shuffled rows are scattered over the
// memory, and waiting for them takes longer than learning from them: the feeder copies them into
// small blocks, one after the other, while the learner is at those before.
#ifndef TLU_TRAIN_FEED_H
#define TLU_TRAIN_FEED_H

#include "data/batch.h"

struct place { // of a row
    uint32_t batch, row;
};

struct fed_row {
    tlu_row row;
    uint64_t id; // its number in the file
    uint32_t label;
    float weight;
};

struct feed;

// Feeds the rows at `count` places, by a thread if `threaded`, else when asked. NULL: out of
// memory. What is given must not change until the feed is closed.
struct feed *feed_open(struct batch *const *batches, const struct place *places, size_t count,
                       bool threaded);
// The next rows; 0 at the end. They are valid until the next call.
size_t feed_next(struct feed *feed, const struct fed_row **rows);
void feed_close(struct feed *feed);

#endif
