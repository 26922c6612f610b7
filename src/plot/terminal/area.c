// Areas and images on a sheet: the grounds of specks.
#include "plot/terminal/terminal.h"

#include <math.h>
#include <string.h>

#define SMALL 12 // points

struct box sheet_box(const struct sheet *sheet, const struct mark *mark)
{
    struct box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < mark->count; i++) {
        const struct point *point = &sheet->page->points[mark->first + i];
        box.left = fmin(box.left, point->x);
        box.right = fmax(box.right, point->x);
        box.top = fmin(box.top, point->y);
        box.bottom = fmax(box.bottom, point->y);
    }
    return box;
}

// The head of an arrow is no ground, but part of a line.
static bool is_small(const struct sheet *sheet, const struct mark *mark)
{
    struct box box = sheet_box(sheet, mark);
    return box_width(&box) < SMALL && box_height(&box) < SMALL && !mark->look.hatched &&
           ground_is_strong(sheet->theme, mark->look.fill);
}

// In each row of specks whose middle an edge crosses, what is to the right of it changes sides.
static void cross(struct sheet *sheet, struct point a, struct point b)
{
    if (a.y > b.y) {
        struct point upper = b;
        b = a;
        a = upper;
    }
    double first = fmax(0, ceil((a.y - SPECK / 2.0) / SPECK));
    for (size_t row = (size_t)first; row < sheet->down; row++) {
        double y = (double)row * SPECK + SPECK / 2.0;
        if (!(y < b.y))
            return;
        double x = a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y);
        double column = floor((x - SPECK / 2.0) / SPECK) + 1;
        size_t at = (size_t)fmin((double)sheet->across, fmax(0, column));
        sheet->inside[row * (sheet->across + 1) + at] ^= 1;
    }
}

static void cross_all(struct sheet *sheet, const struct mark *mark)
{
    const struct point *points = sheet->page->points + mark->first;
    for (size_t stroke = 0; stroke < mark->strokes; stroke++) {
        size_t count = sheet->page->strokes[mark->first_stroke + stroke];
        for (size_t i = 0; i < count; i++)
            cross(sheet, points[i], points[(i + 1) % count]);
        points += count;
    }
}

// What a fill covers is gone.
static void cover(struct sheet *sheet, size_t across, size_t down, colour fill)
{
    *sheet_speck(sheet, across, down) = (struct speck){fill, COLOUR_NONE, COLOUR_NONE};
    bool middle = across % SPECKS_ACROSS == 1 && down % SPECKS_DOWN == 2;
    if (middle)
        *sheet_cell(sheet, across / SPECKS_ACROSS, down / SPECKS_DOWN) = (struct cell){0};
}

static void paint_speck(struct sheet *sheet, size_t across, size_t down, const struct look *look,
                        bool small)
{
    if (small)
        sheet_speck(sheet, across, down)->ink = look->fill;
    else if (look->fill != COLOUR_NONE)
        cover(sheet, across, down, look->fill);
    if (look->hatched)
        sheet_speck(sheet, across, down)->hatch = look->line;
}

void sheet_fill(struct sheet *sheet, const struct mark *mark)
{
    if (mark->look.fill == COLOUR_NONE && !mark->look.hatched)
        return;
    bool small = is_small(sheet, mark);
    struct span seen = sheet_span(sheet, &mark->clip);
    cross_all(sheet, mark);
    for (size_t row = 0; row < sheet->down; row++) {
        unsigned char *changes = sheet->inside + row * (sheet->across + 1);
        bool inside = false, seen_row = (ptrdiff_t)row >= seen.top && (ptrdiff_t)row <= seen.bottom;
        for (size_t i = 0; i < sheet->across && seen_row; i++) {
            inside ^= changes[i];
            if (inside && (ptrdiff_t)i >= seen.left && (ptrdiff_t)i <= seen.right)
                paint_speck(sheet, i, row, &mark->look, small);
        }
        memset(changes, 0, sheet->across + 1);
    }
}

void sheet_image(struct sheet *sheet, const struct mark *mark)
{
    const struct box *box = &mark->clip;
    if (!(box_width(box) > 0 && box_height(box) > 0) || !mark->rows || !mark->columns)
        return;
    for (size_t down = 0; down < sheet->down; down++) {
        double y = ((double)down + 0.5) * SPECK;
        double row = floor((y - box->top) / box_height(box) * (double)mark->rows);
        for (size_t across = 0; across < sheet->across; across++) {
            double x = ((double)across + 0.5) * SPECK;
            double column = floor((x - box->left) / box_width(box) * (double)mark->columns);
            if (row >= 0 && row < (double)mark->rows && column >= 0 &&
                column < (double)mark->columns)
                cover(sheet, across, down,
                      mark->pixels[(size_t)row * mark->columns + (size_t)column] | OF_IMAGE);
        }
    }
}
