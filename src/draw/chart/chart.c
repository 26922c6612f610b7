#include "draw/chart/chart.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define GAP 8

static struct letters letters_of(const struct chart *chart, double size, enum align across,
                                 enum align along)
{
    return (struct letters){
        .size = size, .across = across, .along = along, .colour = chart->page->picture->theme->ink};
}

static bool finite_range(const struct axis *axis)
{
    return isfinite(axis->low) && isfinite(axis->high);
}

static void widen(struct axis *axis)
{
    if (!finite_range(axis) || axis->low > axis->high) {
        axis->low = 0;
        axis->high = 1;
    }
    double least = fmax(fabs(axis->low), fabs(axis->high)) * 1e-9;
    if (axis->high - axis->low <= least) {
        double by = axis->low == 0 ? 1 : fabs(axis->low) / 2;
        axis->low -= by;
        axis->high += by;
    }
}

// ---- layout

static double line_height(const struct chart *chart, double size)
{
    struct letters letters = letters_of(chart, size, ALIGN_START, ALIGN_START);
    return page_text_height(chart->page, &letters);
}

static double widest_number(const struct chart *chart, const struct axis *axis)
{
    struct letters letters = letters_of(chart, chart->text, ALIGN_END, ALIGN_MIDDLE);
    double places[TICKS_MOST], step, widest = 0;
    char text[TICK_SIZE];
    if (axis->bare)
        return 0;
    for (size_t i = 0; i < axis->name_count; i++)
        widest = fmax(widest, page_text_width(chart->page, axis->names[i], &letters));
    if (axis->names)
        return fmin(widest, box_width(&chart->place) / 4);
    size_t count = axis_ticks(axis, 6, places, &step);
    for (size_t i = 0; i < count; i++)
        widest = fmax(widest, page_text_width(chart->page, axis_number(text, axis, places[i], step),
                                              &letters));
    return widest;
}

static double legend_width(const struct chart *chart)
{
    struct letters letters = letters_of(chart, chart->text, ALIGN_START, ALIGN_MIDDLE);
    double widest = 0;
    for (size_t i = 0; i < chart->legend_count; i++)
        widest = fmax(widest, page_text_width(chart->page, chart->legend[i].text, &letters));
    return chart->legend_count ? fmin(widest, box_width(&chart->place) / 4) + 4 * GAP : 0;
}

static void find_area(struct chart *chart)
{
    double line = line_height(chart, chart->text);
    struct box *area = &chart->area;
    *area = chart->place;
    area->left += GAP + widest_number(chart, &chart->y) + GAP + (chart->y.label ? line : 0);
    area->right -= 2 * GAP + legend_width(chart);
    area->top += GAP + (chart->title ? 1.5 * line : 0);
    area->bottom -= GAP + (chart->x.bare ? 0 : line) + (chart->x.label ? line : 0) +
                    (chart->caption ? 2 * line : 0);
}

// Widens the range of one axis so that units are as long on the other.
static void make_square(struct chart *chart)
{
    double across = (chart->x.high - chart->x.low) / box_width(&chart->area);
    double up = (chart->y.high - chart->y.low) / box_height(&chart->area);
    struct axis *short_one = across < up ? &chart->x : &chart->y;
    double factor = across < up ? up / across : across / up;
    double middle = short_one->low / 2 + short_one->high / 2;
    double half = (short_one->high / 2 - short_one->low / 2) * factor;
    short_one->low = middle - half;
    short_one->high = middle + half;
}

struct point chart_place(const struct chart *chart, double x, double y)
{
    const struct axis *across = &chart->x, *up = &chart->y;
    double right = across->logarithmic ? log(x / across->low) / log(across->high / across->low)
                                       : (x - across->low) / (across->high - across->low);
    double high = up->logarithmic ? log(y / up->low) / log(up->high / up->low)
                                  : (y - up->low) / (up->high - up->low);
    return (struct point){chart->area.left + right * box_width(&chart->area),
                          chart->area.bottom - high * box_height(&chart->area)};
}

void chart_begin(struct chart *chart)
{
    const struct theme *theme = chart->page->picture->theme;
    chart->text = chart->small ? 10 : 13;
    widen(&chart->x);
    widen(&chart->y);
    find_area(chart);
    if (chart->square)
        make_square(chart);
    page_clip(chart->page, NULL);
    page_box(chart->page, &chart->area, &(struct look){.fill = theme->panel, .line = COLOUR_NONE});
}

// ---- axes

static void draw_axis(struct chart *chart, const struct axis *axis, bool upright)
{
    const struct theme *theme = chart->page->picture->theme;
    double places[TICKS_MOST], step;
    struct letters letters = letters_of(chart, chart->text, upright ? ALIGN_END : ALIGN_MIDDLE,
                                        upright ? ALIGN_MIDDLE : ALIGN_START);
    char text[TICK_SIZE];
    size_t count = axis->names ? axis->name_count : axis_ticks(axis, 6, places, &step);
    for (size_t i = 0; i < count && !axis->bare; i++) {
        double at = axis->names ? (double)i : places[i];
        struct point place =
            upright ? chart_place(chart, chart->x.low, at) : chart_place(chart, at, chart->y.low);
        const char *name = axis->names ? axis->names[i] : axis_number(text, axis, at, step);
        double x = upright ? place.x - GAP : place.x, y = upright ? place.y : place.y + GAP / 2;
        page_text(chart->page, x, y, name, &letters);
        page_line(chart->page, place,
                  (struct point){upright ? place.x - 4 : place.x, upright ? place.y : place.y + 4},
                  &(struct look){COLOUR_NONE, theme->faint, 1, 0, false, false});
    }
}

