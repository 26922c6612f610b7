// Learning from one example:
//
//     compute the scores of its row with the current weights
//     for each binary subproblem of the example          (scheme.c)
//         update the weights by the learner's rule       (src/learners)
#include "data/batch.h"
#include "learn/decision.h"
#include "learn/learner.h"
#include "space/dual.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Not inlined: gcc 12 would keep the sum on the stack, which takes twice as long.
__attribute__((noinline)) static double norm_of(const tlu_row *x, double bias)
{
    double sum = bias;
    if (!x->values) // all values are 1
        return sum + (double)x->count;
    for (size_t i = 0; i < x->count; i++)
        sum += (double)x->values[i] * (double)x->values[i];
    return sum;
}

double learner_norm(const struct tlu_learner *learner, const tlu_row *x, uint64_t id)
{
    if (!(learner->rule.kind->traits & LEARNER_NORM))
        return 0;
    if (learner->space.dual)
        return dual_norm(learner->space.dual, id) + learner->rule.bias;
    return norm_of(x, learner->rule.bias);
}

// As weights_scores. dual_scores does not include the scale of the coefficients.
void learner_score_dual(struct tlu_learner *learner, uint64_t id)
{
    const struct weights *weights = &learner->state.weights;
    const double *scores = dual_scores(learner->space.dual, id);
    for (uint32_t c = 0; c < weights->columns; c++)
        learner->space.scores[c] =
            (weights->scale ? scores[c] * weights->scale[c] : scores[c]) + weights->bias[c];
}

// ---- the binary subproblems ----

static struct binary_example binary_example_of(const struct tlu_learner *learner,
                                               const struct example *example)
{
    double class_weight = learner->state.scheme.class_weight[example->class_index];
    return (struct binary_example){
        .x = &example->x, .id = example->id, .weight = example->weight * class_weight};
}

static inline tlu_status end_example(struct tlu_learner *learner, bool wrong, tlu_error *error)
{
    weights_step(&learner->state.weights);
    learner->state.examples++;
    learner->state.mistakes += wrong;
    bool failed = (learner->state.decision.history && learner->state.decision.history->no_memory) ||
                  (learner->space.dual && dual_failed(learner->space.dual));
    return enough_memory(!failed, error);
}

// Two classes: the example is one binary problem. Its score is space.scores[0]. Not
// inlined: most examples change nothing and would pay for its stack frame.
__attribute__((noinline)) static tlu_status learn_binary(struct tlu_learner *learner,
                                                         const struct example *example, bool *wrong,
                                                         tlu_error *error)
{
    struct binary_example problem = binary_example_of(learner, example);
    bool positive = example->class_index == learner->state.scheme.positive;
    scheme_set_column(&problem, 0, learner->space.scores[0], positive ? 1 : -1,
                      tie_is_wrong(learner->rule.tie, positive));
    problem.norm = example->norm;
    if (learner->state.decision.adapt)
        adapt_count(learner, example);
    if (problem.weight > 0 && learner->rule.functions->update(learner, &problem)) {
        learner->state.updates++;
        learner->state.group_updates[0]++;
    }
    if (learner->state.decision.pocket)
        decision_after(learner, &problem);
    *wrong = problem.wrong;
    return end_example(learner, problem.wrong, error);
}

// Several classes: the scheme turns the example into one or more binary subproblems. The scores are
// in space.scores. *wrong: another class wins.
static tlu_status learn_subproblems(struct tlu_learner *learner, const struct example *example,
                                    bool *wrong, tlu_error *error)
{
    const struct learner_functions *functions = learner->rule.functions;
    const struct scheme *scheme = &learner->state.scheme;
    struct binary_example problem = binary_example_of(learner, example);
    uint32_t count = scheme_subproblems(scheme);
    if (learner->state.decision.adapt)
        adapt_count(learner, example);
    for (uint32_t i = 0; i < count; i++) {
        scheme_subproblem(learner, example->class_index, i, &problem);
        problem.norm = example->norm * (double)problem.parts;
        if (problem.weight > 0 && functions->update(learner, &problem)) {
            learner->state.updates++;
            learner->state.group_updates[problem.group]++;
        }
        if (learner->state.decision.pocket)
            decision_after(learner, &problem);
    }
    // The prediction may be right although some subproblems are wrong.
    if (scheme->kind != SCHEME_WTA)
        problem.wrong = learner_elect(learner, learner->space.scores) != example->class_index;
    *wrong = problem.wrong;
    return end_example(learner, problem.wrong, error);
}

