#include "base/memory.h"
#include "base/parallel.h"
#include "model/score/score.h"
#include "plot/plane/view.h"
#include "space/kernel.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>

#define ENTRIES_AT_ONCE ((size_t)1 << 18)
#define SLOW 100000 // products per label

// ---- models that are reduced to a few numbers

static bool new_three(double *three[3], struct arena *memory, size_t count)
{
    for (int i = 0; i < 3; i++)
        three[i] = arena_new(memory, count + 1, sizeof *three[i]);
    return three[0] && three[1] && three[2];
}

static bool reduce_weights(struct model_field *field, struct arena *memory)
{
    const struct decided *decided = &field->model->decided;
    const struct plane_view *view = field->view;
    size_t columns = field->model->state.weights.columns;
    const double *w = decided->folded ? decided->folded : decided->w;
    const double *bias = decided->folded_bias ? decided->folded_bias : decided->bias;
    const double *const directions[3] = {view->base, view->along[0], view->along[1]};
    if (!new_three(field->part, memory, columns))
        return false;
    for (size_t c = 0; c < columns; c++)
        field->part[0][c] = bias[c];
    for (int i = 0; i < 3; i++)
        for (size_t f = 0; f < view->features; f++)
            for (size_t c = 0; directions[i][f] != 0 && c < columns; c++)
                field->part[i][c] += w[f * columns + c] * directions[i][f];
    for (int i = 0; i < 3; i++)
        for (size_t c = 0; c < columns; c++)
            field->part[i][c] /= decided->divisor;
    if (view->kind == VIEW_ACROSS) { // exact, without rounding errors of long sums
        field->part[0][0] = output_limit(&field->model->state.output);
        field->part[1][0] = view->length;
        field->part[2][0] = 0;
    }
    return true;
}

// The plane in scaled values, which the kernel takes.
static void scale_plane(const struct model_field *field, double *const plane[3])
{
    const struct scaling *scaling = &field->model->scaling;
    const struct plane_view *view = field->view;
    bool scaled = scaling->kind != SCALE_NONE;
    for (size_t f = 0; f < view->features; f++) {
        double factor = scaled ? scaling->factor[f] : 1, shift = scaled ? scaling->shift[f] : 0;
        plane[0][f] = (view->base[f] - shift) * factor;
        plane[1][f] = view->along[0][f] * factor;
        plane[2][f] = view->along[1][f] * factor;
    }
}

static bool reduce_supports(struct model_field *field, struct arena *memory)
{
    const struct supports *supports = &field->model->supports;
    size_t features = field->view->features;
    double *plane[3];
    if (!new_three(field->part, memory, supports->count) || !new_three(plane, memory, features))
        return false;
    scale_plane(field, plane);
    for (size_t s = 0; s < supports->count; s++)
        for (size_t i = 0; i < supports->row[s].count; i++) {
            const tlu_row *row = &supports->row[s];
            size_t f = row->features ? row->features[i] : i;
            double value = row->values ? (double)row->values[i] : 1;
            for (int k = 0; k < 3; k++)
                field->part[k][s] += plane[k][f] * value;
        }
    field->norm[0] = direction_dot(plane[0], plane[0], features);
    field->norm[1] = 2 * direction_dot(plane[0], plane[1], features);
    field->norm[2] = 2 * direction_dot(plane[0], plane[2], features);
    field->norm[3] = direction_dot(plane[1], plane[1], features);
    field->norm[4] = 2 * direction_dot(plane[1], plane[2], features);
    field->norm[5] = direction_dot(plane[2], plane[2], features);
    return true;
}

tlu_status field_make(struct model_field *field, const struct row_reader *rows,
                      const struct plane_view *view, tlu_error *error)
{
    *field = (struct model_field){.model = rows->model, .view = view};
    field->threads = parallel_threads((size_t)options_count(rows->options, OPTION_THREADS));
    field->linear = view_model_is_linear(rows->model);
    if (field->linear)
        return enough_memory(reduce_weights(field, rows->memory), error);
    if (rows->model->state.kernel.kind && !model_replays(rows->model) && !view->ones)
        return enough_memory(reduce_supports(field, rows->memory), error);
    return enough_memory(model_prepare_scores(rows->model, SCORE_ROWS), error);
}

bool field_is_slow(const struct model_field *field)
{
    const tlu_model *model = field->model;
    if (field->linear)
        return false;
    if (field->part[0])
        return model->supports.count * (8 + (size_t)model->state.weights.columns) > SLOW / 8;
    return true;
}

bool field_line(const struct model_field *field, struct linear *f)
{
    if (!field->linear || field->model->state.scheme.kind != SCHEME_TWO)
        return false;
    assert(field->part[0]);
    double limit = output_limit(&field->model->state.output);
    *f = (struct linear){field->part[0][0] - limit, field->part[1][0], field->part[2][0]};
    return isfinite(limit) && isfinite(f->w0) && isfinite(f->w1) && isfinite(f->w2);
}

// ---- labels

struct labelling {
    const struct model_field *field;
    const struct point *at;
    uint32_t *labels;
    bool margins;       // see field_label_margins
    atomic_bool failed; // out of memory
};

static uint32_t label_of(const struct model_field *field, const double *scores)
{
    bool ambiguous = false;
    uint32_t label = (uint32_t)model_elect(field->model, scores, &ambiguous);
    return ambiguous ? label | REGION_AMBIGUOUS : label;
}

static void line_up(const struct model_field *field, size_t count, struct point at, double *sums)
{
    for (size_t c = 0; c < count; c++)
        sums[c] = field->part[0][c] + field->part[1][c] * at.x + field->part[2][c] * at.y;
}