static void draw_labels(struct chart *chart)
{
    double line = line_height(chart, chart->text);
    struct letters letters = letters_of(chart, chart->text, ALIGN_MIDDLE, ALIGN_START);
    double x = (chart->area.left + chart->area.right) / 2;
    double y = (chart->area.top + chart->area.bottom) / 2;
    if (chart->x.label)
        page_text(chart->page, x, chart->area.bottom + GAP / 2 + (chart->x.bare ? 0 : line),
                  chart->x.label, &letters);
    letters.upright = true;
    if (chart->y.label)
        page_text(chart->page, chart->place.left + GAP, y, chart->y.label, &letters);
    letters = letters_of(chart, chart->text * 1.15, ALIGN_START, ALIGN_START);
    letters.bold = true;
    if (chart->title)
        page_text(chart->page, chart->area.left, chart->place.top + GAP, chart->title, &letters);
    letters = letters_of(chart, chart->text * 0.9, ALIGN_START, ALIGN_END);
    if (chart->caption)
        page_text(chart->page, chart->place.left + GAP, chart->place.bottom - GAP, chart->caption,
                  &letters);
}

static void draw_legend(struct chart *chart)
{
    double line = line_height(chart, chart->text);
    struct letters letters = letters_of(chart, chart->text, ALIGN_START, ALIGN_MIDDLE);
    for (size_t i = 0; i < chart->legend_count; i++) {
        const struct legend_entry *entry = &chart->legend[i];
        struct point at = {chart->area.right + 2 * GAP, chart->area.top + ((double)i + 0.5) * line};
        if (entry->kind == LEGEND_DOT)
            page_dots(chart->page, &at, 1, entry->shape, 4, &entry->look);
        else if (entry->kind == LEGEND_LINE)
            page_line(chart->page, (struct point){at.x - GAP, at.y},
                      (struct point){at.x + GAP, at.y}, &entry->look);
        else
            page_box(chart->page, &(struct box){at.x - GAP, at.y - 5, at.x + GAP, at.y + 5},
                     &entry->look);
        page_text(chart->page, at.x + 1.5 * GAP, at.y, entry->text, &letters);
    }
}

void chart_end(struct chart *chart)
{
    const struct theme *theme = chart->page->picture->theme;
    page_clip(chart->page, NULL);
    page_box(chart->page, &chart->area,
             &(struct look){COLOUR_NONE, theme->faint, 1, 0, false, true});
    draw_axis(chart, &chart->x, false);
    draw_axis(chart, &chart->y, true);
    draw_labels(chart);
    draw_legend(chart);
}

// ---- data

void chart_dots(struct chart *chart, const struct point *at, size_t count, enum shape shape,
                double radius, const struct look *look)
{
    struct point *places = memory_new(count + 1, sizeof *places);
    size_t seen = 0;
    if (!places) {
        chart->page->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct point place = chart_place(chart, at[i].x, at[i].y);
        if (place.x >= chart->area.left - radius && place.x <= chart->area.right + radius &&
            place.y >= chart->area.top - radius && place.y <= chart->area.bottom + radius)
            places[seen++] = place;
    }
    page_clip(chart->page, &chart->area);
    page_dots(chart->page, places, seen, shape, radius, look);
    memory_free(places);
}

// Cuts the part of a segment off that is outside of low to high, by one coordinate (Liang and
// Barsky 1984); false: nothing is left.
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
    struct box wide = chart->area; // a little more, so that ends of thick lines are not seen
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

void chart_curve(struct chart *chart, const struct point *at, size_t count, const struct look *look)
{
    struct point last = {NAN, NAN};
    page_clip(chart->page, &chart->area);
    path_begin(chart->page, look);
    for (size_t i = 0; i + 1 < count; i++) {
        struct point a = chart_place(chart, at[i].x, at[i].y);
        struct point b = chart_place(chart, at[i + 1].x, at[i + 1].y);
        if (!visible(chart, &a, &b))
            continue;
        if (a.x != last.x || a.y != last.y)
            path_move(chart->page, a.x, a.y);
        path_line(chart->page, b.x, b.y);
        last = b;
    }
    path_end(chart->page);
}

void chart_line(struct chart *chart, struct point from, struct point to, const struct look *look)
{
    const struct point ends[2] = {from, to};
    chart_curve(chart, ends, 2, look);
}

void chart_polygon(struct chart *chart, const struct point *at, size_t count,
                   const struct look *look)
{
    struct look closed = *look;
    closed.closed = true;
    page_clip(chart->page, &chart->area);
    path_begin(chart->page, &closed);
    for (size_t i = 0; i < count; i++) {
        struct point place = chart_place(chart, at[i].x, at[i].y);
        if (i == 0)
            path_move(chart->page, place.x, place.y);
        else
            path_line(chart->page, place.x, place.y);
    }
    path_end(chart->page);
}

void chart_arrow(struct chart *chart, struct point from, struct point to, const struct look *look)
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
    page_line(chart->page, a, base, look);
    page_polygon(chart->page, tip, 3, &(struct look){look->line, COLOUR_NONE, 0, 0, false, true});
}
