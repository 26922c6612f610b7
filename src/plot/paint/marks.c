// The marks of a page, drawn with cairo.
#include "plot/arena.h"
#include "plot/paint/cairo.h"
#include "plot/paint/paint.h"

#include <math.h>

#ifdef TLU_HAVE_CAIRO

#define PI 3.14159265358979323846
#define HATCH_APART 7
#define MIN_DASH 0.5 // shorter ones cannot be seen, and are many

static void brush_colour(const struct brush *brush, colour of)
{
    brush->cairo->set_source_rgb(brush->to, (double)(of >> 16 & 255) / 255,
                                 (double)(of >> 8 & 255) / 255, (double)(of & 255) / 255);
}

static void brush_fill(const struct brush *brush, const struct style *style)
{
    colour of = style->fill;
    if (style->transparency > 0)
        brush->cairo->set_source_rgba(brush->to, (double)(of >> 16 & 255) / 255,
                                      (double)(of >> 8 & 255) / 255, (double)(of & 255) / 255,
                                      1 - style->transparency);
    else
        brush_colour(brush, of);
}

static void brush_stroke(const struct brush *brush, const struct style *style)
{
    double dashes[2] = {style->dash, style->dash};
    brush_colour(brush, style->line);
    brush->cairo->set_line_width(brush->to, style->width);
    brush->cairo->set_dash(brush->to, dashes, style->dash >= MIN_DASH ? 2 : 0, 0);
    brush->cairo->set_line_join(brush->to, CAIRO_LINE_JOIN_ROUND);
}

// ---- outlines: parts far outside the clip are cut off, because cairo has no numbers for them, and
// the sides of upright boxes and lines are moved to pixel borders

#define BOX_POINTS 5 // of a box or a line; a curve of more is left where it is

// Parts beyond these limits are cut off.
struct outline {
    const struct brush *brush;
    struct box within;
    bool begun;
};

static void add(void *context, struct point at)
{
    struct outline *outline = context;
    const struct brush *brush = outline->brush;
    if (outline->begun)
        brush->cairo->line_to(brush->to, at.x, at.y);
    else
        brush->cairo->move_to(brush->to, at.x, at.y);
    outline->begun = true;
}

static void trace_closed(struct outline *outline, const struct point *points, size_t count)
{
    struct polygon_cutter cutter = {.within = outline->within, .add = add, .context = outline};
    for (size_t i = 0; i < count; i++)
        polygon_point(&cutter, points[i]);
    polygon_end(&cutter);
    if (outline->begun)
        outline->brush->cairo->close_path(outline->brush->to);
}

// open: each segment is clipped (Y.-D. Liang and B. A. Barsky, 1984)

static void trace_open(struct outline *outline, const struct point *points, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double enters = 0, leaves = 1;
        for (int side = 0; side < 4; side++) {
            double a = box_depth(&outline->within, side, points[i - 1]);
            double b = box_depth(&outline->within, side, points[i]);
            if (a < 0 && b < 0)
                leaves = -1;
            else if (a < 0)
                enters = fmax(enters, a / (a - b));
            else if (b < 0)
                leaves = fmin(leaves, a / (a - b));
        }
        if (enters > leaves) {
            outline->begun = false;
            continue;
        }
        if (enters > 0 || !outline->begun) {
            outline->begun = false;
            add(outline, point_between(points[i - 1], points[i], enters));
        }
        add(outline, leaves < 1 ? point_between(points[i - 1], points[i], leaves) : points[i]);
        outline->begun = leaves == 1;
    }
}

// ---- boxes

static bool is_box(const struct point *points, size_t count, bool closed)
{
    if (count < 2 || count > BOX_POINTS)
        return false;
    for (size_t i = 0; i + !closed < count; i++) {
        const struct point *next = &points[(i + 1) % count];
        if (points[i].x != next->x && points[i].y != next->y)
            return false;
    }
    return true;
}

