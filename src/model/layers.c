// A model with layers: scores and explanations.
#include "base/memory.h"
#include "model/explained.h"
#include "model/score/score.h"

#include <math.h>

size_t tlu_model_layers(const tlu_model *model, size_t *sizes, size_t capacity)
{
    if (!model->state.net)
        return 0;
    const struct net_shape *shape = &model->state.net->shape;
    for (size_t i = 0; sizes && i <= shape->depth && i < capacity; i++)
        sizes[i] = shape->sizes[i];
    return shape->depth + 1;
}

// Forward pass of scaled rows.
static bool forward(const struct tlu_model *model, const tlu_row *rows, size_t count,
                    struct score_scratch *scratch, bool backwards)
{
    struct minibatch *batch = &scratch->net_rows;
    if (!batch->offsets && !minibatch_init(batch, 0, SCORE_ROWS))
        return false;
    minibatch_clear(batch);
    for (size_t i = 0; i < count; i++)
        if (!minibatch_add(batch, &rows[i], NULL, 0, 1))
            return false;
    if (!net_scratch_reserve(&scratch->net, model->state.net, count, backwards))
        return false;
    net_forward(model->state.net, batch, &scratch->net, 0, count);
    return true;
}

bool score_layers(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_scratch *scratch)
{
    const struct layer *last = &model->state.net->layers[model->state.net->shape.depth - 1];
    if (!forward(model, rows, count, scratch, false))
        return false;
    const float *outputs = net_outputs(model->state.net, &scratch->net);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < last->units; c++)
            scores[i * last->units + c] = (double)outputs[i * last->wide + c];
    return true;
}

// ---- explanations ----

// d score / d input, after the backward pass to the first layer.
static double slope_of(const struct layer *first, const float *d, size_t input)
{
    double slope = 0;
    for (size_t j = 0; j < first->units; j++)
        slope += (double)d[j] * (double)first->w[input * first->wide + j];
    return slope;
}

// The contribution of an input is the gradient of the score times the scaled value; the rest of the
// score counts as bias. With relu this is exact on the linear region of the row.
static bool offer_pushes(struct strongest *strongest, const tlu_model *model, const tlu_row *row,
                         size_t class_index, const float *values, struct score_scratch *scratch)
{
    const struct net *net = model->state.net;
    const struct layer *first = &net->layers[0];
    size_t last = net->shape.depth - 1;
    if (!forward(model, row, 1, scratch, true))
        return false;
    bool two = model->state.scheme.kind == SCHEME_TWO;
    size_t output = two ? 0 : class_index;
    float sign = two && class_index != model->state.scheme.positive ? -1 : 1;
    double rest = (double)(sign * scratch->net.a[last][output]);
    scratch->net.d[last][output] = sign;
    net_turn_round(net, &scratch->net);
    net_backward(net, &scratch->net, 0, 1);
    for (size_t k = 0; k < row->count; k++) {
        uint32_t f = row_feature(row, k);
        double push =
            slope_of(first, scratch->net.d[0], f) * (row->values ? (double)row->values[k] : 1);
        rest -= push;
        explain_offer(strongest, f, (double)values[f], push);
    }
    explain_offer(strongest, TLU_NONE, 1, rest);
    return true;
}

bool explain_layers(const tlu_model *model, const tlu_row *row, size_t class_index,
                    struct strongest *strongest)
{
    struct score_scratch scratch = {0};
    tlu_row scaled = *row;
    float *values = memory_new(tlu_model_feature_count(model), sizeof *values); // as in the data
    bool fine = values && model_take_rows(model, &scaled, 1, &scratch);
    for (size_t k = 0; fine && k < row->count; k++)
        values[row_feature(row, k)] = row->values ? row->values[k] : 1;
    fine = fine && offer_pushes(strongest, model, &scaled, class_index, values, &scratch);
    memory_free(values);
    score_scratch_free(&scratch);
    return fine;
}
