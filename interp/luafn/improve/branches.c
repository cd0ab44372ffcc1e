/* branches.c - if-conversion: tests joined by and / or become one condition, and short branches
 * that only choose values become WHERE. Moved operations run on more paths than before: they must
 * be cheap and must not fail. */
#include "luafn/improve/improve.h"

#include "luafn/lower/lowering_state.h"

enum { LF_ROUNDS = 8, LF_CHEAP = 10 }; /* rounds of the pass; the most cost of moved operations */

/* Unlike lun__op_cost, which weighs whole kernels: moved operations cannot fail, so a division
 * costs more than others (as does a square root, by its latency) but less than one with its test.
 * Kernels of functions depend on these figures. */
int luafn_branches_cost(const lf_value *v)
{
    if (v->kind == LF_IR_CAST)
        return 1;
    if (v->kind != LF_IR_OP || v->note)
        return LF_NEVER;
    if (lun__op_get((lun_op)v->sub)->flags & LUN_OPF_HEAVY)
        return 10;
    switch ((lun_op)v->sub) {
    case LUN_OP_DIV:
    case LUN_OP_SQRT:
    case LUN_OP_IDIV:
    case LUN_OP_MOD:
        return 4;
    default:
        return 1;
    }
}

static int block_cost(const lf_block *b)
{
    int sum = 0;
    for (int i = 0; i < b->ops.count && sum < LF_NEVER; i++)
        sum += luafn_branches_cost(b->ops.at[i]);
    return sum;
}

/* The same of a block whose checks can be moved to its condition. */
static int arm_cost(const lf_block *b)
{
    int sum = 0;
    for (int i = 0; i < b->ops.count && sum < LF_NEVER; i++) {
        const lf_value *v = b->ops.at[i];
        sum += v->kind == LF_IR_CHECK ? 2 : luafn_branches_cost(v);
    }
    return sum;
}

static void move_ops(lf_graph *g, lf_block *from, lf_block *to)
{
    for (int i = 0; i < from->ops.count; i++) {
        lf_value *v = from->ops.at[i];
        v->block = to;
        luafn_arena_push(g->u, &to->ops, v);
    }
    from->ops.count = 0;
}

/* Weakens the checks of an arm of b: they need to hold only if b's condition selects that arm. */
static void weaken_checks(lf_lowering *l, const lf_block *b, int way)
{
    lf_block *arm = b->succ[way], *at = l->at;
    lf_list ops = arm->ops;
    arm->ops = (lf_list){0};
    l->at = arm;
    for (int i = 0; i < ops.count; i++) {
        lf_value *v = ops.at[i];
        if (v->kind == LF_IR_CHECK) {
            lf_value *other = way ? b->cond : luafn_ir_value_op1(l, LUN_OP_LNOT, b->cond);
            v->arg[0] = luafn_ir_value_op2(l, LUN_OP_LOR, other, v->arg[0]);
        }
        luafn_arena_push(l->g->u, &arm->ops, v);
    }
    l->at = at;
}

static int pred_index(const lf_block *b, const lf_block *pred)
{
    for (int i = 0; i < b->preds.count; i++)
        if (b->preds.at[i] == pred)
            return i;
    return -1;
}

/* ---- and, or ---- */

static bool same_phis(const lf_block *b, int i, int j)
{
    for (int k = 0; k < b->phis.count; k++) {
        const lf_value *phi = b->phis.at[k];
        if (phi->arg[i] != phi->arg[j])
            return false;
    }
    return true;
}

