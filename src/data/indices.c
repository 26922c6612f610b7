#include "data/indices.h"

#include "base/memory.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDE 0x80000000u // in a slot: the index has more than 32 bits
#define MIN_BITS 6
#define LINE 8         // slots of a cache line; what finds its line full goes to the next
#define PLACES_EACH 32 // at most so many places of the array of numbers for an index
#define QUICK_BITS 22  // slots become four times as many up to here, then twice

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

static struct index_view view_of(const struct indices *table, const struct index_slots *slots)
{
    struct index_view view = {.table = table};
    if (!slots)
        return view;
    view.slots = slots->slot;
    view.shift = slots->shift;
    memcpy(view.key, table->key, sizeof view.key); // it was drawn before
    view.end = slots->places ? slots->places->end : 0;
    view.number = slots->places ? slots->places->number : NULL;
    return view;
}

struct index_view indices_view(const struct indices *table)
{
    return view_of(table, slots_of(table));
}

// ---- looking up ----

static inline uint64_t load(const _Atomic uint64_t *slot)
{
    return atomic_load_explicit((_Atomic uint64_t *)slot, memory_order_relaxed);
}

// Whether a slot is free or has the mark.
static inline unsigned ends(const _Atomic uint64_t *slot, uint64_t mark)
{
    uint64_t held = load(slot);
    return (unsigned)(held == 0) | (unsigned)((held ^ mark) >> 31 == 0);
}

// The slot that holds the index, or the free one where it would go. Four are looked at together:
// where among them the search ends is nothing that a CPU could foresee.
static inline size_t place_of(const struct index_view *view, uint64_t index)
{
    size_t at = index_line(view, index), mask = (size_t)(~(uint64_t)0 >> view->shift);
    uint64_t mark = mark_of(index);
    for (;; at = (at + 4) & mask) {
        const _Atomic uint64_t *slot = view->slots + at;
        unsigned found = ends(slot, mark) | ends(slot + 1, mark) << 1 | ends(slot + 2, mark) << 2 |
                         ends(slot + 3, mark) << 3;
        if (index <= UINT32_MAX && found)
            return at + (size_t)__builtin_ctz(found);
        for (; found; found &= found - 1) { // the mark is not all of the index
            size_t place = at + (size_t)__builtin_ctz(found);
            uint64_t held = load(view->slots + place);
            if (!held || view->table->items[held & INDICES_MAX] == index)
                return place;
        }
    }
}

// Another thread may just have put something else where there was nothing.
uint32_t index_search(const struct index_view *view, uint64_t index)
{
    if (!view->slots)
        return INDICES_NONE;
    uint64_t held = load(view->slots + place_of(view, index));
    return (held ^ mark_of(index)) >> 31 == 0 ? (uint32_t)held & INDICES_MAX : INDICES_NONE;
}

uint32_t indices_find(const struct indices *table, uint64_t index)
{
    struct index_view view = indices_view(table);
    return index_find(&view, index);
}

// ---- other threads ----
//
// The one that adds puts a larger array in the place of the old one, and frees that once there are
// no readers: a reader that enters later finds the new one. Both sides write before they read, each
// the other's, in an order that all agree on (seq_cst), so that one of them sees the other.

struct index_view indices_enter(const struct indices *table)
{
    struct indices *own = (struct indices *)table; // only the counter changes
    atomic_fetch_add(&own->readers, 1);
    return view_of(table, atomic_load(&own->slots));
}

void indices_leave(const struct indices *table)
{
    atomic_fetch_sub(&((struct indices *)table)->readers, 1);
}

static void drop_places(struct index_places *places)
{
    if (!places || atomic_fetch_sub(&places->owners, 1) > 1)
        return;
    memory_free((void *)places->number);
    memory_free(places);
}

static void drop_slots(struct index_slots *slots)
{
    if (!slots || atomic_fetch_sub(&slots->owners, 1) > 1)
        return;
    drop_places(slots->places);
    memory_free(slots);
}

static void drop_retired(struct indices *table)
{
    while (table->retired) {
        struct index_slots *next = table->retired->next;
        drop_slots(table->retired);
        table->retired = next;
    }
}

static void replace_slots(struct indices *table, struct index_slots *slots)
{
    struct index_slots *old = slots_of(table);
    atomic_store(&table->slots, slots);
    if (!old)
        return;
    bool alone = old->owners == 1; // else it cannot be in a list
    if (alone) {
        old->next = table->retired;
        table->retired = old;
    }
    while (!alone && atomic_load(&table->readers))
        sched_yield();
    if (!alone)
        drop_slots(old);
    if (atomic_load(&table->readers) == 0)
        drop_retired(table);
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
    assert(number < INDICES_MAX && load(&slots->slot[place]) == 0);
    atomic_store_explicit(&slots->slot[place], mark_of(index) | number, memory_order_relaxed);
}

