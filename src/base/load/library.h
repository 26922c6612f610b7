// Libraries that are loaded when first needed. Clp and OpenBLAS load LAPACK, a Fortran runtime and
// threads, cairo loads fonts and X libraries; loading them at every start would cost milliseconds
// and address space.
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

// Fills `table`, a struct of `count` function pointers, with the functions names[count]. `blas`:
// the library loads OpenBLAS, if that is not loaded yet. If the library is missing, `why`, which
// may be NULL, receives the system's message. A library is never unloaded.
enum library_state library_load(const char *file, const char *const *names, void *table,
                                size_t count, bool blas, char why[LIBRARY_WHY]);
// The number of pointers in such a struct.
#define LIBRARY_COUNT(table) (sizeof(table) / sizeof(void *))

// The address space that `count` threads of OpenBLAS and their buffers need. With less, OpenBLAS
// tries to map a buffer forever.
uint64_t library_blas_buffers(size_t count);

#endif
