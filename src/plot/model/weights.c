// A bar chart of the features with the largest absolute weights: one chart for two classes, else
// one per class.
#include "base/call/fp_env.h"
#include "model/model.h"
#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP 20        // bars, unless the user chooses
#define CHARTS_MAX 12 // one per class

struct bar {
    size_t feature;
    double strength;
};

// The bars of a class in ascending order of strength: the last is drawn on top.
struct weight_bars {
    size_t class_index;
    struct bar *all; // [count]
    char **names;    // [count]
    size_t count;
};

static int by_strength(const void *a, const void *b)
{
    const struct bar *left = a, *right = b;
    double x = fabs(left->strength), y = fabs(right->strength);
    if (x != y)
        return x < y ? -1 : 1;
    return left->feature > right->feature ? -1 : 1;
}

// The name of a feature, or "column 3" or "feature 3" if the name is a number. NULL: out of memory.
static char *name_of(struct plot *plot, size_t feature)
{
    const tlu_model *model = plot->model;
    const char *what = schema_is_csv(&model->state.schema) ? "column " : "feature ";
    size_t size = tlu_model_feature_name(model, feature, NULL, 0) + 1, before = strlen(what);
    char *name = plot_new(plot, before + size, 1);
    if (!name)
        return NULL;
    tlu_model_feature_name(model, feature, name, size);
    if (*name && strspn(name, "0123456789") == size - 1) {
        memmove(name + before, name, size);
        memcpy(name, what, before);
    }
    return name;
}

// Selects the `most` strongest features. A feature with weight 0 has no bar.
static tlu_status find_bars(struct weight_bars *bars, struct plot *plot, size_t most,
                            tlu_error *error)
{
    size_t features = tlu_model_feature_count(plot->model), count = 0;
    struct bar *all = plot_new(plot, features + 1, sizeof *all);
    TRY(enough_memory(all, error));
    for (size_t f = 0; f < features; f++) {
        double strength = tlu_model_scaled_weight(plot->model, bars->class_index, f);
        if (strength != 0)
            all[count++] = (struct bar){f, strength};
    }
    qsort(all, count, sizeof *all, by_strength);
    bars->count = count < most ? count : most;
    bars->all = all + count - bars->count;
    bars->names = plot_new(plot, bars->count + 1, sizeof *bars->names);
    TRY(enough_memory(bars->names, error));
    for (size_t i = 0; i < bars->count; i++) {
        bars->names[i] = name_of(plot, bars->all[i].feature);
        TRY(enough_memory(bars->names[i], error));
    }
    return TLU_OK;
}

// ---- drawing

// Positive weights have the colour of the class. Negative weights have the colour of the other
// class if there are two, else grey. Classes that share a colour differ by hatching and intensity.
static struct style bar_style(const struct plot *plot, const struct weight_bars *bars, bool against)
{
    const struct theme *theme = plot->theme;
    bool two = tlu_model_positive_class(plot->model) != TLU_NONE;
    colour other = two ? theme_series(theme, 1 - bars->class_index) : theme->faint;
    size_t round = against ? 0 : bars->class_index / THEME_COLOURS;
    colour own =
        colour_mix(theme->panel, theme_series(theme, bars->class_index), round / 2 % 2 ? 0.55 : 1);
    return (struct style){
        against ? other : own, round % 2 ? theme->panel : COLOUR_NONE, 1.5, 0, round % 2, true, 0};
}

// Extends the axis so that all bars fit.
static void widen(struct axis *axis, const struct weight_bars *bars)
{
    for (size_t i = 0; i < bars->count; i++) {
        axis->low = fmin(axis->low, bars->all[i].strength * 1.05);
        axis->high = fmax(axis->high, bars->all[i].strength * 1.05);
    }
}

static struct axis names_axis(const struct weight_bars *bars)
{
    return (struct axis){-0.6, (double)bars->count - 0.4, .names = (const char *const *)bars->names,
                         .name_count = bars->count};
}

static void draw_bars(const struct plot *plot, const struct weight_bars *bars, struct chart *chart)
{
    for (size_t i = 0; i < bars->count; i++) {
        const struct style style = bar_style(plot, bars, bars->all[i].strength < 0);
        chart_box(chart, (struct point){0, (double)i - 0.35},
                  (struct point){bars->all[i].strength, (double)i + 0.35}, &style);
    }
    const struct style zero = line_style(plot->theme->faint, 1, 0);
    chart_line(chart, (struct point){0, chart->y.low}, (struct point){0, chart->y.high}, &zero);
    chart_end(chart);
}

