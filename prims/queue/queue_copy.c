/* queue_copy.c - copies between memory of the host, of devices, and arrays: what goes where, and
 * one done; see queue.h.
 *
 * An array that is read is its elements at that moment; one that receives gets them when the user's
 * thread waits. */
#include <stdlib.h>
#include <string.h>

#include "api/array/elements.h"
#include "base/sized.h"
#include "queue/queue.h"

/* ---- what a copy is -------------------------------------------------------------------------- */

static const char *const side_names[] = {"target", "source"};

/* A side as its user gives it, whole. */
typedef struct side {
    lun_copy_side given;
    const char *name;
    lun_dtype dtype;
    int rank;
    int64_t extent[LUN_MAX_RANK];
} side;

static lun_status open_side(lun_engine *e, const lun_copy_side *given, int which, side *out)
{
    *out = (side){.name = side_names[which]};
    out->given.size = sizeof out->given;
    lun__sized_take(&out->given, given, sizeof out->given);
    const lun_memory *m = out->given.buffer;
    lun_array *a = out->given.array;
    if (!m == !a)
        return lun__fail(e, LUN_EARG, "the %s of a copy is a buffer or an array", out->name);
    if (m) {
        out->dtype = m->dtype;
        out->rank = m->rank;
        memcpy(out->extent, m->extent, sizeof out->extent);
        if (m->freed)
            return lun__fail(e, LUN_EFREED, "the %s is a buffer that was freed", out->name);
        return lun__user_buffer_usable(e, m, "side", which);
    }
    LUN_NO_MISSING(e, a);
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK && which == 0)
        s = lun__write_check(e, a);
    if (s != LUN_OK)
        return s;
    out->dtype = lun_dtype_of(a);
    out->rank = lun_shape(a, out->extent);
    if (!out->rank)
        return lun__fail(e, LUN_ESHAPE, "the %s of a copy is a number", out->name);
    return LUN_OK;
}

/* Which of a side's elements: `extents` of them along its axes, from given.from on. */
static lun_status box_layout(lun_engine *e, const side *s, const int64_t *extents, lun_layout *out)
{
    *out = s->given.buffer ? lun__user_buffer_layout(s->given.buffer)
                           : lun__layout_right(s->rank, s->extent);
    for (int k = 0; k < s->rank; k++) {
        int64_t from = s->given.from[k];
        if (extents[k] < 0 || from < 0 || from > s->extent[k] || extents[k] > s->extent[k] - from)
            return lun__fail(e, LUN_ERANGE,
                             "the copy does not fit: elements " LUN_NTH_LONG " to " LUN_NTH_LONG
                             " along axis " LUN_NTH " of the "
                             "%s, which has %lld",
                             (long long)from,
                             (long long)((uint64_t)from + (uint64_t)extents[k] - 1), k, s->name,
                             (long long)s->extent[k]);
        out->offset += from * out->stride[k];
        out->extent[k] = extents[k];
    }
    return LUN_OK;
}

/* Whether boxes of one array have elements in common. */
static bool boxes_meet(const side *a, const side *b, const int64_t *extents)
{
    for (int k = 0; k < a->rank; k++) {
        int64_t first = a->given.from[k], second = b->given.from[k];
        if (first + extents[k] <= second || second + extents[k] <= first)
            return false;
    }
    return true;
}

static lun_status check_apart(lun_engine *e, const side *to, const side *from,
                              const int64_t *extents)
{
    const lun_copy_side *a = &to->given, *b = &from->given;
    bool same = a->buffer ? a->buffer == b->buffer : a->array == b->array;
    if (same && boxes_meet(to, from, extents))
        return lun__fail(e, LUN_EARG,
                         "the copy overlaps itself: source and target have elements in "
                         "common");
    return LUN_OK;
}

static lun_status check_sides(lun_engine *e, const side *to, const side *from)
{
    if (to->dtype != from->dtype)
        return lun__fail(e, LUN_EDTYPE,
                         "the source is %s and the target %s: a copy does not convert",
                         lun_dtype_name(from->dtype), lun_dtype_name(to->dtype));
    if (to->rank != from->rank)
        return lun__fail(e, LUN_ESHAPE,
                         "the source has rank %d and the target rank %d: make a buffer or a "
                         "view of as many extents",
                         from->rank, to->rank);
    return LUN_OK;
}

/* The elements of an array that is read, which others cannot change. */
static lun_status hold_source(lun_engine *e, lun_array *a, lun_copying *c)
{
    lun_node *n;
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s != LUN_OK)
        return s;
    if (n->kind == LUN_NODE_LEAF && !n->storage->wrapped) {
        c->source = n;
    } else {
        s = lun__read_node_copy(e, n, &c->source);
        lun__node_release(e, n);
    }
    if (s == LUN_OK)
        s = lun__mirror_host(e, c->source->storage, false);
    if (s == LUN_OK)
        c->from.host = lun__node_leaf_data(c->source);
    return s;
}

