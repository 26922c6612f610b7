// A multilayer perceptron as a diagram: a column of units per layer, from the inputs on the left to
// the outputs on the right, and a line per weight. Layers with more units than fit show the first
// ones, dots and the last one.
#include "base/call/fp_env.h"
#include "mlp/net.h"
#include "model/model.h"
#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACING_MIN 21 // points between units of a layer
#define SPACING_MAX 130
#define SLOTS_MAX 16    // of a layer
#define LINE_MIN 0.5    // width of a weight near 0
#define LINE_MAX 4      // and of the largest
#define NUMBERS_MAX 14  // weights up to which their numbers are written
#define NUMBER_ROOM 150 // points between layers that these need
#define NAME_SHARE 0.22 // of the width, for names at either side

struct net_layer {
    size_t units, slots; // slots: drawn units, and one for the dots if units are left out
    double x;
    double spacing;
};

struct diagram {
    struct plot *plot;
    const tlu_model *model;
    const struct net *net;
    struct page *page;
    struct box box; // of the units
    struct net_layer layers[NET_LAYERS + 1];
    size_t count; // layers, inputs included
    double radius, text;
    bool numbers;       // are written
    double largest;     // weight, in absolute value
    double left, right; // space for names
};

static double weight_of(const struct diagram *diagram, size_t layer, size_t from, size_t to)
{
    const struct layer *of = &diagram->net->layers[layer];
    return (double)of->w[from * of->wide + to];
}

static double bias_of(const struct diagram *diagram, size_t layer, size_t unit)
{
    return (double)layer_bias(&diagram->net->layers[layer])[unit];
}

// ---- slots

static bool is_cut(const struct net_layer *layer)
{
    return layer->slots < layer->units;
}

static bool is_dots(const struct net_layer *layer, size_t slot)
{
    return is_cut(layer) && slot + 2 == layer->slots;
}

// The unit of a slot that is not the dots.
static size_t unit_of(const struct net_layer *layer, size_t slot)
{
    return is_cut(layer) && slot + 1 == layer->slots ? layer->units - 1 : slot;
}

static struct point place_of(const struct diagram *diagram, size_t index, size_t slot)
{
    const struct net_layer *layer = &diagram->layers[index];
    double middle = (diagram->box.top + diagram->box.bottom) / 2;
    return (struct point){layer->x, middle + ((double)slot - (double)(layer->slots - 1) / 2) *
                                                 layer->spacing};
}

// ---- names

// The name of an input, or "column 3" or "feature 3" if the name is a number.
static void input_name(const struct diagram *diagram, size_t feature, char out[NAME_SIZE])
{
    char name[NAME_SIZE] = "";
    const char *what = schema_is_csv(&diagram->model->state.schema) ? "column" : "feature";
    tlu_model_feature_name(diagram->model, feature, name, sizeof name);
    if (strspn(name, "0123456789") == strlen(name))
        snprintf(out, NAME_SIZE, "%s %.80s", what, name);
    else
        short_name(name, out);
}

// An output has the name of its class; the only output of two classes has a sign.
static void output_name(const struct diagram *diagram, size_t unit, char out[NAME_SIZE])
{
    const tlu_model *model = diagram->model;
    size_t positive = tlu_model_positive_class(model);
    char name[NAME_SIZE], other[NAME_SIZE];
    if (diagram->layers[diagram->count - 1].units > 1 || positive == TLU_NONE) {
        class_name(model, unit, out);
        return;
    }
    snprintf(out, NAME_SIZE, "%.50s, else %.50s", class_name(model, positive, name),
             class_name(model, 1 - positive, other));
}

static void name_of(const struct diagram *diagram, size_t index, size_t unit, char out[NAME_SIZE])
{
    if (index == 0)
        input_name(diagram, unit, out);
    else
        output_name(diagram, unit, out);
}

static struct text_style font_of(const struct diagram *diagram, enum align across, colour ink)
{
    return (struct text_style){
        .size = diagram->text, .across = across, .along = ALIGN_MIDDLE, .colour = ink};
}

// The width of the widest name of a layer, up to a share of the page.
static double names_width(const struct diagram *diagram, size_t index, double width)
{
    const struct net_layer *layer = &diagram->layers[index];
    const struct text_style font = font_of(diagram, ALIGN_START, 0);
    double widest = 0;
    for (size_t slot = 0; slot < layer->slots; slot++) {
        char name[NAME_SIZE];
        if (is_dots(layer, slot))
            continue;
        name_of(diagram, index, unit_of(layer, slot), name);
        widest = fmax(widest, page_text_width(diagram->page, name, &font));
    }
    return fmin(widest, NAME_SHARE * width);
}

