#include "plot/chart/labels.h"

#include <math.h>

#define NEAR 4     // points between the place and the text
#define ASCENT 0.5 // of the font size, around the middle of the capitals
#define DESCENT 0.62

static bool overlap(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

// The box of a text whose middle is here; on a terminal whole cells.
static struct box box_of(const struct labels *labels, struct point middle, double width,
                         const struct text_style *font)
{
    if (picture_is_text(labels->chart->page->picture)) {
        double left = floor((middle.x - width / 2) / CELL_WIDTH) * CELL_WIDTH;
        double top = floor(middle.y / CELL_HEIGHT) * CELL_HEIGHT;
        return (struct box){left, top, left + width, top + CELL_HEIGHT};
    }
    return (struct box){middle.x - width / 2, middle.y - ASCENT * font->size, middle.x + width / 2,
                        middle.y + DESCENT * font->size};
}

static bool put(struct labels *labels, struct point middle, const char *text,
                const struct text_style *font)
{
    struct chart *chart = labels->chart;
    struct text_style centred = *font;
    double width = page_text_width(chart->page, text, font);
    const struct box box = box_of(labels, middle, width, font), *area = &chart->area;
    if (labels->count == LABELS_MAX || !(box.left >= area->left && box.right <= area->right) ||
        !(box.top >= area->top && box.bottom <= area->bottom))
        return false;
    for (size_t i = 0; i < labels->count; i++)
        if (overlap(&labels->taken[i], &box))
            return false;
    labels->taken[labels->count++] = box;
    centred.across = centred.along = ALIGN_MIDDLE;
    page_clip(chart->page, NULL);
    page_fit_text(chart->page, middle.x, middle.y, text, &centred, width + 1);
    return true;
}

void labels_put_at(struct labels *labels, struct point at, const char *text,
                   const struct text_style *font)
{
    put(labels, chart_place(labels->chart, at.x, at.y), text, font);
}

void labels_put(struct labels *labels, struct point at, struct point away, const char *text,
                const struct text_style *font)
{
    static const double turns[] = {0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4};
    const struct page *page = labels->chart->page;
    struct point place = chart_place(labels->chart, at.x, at.y);
    double across = page_text_width(page, text, font) / 2 + NEAR;
    double down = page_text_height(page, font) / 2 + NEAR / 2.0;
    double angle = away.x == 0 && away.y == 0 ? 1.6 : atan2(away.y, away.x);
    if (!isfinite(place.x) || !isfinite(place.y))
        return;
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        double turned = angle + turns[i];
        const struct point middle = {place.x + across * cos(turned), place.y - down * sin(turned)};
        if (put(labels, middle, text, font))
            return;
    }
}
