// A bar chart of the features with the largest absolute weights: one chart for two classes, else
// one per class.
#include "base/memory.h"
#include "model/model.h"
#include "plot/model/model_plot.h"

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

// The name of a feature, or "column 3" or "feature 3" if the name is a number. The caller frees it.
// NULL: out of memory.
static char *name_of(const tlu_model *model, size_t feature)
{
    const char *what = schema_is_csv(&model->schema) ? "column " : "feature ";
    size_t size = tlu_model_feature_name(model, feature, NULL, 0) + 1, before = strlen(what);
    char *name = memory_new(before + size, 1);
    if (!name)
        return NULL;
    tlu_model_feature_name(model, feature, name, size);
    if (*name && strspn(name, "0123456789") == size - 1) {
        memmove(name + before, name, size);
        memcpy(name, what, before);
    }
    return name;
}

static tlu_status name_bars(struct weight_bars *bars, const tlu_model *model, tlu_error *error)
{
    bars->names = memory_new(bars->count + 1, sizeof *bars->names);
    TRY(enough_memory(bars->names, error));
    for (size_t i = 0; i < bars->count; i++) {
        bars->names[i] = name_of(model, bars->all[i].feature);
        TRY(enough_memory(bars->names[i], error));
    }
    return TLU_OK;
}

// Selects the `most` strongest features. A feature with weight 0 has no bar.
static tlu_status find_bars(struct weight_bars *bars, const tlu_model *model, size_t most,
                            tlu_error *error)
{
    size_t features = tlu_model_feature_count(model), count = 0;
    bars->all = memory_new(features + 1, sizeof *bars->all);
    TRY(enough_memory(bars->all, error));
    for (size_t f = 0; f < features; f++) {
        double strength = tlu_model_scaled_weight(model, bars->class_index, f);
        if (strength != 0)
            bars->all[count++] = (struct bar){f, strength};
    }
    qsort(bars->all, count, sizeof *bars->all, by_strength);
    bars->count = count < most ? count : most;
    for (size_t i = 0; i < bars->count; i++)
        bars->all[i] = bars->all[count - bars->count + i];
    return name_bars(bars, model, error);
}

static void free_bars(struct weight_bars *bars)
{
    for (size_t i = 0; bars->names && i < bars->count; i++)
        memory_free(bars->names[i]);
    memory_free(bars->names);
    memory_free(bars->all);
}

// ---- drawing

// Positive weights have the colour of the class. Negative weights have the colour of the other
// class if there are two, else grey. Classes that share a colour differ by hatching and intensity.
static struct style bar_style(const struct plot *plot, const struct weight_bars *bars, bool against)
{
    const struct theme *theme = plot->picture->theme;
    bool two = tlu_model_positive_class(plot->model) != TLU_NONE;
    colour other = two ? theme_series(theme, 1 - bars->class_index) : theme->faint;
    size_t round = against ? 0 : bars->class_index / THEME_COLOURS;
    colour own =
        colour_mix(theme->panel, theme_series(theme, bars->class_index), round / 2 % 2 ? 0.55 : 1);
    return (struct style){
        against ? other : own, round % 2 ? theme->panel : COLOUR_NONE, 1.5, 0, round % 2, true};
}

// Extends the axis so that all bars fit.
static void widen(struct axis *axis, const struct weight_bars *bars)
{
    for (size_t i = 0; i < bars->count; i++) {
        axis->low = fmin(axis->low, bars->all[i].strength * 1.05);
        axis->high = fmax(axis->high, bars->all[i].strength * 1.05);
    }
}

static void draw_bars(struct plot *plot, const struct weight_bars *bars, struct chart *chart)
{
    chart->y = (struct axis){-0.6, (double)bars->count - 0.4,
                             .names = (const char *const *)bars->names, .name_count = bars->count};
    chart_begin(chart);
    for (size_t i = 0; i < bars->count; i++) {
        const struct style style = bar_style(plot, bars, bars->all[i].strength < 0);
        chart_box(chart, (struct point){0, (double)i - 0.35},
                  (struct point){bars->all[i].strength, (double)i + 0.35}, &style);
    }
    const struct style zero = line_style(plot->picture->theme->faint, 1, 0);
    chart_line(chart, (struct point){0, chart->y.low}, (struct point){0, chart->y.high}, &zero);
    chart_end(chart);
}

static void describe_scale(struct description *description, const tlu_model *model)
{
    description_add(description, "%s",
                    tlu_model_is_scaled(model)
                        ? " The weights are those of the features as the model scales "
                          "them, which can be compared."
                        : "");
}

// Draws the chart. *named: only one bar in this many has its name beside it.
static tlu_status draw_described(struct plot *plot, const struct weight_bars *bars,
                                 const struct description *description, size_t *named,
                                 tlu_error *error)
{
    const tlu_model *model = plot->model;
    char name[NAME_SIZE], texts[2][NAME_SIZE + 20];
    struct page *page;
    for (size_t i = 0; i < 2; i++)
        snprintf(texts[i], sizeof texts[i], "for %s",
                 class_name(model, i ? 1 - bars->class_index : bars->class_index, name));
    const struct legend_entry legend[] = {
        {texts[0], LEGEND_AREA, bar_style(plot, bars, false), SHAPE_SQUARE},
        {texts[1], LEGEND_AREA, bar_style(plot, bars, true), SHAPE_SQUARE}};
    TRY(picture_add_page(plot->picture, &page, error));
    struct chart chart = {.page = page,
                          .place = page_whole(page),
                          .title = description->title,
                          .caption = description->caption,
                          .x = {.label = "weight"},
                          .legend = legend,
                          .legend_count = 2};
    widen(&chart.x, bars);
    draw_bars(plot, bars, &chart);
    *named = chart.layout.y_every;
    return page_end(page, error);
}

