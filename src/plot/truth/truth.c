// The picture of what was learned from a few rows against the truth: both regions, their overlap
// and the slivers between them.
#include "plot/truth/truth.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"
#include "plot/plane/plane.h"
#include "plot/plot.h"
#include "plot/text.h"

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

// The options given, or the perceptron of the notes if they name no learner.
static tlu_status truth_learner(const tlu_options *given, tlu_options **options, tlu_error *error)
{
    *options = options_copy(given);
    TRY(enough_memory(*options, error));
    if (options_is_set(*options, OPTION_LEARNER))
        return TLU_OK;
    for (size_t i = 0; i < sizeof of_the_notes / sizeof of_the_notes[0]; i++)
        if (!options_is_set(*options, of_the_notes[i].option))
            TRY(tlu_options_set(*options, tlu_option_at(of_the_notes[i].option)->name,
                                of_the_notes[i].value, error));
    return TLU_OK;
}

// Labels of places: two classes have these four, several classes the class and a flag.
enum { IS_NEITHER = 0, IS_MISSED = 1, IS_FALSE = 2, IS_BOTH = 3 };
#define IS_WRONG 0x40000000u

#define CAPTION_SIZE 1024

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

// ---- borders: dashed for the truth, solid for the model

static struct style border(colour line, double width, double dash)
{
    return (struct style){.fill = COLOUR_NONE, .line = line, .width = width, .dash = dash};
}

static const struct style unseen = {.fill = COLOUR_NONE, .line = COLOUR_NONE};

static struct style border_of_truth(const struct theme *theme, uint32_t label)
{
    return label ? border(theme->ink, 1.6, 5) : unseen;
}

static struct style border_of_learned(const struct theme *theme, uint32_t label)
{
    return label ? border(theme->ink, 1.6, 0) : unseen;
}

// Borders of several classes are drawn from both sides, so they are not dashed.
// Of several classes.
static struct style border_of_truths(const struct theme *theme, uint32_t label)
{
    (void)label;
    return border(theme->faint, 1, 0);
}

static struct style border_of_classes(const struct theme *theme, uint32_t label)
{
    (void)label;
    return border(theme->ink, 1.6, 0);
}

// ---- legend

static size_t list_regions(const struct theme *theme, bool several, struct legend_entry *out)
{
    const struct legend_entry two[] = {
        {.text = "true, learned", .kind = LEGEND_AREA, .style = style_of_two(theme, IS_BOTH)},
        {.text = "true, missed", .kind = LEGEND_AREA, .style = style_of_two(theme, IS_MISSED)},
        {.text = "learned, not true", .kind = LEGEND_AREA, .style = style_of_two(theme, IS_FALSE)},
        {.text = "neither", .kind = LEGEND_AREA, .style = style_of_two(theme, IS_NEITHER)},
        {.text = "the truth", .kind = LEGEND_LINE, .style = border_of_truth(theme, 1)},
        {.text = "learned", .kind = LEGEND_LINE, .style = border_of_learned(theme, 1)}};
    const struct legend_entry more[] = {
        {.text = "wrong",
         .kind = LEGEND_AREA,
         .style = {theme->panel, theme->wrong, 0.7, 0, true, false}},
        {.text = "the truth", .kind = LEGEND_LINE, .style = border_of_truths(theme, 1)},
        {.text = "learned", .kind = LEGEND_LINE, .style = border_of_classes(theme, 1)}};
    size_t count = several ? sizeof more / sizeof more[0] : sizeof two / sizeof two[0];
    for (size_t i = 0; i < count; i++)
        out[i] = several ? more[i] : two[i];
    return count;
}

// The legend is the caller's, who frees it.
static tlu_status make_legend(struct chart *chart, const struct truth_sample *sample,
                              tlu_error *error)
{
    const struct theme *theme = chart->page->picture->theme;
    size_t count = sample->class_count;
    struct legend_entry *legend = memory_new(count + 6, sizeof *legend);
    TRY(enough_memory(legend, error));
    for (size_t i = 0; i < count; i++)
        legend[i] = (struct legend_entry){.text = sample->names[i],
                                          .kind = LEGEND_DOT,
                                          .style = class_style(theme, i),
                                          .shape = class_shape(i)};
    chart->legend = legend;
    size_t regions = list_regions(theme, count > 2, legend + count);
    chart->legend_count = count + regions;
    chart->legend_last = count > 2 ? regions : 0;
    return TLU_OK;
}

// ---- title and caption

static const char *share(char out[TICK_SIZE], double value)
{
    return axis_number(out, &(struct axis){.percent = true}, value, 0.001);
}

static const char *count(char out[TICK_SIZE], size_t value)
{
    return axis_number(out, &(struct axis){.whole = true}, (double)value, 1);
}

