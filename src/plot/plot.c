#include "plot/plot.h"
#include "base/call/callback.h"
#include "base/options.h"
#include "base/settings.h"
#include "tlu_plot.h"

#include <string.h>

#define WIDTH 720
#define HEIGHT 480
#define TOO_LARGE 20000 // pixels along a side
#define MAX_LETTERS 1000

static const struct {
    const char *name;
    int needs;
    plot_function *plot;
} kinds[] = {
#define PLOT_ROW(name, needs) {#name, needs, plot_##name},
    PLOTS(PLOT_ROW)
#undef PLOT_ROW
};

static tlu_status find_kind(const tlu_plot_settings *settings, size_t *kind, tlu_error *error)
{
    for (*kind = 0; *kind < sizeof kinds / sizeof kinds[0]; ++*kind) {
        if (settings->kind && strcmp(kinds[*kind].name, settings->kind) != 0)
            continue;
        if (kinds[*kind].needs & PLOT_DATA && !settings->path)
            return error_input(error, "a picture of the kind %s needs data", kinds[*kind].name);
        if (kinds[*kind].needs & PLOT_MODEL && !settings->model)
            return error_input(error, "a picture of the kind %s needs a model", kinds[*kind].name);
        return TLU_OK;
    }
    return error_input(error,
                       "'%s' is no kind of picture: expected data, run, strip, truth, curve, "
                       "progress, roc, pr, confusion, calibration, weights, image or bounds",
                       settings->kind);
}

static tlu_status check(const tlu_plot_settings *settings, tlu_error *error)
{
    double scale = settings->scale;
    if (!(settings->width >= 100 && settings->height >= 80) ||
        !(settings->width * scale <= TOO_LARGE && settings->height * scale <= TOO_LARGE))
        return error_input(error, "a picture is from 100 x 80 to %d x %d pixels", TOO_LARGE,
                           TOO_LARGE);
    if (settings->columns && (settings->columns < 20 || settings->lines < 8 ||
                              settings->columns > MAX_LETTERS || settings->lines > MAX_LETTERS))
        return error_input(error, "a picture for a terminal is from 20 x 8 to %d x %d letters",
                           MAX_LETTERS, MAX_LETTERS);
    if (settings->x && *settings->x && settings->y && strcmp(settings->x, settings->y) == 0)
        return error_input(error, "the feature across and that up are both '%.200s': expected two",
                           settings->x);
    if (!theme_named(settings->theme))
        return error_input(error, "there is no theme '%s': expected light or dark",
                           settings->theme);
    return TLU_OK;
}

static tlu_status take(tlu_plot_settings *own, const tlu_plot_settings *given, tlu_error *error)
{
    TRY(settings_take(own, sizeof *own, given, "tlu_plot_settings", error));
    own->width = own->width > 0 ? own->width : WIDTH;
    own->height = own->height > 0 ? own->height : HEIGHT;
    own->scale = own->scale > 0 ? own->scale : 1;
    own->lines = own->lines ? own->lines : 24;
    own->theme = own->theme ? own->theme : "light";
    return check(own, error);
}

static tlu_status draw(plot_function *draw_kind, struct plot *plot, tlu_error *error)
{
    const tlu_plot_settings *settings = plot->settings;
    const struct picture_size size = {settings->width,   settings->height, settings->scale,
                                      settings->columns, settings->lines,  settings->coloured};
    TRY(picture_new(&size, theme_named(settings->theme), &plot->picture, error));
    tlu_status status = draw_kind(plot, error);
    if (status != TLU_OK) {
        tlu_picture_free(plot->picture);
        plot->picture = NULL;
    }
    return status;
}

tlu_status tlu_plot(const tlu_plot_settings *given, const tlu_options *options,
                    tlu_picture **picture, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_plot_settings settings;
    struct callback progress;
    size_t kind;
    *picture = NULL;
    TRY(take(&settings, given, error));
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    TRY(find_kind(&settings, &kind, error));
    tlu_options *own = options_copy(options);
    if (!own)
        return error_memory(error);
    struct plot plot = {&settings, own, NULL};
    tlu_status status = draw(kinds[kind].plot, &plot, error);
    tlu_options_free(own);
    *picture = plot.picture;
    return status;
}
