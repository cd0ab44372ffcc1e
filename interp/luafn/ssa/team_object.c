/* team_object.c - the first parameter of a function of lun.teams, t, and its methods: numbers from
 * those of the thread and the team, and memory; operations of all threads of a team are
 * team_operations.c's.
 *
 * The team's extents are constants of the kernel.  Knows no types. */
#include "luafn/ssa/build.h"

#include <string.h>

#include "luafn/ssa/assigned_array.h"
#include "luafn/ssa/team_call.h"

static lf_value *block(lf_builder *b)
{
    return b->c->param_value[LUN_FRONT_BLOCK];
}

/* From 0, along axis d, from 0; d < 0: the row-major number. */
static lf_value *thread_along(lf_builder *b, int d)
{
    const int64_t *extent = luafn_team_call_known(b, LUN_TEAM_THREADS);
    if (d < 0)
        return luafn_team_call_thread(b);
    if (extent[d] == 1)
        return luafn_graph_int(b->g, 0);
    lf_value *v =
        luafn_team_call_by(b, LF_IDIV, luafn_team_call_thread(b), lun_team_product(extent, d + 1));
    return lun_team_product(extent, 0) == lun_team_product(extent, d)
               ? v
               : luafn_team_call_by(b, LF_MOD, v, extent[d]);
}

/* Computed at the beginning of the kernel, since no pass moves a division that may be by zero out
 * of a loop; extents are not zero. */
static lf_value *block_along(lf_builder *b, int d)
{
    lf_value *const *extent = b->c->param_value + LUN_FRONT_BLOCKS;
    const int rank = (int)luafn_team_call_known(b, LUN_TEAM_RANK)[0];
    lf_block *const now = b->g->now;
    lf_value *v = block(b);
    if (d < 0)
        return v;
    if (d >= rank)
        return luafn_graph_int(b->g, 0);
    b->g->now = b->g->entry;
    for (int k = rank - 1; k > d; k--)
        v = luafn_team_call_arith(b, LF_IDIV, v, extent[k]);
    v = d ? luafn_team_call_arith(b, LF_MOD, v, extent[d]) : v;
    b->g->now = now;
    return v;
}

static lf_value *blocks_along(lf_builder *b, int d)
{
    lf_value *const *extent = b->c->param_value + LUN_FRONT_BLOCKS, *n;
    const int rank = (int)luafn_team_call_known(b, LUN_TEAM_RANK)[0];
    if (d >= 0)
        return d < rank ? extent[d] : luafn_graph_int(b->g, 1);
    n = extent[0];
    for (int k = 1; k < rank; k++)
        n = luafn_team_call_arith(b, LF_MUL, n, extent[k]);
    return n;
}

static int64_t known_along(const int64_t extent[LUN_TEAM_AXES], int d)
{
    return d < 0 ? lun_team_product(extent, 0) : extent[d];
}

