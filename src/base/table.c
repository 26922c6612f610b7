#include "base/table.h"

#include "base/memory.h"

#include <string.h>

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
        text += 8;
        length -= 8;
    }
    uint64_t word = 0;
    memcpy(&word, text, length);
    hash = (hash ^ word) * 0xC4CEB9FE1A85EC53u;
    return hash ^ (hash >> 29);
}

// The slot that holds the text, or the free one where it would go.
static size_t slot_of(const struct table *table, const char *text, size_t length)
{
    size_t mask = table->slot_count - 1;
    size_t slot = (size_t)hash_text(text, length) & mask;
    for (;; slot = (slot + 1) & mask) {
        uint32_t number = table->slots[slot];
        if (number == TABLE_NONE || (table_length(table, number) == length &&
                                     memcmp(table_text(table, number), text, length) == 0))
            return slot;
    }
}

uint32_t table_find(const struct table *table, const char *text, size_t length)
{
    return table->slot_count ? table->slots[slot_of(table, text, length)] : TABLE_NONE;
}

static void fill_slots(struct table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        table->slots[slot_of(table, table_text(table, i), table_length(table, i))] = i;
}

static bool rehash(struct table *table, size_t slot_count)
{
    uint32_t *slots = memory_resize(NULL, slot_count, sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xFF, slot_count * sizeof *slots); // TABLE_NONE everywhere
    memory_free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    fill_slots(table);
    return true;
}

uint32_t table_add(struct table *table, const char *text, size_t length)
{
    if (table->slot_count < 2 * ((size_t)table->count + 1) &&
        !rehash(table, table->slot_count ? table->slot_count * 2 : 16))
        return TABLE_NONE;
    size_t slot = slot_of(table, text, length);
    if (table->slots[slot] != TABLE_NONE)
        return table->slots[slot];

    size_t start = table->count ? table->starts[table->count] : 0;
    if (table->count >= TABLE_NONE - 1 ||
        !memory_reserve(&table->starts, &table->starts_capacity, (size_t)table->count + 2,
                        sizeof *table->starts) ||
        !memory_reserve(&table->bytes, &table->bytes_capacity, start + length + 1, 1))
        return TABLE_NONE;
    if (length)
        memcpy(table->bytes + start, text, length);
    table->bytes[start + length] = '\0';
    table->starts[table->count] = start;
    table->starts[table->count + 1] = start + length + 1;
    table->slots[slot] = table->count;
    return table->count++;
}

void table_cut(struct table *table, uint32_t count)
{
    // The text that came last is the end of its chain: no other one was put elsewhere because of
    // it.
    while (table->count > count) {
        uint32_t last = table->count - 1;
        table->slots[slot_of(table, table_text(table, last), table_length(table, last))] =
            TABLE_NONE;
        table->count = last;
    }
}

void table_clear(struct table *table)
{
    if (table->count)
        memset(table->slots, 0xFF, table->slot_count * sizeof *table->slots);
    table->count = 0;
}

void table_free(struct table *table)
{
    memory_free(table->starts);
    memory_free(table->bytes);
    memory_free(table->slots);
    memset(table, 0, sizeof *table);
}
