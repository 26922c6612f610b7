// Text of a picture of rows: names of axes, title, caption.
#include "base/memory.h"
#include "plot/plane/scene.h"
#include "tlu_proof.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHORT_MAX 24 // characters of a name in a sentence
#define NAMED_MAX 3  // features in a sentence
#define FEW_STEPS 64 // of floats

// ---- names

// The name of a feature, or "column 3" or "feature 3" if the name is a number; NULL: out of memory.
static const char *feature_name(const struct scene *scene, uint32_t feature)
{
    const struct schema *schema = scene->rows.schema;
    const char *what = schema_is_csv(schema) ? "column " : "feature ";
    size_t length = schema_name(schema, feature, NULL, 0), before = strlen(what);
    char *name = plot_new(scene->plot, before + length + 1, 1);
    if (!name)
        return NULL;
    memcpy(name, what, before);
    schema_name(schema, feature, name + before, length + 1);
    return name + (strspn(name + before, "0123456789") == length ? 0 : before);
}

// The name, shortened with an ellipsis.
static void say_feature(const struct scene *scene, uint32_t feature)
{
    const char *name = feature_name(scene, feature);
    char *clean = name ? text_clean(name) : NULL;
    char *shorter = clean ? text_shortened(clean, SHORT_MAX, CUT_END) : NULL;
    say(scene->plot, "%s", shorter ? shorter : "");
    scene->plot->picture->failed |= !shorter;
    memory_free(clean);
    memory_free(shorter);
}

static const char *axis_name(const struct scene *scene, int axis)
{
    static const char *const names[][2] = {
        [VIEW_FEATURE] = {NULL, "spread by chance"},
        [VIEW_ACROSS] = {"distance to the hyperplane", "main direction within it"},
        [VIEW_WEIGHTS] = {"main difference of the classes", "second difference"},
        [VIEW_SCORES] = {"direction of the score", "main direction at right angles"},
        [VIEW_MAIN] = {"main direction of the rows", "second direction of the rows"}};
    enum view_kind kind = scene->view.kind;
    if (kind == VIEW_SCORES && scene->points.classes > 2)
        return axis == 0 ? "main direction of the scores" : "second direction";
    return names[kind][axis] ? names[kind][axis] : feature_name(scene, scene->view.shown[axis]);
}

// ---- sentences

static void say_model(const struct scene *scene)
{
    const tlu_model *model = scene->model;
    const struct row_points *points = &scene->points;
    const char *kernel = options_text(model->state.options, OPTION_KERNEL);
    char right[COUNTED_SIZE], rows[COUNTED_SIZE], share[AMOUNT_SIZE];
    bool own = scene->own_data && !tlu_model_report(model)->held_out;
    say(scene->plot, "%s", tlu_model_learner(model));
    if (kernel && *kernel)
        say(scene->plot, " with kernel %s", kernel);
    if (!points->labelled)
        say(scene->plot, ": the rows have no labels; colours are predictions.");
    else
        say(scene->plot, ": %s %s correct (%s%%).", counted(right, points->right, "of", "of"),
            counted(rows, points->labelled, own ? "training row" : "row",
                    own ? "training rows" : "rows"),
            to_digits(share, 4, 100 * (double)points->right / (double)points->labelled));
    if (points->of_class[points->classes])
        say(scene->plot, " %s a label that the model does not know.",
            counted(rows, points->of_class[points->classes], "row has", "rows have"));
}

static size_t others_of(const struct plane_view *view)
{
    return view->features - (view->kind == VIEW_FEATURE ? 1 : 2);
}

// Lists the features that are not shown, if they are few.
static void say_others(const struct scene *scene)
{
    const struct plane_view *view = &scene->view;
    size_t others = others_of(view);
    bool one = view->kind == VIEW_FEATURE;
    if (others > NAMED_MAX) {
        say(scene->plot, "the other features");
        return;
    }
    for (uint32_t f = 0, said = 0; f < view->features; f++) {
        if (f == view->shown[0] || (!one && f == view->shown[1]))
            continue;
        say(scene->plot, "%s", said == 0 ? "" : said + 1 == others ? " and " : ", ");
        say_feature(scene, f);
        said++;
    }
}

