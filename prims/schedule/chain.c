/* chain.c - which steps of a plan are a chain; see chain.h.  Runs nothing. */
#include "schedule/chain.h"

#include <string.h>

#include "ir/combine_order.h"
#include "kernels/outer_axis.h"
#include "kernels/pairs_kernel.h"
#include "plan/matmul_plan.h"
#include "store/fetch.h"

enum {
    NEAR = 16,              /* steps that a product is moved over */
    BYTES = 4 << 20,        /* of a wide array: fewer stay in the caches as it is */
    MADE_BYTES = 1 << 20,   /* of what a product makes: the same */
    PACKED_BYTES = 4 << 20, /* of an operand of a product, which is all in work then, */
    ROW_BYTES = 64 << 10,   /* of a row, at most: some are in work at a time */
    /* A product that takes more memory than this has rows of more bytes, for it is dear to store
     * and to read again; smaller ones would have too few blocks of rows for many threads. */
    LONG_BYTES = 16 << 20,
    LONG_ROW_BYTES = 512 << 10
};

/* How a slot of a step reads what an earlier step of its chain computes. */
typedef enum link {
    LINK_NONE, /* nothing of the chain's */
    LINK_SAME, /* an element for each of its own indices */
    LINK_ROW,  /* the element of the row that an index is in */
    LINK_OTHER /* in another way: not some rows at a time */
} link;

static bool uses_index(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_INDEX)
            return true;
    return false;
}

lun_chained lun__chain_width(const lun_step *step, int64_t n, int64_t segment)
{
    const lun_ir *ir = &step->lowered.ir;
    if (step->kind != LUN_STEP_LAUNCH || step->across || step->blocks || step->kept ||
        step->lowered.unrolled || ir->scan >= 0)
        return LUN_CHAINED_NOT;
    if (step->n == n && (!ir->result_count || step->lowered.segment == segment))
        return LUN_CHAINED_WIDE;
    bool narrow = step->n == n / segment && !ir->result_count && n / segment > 1;
    return narrow && !uses_index(ir) ? LUN_CHAINED_NARROW : LUN_CHAINED_NOT;
}

/* What step makes that is a matrix product, or one of all pairs of rows; NULL: it is neither. */
static const lun_node *product_of(const lun_step *step)
{
    return step->pairs ? step->pairs->result : step->kind == LUN_STEP_PRODUCT ? step->node : NULL;
}

int64_t lun__chain_segment(const lun_step *step)
{
    int64_t shape[LUN_MAX_RANK];
    const lun_node *product = product_of(step);
    if (!product)
        return step->lowered.segment;
    lun__node_shape(product, shape);
    return shape[product->rank - 1];
}

/* Whether step makes n. */
static bool makes(const lun_step *step, const lun_node *n)
{
    const lun_lowered *l = &step->lowered;
    if (step->kind == LUN_STEP_PRODUCT)
        return step->node == n;
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
        if (makes(&s->at[k], n))
            return true;
    return false;
}

bool lun__chain_reads(const lun_slot_source *from, const lun_node *n)
{
    return from->node == n || (from->node->kind == LUN_NODE_PAD && from->node->in[0] == n);
}

bool lun__chain_is_of(const lun_node *part, const lun_node *n)
{
    while (part && part != n && part->kind != LUN_NODE_LEAF)
        part = lun__node_has_many(part) ? NULL : part->in[0];
    return part == n;
}

/* Whether a step without a kernel takes n, or a part of it. */
static bool takes(const lun_step *step, const lun_node *n)
{
    const lun_node *in;
    for (int k = 0; step->node && (in = lun__node_operand(step->node, k)); k++)
        if (lun__chain_is_of(in, n))
            return true;
    return false;
}

/* Whether step needs n, which another step makes. */
static bool needs(const lun_step *step, const lun_node *n)
{
    const lun_lowered *l = &step->lowered;
    if (takes(step, n) || l->needed == n)
        return true;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (lun__chain_reads(&l->slots[i], n))
            return true;
    for (int i = 0; i < l->ir.arg_count; i++)
        if (l->args[i].node == n)
            return true;
    return false;
}

/* Whether more than this plan refers to n, a product that the chain begins with, which takes too
 * long to be made again. */
static bool is_held(const lun_steps *s, int last, const lun_node *n)
{
    const lun_step *head = &s->at[last];
    while (head > s->at && head->chain && head[-1].chain == head->chain)
        head--;
    return head->held && product_of(head) == n;
}

bool lun__chain_keeps(const lun_steps *s, int last, const lun_node *n)
{
    if (is_held(s, last, n))
        return true;
    for (int i = 0; i < s->root_count; i++)
        if (s->roots[i] == n)
            return true;
    for (int k = last + 1; k < s->count; k++)
        if (needs(&s->at[k], n))
            return true;
    return false;
}

