// The layout of a chart: space for the legend, the numbers, names and labels around the area. What
// fits depends on the area, and the area on what fits: a few rounds find both, and space only
// grows.
#include "plot/chart/internal.h"
#include "tlu.h"

#include <math.h>
#include <stdio.h>

#define ROUNDS 4
#define TICK 4
#define SMALLEST 8 // font size

static double snapped_up(const struct chart *chart, double length, double cell)
{
    return chart_is_text(chart) ? ceil(length / cell - 1e-9) * cell : length;
}

// ---- widths

static double name_width(const struct chart *chart, const struct axis *axis, double size)
{
    struct text_style font = chart_font(chart, ALIGN_START, ALIGN_START);
    double widest = 0;
    font.size = size;
    for (size_t i = 0; i < axis->name_count; i++)
        widest = fmax(widest, page_text_width(chart->page, axis->names[i], &font));
    return widest;
}

static double number_width(const struct chart *chart, const struct axis *axis, double at,
                           double step)
{
    const struct text_style font = chart_font(chart, ALIGN_START, ALIGN_START);
    char text[TICK_SIZE];
    return page_text_width(chart->page, axis_number(text, axis, at, step), &font);
}

static size_t at_least_one(double count)
{
    return count >= 2 ? (size_t)count : 1;
}

// Names use smaller fonts before more than half of them are left out.
static double name_size(const struct chart *chart, double apart)
{
    if (chart_is_text(chart) || 2 * apart < 1.25 * SMALLEST)
        return chart->text;
    return fmax(SMALLEST, fmin(chart->text, half_points(apart / 1.25 - 0.25)));
}

// Every n-th name fits.
static size_t name_every(const struct chart *chart, double apart, double size)
{
    double line = chart_is_text(chart) ? CELL_HEIGHT : 1.22 * size;
    return at_least_one(ceil(line / apart - 1e-9));
}

// ---- at the left

static void measure_y(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    double line = chart_line_height(chart), height = box_height(&chart->area), widest = 0;
    double most = box_width(&layout->space) * (chart->y.names && !chart->small ? 0.33 : 0.45);
    if (chart->y.bare)
        return;
    if (chart->y.names) {
        double apart = height / (chart->y.high - chart->y.low);
        layout->y_text = name_size(chart, apart);
        layout->y_every = name_every(chart, apart, layout->y_text);
        widest = name_width(chart, &chart->y, layout->y_text);
    } else {
        double about = fmin(8, height / (2.4 * line));
        layout->y_about = at_least_one(height > fmax(3.5 * line, 55) ? fmax(2, about) : about);
        const struct ticks ticks = axis_ticks(&chart->y, layout->y_about);
        for (size_t i = 0; i < ticks.count; i++)
            widest = fmax(widest, number_width(chart, &chart->y, ticks.places[i], ticks.step));
    }
    layout->y_space = fmax(layout->y_space, snapped_up(chart, fmin(widest, most), CELL_WIDTH));
}

// ---- below

// Whether this many numbers fit side by side.
static bool numbers_fit(const struct chart *chart, size_t about)
{
    const struct ticks ticks = axis_ticks(&chart->x, about);
    double end = -INFINITY;
    for (size_t i = 0; i < ticks.count; i++) {
        double half = number_width(chart, &chart->x, ticks.places[i], ticks.step) / 2;
        double middle = chart_place(chart, ticks.places[i], chart->y.low).x;
        if (middle - half < end + 1.5 * GAP)
            return false;
        end = middle + half;
    }
    return true;
}

