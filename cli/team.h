// Several processes that train one model: tlu train under mpirun.
#ifndef TLU_CLI_TEAM_H
#define TLU_CLI_TEAM_H

#include "tlu.h"

#include <stdbool.h>

// Joins the other processes if mpirun, or another program that starts MPI jobs, has started this
// one. *team is NULL if there is one process.
tlu_status team_open(const tlu_team **team, tlu_error *error);
// Gives all processes the model of process 0, which may be NULL.
tlu_status team_share_model(const tlu_team *team, tlu_model **model, tlu_error *error);
// Ends the part in the job. `status` is what this process returns; after TLU_ERROR_SYSTEM, or with
// a signal, the process ends here, as the others may be gone.
void team_close(const tlu_team *team, tlu_status status, const tlu_error *error,
                const char *checkpoint);
// Ends the process if the job was ended. `checkpoint`: the file from which it can go on, or NULL.
void team_check(const tlu_team *team, const char *checkpoint);

#endif
