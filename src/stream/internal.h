// The parts of a stream, in the order in which a row goes through them: poll.c reads text, input.c
// decides how it is parsed, rows.c writes rows to the journal (journal/keep.h), predicts them and
// learns from them. Other folders use tlu.h.
#ifndef TLU_STREAM_INTERNAL_H
#define TLU_STREAM_INTERNAL_H

#include "base/call/callback.h"
#include "stream/journal/keep.h"
#include "stream/read_ahead.h"

// Text that was read and not parsed yet, and the function that reads more.
struct poll {
    char *waiting; // [size] not the whole of a row
    size_t size, capacity;
    bool has_line;    // it may have the end of a row that was not examined
    size_t next_scan; // the size from which on to search for the end of a long row
    size_t threads;
    struct callback read;     // the caller's function
    struct read_ahead *ahead; // NULL: not started
    bool is_ahead;            // other threads read now
};

// How the stream is read.
struct input {
    struct reader *reader; // NULL before the first rows
    char guessed[320];     // what its first rows were taken for; "": no doubt
    uint64_t lines;        // of the stream before the next chunk
    uint64_t column;       // bytes of its first line before it
    size_t row_max;        // bytes of a row
};

// Rows of the current batch that were left out (learn/guard.h).
struct refused {
    size_t *rows; // [count]
    size_t count, capacity;
};

// Maps rows of a batch, which has its own numbers of names and labels, to rows of the learner.
struct resolver {
    // The learner's numbers of the batch's names and labels, SCHEMA_NONE: not looked up yet.
    uint32_t *names; // [batch_names(batch)]
    size_t names_capacity;
    // The column whose missing values a name of the batch marks, from 1; 0: none.
    uint32_t *marks; // [batch_names(batch)]
    size_t marks_capacity;
    uint32_t *classes; // [batch->classes.count]
    size_t classes_capacity;
    uint32_t *set; // --multilabel: the labels of the row that was resolved last (example.set)
    size_t set_capacity;
    // The row that was resolved last.
    uint32_t *features;
    size_t features_capacity;
    float *values;
    size_t values_capacity;
    tlu_row unscaled;
    uint32_t *missing; // [missing_count] columns of the row whose numbers are missing
    size_t missing_count, missing_capacity;
};

// The answers: a line of text for each row.
struct answers {
    bool scores;        // after the label
    bool probabilities; // likewise, or after the score
    double *shares;     // [shares_capacity] scratch: probabilities of a row
    size_t shares_capacity;
    struct given_label *labels; // [labels_capacity] --multilabel, scratch: those of a row
    size_t labels_capacity;
    char *text; // [size]
    size_t size, capacity;
};

// How many rows there were, how many answers were right, in total and among the last rows, and the
// function that they are reported to.
struct stream_counts {
    tlu_stream_stats stats; // those about the learner are filled in by counts_now
    uint8_t *right;         // [window] of the last labelled rows, in a ring
    size_t window;
    tlu_stream_function report; // NULL: no reports
    void *context;
    uint64_t next_report; // labelled rows
    uint64_t every;       // likewise, between two reports; 0: after 1, 2, 4, 8, ...
    bool stopped;         // by the report function
};

struct tlu_stream {
    tlu_options *options; // to read with
    tlu_learner *learner;
    struct poll poll;
    struct input input;
    struct stream_chunk own; // what this thread parses
    struct batch *batch;     // of the current chunk
    struct keep keep;
    struct resolver resolver;
    struct refused refused;
    struct answers answers;
    struct stream_counts counts;
    struct callback report; // the caller's function
};

// ---- stream.c ----

// Whether a model keeps the option for life: those of learning, and those that define features.
bool fixed_option(enum option option);
// Fails if the given options differ from those that the "model" or "journal" was made with.
tlu_status fixed_options_check(const char *what, const tlu_options *own, const tlu_options *given,
                               tlu_error *error);

// ---- input.c ----

