// A piece of a stream: whole rows, parsed.
#ifndef TLU_STREAM_PIECE_H
#define TLU_STREAM_PIECE_H

#include "input/reader.h"

struct piece {
    const char *bytes; // [size]
    size_t size;
    uint64_t lines; // newlines
    struct batch *batch;
    enum parse_result result;
    struct bad_row why; // PARSE_BAD
};

void piece_parse(struct piece *piece, struct reader *reader);
uint64_t piece_lines(const struct piece *piece);    // as it is now: it may have been shortened
uint64_t piece_labelled(const struct piece *piece); // rows

#endif
