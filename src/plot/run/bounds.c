// The proof of convergence as a picture. v_k is what a perceptron has after k mistakes, from 0 on;
// u is the best separator, of length 1. Each mistake adds y z to v, with y (v . z) <= 0, so
//
//     k gamma <= v_k . u <= |v_k| <= R sqrt(k)
//
// and k is at most where the two ends of this meet: (R / gamma)^2. With rates from A to B they are
// k A gamma and B R sqrt(k), which meet at (B / A)^2 (R / gamma)^2.
#include "base/call/fp_env.h"
#include "base/options.h"
#include "plot/run/trace.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE 30  // seconds for the best separator
#define MOMENTS 2000 // drawn at most
#define SAMPLES 200  // of a bound
#define FAR_AWAY 5   // a bound this many times the mistakes needs logarithmic axes
#define ENOUGH 280   // points of height for two charts
#define SHARE 0.57   // of it for the first
#define DEGREES (180 / 3.14159265358979323846)

struct proof {
    struct run_trace trace;
    struct trace_rows rows;
    struct separator separator;
    size_t count;         // of the points of each curve
    struct point *inside; // [count] k, v_k . u
    struct point *length; // [count] k, |v_k|
    struct point *angle;  // [count] k, degrees between v_k and u
    uint64_t seen;        // mistakes so far
    double rate_low, rate_high;
    bool failed;
};

// ---- the run

static int measure(void *context, const tlu_step *step)
{
    struct proof *proof = context;
    const struct run_trace *trace = &proof->trace;
    if (!step->updated || !trace_is_drawn(++proof->seen, trace->updates, MOMENTS))
        return 0;
    proof->failed = !trace_number(&proof->trace, step);
    if (proof->failed)
        return 1;
    double bias = tlu_step_bias(step, 0), square = bias * bias;
    double inside = bias * proof->separator.u[trace->features];
    for (size_t i = 0; i < step->features; i++) {
        double weight = tlu_step_weight(step, 0, i);
        square += weight * weight;
        if (trace->numbers[i] < trace->features)
            inside += weight * proof->separator.u[trace->numbers[i]];
    }
    double k = (double)proof->seen, length = sqrt(square);
    size_t at = proof->count++;
    proof->inside[at] = (struct point){k, inside};
    proof->length[at] = (struct point){k, length};
    proof->angle[at] = (struct point){k, acos(fmin(1, inside / length)) * DEGREES};
    return 0;
}

static tlu_status find_separator(struct proof *proof, tlu_error *error)
{
    size_t classes = tlu_model_class_count(proof->trace.model);
    if (classes != 2)
        return error_input(error,
                           "the proof covers two classes, and the data has %zu: tlu bound DATA "
                           "--positive LABEL has the numbers of one class against the rest",
                           classes);
    TRY(trace_rows_gather(&proof->rows, &proof->trace, error));
    TRY(separator_find(&proof->separator, &proof->trace, &proof->rows, PATIENCE, error));
    if (proof->separator.verdict == TLU_NOT_SEPARABLE)
        return error_input(error,
                           "%s: the data is not separable%s, so the mistakes have no bound to "
                           "draw: tlu separable shows why",
                           error_file_name(proof->trace.plot->path),
                           options_flag(proof->trace.plot->options, OPTION_NO_BIAS)
                               ? " by a line through 0 (--no-bias)"
                               : "");
    if (proof->separator.verdict != TLU_SEPARABLE)
        return error_input(error,
                           "%s: no separator was found in %d seconds, and none was ruled "
                           "out: tlu separable takes the time that it needs",
                           error_file_name(proof->trace.plot->path), PATIENCE);
    return TLU_OK;
}

static tlu_status run_through(struct proof *proof, struct plot *plot, tlu_error *error)
{
    TRY(check_plain_steps(plot->options, "bounds", true, error));
    TRY(trace_open(&proof->trace, plot, true, error));
    TRY(find_separator(proof, error));
    proof->rate_low = options_number(plot->options, OPTION_RATE);
    proof->rate_high = options_high(plot->options, OPTION_RATE);
    proof->separator.bound *= pow(proof->rate_high / proof->rate_low, 2);
    size_t most = proof->trace.updates < MOMENTS ? (size_t)proof->trace.updates : MOMENTS;
    proof->inside = plot_new(plot, most + 1, sizeof *proof->inside);
    proof->length = plot_new(plot, most + 1, sizeof *proof->length);
    proof->angle = plot_new(plot, most + 1, sizeof *proof->angle);
    TRY(enough_memory(proof->inside && proof->length && proof->angle, error));
    TRY(trace_run(&proof->trace, measure, proof, error));
    return enough_memory(!proof->failed, error);
}

