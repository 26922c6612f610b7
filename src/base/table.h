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
    uint64_t low;         // the first 8 bytes of the text, zeros after its end, xor key[0]
    uint64_t high;        // the next 8 xor key[1]; of a longer text than TABLE_INLINE its address
    _Atomic uint64_t tag; // hash above length, plus 1; 0: the slot is free. Set last.
    uint32_t number;      // of the text
    uint32_t unused;
};

struct table_slots {
    size_t mask; // their number, a power of two, minus 1
    size_t span; // the same in bytes
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
// The same for all texts of another table: numbers[i] is that of the text that has the number i
// there, if they are asked for (not NULL). False: out of memory.
bool table_add_all(struct table *table, const struct table *from, uint32_t *numbers);
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
    return (uint32_t)key->tag - 1;
}

// The text of one that has more than TABLE_INLINE bytes.
static inline const char *table_long_text(uint64_t high)
{
    return (const char *)(uintptr_t)high;
}

// The text of a key, which is put into `room` if it has no more.
const char *table_key_text(const struct table *table, const struct table_key *key,
                           char room[TABLE_INLINE]);

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

static inline uint64_t table_tag(uint64_t hash, size_t length)
{
    return (hash << 32) + length + 1;
}

// The key of up to TABLE_INLINE bytes at `text`, where TABLE_INLINE may be read; `hash_key` is that
// of the table.
static inline struct table_key table_key_by(const uint64_t hash_key[2], const char *text,
                                            size_t length)
{
    static const unsigned char masks[2 * TABLE_INLINE] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                          255, 255, 255, 255, 255, 255, 255, 255};
    const unsigned char *mask = masks + TABLE_INLINE - length;
    uint64_t low = (table_load(text) & table_load(mask)) ^ hash_key[0];
    uint64_t high = (table_load(text + 8) & table_load(mask + 8)) ^ hash_key[1];
    return (struct table_key){low, high, table_tag(table_fold(low, high), length)};
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
// The same in a copy, of what it takes to look texts up: other tables may come to own them too, or
// go, meanwhile.
static inline struct table_slots table_slots_copy(const struct table *table)
{
    const struct table_slots *slots = table_slots(table);
    return (struct table_slots){.mask = slots->mask, .span = slots->span, .at = slots->at};
}

#define TABLE_SLOT_BITS 5
_Static_assert(sizeof(struct table_slot) == 1 << TABLE_SLOT_BITS, "its size is a power of two");

// Where the text of a tag is looked for first, in bytes. After that it is looked for in the other
// slots of the cache line and of ever larger blocks around it: home ^ 1, home ^ 2, ... by number.
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

// Whether two texts of more than TABLE_INLINE bytes that begin with the same 8 are the same. The
// last 8 may overlap those before.
static inline bool table_same_long(const char *a, const char *b, size_t length)
{
    for (size_t at = 8; at + 8 < length; at += 8)
        if (table_load(a + at) != table_load(b + at))
            return false;
    return table_load(a + length - 8) == table_load(b + length - 8);
}

// Whether a slot with the tag of the key has its text.
static inline bool table_slot_has(const struct table_slot *slot, const struct table_key *key)
{
    size_t length = table_key_length(key);
    if (slot->low != key->low)
        return false;
    return slot->high == key->high ||
           (length > TABLE_INLINE &&
            table_same_long(table_long_text(slot->high), table_long_text(key->high), length));
}

// The slot that holds the text, or the free one where it would go, with *number TABLE_NONE.
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

// The number of the text, or TABLE_NONE; most are at the first place where they are looked for.
uint32_t table_look_further(const struct table_slots *slots, const struct table_key *key);
static inline uint32_t table_look(const struct table_slots *slots, const struct table_key *key)
{
    const struct table_slot *slot = table_slot_at(slots, table_home(slots, key->tag));
    bool here =
        table_slot_tag(slot) == key->tag && slot->low == key->low && slot->high == key->high;
    return __builtin_expect(here, true) ? slot->number : table_look_further(slots, key);
}

// Where the text would be: what is fetched from now on is there when it is looked up.
static inline void table_prefetch(const struct table_slots *slots, const struct table_key *key)
{
    __builtin_prefetch(table_slot_at(slots, table_home(slots, key->tag)));
}

#endif
