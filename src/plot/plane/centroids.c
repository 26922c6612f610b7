// Rocchio's classifier as a picture (quiz 2 of the Elkan notes): the means u and v of the positive
// and the negative rows, w = u - v, and the perpendicular bisector of u and v, where both are
// equally near. With a bias the classifier divides there; without one, at the parallel through 0.
#include "base/call/fp_env.h"
#include "base/options.h"
#include "model/model.h"
#include "plot/chart/labels.h"
#include "plot/plane/scene.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACE 0.1 // of the range, around the points
#define MEAN 9    // points: radius of the mark of a mean
#define FOOT 9    // points: the sides of the mark of a right angle

struct centroids {
    struct plot *plot;
    struct row_reader rows;
    tlu_model *model;
    size_t positive;
    struct point sums[2]; // by class
    uint64_t counts[2];
    uint64_t row_count, wrong; // labelled rows
    struct thin thin;
    struct point u, v; // the means of the positive and the negative class
    struct linear f;   // >= 0 is the positive class
    struct legend_entry legend[7];
    size_t legend_count;
    char legend_text[4][NAME_SIZE + 20];
};

// ---- the rows

static tlu_status take_options(struct plot *plot, tlu_error *error)
{
    static const struct {
        enum option option;
        const char *name;
    } others[] = {{OPTION_SCALE, "scale"},
                  {OPTION_BINARIZE, "binarize"},
                  {OPTION_HOLDOUT, "holdout"},
                  {OPTION_CLASS_WEIGHT, "class-weight"},
                  {OPTION_KERNEL, "kernel"}};
    tlu_options *options = plot->options;
    if (options_is_set(options, OPTION_LEARNER) &&
        strcmp(tlu_options_get(options, "learner"), "rocchio") != 0)
        return error_input(error,
                           "--centroids draws the means of rocchio: --learner %s cannot be "
                           "combined with it; tlu plot DATA draws what that learner learns",
                           tlu_options_get(options, "learner"));
    TRY(tlu_options_set(options, "learner", "rocchio", error));
    tlu_options *defaults = options_copy(NULL);
    tlu_status status = enough_memory(defaults != NULL, error);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && status == TLU_OK; i++)
        if (!options_same(options, defaults, others[i].option))
            status = error_input(error,
                                 "--centroids draws the means of the rows as they are: --%s cannot "
                                 "be combined with it",
                                 others[i].name);
    tlu_options_free(defaults);
    return status;
}

static tlu_status check_data(const struct centroids *centroids, tlu_error *error)
{
    const char *file = error_file_name(centroids->plot->path);
    size_t classes = tlu_model_class_count(centroids->model);
    size_t features = tlu_model_feature_count(centroids->model);
    if (classes != 2)
        return error_input(error,
                           "%s: --centroids draws two classes, and the data has %zu; keep the rows "
                           "of two of them; tlu plot DATA --learner rocchio draws several",
                           file, classes);
    if (features != 2)
        return error_input(error,
                           "%s: --centroids draws two features, and the data has %zu: --ignore "
                           "COLUMNS leaves columns out; tlu plot DATA --learner rocchio draws any "
                           "number",
                           file, features);
    return TLU_OK;
}

static tlu_status learn(struct centroids *centroids, tlu_error *error)
{
    struct plot *plot = centroids->plot;
    struct training training = {.rows.path = plot->path,
                                .rows.row_source = centroids->rows.row_source};
    TRY(model_train(&training, plot->options, NULL, &centroids->model, error));
    picture_note(plot->picture, centroids->model);
    TRY(check_data(centroids, error));
    size_t positive = tlu_model_positive_class(centroids->model);
    centroids->positive = positive;
    centroids->f = (struct linear){tlu_model_bias(centroids->model, positive),
                                   tlu_model_weight(centroids->model, positive, 0),
                                   tlu_model_weight(centroids->model, positive, 1)};
    return row_reader_use(&centroids->rows, centroids->model, error);
}

