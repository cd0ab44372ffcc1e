/* local.c - the slots of a kernel that runs some of its indices at one location; see local.h.
 * Which elements that needs is placing/placing.c's. */
#include "launch/local.h"

#include "placing/placing.h"
#include "store/fetch.h"

/* Slot i begins with element `element` of s, whose piece at a location is x. */
static void bind_piece(lun_binding *to, int i, const lun_storage *s, const lun_piece *x,
                       int64_t element)
{
    const int64_t size = lun__dtype_get(s->dtype)->bytes;
    to->origin[i] = element - x->lo;
    to->room[i] = lun__fetch_end(x) - element;
    to->at[i] = x->data ? (char *)x->data + (element - x->lo) * size : (void *)x->buffer;
}

static lun_status bind_written(lun_engine *e, lun_binding *to, int i, lun_storage *s,
                               lun_backend_slot *at, lun_interval indices)
{
    lun_piece *x;
    lun_status status = lun__fetch_result(e, s, at, indices.lo, indices.hi, &x);
    if (status != LUN_OK)
        return status;
    bind_piece(to, i, s, x, indices.lo);
    to->written += (indices.hi - indices.lo) * lun__dtype_get(s->dtype)->bytes;
    return LUN_OK;
}

/* Positions, which are in no memory. */
static lun_status bind_places(lun_engine *e, lun_binding *to, int i, int64_t first)
{
    lun_layout at;
    (void)lun__lowered_layout(to->l, i, &at);
    lun_status status = lun__bind_layout(e, to, i, sizeof(int64_t), &at);
    if (status != LUN_OK)
        return status;
    to->origin[i] = 0;
    to->streams[i].origin = first;
    to->streams[i].is_offsets = true;
    return LUN_OK;
}

/* The LEAF that a slot reads elements of. */
static const lun_node *array_of(const lun_slot_source *from)
{
    return from->node->kind == LUN_NODE_PAD ? from->node->in[0] : from->node;
}

/* Slot i, whose elements do not stand side by side in the piece x. */
static lun_status bind_layout(lun_engine *e, lun_binding *to, int i, const lun_piece *x,
                              int64_t first)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = array_of(from);
    lun_layout layout;
    (void)lun__lowered_layout(to->l, i, &layout);
    lun_status s = lun__bind_layout(e, to, i, lun__dtype_get((lun_dtype)n->dtype)->bytes, &layout);
    if (s == LUN_OK && n != from->node)
        s = lun__bind_padding(e, to, i, from->node);
    if (s != LUN_OK)
        return s;
    bind_piece(to, i, n->storage, x, n->offset);
    to->room[i] = INT64_MAX;
    to->strided[i].base = x->data ? to->at[i] : NULL;
    to->streams[i].origin = first;
    return LUN_OK;
}

/* Slot i, elements of a PAD, of which a device makes the rows that are read. */
static lun_status bind_padded(lun_engine *e, lun_binding *to, int i, const lun_piece *x,
                              lun_interval indices)
{
    const lun_node *n = to->l->slots[i].node;
    const lun_padded_part part = lun__padded_part(to->l, n, indices);
    lun_status s = lun__bind_padded_part(e, to, i, n, &part, x->buffer,
                                         n->in[0]->offset + part.under.lo - x->lo);
    if (s == LUN_OK)
        to->streams[i].origin = indices.lo;
    return s;
}

bool lun__local_has(const lun_lowered *l, const lun_backend_slot *at, lun_interval indices)
{
    bool all = l->aligned;
    for (int i = 0; all && i < l->ir.slot_count; i++) {
        const lun_node *n = l->slots[i].node;
        if (l->ir.slots[i].role == LUN_SLOT_OUT || n->kind == LUN_NODE_INDEX)
            continue;
        const bool placed = n->kind == LUN_NODE_LEAF && !n->storage->mirrors && n->storage->placed;
        const lun_piece *x = placed ? lun__current_find(n->storage->placed, at) : NULL;
        const int64_t lo = n->offset + indices.lo, hi = n->offset + indices.hi;
        all = x && x->lo <= lo && hi <= x->hi && lun__intervals_cover(&x->fresh, lo, hi);
    }
    return all;
}

