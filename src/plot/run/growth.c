// How the weights of a perceptron grow. Each mistake adds y z to w with y (w . z) <= 0, so that
// |w| <= R sqrt(k) after k updates, whether or not the data is separable; and a larger weight takes
// more digits to write, as Elkan remarks.
#include "base/call/fp_env.h"
#include "base/options.h"
#include "plot/run/trace.h"

#include <math.h>
#include <stdio.h>

#define MOMENTS 2000   // drawn at most
#define SAMPLES 200    // of the bound
#define DECIMALS_MAX 9 // a 32-bit float has no more that matter
#define SHARE 0.54     // of the height for the first chart
#define ENOUGH 230     // points of height for two charts

struct growth {
    struct run_trace trace;
    struct trace_rows rows;
    double radius; // R = max |z|
    int decimals;  // places after the point that the data has
    uint64_t seen;
    size_t count;         // of the points of each curve
    struct point *length; // [count] k, |w_k|
    struct point *digits; // [2 * count] k, digits of the largest weight: a curve of steps
    double last_digits;
    double largest; // weight after the last update
    bool failed;    // out of memory
};

// ---- the data

// Places after the point that a number needs.
static int decimals_of(float value, int least)
{
    for (int places = least; places < DECIMALS_MAX; places++) {
        double unit = pow(10, places);
        if ((float)(round((double)value * unit) / unit) == value)
            return places;
    }
    return DECIMALS_MAX;
}

static void measure_rows(struct growth *growth)
{
    const struct trace_rows *rows = &growth->rows;
    for (size_t i = 0; i < rows->count; i++) {
        double square = 0;
        for (uint64_t k = rows->offsets[i]; k < rows->offsets[i + 1]; k++) {
            square += (double)rows->values[k] * (double)rows->values[k];
            growth->decimals = decimals_of(rows->values[k], growth->decimals);
        }
        growth->radius = fmax(growth->radius, sqrt(square));
    }
}

// ---- the run

// Digits of a weight that is written with the decimals of the data, as in 12.50: four.
static double digits_of(double weight, int decimals)
{
    double units = round(weight * pow(10, decimals)), digits = 1;
    while (units >= 10) {
        units = floor(units / 10);
        digits++;
    }
    return digits;
}

static int measure_step(void *context, const tlu_step *step)
{
    struct growth *growth = context;
    if (!step->updated || !trace_is_drawn(++growth->seen, growth->trace.updates, MOMENTS))
        return 0;
    double bias = tlu_step_bias(step, 0), square = bias * bias, largest = fabs(bias);
    for (size_t i = 0; i < step->features; i++) {
        double weight = tlu_step_weight(step, 0, i);
        square += weight * weight;
        largest = fmax(largest, fabs(weight));
    }
    double k = (double)growth->seen, digits = digits_of(largest, growth->decimals);
    size_t at = growth->count++;
    growth->length[at] = (struct point){k, sqrt(square)};
    growth->digits[2 * at] = (struct point){k, at ? growth->last_digits : digits};
    growth->digits[2 * at + 1] = (struct point){k, digits};
    growth->last_digits = digits;
    growth->largest = largest;
    return 0;
}

static tlu_status run_through(struct growth *growth, struct plot *plot, tlu_error *error)
{
    TRY(check_plain_steps(plot->options, "growth", false, error));
    TRY(trace_open(&growth->trace, plot, false, error));
    size_t classes = tlu_model_class_count(growth->trace.model);
    if (classes != 2)
        return error_input(error,
                           "%s: --growth draws the one weight vector of two classes, and the data "
                           "has %zu; keep the rows of two of them; tlu trace prints all weights",
                           error_file_name(plot->path), classes);
    TRY(trace_rows_gather(&growth->rows, &growth->trace, error));
    measure_rows(growth);
    size_t most = growth->trace.updates < MOMENTS ? (size_t)growth->trace.updates : MOMENTS;
    growth->length = plot_new(plot, most + 1, sizeof *growth->length);
    growth->digits = plot_new(plot, 2 * most + 2, sizeof *growth->digits);
    TRY(enough_memory(growth->length && growth->digits, error));
    return trace_run(&growth->trace, measure_step, growth, error);
}

// ---- the picture

static struct axis updates_axis(const struct growth *growth)
{
    return (struct axis){.low = 0,
                         .high = fmax(1, 1.04 * (double)growth->trace.updates),
                         .label = "updates k",
                         .whole = true};
}

static void draw_bound(struct chart *chart, const struct growth *growth, const struct style *style)
{
    struct point points[SAMPLES + 1];
    for (size_t i = 0; i <= SAMPLES; i++) {
        double share = (double)i / SAMPLES, k = share * share * chart->x.high;
        points[i] = (struct point){k, growth->radius * sqrt(k)};
    }
    chart_curve(chart, points, SAMPLES + 1, style);
}

static void draw_curve(struct chart *chart, const struct point *points, size_t count, colour ink)
{
    const struct style line = line_style(ink, 2, 0);
    const struct style dot = edged_style(ink, chart->page->picture->theme->panel, 0.8);
    chart_curve(chart, points, count, &line);
    if (count)
        chart_dots(chart, points + count - 1, 1, SHAPE_CIRCLE, 3.5, &dot);
}

