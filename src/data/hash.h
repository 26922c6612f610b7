// --hash BITS: a feature is not a name in a table but a slot, the name's hash modulo 2^BITS, so
// that memory is bounded however many names there are. docs/formats.md has the function for other
// programs: it has no seed, and never changes.
//
// Names that fall on one slot are one feature; in a row their values add up. A growing schema keeps
// a mark a slot, from bits of the hash that are not in the slot's number, of the first name that
// fell on it: another mark on the slot is a collision (schema_note).
#ifndef TLU_DATA_HASH_H
#define TLU_DATA_HASH_H

#include "data/schema.h"

#include <string.h>

uint64_t hash_name(const char *name, size_t length);

static inline uint32_t hash_slot(uint64_t hash, uint32_t bits)
{
    return (uint32_t)(hash & (((uint64_t)1 << bits) - 1));
}

// 31 bits above a free one; never 0, which is that of a slot without a name.
static inline uint32_t hash_mark(uint64_t hash)
{
    uint32_t mark = (uint32_t)(hash >> 32) & ~1u;
    return mark ? mark : 2;
}

// As schema_find and schema_add, for a LIBSVM index.
uint32_t hash_index_find(const struct schema *schema, uint32_t index);
uint32_t hash_index_add(struct schema *schema, uint32_t index);

// The sum of two finite values; what is past the largest float stays there.
float hash_sum(float a, float b);

// A batch as the parser left it: its names and LIBSVM indices become slots, or for a frozen schema
// the model's features, and what falls together in a row is added up. False: out of memory.
bool hash_batch(const struct schema *schema, struct batch *batch);
// Adds up entries of the same feature in a row; those that come to 0 go. False: out of memory.
bool hash_fold(struct batch *batch);
// The same for a single row that is somewhere else; the batch lends its memory.
bool hash_fold_row(struct batch *room, uint32_t *features, float *values, size_t *count);

#endif
