#include "space/feature_slots.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

struct feature_slots *feature_slots_new(void)
{
    struct feature_slots *slots = memory_new(1, sizeof *slots);
    if (slots) {
        slots->count = 1;
        slots->users = 1;
    }
    return slots;
}

void feature_slots_release(struct feature_slots *slots)
{
    if (!slots || --slots->users > 0)
        return;
    for (size_t i = 0; i < slots->page_count; i++)
        memory_free(slots->pages[i]);
    memory_free(slots->pages);
    memory_free(slots->left);
    memory_free(slots->scratch);
    memory_free(slots);
}

// Returns the page, and allocates it if necessary. NULL: out of memory.
static uint32_t *page_of(struct feature_slots *slots, size_t page)
{
    if (page >= slots->page_count) {
        if (!memory_reserve(&slots->pages, &slots->page_capacity, page + 1, sizeof *slots->pages))
            return NULL;
        memset(slots->pages + slots->page_count, 0,
               (page + 1 - slots->page_count) * sizeof *slots->pages);
        slots->page_count = page + 1;
    }
    if (!slots->pages[page])
        slots->pages[page] = memory_new(FEATURE_SLOTS_PAGE, sizeof **slots->pages);
    return slots->pages[page];
}

uint32_t feature_slots_add(struct feature_slots *slots, size_t feature)
{
    uint32_t *page = page_of(slots, feature / FEATURE_SLOTS_PAGE);
    if (!page)
        return 0;
    uint32_t *slot = &page[feature % FEATURE_SLOTS_PAGE];
    if (*slot == 0)
        *slot = slots->left_count ? slots->left[--slots->left_count] : slots->count++;
    return *slot;
}

size_t feature_slots_next(const struct feature_slots *slots, size_t feature, uint32_t *slot)
{
    size_t page = feature / FEATURE_SLOTS_PAGE, at = feature % FEATURE_SLOTS_PAGE;
    for (; page < slots->page_count; page++, at = 0) {
        const uint32_t *entries = slots->pages[page];
        for (; entries && at < FEATURE_SLOTS_PAGE; at++)
            if (entries[at]) {
                *slot = entries[at];
                return page * FEATURE_SLOTS_PAGE + at;
            }
    }
    return SIZE_MAX;
}

bool feature_slots_reserve_changes(struct feature_slots *slots, size_t first, size_t count)
{
    for (size_t f = first; f < first + count; f += FEATURE_SLOTS_PAGE - f % FEATURE_SLOTS_PAGE)
        if (!page_of(slots, f / FEATURE_SLOTS_PAGE))
            return false;
    return memory_reserve(&slots->left, &slots->left_capacity, slots->left_count + count,
                          sizeof *slots->left);
}

void feature_slots_leave(struct feature_slots *slots, size_t feature)
{
    uint32_t slot = feature_slots_find(slots, feature);
    if (slot == 0)
        return;
    assert(slots->left_count < slots->left_capacity);
    slots->pages[feature / FEATURE_SLOTS_PAGE][feature % FEATURE_SLOTS_PAGE] = 0;
    slots->left[slots->left_count++] = slot;
}

void feature_slots_rename(struct feature_slots *slots, size_t from, size_t to)
{
    uint32_t slot = feature_slots_find(slots, from);
    if (slot == 0)
        return;
    assert(feature_slots_find(slots, to) == 0);
    slots->pages[from / FEATURE_SLOTS_PAGE][from % FEATURE_SLOTS_PAGE] = 0;
    slots->pages[to / FEATURE_SLOTS_PAGE][to % FEATURE_SLOTS_PAGE] = slot;
}
