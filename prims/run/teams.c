/* teams.c - the launch of a function of lun_teams: as many teams at a time as their memory allows.
 * What the kernel does is plan/teams.c's. */
#include "run/teams.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/bind.h"
#include "run/local.h"
#include "run/profile.h"
#include "run/race.h"
#include "run/run.h"
#include "run/team_kernels.h"

/* Bytes of memory of the teams of one launch, beyond those of as many teams as a launch has at
 * least; teams of a launch are a multiple of that many, so that indices begin on blocks. */
enum { MOST_SCRATCH = 8 << 20, TEAMS = 64 };

static lun_dtype dtype_of(const lun_team_kernel *k, int memory)
{
    return (lun_dtype)k->lowered.ir.slots[k->memory[memory].slot].dtype;
}

/* Bytes of memory of a team that a launch has for it. */
static int64_t team_bytes(const lun_team_kernel *k)
{
    int64_t bytes = 0;
    for (int i = 0; i < k->memories; i++)
        bytes += k->memory[i].count * lun__dtype_get(dtype_of(k, i))->bytes;
    return bytes;
}

static int64_t teams_at_once(const lun_team_kernel *k, int64_t teams)
{
    int64_t bytes = team_bytes(k), n;
    if (!bytes)
        return teams;
    n = MOST_SCRATCH / bytes / TEAMS * TEAMS;
    n = n > TEAMS ? n : TEAMS;
    return n < teams ? n : teams;
}

/* Bytes of the device in use; 0: unknown. */
static int64_t device_bytes(lun_engine *e)
{
    const lun_backend_slot *at = lun__computes_at(&e->backends[e->current]);
    const int number = lun__device_number(at->device);
    const int count = at->backend->ranks ? 0 : at->backend->devices(at->state, NULL, 0);
    lun_device *rows = count > 0 ? calloc((size_t)count, sizeof *rows) : NULL;
    int64_t bytes = 0;
    if (rows && number <= count) {
        (void)at->backend->devices(at->state, rows, count);
        bytes = rows[number ? number - 1 : 0].memory;
    }
    free(rows);
    return bytes;
}

/* Whether the device can have the memory of so many teams at once, as far as that is known. */
static lun_status check_memory(lun_engine *e, const lun_team_kernel *k, int64_t teams)
{
    enum { FEW = 1 << 30 };
    const int64_t each = team_bytes(k);
    const int64_t most = each > FEW / teams ? device_bytes(e) : 0;
    if (!most || each <= most / teams)
        return LUN_OK;
    return lun__fail(e, LUN_ELIMIT,
                     "a team takes %lld bytes of scratch and private memory, and %lld run at once: "
                     "that is more than the %lld bytes of the device; use fewer elements of "
                     "t:scratch and t:private, or fewer teams",
                     (long long)each, (long long)teams, (long long)most);
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
        n += !n; /* a slot has an element, also if nothing is there */
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

static bool is_memory(const lun_team_kernel *k, int slot)
{
    for (int i = 0; i < k->memories; i++)
        if (k->memory[i].slot == slot)
            return true;
    return false;
}

/* What runs where: the league's teams first .. first + count - 1; at a place: of the set in use, on
 * its own version of what is written; NULL: all of them, where the backend in use computes. */
typedef struct share {
    lun_remembered_teams *t;
    lun_team_kernel *k; /* its own */
    lun_backend_slot *at;
    int64_t first, count;
} share;

static lun_status bind_slot(lun_engine *e, const share *w, lun_binding *to, int i)
{
    const lun_node *n = w->k->lowered.slots[i].node;
    const bool writes = w->k->lowered.ir.slots[i].role == LUN_SLOT_TARGET;
    if (!w->at || is_memory(w->k, i))
        return lun__bind_part(e, to, i, n->storage, n->offset, NULL, n->n, writes);
    return lun__local_bind_array(e, to, i, n, w->at, writes);
}

static lun_status launch(lun_engine *e, const share *w, lun_kernel_entry *entry, int64_t first,
                         int64_t count)
{
    const lun_team_kernel *k = w->k;
    const int64_t skipped = w->at ? first : 0; /* its index 0 is of that team */
    lun_binding to;
    lun_status s = lun__bind_open(e, &k->lowered, &to);
    for (int i = 0; s == LUN_OK && i < k->lowered.ir.slot_count; i++)
        s = bind_slot(e, w, &to, i);
    to.races = k->races;
    if (s == LUN_OK)
        s = lun__bind_run(e, &to, entry, (w->first + w->count - skipped) * k->indices,
                          (first - skipped) * k->indices, count * k->indices, NULL);
    lun__bind_close(&to);
    return s;
}

/* The teams first .. first + count - 1. */
static lun_status some_teams(lun_engine *e, const share *w, int64_t first, int64_t count)
{
    lun_team_kernel *k = w->k;
    const lun_stats before = e->stats;
    const double start = e->profiling ? lun__now() : 0;
    lun_kernel_entry *entry;
    k->lowered.args[LUN_FRONT_BASE].cell = (uint64_t)first;
    lun_status s = lun__team_kernel_entry(e, w->t, &entry);
    if (s == LUN_OK)
        s = launch(e, w, entry, first, count);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__now() - start, &k->lowered, entry, count * k->indices);
    return s;
}

