/* tasks.c - products of matrices and algorithms in the memory of a rank that serves; see desk.h.
 * Those that may last are done by another thread, while this one listens.  Knows no kernel. */
#include <stdlib.h>
#include <string.h>

#include "mpi/desk.h"
#include "table/dtype.h"

/* ---- products -------------------------------------------------------------------------------- */

/* An operand of so many rows and columns. */
static lun_desk_buffer *take_matrix(lun_desk *d, lun_bytes *in, lun_matrix *x)
{
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    x->dtype = (lun_dtype)lun__take_u8(in);
    x->row = lun__take_i64(in);
    x->column = lun__take_i64(in);
    x->batch = lun__take_layout(in);
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

/* What is done in the thread that has time for it. */
typedef struct work {
    lun_desk *d;
    lun_product *product;
    lun_algorithm_run *run;
} work;

static lun_status multiply(void *ctx)
{
    const work *w = ctx;
    return w->d->by->product(w->d->state, w->product);
}

static lun_status take(void *ctx)
{
    const work *w = ctx;
    return w->d->by->algorithm(w->d->state, w->run);
}

/* Does it, with so many bytes of memory beside; `steps`, about, are few or may last. */
static lun_status do_work(lun_desk *d, int64_t room, double steps, lun_hands_work *does, work *w)
{
    const double few = 1e6;
    void *scratch = room ? malloc((size_t)room) : NULL; /* NULL: none is needed */
    if (room && !scratch)
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    *(w->product ? &w->product->scratch : &w->run->scratch) = scratch;
    lun_status s =
        steps < few ? does(w) : lun__hands_do(&d->hands, does, w, d->listen, d->own.tick_ctx);
    free(scratch);
    return s;
}

lun_status lun__desk_product(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_product p = {.dtype = (lun_dtype)lun__take_u8(in)};
    int64_t *const extents[] = {&p.rows, &p.columns, &p.inner, &p.count};
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++)
        *extents[k] = lun__take_within(in, 1, INT64_MAX);
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
    const int64_t room = d->by->product_room(d->state, &p);
    s = room < 0 ? lun__desk_fail(d, LUN_EBACKEND, "it multiplies no matrices")
                 : do_work(d, room, (double)p.rows * (double)p.columns * (double)p.inner, multiply,
                           &(work){.d = d, .product = &p});
    return lun__desk_done(d, c, s);
}

/* ---- algorithms ------------------------------------------------------------------------------ */

/* A column of the dtype of its own and so many elements at most; NULL: there is none. */
static lun_desk_buffer *take_column(lun_desk *d, lun_bytes *in, lun_column *c)
{
    lun_bytes ahead = *in;
    *c = (lun_column){.n = 0};
    if (lun__take_i32(&ahead) == -1) {
        *in = ahead;
        return NULL;
    }
    lun_desk_buffer *b = lun__desk_buffer(d, in);
    const unsigned dtype = lun__take_u8(in);
    c->n = lun__take_within(in, 0, INT64_MAX / 8);
    const int64_t origin = lun__take_within(in, 0, INT64_MAX / 8);
    in->bad |= dtype >= LUN_DTYPE_COUNT;
    if (in->bad)
        return NULL;
    c->dtype = (lun_dtype)dtype;
    const int64_t bytes = lun__dtype_get(c->dtype)->bytes;
    in->bad = b->flaw.status == LUN_OK && !lun__desk_fits(b, origin * bytes, c->n * bytes);
    c->data = b->data ? b->data + origin * bytes : NULL;
    return b;
}

/* Whether the columns are what the algorithm takes and gives: of the elements, and of a bool for
 * each, those where it is true, or their places. */
static bool run_fits(const lun_algorithm_run *r, lun_desk_buffer *const *from,
                     lun_desk_buffer *const *to)
{
    const bool keeps = r->which == LUN_ALGORITHM_KEEP;
    const int mask = keeps ? 1 : 0;
    const lun_dtype gives = keeps ? r->in[0].dtype : LUN_I64;
    return (keeps || r->which == LUN_ALGORITHM_PLACES) && !r->line && from[0] && from[mask] &&
           !from[mask + 1] && lun__dtype_is_bool(r->in[mask].dtype) &&
           r->in[mask].n == r->in[0].n && to[0] && !to[1] && r->out[0].dtype == gives &&
           r->out[0].n >= r->in[0].n;
}

lun_status lun__desk_algorithm(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_algorithm_run r = {.which = (lun_algorithm)lun__take_u8(in)};
    lun_desk_buffer *from[LUN_ALGORITHM_OPERANDS], *to[LUN_ALGORITHM_RESULTS];
    lun_status s = LUN_OK;
    r.line = lun__take_i64(in);
    r.first = lun__take_i64(in);
    for (int k = 0; k < LUN_ALGORITHM_OPTIONS; k++)
        r.option[k] = (uint64_t)lun__take_i64(in);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++)
        from[k] = take_column(d, in, &r.in[k]);
    for (int k = 0; k < LUN_ALGORITHM_RESULTS; k++)
        to[k] = take_column(d, in, &r.out[k]);
    *answers = true;
    if (in->bad || d->by->buffer_new || !d->by->algorithm || !run_fits(&r, from, to))
        return lun__desk_strange(d, in);
    for (int k = 0; k < LUN_ALGORITHM_OPERANDS; k++) {
        in->bad |= from[k] && from[k] == to[0];
        s = from[k] && s == LUN_OK ? lun__desk_ready(d, from[k]) : s;
    }
    if (in->bad)
        return lun__desk_strange(d, in);
    if (s == LUN_OK && !to[0]->data)
        return lun__desk_check(d, &to[0]->flaw);
    if (s == LUN_OK)
        s = do_work(d, d->by->algorithm_room(d->state, &r), (double)r.in[0].n, take,
                    &(work){.d = d, .run = &r});
    d->trap_value = r.failed;
    for (int k = 0; s == LUN_OK && k < LUN_ALGORITHM_RESULTS; k++)
        if (to[k])
            lun__put_i64(&d->rest, r.out[k].n);
    return lun__desk_done(d, to[0], s);
}
