/* kernel.c - kernels of a rank that serves, and their runs; see client.h.  A run is answered where
 * it gives results, may fail or may be long; else what it computes is on its way.  Knows nothing of
 * what a kernel computes. */
#include <stdlib.h>
#include <string.h>

#include "ir/combine_order.h"
#include "ir/packed_ir.h"
#include "mpi/client.h"

/* Whether a run is to be waited for, though it gives no cells. */
static bool may_last(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_LOOP || ir->ins[i].kind == LUN_IR_CALL ||
            lun__ir_may_fail(ir, &ir->ins[i]))
            return true;
    return ir->function_count > 0 || ir->threads > 0;
}

static lun_status put_ir(lun_mpi *m, const lun_ir *ir)
{
    lun_strbuf packed = LUN_STRBUF_INIT;
    lun_status s = lun__packed_ir_write(ir, &packed);
    if (s == LUN_OK)
        lun__bytes_put_bytes(&m->out, packed.text, (int64_t)packed.length);
    lun__strbuf_free(&packed);
    return s == LUN_OK ? s : lun__mpi_fail(m, s, "a kernel cannot be sent");
}

lun_status lun__mpi_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    lun_mpi *m = state;
    lun_kernel *k = calloc(1, sizeof *k);
    (void)text; /* the rank makes its own */
    if (!k)
        return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    k->waits = may_last(ir);
    k->cost = lun__ir_cost(ir);
    k->number = lun__ir_copy_plain(ir, &k->ir) ? lun__mpi_number(&m->kernels) : -1;
    if (k->number < 0) {
        lun__ir_free(&k->ir);
        free(k);
        return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    }
    const bool answered = ir->function_count > 0; /* a C text may not compile */
    lun__mpi_ask(m, LUN_MPI_BUILD);
    lun__bytes_put_i32(&m->out, k->number);
    lun__bytes_put_i32(&m->out, m->services->math);
    lun__bytes_put_u8(&m->out, answered);
    lun_status s = put_ir(m, ir);
    if (s == LUN_OK)
        s = answered ? lun__mpi_hear_status(m) : lun__mpi_asked(m);
    if (s == LUN_OK)
        *out = k;
    else
        lun__mpi_release(m, k);
    return s;
}

void lun__mpi_release(void *state, lun_kernel *k)
{
    lun_mpi *m = state;
    lun__mpi_ask(m, LUN_MPI_RELEASE);
    lun__bytes_put_i32(&m->out, k->number);
    (void)lun__mpi_asked(m);
    lun__mpi_number_free(&m->kernels, k->number);
    lun__ir_free(&k->ir);
    free(k);
}

lun_status lun__mpi_prepare(void *state, lun_kernel *k, lun_kernel_facts *out)
{
    lun_mpi *m = state;
    *out = (lun_kernel_facts){0};
    lun__mpi_ask(m, LUN_MPI_PREPARE);
    lun__bytes_put_i32(&m->out, k->number);
    return lun__mpi_hear_status(m);
}

lun_status lun__mpi_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    lun_mpi *m = state;
    lun_mpi_answer a;
    int64_t count;
    lun__mpi_ask(m, LUN_MPI_SOURCE);
    lun_status s = put_ir(m, ir);
    if (s == LUN_OK)
        s = lun__mpi_hear(m, &a);
    if (s != LUN_OK)
        return s;
    const char *text = lun__bytes_take_bytes(&a.rest, &count);
    if (!text)
        return lun__mpi_strange(m, &a);
    lun__strbuf_add(out, text, (size_t)count);
    free(a.bytes);
    return out->failed ? lun__mpi_fail(m, LUN_ENOMEM, "out of memory") : LUN_OK;
}

/* ---- launches -------------------------------------------------------------------------------- */

static lun_mpi_slot form_of(const lun_stream *from)
{
    if (!from)
        return LUN_MPI_DENSE;
    return from->is_offsets ? LUN_MPI_PLACES : from->read ? LUN_MPI_LAYOUT : LUN_MPI_LINES;
}

static void put_slot(lun_strbuf *to, const lun_launch *l, int i)
{
    const lun_stream *from = l->streams && l->streams[i].layout ? &l->streams[i] : NULL;
    const lun_buffer *b = l->slots[i];
    lun__bytes_put_i32(to, b ? b->number : -1);
    lun__bytes_put_i64(to, l->origin[i]);
    lun__bytes_put_i64(to, l->room[i]);
    lun__bytes_put_u8(to, form_of(from));
    if (from) {
        lun__bytes_put_i64(to, from->origin);
        lun__bytes_put_layout(to, from->layout);
    }
}

