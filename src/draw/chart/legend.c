// The legend: at the right of the area, or below it, in as many columns as it takes and there is
// room for. What is left out is counted.
#include "draw/chart/inside.h"

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

void legend_draw(struct chart *chart)
{
    const struct chart_layout *layout = &chart->layout;
    const struct box *box = &layout->legend;
    const struct letters letters = chart_letters(chart, ALIGN_START, ALIGN_MIDDLE);
    double line = row_height(chart);
    double column = layout->legend_columns ? box_width(box) / (double)layout->legend_columns : 0;
    if (chart_is_text(chart))
        column = floor(column / CELL_WIDTH) * CELL_WIDTH;
    for (size_t i = 0; i < layout->legend_shown; i++) {
        size_t across = i / layout->legend_rows, down = i % layout->legend_rows;
        double left = box->left + (double)across * column;
        double top = box->top + (double)down * line;
        double text = left + SYMBOL + GAP, width = column - SYMBOL - GAP;
        width -= layout->legend_columns > 1 ? GAP : 0;
        size_t more = chart->legend_count - layout->legend_shown + 1;
        if (more > 1 && i + 1 == layout->legend_shown) {
            char rest[40];
            snprintf(rest, sizeof rest, "and %zu more", more);
            words_fit(chart->page, left, top + line / 2, rest, &letters, column);
            return;
        }
        draw_symbol(chart, &chart->legend[i], (struct box){left, top, left + SYMBOL, top + line});
        words_fit_name(chart->page, text, top + line / 2, chart->legend[i].text, &letters, width);
    }
}
