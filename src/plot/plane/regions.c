// The regions of a plane in which a function of labels is constant. A grid finds borders between
// labels; the corners of outlines have numbers, so that outlines of neighbours meet exactly.
#include "base/memory.h"
#include "plot/arena.h"
#include "plot/plane/plane.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define GRID_NONE SIZE_MAX

// A segment of an outline, with its region on the left.
struct grid_side {
    uint32_t label;
    size_t from, to; // corners
};

struct grid {
    const struct region_field *field;
    double x_low, x_range, y_low, y_range;
    size_t across, up; // cells
    size_t block;      // see plane_regions_in_blocks; 0: none
    uint32_t *labels;  // [up + 1][across + 1]
    // The corner on each side of a cell, or GRID_NONE.
    size_t *flat;          // [up + 1][across]
    size_t *steep;         // [up][across + 1]
    struct point *corners; // in shares of the box; nodes first, in the order of labels
    size_t corner_count, corner_capacity;
    struct grid_side *sides;
    size_t side_count, side_capacity;
    struct arena memory; // of the arrays with a fixed size
    bool failed;         // out of memory
};

static inline size_t grid_node(const struct grid *grid, size_t column, size_t row)
{
    return row * (grid->across + 1) + column;
}

// ---- the grid

#define BISECTIONS 20
#define BISECTIONS_MIN 2
#define LABELS_MAX 100000 // of all searches together: limits regions that are mostly borders

size_t bisection_rounds(size_t searches, size_t most)
{
    size_t rounds = LABELS_MAX / (searches + 1);
    return rounds < BISECTIONS_MIN ? BISECTIONS_MIN : rounds < most ? rounds : most;
}

// From shares of the box to the units of the data.
static struct point unit_of(const struct grid *grid, struct point at)
{
    return (struct point){grid->x_low + at.x * grid->x_range, grid->y_low + at.y * grid->y_range};
}

// Labels at places given as shares of the box.
static tlu_status grid_label(const struct grid *grid, const struct point *at, size_t count,
                             uint32_t *labels, tlu_error *error)
{
    struct point *places = memory_new(count + 1, sizeof *places);
    TRY(enough_memory(places, error));
    for (size_t i = 0; i < count; i++)
        places[i] = unit_of(grid, at[i]);
    tlu_status status = grid->field->label(grid->field->context, places, count, labels, error);
    memory_free(places);
    return status;
}

// A new corner; GRID_NONE: out of memory.
static size_t grid_corner(struct grid *grid, struct point at)
{
    if (!memory_reserve(&grid->corners, &grid->corner_capacity, grid->corner_count + 1,
                        sizeof *grid->corners)) {
        grid->failed = true;
        return GRID_NONE;
    }
    grid->corners[grid->corner_count] = at;
    return grid->corner_count++;
}

// ---- blocks first

struct grid_blocks {
    size_t size;  // cells of one, across and up
    bool *known;  // [nodes]
    size_t *node; // [count] to be labelled
    size_t count;
    struct point *at;
    uint32_t *labels;
};

static tlu_status label_listed(struct grid *grid, struct grid_blocks *blocks, tlu_error *error)
{
    for (size_t i = 0; i < blocks->count; i++)
        blocks->at[i] = grid->corners[blocks->node[i]];
    TRY(grid_label(grid, blocks->at, blocks->count, blocks->labels, error));
    for (size_t i = 0; i < blocks->count; i++) {
        grid->labels[blocks->node[i]] = blocks->labels[i];
        blocks->known[blocks->node[i]] = true;
    }
    blocks->count = 0;
    return TLU_OK;
}

// The edge of the block at or before a node, moved back by blocks.
static size_t edge_near(size_t at, size_t blocks_before, size_t size)
{
    size_t edge = at / size * size;
    return edge > blocks_before * size ? edge - blocks_before * size : 0;
}

// Whether all known labels around a node, up to a block away from its own, are equal.
static bool is_uniform(const struct grid *grid, const struct grid_blocks *blocks, size_t column,
                       size_t row)
{
    size_t size = blocks->size, first_row = edge_near(row, 1, size);
    size_t first_column = edge_near(column, 1, size);
    uint32_t label = grid->labels[grid_node(grid, first_column, first_row)];
    for (size_t r = first_row; r <= row + 2 * size; r += size)
        for (size_t c = first_column; c <= column + 2 * size; c += size) {
            size_t inside_row = r < grid->up ? r : grid->up;
            size_t inside_column = c < grid->across ? c : grid->across;
            if (grid->labels[grid_node(grid, inside_column, inside_row)] != label)
                return false;
        }
    return true;
}

