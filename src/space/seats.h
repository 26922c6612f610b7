// Where features have their weights, if that is not at their own numbers.
//
// The numbers of features may have gaps: LIBSVM indices are their own numbers, and slots of hashed
// names are spread over all of them (schema.h). A gap of one column costs little, and looking
// nothing up is fast. Times thousands of columns it would cost more than the features themselves.
// Then each feature gets a seat when it is first learned from, 1, 2, 3..., and its weights are in
// that row of the arrays. Seat 0 belongs to no feature: its weights are 0, and features
// without a seat are looked up there.
//
// Nothing that is computed depends on the seats: a row's entries stay in their order, and what is
// summed up over features goes by their numbers (seats_next).
#ifndef TLU_SPACE_SEATS_H
#define TLU_SPACE_SEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEATS_PAGE 256u

struct seats {
    uint32_t **pages; // [page_count] seats of SEATS_PAGE features each; NULL: none has one
    size_t page_count, page_capacity;
    uint32_t count; // rows in use: the highest seat given, plus one
    uint32_t *left; // [left_count] seats that were given back
    size_t left_count, left_capacity;
    uint32_t *room; // [room_capacity] of a row
    size_t room_capacity;
    unsigned users; // weights that have these seats
};

struct seats *seats_new(void);           // for one user; NULL if there is not enough memory
void seats_release(struct seats *seats); // one user less; NULL is fine

static inline uint32_t seats_find(const struct seats *seats, size_t feature)
{
    size_t page = feature / SEATS_PAGE;
    if (page >= seats->page_count || !seats->pages[page])
        return 0;
    return seats->pages[page][feature % SEATS_PAGE];
}

// The feature's seat, a new one if it has none; 0 if there is not enough memory.
uint32_t seats_add(struct seats *seats, size_t feature);
// The first feature from this one on that has a seat, which goes to *seat; SIZE_MAX: no more.
size_t seats_next(const struct seats *seats, size_t feature, uint32_t *seat);

// Room for seats_leave and seats_rename of these features; false if there is not enough memory.
bool seats_reserve_changes(struct seats *seats, size_t first, size_t count);
// The feature gives up its seat, whose row must be 0.
void seats_leave(struct seats *seats, size_t feature);
// The feature gets another number, which has no seat yet.
void seats_rename(struct seats *seats, size_t from, size_t to);

#endif
