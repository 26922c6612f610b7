#include "base/table.h"

#include "base/memory.h"

#include <time.h>
#include <unistd.h>

#define LINE 64       // bytes of a cache line
#define SLOTS_MIN 16  // of a table that has any
#define BLOCK_MIN 512 // bytes of texts
#define BLOCK_MAX 1048576
#define ADDED_AT_ONCE 64 // texts whose slots are prefetched together

// ---- keys ----

void table_draw_key(struct table *table)
{
    if (table->key[1])
        return;
    if (getentropy(table->key, sizeof table->key) !=
        0) { // fall back to values that are hard to guess
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        table->key[0] =
            table_fold((uint64_t)now.tv_nsec ^ 0x9E3779B97F4A7C15u, 0xFF51AFD7ED558CCDu);
        table->key[1] = table_fold((uint64_t)(uintptr_t)table, 0xC4CEB9FE1A85EC53u);
    }
    table->key[1] |= 1;
}

void table_adopt_key(struct table *table, const struct table *other)
{
    table->key[0] = other->key[0];
    table->key[1] = other->key[1];
}

// After the first TABLE_INLINE bytes, 8 at a time; the last 8 may overlap.
static struct table_key key_of_long(const struct table *table, const char *text, size_t length)
{
    uint64_t low = table_load(text) ^ table->key[0];
    uint64_t hash = table_fold(low, table_load(text + 8) ^ table->key[1]);
    for (size_t at = TABLE_INLINE; at + 8 < length; at += 8)
        hash = table_fold(hash ^ table_load(text + at), table->key[1]);
    hash = table_fold(hash ^ table_load(text + length - 8), table->key[1]);
    return (struct table_key){low, (uint64_t)(uintptr_t)text, table_tag(hash, length)};
}

struct table_key table_key(const struct table *table, const char *text, size_t length)
{
    if (length > TABLE_INLINE)
        return key_of_long(table, text, length);
    char padded[TABLE_INLINE] = {0};
    if (length)
        memcpy(padded, text, length);
    return table_key_padded(table, padded, length);
}

const char *table_key_text(const struct table *table, const struct table_key *key,
                           char scratch[TABLE_INLINE])
{
    if (table_key_length(key) > TABLE_INLINE)
        return table_long_text(key->high);
    const uint64_t words[] = {key->low ^ table->key[0], key->high ^ table->key[1]};
    return memcpy(scratch, words, sizeof words);
}

// ---- slots ----

static struct table_slot no_slot; // never written
const struct table_slots table_no_slots = {.mask = 0, .at = &no_slot};

static struct table_slots *new_slots(size_t count)
{
    const size_t extra = (sizeof(struct table_slots) + LINE) / sizeof(struct table_slot) + 1;
    struct table_slots *slots = memory_new(count + extra, sizeof(struct table_slot));
    if (!slots)
        return NULL;
    memory_scattered(slots, (count + extra) * sizeof(struct table_slot));
    uintptr_t after = (uintptr_t)(slots + 1);
    slots->mask = count - 1;
    slots->span = slots->mask * sizeof *slots->at;
    atomic_init(&slots->owners, 1);
    slots->at = (struct table_slot *)((char *)(slots + 1) + (LINE - after % LINE) % LINE);
    return slots;
}

static struct table_slot *free_slot_for(const struct table_slots *slots, uint64_t tag)
{
    size_t home = table_home(slots, tag), step = 0;
    while (table_slot_tag(table_slot_at(slots, home ^ step)) != 0)
        step += sizeof(struct table_slot);
    return table_slot_at(slots, home ^ step);
}

static void fill_slot(struct table_slot *slot, const struct table_key *key, const char *text,
                      uint32_t number)
{
    slot->low = key->low;
    slot->high = table_key_length(key) <= TABLE_INLINE ? key->high : (uint64_t)(uintptr_t)text;
    slot->number = number;
    atomic_store_explicit(&slot->tag, key->tag, memory_order_release);
}

uint32_t table_look_further(const struct table_slots *slots, const struct table_key *key)
{
    uint32_t number;
    table_seek(slots, key, &number);
    return number;
}

uint32_t table_find_key(const struct table *table, const struct table_key *key)
{
    return table_look(table_slots(table), key);
}

uint32_t table_find(const struct table *table, const char *text, size_t length)
{
    struct table_key key = table_key(table, text, length);
    return length < UINT32_MAX ? table_find_key(table, &key) : TABLE_NONE;
}

static void copy_slot(struct table_slot *to, const struct table_slot *from)
{
    to->low = from->low;
    to->high = from->high;
    to->number = from->number;
    atomic_store_explicit(&to->tag, table_slot_tag(from), memory_order_relaxed);
}