static bool is_edge(size_t at, size_t last, size_t size)
{
    return at % size == 0 || at == last;
}

static tlu_status label_in_blocks(struct grid *grid, struct grid_blocks *blocks, tlu_error *error)
{
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++)
            if (is_edge(row, grid->up, blocks->size) && is_edge(column, grid->across, blocks->size))
                blocks->node[blocks->count++] = grid_node(grid, column, row);
    TRY(label_listed(grid, blocks, error));
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++) {
            size_t node = grid_node(grid, column, row);
            if (blocks->known[node])
                continue;
            if (is_uniform(grid, blocks, column, row))
                grid->labels[node] = grid->labels[grid_node(
                    grid, edge_near(column, 0, blocks->size), edge_near(row, 0, blocks->size))];
            else
                blocks->node[blocks->count++] = node;
        }
    return label_listed(grid, blocks, error);
}

static tlu_status label_nodes(struct grid *grid, tlu_error *error)
{
    size_t nodes = (grid->across + 1) * (grid->up + 1);
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++)
            grid_corner(grid, (struct point){(double)column / (double)grid->across,
                                             (double)row / (double)grid->up});
    TRY(enough_memory(!grid->failed, error));
    if (grid->block < 2)
        return grid_label(grid, grid->corners, nodes, grid->labels, error);
    struct grid_blocks blocks = {.size = grid->block,
                                 .known = arena_new(&grid->memory, nodes, sizeof *blocks.known),
                                 .node = arena_new(&grid->memory, nodes, sizeof *blocks.node),
                                 .at = arena_new(&grid->memory, nodes, sizeof *blocks.at),
                                 .labels = arena_new(&grid->memory, nodes, sizeof *blocks.labels)};
    TRY(enough_memory(blocks.known && blocks.node && blocks.at && blocks.labels, error));
    return label_in_blocks(grid, &blocks, error);
}

// ---- where labels change

// A side of a cell whose ends differ.
struct border_search {
    size_t from, to;  // nodes
    double low, high; // the label of `from` ends between these shares of the way
    size_t *corner;   // receives the result
};

struct border_searches {
    struct border_search *search;
    size_t count, capacity;
    struct point *at; // [count] half way, and the labels there
    uint32_t *labels;
};

static void search_between(struct grid *grid, struct border_searches *searches, size_t from,
                           size_t to, size_t *corner)
{
    *corner = GRID_NONE;
    if (grid->labels[from] == grid->labels[to])
        return;
    if (!memory_reserve(&searches->search, &searches->capacity, searches->count + 1,
                        sizeof *searches->search)) {
        grid->failed = true;
        return;
    }
    searches->search[searches->count++] = (struct border_search){from, to, 0, 1, corner};
}

static void collect_searches(struct grid *grid, struct border_searches *searches)
{
    for (size_t row = 0; row <= grid->up; row++)
        for (size_t column = 0; column <= grid->across; column++) {
            size_t here = grid_node(grid, column, row);
            if (column < grid->across)
                search_between(grid, searches, here, here + 1,
                               &grid->flat[row * grid->across + column]);
            if (row < grid->up)
                search_between(grid, searches, here, here + grid->across + 1, &grid->steep[here]);
        }
}

static struct point half_way(const struct grid *grid, const struct border_search *search)
{
    return point_between(grid->corners[search->from], grid->corners[search->to],
                         (search->low + search->high) / 2);
}

