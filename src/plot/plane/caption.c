// Text of a picture of rows: names of axes, title, caption.
#include "base/memory.h"
#include "plot/plane/scene.h"
#include "plot/text.h"
#include "tlu_proof.h"

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHORT_MAX 24 // characters of a name in a sentence
#define NAMED_MAX 3  // features in a sentence
#define FEW_STEPS 64 // of floats

// ---- text that grows

struct text_builder {
    char *text;
    size_t length, capacity;
    bool failed;
};

PRINTF_LIKE(2, 3) static void say(struct text_builder *text, const char *format, ...)
{
    va_list parts;
    va_start(parts, format);
    int length = vsnprintf(NULL, 0, format, parts);
    va_end(parts);
    if (length < 0 ||
        !memory_reserve(&text->text, &text->capacity, text->length + (size_t)length + 1, 1)) {
        text->failed = true;
        return;
    }
    va_start(parts, format);
    vsnprintf(text->text + text->length, (size_t)length + 1, format, parts);
    va_end(parts);
    text->length += (size_t)length;
}

// ---- names

static char *feature_name(const struct scene *scene, uint32_t feature)
{
    const struct schema *schema = scene->rows.schema;
    size_t length = schema_name(schema, feature, NULL, 0);
    struct text_builder text = {0};
    char *name = memory_new(length + 1, 1);
    if (!name)
        return NULL;
    schema_name(schema, feature, name, length + 1);
    bool number = true;
    for (size_t i = 0; i < length; i++)
        number = number && isdigit((unsigned char)name[i]);
    const char *what = schema_is_csv(schema) ? "column " : "feature ";
    say(&text, "%s%s", number ? what : "", name);
    memory_free(name);
    return text.text;
}

// The name, shortened with an ellipsis.
static void say_name(struct text_builder *text, const char *name)
{
    char *clean = text_clean(name);
    size_t end = 0;
    if (!clean) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < SHORT_MAX && clean[end]; i++)
        end += text_character(clean + end) ? text_character(clean + end) : 1;
    say(text, "%.*s%s", (int)end, clean, clean[end] ? "\u2026" : "");
    memory_free(clean);
}

static void say_feature(struct text_builder *text, const struct scene *scene, uint32_t feature)
{
    char *name = feature_name(scene, feature);
    if (name)
        say_name(text, name);
    else
        text->failed = true;
    memory_free(name);
}

