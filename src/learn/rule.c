// What the rules of learners share: their options and the steps of an update.
#include "learn/rule.h"

#include "learn/decision.h"
#include "learn/learner.h"
#include "space/dual.h"

#include <assert.h>
#include <math.h>

void rule_read(struct rule *rule, const tlu_options *options)
{
    rule->kind = learner_kind_of(options);
    rule->functions = learner_functions_of(options);
    rule->rate = options_number(options, OPTION_RATE);
    rule->rate_high = options_high(options, OPTION_RATE);
    rule->bias = !options_flag(options, OPTION_NO_BIAS);
    rule->tie = options_choice(options, OPTION_TIE);
    rule->tie_update = options_choice(options, OPTION_TIE_UPDATE);
    rule->margin = options_number(options, OPTION_MARGIN);
    rule->C = options_number(options, OPTION_C);
    rule->r = options_number(options, OPTION_R);
    rule->alpha = options_number(options, OPTION_ALPHA);
    rule->precision = options_choice(options, OPTION_DIAGONAL) == DIAGONAL_PRECISION;
    rule->l2 = options_number(options, OPTION_L2);
    rule->schedule = options_choice(options, OPTION_SCHEDULE);
    rule->passive =
        rule->kind->traits & LEARNER_PASSIVE && rule->l2 == 0; // l2 shrinks at any margin
    rule->passive_margin = fmax(rule->kind->passive_margin, rule->margin);
    assert(rule->passive_margin >= 0);
}

void learner_add(struct tlu_learner *learner, const struct binary_example *example, double amount)
{
    decision_before(learner, example);
    decision_record(learner, example, amount, 1);
    learner->guard.reach += fabs(amount);
    for (size_t i = 0; i < example->parts; i++) {
        uint32_t column = example->part[i].column;
        double signed_amount = amount * example->part[i].sign;
        weights_add(&learner->state.weights, example->x, column, signed_amount, learner->rule.bias);
        if (learner->space.dual)
            dual_update(learner->space.dual, example->id, column,
                        learner->state.weights.scale
                            ? signed_amount / learner->state.weights.scale[column]
                            : signed_amount);
    }
}

static void shrink_column(struct tlu_learner *learner, uint32_t column, double factor,
                          bool with_bias)
{
    double *scale = &learner->state.weights.scale[column];
    double expected = *scale * factor;
    weights_scale(&learner->state.weights, column, factor, with_bias);
    if (learner->space.dual && *scale != expected) // weights_scale has settled the column
        dual_rescale(learner->space.dual, column, expected);
}

void learner_shrink(struct tlu_learner *learner, const struct binary_example *example,
                    double factor, bool with_bias)
{
    decision_before(learner, example);
    decision_record(learner, example, 0, factor);
    learner->guard.reach *= fmax(1, fabs(factor));
    if (learner->state.scheme.kind != SCHEME_WTA) {
        shrink_column(learner, example->part[0].column, factor, with_bias);
        return;
    }
    if (!learner->space.dual) {
        weights_scale_first(&learner->state.weights, learner_columns(learner), factor, with_bias);
        return;
    }
    for (uint32_t c = 0; c < learner_columns(learner); c++)
        shrink_column(learner, c, factor, with_bias);
}

void learner_settle(struct tlu_learner *learner)
{
    for (uint32_t c = 0;
         learner->space.dual && learner->state.weights.scale && c < learner->state.weights.columns;
         c++)
        if (learner->state.weights.scale[c] != 1)
            dual_rescale(learner->space.dual, c, learner->state.weights.scale[c]);
    weights_settle(&learner->state.weights);
}

void learner_measure(struct tlu_learner *learner, const struct binary_example *example)
{
    double *square = &learner->state.group_norm[example->group];
    if (learner->space.dual)
        return;
    *square = 0;
    for (uint32_t c = 0; c < learner_columns(learner); c++)
        if (learner->state.scheme.kind == SCHEME_WTA || c == example->part[0].column)
            *square += weights_norm(&learner->state.weights, c);
}

double learner_rate(struct tlu_learner *learner)
{
    double low = learner->rule.rate, high = learner->rule.rate_high;
    return high > low ? low + (high - low) * random_unit(&learner->state.random) : low;
}

static const struct learner_kind *kind_of(const tlu_options *options)
{
    return learner_kind_of(options);
}

bool options_count_all_passes(const tlu_options *options)
{
    int stop = options_choice(options, OPTION_STOP);
    int decide = options_choice(options, OPTION_DECIDE);
    if (stop != STOP_AUTO)
        return stop == STOP_EPOCHS;
    return kind_of(options)->traits & LEARNER_ALL_PASSES &&
           options_number(options, OPTION_HOLDOUT) == 0 &&
           (decide == DECIDE_AVERAGE || decide == DECIDE_VOTE || decide == DECIDE_RANDOM);
}

// Whether the bias is complete: that of naive Bayes contains the class priors.
static bool has_its_bias(const tlu_options *options)
{
    return !(kind_of(options)->traits & LEARNER_COUNTS) || !options_flag(options, OPTION_NO_BIAS);
}

enum logits rule_logits(const tlu_options *options, enum scheme_kind scheme)
{
    if (!(kind_of(options)->traits & LEARNER_LOGITS) || !has_its_bias(options) ||
        scheme == SCHEME_OVO) // its scores are votes
        return LOGITS_NONE;
    return scheme == SCHEME_MULTILABEL ? LOGITS_LABELS
           : scheme == SCHEME_OVR      ? LOGITS_EACH
                                       : LOGITS_TOGETHER;
}

const char *rule_no_logits(const tlu_options *options, size_t classes)
{
    bool scores = !(kind_of(options)->traits & LEARNER_LOGITS);
    if (scores && classes > 2) // --multiclass auto may choose one versus one, which has no log odds
        return "its scores are on a scale of their own; train it with --calibrate isotonic (or "
               "sigmoid, temperature), or with --learner logistic --multiclass wta";
    if (scores)
        return "its scores are on a scale of their own; train it with --calibrate isotonic (or "
               "sigmoid, temperature), or with --learner logistic";
    if (!has_its_bias(options))
        return "naive Bayes has the shares of the classes in the bias; train it without --no-bias, "
               "or with --calibrate isotonic";
    return "its scores are votes of pairs of classes; train it with --multiclass wta, or with "
           "--calibrate isotonic";
}