/* ---- what is moved --------------------------------------------------------------------------- */

/* Elements that a kernel over n indices takes from memory for a slot. */
static int64_t elements_read(const lun_ir_slot *slot, const lun_slot_source *from, int64_t n)
{
    lun_layout at;
    if (from->node->kind == LUN_NODE_INDEX)
        return 0;
    if (from->node->kind == LUN_NODE_PAD)
        return from->node->in[0]->n < n ? from->node->in[0]->n : n;
    if (!from->view)
        return slot->role == LUN_SLOT_IN ? n : slot->role == LUN_SLOT_ARRAY ? from->node->n : 1;
    lun__node_layout(from->view, &at);
    int64_t some = lun__layout_distinct(&at);
    return some < n ? some : n;
}

static bool reads(const lun_lowered *l, const lun_slot_source *what)
{
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role != LUN_SLOT_OUT && l->slots[i].node == what->node &&
            l->slots[i].view == what->view && l->slots[i].offset == what->offset)
            return true;
    return false;
}

static bool reads_node(const lun_lowered *l, const lun_node *n)
{
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->slots[i].node == n)
            return true;
    return false;
}

int lun__chain_last(const lun_steps *s, int first)
{
    int last = first;
    while (s->at[first].chain && last + 1 < s->count && s->at[last + 1].chain == s->at[first].chain)
        last++;
    return last;
}

int64_t lun__chain_moves(const lun_steps *s, int at, int slot)
{
    const lun_lowered *l = &s->at[at].lowered;
    const lun_slot_source *from = &l->slots[slot];
    const lun_ir_slot *as = &l->ir.slots[slot];
    int64_t size = lun__dtype_get((lun_dtype)as->dtype)->bytes;
    int first = at, last = lun__chain_last(s, at);
    while (s->at[at].chain && first > 0 && s->at[first - 1].chain == s->at[at].chain)
        first--;
    if (as->role == LUN_SLOT_OUT)
        return first < last && !lun__chain_keeps(s, last, from->node) ? 0 : s->at[at].n * size;
    if (lun__chain_makes(s, first, at - 1, from->node))
        return 0;
    if (l->unrolled && as->role == LUN_SLOT_IN && from->copy >= 0)
        return from->copy
                   ? 0
                   : size * elements_read(as, from, lun__plan_lowered_elements(l, s->at[at].n));
    for (int k = first; k < at; k++)
        if (reads(&s->at[k].lowered, from))
            return 0;
    for (int i = 0; from->node->kind == LUN_NODE_PAD && i < slot; i++)
        if (l->slots[i].node == from->node) /* its elements are the same ones */
            return 0;
    return size * elements_read(as, from, s->at[at].n);
}

/* ---- sets ------------------------------------------------------------------------------------ */

int64_t lun__chain_unit(const lun_lowered *l, int64_t n)
{
    int64_t shape[LUN_MAX_RANK];
    for (int i = 0; i < l->ir.slot_count; i++) {
        const lun_node *x = l->slots[i].view ? l->slots[i].view : l->slots[i].node;
        const int role = l->ir.slots[i].role;
        if ((role != LUN_SLOT_OUT && role != LUN_SLOT_IN) || x->rank < 2 || x->n != n)
            continue;
        lun__node_shape(x, shape);
        return n ? n / shape[0] : 1;
    }
    return 1;
}

/* Whether an array that step `at` reads element by element is distributed as the chain's rows are;
 * all: how the first step's are, NULL: in blocks. */
static bool goes_with(const lun_steps *s, int first, int at, const lun_spread *x,
                      const lun_spread *all)
{
    const int64_t n = s->at[first].n, segment = s->at[first].lowered.segment;
    const int64_t unit = lun__chain_unit(&s->at[first].lowered, n);
    const int64_t each = s->at[at].n == n ? 1 : segment;
    const bool parts = x->kind == LUN_SPREAD_BLOCK || x->kind == LUN_SPREAD_OVERLAP;
    if (all && all->kind == LUN_SPREAD_SINGLE)
        return x->kind == LUN_SPREAD_SINGLE && x->device == all->device;
    for (int k = 0; parts && k < x->places; k++)
        if (x->bound[k] * each !=
            (all ? all->bound[k]
                 : unit * lun__spread_bound(LUN_SPREAD_REMAINDER, n / unit, x->places, k)))
            return false;
    return parts;
}

