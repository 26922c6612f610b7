// Learning again from rows of the journal that the model lacks.
#ifndef TLU_STREAM_JOURNAL_REPLAY_H
#define TLU_STREAM_JOURNAL_REPLAY_H

#include "stream/internal.h"

struct replayer {
    struct tlu_stream *stream;
    uint64_t learned;  // rows, according to the journal
    bool refused;      // the last record has a row that was refused
    bool skip_bad;     // the process that wrote the record went on after such a row
    bool doubtful;     // see former.c
    bool states_model; // the journal identifies the model that it continues
    bool has_model;    // that is the model that was opened
};

tlu_status replay_journal(struct tlu_stream *stream, tlu_error *error);

// Neither the model nor the journal has had a row yet.
bool replay_is_first(const struct tlu_stream *stream);
// A new learner in place of the one that there is.
tlu_status replay_begin_again(struct tlu_stream *stream, const tlu_options *options,
                              tlu_error *error);

// ---- former.c ----

// Journals of version 2 ("TLUJRNL2") had no plans: a record of its own before the rows of a stream
// has the lines that the format was decided by, and it is decided again.
#define FORMER_OPENING UINT64_MAX // the number of such a record

// The records after it are to be read by these lines. An error if that version may have read them
// in another way.
tlu_status former_opening(struct replayer *replayer, const char *bytes, size_t size,
                          tlu_error *error);

#endif
