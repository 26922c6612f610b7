#include "data/large.h"

#include "base/memory.h"
#include "numeric/number.h"

#include <string.h>

char *large_spell(uint64_t index, char *end)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    for (; index >= 100; index /= 100)
        memcpy(end -= 2, pairs + 2 * (index % 100), 2);
    if (index >= 10)
        return memcpy(end - 2, pairs + 2 * index, 2);
    *--end = (char)('0' + index);
    return end;
}

bool large_is(const struct schema *schema, const char *name, size_t length, uint64_t *index)
{
    return schema_is_indexed(schema) && number_index(name, length, index) &&
           *index >= SCHEMA_DIRECT;
}

static const char *spell(uint64_t index, char *scratch, size_t *length)
{
    char *end = scratch + LARGE_SCRATCH - 1, *text = large_spell(index, end);
    *end = '\0';
    *length = (size_t)(end - text);
    return text;
}

static const char *text_at(const struct table *texts, uint32_t name, size_t *length)
{
    *length = table_length(texts, name);
    return table_text(texts, name);
}

const char *schema_name_at(const struct schema *schema, uint32_t name, char *scratch,
                           size_t *length)
{
    return schema->large.count ? spell(schema->large.items[name], scratch, length)
                               : text_at(&schema->names, name, length);
}

const char *batch_name_at(const struct batch *batch, uint32_t name, char *scratch, size_t *length)
{
    return batch->large.count ? spell(batch->large.items[name], scratch, length)
                              : text_at(&batch->names, name, length);
}

// ---- one ----

uint32_t large_find(const struct schema *schema, uint64_t index)
{
    char scratch[LARGE_SCRATCH], *end = scratch + sizeof scratch;
    const char *text = schema->names.count ? large_spell(index, end) : NULL; // names are texts
    uint32_t number = text ? table_find(&schema->names, text, (size_t)(end - text))
                           : indices_find(&schema->large, index);
    if (number == INDICES_NONE)
        return SCHEMA_NONE;
    return number + (schema->frozen ? schema->numbered : schema->base);
}

uint32_t large_add(struct schema *schema, uint64_t index)
{
    char scratch[LARGE_SCRATCH], *end = scratch + sizeof scratch;
    const char *text = schema->names.count ? large_spell(index, end) : NULL;
    uint32_t number = text ? table_add(&schema->names, text, (size_t)(end - text))
                           : indices_add(&schema->large, index);
    bool fine = number != INDICES_NONE && number < BATCH_LOCAL - schema->base;
    return fine ? schema->base + number : SCHEMA_NONE;
}

// Room for more names in the batch; false: out of memory.
static bool reserve(struct large_names *own, size_t more)
{
    return own->count + more < BATCH_LOCAL &&
           memory_reserve(&own->items, &own->capacity, own->count + more, sizeof *own->items);
}

uint32_t large_put(struct batch *batch, uint64_t index)
{
    if (!reserve(&batch->large, 1))
        return SCHEMA_NONE;
    batch->large.items[batch->large.count] = index;
    return batch->large.count++ | BATCH_LOCAL;
}

bool large_to_texts(struct schema *schema)
{
    char scratch[LARGE_SCRATCH];
    for (uint32_t i = 0; i < schema->large.count; i++) {
        size_t length;
        const char *name = schema_name_at(schema, i, scratch, &length);
        if (table_add(&schema->names, name, length) == TABLE_NONE) {
            table_free(&schema->names);
            return false;
        }
    }
    indices_free(&schema->large);
    return true;
}

// ---- many ----

// Without a branch on what is known: that cannot be foreseen.
static void settle(const struct index_view *known, uint32_t base, struct large_names *own,
                   uint32_t *indices, size_t count)
{
    for (size_t i = 0; i < count && i < INDICES_AHEAD; i++)
        index_expect(known, indices[i]);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (i + INDICES_AHEAD < count)
            index_expect(known, indices[i + INDICES_AHEAD]);
        if (index < SCHEMA_DIRECT)
            continue;
        uint32_t number = index_find(known, index), local = own->count | BATCH_LOCAL;
        own->items[own->count] = index;
        own->count += number == INDICES_NONE;
        indices[i] = number == INDICES_NONE ? local : base + number;
    }
}

bool large_settle(struct batch *batch, const struct schema *schema, size_t from, bool finds)
{
    size_t count = batch_nonzeros(batch) - from;
    struct index_view known = {0};
    if (!reserve(&batch->large, count))
        return false;
    if (finds)
        known = indices_enter(&schema->large);
    settle(&known, schema->base, &batch->large, batch->indices + from, count);
    if (finds)
        indices_leave(&schema->large);
    return true;
}

uint32_t *large_merge(struct schema *schema, const struct large_names *own)
{
    uint32_t *numbers = memory_new(own->count, sizeof *numbers);
    bool fine = numbers != NULL;
    if (fine && !schema->names.count) {
        fine = indices_add_all(&schema->large, own->items, own->count, numbers) &&
               schema->large.count <= BATCH_LOCAL - schema->base;
        for (uint32_t i = 0; fine && i < own->count; i++)
            numbers[i] += schema->base;
    } else {
        for (uint32_t i = 0; fine && i < own->count; i++) {
            numbers[i] = large_add(schema, own->items[i]);
            fine = numbers[i] != SCHEMA_NONE;
        }
    }
    if (fine)
        return numbers;
    memory_free(numbers);
    return NULL;
}