// The centre of a pixel for lines of an odd width in pixels, the border of pixels for others.
static double settle(double place, double scale, bool odd)
{
    double pixel = place * scale;
    return (odd ? floor(pixel + 1e-6) + 0.5 : round(pixel)) / scale;
}

static void trace(const struct brush *brush, const struct mark *mark, bool closed, bool boxes,
                  bool odd)
{
    struct outline outline = {brush, box_grown(&mark->clip, mark->style.width + 2), false};
    const struct point *points = brush->page->points + mark->first;
    brush->cairo->new_path(brush->to);
    for (size_t i = 0; i < mark->strokes; i++) {
        size_t count = brush->page->strokes[mark->first_stroke + i];
        struct point settled[BOX_POINTS];
        bool box = boxes && is_box(points, count, closed);
        for (size_t k = 0; box && k < count; k++)
            settled[k] = (struct point){settle(points[k].x, brush->scale, odd),
                                        settle(points[k].y, brush->scale, odd)};
        outline.begun = false;
        if (closed)
            trace_closed(&outline, box ? settled : points, count);
        else
            trace_open(&outline, box ? settled : points, count);
        points += count;
    }
}

static void outline_of_area(const struct brush *brush, const struct mark *mark)
{
    trace(brush, mark, true, true, false);
}

// Makes the outline the path of the brush. Returns whether it consists of upright boxes and lines;
// the width is then rounded to pixels.
static bool outline_of_line(const struct brush *brush, const struct mark *mark, double *width)
{
    const struct point *points = brush->page->points + mark->first;
    bool boxes = true;
    for (size_t i = 0; boxes && i < mark->strokes; i++) {
        size_t count = brush->page->strokes[mark->first_stroke + i];
        boxes = is_box(points, count, mark->style.closed);
        points += count;
    }
    double pixels = fmax(1, round(mark->style.width * brush->scale));
    if (boxes)
        *width = pixels / brush->scale;
    trace(brush, mark, mark->style.closed, boxes, fmod(pixels, 2) == 1);
    return boxes;
}

// ---- dots: in SVG and PDF many dots become a few long paths, half as large; each layer holds dots
// that do not touch, so that each dot still covers those before it

#define MANY 2000
#define SEVERAL 400 // above this, coarser antialiasing of edges is not visible

// ---- shapes, of about the same area

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

// Two crossing bars, turned by an angle.
static void trace_plus(const struct brush *brush, struct point at, double radius, double angle)
{
    static const double arm[3][2] = {{0.35, 0.35}, {1.25, 0.35}, {1.25, -0.35}}; // of one of four
    for (size_t i = 0; i < 12; i++) {
        double turn = angle - PI / 2 * (double)(i / 3);
        double along = radius * arm[i % 3][0], aside = radius * arm[i % 3][1];
        double x = at.x + along * cos(turn) - aside * sin(turn);
        double y = at.y + along * sin(turn) + aside * cos(turn);
        if (i == 0)
            brush->cairo->move_to(brush->to, x, y);
        else
            brush->cairo->line_to(brush->to, x, y);
    }
    brush->cairo->close_path(brush->to);
}

// Circles are missing: they have no corners.
static const struct dot_shape {
    size_t corners; // 0: two crossing bars
    double radius, inner, start;
} shapes[SHAPE_COUNT] = {[SHAPE_SQUARE] = {4, 1.2, 0, PI / 4},
                         [SHAPE_TRIANGLE] = {3, 1.45, 0, -PI / 2},
                         [SHAPE_TRIANGLE_DOWN] = {3, 1.45, 0, PI / 2},
                         [SHAPE_DIAMOND] = {4, 1.25, 0, 0},
                         [SHAPE_STAR] = {10, 1.5, 0.65, -PI / 2},
                         [SHAPE_PLUS] = {0, 1, 0, 0},
                         [SHAPE_CROSS] = {0, 1, 0, PI / 4}};

