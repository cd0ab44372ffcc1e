/* simplify_tree.c - simplifies a tree of control flow: drops jumps to where control falls through,
 * groups without jumps, and else branches behind a branch that leaves. Recursive: control_tree.c
 * limits the depth. */
#include "luafn/emit/control_tree.h"
#include "luafn/lower/lowering_state.h"

/* Jumps that are equivalent to falling off the end of a list. */
typedef struct falls {
    const lf_block *to;
    lf_item_kind kind; /* LF_BREAK or LF_CONTINUE */
    const struct falls *also;
} falls;

static bool falls_to(const falls *f, const lf_item *jump)
{
    for (; f; f = f->also)
        if (f->to == jump->block && f->kind == jump->kind)
            return true;
    return false;
}

static bool is_jump(const lf_item *item)
{
    return item->kind == LF_BREAK || item->kind == LF_CONTINUE;
}

static lf_item *last_of(const lf_scope *s)
{
    return s->items.count ? lf_item_at(s, s->items.count - 1) : NULL;
}

/* Does control never reach the end of the list? */
static bool leaves(const lf_scope *s)
{
    const lf_item *last = last_of(s);
    if (!last)
        return false;
    if (last->kind == LF_IF)
        return leaves(last->body[0]) && leaves(last->body[1]);
    return is_jump(last);
}

/* Moves all items of a list to the end of one that is being made for scope `to`. */
static void take_over(lf_compile *c, lf_list *out, lf_scope *to, lf_scope *from)
{
    for (int i = 0; i < from->items.count; i++) {
        lf_item *item = lf_item_at(from, i);
        item->scope = to;
        for (int k = 0; k < 2; k++)
            if (item->body[k])
                item->body[k]->parent = to;
        luafn_arena_push(&c->unit, out, item);
    }
    from->items.count = 0;
}

static void swap_bodies(lf_item *branch)
{
    lf_scope *s = branch->body[0];
    branch->body[0] = branch->body[1];
    branch->body[1] = s;
    branch->flip = !branch->flip;
}

/* Appends a branch with tidy bodies to the list that is being made for s. */
static void put_branch(lf_compile *c, lf_list *out, lf_scope *s, lf_item *branch)
{
    if (!branch->body[0]->items.count)
        swap_bodies(branch);
    if (!branch->body[0]->items.count)
        return;
    luafn_arena_push(&c->unit, out, branch);
    if (!branch->body[1]->items.count)
        return;
    if (!leaves(branch->body[0]) && leaves(branch->body[1]))
        swap_bodies(branch);
    if (leaves(branch->body[0]))
        take_over(c, out, s, branch->body[1]);
}

static void tidy(lf_compile *c, lf_scope *s, const falls *f)
{
    lf_list out = {0};
    while (s->items.count && is_jump(last_of(s)) && falls_to(f, last_of(s)))
        s->items.count--;
    for (int i = 0; i < s->items.count; i++) {
        lf_item *item = lf_item_at(s, i);
        const falls *end = i == s->items.count - 1 ? f : NULL;
        falls own = {item->block, item->kind == LF_LOOP ? LF_CONTINUE : LF_BREAK, NULL};
        if (item->kind == LF_IF) {
            tidy(c, item->body[0], end);
            tidy(c, item->body[1], end);
            put_branch(c, &out, s, item);
            continue;
        }
        if (item->kind == LF_GROUP)
            own.also = end;
        if (item->kind == LF_GROUP || item->kind == LF_LOOP)
            tidy(c, item->body[0], &own);
        luafn_arena_push(&c->unit, &out, item);
    }
    s->items = out;
}

/* ---- jumps and what they leave --------------------------------------------------------------- */

/* The loops and groups around a scope, innermost first. */
typedef struct around {
    lf_item *item;
    const falls *after; /* where its exit leads */
    const struct around *outer;
} around;

static void aim(lf_compile *c, lf_scope *s, const falls *f, const around *a);

static void aim_body(lf_compile *c, lf_item *item, const falls *end, const around *a)
{
    falls own = {item->block, item->kind == LF_LOOP ? LF_CONTINUE : LF_BREAK, NULL};
    around here = {item, end, a};
    falls after = {item->block, LF_BREAK, end};
    if (item->kind == LF_GROUP) {
        own.also = end;
        here.after = &after;
    }
    aim(c, item->body[0], &own, &here);
}

/* Sets the target of every jump, the innermost loop or group whose end it goes to, and counts the
 * jumps of each. */
static void aim(lf_compile *c, lf_scope *s, const falls *f, const around *a)
{
    for (int i = s->items.count - 1; i >= 0; i--) {
        lf_item *item = lf_item_at(s, i);
        const falls *end = i == s->items.count - 1 ? f : NULL;
        if (item->kind == LF_IF) {
            aim(c, item->body[0], end, a);
            aim(c, item->body[1], end, a);
        } else if (item->kind == LF_LOOP || item->kind == LF_GROUP) {
            aim_body(c, item, end, a);
        } else if (is_jump(item)) {
            const around *x = a;
            while (item->kind == LF_CONTINUE
                       ? x->item->block != item->block || x->item->kind != LF_LOOP
                       : !falls_to(x->after, item))
                x = x->outer;
            item->target = x->item;
            x->item->refs++;
        }
    }
}

/* Removes the groups that no jump leaves, once all jumps have their targets. */
static void drop_groups(lf_compile *c, lf_scope *s)
{
    lf_list out = {0};
    for (int i = 0; i < s->items.count; i++) {
        lf_item *item = lf_item_at(s, i);
        for (int k = 0; k < 2; k++)
            if (item->body[k])
                drop_groups(c, item->body[k]);
        if (item->kind == LF_GROUP && !item->refs)
            take_over(c, &out, s, item->body[0]);
        else
            luafn_arena_push(&c->unit, &out, item);
    }
    s->items = out;
}

static void set_depths(lf_scope *s)
{
    s->depth = s->parent ? s->parent->depth + 1 : 0;
    for (int i = 0; i < s->items.count; i++)
        for (int k = 0; k < 2; k++)
            if (lf_item_at(s, i)->body[k])
                set_depths(lf_item_at(s, i)->body[k]);
}

/* Negated conditions become values of their own: mostly the opposite comparison. */
static void turn_conditions(lf_lowering *l, lf_scope *s)
{
    for (int i = 0; i < s->items.count; i++) {
        lf_item *item = lf_item_at(s, i);
        if (item->kind == LF_IF && item->flip) {
            l->at = item->block;
            item->cond = luafn_ir_value_op1(l, LUN_OP_LNOT, item->cond);
            item->flip = false;
            item->block->cond = item->cond; /* so that it stays in use */
        }
        for (int k = 0; k < 2; k++)
            if (item->body[k])
                turn_conditions(l, item->body[k]);
    }
}

void luafn_simplify_tree(lf_compile *c, lf_scope *root)
{
    lf_lowering *l = LF_NEW(&c->unit, lf_lowering, 1);
    *l = (lf_lowering){.c = c, .g = &c->graph};
    tidy(c, root, NULL);
    aim(c, root, NULL, NULL);
    drop_groups(c, root);
    set_depths(root);
    turn_conditions(l, root);
    luafn_cfg_sweep(&c->graph, luafn_ir_value_has_effect);
}
