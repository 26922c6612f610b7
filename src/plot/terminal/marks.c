// The marks of a page on a canvas of cells.
#include "input/text/unicode.h"
#include "plot/terminal/terminal.h"

#include <math.h>
#include <string.h>

// ---- areas and images: the backgrounds of subpixels

#define SMALL 12 // points

// Small strong areas, such as the head of an arrow, are drawn like lines.
static bool is_small(const struct canvas *canvas, const struct mark *mark)
{
    struct box box = mark_bounds(canvas->page, mark);
    return box_width(&box) < SMALL && box_height(&box) < SMALL && !mark->style.hatched &&
           ground_is_strong(canvas->theme, mark->style.fill);
}

// In each row of subpixels, subpixels to the right of the edge change between inside and outside.
static void cross(struct canvas *canvas, struct point a, struct point b)
{
    if (a.y > b.y) {
        struct point upper = b;
        b = a;
        a = upper;
    }
    double first = fmax(0, ceil((a.y - SUBPIXEL / 2.0) / SUBPIXEL));
    for (size_t row = (size_t)first; row < canvas->down; row++) {
        double y = (double)row * SUBPIXEL + SUBPIXEL / 2.0;
        if (!(y < b.y))
            return;
        double x = a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y);
        double column = floor((x - SUBPIXEL / 2.0) / SUBPIXEL) + 1;
        size_t at = (size_t)fmin((double)canvas->across, fmax(0, column));
        canvas->inside[row * (canvas->across + 1) + at] ^= 1;
    }
}

static void cross_all(struct canvas *canvas, const struct mark *mark)
{
    const struct point *points = canvas->page->points + mark->first;
    for (size_t stroke = 0; stroke < mark->strokes; stroke++) {
        size_t count = canvas->page->strokes[mark->first_stroke + stroke];
        for (size_t i = 0; i < count; i++)
            cross(canvas, points[i], points[(i + 1) % count]);
        points += count;
    }
}

// An opaque fill hides everything below it.
static void cover(struct canvas *canvas, size_t across, size_t down, colour fill)
{
    *canvas_subpixel(canvas, across, down) = (struct subpixel){fill, COLOUR_NONE, COLOUR_NONE};
    bool middle = across % SUBPIXELS_ACROSS == 1 && down % SUBPIXELS_DOWN == 2;
    if (middle)
        *canvas_cell(canvas, across / SUBPIXELS_ACROSS, down / SUBPIXELS_DOWN) =
            (struct text_cell){0};
}

static void paint_subpixel(struct canvas *canvas, size_t across, size_t down,
                           const struct style *style, bool small)
{
    if (small)
        canvas_subpixel(canvas, across, down)->ink = style->fill;
    else if (style->fill != COLOUR_NONE)
        cover(canvas, across, down,
              colour_mix(style->fill, canvas_subpixel(canvas, across, down)->ground,
                         style->transparency));
    if (style->hatched)
        canvas_subpixel(canvas, across, down)->hatch = style->line;
}

void canvas_fill(struct canvas *canvas, const struct mark *mark)
{
    if (mark->style.fill == COLOUR_NONE && !mark->style.hatched)
        return;
    bool small = is_small(canvas, mark);
    struct subpixel_range seen = canvas_range(canvas, &mark->clip);
    cross_all(canvas, mark);
    for (size_t row = 0; row < canvas->down; row++) {
        unsigned char *changes = canvas->inside + row * (canvas->across + 1);
        bool inside = false, seen_row = (ptrdiff_t)row >= seen.top && (ptrdiff_t)row <= seen.bottom;
        for (size_t i = 0; i < canvas->across && seen_row; i++) {
            inside ^= changes[i];
            if (inside && (ptrdiff_t)i >= seen.left && (ptrdiff_t)i <= seen.right)
                paint_subpixel(canvas, i, row, &mark->style, small);
        }
        memset(changes, 0, canvas->across + 1);
    }
}

void canvas_image(struct canvas *canvas, const struct mark *mark)
{
    const struct box *box = &mark->clip;
    if (!(box_width(box) > 0 && box_height(box) > 0) || !mark->rows || !mark->columns)
        return;
    for (size_t down = 0; down < canvas->down; down++) {
        double y = ((double)down + 0.5) * SUBPIXEL;
        double row = floor((y - box->top) / box_height(box) * (double)mark->rows);
        for (size_t across = 0; across < canvas->across; across++) {
            double x = ((double)across + 0.5) * SUBPIXEL;
            double column = floor((x - box->left) / box_width(box) * (double)mark->columns);
            if (row >= 0 && row < (double)mark->rows && column >= 0 &&
                column < (double)mark->columns)
                cover(canvas, across, down,
                      mark->pixels[(size_t)row * mark->columns + (size_t)column] | OF_IMAGE);
        }
    }
}

