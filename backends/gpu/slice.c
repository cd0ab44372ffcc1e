/* slice.c - how many indices are given to the device at once; see gpu_state.h.
 *
 * A slice shall take SLICE by the kernel's last rate.  Without loops an index takes the same
 * time in every launch; how long a loop takes depends on the elements: there each run begins with
 * a short slice, which grows.  Knows no driver and no plan. */
#include "gpu/gpu_state.h"

enum {
    SLICE = 40000000,  /* nanoseconds that a slice shall take */
    STEP = 1000000,    /* nanoseconds of a run's first slice, by the last run, with loops */
    GRAIN = LUN_CHUNK, /* indices that slices are multiples of */
    LOOP_GRAIN = 1024,
    GROWTH = 8,         /* factor from slice to slice, at most, with loops */
    FIRST_OPS = 1 << 28 /* operations of the first slice of a kernel whose rate is unknown */
};

int64_t lun__gpu_slice(const lun_kernel *k, int64_t grain, int64_t start, int64_t left,
                       int64_t last)
{
    double most = k->rate > 0 ? SLICE / k->rate : 0;
    if (k->loops && !last)
        most = k->rate > 0 && STEP / k->rate > (double)start ? STEP / k->rate : (double)start;
    else if (k->loops)
        most = most > 0 && most < GROWTH * (double)last ? most : GROWTH * (double)last;
    else if (most <= 0)
        most = (double)FIRST_OPS / (double)(k->shape.cost < 1 ? 1 : k->shape.cost);
    if (most < (double)grain)
        return left < grain ? left : grain;
    if ((double)left <= most * 1.5)
        return left;
    return (int64_t)most / grain * grain;
}

int64_t lun__gpu_slice_element_grain(const lun_kernel *k)
{
    const int64_t grain = k->loops ? LOOP_GRAIN : GRAIN, team = k->shape.team;
    return team ? (grain + team - 1) / team * team : grain;
}

int64_t lun__gpu_slice_element_start(const lun_gpu *g)
{
    return LOOP_GRAIN * (g->device.kind == LUN_GPU_PROCESSOR ? g->device.units : 256);
}

int64_t lun__gpu_slice_chunk_grain(const lun_gpu *g, int64_t chunk)
{
    int64_t groups = (int64_t)g->device.units * (g->device.kind == LUN_GPU_PROCESSOR ? 1 : 8);
    return chunk * (groups < 1 ? 1 : groups);
}

int lun__gpu_slice_ahead(const lun_kernel *k, bool first)
{
    if (!k->loops && k->rate > 0)
        return LUN_GPU_BATCHES;
    return first || k->rate <= 0 ? 0 : 1;
}

lun_status lun__gpu_slice_adapt(lun_gpu *g, const lun_kernel *k, bool first)
{
    return lun__gpu_batch_wait(g, lun__gpu_slice_ahead(k, first));
}
