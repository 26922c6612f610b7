// Probabilities that a learner's scores have in themselves (LEARNER_LOGITS):
//
//     two classes   log P(+1|x) / P(-1|x) = score, so P(+1|x) = 1 / (1 + exp(-score))
//     wta           P(y|x) = exp(score_y) / sum of exp(score_k): softmax
//     ovr           each class has its own two-class problem; the probabilities that these give are
//                   divided by their sum
//     ovo           a score is a number of votes, in which no probability is left
#include "model/probability.h"
#include "number/exp_log.h"

void softmax(const double *scores, size_t count, double *shares)
{
    double highest = scores[0], sum = 0;
    for (size_t k = 1; k < count; k++)
        highest = scores[k] > highest ? scores[k] : highest;
    for (size_t k = 0; k < count; k++)
        sum += shares[k] = same_exp(scores[k] - highest);
    for (size_t k = 0; k < count; k++)
        shares[k] /= sum;
}

static void normalised(const double *scores, size_t count, double *shares)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += shares[k] = sigmoid(scores[k]);
    if (sum == 0) { // far below 0 sigmoid is exp
        softmax(scores, count, shares);
        return;
    }
    for (size_t k = 0; k < count; k++)
        shares[k] /= sum;
}

static const struct learner_kind *learner_of(const tlu_model *model)
{
    return learner_kind_at((size_t)options_choice(model->options, OPTION_LEARNER));
}

// Naive Bayes has the classes' shares in its bias.
static bool has_its_bias(const tlu_model *model)
{
    return !(learner_of(model)->traits & LEARNER_COUNTS) ||
           !options_flag(model->options, OPTION_NO_BIAS);
}

bool model_has_probabilities(const tlu_model *model)
{
    return learner_of(model)->traits & LEARNER_LOGITS && model->scheme != SCHEME_OVO &&
           has_its_bias(model);
}

void model_probabilities(const tlu_model *model, const double *scores, double *probabilities)
{
    size_t classes = schema_classes(&model->schema);
    if (model->scheme == SCHEME_TWO) {
        probabilities[model->positive] = sigmoid(scores[0]);
        probabilities[1 - model->positive] = sigmoid(-scores[0]);
    } else if (model->scheme == SCHEME_OVR) {
        normalised(scores, classes, probabilities);
    } else {
        softmax(scores, classes, probabilities);
    }
}

int tlu_model_has_probabilities(const tlu_model *model)
{
    return model_has_probabilities(model);
}

static const char *why_not(const tlu_model *model)
{
    if (!(learner_of(model)->traits & LEARNER_LOGITS))
        return "its scores are on a scale of their own; train it with --learner logistic";
    if (!has_its_bias(model))
        return "naive Bayes has the shares of the classes in the bias; train it without --no-bias";
    return "its scores are votes of pairs of classes; train it with --classes wta";
}

tlu_status tlu_model_probabilities(const tlu_model *model, const double *scores,
                                   double *probabilities, tlu_error *error)
{
    if (!model_has_probabilities(model))
        return error_input(error, "the model has no probabilities: %s", why_not(model));
    if (scores)
        model_probabilities(model, scores, probabilities);
    return TLU_OK;
}