static lun_status all_teams(lun_engine *e, const share *w)
{
    const int64_t end = w->first + w->count;
    const int64_t most = w->k->races ? w->count : teams_at_once(w->k, w->count);
    lun_status s = w->count ? check_memory(e, w->k, most) : LUN_OK;
    for (int64_t first = w->first; s == LUN_OK && first < end; first += most) {
        int64_t count = end - first < most ? end - first : most;
        s = open_memory(e, w->k, count);
        if (s == LUN_OK)
            s = some_teams(e, w, first, count);
        close_memory(e, w->k);
    }
    return s;
}

/* The numbers, arrays and texts of the launch, but for the first team and memory. */
static void fill(const lun_team_run *r, lun_team_kernel *k)
{
    const lun_ir *body = r->f->body;
    k->lowered.texts = r->notes;
    for (int i = 0; i < 3; i++)
        k->lowered.args[LUN_FRONT_BLOCKS + i].cell = (uint64_t)r->blocks[i];
    for (int i = LUN_FRONT_NUMBERS; i < body->arg_count; i++)
        k->lowered.args[i].cell = r->cells[i - LUN_FRONT_NUMBERS];
    for (int i = 0; i < body->slot_count; i++)
        if (i < r->first || i >= r->first + r->scratches)
            k->lowered.slots[i].node = r->arrays[i];
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
        s = all_teams(e, &(share){t, k, NULL, 0, r->teams});
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
        fill(r, &t->k);
        s = r->check ? watched(e, r, t) : all_teams(e, &(share){t, &t->k, NULL, 0, r->teams});
    }
    lun__team_kernel_give(e, t);
    return s;
}

/* ---- several places -------------------------------------------------------------------------- */

/* Each array that a place reads or writes is current there before one is bound: more of one moves
 * its memory. */
static lun_status make_current(lun_engine *e, const share *w)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < w->k->lowered.ir.slot_count; i++)
        if (!is_memory(w->k, i) && w->k->lowered.ir.slots[i].role != LUN_SLOT_TARGET)
            s = lun__local_current(e, w->k->lowered.slots[i].node, w->at);
    return s;
}

static lun_status run_there(lun_engine *e, const lun_team_run *r, share *w)
{
    const int64_t launches = e->stats.launches;
    const int before = lun__set_enter(e, w->at);
    lun_remembered_teams *t;
    lun_status s = lun__team_kernel_take(e, r, LUN_TEAMS_MOVED, 0, &t);
    if (s == LUN_OK) {
        w->t = t;
        w->k = &t->k;
        fill(r, &t->k);
        s = make_current(e, w);
    }
    if (s == LUN_OK)
        s = all_teams(e, w);
    lun__team_kernel_give(e, t);
    e->current = before;
    w->at->counted->launches += e->stats.launches - launches;
    return s;
}

lun_status lun__run_teams_apart(lun_engine *e, const lun_team_run *r)
{
    int64_t bound[LUN_MAX_PLACES + 1];
    const int places = lun__set_places(e);
    lun_status s = LUN_OK;
    lun__spread_cut(LUN_SPREAD_REMAINDER, NULL, r->teams, places, bound);
    for (int k = 0; s == LUN_OK && k < places; k++) {
        share w = {NULL, NULL, lun__set_at(e, k), bound[k], bound[k + 1] - bound[k]};
        if (w.count)
            s = run_there(e, r, &w);
        if (s == LUN_OK)
            s = lun__stopped(e);
    }
    return s;
}