// ---- the picture

static bool is_far(const struct proof *proof)
{
    return proof->separator.bound > FAR_AWAY * (double)proof->trace.updates;
}

// The mistakes, up to slightly beyond the intersection of the bounds.
static struct axis mistakes_axis(const struct proof *proof)
{
    double most = fmax(proof->separator.bound, (double)proof->trace.updates);
    bool far = is_far(proof);
    return (struct axis){.low = far ? 0.9 : 0,
                         .high = most * (far ? 1.5 : 1.08),
                         .label = "mistakes k",
                         .whole = true,
                         .logarithmic = far};
}

enum known { MIN_INSIDE, MAX_LENGTH, MAX_ANGLE };

static double known_at(const struct proof *proof, enum known which, double k)
{
    double margin = proof->rate_low * proof->separator.margin;
    double radius = proof->rate_high * proof->separator.radius;
    if (which == MIN_INSIDE)
        return k * margin;
    if (which == MAX_LENGTH)
        return radius * sqrt(k);
    return acos(fmin(1, sqrt(k) * margin / radius)) * DEGREES;
}

// A bound over the whole axis.
static void draw_known(struct chart *chart, const struct proof *proof, enum known which,
                       const struct style *style)
{
    struct point points[SAMPLES + 1];
    const struct axis *axis = &chart->x;
    double low = axis->logarithmic ? axis->low : 0;
    for (size_t i = 0; i <= SAMPLES; i++) {
        double share = (double)i / SAMPLES;
        double k = axis->logarithmic ? low * pow(axis->high / low, share)
                                     : low + share * share * (axis->high - low);
        points[i] = (struct point){k, known_at(proof, which, k)};
    }
    chart_curve(chart, points, SAMPLES + 1, style);
}

// The last point is a dot, so that a run of one mistake is visible.
static void draw_run(struct chart *chart, const struct point *points, size_t count, size_t series)
{
    const struct theme *theme = chart->page->picture->theme;
    struct style line = line_style(theme_series(theme, series), 2, 0);
    struct style dot = edged_style(line.line, theme->panel, 0.8);
    chart_curve(chart, points, count, &line);
    if (count)
        chart_dots(chart, points + count - 1, 1, SHAPE_CIRCLE, 3.5, &dot);
}

// The chart of lengths, with the legend of both charts.
static void draw_sandwich(struct chart *chart, const struct proof *proof, bool alone)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct separator *separator = &proof->separator;
    struct style upper = line_style(theme_series(theme, 0), 1.5, 5);
    struct style lower = line_style(theme_series(theme, 1), 1.5, 5);
    struct style angle = line_style(theme_series(theme, 2), 1.5, 5);
    struct style meeting = edged_style(theme->wrong, theme->panel, 0.8);
    char where[AMOUNT_SIZE + 20], bound[AMOUNT_SIZE];
    bool rates = proof->rate_high > proof->rate_low || proof->rate_low != 1;
    snprintf(where, sizeof where, "%s(R/\u03b3)\u00b2 = %s", rates ? "(B/A)\u00b2 " : "",
             to_digits(bound, 4, separator->bound));
    const struct legend_entry legend[] = {
        {rates ? "B R \u221ak" : "R \u221ak", LEGEND_LINE, upper, SHAPE_CIRCLE},
        {"|v_k|", LEGEND_LINE, line_style(upper.line, 2, 0), SHAPE_CIRCLE},
        {"v_k \u00b7 u", LEGEND_LINE, line_style(lower.line, 2, 0), SHAPE_CIRCLE},
        {rates ? "k A \u03b3" : "k \u03b3", LEGEND_LINE, lower, SHAPE_CIRCLE},
        {where, LEGEND_DOT, meeting, SHAPE_DIAMOND},
        {"angle at most", LEGEND_LINE, angle, SHAPE_CIRCLE},
        {"angle of v_k, u", LEGEND_LINE, line_style(angle.line, 2, 0), SHAPE_CIRCLE}};
    double meets = separator->bound * proof->rate_low * separator->margin;
    bool far = is_far(proof);
    chart->y = (struct axis){.low = far ? proof->rate_low * separator->margin * 0.7 : 0,
                             .high = meets * (far ? 2 : 1.1),
                             .label = "length",
                             .logarithmic = far};
    chart->legend = legend;
    chart->legend_count = alone ? 5 : 7;
    struct style down = line_style(theme->faint, 1, 3);
    chart_begin(chart);
    chart_line(chart, (struct point){separator->bound, chart->y.low},
               (struct point){separator->bound, meets}, &down);
    draw_known(chart, proof, MAX_LENGTH, &upper);
    draw_known(chart, proof, MIN_INSIDE, &lower);
    draw_run(chart, proof->length, proof->count, 0);
    draw_run(chart, proof->inside, proof->count, 1);
    chart_dots(chart, &(struct point){separator->bound, meets}, 1, SHAPE_DIAMOND, 5, &meeting);
    chart_end(chart);
}

