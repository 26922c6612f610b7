// ROC and precision-recall curves of the positive class, or of each class against the rest.
#include "base/call/fp_env.h"
#include "base/options.h"
#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CURVES_MAX 12

struct curve_kind {
    const char *kind, *metric;
    const char *title, *area; // in words
    const char *x, *y;
};
static const struct curve_kind roc = {"roc",
                                      "roc-auc",
                                      "ROC curve",
                                      "area under the curve",
                                      "false positive rate",
                                      "true positive rate"};
static const struct curve_kind pr = {
    "pr",     "average-precision", "Precision-recall curve", "average precision",
    "recall", "precision"};

// The curve of a class.
struct class_curve {
    size_t class_index;
    double area;
    struct point *points;
    size_t count;
    char text[NAME_SIZE + 40]; // in the legend
};

struct curves {
    struct plot *plot;
    const struct curve_kind *kind;
    const tlu_model *model;
    const tlu_evaluation *evaluation;
    struct class_curve *all; // [count] the smallest area first
    size_t count, shown;
    size_t undefined; // classes without a curve
    double area;      // the metric, over all classes
};

// ---- computing

// The trapezoidal rule.
static double area_below(const tlu_curve_point *points, size_t count)
{
    double area = 0;
    for (size_t i = 1; i < count; i++)
        area += (points[i].x - points[i - 1].x) * (points[i].y + points[i - 1].y) / 2;
    return area;
}

// The mean precision over the steps of recall, which descend from 1.
static double average_precision(const tlu_curve_point *points, size_t count)
{
    double area = 0;
    for (size_t i = 0; i + 1 < count; i++)
        area += (points[i].y - points[i + 1].y) * points[i].x;
    return area;
}

// Recall is on the x axis. Each step has the precision at its end: two points.
static void take_steps(struct class_curve *curve, const tlu_curve_point *points, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (curve->count > 0)
            curve->points[curve->count++] = (struct point){points[i + 1].y, points[i].x};
        curve->points[curve->count++] = (struct point){points[i].y, points[i].x};
    }
}

static tlu_status add_curve(struct curves *curves, size_t class_index, tlu_error *error)
{
    tlu_curve *found;
    bool is_roc = curves->kind == &roc;
    if (curves->evaluation->per_class[class_index].support == 0 ||
        curves->evaluation->per_class[class_index].support == curves->evaluation->examples) {
        curves->undefined++;
        return TLU_OK;
    }
    TRY(tlu_evaluation_curve(curves->evaluation, curves->kind->kind, class_index, &found, error));
    const tlu_curve_point *points = found->points;
    size_t count = found->count;
    struct class_curve *curve = &curves->all[curves->count++];
    curve->class_index = class_index;
    curve->area = is_roc ? area_below(points, count) : average_precision(points, count);
    curve->points = plot_new(curves->plot, 2 * count + 1, sizeof *curve->points);
    for (size_t i = 0; curve->points && is_roc && i < count; i++)
        curve->points[curve->count++] = (struct point){points[i].x, points[i].y};
    if (curve->points && !is_roc)
        take_steps(curve, points, count);
    tlu_curve_free(found);
    return enough_memory(curve->points, error);
}

static int by_area(const void *a, const void *b)
{
    const struct class_curve *left = a, *right = b;
    if (left->area != right->area)
        return left->area < right->area ? -1 : 1;
    return left->class_index < right->class_index ? -1 : 1;
}

static int by_class(const void *a, const void *b)
{
    const struct class_curve *left = a, *right = b;
    return left->class_index < right->class_index ? -1 : 1;
}

static tlu_status make_curves(struct curves *curves, tlu_error *error)
{
    size_t positive = tlu_model_positive_class(curves->model),
           classes = curves->evaluation->classes;
    curves->all = plot_new(curves->plot, classes, sizeof *curves->all);
    TRY(enough_memory(curves->all, error));
    for (size_t c = 0; c < classes; c++)
        if (positive == TLU_NONE || c == positive)
            TRY(add_curve(curves, c, error));
    qsort(curves->all, curves->count, sizeof *curves->all, by_area);
    curves->shown = curves->count > CURVES_MAX ? CURVES_MAX : curves->count;
    qsort(curves->all, curves->shown, sizeof *curves->all, by_class);
    for (size_t i = 0; i < curves->count; i++) {
        struct class_curve *curve = &curves->all[i];
        char name[NAME_SIZE], area[AMOUNT_SIZE];
        snprintf(curve->text, sizeof curve->text, "%.30s  %s", to_places(area, 3, curve->area),
                 class_name(curves->model, curve->class_index, name));
    }
    return TLU_OK;
}

// ---- caption

static void tell_one(const struct curves *curves)
{
    char name[NAME_SIZE], area[AMOUNT_SIZE], chance[AMOUNT_SIZE];
    size_t class_index = curves->all[0].class_index;
    double rows = (double)curves->evaluation->per_class[class_index].support;
    class_name(curves->model, class_index, name);
    to_places(area, 4, curves->area);
    to_places(chance, 4, rows / (double)curves->evaluation->examples);
    if (curves->kind == &roc)
        say(curves->plot,
            "Each point is a threshold: the share of the rows of '%s' that are found, against the "
            "share of the other rows that are predicted as it. The area under the curve is %s, "
            "the probability that a row of '%s' has a higher score than another row. The "
            "diagonal is chance, 0.5.",
            name, area, name);
    else
        say(curves->plot,
            "Each point is a threshold. Precision is the share of the rows predicted as '%s' that "
            "are correct; recall is the share of its rows that are found. The average precision "
            "is %s; chance is %s, the share of '%s' among the rows.",
            name, area, chance, name);
}