lun_status lun__local_read(lun_engine *e, lun_binding *to, int i, lun_backend_slot *at,
                           lun_interval indices, lun_piece **x)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = array_of(from);
    if (n->kind == LUN_NODE_INDEX)
        return bind_places(e, to, i, indices.lo);
    const lun_interval need = lun__placing_need(to->l, i, indices);
    *x = lun__current_find(n->storage->placed, at);
    if (from->copy <= 0) /* others are of what the first has */
        to->read += (need.hi - need.lo) * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    if (to->l->aligned) {
        bind_piece(to, i, n->storage, *x, n->offset + need.lo);
        return LUN_OK;
    }
    if (n != from->node && at->backend->buffer_new) /* the device makes the padded array */
        return bind_padded(e, to, i, *x, indices);
    const int role = to->l->ir.slots[i].role;
    lun_layout own;
    if (to->l->unrolled && role == LUN_SLOT_IN && n == from->node &&
        lun__lowered_layout(to->l, i, &own) && lun__layout_is_dense(&own)) {
        bind_piece(to, i, n->storage, *x, n->offset + own.offset + indices.lo);
        return LUN_OK;
    }
    if (from->view || n != from->node ||
        (role == LUN_SLOT_IN && lun__plan_lowered_strides(to->l, i)))
        return bind_layout(e, to, i, *x, indices.lo);
    const bool indexed = role == LUN_SLOT_ARRAY;
    bind_piece(to, i, n->storage, *x, n->offset + (indexed ? 0 : need.lo));
    return LUN_OK;
}

lun_status lun__local_bind(lun_engine *e, const lun_lowered *l, lun_storage *const *written,
                           lun_backend_slot *at, lun_interval indices, lun_binding *to,
                           lun_kernel_entry **k)
{
    lun_piece *x;
    lun_status s = LUN_OK;
    if (*k && lun__kernel_fits(e, *k))
        lun__kernel_used(e, *k);
    else
        s = lun__kernel_of(e, l, k);
    if (s == LUN_OK && (*k)->at != lun__state_computes_at(at))
        s = lun__fail(e, LUN_EBACKEND, "location %s does not run this kernel", at->name);
    if (s == LUN_OK)
        s = lun__bind_open(e, l, to);
    else
        *to = (lun_binding){0};
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const int role = l->ir.slots[i].role;
        s = role == LUN_SLOT_OUT      ? bind_written(e, to, i, written[i], at, indices)
            : role == LUN_SLOT_TARGET ? lun__local_bind_written(e, to, i, l->slots[i].node, at)
                                      : lun__local_read(e, to, i, at, indices, &x);
    }
    if (s == LUN_OK && l->base)
        to->cells[l->base - 1] = (uint64_t)indices.lo;
    to->unjoined = !l->segment;
    to->bytes = to->read + to->written;
    return s;
}

lun_status lun__local_bind_elements(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                    lun_backend_slot *at, const lun_layout *layout)
{
    const int size = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    lun_piece *x;
    lun_status s = lun__bind_layout(e, to, i, size, layout);
    if (s == LUN_OK)
        s = lun__fetch_room(e, n->storage, at, 0, 0, &x);
    if (s != LUN_OK)
        return s;
    bind_piece(to, i, n->storage, x, n->offset);
    to->room[i] = INT64_MAX;
    to->strided[i].base = x->data ? to->at[i] : NULL;
    const int64_t bytes = size * lun__layout_distinct(layout);
    to->bytes += bytes;
    to->read += bytes;
    return LUN_OK;
}

/* ---- whole arrays ---------------------------------------------------------------------------- */

/* Slot i is s from its element `first` on, of which count ones are made current. */
static lun_status bind_elements(lun_engine *e, lun_binding *to, int i, lun_storage *s,
                                lun_backend_slot *at, lun_interval need, int64_t first,
                                int64_t *moved)
{
    lun_piece *x;
    const lun_status status = lun__fetch_ensure(e, s, at, first + need.lo, first + need.hi, &x);
    const int64_t bytes = (need.hi - need.lo) * lun__dtype_get(s->dtype)->bytes;
    if (status != LUN_OK)
        return status;
    bind_piece(to, i, s, x, first);
    to->bytes += bytes;
    *moved += bytes;
    return LUN_OK;
}

lun_status lun__local_bind_array(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                 lun_backend_slot *at, lun_interval need)
{
    return bind_elements(e, to, i, n->storage, at, need, n->offset, &to->read);
}

lun_status lun__local_bind_written(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                   lun_backend_slot *at)
{
    return bind_elements(e, to, i, lun__divergent_at(n->storage, at), at, (lun_interval){0, n->n},
                         n->offset, &to->written);
}
