// Reading and parsing ahead: while the caller learns from a chunk of the stream, a second thread
// reads the next ones and parses them.
//
// Rows that come one by one are read and parsed by the thread that answers them: handing them over
// would take longer. If much comes at once the second thread takes over the reading, and gives
// it back as soon as there is nothing more to read yet. It does both, reading and parsing, as text
// that one core has read is not in the cache of another.
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

// Begins to read after these bytes, which are not the whole of a row. False if there is no memory
// or no thread for it: then nothing was read.
bool read_ahead_start(struct read_ahead *ahead, struct reader *reader, tlu_read_function read,
                      void *context, const char *bytes, size_t size);
// The next chunk, valid until the next call. NULL: there is nothing more to read yet, and the
// caller reads again.
struct stream_chunk *read_ahead_next(struct read_ahead *ahead);
// Once there is nothing more: what was read after the last chunk, whether the stream has ended, and
// what reading came to. A row that is too long is no error yet: it is left in the rest.
tlu_status read_ahead_rest(const struct read_ahead *ahead, const char **bytes, size_t *size,
                           int *end, tlu_error *error);

#endif
