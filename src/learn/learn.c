// One example: scores, the scheme's questions about it, an update for each that asks for one.
#include "data/batch.h"
#include "learn/adapt.h"
#include "learn/decision.h"
#include "learn/learner.h"
#include "space/dual.h"

#include <math.h>
#include <string.h>

// Inlined, gcc 12 would keep the sum on the stack, which takes twice as long.
__attribute__((noinline)) double learner_norm(const struct tlu_learner *learner, const tlu_row *x)
{
    double sum = learner->rule.bias;
    if (!x->values) // all are 1
        return sum + (double)x->count;
    for (size_t i = 0; i < x->count; i++)
        sum += (double)x->values[i] * (double)x->values[i];
    return sum;
}

static double norm_of(const struct tlu_learner *learner, const tlu_row *x, uint64_t id)
{
    if (!(learner->rule.kind->traits & LEARNER_NORM))
        return 0;
    if (learner->space.dual)
        return dual_norm(learner->space.dual, id) + learner->rule.bias;
    return learner_norm(learner, x);
}

// As weights_scores: S is in the unit of the coefficients, which the scale brings to that of w.
void learner_score_dual(struct tlu_learner *learner, uint64_t id)
{
    const struct weights *weights = &learner->space.weights;
    const double *scores = dual_scores(learner->space.dual, id);
    for (uint32_t c = 0; c < weights->columns; c++)
        learner->space.scores[c] =
            (weights->scale ? scores[c] * weights->scale[c] : scores[c]) + weights->bias[c];
}

#define SPECIALISED __attribute__((always_inline)) static inline

// The questions of an example, with the scores as the weights have them; tells whether it was a
// mistake. Two classes have one question and a copy of this function, with `scheme` as a constant.
SPECIALISED bool answer(struct tlu_learner *learner, const struct example *example,
                        enum scheme_kind scheme)
{
    const struct learner_functions *functions = learner->rule.functions;
    double class_weight = learner->scheme.class_weight[example->class_index];
    struct binary_example question = {
        .x = &example->x, .id = example->id, .weight = example->weight * class_weight};
    uint32_t count = scheme == SCHEME_TWO ? 1 : scheme_questions(&learner->scheme);
    for (uint32_t i = 0; i < count; i++) {
        if (scheme == SCHEME_TWO)
            scheme_ask_column(&question, 0, learner->space.scores[0],
                              example->class_index == learner->scheme.positive ? 1 : -1,
                              learner->rule.tie);
        else
            scheme_ask(learner, example->class_index, i, &question);
        question.norm = example->norm * (double)question.parts;
        if (question.weight > 0 && functions->update(learner, &question)) {
            learner->updates++;
            learner->space.group_updates[question.group]++;
        }
        if (learner->decision.pocket)
            decision_after(learner, &question);
    }
    // Of several problems some may be wrong while the elected class is right.
    if (scheme == SCHEME_OVR || scheme == SCHEME_OVO)
        return scheme_elect(scheme, learner->space.scores, learner->scheme.classes,
                            learner->scheme.positive, NULL) != example->class_index;
    return question.wrong;
}

SPECIALISED tlu_status learn_scored(struct tlu_learner *learner, const struct example *example,
                                    enum scheme_kind scheme, bool *wrong, tlu_error *error)
{
    if (learner->decision.adapt)
        adapt_count(learner, example->class_index);
    bool mistake = *wrong = answer(learner, example, scheme);
    weights_step(&learner->space.weights);
    learner->examples++;
    learner->mistakes += mistake;
    bool failed = (learner->decision.history && learner->decision.history->no_memory) ||
                  (learner->space.dual && dual_failed(learner->space.dual));
    return enough_memory(!failed, error);
}

static tlu_status learn_with_scores(struct tlu_learner *learner, const struct example *example,
                                    bool *wrong, tlu_error *error)
{
    return learn_scored(learner, example, learner->scheme.kind, wrong, error);
}

// Not inlined, as most examples do not come to it and would pay for its room on the stack.
__attribute__((noinline)) static tlu_status
learn_two(struct tlu_learner *learner, const struct example *example, bool *wrong, tlu_error *error)
{
    return learn_scored(learner, example, SCHEME_TWO, wrong, error);
}

static tlu_status learn_dual(struct tlu_learner *learner, const struct example *example,
                             bool *wrong, tlu_error *error)
{
    struct example unit = *example; // the row in the space of the dual form
    uint32_t row_number = (uint32_t)example->id;
    unit.x = (tlu_row){1, &row_number, NULL};
    learner_score_dual(learner, example->id);
    return learn_with_scores(learner, &unit, wrong, error);
}

