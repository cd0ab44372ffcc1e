/* gpu_program.c - a kernel's text becomes a program: by the cache on disk, else by the driver's
 * compiler; see gpu_state.h.  Knows no IR and no launch. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/gpu_state.h"

/* PATIENCE: with a program that another process makes; LEFT: with one that it has left unmade. */
enum { QUOTE = 4096, LOCK_MS = 10000, PATIENCE_MS = 30000, LEFT_MS = 500 };
static const int64_t MILLISECOND = 1000000;

/* ---- the cache on disk ----------------------------------------------------------------------- */

void lun__gpu_program_key(const char *backend, const lun_gpu_device *d, const char *bits,
                          const char *text, lun_strbuf *key)
{
    lun__strbuf_printf(key, "%s %d\nbits %s\n%s\n%s\n%016llx\n%s\n", backend, LUN_CL_ABI, bits,
                       d->driver, d->name, (unsigned long long)d->host, d->options);
    lun__strbuf_puts(key, text);
}

static void *from_cache(lun_gpu *g, const lun_kernel *k)
{
    void *bytes;
    size_t length;
    if (k->key.failed ||
        !lun__cache_entry_load(g->services->cache, k->key.text, k->key.length, &bytes, &length))
        return NULL;
    void *program = g->driver->load(g->queue, bytes, length);
    free(bytes);
    return program;
}

/* A program that another process has made or is making; NULL: it is ours to make.  PoCL 3.1
 * crashes where one process asks for a program's binary while another compiles the same: so a
 * program is stored only under a claim made before, and one made without a claim, after some
 * patience, is not stored.  For a kernel of another location of this engine, which has the claim
 * until it runs, there is no wait. */
static void *await(lun_gpu *g, lun_kernel *k)
{
    int64_t start = lun__gpu_state_now(), left = 0;
    for (;;) {
        void *program = from_cache(g, k);
        if (program || k->key.failed)
            return program;
        int64_t now = lun__gpu_state_now();
        k->claim = lun__cache_claim(g->services->cache, k->key.text, k->key.length,
                                    left && now - left > LEFT_MS * MILLISECOND);
        if (k->claim >= 0) {
            program = from_cache(g, k); /* another may have stored it since the first look */
            if (program)
                lun__gpu_program_unclaim(g, k);
            return program;
        }
        if (k->claim == LUN_CLAIM_NONE || k->claim == LUN_CLAIM_OWN ||
            now - start > PATIENCE_MS * MILLISECOND || lun__backend_stop_requested(g->services))
            return NULL;
        left = k->claim == LUN_CLAIM_TAKEN ? 0 : left ? left : now;
        nanosleep(&(struct timespec){.tv_nsec = 5 * MILLISECOND}, NULL);
    }
}

void lun__gpu_program_unclaim(lun_gpu *g, lun_kernel *k)
{
    if (k->claim < 0)
        return;
    lun__cache_claim_end(g->services->cache, k->key.text, k->key.length);
    lun__cache_claim_unlock(k->claim);
    k->claim = -1;
}

void lun__gpu_program_store(lun_gpu *g, lun_kernel *k)
{
    size_t length = 0;
    if (k->stored)
        return;
    k->stored = true; /* also if it cannot be: then it is not tried again */
    if (k->claim < 0)
        return;
    void *bytes = g->driver->binary(g->queue, k->program, &length);
    if (bytes)
        lun__cache_entry_store(g->services->cache, k->key.text, k->key.length, bytes, length);
    free(bytes);
    lun__gpu_program_unclaim(g, k);
}

/* ---- the driver's compiler ------------------------------------------------------------------- */

/* Compilers that keep files of their own fail now and then where several processes compile the
 * same for the first time: without an error in their words the text is compiled once more,
 * alone. */
static lun_gpu_answer compile(lun_gpu *g, const char *text, void **program, lun_strbuf *words)
{
    lun_gpu_answer answer = g->driver->build(g->queue, text, program, words);
    if (answer != LUN_GPU_REFUSED || strstr(lun__strbuf_text(words), "error:"))
        return answer;
    int lock = lun__cache_claim_lock(g->services->cache, LOCK_MS);
    lun__strbuf_clear(words);
    answer = g->driver->build(g->queue, text, program, words);
    lun__cache_claim_unlock(lock);
    return answer;
}

/* LUN_EBUILD with the compiler's words, capped. */
static lun_status does_not_compile(lun_gpu *g, const lun_strbuf *words)
{
    const char *text = lun__strbuf_text(words);
    size_t n = words->length;
    while (n && text[n - 1] == '\n')
        n--;
    return lun__gpu_state_fail(g, LUN_EBUILD, "%s: the kernel does not compile (%s, %s)%s%.*s%s",
                               g->device.name, g->failure.call, g->failure.name, n ? ":\n" : "",
                               n < QUOTE ? (int)n : QUOTE, text, n > QUOTE ? "\n... (more)" : "");
}

static lun_status build(lun_gpu *g, const char *text, lun_kernel *k)
{
    lun_strbuf words = LUN_STRBUF_INIT;
    int64_t start = lun__gpu_state_now();
    const lun_tool_event ev = {.kind = LUN_TOOL_COMPILE,
                               .name = "compile",
                               .label = "1 kernel",
                               .place = g->device.name,
                               .operations = 1};
    lun__backend_event(g->services, true, ev);
    lun_gpu_answer answer = compile(g, text, &k->program, &words);
    lun__backend_event(g->services, false, ev);
    g->services->stats->compile_time += 1e-9 * (double)(lun__gpu_state_now() - start);
    lun_status s =
        answer == LUN_GPU_REFUSED ? does_not_compile(g, &words) : lun__gpu_state_check(g, answer);
    lun__strbuf_free(&words);
    return s;
}

lun_status lun__gpu_program(lun_gpu *g, const char *text, lun_kernel *k)
{
    /* what compiles for a kernel that was stopped ends first: drivers compile one at a time */
    lun_status s = g->stopped ? lun__gpu_batch_wait(g, 0) : LUN_OK;
    if (s != LUN_OK)
        return s;
    lun__gpu_program_key(g->driver->name, &g->device, g->services->bits, text, &k->key);
    k->program = await(g, k);
    k->stored = k->program || k->key.failed;
    if (k->program) {
        g->services->stats->cache_hits++;
        return LUN_OK;
    }
    if (lun__backend_stop_requested(g->services)) /* a compiler that runs cannot be interrupted */
        s = lun__gpu_state_fail(g, LUN_ECANCEL, "interrupted");
    else
        s = build(g, text, k);
    if (s != LUN_OK)
        lun__gpu_program_unclaim(g, k);
    else if (!k->stored)
        g->services->stats->compiles++;
    return s;
}

/* ---- functions of a program ------------------------------------------------------------------ */

lun_status lun__gpu_program_entry(lun_gpu *g, lun_kernel *k, const char *name, lun_gpu_entry **out)
{
    lun_gpu_entry *e = k->entry;
    while (e->name && strcmp(e->name, name))
        e++;
    if (!e->name) {
        lun_status s = lun__gpu_state_check(
            g, g->driver->kernel(g->queue, k->program, name, &e->kernel, &e->most));
        if (s != LUN_OK)
            return s;
        e->name = name;
    }
    *out = e;
    return LUN_OK;
}