// Puts a text where it would be if all had arrived in the order of their numbers; a text with a
// higher number makes way. So early texts, usually the frequent ones, are found by the first probe,
// and the last ones can be removed (table_cut).
static void move_slot(struct table_slots *slots, const struct table_slot *old)
{
    struct table_slot moving, later;
    copy_slot(&moving, old);
    size_t home = table_home(slots, moving.tag), step = 0;
    for (;; step += sizeof(struct table_slot)) {
        struct table_slot *slot = table_slot_at(slots, home ^ step);
        if (table_slot_tag(slot) == 0) {
            copy_slot(slot, &moving);
            return;
        }
        if (slot->number < moving.number)
            continue;
        copy_slot(&later, slot);
        copy_slot(slot, &moving);
        copy_slot(&moving, &later);
        step ^= home; // where it was
        home = table_home(slots, moving.tag);
        step ^= home;
    }
}

static bool grow(struct table *table, struct table_slots *old)
{
    struct table_slots *slots = new_slots(old ? 2 * (old->mask + 1) : SLOTS_MIN);
    if (!slots)
        return false;
    table_draw_key(table);
    for (size_t i = 0; old && i <= old->mask; i++) {
        if (table_slot_tag(&old->at[i]) != 0)
            move_slot(slots, &old->at[i]);
    }
    if (table->shared)
        slots->older = old;
    else
        memory_free(old);
    atomic_store_explicit(&table->slots, slots, memory_order_release);
    return true;
}

// ---- texts ----

// Space for a text with its length and NUL in the current block or one after it; NULL: none.
static char *space_for(struct table *table, size_t size)
{
    struct table_block *block = table->block;
    while (block && block->size - block->used < size) {
        block = block->next;
        if (block)
            block->used = 0;
    }
    if (!block)
        return NULL;
    table->block = block;
    block->used += size;
    return block->bytes + block->used - size;
}

static bool add_block(struct table *table, size_t needed)
{
    struct table_block *last = table->block;
    while (last && last->next)
        last = last->next;
    size_t size = last ? 2 * last->size : BLOCK_MIN;
    size = size > BLOCK_MAX ? BLOCK_MAX : size;
    size = size < needed ? needed : size;
    struct table_block *block = memory_resize(NULL, sizeof *block + size + TABLE_INLINE, 1);
    if (!block)
        return false;
    *block = (struct table_block){.size = size};
    if (last)
        last->next = block;
    else
        table->blocks = table->block = block;
    return true;
}

static size_t size_of(size_t length)
{
    return sizeof(uint32_t) + length + 1;
}

// A copy of the text; NULL: out of memory.
static char *keep_text(struct table *table, const struct table_key *key)
{
    uint32_t length = (uint32_t)table_key_length(key);
    char *space = space_for(table, size_of(length));
    if (!space && add_block(table, size_of(length)))
        space = space_for(table, size_of(length));
    if (!space)
        return NULL;
    memcpy(space, &length, sizeof length);
    char *text = space + sizeof length;
    if (length <= TABLE_INLINE) // blocks end with padding for the zeros
        table_key_text(table, key, text);
    else
        memcpy(text, table_long_text(key->high), length);
    text[length] = '\0';
    return text;
}

uint32_t table_add_key(struct table *table, const struct table_key *key)
{
    struct table_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    struct table_slot *slot = NULL;
    uint32_t number = TABLE_NONE;
    if (slots)
        slot = table_seek(slots, key, &number);
    if (number != TABLE_NONE)
        return number;
    if (slots && slots->owners > 1) {
        if (!table_own(table))
            return TABLE_NONE;
        slots = table->slots;
        slot = free_slot_for(slots, key->tag);
    }
    if (!slots || 3 * ((size_t)table->count + 1) > 2 * (slots->mask + 1)) {
        if (!grow(table, slots))
            return TABLE_NONE;
        slot = free_slot_for(table_slots(table), key->tag);
    }
    if (table->count >= TABLE_NONE - 1 ||
        !memory_reserve(&table->texts, &table->texts_capacity, (size_t)table->count + 1,
                        sizeof *table->texts))
        return TABLE_NONE;
    char *text = keep_text(table, key);
    if (!text)
        return TABLE_NONE;
    table->texts[table->count] = text;
    fill_slot(slot, key, text, table->count);
    number = table->count;
    __atomic_store_n(&table->count, number + 1, __ATOMIC_RELEASE);
    return number;
}

uint32_t table_add(struct table *table, const char *text, size_t length)
{
    table_draw_key(table);
    struct table_key key = table_key(table, text, length);
    return length < UINT32_MAX ? table_add_key(table, &key) : TABLE_NONE;
}

