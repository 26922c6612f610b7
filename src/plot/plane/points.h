// The rows of a picture as points of its plane, thinned out, and what is counted on the way.
#ifndef TLU_PLOT_PLANE_POINTS_H
#define TLU_PLOT_PLANE_POINTS_H

#include "plot/plane/thin.h"
#include "plot/plane/view.h"

// The kind of a point (struct thin_point): its colour and what is around it.
enum { POINT_WRONG = 1, POINT_SUPPORT = 2, POINT_CLASS = 4 };
static inline uint32_t point_class(const struct thin_point *point)
{
    return point->kind / POINT_CLASS;
}

#define NEAREST_MAX 64

struct points {
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
tlu_status points_read(struct points *points, struct intake *intake, const struct view *view,
                       tlu_error *error);
void points_free(struct points *points);

#endif
