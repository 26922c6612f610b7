// The sides that a grid has found, as closed outlines: what two neighbours of one label share was
// never a side, so that the rest is the border of the label's region.
#include "base/memory.h"
#include "plot/plane/grid.h"

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
    struct point end;      // where its last side ends
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
        loops->end = loops->grid->corners[loops->sides[side].to];
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

static void keep_point(struct loops *loops, struct point at)
{
    const struct grid *grid = loops->grid;
    loops->region->points[loops->region->point_count++] =
        (struct point){grid->x_low + at.x * grid->x_range, grid->y_low + at.y * grid->y_range};
}

static void keep_outline(struct loops *loops, size_t count)
{
    loops->region->area += area_of(loops->outline, count);
    count = straighten(loops->outline, count);
    for (size_t i = 0; i < count; i++)
        keep_point(loops, loops->outline[i]);
    loops->region->outlines[loops->region->outline_count++] = count;
}

static bool loops_new(struct loops *loops)
{
    loops->used = memory_new(loops->count + 1, sizeof *loops->used);
    loops->outline = memory_new(loops->count + 1, sizeof *loops->outline);
    loops->region->points = memory_new(2 * loops->count + 1, sizeof *loops->region->points);
    loops->region->outlines = memory_new(loops->count + 1, sizeof *loops->region->outlines);
    return loops->used && loops->outline && loops->region->points && loops->region->outlines;
}

static bool trace(struct loops *loops)
{
    bool fine = loops_new(loops);
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

// ---- borders

static uint32_t class_of(const struct grid_side *side)
{
    return side->label & ~REGION_AMBIGUOUS;
}

static size_t least_corner(const struct grid_side *side)
{
    return side->from < side->to ? side->from : side->to;
}

static size_t largest_corner(const struct grid_side *side)
{
    return side->from < side->to ? side->to : side->from;
}

// The two sides of a cut after each other.
static int by_corners(const void *a, const void *b)
{
    const struct grid_side *one = a, *two = b;
    if (least_corner(one) != least_corner(two))
        return least_corner(one) < least_corner(two) ? -1 : 1;
    if (largest_corner(one) != largest_corner(two))
        return largest_corner(one) < largest_corner(two) ? -1 : 1;
    return one->label < two->label ? -1 : one->label > two->label;
}

static bool are_one_cut(const struct grid_side *one, const struct grid_side *two)
{
    return one->from == two->to && one->to == two->from;
}

// Leaves one side of each cut between two classes. Returns how many these are.
static size_t pick_cuts(struct grid_side *sides, size_t count)
{
    size_t kept = 0;
    qsort(sides, count, sizeof *sides, by_corners);
    for (size_t i = 0; i + 1 < count; i++)
        if (are_one_cut(&sides[i], &sides[i + 1]) && class_of(&sides[i]) != class_of(&sides[i + 1]))
            sides[kept++] = sides[i];
    for (size_t i = 0; i < kept; i++)
        sides[i].label = 0;
    qsort(sides, kept, sizeof *sides, by_label_and_start);
    return kept;
}

static void keep_border(struct loops *loops, size_t count)
{
    size_t first = loops->region->point_count;
    struct point last = loops->outline[0];
    keep_point(loops, last);
    for (size_t i = 1; i < count; i++) {
        struct point next = i + 1 < count ? loops->outline[i + 1] : loops->end;
        if (is_straight(last, loops->outline[i], next))
            continue;
        last = loops->outline[i];
        keep_point(loops, last);
    }
    keep_point(loops, loops->end);
    loops->region->outlines[loops->region->outline_count++] = loops->region->point_count - first;
}

// The grid's sides are of no use any more after this.
static bool find_borders(struct grid *grid, struct regions *regions)
{
    struct loops loops = {.grid = grid,
                          .sides = grid->sides,
                          .count = pick_cuts(grid->sides, grid->side_count),
                          .region = &regions->borders};
    bool fine = loops_new(&loops);
    for (size_t i = 0; fine && i < loops.count; i++)
        if (!loops.used[i])
            keep_border(&loops, follow(&loops, i));
    memory_free(loops.used);
    memory_free(loops.outline);
    return fine;
}

// ---- all of it

tlu_status plane_regions_in_blocks(const struct region_field *field, double x_low, double x_high,
                                   double y_low, double y_high, size_t across, size_t up,
                                   size_t block, struct regions **regions, tlu_error *error)
{
    struct grid grid = {.field = field,
                        .x_low = x_low,
                        .x_range = x_high - x_low,
                        .y_low = y_low,
                        .y_range = y_high - y_low,
                        .across = across,
                        .up = up,
                        .block = block};
    *regions = memory_new(1, sizeof **regions);
    tlu_status status = *regions ? grid_make(&grid, error) : error_memory(error);
    if (status == TLU_OK) {
        qsort(grid.sides, grid.side_count, sizeof *grid.sides, by_label_and_start);
        status = enough_memory(collect(&grid, *regions) && find_borders(&grid, *regions), error);
    }
    grid_free(&grid);
    if (status == TLU_OK)
        return TLU_OK;
    plane_regions_free(*regions);
    *regions = NULL;
    return status;
}

tlu_status plane_regions(const struct region_field *field, double x_low, double x_high,
                         double y_low, double y_high, size_t across, size_t up,
                         struct regions **regions, tlu_error *error)
{
    return plane_regions_in_blocks(field, x_low, x_high, y_low, y_high, across, up, 0, regions,
                                   error);
}

void plane_regions_free(struct regions *regions)
{
    for (size_t i = 0; regions && i < regions->count; i++) {
        memory_free(regions->regions[i].points);
        memory_free(regions->regions[i].outlines);
    }
    if (regions) {
        memory_free(regions->regions);
        memory_free(regions->borders.points);
        memory_free(regions->borders.outlines);
    }
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
    path_begin(chart->page, look);
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
        one.closed = true;
        draw_region(chart, region, &one);
    }
}

void plane_draw_borders(struct chart *chart, const struct regions *regions, const struct look *line)
{
    struct look open = *line;
    open.closed = false;
    page_clip(chart->page, &chart->area);
    if (regions->borders.point_count)
        draw_region(chart, &regions->borders, &open);
}
