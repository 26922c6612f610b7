// A table of distinct texts, numbered 0, 1, 2... in the order in which they came: a hash table with
// open addressing. A slot has the first bytes of its text, so that finding one of up to 16 bytes
// takes one cache line and no comparison byte by byte. The hash has a random key, so that texts
// that all fall on one slot cannot be made up; only the time depends on the key.
//
// Any number of threads may look texts up. If the table is shared (table_share), one thread may add
// to it meanwhile; a text that is being added is found or not.
#ifndef TLU_BASE_TABLE_H
#define TLU_BASE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TABLE_NONE UINT32_MAX
#define TABLE_INLINE 16 // bytes of a text in its slot

// 32 bytes: none is on two cache lines.
struct table_slot {
    uint64_t low;            // the first 8 bytes of the text, zeros after its end
    uint64_t high;           // the next 8; of a text of more than TABLE_INLINE bytes its address
    uint64_t tag;            // hash above length
    _Atomic uint32_t number; // of the text, plus 1; 0: the slot is free. Set last.
    uint32_t unused;
};

struct table_slots {
    size_t mask; // their number, a power of two, minus 1
    struct table_slot *at;
    struct table_slots *older; // that other threads may still look at
    _Atomic uint32_t owners;   // tables; if there are several, none changes them nor the texts
};

struct table_block { // of texts, which never move
    struct table_block *next;
    size_t size, used;
    char bytes[];
};

struct table {
    uint32_t count;
    bool shared;
    char **texts; // [count] each has its length before it, 4 bytes, and a NUL after it
    size_t texts_capacity;
    struct table_block *blocks, *block;  // the first, and the one that is being filled
    _Atomic(struct table_slots *) slots; // NULL: none yet
    uint64_t key[2];                     // of the hash; 0: not drawn yet
};

uint32_t table_find(const struct table *table, const char *text, size_t length);
// The number of the text, which is added if it is new; TABLE_NONE: out of memory.
uint32_t table_add(struct table *table, const char *text, size_t length);
void table_cut(struct table *table, uint32_t count); // forgets the texts from number `count` on
void table_clear(struct table *table);               // forgets them all; keeps the memory
// After table_own: forgets the texts with gone[number]. The others keep their order and get the
// numbers 0, 1, 2... The memory is kept; none is allocated.
void table_thin(struct table *table, const bool *gone);
void table_free(struct table *table);

// Draws the key, if it is not there yet: else the first text would do so.
void table_draw_key(struct table *table);
// After table_own: from now on other threads may look while this one adds; nothing else may happen
// to the texts.
void table_share(struct table *table);
// The other threads are done: what was kept for them goes.
void table_unshare(struct table *table);

// To an empty table, of one that is not shared. Both have the same memory until one of them
// changes, which then takes a copy.
void table_lend(const struct table *from, struct table *to);
bool table_own(struct table *table); // what it takes to change it; false: out of memory

static inline const char *table_text(const struct table *table, uint32_t number)
{
    return table->texts[number];
}

static inline size_t table_length(const struct table *table, uint32_t number)
{
    uint32_t length;
    memcpy(&length, table->texts[number] - sizeof length, sizeof length);
    return length;
}

// While another thread may add texts.
static inline uint32_t table_count(const struct table *table)
{
    return __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
}

// ---- in steps, so that the memory of several texts is fetched at the same time ----

// A text that is to be looked up or added.
struct table_key {
    uint64_t low, high, tag; // as in the slot
};

static inline size_t table_key_length(const struct table_key *key)
{
    return (uint32_t)key->tag;
}

// The text of one that has more than TABLE_INLINE bytes.
static inline const char *table_long_text(uint64_t high)
{
    return (const char *)(uintptr_t)high;
}

// Of a text in memory of any kind.
struct table_key table_key(const struct table *table, const char *text, size_t length);
// As table_find and table_add. The key of the hash must be the same.
uint32_t table_find_key(const struct table *table, const struct table_key *key);
uint32_t table_add_key(struct table *table, const struct table_key *key);
// An empty table takes the key of another, so that a text needs to be hashed once for both.
void table_adopt_key(struct table *table, const struct table *other);
static inline bool table_same_key(const struct table *a, const struct table *b)
{
    return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

// The product's halves folded into one: each bit of the outcome depends on the whole key.
static inline uint64_t table_fold(uint64_t a, uint64_t b)
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

static inline uint64_t table_load(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// The key of up to TABLE_INLINE bytes at `text`, where TABLE_INLINE may be read; `hash_key` is that
// of the table.
static inline struct table_key table_key_by(const uint64_t hash_key[2], const char *text,
                                            size_t length)
{
    static const unsigned char masks[2 * TABLE_INLINE] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                          255, 255, 255, 255, 255, 255, 255, 255};
    const unsigned char *mask = masks + TABLE_INLINE - length;
    struct table_key key = {table_load(text) & table_load(mask),
                            table_load(text + 8) & table_load(mask + 8), length};
    uint64_t hash = table_fold(key.low ^ hash_key[0], key.high ^ hash_key[1]);
    key.tag |= (hash >> 16) << 32;
    return key;
}

static inline struct table_key table_key_padded(const struct table *table, const char *text,
                                                size_t length)
{
    return table_key_by(table->key, text, length);
}

// The slots of a table as they are now. Those of a shared table stay as long as it does: texts that
// are added later may not be found in them.
extern const struct table_slots table_no_slots;
static inline const struct table_slots *table_slots(const struct table *table)
{
    const struct table_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    return slots ? slots : &table_no_slots;
}

static inline size_t table_home(const struct table_slots *slots, uint64_t tag)
{
    return (size_t)(tag >> 32) & slots->mask;
}

static inline uint32_t table_slot_number(const struct table_slot *slot)
{
    return atomic_load_explicit(&slot->number, memory_order_acquire);
}

static inline bool table_slot_has(const struct table_slot *slot, const struct table_key *key)
{
    size_t length = table_key_length(key);
    if (slot->tag != key->tag || slot->low != key->low)
        return false;
    return slot->high == key->high ||
           (length > TABLE_INLINE && memcmp(table_long_text(slot->high) + 8,
                                            table_long_text(key->high) + 8, length - 8) == 0);
}

// The slot that holds the text, or the free one where it would go; *number is that of the slot.
static inline struct table_slot *table_seek(const struct table_slots *slots,
                                            const struct table_key *key, uint32_t *number)
{
    for (size_t at = table_home(slots, key->tag);; at = (at + 1) & slots->mask) {
        struct table_slot *slot = &slots->at[at];
        *number = table_slot_number(slot);
        if (*number == 0 || table_slot_has(slot, key))
            return slot;
    }
}

// Where the text would be: what is fetched from now on is there when it is looked up.
static inline void table_prefetch(const struct table_slots *slots, const struct table_key *key)
{
    __builtin_prefetch(&slots->at[table_home(slots, key->tag)]);
}

#endif
