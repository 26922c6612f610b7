// Accuracies and mistakes of learners, pass by pass.
#include "base/memory.h"
#include "plot/chart/chart.h"
#include "plot/curves/curve_runs.h"
#include "plot/text.h"
#include "tlu_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CAPTION_SIZE 1024
#define NAMED_MAX 6 // in the caption
#define DOTS_MAX 30 // on a curve
#define SHARE 0.6   // of the height, for accuracies
#define ENOUGH 280  // points of height for two charts
#define ENOUGH_OF_LETTERS (25 * CELL_HEIGHT)

// ---- curves

static struct look line_look(const struct theme *theme, size_t run, double width, double dash)
{
    return (struct look){
        .fill = COLOUR_NONE, .line = theme_series(theme, run), .width = width, .dash = dash};
}

// With dots by which learners can be told apart without colours.
static void draw_curve(struct chart *chart, const struct point *points, size_t count, size_t run,
                       const struct look *line)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct look dot = class_look(theme, run);
    size_t every = (count + DOTS_MAX - 1) / DOTS_MAX;
    chart_curve(chart, points, count, line);
    if (count == 1 && line->dash > 0) {
        const struct look hollow = {theme->panel, line->line, 1.2, 0, false, true};
        chart_dots(chart, points, 1, class_shape(run), 3.5, &hollow);
    }
    for (size_t i = 0; i < count && !(line->dash > 0); i++)
        if ((count - 1 - i) % every == 0 && !isnan(points[i].y))
            chart_dots(chart, points + i, 1, class_shape(run), 3.5, &dot);
}

// An accuracy after each pass that was looked at; of a learner that makes no passes, all along.
static tlu_status draw_accuracy(struct chart *chart, const struct curve_run *run,
                                const double *accuracy, size_t number, double dash,
                                tlu_error *error)
{
    const struct look line = line_look(chart->page->picture->theme, number, 2, dash);
    if (run->whole) {
        if (!isnan(accuracy[0]))
            chart_line(chart, (struct point){chart->x.low, accuracy[0]},
                       (struct point){chart->x.high, accuracy[0]}, &line);
        return TLU_OK;
    }
    struct point *points = memory_new(run->count, sizeof *points);
    TRY(enough_memory(points, error));
    for (size_t i = 0; i < run->count; i++)
        points[i] = (struct point){(double)run->pass[i], accuracy[i]};
    draw_curve(chart, points, run->count, number, &line);
    memory_free(points);
    return TLU_OK;
}

static bool is_same(const struct curve_run *a, const struct curve_run *b)
{
    if (a->made != b->made)
        return false;
    for (uint64_t i = 0; i < a->made; i++)
        if (a->mistakes[i] != b->mistakes[i])
            return false;
    return true;
}

// Learners that merely decide in another way make the same mistakes: the lines of the first are
// wider, so that they are seen below the others.
static tlu_status draw_mistakes(struct chart *chart, const struct curve_runs *runs, size_t number,
                                tlu_error *error)
{
    const struct curve_run *run = &runs->all[number];
    double width = 2;
    for (size_t i = number + 1; i < runs->count && width < 10; i++)
        width += is_same(run, &runs->all[i]) ? 2 : 0;
    const struct look line = line_look(chart->page->picture->theme, number, width, 0);
    struct point *points = memory_new((size_t)run->made + 1, sizeof *points);
    TRY(enough_memory(points, error));
    for (size_t i = 0; i < run->made; i++)
        points[i] = (struct point){(double)(i + 1), run->mistakes[i]};
    draw_curve(chart, points, (size_t)run->made, number, &line);
    memory_free(points);
    return TLU_OK;
}

// ---- axes and legend

static struct axis passes_axis(const struct curve_runs *runs)
{
    double last = (double)runs->passes, margin = 0.015 * (last - 1); // for dots
    return (struct axis){.low = 1 - margin, .high = last + margin, .label = "pass", .whole = true};
}

