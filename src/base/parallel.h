// Splits work over threads: calls part(context, first, last) for ranges that cover 0 to count - 1.
// The ranges depend only on `count` and `threads`; a part must not depend on the others.
#ifndef TLU_BASE_PARALLEL_H
#define TLU_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

void parallel_run(size_t threads, size_t count,
                  void (*part)(void *context, size_t first, size_t last), void *context);
// The number of threads for --threads N: N, or one per core for 0.
size_t parallel_threads(uint64_t wanted);

#endif
