// Work split over threads: calls part(context, first, last) for ranges that cover 0 to count - 1.
// The ranges depend on nothing but count and `threads`; a part must not depend on the others.
#ifndef TLU_BASE_PARALLEL_H
#define TLU_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

void parallel_run(size_t threads, size_t count,
                  void (*part)(void *context, size_t first, size_t last), void *context);
// What --threads N means: N, or one per core for 0.
size_t parallel_threads(uint64_t wanted);

#endif