static void write_title(const struct truth_comparison *comparison, char title[CAPTION_SIZE])
{
    char rows[TICK_SIZE];
    snprintf(title, CAPTION_SIZE, "What %s points teach (%s)",
             count(rows, comparison->trial->sample.learned), comparison->trial->truth.recipe.kind);
}

static void add_learning(const struct truth_comparison *comparison, char caption[CAPTION_SIZE])
{
    const tlu_model *model = comparison->trial->model;
    const tlu_report *report = tlu_model_report(model);
    const char *kernel = tlu_options_get(tlu_model_options(model), "kernel");
    char passes[TICK_SIZE], wrong[TICK_SIZE], rows[TICK_SIZE];
    bool dual = kernel && *kernel && strcmp(kernel, "none") != 0;
    text_add(caption, CAPTION_SIZE, "Learner: %s%s%s", tlu_model_learner(model),
             dual ? " with the kernel " : "", dual ? kernel : "");
    if (report->converged)
        text_add(caption, CAPTION_SIZE, ", without a mistake in pass %s",
                 count(passes, (size_t)report->epochs));
    else
        text_add(caption, CAPTION_SIZE, ", wrong about %s of the %s points",
                 comparison->trial->mistakes ? count(wrong, comparison->trial->mistakes) : "none",
                 count(rows, comparison->trial->sample.learned));
    text_add(caption, CAPTION_SIZE, ". ");
}

static void add_seeds(const struct accuracies *seeds, char caption[CAPTION_SIZE])
{
    char number[TICK_SIZE], mean[TICK_SIZE], deviation[TICK_SIZE], least[TICK_SIZE],
        most[TICK_SIZE];
    if (seeds->count < 2)
        return;
    text_add(caption, CAPTION_SIZE,
             " Over %s seeds the mean accuracy is %s (standard deviation %s), from %s to %s; the "
             "picture "
             "is that of the first.",
             count(number, seeds->count), share(mean, seeds->mean),
             share(deviation, seeds->deviation), share(least, seeds->least),
             share(most, seeds->most));
}