// Several classes, and a rule that changes all of them at once.
static tlu_status learn_classes(struct tlu_learner *learner, const struct example *example,
                                bool *wrong, tlu_error *error)
{
    struct binary_example problem = binary_example_of(learner, example);
    assert(!learner->state.decision.pocket && !learner->state.decision.history);
    problem.norm = 2 * example->norm; // as for a class and its rival
    if (learner->state.decision.adapt)
        adapt_count(learner, example);
    scheme_subproblem(learner, example->class_index, 0, &problem); // for problem.wrong
    *wrong = problem.wrong;
    if (problem.weight > 0 &&
        learner->rule.functions->update_classes(learner, &problem, example->class_index)) {
        learner->state.updates++;
        learner->state.group_updates[0]++;
    }
    return end_example(learner, *wrong, error);
}

// Several labels: each is a binary problem of its own. *wrong: the predicted set is another one.
static tlu_status learn_labels(struct tlu_learner *learner, const struct example *example,
                               bool *wrong, tlu_error *error)
{
    const struct scheme *scheme = &learner->state.scheme;
    const struct rule *rule = &learner->rule;
    const uint32_t *next = example->set + 1, *end = next + example->set[0];
    bool passive = rule->passive && !learner->state.decision.pocket;
    struct binary_example problem = {.x = &example->x, .id = example->id, .norm = example->norm};
    *wrong = false;
    if (learner->state.decision.adapt)
        adapt_count(learner, example);
    for (uint32_t k = 0; k < scheme->classes; k++) {
        bool has = next < end && *next == k;
        next += has;
        scheme_set_column(&problem, k, learner->space.scores[k], has ? 1 : -1,
                          tie_is_wrong(rule->tie, has));
        *wrong |= problem.wrong;
        if (passive && problem.margin > rule->passive_margin) // it changes nothing
            continue;
        problem.weight = example->weight * scheme_label_weight(scheme, k, has);
        if (problem.weight > 0 && rule->functions->update(learner, &problem)) {
            learner->state.updates++;
            learner->state.group_updates[k]++;
        }
        if (learner->state.decision.pocket)
            decision_after(learner, &problem);
    }
    return end_example(learner, *wrong, error);
}

tlu_status learner_learn_scored(struct tlu_learner *learner, const struct example *example,
                                bool *wrong, tlu_error *error)
{
    enum scheme_kind kind = learner->state.scheme.kind;
    bool all = kind == SCHEME_WTA && learner->rule.functions->update_classes;
    return (kind == SCHEME_TWO          ? learn_binary
            : kind == SCHEME_MULTILABEL ? learn_labels
            : all                       ? learn_classes
                                        : learn_subproblems)(learner, example, wrong, error);
}

// ---- one example ----

// The score of class k minus the highest score of the other classes.
static double lead(double *scores, size_t classes, size_t k)
{
    double own = scores[k], rival = -INFINITY;
    scores[k] = rival;
#pragma GCC unroll 4
    for (size_t c = 0; c < classes; c++)
        rival = rival > scores[c] ? rival : scores[c]; // compiles to one instruction
    scores[k] = own;
    return own - rival;
}

// Whether the example certainly changes nothing: see LEARNER_PASSIVE.
static inline bool changes_nothing(const struct tlu_learner *learner, const struct example *example)
{
    const struct scheme *scheme = &learner->state.scheme;
    double *scores = learner->space.scores, margin;
    if (!learner->rule.passive || decision_counts(&learner->state.decision))
        return false;
    if (scheme->kind == SCHEME_TWO)
        margin = example->class_index == scheme->positive ? scores[0] : -scores[0];
    else if (scheme->kind == SCHEME_WTA)
        margin = lead(scores, scheme->classes, example->class_index);
    else
        return false;
    return margin > learner->rule.passive_margin;
}

// Computes the scores of an example in the dual form, or with feature slots. Replaces its row by
// the one that updates use: a unit vector, or the slots.
__attribute__((noinline)) static tlu_status find_scores(struct tlu_learner *learner,
                                                        struct example *example, tlu_error *error)
{
    struct space *space = &learner->space;
    if (space->dual) {
        learner_score_dual(learner, example->id);
        space->unit_feature = (uint32_t)example->id;
        example->x = (tlu_row){1, &space->unit_feature, NULL};
        return TLU_OK;
    }
    if (!weights_map(&learner->state.weights, &example->x))
        return error_memory(error);
    weights_scores(&learner->state.weights, &example->x, space->scores);
    return TLU_OK;
}

