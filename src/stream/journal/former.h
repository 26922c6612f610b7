// Journals of version 2 ("TLUJRNL2"), which had no plans: before the rows of a stream came
// a record of its own with the lines that the format was decided by, and it was decided again.
#ifndef TLU_STREAM_JOURNAL_FORMER_H
#define TLU_STREAM_JOURNAL_FORMER_H

#include "stream/journal/replay.h"

#define FORMER_OPENING UINT64_MAX // the number of such a record

// The records after it are to be read by these lines. An error if that version may have read them
// in another way.
tlu_status former_opening(struct replayer *replayer, const char *bytes, size_t size,
                          tlu_error *error);

#endif
