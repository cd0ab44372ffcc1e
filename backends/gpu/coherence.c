/* coherence.c - tries whether kernels that run on a device see what the host writes meanwhile; see
 * gpu_state.h.
 *
 * No API promises it where memory is not one.  A kernel reads the word of stop.c for so many rounds
 * while the host sets it, and tells whether it saw that: not at its start, for then it was set too
 * early.  Where it saw nothing, long after the word was set, and does so again, the device is deaf;
 * so it is where kernels end before the host, which waits for them, can set it.  Knows no text. */
#include <time.h>

#include "gpu/gpu_state.h"

enum {
    ROUNDS = 1 << 16,      /* of the first kernel */
    MORE = 4,              /* times as many in the next, if it had ended before it could see */
    MOST = 12,             /* kernels in all */
    DELAY = 500000,        /* nanoseconds from giving the first kernel to setting the word */
    LONG_AFTER = 30000000, /* nanoseconds: what is not seen until then never is */
    LONG_GIVEN = 30000000, /* nanoseconds that it takes to give a kernel which runs meanwhile */
    VERDICTS = 2           /* kernels that saw nothing, until the device is deaf */
};

/* What a kernel says (render/render.h). */
enum { NOTHING, EARLY, SEEN };

typedef struct trial {
    lun_kernel *kernel;
    lun_buffer *answer;
    int64_t rounds, delay;
    int verdicts;
} trial;

static lun_status give(lun_gpu *g, const trial *t, int64_t rounds)
{
    lun_gpu_own call = {
        .cells = &rounds,
        .cell_count = 1,
        .plan = {.steps = 1, .step = {{.kernel = "lun_listen", .global = 1, .local = 1}}},
        .count = 1,
        .memories = 2,
        .memory = {t->answer->memory, g->stop_memory}};
    return lun__gpu_own_run(g, t->kernel, &call);
}

/* One kernel: what it says, and how long giving it took, and its end after the word was set. */
static lun_status try_once(lun_gpu *g, const trial *t, int *said, int64_t *given, int64_t *after)
{
    const int64_t start = lun__gpu_now();
    lun_status s = give(g, t, t->rounds);
    if (s == LUN_OK)
        s = lun__gpu_check(g, g->driver->flush(g->queue));
    if (s != LUN_OK)
        return s;
    *given = lun__gpu_now() - start;
    nanosleep(&(struct timespec){.tv_nsec = t->delay}, NULL);
    int64_t set = lun__gpu_now();
    lun__gpu_stop_set(g, true);
    s = lun__gpu_wait(g, 0);
    *after = lun__gpu_now() - set;
    lun__gpu_stop_set(g, false);
    if (s == LUN_OK)
        s = lun__gpu_check(g, g->driver->read(g->queue, t->answer->memory, 0, said, sizeof *said));
    return s;
}

static lun_status try_all(lun_gpu *g, trial *t, bool *listens)
{
    lun_status s = give(g, t, 0); /* drivers compile now */
    for (int i = 0; s == LUN_OK && i < MOST && t->verdicts < VERDICTS && !*listens; i++) {
        int said = NOTHING;
        int64_t given = 0, after = 0;
        s = try_once(g, t, &said, &given, &after);
        *listens = s == LUN_OK && said == SEEN;
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
    lun_kernel *k = s == LUN_OK ? lun__gpu_own_open(g) : NULL;
    if (!k)
        return s == LUN_OK ? LUN_ENOMEM : s;
    k->loops = true;
    s = g->driver->render_listen(&text);
    return lun__gpu_own_build(g, s, &text, k, &t->kernel);
}

lun_status lun__gpu_listen(lun_gpu *g)
{
    trial t = {.rounds = ROUNDS, .delay = DELAY};
    bool listens = false;
    if (g->device.listening != LUN_GPU_UNTRIED)
        return LUN_OK;
    lun_status s = lun__gpu_ready(g);
    if (s == LUN_OK)
        s = lun__gpu_wait(g, 0);
    if (s != LUN_OK)
        return s;
    s = make(g, &t);
    if (s == LUN_OK)
        s = try_all(g, &t, &listens);
    if (t.kernel)
        lun__gpu_release(g, t.kernel);
    lun__gpu_buffer_free(g, t.answer);
    if (s == LUN_ECANCEL || s == LUN_ENOMEM || g->lost)
        return s;
    /* a device that refuses such a kernel still runs others */
    g->device.listening = listens ? LUN_GPU_LISTENS : LUN_GPU_DEAF;
    g->target.listens = listens;
    return LUN_OK;
}
