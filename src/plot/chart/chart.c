#include "plot/chart/chart.h"
#include "plot/chart/internal.h"

#include <math.h>

#define LARGEST 4e307 // so that a range has a length

struct letters chart_letters(const struct chart *chart, enum align across, enum align along)
{
    return (struct letters){.size = chart->text,
                            .across = across,
                            .along = along,
                            .colour = chart->page->picture->theme->ink};
}

double chart_line_height(const struct chart *chart)
{
    const struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_START);
    return page_text_height(chart->page, &letters);
}

// Of logarithms: a hundredth of the highest if there is no lowest.
static void widen_logarithmic(struct axis *axis)
{
    if (!(axis->high > 0))
        axis->high = 10;
    if (!(axis->low > 0))
        axis->low = axis->high / 100;
    if (axis->high / axis->low < 1 + 1e-6) {
        axis->low /= 2;
        axis->high *= 2;
    }
}

static void widen(struct axis *axis)
{
    if (!isfinite(axis->low) || !isfinite(axis->high) || axis->low > axis->high) {
        axis->low = 0;
        axis->high = 1;
    }
    axis->low = fmax(axis->low, -LARGEST);
    axis->high = fmin(axis->high, LARGEST);
    if (axis->logarithmic) {
        widen_logarithmic(axis);
        return;
    }
    double least = fmax(fabs(axis->low), fabs(axis->high)) * 1e-9;
    if (axis->high - axis->low <= least) {
        double by = axis->low == 0 ? 1 : fabs(axis->low) / 2;
        axis->low -= by;
        axis->high += by;
    }
}

static double share_of(const struct axis *axis, double value)
{
    return axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                             : (value - axis->low) / (axis->high - axis->low);
}

struct point chart_place(const struct chart *chart, double x, double y)
{
    return (struct point){chart->area.left + share_of(&chart->x, x) * box_width(&chart->area),
                          chart->area.bottom - share_of(&chart->y, y) * box_height(&chart->area)};
}

void chart_begin(struct chart *chart)
{
    const struct theme *theme = chart->page->picture->theme;
    chart->text = words_size(chart->page, chart->small);
    chart->layout = (struct chart_layout){.room = chart->place};
    widen(&chart->x);
    widen(&chart->y);
    frame_draw(chart->page, chart->title, chart->caption, chart->small, &chart->layout.room);
    legend_plan(chart);
    layout_find(chart);
    page_box(chart->page, &chart->area, &(struct look){.fill = theme->panel, .line = COLOUR_NONE});
    axes_grid(chart);
}

void chart_end(struct chart *chart)
{
    page_clip(chart->page, NULL);
    axes_draw(chart);
    legend_draw(chart);
}
