// Libraries that are loaded when they are first needed. Clp and OpenBLAS bring LAPACK, a Fortran
// runtime and threads of their own along, cairo fonts and X libraries, which would cost every start
// of a program milliseconds and address space.
#ifndef TLU_BASE_LIBRARY_H
#define TLU_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY_WHY 160

enum library_state {
    LIBRARY_LOADED,
    LIBRARY_MISSING,  // or one of the functions is
    LIBRARY_NO_SPACE, // too little address space
};

// Fills functions[count], each a pointer to a function, by their names. With `blas` the library
// loads OpenBLAS, if that is not loaded yet. `why`, if it is not NULL, gets the system's message if
// the library is missing. A library stays loaded once it is.
enum library_state library_load(const char *file, const char *const *names, void **functions,
                                size_t count, bool blas, char why[LIBRARY_WHY]);

// The address space of so many threads of OpenBLAS with their buffers. Without it, OpenBLAS tries
// to map a buffer for ever.
uint64_t library_blas_buffers(size_t count);

#endif
