#include "base/table.h"

#include "base/memory.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define FREE UINT64_MAX // a slot; TABLE_NONE is no text's number

// The product's halves folded into one: each bit of the outcome depends on the whole key.
static inline uint64_t fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
    uint64_t first = (a >> 32) * (b & UINT32_MAX), second = (a & UINT32_MAX) * (b >> 32);
    uint64_t middle = (low >> 32) + (first & UINT32_MAX) + (second & UINT32_MAX);
    high += (first >> 32) + (second >> 32) + (middle >> 32);
    return (low & UINT32_MAX) ^ middle << 32 ^ high;
#endif
}

static inline uint32_t hash_text(const struct table *table, const char *text, size_t length)
{
    uint64_t hash = table->key[0] ^ length, word;
    for (; length > 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        hash = fold(hash ^ word, table->key[1]);
    }
    word = 0;
    if (length >= 4) { // two halves that overlap
        uint32_t half[2];
        memcpy(&half[0], text, 4);
        memcpy(&half[1], text + length - 4, 4);
        word = (uint64_t)half[0] << 32 | half[1];
    } else if (length) {
        word = (uint64_t)(unsigned char)text[0] << 16 |
               (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)text[length - 1];
    }
    return (uint32_t)(fold(hash ^ word, table->key[1]) >> 16);
}

static void draw_key(struct table *table)
{
    if (getentropy(table->key, sizeof table->key) != 0) { // then what an outsider can hardly know
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        table->key[0] = fold((uint64_t)now.tv_nsec ^ 0x9E3779B97F4A7C15u, 0xFF51AFD7ED558CCDu);
        table->key[1] = fold((uint64_t)(uintptr_t)table->slots, 0xC4CEB9FE1A85EC53u);
    }
    table->key[1] |= 1;
}

// The slot that holds the text, or the free one where it would go.
static size_t slot_of(const struct table *table, uint32_t hash, const char *text, size_t length)
{
    size_t mask = table->slot_count - 1;
    for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
        uint64_t held = table->slots[slot];
        uint32_t number = (uint32_t)held;
        if (held == FREE || (held >> 32 == hash && table_length(table, number) == length &&
                             memcmp(table_text(table, number), text, length) == 0))
            return slot;
    }
}

uint32_t table_find(const struct table *table, const char *text, size_t length)
{
    if (!table->slot_count)
        return TABLE_NONE;
    return (uint32_t)table->slots[slot_of(table, hash_text(table, text, length), text, length)];
}

static bool rehash(struct table *table, size_t slot_count)
{
    uint64_t *slots = memory_resize(NULL, slot_count, sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xFF, slot_count * sizeof *slots);
    for (size_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i] == FREE)
            continue;
        size_t slot = (size_t)(table->slots[i] >> 32) & (slot_count - 1);
        while (slots[slot] != FREE)
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = table->slots[i];
    }
    memory_free(table->slots);
    table->slots = slots;
    if (!table->slot_count)
        draw_key(table);
    table->slot_count = slot_count;
    return true;
}

uint32_t table_add(struct table *table, const char *text, size_t length)
{
    if (table->slot_count < 2 * ((size_t)table->count + 1) &&
        !rehash(table, table->slot_count ? table->slot_count * 2 : 16))
        return TABLE_NONE;
    uint32_t hash = hash_text(table, text, length);
    size_t slot = slot_of(table, hash, text, length);
    if (table->slots[slot] != FREE)
        return (uint32_t)table->slots[slot];

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
    table->slots[slot] = (uint64_t)hash << 32 | table->count;
    return table->count++;
}

// Empties a slot. Texts after it that were put there because it was taken move up.
static void free_slot(struct table *table, size_t slot)
{
    size_t mask = table->slot_count - 1;
    for (size_t next = (slot + 1) & mask; table->slots[next] != FREE; next = (next + 1) & mask) {
        size_t home = (size_t)(table->slots[next] >> 32) & mask;
        if (((next - home) & mask) >= ((next - slot) & mask)) {
            table->slots[slot] = table->slots[next];
            slot = next;
        }
    }
    table->slots[slot] = FREE;
}

void table_cut(struct table *table, uint32_t count)
{
    while (table->count > count) {
        uint32_t last = table->count - 1;
        const char *text = table_text(table, last);
        size_t length = table_length(table, last);
        free_slot(table, slot_of(table, hash_text(table, text, length), text, length));
        table->count = last;
    }
}

void table_clear(struct table *table)
{
    if (table->count)
        memset(table->slots, 0xFF, table->slot_count * sizeof *table->slots);
    table->count = 0;
}

void table_thin(struct table *table, const bool *gone)
{
    uint32_t count = table->count;
    table_clear(table);
    size_t mask = table->slot_count - 1, to = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (gone[i])
            continue;
        size_t length = table_length(table, i), from = table->starts[i];
        memmove(table->bytes + to, table->bytes + from, length + 1);
        uint32_t hash = hash_text(table, table->bytes + to, length);
        size_t slot = hash & mask;
        while (table->slots[slot] != FREE)
            slot = (slot + 1) & mask;
        table->slots[slot] = (uint64_t)hash << 32 | table->count;
        table->starts[table->count++] = to; // not after i: starts[i + 1] is as it was
        to += length + 1;
        table->starts[table->count] = to;
    }
}

void table_free(struct table *table)
{
    memory_free(table->starts);
    memory_free(table->bytes);
    memory_free(table->slots);
    memset(table, 0, sizeof *table);
}
