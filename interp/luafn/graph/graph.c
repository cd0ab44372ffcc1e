/* graph.c - makes values and blocks; finds the value of a variable while blocks are still being
 * added (Braun et al., Simple and Efficient Construction of SSA Form, 2013), without recursion. */
#include "luafn/graph/graph.h"

#include <string.h>

lf_block *luafn_graph_block(lf_graph *g)
{
    lf_block *b = LF_NEW(g->u, lf_block, 1);
    b->id = g->blocks.count;
    b->order = -1;
    luafn_arena_push(g->u, &g->blocks, b);
    return b;
}

enum { LF_STOP_CHECK = 1024 }; /* values between two checks of the stop */

lf_value *luafn_graph_value(lf_graph *g, lf_kind kind, int args)
{
    lf_value *v = LF_NEW(g->u, lf_value, 1);
    v->kind = (uint8_t)kind;
    v->id = g->values++;
    if (v->id % LF_STOP_CHECK == 0)
        luafn_arena_check_stop(g->u);
    v->pc = -1;
    v->args = args;
    if (args)
        v->arg = LF_NEW(g->u, lf_value *, args);
    return v;
}

lf_value *luafn_graph_find(lf_value *v)
{
    lf_value *end = v;
    while (end->instead)
        end = end->instead;
    while (v != end) {
        lf_value *next = v->instead;
        v->instead = end;
        v = next;
    }
    return end;
}

/* ---- constants: one value each ---- */

/* Its slot in the table, or a free one. */
static lf_value **find_constant(const lf_graph *g, lf_kind kind, unsigned type, uint64_t bits)
{
    uint64_t h = (bits + type * UINT64_C(31) + kind) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = h >> 32;; i++) {
        lf_value **v = &g->constant[i & (uint64_t)(g->constant_room - 1)];
        if (!*v || ((*v)->kind == kind && (*v)->type == type && (*v)->as.bits == bits))
            return v;
    }
}

static void grow_constants(lf_graph *g)
{
    lf_value **old = g->constant;
    int n = g->constant_room;
    g->constant_room = n ? 2 * n : 64;
    g->constant = LF_NEW(g->u, lf_value *, g->constant_room);
    for (int i = 0; i < n; i++)
        if (old[i])
            *find_constant(g, (lf_kind)old[i]->kind, old[i]->type, old[i]->as.bits) = old[i];
}

lf_value *luafn_graph_constant(lf_graph *g, lf_kind kind, unsigned type, uint64_t bits)
{
    if (2 * g->constants >= g->constant_room)
        grow_constants(g);
    lf_value **at = find_constant(g, kind, type, bits);
    if (*at)
        return *at;
    lf_value *v = luafn_graph_value(g, kind, 0);
    v->type = (uint8_t)type;
    v->as.bits = bits;
    g->constants++;
    return *at = v;
}

lf_value *luafn_graph_nil(lf_graph *g)
{
    return luafn_graph_constant(g, LF_CONST, LF_NIL, 0);
}

lf_value *luafn_graph_bool(lf_graph *g, bool b)
{
    return luafn_graph_constant(g, LF_CONST, LF_BOOL, b);
}

lf_value *luafn_graph_int(lf_graph *g, int64_t i)
{
    return luafn_graph_whole(g, LF_WI, i);
}

lf_value *luafn_graph_whole(lf_graph *g, unsigned type, int64_t i)
{
    return luafn_graph_constant(g, LF_CONST, type, (uint64_t)i);
}

lf_value *luafn_graph_float(lf_graph *g, double n)
{
    uint64_t bits;
    memcpy(&bits, &n, sizeof bits);
    return luafn_graph_constant(g, LF_CONST, LF_WF, bits);
}

/* ---- edges ---- */

void luafn_graph_jump(lf_graph *g, lf_block *from, lf_block *to)
{
    from->end = LF_JUMP;
    from->succ[0] = to;
    luafn_arena_push(g->u, &to->preds, from);
}

