// One example: scores, the scheme's questions about it, an update for each that asks for one.
#include "data/batch.h"
#include "learn/adapt.h"
#include "learn/decision.h"
#include "learn/learner.h"
#include "space/dual.h"

#include <string.h>

// |x|^2, with the 1 of the bias. Inlined, gcc 12 would keep the sum on the stack, which takes twice
// as long.
static __attribute__((noinline)) double norm_of(const struct tlu_learner *learner, const tlu_row *x,
                                                uint64_t id)
{
    if (learner->space.dual)
        return dual_norm(learner->space.dual, id) + learner->rule.bias;
    double sum = learner->rule.bias;
    if (!x->values) // all are 1
        return sum + (double)x->count;
    for (size_t i = 0; i < x->count; i++)
        sum += (double)x->values[i] * (double)x->values[i];
    return sum;
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

// With the scores as the weights have them.
static tlu_status learn_scored(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                               uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    const struct learner_kind *kind = learner->rule.kind;
    struct example question = {
        .x = x, .id = id, .weight = weight * learner->scheme.class_weight[class_index]};
    double norm = kind->traits & LEARNER_NORM ? norm_of(learner, x, id) : 0;
    if (learner->decision.adapt)
        adapt_count(learner, class_index);
    for (uint32_t i = 0, count = scheme_questions(&learner->scheme); i < count; i++) {
        scheme_ask(learner, class_index, i, &question);
        question.norm = norm * (double)question.parts;
        if (question.weight > 0 && kind->update(learner, &question)) {
            learner->updates++;
            learner->space.group_updates[question.group]++;
        }
        decision_after(learner, &question);
    }
    *wrong = question.wrong;
    // Of several problems some may be wrong while the elected class is right.
    if (learner->scheme.kind == SCHEME_OVR || learner->scheme.kind == SCHEME_OVO)
        *wrong = scheme_elect(learner->scheme.kind, learner->space.scores, learner->scheme.classes,
                              learner->scheme.positive, NULL) != class_index;
    weights_step(&learner->space.weights);
    learner->examples++;
    learner->mistakes += *wrong;
    bool failed = (learner->decision.history && learner->decision.history->no_memory) ||
                  (learner->space.dual && dual_failed(learner->space.dual));
    return enough_memory(!failed, error);
}

tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    if (class_index >= learner->scheme.classes)
        TRY(learner_add_classes(learner, class_index + 1, error));
    uint32_t row_number = (uint32_t)id;
    tlu_row unit = {1, &row_number, NULL}; // the row in the space of the dual form
    if (learner->space.dual) {
        learner_score_dual(learner, id);
        return learn_scored(learner, &unit, id, class_index, weight, wrong, error);
    }
    tlu_row seated = *x;
    if (!weights_seat(&learner->space.weights, &seated))
        return error_memory(error);
    weights_scores(&learner->space.weights, &seated, learner->space.scores);
    return learn_scored(learner, &seated, id, class_index, weight, wrong, error);
}

tlu_status learner_learn_decided(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                                 uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    if (class_index >= learner->scheme.classes ||
        learner->scheme.classes != learner->space.current_classes)
        return learner_learn(learner, x, id, class_index, weight, wrong, error);
    tlu_row seated = *x;
    if (!weights_seat(&learner->space.weights, &seated))
        return error_memory(error);
    memcpy(learner->space.scores, learner->space.current,
           learner->space.weights.columns * sizeof(double));
    return learn_scored(learner, &seated, id, class_index, weight, wrong, error);
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
    return learner_elect(learner, learner->space.scores);
}
