// What is learned from a few rows, against what is true: the two regions, where they overlap, and
// the slivers between them.
#include "base/memory.h"
#include "base/settings.h"
#include "plot/plane/plane.h"
#include "plot/plot.h"
#include "plot/truth/internal.h"
#include "tlu_plot.h"

#include <math.h>

#define CELLS 160         // of the grid that regions are found by
#define DRAWN_MAX 2000    // rows
#define HISTOGRAM_MIN 120 // width and height
#define GAP 8
#define ROWS 25     // unless the recipe says it, as the command has it
#define MARGIN 0.03 // around the rows

// ---- learning

struct watch {
    tlu_progress_function progress;
    void *context;
    bool stopped;
};

static int watch_on(void *context, const tlu_progress *now)
{
    struct watch *watch = context;
    watch->stopped |= watch->progress && watch->progress(watch->context, now) != 0;
    return watch->stopped;
}

// No noise and the seed 0 are what they say; 0 rows, features and so on were left open.
static tlu_status take_recipe(const tlu_plot_settings *settings, tlu_recipe *recipe,
                              tlu_error *error)
{
    tlu_recipe good = {.size = sizeof good};
    TRY(settings_take(recipe, sizeof *recipe, settings->recipe, "tlu_recipe", error));
    TRY(tlu_recipe_init(recipe->kind ? recipe->kind : "", &good, error));
    recipe->rows = recipe->rows ? recipe->rows : ROWS;
    recipe->features = recipe->features ? recipe->features : 2;
    recipe->nonzeros = recipe->nonzeros ? recipe->nonzeros : good.nonzeros;
    recipe->classes = recipe->classes ? recipe->classes : good.classes;
    recipe->margin = recipe->margin != 0 ? recipe->margin : good.margin;
    recipe->radius = recipe->radius != 0 ? recipe->radius : good.radius;
    return TLU_OK;
}

static tlu_status run_trial(const struct plot *plot, const tlu_options *options, uint64_t number,
                            struct trial *trial, tlu_error *error)
{
    struct watch watch = {plot->settings->progress, plot->settings->progress_context, false};
    tlu_recipe recipe;
    TRY(take_recipe(plot->settings, &recipe, error));
    recipe.seed += number;
    TRY(trial_run(&recipe, options, watch_on, &watch, trial, error));
    return watch.stopped ? error_interrupted(error, "the learning was stopped") : TLU_OK;
}

