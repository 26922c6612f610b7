// The page of a scene: background, points, rings, line.
#include "plot/plane/plane.h"
#include "plot/plane/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL 3.0 // size of a cell of the regions, in points
#define CELLS_MAX 400
#define BLOCK 4      // cells per block, if predictions are slow
#define SPACE 0.06   // margin around the points, as a share of their range
#define SIMILAR 3    // ranges that differ by less than this factor share a scale,
#define NAMES_MAX 12 // unless the legend is so long that the area is flat
#define MANY_WRONG 150
#define THOUSANDS 2000 // of points: the edges of wrong ones are thin
#define MANY_RINGS 60
#define LAYERED 500
#define LAYERS 8

// ---- legend

// Adds an entry; its text is the name and the number of rows, unless that is 0.
static void legend_add(struct chart *chart, struct plot *plot, const char *name, uint64_t count,
                       struct legend_entry entry)
{
    struct legend_entry *legend = (struct legend_entry *)chart->legend;
    size_t size = strlen(name) + COUNTED_SIZE;
    char *text = plot_new(plot, size, 1), number[COUNTED_SIZE];
    if (!text) {
        plot->picture->failed = true;
        return;
    }
    snprintf(text, size, count ? "%s (%s)" : "%s", name, grouped(number, count));
    entry.text = text;
    legend[chart->legend_count++] = entry;
}

static struct style ring_style(colour line)
{
    return edged_style(COLOUR_NONE, line, 1.4);
}

static struct style unknown_style(const struct scene *scene)
{
    return edged_style(scene->plot->theme->faint, scene->plot->theme->panel, 0.8);
}

#define LEGEND_REST 4 // entries besides the classes

static tlu_status legend_fill(struct chart *chart, struct scene *scene, tlu_error *error)
{
    struct plot *plot = scene->plot;
    const struct row_points *points = &scene->points;
    const struct theme *theme = plot->theme;
    const struct style hatched = {theme->panel, theme->faint, 0.7, 0, true, true, 0};
    uint64_t unknown = points->of_class[points->classes], wrong = points->labelled - points->right;
    uint64_t rings = points->supports ? points->supports : scene_on_margin(scene);
    size_t most = points->classes + LEGEND_REST + scene->model_count;
    chart->legend = plot_new(plot, most, sizeof *chart->legend);
    TRY(enough_memory(chart->legend, error));
    for (size_t c = 0; c < points->classes; c++)
        legend_add(chart, plot, row_reader_label(&scene->rows, c), points->of_class[c],
                   class_entry(theme, c, NULL));
    if (unknown)
        legend_add(chart, plot, scene->model ? "another label" : "no label", unknown,
                   (struct legend_entry){.style = unknown_style(scene), .shape = SHAPE_CROSS});
    if (scene->ambiguous)
        legend_add(chart, plot, "ambiguous", 0,
                   (struct legend_entry){.kind = LEGEND_AREA, .style = hatched});
    if (rings)
        legend_add(chart, plot, points->supports ? "support rows" : "on the margin", rings,
                   (struct legend_entry){.style = ring_style(theme->ink)});
    if (scene->model && wrong)
        legend_add(chart, plot, "wrong", wrong,
                   (struct legend_entry){.style = ring_style(theme->wrong)});
    for (size_t i = 0; i < scene->model_count; i++)
        ((struct legend_entry *)chart->legend)[chart->legend_count++] = scene_model_entry(scene, i);
    chart->legend_last = chart->legend_count - points->classes;
    return TLU_OK;
}

// ---- the chart

static struct axis axis_of(double low, double high, const char *label)
{
    double space = SPACE * (high - low);
    return (struct axis){.low = low - space, .high = high + space, .label = label};
}

static bool are_similar(const struct chart *chart)
{
    double across = chart->x.high - chart->x.low, up = chart->y.high - chart->y.low;
    return across > 0 && up > 0 && across / up < SIMILAR && up / across < SIMILAR;
}

