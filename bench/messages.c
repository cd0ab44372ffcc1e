/* messages.c - what bench/messages.lua does, by the MPI library itself between memory that is
 * there, and a memcpy of as many bytes: of each the least seconds, and the megabytes that the
 * busiest rank receives.  The library is found and loaded as by lunarray, and its constants are
 * those of prims/net/mpi_transport.c, so that no header is needed.
 * usage: mpirun -n 2 messages megabytes repetitions */
#include "net/mpi_transport.c"

#include <sys/mman.h>

#include "base/clock.h"

/* Every function that is called: name, parameters, by the handles D, C and the status S. */
#define CALLED(F, D, C, S)                                    \
    F(Barrier, (C))                                           \
    F(Bcast, (void *, int, D, int, C))                        \
    F(Send, (const void *, int, D, int, int, C))              \
    F(Recv, (void *, int, D, int, int, C, S *))               \
    F(Gather, (const void *, int, D, void *, int, D, int, C)) \
    F(Allgather, (const void *, int, D, void *, int, D, C))   \
    F(Alltoall, (const void *, int, D, void *, int, D, C))
#define FIND(name, parameters) \
    int(*name) parameters;     \
    *(void **)&name = dlsym(RTLD_DEFAULT, "MPI_" #name);

enum { BCAST, SEND, GATHER, ALLGATHER, ALLTOALL, COPY, CALLS };
static const char *const names[] = {"bcast", "send", "gather", "allgather", "alltoall", "memcpy"};

static char *own, *from, *all; /* count bytes, count for each rank, as many */
static int count, reps;

/* For one binary interface. */
#define MEASURE(abi)                                                             \
    static void call_##abi(const lun_net *n, int what)                           \
    {                                                                            \
        const mpi_##abi *m = (const mpi_##abi *)n;                               \
        CALLED(FIND, __typeof__(m->byte), __typeof__(m->comm), mpi_status_##abi) \
        mpi_status_##abi status;                                                 \
        switch (what) {                                                          \
        case BCAST:                                                              \
            Bcast(n->rank ? all : own, count, m->byte, 0, m->comm);              \
            break;                                                               \
        case SEND:                                                               \
            if (n->rank == 0)                                                    \
                Send(own, count, m->byte, 1, 0, m->comm);                        \
            else if (n->rank == 1)                                               \
                Recv(all, count, m->byte, 0, 0, m->comm, &status);               \
            break;                                                               \
        case GATHER:                                                             \
            Gather(own, count, m->byte, all, count, m->byte, 0, m->comm);        \
            break;                                                               \
        case ALLGATHER:                                                          \
            Allgather(own, count, m->byte, all, count, m->byte, m->comm);        \
            break;                                                               \
        case ALLTOALL:                                                           \
            Alltoall(from, count, m->byte, all, count, m->byte, m->comm);        \
            break;                                                               \
        case COPY:                                                               \
            if (n->rank == 0)                                                    \
                memcpy(all, own, (size_t)count);                                 \
            break;                                                               \
        default:                                                                 \
            Barrier(m->comm);                                                    \
        }                                                                        \
    }
MEASURE(mpich)
MEASURE(openmpi)
MEASURE(abi)

/* In large pages, as arrays are. */
static char *memory(size_t bytes)
{
    const size_t page = 2 << 20, whole = (bytes + page - 1) / page * page;
    char *at = aligned_alloc(page, whole);
    if (at) {
        madvise(at, whole, MADV_HUGEPAGE);
        memset(at, 1, whole);
    }
    return at;
}

static void measure(const lun_net *n, void (*call)(const lun_net *n, int what))
{
    for (int what = 0; what < CALLS; what++) {
        double best = 1e30;
        for (int r = 0; r < reps; r++) {
            call(n, CALLS);
            const double start = lun__clock_now();
            call(n, what);
            call(n, CALLS);
            const double time = lun__clock_now() - start;
            best = time < best ? time : best;
        }
        const int others = what == GATHER || what == ALLGATHER || what == ALLTOALL;
        if (n->rank == 0)
            printf("%s %.6f %.1f\n", names[what], best, (others ? n->size - 1 : 1) * 1e-6 * count);
    }
}

int main(int argc, char **argv)
{
    const lun_net_launch launch = lun__launcher_env();
    char why[2048] = "no launcher says that there are several processes";
    lun_net *n = launch.size > 1 ? lun__mpi_transport(&launch, 0, why, (int)sizeof why) : NULL;
    if (!n) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    count = (argc > 1 ? atoi(argv[1]) : 256) * 1000000;
    reps = argc > 2 ? atoi(argv[2]) : 5;
    const size_t bytes = (size_t)count, of_all = bytes * (size_t)n->size;
    own = memory(bytes);
    from = memory(of_all);
    all = memory(of_all);
    const bool ok = own && from && all;
    if (ok) {
        const bool mpich = n->calls->iagree == iagree_mpich;
        const bool open = n->calls->iagree == iagree_openmpi;
        measure(n, mpich ? call_mpich : open ? call_openmpi : call_abi);
    }
    free(own);
    free(from);
    free(all);
    n->calls->close(n);
    return ok ? 0 : 1;
}
