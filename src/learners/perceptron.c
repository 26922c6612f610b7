// The perceptron (Rosenblatt 1958), as in the Elkan notes, with the learning rate eta of the
// Honavar notes and a required margin M (--margin; the default is 0):
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         if y_t (w . x_t) <= M then set w := w + eta y_t x_t
//
// If M is 0, --tie says whether a score of 0 is a mistake (learn/scheme.h); by default it is. With
// several classes (winner-takes-all in the notes), if x_t is of class k and class j has the highest
// score:
//
//     W_k := W_k + eta x_t,  W_j := W_j - eta x_t
//
// also if k and j share the highest score; then the notes change only W_k (--tie-update label).
// This is the same step in the space of all weight vectors concatenated: learn/scheme.c defines y x
// there. If --rate is an interval, eta is drawn from it at each update. On separable data the run
// still converges (an exercise of the Honavar notes).

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
             .options = "rate margin tie tie-update",
             .defaults = "",
             .decisions = "average last vote random best adaptive",
             .spaces = "primal dual",
             .schemes = "wta ovr ovo"},
    .traits = LEARNER_PASSIVE | LEARNER_TIES | LEARNER_ALL_PASSES,
};
LEARNER_FUNCTIONS(perceptron) = {.update = perceptron_update};