static bool add_rows(void *context, const tlu_batch *batch)
{
    struct centroids *centroids = context;
    const tlu_predictions *predictions = row_reader_predictions(&centroids->rows);
    for (size_t i = 0; i < batch->rows; i++) {
        struct point at = {0, 0};
        uint32_t label = batch->labels[i];
        for (uint64_t k = batch->offsets[i]; k < batch->offsets[i + 1]; k++) {
            double value = batch->values ? (double)batch->values[k] : 1;
            at.x += batch->features[k] == 0 ? value : 0;
            at.y += batch->features[k] == 1 ? value : 0;
        }
        if (label > 1)
            continue; // without a label
        bool wrong = predictions->classes[i] != label;
        centroids->sums[label].x += at.x;
        centroids->sums[label].y += at.y;
        centroids->counts[label]++;
        centroids->row_count++;
        centroids->wrong += wrong;
        const struct thin_point point = {.at = at,
                                         .kind = POINT_CLASS * label + (wrong ? POINT_WRONG : 0)};
        if (!thin_add(&centroids->thin, &point))
            return false;
    }
    return true;
}

static struct point mean_of(const struct centroids *centroids, size_t class_index)
{
    double count = fmax(1, (double)centroids->counts[class_index]);
    return (struct point){centroids->sums[class_index].x / count,
                          centroids->sums[class_index].y / count};
}

static tlu_status read_rows(struct centroids *centroids, tlu_error *error)
{
    struct plot *plot = centroids->plot;
    TRY(take_options(plot, error));
    TRY(row_reader_open(&centroids->rows, &plot->memory, plot->path, plot->options, error));
    TRY(learn(centroids, error));
    TRY(row_reader_each(&centroids->rows, true, add_rows, centroids, error));
    if (!centroids->counts[0] || !centroids->counts[1])
        return error_input(error,
                           "%s: all rows have one label, and there is no mean of the other class: "
                           "--centroids needs rows of two classes",
                           error_file_name(plot->path));
    centroids->u = mean_of(centroids, centroids->positive);
    centroids->v = mean_of(centroids, 1 - centroids->positive);
    return TLU_OK;
}

// ---- the picture

static bool has_bias(const struct centroids *centroids)
{
    return !options_flag(centroids->plot->options, OPTION_NO_BIAS);
}

// (u - v) . (x - (u + v) / 2) = 0
static struct linear bisector_of(const struct centroids *centroids)
{
    struct point u = centroids->u, v = centroids->v, w = {u.x - v.x, u.y - v.y};
    return (struct linear){-(w.x * (u.x + v.x) + w.y * (u.y + v.y)) / 2, w.x, w.y};
}

static void draw_points(struct chart *chart, const struct centroids *centroids, struct point *at)
{
    const struct thin *thin = &centroids->thin;
    const struct theme *theme = centroids->plot->theme;
    const struct style ring = edged_style(COLOUR_NONE, theme->wrong, 2);
    size_t found = 0;
    for (uint32_t label = 0; label < 2; label++) {
        struct style style = class_style(theme, label);
        found = 0;
        for (size_t i = 0; i < thin->count; i++)
            if (thin->points[i].kind / POINT_CLASS == label)
                at[found++] = thin->points[i].at;
        chart_dots(chart, at, found, class_shape(label), 4, &style);
    }
    found = 0;
    for (size_t i = 0; i < thin->count; i++)
        if (thin->points[i].kind & POINT_WRONG)
            at[found++] = thin->points[i].at;
    chart_dots(chart, at, found, SHAPE_CIRCLE, 8, &ring);
}

// The square where the bisector crosses w.
static void draw_right_angle(struct chart *chart, const struct centroids *centroids)
{
    struct point u = centroids->u, v = centroids->v, w = {u.x - v.x, u.y - v.y};
    const struct style thin = line_style(centroids->plot->theme->ink, 1, 0);
    double per_point = (chart->x.high - chart->x.low) / box_width(&chart->area);
    double side = FOOT * per_point, length = hypot(w.x, w.y);
    struct point middle = {(u.x + v.x) / 2, (u.y + v.y) / 2}, corners[3];
    if (!(length > 3 * side))
        return; // no room for it
    struct point along = {side * w.x / length, side * w.y / length};
    corners[0] = (struct point){middle.x + along.x, middle.y + along.y};
    corners[1] = (struct point){corners[0].x - along.y, corners[0].y + along.x};
    corners[2] = (struct point){middle.x - along.y, middle.y + along.x};
    chart_curve(chart, corners, 3, &thin);
}

