// Mixing: the weighted mean of weights that were learned from different rows. tlu_model_mix
// (model/mix.c) mixes models, and a training in several processes mixes their learners
// (train/team.c). Both compute the cells by mix_cells, so that they get the same bits.
//
// The mean of values v_i with weights m_i is computed from sums that carry twice the digits of a
// double, over the values in ascending order. So it does not depend on the order of the inputs, and
// the mean of equal values is that value.
//
// The average of the weights is kept exact. Let T_i be the steps of input i, and S_i = T_i w_i -
// u_i the sum of its weights after each step (space/weights.h). The result has T, the mean of the
// T_i, and S, the mean of the S_i. So its average S / T is that over all steps of all inputs.
// Inputs that continued from a mixture have its sum and steps in each S_i and T_i, so their means
// have it once. The weights m_i do not matter for this.
//
// Learners with a variance s_i for each weight (AROW, SCW) know the weights with a low variance
// better. The mean is weighted by precision, 1 / s_i, and the precision of the result is the mean
// of the precisions. States that are sums (AdaGrad) have their plain mean.
#ifndef TLU_LEARN_MIX_H
#define TLU_LEARN_MIX_H

#include "learn/learner.h"

// A value and its weight.
struct mix_term {
    double value, weight;
};

struct mix {
    size_t count;
    const double *weights;  // [count] m_i, at least 0; one is above 0
    const double *steps;    // [count] T_i
    double total[2];        // sum of the m_i, high and low digits
    double mean_steps;      // T
    bool variances;         // the states are variances; else they are sums
    double *spread;         // [count][MIX_LANES] the m_i
    struct mix_term *terms; // [count] scratch
    double *column;         // [2][count] scratch
    double *precise;        // [count][MIX_LANES] scratch, such as weights times precisions
};

// The numbers of some cells in each input, and those of the results. u and state are NULL if the
// weights do not have them. Lanes that are not in use may have any numbers.
#define MIX_LANES 8
struct mix_cells {
    double *w, *u, *state; // [count][MIX_LANES]
    const double *weights; // [count][MIX_LANES] instead of the m_i; NULL: the m_i
    double mean_w[MIX_LANES], mean_u[MIX_LANES], mean_state[MIX_LANES];
};

// Allocates the scratch memory and computes mean_steps. `learner` has the form of all inputs.
// False: out of memory.
bool mix_init(struct mix *mix, size_t count, const double *weights, const double *steps,
              const struct tlu_learner *learner);
void mix_free(struct mix *mix);
// The mean of values[count]; `weights` NULL: all are equal.
double mix_mean(const struct mix *mix, const double *values, const double *weights);
void mix_cells(const struct mix *mix, struct mix_cells *cells);
// Options that say how a model learns, not what its weights mean: inputs may differ in them.
bool mix_option_may_differ(enum option option);
// Why learners like this one cannot be mixed: the end of a sentence after "...: "; NULL: they can.
const char *mix_obstacle(const struct tlu_learner *learner);
// After all cells are mixed: sets what follows from the weights.
void mix_finish(struct tlu_learner *learner, const struct mix *mix);

#endif
