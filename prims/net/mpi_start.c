/* mpi_start.c - MPI's start, which returns once every process of the launcher has started MPI, and
 * cannot be cancelled: under a limit of time it runs in a thread of its own, which is left behind
 * if others do not come. Knows no library. */
#include "net/mpi_start.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"

/* Shared by the caller and the thread; the last one of them frees it. */
typedef struct beginning {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    lun_net_init *init;
    int wanted, code, users;
    bool done;
} beginning;

lun_net_patience lun__net_patience(double seconds)
{
    return (lun_net_patience){.seconds = seconds,
                              .until = seconds > 0 ? lun__now() + seconds : HUGE_VAL};
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

static beginning *new_beginning(lun_net_init *init, int wanted)
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

bool lun__net_begin(lun_net_init *init, int wanted, lun_net_patience *p, int *code)
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
    while (!b->done && lun__now() < p->until)
        lun__thread_wait(&b->changed, &b->lock, p->until);
    const bool done = b->done;
    *code = b->code;
    let_go(b);
    p->late = !done;
    return done;
}

bool lun__net_wait(lun_net_patience *p, int turn)
{
    enum { YIELDS = 200, NAP = 20 * 1000 };
    p->late = lun__now() >= p->until;
    if (turn < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    return !p->late;
}
