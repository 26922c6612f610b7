// The legend: at the right of the area, or below it, in as many columns as it takes and there is
// room for. What is left out is counted.
#include "plot/chart/internal.h"
#include "tlu.h"

#include <math.h>
#include <stdio.h>

#define SYMBOL 16 // width
#define SHARE_RIGHT 0.35
#define SHARE_BELOW 0.3

struct plan {
    bool below;
    bool cut; // names
    size_t columns, rows, shown;
    double width, height;
};

static double row_height(const struct chart *chart)
{
    return chart_is_text(chart) ? CELL_HEIGHT : 1.1 * chart_line_height(chart);
}

// Of a column with whole names, and what is between columns.
static double full_width(const struct chart *chart)
{
    const struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_MIDDLE);
    double widest = 0;
    for (size_t i = 0; i < chart->legend_count; i++)
        widest = fmax(widest, page_text_width(chart->page, chart->legend[i].text, &letters));
    return SYMBOL + GAP + widest + 2 * GAP;
}

static void fill_plan(struct plan *plan, size_t count, double full, double width, size_t rows)
{
    double room = plan->below ? width : SHARE_RIGHT * width;
    size_t most = (size_t)fmax(1, floor(room / full));
    rows = rows ? rows : 1;
    plan->columns = (count + rows - 1) / rows;
    plan->columns = plan->columns > most ? most : plan->columns ? plan->columns : 1;
    if (plan->below)
        plan->columns = most > count ? count : most;
    plan->cut = full > room;
    plan->width = fmin(full, room) * (double)plan->columns;
    plan->rows = (count + plan->columns - 1) / plan->columns;
    plan->rows = plan->rows > rows ? rows : plan->rows;
    plan->shown = plan->rows * plan->columns;
    plan->shown = plan->shown >= count ? count : plan->shown;
}

// Below there is more room for long names.
static bool is_better_below(const struct plan *below, const struct plan *right)
{
    return below->shown > right->shown || (below->shown == right->shown && right->cut);
}

void legend_plan(struct chart *chart)
{
    struct chart_layout *layout = &chart->layout;
    struct box *room = &layout->room;
    double width = box_width(room), height = box_height(room), line = row_height(chart);
    if (chart->legend_count == 0)
        return;
    double full = full_width(chart);
    struct plan right = {.below = false}, below = {.below = true};
    fill_plan(&right, chart->legend_count, full, width, (size_t)fmax(0, floor(height / line)));
    fill_plan(&below, chart->legend_count, full, width,
              (size_t)fmax(0, floor(SHARE_BELOW * height / line)));
    const struct plan *plan = is_better_below(&below, &right) ? &below : &right;
    if (height < 5 * line || width < 10 * line)
        return; // there is no room for any
    layout->legend = *room;
    if (plan->below) {
        layout->legend.top = room->bottom - (double)plan->rows * line;
        room->bottom = layout->legend.top - (chart_is_text(chart) ? 0 : GAP / 2);
    } else {
        double taken =
            chart_is_text(chart) ? ceil(plan->width / CELL_WIDTH) * CELL_WIDTH : plan->width;
        layout->legend.left = room->right - taken + GAP;
        room->right = layout->legend.left - GAP;
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
        page_dots(chart->page, &middle, 1, entry->shape, chart->small ? 3 : 4, &entry->look);
    else if (entry->kind == LEGEND_LINE)
        page_line(chart->page, (struct point){box.left, middle.y},
                  (struct point){box.right, middle.y}, &entry->look);
    else
        page_box(chart->page, &(struct box){box.left, middle.y - high, box.right, middle.y + high},
                 &entry->look);
}

// The entry of a place. What has no room is left out before the last ones; TLU_NONE: here it is
// counted.
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
    const struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_MIDDLE);
    const struct chart_layout *layout = &chart->layout;
    double middle = (box.top + box.bottom) / 2, text = box.left + SYMBOL + GAP;
    if (!entry) {
        char rest[40];
        snprintf(rest, sizeof rest, "and %zu more", chart->legend_count - layout->legend_shown + 1);
        words_fit(chart->page, box.left, middle, rest, &letters, box_width(&box));
        return;
    }
    double width = box.right - text - (layout->legend_columns > 1 ? GAP : 0);
    draw_symbol(chart, entry, (struct box){box.left, box.top, box.left + SYMBOL, box.bottom});
    words_fit_name(chart->page, text, middle, entry->text, &letters, width);
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