static void draw_charts(struct page *page, struct box box, const struct proof *proof)
{
    bool alone = box_height(&box) < ENOUGH;
    struct chart lengths = {.page = page, .place = box, .x = mistakes_axis(proof)};
    if (!alone)
        lengths.place.bottom = box.top + SHARE * box_height(&box);
    draw_sandwich(&lengths, proof, alone);
    if (alone)
        return;
    struct chart angles = {.page = page,
                           .place = chart_place_below(&lengths, "80", box.bottom),
                           .x = mistakes_axis(proof),
                           .y = {.low = 0, .high = 90, .label = "degrees", .degrees = true}};
    const struct style most = line_style(theme_series(page->picture->theme, 2), 1.5, 5);
    chart_begin(&angles);
    draw_known(&angles, proof, MAX_ANGLE, &most);
    draw_run(&angles, proof->angle, proof->count, 2);
    chart_end(&angles);
}

static void describe(struct plot *plot, const struct proof *proof)
{
    tlu_picture *picture = plot->picture;
    const struct separator *separator = &proof->separator;
    size_t last = proof->count;
    char ending[160], bound[AMOUNT_SIZE], radius[AMOUNT_SIZE], margin[AMOUNT_SIZE];
    picture_figure(picture, "mistakes", (double)proof->trace.updates);
    picture_figure(picture, "bound", separator->bound);
    picture_figure(picture, "radius", separator->radius);
    picture_figure(picture, "margin", separator->margin);
    if (last > 0) {
        picture_figure(picture, "v_dot_u", proof->inside[last - 1].y);
        picture_figure(picture, "length", proof->length[last - 1].y);
        picture_figure(picture, "angle", proof->angle[last - 1].y);
    }
    plot_title(plot, "Convergence proof of the perceptron: %.160s",
               tlu_model_report(proof->trace.model)->data);
    bool rates = proof->rate_high > proof->rate_low || proof->rate_low != 1;
    char between[80] = "", low[AMOUNT_SIZE], high[AMOUNT_SIZE];
    if (rates)
        snprintf(between, sizeof between, " Rates are from A = %s to B = %s.",
                 to_digits(low, 4, proof->rate_low), to_digits(high, 4, proof->rate_high));
    say(plot,
        "The perceptron: %s; the bound is %s(R/\u03b3)\u00b2 = %s mistakes. R = %s is the "
        "length of the longest %s%s; \u03b3 = %s is the margin of u, %s. k %s\u03b3 \u2264 v_k "
        "\u00b7 u \u2264 |v_k| \u2264 %sR \u221ak.%s%s",
        trace_ending(&proof->trace, ending, sizeof ending), rates ? "(B/A)\u00b2 " : "",
        to_digits(bound, 4, separator->bound), to_digits(radius, 4, separator->radius),
        options_flag(plot->options, OPTION_NO_BIAS) ? "x" : "(x, 1)",
        tlu_model_is_scaled(proof->trace.model) ? " after scaling" : "",
        to_digits(margin, 4, separator->margin),
        separator->best ? "the best separator" : "the best separator found", rates ? "A " : "",
        rates ? "B " : "", between, is_far(proof) ? " Axes are logarithmic." : "");
}

static tlu_status plot_bounds(struct plot *plot, tlu_error *error)
{
    struct proof proof = {.count = 0};
    struct page *page;
    struct box box;
    tlu_status status = run_through(&proof, plot, error);
    if (status == TLU_OK) {
        describe(plot, &proof);
        status = plot_page(plot, &page, &box, error);
    }
    if (status == TLU_OK)
        draw_charts(page, box, &proof);
    trace_free(&proof.trace);
    return status;
}

tlu_status tlu_plot_bounds(const char *path, const tlu_options *options,
                           const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.path = path};
    return plot_file(plot_bounds, &plot, options, style, picture, error);
}
