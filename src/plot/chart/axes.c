// The axes of a chart: grid, numbers or names, labels. On a terminal the axes are letters.
#include "plot/chart/internal.h"

#include <math.h>

#define TICK 4

struct ticks {
    size_t count;
    double places[TICKS_MAX];
    double step;
};

static struct ticks ticks_of(const struct chart *chart, bool up)
{
    struct ticks ticks = {0};
    const struct axis *axis = up ? &chart->y : &chart->x;
    if (!axis->names)
        ticks.count = axis_ticks(axis, up ? chart->layout.y_about : chart->layout.x_about,
                                 ticks.places, &ticks.step);
    return ticks;
}

static struct point place_on(const struct chart *chart, bool up, double at)
{
    return up ? chart_place(chart, chart->x.low, at) : chart_place(chart, at, chart->y.low);
}

// In logarithms low is no number below 0, so the corner is taken from the area.
static bool is_on_axis(const struct chart *chart, bool up, double at)
{
    struct point place = place_on(chart, up, at);
    return up ? place.y >= chart->area.top - 0.5 && place.y <= chart->area.bottom + 0.5
              : place.x >= chart->area.left - 0.5 && place.x <= chart->area.right + 0.5;
}

void axes_grid(struct chart *chart)
{
    const struct look look = {COLOUR_NONE, chart->page->picture->theme->grid, 1, 0, false, false};
    if (chart_is_text(chart))
        return;
    for (int up = 0; up < 2; up++) {
        struct ticks ticks = ticks_of(chart, up);
        for (size_t i = 0; i < ticks.count; i++) {
            struct point at = place_on(chart, up, ticks.places[i]);
            if (up)
                page_line(chart->page, (struct point){chart->area.left, at.y},
                          (struct point){chart->area.right, at.y}, &look);
            else
                page_line(chart->page, (struct point){at.x, chart->area.top},
                          (struct point){at.x, chart->area.bottom}, &look);
        }
    }
}

// ---- on a terminal

// Whether a number belongs to the row or column of cells that begins here.
static bool has_tick(const struct chart *chart, bool up, double cell)
{
    const struct ticks ticks = ticks_of(chart, up);
    double size = up ? CELL_HEIGHT : CELL_WIDTH;
    double last = up ? chart->area.bottom - size : chart->area.right - size;
    for (size_t i = 0; i < ticks.count && !(up ? chart->y.bare : chart->x.bare); i++) {
        struct point at = place_on(chart, up, ticks.places[i]);
        if (fmin(last, floor((up ? at.y : at.x) / size) * size) == cell)
            return true;
    }
    return false;
}

static void draw_text_axes(struct chart *chart)
{
    struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_START);
    const struct box *area = &chart->area;
    letters.colour = chart->page->picture->theme->faint;
    for (double y = area->top; y < area->bottom - 1; y += CELL_HEIGHT)
        words_put(chart->page, area->left - CELL_WIDTH, y, has_tick(chart, true, y) ? "┤" : "│",
                  &letters);
    words_put(chart->page, area->left - CELL_WIDTH, area->bottom, "└", &letters);
    for (double x = area->left; x < area->right - 1; x += CELL_WIDTH)
        words_put(chart->page, x, area->bottom, has_tick(chart, false, x) ? "┬" : "─", &letters);
}

// ---- numbers and names

// Where text for a place on the axis is put, and the mark that leads to it.
static void draw_place(struct chart *chart, bool up, double at, const char *text, double width)
{
    const struct look look = {COLOUR_NONE, chart->page->picture->theme->faint, 1, 0, false, false};
    const struct box *area = &chart->area;
    struct point place = place_on(chart, up, at);
    bool turned = !up && chart->layout.turned;
    struct letters letters = chart_letters(chart, up || turned ? ALIGN_END : ALIGN_MIDDLE,
                                           up || turned ? ALIGN_MIDDLE : ALIGN_START);
    letters.upright = turned;
    letters.size = up ? chart->layout.y_text : chart->layout.x_text;
    if (chart_is_text(chart)) {
        if (up)
            words_fit_name(chart->page, area->left - CELL_WIDTH,
                           fmin(place.y, area->bottom - CELL_HEIGHT / 2), text, &letters, width);
        else
            words_fit_name(chart->page, place.x, area->bottom + CELL_HEIGHT, text, &letters, width);
        return;
    }
    struct point end = {up ? area->left - TICK : place.x, up ? place.y : area->bottom + TICK};
    page_line(chart->page, (struct point){up ? area->left : place.x, up ? place.y : area->bottom},
              end, &look);
    if (up)
        words_fit_name(chart->page, end.x - GAP / 2, end.y, text, &letters, width);
    else
        words_fit_name(chart->page, end.x, end.y + GAP / 4, text, &letters, width);
}

