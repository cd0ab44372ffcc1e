/* into_destination.c - results of an evaluation computed straight to where they shall stand, among
 * elements that stay.  Only what can neither fail nor go on for long once it has begun is: a kernel
 * that might leaves half of its results where old elements were. */
#include "eval/eval.h"
#include "lunarray_bind.h"

enum {
    TARGETS = 8,
    COST = 64 /* of an element at most: beside a dearer one a copy of it is nothing */
};

/* Whether nothing stops the kernel of l on its way: no element fails, none takes long. */
static bool is_sure(const lun_lowered *l)
{
    const lun_ir *ir = &l->ir;
    if (ir->scan >= 0 || ir->result_count || l->segment || lun__ir_cost(ir) > COST)
        return false;
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_LOOP || ir->ins[i].kind == LUN_IR_CALL ||
            lun__ir_may_fail(ir, &ir->ins[i]))
            return false;
    return true;
}

/* The elements that a slot reads from memory, a LEAF; NULL: none, or what a step before makes. */
static const lun_node *read_by(const lun_lowered *l, int slot)
{
    const lun_node *n = l->slots[slot].node;
    if (l->ir.slots[slot].role == LUN_SLOT_OUT || !n)
        return NULL;
    if (n->kind == LUN_NODE_PAD)
        n = n->in[0];
    return n->kind == LUN_NODE_LEAF ? n : NULL;
}

static bool overlap(const lun_storage *a, const lun_storage *b)
{
    const uintptr_t p = (uintptr_t)a->data, q = (uintptr_t)b->data;
    const uintptr_t size = (uintptr_t)lun__dtype_get(a->dtype)->bytes * (uintptr_t)a->count;
    const uintptr_t other = (uintptr_t)lun__dtype_get(b->dtype)->bytes * (uintptr_t)b->count;
    return a == b || (p && q && p < q + other && q < p + size);
}

/* Whether what the kernel reads is in memory, so that reading it cannot fail, and in none of the
 * targets'; a host may have wrapped the same memory twice. */
static bool reads_apart(const lun_lowered *l, const lun_storage_view *to, int count)
{
    for (int i = 0; i < l->ir.slot_count; i++) {
        const lun_node *n = read_by(l, i);
        if (n && n->storage->stale && n->storage->source)
            return false;
        for (int k = 0; n && k < count; k++)
            if (overlap(n->storage, to[k].s))
                return false;
    }
    return true;
}

/* By slot, where the results of the last step go; false: it has others, or not all of these. */
static bool find_targets(const lun_lowered *l, lun_node *const *roots, int count,
                         const lun_storage_view *to, const lun_storage_view **targets)
{
    int found = 0;
    for (int i = 0; i < l->ir.slot_count; i++) {
        targets[i] = NULL;
        if (l->ir.slots[i].role != LUN_SLOT_OUT)
            continue;
        for (int k = 0; k < count; k++)
            if (l->slots[i].node == roots[k])
                targets[i] = &to[k];
        if (!targets[i])
            return false;
        found++;
    }
    return found == count;
}

/* The last step, if it is a kernel by itself that computes the roots as they shall be. */
static const lun_step *last_of(const lun_steps *s, lun_node *const *roots, int count,
                               const lun_storage_view *to, const lun_storage_view **targets)
{
    const lun_step *last = s->count ? &s->at[s->count - 1] : NULL;
    if (!last || last->kind != LUN_STEP_LAUNCH || last->chain || last->sweep || last->across ||
        last->blocks || last->kept || last->lowered.ir.slot_count > LUN_GROUP_LEAVES + TARGETS)
        return NULL;
    return is_sure(&last->lowered) && reads_apart(&last->lowered, to, count) &&
                   find_targets(&last->lowered, roots, count, to, targets)
               ? last
               : NULL;
}

/* A failure with a source line: it is found again on the usual way, which reports it. */
static bool has_source_line(lun_status s)
{
    return s == LUN_EZERO || s == LUN_EBOUNDS || s == LUN_EBUILD;
}

static lun_status run_into(lun_engine *e, lun_node *const *roots, int count,
                           const lun_storage_view *to, bool *done)
{
    const lun_storage_view *targets[LUN_GROUP_LEAVES + TARGETS];
    lun_steps s;
    lun_kernel_entry *k = NULL;
    lun_status status = lun__steps_make(e, roots, count, LUN_STEPS_KEEP, &s);
    if (status != LUN_OK)
        return status;
    const lun_step *last = last_of(&s, roots, count, to, targets);
    if (last) {
        status = lun__eval_note(e, roots, count, LUN_IS_COMPUTED);
        if (status == LUN_OK)
            status = lun__run_plan_steps(e, &s, s.count - 1);
        if (status == LUN_OK)
            status = lun__kernel_of(e, &last->lowered, &k);
        if (status == LUN_OK)
            status = lun__launch_into(e, &last->lowered, k, last->n, targets);
        *done = status == LUN_OK;
    }
    lun__steps_free(e, &s);
    return has_source_line(status) ? LUN_OK : status;
}

/* Whether there is a kernel at whose end n may be computed; it is kept where it was computed
 * before. */
static bool may_be_last(const lun_node *n)
{
    return !lun__node_ready(n) && !lun__node_is_step(n) && n->kind != LUN_NODE_REDUCE &&
           n->kind != LUN_NODE_SCAN && !lun__node_recurs(n);
}

lun_status lun__into_destination(lun_engine *e, lun_node *const *roots, int count,
                                 const lun_storage_view *to, bool *done)
{
    lun_backend_slot *b;
    *done = false;
    if (e->set_count || e->diverged || e->in_callback || count > TARGETS)
        return LUN_OK;
    for (int k = 0; k < count; k++)
        if (!may_be_last(roots[k]))
            return LUN_OK;
    lun_status status = lun__backend(e, &b);
    if (status != LUN_OK || b->backend->buffer_new)
        return status;
    lun_host_begin(e);
    lun__progress_begin(e);
    status = run_into(e, roots, count, to, done);
    e->looks += *done;
    lun__progress_end(e);
    lun_host_end(e);
    return status;
}
