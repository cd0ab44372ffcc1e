/* flaws.c - what a request names on a rank that serves, whether it is there, and why it cannot be
 * used; see desk.h.  Moves no element. */
#include <stdlib.h>
#include <string.h>

#include "mpi/desk.h"

/* ---- failures -------------------------------------------------------------------------------- */

lun_status lun__desk_fail(const lun_desk *d, lun_status s, const char *text)
{
    lun__strbuf_clear(d->own.error);
    lun__strbuf_puts(d->own.error, text);
    return s;
}

lun_status lun__desk_strange(lun_desk *d, lun_bytes *in)
{
    in->bad = true;
    return lun__desk_fail(d, LUN_EARG, "a request that makes no sense");
}

void lun__desk_spoil(const lun_desk *d, lun_desk_flaw *flaw, lun_status s)
{
    free(flaw->text);
    flaw->status = s;
    flaw->text = strdup(lun__strbuf_text(d->own.error)); /* NULL: without its text */
}

void lun__desk_mend(lun_desk_flaw *flaw)
{
    free(flaw->text);
    *flaw = (lun_desk_flaw){LUN_OK, NULL};
}

lun_status lun__desk_check(const lun_desk *d, const lun_desk_flaw *flaw)
{
    if (flaw->status == LUN_OK)
        return LUN_OK;
    return lun__desk_fail(d, flaw->status, flaw->text ? flaw->text : "out of memory");
}

lun_status lun__desk_done(const lun_desk *d, lun_desk_buffer *to, lun_status s)
{
    if (s == LUN_OK)
        lun__desk_mend(&to->flaw);
    else
        lun__desk_spoil(d, &to->flaw, s);
    return s;
}

/* ---- numbers --------------------------------------------------------------------------------- */

lun_desk_buffer *lun__desk_buffer(lun_desk *d, lun_bytes *in)
{
    const int32_t k = lun__bytes_take_i32(in);
    if (!in->bad && k >= 0 && k < d->buffer_count && d->buffers[k].used)
        return &d->buffers[k];
    in->bad = true;
    return NULL;
}

lun_desk_kernel *lun__desk_kernel(lun_desk *d, lun_bytes *in)
{
    const int32_t k = lun__bytes_take_i32(in);
    if (!in->bad && k >= 0 && k < d->kernel_count && d->kernels[k].used)
        return &d->kernels[k];
    in->bad = true;
    return NULL;
}

bool lun__desk_fits(const lun_desk_buffer *b, int64_t offset, int64_t bytes)
{
    return offset >= 0 && bytes >= 0 && offset <= b->bytes && bytes <= b->bytes - offset;
}

bool lun__desk_reaches(const lun_desk_buffer *b, int64_t origin, int bytes, int64_t low,
                       int64_t high)
{
    int64_t from, to;
    return !__builtin_add_overflow(low, origin, &from) &&
           !__builtin_add_overflow(high, origin, &to) && from >= 0 && from <= to &&
           to < b->bytes / bytes;
}

bool lun__desk_layout_fits(const lun_desk_buffer *b, int64_t origin, int bytes, const lun_layout *l)
{
    int64_t low, high;
    return !lun__layout_count(l) ||
           (lun__layout_range(l, &low, &high) && lun__desk_reaches(b, origin, bytes, low, high));
}
