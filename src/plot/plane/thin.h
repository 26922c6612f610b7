// Some thousand points of any number, evenly over the plane: at most one of each kind in a cell of
// a grid that gets coarser as points come, so that rare kinds and outliers stay.
#ifndef TLU_PLOT_PLANE_THIN_H
#define TLU_PLOT_PLANE_THIN_H

#include "plot/picture.h"

struct thin_point {
    struct point at;
    uint32_t kind;   // those alike stand for each other; more than THIN_KINDS are not told apart
    uint32_t guess;  // what the model says about the row
    uint64_t number; // of the row in the data
};

struct thin {
    struct thin_point *points; // [count] kept
    size_t count, capacity;
    double share;       // of the range that a cell has
    struct point range; // when cells were made last
    struct point cell;  // the size of one
    uint32_t *slots;    // [THIN_SLOTS] points by their cells, from 1, 0: free; NULL: all are kept
    struct point low, high; // of all points
    uint64_t seen;
};

#define THIN_MAX 6000
#define THIN_SLOTS 16384
#define THIN_KINDS 1000

// All zero at the start; thin_free at the end. False: out of memory.
bool thin_add(struct thin *thin, const struct thin_point *point);
void thin_free(struct thin *thin);

#endif
