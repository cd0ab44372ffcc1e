/* example.c - a backend as a plug-in, as small as one can be: it interprets kernels of loads,
 * operations, casts, stores and sums, one element at a time, in memory of its own, and leaves all
 * else to the native backend; see backend.h and docs/architecture/backends.md.
 *
 * Invariant: a buffer has its `magic`; what was not written of its memory is POISON, what stands on
 * both sides of it is as buffer_new made it, which buffer_free looks at. */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "backend_abi.h"
#include "base/account.h"
#include "base/layout/pad_rows.h"
#include "ir/combine_order.h"
#include "math/op_cell.h"

enum { BORDER = 64, DEVICES = 2, MEMORY = 1 << 30, MAGIC = 0x6578, POISON = 0xee, FENCE = 0xa5 };

struct lun_buffer {
    int magic;
    int64_t bytes;
    unsigned char before[BORDER], data[]; /* and BORDER bytes behind them */
};

struct lun_kernel {
    lun_ir ir;        /* a copy */
    uint64_t value[]; /* by instruction, of the index that runs */
};

static lun_status fail(const lun_services *s, lun_status status, const char *why)
{
    lun__strbuf_clear(s->error);
    lun__strbuf_printf(s->error, "backend example: %s", why);
    return status;
}

/* The operations with vector variants have the bits of these. */
static bool takes_instruction(const lun_ir_ins *x)
{
    if (x->kind == LUN_IR_OP)
        return lun__op_cell((lun_op)x->op, (lun_dtype)x->from, 0, NULL, NULL) &&
               !(lun__op_get((lun_op)x->op)->flags & LUN_OPF_VEC);
    if (x->kind == LUN_IR_REDUCE)
        return x->op < LUN_OP_COUNT && !x->with_index &&
               lun__op_cell((lun_op)x->op, (lun_dtype)x->dtype, 0, NULL, NULL);
    return x->kind == LUN_IR_ARG || x->kind == LUN_IR_CONST || x->kind == LUN_IR_INDEX ||
           x->kind == LUN_IR_LOAD || x->kind == LUN_IR_LOADU || x->kind == LUN_IR_CAST ||
           x->kind == LUN_IR_STORE;
}

static bool takes(void *at, const lun_work *w, int64_t *scratch)
{
    (void)at;
    *scratch = 0;
    if (w->kind != LUN_WORK_LAUNCH)
        return w->kind == LUN_WORK_COMBINE || w->kind == LUN_WORK_PAD ||
               w->kind == LUN_WORK_TRANSFER;
    const lun_ir *ir = w->is.run.kernel ? &w->is.run.kernel->ir : w->is.run.ir;
    bool all = ir->scan < 0 && !ir->threads && !ir->function_count;
    for (int i = 0; all && i < ir->count; i++)
        all = takes_instruction(&ir->ins[i]);
    return all;
}

static void release(void *at, lun_kernel *k)
{
    (void)at;
    lun__ir_free(&k->ir);
    free(k);
}

static lun_status build(void *at, const lun_ir *ir, const char *text, lun_kernel **out)
{
    lun_kernel *k = *out = calloc(1, sizeof *k + (size_t)ir->count * sizeof *k->value);
    (void)text;
    if (k && lun__ir_copy_plain(ir, &k->ir))
        return LUN_OK;
    free(k);
    return fail(at, LUN_ENOMEM, "out of memory");
}

static lun_status prepare(void *at, lun_kernel *k, lun_kernel_facts *out)
{
    (void)at, (void)k;
    *out = (lun_kernel_facts){0};
    return LUN_OK;
}

static lun_status source(void *at, const lun_ir *ir, lun_strbuf *out)
{
    (void)at;
    return lun__print_ir(ir, out);
}

static size_t bytes_of(const lun_kernel *k, int slot)
{
    return (size_t)lun__dtype_get((lun_dtype)k->ir.slots[slot].dtype)->bytes;
}

/* Where element *at of a slot is; NULL: it is the number *at itself. */
static void *address(const lun_kernel *k, const lun_launch *l, int slot, int64_t *at)
{
    const lun_stream *s = l->streams && l->streams[slot].layout ? &l->streams[slot] : NULL;
    *at = s ? lun__layout_offset(s->layout, s->origin + *at) : *at;
    return s && s->is_offsets ? NULL
                              : ((lun_buffer *)l->slots[slot])->data +
                                    (l->origin[slot] + *at) * (int64_t)bytes_of(k, slot);
}

