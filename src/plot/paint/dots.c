// Dots. For SVG and PDF many of them become a few long paths, which are half as large: in layers,
// in which no two touch each other, so that each still covers those before it.
#include "base/memory.h"
#include "plot/paint/marks.h"

#ifdef TLU_HAVE_CAIRO
#include <math.h>

#define PI 3.14159265358979323846
#define MANY 2000
#define SEVERAL 400 // of which the last shade of an edge is not seen

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

// Two bars across each other, turned by an angle.
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

static void trace_dot(const struct brush *brush, struct point at, enum shape shape, double radius)
{
    switch (shape) {
    case SHAPE_SQUARE:
        trace_corners(brush, at, 4, radius * 1.2, 0, PI / 4);
        break;
    case SHAPE_TRIANGLE:
        trace_corners(brush, at, 3, radius * 1.45, 0, -PI / 2);
        break;
    case SHAPE_TRIANGLE_DOWN:
        trace_corners(brush, at, 3, radius * 1.45, 0, PI / 2);
        break;
    case SHAPE_DIAMOND:
        trace_corners(brush, at, 4, radius * 1.25, 0, 0);
        break;
    case SHAPE_STAR:
        trace_corners(brush, at, 10, radius * 1.5, radius * 0.65, -PI / 2);
        break;
    case SHAPE_PLUS:
        trace_plus(brush, at, radius, 0);
        break;
    case SHAPE_CROSS:
        trace_plus(brush, at, radius, PI / 4);
        break;
    default:
        brush->cairo->new_sub_path(brush->to);
        brush->cairo->arc(brush->to, at.x, at.y, radius, 0, 2 * PI);
        brush->cairo->close_path(brush->to);
    }
}

static void paint_traced(const struct brush *brush, const struct look *look)
{
    if (look->fill != COLOUR_NONE) {
        brush_colour(brush, look->fill);
        brush->cairo->fill_preserve(brush->to);
    }
    if (look->line != COLOUR_NONE) {
        brush_pen(brush, look);
        brush->cairo->stroke(brush->to);
    }
    brush->cairo->new_path(brush->to);
}

// ---- layers

struct layers {
    struct box around; // the dots that can be seen
    double step;       // dots two cells apart do not touch
    size_t across, down;
    uint32_t *tops; // [down][across]: the highest layer with a dot in this cell; 0: none
    uint32_t *of;   // [dots]: the layer of each; 0: it cannot be seen
    size_t *order;  // [dots]: by layers, and as they were within each
    size_t *starts; // [count + 2]: where a layer begins, from 1 on
    size_t count;
};

static bool is_within(const struct box *box, struct point at)
{
    return at.x >= box->left && at.x <= box->right && at.y >= box->top && at.y <= box->bottom;
}

// One above those of the cells around it.
static uint32_t next_layer(struct layers *layers, struct point at)
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

static void sort_by_layer(struct layers *layers, size_t count)
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

static bool find_layers(struct layers *layers, const struct brush *brush, const struct mark *mark)
{
    const struct point *dots = brush->page->points + mark->first;
    double reach = 1.5 * mark->radius + mark->look.width + 1;
    const struct box *clip = &mark->clip;
    layers->around = (struct box){clip->left - reach, clip->top - reach, clip->right + reach,
                                  clip->bottom + reach};
    layers->step = 2 * reach;
    layers->across = (size_t)(fmax(0, box_width(&layers->around)) / layers->step) + 3;
    layers->down = (size_t)(fmax(0, box_height(&layers->around)) / layers->step) + 3;
    layers->tops = memory_new(layers->across * layers->down, sizeof *layers->tops);
    layers->of = memory_new(mark->count, sizeof *layers->of);
    layers->order = memory_new(mark->count, sizeof *layers->order);
    if (!layers->tops || !layers->of || !layers->order)
        return false;
    for (size_t i = 0; i < mark->count; i++) {
        if (!is_within(&layers->around, dots[i]))
            continue;
        layers->of[i] = next_layer(layers, dots[i]);
        layers->count = layers->of[i] > layers->count ? layers->of[i] : layers->count;
    }
    layers->starts = memory_new(layers->count + 2, sizeof *layers->starts);
    if (!layers->starts)
        return false;
    sort_by_layer(layers, mark->count);
    return true;
}

static void paint_layers(const struct brush *brush, const struct mark *mark,
                         const struct layers *layers)
{
    const struct point *dots = brush->page->points + mark->first;
    for (size_t layer = 1; layer <= layers->count; layer++) {
        for (size_t i = layers->starts[layer]; i < layers->starts[layer + 1]; i++)
            trace_dot(brush, dots[layers->order[i]], mark->shape, mark->radius);
        paint_traced(brush, &mark->look);
    }
}

static void paint_each(const struct brush *brush, const struct mark *mark)
{
    for (size_t i = 0; i < mark->count; i++) {
        trace_dot(brush, brush->page->points[mark->first + i], mark->shape, mark->radius);
        paint_traced(brush, &mark->look);
    }
}

void dots_paint(const struct brush *brush, const struct mark *mark)
{
    struct layers layers = {.count = 0};
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
    memory_free(layers.tops);
    memory_free(layers.of);
    memory_free(layers.order);
    memory_free(layers.starts);
}
#endif
