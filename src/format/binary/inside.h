// What binary_read.c and binary_batch.c share.
#ifndef TLU_FORMAT_BINARY_INSIDE_H
#define TLU_FORMAT_BINARY_INSIDE_H

#include "format/binary/binary.h"

#include <pthread.h>

struct setting {
    char *name, *value;
};

struct binary {
    char *path;
    bool labelled; // every row must have a label
    struct schema *schema;

    // Bytes: mapped, or read one behind the other.
    char *map; // [map_size]; NULL: read
    size_t map_size, at;
    bool pages;            // of the mapping can be given back
    struct source *source; // NULL: there is no more than what was read already
    char *start;           // [start_size] read already
    size_t start_size, start_at;
    uint64_t position;

    struct setting *settings;
    size_t setting_count;
    struct binary_names names;
    pthread_mutex_t text_lock;
    struct table label_texts; // of a file read for a model: to name unknown ones

    uint64_t blocks, rows, nonzeros; // found so far
    uint32_t labels, name_count;

    // A growing schema that must not learn of all rows, or that hashes: numbers in it, SCHEMA_NONE
    // so far.
    struct table merged_labels, merged_names;
    uint32_t *class_to, *feature_to;
    uint32_t *slot_of; // [SCHEMA_DIRECT] of LIBSVM indices, likewise; NULL: nothing is hashed
    size_t class_capacity, feature_capacity;
};

tlu_status binary_damaged(const struct binary *binary, tlu_error *error, const char *format, ...)
    PRINTF_LIKE(3, 4);

static inline uint64_t binary_padded(uint64_t size)
{
    return (size + BINARY_ALIGNMENT - 1) / BINARY_ALIGNMENT * BINARY_ALIGNMENT;
}

// Texts one behind the other: the length of each, and its bytes.
struct texts {
    const char *at, *end;
};

struct texts binary_texts(const struct binary_block *block);
// None of the bytes is NUL; false where there is no such text.
bool binary_next_text(struct texts *texts, const char **text, size_t *length);

#endif
