// A function and its approximations by hidden layers: the curves, and the errors against the number
// of units.
#include "base/call/fp_env.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES 500 // of a curve
#define SHARE 0.62  // of the width, for the curves
#define ENOUGH 420  // points of width for two charts side by side
#define ENOUGH_CELLS (64 * CELL_WIDTH)
#define CURVES_MAX 6   // drawn; of more, some are left out evenly
#define NAMES_MAX 16   // numbers of units below the axis
#define DOTS_MAX 60    // points of a file that are drawn as dots
#define DECADES_MAX 16 // of the axis of errors

struct shown_curves {
    size_t nets[CURVES_MAX]; // numbers of the networks, from few units to many
    size_t count;
    struct legend_entry legend[CURVES_MAX + 1];
    char words[CURVES_MAX][32];
};

// The first, the last, and evenly those between.
static void choose_curves(struct shown_curves *shown, const tlu_approximation *approximation)
{
    size_t all = approximation->net_count;
    shown->count = all < CURVES_MAX ? all : CURVES_MAX;
    for (size_t i = 0; i < shown->count; i++)
        shown->nets[i] = shown->count > 1 ? i * (all - 1) / (shown->count - 1) : 0;
}

static struct style curve_style(const struct theme *theme, size_t index)
{
    static const double dashes[] = {0, 7, 3};
    return line_style(theme_series(theme, index), 1.8, dashes[index % 3]);
}

static void fill_legend(struct shown_curves *shown, const tlu_approximation *approximation,
                        const struct theme *theme)
{
    shown->legend[0] = (struct legend_entry){
        approximation->is_file ? "data" : "f(x)",
        approximation->is_file && approximation->points <= DOTS_MAX ? LEGEND_DOT : LEGEND_LINE,
        approximation->is_file && approximation->points <= DOTS_MAX
            ? edged_style(theme->ink, theme->panel, 0.8)
            : line_style(colour_mix(theme->ink, theme->panel, 0.6), 6, 0),
        SHAPE_CIRCLE};
    for (size_t i = 0; i < shown->count; i++) {
        size_t units = approximation->nets[shown->nets[i]].units;
        snprintf(shown->words[i], sizeof shown->words[i], "%zu unit%s", units,
                 units == 1 ? "" : "s");
        shown->legend[i + 1] = (struct legend_entry){shown->words[i], LEGEND_LINE,
                                                     curve_style(theme, i), SHAPE_CIRCLE};
    }
}

// ---- the curves

static void draw_function(struct chart *chart, const tlu_approximation *approximation,
                          const struct legend_entry *entry, struct plot *plot)
{
    struct point *at = plot_new(plot, approximation->points, sizeof *at);
    if (!at) {
        plot->picture->failed = true;
        return;
    }
    for (size_t i = 0; i < approximation->points; i++)
        at[i] = (struct point){approximation->x[i], approximation->y[i]};
    if (entry->kind == LEGEND_DOT)
        chart_dots(chart, at, approximation->points, SHAPE_CIRCLE, 3, &entry->style);
    else
        chart_curve(chart, at, approximation->points, &entry->style);
}

static void draw_net(struct chart *chart, const tlu_approximation *approximation, size_t net,
                     const struct style *style)
{
    struct point at[SAMPLES + 1];
    double length = approximation->to - approximation->from;
    for (size_t i = 0; i <= SAMPLES; i++) {
        double x = approximation->from + (double)i / SAMPLES * length;
        at[i] = (struct point){x, tlu_approximation_value(approximation, net, x)};
    }
    chart_curve(chart, at, SAMPLES + 1, style);
}

static void draw_curves(struct page *page, struct box place, const struct shown_curves *shown,
                        const tlu_approximation *approximation, struct plot *plot)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < approximation->points; i++) {
        low = fmin(low, approximation->y[i]);
        high = fmax(high, approximation->y[i]);
    }
    double space = high > low ? 0.12 * (high - low) : 1;
    struct chart chart = {
        .page = page,
        .place = place,
        .x = {.low = approximation->from, .high = approximation->to, .label = "x"},
        .y = {.low = low - space, .high = high + space, .label = "f(x)"},
        .legend = shown->legend,
        .legend_count = shown->count + 1};
    chart_begin(&chart);
    draw_function(&chart, approximation, &shown->legend[0], plot);
    for (size_t i = 0; i < shown->count; i++)
        draw_net(&chart, approximation, shown->nets[i], &shown->legend[i + 1].style);
    chart_end(&chart);
}

// ---- the errors

static double error_of(const tlu_approximation_net *net, bool largest)
{
    return largest ? net->max_error : net->rms_error;
}

// Each number of units is twice the one before: they have equal distances on the axis.
static bool doubles(const tlu_approximation *approximation)
{
    bool yes = approximation->net_count <= NAMES_MAX;
    for (size_t i = 1; yes && i < approximation->net_count; i++)
        yes = approximation->nets[i].units == 2 * approximation->nets[i - 1].units;
    return yes;
}

