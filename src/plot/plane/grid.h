// A grid over a box of the plane, in which borders between labels are found: corners of outlines
// have numbers, so that outlines meet exactly.
#ifndef TLU_PLOT_PLANE_GRID_H
#define TLU_PLOT_PLANE_GRID_H

#include "plot/plane/plane.h"

#define GRID_NONE SIZE_MAX

// A piece of an outline, with its region at the left.
struct grid_side {
    uint32_t label;
    size_t from, to; // corners
};

struct grid {
    const struct region_field *field;
    double x_low, x_range, y_low, y_range;
    size_t across, up; // cells
    size_t block;      // see plane_regions_in_blocks; 0: each cell is looked at
    uint32_t *labels;  // [up + 1][across + 1]
    // The corner that is on the side of a cell, or GRID_NONE.
    size_t *flat;          // [up + 1][across]
    size_t *steep;         // [up][across + 1]
    struct point *corners; // in shares of the box; nodes first, in the order of labels
    size_t corner_count, corner_capacity;
    struct grid_side *sides;
    size_t side_count, side_capacity;
};

// Fills all of the rest from field, box and cells; grid_free is due in any case.
tlu_status grid_make(struct grid *grid, tlu_error *error);
void grid_free(struct grid *grid);

static inline size_t grid_node(const struct grid *grid, size_t column, size_t row)
{
    return row * (grid->across + 1) + column;
}

// labels[count] at places that are shares of the box.
tlu_status grid_label(const struct grid *grid, const struct point *at, size_t count,
                      uint32_t *labels, tlu_error *error);
// A new corner, or GRID_NONE: out of memory.
size_t grid_corner(struct grid *grid, struct point at);
// Cuts the cells along the borders: fills the sides (table.c).
tlu_status grid_cut(struct grid *grid, tlu_error *error);

#endif
