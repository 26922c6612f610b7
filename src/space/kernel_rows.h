// Rows of a kernel matrix, K(x_i, x_j) for all j, with a cache of those that were used last.
//
// Dot products with all rows are computed by panels of small integers (small.h) or by an inverted
// index (postings.h), so that several rows are processed at a time. A value does not depend on the
// size of the cache.
#ifndef TLU_SPACE_KERNEL_ROWS_H
#define TLU_SPACE_KERNEL_ROWS_H

#include "space/kernel.h"
#include "tlu.h"

#include <stdbool.h>

struct kernel_rows;

// The entries of the rows must stay where they are; the array of the rows is copied. The cache
// takes at most `memory` bytes, but never less than two rows of the matrix. NULL: out of memory.
struct kernel_rows *kernel_rows_new(const struct kernel *kernel, const tlu_row *rows, size_t count,
                                    uint64_t memory);
void kernel_rows_free(struct kernel_rows *rows); // NULL is fine

// K(x_i, x_j) for j < count. Valid until the next call but one. NULL: out of memory.
const double *kernel_rows_get(struct kernel_rows *rows, size_t i);
// The same for a pass over many rows: keeps those that are in the cache, which such a pass would
// replace one after the other before it needs them. Valid until the next call.
const double *kernel_rows_pass(struct kernel_rows *rows, size_t i);
double kernel_rows_own(const struct kernel_rows *rows, size_t i); // K(x_i, x_i)
size_t kernel_rows_count(const struct kernel_rows *rows);
uint64_t kernel_rows_computed(const struct kernel_rows *rows); // so far; a test counts them

#endif