// ---- lines: subpixels, which become braille

struct line_tracer {
    struct canvas *canvas;
    const struct style *style;
    struct subpixel_range clip;
    double along; // how far it has gone, for dashes
};

static bool is_dash(const struct line_tracer *tracer, double along)
{
    double dash = fmax(tracer->style->dash, 2 * SUBPIXEL); // shorter ones would run together
    return !(tracer->style->dash > 0) || fmod(along, 2 * dash) < dash;
}

// A line along the edge of the clip is drawn inside.
static void ink(const struct line_tracer *tracer, double x, double y)
{
    const struct subpixel_range *clip = &tracer->clip;
    ptrdiff_t across = index_from(x, SUBPIXEL), down = index_from(y, SUBPIXEL);
    if (across == clip->right + 1 && (double)across * SUBPIXEL == x)
        across--;
    if (down == clip->bottom + 1 && (double)down * SUBPIXEL == y)
        down--;
    if (across < clip->left || across > clip->right || down < clip->top || down > clip->bottom)
        return;
    canvas_subpixel(tracer->canvas, (size_t)across, (size_t)down)->ink = tracer->style->line;
}

// Without its end, where the next segment begins: a line does not extend into the next cell.
static void draw_segment(struct line_tracer *tracer, struct point a, struct point b)
{
    double right = b.x - a.x, down = b.y - a.y, length = hypot(right, down), from = 0, to = 1;
    double wide = (double)tracer->canvas->across * SUBPIXEL;
    double high = (double)tracer->canvas->down * SUBPIXEL;
    bool seen = range_cut(a.x, right, -SUBPIXEL, wide + SUBPIXEL, &from, &to) &&
                range_cut(a.y, down, -SUBPIXEL, high + SUBPIXEL, &from, &to);
    double steps = fmax(1, ceil(2 * (to - from) * fmax(fabs(right), fabs(down)) / SUBPIXEL));
    for (double i = 0; seen && i < steps; i++) {
        double part = from + (to - from) * i / steps;
        if (is_dash(tracer, tracer->along + part * length))
            ink(tracer, a.x + part * right, a.y + part * down);
    }
    tracer->along += length;
}

static bool is_along(double edge, double from, double to)
{
    return fabs(from - edge) < 0.5 && fabs(to - edge) < 0.5;
}

// An area has no outline where the clip cuts it off.
static bool is_cut(const struct box *clip, struct point a, struct point b)
{
    return is_along(clip->left, a.x, b.x) || is_along(clip->right, a.x, b.x) ||
           is_along(clip->top, a.y, b.y) || is_along(clip->bottom, a.y, b.y);
}

// A small area, such as that of a legend, has no outline, which would fill it.
static bool is_swatch(const struct canvas *canvas, const struct mark *mark)
{
    struct box box = mark_bounds(canvas->page, mark);
    return mark->style.fill != COLOUR_NONE && mark->style.closed &&
           box_width(&box) <= 3 * CELL_WIDTH && box_height(&box) <= CELL_HEIGHT;
}

// The grid is left out, because it would be as strong as the curves.
void canvas_stroke(struct canvas *canvas, const struct mark *mark)
{
    const struct style *style = &mark->style;
    const struct point *points = canvas->page->points + mark->first;
    if (style->line == COLOUR_NONE || style->hatched || style->line == canvas->theme->grid ||
        is_swatch(canvas, mark))
        return;
    struct line_tracer tracer = {canvas, style, canvas_range(canvas, &mark->clip), 0};
    for (size_t stroke = 0; stroke < mark->strokes; stroke++) {
        size_t count = canvas->page->strokes[mark->first_stroke + stroke];
        size_t segments = style->closed ? count : count - 1;
        for (size_t i = 0; i < segments; i++) {
            struct point to = points[(i + 1) % count];
            if (!style->closed || !is_cut(&mark->clip, points[i], to))
                draw_segment(&tracer, points[i], to);
        }
        points += count;
    }
}

// ---- dots: one character each