static tlu_status bisect(struct grid *grid, struct border_searches *searches, tlu_error *error)
{
    collect_searches(grid, searches);
    searches->at = arena_new(&grid->memory, searches->count + 1, sizeof *searches->at);
    searches->labels = arena_new(&grid->memory, searches->count + 1, sizeof *searches->labels);
    TRY(enough_memory(!grid->failed && searches->at && searches->labels, error));
    size_t rounds = searches->count ? bisection_rounds(searches->count, BISECTIONS) : 0;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < searches->count; i++)
            searches->at[i] = half_way(grid, &searches->search[i]);
        TRY(grid_label(grid, searches->at, searches->count, searches->labels, error));
        for (size_t i = 0; i < searches->count; i++) {
            struct border_search *search = &searches->search[i];
            bool before = searches->labels[i] == grid->labels[search->from];
            *(before ? &search->low : &search->high) = (search->low + search->high) / 2;
        }
    }
    for (size_t i = 0; i < searches->count; i++) {
        struct border_search *search = &searches->search[i];
        *search->corner = grid_corner(grid, half_way(grid, search));
    }
    return enough_memory(!grid->failed, error);
}

static tlu_status find_crossings(struct grid *grid, tlu_error *error)
{
    struct border_searches searches = {0};
    tlu_status status = bisect(grid, &searches, error);
    memory_free(searches.search);
    return status;
}

// ---- cells in which labels meet: cut from crossing to crossing or, if three or four labels meet,
// from each crossing to a place in between

#define PARTS 6      // a cell in which labels meet is divided into 6 x 6 parts,
#define ROUNDS 3     // this many times
#define MAX_MET 2000 // with more such cells the labels are noise: uses the middle

// Corners and sides are counted anticlockwise from the lower left; side i begins at corner i.
struct grid_cell {
    size_t column, row;
    size_t node[4];
    size_t crossing[4]; // GRID_NONE: the ends of the side agree
    uint32_t label[4];  // of the nodes
};

static struct grid_cell cell_at(const struct grid *grid, size_t column, size_t row)
{
    size_t low = grid_node(grid, column, row), high = grid_node(grid, column, row + 1);
    size_t flat = row * grid->across + column;
    struct grid_cell cell = {
        .column = column,
        .row = row,
        .node = {low, low + 1, high + 1, high},
        .crossing = {grid->flat[flat], grid->steep[low + 1], grid->flat[flat + grid->across],
                     grid->steep[low]},
    };
    for (size_t i = 0; i < 4; i++)
        cell.label[i] = grid->labels[cell.node[i]];
    return cell;
}

static size_t crossings_of(const struct grid_cell *cell)
{
    size_t count = 0;
    for (size_t i = 0; i < 4; i++)
        count += cell->crossing[i] != GRID_NONE;
    return count;
}

static void add_side(struct grid *grid, uint32_t label, size_t from, size_t to)
{
    if (!memory_reserve(&grid->sides, &grid->side_capacity, grid->side_count + 1,
                        sizeof *grid->sides))
        grid->failed = true;
    else
        grid->sides[grid->side_count++] = (struct grid_side){label, from, to};
}

// The next crossed side.
static size_t next_crossed(const struct grid_cell *cell, size_t side)
{
    assert(crossings_of(cell) > 0); // the loop ends
    do
        side = (side + 1) % 4;
    while (cell->crossing[side] == GRID_NONE);
    return side;
}

// The corners between a crossed side and the next have one label: cuts them off, through the corner
// `middle` unless it is GRID_NONE.
static void cut_off(struct grid *grid, const struct grid_cell *cell, size_t side, size_t middle)
{
    uint32_t label = cell->label[(side + 1) % 4];
    size_t from = cell->crossing[next_crossed(cell, side)], to = cell->crossing[side];
    if (middle == GRID_NONE) {
        add_side(grid, label, from, to);
        return;
    }
    add_side(grid, label, from, middle);
    add_side(grid, label, middle, to);
}

// The sides of a cell along the edge of the box.
static void add_edges(struct grid *grid, const struct grid_cell *cell)
{
    const bool edge[4] = {cell->row == 0, cell->column + 1 == grid->across,
                          cell->row + 1 == grid->up, cell->column == 0};
    for (size_t side = 0; side < 4; side++) {
        size_t from = cell->node[side], to = cell->node[(side + 1) % 4];
        size_t crossing = cell->crossing[side];
        if (!edge[side])
            continue;
        add_side(grid, cell->label[side], from, crossing == GRID_NONE ? to : crossing);
        if (crossing != GRID_NONE)
            add_side(grid, cell->label[(side + 1) % 4], crossing, to);
    }
}

// ---- cells with three or four crossings

struct meeting {
    struct grid_cell cell;
    struct point low; // the part of it in which the labels meet, in shares of the box
    double wide, high;
    uint32_t label; // in the middle of the cell
};