static void widen(double *low, double *high, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

static struct axis accuracy_axis(const struct curve_runs *runs)
{
    double low = 1, high = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct curve_run *run = &runs->all[i];
        widen(&low, &high, run->learned, run->count);
        widen(&low, &high, run->held_out, run->count);
    }
    double margin = fmax(0.05 * (high - low), 0.01);
    low -= margin;
    return (struct axis){.low = low,
                         .high = fmin(high + margin, 1 + 0.04 * (1 - low)),
                         .percent = true,
                         .label = "accuracy"};
}

static struct axis mistakes_axis(const struct curve_runs *runs)
{
    double low = 0, high = 1;
    for (size_t i = 0; i < runs->count; i++)
        widen(&low, &high, runs->all[i].mistakes, (size_t)runs->all[i].made);
    return (struct axis){
        .low = -0.04 * high, .high = high * 1.06, .whole = true, .label = "mistakes"};
}

static bool holds_out(const struct curve_runs *runs)
{
    return runs->all[0].rows_held_out > 0;
}

static tlu_status make_legend(struct chart *chart, const struct curve_runs *runs, tlu_error *error)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct look line = {.fill = COLOUR_NONE, .line = theme->ink, .width = 2};
    struct look dashed = line;
    struct legend_entry *legend = memory_new(runs->count + 2, sizeof *legend);
    TRY(enough_memory(legend, error));
    dashed.dash = 4;
    size_t count = 0;
    for (; count < runs->count; count++)
        legend[count] = (struct legend_entry){.text = runs->all[count].words,
                                              .kind = LEGEND_DOT,
                                              .look = class_look(theme, count),
                                              .shape = class_shape(count)};
    if (holds_out(runs))
        legend[count++] = (struct legend_entry){"held out", LEGEND_LINE, line, 0};
    legend[count++] = (struct legend_entry){"learned from", LEGEND_LINE, dashed, 0};
    chart->legend = legend;
    chart->legend_count = count;
    chart->legend_last = count - runs->count;
    return TLU_OK;
}

// ---- charts

static tlu_status draw_accuracies(struct chart *chart, const struct curve_runs *runs,
                                  tlu_error *error)
{
    TRY(make_legend(chart, runs, error));
    chart_begin(chart);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < runs->count; i++)
        status = draw_accuracy(chart, &runs->all[i], runs->all[i].learned, i, 4, error);
    for (size_t i = 0; status == TLU_OK && i < runs->count; i++)
        status = draw_accuracy(chart, &runs->all[i], runs->all[i].held_out, i, 0, error);
    chart_end(chart);
    memory_free((void *)chart->legend);
    return status;
}

static tlu_status draw_all_mistakes(struct chart *chart, const struct curve_runs *runs,
                                    tlu_error *error)
{
    chart_begin(chart);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < runs->count; i++)
        status = draw_mistakes(chart, runs, i, error);
    chart_end(chart);
    return status;
}

// What the numbers of an axis at the left take, or nearly so.
static double number_room(const struct page *page, const struct axis *axis)
{
    const struct letters letters = {.size = 13};
    double places[TICKS_MAX], step, widest = 0;
    size_t count = axis_ticks(axis, 4, places, &step);
    char text[TICK_SIZE];
    for (size_t i = 0; i < count; i++)
        widest =
            fmax(widest, page_text_width(page, axis_number(text, axis, places[i], step), &letters));
    return widest;
}

// The passes of both charts are below each other, if there is room for both.
static tlu_status draw_charts(struct page *page, struct box box, const struct curve_runs *runs,
                              tlu_error *error)
{
    bool text = picture_is_text(page->picture);
    bool both = box_height(&box) >= (text ? ENOUGH_OF_LETTERS : ENOUGH);
    const struct axis below = mistakes_axis(runs);
    struct chart accuracies = {
        .page = page, .place = box, .x = passes_axis(runs), .y = accuracy_axis(runs)};
    double wider = both ? number_room(page, &below) - number_room(page, &accuracies.y) : 0;
    accuracies.place.left += fmax(0, wider);
    if (both)
        accuracies.place.bottom = box.top + SHARE * box_height(&box);
    TRY(draw_accuracies(&accuracies, runs, error));
    if (!both)
        return TLU_OK;
    const struct chart_layout *layout = &accuracies.layout;
    struct chart mistakes = {.page = page, .place = box, .x = passes_axis(runs), .y = below};
    mistakes.place.top = accuracies.place.bottom;
    mistakes.place.right = layout->room.right + (layout->room.left - accuracies.place.left);
    mistakes.place.left += fmax(0, -wider);
    return draw_all_mistakes(&mistakes, runs, error);
}

