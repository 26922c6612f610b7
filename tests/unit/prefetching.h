// What the tests of learners that are fed row by row share.
#ifndef TLU_TESTS_FEEDING_H
#define TLU_TESTS_FEEDING_H

#include "learning.h"

// With the defaults of a file, not those of a stream.
static inline tlu_learner *learner_of(const char *settings)
{
    tlu_options *options = file_options_of(settings);
    tlu_learner *learner;
    tlu_error error;
    if (tlu_learner_new(options, &learner, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
    tlu_options_free(options);
    return learner;
}

static inline tlu_model *model_of(const tlu_learner *learner)
{
    tlu_model *model;
    tlu_error error;
    if (tlu_learner_make_model(learner, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return model;
}

// The model that a file keeps of it, which is freed.
static inline tlu_model *through_a_file(tlu_model *model)
{
    tlu_error error;
    tlu_model *loaded = NULL;
    if (tlu_model_save(model, "through.tlu", &error) != TLU_OK ||
        tlu_model_load("through.tlu", &loaded, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_model_free(model);
    return loaded;
}

#endif
