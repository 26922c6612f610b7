#include "plot/plane/plane.h"

#include <math.h>

#define RIM 1.5       // on either side of a line above points
#define ARROW_SHARE 6 // height of the area divided by the length of an arrow
#define ARROW_MIN 16
#define HEAD 9 // see chart_arrow

size_t linear_corners(const struct linear *f, struct point low, struct point high)
{
    size_t count = 0;
    for (int i = 0; i < 4; i++)
        count += linear_at(f, (struct point){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y}) >= 0;
    return count;
}

// Goes around the area: lists the places where the function is 0, and with `inside` also the
// corners where it is >= 0 (Sutherland and Hodgman 1974). Returns their number.
static size_t clip(const struct chart *chart, const struct linear *f, bool inside,
                   struct point out[8])
{
    const struct point corners[4] = {{chart->x.low, chart->y.low},
                                     {chart->x.high, chart->y.low},
                                     {chart->x.high, chart->y.high},
                                     {chart->x.low, chart->y.high}};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        struct point a = corners[i], b = corners[(i + 1) % 4];
        double at_a = linear_at(f, a), at_b = linear_at(f, b);
        if (inside && at_a >= 0)
            out[count++] = a;
        if ((at_a >= 0) != (at_b >= 0))
            out[count++] = point_between(a, b, at_a / (at_a - at_b));
    }
    return count;
}

void plane_half(struct chart *chart, const struct linear *f, const struct style *fill)
{
    struct point polygon[8];
    size_t count = clip(chart, f, true, polygon);
    if (count > 2)
        chart_polygon(chart, polygon, count, fill);
}

bool plane_ends(const struct chart *chart, const struct linear *f, struct point ends[2])
{
    struct point met[8] = {{0, 0}, {0, 0}};
    size_t count = clip(chart, f, false, met);
    ends[0] = met[0];
    ends[1] = met[1];
    return count == 2;
}

void plane_line(struct chart *chart, const struct linear *f, const struct style *line)
{
    struct point ends[2];
    if (!plane_ends(chart, f, ends))
        return;
    // Extended, so that the ends of a thick line are outside the area.
    double x = (ends[1].x - ends[0].x) / 16, y = (ends[1].y - ends[0].y) / 16;
    chart_line(chart, (struct point){ends[0].x - x, ends[0].y - y},
               (struct point){ends[1].x + x, ends[1].y + y}, line);
}

// ---- above points

static struct style rim_of(const struct style *line)
{
    return line_style(line->fill, line->width + 2 * RIM, 0);
}

void plane_line_above(struct chart *chart, const struct linear *f, const struct style *line)
{
    struct style rim = rim_of(line), bare = *line;
    bare.fill = COLOUR_NONE;
    if (!picture_is_text(chart->page->picture))
        plane_line(chart, f, &rim);
    plane_line(chart, f, &bare);
}

struct arrow {
    struct point from, along; // on the page; along: a unit vector
    double length;
};

static struct point arrow_at(const struct arrow *arrow, double along, double beside)
{
    return (struct point){arrow->from.x + along * arrow->along.x - beside * arrow->along.y,
                          arrow->from.y + along * arrow->along.y + beside * arrow->along.x};
}

// From the page to the units of the data.
static struct point unit_of(const struct chart *chart, struct point at)
{
    const struct box *area = &chart->area;
    double across = (at.x - area->left) / box_width(area);
    double up = (area->bottom - at.y) / box_height(area);
    return (struct point){chart->x.low + across * (chart->x.high - chart->x.low),
                          chart->y.low + up * (chart->y.high - chart->y.low)};
}

// The distance to the border of the box.
static double distance_ahead(const struct box *box, const struct arrow *arrow)
{
    struct point from = arrow->from, along = arrow->along;
    double across = along.x > 0 ? box->right - from.x : from.x - box->left;
    double down = along.y > 0 ? box->bottom - from.y : from.y - box->top;
    return fmin(along.x != 0 ? across / fabs(along.x) : INFINITY,
                along.y != 0 ? down / fabs(along.y) : INFINITY);
}

static bool arrow_of(const struct chart *chart, const struct linear *f, struct arrow *arrow)
{
    struct point ends[2];
    if (!plane_ends(chart, f, ends))
        return false;
    struct point a = chart_place(chart, ends[0].x, ends[0].y);
    struct point b = chart_place(chart, ends[1].x, ends[1].y);
    double x = f->w1 * (chart->x.high - chart->x.low) / box_width(&chart->area);
    double y = f->w2 * (chart->y.high - chart->y.low) / box_height(&chart->area);
    double steep = hypot(x, y);
    arrow->from = (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2};
    arrow->along = (struct point){x / steep, -y / steep};
    arrow->length =
        fmin(box_height(&chart->area) / ARROW_SHARE, distance_ahead(&chart->area, arrow));
    return isfinite(steep) && steep > 0 && arrow->length >= ARROW_MIN;
}

static void draw_rim(struct chart *chart, const struct arrow *arrow, const struct style *line)
{
    struct style rim = rim_of(line);
    const struct point head[3] = {arrow_at(arrow, arrow->length, 0),
                                  arrow_at(arrow, arrow->length - HEAD, HEAD / 2.0),
                                  arrow_at(arrow, arrow->length - HEAD, -HEAD / 2.0)};
    page_clip(chart->page, &chart->area);
    page_line(chart->page, arrow->from, arrow_at(arrow, arrow->length - HEAD, 0), &rim);
    rim.width = 2 * RIM;
    rim.closed = true;
    page_polygon(chart->page, head, 3, &rim);
}

// The label, ahead of the arrow or beside it.
static void draw_w(struct chart *chart, const struct arrow *arrow, const struct style *line)
{
    struct text_style font = {chart->text * 1.1, ALIGN_MIDDLE, ALIGN_MIDDLE, true, false,
                              line->line};
    const struct style ground = fill_style(line->fill);
    bool text = picture_is_text(chart->page->picture);
    double width = page_text_width(chart->page, "w", &font) / 2;
    double tall = text ? CELL_HEIGHT / 2.0 : width;
    double ahead = hypot(arrow->along.x * width, arrow->along.y * tall) + 2 * RIM;
    double beside = hypot(arrow->along.y * width, arrow->along.x * tall) + HEAD;
    struct point at = distance_ahead(&chart->area, arrow) > arrow->length + 2 * ahead
                          ? arrow_at(arrow, arrow->length + ahead, 0)
                          : arrow_at(arrow, arrow->length / 2, beside);
    page_clip(chart->page, &chart->area);
    if (!text)
        page_dots(chart->page, &at, 1, SHAPE_CIRCLE, width + RIM, &ground);
    page_fit_text(chart->page, at.x, at.y + (text ? 0 : width / 4), "w", &font,
                  box_width(&chart->area));
}

void plane_normal(struct chart *chart, const struct linear *f, const struct style *line)
{
    struct arrow arrow;
    struct style bare = *line;
    bare.fill = COLOUR_NONE;
    if (!arrow_of(chart, f, &arrow))
        return;
    struct point to = arrow_at(&arrow, arrow.length, 0);
    if (!picture_is_text(chart->page->picture))
        draw_rim(chart, &arrow, line);
    draw_w(chart, &arrow, line);
    chart_arrow(chart, unit_of(chart, arrow.from), unit_of(chart, to), &bare);
}