/* b goes to m or to y, and m, which only tests, to x or to y as well. */
static bool join_tests(lf_lowering *l, lf_block *b, int side)
{
    lf_block *m = b->succ[side], *y = b->succ[1 - side];
    if (m == b || m == y || m->end != LF_BRANCH || m->preds.count != 1 || m->phis.count)
        return false;
    if (m->succ[0] == m->succ[1] || (m->succ[0] != y && m->succ[1] != y))
        return false;
    if (block_cost(m) > LF_CHEAP)
        return false;
    if (!same_phis(y, pred_index(y, b), pred_index(y, m)))
        return false;
    int way = m->succ[0] == y ? 1 : 0; /* of m to x */
    lf_block *x = m->succ[way];
    lf_value *first = b->cond, *second = m->cond;
    move_ops(l->g, m, b);
    l->at = b;
    if (side == 0) { /* x: first and second (or not second) */
        if (way)
            second = luafn_ir_value_op1(l, LUN_OP_LNOT, second);
        b->cond = luafn_ir_value_op2(l, LUN_OP_LAND, first, second);
        b->succ[0] = x;
        b->succ[1] = y;
    } else { /* y: first or second (or not second) */
        if (!way)
            second = luafn_ir_value_op1(l, LUN_OP_LNOT, second);
        b->cond = luafn_ir_value_op2(l, LUN_OP_LOR, first, second);
        b->succ[0] = y;
        b->succ[1] = x;
    }
    luafn_cfg_replace_pred(x, m, b);
    luafn_cfg_drop_pred(y, pred_index(y, m));
    m->preds.count = 0;
    m->end = LF_OPEN;
    return true;
}

/* ---- values chosen ---- */

/* The successor of s if s only computes cheap values, else s itself. */
static lf_block *through(const lf_block *b, lf_block *s)
{
    bool arm = s != b && s->preds.count == 1 && !s->phis.count && s->end == LF_JUMP &&
               s->succ[0] != s && arm_cost(s) <= LF_CHEAP;
    return arm ? s->succ[0] : s;
}

static bool of_floats(const lf_value *v, uint8_t type)
{
    return (v->kind == LF_IR_OP || v->kind == LF_IR_CAST) && lun__dtype_is_float((lun_dtype)type);
}

/* Whether v changes in the innermost loop around b. */
static bool moves(const lf_value *v, const lf_block *b)
{
    bool inside = !b->in;
    for (int k = 0; k < v->args && b->in; k++)
        inside |= v->arg[k] && v->arg[k]->block && luafn_cfg_in_loop(v->arg[k]->block, b->in);
    return inside;
}

/* Whether b stays a branch between the values that its arms, those that are not b, compute. A
 * kernel of teams runs thread by thread: there branch prediction lets a processor continue, while a
 * selection waits for the condition and both values, long if they are floats. A loop-invariant
 * condition can be computed before the loop. */
static bool stays(const lf_lowering *l, const lf_block *b, lf_block *const arm[2])
{
    bool floats = of_floats(b->cond, b->cond->from), works = false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; arm[k] != b && i < arm[k]->ops.count; i++) {
            const lf_value *v = arm[k]->ops.at[i];
            floats |= of_floats(v, v->type);
            works = true;
        }
    return l->c->team && works && floats && moves(b->cond, b);
}

static bool choose(lf_lowering *l, lf_block *b)
{
    lf_block *yes = b->succ[0], *no = b->succ[1], *m;
    lf_block *a = through(b, yes), *z = through(b, no);
    if (yes != no && a == no)
        m = no; /* only one arm */
    else if (yes != no && z == yes)
        m = yes;
    else if (a == z && a != yes && z != no)
        m = a;
    else
        return false;
    if (m == b)
        return false;
    lf_block *from[2] = {yes == m ? b : yes, no == m ? b : no};
    int i = pred_index(m, from[0]), j = pred_index(m, from[1]), cost = 0;
    for (int k = 0; k < 2; k++)
        if (from[k] != b)
            cost += arm_cost(from[k]);
    for (int k = 0; k < m->phis.count; k++) {
        const lf_value *phi = m->phis.at[k];
        cost += phi->arg[i] != phi->arg[j];
    }
    if (i < 0 || j < 0 || i == j || cost > LF_CHEAP || stays(l, b, from))
        return false;
    l->at = b;
    for (int k = 0; k < 2; k++)
        if (from[k] != b) {
            weaken_checks(l, b, k);
            move_ops(l->g, from[k], b);
        }
    for (int k = 0; k < m->phis.count; k++) {
        lf_value *phi = m->phis.at[k];
        phi->arg[i] = luafn_ir_value_where(l, b->cond, phi->arg[i], phi->arg[j]);
    }
    m->preds.at[i] = b;
    luafn_cfg_drop_pred(m, j);
    for (int k = 0; k < 2; k++)
        if (from[k] != b)
            from[k]->preds.count = 0;
    b->end = LF_JUMP;
    b->succ[0] = m;
    return true;
}

