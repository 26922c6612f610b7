// The rows that a training learns from: read batch by batch, kept if they are needed again, and the
// order in which a pass takes them.
#ifndef TLU_TRAIN_ROWS_H
#define TLU_TRAIN_ROWS_H

#include "base/random.h"
#include "data/cache.h"
#include "data/scale.h"
#include "input/reader.h"
#include "train/fingerprint.h"
#include "train/prefetch.h"

#include <assert.h>

struct places {
    struct place *items;
    size_t count, capacity;
    struct cache_array where;
};

struct row_counts {
    uint64_t rows, nonzeros, skipped, qid_fields, multi_label_rows;
    uint64_t bytes;         // of the file, read so far
    uint64_t refused;       // examples that were not learned from (learn/guard.h), with --skip-bad
    uint32_t last_class;    // of the row before, in file order
    uint64_t class_changes; // rows with another class than the row before; 0 with --multilabel
};

struct rows {
    // Set by the caller.
    const char *path;
    struct row_source row_source; // which of its rows; all of them if it is empty
    const float *factors;         // [factor_count] of the weights of its rows; NULL: none
    uint64_t factor_count;

    struct reader *reader;
    const char *format;
    bool keep;    // more than one look at the rows is needed
    bool whole;   // all rows are read before the first is learned from
    bool copies;  // of `whole`: no entries will be replaced, so kept batches are copied as others
    bool ended;   // all rows were read
    bool passing; // the last batch is not kept: it goes when the next one comes
    struct cache cache;
    struct batch **batches;
    size_t batch_count, batch_capacity;
    struct places order;     // rows to learn from, in the order of the pass
    uint64_t passed;         // rows of this pass before those, no longer in memory
    struct fingerprint gone; // of all rows before the passing batch
    struct places held_out;  // rows of --holdout, in file order
    uint8_t *mask;           // [counts.rows] 1: held out; NULL: no row is
    struct row_counts counts;
    struct norms norms;     // of the rows in the order, if rows_measure was called
    struct scaling scaling; // fitted to all rows before the first is learned from
    double seconds;         // spent waiting for the reader
};

tlu_status rows_open(struct rows *rows, tlu_options *options, struct schema *schema,
                     tlu_error *error);
void rows_free(struct rows *rows);

// Reads the next batch and puts its rows at the end of the order; sets `ended` if there was no
// other. What is not kept takes the place of the batch before it.
tlu_status rows_read(struct rows *rows, const tlu_options *options, bool keep, tlu_error *error);
static inline const struct batch *rows_newest(const struct rows *rows)
{
    assert(rows->batch_count > 0);
    return rows->batches[rows->batch_count - 1];
}

static inline const struct batch *rows_batch(const struct rows *rows, struct place place)
{
    return rows->batches[place.batch];
}
static inline tlu_row rows_row(const struct rows *rows, struct place place)
{
    return batch_row(rows->batches[place.batch], place.row);
}
static inline uint64_t rows_id(const struct rows *rows, struct place place)
{
    return rows->batches[place.batch]->first_row + place.row;
}
static inline float rows_weight(const struct rows *rows, struct place place)
{
    return batch_weight(rows->batches[place.batch], place.row);
}
// The class of a row that has one label.
static inline uint32_t rows_label(const struct rows *rows, struct place place)
{
    return rows->batches[place.batch]->labels[place.row];
}

// Before learning from the rows of the order: their norms, with this bias.
tlu_status rows_measure(struct rows *rows, bool bias, tlu_error *error);

// The place of the row with this number in the data, if all rows are kept.
struct place rows_find(const struct rows *rows, uint64_t id);

void rows_shuffle(struct rows *rows, struct random *random);
// Moves the rows of --holdout from the order, which has all rows in file order, to held_out, and
// sets the masks of the batches (holdout.c).
tlu_status rows_hold_out(struct rows *rows, const tlu_options *options, uint32_t classes,
                         tlu_error *error);

// An error about the row with this number in the data.
tlu_status rows_refuse(const struct rows *rows, uint64_t id, const char *reason, tlu_error *error);

// Every n-th row counts in fingerprints: few of those that are not kept, as this is done while
// learning from them.
static inline uint64_t rows_every(const struct rows *rows)
{
    return rows->keep ? 1 : 16;
}
// The fingerprint of the first `count` rows in file order.
struct fingerprint rows_fingerprint(const struct rows *rows, uint64_t count, uint64_t every);

#endif
