// A table of distinct texts, numbered 0, 1, 2... in order of arrival: a hash table with open
// addressing. A slot holds the first 16 bytes of its text, so that a lookup of a short text touches
// one cache line. The hash has a random key, so that colliding texts cannot be constructed; only
// the time depends on the key.
//
// Any number of threads may look texts up. In a shared table (table_share) one thread may add texts
// at the same time; a lookup finds a text that is being added, or does not.
#ifndef TLU_BASE_TABLE_H
#define TLU_BASE_TABLE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TABLE_NONE UINT32_MAX
#define TABLE_INLINE 16 // bytes of a text in its slot

// 32 bytes: none is on two cache lines.
struct table_slot {
    uint64_t low;         // the first 8 bytes of the text, zeros after its end, xor key[0]
    uint64_t high;        // the next 8 xor key[1]; the address of a text longer than TABLE_INLINE
    _Atomic uint64_t tag; // hash above length, plus 1; 0: the slot is free. Set last.
    uint32_t number;
    uint32_t unused;
};

struct table_slots {
    size_t mask; // number of slots, a power of two, minus 1
    size_t span; // the same in bytes
    struct table_slot *at;
    struct table_slots *older; // that other threads may still read
    _Atomic uint32_t owners;   // tables; with several owners, slots and texts are read-only
};

struct table_block { // memory for texts, which never move
    struct table_block *next;
    size_t size, used;
    char bytes[];
};

struct table {
    uint32_t count;
    bool shared;
    char **texts; // [count] each has its length before it, 4 bytes, and a NUL after it
    size_t texts_capacity;
    struct table_block *blocks, *block;  // the first block, and the one being filled
    _Atomic(struct table_slots *) slots; // NULL: none yet
    uint64_t key[2];                     // of the hash; 0: not drawn yet
};

uint32_t table_find(const struct table *table, const char *text, size_t length);
// Returns the number of the text, adding it if it is new; TABLE_NONE: out of memory.
uint32_t table_add(struct table *table, const char *text, size_t length);
// Adds all texts of another table. numbers[i], unless NULL, becomes the number here of text i
// there. False: out of memory.
bool table_add_all(struct table *table, const struct table *from, uint32_t *numbers);
void table_cut(struct table *table, uint32_t count); // removes the texts from number `count` on
void table_clear(struct table *table);               // removes all texts; keeps the memory
// Removes the texts with gone[number]. The others keep their order and are renumbered. Allocates
// nothing. Call table_own first.
void table_thin(struct table *table, const bool *gone);
void table_free(struct table *table);

// Draws the random key now instead of with the first text.
void table_draw_key(struct table *table);
// From now on other threads may look texts up while this one adds some; it may not remove any. Call
// table_own first.
void table_share(struct table *table);
// The other threads are done: frees what was kept for them.
void table_unshare(struct table *table);

// Makes the empty table `to` a copy of `from`, which is not shared. Both use the same memory until
// one of them changes (copy on write).
void table_lend(const struct table *from, struct table *to);
bool table_own(struct table *table); // prepares it for changes; false: out of memory

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

// For use while another thread may add texts.
static inline uint32_t table_count(const struct table *table)
{
    return __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
}

// ---- Lookup in steps, so that the cache misses of several texts overlap ----

// A text to look up or add.
struct table_key {
    uint64_t low, high, tag; // as in the slot
};

static inline size_t table_key_length(const struct table_key *key)
{
    return (uint32_t)key->tag - 1;
}

// The text of a slot or key whose text is longer than TABLE_INLINE.
static inline const char *table_long_text(uint64_t high)
{
    return (const char *)(uintptr_t)high;
}

// The text of a key; `scratch` receives a short one.
const char *table_key_text(const struct table *table, const struct table_key *key,
                           char scratch[TABLE_INLINE]);

// The key of a text; needs no readable bytes after its end.
struct table_key table_key(const struct table *table, const char *text, size_t length);
// As table_find and table_add. The key must have been made with the same hash key.
uint32_t table_find_key(const struct table *table, const struct table_key *key);
uint32_t table_add_key(struct table *table, const struct table_key *key);
// Gives an empty table the hash key of another, so that a text is hashed once for both.
void table_adopt_key(struct table *table, const struct table *other);
static inline bool table_same_key(const struct table *a, const struct table *b)
{
    return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

// Folds the 128-bit product: each bit of the result depends on the whole key.
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

static inline uint64_t table_tag(uint64_t hash, size_t length)
{
    return (hash << 32) + length + 1;
}

// The key of up to TABLE_INLINE bytes at `text`, where TABLE_INLINE bytes are readable.
static inline struct table_key table_key_by(const uint64_t hash_key[2], const char *text,
                                            size_t length)
{
    static const unsigned char masks[2 * TABLE_INLINE] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                          255, 255, 255, 255, 255, 255, 255, 255};
    assert(length <= TABLE_INLINE);
    const unsigned char *mask = masks + TABLE_INLINE - length;
    uint64_t low = (table_load(text) & table_load(mask)) ^ hash_key[0];
    uint64_t high = (table_load(text + 8) & table_load(mask + 8)) ^ hash_key[1];
    return (struct table_key){low, high, table_tag(table_fold(low, high), length)};
}