// "the 20 strongest of 1,000 features", "all 4 features"
static void describe_count(struct description *description, const tlu_model *model, size_t count)
{
    size_t all = tlu_model_feature_count(model);
    char features[COUNTED_SIZE], some[COUNTED_SIZE];
    counted(features, all, "feature", "features");
    if (count < all)
        description_add(description, "the %s of %s", counted(some, count, "strongest", "strongest"),
                        features);
    else
        description_add(description, all == 1 ? "the only feature" : "all %s", features);
}

static tlu_status draw_one(struct plot *plot, const struct weight_bars *bars, tlu_error *error)
{
    struct description description = {0};
    const tlu_model *model = plot->model;
    char name[NAME_SIZE], other[NAME_SIZE];
    size_t named, announced = 1;
    description_title(&description, plot, "The strongest features: %s", model_name(model, name));
    class_name(model, bars->class_index, name);
    class_name(model, 1 - bars->class_index, other);
    description_add(&description,
                    "What adds to the score of '%s' goes to the right, what speaks for '%s' to the "
                    "left: ",
                    name, other);
    describe_count(&description, model, bars->count);
    description_add(&description, ".");
    describe_scale(&description, model);
    const struct description short_description = description;
    TRY(draw_described(plot, bars, &description, &named, error));
    // Only drawing shows how many names fit. The caption mentions it, and a longer caption may
    // leave space for fewer names, so the chart is drawn again until both agree.
    while (named > announced) {
        picture_drop_page(plot->picture);
        announced = named;
        description = short_description;
        description_add(&description,
                        " One bar in %zu has its name; in a higher picture more have.", announced);
        TRY(draw_described(plot, bars, &description, &named, error));
    }
    return description_set(&description, plot, error);
}

// Says which classes are shown, if not all.
static void describe_classes(struct description *description, const tlu_model *model, size_t count)
{
    size_t all = tlu_model_class_count(model);
    bool equal_counts = true;
    char classes[COUNTED_SIZE];
    for (size_t c = 1; c < all; c++)
        equal_counts = equal_counts &&
                       tlu_model_class_examples(model, c) == tlu_model_class_examples(model, 0);
    if (count < all)
        description_add(description,
                        equal_counts ? " The first %zu of %s are shown."
                                     : " The %zu of %s with the most training rows are shown.",
                        count, counted(classes, all, "class", "classes"));
}

static tlu_status draw_several(struct plot *plot, const struct weight_bars *bars, size_t count,
                               tlu_error *error)
{
    struct description description = {0};
    const tlu_model *model = plot->model;
    char name[NAME_SIZE];
    struct page *page;
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = bars[i].count > most ? bars[i].count : most;
    TRY(picture_add_page(plot->picture, &page, error));
    struct box box = page_whole(page);
    description_title(&description, plot, "The strongest features of each class: %s",
                      model_name(model, name));
    description_add(&description,
                    "What adds to the score of a class goes to the right in its colour, what "
                    "takes from it to the left in grey: ");
    describe_count(&description, model, most);
    description_add(&description, ", on the same scale for all classes.");
    describe_classes(&description, model, count);
    describe_scale(&description, model);
    chart_frame(page, description.title, description.caption, &box);
    struct tiling tiling = tiling_in(&box, count, 1.3);
    struct axis weight = {.label = "weight"};
    for (size_t i = 0; i < count; i++)
        widen(&weight, &bars[i]);
    for (size_t i = 0; i < count; i++) {
        struct chart chart = {
            .page = page, .place = tile_box(&tiling, i), .x = weight, .small = true};
        chart.title = class_name(model, bars[i].class_index, name);
        draw_bars(plot, &bars[i], &chart);
    }
    TRY(page_end(page, error));
    return description_set(&description, plot, error);
}

// ---- selecting classes and features

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
    const struct weight_bars *left = a, *right = b;
    return left->class_index < right->class_index ? -1 : 1;
}

static tlu_status choose_classes(const tlu_model *model, size_t most, struct weight_bars *bars,
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

static tlu_status add_figures(struct plot *plot, const struct weight_bars *bars, tlu_error *error)
{
    char name[300];
    for (size_t i = bars->count; i-- > 0;) {
        tlu_model_feature_name(plot->model, bars->all[i].feature, name, sizeof name);
        TRY(picture_figure(plot->picture, name, bars->all[i].strength, error));
    }
    return TLU_OK;
}

static tlu_status find_and_draw(struct plot *plot, size_t top, struct weight_bars bars[CHARTS_MAX],
                                size_t *count, tlu_error *error)
{
    const tlu_model *model = plot->model;
    size_t positive = tlu_model_positive_class(model);
    *count = 1;
    bars[0].class_index = positive;
    if (positive == TLU_NONE) {
        TRY(choose_classes(model, charts_max(plot), bars, count, error));
        top = top_of_each(plot, top, *count);
    }
    size_t all = 0;
    for (size_t i = 0; i < *count; i++) {
        TRY(find_bars(&bars[i], model, top, error));
        all += bars[i].count;
    }
    if (all == 0)
        return error_input(error, "all weights of the model are 0: there is nothing to draw");
    if (positive == TLU_NONE)
        return draw_several(plot, bars, *count, error);
    TRY(draw_one(plot, bars, error));
    return add_figures(plot, bars, error);
}

tlu_status plot_weights(struct plot *plot, const void *given, tlu_error *error)
{
    struct weight_bars bars[CHARTS_MAX] = {0};
    size_t count = 0;
    TRY(need_weights(plot->model, error));
    tlu_status status =
        find_and_draw(plot, top_of_all(plot, *(const size_t *)given), bars, &count, error);
    for (size_t i = 0; i < count; i++)
        free_bars(&bars[i]);
    return status;
}
