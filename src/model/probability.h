// From the scores of a row to the probabilities of its classes.
#ifndef TLU_MODEL_PROBABILITY_H
#define TLU_MODEL_PROBABILITY_H

#include "model/model.h"

bool model_has_probabilities(const tlu_model *model);
// probabilities[classes] from scores as tlu_model_predict gives them, for a model that has them:
// none below 0, and their sum is 1 up to rounding. Finite scores alone.
void model_probabilities(const tlu_model *model, const double *scores, double *probabilities);

// exp(score) of each, divided by their sum; the arrays may be the same.
void softmax(const double *scores, size_t count, double *shares);

#endif
