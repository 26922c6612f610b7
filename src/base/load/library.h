// Libraries that are loaded when they are first needed. Clp and OpenBLAS bring LAPACK, a Fortran
// runtime and threads of their own along, cairo fonts and X libraries, which would cost every start
// of a program milliseconds and address space.
#ifndef TLU_BASE_LIBRARY_H
#define TLU_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

// Fills functions[count], each a pointer to a function, by their names; false if the library or one
// of them is not there. A library stays loaded once it is.
bool library_load(const char *file, const char *const *names, void **functions, size_t count);

#endif
