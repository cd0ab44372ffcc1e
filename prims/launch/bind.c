/* bind.c - slots and arguments of a launch; see bind.h.  How it is run is launch_run.c's. */
#include "launch/bind.h"

#include <stdlib.h>
#include <string.h>

#include "ir/combine_order.h"
#include "store/element_file.h"

static int read_stream(const void *storage, int64_t first, int64_t count, void *to)
{
    return lun__file_backed_fetch(storage, first, count, to);
}

static int read_strided(const void *self, int64_t first, int64_t count, void *to)
{
    const lun_strided *s = self;
    if (s->pad)
        lun__pad_read(s->pad, &s->at, &s->box, s->base, s->size, first, count, to);
    else if (s->base)
        lun__strided_read(&s->at, s->base, s->size, first, count, to);
    else
        lun__strided_offsets(&s->at, first, count, to);
    return 0;
}

static void write_strided(const void *self, int64_t first, int64_t count, const void *from)
{
    const lun_strided *s = self;
    lun__strided_write(&s->at, (void *)(uintptr_t)s->base, s->size, first, count, from);
}

/* Whether a kernel reads slot i's elements one after the other, so that they need
 * not be in memory. */
static bool is_sequential(const lun_ir *ir, int i)
{
    for (int k = 0; k < ir->count; k++)
        if (ir->ins[k].kind == LUN_IR_GATHER && ir->ins[k].imm == i)
            return false;
    return ir->slots[i].role == LUN_SLOT_IN;
}

static bool need_streams(lun_binding *to)
{
    size_t slots = (size_t)to->l->ir.slot_count;
    if (to->streams)
        return true;
    if (slots <= LUN_BIND_STREAMED) {
        to->streams = to->few_streams;
        to->strided = to->few_strided;
        memset(to->streams, 0, slots * sizeof *to->streams);
        return true;
    }
    to->streams = calloc(slots, sizeof *to->streams + sizeof *to->strided);
    if (to->streams)
        to->strided = (lun_strided *)(void *)(to->streams + slots);
    return to->streams != NULL;
}

static void count_bytes(lun_binding *to, int64_t bytes, bool written)
{
    to->bytes += bytes;
    if (!to->is_scratch)
        *(written ? &to->written : &to->read) += bytes;
}

lun_status lun__bind_layout(lun_engine *e, lun_binding *to, int i, int size,
                            const lun_layout *layout)
{
    if (!need_streams(to))
        return lun__fail_nomem(e);
    lun_strided *x = &to->strided[i];
    *x = (lun_strided){.at = lun__layout_simplified(layout), .size = size};
    to->room[i] = INT64_MAX;
    to->at[i] = NULL;
    to->streams[i] = (lun_stream){.read = read_strided, .self = x, .layout = &x->at};
    return LUN_OK;
}

/* Slot i, elements of s as `layout` says, counted from `offset`; s NULL: the offsets themselves. */
static lun_status bind_strided(lun_engine *e, lun_binding *to, int i, lun_storage *s,
                               int64_t offset, const lun_layout *layout)
{
    const int size = s ? lun__dtype_get(s->dtype)->bytes : (int)sizeof(int64_t);
    lun_status made = lun__bind_layout(e, to, i, size, layout);
    if (made != LUN_OK)
        return made;
    lun_strided *x = &to->strided[i];
    to->origin[i] = offset;
    to->streams[i].is_offsets = !s;
    if (!s)
        return LUN_OK;
    if (to->b->backend->buffer_new) {
        lun_buffer *buffer = NULL;
        lun_status status = lun__mirror_buffer(e, s, to->b, &buffer);
        to->at[i] = buffer;
        return status;
    }
    lun_status status = lun__mirror_host(e, s, false);
    if (status == LUN_OK) {
        x->base = (char *)s->data + offset * x->size;
        to->streams[i].room = s->room - offset;
    }
    to->at[i] = (void *)(uintptr_t)x->base;
    return status;
}

struct lun_padded {
    const lun_node *node;
    lun_padding pad;
    lun_storage *made; /* the padded array, for backends with memory of their own; else NULL */
    lun_padded *next;
};

