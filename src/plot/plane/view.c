#include "plot/plane/view.h"
#include "base/memory.h"
#include "base/near.h"
#include "model/score/score.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 128
#define NAMES_ASKED 100000
#define VALUES_MAX 12 // distinct values of a feature up to which points are moved
#define JITTER 0.12   // of the distance between two values

bool view_model_is_linear(const tlu_model *model)
{
    return model_is_linear(model);
}

// ---- features by their names

// Finds the feature that the user probably meant: a value of the categorical column with this name,
// or the nearest name.
static bool find_meant(const struct schema *schema, const char *name, char near[NAME_SIZE])
{
    size_t least = SIZE_MAX, length = strlen(name), features = schema_features(schema);
    for (size_t f = 0; f < features && f < NAMES_ASKED; f++) {
        char other[NAME_SIZE];
        if (schema_name(schema, (uint32_t)f, other, sizeof other) >= sizeof other)
            continue;
        bool value = strncmp(other, name, length) == 0 && other[length] == '=';
        size_t distance = value ? 0 : tlu_text_distance(other, name);
        if (distance < least) {
            least = distance;
            memcpy(near, other, sizeof other);
        }
    }
    return near_enough(least, length);
}

static tlu_status refuse_name(const struct schema *schema, const char *name, tlu_error *error)
{
    char near[NAME_SIZE], quoted[96], quoted_near[96];
    error_quote(quoted, sizeof quoted, name, strlen(name));
    if (!find_meant(schema, name, near))
        return error_input(error, "there is no feature '%s' to draw by", quoted);
    return error_input(error, "there is no feature '%s' to draw by; did you mean '%s'?", quoted,
                       error_quote(quoted_near, sizeof quoted_near, near, strlen(near)));
}

// Lists the first features that exist, at most `most`; returns their number.
static size_t list_features(const struct row_reader *rows, const struct sample *sample,
                            uint32_t *list, size_t most)
{
    const struct schema *schema = rows->schema;
    size_t count = 0;
    for (size_t f = 0; f < sample->features && count < most; f++) {
        bool there = rows->model || sample->entries[f];
        for (size_t c = 0; c < schema->column_count && !there; c++)
            there = schema->columns[c].kind == COLUMN_NUMERIC && schema->columns[c].feature == f;
        if (there)
            list[count++] = (uint32_t)f;
    }
    return count;
}

// ---- planes

// The plane through the mean, displaced by the offsets.
static void set_base(struct plane_view *view, const struct sample *sample)
{
    for (size_t f = 0; f < view->features; f++)
        view->base[f] = sample->mean[f];
    for (int axis = 0; axis < 2; axis++) {
        double at =
            view->offset[axis] + direction_dot(view->to[axis], sample->mean, view->features);
        for (size_t f = 0; f < view->features; f++)
            view->base[f] -= at * view->along[axis][f];
    }
}

// An axis along a unit vector in the space of values times factors; the mean is at 0.
static void by_direction(struct plane_view *view, const struct sample *sample, int axis,
                         const double *direction)
{
    for (size_t f = 0; f < view->features; f++) {
        double factor = sample->factor[f];
        view->scaled = view->scaled || (factor != 1 && direction[f] != 0);
        view->to[axis][f] = direction[f] * factor;
        view->along[axis][f] = factor != 0 ? direction[f] / factor : 0;
    }
    view->offset[axis] = -direction_dot(view->to[axis], sample->mean, view->features);
}

// Two classes: the direction of w and the distance; stays 0 if w is 0.
static void find_across(struct plane_view *view, const struct sample *sample,
                        const tlu_model *model, double *direction)
{
    const struct decided *decided = &model->decided;
    double limit = output_limit(&model->state.output);
    double bias = (decided->folded_bias ? decided->folded_bias : decided->bias)[0];
    double largest = 0, sum = 0; // scaling by the largest avoids overflow and underflow
    for (size_t f = 0; f < view->features; f++)
        largest = fmax(largest, fabs(decided->w[f]));
    for (size_t f = 0; f < view->features && largest > 0; f++)
        sum += decided->w[f] / largest * (decided->w[f] / largest);
    double length = largest * sqrt(sum);
    if (!(length > 0) || !isfinite(length) || !isfinite(limit))
        return;
    for (size_t f = 0; f < view->features; f++)
        direction[f] = decided->w[f] / length;
    by_direction(view, sample, 0, direction);
    view->length = length / decided->divisor;
    view->offset[0] = (bias / decided->divisor - limit) / view->length;
    view->exact = true;
}

struct class_weights {
    const tlu_model *model;
    double *scores; // [columns]
};

