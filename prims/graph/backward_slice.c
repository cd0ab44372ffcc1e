/* backward_slice.c - what a small part of an expression hangs on; see backward_slice.h.
 *
 * Users come before operands: each asks for a box of every operand, and boxes of one array grow to
 * one.  Along an axis a box is an arc: it may go on with index 0 behind the last one, as what wraps
 * does.  Then, operands first, each array's box is made of those of its operands.  So an array is
 * computed once, however many parts of it are read, and depth needs no recursion. */
#include "graph/backward_slice.h"

#include <stdlib.h>

#include "base/grow.h"
#include "engine/state.h"
#include "graph/axis_indices.h"
#include "graph/take_nodes.h"
#include "graph/walk.h"

/* Whole arrays have at least so many elements, and SHARE times those of the boxes; of larger graphs
 * nothing is said. */
enum { LEAST = 1 << 14, SHARE = 4, NODES = 1 << 17 };

typedef struct box {
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
} box;

typedef struct part {
    lun_node *node;
    lun_node *made;              /* the box's elements, in its shape; NULL: not yet, or unused */
    bool passed, asked, whole;   /* whole: made is all of node, in its shape */
    int rank;                    /* the box is one of node's elements in that shape: its own, or */
    int64_t shape[LUN_MAX_RANK]; /* that of the first one to ask */
    box box;
} part;

typedef struct cone {
    lun_engine *e;
    part *at; /* operands before users; node->slot is the index */
    int count, room;
    int64_t most; /* elements of one */
} cone;

/* ---- which nodes ----------------------------------------------------------------------------- */

static bool is_elementwise(const lun_node *n)
{
    lun_taking spare;
    return n->kind == LUN_NODE_OP || n->kind == LUN_NODE_CAST || n->kind == LUN_NODE_RANDOM ||
           (n->kind == LUN_NODE_CALL && (n->function || lun__take_node_of(n, &spare)));
}

/* The operation that n is, or gives a result of, or is written again. */
static lun_node *work_of(const lun_node *n)
{
    while (n->kind == LUN_NODE_SOURCE_LINE || n->kind == LUN_NODE_OUTPUT)
        n = n->in[0];
    return (lun_node *)(uintptr_t)n;
}

/* Operand k of an elementwise operation has an element for each of n's. */
static bool goes_along(const lun_node *n, int k, const lun_node *in)
{
    return in->rank && in->n == n->n && (n->kind != LUN_NODE_CALL || k < n->elements);
}

/* Whether a box of n can be made of boxes of its operands. */
static bool is_passed(const lun_node *n)
{
    const lun_node *of = work_of(n);
    lun_node *in;
    if (!n->rank || !n->n || lun__node_ready(n))
        return false;
    if (n->kind == LUN_NODE_RESHAPE || n->kind == LUN_NODE_VIEW || n->kind == LUN_NODE_PAD)
        return n->in[0]->rank && n->in[0]->n;
    if (n->kind == LUN_NODE_CONCAT)
        return true;
    for (int k = 0; is_elementwise(of) && (in = lun__node_operand(of, k)); k++)
        if (goes_along(of, k, in))
            return true;
    return false;
}

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx;
    return is_passed(user) && (!is_elementwise(user) || goes_along(user, k, in));
}

static bool append(void *ctx, lun_node *n, const lun_node *user)
{
    cone *c = ctx;
    (void)user;
    c->most = n->n > c->most ? n->n : c->most;
    if (c->count == NODES)
        return false;
    if (!lun__grow(&c->at, c->count, &c->room, sizeof *c->at))
        return false;
    part *p = &c->at[n->slot = c->count++];
    *p = (part){.node = n, .passed = is_passed(n), .rank = n->rank};
    lun__node_shape(n, p->shape);
    return true;
}