// The key in this table of another table's text, of which TABLE_INLINE bytes are readable.
static struct table_key key_of_text(const struct table *table, const struct table *from,
                                    uint32_t number)
{
    const char *text = table_text(from, number);
    size_t length = table_length(from, number);
    return length > TABLE_INLINE ? key_of_long(table, text, length)
                                 : table_key_padded(table, text, length);
}

bool table_add_all(struct table *table, const struct table *from, uint32_t *numbers)
{
    struct table_key keys[ADDED_AT_ONCE];
    table_draw_key(table);
    for (uint32_t first = 0, count; first < from->count; first += count) {
        const struct table_slots *slots = table_slots(table);
        count = from->count - first < ADDED_AT_ONCE ? from->count - first : ADDED_AT_ONCE;
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = key_of_text(table, from, first + i);
            table_prefetch(slots, &keys[i]);
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t number = table_add_key(table, &keys[i]);
            if (number == TABLE_NONE)
                return false;
            if (numbers)
                numbers[first + i] = number;
        }
    }
    return true;
}

// ---- fewer texts ----

static bool is_only_owner(struct table *table)
{
    return !table->slots || table->slots->owners == 1;
}

void table_cut(struct table *table, uint32_t count)
{
    struct table_slots *slots = table->slots;
    struct table_block *block = table->block;
    while (table->count > count) {
        uint32_t last = table->count - 1, number;
        struct table_key key = key_of_text(table, table, last);
        // No other text depends on the place of the last one.
        table_seek(slots, &key, &number)->tag = 0;
        uintptr_t start = (uintptr_t)table->texts[last] - sizeof(uint32_t);
        if (start - (uintptr_t)block->bytes < block->used)
            block->used = start - (uintptr_t)block->bytes;
        table->count = last;
    }
}

static void clear_slots(struct table *table)
{
    struct table_slots *slots = table->slots;
    if (table->count)
        memset((void *)slots->at, 0, (slots->mask + 1) * sizeof *slots->at);
    table->count = 0;
    table->block = table->blocks;
    if (table->block)
        table->block->used = 0;
}

// A table that became much smaller gets fewer slots, because clearing costs time per slot.
void table_clear(struct table *table)
{
    struct table_slots *slots = table->slots;
    if (slots && slots->mask >= SLOTS_MIN && slots->mask / 16 > table->count) {
        memory_free(slots);
        table->slots = NULL;
        table->count = 0;
    }
    clear_slots(table);
}

void table_thin(struct table *table, const bool *gone)
{
    assert(is_only_owner(table) && !table->shared);
    uint32_t count = table->count;
    clear_slots(table);
    for (uint32_t i = 0; i < count; i++) {
        if (gone[i])
            continue;
        size_t length = table_length(table, i);
        struct table_key key = key_of_text(table, table, i);
        // Its new place is not after the old one, because no earlier text moved back.
        char *space = space_for(table, size_of(length));
        memmove(space, table->texts[i] - sizeof(uint32_t), size_of(length));
        char *text = space + sizeof(uint32_t);
        fill_slot(free_slot_for(table->slots, key.tag), &key, text, table->count);
        table->texts[table->count++] = text;
    }
}

// ---- beginning and end ----

void table_share(struct table *table)
{
    assert(is_only_owner(table));
    table_draw_key(table);
    table->shared = true;
}

static void free_slots(struct table_slots *slots)
{
    for (struct table_slots *older; slots; slots = older) {
        older = slots->older;
        memory_free(slots);
    }
}

void table_unshare(struct table *table)
{
    struct table_slots *slots = table->slots;
    table->shared = false;
    if (slots) {
        free_slots(slots->older);
        slots->older = NULL;
    }
}

void table_free(struct table *table)
{
    struct table_slots *slots = table->slots;
    if (!slots || atomic_fetch_sub(&slots->owners, 1) == 1) {
        free_slots(slots);
        for (struct table_block *block = table->blocks, *next; block; block = next) {
            next = block->next;
            memory_free(block);
        }
        memory_free(table->texts);
    }
    memset(table, 0, sizeof *table);
}

// ---- two tables with the same memory ----

void table_lend(const struct table *from, struct table *to)
{
    struct table_slots *slots = atomic_load_explicit(&from->slots, memory_order_relaxed);
    assert(!from->shared && to->count == 0);
    if (!slots) // no texts
        return;
    atomic_fetch_add(&slots->owners, 1);
    memcpy(to, from, sizeof *to);
}

bool table_own(struct table *table)
{
    if (is_only_owner(table))
        return true;
    struct table own = {.shared = table->shared};
    table_adopt_key(&own, table);
    if (!table_add_all(&own, table, NULL)) {
        table_free(&own);
        return false;
    }
    table_free(table);
    memcpy(table, &own, sizeof own);
    return true;
}