static bool run_index(lun_kernel *k, lun_launch *l, int64_t i, lun_order_chunk *chunks)
{
    uint64_t *v = k->value;
    for (int n = 0; n < k->ir.count; n++) {
        const lun_ir_ins *x = &k->ir.ins[n];
        const uint64_t in[3] = {x->a < 0 ? 0 : v[x->a], x->b < 0 ? 0 : v[x->b],
                                x->c < 0 ? 0 : v[x->c]};
        const int slot = (int)x->imm;
        int64_t element = x->kind == LUN_IR_LOADU ? 0 : i;
        if (x->kind == LUN_IR_OP && lun__op_get((lun_op)x->op)->flags & LUN_OPF_TRAP0 && !in[1] &&
            lun__dtype_is_integer((lun_dtype)x->from)) {
            l->trap = n;
            return false;
        }
        if (x->kind == LUN_IR_STORE)
            memcpy(address(k, l, slot, &element), in, bytes_of(k, slot));
        else if (x->kind == LUN_IR_REDUCE)
            lun__order_chunk_push(&chunks[slot], in[0]);
        else if (x->kind == LUN_IR_OP)
            (void)lun__op_cell((lun_op)x->op, (lun_dtype)x->from, 0, in, &v[n]);
        else if (x->kind == LUN_IR_CAST)
            v[n] = lun__dtype_cell_cast((lun_dtype)x->dtype, (lun_dtype)x->from, in[0]);
        else if (x->kind == LUN_IR_ARG || x->kind == LUN_IR_CONST)
            v[n] = x->kind == LUN_IR_ARG ? l->args[slot] : (uint64_t)x->imm;
        else
            v[n] = x->kind == LUN_IR_INDEX ? (uint64_t)i : 0;
        if (x->kind == LUN_IR_LOAD || x->kind == LUN_IR_LOADU) {
            const void *from = address(k, l, slot, &element);
            memcpy(&v[n], from ? from : &element, from ? bytes_of(k, slot) : sizeof element);
        }
    }
    return true;
}

static lun_status launch(const lun_services *s, lun_kernel *k, lun_launch *l)
{
    lun_order_chunk chunks[LUN_IR_SINKS];
    l->trap = -1;
    s->stats->launches += l->count > 0;
    for (int n = 0; n < k->ir.slot_count; n++)
        if (l->slots[n] && ((const lun_buffer *)l->slots[n])->magic != MAGIC)
            return fail(s, LUN_EBACKEND, "a slot is none of its buffers");
    for (int64_t i = 0; i < l->count; i++) {
        if (i % LUN_CHUNK == 0 && lun__backend_stop_requested(s))
            return fail(s, LUN_ECANCEL, "interrupted");
        for (int n = 0; i % LUN_CHUNK == 0 && n < k->ir.count; n++)
            if (k->ir.ins[n].kind == LUN_IR_REDUCE)
                lun__order_chunk_begin(&chunks[k->ir.ins[n].imm], (lun_op)k->ir.ins[n].op,
                                       (lun_dtype)k->ir.ins[n].dtype);
        if (!run_index(k, l, l->first + i, chunks))
            return LUN_EZERO;
        for (int r = 0; ((i + 1) % LUN_CHUNK == 0 || i + 1 == l->count) && r < k->ir.result_count;
             r++)
            l->partials[i / LUN_CHUNK * k->ir.result_count + r] = lun__order_chunk_end(&chunks[r]);
    }
    return LUN_OK;
}

/* Row j of cells becomes the combination of rows 2j and 2j + 1. */
static void combine(const lun_kernel *k, uint64_t *cells, int64_t pairs)
{
    const int64_t row = k->ir.result_count;
    for (int n = 0; n < k->ir.count; n++)
        for (int64_t j = 0; k->ir.ins[n].kind == LUN_IR_REDUCE && j < pairs; j++) {
            const lun_ir_ins *by = &k->ir.ins[n];
            const uint64_t *at = cells + 2 * j * row + by->imm, x[3] = {at[0], at[row], 0};
            (void)lun__op_cell((lun_op)by->op, (lun_dtype)by->dtype, 0, x,
                               &cells[j * row + by->imm]);
        }
}

static void pad(const lun_work_pad *w)
{
    const lun_layout all = lun__layout_right(w->pad->rank, w->pad->extent);
    const lun_pad_box box = lun__pad_box(w->pad, &all);
    lun__pad_read(w->pad, &all, &box, w->from->data + w->origin * w->bytes, w->bytes, 0,
                  lun__layout_count(&all), w->to->data);
}