// Differences between the weights of classes: W (W' v), centred over the classes in between. The
// weights of one versus one are already differences.
static void spread_of_weights(const void *context, const double *from, double *to)
{
    const struct class_weights *classes = context;
    size_t columns = classes->model->state.weights.columns,
           features = classes->model->state.weights.features;
    const double *w = classes->model->decided.w;
    double *scores = classes->scores, mean = 0;
    memset(scores, 0, columns * sizeof *scores);
    memset(to, 0, features * sizeof *to);
    for (size_t f = 0; f < features; f++)
        for (size_t c = 0; c < columns; c++)
            scores[c] += w[f * columns + c] * from[f];
    for (size_t c = 0; c < columns && classes->model->state.scheme.kind != SCHEME_OVO; c++)
        mean += scores[c] / (double)columns;
    for (size_t f = 0; f < features; f++)
        for (size_t c = 0; c < columns; c++)
            to[f] += w[f * columns + c] * (scores[c] - mean);
}

static tlu_status weights_direction(const tlu_model *model, const double *const *others,
                                    size_t count, double *direction, tlu_error *error)
{
    struct class_weights classes = {model,
                                    memory_new(model->state.weights.columns, sizeof(double))};
    TRY(enough_memory(classes.scores, error));
    tlu_status status = direction_find(spread_of_weights, &classes, others, count, direction,
                                       model->state.weights.features, error);
    memory_free(classes.scores);
    return status;
}

// Selects the kind of projection.
static tlu_status choose_kind(struct plane_view *view, struct sample *sample,
                              const struct row_reader *rows, tlu_error *error)
{
    const tlu_model *model = rows->model;
    view->kind = VIEW_MAIN;
    if (!model)
        return TLU_OK;
    if (view_model_is_linear(model)) {
        view->kind = model->state.scheme.kind == SCHEME_TWO ? VIEW_ACROSS : VIEW_WEIGHTS;
        return TLU_OK;
    }
    tlu_status status = sample_score(sample, model, rows->memory, error);
    if (status == TLU_OK)
        view->kind = VIEW_SCORES;
    return status == TLU_ERROR_INPUT ? TLU_OK : status; // drawing will report the row
}

// The direction stays 0 if there is none of that kind.
static tlu_status find_first(struct plane_view *view, const struct sample *sample,
                             const tlu_model *model, double *direction, tlu_error *error)
{
    if (view->kind == VIEW_ACROSS) {
        find_across(view, sample, model, direction);
        return TLU_OK;
    }
    if (view->kind == VIEW_WEIGHTS)
        TRY(weights_direction(model, NULL, 0, direction, error));
    if (view->kind == VIEW_SCORES)
        TRY(sample_score_direction(sample, NULL, 0, direction, error));
    by_direction(view, sample, 0, direction);
    return TLU_OK;
}

static tlu_status find_second(const struct plane_view *view, const struct sample *sample,
                              const tlu_model *model, const double *first, double *direction,
                              tlu_error *error)
{
    if (view->kind == VIEW_WEIGHTS)
        return weights_direction(model, &first, 1, direction, error);
    if (view->kind == VIEW_SCORES && sample->score_count > 1)
        return sample_score_direction(sample, &first, 1, direction, error);
    return sample_direction(sample, &first, 1, direction, error);
}

static bool is_zero(const double *direction, size_t count)
{
    for (size_t f = 0; f < count; f++)
        if (direction[f] != 0)
            return false;
    return true;
}

static tlu_status project(struct plane_view *view, struct sample *sample,
                          const struct row_reader *rows, tlu_error *error)
{
    double *first = arena_new(rows->memory, view->features + 1, sizeof *first);
    double *second = arena_new(rows->memory, view->features + 1, sizeof *second);
    const double *const found[2] = {first, second};
    TRY(enough_memory(first && second, error));
    TRY(choose_kind(view, sample, rows, error));
    TRY(find_first(view, sample, rows->model, first, error));
    if (is_zero(first, view->features)) {
        view->kind = VIEW_MAIN;
        TRY(sample_direction(sample, NULL, 0, first, error));
        by_direction(view, sample, 0, first);
    }
    TRY(find_second(view, sample, rows->model, first, second, error));
    by_direction(view, sample, 1, second);
    view->share = sample_share(sample, found, 2);
    return TLU_OK;
}

// ---- features of few values

struct few_values {
    double value[VALUES_MAX + 1];
    size_t count; // VALUES_MAX + 1: there are more
};

static double value_in(const tlu_row *row, uint32_t feature)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->features[i] == feature)
            return (double)row->values[i];
    return 0;
}

static void note_value(struct few_values *few, double value)
{
    for (size_t i = 0; i < few->count; i++)
        if (few->value[i] == value)
            return;
    if (few->count <= VALUES_MAX)
        few->value[few->count++] = value;
}

static double least_gap(const struct few_values *few)
{
    double least = INFINITY;
    for (size_t i = 0; i < few->count; i++)
        for (size_t j = 0; j < i; j++)
            least = fmin(least, fabs(few->value[i] - few->value[j]));
    double only = few->value[0]; // the axis extends this far around it
    return few->count > 1 ? least : only == 0 ? 1 : fabs(only) / 2;
}