static void describe_scale(struct plot *plot)
{
    if (tlu_model_is_scaled(plot->model))
        say(plot, " Weights are those of the scaled features, so that they can be compared.");
}

// Draws the chart. *named: only one bar in this many has its name beside it.
static tlu_status draw_described(struct plot *plot, const struct weight_bars *bars, size_t *named,
                                 tlu_error *error)
{
    char name[NAME_SIZE], texts[2][NAME_SIZE + 20];
    for (size_t i = 0; i < 2; i++)
        snprintf(texts[i], sizeof texts[i], "for %s",
                 class_name(plot->model, i ? 1 - bars->class_index : bars->class_index, name));
    const struct legend_entry legend[] = {
        {texts[0], LEGEND_AREA, bar_style(plot, bars, false), SHAPE_SQUARE},
        {texts[1], LEGEND_AREA, bar_style(plot, bars, true), SHAPE_SQUARE}};
    struct chart chart = {
        .x = {.label = "weight"}, .y = names_axis(bars), .legend = legend, .legend_count = 2};
    widen(&chart.x, bars);
    TRY(plot_chart(plot, &chart, error));
    draw_bars(plot, bars, &chart);
    *named = chart.layout.y_every;
    return TLU_OK;
}

// "the 20 strongest of 1,000 features", "all 4 features"
static void describe_count(struct plot *plot, size_t count)
{
    size_t all = tlu_model_feature_count(plot->model);
    char features[COUNTED_SIZE], some[COUNTED_SIZE];
    counted(features, all, "feature", "features");
    if (count < all)
        say(plot, "the %s of %s", counted(some, count, "strongest", "strongest"), features);
    else
        say(plot, all == 1 ? "the only feature" : "all %s", features);
}

static tlu_status draw_one(struct plot *plot, const struct weight_bars *bars, tlu_error *error)
{
    const tlu_model *model = plot->model;
    char name[NAME_SIZE], other[NAME_SIZE];
    size_t named, announced = 1;
    plot_title(plot, "Strongest features: %s", model_name(model, name));
    say(plot, "Bars to the right raise the score of '%s', bars to the left that of '%s': ",
        class_name(model, bars->class_index, name),
        class_name(model, 1 - bars->class_index, other));
    describe_count(plot, bars->count);
    say(plot, ".");
    describe_scale(plot);
    size_t length = plot->caption.size;
    TRY(draw_described(plot, bars, &named, error));
    // Only drawing shows how many names fit. The caption mentions it, and a longer caption may
    // leave space for fewer names, so the chart is drawn again until both agree.
    while (named > announced) {
        picture_drop_page(plot->picture);
        announced = named;
        plot->caption.size = length;
        say(plot, " One bar in %zu has its name; a taller picture has space for more.", announced);
        TRY(draw_described(plot, bars, &named, error));
    }
    return TLU_OK;
}

// Says which classes are shown, if not all.
static void describe_classes(struct plot *plot, size_t count)
{
    const tlu_model *model = plot->model;
    size_t all = tlu_model_class_count(model);
    bool equal_counts = true;
    char classes[COUNTED_SIZE];
    for (size_t c = 1; c < all; c++)
        equal_counts = equal_counts &&
                       tlu_model_class_examples(model, c) == tlu_model_class_examples(model, 0);
    if (count < all)
        say(plot,
            equal_counts ? " The first %zu of %s are shown."
                         : " The %zu of %s with the most training rows are shown.",
            count, counted(classes, all, "class", "classes"));
}

static tlu_status draw_several(struct plot *plot, const struct weight_bars *bars, size_t count,
                               tlu_error *error)
{
    char name[NAME_SIZE];
    struct page *page;
    struct box box;
    struct axis weight = {.label = "weight"};
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = bars[i].count > most ? bars[i].count : most;
        widen(&weight, &bars[i]);
    }
    plot_title(plot, "Strongest features of each class: %s", model_name(plot->model, name));
    say(plot, "Coloured bars raise the score of the class, grey bars lower it: ");
    describe_count(plot, most);
    say(plot, ", on the same scale for all classes.");
    describe_classes(plot, count);
    describe_scale(plot);
    TRY(plot_page(plot, &page, &box, error));
    struct tiling tiling = tiling_in(&box, count, 1.3);
    for (size_t i = 0; i < count; i++) {
        struct chart chart = {.page = page,
                              .place = tile_box(&tiling, i),
                              .title = class_name(plot->model, bars[i].class_index, name),
                              .x = weight,
                              .y = names_axis(&bars[i]),
                              .small = true};
        chart_begin(&chart);
        draw_bars(plot, &bars[i], &chart);
    }
    return TLU_OK;
}

