#include "base/memory.h"

#include "base/fault.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// ---- records ----

static _Thread_local struct memory_record *recording; // NULL: none

struct memory_record *memory_record(struct memory_record *record)
{
    struct memory_record *before = recording;
    recording = record;
    return before;
}

// The slot of a block, or the free slot where it belongs.
static size_t place_of(const struct memory_record *record, uintptr_t block)
{
    assert(record->count < record->capacity); // or the search would not end
    size_t place = (size_t)((uint64_t)block * 0x9E3779B97F4A7C15u >> 32) & (record->capacity - 1);
    while (record->blocks[place] && record->blocks[place] != block)
        place = (place + 1) & (record->capacity - 1);
    return place;
}

// Makes sure that one more block can be recorded; false: out of memory.
static bool can_record(void)
{
    struct memory_record *record = recording;
    if (!record || 4 * record->count < 3 * record->capacity)
        return true;
    size_t capacity = record->capacity ? 2 * record->capacity : 64;
    struct memory_record larger = {calloc(capacity, sizeof *larger.blocks), record->count,
                                   capacity};
    if (!larger.blocks)
        return false;
    for (size_t i = 0; i < record->capacity; i++)
        if (record->blocks[i])
            larger.blocks[place_of(&larger, record->blocks[i])] = record->blocks[i];
    free(record->blocks);
    *record = larger;
    return true;
}

static void put_on_record(void *block)
{
    struct memory_record *record = recording;
    if (!record || !block)
        return;
    record->blocks[place_of(record, (uintptr_t)block)] = (uintptr_t)block;
    record->count++;
}

// False: the block was not recorded.
static bool take_off_record(uintptr_t block)
{
    struct memory_record *record = recording;
    if (!record || !record->capacity || !block)
        return false;
    size_t last = record->capacity - 1, gap = place_of(record, block);
    if (!record->blocks[gap])
        return false;
    record->count--;
    // Blocks after the gap that can no longer be found move into it.
    record->blocks[gap] = 0;
    for (size_t i = (gap + 1) & last; record->blocks[i]; i = (i + 1) & last) {
        uintptr_t moved = record->blocks[i];
        record->blocks[i] = 0;
        record->blocks[place_of(record, moved)] = moved;
    }
    return true;
}

void memory_unrecord(const void *block)
{
    take_off_record((uintptr_t)block);
}

void memory_record_free_blocks(struct memory_record *record)
{
    for (size_t i = 0; i < record->capacity; i++)
        free((void *)record->blocks[i]);
    free(record->blocks);
    *record = (struct memory_record){NULL, 0, 0};
}

// ---- blocks ----

void *memory_new(uint64_t count, size_t size)
{
    if (fault_hit(FAULT_MEMORY) || count > SIZE_MAX || !can_record())
        return NULL;
    void *block = calloc(count ? (size_t)count : 1, size ? size : 1); // calloc checks the product
    put_on_record(block);
    return block;
}

void *memory_resize(void *old, uint64_t count, size_t size)
{
    if (fault_hit(FAULT_MEMORY) || count > SIZE_MAX / (size ? size : 1) || !can_record())
        return NULL;
    size_t bytes = (size_t)count * size;
    bool recorded = !old || take_off_record((uintptr_t)old);
    void *block = realloc(old, bytes > 0 ? bytes : 1); // realloc to 0 may free
    if (recorded)
        put_on_record(block ? block : old);
    return block;
}

bool memory_is_free(uint64_t bytes)
{
    if (bytes > SIZE_MAX)
        return false;
    void *space = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space != MAP_FAILED && munmap(space, (size_t)bytes) == 0;
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

void *memory_new_filled(uint64_t count, size_t size, size_t first)
{
    if (size == 0 || count > (SIZE_MAX - LARGE_PAGE) / size || count * size < 2 * LARGE_PAGE)
        return memory_new(count, size);
    char *memory = memory_new(count * size + LARGE_PAGE, 1); // so that a large page has the end
    if (memory && first < count)
        memory_scattered(memory + first * size, ((size_t)count - first) * size + LARGE_PAGE);
    return memory;
}

void memory_free(void *pointer)
{
    take_off_record((uintptr_t)pointer);
    free(pointer);
}

void *memory_copy(const void *array, uint64_t count, size_t size)
{
    assert(array || !count);
    void *copy = memory_new(count, size);
    if (copy && count)
        memcpy(copy, array, (size_t)count * size);
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

bool memory_reserve(void *array_pointer, size_t *capacity, uint64_t needed, size_t size)
{
    assert(size > 0);
    if (needed <= *capacity)
        return true;
    if (needed > SIZE_MAX)
        return false;
    size_t larger = *capacity < SIZE_MAX / 2 ? *capacity * 2 : SIZE_MAX;
    if (larger < needed)
        larger = (size_t)needed;
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
