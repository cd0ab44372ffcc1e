/* allreduce.c - an allreduce of one word over ranks, and a barrier, by the MPI library itself,
 * called as it is meant to be: what bench/ranks.lua has beside it.  The library is found and loaded
 * as by lunarray, and its constants are those of prims/net/mpi_transport.c, so that no header is
 * needed. Prints microseconds of one. */
#include "net/mpi_transport.c"

#include "base/clock.h"

enum { WARMUP = 20, ROUNDS = 300 };

static void print(const lun_net *n, const char *name, double start)
{
    if (n->rank == 0)
        printf("library %s %d %.2f\n", name, n->size, (lun__clock_now() - start) * 1e6 / ROUNDS);
}

/* For one binary interface: every rank gives all bits but its own one, of which none is left. */
#define MEASURE(abi)                                                                            \
    static int measure_##abi(lun_net *n)                                                        \
    {                                                                                           \
        const mpi_##abi *me = (mpi_##abi *)n;                                                   \
        int (*allreduce)(const void *, void *, int, __typeof__(me->byte), __typeof__(me->band), \
                         __typeof__(me->comm));                                                 \
        int (*barrier)(__typeof__(me->comm));                                                   \
        *(void **)&allreduce = dlsym(RTLD_DEFAULT, "MPI_Allreduce");                            \
        *(void **)&barrier = dlsym(RTLD_DEFAULT, "MPI_Barrier");                                \
        uint64_t own = ~(UINT64_C(1) << n->rank % 64), all = 0;                                 \
        double start = 0;                                                                       \
        for (int round = -WARMUP; allreduce && barrier && round < ROUNDS; round++) {            \
            start = round == 0 ? lun__clock_now() : start;                                      \
            allreduce(&own, &all, sizeof own, me->byte, me->band, me->comm);                    \
        }                                                                                       \
        print(n, "allreduce", start);                                                           \
        for (int round = -WARMUP; allreduce && barrier && round < ROUNDS; round++) {            \
            start = round == 0 ? lun__clock_now() : start;                                      \
            barrier(me->comm);                                                                  \
        }                                                                                       \
        print(n, "barrier", start);                                                             \
        return all == (n->size < 64 ? ~UINT64_C(0) << n->size : 0) ? 0 : 1;                     \
    }
MEASURE(mpich)
MEASURE(openmpi)
MEASURE(abi)

int main(void)
{
    const lun_net_launch launch = lun__launcher_env();
    char why[2048] = "no launcher says that there are several processes";
    lun_net *n = launch.size > 1 ? lun__mpi_transport(&launch, 0, why, (int)sizeof why) : NULL;
    if (!n) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    const bool mpich = n->calls->iagree == iagree_mpich, open = n->calls->iagree == iagree_openmpi;
    const int code = mpich ? measure_mpich(n) : open ? measure_openmpi(n) : measure_abi(n);
    n->calls->close(n);
    return code;
}