struct meetings {
    struct meeting *meeting;
    size_t count, capacity;
    struct point *at;
    uint32_t *labels;
};

static struct point part_node(const struct meeting *meeting, size_t column, size_t row)
{
    return (struct point){meeting->low.x + meeting->wide * (double)column / PARTS,
                          meeting->low.y + meeting->high * (double)row / PARTS};
}

static size_t different(const uint32_t *labels, size_t column, size_t row)
{
    const uint32_t *at = labels + row * (PARTS + 1) + column;
    const uint32_t four[4] = {at[0], at[1], at[PARTS + 1], at[PARTS + 2]};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known = known || four[i] == four[j];
        count += !known;
    }
    return count;
}

// Narrows it to the part with the most labels; of equal ones to the one nearest to the middle.
static void narrow(struct meeting *meeting, const uint32_t *labels)
{
    double best = -1;
    size_t best_column = 0, best_row = 0;
    for (size_t row = 0; row < PARTS; row++)
        for (size_t column = 0; column < PARTS; column++) {
            double off = hypot((double)column + 0.5 - PARTS / 2, (double)row + 0.5 - PARTS / 2);
            double worth = (double)different(labels, column, row) - off / (2 * PARTS);
            if (worth > best) {
                best = worth;
                best_column = column;
                best_row = row;
            }
        }
    meeting->low = part_node(meeting, best_column, best_row);
    meeting->wide /= PARTS;
    meeting->high /= PARTS;
}

static tlu_status narrow_all(const struct grid *grid, struct meetings *meetings, tlu_error *error)
{
    const size_t nodes = (size_t)(PARTS + 1) * (PARTS + 1);
    for (size_t i = 0; i < meetings->count; i++)
        for (size_t node = 0; node < nodes; node++)
            meetings->at[i * nodes + node] =
                part_node(&meetings->meeting[i], node % (PARTS + 1), node / (PARTS + 1));
    TRY(grid_label(grid, meetings->at, meetings->count * nodes, meetings->labels, error));
    for (size_t i = 0; i < meetings->count; i++) {
        struct meeting *meeting = &meetings->meeting[i];
        if (meeting->wide * (double)grid->across > 0.99) // the first time
            meeting->label = meetings->labels[i * nodes + nodes / 2];
        narrow(meeting, meetings->labels + i * nodes);
    }
    return TLU_OK;
}

// Opposite corners are joined if the middle has their label: the other two are cut off. Returns the
// first of the joined corners, 0 or 1; 2: none.
static size_t joined(const struct meeting *meeting)
{
    const uint32_t *label = meeting->cell.label;
    for (size_t i = 0; i < 2; i++)
        if (crossings_of(&meeting->cell) == 4 && label[i] == label[i + 2] &&
            meeting->label == label[i])
            return i;
    return 2;
}

static void cut_joined(struct grid *grid, const struct grid_cell *cell, size_t first)
{
    for (size_t i = 0; i < 2; i++) {
        size_t side = (first + 2 * i) % 4; // begins at a joined corner
        size_t next = next_crossed(cell, side);
        cut_off(grid, cell, side, GRID_NONE);
        add_side(grid, cell->label[first], cell->crossing[side], cell->crossing[next]);
    }
}

static void cut_meeting(struct grid *grid, const struct meeting *meeting)
{
    const struct grid_cell *cell = &meeting->cell;
    size_t first = joined(meeting);
    if (first < 2) {
        cut_joined(grid, cell, first);
        return;
    }
    size_t middle = grid_corner(grid, (struct point){meeting->low.x + meeting->wide / 2,
                                                     meeting->low.y + meeting->high / 2});
    for (size_t side = 0; side < 4; side++)
        if (cell->crossing[side] != GRID_NONE)
            cut_off(grid, cell, side, middle);
}

static tlu_status cut_meetings(struct grid *grid, struct meetings *meetings, tlu_error *error)
{
    const size_t nodes = (size_t)(PARTS + 1) * (PARTS + 1);
    if (!meetings->count)
        return TLU_OK;
    meetings->at = arena_new(&grid->memory, meetings->count * nodes, sizeof *meetings->at);
    meetings->labels = arena_new(&grid->memory, meetings->count * nodes, sizeof *meetings->labels);
    TRY(enough_memory(meetings->at && meetings->labels, error));
    for (int round = 0; round < ROUNDS && meetings->count <= MAX_MET; round++)
        TRY(narrow_all(grid, meetings, error));
    for (size_t i = 0; i < meetings->count; i++)
        cut_meeting(grid, &meetings->meeting[i]);
    return TLU_OK;
}