static void write_caption(const struct truth_comparison *comparison, char caption[CAPTION_SIZE])
{
    const struct trial *trial = comparison->trial;
    char right[TICK_SIZE], fresh[TICK_SIZE], wrong[TICK_SIZE], best[TICK_SIZE];
    caption[0] = '\0';
    text_add(caption, CAPTION_SIZE, "True: %s. ", trial->truth.kind->words);
    add_learning(comparison, caption);
    text_add(caption, CAPTION_SIZE, "Right about %s of %s fresh points",
             share(right, trial->accuracy), count(fresh, FRESH));
    if (trial->best < 1)
        text_add(caption, CAPTION_SIZE, " (the truth itself about %s)", share(best, trial->best));
    text_add(caption, CAPTION_SIZE, ", wrong in %s of the dotted box.",
             share(wrong, comparison->wrong));
    if (comparison->only)
        text_add(caption, CAPTION_SIZE,
                 " All of the box is called %s: what was learned has its border outside.",
                 comparison->only);
    add_seeds(comparison->seeds, caption);
    if (comparison->drawn < trial->sample.learned)
        text_add(caption, CAPTION_SIZE, " The first %s points are drawn.",
                 count(fresh, comparison->drawn));
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
    const struct style line = {.line = theme->ink, .width = 1.6, .fill = COLOUR_NONE};
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

static tlu_status run_trial(const struct plot *plot, const tlu_recipe *first,
                            const tlu_options *options, uint64_t number, struct trial *trial,
                            tlu_error *error)
{
    struct trial_progress progress = {plot->progress, plot->progress_context, false};
    tlu_recipe recipe = *first;
    recipe.seed += number;
    TRY(trial_run(&recipe, options, show_progress, &progress, trial, error));
    return progress.stopped ? error_interrupted(error, "the learning was stopped") : TLU_OK;
}

// Keeps the accuracies of the other trials.
static tlu_status run_others(const struct plot *plot, const tlu_recipe *recipe,
                             const tlu_options *options, struct accuracies *seeds, tlu_error *error)
{
    for (size_t i = 1; i < seeds->count; i++) {
        struct trial trial;
        tlu_status status = run_trial(plot, recipe, options, i, &trial, error);
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

static void draw_range(struct chart *chart, const struct trial *trial)
{
    struct truth_range range = truth_range(&trial->truth);
    const struct style style = {
        .fill = COLOUR_NONE, .line = chart->page->picture->theme->faint, .width = 1, .dash = 2};
    chart_box(chart, (struct point){range.x_low, range.y_low},
              (struct point){range.x_high, range.y_high}, &style);
}

static tlu_status draw_rows(struct chart *chart, const struct truth_sample *sample, size_t drawn,
                            tlu_error *error)
{
    struct point *at = memory_new(drawn, sizeof *at);
    TRY(enough_memory(at, error));
    for (size_t c = 0; c < sample->class_count; c++) {
        const struct style style = class_style(chart->page->picture->theme, c);
        size_t count = 0;
        for (size_t i = 0; i < drawn; i++)
            if (sample->classes[i] == c)
                at[count++] = sample->at[i];
        chart_dots(chart, at, count, class_shape(c), 4, &style);
    }
    memory_free(at);
    return TLU_OK;
}

// Covers the rows and the range of the recipe.
static void set_axes(struct chart *chart, const struct trial *trial)
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
    chart->square = true;
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

static tlu_status draw_plane(struct page *page, const struct box *place,
                             const struct truth_comparison *comparison, tlu_error *error)
{
    const struct trial *trial = comparison->trial;
    struct chart chart = {.page = page, .place = *place};
    double space;
    TRY(make_legend(&chart, &trial->sample, error));
    set_axes(&chart, trial);
    tlu_status status = find_space(&chart, comparison->seeds, &space, error);
    chart.place.right -= space;
    chart_begin(&chart);
    if (status == TLU_OK)
        status = draw_regions(&chart, trial, error);
    if (status == TLU_OK) {
        draw_range(&chart, trial);
        status = draw_rows(&chart, &trial->sample, comparison->drawn, error);
    }
    chart_end(&chart);
    draw_seeds(&chart, space, comparison->seeds);
    memory_free((void *)chart.legend);
    return status;
}

static tlu_status draw_page(struct plot *plot, const struct truth_comparison *comparison,
                            tlu_error *error)
{
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    struct box place = page_whole(page);
    chart_frame(page, plot->picture->title, plot->picture->caption, &place);
    TRY(draw_plane(page, &place, comparison, error));
    return page_end(page, error);
}

// ---- all of it

static tlu_status add_figures(tlu_picture *picture, const struct truth_comparison *comparison,
                              tlu_error *error)
{
    const struct trial *trial = comparison->trial;
    const tlu_report *report = tlu_model_report(trial->model);
    const struct accuracies *seeds = comparison->seeds;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"accuracy", trial->accuracy},
                   {"accuracy_of_truth", trial->best},
                   {"training_mistakes", (double)trial->mistakes},
                   {"wrong_share", comparison->wrong},
                   {"missed_share", comparison->missed},
                   {"claimed_share", comparison->claimed},
                   {"passes", (double)report->epochs},
                   {"updates", (double)report->updates},
                   {"converged", report->converged},
                   {"seeds", (double)seeds->count},
                   {"mean_accuracy", seeds->mean},
                   {"deviation", seeds->deviation},
                   {"least", seeds->least},
                   {"most", seeds->most}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        TRY(picture_figure(picture, figures[i].name, figures[i].value, error));
    return TLU_OK;
}

static tlu_status show(struct plot *plot, struct truth_comparison *comparison, tlu_error *error)
{
    char title[CAPTION_SIZE], caption[CAPTION_SIZE];
    size_t learned = comparison->trial->sample.learned;
    comparison->drawn = learned < DRAWN_MAX ? learned : DRAWN_MAX;
    TRY(measure_areas(comparison, error));
    write_title(comparison, title);
    write_caption(comparison, caption);
    TRY(picture_describe(plot->picture, plot->title ? plot->title : title, caption, error));
    TRY(add_figures(plot->picture, comparison, error));
    return draw_page(plot, comparison, error);
}

static tlu_status run_seeds(struct plot *plot, const tlu_plot_truth_settings *settings,
                            const tlu_options *options, struct trial *first,
                            struct accuracies *seeds, tlu_error *error)
{
    tlu_recipe recipe;
    TRY(take_recipe(settings->recipe, &recipe, error));
    seeds->count = settings->seeds ? (size_t)settings->seeds : 1;
    seeds->all = memory_new(seeds->count, sizeof *seeds->all);
    TRY(enough_memory(seeds->all, error));
    TRY(run_trial(plot, &recipe, options, 0, first, error));
    TRY(picture_note(plot->picture, tlu_model_report(first->model), error));
    seeds->all[0] = first->accuracy;
    TRY(run_others(plot, &recipe, options, seeds, error));
    struct truth_comparison comparison = {.trial = first, .seeds = seeds};
    return show(plot, &comparison, error);
}

tlu_status plot_truth(struct plot *plot, const void *given, tlu_error *error)
{
    tlu_options *options;
    struct trial first = {0};
    struct accuracies seeds = {0};
    tlu_status status = truth_learner(plot->options, &options, error);
    if (status == TLU_OK)
        status = run_seeds(plot, given, options, &first, &seeds, error);
    tlu_options_free(options);
    trial_free(&first);
    memory_free(seeds.all);
    return status;
}