static void draw_charts(struct page *page, struct plot *plot, struct box box,
                        const struct growth *growth)
{
    const struct theme *theme = plot->theme;
    bool alone = box_height(&box) < ENOUGH;
    const struct style bound = line_style(theme_series(theme, 0), 1.5, 5);
    const colour length = theme_series(theme, 0), digits = theme_series(theme, 1);
    const struct legend_entry legend[] = {
        {"R \u221ak", LEGEND_LINE, bound, SHAPE_CIRCLE},
        {"|w|", LEGEND_LINE, line_style(length, 2, 0), SHAPE_CIRCLE},
        {"digits", LEGEND_LINE, line_style(digits, 2, 0), SHAPE_CIRCLE}};
    double updates = (double)growth->trace.updates, most = 1;
    struct chart lengths = {
        .page = page,
        .place = box,
        .x = updates_axis(growth),
        .y = {.low = 0, .high = 1.05 * growth->radius * sqrt(fmax(1, updates)), .label = "length"},
        .legend = legend,
        .legend_count = alone ? 2 : 3};
    if (!alone)
        lengths.place.bottom = box.top + SHARE * box_height(&box);
    chart_begin(&lengths);
    draw_bound(&lengths, growth, &bound);
    draw_curve(&lengths, growth->length, growth->count, length);
    chart_end(&lengths);
    plot_area(plot, &lengths);
    if (alone)
        return;
    for (size_t i = 0; i < 2 * growth->count; i++)
        most = fmax(most, growth->digits[i].y);
    struct chart below = {.page = page,
                          .place = chart_place_below(&lengths, most < 9 ? "8" : "80", box.bottom),
                          .x = updates_axis(growth),
                          .y = {.low = 0, .high = most + 1, .label = "digits", .whole = true}};
    chart_begin(&below);
    draw_curve(&below, growth->digits, 2 * growth->count, digits);
    chart_end(&below);
}

static void describe(struct plot *plot, const struct growth *growth)
{
    tlu_picture *picture = plot->picture;
    char name[NAME_SIZE], ending[160], radius[AMOUNT_SIZE], length[AMOUNT_SIZE], bound[AMOUNT_SIZE];
    char largest[AMOUNT_SIZE], count[COUNTED_SIZE], places[COUNTED_SIZE];
    double k = (double)growth->trace.updates;
    double last = growth->count ? growth->length[growth->count - 1].y : 0;
    picture_figure(picture, "updates", k);
    picture_figure(picture, "radius", growth->radius);
    picture_figure(picture, "length", last);
    picture_figure(picture, "length_bound", growth->radius * sqrt(k));
    picture_figure(picture, "largest_weight", growth->largest);
    picture_figure(picture, "decimals", growth->decimals);
    picture_figure(picture, "first_digits", growth->count ? growth->digits[1].y : 0);
    picture_figure(picture, "digits", growth->last_digits);
    plot_title(plot, "Growth of the weights: %s", file_name(plot, name));
    say(plot,
        "The perceptron: %s. |w| \u2264 R \u221ak, since a mistake adds y %s with y (w \u00b7 %s) "
        "\u2264 0; R = %s is the length of the longest. After %s |w| = %s \u2264 %s. ",
        trace_ending(&growth->trace, ending, sizeof ending),
        options_flag(plot->options, OPTION_NO_BIAS) ? "x" : "(x, 1)",
        options_flag(plot->options, OPTION_NO_BIAS) ? "x" : "(x, 1)",
        to_digits(radius, 4, growth->radius),
        counted(count, growth->trace.updates, "update", "updates"), to_digits(length, 4, last),
        to_digits(bound, 4, growth->radius * sqrt(k)));
    if (!growth->count)
        return;
    say(plot, "The largest weight, %s, has %s",
        to_places(largest, growth->decimals, growth->largest),
        counted(count, (uint64_t)growth->last_digits, "digit", "digits"));
    if (growth->decimals)
        say(plot, " with %s, as many as the data%s",
            counted(places, (uint64_t)growth->decimals, "decimal", "decimals"),
            growth->decimals == DECIMALS_MAX ? " or more" : "");
    say(plot, "; after the first update it had %s.",
        counted(count, (uint64_t)growth->digits[1].y, "digit", "digits"));
}

static tlu_status plot_growth(struct plot *plot, tlu_error *error)
{
    struct growth growth = {.count = 0};
    struct page *page;
    struct box box;
    tlu_status status = run_through(&growth, plot, error);
    if (status == TLU_OK) {
        describe(plot, &growth);
        status = plot_page(plot, &page, &box, error);
    }
    if (status == TLU_OK)
        draw_charts(page, plot, box, &growth);
    trace_free(&growth.trace);
    return status;
}

tlu_status tlu_plot_growth(const char *path, const tlu_options *options,
                           const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.path = path};
    return plot_file(plot_growth, &plot, options, style, picture, error);
}