static const uint32_t full[SHAPE_COUNT] = {0x25cf, 0x25a0, 0x25b2, 0x25c6,
                                           '+',    0xd7,   0x25bc, 0x2605};
static const uint32_t hollow[SHAPE_COUNT] = {0x25cb, 0x25a1, 0x25b3, 0x25c7,
                                             '+',    0xd7,   0x25bd, 0x2606};

// With a ring, if there is no space for brackets.
static const uint32_t ringed[SHAPE_COUNT] = {0x25c9, 0x25a3, 0x25ec, 0x25c8,
                                             0x2295, 0x2297, 0x25bf, 0x272a};

static struct text_cell *cell_at(const struct canvas *canvas, ptrdiff_t column, ptrdiff_t line)
{
    bool there = column >= 0 && line >= 0 && column < (ptrdiff_t)canvas->columns &&
                 line < (ptrdiff_t)canvas->lines;
    return there ? canvas_cell(canvas, (size_t)column, (size_t)line) : NULL;
}

// A cell shows the majority of its dots, if there is one (R. S. Boyer and J S. Moore, MJRTY, 1981).
static void vote(struct text_cell *cell, uint32_t glyph, colour ink)
{
    if (cell->glyph == glyph && cell->colour == ink) {
        cell->votes++;
    } else if (cell->votes > 1) {
        cell->votes--;
    } else {
        cell->glyph = glyph;
        cell->colour = ink;
        cell->votes = 1;
    }
}

static void put_free(const struct canvas *canvas, ptrdiff_t column, ptrdiff_t line, uint32_t glyph,
                     colour ink)
{
    struct text_cell *cell = cell_at(canvas, column, line);
    if (cell && !cell->glyph)
        *cell = (struct text_cell){.glyph = glyph, .colour = ink};
}

static bool is_free(const struct text_cell *cell)
{
    return cell && (!cell->glyph || cell->glyph == '(' || cell->glyph == ')');
}

// Marks a dot with brackets, or with another glyph if its neighbours are occupied.
static void put_ring(const struct canvas *canvas, ptrdiff_t column, ptrdiff_t line, colour ink)
{
    struct text_cell *dot = cell_at(canvas, column, line);
    if (is_free(cell_at(canvas, column - 1, line)) && is_free(cell_at(canvas, column + 1, line))) {
        put_free(canvas, column - 1, line, '(', ink);
        put_free(canvas, column + 1, line, ')', ink);
        return;
    }
    for (size_t shape = 0; shape < SHAPE_COUNT; shape++)
        if (dot->glyph == full[shape]) {
            dot->glyph = ringed[shape];
            dot->colour = ink;
            return;
        }
}

static void put_dot(const struct canvas *canvas, const struct mark *mark, struct point at)
{
    ptrdiff_t column = index_from(at.x, CELL_WIDTH), line = index_from(at.y, CELL_HEIGHT);
    if (at.x == mark->clip.right)
        column = index_until(at.x, CELL_WIDTH);
    if (at.y == mark->clip.bottom)
        line = index_until(at.y, CELL_HEIGHT);
    struct text_cell *cell = cell_at(canvas, column, line);
    bool ring = mark->style.fill == COLOUR_NONE;
    if (!cell || (ring && mark->style.line == COLOUR_NONE))
        return;
    if (!ring) {
        vote(cell, full[mark->shape], mark->style.fill);
    } else if (cell->votes) {
        put_ring(canvas, column, line, mark->style.line);
    } else {
        vote(cell, hollow[mark->shape], mark->style.line);
    }
}

void canvas_dots(struct canvas *canvas, const struct mark *mark)
{
    for (size_t i = 0; i < mark->count; i++) {
        struct point at = canvas->page->points[mark->first + i];
        if (box_contains(&mark->clip, at))
            put_dot(canvas, mark, at);
    }
}

// ---- text

// The position of the next glyph.
struct writing {
    const struct canvas *canvas;
    ptrdiff_t column, line;
    bool downwards;
    colour colour;
    struct text_cell *last; // for accents
};

// Replaces the other half of a wide glyph that is overwritten.
static void clear_for(const struct canvas *canvas, ptrdiff_t column, ptrdiff_t line)
{
    struct text_cell *cell = cell_at(canvas, column, line),
                     *next = cell_at(canvas, column + 1, line);
    if (cell && cell->glyph == GLYPH_HALF)
        cell_at(canvas, column - 1, line)->glyph = ' ';
    if (next && next->glyph == GLYPH_HALF)
        next->glyph = ' ';
}

