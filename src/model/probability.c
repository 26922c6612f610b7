// Probabilities and thresholds of a model (calibration/output.h).
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "model/model.h"

#include <math.h>

static enum logits logits_of(const tlu_model *model)
{
    return rule_logits(model->state.options, model->state.scheme.kind);
}

bool model_is_calibrated(const tlu_model *model)
{
    return model->state.output.calibration.kind != CALIBRATE_NONE;
}

bool model_has_probabilities(const tlu_model *model)
{
    return output_has_probabilities(&model->state.output, logits_of(model));
}

void model_probabilities(const tlu_model *model, const double *scores, double *probabilities)
{
    output_probabilities(&model->state.output, logits_of(model), scores,
                         schema_classes(&model->state.schema), model->state.scheme.positive,
                         probabilities);
}

int tlu_model_has_probabilities(const tlu_model *model)
{
    return model_has_probabilities(model);
}

static const char *why_not(const tlu_model *model)
{
    if (options_choice(model->state.options, OPTION_CALIBRATE) != CALIBRATE_NONE)
        return "its training was interrupted before it was calibrated; tlu train --resume goes on";
    return rule_no_logits(model->state.options, tlu_model_class_count(model));
}

tlu_status tlu_model_probabilities(const tlu_model *model, const double *scores,
                                   double *probabilities, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    if (!model_has_probabilities(model))
        return error_input(error, "the model has no probabilities: %s", why_not(model));
    if (scores)
        TRY(check_given(probabilities != NULL, "array of probabilities", error));
    if (scores)
        model_probabilities(model, scores, probabilities);
    return TLU_OK;
}

const char *tlu_model_calibration(const tlu_model *model)
{
    return model_is_calibrated(model) ? options_text(model->state.options, OPTION_CALIBRATE) : NULL;
}

tlu_status tlu_model_calibration_curve(const tlu_model *model, size_t class_index,
                                       tlu_calibration_curve *curve, tlu_error *error)
{
    const struct calibration *calibration = &model->state.output.calibration;
    size_t k = calibration->curves == 1 ? 0 : class_index;
    if (!model_is_calibrated(model))
        return error_input(error, "the model was not calibrated; train it with --calibrate");
    if (class_index >= schema_classes(&model->state.schema) || k >= calibration->curves)
        return error_input(error, "there is no class %zu: the model has %u", class_index,
                           schema_classes(&model->state.schema));
    size_t start = k ? calibration->ends[k - 1] : 0;
    *curve = (tlu_calibration_curve){calibration->slope[k], calibration->offset[k],
                                     calibration->ends[k] - start, calibration->x + start,
                                     calibration->y + start};
    return TLU_OK;
}

// ---- thresholds ----

enum threshold_on model_threshold_kind(const tlu_model *model)
{
    return model_has_probabilities(model) ? THRESHOLD_PROBABILITY : THRESHOLD_SCORE;
}

int tlu_model_has_threshold(const tlu_model *model, double *threshold, int *on_probability)
{
    const struct threshold *own = &model->state.output.threshold;
    const struct label_thresholds *labels = &model->state.output.labels;
    if (threshold)
        *threshold = labels->at ? NAN : own->at;
    if (on_probability)
        *on_probability = (labels->at ? labels->on : own->on) == THRESHOLD_PROBABILITY;
    return labels->at || own->on != THRESHOLD_NONE;
}

double tlu_model_label_threshold(const tlu_model *model, size_t class_index)
{
    const struct label_thresholds *labels = &model->state.output.labels;
    return class_index < labels->count ? labels->at[class_index] : NAN;
}

tlu_status model_threshold_allowed(const tlu_model *model, tlu_error *error)
{
    if (model->state.scheme.kind == SCHEME_TWO || model->state.scheme.kind == SCHEME_MULTILABEL)
        return TLU_OK;
    return error_input(error,
                       "a threshold is for two classes, or for each label of --multilabel, and the "
                       "model has %u classes; train one class against the others with their labels "
                       "made one",
                       schema_classes(&model->state.schema));
}

// A copy of a model of --multilabel with thresholds[classes]; NULL: with `all` for each label, or
// without thresholds if that is NaN.
static tlu_status share_thresholds(const tlu_model *model, const double *thresholds, double all,
                                   tlu_model **copy, tlu_error *error)
{
    uint32_t classes = schema_classes(&model->state.schema);
    bool any = thresholds || !isnan(all);
    double *at = any ? memory_new(classes, sizeof *at) : NULL;
    struct tlu_model *made = at || !any ? model_share(model) : NULL;
    if (!made)
        memory_free(at);
    TRY(enough_memory(made, error));
    for (uint32_t c = 0; any && c < classes; c++)
        at[c] = thresholds ? thresholds[c] : all;
    made->state.output.labels = (struct label_thresholds){0};
    if (any)
        made->state.output.labels =
            (struct label_thresholds){model_threshold_kind(model), at, classes};
    *copy = made;
    return TLU_OK;
}

tlu_status tlu_model_with_threshold(const tlu_model *model, double threshold, tlu_model **copy,
                                    tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *copy = NULL;
    TRY(model_threshold_allowed(model, error));
    if (isinf(threshold))
        return error_input(error, "a threshold is a finite number");
    if (model->state.scheme.kind == SCHEME_MULTILABEL)
        return share_thresholds(model, NULL, threshold, copy, error);
    struct tlu_model *made = model_share(model);
    TRY(enough_memory(made, error));
    made->state.output.threshold = (struct threshold){0};
    if (!isnan(threshold))
        made->state.output.threshold = (struct threshold){model_threshold_kind(model), threshold};
    *copy = made;
    return TLU_OK;
}

tlu_status tlu_model_with_label_thresholds(const tlu_model *model, const double *thresholds,
                                           tlu_model **copy, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *copy = NULL;
    if (model->state.scheme.kind != SCHEME_MULTILABEL)
        return error_input(error, "a threshold per label is for models of --multilabel");
    TRY(check_given(thresholds != NULL, "array of thresholds", error));
    for (uint32_t c = 0; c < schema_classes(&model->state.schema); c++)
        if (!isfinite(thresholds[c]))
            return error_input(error, "a threshold is a finite number");
    return share_thresholds(model, thresholds, 0, copy, error);
}
