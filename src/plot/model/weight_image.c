// Weights as pixels, for rows that are images: one image per class, or per unit of the first layer
// of a multilayer perceptron.
#include "base/call/fp_env.h"
#include "model/model.h"
#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES_MAX 100
#define UNITS_MAX 48
#define FULL 0.995 // quantile of the absolute weights that has full colour

struct images {
    struct plot *plot;
    const tlu_model *model;
    size_t width, height;
    size_t *place; // [features] the pixel of each feature
    size_t features;
    const struct layer *layer; // of the units; NULL: classes
    size_t *shown;             // [count] classes or units
    size_t count, of;          // shown, existing
    double full;               // the weight of full colour
};

// ---- the pixel of each feature

// The number that a name consists of, else TLU_NONE.
static size_t number_of(const char *name)
{
    char *end;
    if (*name < '0' || *name > '9' || strlen(name) > 9)
        return TLU_NONE;
    unsigned long number = strtoul(name, &end, 10);
    return *end ? TLU_NONE : (size_t)number;
}

struct number_range {
    size_t low, high; // among the names of features
    bool numbers;     // all names are numbers
};

static struct number_range find_numbers(struct images *images)
{
    struct number_range range = {TLU_NONE, 0, true};
    for (size_t f = 0; f < images->features; f++) {
        char name[16] = "";
        size_t length = tlu_model_feature_name(images->model, f, name, sizeof name);
        size_t number = length < sizeof name ? number_of(name) : TLU_NONE;
        if (number == TLU_NONE) {
            range.numbers = false;
            return range;
        }
        images->place[f] = number;
        range.low = number < range.low ? number : range.low;
        range.high = number > range.high ? number : range.high;
    }
    return range;
}

// Names that are numbers are pixels, counted from 0 or 1 (the model lacks features that no row
// had). Other names are in order.
static tlu_status place_features(struct images *images, tlu_error *error)
{
    size_t pixels = images->width * images->height;
    images->features = tlu_model_feature_count(images->model);
    images->place = plot_new(images->plot, images->features + 1, sizeof *images->place);
    TRY(enough_memory(images->place, error));
    struct number_range range = find_numbers(images);
    size_t base = range.numbers && range.low > 0 ? 1 : 0;
    size_t most = range.numbers ? range.high + 1 - base : images->features;
    if (range.numbers ? most > pixels || most <= pixels / 2 : most != pixels)
        return error_input(
            error, "pictures of %zu x %zu have %zu pixels, and the model has %zu features%s",
            images->width, images->height, pixels, most,
            range.numbers ? " (the highest that rows have)" : "");
    for (size_t f = 0; f < images->features; f++)
        images->place[f] = range.numbers ? images->place[f] - base : f;
    return TLU_OK;
}

// ---- weights

