/* mpi_transport.c - the transport over MPI, found and loaded at run time: no header, no compiler
 * wrapper, nothing linked. Three binary interfaces exist and are stable: MPI's own since version 5,
 * MPICH's and Open MPI's. Knows no engine.
 *
 * MPI's start returns once every process of the launcher has started MPI, and cannot be cancelled:
 * under a limit of time it runs in a thread, which is abandoned if others do not come. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/library.h"
#include "base/thread.h"
#include "net/net.h"

/* ---- MPI's start under a limit of time ------------------------------------------------------- */

/* Init_thread of whichever MPI it is. */
typedef int init_thread_fn(int *argc, char ***argv, int wanted, int *provided);

/* What a start waits for at most, and whether that was too little. */
typedef struct patience {
    double seconds; /* 0: no limit */
    double until;   /* by lun__clock_now */
    bool late;
} patience;

/* Shared by the caller and the thread; the last one of them frees it. */
typedef struct beginning {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    init_thread_fn *init;
    int wanted, code, users;
    bool done;
} beginning;

static patience start_patience(double seconds)
{
    return (patience){.seconds = seconds,
                      .until = seconds > 0 ? lun__clock_now() + seconds : HUGE_VAL};
}

/* The lock is held; it is released. */
static void let_go(beginning *b)
{
    const bool last = --b->users == 0;
    pthread_mutex_unlock(&b->lock);
    if (!last)
        return;
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

static void *begin(void *self)
{
    beginning *b = self;
    int provided = 0;
    const int code = b->init(NULL, NULL, b->wanted, &provided);
    pthread_mutex_lock(&b->lock);
    b->code = code;
    b->done = true;
    pthread_cond_signal(&b->changed);
    let_go(b);
    return NULL;
}

static beginning *new_beginning(init_thread_fn *init, int wanted)
{
    beginning *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->init = init;
    b->wanted = wanted;
    b->users = 2;
    pthread_mutex_init(&b->lock, NULL);
    lun__thread_condition(&b->changed);
    return b;
}

/* Calls it; *code: what it gives. False: the time is over, and it goes on in a thread of its own,
 * which nothing ends. A limit takes a thread, so `wanted` says that calls come from several. */
static bool begin_under_limit(init_thread_fn *init, int wanted, patience *p, int *code)
{
    pthread_t thread;
    int provided = 0;
    beginning *b = p->seconds > 0 ? new_beginning(init, wanted) : NULL;
    const bool starts = b && lun__thread_start(&thread, begin, b);
    if (!starts) {
        if (b) {
            pthread_mutex_lock(&b->lock);
            b->users = 1;
            let_go(b);
        }
        *code = init(NULL, NULL, wanted, &provided);
        return true;
    }
    pthread_detach(thread);
    pthread_mutex_lock(&b->lock);
    while (!b->done && lun__clock_now() < p->until)
        lun__thread_wait(&b->changed, &b->lock, p->until);
    const bool done = b->done;
    *code = b->code;
    let_go(b);
    p->late = !done;
    return done;
}

/* One of so many turns of a wait of the same kind; false once the time is over. */
static bool wait_turn(patience *p, int turn)
{
    enum { YIELDS = 200, NAP = 20 * 1000 };
    p->late = lun__clock_now() >= p->until;
    if (turn < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    return !p->late;
}

/* ---- the three interfaces: types and constants ----------------------------------------------- */

/* MPI 5: handles are pointers whose values are small numbers. */
#define MPI_Comm       void *
#define MPI_Datatype   void *
#define MPI_Op         void *
#define MPI_Errhandler void *
#define MPI_Request    void *
typedef struct mpi_status_abi {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, own[5];
} mpi_status_abi;
#define MPI_Status mpi_status_abi
#define CONSTANTS(me, lib)                                                               \
    ((me)->world = (void *)0x101, (me)->byte = (void *)0x247, (me)->band = (void *)0x28, \
     (me)->errors_return = (void *)0x143, (me)->any_source = -1, (me)->funneled = 1024,  \
     (me)->serialized = 2048, (lib) != NULL)
#define ABI abi
#include "net/mpi_of.h"
#undef ABI
#undef CONSTANTS
#undef MPI_Status

/* Open MPI 3 to 5: handles are the addresses of objects in the library. */
typedef struct mpi_status_openmpi {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, cancelled;
    size_t count;
} mpi_status_openmpi;
#define MPI_Status mpi_status_openmpi
#define CONSTANTS(me, lib)                                              \
    ((me)->any_source = -1, (me)->funneled = 1, (me)->serialized = 2,   \
     ((me)->world = lun__library_symbol(lib, "ompi_mpi_comm_world")) && \
         ((me)->byte = lun__library_symbol(lib, "ompi_mpi_byte")) &&    \
         ((me)->band = lun__library_symbol(lib, "ompi_mpi_op_band")) && \
         ((me)->errors_return = lun__library_symbol(lib, "ompi_mpi_errors_return")))
#define ABI openmpi
#include "net/mpi_of.h"
#undef ABI
#undef CONSTANTS
#undef MPI_Status
#undef MPI_Comm
#undef MPI_Datatype
#undef MPI_Op
#undef MPI_Errhandler
#undef MPI_Request

/* MPICH 3 and 4, and what keeps its interface (Intel, MVAPICH, Cray): handles are numbers. */
#define MPI_Comm       int
#define MPI_Datatype   int
#define MPI_Op         int
#define MPI_Errhandler int
#define MPI_Request    int
typedef struct mpi_status_mpich {
    int count_low, count_high_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR;
} mpi_status_mpich;
#define MPI_Status mpi_status_mpich
#define CONSTANTS(me, lib)                                                        \
    ((me)->world = 0x44000000, (me)->byte = 0x4c00010d, (me)->band = 0x58000006,  \
     (me)->errors_return = 0x54000001, (me)->any_source = -2, (me)->funneled = 1, \
     (me)->serialized = 2, (lib) != NULL)
#define ABI mpich
#include "net/mpi_of.h"
#undef ABI
#undef CONSTANTS

/* ---- which library --------------------------------------------------------------------------- */

typedef lun_net *open_fn(void *lib, patience *p, char *error, int room);

static const struct interface {
    lun_library_id library;
    const char *name;
    open_fn *open;
} interfaces[] = {
    {LUN_LIBRARY_MPICH, "mpich", open_mpich},
    {LUN_LIBRARY_OPENMPI, "openmpi", open_openmpi},
    {LUN_LIBRARY_MPI_ABI, "abi", open_abi},
};
enum { INTERFACES = sizeof interfaces / sizeof interfaces[0] };

/* The interface of a library that is given by its path: Open MPI has objects where the others have
 * numbers; the name of those with MPI 5's interface is fixed. */
static open_fn *interface_of(void *lib, const char *file)
{
    const char *slash = strrchr(file, '/');
    if (strncmp(slash ? slash + 1 : file, "libmpi_abi.", 11) == 0)
        return open_abi;
    return lun__library_symbol(lib, "ompi_mpi_comm_world") ? open_openmpi : open_mpich;
}

/* What was tried, for the failure, and how long it may take. */
typedef struct trial {
    char *text;
    int room, used;
    patience patience;
} trial;

static void note(trial *t, const char *file, const char *why)
{
    int n = snprintf(t->text + t->used, (size_t)(t->room - t->used), "%s%s (%s)",
                     t->used ? ", " : "", file, why);
    t->used = n > 0 && n < t->room - t->used ? t->used + n : t->room - 1;
}

/* Starts an open library; NULL with the reason noted. */
static lun_net *start(void *lib, const char *file, open_fn *open, trial *t)
{
    char why[600] = "";
    lun_net *n = open(lib, &t->patience, why, (int)sizeof why);
    if (!n)
        note(t, file, t->patience.late ? "started" : why);
    return n;
}

/* The library of that path, opened and started; NULL with the reason noted. */
static lun_net *try_path(const char *file, trial *t)
{
    void *lib;
    lun_strbuf why = LUN_STRBUF_INIT;
    const bool open = lun__library_open_file(file, &lib, &why);
    if (!open)
        note(t, file, lun__strbuf_text(&why));
    lun__strbuf_free(&why);
    return open ? start(lib, file, interface_of(lib, file), t) : NULL;
}

/* The same of a row. */
static lun_net *try_interface(const struct interface *i, trial *t)
{
    lun_library lib;
    lun_strbuf why = LUN_STRBUF_INIT;
    const char *files = lun__library_row(i->library)->files;
    const bool open = lun__library_open(i->library, true, &lib, &why);
    if (!open)
        note(t, files,
             strstr(lun__strbuf_text(&why), "was not found") ? "not found"
                                                             : lun__strbuf_text(&why));
    lun__strbuf_free(&why);
    return open ? start(lib.handle, lib.path, i->open, t) : NULL;
}

/* Whether a row is worth trying: the interface that was asked for, or that the launcher belongs
 * to. */
static bool is_wanted(const struct interface *i, const lun_net_launch *launch, const char *asked)
{
    if (asked)
        return strcmp(i->name, asked) == 0;
    if (launch->openmpi)
        return i->open != open_mpich;
    return !launch->mpich || i->open != open_openmpi;
}

/* A library that the process has already is the host's: no other will do. */
static lun_net *find(const lun_net_launch *launch, const char *asked, trial *t)
{
    for (int i = 0; i < INTERFACES; i++)
        if (lun__library_is_loaded(interfaces[i].library))
            return try_interface(&interfaces[i], t);
    bool known = false;
    lun_net *n = NULL;
    for (int i = 0; i < INTERFACES; i++)
        known = known || (asked && strcmp(asked, interfaces[i].name) == 0);
    if (asked && !known)
        return try_path(asked, t);
    for (int i = 0; i < INTERFACES && !n && !t->patience.late; i++)
        if (is_wanted(&interfaces[i], launch, asked))
            n = try_interface(&interfaces[i], t);
    return n;
}

lun_net *lun__mpi_transport(const lun_net_launch *launch, double seconds, char *error, int room)
{
    char tried[1200] = "";
    trial t = {tried, (int)sizeof tried, 0, start_patience(seconds)};
    const char *asked = getenv("LUNARRAY_MPI");
    if (asked && !*asked)
        asked = NULL;
    lun_net *n = find(launch, asked, &t);
    if (n && n->size == launch->size)
        return n;
    if (!n && t.patience.late)
        snprintf(error, (size_t)room,
                 "%s says that this is one of %d processes, but after %g s not all of them have "
                 "come: each calls lun_spmd_start, or lun_serve where rank 0 has the backend mpi; "
                 "%s",
                 launch->launcher, launch->size, seconds, tried);
    else if (!n)
        snprintf(error, (size_t)room,
                 "%s says that this is one of %d processes, but no MPI could be started; tried: "
                 "%s. LUNARRAY_MPI names "
                 "the library to load",
                 launch->launcher, launch->size, tried);
    else
        snprintf(error, (size_t)room,
                 "%s says that this is one of %d processes, but the MPI that was loaded counts %d; "
                 "it is not the "
                 "launcher's own. LUNARRAY_MPI names the library to load (mpich, openmpi, abi or a "
                 "path)",
                 launch->launcher, launch->size, n->size);
    if (n) {
        n->calls->abandon(n);
        n->calls->close(n);
    }
    return NULL;
}
