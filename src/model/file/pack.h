// Putting a model file together (docs/model-format.md, "Building blocks"): what the files that
// write sections share. The building blocks are in save.c.
#ifndef TLU_MODEL_FILE_PACK_H
#define TLU_MODEL_FILE_PACK_H

#include "model/file/format.h"

struct file_writer;

struct out {
    struct file_writer *file; // NULL: count alone
    uint64_t size;
    uint32_t crc;
    bool infinite; // met a number that is not finite
};

void put_bytes(struct out *out, const void *bytes, size_t size);
// The lowest `size` bytes of a number, the lowest first.
void put_fixed(struct out *out, uint64_t value, size_t size);
// Seven bits a byte, the lowest first; the highest bit tells that more follow.
void put_count(struct out *out, uint64_t value);
void put_double(struct out *out, double value);
// The codes of all numbers, then the numbers.
void put_numbers(struct out *out, const double *numbers, size_t count);

// ---- save_stream.c ----

void put_adaptive(struct out *out, const tlu_model *model);
void put_units(struct out *out, const tlu_model *model);

// ---- save_run.c ----

void put_run(struct out *out, const tlu_model *model);

#endif
