// What a plane is cut into: half-planes and lines exactly, the regions of any function of labels by
// a grid.
#ifndef TLU_PLOT_PLANE_PLANE_H
#define TLU_PLOT_PLANE_PLANE_H

#include "plot/chart/chart.h"

// ---- linear: what is 0 at w0 + w1 x + w2 y, in the units of the chart

// The part of the chart that is not below 0; where the weights of x and y are 0, all of it or none.
void plane_half(struct chart *chart, double w0, double w1, double w2, const struct style *fill);
void plane_line(struct chart *chart, double w0, double w1, double w2, const struct style *line);
// The same with a rim in the colour of its fill, so that it is seen on points; letters have none.
void plane_line_above(struct chart *chart, double w0, double w1, double w2,
                      const struct style *line);
// The normal vector, from the middle of the line on, at right angles to it on the page, with a w at
// its head; likewise with a rim. Nothing if the line is outside of the area.
void plane_normal(struct chart *chart, double w0, double w1, double w2, const struct style *line);
// Where the line enters and leaves the area; false: it does not.
bool plane_ends(const struct chart *chart, double w0, double w1, double w2, struct point ends[2]);

// ---- any function

// Added to a class that is chosen, but not clearly: see tlu_model_predict_batch.
#define REGION_AMBIGUOUS 0x80000000u

// Fills labels[count] of places of the plane.
struct region_field {
    tlu_status (*label)(void *context, const struct point *at, size_t count, uint32_t *labels,
                        tlu_error *error);
    void *context;
};

// Where a label is: closed outlines, holes among them, to be filled by the even-odd rule.
struct region {
    uint32_t label;
    double area;          // as a share of the box
    struct point *points; // [point_count], outline after outline, in the units of the data
    size_t point_count;
    size_t *outlines; // [outline_count] the number of points of each
    size_t outline_count;
};

struct regions {
    struct region *regions; // [count] by ascending labels
    size_t count;
    struct region borders; // lines between classes, inside of the box; they may have ends
};

// The labels at the nodes of a grid of across times up cells; where two next to each other differ,
// the border is found to 1/2^20 of their distance. What is smaller than a cell may be missed. The
// regions are a tiling: neighbours share their corners.
tlu_status plane_regions(const struct region_field *field, double x_low, double x_high,
                         double y_low, double y_high, size_t across, size_t up,
                         struct regions **regions, tlu_error *error);
// The same for labels that cost much: blocks of so many cells across and up are looked at first,
// and their cells only if labels differ around. What is smaller than a block may be missed.
tlu_status plane_regions_in_blocks(const struct region_field *field, double x_low, double x_high,
                                   double y_low, double y_high, size_t across, size_t up,
                                   size_t block, struct regions **regions, tlu_error *error);
void plane_regions_free(struct regions *regions); // may be NULL

// The ground of a class; hatched where it is ambiguous.
struct style region_style(const struct theme *theme, uint32_t label);
// `look` NULL: plane_look. A line in it is the region's outline.
void plane_draw_regions(struct chart *chart, const struct regions *regions,
                        struct style (*style)(const struct theme *theme, uint32_t label));
// Lines between regions of different classes.
void plane_draw_borders(struct chart *chart, const struct regions *regions,
                        const struct style *line);

#endif
