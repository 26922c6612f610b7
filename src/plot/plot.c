// The public functions that make pictures: each checks its arguments and calls the function of its
// kind with an empty picture.
#include "plot/plot.h"
#include "base/call/callback.h"
#include "base/options.h"
#include "base/settings.h"

#include <assert.h>
#include <string.h>

#define WIDTH 720
#define HEIGHT 480
#define LINES 24
#define PIXELS_MAX 20000    // along a side
#define CHARACTERS_MAX 1000 // across and down
#define FPS_MIN 0.01
#define FPS_MAX 100.0

static tlu_status take_style(tlu_picture_style *own, const tlu_picture_style *given,
                             tlu_error *error)
{
    TRY(settings_take(own, sizeof *own, given, "tlu_picture_style", error));
    own->width = own->width != 0 ? own->width : WIDTH;
    own->height = own->height != 0 ? own->height : HEIGHT;
    own->scale = own->scale != 0 ? own->scale : 1;
    own->lines = own->lines ? own->lines : LINES;
    own->theme = own->theme ? own->theme : "light";
    if (!(own->width >= 100 && own->height >= 80 && own->scale > 0) ||
        !(own->width * own->scale <= PIXELS_MAX && own->height * own->scale <= PIXELS_MAX))
        return error_input(error,
                           "the size of a picture is out of range: expected 100 x 80 to %d "
                           "x %d pixels",
                           PIXELS_MAX, PIXELS_MAX);
    if (own->columns && (own->columns < 20 || own->lines < 8 || own->columns > CHARACTERS_MAX ||
                         own->lines > CHARACTERS_MAX))
        return error_input(error,
                           "the size of a picture for a terminal is out of range: expected "
                           "20 x 8 to %d x %d characters",
                           CHARACTERS_MAX, CHARACTERS_MAX);
    if (!theme_named(own->theme))
        return error_input(error, "there is no theme '%s': expected light or dark", own->theme);
    return TLU_OK;
}

static tlu_status draw(plot_function *kind, struct plot *plot, const void *settings,
                       const tlu_options *options, const tlu_picture_style *given, tlu_error *error)
{
    tlu_picture_style style;
    assert(!plot->picture);
    TRY(take_style(&style, given, error));
    TRY(picture_new(&style, theme_named(style.theme), &plot->picture, error));
    plot->title = style.title && *style.title ? style.title : NULL;
    tlu_options *own = options_copy(options);
    plot->options = own;
    tlu_status status = enough_memory(own, error);
    if (status == TLU_OK)
        status = kind(plot, settings, error);
    tlu_options_free(own);
    return status;
}

static tlu_status make(plot_function *kind, struct plot *plot, const void *settings,
                       const tlu_options *options, const tlu_picture_style *style,
                       tlu_picture **picture, tlu_error *error)
{
    tlu_status status = draw(kind, plot, settings, options, style, error);
    if (status == TLU_OK)
        *picture = plot->picture;
    else
        tlu_picture_free(plot->picture);
    return status;
}

// ---- data and runs

static tlu_status check_axes(const char *x, const char *y, tlu_error *error)
{
    if (x && *x && y && strcmp(x, y) == 0)
        return error_input(error, "both axes show the feature '%.200s': expected two features", x);
    return TLU_OK;
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
    TRY(check_given(settings.path != NULL, "path", error));
    TRY(check_axes(settings.x, settings.y, error));
    struct plot plot = {.path = settings.path,
                        .model = settings.model,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return make(plot_data, &plot, &settings, options, style, picture, error);
}

tlu_status tlu_plot_run(const tlu_plot_run_settings *given, const tlu_options *options,
                        const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_run_settings settings;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_run_settings", error));
    TRY(check_given(settings.path != NULL, "path", error));
    TRY(check_axes(settings.x, settings.y, error));
    if (settings.fps != 0 && !(settings.fps >= FPS_MIN && settings.fps <= FPS_MAX))
        return error_input(error,
                           "fps must be 0.01 to 100 frames per second, or 0 for the default");
    struct plot plot = {.path = settings.path};
    return make(plot_run, &plot, &settings, options, style, picture, error);
}

tlu_status tlu_plot_truth(const tlu_plot_truth_settings *given, const tlu_options *options,
                          const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_truth_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_truth_settings", error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    TRY(check_given(settings.recipe != NULL, "recipe", error));
    struct plot plot = {.progress = settings.progress,
                        .progress_context = settings.progress_context};
    return make(plot_truth, &plot, &settings, options, style, picture, error);
}

tlu_status tlu_plot_learning_curve(const tlu_plot_learning_curve_settings *given,
                                   const tlu_options *options, const tlu_picture_style *style,
                                   tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_learning_curve_settings settings;
    struct callback progress;
    *picture = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_plot_learning_curve_settings",
                      error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    TRY(check_given(settings.path != NULL, "path", error));
    struct plot plot = {.path = settings.path,
                        .progress = settings.progress,
                        .progress_context = settings.progress_context};
    return make(plot_learning_curve, &plot, &settings, options, style, picture, error);
}

// ---- a file, a model on a file

static tlu_status plot_file(plot_function *kind, const tlu_model *model, const char *path,
                            const tlu_options *options, const tlu_picture_style *style,
                            tlu_picture **picture, tlu_error *error)
{
    struct plot plot = {.path = path, .model = model};
    *picture = NULL;
    TRY(check_given(path != NULL, "path", error));
    return make(kind, &plot, NULL, options, style, picture, error);
}

tlu_status tlu_plot_bounds(const char *path, const tlu_options *options,
                           const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return plot_file(plot_bounds, NULL, path, options, style, picture, error);
}

tlu_status tlu_plot_progress(const char *path, const tlu_picture_style *style,
                             tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return plot_file(plot_progress, NULL, path, NULL, style, picture, error);
}

tlu_status tlu_plot_roc(const tlu_model *model, const char *path, const tlu_options *options,
                        const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    return plot_file(plot_roc, model, path, options, style, picture, error);
}

tlu_status tlu_plot_precision_recall(const tlu_model *model, const char *path,
                                     const tlu_options *options, const tlu_picture_style *style,
                                     tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    return plot_file(plot_pr, model, path, options, style, picture, error);
}

tlu_status tlu_plot_confusion(const tlu_model *model, const char *path, const tlu_options *options,
                              const tlu_picture_style *style, tlu_picture **picture,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    return plot_file(plot_confusion, model, path, options, style, picture, error);
}

tlu_status tlu_plot_calibration(const tlu_model *model, const char *path,
                                const tlu_options *options, const tlu_picture_style *style,
                                tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    assert(model);
    return plot_file(plot_calibration, model, path, options, style, picture, error);
}

// ---- a model alone

tlu_status tlu_plot_weights(const tlu_model *model, size_t top, const tlu_picture_style *style,
                            tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.model = model};
    assert(model);
    *picture = NULL;
    return make(plot_weights, &plot, &top, NULL, style, picture, error);
}

tlu_status tlu_plot_weight_image(const tlu_model *model, size_t width, size_t height,
                                 const tlu_picture_style *style, tlu_picture **picture,
                                 tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct plot plot = {.model = model};
    const size_t size[2] = {width, height};
    assert(model);
    *picture = NULL;
    return make(plot_weight_image, &plot, size, NULL, style, picture, error);
}
