// Reads ahead: while the caller learns from a chunk of the stream, other threads read and parse the
// next chunks.
//
// Rows that arrive one by one are read and parsed by the thread that answers them, because passing
// them between threads would take longer. If much text arrives at once, other threads read until
// there is nothing more to read at the moment. A thread both reads and parses a chunk, because the
// text is in the cache of its core.
#ifndef TLU_STREAM_AHEAD_H
#define TLU_STREAM_AHEAD_H

#include "input/reader.h"

struct stream_chunk {
    const char *bytes; // [size]
    size_t size;
    uint64_t lines; // newlines
    struct batch *batch;
    enum parse_result result;
    struct bad_row why; // PARSE_BAD
};

void chunk_parse(struct stream_chunk *chunk, struct reader *reader);
uint64_t chunk_lines(const struct stream_chunk *chunk); // as it is now: it may have been shortened
uint64_t chunk_labelled(const struct stream_chunk *chunk); // rows

#define READ_AHEAD_SIZE ((size_t)1 << 17) // approximate size of a chunk

struct read_ahead;

struct read_ahead *read_ahead_new(size_t threads); // NULL: out of memory
void read_ahead_free(struct read_ahead *ahead);    // NULL is fine

// Begins to read after these bytes, which are an incomplete row. False if there is no memory or no
// thread for it: then nothing was read.
bool read_ahead_start(struct read_ahead *ahead, struct reader *reader, tlu_read_function read,
                      void *context, const char *bytes, size_t size);
// The next chunk, valid until the next call. NULL: there is nothing more to read at the moment, and
// the caller reads again.
struct stream_chunk *read_ahead_next(struct read_ahead *ahead);
// After that: the text after the last chunk, whether the stream has ended, and the status of
// reading. A row that is too long is left in this text.
tlu_status read_ahead_rest(const struct read_ahead *ahead, const char **bytes, size_t *size,
                           int *end, tlu_error *error);

#endif
