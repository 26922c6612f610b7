// The list of learners. A new learner is a file here, which ends with LEARNER(id) = {...} and
// LEARNER_FUNCTIONS(id) = {...}, and a row below: --learner, models, reports, help and `tlu
// learners` use the row. A file without a row, or a row without a file, does not compile or link.
#ifndef TLU_LEARNERS_LEARNERS_H
#define TLU_LEARNERS_LEARNERS_H

#include "learn/rule.h"

// (id, name in options and models), in the order in which --learner lists them.
#define LEARNERS(ROW)                                                                              \
    ROW(perceptron, "perceptron")                                                                  \
    ROW(pa, "pa")                                                                                  \
    ROW(pa1, "pa1")                                                                                \
    ROW(pa2, "pa2")                                                                                \
    ROW(romma, "romma")                                                                            \
    ROW(aromma, "aromma")                                                                          \
    ROW(alma, "alma")                                                                              \
    ROW(arow, "arow")                                                                              \
    ROW(scw1, "scw1")                                                                              \
    ROW(scw2, "scw2")                                                                              \
    ROW(hinge, "hinge")                                                                            \
    ROW(logistic, "logistic")                                                                      \
    ROW(squared, "squared")                                                                        \
    ROW(rocchio, "rocchio")                                                                        \
    ROW(bernoulli_bayes, "bernoulli-bayes")                                                        \
    ROW(multinomial_bayes, "multinomial-bayes")                                                    \
    ROW(svm, "svm")                                                                                \
    ROW(max_margin, "max-margin")                                                                  \
    ROW(mlp, "mlp")

// The names, for the learners' files: learner_names.pa1
struct learner_names {
#define LEARNER_NAME(id, name) char id[sizeof name];
    LEARNERS(LEARNER_NAME)
#undef LEARNER_NAME
};
extern const struct learner_names learner_names;

#define LEARNER_KIND(id, name)                                                                     \
    extern const struct learner_kind learner_##id;                                                 \
    extern const struct learner_functions learner_functions_##id;
LEARNERS(LEARNER_KIND)
LEARNER_KIND(logistic_dual, "logistic") // --learner logistic --solver dual
#undef LEARNER_KIND

// Defines a learner, which must have a row in LEARNERS.
#define LEARNER(id)                                                                                \
    _Static_assert(sizeof learner_names.id > 1, "a row of LEARNERS");                              \
    const struct learner_kind learner_##id
#define LEARNER_FUNCTIONS(id) const struct learner_functions learner_functions_##id

// The choice of --learner after those: the data decides (learn/automatic.h).
enum {
#define LEARNER_ONE(id, name) +1
    LEARNER_AUTO = 0 LEARNERS(LEARNER_ONE)
#undef LEARNER_ONE
};

// The learner at an index of LEARNERS, which is also the index of the choice of --learner; NULL
// past the end.
const struct learner_kind *learner_kind_at(size_t index);
const struct learner_functions *learner_functions_at(size_t index);
// Those of --learner, and of --solver: logistic has a batch solver too. Before the data is known,
// auto stands for alma.
const struct learner_kind *learner_kind_of(const tlu_options *options);
const struct learner_functions *learner_functions_of(const tlu_options *options);

#endif