bool lun__chain_goes(lun_engine *e, const lun_steps *s, int first, int at, int i,
                     const lun_spread *all)
{
    const lun_slot_source *from = &s->at[at].lowered.slots[i];
    const lun_node *n = from->node;
    const lun_spread *x = n->kind == LUN_NODE_LEAF ? lun__placement_spread(e, n->storage) : NULL;
    if (n->kind != LUN_NODE_LEAF || !x)
        return n->kind == LUN_NODE_LEAF;
    return x->n == s->at[at].n && !n->offset && !from->offset && goes_with(s, first, at, x, all);
}

/* Whether slot i has no part in how a set shares step `at` by itself, or says what the chain does:
 * *all, which the first step decides. */
static bool slot_agrees(lun_engine *e, const lun_steps *s, int first, int at, int i,
                        const lun_spread **all)
{
    const lun_step *step = &s->at[at];
    const lun_slot_source *from = &step->lowered.slots[i];
    const int role = step->lowered.ir.slots[i].role;
    const lun_node *n = from->node;
    if (role == LUN_SLOT_OUT || lun__chain_makes(s, first, at - 1, n))
        return true;
    if ((role != LUN_SLOT_IN && role != LUN_SLOT_UNIFORM) || n->kind == LUN_NODE_PAD ||
        (role == LUN_SLOT_UNIFORM && from->view))
        return false;
    if (role != LUN_SLOT_IN || from->view || lun__node_made(n))
        return true;
    if (at == first && !*all && n->kind == LUN_NODE_LEAF)
        *all = lun__placement_spread(e, n->storage);
    return lun__chain_goes(e, s, first, at, i, *all);
}

/* Whether step `at` may be in a chain of a set, where a location has whole rows: each location
 * would share it so by itself, too, as far as is known before what comes before it has run. */
