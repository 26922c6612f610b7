// The plane in which a run is drawn.
#include "plot/run/run.h"

// ---- scaling: x' = (x - shift) * factor

static double factor_of(const tlu_model *model, size_t feature)
{
    double factor = model->scaling.factor ? model->scaling.factor[feature] : 1;
    return factor == 0 ? 1 : factor;
}

static double shift_of(const tlu_model *model, size_t feature)
{
    return model->scaling.shift ? model->scaling.shift[feature] : 0;
}

// ---- making a projection

// By the kind of the view: axes and a note for the caption. Directions are those of the last
// weights.
static const struct projection_words {
    const char *x, *y, *words;
} projections[] = {
    [VIEW_ACROSS] = {"distance to the last hyperplane", "main direction within it",
                     "The plane is at right angles to the last hyperplane; lines are where others "
                     "cut it. "},
    [VIEW_WEIGHTS] = {"where classes differ most", "where they differ most after that",
                      "The plane is that in which the last weights of the classes differ most. "},
    [VIEW_SCORES] = {"direction of the score", "main direction at right angles",
                     "The plane is along the direction that goes with the last scores most. "},
    [VIEW_MAIN] = {"main direction of the rows", "second direction of the rows",
                   "The plane is that in which the rows differ most. "},
};

static tlu_status name_axes(struct projection *projection, struct plot *plot, tlu_error *error)
{
    const struct projection_words *words = &projections[projection->view.kind];
    projection->x_name =
        words->x ? words->x : plot_feature_name(plot, projection->model, projection->view.shown[0]);
    if (!projection->by_class)
        projection->y_name =
            words->y ? words->y
                     : plot_feature_name(plot, projection->model, projection->view.shown[1]);
    projection->words = words->words             ? words->words
                        : projection->view.exact ? ""
                                                 : "The other features are at their means. ";
    return enough_memory(projection->x_name && (projection->y_name || projection->by_class), error);
}

static const char *given(const char *name)
{
    return name && *name ? name : NULL;
}

tlu_status projection_make(struct projection *projection, const struct run_trace *trace,
                           tlu_error *error)
{
    struct plot *plot = trace->plot;
    const tlu_plot_run_settings *settings = plot->settings;
    struct row_reader rows;
    *projection = (struct projection){.model = trace->model};
    tlu_status status = row_reader_open(&rows, &plot->memory, plot->path, plot->options, error);
    if (status == TLU_OK)
        status = row_reader_use(&rows, trace->model, error);
    if (status == TLU_OK)
        status = view_make(&projection->view, &rows, given(settings->x), given(settings->y), error);
    row_reader_close(&rows);
    TRY(status);
    projection->by_class = projection->view.kind == VIEW_FEATURE;
    return name_axes(projection, trace->plot, error);
}

// ---- projecting

static struct point start(const struct projection *projection, uint32_t class_index)
{
    return (struct point){projection->view.offset[0],
                          projection->by_class ? (double)class_index : projection->view.offset[1]};
}

static void add_value(struct point *at, const struct projection *projection, size_t feature,
                      double scaled)
{
    const struct plane_view *view = &projection->view;
    double value =
        scaled / factor_of(projection->model, feature) + shift_of(projection->model, feature);
    at->x += view->to[0][feature] * value;
    at->y += view->to[1][feature] * value;
}

struct point projection_place(const struct projection *projection, const struct trace_rows *rows,
                              size_t row)
{
    struct point at = start(projection, rows->classes[row]);
    for (uint64_t k = rows->offsets[row]; k < rows->offsets[row + 1]; k++)
        if (rows->features[k] < projection->view.features) // not the bias
            add_value(&at, projection, rows->features[k], (double)rows->values[k]);
    return at;
}

struct point projection_place_step(const struct projection *projection,
                                   const struct run_trace *trace, const tlu_step *step,
                                   uint32_t class_index)
{
    struct point at = start(projection, class_index);
    for (size_t i = 0; i < step->example.count; i++) {
        size_t feature = trace->numbers[step->example.features[i]];
        if (feature < trace->features)
            add_value(&at, projection, feature,
                      step->example.values ? (double)step->example.values[i] : 1);
    }
    return at;
}

// A weight for unscaled values.
static void add_weight(struct boundary *boundary, const struct plane_view *view, size_t feature,
                       double weight)
{
    boundary->f.w0 += weight * view->base[feature];
    boundary->f.w1 += weight * view->along[0][feature];
    boundary->f.w2 += weight * view->along[1][feature];
}

struct boundary projection_line(const struct projection *projection, const struct run_trace *trace,
                                const tlu_step *step, size_t column)
{
    const char *against, *of = tlu_step_column_label(step, column, &against);
    struct boundary boundary = {.of = (uint32_t)tlu_model_class_find(trace->model, of),
                                .f.w0 = tlu_step_bias(step, column)};
    for (size_t i = 0; i < step->features; i++) {
        size_t feature = trace->numbers[i];
        if (feature >= trace->features)
            continue;
        double weight = tlu_step_weight(step, column, i) * factor_of(projection->model, feature);
        boundary.f.w0 -= weight * shift_of(projection->model, feature);
        add_weight(&boundary, &projection->view, feature, weight);
    }
    return boundary;
}

struct boundary projection_model_line(const struct projection *projection)
{
    const tlu_model *model = projection->model;
    size_t positive = tlu_model_positive_class(model);
    struct boundary boundary = {.of = (uint32_t)positive, .f.w0 = tlu_model_bias(model, positive)};
    for (size_t i = 0; i < projection->view.features; i++)
        add_weight(&boundary, &projection->view, i, tlu_model_weight(model, positive, i));
    return boundary;
}
