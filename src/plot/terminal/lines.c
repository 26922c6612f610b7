// Lines on a sheet: specks, which become braille.
#include "plot/terminal/terminal.h"

#include <math.h>

struct pen {
    struct sheet *sheet;
    const struct look *look;
    struct span clip;
    double along; // how far it has gone, for dashes
};

static bool is_down(const struct pen *pen, double along)
{
    double dash = fmax(pen->look->dash, 2 * SPECK); // shorter ones would run together
    return !(pen->look->dash > 0) || fmod(along, 2 * dash) < dash;
}

// A line along the edge of the clip is seen in what is inside of it.
static void ink(const struct pen *pen, double x, double y)
{
    const struct span *clip = &pen->clip;
    ptrdiff_t across = piece_from(x, SPECK), down = piece_from(y, SPECK);
    if (across == clip->right + 1 && (double)across * SPECK == x)
        across--;
    if (down == clip->bottom + 1 && (double)down * SPECK == y)
        down--;
    if (across < clip->left || across > clip->right || down < clip->top || down > clip->bottom)
        return;
    sheet_speck(pen->sheet, (size_t)across, (size_t)down)->ink = pen->look->line;
}

// The part of 0 to 1 in which start + part * change is between low and high, a little wider.
static void narrow(double start, double change, double low, double high, double *from, double *to)
{
    low -= SPECK, high += SPECK;
    if (change == 0) {
        *to = start >= low && start <= high ? *to : -1;
        return;
    }
    double enter = (low - start) / change, leave = (high - start) / change;
    *from = fmax(*from, fmin(enter, leave));
    *to = fmin(*to, fmax(enter, leave));
}

// Without its end, where the next one begins: a line does not reach into the cell after it.
static void draw_segment(struct pen *pen, struct point a, struct point b)
{
    double right = b.x - a.x, down = b.y - a.y, length = hypot(right, down), from = 0, to = 1;
    narrow(a.x, right, 0, (double)pen->sheet->across * SPECK, &from, &to);
    narrow(a.y, down, 0, (double)pen->sheet->down * SPECK, &from, &to);
    double steps = fmax(1, ceil(2 * (to - from) * fmax(fabs(right), fabs(down)) / SPECK));
    for (double i = 0; from <= to && i < steps; i++) {
        double part = from + (to - from) * i / steps;
        if (is_down(pen, pen->along + part * length))
            ink(pen, a.x + part * right, a.y + part * down);
    }
    pen->along += length;
}

static bool is_along(double edge, double from, double to)
{
    return fabs(from - edge) < 0.5 && fabs(to - edge) < 0.5;
}

// An area that the clip ends has no outline there.
static bool is_cut(const struct box *clip, struct point a, struct point b)
{
    return is_along(clip->left, a.x, b.x) || is_along(clip->right, a.x, b.x) ||
           is_along(clip->top, a.y, b.y) || is_along(clip->bottom, a.y, b.y);
}

// An area of a few cells, such as that of a legend, would be all outline.
static bool is_swatch(const struct sheet *sheet, const struct mark *mark)
{
    struct box box = sheet_box(sheet, mark);
    return mark->look.fill != COLOUR_NONE && mark->look.closed &&
           box_width(&box) <= 3 * CELL_WIDTH && box_height(&box) <= CELL_HEIGHT;
}

// The grid is left out: letters are as strong as the curves.
void sheet_stroke(struct sheet *sheet, const struct mark *mark)
{
    const struct look *look = &mark->look;
    const struct point *points = sheet->page->points + mark->first;
    if (look->line == COLOUR_NONE || look->hatched || look->line == sheet->theme->grid ||
        is_swatch(sheet, mark))
        return;
    struct pen pen = {sheet, look, sheet_span(sheet, &mark->clip), 0};
    for (size_t stroke = 0; stroke < mark->strokes; stroke++) {
        size_t count = sheet->page->strokes[mark->first_stroke + stroke];
        size_t segments = look->closed ? count : count - 1;
        for (size_t i = 0; i < segments; i++) {
            struct point to = points[(i + 1) % count];
            if (!look->closed || !is_cut(&mark->clip, points[i], to))
                draw_segment(&pen, points[i], to);
        }
        points += count;
    }
}
