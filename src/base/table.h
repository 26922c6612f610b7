// A table of distinct texts, numbered 0, 1, 2... in the order in which they came: a hash table
// with open addressing over one arena of bytes. Reading it from many threads is safe. The hash has
// a random key, so that texts that all fall on one slot cannot be made up; only the time depends on
// the key.
#ifndef TLU_BASE_TABLE_H
#define TLU_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX

struct table {
    uint32_t count;
    size_t *starts; // [count + 1] into bytes; each text has a NUL after it
    size_t starts_capacity;
    char *bytes;
    size_t bytes_capacity;
    uint64_t *slots;   // [slot_count] a text's hash above its number, all bits set if free
    size_t slot_count; // a power of two
    uint64_t key[2];   // of the hash: drawn for each table
};

uint32_t table_find(const struct table *table, const char *text, size_t length);
// The number of the text, which is added if it is new; TABLE_NONE: out of memory.
uint32_t table_add(struct table *table, const char *text, size_t length);
void table_cut(struct table *table, uint32_t count); // forgets the texts from number `count` on
void table_clear(struct table *table);               // forgets them all; keeps the memory
// Forgets the texts with gone[number]. The others keep their order and get the numbers 0, 1, 2...
// The memory is kept; none is allocated.
void table_thin(struct table *table, const bool *gone);
void table_free(struct table *table);

static inline const char *table_text(const struct table *table, uint32_t number)
{
    return table->bytes + table->starts[number];
}

static inline size_t table_length(const struct table *table, uint32_t number)
{
    return table->starts[number + 1] - table->starts[number] - 1;
}

#endif