/* Memory in which the elements of an array arrive. */
static lun_status hold_target(lun_engine *e, const side *target, lun_copying *c)
{
    lun_array *a = target->given.array;
    lun__array_layout(a, &c->window);
    for (int k = 0; k < target->rank; k++) {
        c->window.offset += target->given.from[k] * c->window.stride[k];
        c->window.extent[k] = c->to.at.extent[k];
    }
    c->to.at = lun__layout_right(target->rank, c->to.at.extent);
    lun_status s = lun__storage_new(e, c->dtype, lun__layout_count(&c->to.at), &c->landing);
    if (s != LUN_OK)
        return s;
    c->to.host = c->landing->data;
    c->array = a;
    lun_retain(a);
    return LUN_OK;
}

static void hold_memory(lun_memory *m, lun_copy_operand *p)
{
    m->refs++;
    p->memory = m;
    p->host = m->data;
}

lun_status lun__queue_copy_open(lun_engine *e, const lun_copy_side *to, const lun_copy_side *from,
                                const int64_t *extents, lun_copying *out)
{
    side target, source;
    *out = (lun_copying){0};
    lun_status s = open_side(e, to, 0, &target);
    if (s == LUN_OK)
        s = open_side(e, from, 1, &source);
    if (s == LUN_OK)
        s = check_sides(e, &target, &source);
    if (s != LUN_OK)
        return s;
    const int64_t *box = extents ? extents : source.extent;
    out->dtype = source.dtype;
    s = box_layout(e, &target, box, &out->to.at);
    if (s == LUN_OK)
        s = box_layout(e, &source, box, &out->from.at);
    if (s == LUN_OK)
        s = check_apart(e, &target, &source, box);
    if (s != LUN_OK)
        return s;
    if (source.given.buffer)
        hold_memory(source.given.buffer, &out->from);
    else
        s = hold_source(e, source.given.array, out);
    if (s == LUN_OK && target.given.buffer)
        hold_memory(target.given.buffer, &out->to);
    else if (s == LUN_OK)
        s = hold_target(e, &target, out);
    return s;
}

void lun__queue_copy_close(lun_engine *e, lun_copying *c)
{
    lun__user_buffer_release(c->to.memory);
    lun__user_buffer_release(c->from.memory);
    if (c->source)
        lun__node_release(e, c->source);
    if (c->landing)
        lun__storage_release(e, c->landing);
    lun_release(c->array);
    *c = (lun_copying){0};
}

/* What has arrived, as an array that is its only holder. */
static lun_status arrived(lun_engine *e, lun_copying *c, lun_array **out)
{
    lun_node *n;
    lun_status s = lun__node_leaf(e, c->landing, 0, c->to.at.rank, c->to.at.extent, &n);
    if (s != LUN_OK)
        return s;
    lun__storage_release(e, c->landing);
    c->landing = NULL;
    return lun__array(e, n, true, out);
}

lun_status lun__queue_copy_land(lun_engine *e, lun_copying *c)
{
    lun_array *made, *part;
    lun_layout own;
    if (!c->array || c->array->freed)
        return LUN_OK;
    lun_status s = arrived(e, c, &made);
    if (s != LUN_OK)
        return s;
    lun__array_layout(c->array, &own);
    if (lun__layout_count(&own) == lun__layout_count(&c->window)) {
        s = lun_store(e, c->array, made);
    } else {
        s = lun__array_window(e, c->array, &c->window, &part);
        if (s == LUN_OK) {
            s = lun_store(e, part, made);
            lun_release(part);
        }
    }
    lun_release(made);
    return s;
}

/* ---- one done -------------------------------------------------------------------------------- */

/* Elements of a side while they are copied. */
typedef struct moving {
    lun_engine *e;
    int size;
    int64_t count;
} moving;

static lun_status temporary(const lun_backend_slot *b, int64_t bytes, lun_buffer **out)
{
    return b->backend->buffer_new(b->state, (bytes + 511) / 512 * 512, out);
}

/* Elements side by side from the start of a buffer, to or from the offsets of `at` in another. */
static lun_status transfer(const moving *m, const lun_backend_slot *b, lun_buffer *to,
                           const lun_layout *at, const lun_buffer *from, const lun_layout *of)
{
    const lun_layout flat = lun__layout_right(1, &m->count);
    const lun_transfer t = {
        .bytes = m->size, .to = to, .from = from, .at = at ? *at : flat, .of = of ? *of : flat};
    return lun__state_transfer(b, &t);
}

