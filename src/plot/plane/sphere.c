// Data with an extra coordinate on a sphere. A row x of the plane becomes (x, 1), a point of the
// plane x3 = 1 in space, and (x, 1) / |(x, 1)| on the unit sphere. The line w . x + b = 0 becomes
// the plane (w, b) . x' = 0 through the origin, which cuts the sphere in a great circle. The
// picture is a parallel projection; parts that the sphere hides are drawn lighter.
#include "base/call/callback.h"
#include "base/options.h"
#include "base/settings.h"
#include "plot/plane/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define ELEVATION (20 * PI / 180) // angle of the eye above the plane of the first two coordinates
#define AZIMUTH_FIRST (-75)       // degrees; see choose_azimuth
#define AZIMUTH_LAST (-15)
#define AZIMUTH_STEP 5
#define TILT 0.4    // cosine of the angle between the eye and the normal of the great circle
#define STEPS 90    // of a half circle
#define ROUND 0.01  // rows on a circle have lengths that differ by less than this share
#define FAR 2.2     // the plane x3 = 1 is drawn if no row is longer than this
#define AROUND 1.12 // size of that plane, times the longest row
#define RAYS_MAX 60 // up to this many rows, rays connect the plane and the sphere
#define AXIS 1.3    // length of an axis
#define SPACE 0.06

struct space_vector {
    double x, y, z;
};

