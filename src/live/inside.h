// A live model's own parts: live.c takes text in and keeps the journal, rows.c predicts and learns.
// Everybody else wants tlu.h.
#ifndef TLU_LIVE_INSIDE_H
#define TLU_LIVE_INSIDE_H

#include "base/journal.h"
#include "learn/stream.h"
#include "live/ahead.h"

struct tlu_live {
    char *path;
    tlu_options *options; // to read with
    tlu_learner *learner;
    bool is_new;       // there was no model
    char guessed[128]; // what its first rows were taken for; "": no doubt
    bool scores;

    struct reader *reader; // NULL before the first rows
    char *record; // [record_size] what the journal keeps about the lines it was opened with
    size_t record_size;
    bool record_kept;             // it is in the journal
    tlu_options *journal_options; // while rows of the journal are read: to read them with
    uint64_t lines;               // of the stream before the next piece
    struct piece own;             // what this thread parses
    struct batch *batch;          // of the piece at hand
    uint32_t *names; // [batch->names.count] the learner's numbers of the batch's, or SCHEMA_NONE
    size_t names_capacity;
    uint32_t *classes; // [batch->classes.count] the same for labels
    size_t classes_capacity;
    uint32_t *features; // a row in the learner's numbers
    float *values;
    size_t features_capacity, values_capacity;

    // tlu_live_pull
    size_t threads;
    struct ahead *ahead; // NULL: not yet, or never
    bool reads_ahead;    // it has the reading now
    char *waiting;       // read, and not the whole of a row
    size_t waiting_size, waiting_capacity;

    struct journal *journal; // NULL: none
    uint64_t journal_rows;   // learned, by what the journal has
    bool journal_behind;     // it is not as the learner is, and could not be mended
    char *text;              // the answers
    size_t text_size, text_capacity;

    tlu_live_counts counts;
    tlu_live_function report; // NULL: nobody asks
    void *context;
    uint64_t next_report; // labelled rows
    uint8_t *right;       // [window] of the last labelled rows, in a ring
    size_t window;
};

// Predicts the rows of live->batch and learns from them; `counted`: they are new, and are answered.
// *done: how many were.
tlu_status live_take_rows(struct tlu_live *live, bool counted, size_t *done, tlu_error *error);

#endif
