// The strongest features of a model as bars: those of the positive class, or of each class.
#include "base/memory.h"
#include "draw/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOP 20
#define CHARTS_MOST 12 // of classes

struct bar {
    size_t feature;
    double strength;
};

// The bars of a class from below, the strongest on top.
struct bars {
    size_t class_index;
    struct bar *all; // [count]
    char **names;    // [count]
    size_t count;
};

static int by_strength(const void *a, const void *b)
{
    const struct bar *left = a, *right = b;
    double more = fabs(left->strength), less = fabs(right->strength);
    if (more != less)
        return more < less ? -1 : 1;
    return left->feature > right->feature ? -1 : 1;
}

static tlu_status name_bars(struct bars *bars, const tlu_model *model, tlu_error *error)
{
    bars->names = memory_new(bars->count + 1, sizeof *bars->names);
    TRY(enough_memory(bars->names, error));
    for (size_t i = 0; i < bars->count; i++) {
        size_t feature = bars->all[i].feature;
        size_t size = tlu_model_feature_name(model, feature, NULL, 0) + 1;
        bars->names[i] = memory_new(size, 1);
        TRY(enough_memory(bars->names[i], error));
        tlu_model_feature_name(model, feature, bars->names[i], size);
    }
    return TLU_OK;
}

// Features without a weight have no bar.
static tlu_status find_bars(struct bars *bars, const tlu_model *model, size_t most,
                            tlu_error *error)
{
    size_t features = tlu_model_feature_count(model), count = 0;
    bars->all = memory_new(features + 1, sizeof *bars->all);
    TRY(enough_memory(bars->all, error));
    for (size_t f = 0; f < features; f++) {
        double strength = tlu_model_strength(model, bars->class_index, f);
        if (strength != 0)
            bars->all[count++] = (struct bar){f, strength};
    }
    qsort(bars->all, count, sizeof *bars->all, by_strength);
    bars->count = count < most ? count : most;
    for (size_t i = 0; i < bars->count; i++)
        bars->all[i] = bars->all[count - bars->count + i];
    return name_bars(bars, model, error);
}

static void free_bars(struct bars *bars)
{
    for (size_t i = 0; bars->names && i < bars->count; i++)
        memory_free(bars->names[i]);
    memory_free(bars->names);
    memory_free(bars->all);
}

// ---- drawing

// What speaks for the class has its colour; of two classes the rest has that of the other.
static struct look bar_look(const struct plot *plot, const struct bars *bars, bool against)
{
    const struct theme *theme = plot->picture->theme;
    bool two = tlu_model_positive(plot->settings->model) != TLU_NONE;
    colour other = two ? theme_series(theme, 1 - bars->class_index) : theme->faint;
    return (struct look){
        against ? other : theme_series(theme, bars->class_index), COLOUR_NONE, 0, 0, false, true};
}

static void draw_bars(struct plot *plot, const struct bars *bars, struct chart *chart)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < bars->count; i++) {
        low = fmin(low, bars->all[i].strength);
        high = fmax(high, bars->all[i].strength);
    }
    chart->x.low = low * 1.05;
    chart->x.high = high * 1.05;
    chart->y = (struct axis){-0.6, (double)bars->count - 0.4,
                             .names = (const char *const *)bars->names, .name_count = bars->count};
    chart_begin(chart);
    for (size_t i = 0; i < bars->count; i++) {
        const struct look look = bar_look(plot, bars, bars->all[i].strength < 0);
        chart_box(chart, (struct point){0, (double)i - 0.35},
                  (struct point){bars->all[i].strength, (double)i + 0.35}, &look);
    }
    const struct look zero = {COLOUR_NONE, plot->picture->theme->faint, 1, 0, false, false};
    chart_line(chart, (struct point){0, chart->y.low}, (struct point){0, chart->y.high}, &zero);
    chart_end(chart);
}

static void tell_scale(struct telling *telling, const tlu_model *model)
{
    telling_add(telling, "%s",
                tlu_model_scaled(model)
                    ? " The weights are those of the features as the model scales "
                      "them, which can be compared."
                    : "");
}

static tlu_status draw_one(struct plot *plot, const struct bars *bars, struct page *page,
                           tlu_error *error)
{
    struct telling telling = {0};
    const tlu_model *model = plot->settings->model;
    char name[NAME_SIZE], other[NAME_SIZE], texts[2][NAME_SIZE + 20];
    answers_class(model, bars->class_index, name);
    answers_class(model, 1 - bars->class_index, other);
    snprintf(texts[0], sizeof texts[0], "for %s", name);
    snprintf(texts[1], sizeof texts[1], "for %s", other);
    telling_title(&telling, plot, "The strongest features");
    telling_add(&telling,
                "The %zu strongest of %zu features: what adds to the score of '%s' goes "
                "to the right, what speaks for '%s' to the left.",
                bars->count, tlu_model_feature_count(model), name, other);
    tell_scale(&telling, model);
    const struct legend_entry legend[] = {
        {texts[0], LEGEND_AREA, bar_look(plot, bars, false), SHAPE_SQUARE},
        {texts[1], LEGEND_AREA, bar_look(plot, bars, true), SHAPE_SQUARE}};
    struct chart chart = {.page = page,
                          .place = page_whole(page),
                          .title = telling.title,
                          .caption = telling.caption,
                          .x = {.label = "weight"},
                          .legend = legend,
                          .legend_count = 2};
    draw_bars(plot, bars, &chart);
    return telling_give(&telling, plot, error);
}

