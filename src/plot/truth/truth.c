// The picture of what was learned from a few rows against the truth: both regions, their overlap
// and the slivers between them.
#include "plot/truth/truth.h"
#include "base/call/callback.h"
#include "base/options.h"
#include "base/settings.h"
#include "plot/plane/plane.h"
#include "plot/plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the learner

// The default: the perceptron with the last weights, unscaled rows in order, until it converges.
static const struct {
    enum option option;
    const char *value;
} of_the_notes[] = {{OPTION_LEARNER, "perceptron"},
                    {OPTION_DECIDE, "last"},
                    {OPTION_SHUFFLE, "none"},
                    {OPTION_EPOCHS, "1000"}};

static tlu_status set_learner(tlu_options *options, tlu_error *error)
{
    if (options_is_set(options, OPTION_LEARNER))
        return TLU_OK;
    for (size_t i = 0; i < sizeof of_the_notes / sizeof of_the_notes[0]; i++)
        if (!options_is_set(options, of_the_notes[i].option))
            TRY(tlu_options_set(options, tlu_option_at(of_the_notes[i].option)->name,
                                of_the_notes[i].value, error));
    return TLU_OK;
}

// Labels of places: two classes have these four, several classes the class and a flag.
enum { IS_NEITHER = 0, IS_MISSED = 1, IS_FALSE = 2, IS_BOTH = 3 };
#define IS_WRONG 0x40000000u

// ---- styles: regions have the colour of the class that was learned; wrong ones stand out

// The line hides the antialiasing seam between neighbours.
static struct style plain(colour ground)
{
    return (struct style){.fill = ground, .line = ground, .width = 0.7};
}

static struct style style_of_two(const struct theme *theme, uint32_t label)
{
    colour missed = colour_mix(theme->panel, theme->wrong, 0.25);
    switch (label) {
    case IS_BOTH:
        return plain(theme_region(theme, 1));
    case IS_MISSED:
        return (struct style){.fill = missed, .line = theme->wrong, .width = 0.7, .hatched = true};
    case IS_FALSE:
        return plain(colour_mix(theme->panel, theme->wrong, 0.6));
    default:
        return plain(theme_region(theme, 0));
    }
}

static struct style style_of_several(const struct theme *theme, uint32_t label)
{
    colour region = theme_region(theme, label & ~IS_WRONG);
    if (!(label & IS_WRONG))
        return plain(region);
    return (struct style){.fill = region, .line = theme->wrong, .width = 0.7, .hatched = true};
}

// ---- borders: dashed for the truth, solid for the model. Borders of several classes are drawn
// from both sides, so they are not dashed.

static const struct style unseen = {.fill = COLOUR_NONE, .line = COLOUR_NONE};

static struct style border_of_truth(const struct theme *theme, uint32_t label)
{
    return label ? line_style(theme->ink, 1.6, 5) : unseen;
}

static struct style border_of_learned(const struct theme *theme, uint32_t label)
{
    return label ? line_style(theme->ink, 1.6, 0) : unseen;
}

static struct style border_of_truths(const struct theme *theme, uint32_t label)
{
    (void)label;
    return line_style(theme->faint, 1, 0);
}

static struct style border_of_classes(const struct theme *theme, uint32_t label)
{
    (void)label;
    return line_style(theme->ink, 1.6, 0);
}

// ---- legend

#define REGIONS_MAX 6 // entries besides the classes

static size_t list_regions(const struct theme *theme, bool several, struct legend_entry *out)
{
    const struct legend_entry two[] = {
        {"true, learned", LEGEND_AREA, style_of_two(theme, IS_BOTH), 0},
        {"true, missed", LEGEND_AREA, style_of_two(theme, IS_MISSED), 0},
        {"learned, not true", LEGEND_AREA, style_of_two(theme, IS_FALSE), 0},
        {"neither", LEGEND_AREA, style_of_two(theme, IS_NEITHER), 0},
        {"the truth", LEGEND_LINE, border_of_truth(theme, 1), 0},
        {"learned", LEGEND_LINE, border_of_learned(theme, 1), 0}};
    const struct legend_entry more[] = {
        {"wrong", LEGEND_AREA, {theme->panel, theme->wrong, 0.7, 0, true, false, 0}, 0},
        {"the truth", LEGEND_LINE, border_of_truths(theme, 1), 0},
        {"learned", LEGEND_LINE, border_of_classes(theme, 1), 0}};
    size_t count = several ? sizeof more / sizeof more[0] : sizeof two / sizeof two[0];
    assert(count <= REGIONS_MAX);
    memcpy(out, several ? more : two, count * sizeof *out);
    return count;
}

