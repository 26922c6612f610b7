// Half-planes and lines, drawn exactly, and the regions of any function of labels, found by a grid.
#ifndef TLU_PLOT_PLANE_PLANE_H
#define TLU_PLOT_PLANE_PLANE_H

#include "plot/chart/chart.h"

// ---- linear functions w0 + w1 x + w2 y, in the units of the chart

struct linear {
    double w0, w1, w2;
};

static inline double linear_at(const struct linear *f, struct point at)
{
    return f->w0 + f->w1 * at.x + f->w2 * at.y;
}

static inline struct linear linear_negative(const struct linear *f)
{
    return (struct linear){-f->w0, -f->w1, -f->w2};
}

// The number of corners of a rectangle at which the function is >= 0.
size_t linear_corners(const struct linear *f, struct point low, struct point high);

// Fills the part of the chart where the function is >= 0.
void plane_half(struct chart *chart, const struct linear *f, const struct style *fill);
void plane_line(struct chart *chart, const struct linear *f, const struct style *line);
// The same with a rim in the colour of its fill, visible on dense points; not on terminals.
void plane_line_above(struct chart *chart, const struct linear *f, const struct style *line);
// The normal vector at the middle of the line, perpendicular on the page, labelled w; with a rim
// too. Nothing if the line is outside the area.
void plane_normal(struct chart *chart, const struct linear *f, const struct style *line);
// Where the line enters and leaves the area; false: it is outside.
bool plane_ends(const struct chart *chart, const struct linear *f, struct point ends[2]);

// ---- any function of labels

// Flag of an ambiguous prediction: see tlu_model_predict_batch.
#define REGION_AMBIGUOUS 0x80000000u

// Fills labels[count] of places of the plane.
struct region_field {
    tlu_status (*label)(void *context, const struct point *at, size_t count, uint32_t *labels,
                        tlu_error *error);
    void *context;
};

// The region of a label: closed outlines, including holes, filled by the even-odd rule.
struct region {
    uint32_t label;
    double area;          // share of the box
    struct point *points; // [point_count], outline after outline, in the units of the data
    size_t point_count;
    size_t *outlines; // [outline_count] the number of points of each
    size_t outline_count;
};

struct regions {
    struct region *regions; // [count] by ascending labels
    size_t count;
    struct region borders; // lines between classes inside the box, possibly open
};

// Evaluates labels at the nodes of a grid of across times up cells, and finds the border between
// different neighbours to 1/2^20 of their distance. Regions smaller than a cell may be missed. The
// regions are a tiling: neighbours share their corners.
tlu_status plane_regions(const struct region_field *field, double x_low, double x_high,
                         double y_low, double y_high, size_t across, size_t up,
                         struct regions **regions, tlu_error *error);
// The same for slow functions: evaluates the corners of blocks of cells first, and their cells only
// if labels around differ. Regions smaller than a block may be missed.
tlu_status plane_regions_in_blocks(const struct region_field *field, double x_low, double x_high,
                                   double y_low, double y_high, size_t across, size_t up,
                                   size_t block, struct regions **regions, tlu_error *error);
void plane_regions_free(struct regions *regions); // may be NULL
// The number of bisections for this many borders: at most `most`, fewer if there are many borders.
size_t bisection_rounds(size_t searches, size_t most);

// The background of a class, hatched if it is ambiguous.
struct style region_style(const struct theme *theme, uint32_t label);
// `style` NULL: region_style. A line in a style is the outline of the region.
void plane_draw_regions(struct chart *chart, const struct regions *regions,
                        struct style (*style)(const struct theme *theme, uint32_t label));
// Lines between regions of different classes.
void plane_draw_borders(struct chart *chart, const struct regions *regions,
                        const struct style *line);

#endif
