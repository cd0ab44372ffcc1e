/* jit.c - units of text to machine code; see jit.h.  Decides what is compiled next, what together
 * and what is left to other processes; a run itself is jit_run.c's. */
#include "openmp/compiler/jit.h"

#include <string.h>
#include <unistd.h>

#include "openmp/compiler/compile_queue.h"
#include "openmp/compiler/jit_run.h"
#include "reference/instruction_loops.h"
#include "render/render.h"

enum {
    TIMEOUT_MS = 30000,
    CLOSE_MS = 300,
    POLL_NS = 200 * 1000, /* between two looks */
    TOGETHER = 48 << 10,  /* bytes of text that are compiled together at most */
    LEFT_NS = 500000000, /* patience with a process that has made something and does not store it */
    AGAIN_LEAST = 3000000, /* ns between two looks at what another process makes */
    AGAIN_MOST = 50000000
};

void lun__jit_init(lun_jit_compiler *c, const lun_services *services, lun_isa isa)
{
    *c = (lun_jit_compiler){
        .services = services,
        .compiler = {.name = services->compiler ? services->compiler : "cc", .isa = isa},
        .loader = {.bytes = &services->stats->kernel_bytes,
                   .loops = lun__interpreter_loops(isa)->math},
        .timeout_ms = TIMEOUT_MS};
    c->last = &c->first;
    lun__job_init(&c->job);
}

static void make_key(const lun_jit_compiler *c, const lun_unit *u, lun_strbuf *key)
{
    lun__compiler_key(&c->compiler, u->source, u->needs, u->bits, key);
}

/* What another machine's compiler made: its key names no compiler. */
static bool look_imported(lun_jit_compiler *c, lun_unit *u, const lun_strbuf *key)
{
    lun_strbuf portable = LUN_STRBUF_INIT;
    const lun_cache_machine here = lun__compiler_machine();
    if (!key->failed)
        lun__cache_bundle_key(&here, key->text, key->length, &portable);
    bool loaded = portable.length && lun__jit_run_load(c, u, &portable);
    lun__strbuf_free(&portable);
    return loaded;
}

bool lun__jit_look(lun_jit_compiler *c, lun_unit *u)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    if (u->state != LUN_UNIT_NEW)
        return u->state == LUN_UNIT_READY;
    u->state = LUN_UNIT_MISSED;
    lun__compiler_find(&c->compiler);
    make_key(c, u, &key);
    bool loaded = lun__jit_run_load(c, u, &key) || look_imported(c, u, &key);
    lun__strbuf_free(&key);
    return loaded;
}

/* ---- the queue ------------------------------------------------------------------------------- */

void lun__jit_queue(lun_jit_compiler *c, lun_unit *u)
{
    if (u->state != LUN_UNIT_NEW && u->state != LUN_UNIT_MISSED)
        return;
    if (c->failures >= LUN_JIT_GIVE_UP && !u->wanted)
        u->state = LUN_UNIT_FAILED;
    else
        lun__compile_queue_put_last(c, u);
    c->polled = 0; /* it need not wait for the next look */
}

/* ---- what runs next -------------------------------------------------------------------------- */

/* Whether a unit may be compiled now: no other process makes it, and it is not on disk (else it is
 * READY).  *claim: a descriptor, or negative. */
static bool may_start(lun_jit_compiler *c, lun_unit *u, const lun_strbuf *key, int64_t now,
                      int *claim)
{
    bool late = u->since && now - u->since > c->timeout_ms * 1000000;
    bool abandoned = late || (u->left && now - u->left > LEFT_NS);
    if (key->failed)
        return true;
    *claim = lun__cache_claim(c->services->cache, key->text, key->length, abandoned);
    if (*claim >= 0) { /* it may have been made since it was looked for */
        if (!lun__jit_run_load(c, u, key))
            return true;
        close(*claim);
        lun__cache_claim_end(c->services->cache, key->text, key->length);
        return false;
    }
    if (late || *claim == LUN_CLAIM_NONE)
        return true;
    u->since = u->since ? u->since : now;
    u->left = *claim == LUN_CLAIM_TAKEN || *claim == LUN_CLAIM_OWN ? 0 : u->left ? u->left : now;
    int64_t again = (now - u->since) / 4;
    again = again < AGAIN_LEAST ? AGAIN_LEAST : again > AGAIN_MOST ? AGAIN_MOST : again;
    u->again = now + again;
    return false;
}

/* Whether a unit can be compiled in one run with those that have been taken. */
static bool goes_with(const lun_jit_compiler *c, const lun_unit *u, size_t bytes)
{
    if (c->part_count == 0)
        return true;
    const lun_unit *first = c->parts[0].unit;
    return !u->alone && !u->wanted && !first->alone && !first->wanted && u->needs == first->needs &&
           bytes + strlen(u->source) <= TOGETHER;
}

