#include "logic/from/from.h"

#include "base/error.h"

#include <math.h>

// The largest |weight| of a column; of columns that are compared, the largest difference.
static double largest_weight(const struct planes *planes)
{
    bool compared = planes->scheme == SCHEME_WTA || planes->scheme == SCHEME_OVR;
    double largest = 0;
    for (size_t f = 0; f < planes->features; f++) {
        const double *w = &planes->w[f * planes->columns];
        double low = w[0], high = w[0], size = 0;
        for (size_t c = 0; c < planes->columns; c++) {
            low = fmin(low, w[c]);
            high = fmax(high, w[c]);
            size = fmax(size, fabs(w[c]));
        }
        largest = fmax(largest, compared ? high - low : size);
    }
    return largest;
}

// Comparisons of classes have a link per feature each.
static bool is_too_large(const tlu_model *model)
{
    size_t classes = tlu_model_class_count(model), pairs = classes * (classes - 1) / 2;
    return classes > 2 && tlu_model_feature_count(model) > LINKS_MAX / pairs;
}

static tlu_status refuse_others(const tlu_model *model, tlu_error *error)
{
    if (!tlu_model_has_weights(model))
        return error_input(error, "the model has no weights of features, as it has a kernel or "
                                  "layers: it does not become a threshold unit");
    if (model_replays(model))
        return error_input(error,
                           "the model decides by %s over many weight vectors: it does not become "
                           "a threshold unit; train with --decide average",
                           tlu_model_decision(model));
    if (model->scaling.kind != SCALE_NONE && !model->decided.folded)
        return error_input(error, "the model scales each row in its own way: it does not become a "
                                  "threshold unit; train with --scale none");
    if (is_too_large(model))
        return error_input(error,
                           "the model has %zu classes and %zu features: to compare classes two by "
                           "two would take more than %d links",
                           tlu_model_class_count(model), tlu_model_feature_count(model), LINKS_MAX);
    return TLU_OK;
}

// Two classes and a threshold of the user's choice: what has to be reached is not 0.
static tlu_status move_to_threshold(struct planes *planes, tlu_error *error)
{
    const tlu_model *model = planes->model;
    if (model->scheme != SCHEME_TWO || model->output.threshold.on == THRESHOLD_NONE)
        return TLU_OK;
    double limit = output_limit(&model->output);
    if (!isfinite(limit))
        return error_input(error, "the threshold of the model gives every row the same label: find "
                                  "another by tlu threshold, or take it out by its --remove");
    planes->moved = planes->bias[0] - limit * model->decided.divisor;
    planes->bias = &planes->moved;
    return TLU_OK;
}

tlu_status planes_of(const tlu_model *model, struct planes *planes, tlu_error *error)
{
    TRY(refuse_others(model, error));
    const struct decided *decided = &model->decided;
    *planes = (struct planes){
        .model = model,
        .w = decided->folded ? decided->folded : decided->w,
        .bias = decided->folded ? decided->folded_bias : decided->bias,
        .features = tlu_model_feature_count(model),
        .columns = model->weights.columns,
        .classes = (uint32_t)tlu_model_class_count(model),
        .positive = model->positive,
        .scheme = model->scheme,
    };
    TRY(move_to_threshold(planes, error));
    planes->largest = largest_weight(planes);
    if (!isfinite(planes->largest))
        return error_input(error, "the model has weights that are not finite");
    return TLU_OK;
}