/* ---- whole numbers of a script ---- */

static void replace(lf_value **at, const lf_value *arg, lf_value *wide)
{
    if (*at == arg)
        *at = wide;
}

/* Where the argument is an i32, `wide` is its i64. */
static void widen_uses(lf_graph *g, lf_value *arg, lf_value *wide)
{
    for (int i = 0; i < g->order.count; i++) {
        lf_block *b = g->order.at[i];
        for (int k = 0; k < b->phis.count + b->ops.count; k++) {
            lf_value *v = k < b->phis.count ? b->phis.at[k] : b->ops.at[k - b->phis.count];
            if (v->kind == LF_IR_CAST && v->arg[0] == arg) {
                v->from = LUN_I32;
                if (lf_is_short(v->type))
                    v->instead = arg;
                continue;
            }
            for (int j = 0; j < v->args; j++)
                replace(&v->arg[j], arg, wide);
        }
    }
    for (int i = 0; i < g->results.count; i++)
        replace((lf_value **)&g->results.at[i], arg, wide);
}

/* A script's integer used with i32 becomes i32, so that one which does not fit is refused at the
 * call. */
static void narrow_params(lf_compile *c, lf_value *const *args, int count)
{
    lf_graph *g = &c->graph;
    for (int i = 0; i < count; i++) {
        lf_value *arg = args[i], *wide = luafn_graph_value(g, LF_IR_CAST, 1);
        wide->type = LUN_I64;
        wide->from = LUN_I32;
        wide->block = g->entry;
        widen_uses(g, arg, wide);
        wide->arg[0] = arg;
        arg->type = LUN_I32;
        ((lf_input *)c->inputs.at[arg->as.i])->dtype = LUN_I32;
        luafn_arena_push(g->u, &g->entry->ops, NULL);
        for (int k = g->entry->ops.count - 1; k > 0; k--)
            g->entry->ops.at[k] = g->entry->ops.at[k - 1];
        g->entry->ops.at[0] = wide;
    }
}

/* The i64 arguments that are weak parameters, each once. */
static void narrow_weak(lf_compile *c)
{
    lf_graph *g = &c->graph;
    lf_list found = {0};
    for (int i = 0; i < g->order.count; i++) {
        const lf_block *b = g->order.at[i];
        for (int k = 0; k < b->ops.count; k++) {
            const lf_value *v = b->ops.at[k];
            if (v->kind != LF_IR_CAST || !lf_is_short(v->type) || v->arg[0]->kind != LF_IR_ARG)
                continue;
            const lf_input *in = c->inputs.at[v->arg[0]->as.i];
            if (in->origin != LF_FROM_PARAM || !c->param[in->number].weak)
                continue;
            int j = 0;
            while (j < found.count && found.at[j] != v->arg[0])
                j++;
            if (j == found.count)
                luafn_arena_push(g->u, &found, v->arg[0]);
        }
    }
    narrow_params(c, (lf_value *const *)found.at, found.count);
}

void luafn_branches(lf_compile *c)
{
    lf_graph *g = &c->graph;
    lf_lowering *l = LF_NEW(&c->unit, lf_lowering, 1);
    luafn_cfg_sweep(g, luafn_ir_value_has_effect);
    for (int round = 0; round < LF_ROUNDS; round++) {
        bool changed = false;
        luafn_cfg_simplify(g);
        luafn_cfg_dominators(g);
        *l = (lf_lowering){.c = c, .g = g};
        for (int i = g->order.count - 1; i >= 0; i--) {
            lf_block *b = g->order.at[i];
            while (b->end == LF_BRANCH &&
                   (join_tests(l, b, 0) || join_tests(l, b, 1) || choose(l, b)))
                changed = true;
        }
        if (!changed)
            break;
    }
    narrow_weak(c);
    luafn_cfg_simplify(g);
    luafn_cfg_sweep(g, luafn_ir_value_has_effect);
    luafn_cfg_dominators(g);
}
