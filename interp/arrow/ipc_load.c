/* ipc_load.c - see ipc_load.h.  Nothing is allocated that the length of a buffer, or what a frame
 * of that length can come to, does not explain. */
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_load.h"

enum { ALIGNED = 64, STATED = 8 };

static int64_t number_at(const lun_ipc_batch *b, int64_t at)
{
    return lun__flatbuffer_number(b->flat, at, 8);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bool damaged(const lun_ipc_part *p, lun_file_fault *f)
{
    return lun__file_fault(f, "format", "column '%s': the batch at byte %lld is damaged", p->name,
                           (long long)p->batch->at);
}

/* Buffers of an array, of which those of views beyond the second are not counted. */
static int fixed_buffers(lun_ipc_way way)
{
    return way == LUN_IPC_NOWHERE ? 0 : way == LUN_IPC_OFFSETS ? 3 : 2;
}

/* How many buffers column `views` of views has beyond two; and all those before it. */
static bool count_variadic(const lun_ipc_part *p, bool are, int64_t *before, int64_t *own)
{
    const lun_flatbuffer_vector v = p->batch->variadic;
    int64_t sum = 0;
    if (p->views + are > v.count)
        return false;
    for (int64_t k = 0; k < p->views + are; k++) {
        const int64_t n = number_at(p->batch, v.at + 8 * k);
        if (n < 0 || n > p->batch->buffers.count)
            return false;
        *own = n;
        *before = sum;
        sum += n;
    }
    if (!are)
        *before = sum;
    *own = are ? *own : 0;
    return sum <= p->batch->buffers.count;
}

/* What `need` bytes at least are in memory of buffer number k of a batch; whole: all of them. */
static bool plan_buffer(const lun_ipc *x, const lun_ipc_part *p, int64_t k, int64_t need,
                        lun_ipc_buffer *out, lun_file_fault *f)
{
    const lun_ipc_batch *b = p->batch;
    const int64_t entry = b->buffers.at + 16 * k, at = number_at(b, entry);
    int64_t stated;
    uint8_t text[STATED];
    *out = (lun_ipc_buffer){.at = b->at + at, .size = number_at(b, entry + 8)};
    if (at < 0 || out->size < 0 || out->size > b->size || at > b->size - out->size)
        return damaged(p, f);
    out->made = out->size;
    if (b->codec != LUN_IPC_NONE && out->size) {
        if (out->size < STATED)
            return damaged(p, f);
        if (!lun__file_fault_read(f, x->source.read(x->source.ctx, out->at, STATED, text)))
            return false;
        lun_flatbuffer head = {text, STATED, false};
        stated = lun__flatbuffer_number(&head, 0, STATED);
        out->at += STATED;
        out->size -= STATED;
        out->packed = stated != -1;
        out->made = out->packed ? stated : out->size;
        if (out->packed && !lun__ipc_codec_explains(b->codec, out->size, stated))
            return damaged(p, f);
    }
    if (out->made < need)
        return damaged(p, f);
    return true;
}

/* Bytes that the rows need of a buffer: of the validity (0), of elements, offsets or views (1). */
static bool bytes_of(const lun_ipc_load *l, int which, int64_t *need)
{
    const int64_t rows = l->rows;
    *need = rows / 8 + (rows % 8 != 0);
    if (which == 0 || l->way == LUN_IPC_BITS)
        return true;
    const int64_t count = l->way == LUN_IPC_OFFSETS && rows ? rows + 1 : rows;
    return !__builtin_mul_overflow(count, l->width, need);
}

static bool plan_buffers(const lun_ipc *x, const lun_ipc_part *p, int64_t first, lun_ipc_load *l,
                         lun_file_fault *f)
{
    for (int k = 0; k < l->count; k++) {
        int64_t need = 0;
        lun_ipc_buffer *b = &l->buffer[k];
        if (k == 0 && !l->nulls)
            continue;
        if ((k < 2 && !bytes_of(l, k, &need)) || !plan_buffer(x, p, first + k, need, b, f))
            return damaged(p, f);
        if (k < 2 && !b->packed)
            b->made = b->size = need;
    }
    return true;
}

bool lun__ipc_load_plan(const lun_ipc *x, const lun_ipc_part *p, lun_ipc_load *out, int64_t *bytes,
                        lun_file_fault *f)
{
    const lun_ipc_batch *b = p->batch;
    lun_ipc_load l = {.file = x, .rows = p->rows};
    int64_t before = 0, own = 0;
    l.way = lun__ipc_schema_way(p->format, &l.width);
    *out = l;
    if (l.way == LUN_IPC_NESTED || p->node >= b->nodes.count || l.width < 0)
        return damaged(p, f);
    const int64_t length = number_at(b, b->nodes.at + 16 * p->node);
    l.nulls = number_at(b, b->nodes.at + 16 * p->node + 8);
    if (length != b->rows || l.nulls < 0 || l.nulls > length || p->rows > length ||
        !count_variadic(p, l.way == LUN_IPC_VIEWS, &before, &own))
        return damaged(p, f);
    const int64_t count = fixed_buffers(l.way) + own;
    if (p->fixed + before > b->buffers.count - count)
        return damaged(p, f);
    l.count = (int)count;
    l.nulls = l.way == LUN_IPC_NOWHERE ? 0 : l.nulls;
    l.buffer = calloc((size_t)count + 1, sizeof *l.buffer);
    *out = l;
    if (!l.buffer)
        return lun__file_fault_of(f, LUN_ENOMEM);
    if (!plan_buffers(x, p, p->fixed + before, out, f))
        return false;
    for (int k = 0; k < out->count; k++)
        *bytes += out->buffer[k].made + (out->buffer[k].packed ? out->buffer[k].size : 0) + ALIGNED;
    return true;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* A block of so many bytes, and zeros to the next 64 and at least one more. */
static uint8_t *new_block(int64_t bytes)
{
    const size_t room = ((size_t)bytes + ALIGNED) / ALIGNED * ALIGNED;
    uint8_t *block = aligned_alloc(ALIGNED, room);
    if (block)
        memset(block + bytes, 0, room - (size_t)bytes);
    return block;
}

static const char memory[] = "memory"; /* the text of `wrong` where there is none */

static void load_buffer(lun_ipc_load *l, lun_ipc_buffer *b)
{
    const lun_ipc_source *s = &l->file->source;
    uint8_t *packed = b->packed ? malloc((size_t)b->size + 1) : NULL;
    b->block = new_block(b->made);
    if (!b->block || (b->packed && !packed)) {
        l->wrong = memory;
    } else if (b->size) {
        l->reason = s->read(s->ctx, b->at, b->size, packed ? packed : b->block);
        if (!l->reason && packed)
            l->wrong = lun__ipc_codec_unpack(l->library, packed, b->size, b->block, b->made);
    } else if (b->made) {
        l->wrong = "a compressed buffer is empty";
    }
    free(packed);
}

static int64_t offset_at(const lun_ipc_load *l, int64_t k)
{
    int64_t wide;
    int32_t narrow;
    if (l->width == 8)
        memcpy(&wide, l->buffer[1].block + 8 * k, sizeof wide);
    else
        memcpy(&narrow, l->buffer[1].block + 4 * k, sizeof narrow);
    return l->width == 8 ? wide : narrow;
}

static bool are_offsets(const lun_ipc_load *l)
{
    int64_t last = 0;
    for (int64_t k = 0; l->rows && k <= l->rows; k++) {
        const int64_t next = offset_at(l, k);
        if (next < last)
            return false;
        last = next;
    }
    return last <= l->buffer[2].made;
}

void lun__ipc_load_run(lun_ipc_load *l)
{
    for (int k = 0; k < l->count && !l->wrong && !l->reason; k++)
        if (k || l->nulls)
            load_buffer(l, &l->buffer[k]);
    if (!l->wrong && !l->reason && l->way == LUN_IPC_OFFSETS && !are_offsets(l))
        l->wrong = "offsets of texts descend, or lie beyond their bytes";
    if (!l->wrong && !l->reason && l->way == LUN_IPC_VIEWS) {
        uint8_t *sizes = l->buffer[l->count].block = new_block(8 * (int64_t)l->count);
        if (!sizes)
            l->wrong = memory;
        for (int k = 2; sizes && k < l->count; k++)
            memcpy(sizes + 8 * (k - 2), &l->buffer[k].made, 8);
    }
}

void lun__ipc_load_free(lun_ipc_load *l)
{
    for (int k = 0; l->buffer && k <= l->count; k++)
        free(l->buffer[k].block);
    free(l->buffer);
    l->buffer = NULL;
}

void lun__ipc_load_array(const lun_ipc_load *l, const void **buffers, struct ArrowArray *out)
{
    const bool more = l->way == LUN_IPC_VIEWS;
    for (int k = 0; k < l->count + more; k++)
        buffers[k] = l->buffer[k].block;
    *out = (struct ArrowArray){.length = l->rows,
                               .null_count = l->nulls,
                               .n_buffers = l->count + more,
                               .buffers = buffers};
}

/* ---- joined ---------------------------------------------------------------------------------- */

static bool bit_at(const uint8_t *bits, int64_t k)
{
    return bits[k / 8] >> k % 8 & 1;
}

/* Bits of an array to those of all of them from bit `to` on; NULL: they are 1. */
static void add_bits(const uint8_t *from, int64_t n, uint8_t *bits, int64_t to)
{
    for (int64_t k = 0; k < n; k++)
        if (!from || bit_at(from, k))
            bits[(to + k) / 8] |= (uint8_t)(1 << (to + k) % 8);
}

/* Views of an array, whose buffers are numbered from `base` on then. */
static void add_views(const lun_ipc_load *l, int32_t base, uint8_t *to)
{
    for (int64_t k = 0; k < l->rows; k++) {
        lun_text_view v;
        memcpy(&v, l->buffer[1].block + 16 * k, sizeof v);
        if (v.length > (int32_t)sizeof v.as.in_place && v.as.far.buffer >= 0)
            v.as.far.buffer = v.as.far.buffer < l->count - 2 ? v.as.far.buffer + base : -1;
        memcpy(to + 16 * k, &v, sizeof v);
    }
}

/* Bytes of buffer k of `out`, of so many rows. */
static int64_t joined_bytes(const lun_ipc_load *list, int64_t count, const lun_ipc_load *out, int k)
{
    int64_t bytes = 0;
    if (k == 0 || (k == 1 && out->way == LUN_IPC_BITS))
        return (out->rows + 7) / 8;
    if (k == 1)
        return (out->rows + (out->way == LUN_IPC_OFFSETS)) * out->width;
    for (int64_t i = 0; i < count; i++) /* texts that offsets count */
        bytes += list[i].buffer[2].made;
    return bytes;
}

/* Rows of one of them behind `row`; of texts, their bytes behind `byte`. */
static void add_rows(const lun_ipc_load *l, lun_ipc_load *out, int64_t row, int64_t byte,
                     int32_t base)
{
    uint8_t *to = out->buffer[1].block;
    add_bits(l->nulls ? l->buffer[0].block : NULL, l->rows, out->buffer[0].block, row);
    if (l->way == LUN_IPC_BITS) {
        add_bits(l->buffer[1].block, l->rows, to, row);
    } else if (l->way == LUN_IPC_VIEWS) {
        add_views(l, base, to + 16 * row);
    } else if (l->way == LUN_IPC_OFFSETS) {
        for (int64_t k = 0; k < l->rows; k++) {
            const int64_t next = byte + offset_at(l, k + 1), first = byte + offset_at(l, k);
            memcpy(to + out->width * (row + k), &first, (size_t)out->width); /* the low bytes */
            memcpy(to + out->width * (row + k + 1), &next, (size_t)out->width);
        }
        memcpy(out->buffer[2].block + byte, l->buffer[2].block, (size_t)l->buffer[2].made);
    } else {
        memcpy(to + row * l->width, l->buffer[1].block, (size_t)(l->rows * l->width));
    }
}

/* Blocks of zeros; of views, the buffers of all, which change their owner. */
static bool make_joined(lun_ipc_load *list, int64_t count, lun_ipc_load *out, int64_t *bytes)
{
    int at = 2;
    const int own = out->way == LUN_IPC_VIEWS ? 2 : out->count;
    for (int k = 0; k < own; k++) {
        lun_ipc_buffer *b = &out->buffer[k];
        b->made = joined_bytes(list, count, out, k);
        *bytes += b->made + ALIGNED;
        b->block = new_block(b->made);
        if (!b->block)
            return false;
        memset(b->block, 0, (size_t)b->made);
    }
    for (int64_t i = 0; i < count && out->way == LUN_IPC_VIEWS; i++)
        for (int k = 2; k < list[i].count; k++) {
            out->buffer[at++] = list[i].buffer[k];
            list[i].buffer[k].block = NULL;
        }
    return true;
}

bool lun__ipc_load_fits(const lun_ipc_load *list, int64_t count)
{
    int64_t bytes = 0;
    for (int64_t k = 0; k < count; k++)
        bytes += list[k].way == LUN_IPC_OFFSETS ? list[k].buffer[2].made : 0;
    return bytes <= INT32_MAX || list->width == 8;
}

bool lun__ipc_load_join(lun_ipc_load *list, int64_t count, lun_ipc_load *out, int64_t *bytes)
{
    int64_t row = 0, byte = 0, base = 0;
    *out =
        (lun_ipc_load){.way = list->way, .width = list->width, .count = fixed_buffers(list->way)};
    for (int64_t k = 0; k < count; k++) {
        out->rows += list[k].rows;
        out->nulls += list[k].nulls;
        out->count += list[k].way == LUN_IPC_VIEWS ? list[k].count - 2 : 0;
    }
    out->buffer = calloc((size_t)out->count + 1, sizeof *out->buffer);
    if (!out->buffer || (out->count && !make_joined(list, count, out, bytes)))
        return false;
    for (int64_t k = 0; k < count && out->count; k++) {
        add_rows(&list[k], out, row, byte, (int32_t)base);
        row += list[k].rows;
        byte += list[k].way == LUN_IPC_OFFSETS ? list[k].buffer[2].made : 0;
        base += list[k].count - 2;
    }
    if (out->way == LUN_IPC_VIEWS) {
        uint8_t *sizes = out->buffer[out->count].block = new_block(8 * (int64_t)out->count);
        for (int k = 2; sizes && k < out->count; k++)
            memcpy(sizes + 8 * (k - 2), &out->buffer[k].made, 8);
        return sizes;
    }
    return true;
}