// A number is never cut: what does not fit, or is too close to the last one, is left out.
static void draw_numbers(struct chart *chart, bool up)
{
    const struct axis *axis = up ? &chart->y : &chart->x;
    const struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_START);
    const struct box *room = &chart->layout.room;
    double line = chart_line_height(chart), end = up ? INFINITY : room->left - GAP;
    struct ticks ticks = ticks_of(chart, up);
    char text[TICK_SIZE];
    for (size_t i = 0; i < ticks.count; i++) {
        axis_number(text, axis, ticks.places[i], ticks.step);
        struct point at = place_on(chart, up, ticks.places[i]);
        double width = page_text_width(chart->page, text, &letters);
        if (up ? width > chart->layout.y_room + 0.5 || at.y > end - line
               : at.x - width / 2 < end + GAP - 0.5 || at.x + width / 2 > room->right + 0.5)
            continue;
        draw_place(chart, up, ticks.places[i], text, INFINITY);
        end = up ? fmin(at.y, chart->area.bottom - line / 2) : at.x + width / 2;
    }
}

// How wide a name may be so that it stays in its place and on the page.
static double name_room(const struct chart *chart, bool up, double at)
{
    const struct chart_layout *layout = &chart->layout;
    double apart = box_width(&chart->area) / (chart->x.high - chart->x.low);
    double x = place_on(chart, up, at).x;
    if (up || layout->turned)
        return up ? layout->y_room : layout->x_room;
    double cell = chart_is_text(chart) ? CELL_WIDTH : 0;
    double sides = 2 * fmin(x - layout->room.left, layout->room.right - x) - cell;
    return fmin(sides, apart * (double)layout->x_every - fmax(cell, GAP / 2));
}

static void draw_names(struct chart *chart, bool up)
{
    const struct axis *axis = up ? &chart->y : &chart->x;
    size_t every = up ? chart->layout.y_every : chart->layout.x_every;
    for (size_t i = 0; i < axis->name_count; i += every)
        if (is_on_axis(chart, up, (double)i))
            draw_place(chart, up, (double)i, axis->names[i], name_room(chart, up, (double)i));
}

static void draw_axis(struct chart *chart, bool up)
{
    const struct axis *axis = up ? &chart->y : &chart->x;
    if (axis->bare)
        return;
    if (axis->names)
        draw_names(chart, up);
    else
        draw_numbers(chart, up);
}

static void draw_labels(struct chart *chart)
{
    const struct chart_layout *layout = &chart->layout;
    const struct box *area = &chart->area;
    bool text = chart_is_text(chart);
    struct letters letters = chart_letters(chart, ALIGN_MIDDLE, ALIGN_END);
    if (layout->x_label)
        words_fit(chart->page, (area->left + area->right) / 2, layout->room.bottom, chart->x.label,
                  &letters, box_width(area));
    if (!layout->y_label)
        return;
    letters.along = ALIGN_START;
    letters.upright = !text;
    letters.across = text ? ALIGN_START : ALIGN_MIDDLE;
    if (text)
        words_fit(chart->page, layout->room.left, layout->room.top, chart->y.label, &letters,
                  box_width(&layout->room));
    else
        words_fit(chart->page, layout->room.left, (area->top + area->bottom) / 2, chart->y.label,
                  &letters, box_height(area));
}

void axes_draw(struct chart *chart)
{
    const struct theme *theme = chart->page->picture->theme;
    if (chart_is_text(chart))
        draw_text_axes(chart);
    else
        page_box(chart->page, &chart->area,
                 &(struct look){COLOUR_NONE, theme->faint, 1, 0, false, true});
    draw_axis(chart, false);
    draw_axis(chart, true);
    draw_labels(chart);
}