static struct chart chart_of(const struct scene *scene)
{
    struct point low = scene->points.thin.low, high = scene->points.thin.high;
    bool one = scene->view.kind == VIEW_FEATURE;
    if (scene->view.kind == VIEW_ACROSS) { // includes the hyperplane, unless it is far away
        double range = high.x - low.x;
        low.x = low.x > 0 && low.x < 2 * range ? 0 : low.x;
        high.x = high.x < 0 && high.x > -2 * range ? 0 : high.x;
    }
    struct chart chart = {.x = axis_of(low.x, high.x, scene->axis_name[0]),
                          .y = axis_of(one ? 0 : low.y, one ? 1 : high.y, scene->axis_name[1])};
    chart.y.bare = one;
    chart.square = !one && plot_is_square(scene->plot, are_similar(&chart) &&
                                                           scene->points.classes <= NAMES_MAX);
    return chart;
}

// ---- the background

static size_t cells(double length)
{
    return (size_t)fmax(20, fmin(CELLS_MAX, length / CELL));
}

// The labels of a field, masked.
struct masked {
    struct model_field *field;
    uint32_t mask;
};

static tlu_status label_masked(void *context, const struct point *at, size_t count,
                               uint32_t *labels, tlu_error *error)
{
    const struct masked *masked = context;
    TRY(field_label(masked->field, at, count, labels, error));
    for (size_t i = 0; i < count; i++)
        labels[i] &= masked->mask;
    return TLU_OK;
}

static tlu_status find_regions(const struct chart *chart, struct scene *scene, uint32_t mask,
                               struct regions **regions, tlu_error *error)
{
    struct masked masked = {&scene->field, mask};
    const struct region_field field = {label_masked, &masked};
    return plane_regions_in_blocks(&field, chart->x.low, chart->x.high, chart->y.low, chart->y.high,
                                   cells(box_width(&chart->area)), cells(box_height(&chart->area)),
                                   field_is_slow(&scene->field) ? BLOCK : 0, regions, error);
}

static struct style hatched_style(const struct theme *theme, uint32_t label)
{
    if (!label)
        return (struct style){.fill = COLOUR_NONE, .line = COLOUR_NONE};
    return (struct style){.fill = COLOUR_NONE, .line = theme->faint, .width = 0.7, .hatched = true};
}

// Drawn over the classes, so that both have clean borders.
static tlu_status hatch_ambiguous(struct chart *chart, struct scene *scene, tlu_error *error)
{
    struct regions *regions;
    TRY(find_regions(chart, scene, REGION_AMBIGUOUS, &regions, error));
    scene->ambiguous = regions->count > 1 || regions->regions[0].label;
    plane_draw_regions(chart, regions, hatched_style);
    plane_regions_free(regions);
    return TLU_OK;
}

static tlu_status draw_regions(struct chart *chart, struct scene *scene, tlu_error *error)
{
    struct regions *regions;
    struct style border = edged_style(COLOUR_NONE, scene->plot->theme->ink, 1.2);
    bool unclear = scene->model->state.scheme.kind == SCHEME_OVR ||
                   scene->model->state.scheme.kind == SCHEME_OVO;
    tlu_status status = TLU_OK;
    TRY(find_regions(chart, scene, ~REGION_AMBIGUOUS, &regions, error));
    plane_draw_regions(chart, regions, NULL);
    if (unclear)
        status = hatch_ambiguous(chart, scene, error);
    plane_draw_borders(chart, regions, &border);
    plane_regions_free(regions);
    return status;
}

static tlu_status draw_ground(struct chart *chart, struct scene *scene, tlu_error *error)
{
    if (!scene->model)
        return TLU_OK;
    if (!scene->has_line)
        return draw_regions(chart, scene, error);
    uint32_t positive = scene->model->state.scheme.positive;
    const struct style above = region_style(scene->plot->theme, positive);
    const struct style below = region_style(scene->plot->theme, 1 - positive);
    const struct linear negative = linear_negative(&scene->line);
    plane_half(chart, &negative, &below);
    plane_half(chart, &scene->line, &above);
    return TLU_OK;
}

