/* teams_step.c - the launch of a function of lun_teams: as many teams at a time as their memory
 * allows. What the kernel does is kernels/teams_kernel.c's. */
#include "steps/teams_step.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "launch/bind.h"
#include "launch/launch.h"
#include "launch/profile.h"
#include "steps/race_report.h"
#include "steps/team_kernels.h"
#include "steps/team_memory.h"

/* The teams first .. first + count - 1 of `all`. */
static lun_status launch(lun_engine *e, lun_team_kernel *k, lun_kernel_entry *entry, int64_t first,
                         int64_t count, int64_t all)
{
    lun_binding to;
    lun_status s = lun__bind_open(e, &k->lowered, &to);
    for (int i = 0; s == LUN_OK && i < k->lowered.ir.slot_count; i++) {
        const lun_node *n = k->lowered.slots[i].node;
        const bool writes = k->lowered.ir.slots[i].role == LUN_SLOT_TARGET;
        s = lun__bind_part(e, &to, i, n->storage, n->offset, NULL, n->n, writes);
    }
    to.races = k->races;
    if (s == LUN_OK)
        s = lun__bind_run(e, &to, entry, all * k->indices, first * k->indices, count * k->indices,
                          NULL);
    lun__bind_close(&to);
    return s;
}

static lun_status some_teams(lun_engine *e, lun_remembered_teams *t, int64_t first, int64_t count,
                             int64_t all)
{
    lun_team_kernel *k = &t->k;
    const lun_stats before = e->stats;
    const double start = e->profiling ? lun__now() : 0;
    lun_kernel_entry *entry;
    k->lowered.args[LUN_FRONT_BASE].cell = (uint64_t)first;
    lun_status s = lun__team_kernel_entry(e, t, &entry);
    if (s == LUN_OK)
        s = launch(e, k, entry, first, count, all);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__now() - start, &k->lowered, entry, count * k->indices);
    return s;
}

static lun_status all_teams(lun_engine *e, lun_remembered_teams *t, int64_t teams)
{
    const int64_t most = t->k.races ? teams : lun__team_memory_most(&t->k, teams);
    lun_status s = lun__team_memory_check(e, &t->k, most);
    for (int64_t first = 0; s == LUN_OK && first < teams; first += most) {
        const int64_t count = teams - first < most ? teams - first : most;
        lun_team_leafs memory;
        s = lun__team_memory_open(e, &t->k, count, &memory);
        lun__team_memory_use(&t->k, &memory);
        if (s == LUN_OK)
            s = some_teams(e, t, first, count, teams);
        lun__team_memory_close(e, &t->k, &memory);
    }
    return s;
}

/* Runs them watched; arrays that are assigned, and memory of teams, have a shadow. */
static lun_status watched(lun_engine *e, const lun_team_run *r, lun_remembered_teams *t)
{
    lun_team_kernel *k = &t->k;
    const lun_ir *ir = &k->lowered.ir;
    lun_races races = {.lanes = k->indices, .at = -1};
    races.slot = calloc((size_t)ir->slot_count + 1, sizeof *races.slot);
    lun_status s = races.slot ? LUN_OK : lun__nomem(e);
    for (int i = 0; s == LUN_OK && i < ir->slot_count; i++) {
        const bool memory = i >= r->first && i < r->first + r->scratches;
        const lun_front_scratch *x = memory ? &r->scratch[i - r->first] : NULL;
        int64_t n = 0;
        if (ir->slots[i].role != LUN_SLOT_TARGET || (x && x->own))
            continue;
        if (!x)
            n = r->arrays[i]->n;
        else if (__builtin_mul_overflow(x->count, r->teams, &n))
            n = INT64_MAX;
        races.slot[i] = (uint64_t)n < SIZE_MAX / sizeof(lun_shadow)
                            ? calloc((size_t)n + 1, sizeof(lun_shadow))
                            : NULL;
        if (!races.slot[i])
            s = lun__nomem(e);
    }
    k->races = &races;
    if (s == LUN_OK)
        s = all_teams(e, t, r->teams);
    if (s != LUN_OK && races.at >= 0)
        s = lun__explain_race(e, r, &races);
    k->races = NULL;
    for (int i = 0; races.slot && i < ir->slot_count; i++)
        free(races.slot[i]);
    free(races.slot);
    return s;
}

/* How the backend in use runs it; *near: as that of lun_backend.groups. */
static lun_team_form form_of(const lun_backend_slot *b, const lun_team_run *r, int64_t *near)
{
    const lun_ir *body = r->f->body;
    *near = 0;
    if (b->backend->teams)
        return LUN_TEAMS_WHOLE;
    const bool meets =
        b->backend->groups && body->threads > 1 && !body->function_count && lun__ir_meets(body);
    return meets && body->threads <= b->backend->groups(b->state, near) ? LUN_TEAMS_GROUPS
                                                                        : LUN_TEAMS_APART;
}

lun_status lun__run_teams(lun_engine *e, const lun_team_run *r)
{
    lun_backend_slot *b;
    lun_remembered_teams *t;
    int64_t near;
    lun_status s = lun__backend(e, &b);
    if (s != LUN_OK)
        return s;
    if (r->check && !b->backend->teams)
        return lun__fail(e, LUN_EARG,
                         "check=true is for the backend reference, not %s: lun.use \"reference\"",
                         b->backend->name);
    if (r->check && r->f->body->function_count)
        return lun__fail(e, LUN_EARG, "check=true watches Lua functions, not C");
    const lun_team_form form = form_of(b, r, &near);
    s = lun__team_kernel_take(e, r, form, near, &t);
    if (s == LUN_OK) {
        lun__team_kernel_fill(r, &t->k);
        s = r->check ? watched(e, r, t) : all_teams(e, t, r->teams);
    }
    lun__team_kernel_give(e, t);
    return s;
}
