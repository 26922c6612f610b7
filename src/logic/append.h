// Arrays that grow by one item.
#ifndef TLU_LOGIC_APPEND_H
#define TLU_LOGIC_APPEND_H

#include "base/memory.h"

// Appends an item to array[count]; false: out of memory.
#define APPEND(array, count, capacity, ...)                                                        \
    (memory_reserve(&(array), &(capacity), (uint64_t)(count) + 1, sizeof *(array)) &&              \
     ((array)[(count)++] = __VA_ARGS__, true))

#endif
