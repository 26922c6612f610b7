#include "draw/paint/marks.h"

#ifdef TLU_HAVE_CAIRO
#include "base/memory.h"
#include "draw/paint/font.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define HATCH_APART 7

struct brush {
    const struct cairo *cairo;
    cairo_t *to;
    const struct page *page;
};

static void set_colour(const struct brush *brush, colour of)
{
    brush->cairo->set_source_rgb(brush->to, (double)(of >> 16 & 255) / 255,
                                 (double)(of >> 8 & 255) / 255, (double)(of & 255) / 255);
}

static void set_pen(const struct brush *brush, const struct look *look)
{
    double dashes[2] = {look->dash, look->dash};
    set_colour(brush, look->line);
    brush->cairo->set_line_width(brush->to, look->width);
    brush->cairo->set_dash(brush->to, dashes, look->dash > 0 ? 2 : 0, 0);
}

static void hatch(const struct brush *brush, const struct look *look, const struct box *box)
{
    const struct cairo *cairo = brush->cairo;
    double height = box_height(box);
    cairo->save(brush->to);
    cairo->clip(brush->to);
    set_pen(brush, look);
    for (double x = box->left - height; x < box->right; x += HATCH_APART) {
        cairo->move_to(brush->to, x, box->bottom);
        cairo->line_to(brush->to, x + height, box->top);
    }
    cairo->stroke(brush->to);
    cairo->restore(brush->to);
}

static void trace_path(const struct brush *brush, const struct mark *mark)
{
    const struct cairo *cairo = brush->cairo;
    const struct point *point = brush->page->points + mark->first;
    cairo->new_path(brush->to);
    for (size_t stroke = 0; stroke < mark->strokes; stroke++) {
        size_t count = brush->page->strokes[mark->first_stroke + stroke];
        for (size_t i = 0; i < count; i++, point++) {
            if (i == 0)
                cairo->move_to(brush->to, point->x, point->y);
            else
                cairo->line_to(brush->to, point->x, point->y);
        }
        if (mark->look.closed)
            cairo->close_path(brush->to);
    }
}

static void paint_path(const struct brush *brush, const struct mark *mark)
{
    const struct look *look = &mark->look;
    if (look->fill != COLOUR_NONE) {
        trace_path(brush, mark);
        set_colour(brush, look->fill);
        brush->cairo->fill(brush->to);
    }
    if (look->hatched) {
        trace_path(brush, mark);
        hatch(brush, look, &mark->clip);
    } else if (look->line != COLOUR_NONE) {
        trace_path(brush, mark);
        set_pen(brush, look);
        brush->cairo->stroke(brush->to);
    }
}

// Corners of a regular polygon or star around a dot.
static void trace_corners(const struct brush *brush, struct point at, size_t corners, double radius,
                          double inner, double start)
{
    for (size_t i = 0; i < corners; i++) {
        double angle = start + 2 * PI * (double)i / (double)corners;
        double length = inner > 0 && i % 2 ? inner : radius;
        double x = at.x + length * cos(angle), y = at.y + length * sin(angle);
        if (i == 0)
            brush->cairo->move_to(brush->to, x, y);
        else
            brush->cairo->line_to(brush->to, x, y);
    }
    brush->cairo->close_path(brush->to);
}

static void trace_dot(const struct brush *brush, struct point at, enum shape shape, double radius)
{
    switch (shape) {
    case SHAPE_SQUARE:
        trace_corners(brush, at, 4, radius * 1.2, 0, PI / 4);
        break;
    case SHAPE_TRIANGLE:
        trace_corners(brush, at, 3, radius * 1.25, 0, -PI / 2);
        break;
    case SHAPE_TRIANGLE_DOWN:
        trace_corners(brush, at, 3, radius * 1.25, 0, PI / 2);
        break;
    case SHAPE_DIAMOND:
        trace_corners(brush, at, 4, radius * 1.25, 0, 0);
        break;
    case SHAPE_STAR:
        trace_corners(brush, at, 10, radius * 1.35, radius * 0.6, -PI / 2);
        break;
    case SHAPE_PLUS:
        trace_corners(brush, at, 8, radius * 1.35, radius * 0.4, 0);
        break;
    case SHAPE_CROSS:
        trace_corners(brush, at, 8, radius * 1.35, radius * 0.4, PI / 4);
        break;
    default:
        brush->cairo->new_sub_path(brush->to);
        brush->cairo->arc(brush->to, at.x, at.y, radius, 0, 2 * PI);
    }
}