static void put_glyph(struct writing *writing, uint32_t glyph, size_t width)
{
    const struct canvas *canvas = writing->canvas;
    struct text_cell *cell = cell_at(canvas, writing->column, writing->line);
    struct text_cell *half =
        cell && width > 1 ? cell_at(canvas, writing->column + 1, writing->line) : NULL;
    writing->last = NULL;
    if (cell && width > 1 && !half)
        glyph = ' ';
    for (ptrdiff_t i = 0; cell && i < (half ? 2 : 1); i++)
        clear_for(canvas, writing->column + i, writing->line);
    if (half)
        *half = (struct text_cell){.glyph = GLYPH_HALF, .colour = writing->colour};
    if (cell) {
        *cell = (struct text_cell){.glyph = glyph, .colour = writing->colour};
        writing->last = cell;
    }
    if (writing->downwards)
        writing->line++;
    else
        writing->column += (ptrdiff_t)width;
}

static void put_accent(const struct writing *writing, uint32_t accent)
{
    struct text_cell *cell = writing->last;
    for (size_t i = 0; cell && i < 2; i++) {
        if (!cell->accents[i]) {
            cell->accents[i] = accent;
            return;
        }
    }
}

// The first of `length` cells whose start, middle or end is at a place.
static ptrdiff_t first_cell(double place, int size, double length, enum align align)
{
    double share = align == ALIGN_START ? 0 : align == ALIGN_MIDDLE ? length / 2 : length;
    return (ptrdiff_t)floor(place / size - share + 0.5);
}

// The line whose top, middle or bottom is at a place.
static ptrdiff_t line_at(double place, int size, enum align align)
{
    return align == ALIGN_MIDDLE ? index_from(place, size) : first_cell(place, size, 1, align);
}

static struct writing begin_writing(const struct canvas *canvas, const struct mark *mark)
{
    const struct text_style *font = &mark->font;
    const struct point *at = &canvas->page->points[mark->first];
    struct writing writing = {.canvas = canvas, .downwards = font->upright, .colour = font->colour};
    if (!font->upright) {
        writing.column =
            first_cell(at->x, CELL_WIDTH, (double)text_cells(mark->text), font->across);
        writing.line = line_at(at->y, CELL_HEIGHT, font->along);
        return writing;
    }
    // On paper upright text runs upwards.
    enum align across = font->across == ALIGN_START ? ALIGN_END
                        : font->across == ALIGN_END ? ALIGN_START
                                                    : ALIGN_MIDDLE;
    writing.column = line_at(at->x, CELL_WIDTH, font->along);
    writing.line = first_cell(at->y, CELL_HEIGHT, (double)text_glyphs(mark->text), across);
    return writing;
}

static bool is_on_glyphs(const struct canvas *canvas, ptrdiff_t column, ptrdiff_t line)
{
    if (canvas->page->picture->coloured || !cell_at(canvas, column, line))
        return false;
    const struct subpixel *middle = canvas_subpixel(canvas, (size_t)column * SUBPIXELS_ACROSS,
                                                    (size_t)line * SUBPIXELS_DOWN + 2);
    return ground_glyph(canvas->theme, middle->ground) != ' ';
}

// Blanks separate text from a background of glyphs.
static void put_blanks(const struct writing *writing, const char *text)
{
    ptrdiff_t after = writing->column + (ptrdiff_t)text_cells(text);
    if (writing->downwards || !is_on_glyphs(writing->canvas, writing->column, writing->line))
        return;
    put_free(writing->canvas, writing->column - 1, writing->line, ' ', writing->colour);
    put_free(writing->canvas, after, writing->line, ' ', writing->colour);
}

// Upright text that is too long for the canvas is left out.
void canvas_text(struct canvas *canvas, const struct mark *mark)
{
    struct writing writing = begin_writing(canvas, mark);
    const char *text = mark->text, *end = text + strlen(text);
    if (writing.downwards && text_glyphs(text) > canvas->lines)
        return;
    if (writing.downwards && writing.line < 0)
        writing.line = 0;
    put_blanks(&writing, text);
    for (size_t length; text < end; text += length) {
        uint32_t code = unicode_read(text, end, &length);
        size_t width = glyph_width(code);
        if (width > 0)
            put_glyph(&writing, code, width);
        else if (glyph_is_accent(code))
            put_accent(&writing, code);
    }
}
