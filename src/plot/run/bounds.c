// The proof of convergence as a picture. v_k is what a perceptron has after k mistakes, from 0 on;
// u is the best separator, of length 1. Each mistake adds y z to v, with y (v . z) <= 0, so
//
//     k gamma <= v_k . u <= |v_k| <= R sqrt(k)
//
// and k is at most where the two ends of this meet: (R / gamma)^2.
#include "base/memory.h"
#include "base/options.h"
#include "plot/chart/chart.h"
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
    struct trace_rows examples;
    struct separator separator;
    size_t count;         // of the points of each curve
    struct point *inside; // [count] k, v_k . u
    struct point *length; // [count] k, |v_k|
    struct point *angle;  // [count] k, degrees between v_k and u
    uint64_t seen;        // mistakes so far
    bool failed;
};

static void proof_free(struct proof *proof)
{
    trace_free(&proof->trace);
    trace_rows_free(&proof->examples);
    separator_free(&proof->separator);
    memory_free(proof->inside);
    memory_free(proof->length);
    memory_free(proof->angle);
}

// ---- the run

// Refuses options that change the steps: the proof does not cover them.
static tlu_status check_options(const tlu_options *options, tlu_error *error)
{
    static const struct {
        enum option option;
        const char *name;
    } others[] = {{OPTION_RATE, "rate"},         {OPTION_MARGIN, "margin"},
                  {OPTION_SCHEDULE, "schedule"}, {OPTION_L2, "l2"},
                  {OPTION_RATCHET, "ratchet"},   {OPTION_CLASS_WEIGHT, "class-weight"}};
    tlu_options *defaults = options_copy(NULL);
    tlu_status status = enough_memory(defaults != NULL, error);
    const char *learner = options_is_set(options, OPTION_LEARNER)
                              ? tlu_options_get(options, "learner")
                              : "perceptron";
    if (status == TLU_OK && strcmp(learner, "perceptron") != 0)
        status =
            error_input(error,
                        "the proof covers only the perceptron: --learner %s cannot be combined "
                        "with --bounds",
                        learner);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && status == TLU_OK; i++)
        if (!options_same(options, defaults, others[i].option))
            status = error_input(error,
                                 "the proof covers only steps y x of constant size: --%s cannot be "
                                 "combined with --bounds",
                                 others[i].name);
    tlu_options_free(defaults);
    return status;
}

// Whether the k-th mistake is drawn: the first ones, which are far apart on a logarithmic axis, and
// some of the rest, evenly chosen, including the last.
static bool is_drawn(uint64_t k, uint64_t all)
{
    return k <= MOMENTS / 2 || all <= MOMENTS ||
           k * (MOMENTS / 2) / all != (k - 1) * (MOMENTS / 2) / all;
}

static int measure(void *context, const tlu_step *step)
{
    struct proof *proof = context;
    const struct run_trace *trace = &proof->trace;
    if (!step->updated || !is_drawn(++proof->seen, trace->updates))
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
    TRY(trace_rows_gather(&proof->examples, &proof->trace, error));
    TRY(separator_find(&proof->separator, &proof->trace, &proof->examples, PATIENCE, error));
    if (proof->separator.verdict == TLU_NOT_SEPARABLE)
        return error_input(error,
                           "%s: the data is not separable%s, so the mistakes have no bound to "
                           "draw: tlu separable shows why",
                           error_file_name(proof->trace.path),
                           options_flag(proof->trace.options, OPTION_NO_BIAS)
                               ? " by a line through 0 (--no-bias)"
                               : "");
    if (proof->separator.verdict != TLU_SEPARABLE)
        return error_input(error,
                           "%s: no separator was found in %d seconds, and none was ruled "
                           "out: tlu separable takes the time that it needs",
                           error_file_name(proof->trace.path), PATIENCE);
    return TLU_OK;
}

