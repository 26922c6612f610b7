#include "plot/paint/marks.h"

#ifdef TLU_HAVE_CAIRO
#include "plot/paint/font.h"
#include "plot/paint/outline.h"

#include <math.h>

#define PI 3.14159265358979323846
#define HATCH_APART 7
#define MIN_DASH 0.5 // shorter ones cannot be seen, and are many

void brush_colour(const struct brush *brush, colour of)
{
    brush->cairo->set_source_rgb(brush->to, (double)(of >> 16 & 255) / 255,
                                 (double)(of >> 8 & 255) / 255, (double)(of & 255) / 255);
}

void brush_pen(const struct brush *brush, const struct look *look)
{
    double dashes[2] = {look->dash, look->dash};
    brush_colour(brush, look->line);
    brush->cairo->set_line_width(brush->to, look->width);
    brush->cairo->set_dash(brush->to, dashes, look->dash >= MIN_DASH ? 2 : 0, 0);
    brush->cairo->set_line_join(brush->to, CAIRO_LINE_JOIN_ROUND);
}

// ---- paths

static struct box seen_part(const struct brush *brush, const struct mark *mark)
{
    const struct point *points = brush->page->points + mark->first;
    struct box around = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < mark->count; i++) {
        around.left = fmin(around.left, points[i].x);
        around.right = fmax(around.right, points[i].x);
        around.top = fmin(around.top, points[i].y);
        around.bottom = fmax(around.bottom, points[i].y);
    }
    return (struct box){fmax(around.left, mark->clip.left), fmax(around.top, mark->clip.top),
                        fmin(around.right, mark->clip.right),
                        fmin(around.bottom, mark->clip.bottom)};
}

// The strokes are those of one pattern over the whole page, so that they go on in the next area.
static void hatch(const struct brush *brush, const struct mark *mark)
{
    const struct cairo *cairo = brush->cairo;
    struct box box = seen_part(brush, mark);
    cairo->save(brush->to);
    outline_of_area(brush, mark);
    cairo->clip(brush->to);
    brush_pen(brush, &mark->look);
    double first = floor((box.left + box.top) / HATCH_APART) * HATCH_APART;
    for (double sum = first; sum < box.right + box.bottom; sum += HATCH_APART) {
        cairo->move_to(brush->to, sum - box.bottom, box.bottom);
        cairo->line_to(brush->to, sum - box.top, box.top);
    }
    cairo->stroke(brush->to);
    cairo->restore(brush->to);
}

static void paint_path(const struct brush *brush, const struct mark *mark)
{
    struct look look = mark->look;
    if (look.fill != COLOUR_NONE) {
        outline_of_area(brush, mark);
        brush_colour(brush, look.fill);
        brush->cairo->fill(brush->to);
    }
    if (look.line == COLOUR_NONE)
        return;
    if (look.hatched) {
        hatch(brush, mark);
        return;
    }
    bool boxes = outline_of_line(brush, mark, &look.width);
    brush_pen(brush, &look);
    if (boxes)
        brush->cairo->set_line_join(brush->to, CAIRO_LINE_JOIN_MITER);
    brush->cairo->stroke(brush->to);
}

// ---- letters and images

static void paint_letters(const struct brush *brush, const struct mark *mark)
{
    static const double share[] = {0, -0.5, -1};
    const struct cairo *cairo = brush->cairo;
    const struct letters *letters = &mark->letters;
    const struct point *at = brush->page->points + mark->first;
    cairo_text_extents_t text;
    cairo_font_extents_t font;
    font_choose(cairo, brush->to, letters->size, letters->bold);
    cairo->text_extents(brush->to, mark->text, &text);
    cairo->font_extents(brush->to, &font);
    double down = letters->along == ALIGN_START    ? font.ascent
                  : letters->along == ALIGN_MIDDLE ? 0.36 * letters->size // of capitals
                                                   : -font.descent;
    brush_colour(brush, letters->colour);
    cairo->save(brush->to);
    cairo->translate(brush->to, at->x, at->y);
    if (letters->upright)
        cairo->rotate(brush->to, -PI / 2);
    double left = share[letters->across] * text.x_advance;
    cairo->move_to(brush->to, left, down);
    if (brush->vectors)
        cairo->show_text(brush->to, mark->text);
    else
        font_paint(cairo, brush->to, left, down, mark->text);
    cairo->restore(brush->to);
}

// An image that cairo refuses is not tried: cairo would lose the memory of a source in error.
static cairo_status_t paint_image(const struct brush *brush, const struct mark *mark)
{
    const struct cairo *cairo = brush->cairo;
    const struct box *box = &mark->clip;
    cairo_surface_t *image = cairo->image_surface_create_for_data(
        (unsigned char *)mark->pixels, CAIRO_FORMAT_RGB24, (int)mark->columns, (int)mark->rows,
        (int)(4 * mark->columns));
    cairo_status_t status = cairo->surface_status(image);
    if (status != CAIRO_STATUS_SUCCESS) {
        cairo->surface_destroy(image);
        return status;
    }
    cairo->save(brush->to);
    cairo->translate(brush->to, box->left, box->top);
    cairo->scale(brush->to, box_width(box) / (double)mark->columns,
                 box_height(box) / (double)mark->rows);
    cairo->set_source_surface(brush->to, image, 0, 0);
    cairo->pattern_set_filter(cairo->get_source(brush->to), CAIRO_FILTER_NEAREST);
    cairo->paint(brush->to);
    cairo->restore(brush->to);
    cairo->surface_destroy(image);
    return CAIRO_STATUS_SUCCESS;
}

// ---- a page

static bool same_box(const struct box *a, const struct box *b)
{
    return a->left == b->left && a->top == b->top && a->right == b->right && a->bottom == b->bottom;
}

static double pixel(const struct brush *brush, double place)
{
    return round(place * brush->scale) / brush->scale;
}

// Where pixels begin, so that nothing ends in half of one.
static void clip(const struct brush *brush, const struct box *to)
{
    double left = pixel(brush, to->left), top = pixel(brush, to->top);
    brush->cairo->save(brush->to);
    brush->cairo->rectangle(brush->to, left, top, pixel(brush, to->right) - left,
                            pixel(brush, to->bottom) - top);
    brush->cairo->clip(brush->to);
}

static cairo_status_t paint_mark(const struct brush *brush, const struct mark *mark)
{
    if (mark->kind == MARK_IMAGE)
        return paint_image(brush, mark);
    if (mark->kind == MARK_PATH)
        paint_path(brush, mark);
    else if (mark->kind == MARK_DOTS)
        dots_paint(brush, mark);
    else
        paint_letters(brush, mark);
    return brush->cairo->status(brush->to);
}

cairo_status_t marks_paint(const struct brush *brush)
{
    const struct cairo *cairo = brush->cairo;
    struct box whole = page_whole(brush->page), now = whole;
    cairo->set_fill_rule(brush->to, CAIRO_FILL_RULE_EVEN_ODD);
    brush_colour(brush, brush->page->picture->theme->background);
    cairo->paint(brush->to);
    cairo_status_t status = cairo->status(brush->to);
    for (size_t i = 0; status == CAIRO_STATUS_SUCCESS && i < brush->page->count; i++) {
        const struct mark *mark = &brush->page->marks[i];
        if (!same_box(&mark->clip, &now)) {
            if (!same_box(&now, &whole))
                cairo->restore(brush->to);
            now = mark->clip;
            if (!same_box(&now, &whole))
                clip(brush, &now);
        }
        status = paint_mark(brush, mark);
    }
    if (!same_box(&now, &whole))
        cairo->restore(brush->to);
    return status;
}
#endif