/* From contiguous memory of the host. */
static lun_status upload(const moving *m, const lun_copy_operand *to, const void *host)
{
    const int64_t bytes = m->count * m->size;
    lun_backend_slot *b;
    lun_buffer *some;
    lun_status s = lun__user_buffer_slot(m->e, to->memory->at, &b);
    if (s != LUN_OK)
        return s;
    if (lun__layout_is_dense(&to->at))
        return b->backend->write(b->state, to->memory->buffer, to->at.offset * m->size, host, bytes,
                                 NULL);
    s = temporary(b, bytes, &some);
    if (s != LUN_OK)
        return s;
    s = b->backend->write(b->state, some, 0, host, bytes, NULL);
    if (s == LUN_OK)
        s = transfer(m, b, to->memory->buffer, &to->at, some, NULL);
    b->backend->buffer_free(b->state, some);
    return s;
}

/* To contiguous memory of the host. */
static lun_status download(const moving *m, const lun_copy_operand *from, void *host)
{
    const int64_t bytes = m->count * m->size;
    lun_backend_slot *b;
    lun_buffer *some;
    lun_status s = lun__user_buffer_slot(m->e, from->memory->at, &b);
    if (s != LUN_OK)
        return s;
    if (lun__layout_is_dense(&from->at))
        return b->backend->read(b->state, from->memory->buffer, from->at.offset * m->size, host,
                                bytes, NULL);
    s = temporary(b, bytes, &some);
    if (s != LUN_OK)
        return s;
    s = transfer(m, b, some, NULL, from->memory->buffer, &from->at);
    if (s == LUN_OK)
        s = b->backend->read(b->state, some, 0, host, bytes, NULL);
    b->backend->buffer_free(b->state, some);
    return s;
}

/* Within a device; between parts of one buffer by way of another. */
static lun_status within(const moving *m, const lun_copying *c)
{
    lun_buffer *to = c->to.memory->buffer, *from = c->from.memory->buffer, *some;
    lun_backend_slot *b;
    lun_status s = lun__user_buffer_slot(m->e, c->to.memory->at, &b);
    if (s != LUN_OK)
        return s;
    if (to != from)
        return transfer(m, b, to, &c->to.at, from, &c->from.at);
    s = temporary(b, m->count * m->size, &some);
    if (s != LUN_OK)
        return s;
    s = transfer(m, b, some, NULL, from, &c->from.at);
    if (s == LUN_OK)
        s = transfer(m, b, to, &c->to.at, some, NULL);
    b->backend->buffer_free(b->state, some);
    return s;
}

static char *at_host(const moving *m, const lun_copy_operand *p)
{
    return (char *)p->host + p->at.offset * m->size;
}

/* One side is of a device: contiguous on the host, where need be in memory for a while. */
static lun_status across(const moving *m, const lun_copying *c)
{
    const bool up = c->to.memory && c->to.memory->buffer;
    const lun_copy_operand *here = up ? &c->from : &c->to;
    const bool dense = lun__layout_is_dense(&here->at);
    char *host = dense ? at_host(m, here) : malloc((size_t)(m->count * m->size));
    lun_status s = LUN_OK;
    if (!host)
        return lun__fail_nomem(m->e);
    if (up && !dense)
        lun__strided_read(&here->at, here->host, m->size, 0, m->count, host);
    s = up ? upload(m, &c->to, host) : download(m, &c->from, host);
    if (s == LUN_OK && !up && !dense)
        lun__strided_write(&here->at, here->host, m->size, 0, m->count, host);
    if (!dense)
        free(host);
    return s;
}

/* From one device to another, by way of the host. */
static lun_status between(const moving *m, const lun_copying *c)
{
    char *host = malloc((size_t)(m->count * m->size));
    if (!host)
        return lun__fail_nomem(m->e);
    lun_status s = download(m, &c->from, host);
    if (s == LUN_OK)
        s = upload(m, &c->to, host);
    free(host);
    return s;
}

/* Elements of the host. */
typedef struct span {
    const lun_copying *c;
    int size;
} span;

static void copy_span(void *ctx, int64_t from, int64_t to)
{
    const span *s = ctx;
    lun__strided_copy(&s->c->from.at, s->c->from.host, &s->c->to.at, s->c->to.host, s->size, from,
                      to - from);
}

lun_status lun__queue_copy_run(lun_engine *e, const lun_copying *c)
{
    const moving m = {e, lun__dtype_get(c->dtype)->bytes, lun__layout_count(&c->to.at)};
    const bool to = c->to.memory && c->to.memory->buffer;
    const bool from = c->from.memory && c->from.memory->buffer;
    if (!m.count)
        return LUN_OK;
    lun__fail_clear(e);
    if (!to && !from) {
        lun__backend_share_range(e, m.count, m.count * m.size, &(span){c, m.size}, copy_span);
        return LUN_OK;
    }
    if (to && from && c->to.memory->at == c->from.memory->at)
        return within(&m, c);
    return to && from ? between(&m, c) : across(&m, c);
}