static part *part_of(const cone *c, const lun_node *n)
{
    return &c->at[n->slot];
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The arc grows by `many` indices from `at` on, the shorter way round. */
static void join(int64_t extent, int64_t *first, int64_t *count, int64_t at, int64_t many)
{
    const int64_t ahead = ((at - *first) % extent + extent) % extent;
    const int64_t behind = ((*first - at) % extent + extent) % extent;
    const int64_t one = ahead + many > *count ? ahead + many : *count;
    const int64_t other = behind + *count > many ? behind + *count : many;
    *first = one <= other ? *first : at;
    *count = one <= other ? one : other;
    if (*count >= extent) {
        *first = 0;
        *count = extent;
    }
}

static void ask(const cone *c, const lun_node *n, const int64_t *first, const int64_t *count)
{
    part *p = part_of(c, n);
    for (int k = 0; n->n && k < p->rank; k++)
        if (p->asked) {
            join(p->shape[k], &p->box.first[k], &p->box.count[k], first[k], count[k]);
        } else {
            p->box.first[k] = count[k] == p->shape[k] ? 0 : first[k];
            p->box.count[k] = count[k];
        }
    p->asked = true;
}

static void ask_whole(const cone *c, const lun_node *n)
{
    static const int64_t zeros[LUN_MAX_RANK];
    ask(c, n, zeros, part_of(c, n)->shape);
}

/* Elements at indices of n's flat order. */
static void ask_indices(const cone *c, const lun_node *n, const lun_layout *at)
{
    const part *p = part_of(c, n);
    lun_within w;
    int64_t count[LUN_MAX_RANK];
    if (!p->rank || !lun__axis_indices(at, p->rank, p->shape, &w)) {
        ask_whole(c, n);
        return;
    }
    for (int k = 0; k < p->rank; k++)
        count[k] = w.high[k] - w.low[k] + 1;
    ask(c, n, w.low, count);
}

static bool same_shape(const cone *c, const lun_node *n, int rank, const int64_t *shape)
{
    const part *p = part_of(c, n);
    return p->rank == rank && !memcmp(p->shape, shape, (size_t)rank * sizeof *shape);
}

/* What nothing has asked for yet is seen in the shape in which it is asked for, if it moves
 * nothing: its flat numbers stay. */
static void adopt(const cone *c, const lun_node *n, int rank, const int64_t *shape)
{
    part *p = part_of(c, n);
    if (p->asked || !p->passed || !(n->kind == LUN_NODE_RESHAPE || is_elementwise(work_of(n))))
        return;
    p->rank = rank;
    memcpy(p->shape, shape, (size_t)rank * sizeof *shape);
}

/* The first axis along which a box goes on with index 0; rank: there is none. */
static int wrapped(int rank, const int64_t *shape, const box *b)
{
    int k = 0;
    while (k < rank && b->first[k] + b->count[k] <= shape[k])
        k++;
    return k;
}

/* The parts of a box before and behind index 0 of axis k. */
static void cut(const box *b, const int64_t *shape, int k, box *before, box *behind)
{
    *before = *behind = *b;
    before->count[k] = shape[k] - b->first[k];
    behind->first[k] = 0;
    behind->count[k] -= before->count[k];
}

/* A box that does not wrap as a layout in an array of that layout. */
static lun_layout layout_of(const lun_layout *of, const box *b)
{
    lun_layout at = *of;
    for (int k = 0; k < at.rank; k++) {
        at.offset += b->first[k] * of->stride[k];
        at.extent[k] = b->count[k];
    }
    return at;
}

/* Of what is padded the box that a box of the result needs; false: that is the value alone.  It is
 * a box, from `skip` on, of `out`, which is that box padded. */
static bool inner_of(const lun_padding *p, const box *b, lun_padding *out, box *in, int64_t *skip)
{
    *out = *p;
    for (int k = 0; k < p->rank; k++) {
        const int64_t last = p->inner[k] - 1;
        int64_t low = b->first[k] - p->before[k], high = low + b->count[k] - 1;
        const int64_t start = low;
        if (p->rule[k] == LUN_PAD_WRAP && (low < 0 || high > last)) {
            const bool all = b->count[k] >= p->inner[k];
            const int64_t from = (low % p->inner[k] + p->inner[k]) % p->inner[k];
            in->first[k] = all ? 0 : from;
            in->count[k] = out->inner[k] = all ? p->inner[k] : b->count[k];
            out->before[k] = all && from ? p->inner[k] - from : 0;
            out->extent[k] = b->count[k] + (all ? out->inner[k] : 0);
            skip[k] = 0;
            continue;
        }
        if (p->rule[k] == LUN_PAD_VALUE && (high < 0 || low > last))
            return false;
        low = low < last ? low : last; /* at least one element of the array */
        high = high > 0 ? high : 0;
        in->first[k] = low > 0 ? low : 0;
        in->count[k] = (high < last ? high : last) - in->first[k] + 1;
        out->inner[k] = in->count[k];
        out->before[k] = in->first[k] - low;
        out->extent[k] = high - low + 1;
        skip[k] = start - low;
    }
    return true;
}

/* The elements of a box of what is joined as those of a matrix, a row for each block. */
static bool within_joined(const lun_node *n, const lun_layout *at, lun_within *w)
{
    return lun__axis_indices(at, 2, (int64_t[]){n->step, n->n / n->step}, w);
}

/* Operand k's share of these, where its rows begin at `begin`. */
static bool share_of(const lun_node *n, int k, const lun_within *w, int64_t begin, lun_layout *at)
{
    const int64_t own = n->more[k]->n / n->step;
    const int64_t low = w->low[1] > begin ? w->low[1] - begin : 0;
    const int64_t high = w->high[1] < begin + own ? w->high[1] - begin : own - 1;
    *at = (lun_layout){.rank = 2,
                       .offset = w->low[0] * own + low,
                       .extent = {w->high[0] - w->low[0] + 1, high - low + 1},
                       .stride = {own, 1}};
    return high >= low;
}

static void ask_joined(const cone *c, const lun_node *n, const lun_layout *at)
{
    lun_within w;
    lun_layout some;
    const bool within = within_joined(n, at, &w);
    for (int64_t k = 0, begin = 0; k < n->count; begin += n->more[k++]->n / n->step)
        if (!within)
            ask_whole(c, n->more[k]);
        else if (share_of(n, (int)k, &w, begin, &some))
            ask_indices(c, n->more[k], &some);
}

/* What a box of n, which moves elements, needs; recursive at most once for each axis. */
static void ask_moved(const cone *c, const lun_node *n, const box *b)
{
    const part *p = part_of(c, n);
    const int k = wrapped(n->rank, p->shape, b);
    lun_layout of = lun__layout_right(n->rank, p->shape);
    if (k < n->rank) {
        box before, behind;
        cut(b, p->shape, k, &before, &behind);
        ask_moved(c, n, &before);
        ask_moved(c, n, &behind);
        return;
    }
    if (n->kind == LUN_NODE_VIEW)
        lun__node_layout(n, &of);
    const lun_layout at = layout_of(&of, b);
    if (n->kind == LUN_NODE_CONCAT) {
        ask_joined(c, n, &at);
    } else if (n->kind == LUN_NODE_PAD) {
        lun_padding pad, some;
        box in;
        int64_t skip[LUN_LAYOUT_RANK];
        lun__node_padding(n, &pad);
        adopt(c, n->in[0], pad.rank, pad.inner);
        if (!same_shape(c, n->in[0], pad.rank, pad.inner))
            ask_whole(c, n->in[0]);
        else if (inner_of(&pad, b, &some, &in, skip))
            ask(c, n->in[0], in.first, in.count);
    } else {
        ask_indices(c, n->in[0], &at);
    }
}

/* The same of an array whose shape may be another one. */
static void ask_along(const cone *c, const part *p, const lun_node *in, const box *b)
{
    const int rank = p->rank, k = wrapped(rank, p->shape, b);
    adopt(c, in, rank, p->shape);
    if (same_shape(c, in, rank, p->shape)) {
        ask(c, in, b->first, b->count);
    } else if (k < rank) {
        box before, behind;
        cut(b, p->shape, k, &before, &behind);
        ask_along(c, p, in, &before);
        ask_along(c, p, in, &behind);
    } else {
        const lun_layout right = lun__layout_right(rank, p->shape), at = layout_of(&right, b);
        ask_indices(c, in, &at);
    }
}

static void ask_operands(const cone *c, const part *p)
{
    const lun_node *n = p->node;
    lun_node *in;
    if (n->kind == LUN_NODE_SOURCE_LINE || n->kind == LUN_NODE_OUTPUT ||
        n->kind == LUN_NODE_RESHAPE) {
        ask_along(c, p, n->in[0], &p->box);
        return;
    }
    if (!is_elementwise(n)) {
        ask_moved(c, n, &p->box);
        return;
    }
    for (int k = 0; (in = lun__node_operand(n, k)); k++)
        if (goes_along(n, k, in))
            ask_along(c, p, in, &p->box);
}

/* Asks from the top down; false: boxes have hardly less elements than all there are. */
static bool ask_all(const cone *c)
{
    double some = 0, all = 0;
    ask_whole(c, c->at[c->count - 1].node);
    for (int i = c->count - 1; i >= 0; i--) {
        part *p = &c->at[i];
        const bool counts =
            p->passed && (is_elementwise(p->node) || p->node->kind == LUN_NODE_CONCAT);
        double count = 1;
        if (counts) /* what is moved alone kernels find where it stands */
            all += (double)p->node->n;
        if (!p->asked)
            continue;
        for (int k = 0; k < p->rank; k++)
            count *= (double)p->box.count[k];
        p->whole = !p->passed;
        if (p->passed)
            ask_operands(c, p);
        if (counts)
            some += count;
    }
    return all >= LEAST && some * SHARE <= all;
}

/* ---- what is made ---------------------------------------------------------------------------- */

/* Elements at indices of n's flat order, which were asked for. */
static lun_status read_indices(const cone *c, const lun_node *n, const lun_layout *at,
                               lun_node **out)
{
    const part *p = part_of(c, n);
    lun_within w;
    int64_t less[LUN_MAX_RANK];
    if (p->whole || !lun__axis_indices(at, p->rank, p->shape, &w))
        return lun__view_node(c->e, p->made, at, out);
    for (int k = 0; k < p->rank; k++)
        less[k] = p->box.first[k] - (w.low[k] < p->box.first[k] ? p->shape[k] : 0);
    const lun_layout to = lun__axis_indices_layout(&w, at, p->box.count, less);
    return lun__view_node(c->e, p->made, &to, out);
}

static lun_status read_along(const cone *c, const part *p, const lun_node *in, const box *b,
                             lun_node **out);

/* Two parts of a box, joined again along axis k. */
static lun_status join_parts(const cone *c, int rank, const box *b, int k, lun_node **in,
                             lun_node **out)
{
    int64_t blocks = 1;
    for (int i = 0; i < k; i++)
        blocks *= b->count[i];
    return lun__view_node_concat(c->e, in, 2, blocks, rank, b->count, out);
}

/* A box of an array, which was asked for, in the shape of p; recursive at most once for each
 * axis. */
static lun_status read_cut(const cone *c, const part *p, const lun_node *in, const box *b, int k,
                           lun_node **out)
{
    box before, behind;
    lun_node *two[2] = {NULL, NULL};
    cut(b, p->shape, k, &before, &behind);
    lun_status s = read_along(c, p, in, &before, &two[0]);
    if (s == LUN_OK)
        s = read_along(c, p, in, &behind, &two[1]);
    if (s == LUN_OK)
        s = join_parts(c, p->rank, b, k, two, out);
    lun__node_release(c->e, two[0]);
    lun__node_release(c->e, two[1]);
    return s;
}

static lun_status read_along(const cone *c, const part *p, const lun_node *in, const box *b,
                             lun_node **out)
{
    const part *from = part_of(c, in);
    const int rank = p->rank, k = wrapped(rank, p->shape, b);
    if (!from->whole && same_shape(c, in, rank, p->shape)) {
        box within = *b;
        for (int i = 0; i < rank; i++)
            within.first[i] = (b->first[i] - from->box.first[i] + p->shape[i]) % p->shape[i];
        if (wrapped(rank, from->box.count, &within) == rank) {
            const lun_layout made = lun__layout_right(rank, from->box.count),
                             at = layout_of(&made, &within);
            return lun__view_node(c->e, from->made, &at, out);
        }
    }
    if (k < rank)
        return read_cut(c, p, in, b, k, out);
    const lun_layout right = lun__layout_right(rank, p->shape), at = layout_of(&right, b);
    return read_indices(c, in, &at, out);
}

/* Elements of what is joined, at indices of its flat order. */
static lun_status make_joined(const cone *c, const lun_node *n, const lun_layout *at,
                              lun_node **out)
{
    lun_within w;
    lun_layout some;
    lun_node *all = NULL;
    if (!within_joined(n, at, &w))
        return lun__view_node(c->e, (lun_node *)(uintptr_t)n, at, out);
    const int64_t rows[2] = {w.high[0] - w.low[0] + 1, w.high[1] - w.low[1] + 1};
    lun_node **in = calloc((size_t)n->count, sizeof(lun_node *));
    lun_status s = in ? LUN_OK : lun__fail_nomem(c->e);
    int count = 0;
    int64_t begin = 0;
    for (int k = 0; s == LUN_OK && k < n->count; begin += n->more[k++]->n / n->step)
        if (share_of(n, k, &w, begin, &some))
            s = read_indices(c, n->more[k], &some, &in[count++]);
    if (s == LUN_OK)
        s = count == 1 ? lun__view_node_reshape(c->e, in[0], 2, rows, &all)
                       : lun__view_node_concat(c->e, in, count, rows[0], 2, rows, &all);
    const lun_layout to = lun__axis_indices_layout(&w, at, rows, w.low);
    if (s == LUN_OK)
        s = lun__view_node(c->e, all, &to, out);
    lun__node_release(c->e, all);
    while (count)
        lun__node_release(c->e, in[--count]);
    free(in);
    return s;
}

/* A box of a PAD. */
static lun_status make_padded(const cone *c, const lun_node *n, const box *b, lun_node **out)
{
    lun_padding pad, some;
    box in;
    int64_t skip[LUN_LAYOUT_RANK];
    lun_node *inner = NULL, *padded = NULL;
    lun__node_padding(n, &pad);
    const lun_layout own = lun__layout_right(n->rank, part_of(c, n)->shape),
                     at = layout_of(&own, b);
    if (!same_shape(c, n->in[0], pad.rank, pad.inner))
        return lun__view_node(c->e, (lun_node *)(uintptr_t)n, &at, out);
    if (!inner_of(&pad, b, &some, &in, skip))
        return lun__node_number(c->e, (lun_dtype)n->dtype, pad.value, n->rank, b->count, out);
    lun_status s = read_along(c, part_of(c, n->in[0]), n->in[0], &in, &inner);
    if (s == LUN_OK)
        s = lun__view_node_pad(c->e, inner, &some, &padded);
    box from = *b;
    memcpy(from.first, skip, sizeof *skip * (size_t)n->rank);
    const lun_layout right = lun__layout_right(n->rank, some.extent), to = layout_of(&right, &from);
    if (s == LUN_OK)
        s = lun__view_node(c->e, padded, &to, out);
    lun__node_release(c->e, inner);
    lun__node_release(c->e, padded);
    return s;
}

/* A box of n, which moves elements; recursive at most once for each axis. */
static lun_status make_moved(const cone *c, const lun_node *n, const box *b, lun_node **out)
{
    const part *p = part_of(c, n);
    const int k = wrapped(n->rank, p->shape, b);
    if (k < n->rank) {
        box before, behind;
        lun_node *two[2] = {NULL, NULL};
        cut(b, p->shape, k, &before, &behind);
        lun_status s = make_moved(c, n, &before, &two[0]);
        if (s == LUN_OK)
            s = make_moved(c, n, &behind, &two[1]);
        if (s == LUN_OK)
            s = join_parts(c, n->rank, b, k, two, out);
        lun__node_release(c->e, two[0]);
        lun__node_release(c->e, two[1]);
        return s;
    }
    if (n->kind == LUN_NODE_PAD)
        return make_padded(c, n, b, out);
    lun_layout of = lun__layout_right(n->rank, p->shape);
    if (n->kind == LUN_NODE_VIEW)
        lun__node_layout(n, &of);
    const lun_layout at = layout_of(&of, b);
    return n->kind == LUN_NODE_CONCAT ? make_joined(c, n, &at, out)
                                      : read_indices(c, n->in[0], &at, out);
}

/* The operation on operands that have the shape of a box, `like` one of them. */
static lun_status make_work(const cone *c, const lun_node *n, lun_node *const *in,
                            const lun_node *like, lun_node **out)
{
    lun_engine *e = c->e;
    if (n->kind == LUN_NODE_CAST)
        return lun__node_cast(e, in[0], (lun_dtype)n->dtype, out);
    if (n->kind == LUN_NODE_RANDOM)
        return lun__node_random(e, in[0], in[1], (lun_dtype)n->dtype, out);
    if (n->kind == LUN_NODE_OP)
        return lun__node_op(e, (lun_op)n->op, in, (lun_dtype)n->dtype, like, out);
    lun_status s = lun__node_call(e, n->function, n->body, in, n->count, n->elements,
                                  (lun_dtype)n->dtype, like, out);
    if (s == LUN_OK)
        work_of(*out)->notes = n->notes;
    return s;
}

/* A box of p, elementwise: at the source line where it was written. */
static lun_status make_along(const cone *c, const part *p, lun_node **out)
{
    const lun_node *n = p->node, *of = work_of(n), *like = NULL, *output = NULL;
    const uint32_t here = c->e->source_line;
    uint32_t source_line = 0;
    const int count = lun__node_has_many(of) ? of->count : 3;
    lun_node *in, *work = NULL, **operands = calloc((size_t)count + 1, sizeof(lun_node *));
    lun_status s = operands ? LUN_OK : lun__fail_nomem(c->e);
    for (int k = 0; s == LUN_OK && (in = lun__node_operand(of, k)); k++) {
        if (!goes_along(of, k, in)) {
            operands[k] = lun__node_retain(in);
            continue;
        }
        s = read_along(c, p, in, &p->box, &operands[k]);
        like = operands[k];
    }
    for (const lun_node *at = n; at != of; at = at->in[0]) {
        output = at->kind == LUN_NODE_OUTPUT ? at : output;
        source_line = at->kind == LUN_NODE_SOURCE_LINE && !source_line ? at->where : source_line;
    }
    c->e->source_line = source_line ? source_line : of->where;
    if (s == LUN_OK)
        s = make_work(c, of, operands, like, &work);
    if (s == LUN_OK && output)
        s = lun__node_output(c->e, work, output->op, (lun_dtype)output->dtype, out);
    else if (s == LUN_OK)
        *out = lun__node_retain(work);
    c->e->source_line = here;
    if (s == LUN_OK && lun__node_is(n, LUN_IS_SOURCE))
        (*out)->is |= LUN_IS_SOURCE;
    lun__node_release(c->e, work);
    for (int k = 0; operands && k < count; k++)
        lun__node_release(c->e, operands[k]);
    free(operands);
    return s;
}

static lun_status make_all(const cone *c)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < c->count; i++) {
        part *p = &c->at[i];
        if (!p->asked)
            continue;
        if (!p->passed)
            p->made = lun__node_retain(p->node);
        else if (p->node->kind == LUN_NODE_RESHAPE)
            s = read_along(c, p, p->node->in[0], &p->box, &p->made);
        else if (is_elementwise(work_of(p->node)))
            s = make_along(c, p, &p->made);
        else
            s = make_moved(c, p->node, &p->box, &p->made);
    }
    return s;
}

