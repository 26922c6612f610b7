#include "data/indices.h"

#include "base/memory.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDE 0x80000000u // in a slot: the index has more than 32 bits
#define LEAST_BITS 6

// What a slot with the index has, but for the number.
static inline uint64_t mark_of(uint64_t index)
{
    return index << 32 | (index > UINT32_MAX ? WIDE : 0);
}

static size_t slot_count(const struct index_slots *slots)
{
    return slots ? (size_t)1 << (64 - slots->shift) : 0;
}

static struct index_slots *slots_of(const struct indices *table)
{
    return atomic_load_explicit(&((struct indices *)table)->slots, memory_order_relaxed);
}

struct index_view indices_view(const struct indices *table)
{
    return (struct index_view){table, slots_of(table), {table->key[0], table->key[1]}};
}

// ---- looking up ----

// The slot that holds the index, or the free one where it would go; *held is what is in there.
static inline size_t place_of(const struct index_view *view, uint64_t index, uint64_t *held)
{
    uint64_t mark = mark_of(index);
    const struct index_slots *slots = view->slots;
    size_t mask = slot_count(slots) - 1;
    for (size_t at = index_hash(view->key, index) >> slots->shift;; at = (at + 1) & mask) {
        *held = atomic_load_explicit(&((struct index_slots *)slots)->slot[at],
                                     memory_order_relaxed);
        if (*held == 0)
            return at;
        if ((*held ^ mark) >> 31 == 0 &&
            (!(mark & WIDE) || view->table->items[*held & INDICES_MOST] == index))
            return at;
    }
}

uint32_t index_find(const struct index_view *view, uint64_t index)
{
    uint64_t held;
    if (!view->slots)
        return INDICES_NONE;
    place_of(view, index, &held);
    return held ? (uint32_t)held & INDICES_MOST : INDICES_NONE;
}

uint32_t indices_find(const struct indices *table, uint64_t index)
{
    struct index_view view = indices_view(table);
    return index_find(&view, index);
}

// ---- other threads ----
//
// The one that adds puts a larger array in the place of the old one, and frees that once there are
// no readers: whoever enters later finds the new one. Both sides write before they read, each the
// other's, in an order that all agree on (seq_cst), so that one of them sees the other.

struct index_view indices_enter(const struct indices *table)
{
    struct indices *own = (struct indices *)table; // only the counter changes
    atomic_fetch_add(&own->readers, 1);
    struct index_view view = {table, atomic_load(&own->slots), {0, 0}};
    if (view.slots) // the key was drawn before
        memcpy(view.key, table->key, sizeof view.key);
    return view;
}

void indices_leave(const struct indices *table)
{
    atomic_fetch_sub(&((struct indices *)table)->readers, 1);
}

static void free_retired(struct indices *table)
{
    while (table->retired) {
        struct index_slots *next = table->retired->next;
        memory_free(table->retired);
        table->retired = next;
    }
}

static void replace_slots(struct indices *table, struct index_slots *larger)
{
    struct index_slots *old = slots_of(table);
    atomic_store(&table->slots, larger);
    if (old) {
        old->next = table->retired;
        table->retired = old;
    }
    if (atomic_load(&table->readers) == 0)
        free_retired(table);
}

// ---- adding ----

static void draw_key(struct indices *table)
{
    if (getentropy(table->key, sizeof table->key) != 0) { // then what an outsider can hardly know
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        table->key[0] = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u;
        table->key[1] = (uint64_t)(uintptr_t)table * 0xC4CEB9FE1A85EC53u ^ table->key[0];
    }
    table->key[1] |= 1;
}

static void put(struct index_slots *slots, size_t place, uint64_t index, uint32_t number)
{
    atomic_store_explicit(&slots->slot[place], mark_of(index) | number, memory_order_relaxed);
}

// Slots are in the order of the highest bits of the hash, so that both arrays are gone through from
// their start to their end.
static bool rehash(struct indices *table, unsigned bits)
{
    struct index_slots *old = slots_of(table);
    struct index_slots *slots =
        memory_new(1, sizeof *slots + ((size_t)1 << bits) * sizeof slots->slot[0]);
    if (!slots)
        return false;
    if (!old)
        draw_key(table);
    slots->shift = 64 - bits;
    struct index_view view = {table, slots, {table->key[0], table->key[1]}};
    for (size_t i = 0; i < slot_count(old); i++) {
        uint64_t held = atomic_load_explicit(&old->slot[i], memory_order_relaxed), other;
        if (held == 0)
            continue;
        uint32_t number = (uint32_t)held & INDICES_MOST;
        uint64_t index = held & WIDE ? table->items[number] : held >> 32;
        put(slots, place_of(&view, index, &other), index, number);
    }
    replace_slots(table, slots);
    return true;
}

