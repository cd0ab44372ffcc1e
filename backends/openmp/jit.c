/* jit.c - units of text to machine code; see jit.h.  Knows what waits, what is compiled together, what is left
 * to other processes and what becomes of results; not how a compiler is run (job.c). */
#include "jit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"

enum {
    TIMEOUT_MS = 30000,
    CLOSE_MS = 300,
    POLL_NS = 200 * 1000, /* between two looks */
    GIVE_UP = 3,          /* failures in a row after which ordinary kernels stay interpreted */
    TOGETHER = 48 << 10,  /* bytes of text that are compiled together at most */
    LEFT_NS = 500000000, /* patience with a process that has made something and does not store it */
    AGAIN_LEAST = 3000000, /* ns between two looks at what another process makes */
    AGAIN_MOST = 50000000
};

void lun_jit_init(lun_jit_compiler *c, const lun_services *services, lun_isa isa)
{
    *c = (lun_jit_compiler){
        .services = services,
        .compiler = {.name = services->compiler ? services->compiler : "cc", .isa = isa},
        .timeout_ms = TIMEOUT_MS};
    c->last = &c->first;
    lun_job_init(&c->job);
}

static const char *compiler_name(const lun_jit_compiler *c)
{
    return c->compiler.path ? c->compiler.path : c->compiler.name;
}

static bool load(lun_jit_compiler *c, lun_unit *u, const void *bytes, size_t length,
                 lun_strbuf *why)
{
    return lun_unit_load(u, &c->loader, lun_cache_scratch(c->services->cache), bytes, length, why);
}

static void make_key(const lun_jit_compiler *c, const lun_unit *u, lun_strbuf *key)
{
    lun_compiler_key(&c->compiler, u->source, u->needs, u->math, key);
}

/* ---- how a unit ends ----------------------------------------------------------------------------- */

/* The line that says most: the first with an error in it, else the first. */
static const char *telling_line(const char *words)
{
    const char *p = strstr(words, "error");
    while (p && p > words && p[-1] != '\n')
        p--;
    return p ? p : words;
}

/* The first failure of something that nobody has to have. */
static void log_failure(lun_jit_compiler *c, const char *what, const char *words)
{
    lun_strbuf line = LUN_STRBUF_INIT;
    if (c->told || !c->services->log)
        return;
    c->told = true;
    lun_strbuf_printf(&line, "kernels stay interpreted: %s: %s%s", compiler_name(c), what,
                      words && *words ? ": " : "");
    if (words) {
        const char *said = telling_line(words);
        lun_strbuf_add(&line, said, strcspn(said, "\n"));
    }
    c->services->log(c->services->log_ctx, lun_strbuf_text(&line));
    lun_strbuf_free(&line);
}

static void fail(lun_jit_compiler *c, lun_unit *u, const char *what, const char *words)
{
    c->failures++;
    if (!u || !u->wanted)
        log_failure(c, what, words);
    if (u)
        lun_unit_fail(u, compiler_name(c), what, words);
}

/* Takes a unit from disk if it is there. */
static bool load_entry(lun_jit_compiler *c, lun_unit *u, const lun_strbuf *key)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    void *bytes;
    size_t length;
    if (key->failed || !lun_cache_load(c->services->cache, key->text, key->length, &bytes, &length))
        return false;
    bool loaded = load(c, u, bytes, length, &why);
    c->services->stats->cache_hits += loaded;
    free(bytes);
    lun_strbuf_free(&why);
    return loaded;
}

bool lun_jit_look(lun_jit_compiler *c, lun_unit *u)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    if (u->state != LUN_UNIT_NEW)
        return u->state == LUN_UNIT_READY;
    u->state = LUN_UNIT_MISSED;
    /* without a compiler, what an earlier one made is of no use: the key names it */
    lun_compiler_find(&c->compiler);
    make_key(c, u, &key);
    bool loaded = load_entry(c, u, &key);
    lun_strbuf_free(&key);
    return loaded;
}

/* ---- the queue ----------------------------------------------------------------------------------- */

static void put_last(lun_jit_compiler *c, lun_unit *u)
{
    u->state = LUN_UNIT_QUEUED;
    u->next = NULL;
    *c->last = u;
    c->last = &u->next;
}

static void put_first(lun_jit_compiler *c, lun_unit *u)
{
    u->state = LUN_UNIT_QUEUED;
    u->next = c->first;
    c->first = u;
    if (c->last == &c->first)
        c->last = &u->next;
}

static void unqueue(lun_jit_compiler *c, lun_unit *u)
{
    lun_unit **p = &c->first;
    while (*p && *p != u)
        p = &(*p)->next;
    if (*p)
        *p = u->next;
    c->last = &c->first;
    while (*c->last)
        c->last = &(*c->last)->next;
}