static void paint_dots(const struct brush *brush, const struct mark *mark)
{
    const struct cairo *cairo = brush->cairo;
    for (size_t i = 0; i < mark->count; i++) {
        cairo->new_path(brush->to);
        trace_dot(brush, brush->page->points[mark->first + i], mark->shape, mark->radius);
        if (mark->look.fill != COLOUR_NONE) {
            set_colour(brush, mark->look.fill);
            cairo->fill_preserve(brush->to);
        }
        if (mark->look.line != COLOUR_NONE) {
            set_pen(brush, &mark->look);
            cairo->stroke(brush->to);
        }
    }
}

static void paint_letters(const struct brush *brush, const struct mark *mark)
{
    static const double share[] = {0, -0.5, -1};
    const struct cairo *cairo = brush->cairo;
    const struct letters *letters = &mark->letters;
    const struct point *at = brush->page->points + mark->first;
    cairo_text_extents_t text;
    cairo_font_extents_t font;
    cairo->select_font_face(brush->to, FONT_FAMILY, CAIRO_FONT_SLANT_NORMAL,
                            letters->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo->set_font_size(brush->to, letters->size);
    cairo->text_extents(brush->to, mark->text, &text);
    cairo->font_extents(brush->to, &font);
    double down = letters->along == ALIGN_START    ? font.ascent
                  : letters->along == ALIGN_MIDDLE ? 0.36 * letters->size // of capitals
                                                   : -font.descent;
    set_colour(brush, letters->colour);
    cairo->translate(brush->to, at->x, at->y);
    if (letters->upright)
        cairo->rotate(brush->to, -PI / 2);
    cairo->move_to(brush->to, share[letters->across] * text.x_advance, down);
    cairo->show_text(brush->to, mark->text);
}

static void paint_image(const struct brush *brush, const struct mark *mark)
{
    const struct cairo *cairo = brush->cairo;
    const struct box *box = &mark->clip;
    cairo_surface_t *image = cairo->image_surface_create_for_data(
        (unsigned char *)mark->pixels, CAIRO_FORMAT_RGB24, (int)mark->columns, (int)mark->rows,
        (int)(4 * mark->columns));
    cairo->translate(brush->to, box->left, box->top);
    cairo->scale(brush->to, box_width(box) / (double)mark->columns,
                 box_height(box) / (double)mark->rows);
    cairo->set_source_surface(brush->to, image, 0, 0);
    cairo->pattern_set_filter(cairo->get_source(brush->to), CAIRO_FILTER_NEAREST);
    cairo->paint(brush->to);
    cairo->surface_destroy(image);
}

void marks_paint(const struct cairo *cairo, cairo_t *to, const struct page *page)
{
    struct brush brush = {cairo, to, page};
    cairo->set_fill_rule(to, CAIRO_FILL_RULE_EVEN_ODD);
    cairo->set_line_join(to, CAIRO_LINE_JOIN_ROUND);
    set_colour(&brush, page->picture->theme->background);
    cairo->paint(to);
    for (size_t i = 0; i < page->count; i++) {
        const struct mark *mark = &page->marks[i];
        cairo->save(to);
        cairo->rectangle(to, mark->clip.left, mark->clip.top, box_width(&mark->clip),
                         box_height(&mark->clip));
        cairo->clip(to);
        if (mark->kind == MARK_PATH)
            paint_path(&brush, mark);
        else if (mark->kind == MARK_DOTS)
            paint_dots(&brush, mark);
        else if (mark->kind == MARK_TEXT)
            paint_letters(&brush, mark);
        else
            paint_image(&brush, mark);
        cairo->restore(to);
    }
}
#endif
