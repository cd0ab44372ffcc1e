/* team_operations.c - operations of all threads of a team: barriers, shared loops, single sections,
 * broadcasts, reductions and scans.  Knows no types.
 *
 * Those that pass values between threads are written in Lua: team_methods.c. */
#include <string.h>

#include "luafn/ssa/captured_record.h"
#include "luafn/ssa/team_call.h"
#include "luafn/ssa/team_methods.h"
#include "lunarray_bind.h"

/* A barrier of the team. */
static void barrier(const lf_team_call *c)
{
    lf_value *v;
    if (luafn_team_call_threads(c->b) == 1)
        return;
    v = luafn_builder_new_op(c->b, LF_BARRIER, LF_BARRIER_ALL, 0);
    v->as.s = c->b->f->built_in ? c->b->f->closure->name : c->name;
    v->type = LF_NIL;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* The span of a loop that Lua's compiler did not make: only closures write in it. */
static const lf_span *quiet_span(lf_builder *b)
{
    lf_span *s = LF_NEW(b->g->u, lf_span, 1);
    s->calls = true;
    s->closes = 256;
    return s;
}

/* A loop whose body is built between open_loop and close_loop. */
typedef struct loop {
    lf_block *head, *exit;
    lf_value *index, *last, *step;
    int var;
} loop;

/* for i = first, last, step do */
static loop open_loop(lf_builder *b, lf_value *first, lf_value *last, int64_t by)
{
    lf_graph *g = b->g;
    lf_value *step = luafn_graph_int(g, by);
    loop p = {.head = luafn_graph_block(g), .exit = luafn_graph_block(g)};
    lf_block *pre = luafn_graph_block(g);
    lf_value *runs = luafn_builder_emit4(b, LF_FOR_TEST, first, last, step, NULL);
    lf_value *from = luafn_builder_emit4(b, LF_FOR_FIRST, first, last, step, NULL);
    p.last = luafn_builder_emit4(b, LF_FOR_LAST, first, last, step, NULL);
    p.step = luafn_builder_emit4(b, LF_FOR_STEP, first, last, step, NULL);
    p.var = luafn_graph_vars(g, b->f, 1, -1);
    g->var[p.var].always = true;
    luafn_graph_write(g, p.var, g->now, from);
    luafn_graph_branch(g, g->now, runs, pre, p.exit);
    luafn_graph_seal(g, pre);
    luafn_graph_jump(g, pre, p.head);
    p.head->loop = quiet_span(b);
    p.head->frame = b->f;
    g->loops++;
    g->now = p.head;
    p.index = luafn_graph_read(g, p.var, g->now);
    return p;
}

static void close_loop(lf_builder *b, const loop *p)
{
    lf_graph *g = b->g;
    lf_value *index = luafn_graph_read(g, p->var, g->now);
    lf_value *next = luafn_builder_emit2(b, LF_FOR_NEXT, 0, index, p->step);
    lf_value *more = luafn_builder_emit4(b, LF_FOR_MORE, index, next, p->last, p->step);
    luafn_graph_write(g, p->var, g->now, next);
    luafn_graph_branch(g, g->now, more, p->head, p->exit);
    luafn_captured_record_end_loop(b, p->head);
    luafn_graph_seal(g, p->head);
    luafn_graph_seal(g, p->exit);
    g->now = p->exit;
}

/* Runs f, on x if that is not NULL; what it returns is ignored. */
static void apply(lf_builder *b, const lf_value *f, lf_value *x)
{
    lf_list args = {0}, ignored = {0};
    if (x)
        luafn_arena_push(b->g->u, &args, x);
    luafn_build_call_apply(b, f, NULL, &args, &ignored);
}

static void run_loop(lf_builder *b, lf_value *first, lf_value *last, int64_t step,
                     const lf_value *f)
{
    loop p = open_loop(b, first, last, step);
    apply(b, f, p.index);
    close_loop(b, &p);
}

void luafn_team_op_barrier(const lf_team_call *c)
{
    barrier(c);
}

/* t:each(n, g): i = thread, thread + threads, ... */
void luafn_team_op_each(const lf_team_call *c)
{
    lf_builder *b = c->b;
    lf_value *n = luafn_team_call_number(c, 0);
    const lf_value *f = luafn_team_call_function(c, 1), *how = luafn_team_call_arg(c, 2);
    if (how && !(how->kind == LF_STRING && !strcmp(how->as.s, "nobarrier")))
        luafn_builder_stop(b, "t:each: argument 3 is 'nobarrier', or nothing");
    run_loop(b, luafn_team_call_by(b, LF_ADD, luafn_team_call_thread(b), 1), n,
             luafn_team_call_threads(b), f);
    if (!how)
        barrier(c);
}

void luafn_team_op_vector(const lf_team_call *c)
{
    run_loop(c->b, luafn_graph_int(c->b->g, 1), luafn_team_call_number(c, 0), 1,
             luafn_team_call_function(c, 1));
}

/* Variables that g assigns are private to its thread, like any local variable. */
void luafn_team_op_single(const lf_team_call *c)
{
    lf_builder *b = c->b;
    lf_graph *g = b->g;
    const lf_value *f = luafn_team_call_function(c, 0);
    if (luafn_team_call_threads(b) == 1) {
        apply(b, f, NULL);
        return;
    }
    lf_block *one = luafn_graph_block(g), *all = luafn_graph_block(g);
    lf_value *first =
        luafn_builder_emit2(b, LF_COMPARE, LF_EQ, luafn_team_call_thread(b), luafn_graph_int(g, 0));
    luafn_graph_branch(g, g->now, first, one, all);
    luafn_graph_seal(g, one);
    g->now = one;
    apply(b, f, NULL);
    luafn_graph_jump(g, g->now, all);
    luafn_graph_seal(g, all);
    g->now = all;
    barrier(c);
}

/* ---- values of several threads --------------------------------------------------------------- */

/* Argument k, a combining function: a row of table/ops.def if it is a name or a symbol. */
static lf_value *combiner(const lf_team_call *c, int k)
{
    lf_value *v = luafn_team_call_arg(c, k);
    lun_op op;
    if (v && (v->kind == LF_FUNCTION || v->kind == LF_CLOSURE || v->kind == LF_BUILTIN ||
              v->kind == LF_ROW))
        return v;
    if (!v || v->kind != LF_STRING)
        luafn_builder_stop(c->b, "t:%s: argument %d is an operation, such as '+', or a function",
                           c->name, k + 1);
    if (!lun_op_find(v->as.s, 2, &op) || !(lun__op_get(op)->flags & LUN_OPF_ASSOC))
        luafn_builder_stop(
            c->b,
            "t:%s: '%.60s' is no associative operation of two operands: '+', '*', 'min', "
            "'max', '&', '|', '~', or a function",
            c->name, v->as.s);
    v = luafn_graph_value(c->b->g, LF_ROW, 0);
    v->type = LF_OBJECT;
    v->sub = (uint8_t)op;
    return v;
}

/* Whether v is an operation that has an identity, of some dtype; only commutative ones have one. */
static bool has_identity(const lf_value *v)
{
    uint64_t bits;
    return v->kind == LF_ROW && (lun__op_get((lun_op)v->sub)->flags & LUN_OPF_COMM) &&
           (lun__op_identity((lun_op)v->sub, LUN_I64, &bits) ||
            lun__op_identity((lun_op)v->sub, LUN_BOOL, &bits));
}

/* A method that is written in Lua. */
static void in_lua(lf_builder *b, lf_method which, const char *name, const lf_list *args,
                   lf_list *results)
{
    lf_compile *c = b->c;
    lf_closure *k = LF_NEW(&c->unit, lf_closure, 1);
    k->proto = c->methods->p[which];
    k->frame = b->f;
    k->name = name;
    k->built_in = true;
    k->alive = luafn_graph_vars(b->g, b->f, 1, -1);
    luafn_graph_write(b->g, k->alive, b->g->now, luafn_graph_bool(b->g, true));
    lf_value *v = luafn_graph_value(b->g, LF_CLOSURE, 0);
    v->type = LF_OBJECT;
    v->as.closure = k;
    luafn_build_call_apply(b, v, name, args, results);
}

static void method(const lf_team_call *c, lf_method which, lf_value *const *args, int count)
{
    lf_list list = {0};
    luafn_arena_push(c->b->g->u, &list, c->args->at[0]);
    for (int k = 0; k < count; k++)
        luafn_arena_push(c->b->g->u, &list, args[k]);
    in_lua(c->b, which, c->name, &list, c->results);
}

static lf_value *value(const lf_team_call *c, int k)
{
    lf_value *v = luafn_team_call_arg(c, k);
    if (!v || v->type == LF_OBJECT || lf_is_const(v, LF_NIL))
        luafn_builder_stop(c->b, "t:%s: argument %d is a number or a boolean", c->name, k + 1);
    return v;
}

void luafn_team_op_broadcast(const lf_team_call *c)
{
    lf_value *args[2] = {value(c, 0), luafn_team_call_number(c, 1)};
    method(c, LF_METHOD_BROADCAST, args, 2);
}

/* The identity of the operation op in the type of x, a value or memory. */
static lf_value *identity(lf_builder *b, const lf_value *op, lf_value *x)
{
    return luafn_builder_emit1(b, LF_IDENTITY, op->sub, x);
}

void luafn_team_op_identity(const lf_team_call *c)
{
    luafn_team_call_give(c, identity(c->b, luafn_team_call_arg(c, 0), luafn_team_call_arg(c, 1)));
}

/* Argument k, how many values g gives. With a constant 0 g would not be in the graph and its
 * results without dtype: then an unknown number, 0. */
static lf_value *how_many(const lf_team_call *c, int k)
{
    lf_value *n = luafn_team_call_number(c, k);
    if (!lf_is_whole(n) || n->as.i > 0)
        return n;
    return luafn_team_call_by(c->b, LF_IDIV, c->b->c->param_value[LUN_FRONT_BLOCK], INT64_MAX);
}

/* t:reduce(op, x), t:reduce(op, n, g [, id]) */
void luafn_team_op_reduce(const lf_team_call *c)
{
    lf_value *op = combiner(c, 0), *id = luafn_team_call_arg(c, 3);
    if (!luafn_team_call_arg(c, 2)) {
        lf_value *args[2] = {op, value(c, 1)};
        method(c, LF_METHOD_REDUCE, args, 2);
        return;
    }
    lf_value *g = (lf_value *)(uintptr_t)luafn_team_call_function(c, 2);
    if (!id && !has_identity(op))
        luafn_builder_stop(c->b, "t:reduce: argument 4, what comes of no element, is missing: by a "
                                 "function t:reduce(op, n, g, id)");
    lf_value *args[4] = {op, how_many(c, 1), g, id};
    method(c, id ? LF_METHOD_REDUCE_PAIRS : LF_METHOD_REDUCE_LANES, args, id ? 4 : 3);
}

/* t:scan(op, x [, id]) */
void luafn_team_op_scan(const lf_team_call *c)
{
    lf_value *op = combiner(c, 0), *x = value(c, 1), *id = luafn_team_call_arg(c, 2);
    if (!id && !has_identity(op))
        luafn_builder_stop(c->b, "t:scan: argument 3, what the first thread gets, is missing: by a "
                                 "function t:scan(op, x, id)");
    lf_value *args[3] = {op, x, id ? value(c, 2) : identity(c->b, op, x)};
    method(c, LF_METHOD_SCAN, args, 3);
}