static double dot(struct space_vector a, struct space_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct space_vector cross(struct space_vector a, struct space_vector b)
{
    return (struct space_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
                                 a.x * b.y - a.y * b.x};
}

static struct space_vector times(struct space_vector a, double factor)
{
    return (struct space_vector){factor * a.x, factor * a.y, factor * a.z};
}

static struct space_vector sum(struct space_vector a, struct space_vector b)
{
    return (struct space_vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

static struct space_vector unit(struct space_vector a)
{
    return times(a, 1 / sqrt(dot(a, a)));
}

struct sphere {
    struct scene *scene;
    struct plot *plot;
    double shift[2], factor[2];            // of the model's scaling
    struct space_vector normal;            // of the plane through the origin; a unit vector
    double azimuth;                        // of the eye, in degrees
    struct space_vector eye, right, above; // unit vectors
    double longest, shortest;              // lengths of rows
    bool round;                            // rows are on a circle around 0
    bool plane;                            // x3 = 1 is drawn
    size_t hidden;                         // points on the far side
};

// ---- from rows to space and to the page

static struct space_vector in_plane(const struct sphere *sphere, struct point at)
{
    return (struct space_vector){(at.x - sphere->shift[0]) * sphere->factor[0],
                                 (at.y - sphere->shift[1]) * sphere->factor[1], 1};
}

static struct point seen(const struct sphere *sphere, struct space_vector at)
{
    return (struct point){dot(at, sphere->right), dot(at, sphere->above)};
}

static void look_from(struct sphere *sphere, double azimuth)
{
    double angle = azimuth * PI / 180;
    sphere->azimuth = azimuth;
    sphere->eye = (struct space_vector){cos(ELEVATION) * cos(angle), cos(ELEVATION) * sin(angle),
                                        sin(ELEVATION)};
    sphere->right = (struct space_vector){-sin(angle), cos(angle), 0};
    sphere->above = cross(sphere->eye, sphere->right);
}

// The direction from which the great circle looks neither like a line nor like the outline.
static void choose_azimuth(struct sphere *sphere)
{
    double best = INFINITY, chosen = AZIMUTH_FIRST;
    for (int azimuth = AZIMUTH_FIRST; azimuth <= AZIMUTH_LAST; azimuth += AZIMUTH_STEP) {
        look_from(sphere, azimuth);
        double off = fabs(fabs(dot(sphere->normal, sphere->eye)) - TILT);
        if (off < best - 1e-9) {
            best = off;
            chosen = azimuth;
        }
    }
    look_from(sphere, chosen);
}

// ---- what is drawn

static tlu_status check(const struct scene *scene, tlu_error *error)
{
    const struct plane_view *view = &scene->view;
    if (view->kind != VIEW_FEATURES)
        return error_input(error,
                           "a picture on a sphere needs rows of two features, and these have %zu: "
                           "remove columns with --ignore",
                           view->features);
    if (scene->one_class || !scene->model)
        return error_input(error, "the data has one class: expected two");
    if (tlu_model_class_count(scene->model) != 2)
        return error_input(error,
                           "the model has %zu classes, and a great circle separates two; train "
                           "with --positive LABEL",
                           tlu_model_class_count(scene->model));
    if (!scene->field.linear)
        return error_input(error, "the model is not linear, so its border is not a great circle: "
                                  "train without --kernel, layers and votes");
    if (!scene->has_line)
        return error_input(error, "the model predicts one class everywhere, so it has no line: "
                                  "train with more --epochs or another --learner");
    return TLU_OK;
}

// The line in the scaled values, whose unit is that of x3.
static void find_normal(struct sphere *sphere)
{
    const struct scene *scene = sphere->scene;
    const struct scaling *scaling = &scene->model->scaling;
    const double weights[2] = {scene->line.w1, scene->line.w2};
    double found[2], bias = scene->line.w0;
    for (int axis = 0; axis < 2; axis++) {
        uint32_t feature = scene->view.shown[axis];
        bool scaled = scaling->kind != SCALE_NONE && scaling->factor[feature] > 0;
        sphere->shift[axis] = scaled && scaling->shift ? scaling->shift[feature] : 0;
        sphere->factor[axis] = scaled ? scaling->factor[feature] : 1;
        found[axis] = weights[axis] / sphere->factor[axis];
        bias += weights[axis] * sphere->shift[axis];
    }
    sphere->normal = unit((struct space_vector){found[0], found[1], bias});
}

static void measure_rows(struct sphere *sphere)
{
    const struct thin *thin = &sphere->scene->points.thin;
    sphere->shortest = INFINITY;
    for (size_t i = 0; i < thin->count; i++) {
        struct space_vector at = in_plane(sphere, thin->points[i].at);
        double length = hypot(at.x, at.y);
        sphere->longest = fmax(sphere->longest, length);
        sphere->shortest = fmin(sphere->shortest, length);
        sphere->hidden += dot(at, sphere->eye) < 0;
    }
    sphere->round = sphere->longest - sphere->shortest <= ROUND * sphere->longest;
    sphere->plane = sphere->longest > 0 && sphere->longest <= FAR;
}

// ---- drawing

static colour lighter(const struct sphere *sphere, colour of)
{
    return colour_mix(of, sphere->plot->theme->panel, 0.6);
}

// A circle with this centre, spanned by two vectors: the part of it that is in front of the centre
// of the sphere (front), or the rest. `whole`: all of it.
enum circle_part { CIRCLE_FRONT, CIRCLE_BACK, CIRCLE_WHOLE };

static void draw_circle(struct chart *chart, const struct sphere *sphere,
                        struct space_vector centre, const struct space_vector span[2],
                        enum circle_part part, const struct style *style)
{
    struct point points[2 * STEPS + 1];
    for (int i = 0; i <= 2 * STEPS; i++) {
        double angle = i * PI / STEPS;
        struct space_vector at =
            sum(centre, sum(times(span[0], cos(angle)), times(span[1], sin(angle))));
        bool front = dot(at, sphere->eye) >= -1e-9;
        points[i] = seen(sphere, at);
        if (part != CIRCLE_WHOLE && front != (part == CIRCLE_FRONT))
            points[i] = (struct point){NAN, NAN};
    }
    chart_curve(chart, points, 2 * STEPS + 1, style);
}

// The great circle, beginning where it comes to the front: the first half is in front.
static void span_great_circle(const struct sphere *sphere, struct space_vector span[2])
{
    span[0] = unit(cross(sphere->normal, sphere->eye));
    span[1] = cross(span[0], sphere->normal);
    if (dot(span[1], sphere->eye) < 0)
        span[1] = times(span[1], -1);
}

static void draw_great_circle(struct chart *chart, const struct sphere *sphere, bool front,
                              const struct style *style)
{
    struct space_vector span[2];
    struct point points[STEPS + 1];
    span_great_circle(sphere, span);
    for (int i = 0; i <= STEPS; i++) {
        double angle = (i + (front ? 0 : STEPS)) * PI / STEPS;
        points[i] = seen(sphere, sum(times(span[0], cos(angle)), times(span[1], sin(angle))));
    }
    chart_curve(chart, points, STEPS + 1, style);
}

// The visible part of a hemisphere: from the great circle to the outline.
static void draw_hemisphere(struct chart *chart, const struct sphere *sphere, bool positive)
{
    const struct scene *scene = sphere->scene;
    uint32_t class_index =
        positive ? scene->model->state.scheme.positive : 1 - scene->model->state.scheme.positive;
    const struct style fill = region_style(scene->plot->theme, class_index);
    struct space_vector span[2], side = sphere->normal;
    struct point points[2 * STEPS + 2];
    span_great_circle(sphere, span);
    // The direction of the outline that is farthest on this side.
    struct space_vector out = sum(side, times(sphere->eye, -dot(side, sphere->eye)));
    out = times(unit(out), positive ? 1 : -1);
    for (int i = 0; i <= STEPS; i++) {
        double angle = i * PI / STEPS;
        points[i] = seen(sphere, sum(times(span[0], cos(angle)), times(span[1], sin(angle))));
        points[2 * STEPS + 1 - i] =
            seen(sphere, sum(times(span[0], cos(angle)), times(out, sin(angle))));
    }
    chart_polygon(chart, points, 2 * STEPS + 2, &fill);
}

// Inside the sphere an axis is lighter.
static void draw_axes(struct chart *chart, const struct sphere *sphere)
{
    static const struct space_vector directions[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const struct theme *theme = sphere->plot->theme;
    const struct style inside = line_style(lighter(sphere, theme->faint), 1, 3);
    const struct style outside = line_style(theme->faint, 1.2, 0);
    const struct text_style font = {
        .size = chart->text, .across = ALIGN_MIDDLE, .along = ALIGN_MIDDLE, .colour = theme->faint};
    for (int axis = 0; axis < 3; axis++) {
        struct space_vector to = times(directions[axis], AXIS);
        const char *name = axis < 2 ? sphere->scene->axis_name[axis] : "x3";
        double length = fmax(AXIS, sphere->plane ? AROUND * sphere->longest + 0.15 : 0);
        to = axis < 2 ? times(directions[axis], length) : to;
        chart_line(chart, (struct point){0, 0}, seen(sphere, directions[axis]), &inside);
        chart_arrow(chart, seen(sphere, directions[axis]), seen(sphere, to), &outside);
        chart_note(chart, seen(sphere, times(to, 1.09)), name, &font);
    }
}

// The plane x3 = 1 as a square, with the line and, if there is one, the circle of the rows.
static void draw_plane(struct chart *chart, const struct sphere *sphere)
{
    const struct theme *theme = sphere->plot->theme;
    const struct style edge = edged_style(COLOUR_NONE, theme->faint, 1);
    const struct style line = line_style(theme->ink, 2, 0);
    const struct style thin = line_style(theme->faint, 1, 0);
    double size = AROUND * sphere->longest, from = -INFINITY, to = INFINITY;
    const struct space_vector span[2] = {{sphere->longest, 0, 0}, {0, sphere->longest, 0}};
    struct point corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = seen(sphere, (struct space_vector){i == 0 || i == 3 ? -size : size,
                                                        i < 2 ? -size : size, 1});
    chart_polygon(chart, corners, 4, &edge);
    if (sphere->round)
        draw_circle(chart, sphere, (struct space_vector){0, 0, 1}, span, CIRCLE_WHOLE, &thin);
    // The line: the nearest place to the centre of the square, and the direction along it.
    const struct space_vector n = sphere->normal;
    double square = n.x * n.x + n.y * n.y;
    struct point foot = {-n.z * n.x / square, -n.z * n.y / square};
    struct point along = {-n.y / sqrt(square), n.x / sqrt(square)};
    from = -4 * size, to = 4 * size;
    if (!range_cut(foot.x, along.x, -size, size, &from, &to) ||
        !range_cut(foot.y, along.y, -size, size, &from, &to))
        return;
    chart_line(
        chart,
        seen(sphere, (struct space_vector){foot.x + from * along.x, foot.y + from * along.y, 1}),
        seen(sphere, (struct space_vector){foot.x + to * along.x, foot.y + to * along.y, 1}),
        &line);
}

static double radius_of(const struct chart *chart)
{
    double size = fmin(box_width(&chart->area), box_height(&chart->area));
    return size < 160 ? 2 : size < 280 ? 3 : 4;
}

enum point_place { ON_BACK, ON_FRONT, IN_PLANE };

// The points of a class: lighter on the far side, and hollow in the plane x3 = 1.
static void draw_points(struct chart *chart, const struct sphere *sphere, uint32_t class_index,
                        enum point_place place, struct point *at)
{
    const struct thin *thin = &sphere->scene->points.thin;
    const struct theme *theme = sphere->plot->theme;
    struct style style = class_style(theme, class_index);
    size_t count = 0;
    for (size_t i = 0; i < thin->count; i++) {
        struct space_vector from = in_plane(sphere, thin->points[i].at), lifted = unit(from);
        if (thin->points[i].kind / POINT_CLASS != class_index ||
            (place != IN_PLANE && (dot(lifted, sphere->eye) >= 0) != (place == ON_FRONT)))
            continue;
        at[count++] = seen(sphere, place == IN_PLANE ? from : lifted);
    }
    if (place == ON_BACK)
        style.fill = lighter(sphere, style.fill);
    if (place == IN_PLANE)
        style = edged_style(theme->panel, style.fill, 1.2);
    chart_dots(chart, at, count, class_shape(class_index),
               radius_of(chart) * (place == IN_PLANE ? 0.75 : 1), &style);
}

static void draw_all_points(struct chart *chart, const struct sphere *sphere,
                            enum point_place place, struct point *at)
{
    for (uint32_t c = 0; c < sphere->scene->points.classes; c++)
        draw_points(chart, sphere, c, place, at);
}

// From the plane towards the origin, as far as the sphere.
static void draw_rays(struct chart *chart, const struct sphere *sphere)
{
    const struct thin *thin = &sphere->scene->points.thin;
    const struct style ray = line_style(lighter(sphere, sphere->plot->theme->faint), 0.8, 0);
    for (size_t i = 0; i < thin->count && thin->count <= RAYS_MAX && radius_of(chart) > 2; i++) {
        struct space_vector from = in_plane(sphere, thin->points[i].at);
        chart_line(chart, seen(sphere, from), seen(sphere, unit(from)), &ray);
    }
}

static void draw_sphere(struct chart *chart, const struct sphere *sphere, struct point *at)
{
    const struct theme *theme = sphere->plot->theme;
    const struct style outline = line_style(theme->faint, 1.4, 0);
    const struct style front = line_style(theme->ink, 2, 0);
    const struct style back = line_style(lighter(sphere, theme->ink), 1.6, 5);
    const struct style thin = line_style(theme->faint, 1, 0);
    const struct style faint = line_style(lighter(sphere, theme->faint), 1, 0);
    const struct space_vector rim[2] = {sphere->right, sphere->above};
    double length = sqrt(1 + sphere->longest * sphere->longest);
    double across = sphere->longest / length;
    const struct space_vector circle[2] = {{across, 0, 0}, {0, across, 0}};
    const struct space_vector centre = {0, 0, 1 / length};
    draw_hemisphere(chart, sphere, true);
    draw_hemisphere(chart, sphere, false);
    draw_axes(chart, sphere);
    draw_circle(chart, sphere, (struct space_vector){0, 0, 0}, rim, CIRCLE_WHOLE, &outline);
    draw_great_circle(chart, sphere, false, &back);
    if (sphere->round)
        draw_circle(chart, sphere, centre, circle, CIRCLE_BACK, &faint);
    draw_all_points(chart, sphere, ON_BACK, at);
    if (sphere->round)
        draw_circle(chart, sphere, centre, circle, CIRCLE_FRONT, &thin);
    draw_great_circle(chart, sphere, true, &front);
    if (sphere->plane) {
        draw_rays(chart, sphere);
        draw_plane(chart, sphere);
    }
    draw_all_points(chart, sphere, ON_FRONT, at);
    if (sphere->plane)
        draw_all_points(chart, sphere, IN_PLANE, at);
}

// ---- the page

#define LEGEND_REST 3

static tlu_status make_legend(struct chart *chart, const struct sphere *sphere, tlu_error *error)
{
    const struct theme *theme = sphere->plot->theme;
    size_t classes = sphere->scene->points.classes, count = 0;
    struct legend_entry *legend = plot_new(sphere->plot, classes + LEGEND_REST, sizeof *legend);
    TRY(enough_memory(legend, error));
    for (; count < classes; count++)
        legend[count] = class_entry(theme, count, row_reader_label(&sphere->scene->rows, count));
    legend[count++] = (struct legend_entry){"great circle", LEGEND_LINE,
                                            line_style(theme->ink, 2, 0), SHAPE_CIRCLE};
    legend[count++] = (struct legend_entry){
        "hidden", LEGEND_LINE, line_style(lighter(sphere, theme->ink), 1.6, 5), SHAPE_CIRCLE};
    if (sphere->plane)
        legend[count++] = (struct legend_entry){
            "plane x3 = 1", LEGEND_AREA, edged_style(theme->panel, theme->faint, 1), SHAPE_CIRCLE};
    chart->legend = legend;
    chart->legend_count = count;
    chart->legend_last = count - classes;
    return TLU_OK;
}

// Covers the sphere, the axes and the plane.
static void set_range(struct chart *chart, const struct sphere *sphere)
{
    struct point low = {-1, -1}, high = {1, 1};
    double size = sphere->plane ? AROUND * sphere->longest : 0;
    for (int i = 0; i < 7; i++) {
        struct space_vector at = {i & 1 ? size : -size, i & 2 ? size : -size, 1};
        if (i == 4)
            at = (struct space_vector){fmax(AXIS, size + 0.15) * 1.12, 0, 0};
        if (i == 5)
            at = (struct space_vector){0, fmax(AXIS, size + 0.15) * 1.12, 0};
        if (i == 6)
            at = (struct space_vector){0, 0, AXIS * 1.1};
        struct point place = seen(sphere, at);
        low = (struct point){fmin(low.x, place.x), fmin(low.y, place.y)};
        high = (struct point){fmax(high.x, place.x), fmax(high.y, place.y)};
    }
    double space = SPACE * (high.y - low.y);
    chart->x = (struct axis){.low = low.x - space, .high = high.x + space, .bare = true};
    chart->y = (struct axis){.low = low.y - space, .high = high.y + space, .bare = true};
    static const char *const none[1] = {""};
    chart->x.names = chart->y.names = none; // no grid
    chart->square = true;
}

static void describe(const struct sphere *sphere)
{
    struct plot *plot = sphere->plot;
    const struct row_points *points = &sphere->scene->points;
    char file[NAME_SIZE], number[AMOUNT_SIZE], rows[COUNTED_SIZE], wrong[COUNTED_SIZE];
    uint64_t off = points->labelled - points->right;
    plot_title(plot, "%s on a sphere", file_name(plot, file));
    say(plot,
        "Each row x becomes (x, 1), in the plane x3 = 1, and (x, 1)/|(x, 1)| on the sphere. ");
    if (sphere->round)
        say(plot, "The circle of radius %s becomes a circle on the sphere. ",
            to_digits(number, 3, sphere->longest));
    say(plot,
        "The line of %s becomes a plane through the origin, which cuts the sphere in a great "
        "circle; ",
        tlu_model_learner(sphere->scene->model));
    if (points->right == points->labelled)
        say(plot, "each class is on its side.");
    else
        say(plot, "%s %s on the wrong side.", counted(wrong, off, "of", "of"),
            counted(rows, points->labelled, off == 1 ? "row is" : "row are",
                    off == 1 ? "rows is" : "rows are"));
    if (tlu_model_is_scaled(sphere->scene->model))
        say(plot, " Values are those after scaling.");
    if (!sphere->plane)
        say(plot,
            " The plane is not drawn, because the longest row, %s, is far from the sphere of "
            "radius 1; --scale standard moves rows closer to it.",
            to_digits(number, 3, sphere->longest));
}

static void add_figures(const struct sphere *sphere, const struct chart *chart)
{
    tlu_picture *picture = sphere->plot->picture;
    const struct row_points *points = &sphere->scene->points;
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"rows", (double)points->rows},      {"shown", (double)points->thin.count},
        {"hidden", (double)sphere->hidden},  {"wrong", (double)(points->labelled - points->right)},
        {"longest", sphere->longest},        {"shortest", sphere->shortest},
        {"normal_1", sphere->normal.x},      {"normal_2", sphere->normal.y},
        {"normal_3", sphere->normal.z},      {"azimuth", sphere->azimuth},
        {"elevation", ELEVATION * 180 / PI}, {"x_low", chart->x.low},
        {"x_high", chart->x.high},           {"y_low", chart->y.low},
        {"y_high", chart->y.high},           {"area_left", chart->area.left},
        {"area_top", chart->area.top},       {"area_right", chart->area.right},
        {"area_bottom", chart->area.bottom}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        picture_figure(picture, figures[i].name, figures[i].value);
}

// Values as they are, and the perceptron of the notes, unless the caller chooses.
static tlu_status choose_learner(struct plot *plot, tlu_error *error)
{
    static const struct {
        enum option option;
        const char *value;
    } of_the_notes[] = {{OPTION_LEARNER, "perceptron"},
                        {OPTION_DECIDE, "last"},
                        {OPTION_SHUFFLE, "none"},
                        {OPTION_EPOCHS, "1000"}};
    if (!options_is_set(plot->options, OPTION_SCALE))
        TRY(tlu_options_set(plot->options, "scale", "none", error));
    if (options_is_set(plot->options, OPTION_LEARNER))
        return TLU_OK;
    for (size_t i = 0; i < sizeof of_the_notes / sizeof of_the_notes[0]; i++)
        if (!options_is_set(plot->options, of_the_notes[i].option))
            TRY(tlu_options_set(plot->options, tlu_option_at(of_the_notes[i].option)->name,
                                of_the_notes[i].value, error));
    return TLU_OK;
}

static tlu_status draw(struct scene *scene, tlu_error *error)
{
    struct sphere sphere = {.scene = scene, .plot = scene->plot};
    struct chart chart = {0};
    if (!scene->plot->model)
        TRY(choose_learner(scene->plot, error));
    TRY(scene_read(scene, scene->plot->settings, error));
    TRY(check(scene, error));
    struct point *at = plot_new(scene->plot, scene->points.thin.count + 1, sizeof *at);
    TRY(enough_memory(at, error));
    find_normal(&sphere);
    choose_azimuth(&sphere);
    measure_rows(&sphere);
    TRY(scene_name_axes(scene, error));
    describe(&sphere);
    set_range(&chart, &sphere);
    TRY(make_legend(&chart, &sphere, error));
    TRY(plot_chart(scene->plot, &chart, error));
    draw_sphere(&chart, &sphere, at);
    chart_end(&chart);
    add_figures(&sphere, &chart);
    return TLU_OK;
}

static tlu_status plot_sphere(struct plot *plot, tlu_error *error)
{
    struct scene scene = {.plot = plot, .exact_places = true};
    tlu_status status = draw(&scene, error);
    scene_free(&scene);
    return status;
}

tlu_status tlu_plot_sphere(const tlu_plot_data_settings *given, const tlu_options *options,
                           const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_data_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_data_settings", error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    TRY(check_axes(settings.x, settings.y, error));
    settings.points_only = settings.lines = 0;
    settings.model_count = 0;
    struct plot plot = {.settings = &settings,
                        .path = settings.path,
                        .model = settings.model,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return plot_file(plot_sphere, &plot, options, style, picture, error);
}
