// The rows of a picture as points of its plane, thinned out, and their counts.
#ifndef TLU_PLOT_PLANE_POINTS_H
#define TLU_PLOT_PLANE_POINTS_H

#include "plot/picture.h"
#include "plot/plane/view.h"

// ---- thinning
//
// Keeps a few thousand points, evenly over the plane: at most one of each kind per cell of a grid
// that becomes coarser as points are added, so that rare kinds and outliers stay.

struct thin_point {
    struct point at;
    uint32_t kind;   // points of one kind represent each other; compared modulo THIN_KINDS
    uint32_t guess;  // predicted class
    uint64_t number; // of the row in the data
};

struct thin {
    struct thin_point *points; // [count] kept
    size_t count, capacity;
    double share;       // size of a cell as a share of the range
    struct point range; // when the grid was made
    struct point cell;  // the size of one
    uint32_t *slots; // [THIN_SLOTS] hash table: index of a point + 1, 0: free; NULL: all are kept
    struct point low, high; // of all points
    uint64_t seen;
};

#define THIN_MAX 6000
#define THIN_SLOTS 16384
#define THIN_KINDS 1000

// `thin` is all zero at first; the caller calls thin_free. False: out of memory.
bool thin_add(struct thin *thin, const struct thin_point *point);
void thin_free(struct thin *thin);

// ---- rows

// The kind of a point (struct thin_point): its class and its rings.
enum { POINT_WRONG = 1, POINT_SUPPORT = 2, POINT_CLASS = 4 };

#define NEAREST_MAX 64

struct row_points {
    struct thin thin;
    size_t classes;
    uint64_t *of_class;             // [classes + 1] number of rows; the last: unknown labels
    uint64_t rows, labelled, right; // right: of the labelled
    uint64_t supports;              // support rows
    const uint64_t *support_lines;  // [support_count] lines of the file, ascending
    size_t support_count;
    // Two classes with a line: the rows nearest to it, by the value of its function.
    const double *line; // [3] see field_line; NULL: none, or not exact
    struct near {
        double away;
        struct point at;
    } nearest[NEAREST_MAX]; // ascending
    size_t nearest_count;
};

// Reads all rows. The caller calls points_free, also after an error.
tlu_status points_read(struct row_points *points, struct row_reader *rows,
                       const struct plane_view *view, tlu_error *error);
void points_free(struct row_points *points);

#endif
