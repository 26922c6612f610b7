// Charts: ranges, the order of drawing, and data from its units to the page.
#include "plot/chart/chart.h"
#include "base/memory.h"
#include "plot/chart/internal.h"

#include <assert.h>
#include <math.h>

#define LARGEST 4e307 // so that a range has a length

struct text_style chart_font(const struct chart *chart, enum align across, enum align along)
{
    return (struct text_style){.size = chart->text,
                               .across = across,
                               .along = along,
                               .colour = chart->page->picture->theme->ink};
}

double chart_line_height(const struct chart *chart)
{
    const struct text_style font = chart_font(chart, ALIGN_START, ALIGN_START);
    return page_text_height(chart->page, &font);
}

// A logarithmic axis without a positive low starts at a hundredth of high.
static void widen_logarithmic(struct axis *axis)
{
    if (!(axis->high > 0))
        axis->high = 10;
    if (!(axis->low > 0))
        axis->low = axis->high / 100;
    if (axis->high / axis->low < 1 + 1e-6) {
        axis->low /= 2;
        axis->high *= 2;
    }
}

static void widen(struct axis *axis)
{
    if (!isfinite(axis->low) || !isfinite(axis->high) || axis->low > axis->high) {
        axis->low = 0;
        axis->high = 1;
    }
    axis->low = fmax(axis->low, -LARGEST);
    axis->high = fmin(axis->high, LARGEST);
    if (axis->logarithmic) {
        widen_logarithmic(axis);
        return;
    }
    double least = fmax(fabs(axis->low), fabs(axis->high)) * 1e-9;
    if (axis->high - axis->low <= least) {
        double by = axis->low == 0 ? 1 : fabs(axis->low) / 2;
        axis->low -= by;
        axis->high += by;
    }
}

static double share_of(const struct axis *axis, double value)
{
    assert(axis->high > axis->low && (!axis->logarithmic || axis->low > 0));
    return axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                             : (value - axis->low) / (axis->high - axis->low);
}

struct point chart_place(const struct chart *chart, double x, double y)
{
    return (struct point){chart->area.left + share_of(&chart->x, x) * box_width(&chart->area),
                          chart->area.bottom - share_of(&chart->y, y) * box_height(&chart->area)};
}

void chart_begin(struct chart *chart)
{
    const struct theme *theme = chart->page->picture->theme;
    chart->text = page_text_size(chart->page, chart->small);
    chart->layout = (struct chart_layout){.space = chart->place};
    widen(&chart->x);
    widen(&chart->y);
    frame_draw(chart->page, chart->title, chart->caption, chart->small, &chart->layout.space);
    legend_plan(chart);
    layout_find(chart);
    page_box(chart->page, &chart->area, &(struct style){.fill = theme->panel, .line = COLOUR_NONE});
    axes_grid(chart);
}

void chart_end(struct chart *chart)
{
    page_clip(chart->page, NULL);
    axes_draw(chart);
    legend_draw(chart);
}

// ---- data: from its units to the page

#define UNSEEN 0.2 // points

static bool is_inside(const struct box *box, struct point at)
{
    const double touch = 0.01;
    return at.x >= box->left - touch && at.x <= box->right + touch && at.y >= box->top - touch &&
           at.y <= box->bottom + touch;
}

// Moves places at the end of the area into its last cell.
static struct point in_last_cell(const struct box *area, struct point at)
{
    return (struct point){fmin(at.x, area->right - CELL_WIDTH / 2.0),
                          fmin(at.y, area->bottom - CELL_HEIGHT / 2.0)};
}

// A dot whose centre is in the area is drawn whole.
void chart_dots(struct chart *chart, const struct point *at, size_t count, enum shape shape,
                double radius, const struct style *style)
{
    struct point *places = memory_new(count + 1, sizeof *places);
    double more = 1.4 * radius + style->width;
    bool text = picture_is_text(chart->page->picture);
    size_t seen = 0;
    if (!places) {
        chart->page->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct point place = chart_place(chart, at[i].x, at[i].y);
        if (is_inside(&chart->area, place))
            places[seen++] = text ? in_last_cell(&chart->area, place) : place;
    }
    page_clip(chart->page, &(struct box){chart->area.left - more, chart->area.top - more,
                                         chart->area.right + more, chart->area.bottom + more});
    page_dots(chart->page, places, seen, shape, radius, style);
    memory_free(places);
}

// Clips a segment to low ... high in one coordinate (Liang and Barsky 1984); false: nothing is
// left.
static bool cut(double start, double change, double low, double high, double *from, double *to)
{
    if (change == 0)
        return start >= low && start <= high;
    double enter = (low - start) / change, leave = (high - start) / change;
    *from = fmax(*from, fmin(enter, leave));
    *to = fmin(*to, fmax(enter, leave));
    return *from <= *to;
}

static bool visible(const struct chart *chart, struct point *a, struct point *b)
{
    double from = 0, to = 1, across = b->x - a->x, down = b->y - a->y;
    struct box wide = chart->area; // hides the ends of thick lines
    wide.left -= 20, wide.top -= 20, wide.right += 20, wide.bottom += 20;
    if (!isfinite(across) || !isfinite(down) ||
        !cut(a->x, across, wide.left, wide.right, &from, &to) ||
        !cut(a->y, down, wide.top, wide.bottom, &from, &to))
        return false;
    struct point start = *a;
    *a = (struct point){start.x + from * across, start.y + from * down};
    *b = (struct point){start.x + to * across, start.y + to * down};
    return true;
}

