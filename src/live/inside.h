// A live model's own parts: live.c takes text in, keep.c has the journal, rows.c predicts and
// learns. Everybody else wants tlu.h.
#ifndef TLU_LIVE_INSIDE_H
#define TLU_LIVE_INSIDE_H

#include "learn/stream.h"
#include "live/ahead.h"
#include "live/journal.h"

struct tlu_live {
    char *path;
    tlu_options *options; // to read with
    tlu_learner *learner;
    bool is_new;       // there was no model
    char guessed[128]; // what its first rows were taken for; "": no doubt
    bool scores;

    struct reader *reader; // NULL before the first rows
    uint64_t lines;        // of the stream before the next piece
    struct piece own;      // what this thread parses
    struct batch *batch;   // of the piece at hand
    uint32_t *names; // [batch->names.count] the learner's numbers of the batch's, or SCHEMA_NONE
    size_t names_capacity;
    uint32_t *classes; // [batch->classes.count] the same for labels
    size_t classes_capacity;
    uint32_t *features; // a row in the learner's numbers
    float *values;
    size_t features_capacity, values_capacity;
    tlu_row raw; // the same before it was scaled

    // tlu_live_pull
    size_t threads;
    struct ahead *ahead; // NULL: not yet, or never
    bool reads_ahead;    // it has the reading now
    char *waiting;       // read, and not the whole of a row
    size_t waiting_size, waiting_capacity;
    bool waiting_line; // there is an end of a line in it that nobody has looked at
    size_t look_at;    // its size from which on to look for the end of a long row
    size_t row_most;   // bytes of a row

    struct journal *journal; // NULL: none
    char *plan;              // [plan_size] how the stream is read, packed
    size_t plan_size;
    bool plan_kept;        // the journal has it
    bool plan_new;         // it came with the record that was put down last
    bool doubtful;         // see former.c
    uint64_t journal_rows; // learned, by what the journal has
    bool journal_behind;   // it is not as the learner is, and could not be mended
    size_t *refused;       // [refused_count] rows of the batch at hand that were left out (guard.h)
    size_t refused_count, refused_capacity;
    bool refused_before; // the last record of the journal has such a row
    bool replay_skips;   // the process that wrote the record would have gone on after it
    char *text;          // the answers
    size_t text_size, text_capacity;

    tlu_live_counts counts;
    tlu_live_function report; // NULL: nobody asks
    void *context;
    uint64_t next_report; // labelled rows
    uint8_t *right;       // [window] of the last labelled rows, in a ring
    size_t window;
};

// Predicts the rows of live->batch and learns from them; `counted`: they are new, and are answered.
// *done: how many were. A row that would be too much for the weights is an error; with --skip-bad,
// and where it is not new, it is left out, and in live->refused.
tlu_status live_take_rows(struct tlu_live *live, bool counted, size_t *done, tlu_error *error);

// ---- keep.c: the journal ----

// What tells learners apart that have learned from as many rows.
uint32_t live_state(const struct tlu_learner *learner);
uint64_t live_labelled(const struct batch *batch); // rows
// What the model was made with stays. Options of learning that say otherwise are an error, not
// something to pass over in silence.
bool live_option_is_fixed(enum option option);
tlu_status live_check_options(const char *what, const tlu_options *own, const tlu_options *options,
                              tlu_error *error);

// The stream was opened: the next record has its plan.
tlu_status live_make_plan(struct tlu_live *live, tlu_error *error);
// Rows that are about to be learned from.
tlu_status live_put_down(struct tlu_live *live, const char *bytes, size_t size, tlu_error *error);
// Of the rows put down last, with their number, no more than these were.
void live_put_less(struct tlu_live *live, uint64_t number, const char *bytes, size_t size);
// The model is saved.
tlu_status live_empty_journal(struct tlu_live *live, tlu_error *error);
// Learns what the journal has and the model has not.
tlu_status live_replay(struct tlu_live *live, tlu_error *error);
// A new learner in place of the one that there is.
tlu_status live_begin_again(struct tlu_live *live, const tlu_options *options, tlu_error *error);

#endif