static void measure_ends(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    const struct ticks ticks = axis_ticks(&chart->x, layout->x_about);
    for (size_t i = 0; i < ticks.count; i++) {
        double half = number_width(chart, &chart->x, ticks.places[i], ticks.step) / 2;
        double middle = chart_place(chart, ticks.places[i], chart->y.low).x;
        layout->before = fmax(layout->before, layout->before + layout->space.left - middle + half);
        layout->past = fmax(layout->past, layout->past + middle + half - layout->space.right);
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
    layout->x_space = line;
    layout->x_text = chart->text;
    if (layout->turned) {
        layout->x_text = name_size(chart, apart);
        layout->x_every = name_every(chart, apart, layout->x_text);
        widest = name_width(chart, &chart->x, layout->x_text);
        layout->x_space = fmin(widest, box_height(&layout->space) * 0.3);
    } else if (chart_is_text(chart)) {
        double wanted = fmin(widest, 8 * CELL_WIDTH) + CELL_WIDTH;
        layout->x_every = at_least_one(ceil(wanted / apart - 1e-6));
    }
}

static void measure_x(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    if (chart->x.bare) { // its grid is that of the chart below
        layout->x_about = chart->small ? 1 : at_least_one(fmin(10, box_width(&chart->area) / 45));
        return;
    }
    if (chart->x.names) {
        measure_names(chart);
        return;
    }
    layout->x_space = chart_line_height(chart);
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
    *area = layout->space;
    if (chart_is_text(chart)) { // the axes have a column and a row, the label above has a row
        area->left += layout->y_space + CELL_WIDTH;
        area->top += layout->y_label ? line : 0;
        area->bottom -= line;
    } else {
        area->left += layout->y_space + (chart->y.bare ? 0 : TICK + GAP / 2);
        area->left += layout->y_label ? line + GAP / 4 : 0;
        area->top += GAP / 2;
        area->bottom -= chart->x.bare ? 0 : TICK + GAP / 4;
    }
    area->left = fmax(area->left, layout->space.left + layout->before);
    area->right -= layout->past;
    area->bottom -= layout->x_space + (layout->x_label ? line : 0);
    area->right = fmax(area->right, area->left + 1);
    area->bottom = fmax(area->bottom, area->top + 1);
}

// Widens the range of one axis so that both have the same scale.
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
    bool low = box_height(&layout->space) < 6 * line, narrow = box_width(&layout->space) < 8 * line;
    layout->x_label = chart->x.label && *chart->x.label && !low;
    layout->y_label = chart->y.label && *chart->y.label && !low && !narrow;
    layout->x_space = chart->x.bare ? 0 : line;
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

// ---- the legend: right of the area or below it, in as many columns as it needs and fit; the last
// entry counts those that are left out

#define SYMBOL 16 // width
#define SHARE_RIGHT 0.35
#define SHARE_BELOW 0.3

struct legend_layout {
    bool below;
    bool cut; // names
    size_t columns, rows, shown;
    double width, height;
};

static double row_height(const struct chart *chart)
{
    return chart_is_text(chart) ? CELL_HEIGHT : 1.1 * chart_line_height(chart);
}

// The width of a column with complete names and its gap.
static double full_width(const struct chart *chart)
{
    const struct text_style font = chart_font(chart, ALIGN_START, ALIGN_MIDDLE);
    double widest = 0;
    for (size_t i = 0; i < chart->legend_count; i++)
        widest = fmax(widest, page_text_width(chart->page, chart->legend[i].text, &font));
    return SYMBOL + GAP + widest + 2 * GAP;
}

static void fill_plan(struct legend_layout *plan, size_t count, double full, double width,
                      size_t rows)
{
    double space = plan->below ? width : SHARE_RIGHT * width;
    size_t most = (size_t)fmax(1, floor(space / full));
    rows = rows ? rows : 1;
    plan->columns = (count + rows - 1) / rows;
    plan->columns = plan->columns > most ? most : plan->columns ? plan->columns : 1;
    if (plan->below)
        plan->columns = most > count ? count : most;
    plan->cut = full > space;
    plan->width = fmin(full, space) * (double)plan->columns;
    plan->rows = (count + plan->columns - 1) / plan->columns;
    plan->rows = plan->rows > rows ? rows : plan->rows;
    plan->shown = plan->rows * plan->columns;
    plan->shown = plan->shown >= count ? count : plan->shown;
}

void legend_plan(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    struct box *space = &layout->space;
    double width = box_width(space), height = box_height(space), line = row_height(chart);
    if (chart->legend_count == 0)
        return;
    double full = full_width(chart);
    struct legend_layout right = {.below = false}, below = {.below = true};
    fill_plan(&right, chart->legend_count, full, width, (size_t)fmax(0, floor(height / line)));
    fill_plan(&below, chart->legend_count, full, width,
              (size_t)fmax(0, floor(SHARE_BELOW * height / line)));
    bool is_below = below.shown > right.shown || (below.shown == right.shown && right.cut);
    const struct legend_layout *plan = is_below ? &below : &right; // below, names can be longer
    if (height < 5 * line || width < 10 * line)
        return; // no legend fits
    layout->legend = *space;
    if (plan->below) {
        layout->legend.top = space->bottom - (double)plan->rows * line;
        space->bottom = layout->legend.top - (chart_is_text(chart) ? 0 : GAP / 2);
    } else {
        double taken =
            chart_is_text(chart) ? ceil(plan->width / CELL_WIDTH) * CELL_WIDTH : plan->width;
        layout->legend.left = space->right - taken + GAP;
        space->right = layout->legend.left - GAP;
    }
    layout->legend_columns = plan->columns;
    layout->legend_rows = plan->rows;
    layout->legend_shown = plan->shown;
}

// ---- drawing

static void draw_symbol(struct chart *chart, const struct legend_entry *entry, struct box box)
{
    if (chart_is_text(chart)) // two cells, without the edges to the next ones
        box = (struct box){box.left + 1, box.top + 3, box.right - 2, box.bottom - 3};
    struct point middle = {(box.left + box.right) / 2, (box.top + box.bottom) / 2};
    double high = chart_is_text(chart) ? box_height(&box) / 2 : 0.4 * chart->text;
    if (entry->kind == LEGEND_DOT)
        page_dots(chart->page, &middle, 1, entry->shape, chart->small ? 3 : 4, &entry->style);
    else if (entry->kind == LEGEND_LINE)
        page_line(chart->page, (struct point){box.left, middle.y},
                  (struct point){box.right, middle.y}, &entry->style);
    else
        page_box(chart->page, &(struct box){box.left, middle.y - high, box.right, middle.y + high},
                 &entry->style);
}

// The entry at a place. Entries that do not fit are left out before the last ones; TLU_NONE: the
// place of their count.
static size_t entry_at(const struct chart *chart, size_t place)
{
    size_t shown = chart->layout.legend_shown, last = chart->legend_last;
    if (shown == chart->legend_count)
        return place;
    last = last < shown ? last : shown - 1;
    if (place < shown - last - 1)
        return place;
    return place < shown - last ? TLU_NONE : chart->legend_count - (shown - place);
}

static void draw_entry(struct chart *chart, const struct legend_entry *entry, struct box box)
{
    const struct text_style font = chart_font(chart, ALIGN_START, ALIGN_MIDDLE);
    const struct chart_layout *layout = &chart->layout;
    double middle = (box.top + box.bottom) / 2, text = box.left + SYMBOL + GAP;
    if (!entry) {
        char rest[40];
        snprintf(rest, sizeof rest, "and %zu more", chart->legend_count - layout->legend_shown + 1);
        page_fit_text(chart->page, box.left, middle, rest, &font, box_width(&box));
        return;
    }
    double width = box.right - text - (layout->legend_columns > 1 ? GAP : 0);
    draw_symbol(chart, entry, (struct box){box.left, box.top, box.left + SYMBOL, box.bottom});
    page_fit_name(chart->page, text, middle, entry->text, &font, width);
}

void legend_draw(struct chart *chart)
{
    const struct chart_layout *layout = &chart->layout;
    const struct box *box = &layout->legend;
    double line = row_height(chart);
    double column = layout->legend_columns ? box_width(box) / (double)layout->legend_columns : 0;
    if (chart_is_text(chart))
        column = floor(column / CELL_WIDTH) * CELL_WIDTH;
    for (size_t i = 0; i < layout->legend_shown; i++) {
        size_t across = i / layout->legend_rows, down = i % layout->legend_rows;
        double left = box->left + (double)across * column;
        double top = box->top + (double)down * line;
        size_t entry = entry_at(chart, i);
        draw_entry(chart, entry == TLU_NONE ? NULL : &chart->legend[entry],
                   (struct box){left, top, left + column, top + line});
    }
}
