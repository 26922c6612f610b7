#include "plot/plane/thin.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define SHARE_FIRST 0.005
#define COARSER 1.25

static double cell_of(double at, double size)
{
    return size > 0 ? floor(at / size) : 0;
}

static bool are_alike(const struct thin *thin, const struct thin_point *a,
                      const struct thin_point *b)
{
    return a->kind % THIN_KINDS == b->kind % THIN_KINDS &&
           cell_of(a->at.x, thin->cell.x) == cell_of(b->at.x, thin->cell.x) &&
           cell_of(a->at.y, thin->cell.y) == cell_of(b->at.y, thin->cell.y);
}

static size_t slot_of(const struct thin *thin, const struct thin_point *point)
{
    const double cell[2] = {cell_of(point->at.x, thin->cell.x) + 0.0,
                            cell_of(point->at.y, thin->cell.y) + 0.0};
    uint64_t bits[2];
    memcpy(bits, cell, sizeof bits);
    uint64_t hash = (bits[0] ^ bits[1] * 0x9e3779b97f4a7c15u) + point->kind % THIN_KINDS;
    hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
    return (size_t)(hash >> 40) % THIN_SLOTS;
}

// The slot of a point that is alike, or a free one.
static uint32_t *find(struct thin *thin, const struct thin_point *point)
{
    size_t slot = slot_of(thin, point);
    while (thin->slots[slot] && !are_alike(thin, &thin->points[thin->slots[slot] - 1], point))
        slot = (slot + 1) % THIN_SLOTS;
    return &thin->slots[slot];
}

static struct point range_of(const struct thin *thin)
{
    return (struct point){thin->high.x - thin->low.x, thin->high.y - thin->low.y};
}

// Leaves one of each kind in a cell.
static void sort_in(struct thin *thin)
{
    size_t kept = 0;
    thin->range = range_of(thin);
    thin->cell = (struct point){thin->share * thin->range.x, thin->share * thin->range.y};
    memset(thin->slots, 0, THIN_SLOTS * sizeof *thin->slots);
    for (size_t i = 0; i < thin->count; i++) {
        struct thin_point point = thin->points[i];
        uint32_t *slot = find(thin, &point);
        if (*slot)
            continue;
        thin->points[kept++] = point;
        *slot = (uint32_t)kept;
    }
    thin->count = kept;
}

static bool make_coarser(struct thin *thin)
{
    if (!thin->slots) {
        thin->slots = memory_new(THIN_SLOTS, sizeof *thin->slots);
        thin->share = SHARE_FIRST;
        if (!thin->slots)
            return false;
        sort_in(thin);
    }
    // There is an end to it: THIN_KINDS in four cells.
    while (thin->count > THIN_MAX * 3 / 4) {
        thin->share *= COARSER;
        sort_in(thin);
    }
    return true;
}

static bool has_grown(const struct thin *thin)
{
    struct point now = range_of(thin);
    return now.x > 2 * thin->range.x || now.y > 2 * thin->range.y;
}

static void widen(struct thin *thin, struct point at)
{
    if (thin->seen++ == 0)
        thin->low = thin->high = at;
    thin->low = (struct point){fmin(thin->low.x, at.x), fmin(thin->low.y, at.y)};
    thin->high = (struct point){fmax(thin->high.x, at.x), fmax(thin->high.y, at.y)};
}

bool thin_add(struct thin *thin, const struct thin_point *point)
{
    widen(thin, point->at);
    if (thin->slots && has_grown(thin)) {
        thin->share = SHARE_FIRST; // of a larger picture
        sort_in(thin);
    }
    uint32_t *slot = thin->slots ? find(thin, point) : NULL;
    if (slot && *slot)
        return true;
    if (!memory_reserve(&thin->points, &thin->capacity, thin->count + 1, sizeof *thin->points))
        return false;
    thin->points[thin->count++] = *point;
    if (slot)
        *slot = (uint32_t)thin->count;
    return thin->count <= THIN_MAX || make_coarser(thin);
}

void thin_free(struct thin *thin)
{
    memory_free(thin->points);
    memory_free(thin->slots);
}
