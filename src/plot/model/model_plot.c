#include "plot/model/model_plot.h"
#include "base/memory.h"
#include "base/options.h"
#include "plot/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_CHARACTERS 28 // up to four bytes each

// Cleans the name with text_clean and shortens it to NAME_CHARACTERS.
static const char *short_name(const char *name, char out[NAME_SIZE])
{
    char *clean = text_clean(name),
         *shorter = clean ? name_shortened(clean, NAME_CHARACTERS) : NULL;
    snprintf(out, NAME_SIZE, "%s", shorter ? shorter : "");
    memory_free(clean);
    memory_free(shorter);
    return out;
}

const char *class_name(const tlu_model *model, size_t class_index, char out[NAME_SIZE])
{
    return short_name(tlu_model_class_label(model, class_index), out);
}

const char *file_name(const struct plot *plot, char out[NAME_SIZE])
{
    const char *path = plot->path, *slash = strrchr(path, '/');
    if (strcmp(path, "-") == 0)
        return strcpy(out, "standard input");
    return short_name(slash && slash[1] ? slash + 1 : path, out);
}

const char *model_name(const tlu_model *model, char out[NAME_SIZE])
{
    const char *data = tlu_model_report(model)->data;
    char name[NAME_SIZE];
    if (data && *data)
        snprintf(out, NAME_SIZE, "%.20s on %.90s", tlu_model_learner(model),
                 short_name(data, name));
    else
        snprintf(out, NAME_SIZE, "%.20s", tlu_model_learner(model));
    return out;
}

// ---- title and caption

void description_title(struct description *description, const struct plot *plot, const char *form,
                       ...)
{
    va_list list;
    va_start(list, form);
    vsnprintf(description->title, sizeof description->title, form, list);
    va_end(list);
    if (plot->title)
        snprintf(description->title, sizeof description->title, "%.199s", plot->title);
}

tlu_status description_set(const struct description *description, struct plot *plot,
                           tlu_error *error)
{
    return picture_describe(plot->picture, description->title, description->caption, error);
}

// ---- figures

tlu_status plot_evaluate(const struct plot *plot, const char *metrics, bool curves,
                         tlu_evaluation **evaluation, tlu_error *error)
{
    const tlu_evaluate_settings settings = {
        .size = sizeof settings, .path = plot->path, .curves = curves};
    tlu_options *options = options_copy(plot->options);
    *evaluation = NULL;
    tlu_status status = enough_memory(options, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "metric", metrics, error);
    if (status == TLU_OK)
        status = tlu_evaluate_with(plot->model, &settings, options, evaluation, error);
    tlu_options_free(options);
    return status;
}

tlu_status plot_metric(struct plot *plot, const tlu_evaluation *evaluation, const char *metric,
                       double *value, tlu_error *error)
{
    *value = NAN;
    for (size_t i = 0; i < evaluation->metric_count; i++)
        if (strcmp(evaluation->metrics[i].name, metric) == 0)
            *value = evaluation->metrics[i].value;
    return isnan(*value) ? TLU_OK : picture_figure(plot->picture, metric, *value, error);
}

tlu_status need_weights(const tlu_model *model, tlu_error *error)
{
    const char *decision = tlu_model_decision(model);
    if (tlu_model_layers(model, NULL, 0))
        return error_input(error,
                           "the model has layers, so its features have no weights of their own; "
                           "tlu explain shows what the score of a row depends on");
    if (!tlu_model_has_weights(model))
        return error_input(
            error,
            "the model has a kernel (%s), so its features have no weights; tlu inspect "
            "--examples shows the rows that it consists of",
            tlu_options_get(tlu_model_options(model), "kernel"));
    if (strcmp(decision, "vote") == 0 || strcmp(decision, "random") == 0)
        return error_input(error,
                           "the model decides by %s over many weight vectors, so it has no single "
                           "weight vector; tlu inspect --examples shows the rows that it "
                           "consists of",
                           decision);
    return TLU_OK;
}

// ---- tilings

struct tiling tiling_in(const struct box *box, size_t count, double shape)
{
    struct tiling tiling = {*box, 1, count ? count : 1};
    double best = 0;
    for (size_t columns = 1; columns <= count; columns++) {
        size_t rows = (count + columns - 1) / columns;
        double height = box_height(box) / (double)rows;
        double size = fmin(box_width(box) / (double)columns, shape * height);
        if (size <= best * 1.0001)
            continue;
        best = size;
        tiling.columns = columns;
        tiling.rows = rows;
    }
    return tiling;
}

struct box tile_box(const struct tiling *tiling, size_t index)
{
    assert(index < tiling->columns * tiling->rows);
    double width = box_width(&tiling->box) / (double)tiling->columns;
    double height = box_height(&tiling->box) / (double)tiling->rows;
    double left = tiling->box.left + (double)(index % tiling->columns) * width;
    double top = tiling->box.top + (double)(index / tiling->columns) * height;
    return (struct box){left, top, left + width, top + height};
}
