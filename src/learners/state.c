#include "learners/state.h"

// Records the gains of a step before it is made: the rule is applied to copies of the states. The
// parts of an example have different columns, so no part depends on another.
void state_record(struct tlu_learner *learner, const struct binary_example *example,
                  state_rule *rule, double a, double b)
{
    const struct weights *weights = &learner->state.weights;
    const tlu_row *x = example->x;
    double *gain = decision_record_gains(learner, example, a);
    for (size_t p = 0; gain && p < example->parts; p++) {
        uint32_t column = example->part[p].column;
        for (size_t i = 0; i < x->count; i++) {
            double state =
                weights_state(weights, (size_t)row_feature(x, i) * weights->columns + column);
            *gain++ = rule(&state, row_value(x, i), a, b);
        }
        double state = weights->state_bias[column];
        if (learner->rule.bias)
            *gain++ = rule(&state, 1, a, b);
    }
}
