/* allreduce.c - the sum of one number over ranks, and a barrier, by the MPI library itself: what
 * bench/ranks.lua has beside it.  Prints microseconds of one. */
#include <mpi.h>
#include <stdio.h>

enum { WARMUP = 20, ROUNDS = 300 };

static void print(const char *name, int ranks, int rank, double start)
{
    if (rank == 0)
        printf("library %s %d %.2f\n", name, ranks, (MPI_Wtime() - start) * 1e6 / ROUNDS);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double start = 0, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = -WARMUP; round < ROUNDS; round++) {
        if (round == 0)
            start = MPI_Wtime();
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    print("allreduce", ranks, rank, start);
    for (int round = -WARMUP; round < ROUNDS; round++) {
        if (round == 0)
            start = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    print("barrier", ranks, rank, start);
    MPI_Finalize();
    return sum != ranks;
}
