/* league.c - the teams of a league that places share: each runs some on its own version of what
 * they write, all at once, as many at a time as their memory allows.  What the kernel does is
 * kernels/teams_kernel.c's. */
#include <stdlib.h>

#include "base/clock.h"
#include "engine/watch.h"
#include "launch/flights.h"
#include "launch/launch_dist.h"
#include "launch/local.h"
#include "launch/profile.h"
#include "launch/run_event.h"
#include "placing/placing.h"
#include "placing/reached.h"
#include "steps/teams_step.h"
#include "store/fetch.h"

/* The part of one place. */
typedef struct part {
    int64_t first, end; /* teams, */
    int64_t next;       /* and the first that has not begun */
    int64_t most;       /* teams of a launch at most, */
    int64_t count;      /* of the one that is bound */
    lun_team_leafs memory;
} part;

typedef struct league {
    lun_engine *e;
    lun_remembered_teams *t;
    lun_flights flights;
    part *parts; /* by place */
} league;

/* What the teams of a place, all that it has, can reach of the array that slot i reads; none where
 * it is another slot. */
static lun_interval need(const league *l, int k, int i)
{
    lun_lowered *lowered = &l->t->k.lowered;
    if (lun__teams_step_memory_at(&l->t->k, i) || lowered->ir.slots[i].role == LUN_SLOT_TARGET)
        return (lun_interval){0, 0};
    lowered->args[LUN_FRONT_BASE].cell = (uint64_t)l->parts[k].first;
    return lun__reached_by_teams(lowered, i,
                                 (l->parts[k].end - l->parts[k].first) * l->t->k.indices);
}

/* That becomes current there, before one array is bound: more of one moves its memory. */
static lun_status make_current(league *l, int k)
{
    const lun_lowered *lowered = &l->t->k.lowered;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < lowered->ir.slot_count; i++) {
        const lun_need x = {lowered->slots[i].node, lun__set_at(l->e, k), need(l, k, i),
                            .indexed = true};
        if (!lun__teams_step_memory_at(&l->t->k, i) && lowered->ir.slots[i].role != LUN_SLOT_TARGET)
            s = lun__share_done.room(l->e, &x);
        if (s == LUN_OK)
            s = lun__share_done.move(l->e, &x);
    }
    return s;
}

static lun_status open_part(league *l, int k)
{
    part *p = &l->parts[k];
    lun_backend_slot *at = lun__set_at(l->e, k);
    lun__state_set_enter(l->e, at);
    p->most = lun__teams_step_memory_most(&l->t->k, p->end - p->next);
    const lun_status s = lun__teams_step_memory_check(l->e, &l->t->k, p->most);
    return s == LUN_OK ? make_current(l, k) : s;
}

static lun_status bind_slots(league *l, int k, lun_binding *to)
{
    const lun_lowered *lowered = &l->t->k.lowered;
    lun_backend_slot *at = lun__set_at(l->e, k);
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < lowered->ir.slot_count; i++) {
        const lun_node *n = lowered->slots[i].node;
        const bool writes = lowered->ir.slots[i].role == LUN_SLOT_TARGET;
        if (lun__teams_step_memory_at(&l->t->k, i))
            s = lun__bind_part(l->e, to, i, n->storage, n->offset, NULL, n->n, writes);
        else
            s = writes ? lun__local_bind_written(l->e, to, i, n, at)
                       : lun__local_bind_array(l->e, to, i, n, at, need(l, k, i));
    }
    return s;
}

/* Memory of the next teams of a place, before anything is under way there. */
static lun_status open_memory(league *l, int k)
{
    part *p = &l->parts[k];
    const int64_t left = p->end - p->next;
    p->count = left < p->most ? left : p->most;
    lun__state_set_enter(l->e, lun__set_at(l->e, k));
    return lun__teams_step_memory_open(l->e, &l->t->k, p->count, &p->memory);
}

/* All else that the launch of a place needs; index 0 is of its first team.  The kernel is made when
 * it is about to run: other places wait for a program until it has run where it was made first. */
static lun_status bind_part(league *l, int k)
{
    lun_engine *e = l->e;
    const part *p = &l->parts[k];
    lun_team_kernel *kernel = &l->t->k;
    lun_flight *x = &l->flights.at[k];
    lun__teams_step_memory_use(kernel, &p->memory);
    kernel->lowered.args[LUN_FRONT_BASE].cell = (uint64_t)p->next;
    lun_status s = lun__teams_step_entry(e, l->t, &x->kernel);
    if (s != LUN_OK)
        return s;
    x->open = true;
    s = lun__bind_open(e, &kernel->lowered, &x->binding);
    return s == LUN_OK ? bind_slots(l, k, &x->binding) : s;
}

