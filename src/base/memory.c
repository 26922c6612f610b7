#include "base/memory.h"

#include "base/fault.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *memory_new(size_t count, size_t size)
{
    if (fault_hit(FAULT_MEMORY))
        return NULL;
    return calloc(count ? count : 1, size ? size : 1); // calloc checks the product
}

void *memory_resize(void *old, size_t count, size_t size)
{
    if (fault_hit(FAULT_MEMORY) || (size && count > SIZE_MAX / size))
        return NULL;
    size_t bytes = count * size;
    return realloc(old, bytes > 0 ? bytes : 1); // realloc to 0 may free
}

#define LARGE_PAGE ((size_t)2 << 20)

void memory_scattered(void *memory, size_t bytes)
{
    uintptr_t start = ((uintptr_t)memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t end = ((uintptr_t)memory + bytes) / LARGE_PAGE * LARGE_PAGE;
#ifdef MADV_HUGEPAGE
    if (start < end)
        madvise((char *)memory + (start - (uintptr_t)memory), end - start, MADV_HUGEPAGE);
#else
    (void)start, (void)end;
#endif
}

void *memory_new_filled(size_t count, size_t size, size_t first)
{
    if (size == 0 || count > (SIZE_MAX - LARGE_PAGE) / size || count * size < 2 * LARGE_PAGE)
        return memory_new(count, size);
    char *memory = memory_new(count * size + LARGE_PAGE, 1); // so that a large page has the end
    if (memory && first < count)
        memory_scattered(memory + first * size, (count - first) * size + LARGE_PAGE);
    return memory;
}

void memory_free(void *pointer)
{
    free(pointer);
}

void *memory_copy(const void *array, size_t count, size_t size)
{
    void *copy = memory_new(count, size);
    if (copy && count)
        memcpy(copy, array, count * size);
    return copy;
}

char *memory_copy_text(const char *bytes, size_t length)
{
    char *copy = length < SIZE_MAX ? memory_resize(NULL, length + 1, 1) : NULL;
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

bool memory_reserve(void *array_pointer, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t larger = *capacity < SIZE_MAX / 2 ? *capacity * 2 : SIZE_MAX;
    if (larger < needed)
        larger = needed;
    if (larger < 16)
        larger = 16;
    void *array;
    memcpy(&array, array_pointer, sizeof array); // the array may be of any type
    array = memory_resize(array, larger, size);
    if (!array)
        return false;
    memcpy(array_pointer, &array, sizeof array);
    *capacity = larger;
    return true;
}
