/* jit_run.c - a run of the compiler: texts put together, its result loaded or its failure noted;
 * see jit_run.h.  The compiler is started by job.c. */
#include "openmp/compiler/jit_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "openmp/compiler/compile_queue.h"
#include "openmp/compiler/unity_build.h"

/* ---- how a unit ends ------------------------------------------------------------------------- */

static const char *compiler_name(const lun_jit_compiler *c)
{
    return c->compiler.path ? c->compiler.path : c->compiler.name;
}

/* The line that says most: the first with an error in it, else the first. */
static const char *telling_line(const char *words)
{
    const char *p = strstr(words, "error");
    while (p && p > words && p[-1] != '\n')
        p--;
    return p ? p : words;
}

/* Logs the first failure of a unit that is not required. */
static void log_failure(lun_jit_compiler *c, const char *what, const char *words)
{
    lun_strbuf line = LUN_STRBUF_INIT;
    if (c->logged || !c->services->log)
        return;
    c->logged = true;
    lun__strbuf_printf(&line, "kernels stay interpreted: %s: %s%s", compiler_name(c), what,
                       words && *words ? ": " : "");
    if (words) {
        const char *said = telling_line(words);
        lun__strbuf_add(&line, said, strcspn(said, "\n"));
    }
    c->services->log(c->services->log_ctx, lun__strbuf_text(&line));
    lun__strbuf_free(&line);
}

void lun__jit_run_fail(lun_jit_compiler *c, lun_unit *u, const char *what, const char *words)
{
    c->failures++;
    if (!u || !u->wanted)
        log_failure(c, what, words);
    if (u)
        lun__unit_result_fail(u, compiler_name(c), what, words);
}

static bool load(lun_jit_compiler *c, lun_unit *u, const void *bytes, size_t length,
                 lun_strbuf *why)
{
    return lun__unit_result_load(u, &c->loader, lun__cache_scratch(c->services->cache), bytes,
                                 length, why);
}

bool lun__jit_run_load(lun_jit_compiler *c, lun_unit *u, const lun_strbuf *key)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    void *bytes;
    size_t length;
    if (key->failed ||
        !lun__cache_entry_load(c->services->cache, key->text, key->length, &bytes, &length))
        return false;
    bool loaded = load(c, u, bytes, length, &why);
    c->services->stats->cache_hits += loaded;
    free(bytes);
    lun__strbuf_free(&why);
    return loaded;
}

/* Tools see the run. */
static void event(lun_jit_compiler *c, bool begins)
{
    char label[32];
    snprintf(label, sizeof label, "%d kernel%s", c->part_count, c->part_count == 1 ? "" : "s");
    lun__backend_event(c->services, begins,
                       (lun_tool_event){.kind = LUN_TOOL_COMPILE,
                                        .name = "compile",
                                        .label = label,
                                        .place = "openmp",
                                        .track = "compiler",
                                        .id = (uint64_t)(uintptr_t)c,
                                        .operations = c->part_count});
}

/* ---- a run ----------------------------------------------------------------------------------- */

void lun__jit_run_clear(lun_jit_compiler *c, bool unclaim)
{
    for (int i = 0; i < c->part_count; i++) {
        lun_strbuf *key = &c->parts[i].key;
        if (unclaim && !key->failed)
            lun__cache_claim_end(c->services->cache, key->text, key->length);
        lun__strbuf_free(key);
        c->parts[i] = (lun_jit_part){0};
    }
    c->part_count = 0;
    lun__job_clear(&c->job);
}

/* The run failed.  Where several units were in it, each gets one of its own. */
static void fail_run(lun_jit_compiler *c, const char *what, const char *words, bool for_all)
{
    if (c->part_count == 1 || for_all) {
        for (int i = 0; i < c->part_count; i++)
            if (c->part_count == 1 || c->parts[i].unit)
                lun__jit_run_fail(c, c->parts[i].unit, what, words);
        return;
    }
    for (int i = c->part_count - 1; i >= 0; i--)
        if (c->parts[i].unit) {
            c->parts[i].unit->alone = true;
            lun__compile_queue_put_first(c, c->parts[i].unit);
        }
}

