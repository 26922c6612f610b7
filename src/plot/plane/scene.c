// What a picture of rows shows: reads the rows, trains a model unless one is given, finds the
// plane.
#include "plot/plane/scene.h"
#include "base/call/callback.h"
#include "base/settings.h"
#include "tlu_proof.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ON_MARGIN 1e-3 // relative tolerance, because solvers are not exact
#define BESIDE 0.01    // of the range: a few cells of a picture

// Limits for tlu_separability_decide, so that it takes no noticeable time.
#define ASKED_SECONDS 0.3
#define ASKED_ROWS 10000
#define ASKED_FEATURES 100

// ---- the model

static tlu_status learn(struct scene *scene, tlu_error *error)
{
    const struct plot *plot = scene->plot;
    struct training training = {.rows.path = plot->path, .rows.row_source = scene->rows.row_source};
    training.reporter.progress = plot->progress;
    training.reporter.context = plot->progress_context;
    TRY(model_train(&training, scene->plot->options, NULL, &scene->learned, error));
    picture_note(scene->plot->picture, scene->learned);
    return TLU_OK;
}

// Whether no row has one of the labels: that of the opposite side, for rows that are all on one.
static bool lacks_class(const tlu_model *model)
{
    return tlu_model_class_count(model) == 2 &&
           (tlu_model_class_examples(model, 0) == 0 || tlu_model_class_examples(model, 1) == 0);
}

// Rows of one class have no boundary to draw, and for most labels training fails; the rows can
// still be drawn.
static tlu_status learn_or_not(struct scene *scene, tlu_error *error)
{
    tlu_error why;
    tlu_status status = learn(scene, &why);
    if (status == TLU_OK && lacks_class(scene->learned)) {
        tlu_model_free(scene->learned);
        scene->learned = NULL;
        status = TLU_ERROR_INPUT;
    }
    scene->model = scene->learned;
    if (status == TLU_ERROR_INPUT && row_reader_use(&scene->rows, NULL, NULL) == TLU_OK &&
        row_reader_classes(&scene->rows) == 1) {
        scene->one_class = true;
        return TLU_OK;
    }
    if (status != TLU_OK && error)
        *error = why;
    return status;
}

static tlu_status find_model(struct scene *scene, bool points_only, tlu_error *error)
{
    scene->model = points_only ? NULL : scene->plot->model;
    if (!scene->model && !points_only)
        TRY(learn_or_not(scene, error));
    const tlu_model *model = scene->model ? scene->model : scene->learned;
    if (model && model->scaling.normalize)
        return error_input(error,
                           "the model divides each row by its length, so that it has no line in a "
                           "plane: --points draws the rows alone; a model without --normalize "
                           "(which --learner auto sets for texts, and --learner hinge does not) "
                           "can be drawn");
    return scene->one_class ? TLU_OK : row_reader_use(&scene->rows, scene->model, error);
}

// ---- support rows

static int by_number(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return one < two ? -1 : one > two;
}

static bool is_own_data(const struct scene *scene)
{
    const tlu_report *report = tlu_model_report(scene->model);
    const char *path = scene->rows.path, *slash = strrchr(path, '/');
    return scene->learned || (report->data && strcmp(report->data, slash ? slash + 1 : path) == 0 &&
                              report->examples + report->held_out == scene->view.rows);
}

static tlu_status find_supports(struct scene *scene, tlu_error *error)
{
    size_t count = tlu_model_support_count(scene->model);
    if (count == 0 || count > RINGS_MAX || !scene->own_data)
        return TLU_OK;
    uint64_t *lines = plot_new(scene->plot, count, sizeof *lines);
    TRY(enough_memory(lines, error));
    for (size_t i = 0; i < count; i++) {
        tlu_support support;
        TRY(tlu_model_support(scene->model, i, &support, error));
        lines[i] = support.line;
    }
    qsort(lines, count, sizeof *lines, by_number);
    scene->points.support_lines = lines;
    scene->points.support_count = count;
    return TLU_OK;
}

// ---- the line

static void find_band(struct scene *scene)
{
    const struct row_points *points = &scene->points;
    scene->band.contours = scene->view.exact && field_has_margins(&scene->field);
    if (!scene->has_line || !scene->view.exact)
        return;
    scene->band.soft = tlu_model_report(scene->model)->soft_margin > 0 &&
                       scene->model->state.output.threshold.on == THRESHOLD_NONE;
    if (scene->band.soft)
        scene->band.away = 1;
    else if (points->labelled == points->rows && points->right == points->rows &&
             points->nearest_count)
        scene->band.away = points->nearest[0].away;
}

double scene_distance(const struct scene *scene, double away)
{
    return away / hypot(scene->line.w1, scene->line.w2);
}

size_t scene_on_margin(const struct scene *scene)
{
    size_t count = 0;
    while (scene->band.away > 0 && !scene->band.soft && count < scene->points.nearest_count &&
           scene->points.nearest[count].away <= scene->band.away * (1 + ON_MARGIN))
        count++;
    return count;
}

// ---- predictions in the plane

// Labels at the points, shifted by shares of their range.
static tlu_status label_beside(struct scene *scene, double across, double up, struct point *at,
                               uint32_t *labels, tlu_error *error)
{
    const struct thin *thin = &scene->points.thin;
    struct point by = {across * (thin->high.x - thin->low.x), up * (thin->high.y - thin->low.y)};
    for (size_t i = 0; i < thin->count; i++) {
        struct point place = thin->points[i].at;
        struct point moved = view_jitter(&scene->view, thin->points[i].number);
        at[i] = (struct point){place.x - moved.x + by.x, place.y - moved.y + by.y};
    }
    TRY(field_label(&scene->field, at, thin->count, labels, error));
    for (size_t i = 0; i < thin->count; i++)
        labels[i] &= ~REGION_AMBIGUOUS;
    return TLU_OK;
}

