/* teams.c - the launch of a function of lun_teams: as many teams at a time as their memory allows.
 * What the kernel does is plan/teams.c's. */
#include "run/teams.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/bind.h"
#include "run/profile.h"
#include "run/race.h"
#include "run/run.h"

/* Bytes of memory of the teams of one launch, beyond those of as many teams as a launch has at
 * least; teams of a launch are a multiple of that many, so that indices begin on blocks. */
enum { MOST_SCRATCH = 8 << 20, TEAMS = 64 };

static lun_dtype dtype_of(const lun_team_kernel *k, int memory)
{
    return (lun_dtype)k->lowered.ir.slots[k->memory[memory].slot].dtype;
}

static int64_t teams_at_once(const lun_team_kernel *k, int64_t teams)
{
    int64_t bytes = 0, n;
    for (int i = 0; i < k->memories; i++)
        bytes += k->memory[i].count * lun__dtype_get(dtype_of(k, i))->bytes;
    if (!bytes)
        return teams;
    n = MOST_SCRATCH / bytes / TEAMS * TEAMS;
    n = n > TEAMS ? n : TEAMS;
    return n < teams ? n : teams;
}

/* The memory of `teams` teams, zero. */
static lun_status open_memory(lun_engine *e, lun_team_kernel *k, int64_t teams)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < k->memories; i++) {
        lun_storage *memory;
        lun_dtype t = dtype_of(k, i);
        int64_t n;
        if (__builtin_mul_overflow(k->memory[i].count, teams, &n))
            return lun__no_working_memory(e, teams);
        s = lun__storage_new(e, t, n, &memory);
        if (s != LUN_OK)
            break;
        memset(memory->data, 0, (size_t)(n * lun__dtype_get(t)->bytes));
        s = lun__node_leaf(e, memory, 0, 1, &n, &k->lowered.slots[k->memory[i].slot].node);
        lun__storage_release(e, memory);
    }
    return s;
}

static void close_memory(lun_engine *e, lun_team_kernel *k)
{
    for (int i = 0; i < k->memories; i++) {
        lun_node **n = &k->lowered.slots[k->memory[i].slot].node;
        if (*n)
            lun__node_release(e, *n);
        *n = NULL;
    }
}

static lun_status launch(lun_engine *e, const lun_team_kernel *k, lun_kernel_entry *entry,
                         int64_t teams, int64_t first, int64_t count)
{
    const lun_lowered *l = &k->lowered;
    lun_binding to;
    lun_status s = lun__bind_open(e, l, &to);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        s = lun__bind_part(e, &to, i, n->storage, n->offset, NULL, n->n,
                           l->ir.slots[i].role == LUN_SLOT_TARGET);
    }
    to.races = k->races;
    if (s == LUN_OK)
        s = lun__bind_run(e, &to, entry, teams * k->indices, first * k->indices, count * k->indices,
                          NULL);
    lun__bind_close(&to);
    return s;
}

/* The teams first .. first + count - 1. */
static lun_status some_teams(lun_engine *e, lun_team_kernel *k, int64_t teams, int64_t first,
                             int64_t count)
{
    const lun_stats before = e->stats;
    const double start = lun__now();
    lun_kernel_entry *entry;
    k->lowered.args[LUN_FRONT_BASE].cell = (uint64_t)first;
    lun_status s = lun__run_kernel(e, &k->lowered, &entry);
    if (s == LUN_OK)
        s = launch(e, k, entry, teams, first, count);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__now() - start, &k->lowered, entry, count * k->indices);
    return s;
}

static lun_status all_teams(lun_engine *e, lun_team_kernel *k, int64_t teams)
{
    const int64_t most = k->races ? teams : teams_at_once(k, teams);
    lun_status s = LUN_OK;
    for (int64_t first = 0; s == LUN_OK && first < teams; first += most) {
        int64_t count = teams - first < most ? teams - first : most;
        s = open_memory(e, k, count);
        if (s == LUN_OK)
            s = some_teams(e, k, teams, first, count);
        close_memory(e, k);
    }
    return s;
}

/* The numbers and arrays of the launch, but for the first team and memory. */
static void fill(const lun_team_run *r, const lun_team_kernel *k)
{
    const lun_ir *body = r->f->body;
    for (int i = 0; i < 3; i++)
        k->lowered.args[LUN_FRONT_BLOCKS + i].cell = (uint64_t)r->blocks[i];
    for (int i = LUN_FRONT_NUMBERS; i < body->arg_count; i++)
        k->lowered.args[i].cell = r->cells[i - LUN_FRONT_NUMBERS];
    for (int i = 0; i < body->slot_count; i++)
        if (i < r->first || i >= r->first + r->scratches)
            k->lowered.slots[i].node = r->arrays[i];
}

/* Runs them watched; arrays that are assigned, and memory of teams, have a shadow. */
static lun_status watched(lun_engine *e, const lun_team_run *r, lun_team_kernel *k)
{
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
        s = all_teams(e, k, r->teams);
    if (s != LUN_OK && races.at >= 0)
        s = lun__explain_race(e, r, &races);
    k->races = NULL;
    for (int i = 0; races.slot && i < ir->slot_count; i++)
        free(races.slot[i]);
    free(races.slot);
    return s;
}

lun_status lun__run_teams(lun_engine *e, const lun_team_run *r)
{
    lun_backend_slot *b;
    lun_team_kernel k;
    lun_status s = lun__backend(e, &b);
    if (s != LUN_OK)
        return s;
    if (r->check && !b->backend->teams)
        return lun__fail(e, LUN_EARG,
                         "check=true is for the backend reference, not %s: lun.use \"reference\"",
                         b->backend->name);
    const lun_team_body body = {r->f, r->notes, r->scratch, r->scratches, r->first};
    s = lun__lower_teams(e, &body, b->backend->teams, &k);
    if (s == LUN_OK) {
        fill(r, &k);
        s = r->check ? watched(e, r, &k) : all_teams(e, &k, r->teams);
    }
    lun__team_kernel_free(&k);
    return s;
}