static tlu_status run_through(struct proof *proof, const struct plot *plot, tlu_error *error)
{
    TRY(check_options(plot->options, error));
    TRY(trace_open(&proof->trace, plot, true, error));
    TRY(find_separator(proof, error));
    size_t most = proof->trace.updates < MOMENTS ? (size_t)proof->trace.updates : MOMENTS;
    proof->inside = memory_new(most + 1, sizeof *proof->inside);
    proof->length = memory_new(most + 1, sizeof *proof->length);
    proof->angle = memory_new(most + 1, sizeof *proof->angle);
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

static double known_at(const struct separator *separator, enum known which, double k)
{
    if (which == MIN_INSIDE)
        return k * separator->margin;
    if (which == MAX_LENGTH)
        return separator->radius * sqrt(k);
    return acos(fmin(1, sqrt(k) * separator->margin / separator->radius)) * DEGREES;
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
        points[i] = (struct point){k, known_at(&proof->separator, which, k)};
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
    snprintf(where, sizeof where, "(R/\u03b3)\u00b2 = %s", to_digits(bound, 4, separator->bound));
    const struct legend_entry legend[] = {
        {"R \u221ak", LEGEND_LINE, upper, SHAPE_CIRCLE},
        {"|v_k|", LEGEND_LINE, line_style(upper.line, 2, 0), SHAPE_CIRCLE},
        {"v_k \u00b7 u", LEGEND_LINE, line_style(lower.line, 2, 0), SHAPE_CIRCLE},
        {"k \u03b3", LEGEND_LINE, lower, SHAPE_CIRCLE},
        {where, LEGEND_DOT, meeting, SHAPE_DIAMOND},
        {"angle at most", LEGEND_LINE, angle, SHAPE_CIRCLE},
        {"angle of v_k, u", LEGEND_LINE, line_style(angle.line, 2, 0), SHAPE_CIRCLE}};
    double meets = separator->bound * separator->margin;
    bool far = is_far(proof);
    chart->y = (struct axis){.low = far ? separator->margin * 0.7 : 0,
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

static void draw_angle(struct chart *chart, const struct proof *proof)
{
    struct style most = line_style(theme_series(chart->page->picture->theme, 2), 1.5, 5);
    chart_begin(chart);
    draw_known(chart, proof, MAX_ANGLE, &most);
    draw_run(chart, proof->angle, proof->count, 2);
    chart_end(chart);
}

// The place below a chart, with aligned x axes.
static struct box place_below(const struct chart *chart, double bottom)
{
    const struct text_style font = {.size = chart->text};
    double margin = chart->layout.space.left - chart->place.left;
    double wider = chart->layout.y_space - page_text_width(chart->page, "80", &font);
    return (struct box){chart->place.left + fmax(0, wider), chart->place.bottom,
                        chart->layout.space.right + margin, bottom};
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
                           .place = place_below(&lengths, box.bottom),
                           .x = mistakes_axis(proof),
                           .y = {.low = 0, .high = 90, .label = "degrees", .degrees = true}};
    draw_angle(&angles, proof);
}

static tlu_status add_figures(tlu_picture *picture, const struct proof *proof, tlu_error *error)
{
    const struct separator *separator = &proof->separator;
    size_t last = proof->count;
    TRY(picture_figure(picture, "mistakes", (double)proof->trace.updates, error));
    TRY(picture_figure(picture, "bound", separator->bound, error));
    TRY(picture_figure(picture, "radius", separator->radius, error));
    TRY(picture_figure(picture, "margin", separator->margin, error));
    if (last == 0)
        return TLU_OK;
    TRY(picture_figure(picture, "v_dot_u", proof->inside[last - 1].y, error));
    TRY(picture_figure(picture, "length", proof->length[last - 1].y, error));
    return picture_figure(picture, "angle", proof->angle[last - 1].y, error);
}

static void write_caption(char *out, size_t size, const struct proof *proof)
{
    const struct separator *separator = &proof->separator;
    const char *row = options_flag(proof->trace.options, OPTION_NO_BIAS) ? "x" : "(x, 1)";
    bool scaled = tlu_model_is_scaled(proof->trace.model);
    char ending[160], bound[AMOUNT_SIZE], radius[AMOUNT_SIZE], margin[AMOUNT_SIZE];
    snprintf(out, size,
             "The perceptron: %s; (R/\u03b3)\u00b2 = %s is the most that it can make. R = %s, "
             "the length of the longest %s%s; \u03b3 = %s, the margin of u, %s. k \u03b3 \u2264 "
             "v_k \u00b7 u \u2264 |v_k| "
             "\u2264 R \u221ak.%s",
             trace_ending(&proof->trace, ending, sizeof ending),
             to_digits(bound, 4, separator->bound), to_digits(radius, 4, separator->radius), row,
             scaled ? " after scaling" : "", to_digits(margin, 4, separator->margin),
             separator->best ? "the best separator" : "the best separator found",
             is_far(proof) ? " Axes are logarithmic." : "");
}

static tlu_status draw_proof(struct plot *plot, const struct proof *proof, tlu_error *error)
{
    char title[200], caption[600];
    struct page *page;
    if (plot->title)
        snprintf(title, sizeof title, "%s", plot->title);
    else
        snprintf(title, sizeof title, "Why the perceptron converges on %.160s",
                 tlu_model_report(proof->trace.model)->data);
    write_caption(caption, sizeof caption, proof);
    TRY(picture_add_page(plot->picture, &page, error));
    struct box box = page_whole(page);
    chart_frame(page, title, caption, &box);
    draw_charts(page, box, proof);
    TRY(page_end(page, error));
    TRY(picture_describe(plot->picture, title, caption, error));
    return add_figures(plot->picture, proof, error);
}

tlu_status plot_bounds(struct plot *plot, const void *settings, tlu_error *error)
{
    (void)settings;
    struct proof proof = {.count = 0};
    tlu_status status = run_through(&proof, plot, error);
    if (status == TLU_OK)
        status = draw_proof(plot, &proof, error);
    proof_free(&proof);
    return status;
}
