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
    chart_frame(chart->page, chart->title, chart->caption, chart->small, &chart->layout.space);
    legend_plan(chart);
    layout_find(chart);
    page_box(chart->page, &chart->area, &(struct style){.fill = theme->panel, .line = COLOUR_NONE});
    axes_grid(chart);
}

void chart_end(struct chart *chart)
{
    assert(box_width(&chart->area) > 0 && box_height(&chart->area) > 0); // chart_begin
    page_clip(chart->page, NULL);
    axes_draw(chart);
    legend_draw(chart);
}

struct box chart_place_below(const struct chart *chart, const char *widest, double bottom)
{
    const struct text_style font = {.size = chart->text};
    double margin = chart->layout.space.left - chart->place.left;
    double wider = chart->layout.y_space - page_text_width(chart->page, widest, &font);
    return (struct box){chart->place.left + fmax(0, wider), chart->place.bottom,
                        chart->layout.space.right + margin, bottom};
}

// ---- data: from its units to the page

#define UNSEEN 0.2 // points

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
    const struct box seen_area = box_grown(&chart->area, 0.01);
    const struct box clip = box_grown(&chart->area, 1.4 * radius + style->width);
    bool text = chart_is_text(chart);
    size_t seen = 0;
    if (!places) {
        chart->page->picture->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct point place = chart_place(chart, at[i].x, at[i].y);
        if (box_contains(&seen_area, place))
            places[seen++] = text ? in_last_cell(&chart->area, place) : place;
    }
    page_clip(chart->page, &clip);
    page_dots(chart->page, places, seen, shape, radius, style);
    memory_free(places);
}

static bool visible(const struct chart *chart, struct point *a, struct point *b)
{
    double from = 0, to = 1, across = b->x - a->x, down = b->y - a->y;
    const struct box wide = box_grown(&chart->area, 20); // hides the ends of thick lines
    if (!isfinite(across) || !isfinite(down) ||
        !range_cut(a->x, across, wide.left, wide.right, &from, &to) ||
        !range_cut(a->y, down, wide.top, wide.bottom, &from, &to))
        return false;
    struct point start = *a;
    *a = (struct point){start.x + from * across, start.y + from * down};
    *b = (struct point){start.x + to * across, start.y + to * down};
    return true;
}

void chart_curve(struct chart *chart, const struct point *at, size_t count,
                 const struct style *style)
{
    struct point last = {NAN, NAN}, from = {NAN, NAN};
    page_clip(chart->page, &chart->area);
    path_begin(chart->page, style);
    for (size_t i = 0; i < count; i++) {
        struct point to = chart_place(chart, at[i].x, at[i].y), a = from, b = to;
        if (fabs(from.x - to.x) < UNSEEN && fabs(from.y - to.y) < UNSEEN && i + 1 < count)
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

// ---- polygons: clipped, because cutting off coordinates would change the directions of edges

struct polygon_path {
    struct page *page;
    bool begun;
};

static void add_corner(void *context, struct point at)
{
    struct polygon_path *path = context;
    if (path->begun)
        path_line(path->page, at.x, at.y);
    else
        path_move(path->page, at.x, at.y);
    path->begun = true;
}

void chart_polygon(struct chart *chart, const struct point *at, size_t count,
                   const struct style *style)
{
    struct polygon_path path = {chart->page, false};
    struct polygon_cutter cutter = {
        .within = box_grown(&chart->area, 20), .add = add_corner, .context = &path};
    struct style closed = *style;
    closed.closed = true;
    page_clip(chart->page, &chart->area);
    path_begin(chart->page, &closed);
    for (size_t i = 0; i < count; i++) {
        struct point place = chart_place(chart, at[i].x, at[i].y);
        if (isfinite(place.x) && isfinite(place.y))
            polygon_point(&cutter, place);
    }
    polygon_end(&cutter);
    path_end(chart->page);
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
    page_polygon(chart->page, tip, 3,
                 &(struct style){style->line, COLOUR_NONE, 0, 0, false, true, 0});
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

struct legend_entry class_entry(const struct theme *theme, size_t class_index, const char *text)
{
    return (struct legend_entry){text, LEGEND_DOT, class_style(theme, class_index),
                                 class_shape(class_index)};
}
