// Lines on a sheet: curves as specks, frames and ticks as the lines that boxes are drawn with.
#include "draw/paint/letters.h"

#include <math.h>

// ---- curves

struct pen {
    struct sheet *sheet;
    const struct look *look;
    struct span clip;
    double along; // how far it has gone, for dashes
};

static bool is_down(const struct pen *pen, double along)
{
    double dash = fmax(pen->look->dash, SPECK);
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

static void draw_segment(struct pen *pen, struct point a, struct point b)
{
    double right = b.x - a.x, down = b.y - a.y, length = hypot(right, down), from = 0, to = 1;
    narrow(a.x, right, 0, (double)pen->sheet->across * SPECK, &from, &to);
    narrow(a.y, down, 0, (double)pen->sheet->down * SPECK, &from, &to);
    double steps = fmax(1, ceil(2 * (to - from) * fmax(fabs(right), fabs(down)) / SPECK));
    for (double i = 0; from <= to && i <= steps; i++) {
        double part = from + (to - from) * i / steps;
        if (is_down(pen, pen->along + part * length))
            ink(pen, a.x + part * right, a.y + part * down);
    }
    pen->along += length;
}

// ---- frames

static void add_sides(struct sheet *sheet, ptrdiff_t column, ptrdiff_t line, unsigned sides,
                      colour line_colour)
{
    if (column < 0 || line < 0 || column >= (ptrdiff_t)sheet->columns ||
        line >= (ptrdiff_t)sheet->lines)
        return;
    struct cell *cell = sheet_cell(sheet, (size_t)column, (size_t)line);
    cell->sides |= sides;
    cell->side_colour = line_colour;
}

// A line from the middle of one cell to that of another.
static void join(struct sheet *sheet, ptrdiff_t from, ptrdiff_t to, ptrdiff_t other, bool across,
                 colour line)
{
    for (ptrdiff_t i = from; i < to; i++) {
        add_sides(sheet, across ? i : other, across ? other : i, across ? SIDE_RIGHT : SIDE_DOWN,
                  line);
        add_sides(sheet, across ? i + 1 : other, across ? other : i + 1,
                  across ? SIDE_LEFT : SIDE_UP, line);
    }
}

// A box is drawn in the outermost cells that it has.
static bool draw_frame(struct sheet *sheet, const struct mark *mark)
{
    const struct point *points = sheet->page->points + mark->first;
    bool box = mark->strokes == 1 && mark->count == 4 && mark->look.closed &&
               points[0].y == points[1].y && points[1].x == points[2].x &&
               points[2].y == points[3].y && points[3].x == points[0].x;
    if (!box)
        return false;
    ptrdiff_t left = piece_from(fmin(points[0].x, points[1].x), CELL_WIDTH);
    ptrdiff_t right = piece_until(fmax(points[0].x, points[1].x), CELL_WIDTH);
    ptrdiff_t top = piece_from(fmin(points[0].y, points[2].y), CELL_HEIGHT);
    ptrdiff_t bottom = piece_until(fmax(points[0].y, points[2].y), CELL_HEIGHT);
    colour line = mark->look.line;
    join(sheet, left, right, top, true, line);
    join(sheet, left, right, bottom, true, line);
    join(sheet, top, bottom, left, false, line);
    join(sheet, top, bottom, right, false, line);
    return true;
}

// A short line that leaves a frame is a tick of it: the cell that it leaves gets a side.
static bool draw_tick(struct sheet *sheet, const struct mark *mark)
{
    if (mark->count != 2 || mark->strokes != 1)
        return false;
    struct point from = sheet->page->points[mark->first];
    struct point to = sheet->page->points[mark->first + 1];
    double right = to.x - from.x, down = to.y - from.y;
    if ((right != 0 && down != 0) || fabs(right) > CELL_WIDTH || fabs(down) > CELL_HEIGHT)
        return false;
    unsigned side = right > 0   ? SIDE_RIGHT
                    : right < 0 ? SIDE_LEFT
                    : down > 0  ? SIDE_DOWN
                                : SIDE_UP;
    ptrdiff_t column = right > 0 ? piece_until(from.x, CELL_WIDTH) : piece_from(from.x, CELL_WIDTH);
    ptrdiff_t line = down > 0 ? piece_until(from.y, CELL_HEIGHT) : piece_from(from.y, CELL_HEIGHT);
    add_sides(sheet, column, line, side, mark->look.line);
    return true;
}

// ---- both

// The grid is left out: letters are as strong as the curves.
void sheet_stroke(struct sheet *sheet, const struct mark *mark)
{
    const struct look *look = &mark->look;
    const struct point *points = sheet->page->points + mark->first;
    if (look->line == COLOUR_NONE || look->hatched || look->line == sheet->theme->grid)
        return;
    bool faint = look->line == sheet->theme->faint && look->dash == 0;
    if (faint && (draw_frame(sheet, mark) || draw_tick(sheet, mark)))
        return;
    struct pen pen = {sheet, look, sheet_span(sheet, &mark->clip), 0};
    for (size_t stroke = 0; stroke < mark->strokes; stroke++) {
        size_t count = sheet->page->strokes[mark->first_stroke + stroke];
        for (size_t i = 0; i + 1 < count; i++)
            draw_segment(&pen, points[i], points[i + 1]);
        if (look->closed && count > 2)
            draw_segment(&pen, points[count - 1], points[0]);
        points += count;
    }
}