static void trace_dot(const struct brush *brush, struct point at, enum shape shape, double radius)
{
    const struct dot_shape *kind = &shapes[shape];
    if (shape == SHAPE_CIRCLE) {
        brush->cairo->new_sub_path(brush->to);
        brush->cairo->arc(brush->to, at.x, at.y, radius, 0, 2 * PI);
        brush->cairo->close_path(brush->to);
    } else if (kind->corners) {
        trace_corners(brush, at, kind->corners, radius * kind->radius, radius * kind->inner,
                      kind->start);
    } else {
        trace_plus(brush, at, radius, kind->start);
    }
}

static void paint_traced(const struct brush *brush, const struct style *style)
{
    if (style->fill != COLOUR_NONE) {
        brush_colour(brush, style->fill);
        brush->cairo->fill_preserve(brush->to);
    }
    if (style->line != COLOUR_NONE) {
        brush_stroke(brush, style);
        brush->cairo->stroke(brush->to);
    }
    brush->cairo->new_path(brush->to);
}

// ---- layers

struct dot_layers {
    struct arena memory;
    struct box around; // the dots that can be seen
    double step;       // dots two cells apart do not touch
    size_t across, down;
    uint32_t *tops; // [down][across]: the highest layer with a dot in this cell; 0: none
    uint32_t *of;   // [dots]: the layer of each; 0: it cannot be seen
    size_t *order;  // [dots]: by layers, and as they were within each
    size_t *starts; // [count + 2]: where a layer begins, from 1 on
    size_t count;
};

// One above the layers of the cells around it.
static uint32_t next_layer(struct dot_layers *layers, struct point at)
{
    size_t x = 1 + (size_t)((at.x - layers->around.left) / layers->step);
    size_t y = 1 + (size_t)((at.y - layers->around.top) / layers->step);
    uint32_t top = 0;
    for (size_t row = y - 1; row <= y + 1; row++)
        for (size_t column = x - 1; column <= x + 1; column++) {
            uint32_t here = layers->tops[row * layers->across + column];
            top = here > top ? here : top;
        }
    return layers->tops[y * layers->across + x] = top + 1;
}

static void sort_by_layer(struct dot_layers *layers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (layers->of[i])
            layers->starts[layers->of[i]]++;
    for (size_t layer = 1; layer <= layers->count + 1; layer++)
        layers->starts[layer] += layers->starts[layer - 1]; // where it ends
    for (size_t i = count; i-- > 0;)
        if (layers->of[i])
            layers->order[--layers->starts[layers->of[i]]] = i;
}

static bool find_layers(struct dot_layers *layers, const struct brush *brush,
                        const struct mark *mark)
{
    const struct point *dots = brush->page->points + mark->first;
    double reach = 1.5 * mark->radius + mark->style.width + 1;
    layers->around = box_grown(&mark->clip, reach);
    layers->step = 2 * reach;
    layers->across = (size_t)(fmax(0, box_width(&layers->around)) / layers->step) + 3;
    layers->down = (size_t)(fmax(0, box_height(&layers->around)) / layers->step) + 3;
    layers->tops = arena_new(&layers->memory, layers->across * layers->down, sizeof *layers->tops);
    layers->of = arena_new(&layers->memory, mark->count, sizeof *layers->of);
    layers->order = arena_new(&layers->memory, mark->count, sizeof *layers->order);
    if (!layers->tops || !layers->of || !layers->order)
        return false;
    for (size_t i = 0; i < mark->count; i++) {
        if (!box_contains(&layers->around, dots[i]))
            continue;
        layers->of[i] = next_layer(layers, dots[i]);
        layers->count = layers->of[i] > layers->count ? layers->of[i] : layers->count;
    }
    layers->starts = arena_new(&layers->memory, layers->count + 2, sizeof *layers->starts);
    if (!layers->starts)
        return false;
    sort_by_layer(layers, mark->count);
    return true;
}

