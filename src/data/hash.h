// --hash BITS: a feature is a slot, the hash of its name modulo 2^BITS, so memory is bounded
// however many names there are. docs/formats.md documents the hash function for other programs: it
// has no seed and never changes.
//
// Names with the same slot are one feature; their values in a row add up. For each slot, a growing
// schema keeps a mark of its first name, made of bits of the hash that the slot's number does not
// use. A name with another mark is a collision (schema_note).
#ifndef TLU_DATA_HASH_H
#define TLU_DATA_HASH_H

#include "data/schema.h"

#include <string.h>

uint64_t hash_name(const char *name, size_t length);

static inline uint32_t hash_slot(uint64_t hash, uint32_t bits)
{
    return (uint32_t)(hash & (((uint64_t)1 << bits) - 1));
}

// 31 bits above a free one; never 0, which marks an empty slot.
static inline uint32_t hash_mark(uint64_t hash)
{
    uint32_t mark = (uint32_t)(hash >> 32) & ~1u;
    return mark ? mark : 2;
}

// As schema_find and schema_add, for a LIBSVM index.
uint32_t hash_index_find(const struct schema *schema, uint32_t index);
uint32_t hash_index_add(struct schema *schema, uint32_t index);

// The sum of two finite values, limited to the range of float.
float hash_sum(float a, float b);

// Replaces the names and LIBSVM indices of a batch, as the parser left it, by slots or, for a
// frozen schema, by the model's features, and folds its rows. False: out of memory.
bool hash_batch(const struct schema *schema, struct batch *batch);
// Adds up the entries of the same feature in each row, and drops sums of 0. False: out of memory.
bool hash_fold(struct batch *batch);
// The same for a single row outside a batch; `scratch` lends its scratch memory.
bool hash_fold_row(struct batch *scratch, uint32_t *features, float *values, size_t *count);

#endif
