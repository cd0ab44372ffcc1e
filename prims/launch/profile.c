/* profile.c - what each kernel and each algorithm costs: calls, time, bytes; see lun_profile_start.
 * Rows are found by the kernel's hash, so they outlive kernels.  Without memory for a row its
 * launches are not counted: a profile fails no evaluation. */
#include "launch/profile.h"

#include "base/sized.h"
#include "launch/run_event.h"
#include "table/algorithm.h"
#include "table/skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    lun_profile_row counts;
    uint64_t hash;
    char what[80], where[128], labels[LUN_PROFILE_LABELS];
} row;

struct lun_profile {
    row *rows;
    int count, room;
    double compile_seen; /* compile_time up to here is in the rows */
};

void lun__profile_free(lun_profile *p)
{
    if (p)
        free(p->rows);
    free(p);
}

lun_status lun_profile_start(lun_engine *e)
{
    LUN_NEED(e, true);
    lun_profile *p = calloc(1, sizeof *p);
    if (!p)
        return lun__fail_nomem(e);
    p->compile_seen = e->stats.compile_time;
    lun__profile_free(e->profile);
    e->profile = p;
    e->profiling = true;
    return LUN_OK;
}

void lun_profile_stop(lun_engine *e)
{
    LUN_NEED_OR(e, );
    e->profiling = false;
}

bool lun_profile_at(const lun_engine *e, int index, lun_profile_row *out)
{
    LUN_NEED_OR(e, false);
    const lun_profile *p = e->profile;
    if (!p || !out || index < 0 || index >= p->count)
        return false;
    lun_profile_row counts = p->rows[index].counts;
    counts.what = p->rows[index].what;
    counts.where = p->rows[index].where;
    counts.labels = p->rows[index].labels;
    return lun__sized_give(out, &counts, sizeof counts);
}

/* The row with that hash, NULL: there is no memory for one.  *fresh: it is new, all zero. */
static row *find_row(lun_engine *e, uint64_t hash, bool *fresh)
{
    lun_profile *p = e->profile;
    *fresh = false;
    for (int i = 0; i < p->count; i++)
        if (p->rows[i].hash == hash)
            return &p->rows[i];
    if (p->count == p->room) {
        int room = p->room ? 2 * p->room : 16;
        row *rows = realloc(p->rows, (size_t)room * sizeof *rows);
        if (!rows)
            return NULL;
        p->rows = rows;
        p->room = room;
    }
    row *r = &p->rows[p->count++];
    *r = (row){.hash = hash};
    *fresh = true;
    return r;
}

void lun__profile_label(const lun_engine *e, const lun_node *n, char list[LUN_PROFILE_LABELS])
{
    const char *label = n ? e->label_of(e, n) : NULL;
    const size_t used = strlen(list), length = label ? strlen(label) : 0;
    for (const char *at = list; label && (at = strstr(at, label)); at++)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return;
    if (label && used + length + 3 <= LUN_PROFILE_LABELS)
        snprintf(list + used, LUN_PROFILE_LABELS - used, "%s%s", used ? ", " : "", label);
}

static row *row_of(lun_engine *e, const lun_lowered *l, const lun_kernel_entry *k)
{
    bool fresh;
    row *r = find_row(e, k->hash, &fresh);
    for (int i = 0; r && e->labels && i < l->ir.slot_count; i++)
        lun__profile_label(e, l->slots[i].node, r->labels);
    if (!r || !fresh)
        return r;
    r->counts.name = lun__skeleton_kernel_name(l->ir.scan >= 0, l->ir.result_count || l->unrolled);
    r->counts.ops = l->ops;
    lun__run_event_operations(&l->ir, r->what, sizeof r->what);
    snprintf(r->where, sizeof r->where, "%s", lun__run_event_line(e, l));
    return r;
}

/* Matrix products of a source line are one row, and so is each algorithm of one; kind: 0, or 1 +
 * that of the algorithm. */