// Whether a step is too short to be seen.
static bool is_near(struct point a, struct point b)
{
    return fabs(a.x - b.x) < UNSEEN && fabs(a.y - b.y) < UNSEEN;
}

void chart_curve(struct chart *chart, const struct point *at, size_t count,
                 const struct style *style)
{
    struct point last = {NAN, NAN}, from = {NAN, NAN};
    page_clip(chart->page, &chart->area);
    path_begin(chart->page, style);
    for (size_t i = 0; i < count; i++) {
        struct point to = chart_place(chart, at[i].x, at[i].y), a = from, b = to;
        if (is_near(from, to) && i + 1 < count)
            continue;
        from = to;
        if (!visible(chart, &a, &b))
            continue;
        if (a.x != last.x || a.y != last.y)
            path_move(chart->page, a.x, a.y);
        path_line(chart->page, b.x, b.y);
        last = b;
    }
    path_end(chart->page);
}

void chart_line(struct chart *chart, struct point from, struct point to, const struct style *style)
{
    const struct point ends[2] = {from, to};
    chart_curve(chart, ends, 2, style);
}

// ---- polygons: clipped at the four sides (Sutherland and Hodgman 1974), because cutting off
// coordinates would change the directions of edges

struct corners {
    struct point *at;
    size_t count;
};

// The distance of a point from a side of the box, positive inside: 0 left, 1 right, 2 top, 3
// bottom.
static double depth(const struct box *box, int side, struct point at)
{
    switch (side) {
    case 0:
        return at.x - box->left;
    case 1:
        return box->right - at.x;
    case 2:
        return at.y - box->top;
    default:
        return box->bottom - at.y;
    }
}

// Each edge gives at most two corners.
static void cut_side(const struct box *box, int side, const struct corners *from,
                     struct corners *to)
{
    to->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        struct point a = from->at[i], b = from->at[(i + 1) % from->count];
        double in = depth(box, side, a), next = depth(box, side, b);
        if (in >= 0)
            to->at[to->count++] = a;
        if ((in >= 0) == (next >= 0))
            continue;
        double share = in / (in - next);
        to->at[to->count++] = (struct point){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
    }
}

void chart_polygon(struct chart *chart, const struct point *at, size_t count,
                   const struct style *style)
{
    const struct box wide = {chart->area.left - 20, chart->area.top - 20, chart->area.right + 20,
                             chart->area.bottom + 20};
    size_t most = 16 * (count + 1); // twice as many by each side
    struct point *scratch = memory_new(2 * most, sizeof *scratch);
    struct corners now = {scratch, 0}, next = {scratch ? scratch + most : NULL, 0};
    if (!scratch) {
        chart->page->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct point place = chart_place(chart, at[i].x, at[i].y);
        if (isfinite(place.x) && isfinite(place.y))
            now.at[now.count++] = place;
    }
    for (int side = 0; side < 4; side++) {
        cut_side(&wide, side, &now, &next);
        struct corners swap = now;
        now = next;
        next = swap;
    }
    page_clip(chart->page, &chart->area);
    page_polygon(chart->page, now.at, now.count, style);
    memory_free(scratch);
}

void chart_box(struct chart *chart, struct point from, struct point to, const struct style *style)
{
    const struct point corners[4] = {from, {to.x, from.y}, to, {from.x, to.y}};
    chart_polygon(chart, corners, 4, style);
}

// ---- notes and arrows

static double moved_inside(double at, double before, double after, double low, double high)
{
    return fmax(low + before, fmin(high - after, at));
}

void chart_note(struct chart *chart, struct point at, const char *text,
                const struct text_style *font)
{
    static const double share[] = {0, 0.5, 1};
    const struct box *area = &chart->area;
    struct point place = chart_place(chart, at.x, at.y);
    double width = fmin(page_text_width(chart->page, text, font), box_width(area));
    double height = page_text_height(chart->page, font);
    double left = share[font->across] * width, above = share[font->along] * height;
    if (height > box_height(area) || !isfinite(place.x) || !isfinite(place.y))
        return;
    place.x = moved_inside(place.x, left, width - left, area->left, area->right);
    place.y = moved_inside(place.y, above, height - above, area->top, area->bottom);
    page_clip(chart->page, NULL);
    page_fit_text(chart->page, place.x, place.y, text, font, box_width(area));
}

void chart_arrow(struct chart *chart, struct point from, struct point to, const struct style *style)
{
    struct point a = chart_place(chart, from.x, from.y), b = chart_place(chart, to.x, to.y);
    double length = hypot(b.x - a.x, b.y - a.y), head = 9;
    if (!(length > 0) || !isfinite(length))
        return;
    struct point along = {(b.x - a.x) / length, (b.y - a.y) / length};
    struct point base = {b.x - head * along.x, b.y - head * along.y};
    const struct point tip[3] = {b,
                                 {base.x - head / 2 * along.y, base.y + head / 2 * along.x},
                                 {base.x + head / 2 * along.y, base.y - head / 2 * along.x}};
    page_clip(chart->page, &chart->area);
    page_line(chart->page, a, base, style);
    page_polygon(chart->page, tip, 3, &(struct style){style->line, COLOUR_NONE, 0, 0, false, true});
}

// ---- styles of classes

struct style class_style(const struct theme *theme, size_t class_index)
{
    return edged_style(theme_series(theme, class_index), theme->panel, 0.8);
}

// Shapes and colours distinguish SHAPE_COUNT * THEME_COLOURS classes.
enum shape class_shape(size_t class_index)
{
    return (enum shape)((class_index + class_index / THEME_COLOURS) % SHAPE_COUNT);
}
