#include "data/large.h"

#include "base/memory.h"
#include "number/number.h"

#include <string.h>

#define BLOCK 1024 // entries that are looked up together

char *large_spell(uint64_t index, char *end)
{
    do
        *--end = (char)('0' + index % 10);
    while ((index /= 10));
    return end;
}

bool large_is(const struct schema *schema, const char *name, size_t length, uint64_t *index)
{
    return schema_is_indexed(schema) && number_index(name, length, index) &&
           *index >= SCHEMA_DIRECT;
}

static const char *name_at(const struct table *texts, const struct indices *large, uint32_t name,
                           char *room, size_t *length)
{
    if (!large->count) {
        *length = table_length(texts, name);
        return table_text(texts, name);
    }
    char *end = room + LARGE_ROOM - 1;
    *end = '\0';
    char *text = large_spell(large->items[name], end);
    *length = (size_t)(end - text);
    return text;
}

const char *schema_name_at(const struct schema *schema, uint32_t name, char *room, size_t *length)
{
    return name_at(&schema->names, &schema->large, name, room, length);
}

const char *batch_name_at(const struct batch *batch, uint32_t name, char *room, size_t *length)
{
    return name_at(&batch->names, &batch->large, name, room, length);
}

// ---- one ----

// In a schema whose names are texts.
static uint32_t find_text(const struct schema *schema, uint64_t index)
{
    char room[LARGE_ROOM], *end = room + sizeof room, *text = large_spell(index, end);
    return table_find(&schema->names, text, (size_t)(end - text));
}

uint32_t large_find(const struct schema *schema, uint64_t index)
{
    uint32_t number =
        schema->names.count ? find_text(schema, index) : indices_find(&schema->large, index);
    if (number == INDICES_NONE)
        return SCHEMA_NONE;
    return number + (schema->frozen ? schema->numbered : schema->base);
}

// The number among the names.
static uint32_t add_name(struct schema *schema, uint64_t index)
{
    if (!schema->names.count)
        return indices_add(&schema->large, index);
    char room[LARGE_ROOM], *end = room + sizeof room, *text = large_spell(index, end);
    return table_add(&schema->names, text, (size_t)(end - text));
}

uint32_t large_add(struct schema *schema, uint64_t index)
{
    uint32_t number = add_name(schema, index);
    bool fine = number != INDICES_NONE && number < BATCH_LOCAL - schema->base;
    return fine ? schema->base + number : SCHEMA_NONE;
}

uint32_t large_put(struct batch *batch, uint64_t index)
{
    uint32_t number = indices_add(&batch->large, index);
    return number == INDICES_NONE ? SCHEMA_NONE : number | BATCH_LOCAL;
}

bool large_to_texts(struct schema *schema)
{
    char room[LARGE_ROOM];
    for (uint32_t i = 0; i < schema->large.count; i++) {
        size_t length;
        const char *name = schema_name_at(schema, i, room, &length);
        if (table_add(&schema->names, name, length) == TABLE_NONE) {
            table_free(&schema->names);
            return false;
        }
    }
    indices_free(&schema->large);
    return true;
}

// ---- many ----

// The entries that the schema knows get its numbers; the places of the others are listed.
static size_t find_block(const struct index_view *known, uint32_t base, uint32_t *indices,
                         size_t count, uint16_t *others)
{
    size_t other_count = 0;
    for (size_t i = 0; i < count && i < INDICES_AHEAD; i++)
        index_expect(known, indices[i]);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (i + INDICES_AHEAD < count)
            index_expect(known, indices[i + INDICES_AHEAD]);
        if (index < SCHEMA_DIRECT)
            continue;
        uint32_t number = index_find(known, index);
        others[other_count] = (uint16_t)i;
        other_count += number == INDICES_NONE;
        indices[i] = number == INDICES_NONE ? index : base + number;
    }
    return other_count;
}

// Those that are listed go to the batch's own table.
static bool put_block(struct batch *batch, uint32_t *indices, const uint16_t *others, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct index_view own = indices_view(&batch->large);
        if (i + INDICES_AHEAD < count)
            index_expect(&own, indices[others[i + INDICES_AHEAD]]);
        uint32_t number = large_put(batch, indices[others[i]]);
        if (number == SCHEMA_NONE)
            return false;
        indices[others[i]] = number;
    }
    return true;
}

bool large_settle(struct batch *batch, const struct schema *schema, size_t from, bool finds)
{
    size_t end = batch_nonzeros(batch);
    bool fine = true;
    struct index_view known = {0};
    if (finds)
        known = indices_enter(&schema->large);
    for (size_t at = from; fine && at < end; at += BLOCK) {
        uint16_t others[BLOCK];
        size_t count = end - at < BLOCK ? end - at : BLOCK;
        uint32_t *indices = batch->indices + at;
        fine = put_block(batch, indices, others,
                         find_block(&known, schema->base, indices, count, others));
    }
    if (finds)
        indices_leave(&schema->large);
    return fine;
}

uint32_t *large_merge(struct schema *schema, const struct indices *own)
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
