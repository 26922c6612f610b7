// A source of bytes: a file or standard input, plain, gzip or zstd. The first bytes tell which, not
// the name.
#ifndef TLU_INPUT_SOURCE_H
#define TLU_INPUT_SOURCE_H

#include "base/error.h"

#include <stdbool.h>

struct source;

tlu_status source_open(struct source **source, const char *path, tlu_error *error);
// Bytes in memory, which must outlive the source; the path is for messages.
tlu_status source_open_bytes(struct source **source, const char *path, const void *bytes,
                             size_t size, tlu_error *error);
// Reads an open file from its place on; the path is for messages. The caller closes the descriptor.
tlu_status source_open_descriptor(struct source **source, const char *path, int descriptor,
                                  tlu_error *error);
// Sets a function that is called while a pipe or a terminal has no data; true ends the data there.
void source_watch(struct source *source, bool (*is_over)(void *context), void *context);
// Fills `bytes` up to `size`; fewer only at the end of the data.
tlu_status source_read(struct source *source, char *bytes, size_t size, size_t *got,
                       tlu_error *error);
// Reads at most `size` bytes and waits only until there is one; none only at the end of the data.
tlu_status source_read_ready(struct source *source, char *bytes, size_t size, size_t *got,
                             tlu_error *error);
// Whether bytes, or the end of the data, can be read without waiting longer than this.
bool source_is_ready(const struct source *source, int milliseconds);
// Whether reading may block: the source is not a regular file.
bool source_waits(const struct source *source);
// Whether source_reread works: on a plain file, once reading has begun.
bool source_rereads(const struct source *source);
uint64_t source_place(const struct source *source); // bytes returned so far, if source_rereads
tlu_status source_reread(struct source *source, uint64_t place, tlu_error *error);
// Maps all bytes of a plain regular file, or returns those in memory. They live as long as the
// source; writing to them does not change the file. *pages: pages of them can be dropped and are
// then read from the file again. False if the source cannot be mapped: a pipe, compressed data.
bool source_map(struct source *source, char **bytes, size_t *size, bool *pages);
uint64_t source_position(const struct source *source); // bytes of the file read so far
uint64_t source_size(const struct source *source);     // 0 if unknown
void source_close(struct source *source);

#endif