// One with several weight vectors, or whose class comes into play.
static tlu_status learn_unusual(struct tlu_learner *learner, const struct example *example,
                                bool *wrong, tlu_error *error)
{
    struct weights *weights = &learner->space.weights;
    struct example mapped = *example;
    if (example->class_index >= learner->scheme.classes)
        TRY(learner_add_classes(learner, example->class_index + 1, error));
    if (learner->space.dual)
        return learn_dual(learner, example, wrong, error);
    if (!weights_map(weights, &mapped.x))
        return error_memory(error);
    weights_scores(weights, &mapped.x, learner->space.scores);
    return learn_with_scores(learner, &mapped, wrong, error);
}

// An example of which it is known that it changes nothing.
static tlu_status pass_over(struct tlu_learner *learner, bool *wrong)
{
    *wrong = false;
    weights_step(&learner->space.weights);
    learner->examples++;
    return TLU_OK;
}

// By how much class k is ahead of all others.
static double lead(double *scores, size_t classes, size_t k)
{
    double own = scores[k], rival = -INFINITY;
    scores[k] = rival;
#pragma GCC unroll 4
    for (size_t c = 0; c < classes; c++)
        rival = rival > scores[c] ? rival : scores[c]; // one instruction
    scores[k] = own;
    return own - rival;
}

// Winner takes all, the usual case of several classes.
static tlu_status learn_winner(struct tlu_learner *learner, const struct example *example,
                               bool *wrong, tlu_error *error)
{
    double *scores = learner->space.scores;
    weights_scores(&learner->space.weights, &example->x, scores);
    if (learner->rule.passive && !decision_counts(&learner->decision) &&
        lead(scores, learner->scheme.classes, example->class_index) > learner->rule.passive_margin)
        return pass_over(learner, wrong);
    return learn_with_scores(learner, example, wrong, error);
}

tlu_status learner_take(struct tlu_learner *learner, const struct example *example, bool *wrong,
                        tlu_error *error)
{
    struct weights *weights = &learner->space.weights;
    if (learner->space.dual || example->class_index >= learner->scheme.classes)
        return learn_unusual(learner, example, wrong, error);
    if (learner->scheme.kind == SCHEME_WTA && !weights->slots)
        return learn_winner(learner, example, wrong, error);
    if (learner->scheme.kind != SCHEME_TWO || weights->columns != 1)
        return learn_unusual(learner, example, wrong, error);
    double score = learner->space.scores[0] = weights_score(weights, &example->x);
    double margin = example->class_index == learner->scheme.positive ? score : -score;
    if (margin > learner->rule.passive_margin && learner->rule.passive &&
        !decision_counts(&learner->decision))
        return pass_over(learner, wrong);
    return learn_two(learner, example, wrong, error);
}

tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    struct example example = {*x, id, class_index, weight, norm_of(learner, x, id)};
    return learner_take(learner, &example, wrong, error);
}

tlu_status learner_learn_decided(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                                 uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    if (class_index >= learner->scheme.classes ||
        learner->scheme.classes != learner->space.current_classes)
        return learner_learn(learner, x, id, class_index, weight, wrong, error);
    struct example example = {*x, id, class_index, weight, norm_of(learner, x, id)};
    if (!weights_map(&learner->space.weights, &example.x))
        return error_memory(error);
    memcpy(learner->space.scores, learner->space.current,
           learner->space.weights.columns * sizeof(double));
    return learn_with_scores(learner, &example, wrong, error);
}

uint32_t learner_elect(const struct tlu_learner *learner, const double *scores)
{
    if (learner->scheme.classes < 2)
        return 0;
    uint32_t winner = scheme_elect(learner->scheme.kind, scores, learner->scheme.classes,
                                   learner->scheme.positive, NULL);
    // Of equals a model takes the first by label; here classes are in the order of appearance.
    bool by_class = learner->scheme.kind == SCHEME_WTA || learner->scheme.kind == SCHEME_OVR;
    for (uint32_t c = winner + 1; by_class && c < learner->scheme.classes; c++)
        if (scores[c] == scores[winner] &&
            schema_label_compare(learner->schema.spelled[c], learner->schema.spelled[winner]) < 0)
            winner = c;
    return winner;
}

const struct weights *learner_deciding(const struct tlu_learner *learner)
{
    const struct weights *weights = &learner->space.weights;
    const struct pocket *pocket = learner->decision.pocket;
    return pocket && pocket->best.features == weights->features ? &pocket->best : weights;
}

uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x)
{
    if (learner->decision.adapt)
        adapt_decide(learner, x);
    else
        weights_decided_scores(learner_deciding(learner), x, learner->space.scores,
                               learner->space.current);
    learner->space.current_classes = learner->scheme.classes;
    if (learner->output.threshold.on == THRESHOLD_NONE || learner->scheme.classes != 2)
        return learner_elect(learner, learner->space.scores);
    bool positive = output_is_positive(&learner->output, learner->space.scores[0]);
    return positive ? learner->scheme.positive : 1 - learner->scheme.positive;
}
