/* teams_step.c - the launch of a function of lun_teams: as many teams at a time as their memory
 * allows; the kernels of such functions, remembered from one launch to the next; the scratch and
 * private memory of teams; the report of accesses that collide.  What a kernel computes is
 * kernels/teams_kernel.c's.
 *
 * Invariant: e->teams[n % LUN_REMEMBERED_TEAMS] is NULL or the kernel of a function whose number
 * is congruent to n, not in use: lun__teams_step_take removes it from the table, and
 * lun__teams_step_give puts it back or, where another one has the entry by then, replaces that.
 * Only the engine's thread uses the table. */
#include "steps/teams_step.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "base/clock.h"
#include "engine/state.h"
#include "launch/bind.h"
#include "launch/launch.h"
#include "launch/profile.h"
#include "store/storage.h"

/* ---- races ----------------------------------------------------------------------------------- */

/* "A[2][3]": of memory of a team the element within that. */
static void put_element(const lun_team_run *r, const lun_races *races, lun_strbuf *out)
{
    const int slot = races->at;
    const bool memory = slot >= r->first && slot < r->first + r->scratches;
    int64_t element = races->element, shape[LUN_MAX_RANK], below;
    int rank = 1;
    lun__strbuf_puts(out, r->names ? r->names[slot] : "an array");
    if (memory) {
        const lun_front_scratch *x = &r->scratch[slot - r->first];
        shape[0] = below = x->count;
        for (int k = 0; k < x->rank; k++)
            shape[k] = x->extent[k];
        rank = x->rank ? x->rank : 1;
        element %= below;
    } else {
        const lun_node *n = r->arrays[slot];
        below = n->n;
        rank = n->rank;
        lun__node_shape(n, shape);
    }
    for (int k = 0; k < rank; k++) {
        below /= shape[k];
        lun__strbuf_printf(out, "[" LUN_NTH_LONG "]", (long long)(element / below));
        element %= below;
    }
}