static void draw_mean(struct chart *chart, const struct centroids *centroids, struct point at,
                      size_t class_index)
{
    const struct theme *theme = centroids->plot->theme;
    const struct style style = edged_style(theme_series(theme, class_index), theme->ink, 2);
    chart_dots(chart, &at, 1, class_shape(class_index), MEAN, &style);
}

static void draw_vectors(struct chart *chart, const struct centroids *centroids)
{
    const struct theme *theme = centroids->plot->theme;
    const struct style arrow = line_style(theme->ink, 2.5, 0);
    const struct text_style font = {.size = chart->text * 1.15, .bold = true, .colour = theme->ink};
    struct point u = centroids->u, v = centroids->v, w = {u.x - v.x, u.y - v.y};
    struct labels labels = {.chart = chart};
    double per_point = (chart->x.high - chart->x.low) / box_width(&chart->area);
    double length = hypot(w.x, w.y), away = length > 0 ? MEAN * per_point / length : 0;
    struct point tip = away < 0.4 ? point_between(u, v, away) : u; // at the edge of the mark
    chart_arrow(chart, v, tip, &arrow);
    draw_right_angle(chart, centroids);
    draw_mean(chart, centroids, u, centroids->positive);
    draw_mean(chart, centroids, v, 1 - centroids->positive);
    labels_put(&labels, (struct point){u.x + away * w.x, u.y + away * w.y}, w, "u", &font);
    labels_put(&labels, (struct point){v.x - away * w.x, v.y - away * w.y},
               (struct point){-w.x, -w.y}, "v", &font);
    labels_put(&labels, point_between(v, u, 0.25), (struct point){w.y, -w.x}, "w", &font);
}

static void add_entry(struct centroids *centroids, const char *text, enum legend_kind kind,
                      struct style style, enum shape shape)
{
    centroids->legend[centroids->legend_count++] = (struct legend_entry){text, kind, style, shape};
}

static void make_legend(struct centroids *centroids)
{
    const struct theme *theme = centroids->plot->theme;
    char name[NAME_SIZE];
    for (size_t i = 0; i < 2; i++) {
        snprintf(centroids->legend_text[i], sizeof centroids->legend_text[i], "%s",
                 short_name(tlu_model_class_label(centroids->model, i), name));
        centroids->legend[centroids->legend_count++] =
            class_entry(theme, i, centroids->legend_text[i]);
    }
    for (size_t i = 0; i < 2; i++) { // u first
        size_t of = i == 0 ? centroids->positive : 1 - centroids->positive;
        snprintf(centroids->legend_text[2 + i], sizeof centroids->legend_text[2 + i],
                 "%s, mean of %s", i == 0 ? "u" : "v",
                 short_name(tlu_model_class_label(centroids->model, of), name));
        add_entry(centroids, centroids->legend_text[2 + i], LEGEND_DOT,
                  edged_style(theme_series(theme, of), theme->ink, 2), class_shape(of));
    }
    add_entry(centroids, "bisector", LEGEND_LINE,
              line_style(theme->ink, 2, has_bias(centroids) ? 0 : 5), SHAPE_CIRCLE);
    if (!has_bias(centroids))
        add_entry(centroids, "w \u00b7 x = 0", LEGEND_LINE, line_style(theme->ink, 2, 0),
                  SHAPE_CIRCLE);
    if (centroids->wrong)
        add_entry(centroids, "wrong", LEGEND_DOT, edged_style(COLOUR_NONE, theme->wrong, 2),
                  SHAPE_CIRCLE);
}

static struct axis axis_of(double low, double high, double range, const char *label)
{
    double space = fmax(SPACE * range, (0.4 * range - (high - low)) / 2);
    return (struct axis){.low = low - space, .high = high + space, .label = label};
}

