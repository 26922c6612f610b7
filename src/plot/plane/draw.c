// The page of a scene: background, points, rings, line.
#include "base/memory.h"
#include "plot/plane/scene.h"
#include "plot/run/trace.h"

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

static const struct theme *theme_of(const struct scene *scene)
{
    return scene->plot->picture->theme;
}

// ---- legend

struct legend {
    struct legend_entry *entries;
    char **texts; // [count]
    size_t count, most;
};

static bool legend_new(struct legend *legend, size_t most)
{
    legend->entries = memory_new(most, sizeof *legend->entries);
    legend->texts = memory_new(most, sizeof *legend->texts);
    legend->most = most;
    return legend->entries && legend->texts;
}

static void legend_free(struct legend *legend)
{
    for (size_t i = 0; legend->texts && i < legend->count; i++)
        memory_free(legend->texts[i]);
    memory_free(legend->texts);
    memory_free(legend->entries);
}

static bool legend_add(struct legend *legend, const char *name, uint64_t count,
                       struct legend_entry entry)
{
    size_t size = strlen(name) + COUNTED_SIZE;
    char *text = memory_new(size, 1), number[COUNTED_SIZE];
    if (!text)
        return false;
    if (count)
        snprintf(text, size, "%s (%.*s)", name, (int)strlen(counted(number, count, "", "")) - 1,
                 number);
    else
        snprintf(text, size, "%s", name);
    entry.text = legend->texts[legend->count] = text;
    legend->entries[legend->count++] = entry;
    return true;
}

static struct style ring_style(colour line)
{
    return (struct style){.fill = COLOUR_NONE, .line = line, .width = 1.4, .closed = true};
}

static struct style unknown_style(const struct scene *scene)
{
    return edged_style(theme_of(scene)->faint, theme_of(scene)->panel, 0.8);
}

// Entries besides the classes.
static bool legend_rest(struct legend *legend, const struct scene *scene)
{
    const struct row_points *points = &scene->points;
    const struct theme *theme = theme_of(scene);
    struct style hatched = {theme->panel, theme->faint, 0.7, 0, true, true};
    uint64_t unknown = points->of_class[points->classes], wrong = points->labelled - points->right;
    size_t on_margin = scene->points.supports ? 0 : scene_on_margin(scene);
    const char *marked = points->supports ? "support rows" : "on the margin";
    uint64_t rings = points->supports ? points->supports : on_margin;
    return (!unknown || legend_add(legend, scene->model ? "another label" : "no label", unknown,
                                   (struct legend_entry){.style = unknown_style(scene),
                                                         .shape = SHAPE_CROSS})) &&
           (!scene->ambiguous ||
            legend_add(legend, "ambiguous", 0,
                       (struct legend_entry){.kind = LEGEND_AREA, .style = hatched})) &&
           (!rings || legend_add(legend, marked, rings,
                                 (struct legend_entry){.style = ring_style(theme->ink)})) &&
           (!scene->model || !wrong ||
            legend_add(legend, "wrong", wrong,
                       (struct legend_entry){.style = ring_style(theme->wrong)}));
}

