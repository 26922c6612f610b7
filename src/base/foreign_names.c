#include "base/foreign_names.h"

#include "base/near.h"

#include <stdbool.h>
#include <string.h>

struct foreign_name {
    const char *theirs; // words with blanks between
    const char *answer;
};

static const struct foreign_name learners[] = {
    {"svc linearsvc linear-svc linear-svm libsvm liblinear",
     "svm is a linear SVM, and max-margin --kernel one with a kernel"},
    {"logistic-regression logisticregression logreg logit lr maxent", "did you mean logistic?"},
    {"sgd sgdclassifier gradient-descent",
     "hinge, logistic and squared make steps of stochastic gradient descent"},
    {"naive-bayes naivebayes nb bayes", "multinomial-bayes is for counts, bernoulli-bayes for "
                                        "features that are 0 or 1"},
    {"multinomialnb multinomial-nb multinomial", "did you mean multinomial-bayes?"},
    {"bernoullinb bernoulli-nb bernoulli", "did you mean bernoulli-bayes?"},
    {"gaussiannb gaussian-nb gaussian-bayes lda qda",
     "normal distributions are not available; rocchio takes the class with the nearest mean"},
    {"nearest-centroid nearestcentroid centroid", "did you mean rocchio?"},
    {"knn k-nn kneighbors kneighborsclassifier nearest-neighbors nearest-neighbours",
     "nearest neighbours are not available; rocchio takes the class with the nearest mean"},
    {"tree decision-tree random-forest randomforest rf xgboost xgb lightgbm lgbm catboost gbm "
     "gradient-boosting adaboost boosting",
     "trees and boosting are not available; mlp, and --kernel with the perceptron, are not linear"},
    {"neural-network neural-net neuralnetwork nn ann mlpclassifier multilayer-perceptron",
     "did you mean mlp?"},
    {"passive-aggressive passiveaggressive passiveaggressiveclassifier pa-i pa-ii mira",
     "pa, pa1 and pa2 are passive-aggressive"},
    {"averaged-perceptron average-perceptron avg-perceptron voted-perceptron",
     "the perceptron averages by default, and votes with --decide vote"},
    {"kernel-perceptron kernel rbf poly",
     "a kernel is an option: --learner perceptron --kernel rbf:0.1"},
    {"adaline lms widrow-hoff delta-rule least-squares ols ridge ridgeclassifier",
     "did you mean squared?"},
    {"linear-regression regression lasso elastic-net",
     "tlu classifies, and has no regression; squared minimises the squared error of the labels"},
};

static const struct foreign_name metrics[] = {
    {"auc auroc roc rocauc area-under-curve", "did you mean roc-auc?"},
    {"mcc phi matthews-corrcoef matthewscorrcoef", "did you mean matthews?"},
    {"acc", "did you mean accuracy?"},
    {"error err error-rate zero-one-loss", "accuracy is 1 minus the error"},
    {"f1-score f1score fscore f-score f-measure f", "did you mean f1?"},
    {"macro-f1 f1macro", "did you mean f1-macro?"},
    {"micro-f1 f1micro", "did you mean f1-micro?"},
    {"cross-entropy crossentropy entropy nll xent ce neg-log-loss", "did you mean log-loss?"},
    {"ap pr-auc prauc auc-pr auprc map", "did you mean average-precision?"},
    {"ppv", "did you mean precision?"},
    {"tpr sensitivity hit-rate", "did you mean recall?"},
    {"specificity tnr", "the recall of the negative class, which tlu eval prints, is the same"},
    {"bac bacc balanced", "did you mean balanced-accuracy?"},
    {"brier-score brier-loss", "did you mean brier?"},
    {"calibration calibration-error expected-calibration-error", "did you mean ece?"},
    {"kappa cohen-kappa cohens-kappa", "matthews allows for chance, too"},
    {"mse rmse mae r2 mean-squared-error", "tlu classifies, and has no metrics of regression"},
    {"hinge hinge-loss loss", "log-loss is the only loss, for models with probabilities"},
};

static bool is_same(const char *word, size_t length, const char *name)
{
    if (strlen(name) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = name[i] == '_' ? '-' : name[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return false;
    }
    return true;
}

static const char *answer_to(const struct foreign_name *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        for (const char *word = table[i].theirs; *word;) {
            size_t length = strcspn(word, " ");
            if (is_same(word, length, name))
                return table[i].answer;
            word += length + strspn(word + length, " ");
        }
    return NULL;
}

const char *foreign_learner(const char *name)
{
    return answer_to(learners, sizeof learners / sizeof learners[0], name);
}

const char *foreign_metric(const char *name)
{
    return answer_to(metrics, sizeof metrics / sizeof metrics[0], name);
}

static const char *learner_name(size_t index)
{
    const tlu_learner_info *info = tlu_learner_at(index);
    return info ? info->name : NULL;
}

tlu_status unknown_learner(const char *name, tlu_error *error)
{
    char quoted[80];
    const char *answer = foreign_learner(name), *nearest = near_name(name, learner_name);
    error_quote(quoted, sizeof quoted, name, strlen(name));
    if (answer)
        return error_input(error, "there is no learner '%s'; %s", quoted, answer);
    if (nearest)
        return error_input(error, "there is no learner '%s'; did you mean %s?", quoted, nearest);
    return error_input(error, "there is no learner '%s'; tlu learners lists them", quoted);
}
