// Maps features to rows of the weight arrays.
//
// The numbers of features may have gaps: LIBSVM indices are used as numbers, and hashed names are
// spread over the whole range (schema.h). With few columns, gaps cost little, and a feature's
// number is its row, without a lookup. With thousands of columns, the gaps would cost more memory
// than the features. Then each feature gets the next free slot, 1, 2, 3..., when it is first
// learned from, and its weights are in that row. Slot 0 belongs to no feature: its weights are 0,
// and a feature without a slot is looked up there.
//
// No result depends on the slots: the entries of a row keep their order, and sums over features are
// in the order of their numbers (feature_slots_next).
#ifndef TLU_SPACE_FEATURE_SLOTS_H
#define TLU_SPACE_FEATURE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEATURE_SLOTS_PAGE 256u

struct feature_slots {
    uint32_t **pages; // [page_count] slots of FEATURE_SLOTS_PAGE features each; NULL: none has one
    size_t page_count, page_capacity;
    uint32_t count; // rows in use: the highest slot in use, plus one
    uint32_t *left; // [left_count] slots that were released
    size_t left_count, left_capacity;
    uint32_t *scratch; // [scratch_capacity] slots of a row
    size_t scratch_capacity;
    unsigned users; // number of struct weights that share these slots
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
// The first feature from this one on that has a slot, which is stored in *slot. SIZE_MAX: none.
size_t feature_slots_next(const struct feature_slots *slots, size_t feature, uint32_t *slot);

// Reserves memory, so that feature_slots_leave and feature_slots_rename of these features cannot
// fail. False: out of memory.
bool feature_slots_reserve_changes(struct feature_slots *slots, size_t first, size_t count);
// Releases the slot of a feature. The row of weights must be 0.
void feature_slots_leave(struct feature_slots *slots, size_t feature);
// Gives the slot of feature `from` to feature `to`, which has none.
void feature_slots_rename(struct feature_slots *slots, size_t from, size_t to);

#endif
