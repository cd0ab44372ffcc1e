/* desk.c - memory and kernels that rank 0 has on this rank; see desk.h.  Knows no launch. */
#include "mpi/desk.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static lun_status allocate(lun_desk *d, lun_desk_buffer *b)
{
    enum { ALIGNED = 64, BLOCK = 64 * 8 }; /* bytes of a block of elements, most */
    void *data;
    if (d->by->buffer_new)
        return d->by->buffer_new(d->state, b->bytes, &b->buffer);
    const size_t bytes = (size_t)b->bytes;
    if (!posix_memalign(&data, ALIGNED, bytes ? bytes : 1)) {
        b->data = data;
        const size_t last = bytes < BLOCK ? bytes : BLOCK; /* padding, which kernels compute too */
        memset(b->data + bytes - last, 0, last);
        return LUN_OK;
    }
    lun__strbuf_clear(d->own.error);
    lun__strbuf_printf(d->own.error, "out of memory: %lld bytes", (long long)b->bytes);
    return LUN_ENOMEM;
}

lun_status lun__desk_new(lun_desk *d, lun_bytes *in, bool *answers)
{
    const int64_t most = INT64_MAX / 4;
    const int32_t number = lun__bytes_take_i32(in);
    const int64_t bytes = lun__bytes_take_within(in, 0, most);
    *answers = false;
    if (in->bad || number < 0 || number > d->buffer_count ||
        (number < d->buffer_count && d->buffers[number].used))
        return lun__desk_strange(d, in);
    if (!lun__grow(&d->buffers, d->buffer_count, &d->buffer_room, sizeof *d->buffers))
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    d->buffer_count += number == d->buffer_count;
    lun_desk_buffer *b = &d->buffers[number];
    *b = (lun_desk_buffer){.used = true, .bytes = bytes};
    lun_status s = allocate(d, b);
    if (s != LUN_OK) {
        b->bytes = 0;
        lun__desk_spoil(d, &b->flaw, s);
    }
    return s;
}

static void free_buffer(lun_desk *d, lun_desk_buffer *b)
{
    lun__desk_forget(d, b);
    if (b->buffer)
        d->by->buffer_free(d->state, b->buffer);
    free(b->data);
    lun__desk_mend(&b->flaw);
    *b = (lun_desk_buffer){.used = false};
}

lun_status lun__desk_free(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    *answers = false;
    if (!b)
        return lun__desk_strange(d, in);
    free_buffer(d, b);
    return LUN_OK;
}

lun_status lun__desk_read(lun_desk *d, const lun_desk_buffer *b, int64_t offset, void *to,
                          int64_t bytes)
{
    if (b->buffer)
        return d->by->read(d->state, b->buffer, offset, to, bytes, NULL);
    if (bytes)
        memcpy(to, b->data + offset, (size_t)bytes);
    return LUN_OK;
}

lun_status lun__desk_write(lun_desk *d, lun_desk_buffer *b, int64_t offset, const void *from,
                           int64_t bytes)
{
    lun_status s = lun__desk_ready(d, b);
    if (s != LUN_OK || !bytes)
        return s;
    if (b->buffer)
        s = d->by->write(d->state, b->buffer, offset, from, bytes, NULL);
    else
        memcpy(b->data + offset, from, (size_t)bytes);
    if (s != LUN_OK)
        lun__desk_spoil(d, &b->flaw, s);
    return s;
}

lun_status lun__desk_upload(lun_desk *d, lun_bytes *in, bool *answers)
{
    int64_t bytes;
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    const int64_t offset = lun__bytes_take_i64(in);
    const void *from = lun__bytes_take_bytes(in, &bytes);
    *answers = false;
    if (in->bad || (b->flaw.status == LUN_OK && !lun__desk_fits(b, offset, bytes)))
        return lun__desk_strange(d, in);
    return lun__desk_write(d, b, offset, from, bytes);
}