tlu_status learner_learn_example(struct tlu_learner *learner, struct example *example, bool *wrong,
                                 tlu_error *error)
{
    struct weights *weights = &learner->state.weights;
    if (example->class_index >= learner->state.scheme.classes)
        TRY(learner_add_classes(learner, example->class_index + 1, error));
    assert(weights->columns > 1 || !weights->slots);
    assert(learner->space.dual || weights_cover(weights, &example->x));
    if (learner->space.dual || weights->slots)
        TRY(find_scores(learner, example, error));
    else if (weights->columns == 1)
        learner->space.scores[0] = weights_score(weights, &example->x);
    else
        weights_scores(weights, &example->x, learner->space.scores);
    if (!changes_nothing(learner, example))
        return learner_learn_scored(learner, example, wrong, error);
    *wrong = false;
    weights_step(weights);
    learner->state.examples++;
    return TLU_OK;
}

tlu_status learner_learn_row(struct tlu_learner *learner, struct example *example, bool decided,
                             bool *wrong, tlu_error *error)
{
    const struct scheme *scheme = &learner->state.scheme;
    example->norm = learner_norm(learner, &example->x, example->id);
    // A set without labels has the class TLU_NO_LABEL, which adds none.
    if (!decided || example->class_index + 1 > scheme->classes ||
        scheme->classes != learner->space.current_classes)
        return learner_learn_example(learner, example, wrong, error);
    if (!weights_map(&learner->state.weights, &example->x))
        return error_memory(error);
    memcpy(learner->space.scores, learner->space.current,
           learner->state.weights.columns * sizeof(double));
    return learner_learn_scored(learner, example, wrong, error);
}

tlu_status learner_learn(struct tlu_learner *learner, const tlu_row *x, uint64_t id,
                         uint32_t class_index, double weight, bool *wrong, tlu_error *error)
{
    struct example example = {*x, id, class_index, weight, 0, NULL};
    return learner_learn_row(learner, &example, false, wrong, error);
}

// ---- decisions ----

struct election learner_election(const struct tlu_learner *learner)
{
    bool labelled = schema_classes(&learner->state.schema) >= learner->state.scheme.classes;
    return (struct election){.kind = learner->state.scheme.kind,
                             .classes = learner->state.scheme.classes,
                             .positive = learner->state.scheme.positive,
                             .tie = learner->rule.tie,
                             .labels = labelled ? &learner->state.schema : NULL};
}

uint32_t learner_elect(const struct tlu_learner *learner, const double *scores)
{
    const struct election election = learner_election(learner);
    return election.classes < 2 ? 0 : scheme_elect(&election, scores, NULL);
}

bool learner_gives_label(const struct tlu_learner *learner, uint32_t label, double score)
{
    return output_gives_label(&learner->state.output, label, score,
                              tie_is_positive(learner->rule.tie));
}

uint32_t learner_right_labels(const struct tlu_learner *learner, const double *scores,
                              const uint32_t *set)
{
    const uint32_t *next = set + 1, *end = next + set[0];
    uint32_t right = 0;
    for (uint32_t k = 0; k < learner->state.scheme.classes; k++) {
        bool has = next < end && *next == k;
        next += has;
        right += learner_gives_label(learner, k, scores[k]) == has;
    }
    return right;
}

bool learner_is_right(const struct tlu_learner *learner, const double *scores, uint32_t class_index,
                      const uint32_t *set)
{
    if (set)
        return learner_right_labels(learner, scores, set) == learner->state.scheme.classes;
    return learner_elect(learner, scores) == class_index;
}

const struct weights *learner_deciding(const struct tlu_learner *learner)
{
    const struct weights *weights = &learner->state.weights;
    const struct pocket *pocket = learner->state.decision.pocket;
    return pocket && pocket->best.features == weights->features ? &pocket->best : weights;
}

uint32_t learner_decide(struct tlu_learner *learner, const tlu_row *x)
{
    if (learner->state.decision.adapt)
        adapt_decide(learner, x);
    else
        weights_decided_scores(learner_deciding(learner), x, learner->space.scores,
                               learner->space.current);
    learner->space.current_classes = learner->state.scheme.classes;
    if (learner->state.scheme.kind == SCHEME_MULTILABEL)
        return 0;
    if (learner->state.output.threshold.on == THRESHOLD_NONE || learner->state.scheme.classes != 2)
        return learner_elect(learner, learner->space.scores);
    bool positive = output_is_positive(&learner->state.output, learner->space.scores[0]);
    return positive ? learner->state.scheme.positive : 1 - learner->state.scheme.positive;
}
