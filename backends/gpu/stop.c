/* stop.c - the stop flag that running kernels poll; see gpu_state.h.
 *
 * Kernels for a device without coherent memory do not poll it.  Knows no kernel and no launch. */
#include "gpu/gpu_state.h"

enum { PAGE = 4096 };

lun_status lun__gpu_stop_open(lun_gpu *g)
{
    void *word = NULL;
    if (g->stop)
        return LUN_OK;
    lun_status s =
        lun__gpu_state_check(g, g->driver->share(g->queue, PAGE, &word, &g->stop_memory));
    if (s != LUN_OK)
        return s;
    g->stop = word;
    lun__gpu_stop_set(g, false);
    return LUN_OK;
}

void lun__gpu_stop_close(lun_gpu *g)
{
    if (g->stop && lun__gpu_state_may_release(g))
        g->driver->unshare(g->queue, (void *)g->stop, g->stop_memory);
    g->stop = NULL;
}

void lun__gpu_stop_set(lun_gpu *g, bool stop)
{
    if (g->stop) /* in this order it leaves the buffers of memory that is not cached, too */
        __atomic_store_n(g->stop, stop, __ATOMIC_SEQ_CST);
}
