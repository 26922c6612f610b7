// Libraries that are loaded when they are first needed. Clp and OpenBLAS bring LAPACK, a Fortran
// runtime and threads of their own along, cairo fonts and X libraries, which would cost every start
// of a program milliseconds and address space.
#ifndef TLU_BASE_LOAD_LIBRARY_H
#define TLU_BASE_LOAD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY_WHY 160

enum library_state {
    LIBRARY_LOADED,
    LIBRARY_MISSING,  // the library or one of its functions
    LIBRARY_NO_SPACE, // too little address space
};

// Fills functions[count] with pointers to the functions names[count]. `blas`: the library loads
// OpenBLAS, if that is not loaded yet. If the library is missing, `why`, which may be NULL,
// receives the system's message. A library is never unloaded.
enum library_state library_load(const char *file, const char *const *names, void **functions,
                                size_t count, bool blas, char why[LIBRARY_WHY]);

// The address space that `count` threads of OpenBLAS and their buffers need. Without it, OpenBLAS
// tries to map a buffer for ever.
uint64_t library_blas_buffers(size_t count);

#endif
