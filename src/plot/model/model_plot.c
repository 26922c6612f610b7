#include "plot/model/model_plot.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *class_name(const tlu_model *model, size_t class_index, char out[NAME_SIZE])
{
    return short_name(tlu_model_class_label(model, class_index), out);
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

// ---- figures

tlu_status plot_evaluate(struct plot *plot, const char *metrics, bool curves, tlu_error *error)
{
    const tlu_evaluate_settings settings = {
        .size = sizeof settings, .path = plot->path, .curves = curves};
    TRY(tlu_options_set(plot->options, "metric", metrics, error));
    return tlu_evaluate_with(plot->model, &settings, plot->options, &plot->evaluation, error);
}

double plot_metric(struct plot *plot, const char *metric)
{
    const tlu_evaluation *evaluation = plot->evaluation;
    double value = NAN;
    for (size_t i = 0; i < evaluation->metric_count; i++)
        if (strcmp(evaluation->metrics[i].name, metric) == 0)
            value = evaluation->metrics[i].value;
    if (!isnan(value))
        picture_figure(plot->picture, metric, value);
    return value;
}

tlu_status need_weights(const tlu_model *model, tlu_error *error)
{
    const char *decision = tlu_model_decision(model);
    if (tlu_model_layers(model, NULL, 0))
        return error_input(error,
                           "the model has layers, so its features have no weights of their own; "
                           "tlu explain shows what the score of a row depends on");
    if (strcmp(decision, "vote") == 0 || strcmp(decision, "random") == 0)
        return error_input(error,
                           "the model decides by %s over many weight vectors, so it has no single "
                           "weight vector; tlu inspect --examples shows the rows that it "
                           "consists of",
                           decision);
    if (!tlu_model_has_weights(model))
        return error_input(
            error,
            "the model has a kernel (%s), so its features have no weights; tlu inspect "
            "--examples shows the rows that it consists of",
            tlu_options_get(tlu_model_options(model), "kernel"));
    return TLU_OK;
}

// ---- ranks

static int by_rank(const void *a, const void *b)
{
    const struct rank_entry *left = a, *right = b;
    if (left->size != right->size)
        return left->size > right->size ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

void rank_sort(struct rank_entry *all, size_t count)
{
    qsort(all, count, sizeof *all, by_rank);
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
