/* chain.c - which steps of a plan are a chain; see chain.h.  Knows no backend and runs nothing. */
#include "plan/chain.h"

#include "ir/order.h"
#include "plan/across.h"

enum {
    BYTES = 4 << 20,     /* of a wide array: fewer stay in the caches as it is */
    ROW_BYTES = 64 << 10 /* of a row, at most: LUN_BLOCK of them are run at a time */
};

lun_chained lun__chain_width(const lun_step *step, int64_t n, int64_t line)
{
    const lun_ir *ir = &step->lowered.ir;
    if (step->kind != LUN_STEP_LAUNCH || step->across || step->kept)
        return LUN_CHAINED_NOT;
    bool plain = ir->scan < 0 && !ir->result_count;
    if (step->n == n && (plain || (step->lowered.line == line && ir->scan < 0)))
        return LUN_CHAINED_WIDE;
    return step->n == n / line && plain && n / line > 1 ? LUN_CHAINED_NARROW : LUN_CHAINED_NOT;
}

/* Whether step makes n. */
static bool makes(const lun_step *step, const lun_node *n)
{
    const lun_lowered *l = &step->lowered;
    for (int r = 0; r < l->ir.result_count; r++)
        if (l->results[r] == n)
            return true;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role == LUN_SLOT_OUT && l->slots[i].node == n)
            return true;
    return false;
}

bool lun__chain_makes(const lun_steps *s, int first, int last, const lun_node *n)
{
    for (int k = first; k <= last; k++)
        if (s->at[k].kind == LUN_STEP_LAUNCH && makes(&s->at[k], n))
            return true;
    return false;
}

/* Whether a view of `rows` elements repeats each along a row of `line`. */
static bool repeats_rows(const lun_node *view, int64_t line)
{
    lun_layout l;
    lun__node_layout(view, &l);
    l = lun__layout_simplified(&l);
    return l.rank == 2 && l.offset == 0 && l.extent[1] == line && l.stride[1] == 0 &&
           l.stride[0] == 1;
}

lun_link lun__chain_link(const lun_steps *s, int first, int at, int slot, int64_t line)
{
    const lun_lowered *l = &s->at[at].lowered;
    const lun_slot_source *from = &l->slots[slot];
    lun_ir_role role = (lun_ir_role)l->ir.slots[slot].role;
    const lun_node *pad = from->node->kind == LUN_NODE_PAD ? from->node->in[0] : NULL;
    if (pad && lun__chain_makes(s, first, at - 1, pad))
        return LUN_LINK_OTHER;
    if (role == LUN_SLOT_OUT || !lun__chain_makes(s, first, at - 1, from->node))
        return LUN_LINK_NONE;
    if (role != LUN_SLOT_IN || from->offset)
        return LUN_LINK_OTHER;
    if (!from->view)
        return LUN_LINK_SAME;
    return repeats_rows(from->view, line) ? LUN_LINK_ROW : LUN_LINK_OTHER;
}

static bool links(const lun_steps *s, int first, int at, int64_t line)
{
    const lun_lowered *l = &s->at[at].lowered;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (lun__chain_link(s, first, at, i, line) == LUN_LINK_OTHER)
            return false;
    for (int i = 0; i < l->ir.arg_count; i++)
        if (l->args[i].node && lun__chain_makes(s, first, at - 1, l->args[i].node))
            return false;
    return true;
}

/* Bytes of the widest array that step reads. */
static int64_t widest(const lun_step *step)
{
    int64_t most = 0;
    for (int i = 0; i < step->lowered.ir.slot_count; i++) {
        int64_t size = lun__dtype_get((lun_dtype)step->lowered.ir.slots[i].dtype)->bytes;
        most = size > most ? size : most;
    }
    return most;
}

/* First values need their reductions whole. */
static bool begins(const lun_step *step)
{
    for (int r = 0; r < step->lowered.ir.result_count; r++)
        if (lun__node_first(step->lowered.results[r]))
            return true;
    return false;
}

/* The last step of the chain that begins at `first`; first itself: there is none. */
static int last_of(const lun_steps *s, int first)
{
    const lun_step *head = &s->at[first];
    int64_t line = head->lowered.line, n = head->n, bytes = widest(head);
    int wide = 0, end = first;
    if (head->kind != LUN_STEP_LAUNCH || !line || line > LUN_CHUNK || n * bytes < BYTES ||
        line * bytes > ROW_BYTES || n / line < 2 * LUN_BLOCK)
        return first;
    for (int k = first; k < s->count; k++) {
        lun_chained width = lun__chain_width(&s->at[k], n, line);
        if (width == LUN_CHAINED_NOT || begins(&s->at[k]) || !links(s, first, k, line))
            break;
        wide += width == LUN_CHAINED_WIDE;
        if (width == LUN_CHAINED_WIDE)
            end = k;
    }
    return wide > 1 ? end : first;
}

void lun__chains_find(lun_steps *s)
{
    int chains = 0;
    for (int k = 0; k < s->count;) {
        int last = last_of(s, k);
        if (last > k) {
            chains++;
            for (int i = k; i <= last; i++)
                s->at[i].chain = chains;
        }
        k = last + 1;
    }
}
