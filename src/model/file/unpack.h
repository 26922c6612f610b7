// Taking a model file apart (docs/model-format.md, "Building blocks").
//
// The bytes are not trusted, even if the checksum is right. Every count is compared with the bytes
// that are left before memory is asked for, every number with its range before it is stored. A
// struct unpack remembers the first thing that is wrong and then finds no more bytes, so that the
// code for a section reads like its description; loops stop at unpack_failed.
#ifndef TLU_MODEL_FILE_UNPACK_H
#define TLU_MODEL_FILE_UNPACK_H

#include "model/file/format.h"
#include "model/model.h"

struct unpack {
    const unsigned char *at, *end; // of the section
    tlu_model *model;
    const char *section;
    bool no_memory;
    char wrong[200]; // "": nothing yet
};

bool unpack_failed(const struct unpack *in);
void unpack_damaged(struct unpack *in, const char *format, ...) PRINTF_LIKE(2, 3);
// Returns the pointer; NULL counts as out of memory.
void *unpack_checked(struct unpack *in, void *pointer);

uint64_t unpack_left(const struct unpack *in);                      // bytes
const unsigned char *unpack_take(struct unpack *in, uint64_t size); // NULL past the end
uint64_t unpack_fixed_of(const unsigned char *bytes, size_t size);
uint64_t unpack_fixed(struct unpack *in, size_t size);
unsigned unpack_choice(struct unpack *in, unsigned most, const char *what); // a byte, 0 to most
uint64_t unpack_count(struct unpack *in);
uint64_t unpack_moved(struct unpack *in, uint64_t from); // from + step
// How many things follow, each of which takes at least `least` bytes.
uint64_t unpack_length(struct unpack *in, uint64_t least, const char *what);
// Not terminated; never NULL.
const char *unpack_text(struct unpack *in, size_t *length);
char *unpack_copy_text(struct unpack *in);

double unpack_number(struct unpack *in, enum number_code code);
double unpack_steps(struct unpack *in, double least); // a whole number of examples
// Numbers take at least two bits each: memory for them is at most 32 times the bytes that are left.
bool unpack_numbers_fit(struct unpack *in, uint64_t count);
// Fills numbers[count], for which unpack_numbers_fit was asked.
void unpack_numbers(struct unpack *in, double *numbers, size_t count);
// The same into zeros: memory that is 0 stays untouched.
void unpack_cells(struct unpack *in, double *cells, size_t count);
// The same, in new memory.
double *unpack_new_numbers(struct unpack *in, size_t count);
// The same for numbers that are singles and not 0.
void unpack_singles(struct unpack *in, float *numbers, size_t count);

#endif
