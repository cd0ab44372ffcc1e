/* teams.c - functions run for each thread of each team, which read and write arrays in place. Knows
 * of a function only its front end's result. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/array/apply_function.h"
#include "api/loop/teams.h"
#include "api/loop/written_arrays.h"
#include "api/write/merge_divergent.h"
#include "base/sized.h"
#include "lunarray_bind.h"

enum { MOST_THREADS = 1024 };

typedef struct teams {
    lun_engine *e;
    lun_array *const *args;
    int count;
    lun_front_result r;
    lun_team_run run;
    int arrays, cells;
    bool dist; /* each location of the set in use runs some teams, on its own copies */
    /* only the entries in use are initialised */
    lun_held held[LUN_TEAM_ARRAYS];  /* by array of the body; without an array: memory of teams */
    lun_node *node[LUN_TEAM_ARRAYS]; /* of their arrays */
    uint64_t cell[LUN_TEAM_CELLS];
    lun_front_scratch scratch[LUN_FRONT_SCRATCHES];
} teams;

/* ---- the division ---------------------------------------------------------------------------- */

static void spread(const int64_t first[3], const int64_t *more, int64_t out[LUN_TEAM_AXES])
{
    for (int k = 0; k < LUN_TEAM_AXES; k++)
        out[k] = k < 3 ? first[k] : more[k - 3] ? more[k - 3] : 1;
}

lun_workdiv lun__team_workdiv(const lun_workdiv *w)
{
    lun_workdiv own = {0};
    lun__sized_take(&own, w, w->size ? sizeof own : offsetof(lun_workdiv, league_more));
    return own;
}

lun_team_extents lun__team_extents(const lun_workdiv *w)
{
    lun_team_extents x;
    spread(w->league, w->league_more, x.league);
    spread(w->team, w->team_more, x.team);
    spread(w->elements, w->elements_more, x.elements);
    return x;
}

/* The number of extents, the last ones of which are not 1; 1 at least. */
static int rank_of(const int64_t extent[LUN_TEAM_AXES])
{
    int rank = LUN_TEAM_AXES;
    while (rank > 1 && extent[rank - 1] == 1)
        rank--;
    return rank;
}

static lun_status multiply(lun_engine *e, const int64_t extent[LUN_TEAM_AXES], const char *what,
                           int64_t *out)
{
    const int rank = rank_of(extent) < 3 ? 3 : rank_of(extent);
    bool well = true;
    *out = 1;
    for (int k = 0; well && k < rank; k++)
        well = extent[k] >= 1 && !__builtin_mul_overflow(*out, extent[k], out) &&
               *out <= LUN_MOST_ELEMENTS;
    if (well)
        return LUN_OK;
    char shown[24 * LUN_TEAM_AXES];
    size_t length = 0;
    for (int k = 0; k < rank; k++)
        length += (size_t)snprintf(shown + length, sizeof shown - length, "%s%lld", k ? ", " : "",
                                   (long long)extent[k]);
    return lun__fail(e, LUN_EARG, "%s {%s}: extents are 1 or more, at most %lld in all", what,
                     shown, (long long)LUN_MOST_ELEMENTS);
}

lun_status lun__team_division(lun_engine *e, const lun_workdiv *w, lun_team_run *run)
{
    const lun_team_extents x = lun__team_extents(w);
    int64_t elements, all;
    lun_status s = multiply(e, x.league, "league", &run->teams);
    if (s == LUN_OK)
        s = multiply(e, x.team, "team", &run->threads);
    if (s == LUN_OK)
        s = multiply(e, x.elements, "elements", &elements);
    if (s != LUN_OK)
        return s;
    memcpy(run->blocks, x.league, sizeof run->blocks);
    if (w->mapping != LUN_MAPPING_BLOCKS && w->mapping != LUN_MAPPING_THREADS)
        return lun__fail(e, LUN_EARG, "mapping %d: LUN_MAPPING_BLOCKS or LUN_MAPPING_THREADS",
                         (int)w->mapping);
    run->together = w->mapping == LUN_MAPPING_THREADS;
    if (run->threads > MOST_THREADS)
        return lun__fail(e, LUN_ELIMIT,
                         "a team of %lld threads: %d is the most; make more teams, or give each "
                         "thread more elements",
                         (long long)run->threads, (int)MOST_THREADS);
    if (__builtin_mul_overflow(run->teams, run->threads, &all) || all > LUN_MOST_ELEMENTS)
        return lun__fail(e, LUN_ELIMIT, "%lld teams of %lld threads are too many",
                         (long long)run->teams, (long long)run->threads);
    return LUN_OK;
}