static void add_meeting(struct grid *grid, struct meetings *meetings, const struct grid_cell *cell)
{
    if (!memory_reserve(&meetings->meeting, &meetings->capacity, meetings->count + 1,
                        sizeof *meetings->meeting)) {
        grid->failed = true;
        return;
    }
    meetings->meeting[meetings->count++] = (struct meeting){
        .cell = *cell,
        .low = grid->corners[cell->node[0]],
        .wide = 1 / (double)grid->across,
        .high = 1 / (double)grid->up,
        .label = cell->label[0],
    };
}

static void cut_cell(struct grid *grid, struct meetings *meetings, const struct grid_cell *cell)
{
    size_t crossings = crossings_of(cell);
    add_edges(grid, cell);
    if (crossings > 2)
        add_meeting(grid, meetings, cell);
    for (size_t side = 0; side < 4 && crossings <= 2; side++)
        if (cell->crossing[side] != GRID_NONE)
            cut_off(grid, cell, side, GRID_NONE);
}

// Cuts the cells along the borders: fills the sides.
static tlu_status grid_cut(struct grid *grid, tlu_error *error)
{
    struct meetings meetings = {0};
    for (size_t row = 0; row < grid->up; row++)
        for (size_t column = 0; column < grid->across; column++) {
            struct grid_cell cell = cell_at(grid, column, row);
            cut_cell(grid, &meetings, &cell);
        }
    tlu_status status = cut_meetings(grid, &meetings, error);
    memory_free(meetings.meeting);
    TRY(status);
    return enough_memory(!grid->failed, error);
}

// Computes everything from field, box and cells.
static tlu_status grid_make(struct grid *grid, tlu_error *error)
{
    size_t nodes = (grid->across + 1) * (grid->up + 1);
    grid->labels = arena_new(&grid->memory, nodes, sizeof *grid->labels);
    grid->flat = arena_new(&grid->memory, (grid->up + 1) * grid->across, sizeof *grid->flat);
    grid->steep = arena_new(&grid->memory, nodes, sizeof *grid->steep);
    TRY(enough_memory(grid->labels && grid->flat && grid->steep, error));
    TRY(label_nodes(grid, error));
    TRY(find_crossings(grid, error));
    return grid_cut(grid, error);
}

// ---- the sides that a grid has found, as closed outlines: two neighbours of one label share no
// side, so the sides are the border of the region of their label

#define STRAIGHT                                                                                   \
    1e-7 // of the box: corners this near to the line between their neighbours are left out

static int by_label_and_start(const void *a, const void *b)
{
    const struct grid_side *one = a, *two = b;
    if (one->label != two->label)
        return one->label < two->label ? -1 : 1;
    if (one->from != two->from)
        return one->from < two->from ? -1 : 1;
    return one->to < two->to ? -1 : one->to > two->to;
}

// The sides of one label, ordered by their start.
struct loops {
    struct grid *grid;
    const struct grid_side *sides;
    size_t count;
    bool *used; // [count]
    struct region *region;
    struct point *outline; // [count] the current one
    struct point end;      // end of its last side
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

// An unused side that starts there; GRID_NONE: the outline is closed.
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
        assert(side < loops->count && !loops->used[side]);
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

// Removes points on the line between their neighbours. Returns the new count.
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
    loops->region->points[loops->region->point_count++] = unit_of(loops->grid, at);
}

static void keep_outline(struct loops *loops, size_t count)
{
    loops->region->area += area_of(loops->outline, count);
    count = straighten(loops->outline, count);
    for (size_t i = 0; i < count; i++)
        keep_point(loops, loops->outline[i]);
    loops->region->outlines[loops->region->outline_count++] = count;
}