/* Elements of n, a PAD, in memory, for a backend that reads no streams: its own makes them. */
static lun_status make_padded(lun_engine *e, lun_binding *to, const lun_node *n, lun_padded *p,
                              int64_t count, const lun_buffer *array, int64_t origin)
{
    const lun_dtype t = (lun_dtype)n->dtype;
    lun_buffer *made = NULL;
    lun_status s = lun__mirror_result(e, t, count, &p->made);
    if (s == LUN_OK)
        s = lun__mirror_buffer(e, p->made, to->b, &made);
    const lun_work work = {.kind = LUN_WORK_PAD,
                           .is.pad = {&p->pad, lun__dtype_get(t)->bytes, array, origin, made}};
    return s == LUN_OK && count ? lun__state_backend_do(to->b, &work) : s;
}

/* The padding of n, which all slots on it share; *is_new: it was not there. */
static lun_status find_padded(lun_engine *e, lun_binding *to, const lun_node *n, bool *is_new,
                              lun_padded **out)
{
    lun_padded *p = to->padded;
    while (p && p->node != n)
        p = p->next;
    *out = p;
    *is_new = !p;
    if (p)
        return LUN_OK;
    *out = p = calloc(1, sizeof *p);
    if (!p)
        return lun__fail_nomem(e);
    p->node = n;
    p->next = to->padded;
    to->padded = p;
    lun__node_padding(n, &p->pad);
    return LUN_OK;
}

/* The same, made where the backend has memory of its own. */
static lun_status need_padded(lun_engine *e, lun_binding *to, const lun_node *n, lun_padded **out)
{
    bool is_new;
    lun_buffer *array = NULL;
    const lun_node *in = n->in[0];
    lun_status s = find_padded(e, to, n, &is_new, out);
    if (s != LUN_OK || !is_new || !to->b->backend->buffer_new)
        return s;
    s = lun__mirror_buffer(e, in->storage, to->b, &array);
    return s == LUN_OK ? make_padded(e, to, n, *out, n->n, array, in->offset) : s;
}

lun_status lun__bind_padded_part(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                 const lun_padded_part *part, const lun_buffer *array,
                                 int64_t origin)
{
    const lun_slot_source *from = &to->l->slots[i];
    lun_padded *p;
    lun_layout at;
    bool is_new;
    lun_status s = find_padded(e, to, n, &is_new, &p);
    if (s == LUN_OK && is_new) {
        p->pad = part->pad;
        s = make_padded(e, to, n, p, part->count, array, origin);
    }
    lun__node_layout(from->view ? from->view : n, &at);
    return s == LUN_OK ? bind_strided(e, to, i, p->made, -part->first, &at) : s;
}

lun_status lun__bind_padding(lun_engine *e, lun_binding *to, int i, const lun_node *n)
{
    lun_padded *p;
    bool is_new;
    lun_status s = find_padded(e, to, n, &is_new, &p);
    if (s != LUN_OK)
        return s;
    to->strided[i].pad = &p->pad; /* and no box: that would read beside rows, too */
    return LUN_OK;
}

/* Slot i, elements of n, a PAD of a LEAF, as `at` says. */
static lun_status bind_padded(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                              const lun_layout *at)
{
    const lun_node *in = n->in[0];
    lun_padded *p;
    lun_status s = need_padded(e, to, n, &p);
    if (s != LUN_OK || p->made)
        return s == LUN_OK ? bind_strided(e, to, i, p->made, 0, at) : s;
    s = bind_strided(e, to, i, in->storage, in->offset, at);
    if (s != LUN_OK)
        return s;
    to->streams[i].room = 0;
    lun__padded_slots_bind(&to->strided[i], &p->pad, in->storage->room - in->offset,
                           &to->streams[i]);
    return s;
}