lun_status lun_workdiv_check(lun_engine *e, const lun_workdiv *w)
{
    LUN_NEED(e, w);
    lun_team_run ignored = {0};
    const lun_workdiv own = lun__team_workdiv(w);
    return lun__team_division(e, &own, &ignored);
}

/* ---- the function ---------------------------------------------------------------------------- */

/* Whether it assigns elements of an array, team scratch left out, or would for other divisions. */
static lun_status check_body(lun_engine *e, const lun_front_param *params, int count,
                             const lun_front_result *r)
{
    const lun_ir *body = r->function->body;
    int arrays = 0;
    if (r->assigns)
        return LUN_OK;
    for (int k = 0; k < count; k++)
        arrays += params[LUN_FRONT_NUMBERS + k].array;
    for (int k = 0; k < body->slot_count; k++)
        if ((k < arrays || k >= arrays + r->scratches) && body->slots[k].role == LUN_SLOT_TARGET)
            return LUN_OK;
    return lun__fail(e, LUN_EARG, "a function that assigns no element of an array: B[i] = x");
}

lun_status lun__team_specialise(lun_engine *e, lun_function *f, const lun_workdiv *w,
                                lun_front_param *params, int count, lun_front_result *r)
{
    const lun_team_extents x = lun__team_extents(w);
    for (int k = 0; k < LUN_FRONT_NUMBERS; k++)
        params[k] = (lun_front_param){.dtype = LUN_I64, .stored = LUN_I64, .index = LUN_FRONT_TEAM};
    params[LUN_TEAM_RANK].shape[0] = rank_of(x.league);
    memcpy(params[LUN_TEAM_THREADS].shape, x.team, sizeof x.team);
    memcpy(params[LUN_TEAM_ELEMENTS].shape, x.elements, sizeof x.elements);
    lun__fail_clear(e);
    lun_host_begin(e); /* the front end can be stopped */
    lun_status s =
        f->front.specialise(f->front.ctx, params, LUN_FRONT_NUMBERS + count, r, &e->error);
    lun_host_end(e);
    if (s != LUN_OK)
        return s == LUN_ENOMEM && !e->error.length ? lun__fail_nomem(e) : s;
    r->function->note_count = r->note_count;
    lun__function_ref_number(e, r->function);
    return check_body(e, params, count, r);
}

static lun_status specialise(teams *t, lun_function *f, const lun_workdiv *w)
{
    lun_front_param params[LUN_FRONT_NUMBERS + LUN_MAX_OPERANDS];
    memset(params, 0, (LUN_FRONT_NUMBERS + (size_t)t->count) * sizeof *params);
    for (int k = 0; k < t->count; k++) {
        lun_front_param *p = &params[LUN_FRONT_NUMBERS + k];
        lun_array *a = t->args[k];
        p->stored = lun_dtype_of(a);
        p->dtype = (lun_dtype)lun__dtype_get(p->stored)->compute;
        p->rank = lun_shape(a, p->shape);
        p->array = p->rank > 0;
        p->weak = a->weak;
    }
    return lun__team_specialise(t->e, f, w, params, t->count, &t->r);
}

/* ---- operands -------------------------------------------------------------------------------- */

static lun_status take_cell(teams *t, lun_array *a)
{
    lun_dtype to = (lun_dtype)t->r.function->body->args[LUN_FRONT_NUMBERS + t->cells];
    uint64_t cell = 0;
    lun_status s = LUN_OK;
    if (a->weak) {
        cell = lun__dtype_cell_from_value(to, a->number);
    } else {
        s = lun_read(t->e, a, &cell, 0, 1);
        cell = lun__dtype_cell_cast(to, lun_dtype_of(a), cell);
    }
    t->cell[t->cells++] = cell;
    return s;
}

static void take_array(teams *t, lun_array *a)
{
    const lun_ir *body = t->r.function->body;
    t->held[t->arrays] =
        (lun_held){.array = a, .written = body->slots[t->arrays].role == LUN_SLOT_TARGET};
    t->node[t->arrays++] = NULL;
}

