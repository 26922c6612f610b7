// The perceptron (Rosenblatt 1958), as in the Elkan notes, with the learning rate of the Honavar
// notes and, if wanted, a margin M that an example must have:
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         if y_t (w . x_t) <= M then set w := w + eta y_t x_t
//
// If M is 0, --tie says whether a score of 0 is a mistake (learn/scheme.h); it is by default.
// With several classes (the notes' winner-take-all group) x_t of class k, won by class j, is
//
//     W_k := W_k + eta x_t,  W_j := W_j - eta x_t      (only W_k if there was a tie)
//
// which is the same step in the space of all weight vectors together (learn/scheme.c).
// If eta is an interval it is drawn from it at each update; the run still ends on data that can be
// separated (the exercise of the Honavar notes).

#include "learn/learner.h"

static bool perceptron_update(struct tlu_learner *learner, const struct binary_example *example)
{
    bool close = learner->rule.margin > 0 && example->margin <= learner->rule.margin;
    if (!example->wrong && !close)
        return false;
    double eta = learner_rate(learner) * example->weight;
    learner_add(learner, example, eta);
    return true;
}

LEARNER(perceptron) = {
    .info = {.name = learner_names.perceptron,
             .complexity = 2,
             .summary = "updates at mistakes only; the cheapest pass over the data",
             .reference = "Rosenblatt 1958; Freund and Schapire 1999",
             .options = "rate margin tie",
             .defaults = "",
             .decisions = "average last vote random best adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_TIES | LEARNER_PASSIVE,
};
LEARNER_FUNCTIONS(perceptron) = {.update = perceptron_update};
