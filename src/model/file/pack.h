// Packs and unpacks the building blocks of a model file (docs/model-format.md, "Building blocks").
#ifndef TLU_MODEL_FILE_PACK_H
#define TLU_MODEL_FILE_PACK_H

#include "model/model.h"

// As in PNG: a byte that is not ASCII, a name, and line ends that a transfer as text would spoil.
#define FORMAT_MAGIC "\x89TLU\r\n\x1A\n"

enum {
    FORMAT_VERSION = 2, // 1 is written if version 0.1.0 reads the model correctly
    FORMAT_MAGIC_SIZE = 8,
    FORMAT_HEADER_SIZE = 20,  // magic, version (4), size of the file (8)
    FORMAT_SECTION_SIZE = 12, // tag (4), length (8)
    FORMAT_CHECKSUM_SIZE = 4,
    FORMAT_TAG_SIZE = 4
};

// Arrays of numbers: two bits per number say how it is stored. Most weights of a sparse problem are
// 0, and the perceptron's are whole numbers if those of the data are.
enum number_code {
    CODE_ZERO,   // not at all
    CODE_SHORT,  // a whole number in 2 bytes
    CODE_SINGLE, // a float, if that is exact
    CODE_DOUBLE
};

// ---- packing ----

struct file_writer;

struct packer {
    // One of these; none: the bytes are only counted.
    struct file_writer *file;
    unsigned char *memory; // large enough for all that is put, or
    bool grows;            // enlarged as needed
    size_t capacity;       // of memory that grows
    uint64_t size;
    uint32_t crc;                // of the bytes before those in `waiting`
    unsigned char waiting[2048]; // [waiting_size] small pieces, written together
    size_t waiting_size;
    bool infinite; // met a number that is not finite
    bool no_memory;
};

bool put_counts_only(const struct packer *out);
void put_flush(struct packer *out); // writes what is waiting
void put_bytes(struct packer *out, const void *bytes, size_t size);
// The lowest `size` bytes of a number, the lowest first.
void put_fixed(struct packer *out, uint64_t value, size_t size);
// Seven bits per byte, the lowest first; the highest bit says that more follow.
void put_count(struct packer *out, uint64_t value);
// The signed difference between two numbers.
void put_move(struct packer *out, uint64_t from, uint64_t to);
void put_text(struct packer *out, const char *text); // NULL: ""
void put_text_of(struct packer *out, const char *text, size_t length);

void put_double(struct packer *out, double value);
bool number_is_same(double a, double b); // bit for bit
// The shortest code that stores the number exactly.
enum number_code number_code_of(double number);
void put_number(struct packer *out, double number, enum number_code code);
// The codes of all numbers, then the numbers.
void put_numbers(struct packer *out, const double *numbers, size_t count);
// The same for numbers that are not in memory. compute(context, first, count, to) writes to[count];
// it is called for all numbers in ascending order, and then again.
typedef void put_piece(void *context, size_t first, size_t count, double *to);
void put_computed(struct packer *out, put_piece *compute, void *context, size_t count);
void put_singles(struct packer *out, const float *numbers, size_t count);

// ---- unpacking ----

// The bytes are not trusted, even if the checksum is right. Every count is compared with the bytes
// that are left before memory is allocated, every number with its range before it is stored. A
// struct unpack remembers the first error and then has no more bytes, so that the code for a
// section reads like its description; loops stop at unpack_failed.
struct unpack {
    const unsigned char *at, *end; // of the section
    tlu_model *model;              // to be filled; NULL: a checkpoint is unpacked alone
    const tlu_model *known;        // the same, or that of the checkpoint
    struct checkpoint *checkpoint; // from the section RUN on
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
// How many items follow, each of at least `least` bytes.
uint64_t unpack_length(struct unpack *in, uint64_t least, const char *what);
// Not terminated; never NULL.
const char *unpack_text(struct unpack *in, size_t *length);
char *unpack_copy_text(struct unpack *in);

double unpack_number(struct unpack *in, enum number_code code);
// A number of examples; that of a mixture (learn/mix.h) is a mean, and need not be whole.
double unpack_steps(struct unpack *in, double least, bool whole);
// Numbers take at least two bits each: memory for them is at most 32 times the bytes that are left.
bool unpack_numbers_fit(struct unpack *in, uint64_t count);
// Fills numbers[count], after unpack_numbers_fit.
void unpack_numbers(struct unpack *in, double *numbers, size_t count);
// The same into zeros: memory that is 0 stays untouched.
void unpack_cells(struct unpack *in, double *cells, size_t count);
// The same, in new memory.
double *unpack_new_numbers(struct unpack *in, size_t count);
// The same for numbers that are singles and not 0.
void unpack_singles(struct unpack *in, float *numbers, size_t count);

#endif
