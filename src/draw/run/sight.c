#include "draw/run/sight.h"
#include "base/memory.h"

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

// ---- making it

static char *copy(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

static char *feature_name(const struct sight *sight, int axis)
{
    char name[NAME_SIZE] = "feature ";
    size_t length = strlen(name);
    tlu_model_feature_name(sight->model, sight->view.shown[axis], name + length,
                           sizeof name - length);
    bool number = strspn(name + length, "0123456789") == strlen(name + length);
    return copy(number ? name : name + length);
}

// The hyperplane is the last one.
static tlu_status name_axes(struct sight *sight, tlu_error *error)
{
    sight->words = "";
    switch (sight->view.kind) {
    case VIEW_FEATURE:
    case VIEW_FEATURES:
    case VIEW_SLICE:
        sight->x_name = feature_name(sight, 0);
        sight->y_name = sight->by_class ? NULL : feature_name(sight, 1);
        if (!sight->view.exact)
            sight->words = "The other features are at their means. ";
        break;
    case VIEW_ACROSS:
        sight->x_name = copy("distance to the last hyperplane");
        sight->y_name = copy("main direction within it");
        sight->words = "The plane is at right angles to the last hyperplane; lines are where "
                       "others cut it. ";
        break;
    case VIEW_WEIGHTS:
        sight->x_name = copy("where classes differ most");
        sight->y_name = copy("where they differ most after that");
        sight->words = "The plane is that in which the last weights of the classes differ most. ";
        break;
    case VIEW_SCORES:
        sight->x_name = copy("direction of the score");
        sight->y_name = copy("main direction at right angles");
        sight->words = "The plane is along the direction that goes with the last scores most. ";
        break;
    case VIEW_MAIN:
        sight->x_name = copy("main direction of the rows");
        sight->y_name = copy("second direction of the rows");
        sight->words = "The plane is that in which the rows differ most. ";
        break;
    }
    return enough_memory(sight->x_name && (sight->y_name || sight->by_class), error);
}

static const char *given(const char *name)
{
    return name && *name ? name : NULL;
}

tlu_status sight_make(struct sight *sight, const struct course *course,
                      const tlu_plot_settings *settings, tlu_error *error)
{
    struct intake intake;
    *sight = (struct sight){.model = course->model};
    tlu_status status = intake_open(&intake, course->path, course->options, error);
    if (status == TLU_OK)
        status = intake_use(&intake, course->model, error);
    if (status == TLU_OK)
        status = view_make(&sight->view, &intake, given(settings->x), given(settings->y), error);
    intake_close(&intake);
    TRY(status);
    sight->by_class = sight->view.kind == VIEW_FEATURE;
    return name_axes(sight, error);
}

void sight_free(struct sight *sight)
{
    view_free(&sight->view);
    memory_free(sight->x_name);
    memory_free(sight->y_name);
}

// ---- looking

static struct point start(const struct sight *sight, uint32_t class_index)
{
    return (struct point){sight->view.offset[0],
                          sight->by_class ? (double)class_index : sight->view.offset[1]};
}

static void add_value(struct point *at, const struct sight *sight, size_t feature, double scaled)
{
    const struct view *view = &sight->view;
    double value = scaled / factor_of(sight->model, feature) + shift_of(sight->model, feature);
    at->x += view->to[0][feature] * value;
    at->y += view->to[1][feature] * value;
}

struct point sight_place(const struct sight *sight, const struct lessons *lessons, size_t row)
{
    struct point at = start(sight, lessons->classes[row]);
    for (uint64_t k = lessons->offsets[row]; k < lessons->offsets[row + 1]; k++)
        add_value(&at, sight, lessons->features[k], (double)lessons->values[k]);
    return at;
}

struct point sight_place_step(const struct sight *sight, const struct course *course,
                              const tlu_step *step, uint32_t class_index)
{
    struct point at = start(sight, class_index);
    for (size_t i = 0; i < step->example.count; i++) {
        size_t feature = course->numbers[step->example.features[i]];
        if (feature < course->features)
            add_value(&at, sight, feature,
                      step->example.values ? (double)step->example.values[i] : 1);
    }
    return at;
}

// A weight for values as they are.
static void add_weight(struct cut *cut, const struct view *view, size_t feature, double weight)
{
    cut->w0 += weight * view->base[feature];
    cut->w1 += weight * view->along[0][feature];
    cut->w2 += weight * view->along[1][feature];
}

struct cut sight_cut(const struct sight *sight, const struct course *course, const tlu_step *step,
                     size_t column)
{
    const char *against, *of = tlu_step_column(step, column, &against);
    struct cut cut = {.of = (uint32_t)tlu_model_class_find(course->model, of),
                      .against = CUT_REST,
                      .w0 = tlu_step_bias(step, column)};
    if (against)
        cut.against = (uint32_t)tlu_model_class_find(course->model, against);
    for (size_t i = 0; i < step->features; i++) {
        size_t feature = course->numbers[i];
        if (feature >= course->features)
            continue;
        double weight = tlu_step_weight(step, column, i) * factor_of(sight->model, feature);
        cut.w0 -= weight * shift_of(sight->model, feature);
        add_weight(&cut, &sight->view, feature, weight);
    }
    return cut;
}

struct cut sight_cut_model(const struct sight *sight)
{
    const tlu_model *model = sight->model;
    size_t positive = tlu_model_positive(model);
    struct cut cut = {
        .of = (uint32_t)positive, .against = CUT_REST, .w0 = tlu_model_bias(model, positive)};
    for (size_t i = 0; i < sight->view.features; i++)
        add_weight(&cut, &sight->view, i, tlu_model_weight(model, positive, i));
    return cut;
}
