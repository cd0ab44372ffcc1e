/* teams.c - the launch of a function of lun_teams: as many teams at a time as their memory allows.
 * What the kernel does is plan/teams.c's. */
#include "run/teams.h"

#include <string.h>

#include "base/clock.h"
#include "run/bind.h"
#include "run/profile.h"
#include "run/run.h"

/* Bytes of memory of the teams of one launch, beyond those of as many teams as a launch has at
 * least; teams of a launch are a multiple of that many, so that indices begin on blocks. */
enum { MOST_SCRATCH = 8 << 20, TEAMS = 64 };

/* Elements of scratch array k for a team. */
static int64_t per_team(const lun_team_run *r, int k)
{
    return r->scratch[k].count * (r->scratch[k].own ? r->threads : 1);
}

static int64_t teams_at_once(const lun_team_run *r)
{
    int64_t bytes = 0, n;
    for (int k = 0; k < r->scratches; k++)
        bytes += per_team(r, k) * lun__dtype_get(r->scratch[k].dtype)->bytes;
    if (!bytes)
        return r->teams;
    n = MOST_SCRATCH / bytes / TEAMS * TEAMS;
    n = n > TEAMS ? n : TEAMS;
    return n < r->teams ? n : r->teams;
}

/* The memory of `teams` teams, zero, as arrays of the body. */
static lun_status open_scratch(lun_engine *e, const lun_team_run *r, int64_t teams)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < r->scratches; k++) {
        lun_storage *memory;
        lun_dtype t = r->scratch[k].dtype;
        int64_t n;
        if (__builtin_mul_overflow(per_team(r, k), teams, &n))
            return lun__no_working_memory(e, teams);
        s = lun__storage_new(e, t, n, &memory);
        if (s != LUN_OK)
            break;
        memset(memory->data, 0, (size_t)(n * lun__dtype_get(t)->bytes));
        s = lun__node_leaf(e, memory, 0, 1, &n, &r->arrays[r->first + k]);
        lun__storage_release(e, memory);
    }
    return s;
}

static void close_scratch(lun_engine *e, const lun_team_run *r)
{
    for (int k = 0; k < r->scratches; k++) {
        lun__node_release(e, r->arrays[r->first + k]);
        r->arrays[r->first + k] = NULL;
    }
}

static lun_status launch(lun_engine *e, const lun_team_run *r, const lun_lowered *l,
                         lun_kernel_entry *k, int64_t first, int64_t count)
{
    lun_binding to;
    lun_status s = lun__bind_open(e, l, &to);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        s = lun__bind_part(e, &to, i, n->storage, n->offset, NULL, n->n,
                           l->ir.slots[i].role == LUN_SLOT_TARGET);
    }
    if (s == LUN_OK)
        s = lun__bind_run(e, &to, k, r->teams * r->threads, first * r->threads, count * r->threads,
                          NULL);
    lun__bind_close(&to);
    return s;
}

/* The teams first .. first + count - 1. */
static lun_status some_teams(lun_engine *e, const lun_team_run *r, int64_t first, int64_t count)
{
    const lun_stats before = e->stats;
    const double start = lun__now();
    lun_team_kernel kernel = r->kernel;
    lun_lowered l;
    lun_kernel_entry *k;
    kernel.base = first;
    lun_status s = lun__lower_teams(e, &kernel, &l);
    if (s != LUN_OK)
        return s;
    s = lun__run_kernel(e, &l, &k);
    if (s == LUN_OK)
        s = launch(e, r, &l, k, first, count);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__now() - start, &l, k, count * r->threads);
    lun__lowered_free(&l);
    return s;
}

lun_status lun__run_teams(lun_engine *e, const lun_team_run *r)
{
    const int64_t most = teams_at_once(r);
    lun_status s = LUN_OK;
    for (int64_t first = 0; s == LUN_OK && first < r->teams; first += most) {
        int64_t count = r->teams - first < most ? r->teams - first : most;
        s = open_scratch(e, r, count);
        if (s == LUN_OK)
            s = some_teams(e, r, first, count);
        close_scratch(e, r);
    }
    return s;
}