lun_status lun__bind_elements(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                              const lun_layout *at, int64_t count)
{
    if (n->kind == LUN_NODE_INDEX)
        return bind_strided(e, to, i, NULL, 0, at);
    if (n->kind != LUN_NODE_PAD)
        return lun__bind_part(e, to, i, n->storage, n->offset, at, count, false);
    const lun_padded *seen = to->padded;
    while (seen && seen->node != n)
        seen = seen->next;
    int64_t size = lun__dtype_get((lun_dtype)n->dtype)->bytes, own = n->in[0]->n;
    if (!seen)
        count_bytes(to, size * (count < own ? count : own), false);
    return bind_padded(e, to, i, n, at);
}

/* Slot i, elements of a VIEW, an index's own or those of a padded array. */
static lun_status bind_view(lun_engine *e, lun_binding *to, int i, int64_t count)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = from->node;
    lun_layout at;
    (void)lun__lowered_layout(to->l, i, &at); /* the kernel's maker has seen that there is one */
    if (n->kind != LUN_NODE_LEAF || lun__layout_is_dense(&at))
        return lun__bind_elements(e, to, i, n, &at, count);
    int64_t some = lun__layout_distinct(&at);
    count_bytes(to, lun__dtype_get((lun_dtype)n->dtype)->bytes * (count < some ? count : some),
                false);
    return bind_strided(e, to, i, n->storage, n->offset, &at);
}

static lun_status bind_stream(lun_engine *e, const lun_storage *s, int i, lun_binding *to)
{
    if (!need_streams(to))
        return lun__fail_nomem(e);
    to->streams[i] = (lun_stream){.read = read_stream, .self = s, .origin = to->origin[i]};
    to->room[i] = INT64_MAX; /* it is read into memory with room enough */
    to->at[i] = NULL;
    return lun__element_file_check(e, s->source);
}

lun_status lun__bind_part(lun_engine *e, lun_binding *to, int i, lun_storage *s, int64_t offset,
                          const lun_layout *at, int64_t count, bool changes)
{
    if (at && !(s && lun__layout_is_dense(at))) {
        if (s)
            count_bytes(to, lun__dtype_get(s->dtype)->bytes * lun__layout_distinct(at), false);
        return bind_strided(e, to, i, s, offset, at);
    }
    int64_t size = lun__dtype_get(s->dtype)->bytes, origin = offset + (at ? at->offset : 0);
    bool part = changes && offset >= 0 && offset + count < s->count; /* the rest stays */
    count_bytes(to, size * count, changes);
    to->origin[i] = origin;
    if (to->b->backend->buffer_new) {
        lun_buffer *buffer = NULL;
        lun_status status = lun__mirror_buffer(e, s, to->b, &buffer);
        if (status == LUN_OK && changes)
            lun__mirror_written(s, to->b);
        to->room[i] = part ? count : lun__order_blocks(s->count) - origin;
        to->at[i] = buffer;
        return status;
    }
    lun_ir_role role = (lun_ir_role)to->l->ir.slots[i].role;
    if (s->stale && s->source && role == LUN_SLOT_IN && is_sequential(&to->l->ir, i))
        return bind_stream(e, s, i, to);
    lun_status status =
        s->stale || (changes && s->mirrors) ? lun__mirror_host(e, s, changes) : LUN_OK;
    to->room[i] = part ? count : s->room - origin;
    to->at[i] = (char *)s->data + origin * size;
    return status;
}

lun_status lun__bind_target(lun_engine *e, lun_binding *to, int i, const lun_storage_view *target)
{
    lun_storage *s = target->s;
    const int64_t n = lun__layout_count(&target->at), size = lun__dtype_get(s->dtype)->bytes;
    lun_status status = lun__mirror_host(e, s, true);
    to->whole = true;
    if (status != LUN_OK || lun__layout_is_dense(&target->at))
        return status != LUN_OK
                   ? status
                   : lun__bind_part(e, to, i, s, target->offset + target->at.offset, NULL, n, true);
    if (!need_streams(to))
        return lun__fail_nomem(e);
    lun_strided *x = &to->strided[i];
    *x = (lun_strided){.at = lun__layout_simplified(&target->at),
                       .base = (char *)s->data + target->offset * size,
                       .size = (int)size};
    to->streams[i] = (lun_stream){
        .write = write_strided, .self = x, .layout = &x->at, .room = s->room - target->offset};
    count_bytes(to, size * n, true);
    to->room[i] = INT64_MAX;
    to->origin[i] = target->offset;
    to->at[i] = (void *)(uintptr_t)x->base;
    return LUN_OK;
}