void luafn_graph_branch(lf_graph *g, lf_block *from, lf_value *cond, lf_block *yes, lf_block *no)
{
    if (yes == no) {
        luafn_graph_jump(g, from, yes);
        return;
    }
    from->end = LF_BRANCH;
    from->cond = cond;
    from->succ[0] = yes;
    from->succ[1] = no;
    luafn_arena_push(g->u, &yes->preds, from);
    luafn_arena_push(g->u, &no->preds, from);
}

/* ---- variables ---- */

typedef struct lf_def {
    int block, var;
    lf_value *value; /* NULL: free */
} lf_def;

int luafn_graph_vars(lf_graph *g, const lf_frame *frame, int count, int reg)
{
    int base = g->vars;
    if (g->vars + count > g->var_room) {
        int room = 2 * (g->vars + count);
        lf_var *more = LF_NEW(g->u, lf_var, room);
        if (g->vars)
            memcpy(more, g->var, (size_t)g->vars * sizeof *more);
        g->var = more;
        g->var_room = room;
    }
    for (int i = 0; i < count; i++) {
        lf_var *v = &g->var[base + i];
        v->frame = frame;
        v->reg = reg < 0 ? -1 : reg + i;
        v->closure = NULL;
        v->writers = (lf_list){0};
        v->always = false;
    }
    g->vars += count;
    return base;
}

static lf_def *lookup(lf_graph *g, int block, int var)
{
    uint64_t h = ((uint64_t)(uint32_t)block << 32 | (uint32_t)var) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = h >> 32;; i++) {
        lf_def *d = &g->def[i & (uint64_t)(g->def_room - 1)];
        if (!d->value || (d->block == block && d->var == var))
            return d;
    }
}

static void grow_defs(lf_graph *g)
{
    lf_def *old = g->def;
    int n = g->def_room;
    g->def_room = n ? 2 * n : 256;
    g->def = LF_NEW(g->u, lf_def, g->def_room);
    for (int i = 0; i < n; i++)
        if (old[i].value)
            *lookup(g, old[i].block, old[i].var) = old[i];
}

void luafn_graph_write(lf_graph *g, int var, lf_block *b, lf_value *v)
{
    if (2 * g->defs >= g->def_room)
        grow_defs(g);
    lf_def *d = lookup(g, b->id, var);
    if (!d->value)
        g->defs++;
    *d = (lf_def){b->id, var, v};
}

/* Has a closure that assigns the variable been made on the path to h, in a block that is still
 * reachable? */
static bool has_writer(lf_graph *g, const lf_block *h, int var)
{
    for (int i = 0; i < g->var[var].writers.count; i++) {
        const lf_closure *k = g->var[var].writers.at[i];
        const lf_value *alive = luafn_graph_read(g, k->alive, h->preds.at[0]);
        if (alive->kind != LF_CONST || alive->as.i)
            return true;
    }
    return false;
}

/* May the loop that h begins assign the variable? */
static bool may_write(lf_graph *g, const lf_block *h, int var)
{
    const lf_var *v = &g->var[var];
    if (v->always)
        return true;
    if (v->closure) {
        for (int i = 0; i < v->closure->vars; i++) {
            const lf_var *w = &g->var[v->closure->var[i]];
            if (w->frame == h->frame && w->reg >= h->loop->closes)
                return true;
        }
        return false;
    }
    if (v->frame == h->frame && v->reg > 255)
        return true;
    if (v->frame == h->frame && v->reg >= 0) {
        uint64_t bit = UINT64_C(1) << v->reg % 64;
        if (h->loop->written[v->reg / 64] & bit)
            return true;
        if (h->loop->calls && (h->loop->shared[v->reg / 64] & bit))
            return true;
    }
    return h->loop->calls && has_writer(g, h, var);
}

