/* scratch_buffers.c - see scratch_buffers.h. */
#include "launch/scratch_buffers.h"

#include "backend.h"

lun_status lun__scratch_buffer_take(lun_engine *e, lun_dtype t, int64_t count, lun_storage **s,
                                    lun_scratch_buffer *out)
{
    lun_backend_slot *at = e->backends[e->current];
    *out = (lun_scratch_buffer){.room = count};
    lun_status status = lun__mirror_result(e, t, count, s);
    if (status == LUN_OK && at->backend->buffer_new)
        status = lun__mirror_buffer(e, *s, at, &out->buffer);
    else if (status == LUN_OK)
        out->data = (*s)->data;
    return status;
}

/* Elements of one layout to the offsets of another, on threads. */
typedef struct move {
    const lun_layout *from, *to;
    const char *source;
    char *target;
    int size;
} move;

static void move_some(void *ctx, int64_t from, int64_t to)
{
    const move *m = ctx;
    lun__strided_copy(m->from, m->source, m->to, m->target, m->size, from, to - from);
}

lun_status lun__scratch_buffer_arrange(lun_engine *e, lun_dtype t, const lun_scratch_buffer *from,
                                       const lun_layout *of, const lun_scratch_buffer *to,
                                       const lun_layout *at)
{
    const lun_backend_slot *b = e->backends[e->current];
    const int size = lun__dtype_get(t)->bytes;
    move m = {.from = of, .to = at, .size = size};
    if (!lun__layout_count(of))
        return LUN_OK;
    if (to->buffer) {
        const lun_transfer moved = {.bytes = size,
                                    .to = to->buffer,
                                    .from = from->buffer,
                                    .to_origin = to->origin,
                                    .from_origin = from->origin,
                                    .at = *at,
                                    .of = *of};
        return lun__state_transfer(b, &moved);
    }
    m.source = (const char *)from->data + from->origin * size;
    m.target = (char *)to->data + to->origin * size;
    const int64_t n = lun__layout_count(of);
    lun__backend_share(b, n, 2 * n * size, &m, move_some);
    return LUN_OK;
}