/* The first global element of this thread along d, from 1. */
static lf_value *index_along(lf_builder *b, int d)
{
    const int64_t n = known_along(luafn_team_call_known(b, LUN_TEAM_THREADS), d);
    const int64_t own = known_along(luafn_team_call_known(b, LUN_TEAM_ELEMENTS), d);
    lf_value *v = luafn_team_call_by(b, LF_MUL, block_along(b, d), n);
    v = n == 1 ? v : luafn_team_call_arith(b, LF_ADD, v, thread_along(b, d));
    return luafn_team_call_by(b, LF_ADD, luafn_team_call_by(b, LF_MUL, v, own), 1);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A new array for each team, or thread; dtype LUN_DTYPE_COUNT: inferred from assignments. */
static lf_value *memory(lf_builder *b, lun_front_scratch like, bool wide)
{
    lf_compile *c = b->c;
    const bool open = like.dtype == LUN_DTYPE_COUNT;
    if (c->scratches == LUN_FRONT_SCRATCHES)
        luafn_builder_stop(
            b,
            "more than %d arrays of t:scratch, t:private and the like, of which t:reduce "
            "takes up to four: use fewer",
            LUN_FRONT_SCRATCHES);
    const int number = c->params + c->scratches;
    if (open)
        like.dtype = LUN_I64; /* until types are known */
    c->open[c->scratches] = (lf_open){.open = open, .wide = wide};
    c->scratch[c->scratches++] = like;
    c->param[number] = (lun_front_param){.dtype = (lun_dtype)lun__dtype_get(like.dtype)->compute,
                                         .stored = like.dtype,
                                         .array = true,
                                         .rank = like.rank};
    for (int k = 0; k < like.rank; k++)
        c->param[number].shape[k] = like.extent[k];
    lf_value *v = luafn_graph_value(b->g, LF_ARRAY, 0);
    v->type = LF_OBJECT;
    v->as.i = -1 - number;
    v->proto = b->f->proto;
    luafn_assigned_note_target(b, v);
    return v;
}

/* The dimension of argument 1, from 0; -1: none. */
static int axis(const lf_team_call *c)
{
    lf_value *v = luafn_team_call_arg(c, 0);
    return !v || lf_is_const(v, LF_NIL)
               ? -1
               : (int)luafn_team_call_whole(c, 0, 1, LUN_TEAM_AXES, "a dimension") - 1;
}

/* ---- the methods ----------------------------------------------------------------------------- */

static void do_block(const lf_team_call *c)
{
    luafn_team_call_give(c, luafn_team_call_by(c->b, LF_ADD, block_along(c->b, axis(c)), 1));
}

static void do_blocks(const lf_team_call *c)
{
    luafn_team_call_give(c, blocks_along(c->b, axis(c)));
}

static void do_thread(const lf_team_call *c)
{
    luafn_team_call_give(c, luafn_team_call_by(c->b, LF_ADD, thread_along(c->b, axis(c)), 1));
}

static void do_threads(const lf_team_call *c)
{
    luafn_team_call_give(
        c, luafn_graph_int(c->b->g,
                           known_along(luafn_team_call_known(c->b, LUN_TEAM_THREADS), axis(c))));
}

static void do_elements(const lf_team_call *c)
{
    luafn_team_call_give(
        c, luafn_graph_int(c->b->g,
                           known_along(luafn_team_call_known(c->b, LUN_TEAM_ELEMENTS), axis(c))));
}

static void do_index(const lf_team_call *c)
{
    luafn_team_call_give(c, index_along(c->b, axis(c)));
}

/* Argument k of t:scratch: an extent that is computed before a launch, axis number r->rank of the
 * memory to come; false: it is known now, or no such number. */
static bool is_given(const lf_team_call *c, int k, lun_front_scratch *r)
{
    lf_value *base, *v = luafn_team_call_arg(c, k);
    lun_front_extent of = {-1, -1, 0, 0};
    if (!v || !luafn_known_integer_in_launch(c->b->c, v, &base, &of.by, &of.plus) || !base)
        return false;
    lf_memory_extent *x = LF_NEW(c->b->g->u, lf_memory_extent, 1);
    *x = (lf_memory_extent){c->b->c->scratches, r->rank, base};
    luafn_arena_push(c->b->g->u, &c->b->c->givens, x);
    r->of[r->rank++] = of;
    r->given = true;
    return true;
}

/* A note for what a launch finds at this call: its number, from 0. */
static int note_here(const lf_builder *b, const char *what)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lf_note *note = LF_NEW(b->g->u, lf_note, 1);
    luafn_debug_where(b->f->proto, b->pc, &text);
    lun__strbuf_printf(&text, ": t:scratch: the number of elements is %s", what);
    char *copy = text.failed ? NULL : luafn_arena_take(&b->g->u->arena, text.length + 1);
    if (copy)
        memcpy(copy, text.text, text.length + 1);
    lun__strbuf_free(&text);
    if (!copy)
        luafn_arena_nomem(b->g->u);
    *note = (lf_note){.text = copy, .extent_of = -1};
    luafn_arena_push(b->g->u, &b->c->notes, note);
    return b->c->notes.count - 1;
}

/* Leaves unless argument k of t:scratch is an integer of which the code is compiled. */
static void need_known(const lf_team_call *c, int k)
{
    int64_t n;
    lf_value *v = luafn_team_call_arg(c, k);
    if (!v || !luafn_known_integer(c->b->c, v, &n))
        luafn_builder_stop(
            c->b,
            "t:scratch: the number of elements is an integer that is known before the kernel runs, "
            "the same for all teams: a constant, or an argument of the function, a number that it "
            "captures or the length of an array, times and plus constants");
}

/* The extents from argument k on; those of a team may be a launch's. */
static lun_front_scratch lengths(const lf_team_call *c, int k, bool own)
{
    lun_front_scratch r = {.dtype = LUN_DTYPE_COUNT, .count = 1, .to = -1};
    do {
        if (!own && is_given(c, k, &r))
            continue;
        if (!own)
            need_known(c, k);
        const int64_t n = luafn_team_call_whole(c, k, 1, INT32_MAX, "the number of elements");
        r.extent[r.rank++] = (int32_t)n;
        r.count *= n;
        if (r.count > INT32_MAX)
            luafn_builder_stop(c->b, "t:%s: the number of elements is more than %d", c->name,
                               INT32_MAX);
    } while (luafn_team_call_arg(c, ++k));
    if (r.given) {
        r.note = note_here(c->b, "%lld, not 1 to 2147483647");
        (void)note_here(c->b, "%g, which is no integer of 1 to 2147483647");
    }
    return r;
}