static struct index_slots *slots_new(unsigned bits)
{
    size_t size = sizeof(struct index_slots) + (((size_t)1 << bits) + LINE) * sizeof(uint64_t);
    struct index_slots *slots = memory_new(1, size);
    if (!slots)
        return NULL;
    memory_scattered(slots, size);
    size_t line = LINE * sizeof(uint64_t);
    slots->slot = (_Atomic uint64_t *)(((uintptr_t)(slots + 1) + line - 1) / line * line);
    slots->shift = 64 - bits;
    slots->owners = 1;
    return slots;
}

// ---- numbers by index ----

static void set_number(const struct index_places *places, uint64_t index, uint32_t number)
{
    atomic_store_explicit(&places->number[index], number + 1, memory_order_relaxed);
}

// Where an array of numbers would end: twice as far as the largest index of which, and of those
// below, there is one in PLACES_EACH. So an index costs 256 bytes at most, and a few far away cost
// nothing. Twice: memory that is never used is address space alone, and indices that grow as the
// data comes do not soon need another array.
static uint64_t choose_end(const struct indices *table)
{
    uint64_t count[33] = {0}, largest[33] = {0}, end = 0; // by the number of bits
    for (uint32_t i = 0; i < table->count; i++) {
        uint64_t index = table->items[i];
        unsigned bits = index > UINT32_MAX ? 0 : 64 - (unsigned)__builtin_clzll(index);
        count[bits]++;
        largest[bits] = largest[bits] < index ? index : largest[bits];
    }
    for (unsigned bits = 1; bits <= 32; bits++) {
        count[bits] += bits > 1 ? count[bits - 1] : 0;
        if (largest[bits] && largest[bits] <= count[bits] * PLACES_EACH)
            end = 2 * largest[bits];
    }
    return end;
}

static struct index_places *places_new(const struct indices *table, uint64_t end)
{
    struct index_places *places = memory_new(1, sizeof *places);
    if (!places)
        return NULL;
    places->number = memory_new((size_t)end, sizeof *places->number);
    if (!places->number) {
        memory_free(places);
        return NULL;
    }
    memory_scattered((void *)places->number, (size_t)end * sizeof *places->number);
    places->owners = 1;
    places->end = end;
    for (uint32_t i = 0; i < table->count; i++)
        if (table->items[i] < end)
            set_number(places, table->items[i], i);
    return places;
}

// The array for the slots that come after `old`: the same, or a larger one if there is memory for
// it. False: there is none for one of its own.
static bool next_places(const struct indices *table, struct index_slots *old,
                        struct index_places **places)
{
    struct index_places *now = old ? old->places : NULL;
    uint64_t end = choose_end(table);
    bool larger = end && (!now || end / 2 >= now->end);
    *places = larger ? places_new(table, end) : NULL;
    if (*places || !now)
        return true;
    if (old->owners > 1) // another table has the array too, which must not change
        return (*places = places_new(table, now->end)) != NULL;
    *places = now;
    now->owners++;
    return true;
}

// ---- slots ----

// At most five eighths of the slots are taken, so that full lines are few.
static size_t most_in(size_t slots)
{
    return slots / 8 * 5;
}

// How many slots are needed if the indices from `end` on are twice as many.
static unsigned bits_from(const struct indices *table, uint64_t end)
{
    size_t count = 0;
    unsigned bits = MIN_BITS;
    for (uint32_t i = 0; i < table->count; i++)
        count += table->items[i] >= end;
    while (most_in((size_t)1 << bits) < 2 * count)
        bits++;
    return bits;
}

// Puts what is not in the new array of numbers into the new slots. Slots are in the order of the
// highest bits of the hash, so that both arrays are gone through from their start to their end.
static void move_slots(struct indices *table, const struct index_slots *old,
                       struct index_slots *slots)
{
    struct index_view view = view_of(table, slots);
    table->in_slots = 0;
    for (size_t i = 0; i < slot_count(old); i++) {
        uint64_t held = load(old->slot + i);
        uint32_t number = (uint32_t)held & INDICES_MAX;
        uint64_t index = held & WIDE ? table->items[number] : held >> 32;
        if (held == 0 || index < view.end)
            continue;
        put(slots, place_of(&view, index), index, number);
        table->in_slots++;
    }
}