static bool agrees(lun_engine *e, const lun_steps *s, int first, int at, const lun_spread **all)
{
    const lun_lowered *l = &s->at[at].lowered;
    bool can = true;
    for (int k = 0; can && k < e->set_count; k++)
        can = lun__backend_runs(lun__state_computes_at(e->set[k]), &l->ir);
    for (int i = 0; can && e->set_count && i < l->ir.slot_count; i++)
        can = slot_agrees(e, s, first, at, i, all);
    if (!can || !e->set_count || at > first)
        return can;
    for (int k = 0; can && *all && (*all)->kind != LUN_SPREAD_SINGLE && k < (*all)->places; k++)
        can = (*all)->bound[k] % l->segment == 0;
    return can && (*all || lun__chain_unit(l, s->at[at].n) % l->segment == 0);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Whether a view of n elements repeats each of n / segment along a row of `segment`. */
static bool repeats_rows(const lun_node *view, int64_t n, int64_t segment)
{
    lun_layout l;
    int64_t step, along;
    lun__node_layout(view, &l);
    return view->n == n && l.offset == 0 && lun__layout_segments(&l, segment, &step, &along) &&
           step == 1 && along == 0;
}

static link link_of(const lun_steps *s, int first, int at, int slot, int64_t segment)
{
    const lun_lowered *l = &s->at[at].lowered;
    const lun_slot_source *from = &l->slots[slot];
    lun_ir_role role = (lun_ir_role)l->ir.slots[slot].role;
    const lun_node *pad = from->node->kind == LUN_NODE_PAD ? from->node->in[0] : NULL;
    if (pad && lun__chain_makes(s, first, at - 1, pad))
        return LINK_OTHER;
    if (role == LUN_SLOT_OUT || !lun__chain_makes(s, first, at - 1, from->node))
        return LINK_NONE;
    if (role != LUN_SLOT_IN || from->offset)
        return LINK_OTHER;
    const int64_t n = s->at[first].n; /* a part of an array starts with it, at offset 0 */
    if (!from->view)
        return from->node->n == s->at[at].n ? LINK_SAME : LINK_OTHER;
    return from->node->n == n / segment && repeats_rows(from->view, n, segment) ? LINK_ROW
                                                                                : LINK_OTHER;
}

static bool links(const lun_steps *s, int first, int at, int64_t segment)
{
    const lun_lowered *l = &s->at[at].lowered;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (link_of(s, first, at, i, segment) == LINK_OTHER)
            return false;
    for (int i = 0; i < l->ir.arg_count; i++)
        if (l->args[i].node && lun__chain_makes(s, first, at - 1, l->args[i].node))
            return false;
    return !l->needed ||
           (l->needed->kind != LUN_NODE_NUMBER && l->needed->n == s->at[first].n / segment);
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

/* Whether a product may be made by blocks of whole rows: all of its second operand is packed for
 * that, which should take no more than what is spared.  Pairs of rows always pack it. */
static bool packs(const lun_step *step, const lun_node *product)
{
    int64_t shape[LUN_MAX_RANK];
    if (step->pairs)
        return step->pairs->lanes == 1 && step->pairs->extent[0] >= LUN_PAIRS_ROWS;
    const lun_node *b = product->in[1];
    lun__node_shape(b, shape);
    int64_t packed = shape[b->rank - 2] * shape[b->rank - 1];
    int64_t size = lun__dtype_get((lun_dtype)product->dtype)->bytes;
    return packed <= product->n || packed <= PACKED_BYTES / size;
}

static bool may_begin(lun_engine *e, const lun_step *head)
{
    const int64_t segment = lun__chain_segment(head), n = head->n;
    const lun_node *product = product_of(head);
    if (segment < LUN_BLOCK || n / segment < 2)
        return false;
    if (head->kind == LUN_STEP_PRODUCT && lun__matmul_plan_instead(e, product))
        return false; /* a library hands on no blocks of rows */
    if (!product)
        return head->kind == LUN_STEP_LAUNCH && segment <= LUN_CHUNK && n * widest(head) >= BYTES &&
               segment * widest(head) <= ROW_BYTES;
    const int64_t bytes = lun__dtype_get((lun_dtype)product->dtype)->bytes;
    const bool large = head->pairs || n * bytes >= LONG_BYTES;
    return n * bytes >= MADE_BYTES && segment * bytes <= (large ? LONG_ROW_BYTES : ROW_BYTES) &&
           packs(head, product);
}

/* The last step of the chain that begins at `first`, before `count`; first itself: there is
 * none. */
static int last_of(lun_engine *e, const lun_steps *s, int first, int count)
{
    const lun_step *head = &s->at[first];
    const lun_spread *all = NULL;
    const lun_node *product = product_of(head);
    const bool made = product != NULL;
    const int64_t segment = lun__chain_segment(head), n = head->n;
    int wide = made, end = first;
    if (!may_begin(e, head) || (made && e->set_count))
        return first;
    for (int k = first + made; k < count && k < first + LUN_CHAIN_STEPS; k++) {
        lun_chained width = lun__chain_width(&s->at[k], n, segment);
        if (width == LUN_CHAINED_NOT || begins(&s->at[k]) || !links(s, first, k, segment) ||
            !agrees(e, s, first, k, &all))
            break;
        wide += width == LUN_CHAINED_WIDE;
        if (width == LUN_CHAINED_WIDE)
            end = k;
    }
    bool used = !made;
    for (int k = first + 1; !used && k <= end; k++)
        used = reads_node(&s->at[k].lowered, product);
    return wide > 1 && used ? end : first;
}

/* Lowers step anew, to be run row by row. */
static lun_status take_rows(lun_engine *e, const lun_schedule *groups, lun_step *step,
                            int64_t segment)
{
    lun_lowered l;
    lun_status status = lun__lower_group_rows(e, groups, step->group, segment, &l);
    if (status != LUN_OK)
        return status;
    lun__lowered_free(&step->lowered);
    step->lowered = l;
    return LUN_OK;
}

/* A product goes to the first step that needs it, where that may take its rows. */
static void move_products(lun_engine *e, lun_steps *s, int count)
{
    for (int k = count - 2; k >= 0; k--) {
        const lun_step product = s->at[k];
        const lun_node *n = product_of(&product), *other;
        int to = k + 1;
        if (!n || !may_begin(e, &product))
            continue;
        while (to < count && to <= k + NEAR && !needs(&s->at[to], n))
            to++;
        if (to == k + 1 || to == count || to > k + NEAR ||
            lun__chain_width(&s->at[to], product.n, lun__chain_segment(&product)) !=
                LUN_CHAINED_WIDE ||
            ((other = product_of(&s->at[to - 1])) && needs(&s->at[to], other)))
            continue;
        memmove(&s->at[k], &s->at[k + 1], (size_t)(to - 1 - k) * sizeof product);
        s->at[to - 1] = product;
    }
}

lun_status lun__chains_find(lun_engine *e, const lun_schedule *groups, lun_steps *s, int count,
                            int *chains)
{
    int last;
    lun_status status = LUN_OK;
    if (!e->set_count)
        move_products(e, s, count);
    for (int k = 0; k < count; k = last + 1) {
        const int64_t segment = lun__chain_segment(&s->at[k]), n = s->at[k].n;
        last = last_of(e, s, k, count);
        *chains += last > k;
        for (int i = k; status == LUN_OK && last > k && i <= last; i++) {
            s->at[i].chain = *chains;
            s->at[i].of = s;
            if (lun__chain_width(&s->at[i], n, segment) == LUN_CHAINED_WIDE)
                status = take_rows(e, groups, &s->at[i], segment);
        }
    }
    return status;
}
