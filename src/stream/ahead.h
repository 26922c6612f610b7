// Reading and parsing ahead: while the caller learns from a piece of the stream, a second thread
// reads the next ones and parses them.
//
// Rows that come one by one are read and parsed by the thread that answers them: handing them over
// would take longer. If much comes at once the second thread takes over the reading, and gives
// it back as soon as there is nothing more to read yet. It does both, reading and parsing, as text
// that one core has read is not in the cache of another.
#ifndef TLU_STREAM_AHEAD_H
#define TLU_STREAM_AHEAD_H

#include "stream/piece.h"

#define AHEAD_SIZE ((size_t)1 << 17) // approximate size of a piece

struct ahead;

struct ahead *ahead_new(size_t threads); // NULL: out of memory
void ahead_free(struct ahead *ahead);    // NULL is fine

// Begins to read after these bytes, which are not the whole of a row. False if there is no memory
// or no thread for it: then nothing was read.
bool ahead_start(struct ahead *ahead, struct reader *reader, tlu_read_function read, void *context,
                 const char *bytes, size_t size);
// The next piece, valid until the next call. NULL: there is nothing more to read yet, and the
// caller reads again.
struct piece *ahead_next(struct ahead *ahead);
// Once there is nothing more: what was read after the last piece, whether the stream has ended, and
// what reading came to. A row that is too long is no error yet: it is left in the rest.
tlu_status ahead_rest(const struct ahead *ahead, const char **bytes, size_t *size, int *end,
                      tlu_error *error);

#endif