// The size of the first lines, which decide the format: up to the first row and, since a header of
// CSV alone does not show what its columns hold, the second. 0: they are not complete yet.
size_t opening_size(const tlu_options *options, const struct schema *schema, const char *bytes,
                    size_t size, bool end);

// Whether the last bytes of a text, which begins with a row, may end that.
bool stream_may_end_row(const struct tlu_stream *stream, const char *text, size_t size,
                        size_t last);

// Opens a stream that begins with these lines. *header: the bytes before its first row.
tlu_status stream_open_input(struct tlu_stream *stream, const char *opening, size_t size,
                             size_t *header, tlu_error *error);
// Before the format is known, rows are lines; none may be too long.
tlu_status stream_check_lines(const struct tlu_stream *stream, const char *bytes, size_t size,
                              tlu_error *error);
// Goes on after a chunk, of which chunk->size of `whole` bytes are done.
void stream_pass(struct tlu_stream *stream, const struct stream_chunk *chunk, size_t whole);
// The bytes after the last whole row are a part of one, which may be too long already.
tlu_status stream_check_rest(const struct tlu_stream *stream, const char *bytes, size_t size,
                             tlu_error *error);

// ---- rows.c ----

// Checks the rows of a chunk, writes them to the journal, predicts and learns them. Adds the bytes
// that are done to *used.
tlu_status stream_accept(struct tlu_stream *stream, struct stream_chunk *chunk, size_t *used,
                         tlu_error *error);

// Learns again from rows of the journal, which were answered before. A refused row ended the stream
// unless that process skipped bad rows: the rows after it were never answered.
tlu_status stream_replay_rows(struct tlu_stream *stream, bool skip_bad, tlu_error *error);

// ---- resolve.c ----

// For the rows of this batch. False: out of memory.
bool resolver_begin(struct resolver *resolver, const struct batch *batch);
// The learner has renumbered its features.
void resolver_forget_names(struct resolver *resolver, const struct batch *batch);
// Rows without a label add no names: what the learner does not know is left out of them.
tlu_status resolver_row(struct resolver *resolver, struct batch *batch, size_t i,
                        struct tlu_learner *learner, bool labelled, tlu_row *row, tlu_error *error);
// --missing auto and mean: adds the numbers of the row that was resolved last to the means of their
// columns, after it was learned.
void resolver_count(const struct resolver *resolver, const tlu_row *row,
                    struct tlu_learner *learner);
// Scales the values of a row.
tlu_status resolver_scale(struct resolver *resolver, struct tlu_learner *learner, bool labelled,
                          tlu_row *row, tlu_error *error);
// The learner's number of a label; *is_new: it had none. SCHEMA_NONE: out of memory.
uint32_t resolver_class(struct resolver *resolver, const struct batch *batch, uint32_t label,
                        struct schema *schema, bool *is_new);
// --multilabel: the learner's numbers of a set of labels, ascending. NULL: out of memory.
const uint32_t *resolver_set(struct resolver *resolver, const struct batch *batch,
                             const uint32_t *set, struct schema *schema, bool *is_new);
void resolver_free(struct resolver *resolver);

// ---- answers.c ----

// "spam" or "spam<tab>0.25", the score or the probability of the label, or both; "?" before any
// label is known. With --multilabel the lists of all three: "a,b<tab>0.25,2". False: out of memory.
bool answers_add(struct answers *answers, const struct tlu_learner *learner, uint32_t winner);
void answers_free(struct answers *answers);
// False: out of memory.
bool counts_init(struct stream_counts *counts, const tlu_stream_settings *settings);
void counts_add(struct stream_counts *counts, bool right); // of a labelled row
const tlu_stream_stats *counts_now(struct stream_counts *counts, const struct tlu_learner *learner);
// If a report is due; the report function may set counts->stopped.
void counts_report(struct stream_counts *counts, const struct tlu_learner *learner);
void counts_free(struct stream_counts *counts);

#endif