// ---- layout

static void lay_out(struct diagram *diagram)
{
    bool text = picture_is_text(diagram->plot->picture);
    struct box *box = &diagram->box;
    double width = box_width(box), gap = text ? CELL_WIDTH : 8, spacing = SPACING_MAX;
    diagram->text = text ? CELL_HEIGHT : width < 300 ? 8 : width < 500 ? 10 : 12;
    double least = text ? 2 * CELL_HEIGHT : fmin(SPACING_MIN, diagram->text * 1.75);
    box->top += 1.6 * diagram->text; // names of the layers
    box->bottom -= text ? 0 : 4;
    for (size_t i = 0; i < diagram->count; i++) {
        struct net_layer *layer = &diagram->layers[i];
        size_t most = (size_t)fmax(3, fmin(SLOTS_MAX, floor(box_height(box) / least)));
        layer->slots = layer->units < most ? layer->units : most;
        layer->spacing = fmin(SPACING_MAX, box_height(box) / (double)layer->slots);
        spacing = fmin(spacing, layer->spacing);
    }
    diagram->radius = text ? CELL_HEIGHT / 2.0 : fmax(3, fmin(17, 0.36 * spacing));
    diagram->left = names_width(diagram, 0, width);
    diagram->right = names_width(diagram, diagram->count - 1, width);
    double first = box->left + diagram->left + gap + diagram->radius;
    double last = box->right - diagram->right - gap - diagram->radius;
    for (size_t i = 0; i < diagram->count; i++)
        diagram->layers[i].x = first + (last - first) * (double)i / (double)(diagram->count - 1);
}

// ---- weights

struct net_edge {
    struct point from, to;
    double weight;
};

static int by_size(const void *a, const void *b)
{
    const struct net_edge *left = a, *right = b;
    double x = fabs(left->weight), y = fabs(right->weight);
    return x < y ? -1 : x > y;
}

static size_t list_edges(struct diagram *diagram, struct net_edge *edges)
{
    size_t count = 0;
    for (size_t l = 0; l + 1 < diagram->count; l++) {
        const struct net_layer *from = &diagram->layers[l], *to = &diagram->layers[l + 1];
        for (size_t i = 0; i < from->slots; i++)
            for (size_t j = 0; j < to->slots; j++)
                if (!is_dots(from, i) && !is_dots(to, j))
                    edges[count++] =
                        (struct net_edge){place_of(diagram, l, i), place_of(diagram, l + 1, j),
                                          weight_of(diagram, l, unit_of(from, i), unit_of(to, j))};
    }
    for (size_t i = 0; i < count; i++)
        diagram->largest = fmax(diagram->largest, fabs(edges[i].weight));
    return count;
}

static struct style edge_style(const struct diagram *diagram, double weight)
{
    const struct theme *theme = diagram->plot->theme;
    double share = diagram->largest > 0 ? fabs(weight) / diagram->largest : 0;
    colour full = theme_series(theme, weight >= 0 ? 0 : 1);
    return line_style(colour_mix(theme->panel, full, 0.3 + 0.7 * share),
                      LINE_MIN + (LINE_MAX - LINE_MIN) * share, 0);
}

// The number of a weight on its line, nearer to where lines of a unit are apart.
static void write_number(const struct diagram *diagram, const struct net_edge *edge)
{
    const struct theme *theme = diagram->plot->theme;
    struct text_style font = font_of(diagram, ALIGN_MIDDLE, theme->ink);
    const struct style ground = fill_style(theme->panel);
    char number[AMOUNT_SIZE];
    font.size *= 0.9;
    to_digits(number, 3, edge->weight);
    struct point at = point_between(edge->from, edge->to, 0.3);
    double across = page_text_width(diagram->page, number, &font) / 2 + 1, up = 0.6 * font.size;
    const struct box box = {at.x - across, at.y - up, at.x + across, at.y + up};
    page_box(diagram->page, &box, &ground);
    page_text(diagram->page, at.x, at.y, number, &font);
}

static bool has_numbers(const struct diagram *diagram, size_t edges)
{
    double between = diagram->layers[1].x - diagram->layers[0].x;
    return edges <= NUMBERS_MAX && between >= NUMBER_ROOM &&
           !picture_is_text(diagram->plot->picture) && diagram->radius >= 12;
}

