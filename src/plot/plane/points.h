// The rows of a picture as points of its plane, thinned out, and what is counted on the way.
#ifndef TLU_PLOT_PLANE_POINTS_H
#define TLU_PLOT_PLANE_POINTS_H

#include "plot/picture.h"
#include "plot/plane/view.h"

// ---- thinning
//
// Some thousand points of any number, evenly over the plane: at most one of each kind in a cell of
// a grid that gets coarser as points come, so that rare kinds and outliers stay.

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

// ---- rows

// The kind of a point (struct thin_point): its colour and what is around it.
enum { POINT_WRONG = 1, POINT_SUPPORT = 2, POINT_CLASS = 4 };
static inline uint32_t point_class(const struct thin_point *point)
{
    return point->kind / POINT_CLASS;
}

#define NEAREST_MAX 64

struct row_points {
    struct thin thin;
    size_t classes;
    uint64_t *of_class;             // [classes + 1] rows; the last: labels that are not known
    uint64_t rows, labelled, right; // right: of the labelled
    uint64_t supports;              // rows that are
    const uint64_t *support_lines;  // [support_count] ascending; of the data
    size_t support_count;
    // Two classes with a line: the rows that are nearest to it, by what is 0 there.
    const double *line; // [3] see field_line; NULL: there is none that is exact
    struct near {
        double away;
        struct point at;
    } nearest[NEAREST_MAX]; // ascending
    size_t nearest_count;
};

// Reads all rows. points_free is due in any case.
tlu_status points_read(struct row_points *points, struct row_reader *rows,
                       const struct plane_view *view, tlu_error *error);
void points_free(struct row_points *points);

#endif
