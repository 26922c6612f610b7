// Predictions as expressions: the class of a row, or TLU_NONE if the prediction fails.
#ifndef TLU_TESTS_PREDICTING_H
#define TLU_TESTS_PREDICTING_H

#include "tlu.h"

static inline size_t class_of_row(const tlu_model *model, const tlu_row *row, double *scores)
{
    size_t class_index = 0;
    tlu_status status = tlu_model_predict(model, row, &class_index, scores, NULL);
    return status == TLU_OK ? class_index : TLU_NONE;
}

static inline size_t class_of_named(const tlu_model *model, const tlu_feature *features,
                                    size_t count, double *scores)
{
    size_t class_index = 0;
    tlu_status status = tlu_model_predict_named(model, features, count, &class_index, scores, NULL);
    return status == TLU_OK ? class_index : TLU_NONE;
}

#endif
