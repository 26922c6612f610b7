// A live model's own parts, in the order in which a row goes through them: pull.c takes text,
// input.c knows how the stream is read, accept.c puts rows into the journal (journal/keep.h) and
// has them predicted and learned from by rows.c. All others use tlu.h.
#ifndef TLU_STREAM_INTERNAL_H
#define TLU_STREAM_INTERNAL_H

#include "base/call/callback.h"
#include "stream/ahead.h"
#include "stream/answer.h"
#include "stream/journal/keep.h"
#include "stream/piece.h"
#include "stream/resolve.h"
#include "stream/tally.h"

// Text that was read and not taken yet, and who reads the next.
struct pull {
    char *waiting; // [size] not the whole of a row
    size_t size, capacity;
    bool has_line;  // it has an end of a line that was not looked at
    size_t look_at; // the size from which on to look for the end of a long row
    size_t threads;
    struct callback read; // the caller's function
    struct ahead *ahead;  // NULL: not yet, or never
    bool is_ahead;        // it has the reading now
};

// How the stream is read.
struct input {
    struct reader *reader; // NULL before the first rows
    char guessed[128];     // what its first rows were taken for; "": no doubt
    uint64_t lines;        // of the stream before the next piece
    size_t row_most;       // bytes of a row
};

// Rows of the current batch that were left out (learn/guard.h).
struct refused {
    size_t *rows; // [count]
    size_t count, capacity;
};

struct tlu_stream {
    tlu_options *options; // to read with
    tlu_learner *learner;
    struct pull pull;
    struct input input;
    struct piece own;    // what this thread parses
    struct batch *batch; // of the current piece
    struct keep keep;
    struct resolver resolver;
    struct refused refused;
    struct answers answers;
    struct tally tally;
    struct callback report; // the caller's function
};

// ---- input.c ----

// Opens a stream that begins with these lines. *header: the bytes before its first row.
tlu_status stream_open_input(struct tlu_stream *stream, const char *opening, size_t size,
                             size_t *header, tlu_error *error);
// Before the format is known, rows are lines; none may be too long.
tlu_status stream_check_lines(const struct tlu_stream *stream, const char *bytes, size_t size,
                              tlu_error *error);
// The bytes after the last whole row are a part of one, which may be too long already.
tlu_status stream_check_rest(const struct tlu_stream *stream, const char *bytes, size_t size,
                             tlu_error *error);

// ---- accept.c ----

// Rows of the stream. *used: how many of the bytes are done with, added to what it was.
tlu_status stream_accept(struct tlu_stream *stream, struct piece *piece, size_t *used,
                         tlu_error *error);

// ---- rows.c ----

// Predicts the rows of stream->batch, learns from them and answers them. *done: how many were. A
// row that would be too much for the weights is an error; with --skip-bad it is left out, and in
// stream->refused.
tlu_status stream_feed_rows(struct tlu_stream *stream, size_t *done, tlu_error *error);
// Learns again from rows of the journal, which were answered before. One that is refused ended the
// stream unless that process skipped bad rows: what came after it was never answered.
tlu_status stream_replay_rows(struct tlu_stream *stream, bool skip_bad, tlu_error *error);

#endif