// ---- points

static double radius_of(const struct chart *chart, size_t count)
{
    double full = count <= 300 ? 4 : count <= 1500 ? 3.2 : 2.4;
    return box_height(&chart->area) < 250 ? full * 0.75 : full;
}

// Selects every layers-th point whose masked kind is `kind`.
struct choice {
    uint32_t mask, kind;
    size_t layer, layers;
};

static size_t pick(const struct thin *thin, const struct choice *choice, struct point *at)
{
    size_t count = 0;
    for (size_t i = choice->layer; i < thin->count; i += choice->layers)
        if ((thin->points[i].kind & choice->mask) == choice->kind)
            at[count++] = thin->points[i].at;
    return count;
}

static bool many_wrong(const struct scene *scene, struct point *at)
{
    const struct choice wrong = {POINT_WRONG, POINT_WRONG, 0, 1};
    return pick(&scene->points.thin, &wrong, at) > MANY_WRONG;
}

// The right or wrong points of a class.
static void draw_class(struct chart *chart, const struct scene *scene, uint32_t class_index,
                       struct choice choice, struct point *at)
{
    const struct theme *theme = scene->plot->theme;
    bool known = class_index < scene->points.classes;
    struct style style = known ? class_style(theme, class_index) : unknown_style(scene);
    double radius = radius_of(chart, scene->points.thin.count);
    choice.mask |= ~(uint32_t)(POINT_CLASS - 1);
    choice.kind |= class_index * POINT_CLASS;
    size_t count = pick(&scene->points.thin, &choice, at);
    if (choice.mask & choice.kind & POINT_WRONG) {
        style.line = theme->wrong;
        style.width = scene->points.thin.count > THOUSANDS ? 0.7 : 1;
    }
    if (count)
        chart_dots(chart, at, count, known ? class_shape(class_index) : SHAPE_CROSS, radius,
                   &style);
}

// Many points are painted in layers, so that no class covers the others. If many are wrong, their
// edges show it instead of rings.
static void draw_points(struct chart *chart, const struct scene *scene, struct point *at)
{
    size_t layers = scene->points.thin.count > LAYERED ? LAYERS : 1;
    uint32_t mask = many_wrong(scene, at) ? POINT_WRONG : 0;
    for (size_t layer = 0; layer < layers; layer++)
        for (uint32_t c = 0; c <= scene->points.classes; c++)
            for (uint32_t wrong = 0; wrong <= mask; wrong++)
                draw_class(chart, scene, c, (struct choice){mask, wrong, layer, layers}, at);
}

static void draw_rings(struct chart *chart, const struct scene *scene, struct point *at)
{
    const struct thin *thin = &scene->points.thin;
    const struct choice supports = {POINT_SUPPORT, POINT_SUPPORT, 0, 1};
    const struct choice mistakes = {POINT_WRONG, POINT_WRONG, 0, 1};
    struct style ring = ring_style(scene->plot->theme->ink),
                 wrong = ring_style(scene->plot->theme->wrong);
    double radius = radius_of(chart, thin->count);
    size_t count = pick(thin, &supports, at);
    if (!count)
        for (size_t most = scene_on_margin(scene); count < most; count++)
            at[count] = scene->points.nearest[count].at;
    if (count > MANY_RINGS)
        ring.width = 1;
    chart_dots(chart, at, count, SHAPE_CIRCLE, radius + (count > MANY_RINGS ? 1.6 : 4.5), &ring);
    if (!many_wrong(scene, at))
        chart_dots(chart, at, pick(thin, &mistakes, at), SHAPE_CIRCLE, radius + 2.5, &wrong);
}

// ---- the line, above points

static void draw_band(struct chart *chart, const struct scene *scene)
{
    struct linear low = scene->line, high = scene->line;
    struct style dashed = line_style(scene->plot->theme->ink, 1, 5);
    if (!(scene->band.away > 0))
        return;
    low.w0 -= scene->band.away;
    high.w0 += scene->band.away;
    plane_line(chart, &low, &dashed);
    plane_line(chart, &high, &dashed);
}

