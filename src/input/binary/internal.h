// A binary data file that is being read: what the files that read it share.
#ifndef TLU_INPUT_BINARY_INTERNAL_H
#define TLU_INPUT_BINARY_INTERNAL_H

#include "input/binary/binary.h"

#include <pthread.h>

struct setting {
    char *name, *value;
};

// Where the bytes come from: a mapping, or what is read piece by piece.
struct binary_input {
    char *map; // [map_size]; NULL: read
    size_t map_size, at;
    bool pages;            // of the mapping can be given back
    struct source *source; // NULL: everything was read already
    char *start;           // [start_size] read already
    size_t start_size, start_at;
    uint64_t position;
};

// Of the blocks found so far.
struct binary_found {
    uint64_t blocks, rows, nonzeros;
    uint32_t labels, names;
};

// For a growing schema that gets only some of the rows, or that hashes: the texts of the file, and
// their numbers in the schema, SCHEMA_NONE until they are added.
struct binary_merged {
    struct merged_texts {
        struct table texts;
        uint32_t *to; // [texts.count]
        size_t capacity;
    } labels, names;
    uint32_t *slot_of; // [SCHEMA_DIRECT] of LIBSVM indices, likewise; NULL: nothing is hashed
};

struct binary {
    char *path;
    bool labelled; // every row must have a label
    bool sets;     // rows have sets of labels
    int missing;   // MISSING_..., for a model
    struct schema *schema;
    struct binary_input input;
    struct setting *settings;
    size_t setting_count;
    struct binary_names names;
    pthread_mutex_t text_lock;
    struct table label_texts; // of a file read for a model: to name unknown ones
    struct binary_found found;
    struct binary_merged merged;
};

tlu_status binary_damaged(const struct binary *binary, tlu_error *error, const char *format, ...)
    PRINTF_LIKE(3, 4);

static inline uint64_t binary_padded(uint64_t size)
{
    return (size + BINARY_ALIGNMENT - 1) / BINARY_ALIGNMENT * BINARY_ALIGNMENT;
}

// Texts one after the other: the length of each, and its bytes.
struct binary_texts {
    const char *at, *end;
};

// ---- read.c ----

struct binary_texts binary_texts(const struct binary_block *block);
// None of the bytes is NUL; false if there is no such text.
bool binary_next_text(struct binary_texts *texts, const char **text, size_t *length);

// The number of the file's first name: indices come before it.
static inline uint32_t binary_base(const struct binary *binary)
{
    return format_is_indexed(binary_format(binary)) ? SCHEMA_DIRECT : 0;
}

#endif
