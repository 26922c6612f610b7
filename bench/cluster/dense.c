/* The time of a dense reduction, to compare with that of a mixture (docs/cluster.md):

       mpicc -O2 dense.c -o dense; mpirun -n 2 ./dense CELLS [TIMES]

   All processes add vectors of CELLS doubles by MPI_Allreduce, TIMES times (20). Process 0 prints
   the mean of the seconds, without the first time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    long cells = count > 1 ? atol(words[1]) : 0, times = count > 2 ? atol(words[2]) : 20;
    double *own, *sums, started = 0;
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = calloc((size_t)cells + 1, sizeof *own);
    sums = calloc((size_t)cells + 1, sizeof *sums);
    if (cells < 1 || cells > 1 << 30 || times < 1 || !own || !sums) {
        fprintf(stderr, "usage: dense CELLS [TIMES]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (long i = 0; i < cells; i++)
        own[i] = rank + i;
    for (long k = 0; k <= times; k++) {
        if (k == 1)
            started = MPI_Wtime();
        MPI_Allreduce(own, sums, (int)cells, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%.9f\n", (MPI_Wtime() - started) / (double)times);
    free(own);
    free(sums);
    MPI_Finalize();
    return 0;
}