/* Takes a unit out of the queue and into the next run, unless it cannot be started now.  Those that
 * can never be have FAILED. */
static void take(lun_jit_compiler *c, lun_unit *u, int64_t now, int *claims, int *claim_count)
{
    int claim = -1;
    if (c->failures >= LUN_JIT_GIVE_UP && !u->wanted) {
        lun__compile_queue_remove(c, u);
        u->state = LUN_UNIT_FAILED;
        return;
    }
    if (!lun__compiler_find(&c->compiler)) {
        lun__compile_queue_remove(c, u);
        c->failures = LUN_JIT_GIVE_UP;
        lun__jit_run_fail(
            c, u,
            u->needs & LUN_RENDER_USER
                ? "no such compiler; install a C compiler, or name one in LUNARRAY_CC, "
                  "or write the function in Lua"
                : "no such compiler (set LUNARRAY_CC)",
            NULL);
        return;
    }
    lun_strbuf key = LUN_STRBUF_INIT;
    make_key(c, u, &key);
    bool ready = may_start(c, u, &key, now, &claim);
    if (ready || u->state == LUN_UNIT_READY) {
        lun_unit_state state = u->state;
        lun__compile_queue_remove(c, u);
        u->state = state;
    }
    if (!ready) {
        lun__strbuf_free(&key);
        return;
    }
    c->parts[c->part_count++] = (lun_jit_part){u, key};
    if (claim >= 0)
        claims[(*claim_count)++] = claim;
}

/* Starts the next run, with all that can be in it; `waited`: a unit that an evaluation waits for
 * is compiled alone. */
static void start_next(lun_jit_compiler *c, lun_unit *waited)
{
    int claims[LUN_JIT_PARTS], claim_count = 0;
    int64_t now = lun__job_now();
    size_t bytes = 0;
    for (lun_unit *u = waited ? waited : c->first, *next; u; u = next) {
        next = waited ? NULL : u->next;
        if (u->again > now || !goes_with(c, u, bytes))
            continue;
        size_t own = strlen(u->source);
        int before = c->part_count;
        take(c, u, now, claims, &claim_count);
        bytes += c->part_count > before ? own : 0;
        if (c->part_count == LUN_JIT_PARTS)
            break;
    }
    if (c->part_count)
        lun__jit_run_start(c, waited != NULL, claims, claim_count);
}

void lun__jit_poll(lun_jit_compiler *c)
{
    if (!c->job.busy && !c->first)
        return;
    int64_t t = lun__job_now();
    if (t - c->polled < POLL_NS)
        return;
    c->polled = t;
    if (c->job.busy)
        lun__jit_run_look_after(c);
    if (!c->job.busy && c->first)
        start_next(c, NULL);
}

lun_status lun__jit_wait(lun_jit_compiler *c, lun_unit *u)
{
    while (u->state != LUN_UNIT_READY && u->state != LUN_UNIT_FAILED) {
        if (lun__backend_stop_requested(c->services))
            return LUN_ECANCEL;
        if (c->services->tick)
            c->services->tick(c->services->tick_ctx, "compile", 0, 0);
        if (u->state == LUN_UNIT_NEW || u->state == LUN_UNIT_MISSED)
            lun__jit_queue(c, u);
        if (c->job.busy) {
            lun__job_wait(&c->job, 20);
            lun__jit_run_look_after(c);
        }
        if (!c->job.busy && u->state == LUN_UNIT_QUEUED) {
            start_next(c, u);
            if (u->state == LUN_UNIT_QUEUED)
                lun__job_wait(&c->job, 0); /* for another process */
        }
    }
    return u->state == LUN_UNIT_READY ? LUN_OK : LUN_EBUILD;
}

void lun__jit_forget(lun_jit_compiler *c, lun_unit *u)
{
    if (u->state == LUN_UNIT_QUEUED)
        lun__compile_queue_remove(c, u);
    for (int i = 0; i < c->part_count; i++)
        if (c->parts[i].unit == u)
            c->parts[i].unit = NULL;
}

void lun__jit_finish(lun_jit_compiler *c)
{
    bool stopped = lun__backend_stop_requested(c->services);
    int64_t start = lun__job_now(), patience = stopped ? 0 : (int64_t)CLOSE_MS * 1000000;
    while (c->first)
        lun__compile_queue_remove(c, c->first);
    while (c->job.busy && lun__job_now() - start < patience) {
        lun__jit_run_look_after(c);
        if (c->job.busy)
            lun__job_wait(&c->job, 10);
    }
    if (c->job.busy)
        lun__jit_run_clear(c, c->job.owner == getpid());
    lun__loader_end(&c->loader);
    lun__compiler_free(&c->compiler);
}