// The key of a text of up to TABLE_INLINE bytes, which are these two words with zeros after them.
static inline struct table_key table_key_of_words(const uint64_t hash_key[2], uint64_t low,
                                                  uint64_t high, size_t length)
{
    low ^= hash_key[0];
    high ^= hash_key[1];
    return (struct table_key){low, high, table_tag(table_fold(low, high), length)};
}

static inline struct table_key table_key_padded(const struct table *table, const char *text,
                                                size_t length)
{
    return table_key_by(table->key, text, length);
}

// The current slots of a table. Those of a shared table live as long as it does, but may not show
// texts that are added later.
extern const struct table_slots table_no_slots;
static inline const struct table_slots *table_slots(const struct table *table)
{
    const struct table_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);
    return slots ? slots : &table_no_slots;
}
// A copy of the fields that lookups need.
static inline struct table_slots table_slots_copy(const struct table *table)
{
    const struct table_slots *slots = table_slots(table);
    return (struct table_slots){.mask = slots->mask, .span = slots->span, .at = slots->at};
}

#define TABLE_SLOT_BITS 5
_Static_assert(sizeof(struct table_slot) == 1 << TABLE_SLOT_BITS, "its size is a power of two");

// Byte offset of the slot to probe first. The next probes are the other slots of the cache line and
// of ever larger blocks around it: home ^ 1, home ^ 2, ...
static inline size_t table_home(const struct table_slots *slots, uint64_t tag)
{
    return (size_t)(tag >> (32 - TABLE_SLOT_BITS)) & slots->span;
}

static inline struct table_slot *table_slot_at(const struct table_slots *slots, size_t at)
{
    return (struct table_slot *)(void *)((char *)slots->at + at);
}

static inline uint64_t table_slot_tag(const struct table_slot *slot)
{
    return atomic_load_explicit(&slot->tag, memory_order_acquire);
}

// Compares two texts longer than TABLE_INLINE whose first 8 bytes are equal. The last 8 may overlap
// those before.
static inline bool table_same_long(const char *a, const char *b, size_t length)
{
    for (size_t at = 8; at + 8 < length; at += 8)
        if (table_load(a + at) != table_load(b + at))
            return false;
    return table_load(a + length - 8) == table_load(b + length - 8);
}

// Whether a slot with the key's tag holds its text.
static inline bool table_slot_has(const struct table_slot *slot, const struct table_key *key)
{
    size_t length = table_key_length(key);
    if (slot->low != key->low)
        return false;
    return slot->high == key->high ||
           (length > TABLE_INLINE &&
            table_same_long(table_long_text(slot->high), table_long_text(key->high), length));
}

// Returns the slot of the text, or the free slot for it, with *number TABLE_NONE.
static inline struct table_slot *table_seek(const struct table_slots *slots,
                                            const struct table_key *key, uint32_t *number)
{
    size_t home = table_home(slots, key->tag);
    for (size_t step = 0;; step += sizeof(struct table_slot)) {
        struct table_slot *slot = table_slot_at(slots, home ^ step);
        uint64_t tag = table_slot_tag(slot);
        if (tag == key->tag && table_slot_has(slot, key)) {
            *number = slot->number;
            return slot;
        }
        if (tag == 0) {
            *number = TABLE_NONE;
            return slot;
        }
    }
}

// Returns the number of the text, or TABLE_NONE. Most texts are found by the first probe.
uint32_t table_look_further(const struct table_slots *slots, const struct table_key *key);
static inline uint32_t table_look(const struct table_slots *slots, const struct table_key *key)
{
    const struct table_slot *slot = table_slot_at(slots, table_home(slots, key->tag));
    bool here =
        table_slot_tag(slot) == key->tag && slot->low == key->low && slot->high == key->high;
    return __builtin_expect(here, true) ? slot->number : table_look_further(slots, key);
}

static inline void table_prefetch(const struct table_slots *slots, const struct table_key *key)
{
    __builtin_prefetch(table_slot_at(slots, table_home(slots, key->tag)));
}

#endif
