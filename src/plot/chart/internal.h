// What the files of a chart share.
#ifndef TLU_PLOT_CHART_INTERNAL_H
#define TLU_PLOT_CHART_INTERNAL_H

#include "plot/chart/chart.h"

#define GAP 8

static inline bool chart_is_text(const struct chart *chart)
{
    return picture_is_text(chart->page->picture);
}

struct text_style chart_font(const struct chart *chart, enum align across, enum align along);
double chart_line_height(const struct chart *chart);

// Rounds a font size to half points: fitted to pixels, other sizes may lose the gap below the dot
// of an i.
double half_points(double size);
double page_text_size(const struct page *page, bool small); // font size
// Like page_text; on a terminal moved to whole cells.
void page_put_text(struct page *page, double x, double y, const char *text,
                   const struct text_style *font);

// Computes chart->area and the rest of chart->layout from its space; widens a range if it is
// square.
void layout_find(struct chart *chart);

// Places the legend and subtracts it from the space.
void legend_plan(struct chart *chart);
void legend_draw(struct chart *chart);

void axes_grid(struct chart *chart);
void axes_draw(struct chart *chart);

#endif