static char *copy(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

static char *axis_name(const struct scene *scene, int axis)
{
    switch (scene->view.kind) {
    case VIEW_FEATURES:
    case VIEW_SLICE:
        return feature_name(scene, scene->view.shown[axis]);
    case VIEW_FEATURE:
        return axis == 0 ? feature_name(scene, scene->view.shown[0]) : copy("spread by chance");
    case VIEW_ACROSS:
        return copy(axis == 0 ? "distance to the hyperplane" : "main direction within it");
    case VIEW_WEIGHTS:
        return copy(axis == 0 ? "main difference of the classes" : "second difference");
    case VIEW_SCORES:
        if (scene->points.classes > 2)
            return copy(axis == 0 ? "main direction of the scores" : "second direction");
        return copy(axis == 0 ? "direction of the score" : "main direction at right angles");
    case VIEW_MAIN:
        return copy(axis == 0 ? "main direction of the rows" : "second direction of the rows");
    }
    assert(false);
    return NULL;
}

// ---- sentences

static void say_model(struct text_builder *text, const struct scene *scene)
{
    const tlu_model *model = scene->model;
    const struct row_points *points = &scene->points;
    const char *kernel = options_text(model->options, OPTION_KERNEL);
    char right[COUNTED_SIZE], rows[COUNTED_SIZE], share[AMOUNT_SIZE];
    say(text, "%s", tlu_model_learner(model));
    if (kernel && *kernel)
        say(text, " with the kernel %s", kernel);
    if (!points->labelled)
        say(text, ": the rows have no labels, so that colours are what the model says.");
    else
        say(text, ": %s %s right (%s%%)%s.", counted(right, points->right, "of", "of"),
            counted(rows, points->labelled, "row", "rows"),
            to_digits(share, 4, 100 * (double)points->right / (double)points->labelled),
            scene->own_data && !tlu_model_report(model)->held_out ? ", those it has learned from"
                                                                  : "");
    if (points->of_class[points->classes])
        say(text, " %s a label that the model does not know.",
            counted(rows, points->of_class[points->classes], "row has", "rows have"));
}

static size_t others_of(const struct plane_view *view)
{
    return view->features - (view->kind == VIEW_FEATURE ? 1 : 2);
}

// Lists the features that are not shown, if they are few.
static void say_others(struct text_builder *text, const struct scene *scene)
{
    const struct plane_view *view = &scene->view;
    size_t others = others_of(view);
    bool one = view->kind == VIEW_FEATURE;
    if (others > NAMED_MAX) {
        say(text, "the other features");
        return;
    }
    for (uint32_t f = 0, said = 0; f < view->features; f++) {
        if (f == view->shown[0] || (!one && f == view->shown[1]))
            continue;
        say(text, "%s", said == 0 ? "" : said + 1 == others ? " and " : ", ");
        say_feature(text, scene, f);
        said++;
    }
}

static void say_view(struct text_builder *text, const struct scene *scene)
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
        say(text, " A slice: ");
        say_others(text, scene);
        say(text, others_of(view) > 1 ? " are at their means." : " is at its mean.");
        return;
    case VIEW_ACROSS:
        say(text,
            " Across: the distance to the hyperplane%s, so that every row is on its side; up: the "
            "main direction within it; together %s%% of the variance.",
            scaled ? " after scaling" : "", share);
        return;
    case VIEW_WEIGHTS:
        say(text,
            " The plane through the mean of the rows in which the weights of the classes differ "
            "most; %s%% of the variance%s is along it.",
            share, scaled ? " (after scaling)" : "");
        return;
    case VIEW_SCORES:
        say(text,
            " Across: the direction that goes with the %s most; up: %s at right angles to it; "
            "through the mean of the rows, with %s%% of the variance%s.",
            scene->points.classes > 2 ? "scores" : "score",
            scene->points.classes > 2 ? "the next one" : "the main direction", share,
            scaled ? " (after scaling)" : "");
        return;
    case VIEW_MAIN:
        say(text, " The plane of the two main directions of the rows%s: %s%% of their variance.",
            scaled ? " (after scaling)" : "", share);
        return;
    }
}

// If rows are wrong: whether a hyperplane could separate them.
static void say_verdict(struct text_builder *text, const struct scene *scene)
{
    const char *what = scene->view.features == 2 ? "line" : "hyperplane";
    const char *through = options_flag(scene->plot->options, OPTION_NO_BIAS) ? " through 0" : "";
    if (!scene->model || scene->points.right == scene->points.labelled)
        return;
    if (scene->verdict == TLU_NOT_SEPARABLE)
        say(text,
            " No %s%s separates these rows (tlu separable shows why); with --kernel or --learner "
            "mlp the border can bend.",
            what, through);
    else if (scene->verdict == TLU_SEPARABLE)
        say(text, " Some %s%s separates all rows: --learner max-margin finds it.", what, through);
}

static void say_off(struct text_builder *text, const struct scene *scene)
{
    char points[COUNTED_SIZE], all[COUNTED_SIZE];
    bool one = scene->mismatch.off == 1, slice = scene->view.kind == VIEW_SLICE;
    counted(all, scene->points.thin.count, "point", "points");
    if (scene->mismatch.off > scene->points.thin.count / 2)
        say(text,
            " This plane shows little of the model: %s %s lie over the region of another class "
            "than it gives them. %s",
            counted(points, scene->mismatch.off, "of", "of"), all,
            slice ? "Other features may show more (--x, --y)." : "--x and --y show two features.");
    else if (scene->mismatch.off)
        say(text,
            " %s drawn over the region of another class than the model gives %s, because %s off "
            "this plane.",
            counted(points, scene->mismatch.off, "point is", "points are"), one ? "it" : "them",
            one ? "it is" : "they are");
    if (scene->mismatch.islands)
        say(text, " The model's region around %s too small to be seen.",
            counted(points, scene->mismatch.islands, "point is", "points is"));
}

