/* emit.c - the tree of control flow as IR. Decides nothing: variables.c has assigned every value a
 * variable or an instruction. */
#include "luafn/emit/emit.h"

#include <string.h>

#include "luafn/emit/variables.h"
#include "luafn/ssa/assigned_array.h"

typedef struct writer {
    lf_compile *c;
    lun_ir *ir;
    const lf_item *open[512]; /* loops and groups around, outermost first */
    int depth;
    lf_list barriers; /* in the order of the IR */
} writer;

static int add(writer *w, lun_ir_ins ins)
{
    int i = lun__ir_add(w->ir, ins);
    if (i < 0)
        luafn_arena_nomem(&w->c->unit);
    return i;
}

static lun_ir_ins make(lun_ir_kind kind, int dtype, int a, int b)
{
    return (lun_ir_ins){.kind = (uint8_t)kind,
                        .dtype = (uint8_t)dtype,
                        .from = (uint8_t)dtype,
                        .op = LUN_OP_COUNT,
                        .a = a,
                        .b = b,
                        .c = -1};
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The instruction of v in scope `here`. */
static int ref(writer *w, lf_value *v, const lf_scope *here)
{
    lf_access *p = v->access;
    if (lf_is_leaf(v) || lf_within(here, lf_scope_of(v)))
        return p->ins;
    for (const lf_got *g = p->got; g; g = g->next)
        if (lf_within(here, g->scope))
            return g->ins;
    lf_got *g = LF_NEW(&w->c->unit, lf_got, 1);
    g->scope = here;
    g->ins = add(w, make(LUN_IR_GET, v->type, p->var, -1));
    g->next = p->got;
    p->got = g;
    return g->ins;
}

static void write_op(writer *w, lf_value *v, const lf_scope *here)
{
    int arg[3] = {-1, -1, -1};
    for (int k = 0; k < v->args; k++)
        if (v->arg[k])
            arg[k] = ref(w, v->arg[k], here);
    lun_ir_ins ins = make(LUN_IR_OP, v->type, arg[0], arg[1]);
    ins.c = arg[2];
    switch ((lf_kind)v->kind) {
    case LF_IR_GATHER:
        ins.kind = LUN_IR_GATHER;
        ins.imm = ((const lf_input *)w->c->inputs.at[v->as.i])->position;
        break;
    case LF_IR_CAST:
        ins.kind = LUN_IR_CAST;
        ins.from = v->from;
        break;
    case LF_IR_PUT:
        ins.kind = LUN_IR_PUT;
        ins.imm = ((const lf_input *)w->c->inputs.at[v->as.i])->position;
        break;
    case LF_IR_ATOMIC:
        ins.kind = v->args > 2 ? LUN_IR_SWAP : LUN_IR_ATOMIC;
        ins.op = v->sub;
        ins.imm = ((const lf_input *)w->c->inputs.at[v->as.i])->position;
        break;
    case LF_IR_BARRIER:
        ins.kind = LUN_IR_BARRIER;
        luafn_arena_push(&w->c->unit, &w->barriers, v);
        break;
    case LF_IR_CHECK:
        ins.kind = LUN_IR_CHECK;
        ins.imm = v->note - 1;
        break;
    default:
        ins.op = v->sub;
        ins.from = v->from;
        ins.imm = v->note; /* from 1; 0: cannot fail */
    }
    int i = add(w, ins);
    if (!v->access)
        return;
    v->access->ins = i;
    if (v->access->variable)
        add(w, make(LUN_IR_SET, v->type, v->access->var, i));
}

static void write_ops(writer *w, const lf_item *item)
{
    const lf_block *b = item->block;
    for (int k = 0; k < b->phis.count; k++) {
        lf_value *phi = b->phis.at[k];
        if (phi->access)
            phi->access->ins = add(w, make(LUN_IR_GET, phi->type, phi->access->var, -1));
    }
    for (int k = 0; k < b->ops.count; k++)
        write_op(w, b->ops.at[k], item->scope);
}

static bool is_set(const lf_value *phi, const lf_block *from)
{
    const lf_value *v = luafn_variables_incoming(phi, from);
    return phi->access && v != phi && v != phi->access->init;
}

/* A loop's phi begins with its first value, but must be set on the back edge. */
static bool must_set(const lf_item *edge, const lf_value *phi)
{
    bool back = edge->block->succ[edge->way]->order <= edge->block->order;
    return is_set(phi, edge->block) || (back && luafn_variables_incoming(phi, edge->block) != phi);
}

static void write_edge(writer *w, const lf_item *item)
{
    const lf_block *to = item->block->succ[item->way];
    for (int k = 0; k < to->phis.count; k++) {
        lf_value *phi = to->phis.at[k];
        if (!phi->access || !must_set(item, phi))
            continue;
        int v = ref(w, luafn_variables_incoming(phi, item->block), item->scope);
        add(w, make(LUN_IR_SET, phi->type, phi->access->var, v));
    }
}

static void declare(writer *w, const lf_item *item)
{
    for (int k = 0; k < item->vars.count; k++) {
        lf_value *v = item->vars.at[k];
        lf_access *p = v->access;
        int init = ref(w, p->init ? p->init : p->zero, item->scope);
        p->var = add(w, make(LUN_IR_VAR, v->type, init, -1));
    }
}

/* ---- control --------------------------------------------------------------------------------- */

/* Whether a scope emits no code: only edges whose values are already set, and branches between
 * such. */
static bool silent(const lf_scope *s)
{
    for (int i = 0; i < s->items.count; i++) {
        const lf_item *item = lf_item_at(s, i);
        if (item->kind == LF_IF && silent(item->body[0]) && silent(item->body[1]))
            continue;
        if (item->kind == LF_OPS && !item->block->ops.count && !item->block->phis.count)
            continue;
        if (item->kind != LF_EDGE)
            return false;
        const lf_block *to = item->block->succ[item->way];
        for (int k = 0; k < to->phis.count; k++) {
            const lf_value *phi = to->phis.at[k];
            if (phi->access && must_set(item, phi))
                return false;
        }
    }
    return true;
}

static void write_scope(writer *w, const lf_scope *s);

static void write_branch(writer *w, const lf_item *item)
{
    const lf_scope *yes = item->body[0], *no = item->body[1];
    bool flip = item->flip;
    if (silent(yes)) {
        const lf_scope *s = yes;
        yes = no;
        no = s;
        flip = !flip;
    }
    if (silent(yes))
        return;
    int cond = ref(w, item->cond, item->scope);
    if (flip) {
        lun_ir_ins ins = make(LUN_IR_OP, LUN_BOOL, cond, -1);
        ins.op = LUN_OP_LNOT;
        cond = add(w, ins);
    }
    add(w, make(LUN_IR_IF, LUN_BOOL, cond, -1));
    write_scope(w, yes);
    if (!silent(no)) {
        add(w, make(LUN_IR_ELSE, 0, -1, -1));
        write_scope(w, no);
    }
    add(w, make(LUN_IR_END, 0, -1, -1));
}

static void write_jump(writer *w, const lf_item *item)
{
    lun_ir_ins ins = make(item->kind == LF_BREAK ? LUN_IR_BREAK : LUN_IR_CONTINUE, 0, -1, -1);
    while (w->open[w->depth - 1 - ins.imm] != item->target)
        ins.imm++;
    add(w, ins);
}

/* Recursive as the tree is: at most some hundred levels. */
static void write_scope(writer *w, const lf_scope *s)
{
    for (int i = 0; i < s->items.count; i++) {
        const lf_item *item = lf_item_at(s, i);
        declare(w, item);
        switch (item->kind) {
        case LF_OPS:
            write_ops(w, item);
            break;
        case LF_EDGE:
            write_edge(w, item);
            break;
        case LF_IF:
            write_branch(w, item);
            break;
        case LF_LOOP:
        case LF_GROUP:
            add(w, make(item->kind == LF_LOOP ? LUN_IR_LOOP : LUN_IR_BLOCK, 0, -1, -1));
            w->open[w->depth++] = item;
            write_scope(w, item->body[0]);
            w->depth--;
            add(w, make(LUN_IR_END, 0, -1, -1));
            break;
        default:
            write_jump(w, item);
        }
    }
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* f->param has the first ones, as far as there is room; the body has all. */
static void add_param(writer *w, lun_dtype t, bool array, bool target, lf_input *in)
{
    lun_ir_function *f = w->c->function;
    if (f->params < LUN_IR_INPUTS) {
        f->param[f->params].dtype = (uint8_t)t;
        f->param[f->params++].pointer = array;
    }
    lun_ir_role role = target ? LUN_SLOT_TARGET : LUN_SLOT_ARRAY;
    int n = array ? lun__ir_slot_add(w->ir, t, role) : lun__ir_arg_add(w->ir, t);
    if (n < 0)
        luafn_arena_nomem(&w->c->unit);
    if (in)
        in->position = n;
}

static lf_input *find_param(lf_compile *c, int number)
{
    for (int k = 0; k < c->inputs.count; k++) {
        lf_input *in = c->inputs.at[k];
        if (in->origin == LF_FROM_PARAM && in->number == number)
            return in;
    }
    return NULL;
}

/* Captured inputs that are used: scalars, Scalars or arrays. */
static int add_captured(writer *w, bool array, bool scalar_arrays)
{
    int n = 0;
    for (int k = 0; k < w->c->inputs.count; k++) {
        lf_input *in = w->c->inputs.at[k];
        if (!in->used || in->origin == LF_FROM_PARAM || in->origin == LF_FROM_WINDOW ||
            in->array != array || (in->origin == LF_FROM_SCALAR) != scalar_arrays)
            continue;
        add_param(w, in->dtype, in->array, luafn_assigned_is_target(w->c, in->number), in);
        n++;
    }
    return n;
}

static void add_windows(writer *w)
{
    for (int k = 0; k < w->c->inputs.count; k++) {
        lf_input *in = w->c->inputs.at[k];
        if (in->used && in->origin == LF_FROM_WINDOW)
            add_param(w, in->dtype, false, false, in);
    }
}

static void write_param(writer *w, int number)
{
    const lun_front_param *p = &w->c->param[number];
    lf_input *in = find_param(w->c, number);
    lun_dtype own = w->c->team && p->array ? p->stored : p->dtype;
    add_param(w, in ? in->dtype : own, p->array, luafn_assigned_is_target(w->c, -1 - number), in);
}

/* The names of array parameters, in the order of the body. */
static void write_names(writer *w)
{
    lf_compile *c = w->c;
    lf_value like = {.kind = LF_ARRAY};
    for (int i = 0; i < c->params + c->scratches; i++) {
        like.as.i = -1 - i;
        if (c->param[i].array)
            luafn_arena_push(&c->unit, &c->array_names,
                             (void *)(uintptr_t)luafn_captured_array_name(c, &like));
    }
    for (int k = 0; k < c->inputs.count; k++) {
        const lf_input *in = c->inputs.at[k];
        if (in->used && in->array && in->origin != LF_FROM_PARAM && in->origin != LF_FROM_WINDOW)
            luafn_arena_push(&c->unit, &c->array_names,
                             (void *)(uintptr_t)c->source[in->number].name);
    }
}

/* Whether neighbour k is the farthest along some axis, and no kept one is as far. */
static bool is_farthest(const lf_compile *c, const bool *kept, int k)
{
    const lun_neighbour *own = &c->neighbour[k];
    bool is = false;
    for (int axis = 0; axis < own->axes && !is; axis++) {
        bool least = true, most = true;
        for (int i = 0; i < c->neighbours; i++) {
            const int64_t by = c->neighbour[i].by[axis];
            least &= by > own->by[axis] || (by == own->by[axis] && !kept[i]);
            most &= by < own->by[axis] || (by == own->by[axis] && !kept[i]);
        }
        is = least || most;
    }
    return is;
}

/* Neighbours of an index that are read, and those that say how far the function reaches. */
static void write_neighbours(writer *w)
{
    lf_compile *c = w->c;
    bool *kept = LF_NEW(&c->unit, bool, c->neighbours + 1);
    int count = 0;
    for (int k = 0; k < c->neighbours; k++) {
        const lf_input *in = find_param(c, c->params + k);
        kept[k] = in && in->used;
    }
    for (int k = 0; k < c->neighbours; k++)
        kept[k] = kept[k] || is_farthest(c, kept, k);
    for (int k = 0; k < c->neighbours; k++) {
        if (!kept[k])
            continue;
        write_param(w, c->params + k);
        c->neighbour[count++] = c->neighbour[k];
    }
    c->neighbours = count;
    if (count > LF_NEIGHBOURS)
        luafn_debug_fail(&c->unit, c->graph.proto, -1,
                         "%d elements around an index are read: read at most %d", count,
                         LF_NEIGHBOURS);
}

/* Neighbours of an index, the call's parameters, elements of windows, captured values. */
static void write_params(writer *w)
{
    lf_compile *c = w->c;
    write_neighbours(w);
    for (int i = 0; i < c->params; i++)
        if (c->param[i].index != LUN_FRONT_AROUND)
            write_param(w, i);
    for (int k = 0; k < c->scratches; k++) {
        write_param(w, c->params + k);
        w->ir->slots[w->ir->slot_count - 1].settled = c->scratch[k].settled;
    }
    add_windows(w);
    if (add_captured(w, false, false) > LUN_FRONT_SCALARS)
        luafn_debug_fail(
            &c->unit, c->graph.proto, -1,
            "the function captures more than %d numbers and array lengths: capture fewer",
            LUN_FRONT_SCALARS);
    if (add_captured(w, false, true) + add_captured(w, true, false) > LUN_FRONT_ARRAYS)
        luafn_debug_fail(&c->unit, c->graph.proto, -1,
                         "the function captures more than %d arrays: capture fewer",
                         LUN_FRONT_ARRAYS);
}

/* Where the body takes the extents of team scratch, and from what a launch computes them. */
static void place_extents(lf_compile *c)
{
    for (int k = 0; k < c->givens.count; k++) {
        const lf_memory_extent *x = c->givens.at[k];
        lun_front_extent *of = &c->scratch[x->memory].of[x->axis];
        of->from = (int16_t)((const lf_input *)c->inputs.at[of->from])->position;
    }
    for (int k = 0; k < c->inputs.count; k++) {
        const lf_input *in = c->inputs.at[k];
        if (in->origin != LF_MEMORY_EXTENT || !in->used)
            continue;
        lun_front_scratch *x = &c->scratch[in->number];
        if (in->axis < x->rank)
            x->of[in->axis].to = (int16_t)in->position;
        if (in->axis == (x->rank > 1 ? x->rank : 0))
            x->to = (int16_t)in->position;
    }
}

static void mark_inputs(lf_compile *c, const lf_list *leaves)
{
    for (int i = 0; i < leaves->count; i++) {
        const lf_value *v = leaves->at[i];
        if (v->kind != LF_IR_CONST)
            ((lf_input *)c->inputs.at[v->as.i])->used = true;
    }
    for (int i = 0; i < c->graph.order.count; i++) {
        const lf_block *b = c->graph.order.at[i];
        for (int k = 0; k < b->ops.count; k++) {
            const lf_value *v = b->ops.at[k];
            if (v->kind == LF_IR_GATHER || v->kind == LF_IR_PUT || v->kind == LF_IR_ATOMIC)
                ((lf_input *)c->inputs.at[v->as.i])->used = true;
        }
    }
}

static void write_leaf(writer *w, lf_value *v)
{
    lun_ir_ins ins = make(LUN_IR_CONST, v->type, -1, -1);
    ins.imm = v->as.i;
    if (v->kind != LF_IR_CONST) {
        const lf_input *in = w->c->inputs.at[v->as.i];
        bool own = w->c->team && in->origin == LF_FROM_PARAM;
        ins.kind = own && in->number == LUN_FRONT_BLOCK    ? LUN_IR_TEAM
                   : own && in->number == LUN_FRONT_THREAD ? LUN_IR_THREAD
                                                           : LUN_IR_ARG;
        ins.imm = ins.kind == LUN_IR_ARG ? in->position : 0;
        ins.dtype = ins.from = (uint8_t)in->dtype;
    }
    v->access->ins = add(w, ins);
}

static int team_threads(const lf_compile *c)
{
    return (int)lun_team_product(c->param[LUN_TEAM_THREADS].shape, 0);
}

/* Refuses more results than there may be. */
static void check_results(lf_compile *c)
{
    const int count = c->graph.results.count;
    const char *verb = c->writes ? "assign" : "return";
    const char *what = c->writes ? "elements" : c->record ? "elements of a record" : "results";
    c->too_many = count > LUN_MAX_OUTPUTS;
    if (c->too_many)
        luafn_debug_fail(&c->unit, c->graph.proto, -1, "the function %ss %d %s: %s at most %d%s",
                         verb, count, what, verb, LUN_MAX_OUTPUTS,
                         c->writes ? ", or take lun.teams" : "");
}

void luafn_emit(lf_compile *c)
{
    lf_graph *g = &c->graph;
    lf_list leaves = {0};
    writer *w = LF_NEW(&c->unit, writer, 1);
    *w = (writer){.c = c, .ir = c->ir};
    c->ir->threads = c->team ? team_threads(c) : 0;
    check_results(c);
    if (g->exit->order < 0) /* a test that luafn/type/infer.c could not decide turned out false */
        luafn_debug_fail(&c->unit, g->proto, -1, "the function never returns: add a return");
    lf_scope *root = luafn_control_tree(c);
    luafn_simplify_tree(c, root);
    luafn_variables_assign(c, root, &leaves);
    mark_inputs(c, &leaves);
    write_params(w);
    place_extents(c);
    if (c->team)
        write_names(w);
    for (int i = 0; i < leaves.count; i++)
        write_leaf(w, leaves.at[i]);
    write_scope(w, root);
    if (w->barriers.count)
        luafn_emit_barrier_check(c, &w->barriers);
    for (int i = 0; i < g->results.count; i++)
        c->function->output[i] = ref(w, g->results.at[i], root);
    c->function->outputs = g->results.count;
    if (g->results.count)
        c->function->result = w->ir->ins[c->function->output[0]].dtype;
}