static double weight_of(const struct images *images, size_t index, size_t feature)
{
    const struct layer *layer = images->layer;
    if (!layer)
        return tlu_model_scaled_weight(images->model, images->shown[index], feature);
    return feature < layer->inputs ? (double)layer->w[feature * layer->wide + images->shown[index]]
                                   : 0;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// The same for all images; a quantile, so that outliers do not make the others pale.
static tlu_status find_full(struct images *images, tlu_error *error)
{
    size_t count = 0;
    double *sizes = plot_new(images->plot, images->count * images->features + 1, sizeof *sizes);
    TRY(enough_memory(sizes, error));
    for (size_t i = 0; i < images->count; i++) {
        for (size_t f = 0; f < images->features; f++) {
            double size = fabs(weight_of(images, i, f));
            if (size > 0)
                sizes[count++] = size;
        }
    }
    qsort(sizes, count, sizeof *sizes, by_size);
    images->full = count ? sizes[(size_t)(FULL * (double)(count - 1))] : 0;
    if (count == 0)
        return error_input(error, "all weights of the model are 0: there is nothing to draw");
    return TLU_OK;
}

// Units with the largest weights first.
static tlu_status choose_units(struct images *images, tlu_error *error)
{
    const struct layer *layer = images->layer;
    struct rank_entry *ranks = plot_new(images->plot, layer->units, sizeof *ranks);
    TRY(enough_memory(ranks, error));
    for (size_t u = 0; u < layer->units; u++) {
        ranks[u] = (struct rank_entry){u, 0};
        for (size_t i = 0; i < layer->inputs; i++)
            ranks[u].size += pow((double)layer->w[i * layer->wide + u], 2);
    }
    rank_sort(ranks, layer->units);
    for (size_t i = 0; i < images->count; i++)
        images->shown[i] = ranks[i].index;
    return TLU_OK;
}

static tlu_status choose(struct images *images, tlu_error *error)
{
    size_t positive = tlu_model_positive_class(images->model);
    size_t most = images->layer ? UNITS_MAX : CLASSES_MAX;
    images->of = images->layer          ? images->layer->units
                 : positive == TLU_NONE ? tlu_model_class_count(images->model)
                                        : 1;
    images->count = images->of < most ? images->of : most;
    images->shown = plot_new(images->plot, images->count, sizeof *images->shown);
    TRY(enough_memory(images->shown, error));
    for (size_t i = 0; i < images->count; i++)
        images->shown[i] = positive == TLU_NONE ? i : positive;
    return images->layer ? choose_units(images, error) : TLU_OK;
}

// ---- caption

static void tell(const struct images *images)
{
    struct plot *plot = images->plot;
    char name[NAME_SIZE], model[NAME_SIZE], number[AMOUNT_SIZE], of[COUNTED_SIZE];
    size_t positive = tlu_model_positive_class(images->model);
    to_digits(number, 3, images->full);
    model_name(images->model, model);
    counted(of, images->of, images->layer ? "unit" : "class", images->layer ? "units" : "classes");
    if (images->layer) {
        plot_title(plot, "Weights of the first layer: %s", model);
        if (images->count < images->of)
            say(plot, "The %zu of %s with the largest weights. ", images->count, of);
        say(plot, "Blue pixels excite a unit, orange ones inhibit it");
    } else if (positive == TLU_NONE) {
        plot_title(plot, "Weights of each class: %s", model);
        say(plot, "Blue pixels raise the score of the class, orange ones lower it");
        if (images->count < images->of)
            say(plot, " (the first %zu of %s)", images->count, of);
    } else {
        plot_title(plot, "Weights: %s", model);
        say(plot, "Blue pixels speak for '%s', orange ones",
            class_name(images->model, positive, name));
        say(plot, " for '%s'", class_name(images->model, 1 - positive, name));
    }
    say(plot, "; full colour is a weight of %s, in all images.%s", number,
        tlu_model_is_scaled(images->model) ? " Weights are those of the scaled pixels." : "");
    if (picture_is_text(plot->picture) && !plot->picture->coloured)
        say(plot, " Without colours \u00b7 - = # are blue, \u2591 \u2592 \u2593 "
                  "\u2588 are orange.");
}

// ---- drawing

static void fill_pixels(const struct images *images, size_t index, const struct theme *theme,
                        colour *pixels)
{
    for (size_t i = 0; i < images->width * images->height; i++)
        pixels[i] = theme->panel;
    for (size_t f = 0; f < images->features; f++) {
        double weight = weight_of(images, index, f);
        double share = fmin(1, fabs(weight) / images->full);
        if (share > 0)
            pixels[images->place[f]] =
                colour_mix(theme->panel, theme->series[weight > 0 ? 0 : 1], share);
    }
}

static const char *name_of(const struct images *images, size_t index, char out[NAME_SIZE])
{
    if (!images->layer)
        return class_name(images->model, images->shown[index], out);
    snprintf(out, NAME_SIZE, "%zu", images->shown[index] + 1);
    return out;
}

// On a terminal a pixel is two characters wide and one high, or one and half of one.
static double whole_scale(const struct page *page, double scale)
{
    if (picture_is_text(page->picture) && scale >= CELL_WIDTH)
        return scale >= CELL_HEIGHT ? floor(scale / CELL_HEIGHT) * CELL_HEIGHT : CELL_WIDTH;
    return scale >= 2 ? floor(scale) : scale;
}

// In the middle of its tile, its name below; pixels are whole points if they are large enough.
static void draw_image(const struct images *images, size_t index, struct page *page,
                       struct box cell, const colour *pixels)
{
    const struct theme *theme = page->picture->theme;
    const struct text_style font = {
        .size = 11, .across = ALIGN_MIDDLE, .along = ALIGN_START, .colour = theme->ink};
    const struct style frame = edged_style(COLOUR_NONE, theme->grid, 1);
    double line = page_text_height(page, &font), gap = picture_is_text(page->picture) ? 0 : 4;
    double across = (double)images->width, down = (double)images->height;
    double scale =
        fmin((box_width(&cell) - 2 * gap) / across, (box_height(&cell) - line - 2 * gap) / down);
    scale = whole_scale(page, scale);
    if (!(scale > 0))
        return;
    double middle = (cell.left + cell.right) / 2;
    double top = (cell.top + cell.bottom - scale * down - line - gap / 2) / 2;
    struct box box = {floor(middle - scale * across / 2), floor(top), 0, 0};
    if (picture_is_text(page->picture)) {
        box.left = floor(box.left / CELL_WIDTH) * CELL_WIDTH;
        box.top = floor(box.top / CELL_HEIGHT) * CELL_HEIGHT;
    }
    box.right = box.left + scale * across;
    box.bottom = box.top + scale * down;
    char name[NAME_SIZE];
    page_clip(page, NULL);
    page_image(page, &box, pixels, images->height, images->width);
    page_box(page, &box, &frame);
    page_fit_text(page, middle, box.bottom + gap / 2, name_of(images, index, name), &font,
                  box_width(&cell) - CELL_WIDTH);
}

static tlu_status draw(const struct images *images, tlu_error *error)
{
    struct page *page;
    struct box box;
    colour *pixels = plot_new(images->plot, images->width * images->height, sizeof *pixels);
    TRY(enough_memory(pixels, error));
    TRY(plot_page(images->plot, &page, &box, error));
    struct tiling tiling =
        tiling_in(&box, images->count, (double)images->width / (double)images->height);
    for (size_t i = 0; i < images->count; i++) {
        fill_pixels(images, i, images->plot->theme, pixels);
        draw_image(images, i, page, tile_box(&tiling, i), pixels);
    }
    return TLU_OK;
}

static tlu_status plot_weight_image(struct plot *plot, tlu_error *error)
{
    const size_t *size = plot->settings;
    struct images images = {
        .plot = plot, .model = plot->model, .width = size[0], .height = size[1]};
    if (!images.width || !images.height || images.width > 10000 || images.height > 10000)
        return error_input(error, "a picture of weights needs its width and height in pixels");
    if (images.model->state.net)
        images.layer = &images.model->state.net->layers[0];
    else
        TRY(need_weights(images.model, error));
    TRY(place_features(&images, error));
    TRY(choose(&images, error));
    TRY(find_full(&images, error));
    picture_figure(plot->picture, "pictures", (double)images.count);
    picture_figure(plot->picture, "full", images.full);
    tell(&images);
    return draw(&images, error);
}

tlu_status tlu_plot_weight_image(const tlu_model *model, size_t width, size_t height,
                                 const tlu_picture_style *style, tlu_picture **picture,
                                 tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    const size_t size[2] = {width, height};
    struct plot plot = {.settings = size, .model = model, .multilabel = true};
    return plot_make(plot_weight_image, &plot, NULL, style, picture, error);
}
