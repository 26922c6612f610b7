// What the kernel files share among themselves; everybody else wants vector.h.
#ifndef TLU_VECTOR_SETS_H
#define TLU_VECTOR_SETS_H

#include "vector/vector.h"

extern const struct vector_kernels *const vector_avx2; // NULL where it was not compiled in

// For sets that have nothing faster: an update reads and writes single weights, whatever the
// width of the registers.
void reference_add(double *w, const uint32_t *indices, const float *values, size_t count,
                   double amount);
void reference_add_column(double *w, size_t columns, size_t column, const uint32_t *indices,
                          const float *values, size_t count, double amount);

#endif
