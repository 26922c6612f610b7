// Finds room for the numbers, names and labels around the area of a chart. What fits depends on the
// area, and the area on what fits: it is found in a few rounds, in which room only grows.
#include "plot/chart/internal.h"

#include <math.h>

#define ROUNDS 4
#define TICK 4
#define SMALLEST 8 // letters

static double snapped_up(const struct chart *chart, double length, double cell)
{
    return chart_is_text(chart) ? ceil(length / cell - 1e-9) * cell : length;
}

// ---- widths

static double name_width(const struct chart *chart, const struct axis *axis, double size)
{
    struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_START);
    double widest = 0;
    letters.size = size;
    for (size_t i = 0; i < axis->name_count; i++)
        widest = fmax(widest, page_text_width(chart->page, axis->names[i], &letters));
    return widest;
}

static double number_width(const struct chart *chart, const struct axis *axis, double at,
                           double step)
{
    const struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_START);
    char text[TICK_SIZE];
    return page_text_width(chart->page, axis_number(text, axis, at, step), &letters);
}

static size_t at_least_one(double count)
{
    return count >= 2 ? (size_t)count : 1;
}

// Names that are so far apart have smaller letters before more than half of them are left out.
static double name_size(const struct chart *chart, double apart)
{
    if (chart_is_text(chart) || 2 * apart < 1.25 * SMALLEST)
        return chart->text;
    return fmax(SMALLEST, fmin(chart->text, words_half(apart / 1.25 - 0.25)));
}

// One in so many has room.
static size_t name_every(const struct chart *chart, double apart, double size)
{
    double line = chart_is_text(chart) ? CELL_HEIGHT : 1.22 * size;
    return at_least_one(ceil(line / apart - 1e-9));
}

// ---- at the left

static void measure_y(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    double line = chart_line_height(chart), height = box_height(&chart->area), widest = 0, step;
    double most = box_width(&layout->room) * (chart->y.names && !chart->small ? 0.33 : 0.45);
    double places[TICKS_MAX];
    if (chart->y.bare)
        return;
    if (chart->y.names) {
        double apart = height / (chart->y.high - chart->y.low);
        layout->y_text = name_size(chart, apart);
        layout->y_every = name_every(chart, apart, layout->y_text);
        widest = name_width(chart, &chart->y, layout->y_text);
    } else {
        layout->y_about = at_least_one(fmin(8, height / (2.4 * line)));
        size_t count = axis_ticks(&chart->y, layout->y_about, places, &step);
        for (size_t i = 0; i < count; i++)
            widest = fmax(widest, number_width(chart, &chart->y, places[i], step));
    }
    layout->y_room = fmax(layout->y_room, snapped_up(chart, fmin(widest, most), CELL_WIDTH));
}

// ---- below

// Whether so many numbers go side by side.
static bool numbers_fit(const struct chart *chart, size_t about)
{
    double places[TICKS_MAX], step, end = -INFINITY;
    size_t count = axis_ticks(&chart->x, about, places, &step);
    for (size_t i = 0; i < count; i++) {
        double half = number_width(chart, &chart->x, places[i], step) / 2;
        double middle = chart_place(chart, places[i], chart->y.low).x;
        if (middle - half < end + 1.5 * GAP)
            return false;
        end = middle + half;
    }
    return true;
}

static void measure_ends(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    double places[TICKS_MAX], step;
    size_t count = axis_ticks(&chart->x, layout->x_about, places, &step);
    for (size_t i = 0; i < count; i++) {
        double half = number_width(chart, &chart->x, places[i], step) / 2;
        double middle = chart_place(chart, places[i], chart->y.low).x;
        layout->before = fmax(layout->before, layout->before + layout->room.left - middle + half);
        layout->past = fmax(layout->past, layout->past + middle + half - layout->room.right);
    }
    layout->before = snapped_up(chart, layout->before, CELL_WIDTH);
    layout->past = snapped_up(chart, layout->past, CELL_WIDTH);
}

// Names side by side, or upright, or some of them.
static void measure_names(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    double line = chart_line_height(chart);
    double widest = name_width(chart, &chart->x, chart->text);
    double apart = box_width(&chart->area) / (chart->x.high - chart->x.low);
    layout->turned = !chart_is_text(chart) && widest + GAP > apart;
    layout->x_every = 1;
    layout->x_room = line;
    layout->x_text = chart->text;
    if (layout->turned) {
        layout->x_text = name_size(chart, apart);
        layout->x_every = name_every(chart, apart, layout->x_text);
        widest = name_width(chart, &chart->x, layout->x_text);
        layout->x_room = fmin(widest, box_height(&layout->room) * 0.3);
    } else if (chart_is_text(chart)) {
        double wanted = fmin(widest, 8 * CELL_WIDTH) + CELL_WIDTH;
        layout->x_every = at_least_one(ceil(wanted / apart - 1e-6));
    }
}

static void measure_x(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    if (chart->x.bare)
        return;
    if (chart->x.names) {
        measure_names(chart);
        return;
    }
    layout->x_room = chart_line_height(chart);
    layout->x_about = at_least_one(fmin(10, box_width(&chart->area) / 45));
    while (layout->x_about > 1 && !numbers_fit(chart, layout->x_about))
        layout->x_about--;
    measure_ends(chart);
}

// ---- all of it

static void set_area(struct chart *chart)
{
    const struct chart_layout *layout = &chart->layout;
    double line = chart_line_height(chart);
    struct box *area = &chart->area;
    *area = layout->room;
    if (chart_is_text(chart)) { // the axes have a column and a row, the label above has a row
        area->left += layout->y_room + CELL_WIDTH;
        area->top += layout->y_label ? line : 0;
        area->bottom -= line;
    } else {
        area->left += layout->y_room + (chart->y.bare ? 0 : TICK + GAP / 2);
        area->left += layout->y_label ? line + GAP / 4 : 0;
        area->top += GAP / 2;
        area->bottom -= chart->x.bare ? 0 : TICK + GAP / 4;
    }
    area->left = fmax(area->left, layout->room.left + layout->before);
    area->right -= layout->past;
    area->bottom -= layout->x_room + (layout->x_label ? line : 0);
    area->right = fmax(area->right, area->left + 1);
    area->bottom = fmax(area->bottom, area->top + 1);
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

void layout_find(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    const struct axis x = chart->x, y = chart->y;
    double line = chart_line_height(chart);
    bool low = box_height(&layout->room) < 6 * line, narrow = box_width(&layout->room) < 8 * line;
    layout->x_label = chart->x.label && *chart->x.label && !low;
    layout->y_label = chart->y.label && *chart->y.label && !low && !narrow;
    layout->x_room = chart->x.bare ? 0 : line;
    layout->past = chart_is_text(chart) ? 0 : GAP / 2;
    layout->x_text = layout->y_text = chart->text;
    layout->x_every = layout->y_every = layout->x_about = layout->y_about = 1;
    for (int round = 0; round < ROUNDS; round++) {
        set_area(chart);
        if (chart->square && !x.logarithmic && !y.logarithmic) {
            chart->x.low = x.low, chart->x.high = x.high;
            chart->y.low = y.low, chart->y.high = y.high;
            make_square(chart);
        }
        if (round + 1 == ROUNDS)
            break;
        measure_y(chart);
        measure_x(chart);
    }
}
