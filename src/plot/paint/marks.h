// The marks of a page by cairo.
#ifndef TLU_PLOT_PAINT_MARKS_H
#define TLU_PLOT_PAINT_MARKS_H

#include "plot/paint/cairo.h"
#include "plot/picture.h"

#ifdef TLU_HAVE_CAIRO

// Where a page is painted.
struct brush {
    const struct cairo *cairo;
    cairo_t *to;
    const struct page *page;
    double scale; // pixels per point
    bool vectors; // it becomes shapes that readers can enlarge, not pixels
};

// Ends with the first error.
cairo_status_t marks_paint(const struct brush *brush);

void brush_colour(const struct brush *brush, colour of);
void brush_pen(const struct brush *brush, const struct look *look);

void dots_paint(const struct brush *brush, const struct mark *mark);
#endif

#endif
