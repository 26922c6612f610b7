// LIBSVM indices from SCHEMA_DIRECT on: names that are numbers, and looked up as such.
//
// A schema has them in `large` as long as all of its names are of this kind; once another comes,
// they are texts as well (that takes a stream whose features are given by name). The names of a
// batch are indices if its format has them.
//
// Parsers of a growing schema leave such indices as they are, if they have less than 32 bits; and
// when some thousands are there, large_settle() looks them up together, so that the cache misses
// overlap. What the schema knows by then gets its number at once, which is final; the rest goes to
// the batch's own list and waits for schema_merge.
#ifndef TLU_DATA_LARGE_H
#define TLU_DATA_LARGE_H

#include "data/schema.h"

#define LARGE_ROOM 24 // bytes: an index as text

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
// Whether a name of the schema's is such an index.
bool large_is(const struct schema *schema, const char *name, size_t length, uint64_t *index);

// As schema_find and schema_add.
uint32_t large_find(const struct schema *schema, uint64_t index);
uint32_t large_add(struct schema *schema, uint64_t index);
// The number in the batch, with BATCH_LOCAL; SCHEMA_NONE: out of memory.
uint32_t large_put(struct batch *batch, uint64_t index);
// Before a name of another kind: the indices become texts. False: out of memory.
bool large_to_texts(struct schema *schema);

// As schema_name_at, of a batch's own name.
const char *batch_name_at(const struct batch *batch, uint32_t name, char *room, size_t *length);

// Entries of a batch from `from` on that are such indices become numbers; `finds`: in the schema,
// which grows. False: out of memory.
bool large_settle(struct batch *batch, const struct schema *schema, size_t from, bool finds);
// Tells the schema of the batch's own; its numbers by the batch's, NULL: out of memory.
uint32_t *large_merge(struct schema *schema, const struct large_names *own);

#endif