/* slots: with those that a combination may read, and what a run needs. */
static void put_launch(lun_strbuf *to, const lun_kernel *k, const lun_launch *l, bool run)
{
    lun__bytes_put_i32(to, k->number);
    for (int i = 0; i < k->ir.arg_count; i++)
        lun__bytes_put_i64(to, (int64_t)l->args[i]);
    for (int i = 0; i < k->ir.slot_count; i++)
        if (run || k->ir.slots[i].role == LUN_SLOT_ARRAY)
            put_slot(to, l, i);
    if (!run)
        return;
    const int64_t numbers[] = {l->n, l->first, l->count, l->segment, l->turns, l->bytes, l->chunk};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        lun__bytes_put_i64(to, numbers[i]);
    lun__bytes_put_i32(to, l->workgroup);
    lun__bytes_put_u8(to, l->in_order);
    lun__bytes_put_u8(to, l->stage);
    if (l->stage > LUN_STAGE_TOTALS)
        lun__bytes_put_bytes(to, l->partials,
                             lun__order_chunks(&k->ir, l->count) * (int64_t)sizeof *l->partials);
}

/* Cells that it gives. */
static int64_t cells_of(const lun_ir *ir, const lun_launch *l)
{
    const int64_t rows = l->segment ? l->count / l->segment : lun__order_chunks(ir, l->count);
    return l->stage == LUN_STAGE_TOTALS || l->stage == LUN_STAGE_CARRIES ? rows
                                                                         : rows * ir->result_count;
}

/* Takes the cells of an answer. */
static lun_status take_cells(lun_mpi *m, lun_mpi_answer *a, uint64_t *cells, int64_t count)
{
    int64_t bytes;
    const void *from = lun__bytes_take_bytes(&a->rest, &bytes);
    if (!from || bytes != count * (int64_t)sizeof *cells)
        return lun__mpi_strange(m, a);
    if (bytes)
        memcpy(cells, from, (size_t)bytes);
    free(a->bytes);
    return LUN_OK;
}

/* The answer with cells, or a trap, that was heard. */
static lun_status note_cells(lun_mpi *m, lun_status s, lun_mpi_answer *a, lun_launch *l,
                             uint64_t *cells, int64_t count)
{
    l->trap = a->trap;
    l->trap_value = a->trap_value;
    return s == LUN_OK ? take_cells(m, a, cells, count) : s;
}

/* Whether the rank has so much to do by now that a run is to be answered: runs without an answer
 * are not stopped, for nobody would hear of it. */
static bool is_much(lun_mpi *m, const lun_kernel *k, const lun_launch *l)
{
    const double much = 1 << 24; /* plain operations: milliseconds, of the interpreter some tens */
    m->unheard_work += (double)l->count * (double)(k->cost > 0 ? k->cost : 1);
    return m->unheard_work > much;
}

lun_status lun__mpi_submit(lun_mpi *m, lun_kernel *k, lun_launch *l, lun_work_mark *mark)
{
    const bool much = is_much(m, k, l);
    const bool answered = much || k->waits || m->loads || cells_of(&k->ir, l);
    l->trap = -1;
    l->trap_value = 0;
    if (l->count <= 0)
        return LUN_OK;
    if (cells_of(&k->ir, l) > LUN_MPI_CELLS)
        return lun__mpi_fail(m, LUN_ELIMIT,
                             "a reduction of so many elements is too long for one rank");
    lun__backend_count(&m->services->stats->launches);
    m->loads = false;
    if (m->launch || m->algorithm || m->product)
        lun__mpi_join_launch(m);
    lun__bytes_put_u8(&m->launched, LUN_MPI_RUN);
    put_launch(&m->launched, k, l, true);
    lun__bytes_put_u8(&m->launched, answered);
    m->under_way = answered;
    m->kernel = k;
    m->launch = l;
    *mark = m->working = ++m->marked;
    return LUN_OK;
}

lun_status lun__mpi_take_launch(lun_mpi *m, lun_status s, lun_mpi_answer *a, lun_launch *l)
{
    return note_cells(m, s, a, l, l->partials, cells_of(&m->kernel->ir, l));
}

lun_status lun__mpi_combine(lun_mpi *m, const lun_work_run *w)
{
    const int64_t row = w->kernel->ir.result_count;
    lun__mpi_ask(m, LUN_MPI_COMBINE);
    put_launch(&m->out, w->kernel, w->launch, false);
    lun__bytes_put_i64(&m->out, w->pairs);
    lun__bytes_put_bytes(&m->out, w->cells, 2 * w->pairs * row * (int64_t)sizeof *w->cells);
    lun_mpi_answer a;
    lun_status s = lun__mpi_hear(m, &a);
    return note_cells(m, s, &a, w->launch, w->cells, w->pairs * row);
}