static void say_view(const struct scene *scene)
{
    const struct plane_view *view = &scene->view;
    char share[AMOUNT_SIZE];
    bool scaled = view->scaled;
    to_digits(share, 3, 100 * view->share);
    switch (view->kind) {
    case VIEW_FEATURES:
        return;
    case VIEW_FEATURE:
    case VIEW_SLICE:
        if (view->exact || !scene->model)
            return;
        say(scene->plot, " A slice: ");
        say_others(scene);
        say(scene->plot, others_of(view) > 1 ? " are at their means." : " is at its mean.");
        return;
    case VIEW_ACROSS:
        say(scene->plot,
            " x axis: distance to the hyperplane%s; y axis: main direction within it; together "
            "%s%% of the variance.",
            scaled ? " after scaling" : "", share);
        return;
    case VIEW_WEIGHTS:
        say(scene->plot,
            " The plane in which the weights of the classes differ most, with %s%% of the "
            "variance%s.",
            share, scaled ? " (after scaling)" : "");
        return;
    case VIEW_SCORES:
        say(scene->plot,
            " x axis: direction of the largest covariance with the %s; y axis: %s orthogonal to "
            "it; together %s%% of the variance%s.",
            scene->points.classes > 2 ? "scores" : "score",
            scene->points.classes > 2 ? "the next one" : "the main direction", share,
            scaled ? " (after scaling)" : "");
        return;
    case VIEW_MAIN:
        say(scene->plot, " First two principal components%s: %s%% of the variance.",
            scaled ? " (after scaling)" : "", share);
        return;
    }
}

// If rows are wrong: whether a hyperplane could separate them.
static void say_verdict(const struct scene *scene)
{
    const char *what = scene->view.features == 2 ? "line" : "hyperplane";
    const char *through = options_flag(scene->plot->options, OPTION_NO_BIAS) ? " through 0" : "";
    if (!scene->model || scene->points.right == scene->points.labelled)
        return;
    if (scene->verdict == TLU_NOT_SEPARABLE)
        say(scene->plot,
            " No %s%s separates these rows (tlu separable shows why); --kernel or --learner mlp "
            "allows a curved boundary.",
            what, through);
    else if (scene->verdict == TLU_SEPARABLE)
        say(scene->plot, " A %s%s separates all rows: --learner max-margin finds it.", what,
            through);
}

static void say_off(const struct scene *scene)
{
    char points[COUNTED_SIZE], all[COUNTED_SIZE];
    bool one = scene->mismatch.off == 1, slice = scene->view.kind == VIEW_SLICE;
    counted(all, scene->points.thin.count, "point", "points");
    if (scene->mismatch.off > scene->points.thin.count / 2)
        say(scene->plot,
            " This plane shows little of the model: %s %s are in the region of another class than "
            "the predicted one. %s",
            counted(points, scene->mismatch.off, "of", "of"), all,
            slice ? "Other features may show more (--x, --y)." : "--x and --y show two features.");
    else if (scene->mismatch.off)
        say(scene->plot,
            " %s in the region of another class than the predicted one, because %s off this "
            "plane.",
            counted(points, scene->mismatch.off, "point is", "points are"),
            one ? "it is" : "they are");
    if (scene->mismatch.islands)
        say(scene->plot, " The region around %s too small to be visible.",
            counted(points, scene->mismatch.islands, "point is", "points is"));
}

// Notes columns whose values are too large for the precision of 32-bit floats.
static void say_steps(const struct scene *scene)
{
    const struct thin *thin = &scene->points.thin;
    const struct point jitter = scene->view.jitter;
    const double lows[2] = {thin->low.x + jitter.x, thin->low.y + jitter.y};
    const double highs[2] = {thin->high.x - jitter.x, thin->high.y - jitter.y};
    enum view_kind kind = scene->view.kind;
    int axes = kind == VIEW_FEATURES || kind == VIEW_SLICE ? 2 : kind == VIEW_FEATURE ? 1 : 0;
    for (int axis = 0; axis < axes && thin->count > 1; axis++) {
        double largest = fmax(fabs(lows[axis]), fabs(highs[axis])),
               range = highs[axis] - lows[axis];
        double step = largest > 0 ? ldexp(1, ilogb(largest) + 1 - FLT_MANT_DIG) : 0;
        char kept[AMOUNT_SIZE];
        if (range > FEW_STEPS * step || (range <= 0 && step <= 1))
            continue;
        say(scene->plot, " Values of ");
        say_feature(scene, scene->view.shown[axis]);
        say(scene->plot, " are precise to %s only, as 32-bit floats.", to_digits(kept, 3, step));
    }
}