static tlu_status draw_several(struct plot *plot, const struct bars *bars, size_t count,
                               struct page *page, tlu_error *error)
{
    struct telling telling = {0};
    const tlu_model *model = plot->settings->model;
    struct box box = page_whole(page);
    telling_title(&telling, plot, "The strongest features of each class");
    telling_add(&telling,
                "What adds to the score of a class goes to the right in its colour, what "
                "takes from it to the left in grey; the %zu strongest of %zu features.",
                bars[0].count, tlu_model_feature_count(model));
    if (count < tlu_model_class_count(model))
        telling_add(&telling, " Shown are the %zu of %zu classes with the most training rows.",
                    count, tlu_model_class_count(model));
    tell_scale(&telling, model);
    chart_frame(page, telling.title, telling.caption, &box);
    struct cells cells = cells_in(&box, count, 1.3);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_SIZE];
        struct chart chart = {.page = page, .place = cell_box(&cells, i), .small = true};
        chart.title = answers_class(model, bars[i].class_index, name);
        draw_bars(plot, &bars[i], &chart);
    }
    return telling_give(&telling, plot, error);
}

// ---- which classes, how many features

struct class_rank {
    size_t class_index;
    uint64_t examples;
};

static int by_examples(const void *a, const void *b)
{
    const struct class_rank *left = a, *right = b;
    if (left->examples != right->examples)
        return left->examples > right->examples ? -1 : 1;
    return left->class_index < right->class_index ? -1 : 1;
}

static int by_class(const void *a, const void *b)
{
    const struct bars *left = a, *right = b;
    return left->class_index < right->class_index ? -1 : 1;
}

static tlu_status choose_classes(const tlu_model *model, size_t most, struct bars *bars,
                                 size_t *count, tlu_error *error)
{
    size_t classes = tlu_model_class_count(model);
    struct class_rank *ranks = memory_new(classes, sizeof *ranks);
    TRY(enough_memory(ranks, error));
    for (size_t c = 0; c < classes; c++)
        ranks[c] = (struct class_rank){c, tlu_model_class_examples(model, c)};
    qsort(ranks, classes, sizeof *ranks, by_examples);
    *count = classes < most ? classes : most;
    for (size_t i = 0; i < *count; i++)
        bars[i].class_index = ranks[i].class_index;
    qsort(bars, *count, sizeof *bars, by_class);
    memory_free(ranks);
    return TLU_OK;
}

// Of classes that have a chart: each takes 160 times 130 points, more on a terminal.
static size_t charts_most(const struct plot *plot)
{
    const tlu_picture *picture = plot->picture;
    double text = picture_is_text(picture) ? 1.4 : 1;
    double across = floor(picture->width / (160 * text)),
           down = floor(picture->height / 130 / text);
    size_t most = (size_t)fmax(1, across * down);
    return most < CHARTS_MOST ? most : CHARTS_MOST;
}

// A bar has a line on a terminal.
static size_t top_of_all(const struct plot *plot)
{
    size_t top = plot->settings->top ? plot->settings->top : TOP, around = 8;
    if (!picture_is_text(plot->picture) || plot->picture->lines <= around)
        return top;
    return top < plot->picture->lines - around ? top : plot->picture->lines - around;
}

// As many as have room in a small chart.
static size_t top_of_each(const struct plot *plot, size_t classes)
{
    const struct box box = {0, 0, plot->picture->width, plot->picture->height * 0.85};
    struct cells cells = cells_in(&box, classes, 1.3);
    double line = picture_is_text(plot->picture) ? CELL_HEIGHT : 14;
    double rows = box_height(&box) / (double)cells.rows / line - 3;
    size_t most = rows > 2 ? (size_t)rows : 2, top = top_of_all(plot);
    return most < top ? most : top;
}

static tlu_status give_figures(struct plot *plot, const struct bars *bars, tlu_error *error)
{
    char name[400];
    for (size_t i = bars->count; i-- > 0;) {
        snprintf(name, sizeof name, "%.300s", bars->names[i]);
        TRY(picture_figure(plot->picture, name, bars->all[i].strength, error));
    }
    return TLU_OK;
}

static tlu_status find_and_draw(struct plot *plot, struct bars bars[CHARTS_MOST], size_t *count,
                                tlu_error *error)
{
    const tlu_model *model = plot->settings->model;
    size_t positive = tlu_model_positive(model), top = top_of_all(plot);
    struct page *page;
    *count = 1;
    bars[0].class_index = positive;
    if (positive == TLU_NONE) {
        TRY(choose_classes(model, charts_most(plot), bars, count, error));
        top = top_of_each(plot, *count);
    }
    size_t all = 0;
    for (size_t i = 0; i < *count; i++) {
        TRY(find_bars(&bars[i], model, top, error));
        all += bars[i].count;
    }
    if (all == 0)
        return error_input(error, "all weights of the model are 0: there is nothing to draw");
    TRY(picture_add_page(plot->picture, &page, error));
    if (positive == TLU_NONE)
        TRY(draw_several(plot, bars, *count, page, error));
    else
        TRY(draw_one(plot, bars, page, error));
    if (positive != TLU_NONE)
        TRY(give_figures(plot, bars, error));
    return page_end(page, error);
}

tlu_status plot_weights(struct plot *plot, tlu_error *error)
{
    struct bars bars[CHARTS_MOST] = {0};
    size_t count = 0;
    TRY(answers_need_weights(plot->settings->model, error));
    tlu_status status = find_and_draw(plot, bars, &count, error);
    for (size_t i = 0; i < count; i++)
        free_bars(&bars[i]);
    return status;
}