static tlu_status draw_page(struct centroids *centroids, tlu_error *error)
{
    struct plot *plot = centroids->plot;
    const struct thin *thin = &centroids->thin;
    struct point low = thin->low, high = thin->high;
    if (!has_bias(centroids)) { // shows 0
        low = (struct point){fmin(low.x, 0), fmin(low.y, 0)};
        high = (struct point){fmax(high.x, 0), fmax(high.y, 0)};
    }
    double range = fmax(high.x - low.x, high.y - low.y);
    const char *names[2] = {plot_feature_name(plot, centroids->model, 0),
                            plot_feature_name(plot, centroids->model, 1)};
    struct point *at = plot_new(plot, thin->count + 1, sizeof *at);
    TRY(enough_memory(at && names[0] && names[1], error));
    struct chart chart = {.x = axis_of(low.x, high.x, range, names[0]),
                          .y = axis_of(low.y, high.y, range, names[1]),
                          .square = plot_is_square(plot, true),
                          .legend = centroids->legend,
                          .legend_count = centroids->legend_count,
                          .legend_last = centroids->legend_count - 2};
    const struct linear bisector = bisector_of(centroids);
    const struct linear negative = linear_negative(&centroids->f);
    const struct style line = {plot->theme->panel, plot->theme->ink, 2, 0, false, false, 0};
    const struct style dashed = line_style(plot->theme->ink, 2, 5);
    const struct style own = fill_style(theme_region(plot->theme, centroids->positive));
    const struct style other = fill_style(theme_region(plot->theme, 1 - centroids->positive));
    TRY(plot_chart(plot, &chart, error));
    plane_half(&chart, &centroids->f, &own);
    plane_half(&chart, &negative, &other);
    draw_points(&chart, centroids, at);
    plane_line_above(&chart, &centroids->f, &line);
    if (!has_bias(centroids))
        plane_line(&chart, &bisector, &dashed);
    draw_vectors(&chart, centroids);
    chart_end(&chart);
    plot_area(plot, &chart);
    return TLU_OK;
}

static void describe(const struct centroids *centroids)
{
    struct plot *plot = centroids->plot;
    tlu_picture *picture = plot->picture;
    struct point u = centroids->u, v = centroids->v;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"rows", (double)centroids->row_count},
                   {"wrong", (double)centroids->wrong},
                   {"u_x", u.x},
                   {"u_y", u.y},
                   {"v_x", v.x},
                   {"v_y", v.y},
                   {"w_x", u.x - v.x},
                   {"w_y", u.y - v.y},
                   {"bias", centroids->f.w0}};
    char name[NAME_SIZE], right[COUNTED_SIZE], all[COUNTED_SIZE], label[2][NAME_SIZE];
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        picture_figure(picture, figures[i].name, figures[i].value);
    plot_title(plot, "Rocchio classifier: %s", file_name(plot, name));
    say(plot, "u is the mean of the rows of %s, v that of %s, and w = u - v. %s %s of %s correct%s",
        short_name(tlu_model_class_label(centroids->model, centroids->positive), label[0]),
        short_name(tlu_model_class_label(centroids->model, 1 - centroids->positive), label[1]),
        has_bias(centroids)
            ? "The line is the perpendicular bisector of u and v: a row gets the class of the "
              "nearer mean."
            : "Without a bias the line goes through 0, parallel to the bisector of u and v.",
        grouped(right, centroids->row_count - centroids->wrong),
        counted(all, centroids->row_count, "row is", "rows are"),
        centroids->wrong ? "; wrong rows are ringed." : ".");
}

static tlu_status draw(struct centroids *centroids, tlu_error *error)
{
    TRY(read_rows(centroids, error));
    make_legend(centroids);
    describe(centroids);
    return draw_page(centroids, error);
}

static tlu_status plot_centroids(struct plot *plot, tlu_error *error)
{
    struct centroids centroids = {.plot = plot};
    tlu_status status = draw(&centroids, error);
    thin_free(&centroids.thin);
    row_reader_close(&centroids.rows);
    tlu_model_free(centroids.model);
    return status;
}

tlu_status tlu_plot_centroids(const char *path, const tlu_options *options,
                              const tlu_picture_style *style, tlu_picture **picture,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.path = path};
    return plot_file(plot_centroids, &plot, options, style, picture, error);
}