static tlu_status make_legend(struct chart *chart, struct plot *plot,
                              const struct truth_sample *sample, tlu_error *error)
{
    size_t count = sample->class_count;
    struct legend_entry *legend = plot_new(plot, count + REGIONS_MAX, sizeof *legend);
    TRY(enough_memory(legend, error));
    for (size_t i = 0; i < count; i++)
        legend[i] = class_entry(plot->theme, i, sample->names[i]);
    chart->legend = legend;
    size_t regions = list_regions(plot->theme, count > 2, legend + count);
    chart->legend_count = count + regions;
    chart->legend_last = count > 2 ? regions : 0;
    return TLU_OK;
}

// ---- title and caption

static void say_learning(struct plot *plot, const struct trial *trial)
{
    const tlu_report *report = tlu_model_report(trial->model);
    const char *kernel = tlu_options_get(tlu_model_options(trial->model), "kernel");
    char passes[TICK_SIZE], wrong[TICK_SIZE], rows[TICK_SIZE];
    bool dual = kernel && *kernel && strcmp(kernel, "none") != 0;
    say(plot, "Learner: %s%s%s", tlu_model_learner(trial->model), dual ? " with the kernel " : "",
        dual ? kernel : "");
    if (report->converged)
        say(plot, ", without a mistake in pass %s", number_text(passes, (double)report->epochs));
    else
        say(plot, ", %s of the %s training points wrong",
            trial->mistakes ? number_text(wrong, (double)trial->mistakes) : "none",
            number_text(rows, (double)trial->sample.learned));
    say(plot, ". ");
}

static void say_seeds(struct plot *plot, const struct accuracies *seeds)
{
    char number[TICK_SIZE], mean[TICK_SIZE], deviation[TICK_SIZE], least[TICK_SIZE],
        most[TICK_SIZE];
    if (seeds->count > 1)
        say(plot,
            " Over %s seeds the mean accuracy is %s (standard deviation %s), from %s to %s; the "
            "first is drawn.",
            number_text(number, (double)seeds->count), share_text(mean, seeds->mean),
            share_text(deviation, seeds->deviation), share_text(least, seeds->least),
            share_text(most, seeds->most));
}

static void describe(struct plot *plot, const struct truth_comparison *comparison)
{
    const struct trial *trial = comparison->trial;
    char right[TICK_SIZE], fresh[TICK_SIZE], wrong[TICK_SIZE], best[TICK_SIZE];
    plot_title(plot, "Learned from %s points, and the truth (%s)",
               number_text(right, (double)trial->sample.learned), trial->truth.recipe.kind);
    say(plot, "True: %s. ", trial->truth.kind->words);
    say_learning(plot, trial);
    say(plot, "Accuracy %s on %s new points", share_text(right, trial->accuracy),
        number_text(fresh, FRESH));
    if (trial->best < 1)
        say(plot, " (the true boundary: %s)", share_text(best, trial->best));
    say(plot, "; wrong in %s of the area of the dotted box.", share_text(wrong, comparison->wrong));
    if (comparison->only)
        say(plot, " All of the box is predicted as %s: the learned boundary is outside.",
            comparison->only);
    say_seeds(plot, comparison->seeds);
    if (comparison->drawn < trial->sample.learned)
        say(plot, " The first %s points are drawn.", number_text(fresh, (double)comparison->drawn));
}

// ---- the accuracies over many seeds

#define BARS_MAX 64
#define NEARLY 1e-9
#define SPACE 1.25 // space above the bars, for the label of the mean

struct histogram {
    double low, width;
    size_t count, highest;
    size_t seeds[BARS_MAX];
};

// The smallest of a few round widths that gives at most 20 bars. A value on the border of two bars
// belongs to the upper one, except 100%.
static struct histogram count_bars(const struct accuracies *seeds)
{
    static const double widths[] = {0.005, 0.01, 0.02, 0.05};
    struct histogram bars = {0};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        bars.width = widths[i];
        bars.low = fmin(1 - bars.width, floor(seeds->least / bars.width + NEARLY) * bars.width);
        double high = fmin(1, (floor(seeds->most / bars.width + NEARLY) + 1) * bars.width);
        bars.count = (size_t)((high - bars.low) / bars.width + 0.5);
        if (bars.count <= 20)
            break;
    }
    for (size_t i = 0; i < seeds->count; i++) {
        size_t bar = (size_t)((seeds->all[i] - bars.low) / bars.width + NEARLY);
        bar = bar < bars.count ? bar : bars.count - 1;
        bars.seeds[bar]++;
        bars.highest = bars.seeds[bar] > bars.highest ? bars.seeds[bar] : bars.highest;
    }
    return bars;
}

