#include "space/seats.h"

#include "base/memory.h"

#include <string.h>

struct seats *seats_new(void)
{
    struct seats *seats = memory_new(1, sizeof *seats);
    if (seats) {
        seats->count = 1;
        seats->users = 1;
    }
    return seats;
}

void seats_release(struct seats *seats)
{
    if (!seats || --seats->users > 0)
        return;
    for (size_t i = 0; i < seats->page_count; i++)
        memory_free(seats->pages[i]);
    memory_free(seats->pages);
    memory_free(seats->left);
    memory_free(seats->room);
    memory_free(seats);
}

// The page, made if it is not there; NULL if there is not enough memory.
static uint32_t *page_of(struct seats *seats, size_t page)
{
    if (page >= seats->page_count) {
        if (!memory_reserve(&seats->pages, &seats->page_capacity, page + 1, sizeof *seats->pages))
            return NULL;
        memset(seats->pages + seats->page_count, 0,
               (page + 1 - seats->page_count) * sizeof *seats->pages);
        seats->page_count = page + 1;
    }
    if (!seats->pages[page])
        seats->pages[page] = memory_new(SEATS_PAGE, sizeof **seats->pages);
    return seats->pages[page];
}

uint32_t seats_add(struct seats *seats, size_t feature)
{
    uint32_t *page = page_of(seats, feature / SEATS_PAGE);
    if (!page)
        return 0;
    uint32_t *seat = &page[feature % SEATS_PAGE];
    if (*seat == 0)
        *seat = seats->left_count ? seats->left[--seats->left_count] : seats->count++;
    return *seat;
}

size_t seats_next(const struct seats *seats, size_t feature, uint32_t *seat)
{
    size_t page = feature / SEATS_PAGE, at = feature % SEATS_PAGE;
    for (; page < seats->page_count; page++, at = 0) {
        const uint32_t *entries = seats->pages[page];
        for (; entries && at < SEATS_PAGE; at++)
            if (entries[at]) {
                *seat = entries[at];
                return page * SEATS_PAGE + at;
            }
    }
    return SIZE_MAX;
}

bool seats_reserve_changes(struct seats *seats, size_t first, size_t count)
{
    for (size_t f = first; f < first + count; f += SEATS_PAGE - f % SEATS_PAGE)
        if (!page_of(seats, f / SEATS_PAGE))
            return false;
    return memory_reserve(&seats->left, &seats->left_capacity, seats->left_count + count,
                          sizeof *seats->left);
}

void seats_leave(struct seats *seats, size_t feature)
{
    uint32_t seat = seats_find(seats, feature);
    if (seat == 0)
        return;
    seats->pages[feature / SEATS_PAGE][feature % SEATS_PAGE] = 0;
    seats->left[seats->left_count++] = seat;
}

void seats_rename(struct seats *seats, size_t from, size_t to)
{
    uint32_t seat = seats_find(seats, from);
    if (seat == 0)
        return;
    seats->pages[from / SEATS_PAGE][from % SEATS_PAGE] = 0;
    seats->pages[to / SEATS_PAGE][to % SEATS_PAGE] = seat;
}
