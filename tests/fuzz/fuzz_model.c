// Loads any bytes as a model, once as they are and once with size and checksum made right, so that
// what the checksum guards is reached; what loads is used.
#include "sealed.h"
#include "tlu.h"

#include <stdlib.h>

static void use(const tlu_model *model)
{
    char name[32];
    tlu_support support;
    size_t features = tlu_model_feature_count(model), classes = tlu_model_class_count(model);
    double *scores = malloc(tlu_model_score_count(model) * sizeof *scores);
    uint32_t last = features ? (uint32_t)features - 1 : 0;
    tlu_row row = {.count = features > 0, .features = &last};
    double *probabilities = malloc(classes * sizeof *probabilities);
    size_t class_index;
    if (!scores || !probabilities)
        abort();
    if (tlu_model_predict(model, &row, &class_index, scores, NULL) == TLU_OK) { // no overflow
        if (class_index >= classes)
            abort();
        tlu_model_probabilities(model, scores, probabilities, NULL);
        uint32_t labels[4];
        size_t count = tlu_model_labels(model, scores, labels, 4);
        if (count > (tlu_model_is_multilabel(model) ? classes : 0) ||
            (count && labels[0] >= classes))
            abort();
    }
    for (size_t f = 0; f < features; f++) {
        tlu_model_feature_name(model, f, name, sizeof name);
        if (tlu_model_weight(model, classes - 1, f) != tlu_model_weight(model, classes - 1, f))
            break; // not a number: too large for its scale
    }
    for (size_t c = 0; c < classes; c++)
        if (tlu_model_class_find(model, tlu_model_class_label(model, c)) != c)
            abort();
    for (size_t i = 0; i < tlu_model_support_count(model); i++)
        if (tlu_model_support(model, i, &support, NULL) != TLU_OK ||
            (support.class_index >= classes &&
             !(tlu_model_is_multilabel(model) && support.class_index == TLU_NONE)))
            abort();
    free(scores);
    free(probabilities);
}

// A stream goes on with it, or says why not. Indices and names far apart take memory for each
// column.
static void go_on(const tlu_model *model)
{
    tlu_learner *learner = NULL;
    tlu_model *again = NULL;
    tlu_error error;
    tlu_feature features[] = {{"1", 1}, {"x", -0.5}};
    if (tlu_model_class_count(model) > 16)
        return;
    tlu_status status = tlu_learner_resume(model, &learner, &error);
    if ((status == TLU_OK) != (learner != NULL))
        abort();
    for (int i = 0; i < 3 && status == TLU_OK; i++) // a new class at the end
        status = tlu_learner_learn(learner, features, 2,
                                   i < 2 ? tlu_model_class_label(model, 0) : "a new one", 1, NULL,
                                   &error);
    if (status == TLU_OK && tlu_learner_make_model(learner, &again, &error) != TLU_OK)
        abort();
    tlu_model_free(again);
    tlu_learner_free(learner);
}

static void load(const uint8_t *bytes, size_t size)
{
    tlu_model *model;
    tlu_error error;
    tlu_status status = tlu_model_load_bytes(bytes, size, &model, &error);
    if ((status == TLU_OK) != (model != NULL))
        abort();
    if (model) {
        use(model);
        go_on(model);
    } else if (error.status != status || error.text[0] == '\0')
        abort();
    tlu_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    load(bytes, size);
    uint8_t *sealed = sealed_copy(bytes, size);
    if (sealed)
        load(sealed, size);
    free(sealed);
    return 0;
}
