/* works.c - products of matrices and algorithms that a rank which serves does in its own memory:
 * they begin there; and the ends of these and of launches; see client.h.  Knows nothing of what
 * they compute. */
#include <stdlib.h>
#include <string.h>

#include "mpi/client.h"
#include "table/dtype.h"

/* What is begun: behind what others ask for meanwhile, and with what other ranks begin. */
static lun_status begin(lun_mpi *m, lun_mpi_word word)
{
    lun_status s = lun__mpi_end(m); /* one at a time */
    lun__mpi_join_launch(m);
    lun__bytes_put_u8(&m->launched, word);
    return s;
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static int64_t bytes_of(const lun_column *c)
{
    return c->n * lun__dtype_get(c->dtype)->bytes;
}

/* operand: its elements are sent, if they are here. */
static void put_column(lun_mpi *m, const lun_column *c, int64_t origin, bool operand)
{
    const lun_buffer *b = c->here ? NULL : c->data;
    lun__bytes_put_i32(&m->launched, !c->data ? LUN_MPI_NONE : c->here ? LUN_MPI_HERE : b->number);
    if (!c->data)
        return;
    lun__bytes_put_u8(&m->launched, c->dtype);
    lun__bytes_put_i64(&m->launched, c->n);
    if (!c->here)
        lun__bytes_put_i64(&m->launched, origin);
    else if (operand)
        lun__bytes_put_bytes(&m->launched, c->data, bytes_of(c));
}

/* A result as the answer has it. */
static void take_column(lun_bytes *in, lun_column *c)
{
    int64_t count = 0;
    if (!c->data)
        return;
    c->n = lun__bytes_take_within(in, 0, c->n);
    const void *elements = c->here ? lun__bytes_take_bytes(in, &count) : NULL;
    in->bad |= c->here && (!elements || count != bytes_of(c));
    if (c->here && !in->bad && count)
        memcpy(c->data, elements, (size_t)count);
}

bool lun__mpi_takes(lun_algorithm which)
{
    switch (which) {
    case LUN_ALGORITHM_KEEP:
    case LUN_ALGORITHM_PLACES:
    case LUN_ALGORITHM_SORT:
    case LUN_ALGORITHM_ARGSORT:
    case LUN_ALGORITHM_TOPK:
    case LUN_ALGORITHM_UNIQUE:
    case LUN_ALGORITHM_HISTOGRAM:
    case LUN_ALGORITHM_DIGITS:
    case LUN_ALGORITHM_ORDERED:
    case LUN_ALGORITHM_CUTS:
    case LUN_ALGORITHM_MERGED:
        return true;
    default:
        return false;
    }
}

lun_status lun__mpi_algorithm(lun_mpi *m, lun_algorithm_run *r, lun_work_mark *mark)
{
    lun_status s = begin(m, LUN_MPI_ALGORITHM);
    if (s != LUN_OK)
        return s;
    lun__bytes_put_u8(&m->launched, r->which);
    lun__bytes_put_i64(&m->launched, r->segment);
    lun__bytes_put_i64(&m->launched, r->first);
    lun__bytes_put_i64(&m->launched, r->every);
    for (int k = 0; k < LUN_ALGORITHM_OPTIONS; k++)
        lun__bytes_put_i64(&m->launched, (int64_t)r->option[k]);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++)
        put_column(m, &r->in[k], r->origin[k], true);
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++)
        put_column(m, &r->out[k], r->to_origin[k], false);
    m->algorithm = r;
    m->under_way = true;
    *mark = m->working = ++m->marked;
    return LUN_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

static void put_matrix(lun_mpi *m, const lun_matrix *x)
{
    lun__bytes_put_i32(&m->launched, ((const lun_buffer *)x->data)->number);
    lun__bytes_put_u8(&m->launched, x->dtype);
    lun__bytes_put_i64(&m->launched, x->row);
    lun__bytes_put_i64(&m->launched, x->column);
    lun__bytes_put_layout(&m->launched, &x->batch);
}

lun_status lun__mpi_product(lun_mpi *m, const lun_product *p, lun_work_mark *mark)
{
    const int64_t extents[] = {p->rows, p->columns, p->inner, p->count};
    lun_status s = begin(m, LUN_MPI_PRODUCT);
    if (s != LUN_OK)
        return s;
    lun__bytes_put_u8(&m->launched, p->dtype);
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++)
        lun__bytes_put_i64(&m->launched, extents[k]);
    put_matrix(m, &p->a);
    put_matrix(m, &p->b);
    m->product = p->c;
    lun__bytes_put_i32(&m->launched, m->product->number);
    m->under_way = true;
    *mark = m->working = ++m->marked;
    return LUN_OK;
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* The results of an algorithm, or a product that there is. */
static lun_status take_done(lun_mpi *m, lun_status s, lun_mpi_answer *a, lun_algorithm_run *r)
{
    if (r)
        r->failed = a->trap_value;
    if (s != LUN_OK)
        return s;
    for (int k = 0; r && k < LUN_ALGORITHM_RESULTS; k++)
        take_column(&a->rest, &r->out[k]);
    if (a->rest.bad)
        return lun__mpi_strange(m, a);
    free(a->bytes);
    return LUN_OK;
}

lun_status lun__mpi_end(lun_mpi *m)
{
    lun_mpi_answer a;
    lun_launch *l = m->launch;
    lun_algorithm_run *r = m->algorithm;
    if (!l && !r && !m->product)
        return LUN_OK;
    m->launch = NULL;
    m->algorithm = NULL;
    m->product = NULL;
    lun_status s = lun__mpi_sets_out(m) ? lun__mpi_send(m) : LUN_OK;
    if (m->unsent != LUN_OK) {
        m->unsent = LUN_OK;
        m->under_way = false;
        return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    }
    if (l && (s != LUN_OK || !m->under_way))
        return s;
    s = lun__mpi_hear_launch(m, &a); /* what could not be sent may have been another rank's */
    return l ? lun__mpi_take_launch(m, s, &a, l) : take_done(m, s, &a, r);
}