void lun_jit_queue(lun_jit_compiler *c, lun_unit *u)
{
    if (u->state != LUN_UNIT_NEW && u->state != LUN_UNIT_MISSED)
        return;
    if (c->failures >= GIVE_UP && !u->wanted)
        u->state = LUN_UNIT_FAILED;
    else
        put_last(c, u);
    c->polled = 0; /* it need not wait for the next look */
}

/* ---- a compiler run ------------------------------------------------------------------------------ */

/* Lets go of what the run was about. */
static void clear_run(lun_jit_compiler *c, bool unclaim)
{
    for (int i = 0; i < c->part_count; i++) {
        lun_strbuf *key = &c->parts[i].key;
        if (unclaim && !key->failed)
            lun_cache_unclaim(c->services->cache, key->text, key->length);
        lun_strbuf_free(key);
        c->parts[i] = (lun_jit_part){0};
    }
    c->part_count = 0;
    lun_job_clear(&c->job);
}

/* The run has come to nothing.  Where several units were in it, each gets one of its own. */
static void fail_run(lun_jit_compiler *c, const char *what, const char *words, bool for_all)
{
    if (c->part_count == 1 || for_all) {
        for (int i = 0; i < c->part_count; i++)
            if (c->part_count == 1 || c->parts[i].unit)
                fail(c, c->parts[i].unit, what, words);
        return;
    }
    for (int i = c->part_count - 1; i >= 0; i--)
        if (c->parts[i].unit) {
            c->parts[i].unit->alone = true;
            put_first(c, c->parts[i].unit);
        }
}

/* The compiler has ended, well or with an unknown status: its output decides. */
static void harvest(lun_jit_compiler *c, bool known)
{
    size_t length;
    char *bytes = lun_job_output(&c->job, &length);
    if (!bytes || !lun_loader_check(bytes, length)) {
        fail_run(c, known ? "it ended well but made no shared object" : "it made no shared object",
                 lun_strbuf_text(&c->job.words), false);
        free(bytes);
        return;
    }
    c->failures = 0;
    for (int i = 0; i < c->part_count; i++) {
        lun_jit_part *part = &c->parts[i];
        lun_strbuf why = LUN_STRBUF_INIT;
        if (!part->unit || load(c, part->unit, bytes, length, &why))
            lun_cache_store(c->services->cache, part->key.text, part->key.length, bytes, length);
        else
            fail(c, part->unit, lun_strbuf_text(&why), NULL);
        lun_strbuf_free(&why);
    }
    free(bytes);
}

/* Looks after the compiler that runs. */
static void look_after(lun_jit_compiler *c)
{
    char how[64];
    lun_job_state s = lun_job_look(&c->job, c->timeout_ms, how);
    if (s == LUN_JOB_RUNNING)
        return;
    if (s == LUN_JOB_FOREIGN) { /* a child of fork: the compiler belongs to the parent */
        for (int i = 0; i < c->part_count; i++)
            if (c->parts[i].unit)
                c->parts[i].unit->state = LUN_UNIT_MISSED;
        clear_run(c, false);
        return;
    }
    if (s == LUN_JOB_LATE)
        c->failures = GIVE_UP;
    if (s == LUN_JOB_LATE || s == LUN_JOB_FAILED)
        fail_run(c, how, lun_strbuf_text(&c->job.words), s == LUN_JOB_LATE);
    else
        harvest(c, s == LUN_JOB_DONE);
    c->services->stats->compile_time += lun_job_seconds(&c->job);
    clear_run(c, true);
}

/* Starts the compiler on the parts; on failure their units have FAILED.  What nobody waits for must not
 * slow down what runs meanwhile: that compiler gives way.  The claims are the compiler's from now on. */
static void start_run(lun_jit_compiler *c, bool waited_for, const int *claims, int claim_count)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    const char *scratch = lun_cache_scratch(c->services->cache);
    bool failed = false;
    for (int i = 0; i < c->part_count; i++) {
        char suffix[LUN_SUFFIX];
        const lun_unit *u = c->parts[i].unit;
        lun_bundle_suffix(u->source, suffix);
        lun_bundle_add(&text, u->source, suffix, c->part_count > 1);
        failed = failed || c->parts[i].key.failed;
    }
    int error = text.failed || failed ? ENOMEM : 0;
    if (!error && scratch)
        error = lun_job_start(&c->job, &c->compiler, text.text, c->parts[0].unit->needs, scratch,
                              c->serial++, !waited_for, claims, claim_count);
    lun_strbuf_free(&text);
    for (int i = 0; i < claim_count; i++)
        close(claims[i]);
    if (error || !scratch) {
        fail_run(c, scratch ? strerror(error) : "no directory for temporary files (set TMPDIR)",
                 NULL, true);
        clear_run(c, true);
        return;
    }
    for (int i = 0; i < c->part_count; i++)
        c->parts[i].unit->state = LUN_UNIT_RUNNING;
    c->services->stats->compiles++;
}