// Notes columns whose values are too large for the precision of 32-bit floats.
static void say_steps(struct text_builder *text, const struct scene *scene)
{
    const struct thin *thin = &scene->points.thin;
    const struct point loose = scene->view.loose;
    const double lows[2] = {thin->low.x + loose.x, thin->low.y + loose.y};
    const double highs[2] = {thin->high.x - loose.x, thin->high.y - loose.y};
    enum view_kind kind = scene->view.kind;
    int axes = kind == VIEW_FEATURES || kind == VIEW_SLICE ? 2 : kind == VIEW_FEATURE ? 1 : 0;
    for (int axis = 0; axis < axes && thin->count > 1; axis++) {
        double largest = fmax(fabs(lows[axis]), fabs(highs[axis])),
               range = highs[axis] - lows[axis];
        double step = largest > 0 ? ldexp(1, ilogb(largest) + 1 - FLT_MANT_DIG) : 0;
        char kept[AMOUNT_SIZE];
        if (range > FEW_STEPS * step || (range <= 0 && step <= 1))
            continue;
        say(text, " Values of ");
        say_feature(text, scene, scene->view.shown[axis]);
        say(text, " are kept to %s only, as 32-bit floats.", to_digits(kept, 3, step));
    }
}

static void say_margin(struct text_builder *text, const struct scene *scene)
{
    char rows[COUNTED_SIZE], away[AMOUNT_SIZE];
    to_digits(away, 4, scene->has_line ? scene_distance(scene, scene->band.away) : 0);
    if (scene->band.away > 0 && scene->band.soft)
        say(text, " Dashed: the soft margin, %s from the line.", away);
    else if (scene->band.away > 0)
        say(text, " Dashed: the margin, %s, which is the distance of the nearest row.", away);
    if (scene->points.supports)
        say(text, " %s ringed.",
            counted(rows, scene->points.supports, "support row is", "support rows are"));
    else if (scene->model && tlu_model_support_count(scene->model) > RINGS_MAX)
        say(text, " The model keeps %s.",
            counted(rows, tlu_model_support_count(scene->model), "row", "rows"));
}

static void say_count(struct text_builder *text, const struct scene *scene)
{
    char rows[COUNTED_SIZE], shown[COUNTED_SIZE];
    const struct row_points *points = &scene->points;
    counted(rows, points->rows, "row", "rows");
    if (scene->view.loose.x > 0 || scene->view.loose.y > 0)
        say(text, " Points of the same place are spread around it.");
    if (points->thin.count < points->rows)
        say(text, " %s stand for %s.", counted(shown, points->thin.count, "point", "points"), rows);
    else if (!scene->model)
        say(text, " %s.", rows);
}

static void say_caption(struct text_builder *text, const struct scene *scene)
{
    if (scene->one_class)
        say(text, "All rows have one label, so that there is nothing to learn.");
    if (scene->model)
        say_model(text, scene);
    say_verdict(text, scene);
    say_view(text, scene);
    say_margin(text, scene);
    say_off(text, scene);
    say_steps(text, scene);
    say_count(text, scene);
}

static void say_title(struct text_builder *text, const struct scene *scene)
{
    const char *path = scene->rows.path;
    const char *slash = strrchr(path, '/');
    if (scene->plot->title) {
        say(text, "%s", scene->plot->title);
        return;
    }
    if (scene->model)
        say(text, "%s on ", tlu_model_learner(scene->model));
    say(text, "%s", strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path);
}

tlu_status scene_describe(struct scene *scene, tlu_error *error)
{
    struct text_builder caption = {0}, title = {0};
    say_caption(&caption, scene);
    say_title(&title, scene);
    scene->caption = caption.text;
    scene->title = title.text;
    for (int axis = 0; axis < 2; axis++) {
        scene->axis_name[axis] = axis_name(scene, axis);
        TRY(enough_memory(scene->axis_name[axis], error));
    }
    TRY(enough_memory(!caption.failed && !title.failed, error));
    if (caption.text && caption.text[0] == ' ') // there is no first sentence
        memmove(caption.text, caption.text + 1, caption.length);
    return TLU_OK;
}