static void transfer(const lun_transfer *t)
{
    for (int64_t i = 0; i < lun__layout_count(&t->at); i++) {
        const int64_t at = t->to_origin + lun__layout_offset(&t->at, i);
        const void *from = &t->cell;
        if (t->from)
            from = t->from->data + (t->from_origin + lun__layout_offset(&t->of, i)) * t->bytes;
        memcpy(t->to->data + at * t->bytes, from, (size_t)t->bytes);
    }
}

static lun_status begin(void *at, const lun_work *w, lun_work_mark *mark)
{
    (void)mark;
    if (w->kind == LUN_WORK_LAUNCH)
        return launch(at, w->is.run.kernel, w->is.run.launch);
    if (w->kind == LUN_WORK_COMBINE)
        combine(w->is.run.kernel, w->is.run.cells, w->is.run.pairs);
    else if (w->kind == LUN_WORK_PAD)
        pad(&w->is.pad);
    else
        transfer(w->is.transfer);
    return LUN_OK;
}

static lun_status buffer_new(void *at, int64_t bytes, lun_buffer **out)
{
    const lun_services *s = at;
    if (!lun__account_take_elements(s->account, bytes))
        return fail(s, LUN_ELIMIT, "memory limit reached");
    lun_buffer *b = *out = malloc(sizeof *b + (size_t)bytes + BORDER);
    if (!b) {
        lun__account_give_elements(s->account, bytes);
        return fail(s, LUN_ENOMEM, "out of memory");
    }
    b->magic = MAGIC;
    b->bytes = bytes;
    memset(b->before, FENCE, sizeof b->before);
    memset(b->data, POISON, (size_t)bytes);
    memset(b->data + bytes, FENCE, BORDER);
    return LUN_OK;
}

static void buffer_free(void *at, lun_buffer *b)
{
    for (int i = 0; b && i < BORDER; i++)
        if (b->before[i] != FENCE || b->data[b->bytes + i] != FENCE)
            abort(); /* what stands beside it is not its user's */
    lun__account_give_elements(((const lun_services *)at)->account, b ? b->bytes : 0);
    free(b);
}

static lun_status write(void *at, lun_buffer *to, int64_t offset, const void *host, int64_t bytes,
                        lun_work_mark *mark)
{
    (void)mark;
    memcpy(to->data + offset, host, (size_t)bytes);
    ((const lun_services *)at)->stats->bytes_to_device += bytes;
    return LUN_OK;
}

static lun_status read(void *at, lun_buffer *from, int64_t offset, void *host, int64_t bytes,
                       lun_work_mark *mark)
{
    (void)mark;
    memcpy(host, from->data + offset, (size_t)bytes);
    ((const lun_services *)at)->stats->bytes_to_host += bytes;
    return LUN_OK;
}

static lun_status copy(void *at, lun_buffer *to, int64_t to_offset, void *other, lun_buffer *from,
                       int64_t from_offset, int64_t bytes, bool *done)
{
    (void)at, (void)other;
    memcpy(to->data + to_offset, from->data + from_offset, (size_t)bytes);
    *done = true;
    return LUN_OK;
}

static int devices(const lun_services *services, void *at, lun_device *rows, int room)
{
    (void)services;
    for (int i = 0; i < DEVICES && i < room; i++)
        rows[i] = (lun_device){.name = "an interpreter",
                               .kind = "cpu",
                               .backend = "example",
                               .memory = MEMORY,
                               .units = 1};
    return at ? DEVICES : 0;
}

static lun_status open_device(const lun_services *services, const lun_opening *how, void **out,
                              lun_abilities *can)
{
    *can = (lun_abilities){.memory_bytes = MEMORY};
    *out = how->device > DEVICES ? NULL : (void *)(uintptr_t)services;
    return *out ? LUN_OK : fail(services, LUN_EBACKEND, "it has 2 devices");
}

static void close_device(void *at)
{
    (void)at;
}

static const lun_backend backend = {LUN_BACKEND_ABI,
                                    sizeof backend,
                                    "example",
                                    0,
                                    NULL,
                                    devices,
                                    open_device,
                                    close_device,
                                    build,
                                    release,
                                    prepare,
                                    source,
                                    takes,
                                    begin,
                                    lun__backend_ended_at_once,
                                    buffer_new,
                                    buffer_free,
                                    write,
                                    read,
                                    copy,
                                    NULL,
                                    NULL};

__attribute__((visibility("default"))) lun_backend_entry lunarray_backend;
const lun_backend *lunarray_backend(uint32_t abi, const lun_host *host)
{
    return abi == LUN_BACKEND_ABI && host->size == sizeof *host ? &backend : NULL;
}
