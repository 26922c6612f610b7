// The perceptron (Rosenblatt 1958), as in the Elkan notes, with the learning rate of the Honavar
// notes:
//
//     initialize w = 0
//     for t = 1, 2, 3, ...
//         if y_t (w . x_t) <= 0 then set w := w + eta y_t x_t
//
// With several classes (the notes' winner-take-all group) x_t of class k, won by class j, is
//
//     W_k := W_k + eta x_t,  W_j := W_j - eta x_t      (only W_k where there was a tie)
//
// which is the same step in the space of all weight vectors together: scheme.c says what y x is.

#include "learn/learner.h"

static bool perceptron_update(struct tlu_learner *learner, const struct example *example)
{
    double eta = learner->rate * example->weight;
    if (example->wrong) { // y (w . x) <= 0
        learner_add(learner, example, eta);
        return true;
    }
    return false;
}

const struct learner_kind learner_perceptron = {
    .info = {.name = "perceptron",
             .summary = "updates at mistakes only; averaged it is a fast, robust default",
             .reference = "Rosenblatt 1958; Freund and Schapire 1999",
             .options = "epochs rate shuffle seed no-bias tie positive class-weight holdout "
                        "patience",
             .decisions = "average last",
             .schemes = "two wta"},
    .update = perceptron_update,
};
