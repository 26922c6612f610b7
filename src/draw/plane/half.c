#include "draw/plane/plane.h"

#include <math.h>

struct linear {
    double w0, w1, w2;
};

static double value_at(const struct linear *f, struct point at)
{
    return f->w0 + f->w1 * at.x + f->w2 * at.y;
}

// The place between two of which one is below 0.
static struct point zero_between(struct point a, struct point b, double at_a, double at_b)
{
    double share = at_a / (at_a - at_b);
    return (struct point){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

static void corners_of(const struct chart *chart, struct point corners[4])
{
    corners[0] = (struct point){chart->x.low, chart->y.low};
    corners[1] = (struct point){chart->x.high, chart->y.low};
    corners[2] = (struct point){chart->x.high, chart->y.high};
    corners[3] = (struct point){chart->x.low, chart->y.high};
}

// The box without what is below 0 (Sutherland and Hodgman 1974). Returns the number of points.
static size_t clip(const struct chart *chart, const struct linear *f, struct point out[8])
{
    struct point corners[4];
    size_t count = 0;
    corners_of(chart, corners);
    for (size_t i = 0; i < 4; i++) {
        struct point a = corners[i], b = corners[(i + 1) % 4];
        double at_a = value_at(f, a), at_b = value_at(f, b);
        if (at_a >= 0)
            out[count++] = a;
        if ((at_a >= 0) != (at_b >= 0))
            out[count++] = zero_between(a, b, at_a, at_b);
    }
    return count;
}

void plane_half(struct chart *chart, double w0, double w1, double w2, const struct look *fill)
{
    const struct linear f = {w0, w1, w2};
    struct point polygon[8];
    size_t count = clip(chart, &f, polygon);
    if (count > 2)
        chart_polygon(chart, polygon, count, fill);
}

bool plane_ends(const struct chart *chart, double w0, double w1, double w2, struct point ends[2])
{
    const struct linear f = {w0, w1, w2};
    struct point corners[4], met[4] = {{0, 0}, {0, 0}};
    size_t count = 0;
    corners_of(chart, corners);
    for (size_t i = 0; i < 4; i++) {
        struct point a = corners[i], b = corners[(i + 1) % 4];
        double at_a = value_at(&f, a), at_b = value_at(&f, b);
        if ((at_a >= 0) != (at_b >= 0))
            met[count++] = zero_between(a, b, at_a, at_b);
    }
    ends[0] = met[0];
    ends[1] = met[1];
    return count == 2;
}

void plane_line(struct chart *chart, double w0, double w1, double w2, const struct look *line)
{
    struct point ends[2];
    if (!plane_ends(chart, w0, w1, w2, ends))
        return;
    // Its ends are not to be seen where it is thick and not perpendicular to the border.
    double x = (ends[1].x - ends[0].x) / 16, y = (ends[1].y - ends[0].y) / 16;
    chart_line(chart, (struct point){ends[0].x - x, ends[0].y - y},
               (struct point){ends[1].x + x, ends[1].y + y}, line);
}