// The mean, labelled on the side with more space.
static void draw_mean(struct chart *chart, double mean)
{
    const struct theme *theme = chart->page->picture->theme;
    const struct style line = line_style(theme->ink, 1.6, 0);
    bool right = mean > (chart->x.low + chart->x.high) / 2;
    const struct text_style font = {.size = chart->text,
                                    .across = right ? ALIGN_END : ALIGN_START,
                                    .along = ALIGN_START,
                                    .colour = theme->ink};
    struct point top = {mean, chart->y.high};
    chart_line(chart, (struct point){mean, 0}, top, &line);
    chart_note(chart, top, right ? "mean " : " mean", &font);
}

static void draw_histogram(struct page *page, const struct box *place,
                           const struct accuracies *seeds)
{
    const struct theme *theme = page->picture->theme;
    struct histogram bars = count_bars(seeds);
    const struct style bar = {.fill = theme_series(theme, 0), .line = theme->panel, .width = 1};
    char title[TICK_SIZE];
    snprintf(title, sizeof title, "%zu seeds", seeds->count);
    struct chart chart = {
        .page = page,
        .place = *place,
        .small = true,
        .title = title,
        .x = {.low = bars.low,
              .high = bars.low + (double)bars.count * bars.width,
              .percent = true,
              .label = "accuracy"},
        .y = {.low = 0, .high = (double)bars.highest * SPACE, .whole = true, .label = "seeds"}};
    chart_begin(&chart);
    for (size_t i = 0; i < bars.count; i++) {
        double left = bars.low + (double)i * bars.width;
        if (bars.seeds[i])
            chart_box(&chart, (struct point){left, 0},
                      (struct point){left + bars.width, (double)bars.seeds[i]}, &bar);
    }
    draw_mean(&chart, seeds->mean);
    chart_end(&chart);
}

#define CELLS 160         // of the grid for regions
#define DRAWN_MAX 2000    // rows
#define HISTOGRAM_MIN 120 // width and height
#define GAP 8
#define ROWS 25     // default
#define MARGIN 0.03 // of the range, around the rows

// ---- learning

struct trial_progress {
    tlu_progress_function progress;
    void *context;
    bool stopped;
};

static int show_progress(void *context, const tlu_progress *now)
{
    struct trial_progress *progress = context;
    progress->stopped |= progress->progress && progress->progress(progress->context, now) != 0;
    return progress->stopped;
}

// Noise and seed are used as given; 0 means the default for all other fields.
static tlu_status take_recipe(const tlu_recipe *given, tlu_recipe *recipe, tlu_error *error)
{
    tlu_recipe good = {.size = sizeof good};
    TRY(settings_take(recipe, sizeof *recipe, given, "tlu_recipe", error));
    TRY(tlu_recipe_init(recipe->kind ? recipe->kind : "", &good, error));
    recipe->rows = recipe->rows ? recipe->rows : ROWS;
    recipe->features = recipe->features ? recipe->features : 2;
    recipe->nonzeros = recipe->nonzeros ? recipe->nonzeros : good.nonzeros;
    recipe->classes = recipe->classes ? recipe->classes : good.classes;
    recipe->margin = recipe->margin != 0 ? recipe->margin : good.margin;
    recipe->radius = recipe->radius != 0 ? recipe->radius : good.radius;
    return TLU_OK;
}

static tlu_status run_trial(const struct plot *plot, const tlu_recipe *first, uint64_t number,
                            struct trial *trial, tlu_error *error)
{
    struct trial_progress progress = {plot->progress, plot->progress_context, false};
    tlu_recipe recipe = *first;
    recipe.seed += number;
    TRY(trial_run(&recipe, plot->options, show_progress, &progress, trial, error));
    return progress.stopped ? error_interrupted(error, "the learning was stopped") : TLU_OK;
}

// Keeps the accuracies of the other trials.
static tlu_status run_others(const struct plot *plot, const tlu_recipe *recipe,
                             struct accuracies *seeds, tlu_error *error)
{
    for (size_t i = 1; i < seeds->count; i++) {
        struct trial trial;
        tlu_status status = run_trial(plot, recipe, i, &trial, error);
        seeds->all[i] = trial.accuracy;
        trial_free(&trial);
        TRY(status);
    }
    accuracies_sum_up(seeds);
    return TLU_OK;
}

// ---- regions