static void say_margin(const struct scene *scene)
{
    char rows[COUNTED_SIZE], away[AMOUNT_SIZE];
    to_digits(away, 4, scene->has_line ? scene_distance(scene, scene->band.away) : 0);
    if (scene->band.contours)
        say(scene->plot, " Dashed: the margins, where the score is 1 and -1.");
    else if (scene->band.away > 0 && scene->band.soft)
        say(scene->plot, " Dashed: the soft margin, %s from the line.", away);
    else if (scene->band.away > 0)
        say(scene->plot, " Dashed: the margin, %s, which is the distance of the nearest row.",
            away);
    if (scene->points.supports)
        say(scene->plot, " %s ringed.",
            counted(rows, scene->points.supports, "support row is", "support rows are"));
    else if (scene->model && tlu_model_support_count(scene->model) > RINGS_MAX)
        say(scene->plot, " The model has %s.",
            counted(rows, tlu_model_support_count(scene->model), "support row", "support rows"));
}

static void say_lines(const struct scene *scene)
{
    bool pairs = scene->lines && scene->model->state.scheme.kind == SCHEME_OVO;
    char lines[COUNTED_SIZE];
    if (!scene->lines)
        return;
    counted(lines, scene_line_count(scene), "line", "lines");
    if (pairs)
        say(scene->plot,
            " %s, one for each pair of classes; the class that wins most pairs is predicted.",
            lines);
    else
        say(scene->plot,
            " %s, one for each class against the rest; a place that no class or several classes "
            "claim is ambiguous.",
            lines);
}

static void say_count(const struct scene *scene)
{
    char rows[COUNTED_SIZE], shown[COUNTED_SIZE];
    const struct row_points *points = &scene->points;
    counted(rows, points->rows, "row", "rows");
    if (scene->view.jitter.x > 0 || scene->view.jitter.y > 0)
        say(scene->plot, " Points at the same place are spread out.");
    if (points->thin.count < points->rows)
        say(scene->plot, " %s stand for %s.", counted(shown, points->thin.count, "point", "points"),
            rows);
    else if (!scene->model)
        say(scene->plot, " %s.", rows);
}

tlu_status scene_name_axes(struct scene *scene, tlu_error *error)
{
    for (int axis = 0; axis < 2; axis++) {
        scene->axis_name[axis] = axis_name(scene, axis);
        TRY(enough_memory(scene->axis_name[axis], error));
    }
    return TLU_OK;
}

tlu_status scene_describe(struct scene *scene, tlu_error *error)
{
    struct byte_buffer *caption = &scene->plot->caption;
    const char *path = scene->rows.path, *slash = strrchr(path, '/');
    const char *file = strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
    if (scene->model_count)
        plot_title(scene->plot, "Decision boundaries of %zu models: %s", scene->model_count, file);
    else if (scene->lines)
        plot_title(scene->plot, "One versus %s: %s on %s",
                   scene->model->state.scheme.kind == SCHEME_OVO ? "one" : "rest",
                   tlu_model_learner(scene->model), file);
    else if (scene->model)
        plot_title(scene->plot, "Decision regions: %s on %s", tlu_model_learner(scene->model),
                   file);
    else
        plot_title(scene->plot, "%s", file);
    if (scene->one_class)
        say(scene->plot, "All rows have one label: there is nothing to learn.");
    if (scene->model)
        say_model(scene);
    if (scene->model_count)
        scene_say_models(scene);
    say_lines(scene);
    say_verdict(scene);
    say_view(scene);
    say_margin(scene);
    say_off(scene);
    say_steps(scene);
    say_count(scene);
    if (caption->size && caption->data[0] == ' ') // there is no first sentence
        memmove(caption->data, caption->data + 1, caption->size--);
    return scene_name_axes(scene, error);
}
