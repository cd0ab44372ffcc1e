/* moves.c - elements that a rank which serves moves in its own memory, and products of matrices
 * there; see desk.h.  Knows no kernel. */
#include <stdlib.h>
#include <string.h>

#include "mpi/desk.h"
#include "table/dtype.h"

/* Whether places low .. high, counted from `origin`, are elements of so many bytes of a buffer. */
static bool reaches(const lun_desk_buffer *b, int64_t origin, int bytes, int64_t low, int64_t high)
{
    int64_t from, to;
    return !__builtin_add_overflow(low, origin, &from) &&
           !__builtin_add_overflow(high, origin, &to) && from >= 0 && from <= to &&
           to < b->bytes / bytes;
}

static bool layout_fits(const lun_desk_buffer *b, int64_t origin, int bytes, const lun_layout *l)
{
    int64_t low, high;
    return !lun__layout_count(l) ||
           (lun__layout_reach(l, &low, &high) && reaches(b, origin, bytes, low, high));
}

static bool is_size(int bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static int64_t count_of(const int64_t *extent, int rank)
{
    int64_t n = 1;
    for (int k = 0; k < rank; k++)
        n *= extent[k];
    return n;
}

/* The flaw of what is read; what was written has it then, too. */
static lun_status done(const lun_desk *d, lun_desk_buffer *to, lun_status s)
{
    if (s == LUN_OK)
        lun__desk_mend(&to->flaw);
    else
        lun__desk_spoil(d, &to->flaw, s);
    return s;
}

/* ---- padded arrays --------------------------------------------------------------------------- */

static void pad_on_host(const lun_padding *p, int bytes, const char *base, void *to)
{
    const int64_t n = count_of(p->extent, p->rank);
    const lun_layout all = lun__layout_right(1, &n);
    const lun_pad_box none = {.is = false};
    if (n)
        lun__pad_read(p, &all, &none, base, bytes, 0, n, to);
}

lun_status lun__desk_pad(lun_desk *d, lun_bytes *in, bool *answers)
{
    const lun_padding p = lun__take_padding(in);
    const int bytes = lun__take_i32(in);
    lun_desk_buffer *from = lun__desk_buffer(d, in);
    const int64_t origin = lun__take_i64(in);
    lun_desk_buffer *to = lun__desk_buffer(d, in);
    *answers = false;
    if (in->bad || !is_size(bytes) || from == to)
        return lun__desk_strange(d, in);
    lun_status s = lun__desk_check(d, &from->flaw);
    if (s == LUN_OK && !to->data && !to->buffer)
        return lun__desk_check(d, &to->flaw);
    if (s != LUN_OK)
        return done(d, to, s);
    const int64_t n = count_of(p.extent, p.rank), inner = count_of(p.inner, p.rank);
    if ((n && !reaches(to, 0, bytes, 0, n - 1)) ||
        (inner && !reaches(from, origin, bytes, 0, inner - 1)))
        return lun__desk_strange(d, in);
    if (to->buffer)
        s = d->by->pad(d->state, &p, bytes, from->buffer, origin, to->buffer);
    else
        pad_on_host(&p, bytes, from->data + origin * bytes, to->data);
    return done(d, to, s);
}

/* ---- from places to places ------------------------------------------------------------------- */

static lun_status transfer_on_host(lun_desk *d, const lun_transfer *t, char *to, const char *from)
{
    enum { PIECE = 1 << 16 };
    const int64_t n = lun__layout_count(&t->at);
    char *piece = malloc((size_t)PIECE * (size_t)t->bytes);
    if (!piece)
        return lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    for (int64_t i = 0; !from && i < PIECE; i++)
        memcpy(piece + i * t->bytes, &t->cell, (size_t)t->bytes);
    for (int64_t done = 0, some; done < n; done += some) {
        some = n - done < PIECE ? n - done : PIECE;
        if (from)
            lun__layout_read(&t->of, from, t->bytes, done, some, piece);
        lun__layout_write(&t->at, to, t->bytes, done, some, piece);
    }
    free(piece);
    return LUN_OK;
}

lun_status lun__desk_transfer(lun_desk *d, lun_bytes *in, bool *answers)
{
    lun_transfer t = {.bytes = lun__take_i32(in)};
    lun_desk_buffer *to = lun__desk_buffer(d, in), *from = NULL;
    lun_bytes ahead = *in;
    if (lun__take_i32(&ahead) >= 0)
        from = lun__desk_buffer(d, in);
    else
        *in = ahead;
    t.to_origin = lun__take_i64(in);
    t.from_origin = lun__take_i64(in);
    t.at = lun__take_layout(in);
    t.of = lun__take_layout(in);
    t.cell = (uint64_t)lun__take_i64(in);
    *answers = false;
    if (in->bad || !is_size(t.bytes) || from == to ||
        (from && lun__layout_count(&t.at) != lun__layout_count(&t.of)))
        return lun__desk_strange(d, in);
    lun_status s = lun__desk_check(d, &to->flaw); /* the rest of it stays */
    if (s == LUN_OK && from)
        s = lun__desk_check(d, &from->flaw);
    if (s != LUN_OK)
        return done(d, to, s);
    if (!layout_fits(to, t.to_origin, t.bytes, &t.at) ||
        (from && !layout_fits(from, t.from_origin, t.bytes, &t.of)))
        return lun__desk_strange(d, in);
    t.to = to->buffer;
    t.from = from ? from->buffer : NULL;
    if (to->buffer)
        s = d->by->transfer(d->state, &t);
    else
        s = transfer_on_host(d, &t, to->data + t.to_origin * t.bytes,
                             from ? from->data + t.from_origin * t.bytes : NULL);
    return done(d, to, s);
}

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
    return layout_fits(b, 0, lun__dtype_get(x->dtype)->bytes, &all);
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
           !__builtin_mul_overflow(n, p->count, &n) && reaches(c, 0, bytes, 0, n - 1) &&
           matrix_fits(a, &p->a, p->rows, p->inner, p->count) &&
           matrix_fits(b, &p->b, p->inner, p->columns, p->count);
}

static lun_status multiply(lun_desk *d, lun_product *p)
{
    const int64_t room = d->by->product_room(d->state, p);
    if (room < 0)
        return lun__desk_fail(d, LUN_EBACKEND, "it multiplies no matrices");
    p->scratch = room ? malloc((size_t)room) : NULL; /* NULL: the product needs none */
    lun_status s = p->scratch || !room ? d->by->product(d->state, p)
                                       : lun__desk_fail(d, LUN_ENOMEM, "out of memory");
    free(p->scratch);
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
    lun_status s = lun__desk_check(d, &a->flaw);
    if (s == LUN_OK)
        s = lun__desk_check(d, &b->flaw);
    if (s == LUN_OK && !c->data && !c->buffer)
        return lun__desk_check(d, &c->flaw);
    if (s != LUN_OK)
        return done(d, c, s);
    if (!product_fits(&p, a, b, c))
        return lun__desk_strange(d, in);
    const bool device = d->by->buffer_new != NULL;
    p.a.data = device ? (void *)a->buffer : a->data;
    p.b.data = device ? (void *)b->buffer : b->data;
    p.c = device ? (void *)c->buffer : c->data;
    return done(d, c, multiply(d, &p));
}