// At most two thirds of the slots are taken.
bool indices_reserve(struct indices *table, size_t count)
{
    size_t have = slot_count(slots_of(table));
    unsigned bits = LEAST_BITS;
    if (count >= INDICES_MOST || !memory_reserve(&table->items, &table->items_capacity, count,
                                                 sizeof *table->items))
        return false;
    while (((size_t)1 << bits) / 3 * 2 < count)
        bits++;
    return have >= (size_t)1 << bits || rehash(table, bits);
}

uint32_t indices_add(struct indices *table, uint64_t index)
{
    struct index_slots *slots = slots_of(table);
    if ((table->count == table->items_capacity ||
         slot_count(slots) / 3 * 2 <= table->count) &&
        !indices_reserve(table, (size_t)table->count + 1))
        return INDICES_NONE;
    struct index_view view = indices_view(table);
    uint64_t held;
    size_t place = place_of(&view, index, &held);
    if (held)
        return (uint32_t)held & INDICES_MOST;
    table->items[table->count] = index;
    put(slots_of(table), place, index, table->count);
    return table->count++;
}

bool indices_add_all(struct indices *table, const uint64_t *items, size_t count, uint32_t *numbers)
{
    struct index_view view = indices_view(table);
    for (size_t i = 0; i < count && i < INDICES_AHEAD; i++)
        index_expect(&view, items[i]);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = indices_add(table, items[i]);
        if (numbers[i] == INDICES_NONE)
            return false;
        view = indices_view(table);
        if (i + INDICES_AHEAD < count)
            index_expect(&view, items[i + INDICES_AHEAD]);
    }
    return true;
}

bool indices_copy(struct indices *to, const struct indices *from)
{
    const struct index_slots *slots = slots_of(from);
    if (!from->count)
        return true;
    size_t size = sizeof *slots + slot_count(slots) * sizeof slots->slot[0];
    struct index_slots *copy = memory_resize(NULL, size, 1);
    if (!copy || !memory_reserve(&to->items, &to->items_capacity, from->count, sizeof *to->items)) {
        memory_free(copy);
        return false;
    }
    memcpy(copy, slots, size);
    memcpy(to->items, from->items, from->count * sizeof *to->items);
    memcpy(to->key, from->key, sizeof to->key);
    to->count = from->count;
    replace_slots(to, copy);
    return true;
}

// ---- forgetting ----

// Empties a slot. Indices after it that were put there because it was taken move up.
static void free_slot(struct indices *table, size_t place)
{
    struct index_slots *slots = slots_of(table);
    size_t mask = slot_count(slots) - 1;
    for (size_t next = (place + 1) & mask; slots->slot[next]; next = (next + 1) & mask) {
        uint64_t index = table->items[slots->slot[next] & INDICES_MOST];
        size_t home = index_hash(table->key, index) >> slots->shift;
        if (((next - home) & mask) >= ((next - place) & mask)) {
            slots->slot[place] = slots->slot[next];
            place = next;
        }
    }
    slots->slot[place] = 0;
}

void indices_cut(struct indices *table, uint32_t count)
{
    struct index_view view = indices_view(table);
    while (table->count > count) {
        uint64_t held;
        free_slot(table, place_of(&view, table->items[table->count - 1], &held));
        table->count--;
    }
}

void indices_clear(struct indices *table)
{
    struct index_slots *slots = slots_of(table);
    if (table->count)
        memset((void *)slots->slot, 0, slot_count(slots) * sizeof slots->slot[0]);
    table->count = 0;
}

void indices_thin(struct indices *table, const bool *gone)
{
    uint32_t count = table->count;
    indices_clear(table);
    for (uint32_t i = 0; i < count; i++)
        if (!gone[i])
            indices_add(table, table->items[i]); // there is room
}

void indices_free(struct indices *table)
{
    memory_free(table->items);
    memory_free(slots_of(table));
    free_retired(table);
    memset(table, 0, sizeof *table);
}