static lun_front_scratch named(const lf_team_call *c, bool own)
{
    lun_dtype t = LUN_DTYPE_COUNT;
    const lf_value *v = luafn_team_call_arg(c, 0);
    for (int k = 0; v && v->kind == LF_STRING && k < LUN_DTYPE_COUNT; k++)
        if (!strcmp(v->as.s, lun_dtype_name((lun_dtype)k)))
            t = (lun_dtype)k;
    if (t == LUN_DTYPE_COUNT && v && v->kind == LF_STRING)
        luafn_builder_stop(c->b,
                           "t:%s: argument 1 is '%.60s', not the name of a dtype, such as 'f64'",
                           c->name, v->as.s);
    if (t == LUN_DTYPE_COUNT)
        luafn_builder_stop(c->b, "t:%s: argument 1 is the name of a dtype, such as 'f64'", c->name);
    lun_front_scratch r = lengths(c, 1, own);
    r.own = own;
    r.dtype = t;
    return r;
}

/* Memory is zero when the kernel begins; the request is checked at its call. */
static void place_memory(const lf_team_call *c, lf_barrier_kind how)
{
    lf_value *v = luafn_builder_new_op(c->b, LF_BARRIER, how, 0);
    v->as.s = c->name;
    v->type = LF_NIL;
}

static void do_scratch(const lf_team_call *c)
{
    place_memory(c, LF_MEMORY_TEAM);
    luafn_team_call_give(c, memory(c->b, named(c, false), false));
}

static void do_private(const lf_team_call *c)
{
    place_memory(c, LF_MEMORY_THREAD);
    luafn_team_call_give(c, memory(c->b, named(c, true), false));
}

/* Of methods that are written in Lua: the team's, or each thread's. */
static void do_open(const lf_team_call *c)
{
    const lf_value *wide = luafn_team_call_arg(c, 1);
    const int64_t n = luafn_team_call_whole(c, 0, 1, INT32_MAX, "the number of elements");
    lun_front_scratch like = {
        .dtype = LUN_DTYPE_COUNT, .to = -1, .count = n, .rank = 1, .extent = {(int32_t)n}};
    like.own = !strcmp(c->name, "private_memory");
    like.settled = !like.own;
    luafn_team_call_give(c, memory(c->b, like, wide && lf_is_const(wide, LF_BOOL) && wide->as.i));
}

typedef struct method {
    const char *name;
    int most; /* arguments */
    lf_team_method *run;
    bool inner; /* of methods that are written in Lua alone */
} method;

static const method methods[] = {
    {"block", 1, do_block, false},
    {"blocks", 1, do_blocks, false},
    {"thread", 1, do_thread, false},
    {"threads", 1, do_threads, false},
    {"elements", 1, do_elements, false},
    {"index", 1, do_index, false},
    {"scratch", 1 + LUN_MAX_RANK, do_scratch, false},
    {"private", 1 + LUN_MAX_RANK, do_private, false},
    {"barrier", 0, luafn_team_op_barrier, false},
    {"each", 3, luafn_team_op_each, false},
    {"vector", 2, luafn_team_op_vector, false},
    {"single", 1, luafn_team_op_single, false},
    {"broadcast", 2, luafn_team_op_broadcast, false},
    {"reduce", 4, luafn_team_op_reduce, false},
    {"scan", 3, luafn_team_op_scan, false},
    {"memory", 2, do_open, true},
    {"private_memory", 1, do_open, true},
    {"identity", 2, luafn_team_op_identity, true},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static const method *find(const char *name, bool inner)
{
    for (int k = 0; k < METHODS; k++)
        if (!strcmp(methods[k].name, name) && (inner || !methods[k].inner))
            return &methods[k];
    return NULL;
}

void luafn_team_object_call(lf_builder *b, const lf_value *v, const lf_list *args, lf_list *results)
{
    const method *m = find(v->as.s, b->f->built_in);
    if (!m)
        luafn_builder_stop(b, "t has no method '%.60s'", v->as.s);
    const lf_team_call c = {b, m->name, args, results};
    if (args->count - 1 > m->most)
        luafn_builder_stop(b, "t:%s takes %d argument%s, got %d", m->name, m->most,
                           m->most == 1 ? "" : "s", args->count - 1);
    m->run(&c);
}
