// The first lines of a stream, by which its format is decided. They are found line by line, so that
// the decision does not depend on how the stream was cut into pieces.
#ifndef TLU_LIVE_OPENING_H
#define TLU_LIVE_OPENING_H

#include "base/options.h"
#include "data/schema.h"

// The size of the lines that the format is decided by: up to the first row and, since a header of
// CSV alone tells nothing about its columns, the second. 0: they are not all there yet.
size_t opening_size(const tlu_options *options, const struct schema *schema, const char *bytes,
                    size_t size, bool end);

// What the journal keeps of a stream besides its rows: how the model was before it, the options
// that it is read with, and these lines. NULL: no memory.
struct opening_mark {
    uint64_t learned; // rows
    uint32_t state;   // a checksum
};
char *opening_pack(const tlu_options *options, const char *lines, size_t size, size_t *packed_size);
void opening_set_mark(char *packed, struct opening_mark mark); // 0 before
// The same back; the lines are inside of what was packed.
tlu_status opening_unpack(const char *packed, size_t packed_size, struct opening_mark *mark,
                          tlu_options **options, const char **lines, size_t *size,
                          tlu_error *error);

#endif
