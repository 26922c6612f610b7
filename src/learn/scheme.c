// Schemes: from an example of one class among many to the y (w . x) of the notes.
//
// Two classes share one weight vector: y is +1 for the positive class and -1 for the other.
//
// More classes have a weight vector each and the winner takes all (Honavar notes): x of class k is
// right where W_k . x > W_j . x for every j. Where class j alone won instead, the step is +x for
// W_k and -x for W_j; where the highest score was a tie, nobody won and only W_k steps.

#include "learn/learner.h"

static void present_two(struct tlu_learner *learner, uint32_t class_index, struct example *e)
{
    double y = class_index == learner->plus ? 1 : -1;
    e->margin = y * learner->scores[0];
    bool tie_is_wrong = learner->tie == TIE_MISTAKE || (learner->tie == TIE_POSITIVE && y < 0) ||
                        (learner->tie == TIE_NEGATIVE && y > 0);
    e->wrong = e->margin < 0 || (e->margin == 0 && tie_is_wrong);
    e->parts = 1;
    e->part[0].column = 0;
    e->part[0].sign = y;
}

static void present_winner_takes_all(struct tlu_learner *learner, uint32_t k, struct example *e)
{
    const double *scores = learner->scores;
    uint32_t rival = k == 0 ? 1 : 0; // the best of the others
    bool alone = true;               // no other is as good as the rival
    for (uint32_t j = rival + 1; j < learner->weights.columns; j++) {
        if (j == k || scores[j] < scores[rival])
            continue;
        alone = scores[j] > scores[rival];
        if (alone)
            rival = j;
    }
    e->margin = scores[k] - scores[rival];
    e->wrong = e->margin < 0 || (e->margin == 0 && learner->tie != TIE_POSITIVE);
    e->parts = e->margin < 0 && alone ? 2 : 1;
    e->part[0].column = k;
    e->part[0].sign = 1;
    e->part[1].column = rival;
    e->part[1].sign = -1;
}

void scheme_present(struct tlu_learner *learner, const tlu_row *x, uint32_t class_index,
                    struct example *example)
{
    weights_scores(&learner->weights, x, learner->scores);
    example->x = x;
    if (learner->weights.columns == 1)
        present_two(learner, class_index, example);
    else
        present_winner_takes_all(learner, class_index, example);
}

uint32_t scheme_winner(const double *scores, uint32_t columns, uint32_t plus)
{
    if (columns == 1)
        return scores[0] >= 0 ? plus : 1 - plus;
    uint32_t winner = 0;
    for (uint32_t j = 1; j < columns; j++)
        if (scores[j] > scores[winner])
            winner = j;
    return winner;
}
