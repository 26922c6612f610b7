// Naive Bayes, which is a linear classifier (Cohen notes, section 2).
//
// Bernoulli: features are 0 or 1 and P(x|y) is the product of P(x_i|y). With two classes
//
//     w_i = log P(X_i=1|+1) / P(X_i=1|-1)  -  log P(X_i=0|+1) / P(X_i=0|-1)
//     w_0 = sum_i log P(X_i=0|+1) / P(X_i=0|-1)  +  log P(+1) / P(-1)
//
// makes w . x + w_0 = log P(+1|x) / P(-1|x). If k of the n_y rows of class y have X_i = 1, then,
// with smoothing a (--smoothing; Laplace's is a = 1),
//
//     P(X_i=1|y) = (k + a) / (n_y + 2a),   P(y) = n_y / n      (the class counts are not smoothed)
//
// Multinomial: x_i counts how often word i occurs and P(x|y) is the product of P(i|y)^x_i. With K
// the sum of x_i over the rows of class y and V the number of features that occur at all,
//
//     P(i|y) = (K + a) / (sum of all K + a V),   w_i = log P(i|+1) / P(i|-1),
//     w_0 = log P(+1) / P(-1)
//
// Several classes, winner takes all: the score of class y is log P(x|y) P(y), so w_i and w_0 are
// those above without the terms of the other class. Features that occur in no row are ignored.
#include "solvers/class_sums.h"

#include <math.h>

// One side of a binary problem, whose log P(x|y) P(y) is written as bias + w . x. `rows` is n_y.
// The functions below take k or K of a feature as `count`.
struct bayes_side {
    double rows, total; // multinomial: total is the sum of all K + a V
    double smoothing;
    bool bernoulli;
};

static double weight_of(const struct bayes_side *side, double count)
{
    if (side->bernoulli) // log P(X_i=1|y) - log P(X_i=0|y)
        return log(count + side->smoothing) - log(side->rows - count + side->smoothing);
    return log(count + side->smoothing) - log(side->total);
}

// The feature's term of the bias: log P(X_i=0|y).
static double absence_of(const struct bayes_side *side, double count)
{
    if (!side->bernoulli)
        return 0;
    return log(side->rows - count + side->smoothing) - log(side->rows + 2 * side->smoothing);
}

// log P(y) + log n; all classes share the log n. A class without rows counts as `smoothing` rows.
static double prior_of(const struct bayes_side *side)
{
    return log(side->rows > 0 ? side->rows : side->smoothing);
}

// Splits per-class numbers into those of the negative and of the positive side of a column. With
// winner-takes-all, sides[1] is the class itself and sides[0] is not used.
static void split(const struct tlu_learner *learner, const struct class_sums *sums,
                  const double *of_classes, uint32_t column, double sides[2])
{
    if (learner->state.scheme.kind == SCHEME_WTA) {
        sides[0] = 0;
        sides[1] = of_classes[column];
    } else {
        class_sums_split(sums, of_classes, column, sides);
    }
}

static void set_column(struct tlu_learner *learner, const struct class_sums *sums, uint32_t column,
                       struct bayes_side side[2])
{
    struct weights *weights = &learner->state.weights;
    bool alone = learner->state.scheme.kind == SCHEME_WTA;
    double prior = prior_of(&side[1]) - (alone ? 0 : prior_of(&side[0])), bias = prior, count[2];
    if (weights->state) // tlu_model_log_odds
        weights->state_bias[column] = prior;
    for (size_t f = 0; f < sums->features; f++) {
        if (!sums->occurs[f])
            continue;
        split(learner, sums, sums->sum + f * sums->classes, column, count);
        size_t cell = f * weights->columns + column;
        double absence =
            absence_of(&side[1], count[1]) - (alone ? 0 : absence_of(&side[0], count[0]));
        weights->w[cell] =
            weight_of(&side[1], count[1]) - (alone ? 0 : weight_of(&side[0], count[0]));
        bias += absence;
        if (weights->state)
            weights->state[cell] = absence;
    }
    if (learner->rule.bias)
        weights->bias[column] = bias;
}