static void draw_edges(const struct diagram *diagram, struct net_edge *edges, size_t count)
{
    qsort(edges, count, sizeof *edges, by_size);
    for (size_t i = 0; i < count; i++) {
        const struct style style = edge_style(diagram, edges[i].weight);
        page_line(diagram->page, edges[i].from, edges[i].to, &style);
    }
    for (size_t i = 0; diagram->numbers && i < count; i++)
        write_number(diagram, &edges[i]);
}

// ---- units

static void draw_dots(const struct diagram *diagram, size_t index, size_t slot)
{
    const struct style style = fill_style(diagram->plot->theme->faint);
    struct point at = place_of(diagram, index, slot), dots[3];
    double apart = fmin(0.3 * diagram->layers[index].spacing, 8);
    for (int i = 0; i < 3; i++)
        dots[i] = (struct point){at.x, at.y + (i - 1) * apart};
    page_dots(diagram->page, dots, 3, SHAPE_CIRCLE, 1.6, &style);
}

// With numbers, the bias is inside the circle.
static void draw_unit(const struct diagram *diagram, size_t index, size_t slot, bool numbers)
{
    const struct theme *theme = diagram->plot->theme;
    const struct net_layer *layer = &diagram->layers[index];
    size_t unit = unit_of(layer, slot);
    bool last = index + 1 == diagram->count;
    struct point at = place_of(diagram, index, slot);
    colour fill = last && layer->units > 1 ? theme_region(theme, unit) : theme->panel;
    const struct style circle = edged_style(fill, theme->ink, 1.3);
    char name[NAME_SIZE], bias[AMOUNT_SIZE];
    page_dots(diagram->page, &at, 1, SHAPE_CIRCLE, diagram->radius, &circle);
    if (numbers && index > 0 && diagram->net->shape.bias) {
        struct text_style font = font_of(diagram, ALIGN_MIDDLE, theme->ink);
        font.size *= 0.8;
        page_fit_text(diagram->page, at.x, at.y,
                      to_digits(bias, 2, bias_of(diagram, index - 1, unit)), &font,
                      2 * diagram->radius);
    }
    if (index > 0 && !last)
        return;
    const struct text_style font = font_of(diagram, last ? ALIGN_START : ALIGN_END, theme->ink);
    double beside = diagram->radius + (picture_is_text(diagram->plot->picture) ? CELL_WIDTH : 6);
    name_of(diagram, index, unit, name);
    page_fit_name(diagram->page, at.x + (last ? beside : -beside), at.y, name, &font,
                  (last ? diagram->right : diagram->left) + 1);
}

// "2 inputs", "3 hidden (tanh)", "1 output"
static void draw_heading(const struct diagram *diagram, size_t index)
{
    const struct theme *theme = diagram->plot->theme;
    const struct text_style font = font_of(diagram, ALIGN_MIDDLE, theme->faint);
    const char *one = "hidden", *several = "hidden";
    double between = diagram->layers[1].x - diagram->layers[0].x;
    char text[COUNTED_SIZE];
    if (index == 0) {
        one = "input";
        several = "inputs";
    } else if (index + 1 == diagram->count) {
        one = "output";
        several = "outputs";
    }
    counted(text, diagram->layers[index].units, one, several);
    page_fit_text(diagram->page, diagram->layers[index].x, diagram->box.top - 0.8 * diagram->text,
                  text, &font, between - CELL_WIDTH);
}

// ---- title, caption, figures

static void describe(struct diagram *diagram)
{
    struct plot *plot = diagram->plot;
    char name[NAME_SIZE], weights[COUNTED_SIZE], number[AMOUNT_SIZE];
    const char *activation = tlu_options_get(tlu_model_options(diagram->model), "activation");
    const struct net_shape *shape = &diagram->net->shape;
    bool cut = false;
    plot_title(plot, "Network: %s", model_name(diagram->model, name));
    say(plot, "%s", shape->depth == 2 ? "One hidden layer" : "Hidden layers");
    say(plot, " (%s), %s in all", activation,
        counted(weights, net_weights(shape), "weight", "weights"));
    say(plot,
        ". Blue weights are positive, orange ones negative; the thickest line is a weight of "
        "size %s.",
        to_digits(number, 3, diagram->largest));
    for (size_t i = 0; i < diagram->count; i++)
        cut = cut || is_cut(&diagram->layers[i]);
    if (cut)
        say(plot, " Dots stand for units that are not drawn.");
    if (diagram->numbers)
        say(plot, " The number in a circle is its bias.");
    if (diagram->layers[diagram->count - 1].units == 1)
        say(plot, " The sign of the output is the class.");
    if (tlu_model_is_scaled(diagram->model))
        say(plot, " Inputs are the scaled features.");
}

