/* team.c - the first parameter of a function of lun.teams, t, and what its methods do: numbers of
 * threads and teams from the kernel's own number, loops that are shared out, memory of a team.
 *
 * Everything is said by what the graph has already, but for writes.  The team's extents are known
 * when the kernel is compiled: constants.  Knows no types. */
#include "luafn/ssa/team.h"

#include <string.h>

#include "luafn/ssa/target.h"

static const int64_t *known(const lf_builder *b)
{
    return b->c->param[0].shape;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static lf_value *arith(lf_builder *b, lf_arith op, lf_value *x, lf_value *y)
{
    return luafn_emit2(b, LF_ARITH, op, x, y);
}

static lf_value *by(lf_builder *b, lf_arith op, lf_value *x, int64_t n)
{
    bool nothing = (op == LF_MUL || op == LF_IDIV) ? n == 1 : op == LF_ADD && n == 0;
    return nothing ? x : arith(b, op, x, luafn_int(b->g, n));
}

static int64_t product(const int64_t extent[3], int from)
{
    int64_t n = 1;
    for (int k = from; k < 3; k++)
        n *= extent[k];
    return n;
}

static int64_t threads(const lf_builder *b)
{
    return product(known(b) + LUN_TEAM_THREADS, 0);
}

/* The number of the thread in its team, of the team in the league, from 0. */
static lf_value *thread(lf_builder *b)
{
    int64_t lanes = known(b)[LUN_TEAM_LANES];
    lf_value *item = b->c->param_value[LUN_FRONT_ITEM];
    return lanes == 1 ? luafn_int(b->g, 0) : by(b, LF_MOD, item, lanes);
}

static lf_value *block(lf_builder *b)
{
    return by(b, LF_IDIV, b->c->param_value[LUN_FRONT_ITEM], known(b)[LUN_TEAM_LANES]);
}

/* From 0, along axis d of 3, from 0; d < 0: the row-major number. */
static lf_value *thread_along(lf_builder *b, int d)
{
    const int64_t *extent = known(b) + LUN_TEAM_THREADS;
    if (d < 0)
        return thread(b);
    if (extent[d] == 1)
        return luafn_int(b->g, 0);
    lf_value *v = by(b, LF_IDIV, thread(b), product(extent, d + 1));
    return product(extent, 0) == product(extent, d) ? v : by(b, LF_MOD, v, extent[d]);
}

static lf_value *block_along(lf_builder *b, int d)
{
    lf_value *const *extent = b->c->param_value + LUN_FRONT_BLOCKS;
    const int rank = (int)known(b)[LUN_TEAM_RANK];
    lf_value *v = block(b);
    if (d < 0)
        return v;
    if (d >= rank)
        return luafn_int(b->g, 0);
    for (int k = rank - 1; k > d; k--)
        v = arith(b, LF_IDIV, v, extent[k]);
    return d ? arith(b, LF_MOD, v, extent[d]) : v;
}

static lf_value *blocks_along(lf_builder *b, int d)
{
    lf_value *const *extent = b->c->param_value + LUN_FRONT_BLOCKS, *n;
    const int rank = (int)known(b)[LUN_TEAM_RANK];
    if (d >= 0)
        return d < rank ? extent[d] : luafn_int(b->g, 1);
    n = extent[0];
    for (int k = 1; k < rank; k++)
        n = arith(b, LF_MUL, n, extent[k]);
    return n;
}

static int64_t known_along(const int64_t extent[3], int d)
{
    return d < 0 ? product(extent, 0) : extent[d];
}

/* The first global element of this thread along d, from 1. */
static lf_value *index_along(lf_builder *b, int d)
{
    const int64_t n = known_along(known(b) + LUN_TEAM_THREADS, d);
    const int64_t own = known_along(known(b) + LUN_TEAM_ELEMENTS, d);
    lf_value *v = by(b, LF_MUL, block_along(b, d), n);
    v = n == 1 ? v : arith(b, LF_ADD, v, thread_along(b, d));
    return by(b, LF_ADD, by(b, LF_MUL, v, own), 1);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A new array of that many elements for each team, or thread. */
static lf_value *memory(lf_builder *b, lun_dtype t, int64_t count, bool own)
{
    lf_compile *c = b->c;
    if (c->scratches == LUN_FRONT_SCRATCHES)
        luafn_stop(b, "more than %d arrays of t:scratch and t:private: use fewer",
                   LUN_FRONT_SCRATCHES);
    const int number = c->params + c->scratches;
    c->scratch[c->scratches++] = (lun_front_scratch){t, own, count};
    c->param[number] = (lun_front_param){.dtype = (lun_dtype)lun__dtype_get(t)->compute,
                                         .stored = t,
                                         .array = true,
                                         .rank = 1,
                                         .shape = {count}};
    lf_value *v = luafn_value(b->g, LF_ARRAY, 0);
    v->type = LF_OBJECT;
    v->as.i = -1 - number;
    v->proto = b->f->proto;
    luafn_note_target(b, v);
    return v;
}

/* ---- arguments ------------------------------------------------------------------------------- */

typedef struct call {
    lf_builder *b;
    const char *name;
    const lf_list *args; /* behind t */
    lf_list *results;
} call;

static lf_value *arg(const call *c, int k)
{
    return k + 1 < c->args->count ? c->args->at[k + 1] : NULL;
}

static void give(const call *c, lf_value *v)
{
    luafn_push(c->b->g->u, c->results, v);
}

/* Argument k, an integer that is known when the kernel is compiled, of low .. high. */
static int64_t whole(const call *c, int k, int64_t low, int64_t high, const char *what)
{
    int64_t n = 0;
    lf_value *v = arg(c, k);
    if (!v || !luafn_known_whole(c->b->c, v, &n))
        luafn_stop(c->b, "t:%s: %s is an integer that is known before the kernel runs", c->name,
                   what);
    if (n < low || n > high)
        luafn_stop(c->b, "t:%s: %s is %lld, not %lld to %lld", c->name, what, (long long)n,
                   (long long)low, (long long)high);
    return n;
}

/* The dimension that argument 1 says, from 0; -1: none. */
static int axis(const call *c)
{
    lf_value *v = arg(c, 0);
    return !v || lf_is_const(v, LF_NIL) ? -1 : (int)whole(c, 0, 1, 3, "a dimension") - 1;
}

static const lf_value *function(const call *c, int k)
{
    const lf_value *v = arg(c, k);
    if (!v || (v->kind != LF_CLOSURE && v->kind != LF_FUNCTION))
        luafn_stop(c->b, "t:%s: argument %d is a function", c->name, k + 1);
    return v;
}

static lf_value *number(const call *c, int k)
{
    lf_value *v = arg(c, k);
    if (!v)
        luafn_stop(c->b, "t:%s: argument %d is missing", c->name, k + 1);
    luafn_need_number(c->b, v, -1, c->name);
    return v;
}

/* The threads of a team wait for one another: there is one. */
static void sync(const call *c)
{
    if (threads(c->b) > 1)
        luafn_stop(c->b,
                   "t:%s: threads that wait for one another are in teams of one thread so far: "
                   "team=1, not %lld",
                   c->name, (long long)threads(c->b));
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* What a loop that is made here, not by Lua's compiler, tells of itself: closures alone write. */
static const lf_span *quiet_span(lf_builder *b)
{
    lf_span *s = LF_NEW(b->g->u, lf_span, 1);
    s->calls = true;
    s->closes = 256;
    return s;
}

/* A loop whose body is what is built between open_loop and close_loop. */
typedef struct loop {
    lf_block *head, *exit;
    lf_value *index, *last, *step;
    int var;
} loop;

/* for i = first, last, step do */
static loop open_loop(lf_builder *b, lf_value *first, lf_value *last, int64_t by)
{
    lf_graph *g = b->g;
    lf_value *step = luafn_int(g, by);
    loop p = {.head = luafn_block(g), .exit = luafn_block(g)};
    lf_block *pre = luafn_block(g);
    lf_value *runs = luafn_emit4(b, LF_FOR_TEST, first, last, step, NULL);
    lf_value *from = luafn_emit4(b, LF_FOR_FIRST, first, last, step, NULL);
    p.last = luafn_emit4(b, LF_FOR_LAST, first, last, step, NULL);
    p.step = luafn_emit4(b, LF_FOR_STEP, first, last, step, NULL);
    p.var = luafn_vars(g, b->f, 1, -1);
    g->var[p.var].always = true;
    luafn_write(g, p.var, g->now, from);
    luafn_branch(g, g->now, runs, pre, p.exit);
    luafn_seal(g, pre);
    luafn_jump(g, pre, p.head);
    p.head->loop = quiet_span(b);
    p.head->frame = b->f;
    g->loops++;
    g->now = p.head;
    p.index = luafn_read(g, p.var, g->now);
    return p;
}

static void close_loop(lf_builder *b, const loop *p)
{
    lf_graph *g = b->g;
    lf_value *index = luafn_read(g, p->var, g->now);
    lf_value *next = luafn_emit2(b, LF_FOR_NEXT, 0, index, p->step);
    lf_value *more = luafn_emit4(b, LF_FOR_MORE, index, next, p->last, p->step);
    luafn_write(g, p->var, g->now, next);
    luafn_branch(g, g->now, more, p->head, p->exit);
    luafn_seal(g, p->head);
    luafn_seal(g, p->exit);
    g->now = p->exit;
}

/* Runs f, on x if that is not NULL; what it returns is ignored. */
static void apply(lf_builder *b, const lf_value *f, lf_value *x)
{
    lf_list args = {0}, ignored = {0};
    if (x)
        luafn_push(b->g->u, &args, x);
    luafn_apply(b, f, NULL, &args, &ignored);
}

static void run_loop(lf_builder *b, lf_value *first, lf_value *last, int64_t step,
                     const lf_value *f)
{
    loop p = open_loop(b, first, last, step);
    apply(b, f, p.index);
    close_loop(b, &p);
}

/* ---- the methods ----------------------------------------------------------------------------- */

static void do_block(const call *c)
{
    give(c, by(c->b, LF_ADD, block_along(c->b, axis(c)), 1));
}

static void do_blocks(const call *c)
{
    give(c, blocks_along(c->b, axis(c)));
}

static void do_thread(const call *c)
{
    give(c, by(c->b, LF_ADD, thread_along(c->b, axis(c)), 1));
}

static void do_threads(const call *c)
{
    give(c, luafn_int(c->b->g, known_along(known(c->b) + LUN_TEAM_THREADS, axis(c))));
}

static void do_elements(const call *c)
{
    give(c, luafn_int(c->b->g, known_along(known(c->b) + LUN_TEAM_ELEMENTS, axis(c))));
}

static void do_index(const call *c)
{
    give(c, index_along(c->b, axis(c)));
}

static void do_memory(const call *c)
{
    lun_dtype t = LUN_DTYPE_COUNT;
    const lf_value *v = arg(c, 0);
    for (int k = 0; v && v->kind == LF_STRING && k < LUN_DTYPE_COUNT; k++)
        if (!strcmp(v->as.s, lun_dtype_name((lun_dtype)k)))
            t = (lun_dtype)k;
    if (t == LUN_DTYPE_COUNT)
        luafn_stop(c->b, "t:%s: argument 1 is the name of a dtype, such as 'f64'", c->name);
    give(c, memory(c->b, t, whole(c, 1, 1, INT32_MAX, "the number of elements"),
                   !strcmp(c->name, "private")));
}

static void do_barrier(const call *c)
{
    sync(c);
}

/* t:each(n, g): i = thread, thread + threads, ... */
static void do_each(const call *c)
{
    lf_builder *b = c->b;
    lf_value *n = number(c, 0);
    const lf_value *f = function(c, 1), *how = arg(c, 2);
    if (how && !(how->kind == LF_STRING && !strcmp(how->as.s, "nobarrier")))
        luafn_stop(b, "t:each: argument 3 is 'nobarrier', or nothing");
    run_loop(b, by(b, LF_ADD, thread(b), 1), n, threads(b), f);
    if (!how)
        sync(c);
}

static void do_vector(const call *c)
{
    run_loop(c->b, luafn_int(c->b->g, 1), number(c, 0), 1, function(c, 1));
}

static void do_single(const call *c)
{
    sync(c);
    apply(c->b, function(c, 0), NULL);
}

typedef struct method {
    const char *name;
    int most; /* arguments */
    void (*run)(const call *c);
} method;

static const method methods[] = {
    {"block", 1, do_block},     {"blocks", 1, do_blocks},     {"thread", 1, do_thread},
    {"threads", 1, do_threads}, {"elements", 1, do_elements}, {"index", 1, do_index},
    {"scratch", 2, do_memory},  {"private", 2, do_memory},    {"barrier", 0, do_barrier},
    {"each", 3, do_each},       {"vector", 2, do_vector},     {"single", 1, do_single},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static const method *find(const char *name)
{
    for (int k = 0; k < METHODS; k++)
        if (!strcmp(methods[k].name, name))
            return &methods[k];
    return NULL;
}

void luafn_team_call(lf_builder *b, const lf_value *v, const lf_list *args, lf_list *results)
{
    const method *m = find(v->as.s);
    if (!m)
        luafn_stop(b, "t has no method '%.60s'", v->as.s);
    const call c = {b, m->name, args, results};
    if (args->count - 1 > m->most)
        luafn_stop(b, "t:%s takes %d argument%s, got %d", m->name, m->most, m->most == 1 ? "" : "s",
                   args->count - 1);
    m->run(&c);
}
