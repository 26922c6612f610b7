/* The module by which `tlu train` runs under mpirun. It is loaded on demand, so that tlu does not
   link MPI. */
#ifndef TLU_MPI_H
#define TLU_MPI_H

#include "tlu.h"

#define TLU_MPI_MODULE "tlu-mpi.so"

typedef struct tlu_mpi_functions {
    unsigned version; /* TLU_VERSION_NUMBER of the module */
    /* Starts MPI and fills `team`. An exchange ends with an error as soon as stopped() is not 0, or
       if the program that started the processes has gone. */
    tlu_status (*open)(tlu_team *team, int (*stopped)(void), tlu_error *error);
    void (*close)(void); /* all processes call it, after the last exchange */
} tlu_mpi_functions;

/* The only symbol of the module. */
extern const tlu_mpi_functions tlu_mpi;

#endif