lun_status lun__desk_download(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    const int64_t offset = lun__bytes_take_i64(in), bytes = lun__bytes_take_i64(in);
    *answers = true;
    if (in->bad || bytes > LUN_MPI_PIECE ||
        (b->flaw.status == LUN_OK && !lun__desk_fits(b, offset, bytes)))
        return lun__desk_strange(d, in);
    d->stops = true;
    lun_status s = lun__desk_ready(d, b);
    if (s != LUN_OK)
        return s;
    d->own.stats->bytes_sent += bytes;
    if (!b->buffer) {
        lun__bytes_put_bytes(&d->rest, b->data + offset, bytes);
        return LUN_OK;
    }
    void *to = malloc((size_t)bytes + 1);
    s = to ? lun__desk_read(d, b, offset, to, bytes)
           : lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    if (s == LUN_OK)
        lun__bytes_put_bytes(&d->rest, to, bytes);
    free(to);
    return s;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static lun_status unpack(lun_desk *d, const void *bytes, int64_t count, lun_ir_packed *out)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_bytes in = {bytes, count, false};
    lun_status s = lun__packed_ir_read(&in, out, &why);
    if (s == LUN_OK && in.left) {
        s = LUN_EARG;
        lun__strbuf_puts(&why, "bytes behind a kernel\n");
    }
    if (s != LUN_OK)
        (void)lun__desk_fail(d, s, s == LUN_ENOMEM ? "out of memory" : lun__strbuf_text(&why));
    lun__strbuf_free(&why);
    return s;
}

static lun_status build(lun_desk *d, lun_desk_kernel *k, const void *bytes, int64_t count)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = unpack(d, bytes, count, &k->packed);
    if (s == LUN_OK && lun__print_ir(&k->packed.ir, &text) != LUN_OK)
        s = lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    if (s == LUN_OK)
        s = d->by->build(d->state, &k->packed.ir, lun__strbuf_text(&text), &k->kernel);
    lun__strbuf_free(&text);
    return s;
}

lun_status lun__desk_build(lun_desk *d, lun_bytes *in, bool *answers)
{
    int64_t count;
    const int32_t number = lun__bytes_take_i32(in), math = lun__bytes_take_i32(in);
    *answers = lun__bytes_take_u8(in);
    const void *bytes = lun__bytes_take_bytes(in, &count);
    if (in->bad || number < 0 || number > d->kernel_count ||
        (number < d->kernel_count && d->kernels[number].used) ||
        (math != LUN_MATH_FAST && math != LUN_MATH_PRECISE))
        return lun__desk_strange(d, in);
    if (!lun__grow(&d->kernels, d->kernel_count, &d->kernel_room, sizeof *d->kernels))
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    d->kernel_count += number == d->kernel_count;
    lun_desk_kernel *k = &d->kernels[number];
    *k = (lun_desk_kernel){.used = true};
    d->own.math = math;
    lun_status s = build(d, k, bytes, count);
    k->lasts = k->packed.ir.function_count > 0;
    for (int i = 0; i < k->packed.ir.count; i++)
        k->lasts |= k->packed.ir.ins[i].kind == LUN_IR_LOOP;
    if (s != LUN_OK)
        lun__desk_spoil(d, &k->flaw, s);
    return s;
}

static void free_kernel(lun_desk *d, lun_desk_kernel *k)
{
    if (k->kernel)
        d->by->release(d->state, k->kernel);
    lun__packed_ir_free(&k->packed);
    lun__desk_mend(&k->flaw);
    *k = (lun_desk_kernel){.used = false};
}

lun_status lun__desk_release(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_desk_kernel *k = lun__desk_kernel(d, in);
    *answers = false;
    if (!k)
        return lun__desk_strange(d, in);
    free_kernel(d, k);
    return LUN_OK;
}

lun_status lun__desk_prepare(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_desk_kernel *k = lun__desk_kernel(d, in);
    *answers = true;
    if (!k)
        return lun__desk_strange(d, in);
    lun_kernel_facts facts;
    lun_status s = lun__desk_check(d, &k->flaw);
    return s == LUN_OK ? d->by->prepare(d->state, k->kernel, &facts) : s;
}

lun_status lun__desk_source(lun_desk *d, lun_bytes *in, bool *answers)
{
    int64_t count;
    const void *bytes = lun__bytes_take_bytes(in, &count);
    lun_ir_packed packed;
    lun_strbuf text = LUN_STRBUF_INIT;
    *answers = true;
    if (!bytes)
        return lun__desk_strange(d, in);
    lun_status s = unpack(d, bytes, count, &packed);
    if (s == LUN_OK)
        s = d->by->source(d->state, &packed.ir, &text);
    if (s == LUN_OK)
        lun__bytes_put_bytes(&d->rest, text.text, (int64_t)text.length);
    lun__strbuf_free(&text);
    lun__packed_ir_free(&packed);
    return s;
}

void lun__desk_close(lun_desk *d)
{
    for (int i = 0; i < d->kernel_count; i++)
        if (d->kernels[i].used)
            free_kernel(d, &d->kernels[i]);
    for (int i = 0; i < d->buffer_count; i++)
        if (d->buffers[i].used)
            free_buffer(d, &d->buffers[i]);
    free(d->kernels);
    free(d->buffers);
    lun__desk_close_files(d);
    free(d->takes);
    lun__strbuf_free(&d->rest);
}
