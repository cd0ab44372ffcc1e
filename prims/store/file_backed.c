/* file_backed.c - arrays whose elements are a file's bytes: storage that reads them where they are
 * used. */
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"
#include "store/element_file.h"
#include "store/storage.h"
#include "table/dtype.h"

enum { LOAD_BYTES = 16 << 20 }; /* between two looks at whether to stop */

lun_status lun__file_backed_new(lun_engine *e, lun_source *source, int64_t start, bool swapped,
                                int64_t step, lun_dtype t, int64_t count, lun_storage **out)
{
    lun_status s = lun__storage_empty(e, t, count, out);
    if (s != LUN_OK)
        return s;
    (*out)->source = lun__element_file_retain(source);
    (*out)->start = start;
    (*out)->form = (lun_infile_form){.bytes = lun__dtype_get(t)->bytes,
                                     .swapped = swapped,
                                     .truth = lun__dtype_is_bool(t),
                                     .step = step};
    return LUN_OK;
}

lun_status lun__file_backed_part(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                 lun_storage **out)
{
    return lun__file_backed_new(e, s->source, s->start + first * s->form.step, s->form.swapped,
                                s->form.step, s->dtype, count, out);
}

int lun__file_backed_fetch(const lun_storage *s, int64_t first, int64_t count, void *to)
{
    return lun__element_file_read(s->source, s->start + first * s->form.step, count, s->form, to);
}

lun_status lun__file_backed_fetch_all(lun_engine *e, const lun_storage *s, int64_t first,
                                      int64_t count, void *to)
{
    int size = lun__dtype_get(s->dtype)->bytes;
    lun_tool_event ev = {
        .kind = LUN_TOOL_FILE, .name = "read", .elements = count, .bytes = count * s->form.step};
    lun_status status = lun__element_file_check(e, s->source);
    lun__tools_call(e->tools, true, &ev);
    for (int64_t done = 0, some; status == LUN_OK && done < count; done += some) {
        some = count - done < LOAD_BYTES / size ? count - done : LOAD_BYTES / size;
        int failure = lun__file_backed_fetch(s, first + done, some, (char *)to + done * size);
        if (failure)
            status = lun__element_file_fail(e, s->source, failure);
        else if (done + some < count)
            status = lun__watch_stopped(e);
    }
    ev.time = 0;
    lun__tools_call(e->tools, false, &ev);
    return status;
}

lun_status lun__file_backed_load(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                 const lun_backend_slot *at, lun_buffer *to, int64_t offset,
                                 bool *done)
{
    const lun_file *file = at->backend->remote ? lun__element_file_of(s->source) : NULL;
    *done = false;
    if (!count || !file)
        return LUN_OK;
    lun_status status = lun__element_file_check(e, s->source);
    return status == LUN_OK
               ? at->backend->remote->load(at->state, to, offset, file,
                                           s->start + first * s->form.step, count, s->form, done)
               : status;
}
