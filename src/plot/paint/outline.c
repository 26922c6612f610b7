#include "plot/paint/outline.h"

#ifdef TLU_HAVE_CAIRO
#include <math.h>

#define BOX_POINTS 5 // of a box or a line; a curve of more is left where it is

// What is beyond these limits on one side is cut off; see stage.
struct outline {
    const struct brush *brush;
    struct box within;
    bool begun;
};

static void add(struct outline *outline, struct point at)
{
    const struct brush *brush = outline->brush;
    if (outline->begun)
        brush->cairo->line_to(brush->to, at.x, at.y);
    else
        brush->cairo->move_to(brush->to, at.x, at.y);
    outline->begun = true;
}

// How far inside of a side: 0 left, 1 right, 2 top, 3 bottom.
static double inside(const struct box *box, int side, struct point at)
{
    return side == 0   ? at.x - box->left
           : side == 1 ? box->right - at.x
           : side == 2 ? at.y - box->top
                       : box->bottom - at.y;
}

static struct point between(struct point a, struct point b, double share)
{
    return (struct point){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

// ---- closed: cut at one side after the other (I. E. Sutherland and G. W. Hodgman, 1974)

struct corner_cut {
    struct point first, last;
    bool any;
};

static void cut_edge(struct outline *outline, struct corner_cut *cuts, int side, struct point from,
                     struct point to);

static void cut_point(struct outline *outline, struct corner_cut *cuts, int side, struct point at)
{
    if (side == 4) {
        add(outline, at);
        return;
    }
    struct corner_cut *cut = &cuts[side];
    if (cut->any)
        cut_edge(outline, cuts, side, cut->last, at);
    else
        cut->first = at;
    cut->last = at;
    cut->any = true;
    if (inside(&outline->within, side, at) >= 0)
        cut_point(outline, cuts, side + 1, at);
}

// Where an edge crosses the side.
static void cut_edge(struct outline *outline, struct corner_cut *cuts, int side, struct point from,
                     struct point to)
{
    double a = inside(&outline->within, side, from), b = inside(&outline->within, side, to);
    if ((a >= 0) != (b >= 0))
        cut_point(outline, cuts, side + 1, between(from, to, a / (a - b)));
}

static void trace_closed(struct outline *outline, const struct point *points, size_t count)
{
    struct corner_cut cuts[4] = {{{0, 0}, {0, 0}, false}};
    for (size_t i = 0; i < count; i++)
        cut_point(outline, cuts, 0, points[i]);
    for (int side = 0; side < 4; side++)
        if (cuts[side].any)
            cut_edge(outline, cuts, side, cuts[side].last, cuts[side].first);
    if (outline->begun)
        outline->brush->cairo->close_path(outline->brush->to);
}

// ---- open: the part of each piece that is inside (Y.-D. Liang and B. A. Barsky, 1984)

static void trace_open(struct outline *outline, const struct point *points, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double enters = 0, leaves = 1;
        for (int side = 0; side < 4; side++) {
            double a = inside(&outline->within, side, points[i - 1]);
            double b = inside(&outline->within, side, points[i]);
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
            add(outline, between(points[i - 1], points[i], enters));
        }
        add(outline, leaves < 1 ? between(points[i - 1], points[i], leaves) : points[i]);
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

// In the middle of a pixel for pens of an odd number of them, and where pixels meet for others.
static double settle(double place, double scale, bool odd)
{
    double pixel = place * scale;
    return (odd ? floor(pixel + 1e-6) + 0.5 : round(pixel)) / scale;
}

static void trace(const struct brush *brush, const struct mark *mark, bool closed, bool boxes,
                  bool odd)
{
    double more = mark->look.width + 2;
    struct outline outline = {brush,
                              {mark->clip.left - more, mark->clip.top - more,
                               mark->clip.right + more, mark->clip.bottom + more},
                              false};
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

void outline_of_area(const struct brush *brush, const struct mark *mark)
{
    trace(brush, mark, true, true, false);
}

bool outline_of_line(const struct brush *brush, const struct mark *mark, double *width)
{
    const struct point *points = brush->page->points + mark->first;
    bool boxes = true;
    for (size_t i = 0; boxes && i < mark->strokes; i++) {
        size_t count = brush->page->strokes[mark->first_stroke + i];
        boxes = is_box(points, count, mark->look.closed);
        points += count;
    }
    double pixels = fmax(1, round(mark->look.width * brush->scale));
    if (boxes)
        *width = pixels / brush->scale;
    trace(brush, mark, mark->look.closed, boxes, fmod(pixels, 2) == 1);
    return boxes;
}
#endif