/* Whether the compiler has changed what the text of a part computes: then it gets a run of its own
 * without what does that, whose result is kept under the same key. */
static bool run_exactly(lun_jit_compiler *c, lun_unit *u, bool contracted)
{
    if (!contracted || (u && u->no_vectors))
        return false;
    if (u) {
        u->alone = u->no_vectors = true;
        lun__compile_queue_put_first(c, u);
    }
    return true;
}

/* The compiler has ended, well or with an unknown status: its output decides. */
static void harvest(lun_jit_compiler *c, bool known)
{
    size_t length;
    char *bytes = lun__job_output(&c->job, &length);
    if (!bytes || !lun__loader_check(bytes, length)) {
        fail_run(c,
                 known ? "it succeeded but produced no shared object"
                       : "it produced no shared object",
                 lun__strbuf_text(&c->job.words), false);
        free(bytes);
        return;
    }
    c->failures = 0;
    bool contracted = lun__contraction_check(bytes, length);
    for (int i = 0; i < c->part_count; i++) {
        lun_jit_part *part = &c->parts[i];
        lun_strbuf why = LUN_STRBUF_INIT;
        if (run_exactly(c, part->unit, contracted))
            continue;
        if (!part->unit || load(c, part->unit, bytes, length, &why))
            lun__cache_entry_store(c->services->cache, part->key.text, part->key.length, bytes,
                                   length);
        else
            lun__jit_run_fail(c, part->unit, lun__strbuf_text(&why), NULL);
        lun__strbuf_free(&why);
    }
    free(bytes);
}

void lun__jit_run_look_after(lun_jit_compiler *c)
{
    char how[64];
    lun_job_state s = lun__job_look(&c->job, c->timeout_ms, how);
    if (s == LUN_JOB_RUNNING)
        return;
    if (s == LUN_JOB_FOREIGN) { /* a child of fork: the compiler belongs to the parent */
        for (int i = 0; i < c->part_count; i++)
            if (c->parts[i].unit)
                c->parts[i].unit->state = LUN_UNIT_MISSED;
        lun__jit_run_clear(c, false);
        return;
    }
    if (s == LUN_JOB_LATE)
        c->failures = LUN_JIT_GIVE_UP;
    if (s == LUN_JOB_LATE || s == LUN_JOB_FAILED)
        fail_run(c, how, lun__strbuf_text(&c->job.words), s == LUN_JOB_LATE);
    else
        harvest(c, s == LUN_JOB_DONE);
    event(c, false);
    c->services->stats->compile_time += lun__job_seconds(&c->job);
    lun__jit_run_clear(c, true);
}

void lun__jit_run_start(lun_jit_compiler *c, bool waited_for, const int *claims, int claim_count)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    const char *scratch = lun__cache_scratch(c->services->cache);
    bool failed = false;
    for (int i = 0; i < c->part_count; i++) {
        char suffix[LUN_SUFFIX];
        const lun_unit *u = c->parts[i].unit;
        lun__unity_build_suffix(u->source, suffix);
        lun__unity_build_add(&text, u->source, suffix, c->part_count > 1);
        failed = failed || c->parts[i].key.failed;
    }
    const lun_unit *first = c->parts[0].unit;
    unsigned needs = first->needs | (first->no_vectors ? LUN_COMPILER_NO_VECTORS : 0);
    int error = text.failed || failed ? ENOMEM : 0;
    if (!error && scratch)
        error = lun__job_start(&c->job, &c->compiler, text.text, needs, scratch, c->serial++,
                               !waited_for, claims, claim_count);
    lun__strbuf_free(&text);
    for (int i = 0; i < claim_count; i++)
        close(claims[i]);
    if (error || !scratch) {
        fail_run(c, scratch ? strerror(error) : "no directory for temporary files (set TMPDIR)",
                 NULL, true);
        lun__jit_run_clear(c, true);
        return;
    }
    for (int i = 0; i < c->part_count; i++)
        c->parts[i].unit->state = LUN_UNIT_RUNNING;
    c->services->stats->compiles++;
    event(c, true);
}
