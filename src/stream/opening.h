// The first lines of a stream, by which its format is decided. They are found line by line, so that
// the decision does not depend on how the stream was cut into pieces.
#ifndef TLU_STREAM_OPENING_H
#define TLU_STREAM_OPENING_H

#include "base/options.h"
#include "data/schema.h"

// The size of the lines that the format is decided by: up to the first row and, since a header of
// CSV alone tells nothing about its columns, the second. 0: they are not all there yet.
size_t opening_size(const tlu_options *options, const struct schema *schema, const char *bytes,
                    size_t size, bool end);

#endif