// The first trial is kept, of the others the accuracy.
static tlu_status run_others(const struct plot *plot, const tlu_options *options,
                             struct accuracies *seeds, tlu_error *error)
{
    for (size_t i = 1; i < seeds->count; i++) {
        struct trial trial;
        tlu_status status = run_trial(plot, options, i, &trial, error);
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
                             struct look (*look)(const struct theme *, uint32_t), tlu_error *error)
{
    double across = (chart->x.high - chart->x.low) / CELLS;
    double up = (chart->y.high - chart->y.low) / CELLS;
    struct regions *regions;
    TRY(plane_regions(field, chart->x.low - across, chart->x.high + across, chart->y.low - up,
                      chart->y.high + up, CELLS + 2, CELLS + 2, &regions, error));
    plane_draw_regions(chart, regions, look);
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
    TRY(draw_field(chart, &both, several ? look_of_several : look_of_two, error));
    TRY(draw_field(chart, &truth, several ? border_of_truths : border_of_truth, error));
    return draw_field(chart, &learned, several ? border_of_classes : border_of_learned, error);
}

static void draw_range(struct chart *chart, const struct trial *trial)
{
    struct truth_range range = truth_range(&trial->truth);
    const struct look look = {
        .fill = COLOUR_NONE, .line = chart->page->picture->theme->faint, .width = 1, .dash = 2};
    chart_box(chart, (struct point){range.x_low, range.y_low},
              (struct point){range.x_high, range.y_high}, &look);
}

static tlu_status draw_rows(struct chart *chart, const struct truth_sample *sample, size_t drawn,
                            tlu_error *error)
{
    struct point *at = memory_new(drawn, sizeof *at);
    TRY(enough_memory(at, error));
    for (size_t c = 0; c < sample->class_count; c++) {
        const struct look look = class_look(chart->page->picture->theme, c);
        size_t count = 0;
        for (size_t i = 0; i < drawn; i++)
            if (sample->classes[i] == c)
                at[count++] = sample->at[i];
        chart_dots(chart, at, count, class_shape(c), 4, &look);
    }
    memory_free(at);
    return TLU_OK;
}

// Of rows and of where they usually are.
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

// In the room below the legend, if that is at the right and there are several seeds.
static void draw_seeds(const struct chart *chart, double room, const struct accuracies *seeds)
{
    const struct chart_layout *layout = &chart->layout;
    struct box place = layout->legend;
    place.left = chart->area.right + 2 * GAP;
    place.right += room;
    place.top += 1.1 * (double)layout->legend_rows * chart->text * 1.4;
    if (seeds->count < 2 || layout->legend.left < chart->area.right ||
        box_width(&place) < HISTOGRAM_MIN || box_height(&place) < HISTOGRAM_MIN)
        return;
    draw_histogram(chart->page, &place, seeds);
}

// A narrow legend leaves too little room below it: how much the plane gives, if it is wide.
static tlu_status find_room(const struct chart *chart, const struct accuracies *seeds, double *room,
                            tlu_error *error)
{
    struct chart trial = *chart;
    tlu_picture *picture = chart->page->picture;
    *room = 0;
    if (seeds->count < 2 || box_width(&chart->place) < 5 * HISTOGRAM_MIN)
        return TLU_OK;
    TRY(picture_add_page(picture, &trial.page, error));
    chart_begin(&trial);
    double there = box_width(&trial.layout.legend);
    if (trial.layout.legend.left >= trial.area.right)
        *room = fmax(0, HISTOGRAM_MIN + 2 * GAP - there);
    picture_drop_page(picture);
    return TLU_OK;
}

static tlu_status draw_plane(struct page *page, const struct box *place,
                             const struct outcome *outcome, tlu_error *error)
{
    const struct trial *trial = outcome->trial;
    struct chart chart = {.page = page, .place = *place};
    double room;
    TRY(make_legend(&chart, &trial->sample, error));
    set_axes(&chart, trial);
    tlu_status status = find_room(&chart, outcome->seeds, &room, error);
    chart.place.right -= room;
    chart_begin(&chart);
    if (status == TLU_OK)
        status = draw_regions(&chart, trial, error);
    if (status == TLU_OK) {
        draw_range(&chart, trial);
        status = draw_rows(&chart, &trial->sample, outcome->drawn, error);
    }
    chart_end(&chart);
    draw_seeds(&chart, room, outcome->seeds);
    memory_free((void *)chart.legend);
    return status;
}

static tlu_status draw_page(struct plot *plot, const struct outcome *outcome, tlu_error *error)
{
    struct page *page;
    TRY(picture_add_page(plot->picture, &page, error));
    struct box place = page_whole(page);
    chart_frame(page, plot->picture->title, plot->picture->caption, &place);
    TRY(draw_plane(page, &place, outcome, error));
    return page_end(page, error);
}

// ---- all of it

static tlu_status add_figures(tlu_picture *picture, const struct outcome *outcome, tlu_error *error)
{
    const struct trial *trial = outcome->trial;
    const tlu_report *report = tlu_model_report(trial->model);
    const struct accuracies *seeds = outcome->seeds;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"accuracy", trial->accuracy},
                   {"accuracy_of_truth", trial->best},
                   {"training_mistakes", (double)trial->mistakes},
                   {"wrong_share", outcome->wrong},
                   {"missed_share", outcome->missed},
                   {"claimed_share", outcome->claimed},
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

static tlu_status show(struct plot *plot, struct outcome *outcome, tlu_error *error)
{
    const char *asked = plot->settings->title;
    char title[CAPTION_SIZE], caption[CAPTION_SIZE];
    size_t learned = outcome->trial->sample.learned;
    outcome->drawn = learned < DRAWN_MAX ? learned : DRAWN_MAX;
    TRY(measure_areas(outcome, error));
    write_title(outcome, title);
    write_caption(outcome, caption);
    TRY(picture_describe(plot->picture, asked && *asked ? asked : title, caption, error));
    TRY(add_figures(plot->picture, outcome, error));
    return draw_page(plot, outcome, error);
}

static tlu_status study(struct plot *plot, const tlu_options *options, struct trial *first,
                        struct accuracies *seeds, tlu_error *error)
{
    seeds->count = plot->settings->seeds ? (size_t)plot->settings->seeds : 1;
    seeds->all = memory_new(seeds->count, sizeof *seeds->all);
    TRY(enough_memory(seeds->all, error));
    TRY(run_trial(plot, options, 0, first, error));
    TRY(picture_note(plot->picture, tlu_model_report(first->model), error));
    seeds->all[0] = first->accuracy;
    TRY(run_others(plot, options, seeds, error));
    struct outcome outcome = {.trial = first, .seeds = seeds};
    return show(plot, &outcome, error);
}

tlu_status plot_truth(struct plot *plot, tlu_error *error)
{
    tlu_options *options;
    struct trial first = {0};
    struct accuracies seeds = {0};
    if (!plot->settings->recipe)
        return error_input(error, "a picture of the kind truth needs a recipe");
    tlu_status status = truth_learner(plot->options, &options, error);
    if (status == TLU_OK)
        status = study(plot, options, &first, &seeds, error);
    tlu_options_free(options);
    trial_free(&first);
    memory_free(seeds.all);
    return status;
}
