#include "stream/piece.h"

#include <string.h>

uint64_t piece_lines(const struct piece *piece)
{
    const char *at = piece->bytes, *limit = at + piece->size;
    uint64_t lines = 0;
    for (; (at = memchr(at, '\n', (size_t)(limit - at))); at++)
        lines++;
    return lines;
}

void piece_parse(struct piece *piece, struct reader *reader)
{
    piece->result = reader_parse(reader, piece->bytes, piece->size, piece->batch, &piece->why);
    piece->lines = piece_lines(piece);
}

uint64_t piece_labelled(const struct piece *piece)
{
    const struct batch *batch = piece->batch;
    uint64_t count = 0;
    for (size_t i = 0; i < batch->rows; i++)
        count += batch->labels[i] != TLU_NO_LABEL;
    return count;
}
