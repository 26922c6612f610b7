// Cells of a grid in which labels meet: cut from crossing to crossing, or, where three or four
// labels meet, from each crossing to a place in between.
#include "base/memory.h"
#include "plot/plane/grid.h"

#include <math.h>

#define PARTS 6      // a cell in which labels meet is looked at by 6 x 6 smaller ones,
#define ROUNDS 3     // so often
#define MAX_MET 2000 // with more such cells the labels are noise: the middle will do

// Corners and sides are counted from the lower left, to the left around; side i begins at corner i.
struct cell {
    size_t column, row;
    size_t node[4];
    size_t crossing[4]; // GRID_NONE: the ends of the side agree
    uint32_t label[4];  // of the nodes
};

static struct cell cell_at(const struct grid *grid, size_t column, size_t row)
{
    size_t low = grid_node(grid, column, row), high = grid_node(grid, column, row + 1);
    size_t flat = row * grid->across + column;
    struct cell cell = {
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

static size_t crossings_of(const struct cell *cell)
{
    size_t count = 0;
    for (size_t i = 0; i < 4; i++)
        count += cell->crossing[i] != GRID_NONE;
    return count;
}

static bool add_side(struct grid *grid, uint32_t label, size_t from, size_t to)
{
    if (!memory_reserve(&grid->sides, &grid->side_capacity, grid->side_count + 1,
                        sizeof *grid->sides))
        return false;
    grid->sides[grid->side_count++] = (struct grid_side){label, from, to};
    return true;
}

// The side after `side` that is crossed.
static size_t next_crossed(const struct cell *cell, size_t side)
{
    do
        side = (side + 1) % 4;
    while (cell->crossing[side] == GRID_NONE);
    return side;
}

// The corners between a crossed side and the next are of one label: cuts them off, by way of a
// corner in the middle unless it is GRID_NONE.
static bool cut_off(struct grid *grid, const struct cell *cell, size_t side, size_t middle)
{
    uint32_t label = cell->label[(side + 1) % 4];
    size_t from = cell->crossing[next_crossed(cell, side)], to = cell->crossing[side];
    if (middle == GRID_NONE)
        return add_side(grid, label, from, to);
    return add_side(grid, label, from, middle) && add_side(grid, label, middle, to);
}

// What is along the edge of the box: the cell's own side, from node to node.
static bool add_edge(struct grid *grid, const struct cell *cell, size_t side)
{
    size_t from = cell->node[side], to = cell->node[(side + 1) % 4];
    size_t crossing = cell->crossing[side];
    if (crossing == GRID_NONE)
        return add_side(grid, cell->label[side], from, to);
    return add_side(grid, cell->label[side], from, crossing) &&
           add_side(grid, cell->label[(side + 1) % 4], crossing, to);
}

static bool add_edges(struct grid *grid, const struct cell *cell)
{
    return (cell->row > 0 || add_edge(grid, cell, 0)) &&
           (cell->column + 1 < grid->across || add_edge(grid, cell, 1)) &&
           (cell->row + 1 < grid->up || add_edge(grid, cell, 2)) &&
           (cell->column > 0 || add_edge(grid, cell, 3));
}

// ---- cells with three or four crossings

struct meeting {
    struct cell cell;
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

// Narrows it down to the part with the most labels, of those alike the one nearest to the middle.
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

// Two corners across from each other are joined if the middle is of their label: the other two are
// cut off. 0 and 1: by the first of the joined corners; 2: none are.
static size_t joined(const struct meeting *meeting)
{
    const uint32_t *label = meeting->cell.label;
    for (size_t i = 0; i < 2; i++)
        if (crossings_of(&meeting->cell) == 4 && label[i] == label[i + 2] &&
            meeting->label == label[i])
            return i;
    return 2;
}

static bool cut_joined(struct grid *grid, const struct cell *cell, size_t first)
{
    for (size_t i = 0; i < 2; i++) {
        size_t side = (first + 2 * i) % 4; // begins at a joined corner
        size_t next = next_crossed(cell, side);
        if (!cut_off(grid, cell, side, GRID_NONE) ||
            !add_side(grid, cell->label[first], cell->crossing[side], cell->crossing[next]))
            return false;
    }
    return true;
}

static bool cut_meeting(struct grid *grid, const struct meeting *meeting)
{
    const struct cell *cell = &meeting->cell;
    size_t first = joined(meeting);
    if (first < 2)
        return cut_joined(grid, cell, first);
    size_t middle = grid_corner(grid, (struct point){meeting->low.x + meeting->wide / 2,
                                                     meeting->low.y + meeting->high / 2});
    for (size_t side = 0; side < 4; side++)
        if (middle == GRID_NONE ||
            (cell->crossing[side] != GRID_NONE && !cut_off(grid, cell, side, middle)))
            return false;
    return true;
}

static tlu_status cut_meetings(struct grid *grid, struct meetings *meetings, tlu_error *error)
{
    const size_t nodes = (size_t)(PARTS + 1) * (PARTS + 1);
    if (!meetings->count)
        return TLU_OK;
    meetings->at = memory_new(meetings->count * nodes, sizeof *meetings->at);
    meetings->labels = memory_new(meetings->count * nodes, sizeof *meetings->labels);
    TRY(enough_memory(meetings->at && meetings->labels, error));
    for (int round = 0; round < ROUNDS && meetings->count <= MAX_MET; round++)
        TRY(narrow_all(grid, meetings, error));
    for (size_t i = 0; i < meetings->count; i++)
        TRY(enough_memory(cut_meeting(grid, &meetings->meeting[i]), error));
    return TLU_OK;
}

static bool add_meeting(const struct grid *grid, struct meetings *meetings, const struct cell *cell)
{
    if (!memory_reserve(&meetings->meeting, &meetings->capacity, meetings->count + 1,
                        sizeof *meetings->meeting))
        return false;
    meetings->meeting[meetings->count++] = (struct meeting){
        .cell = *cell,
        .low = grid->corners[cell->node[0]],
        .wide = 1 / (double)grid->across,
        .high = 1 / (double)grid->up,
        .label = cell->label[0],
    };
    return true;
}

static bool cut_cell(struct grid *grid, struct meetings *meetings, const struct cell *cell)
{
    size_t crossings = crossings_of(cell);
    if (!add_edges(grid, cell))
        return false;
    if (crossings == 0)
        return true;
    if (crossings > 2)
        return add_meeting(grid, meetings, cell);
    size_t first = next_crossed(cell, 3), second = next_crossed(cell, first);
    return cut_off(grid, cell, first, GRID_NONE) && cut_off(grid, cell, second, GRID_NONE);
}

tlu_status grid_cut(struct grid *grid, tlu_error *error)
{
    struct meetings meetings = {0};
    bool fine = true;
    for (size_t row = 0; row < grid->up; row++)
        for (size_t column = 0; column < grid->across; column++) {
            struct cell cell = cell_at(grid, column, row);
            fine = fine && cut_cell(grid, &meetings, &cell);
        }
    tlu_status status = fine ? cut_meetings(grid, &meetings, error) : error_memory(error);
    memory_free(meetings.meeting);
    memory_free(meetings.at);
    memory_free(meetings.labels);
    return status;
}