static double norm_at(const struct model_field *field, struct point at)
{
    const double *norm = field->norm;
    double sum = norm[0] + norm[1] * at.x + norm[2] * at.y + norm[3] * at.x * at.x +
                 norm[4] * at.x * at.y + norm[5] * at.y * at.y;
    return fmax(0, sum);
}

static void score_kernel(const struct model_field *field, struct point at, double *values,
                         double *scores)
{
    const tlu_model *model = field->model;
    const struct supports *supports = &model->supports;
    size_t columns = model->state.weights.columns;
    line_up(field, supports->count, at, values);
    kernel_values(&model->state.kernel, values, supports->count, norm_at(field, at), supports->norm,
                  values);
    for (size_t c = 0; c < columns; c++)
        scores[c] = model->decided.bias[c];
    for (size_t s = 0; s < supports->count; s++)
        for (size_t c = 0; c < columns; c++)
            scores[c] += values[s] * model->decided.w[s * columns + c];
    for (size_t c = 0; c < columns; c++)
        scores[c] /= model->decided.divisor;
}

static void label_by_parts(void *context, size_t first, size_t last)
{
    struct labelling *labelling = context;
    const struct model_field *field = labelling->field;
    double *scores = memory_new(field->model->state.weights.columns, sizeof *scores);
    double *values = memory_new(field->model->supports.count + 1, sizeof *values);
    if (!scores || !values)
        labelling->failed = true;
    for (size_t i = first; i < last && scores && values; i++) {
        if (field->linear)
            line_up(field, field->model->state.weights.columns, labelling->at[i], scores);
        else
            score_kernel(field, labelling->at[i], values, scores);
        labelling->labels[i] = labelling->margins ? (uint32_t)(scores[0] > -1) + (scores[0] > 1)
                                                  : label_of(field, scores);
    }
    memory_free(scores);
    memory_free(values);
}

// ---- other models predict rows

struct made_rows {
    uint32_t *offsets, *features;
    float *values;
    char *ambiguous;
};

static void make_rows(struct made_rows *rows, const struct plane_view *view, const struct point *at,
                      size_t count)
{
    size_t entries = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < view->features; f++) {
            double value =
                view->base[f] + at[i].x * view->along[0][f] + at[i].y * view->along[1][f];
            value = fmax(-FLT_MAX, fmin(FLT_MAX, value));
            if ((float)value == 0)
                continue;
            rows->features[entries] = (uint32_t)f;
            rows->values[entries++] = (float)value;
        }
        rows->offsets[i + 1] = (uint32_t)entries;
    }
}

static bool label_some(struct labelling *labelling, struct made_rows *rows, size_t first,
                       size_t count, struct score_scratch *scratch)
{
    const struct predictions to = {labelling->labels + first, NULL, rows->ambiguous};
    const tlu_batch batch = {.rows = count,
                             .offsets = rows->offsets,
                             .features = rows->features,
                             .values = rows->values};
    make_rows(rows, labelling->field->view, labelling->at + first, count);
    if (!model_predict_rows(labelling->field->model, &batch, 0, count, &to, scratch))
        return false;
    for (size_t i = 0; i < count; i++)
        if (rows->ambiguous[i])
            labelling->labels[first + i] |= REGION_AMBIGUOUS;
    return true;
}

static void label_by_rows(void *context, size_t first, size_t last)
{
    struct labelling *labelling = context;
    struct score_scratch scratch = {0};
    struct arena memory = {0};
    size_t entries = labelling->field->view->features + 1;
    size_t most =
        entries <= ENTRIES_AT_ONCE / SCORE_ROWS ? SCORE_ROWS : 1 + ENTRIES_AT_ONCE / entries;
    struct made_rows rows = {.offsets = arena_new(&memory, most + 1, sizeof *rows.offsets),
                             .features = arena_new(&memory, most * entries, sizeof *rows.features),
                             .values = arena_new(&memory, most * entries, sizeof *rows.values),
                             .ambiguous = arena_new(&memory, most, 1)};
    bool fine = rows.offsets && rows.features && rows.values && rows.ambiguous;
    for (size_t i = first, some; fine && i < last; i += some) {
        some = last - i < most ? last - i : most;
        fine = label_some(labelling, &rows, i, some, &scratch);
    }
    if (!fine)
        labelling->failed = true;
    arena_free(&memory);
    score_scratch_free(&scratch);
}

tlu_status field_label(void *context, const struct point *at, size_t count, uint32_t *labels,
                       tlu_error *error)
{
    const struct model_field *field = context;
    struct labelling labelling = {.field = field, .at = at, .labels = labels};
    parallel_run(count < 64 ? 1 : field->threads, count,
                 field->part[0] ? label_by_parts : label_by_rows, &labelling);
    return enough_memory(!labelling.failed, error);
}

bool field_has_margins(const struct model_field *field)
{
    const struct learner_state *state = &field->model->state;
    const struct learner_kind *kind =
        learner_kind_at((size_t)options_choice(state->options, OPTION_LEARNER));
    return state->kernel.kind && field->part[0] && state->scheme.kind == SCHEME_TWO &&
           kind->traits & LEARNER_BATCH;
}

tlu_status field_label_margins(void *context, const struct point *at, size_t count,
                               uint32_t *labels, tlu_error *error)
{
    const struct model_field *field = context;
    struct labelling labelling = {.field = field, .at = at, .labels = labels, .margins = true};
    assert(field_has_margins(field));
    parallel_run(count < 64 ? 1 : field->threads, count, label_by_parts, &labelling);
    return enough_memory(!labelling.failed, error);
}
