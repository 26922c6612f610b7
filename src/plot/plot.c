// Making a picture: style, title, caption, pages, memory.
#include "plot/plot.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 720
#define HEIGHT 480
#define LINES 24
#define PIXELS_MAX 20000    // along a side
#define CHARACTERS_MAX 1000 // across and down
#define NAME_CHARACTERS 28  // up to four bytes each
#define FEATURE_NAME_SIZE 4096

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
    if (own->aspect && strcmp(own->aspect, "equal") != 0 && strcmp(own->aspect, "free") != 0)
        return error_input(error, "there is no aspect '%s': expected equal or free", own->aspect);
    return TLU_OK;
}

static tlu_status refuse_sets(const struct plot *plot, tlu_error *error)
{
    bool sets = options_flag(plot->options, OPTION_MULTILABEL) ||
                (plot->model && tlu_model_is_multilabel(plot->model));
    if (!sets || plot->multilabel)
        return TLU_OK;
    return error_input(error, "this picture is of rows with one label each: of --multilabel there "
                              "are --weights, --image, --roc and --pr of a model; or draw the rows "
                              "of one label against the others");
}

static tlu_status draw(plot_function *function, struct plot *plot, const tlu_options *options,
                       const tlu_picture_style *given, tlu_error *error)
{
    tlu_picture_style style;
    TRY(take_style(&style, given, error));
    TRY(picture_new(&style, theme_named(style.theme), &plot->picture, error));
    plot->theme = plot->picture->theme;
    plot_title(plot, "%s", style.title ? style.title : "");
    plot->no_title = style.title && !*style.title;
    plot->no_caption = style.no_caption;
    plot->aspect = style.aspect;
    plot->options = options_copy(options);
    TRY(enough_memory(plot->options, error));
    TRY(refuse_sets(plot, error));
    TRY(function(plot, error));
    picture_describe(plot->picture, (char *)plot->title.data, (char *)plot->caption.data);
    TRY(enough_memory(!plot->title.failed && !plot->caption.failed, error));
    return picture_check(plot->picture, error);
}

void plot_free(struct plot *plot)
{
    arena_free(&plot->memory);
    memory_free(plot->title.data);
    memory_free(plot->caption.data);
    tlu_evaluation_free(plot->evaluation);
    tlu_options_free(plot->options);
}

tlu_status plot_make(plot_function *function, struct plot *plot, const tlu_options *options,
                     const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    assert(!plot->picture);
    tlu_status status = draw(function, plot, options, style, error);
    if (status == TLU_OK && plot->model && plot->path)
        picture_note(plot->picture, plot->model);
    plot_free(plot);
    *picture = status == TLU_OK ? plot->picture : NULL;
    if (status != TLU_OK)
        tlu_picture_free(plot->picture);
    return status;
}

tlu_status plot_file(plot_function *function, struct plot *plot, const tlu_options *options,
                     const tlu_picture_style *style, tlu_picture **picture, tlu_error *error)
{
    *picture = NULL;
    TRY(check_given(plot->path != NULL, "path", error));
    return plot_make(function, plot, options, style, picture, error);
}

tlu_status check_axes(const char *x, const char *y, tlu_error *error)
{
    if (x && *x && y && strcmp(x, y) == 0)
        return error_input(error, "both axes show the feature '%.200s': expected two features", x);
    return TLU_OK;
}

// ---- title, caption, pages

void plot_title(struct plot *plot, const char *format, ...)
{
    if (plot->title.size)
        return;
    va_list list;
    va_start(list, format);
    buffer_print_list(&plot->title, format, list);
    va_end(list);
}

const char *plot_drawn_title(const struct plot *plot)
{
    return plot->no_title ? NULL : (char *)plot->title.data;
}

const char *plot_drawn_caption(const struct plot *plot)
{
    return plot->no_caption ? NULL : (char *)plot->caption.data;
}

bool plot_is_square(const struct plot *plot, bool usual)
{
    return plot->aspect ? strcmp(plot->aspect, "equal") == 0 : usual;
}

tlu_status plot_chart(struct plot *plot, struct chart *chart, tlu_error *error)
{
    assert(!chart->page);
    TRY(picture_add_page(plot->picture, &chart->page, error));
    chart->place = page_whole(chart->page);
    chart->title = plot_drawn_title(plot);
    chart->caption = plot_drawn_caption(plot);
    chart_begin(chart);
    return TLU_OK;
}

tlu_status plot_page(struct plot *plot, struct page **page, struct box *box, tlu_error *error)
{
    TRY(picture_add_page(plot->picture, page, error));
    *box = page_whole(*page);
    chart_frame(*page, plot_drawn_title(plot), plot_drawn_caption(plot), false, box);
    return TLU_OK;
}

void plot_area(struct plot *plot, const struct chart *chart)
{
    tlu_picture *picture = plot->picture;
    picture_figure(picture, "x_low", chart->x.low);
    picture_figure(picture, "x_high", chart->x.high);
    picture_figure(picture, "y_low", chart->y.low);
    picture_figure(picture, "y_high", chart->y.high);
    picture_figure(picture, "area_left", chart->area.left);
    picture_figure(picture, "area_top", chart->area.top);
    picture_figure(picture, "area_right", chart->area.right);
    picture_figure(picture, "area_bottom", chart->area.bottom);
}

// ---- names

const char *short_name(const char *name, char out[NAME_SIZE])
{
    char *clean = text_clean(name),
         *shorter = clean ? text_shortened(clean, NAME_CHARACTERS, CUT_MIDDLE) : NULL;
    snprintf(out, NAME_SIZE, "%s", shorter ? shorter : "");
    memory_free(clean);
    memory_free(shorter);
    return out;
}

const char *file_name(const struct plot *plot, char out[NAME_SIZE])
{
    const char *path = plot->path, *slash = strrchr(path, '/');
    if (strcmp(path, "-") == 0)
        return strcpy(out, "standard input");
    return short_name(slash && slash[1] ? slash + 1 : path, out);
}

const char *plot_feature_name(struct plot *plot, const tlu_model *model, size_t feature)
{
    char name[FEATURE_NAME_SIZE] = "feature ";
    size_t length = strlen(name);
    tlu_model_feature_name(model, feature, name + length, sizeof name - length);
    bool number = strspn(name + length, "0123456789") == strlen(name + length);
    char *copy = plot_new(plot, sizeof name, 1);
    return copy ? strcpy(copy, number ? name : name + length) : NULL;
}