static void tell_several(const struct curves *curves)
{
    char area[AMOUNT_SIZE], classes[COUNTED_SIZE];
    say(curves->plot,
        "One curve per class, that class against the rest. The numbers are the %s of each "
        "class%s.",
        curves->kind->area, curves->kind == &roc ? "; chance is 0.5" : "");
    if (!isnan(curves->area))
        say(curves->plot, " Over all classes: %s.", to_places(area, 4, curves->area));
    if (curves->shown < curves->count)
        say(curves->plot, " The %zu of %s with the smallest values are shown.", curves->shown,
            counted(classes, curves->count, "class", "classes"));
    if (curves->undefined)
        say(curves->plot, " %s and so no curve.",
            counted(classes, curves->undefined, "class has no rows,", "classes have no rows,"));
}

// ---- drawing

// Classes that share a colour differ by dashes.
static struct style curve_style(const struct theme *theme, size_t class_index)
{
    static const double dashes[] = {0, 6, 2};
    return line_style(theme_series(theme, class_index), 2, dashes[class_index / THEME_COLOURS % 3]);
}

// The operating point of a model of two classes.
static void draw_decision(struct chart *chart, const struct curves *curves)
{
    const tlu_evaluation *evaluation = curves->evaluation;
    size_t yes = curves->all[0].class_index, no = 1 - yes;
    double found = (double)evaluation->confusion[yes * 2 + yes];
    double wrongly = (double)evaluation->confusion[no * 2 + yes];
    const tlu_class_quality *quality = evaluation->per_class;
    struct style style = edged_style(COLOUR_NONE, chart->page->picture->theme->ink, 1.5);
    struct point at = {wrongly / (double)quality[no].support, found / (double)quality[yes].support};
    if (curves->kind == &pr)
        at = (struct point){at.y, found / (found + wrongly)};
    if (isfinite(at.x) && isfinite(at.y))
        chart_dots(chart, &at, 1, SHAPE_CIRCLE, 5, &style);
}

static void add_figures(const struct curves *curves)
{
    char name[300];
    for (size_t i = 0; i < curves->count; i++) {
        snprintf(name, sizeof name, "%s %.200s", curves->kind->metric,
                 tlu_model_class_label(curves->model, curves->all[i].class_index));
        picture_figure(curves->plot->picture, name, curves->all[i].area);
    }
}

static tlu_status draw(const struct curves *curves, tlu_error *error)
{
    struct plot *plot = curves->plot;
    const struct theme *theme = plot->theme;
    const struct style chance = line_style(theme->faint, 1, 4);
    const struct axis share = {.low = 0, .high = 1, .percent = true};
    struct legend_entry legend[CURVES_MAX + 2];
    size_t entries = 0;
    assert(curves->shown <= CURVES_MAX);
    for (; entries < curves->shown; entries++)
        legend[entries] = (struct legend_entry){
            curves->all[entries].text, LEGEND_LINE,
            curve_style(theme, curves->all[entries].class_index), SHAPE_CIRCLE};
    bool decided = tlu_model_positive_class(curves->model) != TLU_NONE &&
                   !options_flag(plot->options, OPTION_WEIGHTED);
    if (decided)
        legend[entries++] =
            (struct legend_entry){"threshold of the model", LEGEND_DOT,
                                  edged_style(COLOUR_NONE, theme->ink, 1.5), SHAPE_CIRCLE};
    if (curves->kind == &roc)
        legend[entries++] =
            (struct legend_entry){"0.500  chance", LEGEND_LINE, chance, SHAPE_CIRCLE};
    struct chart chart = {.x = share,
                          .y = share,
                          .legend = legend,
                          .legend_count = entries,
                          .legend_last = entries - curves->shown};
    chart.x.label = curves->kind->x;
    chart.y.label = curves->kind->y;
    TRY(plot_chart(plot, &chart, error));
    if (curves->kind == &roc)
        chart_line(&chart, (struct point){0, 0}, (struct point){1, 1}, &chance);
    for (size_t i = curves->shown; i-- > 0;) {
        const struct style style = curve_style(theme, curves->all[i].class_index);
        chart_curve(&chart, curves->all[i].points, curves->all[i].count, &style);
    }
    if (decided)
        draw_decision(&chart, curves);
    chart_end(&chart);
    return TLU_OK;
}

static tlu_status plot_curves(struct plot *plot, tlu_error *error)
{
    struct curves curves = {.plot = plot, .kind = plot->settings, .model = plot->model};
    char file[NAME_SIZE];
    TRY(plot_evaluate(plot, curves.kind->metric, true, error));
    curves.evaluation = plot->evaluation;
    TRY(make_curves(&curves, error));
    if (curves.count == 0)
        return error_input(error,
                           "%s: all rows are of one class: a curve needs rows of the class and "
                           "others",
                           plot->path);
    curves.area = plot_metric(plot, curves.kind->metric);
    plot_title(plot, "%s: %s", curves.kind->title, file_name(plot, file));
    if (tlu_model_positive_class(curves.model) == TLU_NONE) {
        add_figures(&curves);
        tell_several(&curves);
    } else {
        tell_one(&curves);
    }
    return draw(&curves, error);
}

tlu_status tlu_plot_roc(const tlu_model *model, const char *path, const tlu_options *options,
                        const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    struct plot plot = {.settings = &roc, .path = path, .model = model, .multilabel = true};
    return plot_file(plot_curves, &plot, options, style, picture, error);
}

tlu_status tlu_plot_precision_recall(const tlu_model *model, const char *path,
                                     const tlu_options *options, const tlu_picture_style *style,
                                     tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    struct plot plot = {.settings = &pr, .path = path, .model = model, .multilabel = true};
    return plot_file(plot_curves, &plot, options, style, picture, error);
}
