/* teams.c - functions run for each thread of each team, which read and write arrays as they go.
 * Knows of a function only what its front end tells. */
#include <stddef.h>
#include <string.h>

#include "api/call.h"
#include "api/elements.h"
#include "api/merge.h"
#include "api/teams.h"
#include "lunarray_bind.h"

enum { MOST_THREADS = 1024 };

/* What becomes of one array of the body. */
typedef struct operand {
    lun_array *array;
    bool assigned, back; /* back: a copy is written, which the array becomes */
    bool parted;         /* its copies are about to differ */
} operand;

typedef struct teams {
    lun_engine *e;
    lun_array *const *args;
    int count;
    lun_front_result r;
    lun_team_run run;
    int arrays, cells;
    bool apart; /* each place of the set in use runs some teams, on its own copies */
    /* of these only as many as there are have been set */
    operand operand[LUN_TEAM_ARRAYS];
    lun_node *node[LUN_TEAM_ARRAYS]; /* references */
    uint64_t cell[LUN_TEAM_CELLS];
} teams;

/* ---- the division ---------------------------------------------------------------------------- */

static lun_status multiply(lun_engine *e, const int64_t extent[3], const char *what, int64_t *out)
{
    *out = 1;
    for (int k = 0; k < 3; k++)
        if (extent[k] < 1 || __builtin_mul_overflow(*out, extent[k], out) ||
            *out > LUN_MOST_ELEMENTS)
            return lun__fail(e, LUN_EARG,
                             "%s {%lld, %lld, %lld}: extents are 1 or more, at most "
                             "%lld in all",
                             what, (long long)extent[0], (long long)extent[1], (long long)extent[2],
                             (long long)LUN_MOST_ELEMENTS);
    return LUN_OK;
}

lun_status lun__team_division(lun_engine *e, const lun_workdiv *w, lun_team_run *run)
{
    int64_t elements, all;
    lun_status s = multiply(e, w->league, "league", &run->teams);
    if (s == LUN_OK)
        s = multiply(e, w->team, "team", &run->threads);
    if (s == LUN_OK)
        s = multiply(e, w->elements, "elements", &elements);
    if (s != LUN_OK)
        return s;
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
    return lun__team_division(e, w, &ignored);
}

static lun_status check_scratch(lun_engine *e, const lun_front_result *r, const lun_workdiv *w)
{
    int64_t bytes = 0, own;
    for (int k = 0; k < r->scratches; k++) {
        const lun_front_scratch *x = &r->scratch[k];
        if (x->own)
            continue;
        if (__builtin_mul_overflow(x->count, (int64_t)lun__dtype_get(x->dtype)->bytes, &own) ||
            __builtin_add_overflow(bytes, own, &bytes))
            return lun__nomem(e);
    }
    if (w->scratch && bytes > w->scratch)
        return lun__fail(e, LUN_ELIMIT,
                         "a team takes %lld bytes of scratch memory, more than scratch=%lld says",
                         (long long)bytes, (long long)w->scratch);
    return LUN_OK;
}

/* ---- the function ---------------------------------------------------------------------------- */

/* Whether it assigns elements of an array that is no scratch memory, or would for other teams. */
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
    int rank = 3;
    while (rank > 1 && w->league[rank - 1] == 1)
        rank--;
    for (int k = 0; k < LUN_FRONT_NUMBERS; k++)
        params[k] = (lun_front_param){.dtype = LUN_I64, .stored = LUN_I64, .index = LUN_FRONT_TEAM};
    int64_t *known = params[0].shape;
    for (int k = 0; k < 3; k++) {
        known[LUN_TEAM_THREADS + k] = w->team[k];
        known[LUN_TEAM_ELEMENTS + k] = w->elements[k];
    }
    known[LUN_TEAM_RANK] = rank;
    lun__clear(e);
    lun_host_begin(e); /* the front end can be stopped */
    lun_status s =
        f->front.specialise(f->front.ctx, params, LUN_FRONT_NUMBERS + count, r, &e->error);
    lun_host_end(e);
    if (s != LUN_OK)
        return s == LUN_ENOMEM && !e->error.length ? lun__nomem(e) : s;
    r->function->note_count = r->note_count;
    lun__function_number(e, r->function);
    s = check_body(e, params, count, r);
    return s == LUN_OK ? check_scratch(e, r, w) : s;
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
        cell = lun__cell_from_value(to, a->number);
    } else {
        s = lun_read(t->e, a, &cell, 0, 1);
        cell = lun__cell_cast(to, lun_dtype_of(a), cell);
    }
    t->cell[t->cells++] = cell;
    return s;
}

static void take_array(teams *t, lun_array *a)
{
    const lun_ir *body = t->r.function->body;
    t->operand[t->arrays] =
        (operand){.array = a, .assigned = body->slots[t->arrays].role == LUN_SLOT_TARGET};
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
        t->cell[t->cells++] = lun__cell_from_value(r->scalar_dtype[k], r->scalar[k]);
    for (int k = 0; s == LUN_OK && k < r->arrays; k++) {
        if (lun_shape(r->array[k], shape) > 0)
            take_array(t, r->array[k]);
        else
            s = take_cell(t, r->array[k]);
    }
    return s;
}

/* An array that is assigned is the only way to its elements. */
static lun_status check_shared(const teams *t)
{
    for (int k = 0; k < t->arrays; k++)
        for (int i = 0; i < t->arrays; i++) {
            lun_array *a = t->operand[k].array, *b = t->operand[i].array;
            const char *const *names = t->r.names;
            if (i == k || !a || !b || !t->operand[k].assigned || lun__base(a) != lun__base(b))
                continue;
            if (names)
                return lun__fail(
                    t->e, LUN_EARG,
                    "'%s', which the function assigns, shares elements with '%s': hand "
                    "it over once, or a copy",
                    names[k], names[i]);
            return lun__fail(t->e, LUN_EARG,
                             "an array that the function assigns shares elements with another "
                             "one that it captures or is given: hand it over once, or a copy");
        }
    return LUN_OK;
}

