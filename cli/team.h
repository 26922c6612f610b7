// Several processes that do the work of one: tlu train, predict, eval and cv under mpirun.
#ifndef TLU_CLI_TEAM_H
#define TLU_CLI_TEAM_H

#include "arguments.h"

#include <stdio.h>

// Joins the other processes if mpirun, or another program that starts MPI jobs, has started this
// one. *team is NULL if there is one process. Data that cannot be read in parts is an error.
tlu_status team_open(const tlu_team **team, const struct arguments *arguments, tlu_error *error);
// For a verb that runs in one process: several with the same arguments, which would do the same
// work and write the same files, are an error of each, which one of them prints.
tlu_status team_refuse(const struct arguments *arguments, tlu_error *error);
// Sets the option "part" to that of this process.
tlu_status team_take_part(const tlu_team *team, const struct arguments *arguments,
                          tlu_error *error);
// Process 0 appends to its file what the others have written to theirs, in their order.
tlu_status team_gather_text(const tlu_team *team, FILE *file, tlu_error *error);
// Replaces counts by their sums over all processes.
tlu_status team_sum_reading(const tlu_team *team, tlu_reader_stats *stats, uint64_t *marked,
                            tlu_error *error);
// Gives all processes the model of process 0, which may be NULL.
tlu_status team_share_model(const tlu_team *team, tlu_model **model, tlu_error *error);
// Ends the part in the job. `status` is what this process returns; after TLU_ERROR_SYSTEM, or with
// a signal, the process ends here, as the others may be gone.
void team_close(const tlu_team *team, tlu_status status, const tlu_error *error);
// The file from which the job can go on if it ends early; NULL: none.
void team_set_checkpoint(const char *checkpoint);
// Ends the process if the job was ended.
void team_check(const tlu_team *team);

#endif
