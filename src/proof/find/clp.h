// The functions of Clp that we call. The library is loaded on first use (base/load/library.h).
#ifndef TLU_PROOF_FIND_CLP_H
#define TLU_PROOF_FIND_CLP_H

#include "base/load/library.h"

#include <Clp_C_Interface.h>

#define CLP_FUNCTIONS(F)                                                                           \
    F(newModel)                                                                                    \
    F(deleteModel)                                                                                 \
    F(setLogLevel)                                                                                 \
    F(loadProblem)                                                                                 \
    F(setMaximumSeconds)                                                                           \
    F(primal)                                                                                      \
    F(dual)                                                                                        \
    F(status)                                                                                      \
    F(objectiveValue)                                                                              \
    F(primalColumnSolution)                                                                        \
    F(dualRowSolution)                                                                             \
    F(columnUpper)                                                                                 \
    F(getColumnStatus)                                                                             \
    F(getRowStatus)

struct clp {
#define CLP_FIELD(name) __typeof__(&Clp_##name) name;
    CLP_FUNCTIONS(CLP_FIELD)
#undef CLP_FIELD
};

enum library_state clp_load(struct clp *clp, char why[LIBRARY_WHY]);

#endif
