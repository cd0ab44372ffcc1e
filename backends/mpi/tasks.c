/* tasks.c - what may last on a rank that serves is done by another thread, while this one listens;
 * products of matrices in its memory; see desk.h.  Knows no kernel. */
#include <stdlib.h>
#include <string.h>

#include "mpi/desk.h"
#include "table/dtype.h"

/* ---- products -------------------------------------------------------------------------------- */

/* An operand of so many rows and columns. */
static lun_desk_buffer *take_matrix(lun_desk *d, lun_bytes *in, lun_matrix *x)
{
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    x->dtype = (lun_dtype)lun__bytes_take_u8(in);
    x->row = lun__bytes_take_i64(in);
    x->column = lun__bytes_take_i64(in);
    x->batch = lun__bytes_take_layout(in);
    in->bad |= x->dtype >= LUN_DTYPE_COUNT;
    return b;
}

static bool matrix_fits(const lun_desk_buffer *b, const lun_matrix *x, int64_t rows,
                        int64_t columns, int64_t count)
{
    lun_layout all = {.rank = 2,
                      .offset = x->batch.offset,
                      .extent = {rows, columns},
                      .stride = {x->row, x->column}};
    if (lun__layout_count(&x->batch) != count || x->batch.rank > LUN_LAYOUT_RANK - 2)
        return false;
    for (int k = 0; k < x->batch.rank; k++, all.rank++) {
        all.extent[all.rank] = x->batch.extent[k];
        all.stride[all.rank] = x->batch.stride[k];
    }
    return lun__desk_layout_fits(b, 0, lun__dtype_get(x->dtype)->bytes, &all);
}

/* What lun_product.dtype may be. */
static bool is_product_of(lun_dtype t)
{
    return lun__dtype_is_plain_float(t) || (lun__dtype_is_integer(t) && lun__dtype_bits(t) == 64);
}

static bool product_fits(const lun_product *p, const lun_desk_buffer *a, const lun_desk_buffer *b,
                         const lun_desk_buffer *c)
{
    int64_t n;
    const int bytes = p->dtype < LUN_DTYPE_COUNT ? lun__dtype_get(p->dtype)->bytes : 1;
    return p->dtype < LUN_DTYPE_COUNT && is_product_of(p->dtype) &&
           !__builtin_mul_overflow(p->rows, p->columns, &n) &&
           !__builtin_mul_overflow(n, p->count, &n) && lun__desk_reaches(c, 0, bytes, 0, n - 1) &&
           matrix_fits(a, &p->a, p->rows, p->inner, p->count) &&
           matrix_fits(b, &p->b, p->inner, p->columns, p->count);
}

lun_status lun__desk_work(lun_desk *d, int64_t room, void **scratch, double steps,
                          lun_hands_work *does, void *ctx)
{
    const double few = 1e6;
    void *memory = room ? malloc((size_t)room) : NULL; /* NULL: none is needed */
    if (room && !memory)
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    *scratch = memory;
    lun_status s =
        steps < few ? does(ctx) : lun__hands_do(&d->hands, does, ctx, d->listen, d->own.tick_ctx);
    free(memory);
    return s;
}

/* What is done in the thread that has time for it. */
typedef struct work {
    lun_desk *d;
    lun_product *product;
} work;

static lun_status multiply(void *ctx)
{
    const work *w = ctx;
    const lun_work asked = {.kind = LUN_WORK_PRODUCT, .is.product = w->product};
    return lun__backend_work_do(w->d->by, w->d->state, &asked);
}

lun_status lun__desk_product(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_product p = {.dtype = (lun_dtype)lun__bytes_take_u8(in)};
    int64_t *const extents[] = {&p.rows, &p.columns, &p.inner, &p.count};
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++)
        *extents[k] = lun__bytes_take_within(in, 1, INT64_MAX);
    lun_desk_buffer *a = take_matrix(d, in, &p.a), *b = take_matrix(d, in, &p.b);
    lun_desk_buffer *c = lun__desk_buffer(d, in);
    *answers = true;
    if (in->bad || a == c || b == c)
        return lun__desk_strange(d, in);
    lun_status s = lun__desk_ready(d, a);
    if (s == LUN_OK)
        s = lun__desk_ready(d, b);
    if (s == LUN_OK && !c->data && !c->buffer)
        return lun__desk_check(d, &c->flaw);
    if (s != LUN_OK)
        return lun__desk_done(d, c, s);
    if (!product_fits(&p, a, b, c))
        return lun__desk_strange(d, in);
    const bool device = d->by->buffer_new != NULL;
    p.a.data = device ? (void *)a->buffer : a->data;
    p.b.data = device ? (void *)b->buffer : b->data;
    p.c = device ? (void *)c->buffer : c->data;
    int64_t room;
    const lun_work asked = {.kind = LUN_WORK_PRODUCT, .is.product = &p};
    s = !d->by->takes(d->state, &asked, &room)
            ? lun__desk_fail(d, LUN_EBACKEND, "it multiplies no matrices")
            : lun__desk_work(d, room, &p.scratch,
                             (double)p.rows * (double)p.columns * (double)p.inner, multiply,
                             &(work){d, &p});
    return lun__desk_done(d, c, s);
}