// 2^bits slots in the place of those that are there, or fewer if an array of numbers takes over.
static bool rehash(struct indices *table, unsigned bits)
{
    struct index_slots *old = slots_of(table), *slots;
    struct index_places *places;
    if (!next_places(table, old, &places))
        return false;
    if (places && (!old->places || old->places->end < places->end))
        bits = bits_from(table, places->end);
    slots = slots_new(bits);
    if (!slots) {
        drop_places(places);
        return false;
    }
    if (!old)
        draw_key(table);
    slots->places = places;
    move_slots(table, old, slots);
    replace_slots(table, slots);
    return true;
}

bool indices_own(struct indices *table)
{
    struct index_slots *slots = slots_of(table);
    return !slots || slots->owners == 1 || rehash(table, 64 - slots->shift);
}

// Room for one more in slots of its own.
static bool reserve_one(struct indices *table)
{
    const struct index_slots *slots = slots_of(table);
    if (table->count == INDICES_MAX ||
        !memory_reserve(&table->items, &table->items_capacity, (size_t)table->count + 1,
                        sizeof *table->items))
        return false;
    if (!slots)
        return rehash(table, MIN_BITS);
    unsigned bits = 64 - slots->shift;
    if (table->in_slots >= most_in(slot_count(slots)))
        return rehash(table, bits + (bits < QUICK_BITS ? 2 : 1));
    return ((struct index_slots *)slots)->owners == 1 || indices_own(table);
}

// The number of an index that is new.
static uint32_t add_new(struct indices *table, uint64_t index)
{
    table->items[table->count] = index;
    return table->count++;
}

uint32_t indices_add(struct indices *table, uint64_t index)
{
    if (!reserve_one(table))
        return INDICES_NONE;
    struct index_slots *slots = slots_of(table);
    struct index_view view = view_of(table, slots);
    if (index < view.end) {
        uint32_t number = index_number(&view, index);
        if (number != INDICES_NONE)
            return number;
        set_number(slots->places, index, table->count);
        return add_new(table, index);
    }
    size_t place = place_of(&view, index);
    uint64_t held = load(view.slots + place);
    if (held)
        return (uint32_t)held & INDICES_MAX;
    put(slots, place, index, table->count);
    table->in_slots++;
    return add_new(table, index);
}

// As indices_add, where there is scratch. The view changes with the slots.
static inline uint32_t add_one(struct indices *table, struct index_view *view, uint64_t index)
{
    if (index >= view->end) {
        uint32_t number = indices_add(table, index);
        *view = indices_view(table);
        return number;
    }
    uint32_t number = index_number(view, index);
    if (number != INDICES_NONE)
        return number;
    set_number(slots_of(table)->places, index, table->count);
    return add_new(table, index);
}

bool indices_add_all(struct indices *table, const uint64_t *items, size_t count, uint32_t *numbers)
{
    if (table->count + count >= INDICES_MAX || !indices_own(table) ||
        !memory_reserve(&table->items, &table->items_capacity, table->count + count,
                        sizeof *table->items))
        return false;
    struct index_view view = indices_view(table);
    for (size_t i = 0; i < count && i < INDICES_AHEAD; i++)
        index_expect(&view, items[i]);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = add_one(table, &view, items[i]);
        if (numbers[i] == INDICES_NONE)
            return false;
        if (i + INDICES_AHEAD < count)
            index_expect(&view, items[i + INDICES_AHEAD]);
    }
    return true;
}

bool indices_copy(struct indices *to, const struct indices *from)
{
    struct index_slots *slots = slots_of(from);
    if (!from->count)
        return true;
    if (!memory_reserve(&to->items, &to->items_capacity, from->count, sizeof *to->items))
        return false;
    memcpy(to->items, from->items, from->count * sizeof *to->items);
    memcpy(to->key, from->key, sizeof to->key);
    to->count = from->count;
    to->in_slots = from->in_slots;
    slots->owners++;
    replace_slots(to, slots);
    return true;
}

// ---- forgetting ----

void indices_thin(struct indices *table, const bool *gone)
{
    struct index_slots *slots = slots_of(table);
    uint32_t count = table->count;
    if (count)
        memset((void *)slots->slot, 0, slot_count(slots) * sizeof(uint64_t));
    for (uint32_t i = 0; i < count && slots->places; i++)
        if (table->items[i] < slots->places->end)
            set_number(slots->places, table->items[i], INDICES_NONE);
    table->count = table->in_slots = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!gone[i])
            indices_add(table, table->items[i]); // there is room
}

void indices_free(struct indices *table)
{
    memory_free(table->items);
    drop_slots(slots_of(table));
    drop_retired(table);
    memset(table, 0, sizeof *table);
}
