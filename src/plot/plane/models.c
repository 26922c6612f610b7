// Several models in one plane: the line of each, and its margin, which is the distance of the
// nearest row.
#include "plot/plane/plane.h"
#include "plot/plane/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_COLOUR 2 // the first two are those of the classes
#define RING 3         // more than the radius of a point

// ---- reading: every model reads the rows

static tlu_status check_line(const struct scene *scene, const struct plane_model *of,
                             tlu_error *error)
{
    const tlu_model *model = scene->model;
    size_t classes = tlu_model_class_count(model);
    if (tlu_model_is_multilabel(model))
        return error_input(error,
                           "%s gives lists of labels: several models are drawn together if "
                           "each has two classes",
                           of->name);
    if (classes != 2)
        return error_input(error,
                           "%s has %zu classes: several models are drawn together if each has two; "
                           "draw it alone, or train it with --positive LABEL",
                           of->name, classes);
    if (scene->view.kind != VIEW_FEATURES)
        return error_input(error,
                           "%s has %zu feature%s: several models are drawn together if each has "
                           "two; draw it alone, or train on two columns (--ignore)",
                           of->name, scene->view.features, scene->view.features == 1 ? "" : "s");
    if (!scene->field.linear)
        return error_input(error,
                           "%s is not linear, so that it has no line; draw it alone, or train "
                           "without --kernel, layers and votes",
                           of->name);
    if (!scene->has_line)
        return error_input(error,
                           "%s predicts one class everywhere, so that it has no line; train it "
                           "longer, or draw it alone",
                           of->name);
    return TLU_OK;
}

static const char *name_of_feature(struct scene *scene, uint32_t feature)
{
    size_t length = schema_name(scene->rows.schema, feature, NULL, 0);
    char *name = plot_new(scene->plot, length + 1, 1);
    if (name)
        schema_name(scene->rows.schema, feature, name, length + 1);
    return name;
}

// Fills in the line and the nearest row of a model. `axes` are features, in the order of the first
// model unless they are given.
static tlu_status read_model(struct scene *scene, struct plane_model *of, const tlu_model *model,
                             const char *axes[2], tlu_error *error)
{
    struct row_points points = {.classes = 0};
    scene->model = model;
    TRY(row_reader_use(&scene->rows, model, error));
    TRY(view_make(&scene->view, &scene->rows, axes[0], axes[1], error));
    TRY(field_make(&scene->field, &scene->rows, &scene->view, error));
    scene->has_line =
        field_line(&scene->field, &scene->line) && (scene->line.w1 != 0 || scene->line.w2 != 0);
    TRY(check_line(scene, of, error));
    for (int axis = 0; axis < 2; axis++) {
        axes[axis] = name_of_feature(scene, scene->view.shown[axis]);
        TRY(enough_memory(axes[axis], error));
    }
    scene->view.jitter = (struct point){0, 0};
    points.line = &scene->line;
    tlu_status status = points_read(&points, &scene->rows, &scene->view, error);
    thin_free(&points.thin);
    TRY(status);
    of->line = scene->line;
    of->nearest = points.nearest[0].at;
    of->margin = points.nearest[0].away / hypot(of->line.w1, of->line.w2);
    of->wrong = points.labelled - points.right;
    return TLU_OK;
}

tlu_status scene_read_models(struct scene *scene, const tlu_plot_data_settings *settings,
                             tlu_error *error)
{
    const char *axes[2] = {settings->x, settings->y};
    size_t count = settings->model_count;
    if (count < 2 || count > PLANE_MODELS_MAX)
        return error_input(error,
                           "%zu models in one picture: expected 2 to %d, one for each colour of a "
                           "line",
                           count, PLANE_MODELS_MAX);
    scene->models = plot_new(scene->plot, count, sizeof *scene->models);
    TRY(enough_memory(scene->models, error));
    for (size_t i = 0; i < count; i++) {
        struct plane_model *of = &scene->models[i];
        TRY(check_given(settings->models[i] && settings->names && settings->names[i],
                        "model and its name", error));
        short_name(settings->names[i], of->name);
        TRY(read_model(scene, of, settings->models[i], axes, error));
        scene->model_count = i + 1;
    }
    scene->has_line = false;
    scene->model = NULL; // the points are drawn without predictions
    TRY(row_reader_use(&scene->rows, NULL, error));
    TRY(view_make(&scene->view, &scene->rows, axes[0], axes[1], error));
    return points_read(&scene->points, &scene->rows, &scene->view, error);
}

