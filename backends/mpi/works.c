/* works.c - products of matrices and algorithms that a rank which serves does in its own memory:
 * they begin there, and settle waits for their ends; see client.h.  Knows nothing of what they
 * compute. */
#include <stdlib.h>

#include "mpi/client.h"

/* What is begun: behind what others ask for meanwhile, and with what other ranks begin. */
static lun_status begin(lun_mpi *m, lun_mpi_word word)
{
    lun_status s = lun__mpi_settle(m); /* one at a time */
    lun__mpi_join_launch(m);
    lun__put_u8(&m->launched, word);
    return s;
}

lun_status lun__mpi_settle(void *state)
{
    lun_mpi *m = state;
    lun_mpi_answer a;
    lun_algorithm_run *r = m->algorithm;
    if (!r && !m->product)
        return LUN_OK;
    m->algorithm = NULL;
    m->product = NULL;
    if (m->launched.length)
        (void)lun__mpi_send(m); /* which may fail for another rank */
    if (m->unsent != LUN_OK) {
        m->unsent = LUN_OK;
        m->under_way = false;
        return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    }
    lun_status s = lun__mpi_hear_launch(m, &a);
    if (r)
        r->failed = a.trap_value;
    if (s != LUN_OK)
        return s;
    for (int k = 0; r && k < LUN_ALGORITHM_RESULTS; k++)
        if (r->out[k].data)
            r->out[k].n = lun__take_within(&a.rest, 0, r->out[k].n);
    if (a.rest.bad)
        return lun__mpi_strange(m, &a);
    free(a.bytes);
    return LUN_OK;
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static void put_column(lun_mpi *m, const lun_column *c, int64_t origin)
{
    const lun_buffer *b = c->data;
    lun__put_i32(&m->launched, b ? b->number : -1);
    if (!b)
        return;
    lun__put_u8(&m->launched, c->dtype);
    lun__put_i64(&m->launched, c->n);
    lun__put_i64(&m->launched, origin);
}

bool lun__mpi_takes(void *state, lun_algorithm which)
{
    const lun_mpi *m = state;
    return m->takes && (which == LUN_ALGORITHM_KEEP || which == LUN_ALGORITHM_PLACES);
}

lun_status lun__mpi_algorithm(void *state, lun_algorithm_run *r)
{
    lun_mpi *m = state;
    lun_status s = begin(m, LUN_MPI_ALGORITHM);
    if (s != LUN_OK)
        return s;
    lun__put_u8(&m->launched, r->which);
    lun__put_i64(&m->launched, r->line);
    lun__put_i64(&m->launched, r->first);
    for (int k = 0; k < LUN_ALGORITHM_OPTIONS; k++)
        lun__put_i64(&m->launched, (int64_t)r->option[k]);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++)
        put_column(m, &r->in[k], r->origin[k]);
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++)
        put_column(m, &r->out[k], 0);
    m->algorithm = r;
    m->under_way = true;
    return LUN_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

static void put_matrix(lun_mpi *m, const lun_matrix *x)
{
    lun__put_i32(&m->launched, ((const lun_buffer *)x->data)->number);
    lun__put_u8(&m->launched, x->dtype);
    lun__put_i64(&m->launched, x->row);
    lun__put_i64(&m->launched, x->column);
    lun__put_layout(&m->launched, &x->batch);
}

int64_t lun__mpi_product_room(void *state, const lun_product *p)
{
    const lun_mpi *m = state;
    (void)p;
    return m->multiplies ? 0 : -1;
}

lun_status lun__mpi_product(void *state, const lun_product *p)
{
    lun_mpi *m = state;
    const int64_t extents[] = {p->rows, p->columns, p->inner, p->count};
    lun_status s = begin(m, LUN_MPI_PRODUCT);
    if (s != LUN_OK)
        return s;
    lun__put_u8(&m->launched, p->dtype);
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++)
        lun__put_i64(&m->launched, extents[k]);
    put_matrix(m, &p->a);
    put_matrix(m, &p->b);
    m->product = p->c;
    lun__put_i32(&m->launched, m->product->number);
    m->under_way = true;
    return LUN_OK;
}