// ---- selecting classes and features

static int by_class(const void *a, const void *b)
{
    const struct weight_bars *left = a, *right = b;
    return left->class_index < right->class_index ? -1 : 1;
}

// The classes with the most training rows, in their order.
static tlu_status choose_classes(struct plot *plot, size_t most, struct weight_bars *bars,
                                 size_t *count, tlu_error *error)
{
    size_t classes = tlu_model_class_count(plot->model);
    struct rank_entry *ranks = plot_new(plot, classes, sizeof *ranks);
    TRY(enough_memory(ranks, error));
    for (size_t c = 0; c < classes; c++)
        ranks[c] = (struct rank_entry){c, (double)tlu_model_class_examples(plot->model, c)};
    rank_sort(ranks, classes);
    *count = classes < most ? classes : most;
    for (size_t i = 0; i < *count; i++)
        bars[i].class_index = ranks[i].index;
    qsort(bars, *count, sizeof *bars, by_class);
    return TLU_OK;
}

// The number of charts that fit. Each takes 160 by 130 points, and 1.4 times as much each way on a
// terminal.
static size_t charts_max(const struct plot *plot)
{
    const tlu_picture *picture = plot->picture;
    double text = picture_is_text(picture) ? 1.4 : 1;
    double across = floor(picture->width / (160 * text)),
           down = floor(picture->height / 130 / text);
    size_t most = (size_t)fmax(1, across * down);
    return most < CHARTS_MAX ? most : CHARTS_MAX;
}

// The number of bars in a single chart. On a terminal each bar takes a line.
static size_t top_of_all(const struct plot *plot, size_t top)
{
    size_t around = 8; // lines for title, caption and axis
    top = top ? top : TOP;
    if (!picture_is_text(plot->picture) || plot->picture->lines <= around)
        return top;
    return top < plot->picture->lines - around ? top : plot->picture->lines - around;
}

// The number of bars in each of several charts: as many as fit, and at most `top`.
static size_t top_of_each(const struct plot *plot, size_t top, size_t classes)
{
    double share =
        plot->picture->height < 340 ? 0.7 : 0.85; // of the height, without title and caption
    const struct box box = {0, 0, plot->picture->width, plot->picture->height * share};
    struct tiling tiling = tiling_in(&box, classes, 1.3);
    double line = picture_is_text(plot->picture) ? CELL_HEIGHT : 14;
    double rows = box_height(&box) / (double)tiling.rows / line - 4;
    size_t most = rows > 2 ? (size_t)rows : 2;
    return most < top ? most : top;
}

static tlu_status plot_weights(struct plot *plot, tlu_error *error)
{
    struct weight_bars bars[CHARTS_MAX] = {0};
    size_t count = 1, all = 0, positive = tlu_model_positive_class(plot->model);
    size_t top = top_of_all(plot, *(const size_t *)plot->settings);
    char name[300];
    TRY(need_weights(plot->model, error));
    bars[0].class_index = positive;
    if (positive == TLU_NONE) {
        TRY(choose_classes(plot, charts_max(plot), bars, &count, error));
        top = top_of_each(plot, top, count);
    }
    assert(count <= CHARTS_MAX);
    for (size_t i = 0; i < count; i++) {
        TRY(find_bars(&bars[i], plot, top, error));
        all += bars[i].count;
    }
    if (all == 0)
        return error_input(error, "all weights of the model are 0: there is nothing to draw");
    if (positive == TLU_NONE)
        return draw_several(plot, bars, count, error);
    for (size_t i = bars->count; i-- > 0;) {
        tlu_model_feature_name(plot->model, bars->all[i].feature, name, sizeof name);
        picture_figure(plot->picture, name, bars->all[i].strength);
    }
    return draw_one(plot, bars, error);
}

tlu_status tlu_plot_weights(const tlu_model *model, size_t top, const tlu_picture_style *style,
                            tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    struct plot plot = {.settings = &top, .model = model, .multilabel = true};
    return plot_make(plot_weights, &plot, NULL, style, picture, error);
}