static lun_status make_cone(lun_engine *e, lun_node *n, lun_node **out)
{
    cone c = {.e = e};
    const lun_visitor v = {LUN_WALK_MARK, enter, append, &c};
    lun_status s = LUN_OK;
    *out = NULL;
    if (!is_passed(n))
        return LUN_OK;
    if (!lun__walk(++e->walk, n, &v))
        s = c.count == NODES ? LUN_OK : lun__fail_nomem(e);
    else if (c.most >= SHARE * n->n && ask_all(&c))
        s = make_all(&c);
    if (s == LUN_OK && c.count && c.at[c.count - 1].node == n)
        *out = c.at[c.count - 1].made ? lun__node_retain(c.at[c.count - 1].made) : NULL;
    for (int i = 0; i < c.count; i++)
        lun__node_release(e, c.at[i].made);
    free(c.at);
    return s;
}

lun_status lun__backward_slice(lun_engine *e, lun_node *const *roots, int count, lun_node **out,
                               bool *less)
{
    lun_status s = LUN_OK;
    int made = 0;
    *less = false;
    while (s == LUN_OK && made < count) {
        s = make_cone(e, roots[made], &out[made]);
        if (!out[made])
            break;
        made++;
    }
    *less = s == LUN_OK && made == count && count;
    while (!*less && made)
        lun__node_release(e, out[--made]);
    return s;
}