/* ---- what runs next ------------------------------------------------------------------------------ */

/* Whether a unit may be compiled now: nobody else makes it, and it is not on disk meanwhile (then it is
 * READY).  *claim: a descriptor, or negative. */
static bool may_start(lun_jit_compiler *c, lun_unit *u, const lun_strbuf *key, int64_t now,
                      int *claim)
{
    bool late = u->since && now - u->since > c->timeout_ms * 1000000;
    bool abandoned = late || (u->left && now - u->left > LEFT_NS);
    if (key->failed)
        return true;
    *claim = lun_cache_claim(c->services->cache, key->text, key->length, abandoned);
    if (*claim >= 0) { /* it may have been made since it was looked for */
        if (!load_entry(c, u, key))
            return true;
        close(*claim);
        lun_cache_unclaim(c->services->cache, key->text, key->length);
        return false;
    }
    if (late || *claim == LUN_CLAIM_NONE)
        return true;
    u->since = u->since ? u->since : now;
    u->left = *claim == LUN_CLAIM_TAKEN ? 0 : u->left ? u->left : now;
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

/* Takes a unit out of the queue and into the next run, unless it cannot be started now.  Those that can
 * never be have FAILED. */
static void take(lun_jit_compiler *c, lun_unit *u, int64_t now, int *claims, int *claim_count)
{
    int claim = -1;
    if (c->failures >= GIVE_UP && !u->wanted) {
        unqueue(c, u);
        u->state = LUN_UNIT_FAILED;
        return;
    }
    if (!lun_compiler_find(&c->compiler)) {
        unqueue(c, u);
        c->failures = GIVE_UP;
        fail(c, u, "no such compiler (set LUNARRAY_CC)", NULL);
        return;
    }
    lun_strbuf key = LUN_STRBUF_INIT;
    make_key(c, u, &key);
    bool ready = may_start(c, u, &key, now, &claim);
    if (ready || u->state == LUN_UNIT_READY) {
        lun_unit_state state = u->state;
        unqueue(c, u);
        u->state = state;
    }
    if (!ready) {
        lun_strbuf_free(&key);
        return;
    }
    c->parts[c->part_count++] = (lun_jit_part){u, key};
    if (claim >= 0)
        claims[(*claim_count)++] = claim;
}

/* Starts the next run, with all that can be in it; `waited`: this one alone, somebody waits for it. */
static void start_next(lun_jit_compiler *c, lun_unit *waited)
{
    int claims[LUN_JIT_PARTS], claim_count = 0;
    int64_t now = lun_job_now();
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
        start_run(c, waited != NULL, claims, claim_count);
}

void lun_jit_poll(lun_jit_compiler *c)
{
    if (!c->job.busy && !c->first)
        return;
    int64_t t = lun_job_now();
    if (t - c->polled < POLL_NS)
        return;
    c->polled = t;
    if (c->job.busy)
        look_after(c);
    if (!c->job.busy && c->first)
        start_next(c, NULL);
}

lun_status lun_jit_wait(lun_jit_compiler *c, lun_unit *u)
{
    const volatile int *cancel = c->services->cancel;
    while (u->state != LUN_UNIT_READY && u->state != LUN_UNIT_FAILED) {
        if (cancel && *cancel)
            return LUN_ECANCEL;
        if (c->services->tick)
            c->services->tick(c->services->tick_ctx, "compile", 0, 0);
        if (u->state == LUN_UNIT_NEW || u->state == LUN_UNIT_MISSED)
            lun_jit_queue(c, u);
        if (c->job.busy) {
            lun_job_wait(&c->job, 20);
            look_after(c);
        }
        if (!c->job.busy && u->state == LUN_UNIT_QUEUED) {
            start_next(c, u);
            if (u->state == LUN_UNIT_QUEUED)
                lun_job_wait(&c->job, 0); /* for another process */
        }
    }
    return u->state == LUN_UNIT_READY ? LUN_OK : LUN_EBUILD;
}

void lun_jit_forget(lun_jit_compiler *c, lun_unit *u)
{
    if (u->state == LUN_UNIT_QUEUED)
        unqueue(c, u);
    for (int i = 0; i < c->part_count; i++)
        if (c->parts[i].unit == u)
            c->parts[i].unit = NULL;
}

void lun_jit_finish(lun_jit_compiler *c)
{
    const volatile int *cancel = c->services->cancel;
    int64_t start = lun_job_now(), patience = cancel && *cancel ? 0 : (int64_t)CLOSE_MS * 1000000;
    c->first = NULL;
    c->last = &c->first;
    while (c->job.busy && lun_job_now() - start < patience) {
        look_after(c);
        if (c->job.busy)
            lun_job_wait(&c->job, 10);
    }
    if (c->job.busy)
        clear_run(c, c->job.owner == getpid());
    lun_loader_end(&c->loader);
    lun_compiler_free(&c->compiler);
}
