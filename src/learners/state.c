#include "learners/state.h"

// The rule works on copies of the states: the step itself comes after this. The columns of an
// example's parts differ, so that no part sees what another changes.
void state_record(struct tlu_learner *learner, const struct binary_example *example,
                  state_rule *rule, double a, double b)
{
    const struct weights *weights = &learner->space.weights;
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
