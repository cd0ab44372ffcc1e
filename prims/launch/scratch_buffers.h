/* scratch_buffers.h - scratch buffers where the backend in use computes, the host's or a device's,
 * and elements that are arranged anew there. */
#ifndef LUN_SCRATCH_BUFFERS_H
#define LUN_SCRATCH_BUFFERS_H

#include "engine/state.h"
#include "store/storage.h"
#include "work.h"

/* Elements in host memory or in a buffer: number 0 is, or would be, `origin` elements from the
 * start; `room` may be read from there on. */
typedef struct lun_scratch_buffer {
    void *data;
    lun_buffer *buffer;
    int64_t origin, room;
} lun_scratch_buffer;

/* Memory for so many elements, undefined; *s is to be released. */
lun_status lun__scratch_buffer_take(lun_engine *e, lun_dtype t, int64_t count, lun_storage **s,
                                    lun_scratch_buffer *out);
/* The elements of `of` to the offsets of as many of `at`, in other memory, where they are
 * different; of the host on its threads.  On a device they are on their way then. */
lun_status lun__scratch_buffer_arrange(lun_engine *e, lun_dtype t, const lun_scratch_buffer *from,
                                       const lun_layout *of, const lun_scratch_buffer *to,
                                       const lun_layout *at);
/* What a slot is bound to: the start of the memory. */
static inline void *lun__scratch_buffer_start(const lun_scratch_buffer *m)
{
    return m->buffer ? (void *)m->buffer : m->data;
}

#endif
