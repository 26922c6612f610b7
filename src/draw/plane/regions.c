// The sides that a grid has found, as closed outlines: what two neighbours of one label share was
// never a side, so that the rest is the border of the label's region.
#include "base/memory.h"
#include "draw/plane/grid.h"

#include <math.h>
#include <stdlib.h>

#define STRAIGHT 1e-7 // of the box: a corner nearer to the line of its neighbours is left out

static int by_label_and_start(const void *a, const void *b)
{
    const struct grid_side *one = a, *two = b;
    if (one->label != two->label)
        return one->label < two->label ? -1 : 1;
    if (one->from != two->from)
        return one->from < two->from ? -1 : 1;
    return one->to < two->to ? -1 : one->to > two->to;
}

// The sides of one label, in the order of where they start.
struct loops {
    const struct grid *grid;
    const struct grid_side *sides;
    size_t count;
    bool *used; // [count]
    struct region *region;
    struct point *outline; // [count] the one that is made
};

static size_t first_from(const struct loops *loops, size_t corner)
{
    size_t low = 0, high = loops->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (loops->sides[middle].from < corner)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A side from there on that was not used yet; GRID_NONE: the outline is closed.
static size_t next_side(const struct loops *loops, size_t corner)
{
    for (size_t i = first_from(loops, corner); i < loops->count && loops->sides[i].from == corner;
         i++)
        if (!loops->used[i])
            return i;
    return GRID_NONE;
}

static size_t follow(struct loops *loops, size_t side)
{
    size_t count = 0;
    while (side != GRID_NONE) {
        loops->used[side] = true;
        loops->outline[count++] = loops->grid->corners[loops->sides[side].from];
        side = next_side(loops, loops->sides[side].to);
    }
    return count;
}

static double area_of(const struct point *at, size_t count)
{
    double twice = 0;
    for (size_t i = 0; i < count; i++) {
        struct point a = at[i], b = at[(i + 1) % count];
        twice += a.x * b.y - b.x * a.y;
    }
    return twice / 2;
}

static bool is_straight(struct point a, struct point b, struct point c)
{
    double across = c.x - a.x, up = c.y - a.y, length = hypot(across, up);
    double forward = (b.x - a.x) * across + (b.y - a.y) * up;
    double off = fabs((b.x - a.x) * up - (b.y - a.y) * across);
    return length > 0 && forward >= 0 && forward <= length * length && off <= STRAIGHT * length;
}

// Leaves out what is on the way between its neighbours. Returns what is left.
static size_t straighten(struct point *at, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (!is_straight(at[kept - 1], at[i], at[(i + 1) % count]))
            at[kept++] = at[i];
    if (kept > 3 && is_straight(at[kept - 1], at[0], at[1]))
        at[0] = at[--kept];
    return kept;
}

static void keep_outline(struct loops *loops, size_t count)
{
    struct region *region = loops->region;
    const struct grid *grid = loops->grid;
    region->area += area_of(loops->outline, count);
    count = straighten(loops->outline, count);
    for (size_t i = 0; i < count; i++) {
        struct point at = loops->outline[i];
        region->points[region->point_count++] =
            (struct point){grid->x_low + at.x * grid->x_range, grid->y_low + at.y * grid->y_range};
    }
    region->outlines[region->outline_count++] = count;
}

static bool trace(struct loops *loops)
{
    loops->used = memory_new(loops->count, sizeof *loops->used);
    loops->outline = memory_new(loops->count, sizeof *loops->outline);
    loops->region->points = memory_new(loops->count, sizeof *loops->region->points);
    loops->region->outlines = memory_new(loops->count, sizeof *loops->region->outlines);
    bool fine = loops->used && loops->outline && loops->region->points && loops->region->outlines;
    for (size_t i = 0; fine && i < loops->count; i++)
        if (!loops->used[i])
            keep_outline(loops, follow(loops, i));
    memory_free(loops->used);
    memory_free(loops->outline);
    return fine;
}

static bool collect(const struct grid *grid, struct regions *regions)
{
    size_t capacity = 0;
    for (size_t i = 0, end; i < grid->side_count; i = end) {
        uint32_t label = grid->sides[i].label;
        for (end = i; end < grid->side_count && grid->sides[end].label == label;)
            end++;
        if (!memory_reserve(&regions->regions, &capacity, regions->count + 1,
                            sizeof *regions->regions))
            return false;
        struct region *region = &regions->regions[regions->count++];
        *region = (struct region){.label = label};
        struct loops loops = {
            .grid = grid, .sides = grid->sides + i, .count = end - i, .region = region};
        if (!trace(&loops))
            return false;
    }
    return true;
}

tlu_status plane_regions(const struct region_field *field, double x_low, double x_high,
                         double y_low, double y_high, size_t across, size_t up,
                         struct regions **regions, tlu_error *error)
{
    struct grid grid = {.field = field,
                        .x_low = x_low,
                        .x_range = x_high - x_low,
                        .y_low = y_low,
                        .y_range = y_high - y_low,
                        .across = across,
                        .up = up};
    *regions = memory_new(1, sizeof **regions);
    tlu_status status = *regions ? grid_make(&grid, error) : error_memory(error);
    if (status == TLU_OK) {
        qsort(grid.sides, grid.side_count, sizeof *grid.sides, by_label_and_start);
        status = enough_memory(collect(&grid, *regions), error);
    }
    grid_free(&grid);
    if (status == TLU_OK)
        return TLU_OK;
    plane_regions_free(*regions);
    *regions = NULL;
    return status;
}

void plane_regions_free(struct regions *regions)
{
    for (size_t i = 0; regions && i < regions->count; i++) {
        memory_free(regions->regions[i].points);
        memory_free(regions->regions[i].outlines);
    }
    if (regions)
        memory_free(regions->regions);
    memory_free(regions);
}

// ---- drawing

struct look plane_look(const struct theme *theme, uint32_t label)
{
    colour ground = theme_region(theme, label & ~REGION_AMBIGUOUS);
    if (label & REGION_AMBIGUOUS)
        return (struct look){.fill = ground, .line = theme->faint, .width = 0.7, .hatched = true};
    // The line hides the seam that smoothing leaves between neighbours.
    return (struct look){.fill = ground, .line = ground, .width = 0.7};
}

static void draw_region(struct chart *chart, const struct region *region, const struct look *look)
{
    struct look closed = *look;
    closed.closed = true;
    path_begin(chart->page, &closed);
    for (size_t outline = 0, first = 0; outline < region->outline_count; outline++) {
        for (size_t i = first; i < first + region->outlines[outline]; i++) {
            struct point at = chart_place(chart, region->points[i].x, region->points[i].y);
            if (i == first)
                path_move(chart->page, at.x, at.y);
            else
                path_line(chart->page, at.x, at.y);
        }
        first += region->outlines[outline];
    }
    path_end(chart->page);
}

void plane_draw_regions(struct chart *chart, const struct regions *regions,
                        struct look (*look)(const struct theme *theme, uint32_t label))
{
    const struct theme *theme = chart->page->picture->theme;
    page_clip(chart->page, &chart->area);
    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->regions[i];
        struct look one = (look ? look : plane_look)(theme, region->label);
        draw_region(chart, region, &one);
    }
}
