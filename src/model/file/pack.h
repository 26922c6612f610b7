// Putting a model file together (docs/model-format.md, "Building blocks").
#ifndef TLU_MODEL_FILE_PACK_H
#define TLU_MODEL_FILE_PACK_H

#include "model/file/format.h"
#include "model/model.h"

struct file_writer;

struct out {
    // One of these; both NULL: count alone.
    struct file_writer *file;
    unsigned char *memory; // room for all that is put
    uint64_t size;
    uint32_t crc;                // of what does not wait
    unsigned char waiting[2048]; // [waiting_size] small pieces, to go on together
    size_t waiting_size;
    bool infinite; // met a number that is not finite
};

bool put_counts_only(const struct out *out);
void put_flush(struct out *out); // nothing waits any more
void put_bytes(struct out *out, const void *bytes, size_t size);
// The lowest `size` bytes of a number, the lowest first.
void put_fixed(struct out *out, uint64_t value, size_t size);
// Seven bits per byte, the lowest first; the highest bit says that more follow.
void put_count(struct out *out, uint64_t value);
// A step from one number to another, forwards or back.
void put_move(struct out *out, uint64_t from, uint64_t to);
void put_text(struct out *out, const char *text); // NULL: ""
void put_text_of(struct out *out, const char *text, size_t length);

void put_double(struct out *out, double value);
bool number_is_same(double a, double b); // bit for bit
// The shortest that gives the number back exactly.
enum number_code number_code_of(double number);
void put_number(struct out *out, double number, enum number_code code);
// The codes of all numbers, then the numbers.
void put_numbers(struct out *out, const double *numbers, size_t count);
void put_singles(struct out *out, const float *numbers, size_t count);

#endif
