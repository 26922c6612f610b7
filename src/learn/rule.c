#include "learn/rule.h"

#include "learners/learners.h"

void rule_read(struct rule *rule, const tlu_options *options)
{
    rule->kind = learner_kind_at((size_t)options_choice(options, OPTION_LEARNER));
    rule->rate = options_number(options, OPTION_RATE);
    rule->rate_high = options_high(options, OPTION_RATE);
    rule->bias = !options_flag(options, OPTION_NO_BIAS);
    rule->tie = options_choice(options, OPTION_TIE);
    rule->margin = options_number(options, OPTION_MARGIN);
    rule->C = options_number(options, OPTION_C);
    rule->r = options_number(options, OPTION_R);
    rule->alpha = options_number(options, OPTION_ALPHA);
    rule->precision = options_choice(options, OPTION_DIAGONAL) == DIAGONAL_PRECISION;
    rule->l2 = options_number(options, OPTION_L2);
    rule->schedule = options_choice(options, OPTION_SCHEDULE);
}