static tlu_status label_both(void *context, const struct point *at, size_t count, uint32_t *labels,
                             tlu_error *error)
{
    const struct trial *trial = context;
    bool several = trial->sample.class_count > 2;
    TRY(trial_predict(trial, at, count, labels, error));
    for (size_t i = 0; i < count; i++) {
        uint32_t truth = trial_true_class(trial, &at[i]);
        if (several)
            labels[i] |= labels[i] == truth ? 0 : IS_WRONG;
        else
            labels[i] = (labels[i] ? IS_FALSE : 0) | (truth ? IS_MISSED : 0);
    }
    return TLU_OK;
}

static tlu_status label_learned(void *context, const struct point *at, size_t count,
                                uint32_t *labels, tlu_error *error)
{
    return trial_predict(context, at, count, labels, error);
}

static tlu_status label_true(void *context, const struct point *at, size_t count, uint32_t *labels,
                             tlu_error *error)
{
    (void)error;
    for (size_t i = 0; i < count; i++)
        labels[i] = trial_true_class(context, &at[i]);
    return TLU_OK;
}

// ---- drawing

// A region's outline has parts of the box: a box that is a little larger than the area keeps these
// out of projection.
static tlu_status draw_field(struct chart *chart, const struct region_field *field,
                             struct style (*style)(const struct theme *, uint32_t),
                             tlu_error *error)
{
    double across = (chart->x.high - chart->x.low) / CELLS;
    double up = (chart->y.high - chart->y.low) / CELLS;
    struct regions *regions;
    TRY(plane_regions(field, chart->x.low - across, chart->x.high + across, chart->y.low - up,
                      chart->y.high + up, CELLS + 2, CELLS + 2, &regions, error));
    plane_draw_regions(chart, regions, style);
    plane_regions_free(regions);
    return TLU_OK;
}

static tlu_status draw_regions(struct chart *chart, const struct trial *trial, tlu_error *error)
{
    void *context = (void *)trial;
    bool several = trial->sample.class_count > 2;
    const struct region_field both = {.label = label_both, .context = context};
    const struct region_field learned = {.label = label_learned, .context = context};
    const struct region_field truth = {.label = label_true, .context = context};
    TRY(draw_field(chart, &both, several ? style_of_several : style_of_two, error));
    TRY(draw_field(chart, &truth, several ? border_of_truths : border_of_truth, error));
    return draw_field(chart, &learned, several ? border_of_classes : border_of_learned, error);
}

static tlu_status draw_rows(struct chart *chart, struct plot *plot,
                            const struct truth_sample *sample, size_t drawn, tlu_error *error)
{
    struct point *at = plot_new(plot, drawn, sizeof *at);
    TRY(enough_memory(at, error));
    for (size_t c = 0; c < sample->class_count; c++) {
        const struct style style = class_style(plot->theme, c);
        size_t count = 0;
        for (size_t i = 0; i < drawn; i++)
            if (sample->classes[i] == c)
                at[count++] = sample->at[i];
        chart_dots(chart, at, count, class_shape(c), 4, &style);
    }
    return TLU_OK;
}

// Covers the rows and the range of the recipe.
static void set_axes(const struct plot *plot, struct chart *chart, const struct trial *trial)
{
    struct truth_range range = truth_range(&trial->truth);
    for (size_t i = 0; i < trial->sample.learned; i++) {
        const struct point *at = &trial->sample.at[i];
        range.x_low = fmin(range.x_low, at->x);
        range.x_high = fmax(range.x_high, at->x);
        range.y_low = fmin(range.y_low, at->y);
        range.y_high = fmax(range.y_high, at->y);
    }
    double across = (range.x_high - range.x_low) * MARGIN,
           up = (range.y_high - range.y_low) * MARGIN;
    chart->x = (struct axis){range.x_low - across, range.x_high + across, .label = "x"};
    chart->y = (struct axis){range.y_low - up, range.y_high + up, .label = "y"};
    chart->square = plot_is_square(plot, true);
}

// The histogram below the legend, if that is at the right and there are several seeds.
static void draw_seeds(const struct chart *chart, double space, const struct accuracies *seeds)
{
    const struct chart_layout *layout = &chart->layout;
    struct box place = layout->legend;
    place.left = chart->area.right + 2 * GAP;
    place.right += space;
    place.top += 1.1 * (double)layout->legend_rows * chart->text * 1.4;
    if (seeds->count < 2 || layout->legend.left < chart->area.right ||
        box_width(&place) < HISTOGRAM_MIN || box_height(&place) < HISTOGRAM_MIN)
        return;
    draw_histogram(chart->page, &place, seeds);
}

