// What other tools call verbs and options, for suggestions alone: none of these words is taken.
#include "arguments.h"
#include "text.h"

#include <ctype.h>
#include <string.h>

struct synonym {
    const char *theirs, *ours;
};

static const struct synonym verbs[] = {
    {"evaluate", "eval"},       {"test", "eval"},           {"score", "eval"},
    {"measure", "eval"},        {"fit", "train"},           {"build", "train"},
    {"classify", "predict"},    {"infer", "predict"},       {"apply", "predict"},
    {"label", "predict"},       {"cross-validate", "cv"},   {"cross-validation", "cv"},
    {"crossvalidate", "cv"},    {"crossval", "cv"},         {"xval", "cv"},
    {"validate", "cv"},         {"show", "inspect"},        {"info", "inspect"},
    {"dump", "inspect"},        {"describe", "inspect"},    {"weights", "inspect"},
    {"algorithms", "learners"}, {"list", "learners"},       {"models", "learners"},
    {"benchmark", "compare"},   {"update", "stream"},       {"online", "stream"},
    {"partial-fit", "stream"},  {"why", "explain"},         {"steps", "trace"},
    {"make", "generate"},       {"synthesize", "generate"},
};

static const struct synonym options[] = {
    {"lr", "rate"},
    {"l", "rate"},
    {"learning-rate", "rate"},
    {"eta", "rate"},
    {"eta0", "rate"},
    {"step-size", "rate"},
    {"passes", "epochs"},
    {"epoch", "epochs"},
    {"iter", "epochs"},
    {"iterations", "epochs"},
    {"n-iter", "epochs"},
    {"max-iter", "epochs"},
    {"max-epochs", "epochs"},
    {"num-epochs", "epochs"},
    {"c", "C"},
    {"cost", "C"},
    {"lambda", "l2"},
    {"reg", "l2"},
    {"regularization", "l2"},
    {"weight-decay", "l2"},
    {"penalty", "l2"},
    {"algorithm", "learner"},
    {"algo", "learner"},
    {"loss", "learner"},
    {"loss-function", "learner"},
    {"solver", "learner"},
    {"s", "learner"},
    {"gamma", "kernel"},
    {"degree", "kernel"},
    {"multi-class", "multiclass"},
    {"average", "decide"},
    {"averaged", "decide"},
    {"random-state", "seed"},
    {"random-seed", "seed"},
    {"test-size", "holdout"},
    {"validation-split", "holdout"},
    {"validation-fraction", "holdout"},
    {"early-stopping", "patience"},
    {"n-iter-no-change", "patience"},
    {"jobs", "threads"},
    {"n-jobs", "threads"},
    {"j", "threads"},
    {"num-threads", "threads"},
    {"nthreads", "threads"},
    {"pos-label", "positive"},
    {"sep", "delimiter"},
    {"separator", "delimiter"},
    {"target", "label"},
    {"label-column", "label"},
    {"features", "ignore"},
    {"drop", "ignore"},
    {"na-values", "missing"},
    {"normalize", "scale"},
    {"standardize", "scale"},
    {"ngram", "ngrams"},
    {"word-ngrams", "ngrams"},
    {"b", "hash"},
    {"bit-precision", "hash"},
    {"bits", "hash"},
    {"fit-intercept", "no-bias"},
    {"no-intercept", "no-bias"},
    {"noconstant", "no-bias"},
    {"balanced", "class-weight"},
    {"w1", "class-weight"},
    {"f", "output"},
    {"out", "output"},
    {"model", "output"},
    {"final-regressor", "output"},
    {"predictions", "output"},
    {"p", "output"},
    {"probabilities", "scores"},
    {"proba", "scores"},
    {"raw-predictions", "scores"},
    {"silent", "quiet"},
    {"splits", "folds"},
    {"n-splits", "folds"},
};

// As our names are written: n_iter is n-iter.
static const char *look_up(const struct synonym *table, size_t count, const char *word)
{
    char name[64];
    size_t n = 0;
    for (; word[n] && n + 1 < sizeof name; n++)
        name[n] = word[n] == '_' ? '-' : (char)tolower((unsigned char)word[n]);
    name[n] = '\0';
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].theirs, name) == 0)
            return table[i].ours;
    return NULL;
}

const char *verb_synonym(const char *word)
{
    return look_up(verbs, COUNT_OF(verbs), word);
}

const char *option_synonym(const char *word)
{
    return look_up(options, COUNT_OF(options), word);
}