lf_value *luafn_graph_phi(lf_graph *g, lf_block *b, int var)
{
    lf_value *v = luafn_graph_value(g, LF_PHI, 0);
    v->block = b;
    v->as.i = var;
    luafn_graph_write(g, var, b, v);
    luafn_arena_push(g->u, &b->phis, v);
    return v;
}

/* Walks up to the assignment that reaches the end of b; where several may, a phi without
 * operands is left in `pending`. */
static lf_value *reaching(lf_graph *g, int var, lf_block *b)
{
    for (;;) {
        lf_def *d = g->def_room ? lookup(g, b->id, var) : NULL;
        if (d && d->value)
            return d->value = luafn_graph_find(d->value);
        if (b == g->var[var].frame->entry || b->preds.count == 0)
            return g->var[var].closure ? luafn_graph_bool(g, false) : luafn_graph_nil(g);
        if (b->loop && !may_write(g, b, var)) {
            b = b->preds.at[0]; /* a header's first predecessor is the entry of the loop */
        } else if (!b->sealed) {
            lf_value *phi = luafn_graph_phi(g, b, var);
            luafn_arena_push(g->u, &b->waiting, phi);
            return phi;
        } else if (b->preds.count == 1) {
            b = b->preds.at[0];
        } else {
            lf_value *phi = luafn_graph_phi(g, b, var);
            luafn_arena_push(g->u, &g->pending, phi);
            return phi;
        }
    }
}

/* A phi whose operands are all one value, or itself, is that value. */
static bool forward_phi(lf_graph *g, lf_value *phi)
{
    lf_value *only = NULL;
    if (phi->instead)
        return false;
    for (int i = 0; i < phi->args; i++) {
        lf_value *x = luafn_graph_find(phi->arg[i]);
        if (x == phi || x == only)
            continue;
        if (only)
            return false;
        only = x;
    }
    phi->instead = only ? only : luafn_graph_nil(g);
    return true;
}

static void fill_phi(lf_graph *g, lf_value *phi)
{
    lf_block *b = phi->block;
    phi->args = b->preds.count;
    phi->arg = LF_NEW(g->u, lf_value *, phi->args);
    for (int i = 0; i < phi->args; i++)
        phi->arg[i] = reaching(g, (int)phi->as.i, b->preds.at[i]);
}

/* Fills the pending phis from `from` on and forwards those that are trivial at once: a captured
 * function must stay known behind a loop or a branch. */
static void settle(lf_graph *g, int from)
{
    for (int i = from; i < g->pending.count; i++)
        fill_phi(g, g->pending.at[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = g->pending.count - 1; i >= from; i--)
            changed |= forward_phi(g, g->pending.at[i]);
    }
    g->pending.count = from;
}

lf_value *luafn_graph_read(lf_graph *g, int var, lf_block *b)
{
    int from = g->pending.count;
    lf_value *v = reaching(g, var, b);
    if (g->pending.count > from)
        settle(g, from);
    v = luafn_graph_find(v);
    luafn_graph_write(g, var, b, v);
    return v;
}

void luafn_graph_fill(lf_graph *g, lf_value *phi)
{
    int from = g->pending.count;
    luafn_arena_push(g->u, &g->pending, phi);
    settle(g, from);
}

void luafn_graph_seal(lf_graph *g, lf_block *b)
{
    b->sealed = true;
    for (int i = 0; i < b->waiting.count; i++)
        luafn_graph_fill(g, b->waiting.at[i]);
    b->waiting.count = 0;
}

/* ---- types of dtypes ------------------------------------------------------------------------- */

/* Lua has no unsigned numbers: those that i32 cannot hold are i64. */
lf_type luafn_graph_type_of(lun_dtype t)
{
    int precision = lun__dtype_precision(t);
    if (lun__dtype_is_bool(t))
        return LF_BOOL;
    if (lun__dtype_is_float(t))
        return precision > 24 ? LF_F64 : LF_F32;
    return precision > 31 ? LF_I64 : LF_I32;
}