// The normal vector is drawn only if it is perpendicular to the line on the page.
static void draw_line(struct chart *chart, const struct scene *scene)
{
    const struct linear *f = &scene->line;
    struct style thick = {
        scene->plot->theme->panel, scene->plot->theme->ink, 2, 0, false, false, 0};
    if (!scene->has_line)
        return;
    draw_band(chart, scene);
    plane_line_above(chart, f, &thick);
    thick.fill = theme_region(scene->plot->theme, scene->model->state.scheme.positive);
    if (chart->square || f->w1 == 0 || f->w2 == 0)
        plane_normal(chart, f, &thick);
}

// ---- all of it

static void add_figures(const struct scene *scene, const struct chart *chart)
{
    tlu_picture *picture = scene->plot->picture;
    const struct row_points *points = &scene->points;
    picture_figure(picture, "rows", (double)points->rows);
    picture_figure(picture, "shown", (double)points->thin.count);
    if (scene->model && points->labelled)
        picture_figure(picture, "accuracy", (double)points->right / (double)points->labelled);
    if (scene->model) {
        picture_figure(picture, "wrong", (double)(points->labelled - points->right));
        picture_figure(picture, "off", (double)scene->mismatch.off);
        picture_figure(picture, "islands", (double)scene->mismatch.islands);
    }
    picture_figure(picture, "share", scene->view.share);
    if (scene->band.away > 0)
        picture_figure(picture, "margin", scene_distance(scene, scene->band.away));
    if (scene->has_line) {
        picture_figure(picture, "line_0", scene->line.w0);
        picture_figure(picture, "line_x", scene->line.w1);
        picture_figure(picture, "line_y", scene->line.w2);
    }
    scene_line_figures(scene);
    scene_model_figures(scene);
    plot_area(scene->plot, chart);
}

// The contours on which the score is 1 and -1.
static tlu_status draw_contours(struct chart *chart, struct scene *scene, tlu_error *error)
{
    struct regions *regions;
    const struct region_field field = {field_label_margins, &scene->field};
    const struct style dashed = line_style(scene->plot->theme->ink, 1, 5);
    if (!scene->band.contours)
        return TLU_OK;
    TRY(plane_regions_in_blocks(&field, chart->x.low, chart->x.high, chart->y.low, chart->y.high,
                                cells(box_width(&chart->area)), cells(box_height(&chart->area)),
                                field_is_slow(&scene->field) ? BLOCK : 0, &regions, error));
    plane_draw_borders(chart, regions, &dashed);
    plane_regions_free(regions);
    return TLU_OK;
}

static tlu_status draw_page(struct scene *scene, struct chart *chart, tlu_error *error)
{
    struct point *at = plot_new(scene->plot, scene->points.thin.count + NEAREST_MAX, sizeof *at);
    TRY(enough_memory(at, error));
    *chart = chart_of(scene);
    TRY(legend_fill(chart, scene, error));
    TRY(plot_chart(scene->plot, chart, error));
    TRY(draw_ground(chart, scene, error));
    draw_points(chart, scene, at);
    draw_rings(chart, scene, at);
    draw_line(chart, scene);
    TRY(draw_contours(chart, scene, error));
    scene_draw_lines(chart, scene);
    scene_draw_models(chart, scene, radius_of(chart, scene->points.thin.count));
    chart_end(chart);
    return TLU_OK;
}

tlu_status scene_draw(struct scene *scene, tlu_error *error)
{
    struct chart chart;
    bool expected = scene->ambiguous;
    TRY(draw_page(scene, &chart, error));
    if (scene->ambiguous != expected) { // the legend changes
        picture_drop_page(scene->plot->picture);
        TRY(draw_page(scene, &chart, error));
    }
    add_figures(scene, &chart);
    return TLU_OK;
}