// If both features have few values and many rows coincide, points are moved slightly.
static void choose_jitter(struct plane_view *view, const struct sample *sample)
{
    struct few_values few[2] = {{.count = 0}, {.count = 0}};
    for (size_t i = 0; i < sample->rows; i++) {
        tlu_row row = sample_row(sample, i);
        for (int axis = 0; axis < 2; axis++)
            note_value(&few[axis], value_in(&row, view->shown[axis]));
    }
    if (few[0].count > VALUES_MAX || few[1].count > VALUES_MAX ||
        sample->rows < 2 * few[0].count * few[1].count)
        return;
    view->jitter = (struct point){JITTER * least_gap(&few[0]), JITTER * least_gap(&few[1])};
}

// ---- choosing the plane

struct axis_choice {
    const char *name[2];
    uint32_t feature[2];
    bool any;
};

static tlu_status find_axes(struct axis_choice *axes, const struct row_reader *rows,
                            tlu_error *error)
{
    for (int axis = 0; axis < 2; axis++) {
        axes->feature[axis] = SCHEMA_NONE;
        if (!axes->name[axis])
            continue;
        axes->feature[axis] = schema_find(rows->schema, axes->name[axis], strlen(axes->name[axis]));
        if (axes->feature[axis] == SCHEMA_NONE)
            return refuse_name(rows->schema, axes->name[axis], error);
        axes->any = true;
    }
    return TLU_OK;
}

// The features of the axes; returns their number, 0: a projection.
static size_t choose(const struct axis_choice *axes, const uint32_t *list, size_t count,
                     uint32_t chosen[2])
{
    chosen[0] = axes->feature[0] != SCHEMA_NONE ? axes->feature[0] : axes->feature[1];
    chosen[1] = axes->feature[0] != SCHEMA_NONE ? axes->feature[1] : SCHEMA_NONE;
    bool both = chosen[1] != SCHEMA_NONE && chosen[0] != chosen[1];
    if (axes->any)
        return both ? 2 : 1;
    for (size_t i = 0; i < count && i < 2; i++)
        chosen[i] = list[i];
    return count <= 2 ? count : 0;
}

static tlu_status make(struct plane_view *view, struct sample *sample,
                       const struct row_reader *rows, const struct axis_choice *axes,
                       tlu_error *error)
{
    uint32_t list[3], chosen[2] = {SCHEMA_NONE, SCHEMA_NONE};
    size_t count = list_features(rows, sample, list, 3);
    size_t features = choose(axes, list, count, chosen);
    if (count == 0)
        return error_at(error, rows->path, 0, 0, "the rows have no features to draw");
    if (features == 0)
        return project(view, sample, rows, error);
    view->kind = features == 1 ? VIEW_FEATURE : count > 2 ? VIEW_SLICE : VIEW_FEATURES;
    for (size_t i = 0; i < features; i++) {
        view->shown[i] = chosen[i];
        view->to[i][chosen[i]] = view->along[i][chosen[i]] = 1;
    }
    view->exact = features == count;
    if (features == 2)
        choose_jitter(view, sample);
    return TLU_OK;
}

tlu_status view_make(struct plane_view *view, struct row_reader *rows, const char *x, const char *y,
                     tlu_error *error)
{
    struct sample sample = {0};
    struct axis_choice axes = {.name = {x, y}};
    *view = (struct plane_view){.share = 1};
    TRY(find_axes(&axes, rows, error));
    view->features = row_reader_features(rows);
    double **const arrays[] = {&view->to[0], &view->to[1], &view->along[0], &view->along[1],
                               &view->base};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = arena_new(rows->memory, view->features + 1, sizeof **arrays[i]);
        TRY(enough_memory(*arrays[i], error));
    }
    tlu_status status = sample_take(&sample, rows, error);
    if (status == TLU_OK)
        status = make(view, &sample, rows, &axes, error);
    if (status == TLU_OK)
        set_base(view, &sample);
    view->ones = sample.ones;
    view->rows = sample.seen;
    sample_free(&sample);
    return status;
}

// ---- rows

// A pseudorandom number between 0 and 1.
static double spread(uint64_t number)
{
    return (double)((number + 1) * 0x9e3779b97f4a7c15u >> 11) / 9007199254740992.0;
}

struct point view_jitter(const struct plane_view *view, uint64_t number)
{
    // Two independent sequences fill the plane evenly.
    double across = spread(number), up = spread(number * 0x9e3779b9u + 17);
    return (struct point){(2 * across - 1) * view->jitter.x, (2 * up - 1) * view->jitter.y};
}

struct point view_place(const struct plane_view *view, const tlu_row *row, uint64_t number)
{
    double at[2] = {view->offset[0], view->offset[1]};
    for (size_t i = 0; i < row->count; i++) {
        double value = view->ones || !row->values ? 1 : (double)row->values[i];
        assert(row->features[i] < view->features);
        at[0] += view->to[0][row->features[i]] * value;
        at[1] += view->to[1][row->features[i]] * value;
    }
    if (view->kind == VIEW_FEATURE)
        at[1] = spread(number);
    return (struct point){at[0], at[1]};
}
