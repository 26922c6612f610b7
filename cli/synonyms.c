// Names that other tools use for verbs and options, for suggestions in error messages. Where
// nothing here is the same, a sentence says what there is instead.
#include "cli.h"

#include <ctype.h>

struct synonym {
    const char *ours, *theirs; // theirs: words with blanks between
};

static const struct synonym verbs[] = {
    {"eval", "evaluate test score measure report classification-report confusion-matrix"},
    {"train", "fit build supervised"},
    {"predict", "classify infer apply label"},
    {"cv", "cross-validate cross-validation crossvalidate crossval xval"},
    {"tune", "search grid-search gridsearch random-search optimize optimise hyperopt automl"},
    {"inspect", "show info dump describe weights coef coefficients importance feature-importance"},
    {"learners", "algorithms list models"},
    {"compare", "benchmark"},
    {"stream", "update online incremental partial-fit finetune fine-tune"},
    {"explain", "why interpret shap lime"},
    {"plot", "draw chart visualize visualise"},
    {"trace", "steps"},
    {"generate", "make synthesize"},
    {"split", "train-test-split partition"},
};

// {what there is instead, their words}
static const struct synonym verb_answers[] = {
    {"tlu is not a server: tlu predict MODEL - answers the rows of a pipe one by one, tlu stream "
     "MODEL learns from them, too, and libtlu predicts in a program (docs/library.md)",
     "serve server http rest api deploy daemon"},
    {"models cannot be exported to other tools: tlu inspect MODEL --weights prints the weights, "
     "and "
     "tlu logic from MODEL --as c writes C",
     "export onnx pmml save-model export-model convert-model"},
    {"did you mean tlu help formats?", "format formats"},
    {"did you mean tlu help metrics?", "metric metrics"},
    {"tlu train saves the model itself: -o FILE", "save"},
    {"each verb loads the model that it is given: tlu predict MODEL DATA", "load load-model"},
    {"tlu cv DATA cross-validates a learner, and tlu eval MODEL DATA measures a model",
     "validate validation"},
    {"tlu predict MODEL DATA --probabilities prints probabilities", "predict-proba proba"},
    {"tlu split DATA --test 0.2 -o PREFIX makes a file for training and one for the test",
     "train-test-split partition"},
    {"data is transformed in training, by options such as --scale; tlu convert writes other "
     "formats",
     "transform preprocess vectorize scale normalize"},
    {"tlu classifies, and has neither regression nor clustering",
     "regress regression cluster kmeans k-means forecast"},
};

static const struct synonym options[] = {
    {"rate", "lr l learning-rate eta eta0 step-size"},
    {"epochs", "passes epoch iter iterations n-iter max-iter max-epochs num-epochs"},
    {"C", "c cost"},
    {"l2", "lambda reg regularization weight-decay"},
    {"learner", "algorithm algo classifier loss loss-function objective solver"},
    {"multiclass", "multi-class"},
    {"decide", "average averaged"},
    {"seed", "random-state random-seed"},
    {"holdout", "validation-split validation-fraction"},
    {"patience", "early-stopping n-iter-no-change"},
    {"threads", "jobs n-jobs j num-threads nthreads"},
    {"positive", "pos-label"},
    {"delimiter", "sep separator seperator"},
    {"label", "target label-column y"},
    {"ignore", "features drop"},
    {"missing", "na-values"},
    {"scale", "normalize standardize"},
    {"ngrams", "ngram word-ngrams"},
    {"hash", "b bit-precision bits"},
    {"no-bias", "fit-intercept no-intercept noconstant"},
    {"class-weight", "balanced w1 pos-weight scale-pos-weight"},
    {"batch", "batch-size bs minibatch mini-batch"},
    {"hidden", "hidden-layers hidden-layer-sizes hidden-units layers units"},
    {"calibrate", "calibration platt"},
    {"metric", "scoring eval-metric"},
    {"weighted", "sample-weight"},
    {"output", "f out outfile output-file save save-model model final-regressor predictions p"},
    {"probabilities", "proba prob probs predict-proba"},
    {"scores", "raw-predictions decision-function"},
    {"top", "top-k topk n-best k-best"},
    {"column-names", "print-header write-header with-header header-line"},
    {"report-every", "log-every print-every report-interval"},
    {"quiet", "silent"},
    {"rows", "n n-samples samples n-rows num-rows"},
    {"learners", "models algorithms classifiers"},
    {"names", "vars variables"},
    {"checkpoint", "checkpoint-every checkpoint-interval save-every"},
    {"folds", "splits n-splits n-folds nfolds num-folds k-fold kfold cv"},
};

