/* launcher_env.c - what the variables of launchers say of this process. */
#include <stdlib.h>
#include <string.h>

#include "net/net.h"

/* The number that a variable holds, -1 if it holds none. */
static int number(const char *variable)
{
    const char *s = variable ? getenv(variable) : NULL;
    char *end;
    long x = s && *s ? strtol(s, &end, 10) : -1;
    return s && *s && !*end && x >= 0 && x < 1 << 20 ? (int)x : -1;
}

/* A row for each launcher: where it puts size and rank; the first whose variables are there holds.
 * Slurm's own are those of a step, which processes of a batch script outside srun have not. */
static const struct row {
    const char *size, *rank;
    bool mpich, openmpi;
} rows[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", false, true},
    {"PMI_SIZE", "PMI_RANK", true, false},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", true, false},
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", false, false},
};

/* Where launchers put the number among the processes of a machine: each sets its own alone, but for
 * Slurm, which may start another one's. */
static const char *const locals[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                     "MV2_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID",
                                     "SLURM_LOCALID"};

static int local_rank(int rank)
{
    int local = -1;
    for (size_t i = 0; i < sizeof locals / sizeof locals[0] && local < 0; i++)
        local = number(locals[i]);
    return local < 0 ? rank : local;
}

lun_net_launch lun__launcher_env(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int size = number(rows[i].size), rank = number(rows[i].rank);
        if (size >= 1 && rank >= 0 && rank < size)
            return (lun_net_launch){.rank = rank,
                                    .size = size,
                                    .local = local_rank(rank),
                                    .launcher = rows[i].size,
                                    .mpich = rows[i].mpich,
                                    .openmpi = rows[i].openmpi};
    }
    return (lun_net_launch){.size = 1};
}