/* Fails with LUN_EARG: the element, both threads and what they do. */
static lun_status explain_race(lun_engine *e, const lun_team_run *r, const lun_races *races)
{
    static const char *const does[] = {"written", "read", "changed at once"};
    const int64_t lanes = races->lanes;
    long long thread[2], team[2];
    lun_strbuf text = LUN_STRBUF_MESSAGE;
    for (int k = 0; k < 2; k++) {
        thread[k] = races->thread[k] % lanes;
        team[k] = races->thread[k] / lanes;
    }
    put_element(r, races, &text);
    lun__strbuf_printf(&text, " is %s by thread", does[races->kind[0]]);
    if (team[0] != team[1])
        lun__strbuf_printf(&text, " " LUN_NTH_LONG " of team " LUN_NTH_LONG " and", thread[0],
                           team[0]);
    else if (races->kind[0] == races->kind[1])
        lun__strbuf_printf(&text, "s " LUN_NTH_LONG " and " LUN_NTH_LONG " of team " LUN_NTH_LONG,
                           thread[0], thread[1], team[1]);
    else
        lun__strbuf_printf(&text, " " LUN_NTH_LONG " and", thread[0]);
    if (races->kind[0] != races->kind[1])
        lun__strbuf_printf(&text, " %s by thread", does[races->kind[1]]);
    else if (team[0] != team[1])
        lun__strbuf_puts(&text, " thread");
    if (team[0] != team[1] || races->kind[0] != races->kind[1])
        lun__strbuf_printf(&text, " " LUN_NTH_LONG " of team " LUN_NTH_LONG, thread[1], team[1]);
    lun__fail_text(e, LUN_EARG, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return LUN_EARG;
}

/* ---- kernels --------------------------------------------------------------------------------- */

_Static_assert((LUN_REMEMBERED_TEAMS & (LUN_REMEMBERED_TEAMS - 1)) == 0, "a mask gives the entry");

static lun_remembered_teams **entry_of(lun_engine *e, uint64_t number)
{
    return &e->teams[number & (LUN_REMEMBERED_TEAMS - 1)];
}

static void forget(lun_remembered_teams *t)
{
    if (!t)
        return;
    lun__kernel_ref(&t->ref, NULL);
    lun__teams_kernel_free(&t->k);
    free(t);
}

static int64_t known_count(const lun_front_scratch *x)
{
    return x->given ? 0 : x->count;
}

static uint64_t near_of(const lun_team_body *b, lun_team_form form)
{
    return form == LUN_TEAMS_GROUPS ? lun__teams_kernel_near(b) : 0;
}

static lun_team_body body_of(const lun_team_run *r, int64_t team_bytes)
{
    return (lun_team_body){r->f, r->scratch, r->scratches, r->first, team_bytes};
}

static bool fits(const lun_remembered_teams *t, const lun_team_run *r, lun_team_form form,
                 const lun_team_body *body)
{
    if (!t || !r->number || t->number != r->number || t->form != form ||
        t->team_bytes != body->team_bytes || t->near != near_of(body, form))
        return false;
    for (int k = 0; k < r->scratches; k++) /* the function has all but their number */
        if (t->count[k] != known_count(&r->scratch[k]))
            return false;
    return true;
}

/* Lowers it.  A kernel that takes more of a device than a group of so many threads can have runs
 * without groups; the one that does not fit stays among the kernels, so that it is made once. */
static lun_status lower(lun_engine *e, const lun_team_run *r, lun_remembered_teams *t)
{
    lun_kernel_entry *entry;
    lun_kernel_facts facts;
    const lun_team_body body = body_of(r, t->team_bytes);
    lun_status s = lun__teams_kernel_lower(e, &body, t->form, &t->k);
    t->k.lowered.texts = r->notes;
    if (s != LUN_OK || t->form != LUN_TEAMS_GROUPS)
        return s;
    s = lun__kernel_of(e, &t->k.lowered, &entry);
    if (s == LUN_OK)
        s = entry->at->backend->prepare(entry->at->state, entry->kernel, &facts);
    if (s != LUN_OK || facts.team_threads >= r->f->body->threads)
        return s;
    lun__teams_kernel_free(&t->k);
    return lun__teams_kernel_lower(e, &body, LUN_TEAMS_FISSION, &t->k);
}

lun_status lun__teams_step_take(lun_engine *e, const lun_team_run *r, lun_team_form form,
                                int64_t team_bytes, lun_remembered_teams **out)
{
    const lun_team_body body = body_of(r, team_bytes);
    lun_remembered_teams **at = entry_of(e, r->number), *t = *at;
    if (fits(t, r, form, &body)) {
        *at = NULL;
        *out = t;
        return LUN_OK;
    }
    *out = t = calloc(1, sizeof *t);
    if (!t)
        return lun__fail_nomem(e);
    t->number = r->number;
    t->form = form;
    t->team_bytes = team_bytes;
    t->near = near_of(&body, form);
    for (int k = 0; k < r->scratches; k++)
        t->count[k] = known_count(&r->scratch[k]);
    lun_status s = lower(e, r, t);
    if (s != LUN_OK) {
        forget(t);
        *out = NULL;
    }
    return s;
}

lun_status lun__teams_step_entry(lun_engine *e, lun_remembered_teams *t, lun_kernel_entry **out)
{
    *out = t->ref.kernel;
    if (*out && lun__kernel_fits(e, *out)) {
        lun__kernel_used(e, *out);
        return LUN_OK;
    }
    lun_status s = lun__kernel_of(e, &t->k.lowered, out);
    if (s == LUN_OK)
        lun__kernel_ref(&t->ref, *out);
    return s;
}

void lun__teams_step_fill(const lun_team_run *r, lun_team_kernel *k)
{
    const lun_ir *body = r->f->body;
    k->lowered.texts = r->notes;
    for (int i = 0; i < LUN_TEAM_AXES; i++)
        k->lowered.args[LUN_FRONT_BLOCKS + i].cell = (uint64_t)r->blocks[i];
    for (int i = LUN_FRONT_NUMBERS; i < body->arg_count; i++)
        k->lowered.args[i].cell = r->cells[i - LUN_FRONT_NUMBERS];
    for (int i = 0; i < body->slot_count; i++)
        if (i < r->first || i >= r->first + r->scratches)
            k->lowered.slots[i].node = r->arrays[i];
    for (int i = 0; i < r->scratches; i++)
        if (r->scratch[i].given && !k->lowered.ir.slots[r->first + i].shared)
            k->memory[i].count = r->scratch[i].count;
}

void lun__teams_step_give(lun_engine *e, lun_remembered_teams *t)
{
    if (!t || !t->number) {
        forget(t);
        return;
    }
    lun_remembered_teams **at = entry_of(e, t->number);
    forget(*at);
    *at = t;
}

void lun__teams_step_flush(lun_engine *e)
{
    for (int k = 0; k < LUN_REMEMBERED_TEAMS; k++) {
        forget(e->teams[k]);
        e->teams[k] = NULL;
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

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

int64_t lun__teams_step_memory_most(const lun_team_kernel *k, int64_t teams)
{
    int64_t bytes = team_bytes(k), n;
    if (!bytes)
        return teams;
    n = MOST_SCRATCH / bytes / TEAMS * TEAMS;
    n = n > TEAMS ? n : TEAMS;
    return n < teams ? n : teams;
}

lun_status lun__teams_step_memory_check(lun_engine *e, const lun_team_kernel *k, int64_t teams)
{
    enum { FEW = 1 << 30 };
    const int64_t each = team_bytes(k);
    const int64_t most = each > FEW / teams ? e->backends[e->current]->can.memory_bytes : 0;
    if (most <= 0 || each <= most / teams)
        return LUN_OK;
    return lun__fail(e, LUN_ELIMIT,
                     "a team takes %lld bytes of scratch and private memory, and %lld run at once: "
                     "that is more than the %lld bytes of the device; use fewer elements of "
                     "t:scratch and t:private, or fewer teams",
                     (long long)each, (long long)teams, (long long)most);
}

/* n elements that are zero.  Much of it a device makes itself, by a kernel that is compiled for
 * that; little is sent. */
static lun_status zeros(lun_engine *e, lun_dtype t, int64_t n, lun_storage **out)
{
    enum { MUCH = 1 << 16 };
    lun_backend_slot *at = e->backends[e->current];
    const int bytes = lun__dtype_get(t)->bytes;
    const bool there = at->backend->buffer_new && n > MUCH / bytes;
    lun_transfer fill = {.bytes = bytes, .at = lun__layout_right(1, &n)};
    lun_status s = there ? lun__mirror_result(e, t, n, out) : lun__storage_new(e, t, n, out);
    if (s != LUN_OK)
        return s;
    if (!there) {
        memset((*out)->data, 0, (size_t)(n * bytes));
        return LUN_OK;
    }
    s = lun__mirror_buffer(e, *out, at, &fill.to);
    if (s == LUN_OK)
        s = lun__state_transfer(at, &fill);
    if (s != LUN_OK)
        lun__storage_release(e, *out);
    return s;
}

lun_status lun__teams_step_memory_open(lun_engine *e, const lun_team_kernel *k, int64_t teams,
                                       lun_team_leafs *out)
{
    lun_status s = LUN_OK;
    memset(out, 0, sizeof *out);
    for (int i = 0; s == LUN_OK && i < k->memories; i++) {
        lun_storage *memory;
        int64_t n;
        if (__builtin_mul_overflow(k->memory[i].count, teams, &n))
            return lun__launch_run_no_memory(e, teams);
        n += !n; /* a slot has an element, also if nothing is there */
        s = zeros(e, dtype_of(k, i), n, &memory);
        if (s != LUN_OK)
            break;
        s = lun__node_leaf(e, memory, 0, 1, &n, &out->node[i]);
        lun__storage_release(e, memory);
    }
    return s;
}

void lun__teams_step_memory_use(lun_team_kernel *k, const lun_team_leafs *m)
{
    for (int i = 0; i < k->memories; i++)
        k->lowered.slots[k->memory[i].slot].node = m->node[i];
}

void lun__teams_step_memory_close(lun_engine *e, const lun_team_kernel *k, lun_team_leafs *m)
{
    for (int i = 0; i < k->memories; i++) {
        if (m->node[i])
            lun__node_release(e, m->node[i]);
        m->node[i] = NULL;
    }
}

bool lun__teams_step_memory_at(const lun_team_kernel *k, int slot)
{
    for (int i = 0; i < k->memories; i++)
        if (k->memory[i].slot == slot)
            return true;
    return false;
}

/* ---- the launch ------------------------------------------------------------------------------ */

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
    to.crew = k->crew;
    if (s == LUN_OK)
        s = lun__launch_run(e, &to, entry, all * k->indices, first * k->indices, count * k->indices,
                            NULL);
    lun__bind_close(&to);
    return s;
}

static lun_status some_teams(lun_engine *e, lun_remembered_teams *t, int64_t first, int64_t count,
                             int64_t all)
{
    lun_team_kernel *k = &t->k;
    const lun_stats before = e->stats;
    const double start = e->profiling ? lun__clock_now() : 0;
    lun_kernel_entry *entry;
    k->lowered.args[LUN_FRONT_BASE].cell = (uint64_t)first;
    lun_status s = lun__teams_step_entry(e, t, &entry);
    if (s == LUN_OK)
        s = launch(e, k, entry, first, count, all);
    if (s == LUN_OK && e->profiling)
        lun__profile_after(e, &before, lun__clock_now() - start, &k->lowered, entry,
                           count * k->indices);
    return s;
}

static lun_status all_teams(lun_engine *e, lun_remembered_teams *t, int64_t teams)
{
    const int64_t most = t->k.races ? teams : lun__teams_step_memory_most(&t->k, teams);
    lun_status s = lun__teams_step_memory_check(e, &t->k, most);
    for (int64_t first = 0; s == LUN_OK && first < teams; first += most) {
        const int64_t count = teams - first < most ? teams - first : most;
        lun_team_leafs memory;
        s = lun__teams_step_memory_open(e, &t->k, count, &memory);
        lun__teams_step_memory_use(&t->k, &memory);
        if (s == LUN_OK)
            s = some_teams(e, t, first, count, teams);
        lun__teams_step_memory_close(e, &t->k, &memory);
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
    lun_status s = races.slot ? LUN_OK : lun__fail_nomem(e);
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
            s = lun__fail_nomem(e);
    }
    k->races = &races;
    if (s == LUN_OK)
        s = all_teams(e, t, r->teams);
    if (s != LUN_OK && races.at >= 0)
        s = explain_race(e, r, &races);
    k->races = NULL;
    for (int i = 0; races.slot && i < ir->slot_count; i++)
        free(races.slot[i]);
    free(races.slot);
    return s;
}

/* How the backend in use runs it; *team_bytes: bytes that a team may share. */
static lun_team_form form_of(const lun_backend_slot *b, const lun_team_run *r, int64_t *team_bytes)
{
    const lun_ir *body = r->f->body;
    *team_bytes = 0;
    if (b->can.teams)
        return LUN_TEAMS_WHOLE;
    const bool has_barriers =
        body->threads > 1 && !body->function_count && lun__ir_has_barriers(body);
    if (has_barriers && r->together && b->can.crews)
        return LUN_TEAMS_CREW;
    if (!has_barriers || body->threads > b->can.team_threads)
        return LUN_TEAMS_FISSION;
    *team_bytes = b->can.team_bytes;
    return LUN_TEAMS_GROUPS;
}

lun_status lun__teams_step_run(lun_engine *e, const lun_team_run *r)
{
    lun_backend_slot *b;
    lun_remembered_teams *t;
    int64_t team_bytes;
    lun_status s = lun__backend(e, &b);
    if (s != LUN_OK)
        return s;
    if (r->check && !b->can.teams)
        return lun__fail(e, LUN_EARG,
                         "check=true is for the backend reference, not %s: lun.use \"reference\"",
                         b->backend->name);
    if (r->check && r->f->body->function_count)
        return lun__fail(e, LUN_EARG, "check=true watches Lua functions, not C");
    const lun_team_form form = form_of(b, r, &team_bytes);
    s = lun__teams_step_take(e, r, form, team_bytes, &t);
    if (s == LUN_OK) {
        lun__teams_step_fill(r, &t->k);
        s = r->check ? watched(e, r, t) : all_teams(e, t, r->teams);
    }
    lun__teams_step_give(e, t);
    e->current = b->number;
    return s;
}