lun_status lun__bind_segments_at(lun_engine *e, lun_binding *to, int i, lun_dtype t, void *from,
                                 int64_t origin, const lun_layout *at, bool changes)
{
    const int64_t size = lun__dtype_get(t)->bytes;
    if (!need_streams(to))
        return lun__fail_nomem(e);
    to->strided[i] = (lun_strided){.at = lun__layout_simplified(at), .size = (int)size};
    to->streams[i] = (lun_stream){.layout = &to->strided[i].at};
    count_bytes(to, size * lun__layout_distinct(at), changes);
    to->room[i] = INT64_MAX;
    to->origin[i] = origin;
    to->at[i] = to->b->backend->buffer_new ? from : (char *)from + origin * size;
    return LUN_OK;
}

lun_status lun__bind_segments(lun_engine *e, lun_binding *to, int i, lun_storage *s, int64_t offset,
                              const lun_layout *at, bool changes)
{
    const lun_status status = lun__mirror_host(e, s, changes);
    return status == LUN_OK
               ? lun__bind_segments_at(e, to, i, s->dtype, s->data, offset, at, changes)
               : status;
}

lun_status lun__bind_slot(lun_engine *e, lun_binding *to, int i, lun_storage *written,
                          int64_t first, int64_t count)
{
    const lun_slot_source *from = &to->l->slots[i];
    const lun_node *n = from->node;
    if (written) /* element `first` of the index space is its first */
        return lun__bind_part(e, to, i, written, -first, NULL, count, true);
    lun_ir_role role = (lun_ir_role)to->l->ir.slots[i].role;
    if (from->view || lun__node_made(n) ||
        (role == LUN_SLOT_IN && lun__plan_lowered_strides(to->l, i)))
        return bind_view(e, to, i, count);
    int64_t elements = role == LUN_SLOT_UNIFORM ? 1 : role == LUN_SLOT_ARRAY ? n->n : count;
    return lun__bind_part(e, to, i, n->storage, n->offset + from->offset, NULL, elements, false);
}

lun_status lun__bind_open(lun_engine *e, const lun_lowered *l, lun_binding *to)
{
    size_t slots = (size_t)l->ir.slot_count, args = (size_t)l->ir.arg_count;
    to->e = e;
    to->l = l;
    to->b = e->backends[e->current];
    to->at = slots <= LUN_BIND_FEW ? to->few_at : malloc(slots * sizeof *to->at);
    to->room = slots <= LUN_BIND_FEW ? to->few_room : malloc(2 * slots * sizeof *to->room);
    to->cells = args <= LUN_BIND_FEW ? to->few_cells : malloc(args * sizeof *to->cells);
    to->bytes = to->read = to->written = 0;
    to->unjoined = to->is_scratch = to->whole = false;
    to->segment = l->segment;
    to->turns = 0;
    to->crew = 0;
    to->stage = LUN_STAGE_ALL;
    to->streams = NULL;
    to->strided = NULL;
    to->padded = NULL;
    to->races = NULL;
    if (!to->at || !to->room || !to->cells)
        return lun__fail_nomem(e);
    to->origin = to->room + slots;
    for (size_t i = 0; i < args; i++)
        to->cells[i] = l->args[i].node ? l->args[i].node->cell : l->args[i].cell;
    return LUN_OK;
}

void lun__bind_close(lun_binding *to)
{
    while (to->padded) {
        lun_padded *p = to->padded;
        to->padded = p->next;
        if (p->made)
            lun__storage_release(to->e, p->made);
        free(p);
    }
    if (to->streams != to->few_streams)
        free(to->streams);
    if (to->at != to->few_at)
        free(to->at);
    if (to->room != to->few_room)
        free(to->room);
    if (to->cells != to->few_cells)
        free(to->cells);
}