// For a verb that has no such option.
static const struct synonym option_answers[] = {
    {"the solver types of LIBLINEAR are learners; give --learner svm or --learner logistic", "s"},
    {"a kernel and its parameters are one option; give --kernel rbf:GAMMA or --kernel poly:DEGREE",
     "t g gamma degree coef0 kernel-type"},
    {"the data is an argument; give the name of the file without an option",
     "data input i d file train-file train-data training-data"},
    {"tlu predict MODEL DATA --probabilities prints probabilities; a learner without them needs "
     "--calibrate in training",
     "proba prob probs probability probabilities predict-proba"},
    {"tlu split DATA --test 0.2 -o PREFIX makes a test file, and tlu eval MODEL measures on it; "
     "--holdout of train only chooses the pass",
     "test test-size test-split test-fraction test-data train-size val val-size validation "
     "validation-size validation-data eval-data eval-set"},
    {"L1 regularisation is not available; --l2 is, for hinge, logistic, squared and mlp",
     "l1 l1-ratio elastic-net lasso"},
    {"the only penalty is L2, of strength --l2, for hinge, logistic, squared and mlp", "penalty"},
    {"dropout is not available; --l2 is, for hinge, logistic, squared and mlp", "dropout"},
    {"there is no tolerance: --epochs limits the passes, and a pass without mistakes ends training",
     "tol tolerance eps epsilon"},
    {"cross-validation is a verb: tlu cv DATA -k 5",
     "k cv k-fold kfold n-folds nfolds num-folds folds cross-validation crossval"},
    {"tlu cv, tune and split keep the shares of the classes", "stratify stratified"},
    {"tlu stream MODEL continues a model with new rows, tlu train --resume an interrupted training",
     "warm-start continue init-model initial-model"},
    {"tlu threshold MODEL DATA keeps a threshold in the model, which eval then uses",
     "threshold cutoff"},
    {"tlu eval prints the confusion matrix and the figures of each class without an option; tlu "
     "plot --confusion draws it",
     "confusion confusion-matrix report classification-report"},
    {"tlu inspect MODEL lists the strongest features, and tlu plot --weights MODEL draws them",
     "importance importances feature-importance feature-importances permutation-importance"},
    {"give options with the names of learners, as in --learners pa1:C=0.1,pa1:C=1",
     "param params param-grid grid"},
    {"tlu predict prints text, or JSON with --json", "output-format out-format"},
    {"the training part is what the others leave; give --test 0.2", "train train-ratio"},
    {"tlu has no trees; tlu learners lists what it has",
     "n-estimators num-trees trees max-depth depth max-leaf-nodes num-leaves"},
    {"tlu computes on the CPU, with --threads", "gpu cuda device"},
    {"progress is shown on a terminal, and --json prints all figures", "v verbose debug"},
};

// Values of options.
static const struct synonym values[] = {
    {"no", "false off 0 none never"},
    {"yes", "true on 1 always"},
    {"jsonl", "json ndjson"},
    {"libsvm", "svmlight svm svm-light"},
    {"maxabs", "minmax min-max max-abs"},
    {"standard", "zscore z-score standardize standardise"},
    {"sigmoid", "platt"},
    {"refuse", "error fail raise"},
    {"most-frequent", "mode"},
    {"all", "yes true on"},
    {"none", "no false off"},
    {"ovr", "ova one-vs-rest one-vs-all"},
    {"ovo", "one-vs-one all-pairs"},
    {"dual", "liblinear cd"},
    {"dark", "black"},
    {"light", "white"},
};

// Ignores case and treats _ as -: n_iter is n-iter.
static void usual_spelling(const char *word, char name[64])
{
    size_t n = 0;
    for (; word[n] && n + 1 < 64; n++)
        name[n] = word[n] == '_' ? '-' : (char)tolower((unsigned char)word[n]);
    name[n] = '\0';
}

static const char *look_up(const struct synonym *table, size_t count, const char *word)
{
    char name[64];
    usual_spelling(word, name);
    for (size_t i = 0; i < count; i++)
        if (list_has(table[i].theirs, ' ', name))
            return table[i].ours;
    return NULL;
}

const char *verb_synonym(const char *word)
{
    return look_up(verbs, COUNT_OF(verbs), word);
}

const char *verb_answer_to(const char *word)
{
    return look_up(verb_answers, COUNT_OF(verb_answers), word);
}

const char *option_synonym(const char *word)
{
    return look_up(options, COUNT_OF(options), word);
}

const char *option_answer_to(const char *word)
{
    return look_up(option_answers, COUNT_OF(option_answers), word);
}

const char *choice_synonym(const char *choices, const char *word)
{
    char name[64];
    usual_spelling(word, name);
    if (list_has(choices, '|', name))
        return format_text("%s", name);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        if (list_has(values[i].theirs, ' ', name) && list_has(choices, '|', values[i].ours))
            return values[i].ours;
    return NULL;
}

const char *metric_synonym(const char *word)
{
    const tlu_metric_info *info;
    char name[64];
    usual_spelling(word, name);
    for (size_t i = 0; (info = tlu_metric_at(i)) != NULL; i++)
        if (strcmp(info->name, name) == 0)
            return info->name;
    return word;
}