static row *row_at(lun_engine *e, const lun_node *n, const char *name, uint32_t kind)
{
    const uint64_t key = ((uint64_t)kind << 32) + n->where + 1;
    bool fresh;
    row *r = find_row(e, UINT64_C(0x9e3779b97f4a7c15) * key, &fresh);
    for (int i = 0; r && e->labels && lun__node_operand(n, i); i++)
        lun__profile_label(e, lun__node_operand(n, i), r->labels);
    if (!r || !fresh)
        return r;
    r->counts.name = name;
    r->counts.ops = 1;
    snprintf(r->what, sizeof r->what, "%s", name);
    snprintf(r->where, sizeof r->where, "%s", lun__source_mark_text(e, n->where));
    return r;
}

/* What has happened since `before` in so many seconds counts for r. */
static void count_run(lun_engine *e, row *r, const lun_stats *before, double seconds,
                      int64_t elements)
{
    const lun_stats *now = &e->stats;
    double transfer = now->transfer_time - before->transfer_time;
    double waited = now->compile_time - before->compile_time;
    if (!r)
        return;
    r->counts.calls++;
    r->counts.elements += elements;
    r->counts.interpreted += now->interpreted > before->interpreted; /* on some location of a set */
    r->counts.bytes +=
        now->bytes_read - before->bytes_read + now->bytes_written - before->bytes_written;
    r->counts.compile += now->compile_time - e->profile->compile_seen;
    e->profile->compile_seen = now->compile_time;
    r->counts.transfer += transfer;
    /* a compiler that was waited for took its time within these seconds, another one beside them */
    seconds -= transfer;
    r->counts.run += e->jit == LUN_JIT_SYNC && waited < seconds ? seconds - waited : seconds;
}

void lun__profile_after(lun_engine *e, const lun_stats *before, double seconds,
                        const lun_lowered *l, const lun_kernel_entry *k, int64_t count)
{
    count_run(e, row_of(e, l, k), before, seconds, count);
}

void lun__profile_product(lun_engine *e, const lun_stats *before, double seconds, const lun_node *n)
{
    count_run(e, row_at(e, n, "matmul", 0), before, seconds, n->n);
}

void lun__profile_algorithm(lun_engine *e, const lun_node *n, double seconds, double transfer,
                            int64_t bytes)
{
    row *r = row_at(e, n, lun__algorithm_rows[n->op].name, 1 + (uint32_t)n->op);
    if (!r)
        return;
    r->counts.calls++;
    r->counts.elements += n->more[0]->n;
    r->counts.bytes += bytes;
    r->counts.transfer += transfer;
    r->counts.run += seconds;
}

void lun__profile_queued(lun_engine *e, const lun_profile_work *w)
{
    char what[sizeof e->profile->rows->what];
    bool fresh;
    uint64_t hash = w->where;
    snprintf(what, sizeof what, "%s", w->what ? w->what : w->name);
    if (w->body)
        lun__run_event_operations(w->body, what, sizeof what);
    for (int k = 0; k < 2; k++)
        for (const char *c = k ? what : w->name; *c; c++)
            hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    row *r = find_row(e, hash, &fresh);
    if (!r)
        return;
    if (fresh) {
        r->counts.name = w->name;
        r->counts.ops = w->body ? w->body->count : 1;
        memcpy(r->what, what, sizeof what);
        snprintf(r->where, sizeof r->where, "%s", lun__source_mark_text(e, w->where));
    }
    const double compile = w->after.compile_time - w->before.compile_time;
    const double transfer = w->after.transfer_time - w->before.transfer_time;
    r->counts.calls++;
    r->counts.elements += w->elements;
    r->counts.interpreted += w->after.interpreted - w->before.interpreted;
    r->counts.bytes += w->after.bytes_read - w->before.bytes_read + w->after.bytes_written -
                       w->before.bytes_written;
    r->counts.compile += compile;
    e->profile->compile_seen += compile; /* no kernel's */
    r->counts.transfer += transfer;
    r->counts.run += w->seconds - transfer - (e->jit == LUN_JIT_SYNC ? compile : 0);
}

void lun__profile_together(lun_engine *e, const lun_stats *before, double seconds,
                           const lun_steps *s, int first, lun_kernel_entry *const *k, int count)
{
    for (int i = 0; i < count; i++) {
        const lun_step *step = &s->at[first + i];
        lun__profile_after(e, i ? &e->stats : before, seconds / count, &step->lowered, k[i],
                           step->n);
    }
}
