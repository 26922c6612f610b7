// Names that other tools use for verbs and options, for suggestions in error messages.
#include "cli.h"

#include <ctype.h>

struct synonym {
    const char *ours, *theirs; // theirs: words with blanks between
};

static const struct synonym verbs[] = {
    {"eval", "evaluate test score measure"},
    {"train", "fit build"},
    {"predict", "classify infer apply label"},
    {"cv", "cross-validate cross-validation crossvalidate crossval xval validate"},
    {"inspect", "show info dump describe weights"},
    {"learners", "algorithms list models"},
    {"compare", "benchmark"},
    {"stream", "update online partial-fit"},
    {"explain", "why"},
    {"trace", "steps"},
    {"generate", "make synthesize"},
    {"split", "train-test-split partition"},
};

static const struct synonym options[] = {
    {"rate", "lr l learning-rate eta eta0 step-size"},
    {"epochs", "passes epoch iter iterations n-iter max-iter max-epochs num-epochs"},
    {"C", "c cost"},
    {"l2", "lambda reg regularization weight-decay penalty"},
    {"learner", "algorithm algo loss loss-function solver s"},
    {"kernel", "gamma degree"},
    {"multiclass", "multi-class"},
    {"decide", "average averaged"},
    {"seed", "random-state random-seed"},
    {"holdout", "test-size validation-split validation-fraction"},
    {"patience", "early-stopping n-iter-no-change"},
    {"threads", "jobs n-jobs j num-threads nthreads"},
    {"positive", "pos-label"},
    {"delimiter", "sep separator"},
    {"label", "target label-column"},
    {"ignore", "features drop"},
    {"missing", "na-values"},
    {"scale", "normalize standardize"},
    {"ngrams", "ngram word-ngrams"},
    {"hash", "b bit-precision bits"},
    {"no-bias", "fit-intercept no-intercept noconstant"},
    {"class-weight", "balanced w1"},
    {"output", "f out model final-regressor predictions p"},
    {"scores", "probabilities proba raw-predictions"},
    {"quiet", "silent"},
    {"folds", "splits n-splits"},
};

// Ignores case and treats _ as -: n_iter is n-iter.
static const char *look_up(const struct synonym *table, size_t count, const char *word)
{
    char name[64];
    size_t n = 0;
    for (; word[n] && n + 1 < sizeof name; n++)
        name[n] = word[n] == '_' ? '-' : (char)tolower((unsigned char)word[n]);
    name[n] = '\0';
    for (size_t i = 0; i < count; i++)
        if (list_has(table[i].theirs, ' ', name))
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