/* The body's scalars and arrays, in its order. */
static lun_status take_operands(teams *t)
{
    const lun_front_result *r = &t->r;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < t->count; k++) {
        if (lun_shape(t->args[k], shape) > 0)
            take_array(t, t->args[k]);
        else
            s = take_cell(t, t->args[k]);
    }
    t->run.first = t->arrays;
    for (int k = 0; k < r->scratches; k++)
        take_array(t, NULL);
    for (int k = 0; k < r->scalars; k++)
        t->cell[t->cells++] = lun__dtype_cell_from_value(r->scalar_dtype[k], r->scalar[k]);
    for (int k = 0; s == LUN_OK && k < r->arrays; k++) {
        if (lun_shape(r->array[k], shape) > 0)
            take_array(t, r->array[k]);
        else
            s = take_cell(t, r->array[k]);
    }
    return s;
}

/* Whether all written arrays are copies, of which each location may write its own. */
static bool writes_copies(const teams *t, const lun_workdiv *w)
{
    bool all = t->e->set_count && !w->check;
    for (int k = 0; all && k < t->arrays; k++)
        all =
            !t->held[k].array || !t->held[k].written || lun__written_copied(t->e, t->held[k].array);
    return all;
}

/* Memory for array k. */
static lun_status open_array(teams *t, int k)
{
    lun_held *h = &t->held[k];
    lun_status s;
    if (t->dist && h->written) {
        const lun_writing how =
            lun__merge_writing_of(t->r.function->body, k, lun_dtype_of(h->array));
        s = lun__written_part(t->e, h, &how);
    } else {
        s = lun__written_open(t->e, h, false);
    }
    t->node[k] = h->node;
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Runs all teams at one location: of a set the first one, which also counts them. */
static lun_status run_at_first(lun_engine *e, const lun_team_run *run)
{
    const int64_t launches = e->stats.launches;
    lun_status s = lun__teams_step_run(e, run);
    if (e->set_count)
        lun__set_at(e, 0)->counted->launches += e->stats.launches - launches;
    return s;
}

static lun_status run(teams *t, const lun_workdiv *w)
{
    lun_status s = LUN_OK;
    t->dist = writes_copies(t, w);
    for (int k = 0; s == LUN_OK && k < t->arrays; k++)
        if (t->held[k].array)
            s = open_array(t, k);
    for (int k = 0; s != LUN_OK && k < t->arrays; k++)
        lun__written_join(t->e, &t->held[k]);
    if (s != LUN_OK)
        return s;
    t->run.f = t->r.function;
    t->run.number = t->r.function->number;
    t->run.notes = t->r.notes;
    t->run.names = t->r.names;
    t->run.check = w->check;
    t->run.cells = t->cell;
    t->run.arrays = t->node;
    t->run.scratch = t->scratch;
    t->run.scratches = t->r.scratches;
    lun_host_begin(t->e);
    s = t->dist ? lun__league_run(t->e, &t->run) : run_at_first(t->e, &t->run);
    lun_host_end(t->e);
    return s == LUN_OK ? lun__written_back(t->e, t->held, t->arrays) : s;
}

lun_status lun_teams(lun_engine *e, lun_function *f, const lun_workdiv *w, lun_array *const *args,
                     int count)
{
    LUN_NEED(e, w && (args || !count));
    teams t;
    memset(&t, 0, offsetof(teams, held));
    t.e = e;
    t.args = args;
    t.count = count;
    if (!f || !f->front.specialise)
        return lun__fail(
            e, LUN_EARG,
            "teams takes a function of the host's language, or C text without a result, "
            "which assigns elements of arrays");
    if (count < 0 || count > LUN_MAX_OPERANDS)
        return lun__fail(e, LUN_EARG, "%d arguments: at most %d can be given", count,
                         LUN_MAX_OPERANDS);
    const lun_workdiv division = lun__team_workdiv(w);
    lun_status s = lun__team_division(e, &division, &t.run);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__array_usable(e, args[k]);
    if (s == LUN_OK)
        s = specialise(&t, f, &division);
    if (s == LUN_OK)
        s = take_operands(&t);
    if (s == LUN_OK)
        s = lun__team_scratch(e, &t.r, &division, t.cell, t.scratch);
    if (s == LUN_OK)
        s = lun__written_check(e, t.held, t.arrays, t.r.names);
    if (s == LUN_OK)
        s = run(&t, &division);
    lun__written_end(e, t.held, t.arrays);
    return s;
}