static lun_status leaf(lun_engine *e, lun_array *a, lun_node **out)
{
    lun_node *n;
    lun_status s = lun__node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    if (n->kind == LUN_NODE_LEAF) {
        *out = n;
        return lun__versions_merge(e, n->storage);
    }
    s = lun__node_copy(e, n, out);
    lun__node_release(e, n);
    return s;
}

/* Whether an array is a copy on each place, whole, and no window. */
static bool is_copy(teams *t, const lun_array *a)
{
    const lun_node *n = a->node;
    const lun_spread *x = NULL;
    if (a->parent || a->viewed)
        return false;
    if (n->kind == LUN_NODE_LEAF)
        x = lun__placed_spread(t->e, n->storage);
    else if (n->extended && n->wish)
        x = lun__placed_fits(t->e, n->wish->spread);
    return x && x->kind == LUN_SPREAD_COPY;
}

/* Whether all that is written are copies, which places may write each by itself. */
static bool writes_copies(teams *t, const lun_workdiv *w)
{
    bool all = t->e->set_count && !w->check;
    for (int k = 0; all && k < t->arrays; k++)
        all = !t->operand[k].array || !t->operand[k].assigned || is_copy(t, t->operand[k].array);
    return all;
}

/* The copies of array k are written, each at its place. */
static lun_status open_copies(teams *t, int k)
{
    lun_array *a = t->operand[k].array;
    const lun_ir *body = t->r.function->body;
    lun_status s = lun__hold(t->e, a);
    if (s != LUN_OK)
        return s;
    t->node[k] = lun__node_retain(a->node);
    const lun_storage *of = a->node->storage;
    const lun_writing how = lun__writing_of(body, k, of->dtype);
    const bool differed = of->placed && of->placed->versions;
    s = lun__versions_open(t->e, a->node->storage, &how);
    t->operand[k].parted = s == LUN_OK && !differed;
    return s;
}

/* Nothing has written them: copies do not differ but for this launch, which is not to be. */
static void close_copies(teams *t)
{
    for (int k = 0; k < t->arrays; k++) {
        lun_storage *of = t->operand[k].parted ? t->node[k]->storage : NULL;
        if (of)
            (void)lun__versions_taken(t->e, of, of->placed->versions->at[0]);
    }
}

/* Memory for array k: its own, where it is assigned and stands there as a whole, or is read. */
static lun_status open_operand(teams *t, int k)
{
    operand *o = &t->operand[k];
    lun_engine *e = t->e;
    lun_target to;
    lun_node *n;
    if (!o->assigned)
        return leaf(e, o->array, &t->node[k]);
    if (t->apart)
        return open_copies(t, k);
    lun_status s = lun__writable(e, o->array, &to);
    if (s != LUN_OK)
        return s;
    o->back = o->array->parent || o->array->viewed;
    if (!o->back) {
        t->node[k] = lun__node_retain(o->array->node);
        return LUN_OK;
    }
    s = lun__node(e, o->array, LUN_DTYPE_COUNT, &n);
    if (s == LUN_OK) {
        s = lun__node_copy(e, n, &t->node[k]);
        lun__node_release(e, n);
    }
    return s;
}

static lun_status store_back(const teams *t)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < t->arrays; k++) {
        lun_array *made;
        if (!t->operand[k].back)
            continue;
        s = lun__array(t->e, lun__node_retain(t->node[k]), true, &made);
        if (s != LUN_OK)
            break;
        s = lun_store(t->e, t->operand[k].array, made);
        lun_release(made);
    }
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static lun_status run(teams *t, const lun_workdiv *w)
{
    lun_status s = LUN_OK;
    t->apart = writes_copies(t, w);
    for (int k = 0; s == LUN_OK && k < t->arrays; k++)
        if (t->operand[k].array)
            s = open_operand(t, k);
    if (s != LUN_OK) {
        close_copies(t);
        return s;
    }
    t->run.f = t->r.function;
    t->run.number = t->r.function->number;
    t->run.notes = t->r.notes;
    t->run.names = t->r.names;
    t->run.check = w->check;
    t->run.cells = t->cell;
    memcpy(t->run.blocks, w->league, sizeof t->run.blocks);
    t->run.arrays = t->node;
    t->run.scratch = t->r.scratch;
    t->run.scratches = t->r.scratches;
    lun_host_begin(t->e);
    s = t->apart ? lun__run_teams_apart(t->e, &t->run) : lun__run_teams(t->e, &t->run);
    lun_host_end(t->e);
    return s == LUN_OK ? store_back(t) : s;
}

lun_status lun_teams(lun_engine *e, lun_function *f, const lun_workdiv *w, lun_array *const *args,
                     int count)
{
    LUN_NEED(e, w && (args || !count));
    teams t;
    memset(&t, 0, offsetof(teams, operand));
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
    lun_status s = lun__team_division(e, w, &t.run);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__usable(e, args[k]);
    if (s == LUN_OK)
        s = specialise(&t, f, w);
    if (s == LUN_OK)
        s = take_operands(&t);
    if (s == LUN_OK)
        s = check_shared(&t);
    if (s == LUN_OK)
        s = run(&t, w);
    for (int k = 0; k < t.arrays; k++)
        if (t.operand[k].array && t.node[k])
            lun__node_release(e, t.node[k]);
    return s;
}
