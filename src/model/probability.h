// From the scores of a row to the probabilities of its classes.
#ifndef TLU_MODEL_PROBABILITY_H
#define TLU_MODEL_PROBABILITY_H

#include "model/model.h"

bool model_is_calibrated(const tlu_model *model);
bool model_has_probabilities(const tlu_model *model);
// probabilities[classes] from scores as tlu_model_predict gives them, for a model that has them:
// none below 0, and their sum is 1 up to rounding. Finite scores alone.
void model_probabilities(const tlu_model *model, const double *scores, double *probabilities);

// What a threshold of the model is about.
enum threshold_on model_threshold_kind(const tlu_model *model);
// Whether it can have one: an input error says why not.
tlu_status model_threshold_allowed(const tlu_model *model, tlu_error *error);

#endif
