#include "base/memory.h"
#include "plot/run/run.h"

#include <math.h>
#include <string.h>

#define NAME_SIZE 4096

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

static char *copy(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

static char *feature_name(const struct projection *projection, int axis)
{
    char name[NAME_SIZE] = "feature ";
    size_t length = strlen(name);
    tlu_model_feature_name(projection->model, projection->view.shown[axis], name + length,
                           sizeof name - length);
    bool number = strspn(name + length, "0123456789") == strlen(name + length);
    return copy(number ? name : name + length);
}

// Directions are those of the last weights.
static tlu_status name_axes(struct projection *projection, tlu_error *error)
{
    projection->words = "";
    switch (projection->view.kind) {
    case VIEW_FEATURE:
    case VIEW_FEATURES:
    case VIEW_SLICE:
        projection->x_name = feature_name(projection, 0);
        projection->y_name = projection->by_class ? NULL : feature_name(projection, 1);
        if (!projection->view.exact)
            projection->words = "The other features are at their means. ";
        break;
    case VIEW_ACROSS:
        projection->x_name = copy("distance to the last hyperplane");
        projection->y_name = copy("main direction within it");
        projection->words = "The plane is at right angles to the last hyperplane; lines are where "
                            "others cut it. ";
        break;
    case VIEW_WEIGHTS:
        projection->x_name = copy("where classes differ most");
        projection->y_name = copy("where they differ most after that");
        projection->words =
            "The plane is that in which the last weights of the classes differ most. ";
        break;
    case VIEW_SCORES:
        projection->x_name = copy("direction of the score");
        projection->y_name = copy("main direction at right angles");
        projection->words =
            "The plane is along the direction that goes with the last scores most. ";
        break;
    case VIEW_MAIN:
        projection->x_name = copy("main direction of the rows");
        projection->y_name = copy("second direction of the rows");
        projection->words = "The plane is that in which the rows differ most. ";
        break;
    }
    return enough_memory(projection->x_name && (projection->y_name || projection->by_class), error);
}

static const char *given(const char *name)
{
    return name && *name ? name : NULL;
}

tlu_status projection_make(struct projection *projection, const struct run_trace *trace,
                           const tlu_plot_run_settings *settings, tlu_error *error)
{
    struct row_reader rows;
    *projection = (struct projection){.model = trace->model};
    tlu_status status = row_reader_open(&rows, trace->path, trace->options, error);
    if (status == TLU_OK)
        status = row_reader_use(&rows, trace->model, error);
    if (status == TLU_OK)
        status = view_make(&projection->view, &rows, given(settings->x), given(settings->y), error);
    row_reader_close(&rows);
    TRY(status);
    projection->by_class = projection->view.kind == VIEW_FEATURE;
    return name_axes(projection, error);
}

void projection_free(struct projection *projection)
{
    view_free(&projection->view);
    memory_free(projection->x_name);
    memory_free(projection->y_name);
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

struct point projection_place(const struct projection *projection,
                              const struct trace_rows *examples, size_t row)
{
    struct point at = start(projection, examples->classes[row]);
    for (uint64_t k = examples->offsets[row]; k < examples->offsets[row + 1]; k++)
        add_value(&at, projection, examples->features[k], (double)examples->values[k]);
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
    boundary->w0 += weight * view->base[feature];
    boundary->w1 += weight * view->along[0][feature];
    boundary->w2 += weight * view->along[1][feature];
}

struct boundary projection_line(const struct projection *projection, const struct run_trace *trace,
                                const tlu_step *step, size_t column)
{
    const char *against, *of = tlu_step_column_label(step, column, &against);
    struct boundary boundary = {.of = (uint32_t)tlu_model_class_find(trace->model, of),
                                .w0 = tlu_step_bias(step, column)};
    for (size_t i = 0; i < step->features; i++) {
        size_t feature = trace->numbers[i];
        if (feature >= trace->features)
            continue;
        double weight = tlu_step_weight(step, column, i) * factor_of(projection->model, feature);
        boundary.w0 -= weight * shift_of(projection->model, feature);
        add_weight(&boundary, &projection->view, feature, weight);
    }
    return boundary;
}

struct boundary projection_model_line(const struct projection *projection)
{
    const tlu_model *model = projection->model;
    size_t positive = tlu_model_positive_class(model);
    struct boundary boundary = {.of = (uint32_t)positive, .w0 = tlu_model_bias(model, positive)};
    for (size_t i = 0; i < projection->view.features; i++)
        add_weight(&boundary, &projection->view, i, tlu_model_weight(model, positive, i));
    return boundary;
}
