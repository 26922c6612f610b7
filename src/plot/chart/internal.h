// What the files of a chart share.
#ifndef TLU_PLOT_CHART_INTERNAL_H
#define TLU_PLOT_CHART_INTERNAL_H

#include "plot/chart/chart.h"

#define GAP 8

static inline bool chart_is_text(const struct chart *chart)
{
    return picture_is_text(chart->page->picture);
}

struct letters chart_letters(const struct chart *chart, enum align across, enum align along);
double chart_line_height(const struct chart *chart);

// Letters have sizes of whole or half points: fitted to pixels, others may lose the gap below the
// dot of an i.
double words_half(double size);
double words_size(const struct page *page, bool small); // of letters: less in small pictures
// As page_text; on a terminal it is moved to whole cells.
void words_put(struct page *page, double x, double y, const char *text,
               const struct letters *letters);

// As chart_frame; small: of one of several charts.
void frame_draw(struct page *page, const char *title, const char *caption, bool small,
                struct box *box);

// Finds the rest of chart->layout, and chart->area, given its room; the ranges are widened if it is
// square.
void layout_find(struct chart *chart);

// Finds where the legend is, and takes that from the room.
void legend_plan(struct chart *chart);
void legend_draw(struct chart *chart);

void axes_grid(struct chart *chart);
void axes_draw(struct chart *chart);

#endif