// Counts points over the region of another class, if the plane does not show predictions exactly.
// Else counts points whose regions are too small to be visible: kernels can be that narrow.
static tlu_status find_mismatches(struct scene *scene, tlu_error *error)
{
    static const double beside[4][2] = {{BESIDE, 0}, {-BESIDE, 0}, {0, BESIDE}, {0, -BESIDE}};
    const struct thin *thin = &scene->points.thin;
    struct point *at = plot_new(scene->plot, thin->count, sizeof *at);
    uint32_t *labels = plot_new(scene->plot, thin->count, sizeof *labels);
    bool *found = plot_new(scene->plot, thin->count, sizeof *found);
    TRY(enough_memory(at && labels && found, error));
    if (!scene->view.exact) {
        TRY(label_beside(scene, 0, 0, at, labels, error));
        for (size_t i = 0; i < thin->count; i++)
            scene->mismatch.off += labels[i] != thin->points[i].predicted;
        return TLU_OK;
    }
    if (scene->field.linear)
        return TLU_OK;
    for (size_t side = 0; side < 4; side++) {
        TRY(label_beside(scene, beside[side][0], beside[side][1], at, labels, error));
        for (size_t i = 0; i < thin->count; i++)
            found[i] = found[i] || labels[i] == thin->points[i].predicted;
    }
    for (size_t i = 0; i < thin->count; i++)
        scene->mismatch.islands += !found[i];
    return TLU_OK;
}

// ---- whether a hyperplane separates the rows

// tlu_separability_decide reads a file, with values as written.
static bool can_ask_separable(const struct scene *scene)
{
    const tlu_options *options = scene->plot->options;
    const struct row_points *points = &scene->points;
    return scene->learned && scene->field.linear && points->classes == 2 &&
           points->labelled == points->rows && points->right < points->rows &&
           points->rows <= ASKED_ROWS && scene->view.features <= ASKED_FEATURES &&
           !scene->rows.bytes && !options_flag(options, OPTION_HASH) &&
           !options_flag(options, OPTION_BINARIZE);
}

// If tlu_separability_decide fails, the verdict is not known.
static void ask_separable(struct scene *scene)
{
    const tlu_separability_settings settings = {
        .size = sizeof settings, .path = scene->rows.path, .seconds = ASKED_SECONDS};
    tlu_separability *answer = NULL;
    scene->verdict = TLU_NOT_DECIDED;
    if (!can_ask_separable(scene))
        return;
    tlu_options *options = options_copy(scene->plot->options);
    if (options && tlu_options_set(options, "scale", "none", NULL) == TLU_OK &&
        tlu_separability_decide(&settings, options, &answer, NULL) == TLU_OK)
        scene->verdict = answer->verdict;
    tlu_separability_free(answer);
    tlu_options_free(options);
}

// ---- all of it

static tlu_status make_field(struct scene *scene, tlu_error *error)
{
    scene->own_data = is_own_data(scene);
    TRY(find_supports(scene, error));
    TRY(field_make(&scene->field, &scene->rows, &scene->view, error));
    scene->has_line =
        field_line(&scene->field, &scene->line) && (scene->line.w1 != 0 || scene->line.w2 != 0);
    if (scene->has_line && scene->view.exact)
        scene->points.line = &scene->line;
    return TLU_OK;
}

// One versus rest, unless the caller decides: other schemes have no line for each class.
static tlu_status choose_scheme(struct scene *scene, tlu_error *error)
{
    tlu_options *options = scene->plot->options;
    return options_is_set(options, OPTION_MULTICLASS)
               ? TLU_OK
               : tlu_options_set(options, "multiclass", "ovr", error);
}

tlu_status scene_read(struct scene *scene, const tlu_plot_data_settings *settings, tlu_error *error)
{
    struct plot *plot = scene->plot;
    scene->lines = settings->lines;
    TRY(row_reader_open(&scene->rows, &plot->memory, plot->path, plot->options, error));
    if (settings->model_count)
        return scene_read_models(scene, settings, error);
    if (scene->lines && !plot->model)
        TRY(choose_scheme(scene, error));
    TRY(find_model(scene, settings->points_only, error));
    TRY(view_make(&scene->view, &scene->rows, settings->x, settings->y, error));
    if (scene->exact_places)
        scene->view.jitter = (struct point){0, 0};
    if (scene->model)
        TRY(make_field(scene, error));
    if (scene->lines)
        TRY(scene_check_lines(scene, error));
    TRY(points_read(&scene->points, &scene->rows, &scene->view, error));
    if (scene->model) {
        ask_separable(scene);
        find_band(scene);
        TRY(find_mismatches(scene, error));
    }
    return TLU_OK;
}

void scene_free(struct scene *scene)
{
    thin_free(&scene->points.thin);
    row_reader_close(&scene->rows);
    tlu_model_free(scene->learned);
}

static tlu_status plot_data(struct plot *plot, tlu_error *error)
{
    struct scene scene = {.plot = plot};
    tlu_status status = scene_read(&scene, plot->settings, error);
    if (status == TLU_OK)
        status = scene_describe(&scene, error);
    if (status == TLU_OK)
        status = scene_draw(&scene, error);
    scene_free(&scene);
    return status;
}

tlu_status tlu_plot_data(const tlu_plot_data_settings *given, const tlu_options *options,
                         const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_data_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_data_settings", error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    TRY(check_axes(settings.x, settings.y, error));
    struct plot plot = {.settings = &settings,
                        .path = settings.path,
                        .model = settings.model,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return plot_file(plot_data, &plot, options, style, picture, error);
}
