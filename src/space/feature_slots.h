// Where features have their weights, if that is not at their own numbers.
//
// The numbers of features may have gaps: LIBSVM indices are their own numbers, and slots of hashed
// names are spread over all of them (data/schema.h). A gap of one column costs little, and looking
// nothing up is fast. Times thousands of columns it would cost more than the features themselves.
// Then each feature gets a slot when it is first learned from, 1, 2, 3..., and its weights are in
// that row of the arrays. Seat 0 belongs to no feature: its weights are 0, and features
// without a slot are looked up there.
//
// Nothing that is computed depends on the slots: a row's entries stay in their order, and what is
// summed up over features goes by their numbers (feature_slots_next).
#ifndef TLU_SPACE_FEATURE_SLOTS_H
#define TLU_SPACE_FEATURE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEATURE_SLOTS_PAGE 256u

struct feature_slots {
    uint32_t **pages; // [page_count] slots of FEATURE_SLOTS_PAGE features each; NULL: none has one
    size_t page_count, page_capacity;
    uint32_t count; // rows in use: the highest slot given, plus one
    uint32_t *left; // [left_count] slots that were given back
    size_t left_count, left_capacity;
    uint32_t *scratch; // [scratch_capacity] of a row
    size_t scratch_capacity;
    unsigned users; // weights that have these slots
};

struct feature_slots *feature_slots_new(void); // for one user; NULL if there is not enough memory
void feature_slots_release(struct feature_slots *slots); // one user less; NULL is fine

static inline uint32_t feature_slots_find(const struct feature_slots *slots, size_t feature)
{
    size_t page = feature / FEATURE_SLOTS_PAGE;
    if (page >= slots->page_count || !slots->pages[page])
        return 0;
    return slots->pages[page][feature % FEATURE_SLOTS_PAGE];
}

// The feature's slot, a new one if it has none; 0 if there is not enough memory.
uint32_t feature_slots_add(struct feature_slots *slots, size_t feature);
// The first feature from this one on that has a slot, which goes to *slot; SIZE_MAX: no more.
size_t feature_slots_next(const struct feature_slots *slots, size_t feature, uint32_t *slot);

// Room for feature_slots_leave and feature_slots_rename of these features; false if there is not
// enough memory.
bool feature_slots_reserve_changes(struct feature_slots *slots, size_t first, size_t count);
// The feature gives up its slot, whose row must be 0.
void feature_slots_leave(struct feature_slots *slots, size_t feature);
// The feature gets another number, which has no slot yet.
void feature_slots_rename(struct feature_slots *slots, size_t from, size_t to);

#endif