static bool legend_fill(struct legend *legend, const struct scene *scene)
{
    const struct row_points *points = &scene->points;
    for (size_t c = 0; c < points->classes; c++) {
        struct legend_entry entry = {.style = class_style(theme_of(scene), c),
                                     .shape = class_shape(c)};
        if (!legend_add(legend, row_reader_label(&scene->rows, c), points->of_class[c], entry))
            return false;
    }
    return legend_rest(legend, scene);
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

static struct chart chart_of(const struct scene *scene, struct page *page)
{
    struct point low = scene->points.thin.low, high = scene->points.thin.high;
    bool one = scene->view.kind == VIEW_FEATURE;
    if (scene->view.kind == VIEW_ACROSS) { // includes the hyperplane, unless it is far away
        double range = high.x - low.x;
        low.x = low.x > 0 && low.x < 2 * range ? 0 : low.x;
        high.x = high.x < 0 && high.x > -2 * range ? 0 : high.x;
    }
    struct chart chart = {.page = page,
                          .place = page_whole(page),
                          .title = scene->title,
                          .caption = scene->caption,
                          .x = axis_of(low.x, high.x, scene->axis_name[0]),
                          .y = axis_of(one ? 0 : low.y, one ? 1 : high.y, scene->axis_name[1])};
    chart.y.bare = one;
    chart.square = !one && are_similar(&chart) && scene->points.classes <= NAMES_MAX;
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
    struct style border = edged_style(COLOUR_NONE, theme_of(scene)->ink, 1.2);
    bool unclear = scene->model->scheme == SCHEME_OVR || scene->model->scheme == SCHEME_OVO;
    tlu_status status = TLU_OK;
    TRY(find_regions(chart, scene, ~REGION_AMBIGUOUS, &regions, error));
    plane_draw_regions(chart, regions, NULL);
    if (unclear)
        status = hatch_ambiguous(chart, scene, error);
    plane_draw_borders(chart, regions, &border);
    plane_regions_free(regions);
    return status;
}

static void draw_halves(struct chart *chart, const struct scene *scene)
{
    const double *f = scene->line;
    uint32_t positive = scene->model->positive;
    struct style above = region_style(theme_of(scene), positive);
    struct style below = region_style(theme_of(scene), 1 - positive);
    plane_half(chart, -f[0], -f[1], -f[2], &below);
    plane_half(chart, f[0], f[1], f[2], &above);
}

static tlu_status draw_ground(struct chart *chart, struct scene *scene, tlu_error *error)
{
    if (!scene->model)
        return TLU_OK;
    if (!scene->has_line)
        return draw_regions(chart, scene, error);
    draw_halves(chart, scene);
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
    const struct theme *theme = theme_of(scene);
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
    struct style ring = ring_style(theme_of(scene)->ink),
                 wrong = ring_style(theme_of(scene)->wrong);
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
    const double *f = scene->line;
    struct style dashed = line_style(theme_of(scene)->ink, 1, 5);
    if (!(scene->band.away > 0))
        return;
    plane_line(chart, f[0] - scene->band.away, f[1], f[2], &dashed);
    plane_line(chart, f[0] + scene->band.away, f[1], f[2], &dashed);
}

// The normal vector is drawn only if it is perpendicular to the line on the page.
static void draw_line(struct chart *chart, const struct scene *scene)
{
    const double *f = scene->line;
    struct style thick = {theme_of(scene)->panel, theme_of(scene)->ink, 2, 0, false, false};
    if (!scene->has_line)
        return;
    draw_band(chart, scene);
    plane_line_above(chart, f[0], f[1], f[2], &thick);
    thick.fill = theme_region(theme_of(scene), scene->model->positive);
    if (chart->square || f[1] == 0 || f[2] == 0)
        plane_normal(chart, f[0], f[1], f[2], &thick);
}

// ---- all of it

static tlu_status add_figures(const struct scene *scene, tlu_error *error)
{
    const struct chart *chart = &scene->chart;
    tlu_picture *picture = scene->plot->picture;
    const struct row_points *points = &scene->points;
    const struct {
        const char *name;
        double value;
        bool given;
    } figures[] = {
        {"rows", (double)points->rows, true},
        {"shown", (double)points->thin.count, true},
        {"accuracy", (double)points->right / (double)points->labelled,
         scene->model && points->labelled},
        {"wrong", (double)(points->labelled - points->right), scene->model != NULL},
        {"off", (double)scene->mismatch.off, scene->model != NULL},
        {"islands", (double)scene->mismatch.islands, scene->model != NULL},
        {"share", scene->view.share, true},
        {"margin", scene->has_line ? scene_distance(scene, scene->band.away) : 0,
         scene->band.away > 0},
        {"line_0", scene->line[0], scene->has_line},
        {"line_x", scene->line[1], scene->has_line},
        {"line_y", scene->line[2], scene->has_line},
        {"x_low", chart->x.low, true},
        {"x_high", chart->x.high, true},
        {"y_low", chart->y.low, true},
        {"y_high", chart->y.high, true},
        {"area_left", chart->area.left, true},
        {"area_top", chart->area.top, true},
        {"area_right", chart->area.right, true},
        {"area_bottom", chart->area.bottom, true},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (figures[i].given)
            TRY(picture_figure(picture, figures[i].name, figures[i].value, error));
    return TLU_OK;
}

static tlu_status draw_chart(struct chart *chart, struct scene *scene, tlu_error *error)
{
    size_t most = scene->points.thin.count + NEAREST_MAX;
    struct point *at = memory_new(most, sizeof *at);
    TRY(enough_memory(at, error));
    chart_begin(chart);
    tlu_status status = draw_ground(chart, scene, error);
    if (status == TLU_OK) {
        draw_points(chart, scene, at);
        draw_rings(chart, scene, at);
        draw_line(chart, scene);
        chart_end(chart);
        scene->chart = *chart;
    }
    memory_free(at);
    return status;
}

static tlu_status fill_page(struct scene *scene, struct page *page, tlu_error *error)
{
    struct legend legend = {0};
    struct chart chart = chart_of(scene, page);
    bool fine = legend_new(&legend, scene->points.classes + 4) && legend_fill(&legend, scene);
    chart.legend = legend.entries;
    chart.legend_count = legend.count;
    chart.legend_last = legend.count - scene->points.classes;
    tlu_status status = fine ? draw_chart(&chart, scene, error) : error_memory(error);
    legend_free(&legend);
    return status == TLU_OK ? page_end(page, error) : status;
}

static tlu_status draw_page(struct scene *scene, tlu_error *error)
{
    struct page *page;
    TRY(picture_add_page(scene->plot->picture, &page, error));
    return fill_page(scene, page, error);
}

tlu_status scene_draw(struct scene *scene, tlu_error *error)
{
    bool expected = scene->ambiguous;
    TRY(draw_page(scene, error));
    if (scene->ambiguous != expected) { // the legend changes
        picture_drop_page(scene->plot->picture);
        TRY(draw_page(scene, error));
    }
    TRY(add_figures(scene, error));
    return picture_describe(scene->plot->picture, scene->title, scene->caption, error);
}