static void paint_layers(const struct brush *brush, const struct mark *mark,
                         const struct dot_layers *layers)
{
    const struct point *dots = brush->page->points + mark->first;
    for (size_t layer = 1; layer <= layers->count; layer++) {
        for (size_t i = layers->starts[layer]; i < layers->starts[layer + 1]; i++)
            trace_dot(brush, dots[layers->order[i]], mark->shape, mark->radius);
        paint_traced(brush, &mark->style);
    }
}

static void paint_each(const struct brush *brush, const struct mark *mark)
{
    for (size_t i = 0; i < mark->count; i++) {
        trace_dot(brush, brush->page->points[mark->first + i], mark->shape, mark->radius);
        paint_traced(brush, &mark->style);
    }
}

static void dots_paint(const struct brush *brush, const struct mark *mark)
{
    struct dot_layers layers = {.count = 0};
    bool many = mark->count >= MANY;
    brush->cairo->save(brush->to);
    brush->cairo->new_path(brush->to);
    if (mark->count >= SEVERAL) {
        brush->cairo->set_antialias(brush->to, CAIRO_ANTIALIAS_FAST);
        brush->cairo->set_tolerance(brush->to, 0.25);
    }
    if (many && brush->vectors && find_layers(&layers, brush, mark))
        paint_layers(brush, mark, &layers);
    else // or no memory
        paint_each(brush, mark);
    brush->cairo->restore(brush->to);
    arena_free(&layers.memory);
}

// ---- paths

// The strokes belong to one pattern over the whole page, so that they continue in the next area.
static void hatch(const struct brush *brush, const struct mark *mark)
{
    const struct cairo *cairo = brush->cairo;
    const struct box around = mark_bounds(brush->page, mark), *seen = &mark->clip;
    const struct box box = {fmax(around.left, seen->left), fmax(around.top, seen->top),
                            fmin(around.right, seen->right), fmin(around.bottom, seen->bottom)};
    cairo->save(brush->to);
    outline_of_area(brush, mark);
    cairo->clip(brush->to);
    brush_stroke(brush, &mark->style);
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
    struct style style = mark->style;
    if (style.fill != COLOUR_NONE) {
        outline_of_area(brush, mark);
        brush_fill(brush, &style);
        brush->cairo->fill(brush->to);
    }
    if (style.line == COLOUR_NONE)
        return;
    if (style.hatched) {
        hatch(brush, mark);
        return;
    }
    bool boxes = outline_of_line(brush, mark, &style.width);
    brush_stroke(brush, &style);
    if (boxes)
        brush->cairo->set_line_join(brush->to, CAIRO_LINE_JOIN_MITER);
    brush->cairo->stroke(brush->to);
}

// ---- text and images

static void paint_string(const struct brush *brush, const struct mark *mark)
{
    static const double share[] = {0, -0.5, -1};
    const struct cairo *cairo = brush->cairo;
    const struct text_style *font = &mark->font;
    const struct point *at = brush->page->points + mark->first;
    cairo_text_extents_t text;
    cairo_font_extents_t metrics;
    font_choose(cairo, brush->to, font->size, font->bold);
    cairo->text_extents(brush->to, mark->text, &text);
    cairo->font_extents(brush->to, &metrics);
    double down = font->along == ALIGN_START    ? metrics.ascent
                  : font->along == ALIGN_MIDDLE ? 0.36 * font->size // of capitals
                                                : -metrics.descent;
    brush_colour(brush, font->colour);
    cairo->save(brush->to);
    cairo->translate(brush->to, at->x, at->y);
    if (font->upright)
        cairo->rotate(brush->to, -PI / 2);
    double left = share[font->across] * text.x_advance;
    cairo->move_to(brush->to, left, down);
    if (brush->vectors)
        cairo->show_text(brush->to, mark->text);
    else
        font_paint(cairo, brush->to, left, down, mark->text);
    cairo->restore(brush->to);
}

// An image that cairo refuses is not painted: cairo would leak the memory of a source in error.
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

// Clips at pixel borders.
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
        paint_string(brush, mark);
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