// How much wider the column of a narrow legend must be for the histogram.
static tlu_status find_space(const struct chart *chart, const struct accuracies *seeds,
                             double *space, tlu_error *error)
{
    struct chart trial = *chart;
    tlu_picture *picture = chart->page->picture;
    *space = 0;
    if (seeds->count < 2 || box_width(&chart->place) < 5 * HISTOGRAM_MIN)
        return TLU_OK;
    TRY(picture_add_page(picture, &trial.page, error));
    chart_begin(&trial);
    double there = box_width(&trial.layout.legend);
    if (trial.layout.legend.left >= trial.area.right)
        *space = fmax(0, HISTOGRAM_MIN + 2 * GAP - there);
    picture_drop_page(picture);
    return TLU_OK;
}

static tlu_status draw(struct plot *plot, const struct truth_comparison *comparison,
                       tlu_error *error)
{
    const struct trial *trial = comparison->trial;
    const struct truth_range range = truth_range(&trial->truth);
    const struct style dotted = line_style(plot->theme->faint, 1, 2);
    struct chart chart = {0};
    double space;
    TRY(plot_page(plot, &chart.page, &chart.place, error));
    TRY(make_legend(&chart, plot, &trial->sample, error));
    set_axes(plot, &chart, trial);
    TRY(find_space(&chart, comparison->seeds, &space, error));
    chart.place.right -= space;
    chart_begin(&chart);
    TRY(draw_regions(&chart, trial, error));
    chart_box(&chart, (struct point){range.x_low, range.y_low},
              (struct point){range.x_high, range.y_high}, &dotted);
    TRY(draw_rows(&chart, plot, &trial->sample, comparison->drawn, error));
    chart_end(&chart);
    draw_seeds(&chart, space, comparison->seeds);
    return TLU_OK;
}

// ---- all of it

static void add_figures(tlu_picture *picture, const struct truth_comparison *comparison)
{
    const struct trial *trial = comparison->trial;
    const tlu_report *report = tlu_model_report(trial->model);
    const struct accuracies *seeds = comparison->seeds;
    picture_figure(picture, "accuracy", trial->accuracy);
    picture_figure(picture, "accuracy_of_truth", trial->best);
    picture_figure(picture, "training_mistakes", (double)trial->mistakes);
    picture_figure(picture, "wrong_share", comparison->wrong);
    picture_figure(picture, "missed_share", comparison->missed);
    picture_figure(picture, "claimed_share", comparison->claimed);
    picture_figure(picture, "passes", (double)report->epochs);
    picture_figure(picture, "updates", (double)report->updates);
    picture_figure(picture, "converged", report->converged);
    picture_figure(picture, "seeds", (double)seeds->count);
    picture_figure(picture, "mean_accuracy", seeds->mean);
    picture_figure(picture, "deviation", seeds->deviation);
    picture_figure(picture, "least", seeds->least);
    picture_figure(picture, "most", seeds->most);
}

static tlu_status run_seeds(struct plot *plot, struct trial *first, tlu_error *error)
{
    const tlu_plot_truth_settings *settings = plot->settings;
    struct accuracies seeds = {.count = settings->seeds ? (size_t)settings->seeds : 1};
    struct truth_comparison comparison = {.trial = first, .seeds = &seeds};
    tlu_recipe recipe;
    TRY(set_learner(plot->options, error));
    TRY(take_recipe(settings->recipe, &recipe, error));
    seeds.all = plot_new(plot, seeds.count, sizeof *seeds.all);
    TRY(enough_memory(seeds.all, error));
    TRY(run_trial(plot, &recipe, 0, first, error));
    picture_note(plot->picture, first->model);
    seeds.all[0] = first->accuracy;
    TRY(run_others(plot, &recipe, &seeds, error));
    comparison.drawn = first->sample.learned < DRAWN_MAX ? first->sample.learned : DRAWN_MAX;
    TRY(measure_areas(&comparison, plot, error));
    describe(plot, &comparison);
    add_figures(plot->picture, &comparison);
    return draw(plot, &comparison, error);
}

static tlu_status plot_truth(struct plot *plot, tlu_error *error)
{
    struct trial first = {0};
    tlu_status status = run_seeds(plot, &first, error);
    trial_free(&first);
    return status;
}

tlu_status tlu_plot_truth(const tlu_plot_truth_settings *given, const tlu_options *options,
                          const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_truth_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_truth_settings", error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    TRY(check_given(settings.recipe != NULL, "recipe", error));
    struct plot plot = {.settings = &settings,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return plot_make(plot_truth, &plot, options, style, picture, error);
}
