/* coherence.c - measures whether running kernels see host writes to shared memory (fine-grained
 * coherence); see gpu_state.h.
 *
 * No API guarantees it where host and device have separate memory.  A kernel polls the stop flag
 * for a number of rounds while the host sets it, and reports whether it saw the change; a flag set
 * before its first round is no evidence.  A device is not coherent if two kernels saw nothing long
 * after the flag was set, or ended before the host, which waits for them, could set it. */
#include <time.h>

#include "gpu/gpu_state.h"

enum {
    ROUNDS = 1 << 16,      /* of the first kernel */
    MORE = 4,              /* times as many in the next, if it had ended before it could see */
    MOST = 12,             /* kernels in all */
    DELAY = 500000,        /* nanoseconds from submitting the first kernel to setting the flag */
    LONG_AFTER = 30000000, /* nanoseconds: what is not seen until then never is */
    LONG_GIVEN = 30000000, /* nanoseconds that it takes to give a kernel which runs meanwhile */
    VERDICTS = 2           /* kernels that saw nothing, until the device counts as not coherent */
};

/* What a kernel reports (render/render.h). */
enum { NOTHING, EARLY, SEEN };

typedef struct trial {
    lun_kernel *kernel;
    lun_buffer *answer;
    int64_t rounds, delay;
    int verdicts;
} trial;

static lun_status give(lun_gpu *g, const trial *t, int64_t rounds)
{
    lun_gpu_builtin call = {
        .cells = &rounds,
        .cell_count = 1,
        .plan = {.steps = 1, .step = {{.kernel = "lun_listen", .global = 1, .local = 1}}},
        .count = 1,
        .memories = 2,
        .memory = {t->answer->memory, g->stop_memory}};
    return lun__gpu_builtin_run(g, t->kernel, &call);
}

/* One kernel: its report, the time of submitting it, and of its end after the flag was set. */
static lun_status try_once(lun_gpu *g, const trial *t, int *said, int64_t *given, int64_t *after)
{
    const int64_t start = lun__gpu_state_now();
    lun_status s = give(g, t, t->rounds);
    if (s == LUN_OK)
        s = lun__gpu_state_check(g, g->driver->flush(g->queue));
    if (s != LUN_OK)
        return s;
    *given = lun__gpu_state_now() - start;
    nanosleep(&(struct timespec){.tv_nsec = t->delay}, NULL);
    int64_t set = lun__gpu_state_now();
    lun__gpu_stop_set(g, true);
    s = lun__gpu_batch_wait(g, 0);
    *after = lun__gpu_state_now() - set;
    lun__gpu_stop_set(g, false);
    if (s == LUN_OK)
        s = lun__gpu_state_check(
            g, g->driver->read(g->queue, t->answer->memory, 0, said, sizeof *said));
    return s;
}

static lun_status try_all(lun_gpu *g, trial *t, bool *coherent)
{
    lun_status s = give(g, t, 0); /* drivers compile now */
    for (int i = 0; s == LUN_OK && i < MOST && t->verdicts < VERDICTS && !*coherent; i++) {
        int said = NOTHING;
        int64_t given = 0, after = 0;
        s = try_once(g, t, &said, &given, &after);
        *coherent = s == LUN_OK && said == SEEN;
        if (said == EARLY)
            t->delay = 2 * t->delay;
        else if (after > LONG_AFTER || given > LONG_GIVEN)
            t->verdicts++;
        else
            t->rounds *= MORE;
    }
    return s;
}

static lun_status make(lun_gpu *g, trial *t)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = lun__gpu_stop_open(g);
    if (s == LUN_OK)
        s = lun__gpu_buffer_new(g, sizeof(int), &t->answer);
    lun_kernel *k = s == LUN_OK ? lun__gpu_builtin_open(g) : NULL;
    if (!k)
        return s == LUN_OK ? LUN_ENOMEM : s;
    k->loops = true;
    s = g->driver->render_coherence(&text);
    return lun__gpu_builtin_build(g, s, &text, k, &t->kernel);
}

lun_status lun__gpu_coherence_find(lun_gpu *g)
{
    trial t = {.rounds = ROUNDS, .delay = DELAY};
    bool coherent = false;
    if (g->device.coherence != LUN_GPU_UNTRIED)
        return LUN_OK;
    lun_status s = lun__gpu_state_ready(g);
    if (s == LUN_OK)
        s = lun__gpu_batch_wait(g, 0);
    if (s != LUN_OK)
        return s;
    s = make(g, &t);
    if (s == LUN_OK)
        s = try_all(g, &t, &coherent);
    if (t.kernel)
        lun__gpu_kernel_release(g, t.kernel);
    lun__gpu_buffer_free(g, t.answer);
    if (s == LUN_ECANCEL || s == LUN_ENOMEM || g->lost)
        return s;
    /* a device that refuses such a kernel still runs others */
    g->device.coherence = coherent ? LUN_GPU_COHERENT : LUN_GPU_NOT_COHERENT;
    g->target.coherent = coherent;
    return LUN_OK;
}
