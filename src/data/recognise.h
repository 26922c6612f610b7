// Which format is it? Read off the first chunk.
#ifndef TLU_DATA_RECOGNISE_H
#define TLU_DATA_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>

enum recognised { RECOGNISED_NOTHING, RECOGNISED_LIBSVM, RECOGNISED_CSV };

// NOTHING: neither, or rows of a single word that may be either.
enum recognised recognise_format(const char *bytes, size_t size);

#endif