// ---- words and figures

static const char *share(char out[TICK_SIZE], double value)
{
    return axis_number(out, &(struct axis){.percent = true}, value, 0.001);
}

static double in_the_end(const struct curve_runs *runs, size_t number)
{
    const struct curve_run *run = &runs->all[number];
    return (holds_out(runs) ? run->held_out : run->learned)[run->count - 1];
}

static void add_accuracies(char caption[CAPTION_SIZE], const struct curve_runs *runs)
{
    char text[TICK_SIZE];
    size_t best = 0;
    for (size_t i = 1; i < runs->count; i++)
        best = in_the_end(runs, i) > in_the_end(runs, best) ? i : best;
    for (size_t i = 0; i < runs->count && runs->count <= NAMED_MAX; i++)
        text_add(caption, CAPTION_SIZE, "%s %s %s", i ? "," : "", runs->all[i].words,
                 share(text, in_the_end(runs, i)));
    if (runs->count > NAMED_MAX)
        text_add(caption, CAPTION_SIZE, " %s, the best of %zu, %s", runs->all[best].words,
                 runs->count, share(text, in_the_end(runs, best)));
    text_add(caption, CAPTION_SIZE, ".");
}

static void write_caption(char caption[CAPTION_SIZE], const struct curve_runs *runs)
{
    const struct curve_run *first = &runs->all[0];
    const struct axis whole = {.whole = true};
    char rows[TICK_SIZE], text[TICK_SIZE];
    axis_number(rows, &whole, (double)first->rows, 1);
    axis_number(text, &whole, (double)first->rows_held_out, 1);
    if (holds_out(runs))
        snprintf(caption, CAPTION_SIZE,
                 "Learned from %s rows; right about the %s held out, in the end:", rows, text);
    else
        snprintf(caption, CAPTION_SIZE, "Right about the %s rows learned from, in the end:", rows);
    add_accuracies(caption, runs);
}

static tlu_status give_figure(tlu_picture *picture, const struct curve_run *run, const char *what,
                              uint64_t pass, double value, tlu_error *error)
{
    char name[256];
    if (isnan(value))
        return TLU_OK;
    snprintf(name, sizeof name, "%.180s %s %llu", run->name, what, (unsigned long long)pass);
    return picture_figure(picture, name, value, error);
}

static tlu_status give_figures(tlu_picture *picture, const struct curve_run *run, tlu_error *error)
{
    for (size_t i = 0; i < run->count; i++) {
        TRY(give_figure(picture, run, "training", run->pass[i], run->learned[i], error));
        TRY(give_figure(picture, run, "held-out", run->pass[i], run->held_out[i], error));
    }
    for (uint64_t i = 0; i < run->made; i++)
        TRY(give_figure(picture, run, "mistakes", i + 1, run->mistakes[i], error));
    return TLU_OK;
}

static tlu_status show(struct plot *plot, const struct curve_runs *runs, tlu_error *error)
{
    const char *asked = plot->settings->title;
    const char *title = asked && *asked ? asked : "Accuracy and mistakes by passes";
    char caption[CAPTION_SIZE];
    struct page *page;
    write_caption(caption, runs);
    TRY(picture_describe(plot->picture, title, caption, error));
    for (size_t i = 0; i < runs->count; i++)
        TRY(give_figures(plot->picture, &runs->all[i], error));
    TRY(picture_add_page(plot->picture, &page, error));
    struct box box = page_whole(page);
    chart_frame(page, title, caption, &box);
    TRY(draw_charts(page, box, runs, error));
    return page_end(page, error);
}

tlu_status plot_curve(struct plot *plot, tlu_error *error)
{
    struct curve_runs runs = {0};
    tlu_status status = curve_runs_train(&runs, plot, error);
    if (status == TLU_OK)
        status = show(plot, &runs, error);
    curve_runs_free(&runs);
    return status;
}
