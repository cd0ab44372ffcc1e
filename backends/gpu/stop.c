/* stop.c - the word by which kernels that run are told to end; see state.h.
 *
 * A device that does not listen has none, and the texts for it do not ask.  Knows no kernel and no
 * launch. */
#include <stdlib.h>

#include "gpu/state.h"

enum { PAGE = 4096 };

lun_status lun__gpu_stop_open(lun_gpu *g)
{
    if (g->stop)
        return LUN_OK;
    int *word = aligned_alloc(PAGE, PAGE);
    if (!word)
        return lun__gpu_fail(g, LUN_ENOMEM, "out of memory");
    *word = 0;
    lun_status s = lun__gpu_check(g, g->driver->share(g->queue, word, PAGE, &g->stop_memory));
    if (s == LUN_OK)
        g->stop = word;
    else
        free(word);
    return s;
}

void lun__gpu_stop_close(lun_gpu *g)
{
    if (g->stop && lun__gpu_may_release(g))
        g->driver->free(g->queue, g->stop_memory);
    if (!g->stuck)
        free((void *)g->stop);
}

void lun__gpu_stop_set(lun_gpu *g, bool stop)
{
    if (g->stop)
        __atomic_store_n(g->stop, stop, __ATOMIC_RELAXED);
}