// Counted from 1: "weight_1_2_3" of layer 1 is from input 2 to unit 3.
static void add_figures(const struct diagram *diagram)
{
    tlu_picture *picture = diagram->plot->picture;
    char name[80];
    picture_figure(picture, "layers", (double)diagram->count - 1);
    picture_figure(picture, "largest", diagram->largest);
    picture_figure(picture, "radius", diagram->radius);
    for (size_t l = 0; l < diagram->count; l++) {
        const struct net_layer *layer = &diagram->layers[l];
        snprintf(name, sizeof name, "units_%zu", l);
        picture_figure(picture, name, (double)layer->units);
        snprintf(name, sizeof name, "drawn_%zu", l);
        picture_figure(picture, name, (double)(layer->slots - is_cut(layer)));
        for (size_t j = 0; l > 0 && j < layer->slots; j++) {
            const struct net_layer *from = &diagram->layers[l - 1];
            size_t to = unit_of(layer, j);
            if (is_dots(layer, j))
                continue;
            for (size_t i = 0; i < from->slots; i++) {
                if (is_dots(from, i))
                    continue;
                snprintf(name, sizeof name, "weight_%zu_%zu_%zu", l, unit_of(from, i) + 1, to + 1);
                picture_figure(picture, name, weight_of(diagram, l - 1, unit_of(from, i), to));
            }
            snprintf(name, sizeof name, "bias_%zu_%zu", l, to + 1);
            if (diagram->net->shape.bias)
                picture_figure(picture, name, bias_of(diagram, l - 1, to));
        }
    }
}

// ---- all of it

// The caption has the largest weight of those drawn, and its height changes the layout; so the
// largest of all weights is taken.
static void find_largest(struct diagram *diagram)
{
    for (size_t l = 0; l < diagram->net->shape.depth; l++) {
        const struct layer *layer = &diagram->net->layers[l];
        for (size_t i = 0; i < layer->inputs; i++)
            for (size_t u = 0; u < layer->units; u++)
                diagram->largest = fmax(diagram->largest, fabs(weight_of(diagram, l, i, u)));
    }
}

static tlu_status draw_page(struct diagram *diagram, struct net_edge *edges, tlu_error *error)
{
    TRY(plot_page(diagram->plot, &diagram->page, &diagram->box, error));
    lay_out(diagram);
    size_t count = list_edges(diagram, edges);
    diagram->numbers = has_numbers(diagram, count);
    page_clip(diagram->page, NULL);
    draw_edges(diagram, edges, count);
    for (size_t l = 0; l < diagram->count; l++) {
        draw_heading(diagram, l);
        for (size_t slot = 0; slot < diagram->layers[l].slots; slot++)
            if (is_dots(&diagram->layers[l], slot))
                draw_dots(diagram, l, slot);
            else
                draw_unit(diagram, l, slot, diagram->numbers);
    }
    return TLU_OK;
}

static tlu_status plot_net(struct plot *plot, tlu_error *error)
{
    struct diagram diagram = {.plot = plot, .model = plot->model, .net = plot->model->state.net};
    if (!diagram.net)
        return error_input(error,
                           "the model has no layers: tlu train --learner mlp makes one that has; "
                           "tlu plot --weights draws the weights of this one");
    const struct net_shape *shape = &diagram.net->shape;
    diagram.count = shape->depth + 1;
    for (size_t i = 0; i < diagram.count; i++)
        diagram.layers[i].units = diagram.layers[i].slots = shape->sizes[i];
    if (shape->sizes[0] == 0)
        return error_input(error, "the model has no features: there is nothing to draw");
    struct net_edge *edges = plot_new(plot, shape->depth * SLOTS_MAX * SLOTS_MAX, sizeof *edges);
    TRY(enough_memory(edges, error));
    find_largest(&diagram);
    // The caption says whether units are left out: the first page shows that.
    TRY(draw_page(&diagram, edges, error));
    picture_drop_page(plot->picture);
    describe(&diagram);
    TRY(draw_page(&diagram, edges, error));
    add_figures(&diagram);
    return TLU_OK;
}

tlu_status tlu_plot_net(const tlu_model *model, const tlu_picture_style *style,
                        tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    struct plot plot = {.model = model};
    return plot_make(plot_net, &plot, NULL, style, picture, error);
}