static void draw_error(struct chart *chart, const tlu_approximation *approximation, bool largest,
                       struct plot *plot)
{
    const struct theme *theme = plot->theme;
    struct point *at = plot_new(plot, approximation->net_count, sizeof *at);
    if (!at) {
        plot->picture->failed = true;
        return;
    }
    for (size_t i = 0; i < approximation->net_count; i++) {
        const tlu_approximation_net *net = &approximation->nets[i];
        // An error of 0 has no place on a logarithmic axis: it is drawn at its end.
        at[i] = (struct point){chart->x.names ? (double)i : (double)net->units,
                               fmax(error_of(net, largest), chart->y.low)};
    }
    const struct style line = line_style(theme_series(theme, !largest), 1.8, largest ? 0 : 5);
    const struct style dot = edged_style(line.line, theme->panel, 0.8);
    chart_curve(chart, at, approximation->net_count, &line);
    chart_dots(chart, at, approximation->net_count, largest ? SHAPE_CIRCLE : SHAPE_SQUARE, 3.5,
               &dot);
}

// The names of both curves, at the top right: errors fall, so there is space.
static void name_errors(struct chart *chart, const struct theme *theme)
{
    static const char *const names[] = {"max ", "RMS "};
    bool text = picture_is_text(chart->page->picture);
    double line = text ? CELL_HEIGHT : 1.4 * chart->text;
    for (size_t i = 0; i < 2; i++) {
        const struct text_style font = {.size = chart->text,
                                        .across = ALIGN_END,
                                        .along = ALIGN_START,
                                        .bold = true,
                                        .colour = theme_series(theme, i)};
        double share = ((double)i * line + (text ? 0 : 4)) / box_height(&chart->area);
        double y = chart->y.high * pow(chart->y.low / chart->y.high, share);
        chart_note(chart, (struct point){chart->x.high, y}, names[i], &font);
    }
}

static void draw_errors(struct page *page, struct box place, const tlu_approximation *approximation,
                        struct plot *plot)
{
    double low = INFINITY, high = 0;
    size_t count = approximation->net_count;
    char texts[NAMES_MAX][24];
    const char *names[NAMES_MAX];
    for (size_t i = 0; i < count; i++)
        for (int largest = 0; largest < 2; largest++) {
            double error = error_of(&approximation->nets[i], largest);
            low = error > 0 ? fmin(low, error) : low;
            high = fmax(high, error);
        }
    high = high > 0 ? high : 1;
    low = isfinite(low) ? fmax(low, high * pow(10, -DECADES_MAX)) : high / 10;
    struct chart chart = {
        .page = page,
        .place = place,
        .x = {.low = 0.8 * (double)approximation->nets[0].units,
              .high = 1.25 * (double)approximation->nets[count - 1].units,
              .label = "hidden units",
              .whole = true,
              .logarithmic = true},
        .y = {.low = low / 2, .high = high * 2, .label = "error", .logarithmic = true}};
    if (doubles(approximation)) {
        chart.x = (struct axis){.low = -0.4,
                                .high = (double)count - 0.6,
                                .label = "hidden units",
                                .names = names,
                                .name_count = count};
        for (size_t i = 0; i < count; i++) {
            snprintf(texts[i], sizeof texts[i], "%zu", approximation->nets[i].units);
            names[i] = texts[i];
        }
    }
    chart_begin(&chart);
    draw_error(&chart, approximation, false, plot);
    draw_error(&chart, approximation, true, plot);
    name_errors(&chart, plot->theme);
    chart_end(&chart);
}

// ---- the picture

static void describe(struct plot *plot, const tlu_approximation *approximation)
{
    char name[NAME_SIZE], least[AMOUNT_SIZE], few[AMOUNT_SIZE];
    const tlu_approximation_net *first = &approximation->nets[0];
    const tlu_approximation_net *last = &approximation->nets[approximation->net_count - 1];
    const char *slash = approximation->is_file ? strrchr(approximation->name, '/') : NULL;
    short_name(slash ? slash + 1 : approximation->name, name);
    picture_figure(plot->picture, "units", (double)last->units);
    picture_figure(plot->picture, "max_error", last->max_error);
    picture_figure(plot->picture, "rms_error", last->rms_error);
    plot_title(plot, "%s by one hidden layer of %s units", name, approximation->activation);
    to_digits(few, 3, first->max_error);
    to_digits(least, 3, last->max_error);
    say(plot, "Maximum error: %s with %zu unit%s", few, first->units, first->units == 1 ? "" : "s");
    if (last != first)
        say(plot, ", %s with %zu", least, last->units);
    say(plot, ".");
}

static tlu_status plot_approximation(struct plot *plot, tlu_error *error)
{
    const tlu_approximation *approximation = plot->settings;
    struct shown_curves shown;
    struct page *page;
    struct box box;
    describe(plot, approximation);
    TRY(plot_page(plot, &page, &box, error));
    choose_curves(&shown, approximation);
    fill_legend(&shown, approximation, plot->theme);
    struct box left = box, right = box;
    bool both = box_width(&box) >= (picture_is_text(plot->picture) ? ENOUGH_CELLS : ENOUGH);
    if (both)
        left.right = right.left = box.left + SHARE * box_width(&box);
    draw_curves(page, left, &shown, approximation, plot);
    if (both)
        draw_errors(page, right, approximation, plot);
    return TLU_OK;
}

tlu_status tlu_plot_approximation(const tlu_approximation *approximation,
                                  const tlu_picture_style *style, tlu_picture **picture,
                                  tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.settings = approximation};
    return plot_make(plot_approximation, &plot, NULL, style, picture, error);
}