// Traces the outlines of the sides, and passes the number of points of each to `keep`. False: out
// of memory.
static bool trace(struct loops *loops, void (*keep)(struct loops *loops, size_t count))
{
    struct region *region = loops->region;
    loops->used = arena_new(&loops->grid->memory, loops->count + 1, sizeof *loops->used);
    loops->outline = arena_new(&loops->grid->memory, loops->count + 1, sizeof *loops->outline);
    region->points = memory_new(2 * loops->count + 1, sizeof *region->points);
    region->outlines = memory_new(loops->count + 1, sizeof *region->outlines);
    if (!loops->used || !loops->outline || !region->points || !region->outlines)
        return false;
    for (size_t i = 0; i < loops->count; i++)
        if (!loops->used[i])
            keep(loops, follow(loops, i));
    return true;
}

static bool collect_regions(struct grid *grid, struct regions *regions)
{
    size_t capacity = 0;
    for (size_t i = 0, end; i < grid->side_count; i = end) {
        uint32_t label = grid->sides[i].label;
        for (end = i; end < grid->side_count && grid->sides[end].label == label;)
            end++;
        if (!memory_reserve(&regions->regions, &capacity, regions->count + 1,
                            sizeof *regions->regions))
            return false;
        assert(!regions->count || regions->regions[regions->count - 1].label < label);
        struct region *region = &regions->regions[regions->count++];
        *region = (struct region){.label = label};
        struct loops loops = {
            .grid = grid, .sides = grid->sides + i, .count = end - i, .region = region};
        if (!trace(&loops, keep_outline))
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

// Puts the two sides of a cut next to each other.
static int by_corners(const void *a, const void *b)
{
    const struct grid_side *one = a, *two = b;
    if (least_corner(one) != least_corner(two))
        return least_corner(one) < least_corner(two) ? -1 : 1;
    size_t other = one->from + one->to - least_corner(one);
    size_t another = two->from + two->to - least_corner(two);
    if (other != another)
        return other < another ? -1 : 1;
    return one->label < two->label ? -1 : one->label > two->label;
}

// Keeps one side of each cut between two classes. Returns their number.
static size_t pick_cuts(struct grid_side *sides, size_t count)
{
    size_t kept = 0;
    qsort(sides, count, sizeof *sides, by_corners);
    for (size_t i = 0; i + 1 < count; i++)
        if (sides[i].from == sides[i + 1].to && sides[i].to == sides[i + 1].from &&
            class_of(&sides[i]) != class_of(&sides[i + 1]))
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

// Destroys the sides of the grid.
static bool find_borders(struct grid *grid, struct regions *regions)
{
    struct loops loops = {.grid = grid,
                          .sides = grid->sides,
                          .count = pick_cuts(grid->sides, grid->side_count),
                          .region = &regions->borders};
    return trace(&loops, keep_border);
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
    assert(across > 0 && up > 0);
    *regions = memory_new(1, sizeof **regions);
    tlu_status status = *regions ? grid_make(&grid, error) : error_memory(error);
    if (status == TLU_OK) {
        qsort(grid.sides, grid.side_count, sizeof *grid.sides, by_label_and_start);
        status =
            enough_memory(collect_regions(&grid, *regions) && find_borders(&grid, *regions), error);
    }
    memory_free(grid.corners);
    memory_free(grid.sides);
    arena_free(&grid.memory);
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

struct style region_style(const struct theme *theme, uint32_t label)
{
    colour ground = theme_region(theme, label & ~REGION_AMBIGUOUS);
    if (label & REGION_AMBIGUOUS)
        return (struct style){.fill = ground, .line = theme->faint, .width = 0.7, .hatched = true};
    // The line hides the antialiasing seam between neighbours.
    return (struct style){.fill = ground, .line = ground, .width = 0.7};
}

static void draw_region(struct chart *chart, const struct region *region, const struct style *style)
{
    path_begin(chart->page, style);
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
                        struct style (*style)(const struct theme *theme, uint32_t label))
{
    const struct theme *theme = chart->page->picture->theme;
    page_clip(chart->page, &chart->area);
    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->regions[i];
        struct style one = (style ? style : region_style)(theme, region->label);
        one.closed = true;
        draw_region(chart, region, &one);
    }
}

void plane_draw_borders(struct chart *chart, const struct regions *regions,
                        const struct style *line)
{
    struct style open = *line;
    open.closed = false;
    page_clip(chart->page, &chart->area);
    if (regions->borders.point_count)
        draw_region(chart, &regions->borders, &open);
}