// ---- drawing

static struct style line_of(const struct scene *scene, size_t index)
{
    const struct theme *theme = scene->plot->theme;
    return (struct style){
        theme->panel, theme_series(theme, FIRST_COLOUR + index), 2, 0, false, false, 0};
}

// The name, and the margin if all rows are on their sides.
struct legend_entry scene_model_entry(struct scene *scene, size_t index)
{
    const struct plane_model *of = &scene->models[index];
    const size_t size = NAME_SIZE + 2 * COUNTED_SIZE;
    char *text = plot_new(scene->plot, size, 1), number[AMOUNT_SIZE], rows[COUNTED_SIZE];
    struct style style = line_of(scene, index);
    style.fill = COLOUR_NONE;
    if (!text) {
        scene->plot->picture->failed = true;
        return (struct legend_entry){.text = ""};
    }
    if (of->wrong)
        snprintf(text, size, "%s: %s", of->name, counted(rows, of->wrong, "wrong", "wrong"));
    else
        snprintf(text, size, "%s: margin %s", of->name, to_digits(number, 3, of->margin));
    return (struct legend_entry){.text = text, .kind = LEGEND_LINE, .style = style};
}

static void draw_margin(struct chart *chart, const struct plane_model *of, colour own,
                        double radius)
{
    const struct style dashed = line_style(own, 1, 4), thick = line_style(own, 2, 0);
    const struct style ring = edged_style(COLOUR_NONE, own, 1.6);
    double square = of->line.w1 * of->line.w1 + of->line.w2 * of->line.w2;
    double away = of->margin * sqrt(square), value = linear_at(&of->line, of->nearest);
    struct point foot = {of->nearest.x - value / square * of->line.w1,
                         of->nearest.y - value / square * of->line.w2};
    struct linear low = of->line, high = of->line;
    low.w0 -= away;
    high.w0 += away;
    plane_line(chart, &low, &dashed);
    plane_line(chart, &high, &dashed);
    chart_line(chart, of->nearest, foot, &thick);
    chart_dots(chart, &of->nearest, 1, SHAPE_CIRCLE, radius + RING, &ring);
}

// Lines of narrow margins on top: they hide less.
void scene_draw_models(struct chart *chart, const struct scene *scene, double radius)
{
    for (size_t i = 0; i < scene->model_count; i++)
        if (!scene->models[i].wrong)
            draw_margin(chart, &scene->models[i], line_of(scene, i).line, radius);
    for (size_t i = 0; i < scene->model_count; i++) {
        const struct style line = line_of(scene, i);
        plane_line_above(chart, &scene->models[i].line, &line);
    }
}

// ---- caption and figures

void scene_say_models(const struct scene *scene)
{
    const struct plane_model *widest = NULL;
    char number[AMOUNT_SIZE];
    size_t separate = 0;
    for (size_t i = 0; i < scene->model_count; i++) {
        const struct plane_model *of = &scene->models[i];
        separate += !of->wrong;
        if (!of->wrong && (!widest || of->margin > widest->margin))
            widest = of;
    }
    say(scene->plot, "The lines of %zu models", scene->model_count);
    if (separate < scene->model_count)
        say(scene->plot, "; %zu of them separate%s the classes", separate,
            separate == 1 ? "s" : "");
    say(scene->plot, ".");
    if (widest)
        say(scene->plot,
            " Dashed lines show the margin, the distance of the nearest row (ringed). The widest "
            "margin is that of %s, %s.",
            widest->name, to_digits(number, 3, widest->margin));
}

void scene_model_figures(const struct scene *scene)
{
    static const char *const names[] = {"line_%zu_0",    "line_%zu_x",    "line_%zu_y", "wrong_%zu",
                                        "nearest_%zu_x", "nearest_%zu_y", "margin_%zu"};
    for (size_t i = 0; i < scene->model_count; i++) {
        const struct plane_model *of = &scene->models[i];
        const double values[] = {of->line.w0,   of->line.w1,   of->line.w2, (double)of->wrong,
                                 of->nearest.x, of->nearest.y, of->margin};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char name[64];
            if (k + 1 == sizeof names / sizeof names[0] && of->wrong)
                continue; // no margin
            snprintf(name, sizeof name, names[k], i + 1);
            picture_figure(scene->plot->picture, name, values[k]);
        }
    }
}
