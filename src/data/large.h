// LIBSVM indices from SCHEMA_DIRECT on: names that are numbers.
//
// A schema has them in `large` as long as all of its names are of this kind. When another name is
// added (a stream may name its features), they become texts.
//
// Parsers of a growing schema store such indices unchanged if they have less than 32 bits.
// large_settle() looks up some thousands of them together, so that the cache misses overlap.
// Indices that the schema has get their final numbers at once; the others go to the batch's own
// list, for schema_merge.
#ifndef TLU_DATA_LARGE_H
#define TLU_DATA_LARGE_H

#include "data/schema.h"

#define LARGE_SCRATCH 24 // bytes: an index as text

// Writes the digits of an index, which end at `end`; returns where they start.
char *large_spell(uint64_t index, char *end);
// How many digits it has, of an index from SCHEMA_DIRECT on.
static inline size_t large_digits(uint64_t index)
{
    size_t digits = 7u + (index >= 10000000) + (index >= 100000000) + (index >= 1000000000);
    for (uint64_t rest = index / 10000000000; rest; rest /= 10)
        digits++;
    return digits;
}
// Whether a name is such an index, in a schema of a format with indices.
bool large_is(const struct schema *schema, const char *name, size_t length, uint64_t *index);

// As schema_find and schema_add.
uint32_t large_find(const struct schema *schema, uint64_t index);
uint32_t large_add(struct schema *schema, uint64_t index);
// The number in the batch, with BATCH_LOCAL; SCHEMA_NONE: out of memory.
uint32_t large_put(struct batch *batch, uint64_t index);
// Turns the indices into texts, before a name of another kind is added. False: out of memory.
bool large_to_texts(struct schema *schema);

// schema_name_at for a name in the batch's own tables.
const char *batch_name_at(const struct batch *batch, uint32_t name, char *scratch, size_t *length);

// Replaces such indices among the entries of a batch from `from` on by numbers; `finds`: looks them
// up in the growing schema first. False: out of memory.
bool large_settle(struct batch *batch, const struct schema *schema, size_t from, bool finds);
// Adds the batch's own indices to the schema and returns their numbers [own->count]; NULL: out of
// memory.
uint32_t *large_merge(struct schema *schema, const struct large_names *own);

#endif
