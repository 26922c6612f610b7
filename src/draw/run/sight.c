#include "draw/run/sight.h"
#include "base/memory.h"
#include "model/model.h"

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

static bool make_room(struct sight *sight, size_t features)
{
    sight->features = features;
    sight->centre = memory_new(features, sizeof(double));
    sight->across = memory_new(features, sizeof(double));
    sight->up = memory_new(features, sizeof(double));
    sight->x_of = memory_new(features, sizeof(double));
    sight->y_of = memory_new(features, sizeof(double));
    return sight->centre && sight->across && sight->up && sight->x_of && sight->y_of;
}

static void find_centre(struct sight *sight, const struct lessons *lessons)
{
    for (uint64_t k = 0; k < lessons->offsets[lessons->count]; k++)
        sight->centre[lessons->features[k]] += (double)lessons->values[k];
    for (size_t i = 0; i < sight->features; i++)
        sight->centre[i] /= (double)lessons->count;
}

// Makes a feature an axis, in the units of the data.
static void take_axis(struct sight *sight, const tlu_model *model, size_t feature, double *along,
                      double *of, double *at)
{
    double factor = factor_of(model, feature), shift = shift_of(model, feature);
    sight->centre[feature] = -shift * factor;
    along[feature] = factor;
    of[feature] = 1 / factor;
    *at = shift;
}

static char *name_of(const tlu_model *model, size_t feature)
{
    char name[NAME_SIZE];
    tlu_model_feature_name(model, feature, name, sizeof name);
    return memory_copy_text(name, strlen(name));
}

static tlu_status find_feature(const tlu_model *model, const char *name, size_t *feature,
                               tlu_error *error)
{
    char quoted[200];
    *feature = tlu_model_feature_find(model, name);
    if (*feature != TLU_NONE)
        return TLU_OK;
    return error_input(error, "there is no feature '%s'",
                       error_quote(quoted, sizeof quoted, name, strlen(name)));
}

static bool is_given(const char *name)
{
    return name && *name;
}

static tlu_status choose(const struct course *course, const tlu_plot_settings *settings, size_t *x,
                         size_t *y, tlu_error *error)
{
    *x = 0;
    *y = 1;
    if (is_given(settings->x))
        TRY(find_feature(course->model, settings->x, x, error));
    if (is_given(settings->y))
        TRY(find_feature(course->model, settings->y, y, error));
    if (is_given(settings->x) && !is_given(settings->y))
        *y = *x == 0;
    if (is_given(settings->y) && !is_given(settings->x))
        *x = *y == 0;
    if (*x == *y && course->features > 1)
        return error_input(error, "--x and --y are the same feature: expected two");
    return TLU_OK;
}

static tlu_status take_features(struct sight *sight, const struct course *course,
                                const tlu_plot_settings *settings, tlu_error *error)
{
    const tlu_model *model = course->model;
    size_t x, y;
    TRY(choose(course, settings, &x, &y, error));
    sight->by_class = course->features == 1;
    sight->words = course->features > 2 ? "The other features are at their means. " : "";
    take_axis(sight, model, x, sight->across, sight->x_of, &sight->x_at);
    sight->x_name = name_of(model, x);
    if (sight->by_class)
        return enough_memory(sight->x_name != NULL, error);
    take_axis(sight, model, y, sight->up, sight->y_of, &sight->y_at);
    sight->y_name = name_of(model, y);
    return enough_memory(sight->x_name && sight->y_name, error);
}

tlu_status sight_make(struct sight *sight, const struct course *course,
                      const struct lessons *lessons, const tlu_plot_settings *settings,
                      tlu_error *error)
{
    *sight = (struct sight){.features = 0};
    if (course->features == 0)
        return error_input(error, "the rows have no features to draw by");
    TRY(enough_memory(make_room(sight, course->features), error));
    find_centre(sight, lessons);
    return take_features(sight, course, settings, error);
}

void sight_free(struct sight *sight)
{
    memory_free(sight->centre);
    memory_free(sight->across);
    memory_free(sight->up);
    memory_free(sight->x_of);
    memory_free(sight->y_of);
    memory_free(sight->x_name);
    memory_free(sight->y_name);
}

// ---- looking

struct point sight_place(const struct sight *sight, const uint32_t *features, const float *values,
                         size_t count, uint32_t class_index)
{
    struct point at = {sight->x_at, sight->by_class ? (double)class_index : sight->y_at};
    for (size_t i = 0; i < count; i++) {
        at.x += sight->x_of[features[i]] * (double)values[i];
        at.y += sight->y_of[features[i]] * (double)values[i];
    }
    return at;
}

static void add_weight(struct cut *cut, const struct sight *sight, size_t feature, double weight)
{
    cut->w0 += weight * sight->centre[feature];
    cut->w1 += weight * sight->across[feature];
    cut->w2 += weight * sight->up[feature];
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
    for (size_t i = 0; i < step->features; i++)
        if (course->numbers[i] < sight->features)
            add_weight(&cut, sight, course->numbers[i], tlu_step_weight(step, column, i));
    return cut;
}

struct cut sight_cut_model(const struct sight *sight, const tlu_model *model)
{
    size_t positive = tlu_model_positive(model);
    struct cut cut = {
        .of = (uint32_t)positive, .against = CUT_REST, .w0 = tlu_model_bias(model, positive)};
    for (size_t i = 0; i < sight->features; i++) {
        double weight = tlu_model_weight(model, positive, i), factor = factor_of(model, i);
        cut.w0 += weight * shift_of(model, i); // its bias is for values as they are
        add_weight(&cut, sight, i, weight / factor);
    }
    return cut;
}