/* Does a part of each place that has teams left; what fails is noted. */
static void each_part(league *l, lun_status (*task)(league *l, int k))
{
    for (int k = 0; l->flights.failed < 0 && k < l->flights.places; k++) {
        const lun_status s = l->parts[k].next < l->parts[k].end ? task(l, k) : LUN_OK;
        if (s != LUN_OK)
            lun__flights_fail(&l->flights, k, s, false);
    }
}

static lun_status begin(void *ctx, int k)
{
    league *l = ctx;
    const part *p = &l->parts[k];
    lun_status s = p->count ? bind_part(l, k) : LUN_OK;
    if (s != LUN_OK)
        lun__flights_fail(&l->flights, k, s, false);
    else if (p->count)
        lun__flights_begin(&l->flights, k, p->count * l->t->k.indices, NULL);
    return l->flights.failed < 0 ? LUN_OK : l->flights.at[l->flights.failed].failed;
}

/* What has ended is given back; of a failure that is explained then. */
static lun_status end_round(league *l, lun_status s)
{
    lun_flights *f = &l->flights;
    if (f->failed >= 0) {
        lun__teams_step_memory_use(&l->t->k, &l->parts[f->failed].memory);
        s = lun__flights_failure(f);
    }
    for (int k = 0; k < f->places; k++) {
        part *p = &l->parts[k];
        lun__flight_close(&f->at[k]);
        lun__teams_step_memory_close(l->e, &l->t->k, &p->memory);
        p->next += p->count;
        p->count = 0;
    }
    return s;
}

/* Some teams at each place that has any left, at once.  *last: none are left. */
static lun_status run_round(league *l, bool *last)
{
    lun_engine *e = l->e;
    lun_flights *f = &l->flights;
    const lun_stats before = e->stats;
    const double start = lun__clock_now();
    int64_t teams = 0;
    lun_status s = LUN_OK;
    *last = true;
    lun_run_event *watched = lun__run_event_kernel(e, start, NULL, &l->t->k.lowered, 0, 0);
    each_part(l, open_memory);
    for (int k = 0; k < f->places; k++) {
        teams += l->parts[k].count;
        *last &= l->parts[k].next + l->parts[k].count == l->parts[k].end;
    }
    if (f->failed < 0)
        s = lun__launch_dist_each(e, f->places, true, begin, l);
    lun__flights_end(f);
    const double end = lun__clock_now();
    e->stats.run_time += end - start;
    lun__run_event_end(e, watched, end);
    for (int k = 0; s == LUN_OK && f->failed < 0 && e->profiling && k < f->places; k++)
        if (l->parts[k].count) {
            lun__profile_after(e, &before, lun__clock_now() - start, &l->t->k.lowered,
                               f->at[k].kernel, teams * l->t->k.indices);
            break;
        }
    return end_round(l, s);
}

static lun_status run(league *l, int64_t teams)
{
    const int places = l->flights.places;
    bool last = false;
    for (int k = 0; k < places; k++) {
        part *p = &l->parts[k];
        p->first = p->next = lun__spread_bound(LUN_SPREAD_REMAINDER, teams, places, k);
        p->end = lun__spread_bound(LUN_SPREAD_REMAINDER, teams, places, k + 1);
    }
    each_part(l, open_part);
    lun_status s = lun__flights_failure(&l->flights);
    while (s == LUN_OK && !last)
        s = run_round(l, &last);
    return s;
}

lun_status lun__league_run(lun_engine *e, const lun_team_run *r)
{
    league l = {.e = e};
    const int before = lun__state_set_enter(e, lun__set_at(e, 0)), places = lun__state_places(e);
    lun_status s = lun__teams_step_take(e, r, LUN_TEAMS_MOVED, 0, &l.t);
    if (s == LUN_OK)
        s = lun__flights_open(e, places, &l.flights);
    if (s == LUN_OK && !(l.parts = calloc((size_t)places, sizeof *l.parts)))
        s = lun__fail_nomem(e);
    e->kernels_held++;
    if (s == LUN_OK) {
        lun__teams_step_fill(r, &l.t->k);
        s = lun__fetch_settled(e, run(&l, r->teams));
    }
    e->kernels_held--;
    lun__flights_close(&l.flights);
    lun__teams_step_give(e, l.t);
    e->current = before;
    free(l.parts);
    return s;
}
