/* gpu_state.c - the queue of a device, opened on first use, and the texts of failures; see
 * gpu_state.h. */
#include "gpu/gpu_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- failures -------------------------------------------------------------------------------- */

lun_status lun__gpu_state_fail(lun_gpu *g, lun_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun__strbuf_clear(g->services->error);
    lun__strbuf_printf(g->services->error, "backend %s: ", g->driver->name);
    lun__strbuf_vprintf(g->services->error, format, args);
    va_end(args);
    return s;
}

void lun__gpu_state_set_lost(lun_gpu *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!g->lost)
        vsnprintf(g->reason, sizeof g->reason, format, args);
    va_end(args);
    g->lost = true;
}

void lun__gpu_state_failure_text(lun_strbuf *out, lun_gpu_failure f)
{
    lun__strbuf_printf(out, "%s: %s (%d)%s%s", f.call, f.name ? f.name : "an unknown error", f.code,
                       *f.hint ? ": " : "", f.hint);
}

lun_status lun__gpu_state_check(lun_gpu *g, lun_gpu_answer answer)
{
    const lun_gpu_failure *f = &g->failure;
    if (answer == LUN_GPU_OK)
        return LUN_OK;
    if (answer == LUN_GPU_FAULT)
        lun__gpu_state_set_lost(g, "a kernel on it failed");
    else if (answer == LUN_GPU_LOST || answer == LUN_GPU_STUCK)
        lun__gpu_state_set_lost(g, "%s failed with %s", f->call,
                                f->name ? f->name : "an unknown error");
    g->stuck |= answer == LUN_GPU_STUCK;
    lun__gpu_state_fail(g, LUN_EBACKEND, "%s: ", g->device.name);
    lun__gpu_state_failure_text(g->services->error, *f);
    return f->memory ? LUN_ENOMEM : LUN_EBACKEND;
}

/* ---- the queue ------------------------------------------------------------------------------- */

bool lun__gpu_state_may_release(const lun_gpu *g)
{
    return g->owner == getpid() && !g->stuck;
}

/* Whether a device's memory is shared from the start: it is, where that costs nothing, or where the
 * device is used. */
static bool is_shared(const lun_gpu *g, const lun_gpu_device *d)
{
    bool used = d->id == g->device.id;
    for (const lun_gpu *p = g->peer; p != g; p = p->peer)
        used |= d->id == p->device.id;
    return d->platform == g->device.platform && (used || d->kind == LUN_GPU_PROCESSOR);
}

/* A peer whose memory the device can share; NULL: there is none. */
static const lun_gpu *find_peer(const lun_gpu *g)
{
    for (const lun_gpu *p = g->peer; p != g; p = p->peer)
        for (int i = 0; p->queue && !p->lost && i < p->shared_count; i++)
            if (p->shared[i] == g->device.id)
                return p;
    return NULL;
}

/* Takes the sub-devices of a peer that divides the same device alike: only queues on the same ids
 * share memory. */
static void share_parts(lun_gpu *g)
{
    const lun_gpu *p = g->peer;
    while (p != g && !(p->queue && !p->lost && p->whole == g->whole && p->parts == g->parts))
        p = p->peer;
    if (p == g)
        return;
    g->driver->keep(g->library, p->piece, g->parts);
    g->driver->drop(g->library, g->piece, g->parts);
    memcpy(g->piece, p->piece, sizeof g->piece);
    g->device.id = g->piece[g->part - 1];
}

static lun_status open_queue(lun_gpu *g)
{
    if (g->parts)
        share_parts(g);
    const lun_gpu *peer = g->first ? NULL : find_peer(g);
    g->shared_count = g->parts;
    memcpy(g->shared, g->piece, sizeof g->shared);
    for (int i = 0; !g->parts && i < g->devices.count; i++)
        if (is_shared(g, &g->devices.device[i]))
            g->shared[g->shared_count++] = g->devices.device[i].id;
    if (peer) {
        memcpy(g->shared, peer->shared, sizeof g->shared);
        g->shared_count = peer->shared_count;
    }
    const lun_gpu_opening o = {g->library, &g->device, peer ? peer->queue : g->first, g->shared,
                               g->shared_count};
    return lun__gpu_state_check(g, g->driver->open(&o, &g->failure, &g->queue));
}

lun_status lun__gpu_state_ready(lun_gpu *g)
{
    if (g->owner != getpid())
        return lun__gpu_state_fail(
            g, LUN_EBACKEND,
            "%s was opened by the parent of this process, and drivers do not "
            "survive a fork: use backend openmp here",
            g->device.name);
    if (g->lost)
        return lun__gpu_state_fail(
            g, LUN_EBACKEND,
            "%s can no longer be used (%s): use backend openmp, or restart the program",
            g->device.name, g->reason);
    return g->queue ? LUN_OK : open_queue(g);
}

void lun__gpu_state_link_peer(lun_gpu *g, lun_gpu *other)
{
    g->peer = other->peer;
    other->peer = g;
}

void lun__gpu_state_unlink_peer(lun_gpu *g)
{
    lun_gpu *before = g;
    while (before->peer != g)
        before = before->peer;
    before->peer = g->peer;
    g->peer = g;
}

int64_t lun__gpu_state_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