static tlu_status solve(struct tlu_learner *learner, struct batch *const *batches,
                        size_t batch_count, bool bernoulli, class_sums_value value_of,
                        tlu_error *error)
{
    struct class_sums sums;
    tlu_status status = class_sums_of(&sums, learner, batches, batch_count, value_of, error);
    if (status != TLU_OK)
        return status;
    double a = options_number(learner->state.options, OPTION_SMOOTHING);
    for (uint32_t k = 0; status == TLU_OK && k < sums.columns; k++) {
        double rows[2], total[2] = {0, 0};
        split(learner, &sums, sums.rows, k, rows);
        for (size_t f = 0; f < sums.features && !bernoulli; f++) {
            double count[2];
            split(learner, &sums, sums.sum + f * sums.classes, k, count);
            total[0] += count[0] + (sums.occurs[f] ? a : 0);
            total[1] += count[1] + (sums.occurs[f] ? a : 0);
        }
        struct bayes_side side[2] = {{rows[0], total[0], a, bernoulli},
                                     {rows[1], total[1], a, bernoulli}};
        set_column(learner, &sums, k, side);
        status = class_sums_go_on(&sums, learner, error);
    }
    class_sums_free(&sums);
    return status;
}

// "WHO needs WHAT, and 'age' is 0.5 in line 3: ADVICE"
static tlu_status refuse(const struct tlu_learner *learner, uint64_t line, uint32_t feature,
                         double value, const char *what, const char *advice, tlu_error *error)
{
    char name[256], quoted[80];
    size_t length = schema_name(&learner->state.schema, feature, name, sizeof name);
    error_quote(quoted, sizeof quoted, name, length < sizeof name ? length : sizeof name - 1);
    return error_input(error, "%s needs %s, and '%s' is %.6g in line %llu: %s",
                       learner->rule.kind->info.name, what, quoted, value, (unsigned long long)line,
                       advice);
}

// ---- Bernoulli ----

static tlu_status bernoulli_value(const struct tlu_learner *learner, uint64_t line,
                                  uint32_t feature, double *value, tlu_error *error)
{
    if (*value != 1 && !options_flag(learner->state.options, OPTION_BINARIZE))
        return refuse(learner, line, feature, *value, "features that are 0 or 1",
                      "--binarize takes every value that is not 0 as 1", error);
    *value = 1;
    return TLU_OK;
}

static tlu_status bernoulli_solve(struct tlu_learner *learner, struct batch *const *batches,
                                  size_t batch_count, tlu_error *error)
{
    return solve(learner, batches, batch_count, true, bernoulli_value, error);
}

// ---- multinomial ----

static tlu_status multinomial_value(const struct tlu_learner *learner, uint64_t line,
                                    uint32_t feature, double *value, tlu_error *error)
{
    if (options_flag(learner->state.options, OPTION_BINARIZE))
        *value = 1;
    if (*value < 0)
        return refuse(learner, line, feature, *value, "counts",
                      "none can be below 0; --binarize takes every value that is not 0 as 1",
                      error);
    return TLU_OK;
}

static tlu_status multinomial_solve(struct tlu_learner *learner, struct batch *const *batches,
                                    size_t batch_count, tlu_error *error)
{
    return solve(learner, batches, batch_count, false, multinomial_value, error);
}

// ---- both ----

#define BAYES_LEARNER(kind, more, text, source)                                                    \
    LEARNER(kind##_bayes) = {                                                                      \
        .info = {.name = learner_names.kind##_bayes,                                               \
                 .complexity = 1,                                                                  \
                 .summary = text,                                                                  \
                 .reference = source,                                                              \
                 .options = "smoothing binarize",                                                  \
                 .defaults = "",                                                                   \
                 .decisions = "last",                                                              \
                 .spaces = "primal",                                                               \
                 .schemes = "wta ovr ovo"},                                                        \
        .traits = LEARNER_BATCH | LEARNER_COUNTS | LEARNER_LOGITS | more,                          \
    };                                                                                             \
    LEARNER_FUNCTIONS(kind##_bayes) = {.solve = kind##_solve}

BAYES_LEARNER(bernoulli, LEARNER_LOG_ODDS, "naive Bayes for features that are there or not",
              "Cohen's notes on linear classifiers 2008; McCallum and Nigam 1998");
BAYES_LEARNER(multinomial, 0, "naive Bayes for counts, such as those of words in a text",
              "McCallum and Nigam 1998");
