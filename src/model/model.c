#include "model/model.h"

#include "base/memory.h"
#include "learn/learner.h"

#include <string.h>

const char *const model_stopped_names[5] = {"converged", "epochs", "patience", "interrupted", NULL};

struct tlu_model *model_new(void)
{
    struct tlu_model *model = memory_new(1, sizeof *model);
    if (model) {
        schema_init(&model->schema);
        model->positive = SCHEMA_NONE;
    }
    return model;
}

void tlu_model_free(tlu_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->report.notices; i++)
        memory_free(model->report_notices[i]);
    memory_free(model->version);
    tlu_options_free(model->options);
    schema_free(&model->schema);
    scaling_free(&model->scaling);
    weights_free(&model->weights);
    memory_free(model->class_examples);
    memory_free(model->report_data);
    memory_free(model->report_mistakes);
    memory_free(model->report_accuracy);
    memory_free(model->report_notices);
    memory_free(model->decided);
    memory_free(model->decided_bias);
    memory_free(model->folded);
    memory_free(model->folded_bias);
    memory_free(model);
}

// w . ((x - shift) * factor) + b is (w * factor) . x + (b - (w * factor) . shift): the scaling
// moves into the weights, so that a row is scored as it is.
static void fold_scaling(struct tlu_model *model)
{
    uint32_t columns = model->weights.columns;
    const struct scaling *scaling = &model->scaling;
    for (size_t f = 0; f < scaling->features; f++)
        for (uint32_t c = 0; c < columns; c++) {
            double weight = model->decided[f * columns + c] * scaling->factor[f];
            model->folded[f * columns + c] = weight;
            model->folded_bias[c] -= weight * scaling->shift[f];
        }
}

tlu_status model_prepare(struct tlu_model *model, tlu_error *error)
{
    const struct weights *weights = &model->weights;
    size_t features = weights->features, columns = weights->columns;
    model->decided = memory_new(features * columns, sizeof(double));
    model->decided_bias = memory_new(columns, sizeof(double));
    if (!model->decided || !model->decided_bias)
        return error_memory(error);
    for (size_t f = 0; f < features; f++)
        for (uint32_t c = 0; c < columns; c++)
            model->decided[f * columns + c] = weights_decided(weights, f, c);
    for (uint32_t c = 0; c < columns; c++)
        model->decided_bias[c] = weights_decided_bias(weights, c);
    if (model->scaling.kind == SCALE_NONE)
        return TLU_OK;
    model->folded = memory_new(features * columns, sizeof(double));
    model->folded_bias = memory_new(columns, sizeof(double));
    if (!model->folded || !model->folded_bias)
        return error_memory(error);
    memcpy(model->folded_bias, model->decided_bias, columns * sizeof(double));
    fold_scaling(model);
    return TLU_OK;
}

// ---- what a model knows ----

const tlu_report *tlu_model_report(const tlu_model *model)
{
    return &model->report;
}

const tlu_options *tlu_model_options(const tlu_model *model)
{
    return model->options;
}

const char *tlu_model_version(const tlu_model *model)
{
    return model->version;
}

const char *tlu_model_learner(const tlu_model *model)
{
    return options_text(model->options, OPTION_LEARNER);
}

const char *tlu_model_decision(const tlu_model *model)
{
    return options_text(model->options, OPTION_DECIDE);
}

const char *tlu_model_scheme(const tlu_model *model)
{
    return model->weights.columns == 1 ? "two" : "wta";
}

size_t tlu_model_class_count(const tlu_model *model)
{
    return schema_classes(&model->schema);
}

const char *tlu_model_class_label(const tlu_model *model, size_t class_index)
{
    return class_index < schema_classes(&model->schema) ? model->schema.spelled[class_index] : NULL;
}

uint64_t tlu_model_class_examples(const tlu_model *model, size_t class_index)
{
    return class_index < schema_classes(&model->schema) ? model->class_examples[class_index] : 0;
}

size_t tlu_model_class_find(const tlu_model *model, const char *label)
{
    uint32_t found = schema_class_find(&model->schema, label, strlen(label));
    return found == SCHEMA_NONE ? TLU_NONE : found;
}

const char *tlu_model_label_column(const tlu_model *model)
{
    for (size_t i = 0; i < model->schema.column_count; i++)
        if (model->schema.columns[i].kind == COLUMN_LABEL)
            return model->schema.columns[i].name;
    return NULL;
}

size_t tlu_model_positive(const tlu_model *model)
{
    return model->positive == SCHEMA_NONE ? TLU_NONE : model->positive;
}

size_t tlu_model_feature_count(const tlu_model *model)
{
    return schema_features(&model->schema);
}

size_t tlu_model_feature_name(const tlu_model *model, size_t feature, char *name, size_t size)
{
    if (feature >= schema_features(&model->schema)) {
        if (size)
            name[0] = '\0';
        return 0;
    }
    return schema_name(&model->schema, (uint32_t)feature, name, size);
}

size_t tlu_model_feature_find(const tlu_model *model, const char *name)
{
    uint32_t found = schema_find(&model->schema, name, strlen(name));
    return found == SCHEMA_NONE ? TLU_NONE : found;
}

// The weight of a class: of two classes the other has the opposite of the positive one's.
static double of_class(const tlu_model *model, const double *weights, size_t class_index,
                       size_t feature)
{
    uint32_t columns = model->weights.columns;
    if (columns > 1)
        return weights[feature * columns + class_index];
    return class_index == model->positive ? weights[feature] : 0 - weights[feature];
}

static bool in_bounds(const tlu_model *model, size_t class_index, size_t feature)
{
    return class_index < schema_classes(&model->schema) && feature < model->weights.features;
}

double tlu_model_weight(const tlu_model *model, size_t class_index, size_t feature)
{
    if (!in_bounds(model, class_index, feature))
        return 0;
    return of_class(model, model->folded ? model->folded : model->decided, class_index, feature);
}

double tlu_model_strength(const tlu_model *model, size_t class_index, size_t feature)
{
    return in_bounds(model, class_index, feature)
               ? of_class(model, model->decided, class_index, feature)
               : 0;
}

double tlu_model_bias(const tlu_model *model, size_t class_index)
{
    const double *bias = model->folded_bias ? model->folded_bias : model->decided_bias;
    return class_index < schema_classes(&model->schema) ? of_class(model, bias, class_index, 0) : 0;
}

int tlu_model_scaled(const tlu_model *model)
{
    return model->scaling.kind != SCALE_NONE;
}
