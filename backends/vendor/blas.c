/* blas.c - matrix products of F32 and F64 by the C interface of a BLAS (cblas_sgemm, cblas_dgemm),
 * which is opened at run time; see blas.h.
 *
 * An operand is passed without a copy if its rows or its columns are contiguous and apart by what
 * a leading dimension may be; else it is packed, and converted, into scratch memory: the first
 * one some rows at a time, the second one matrix by matrix.  A product is cut into calls of some
 * rows, between which it can be stopped.  Extents that the interface's ints do not hold, and blocks
 * of rows for kernels that follow (pitch), are not taken. */
#include "vendor/blas.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "product/tile.h"
#include "vendor/vendor_library.h"

enum { ROW_MAJOR = 101, AS_IT_STANDS = 111, TRANSPOSED = 112 }; /* of cblas.h */
enum { ROWS_LEAST = 256 };                                      /* of a call */
static const double SUMS = 8e9; /* of products in a call, about: less than a second of one core */

typedef void sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                      int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void dgemm_fn(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a,
                      int lda, const double *b, int ldb, double beta, double *c, int ldc);

typedef struct lun_blas {
    const lun_services *services;
    sgemm_fn *sgemm;
    dgemm_fn *dgemm;
    char name[128];
    const char *path;
} lun_blas;

/* ---- the library ----------------------------------------------------------------------------- */

static lun_status blas_open(const lun_services *services, const lun_opening *how, void **state,
                            lun_abilities *out)
{
    lun_library library;
    (void)how;
    if (!lun__vendor_library_open(services, LUN_LIBRARY_BLAS, &library))
        return LUN_EBACKEND;
    lun_blas *b = calloc(1, sizeof *b);
    if (!b)
        return lun__vendor_library_fail(services, LUN_ENOMEM, "out of memory");
    lun__vendor_library_find(&library, "cblas_sgemm", &b->sgemm);
    lun__vendor_library_find(&library, "cblas_dgemm", &b->dgemm);
    b->services = services;
    b->path = library.path;
    lun__vendor_library_name(&library, LUN_LIBRARY_BLAS, b->name);
    *out = (lun_abilities){.shares = false};
    *state = b;
    return LUN_OK;
}

static void blas_close(void *state)
{
    free(state);
}

static int blas_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    const lun_blas *b = state;
    (void)services;
    if (b && room > 0) {
        rows[0] = (lun_device){.kind = "cpu", .backend = "blas"};
        snprintf(rows[0].name, sizeof rows[0].name, "%s", b->name);
        snprintf(rows[0].machine, sizeof rows[0].machine, "%s", b->path);
    }
    return b ? 1 : 0;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* How the interface reads a matrix of rows x columns; ld 0: it is packed. */
typedef struct operand {
    int order;
    int64_t ld;
} operand;

static operand operand_of(const lun_matrix *m, lun_dtype t, int64_t rows, int64_t columns)
{
    const int64_t row = rows == 1 ? columns : m->row, column = columns == 1 ? rows : m->column;
    if (m->dtype != t)
        return (operand){AS_IT_STANDS, 0};
    if ((m->column == 1 || columns == 1) && row >= columns && row <= INT_MAX)
        return (operand){AS_IT_STANDS, row};
    if ((m->row == 1 || rows == 1) && column >= rows && column <= INT_MAX)
        return (operand){TRANSPOSED, column};
    return (operand){AS_IT_STANDS, 0};
}

/* Packs `rows` rows of a matrix, whose first element is number `at` of m's, as elements of t. */
static void pack(const lun_matrix *m, lun_dtype t, int64_t at, int64_t rows, int64_t columns,
                 char *to)
{
    enum { SOME = 1024 };
    char raw[SOME * 8];
    const int64_t n = rows * columns, size = lun__dtype_get(t)->bytes;
    const int own = lun__dtype_get(m->dtype)->bytes;
    const char *from = (const char *)m->data + at * own;
    const lun_layout l = {.rank = 2, .extent = {rows, columns}, .stride = {m->row, m->column}};
    if (m->dtype == t) {
        lun__strided_read(&l, from, own, 0, n, to);
        return;
    }
    const lun_tiles *tiles = lun__block_product_tiles(lun__isa_here(), t);
    for (int64_t i = 0; i < n; i += SOME) {
        const int64_t count = n - i < SOME ? n - i : SOME;
        lun__strided_read(&l, from, own, i, count, raw);
        tiles->convert(m->dtype, raw, to + i * size, count);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

typedef struct work {
    const lun_blas *blas;
    const lun_product *p;
    operand a, b;
    int64_t size, rows, b_at; /* rows of a call; where the second operand is that stands packed */
    char *packed_a, *packed_b;
} work;

/* Rows of a call. */
static int64_t rows_of(const lun_product *p)
{
    const double rows = SUMS / ((double)p->inner * (double)p->columns);
    const int64_t most = rows < ROWS_LEAST ? ROWS_LEAST : rows < INT_MAX ? (int64_t)rows : INT_MAX;
    return p->rows < most ? p->rows : most;
}

static work work_of(const lun_blas *blas, const lun_product *p)
{
    return (work){.blas = blas,
                  .p = p,
                  .a = operand_of(&p->a, p->dtype, p->rows, p->inner),
                  .b = operand_of(&p->b, p->dtype, p->inner, p->columns),
                  .size = lun__dtype_get(p->dtype)->bytes,
                  .rows = rows_of(p),
                  .b_at = -1};
}

/* Bytes of packed operands; false: more than there can be. */
static bool scratch_of(const work *w, int64_t *a, int64_t *b)
{
    const lun_product *p = w->p;
    int64_t all;
    *a = *b = 0;
    return (w->a.ld || !__builtin_mul_overflow(w->rows * w->size, p->inner, a)) &&
           (w->b.ld || !__builtin_mul_overflow(p->columns * w->size, p->inner, b)) &&
           !__builtin_add_overflow(*a, *b, &all);
}

static bool blas_takes(void *state, const lun_work *asked, int64_t *scratch)
{
    const lun_product *p = asked->is.product;
    *scratch = 0;
    if (asked->kind != LUN_WORK_PRODUCT || p->pitch || p->inner < 1 || p->columns < 1 ||
        lun__dtype_is_integer(p->dtype) || p->inner > INT_MAX || p->columns > INT_MAX)
        return false;
    int64_t a, b;
    const work w = work_of(state, p);
    if (!scratch_of(&w, &a, &b))
        return false;
    *scratch = a + b;
    return true;
}

static void call(const work *w, const char *a, const char *b, char *c, int64_t rows)
{
    const lun_product *p = w->p;
    const int m = (int)rows, n = (int)p->columns, k = (int)p->inner;
    const int lda = (int)(w->a.ld ? w->a.ld : p->inner), ldb = (int)(w->b.ld ? w->b.ld : n);
    if (w->size == (int64_t)sizeof(float))
        w->blas->sgemm(ROW_MAJOR, w->a.order, w->b.order, m, n, k, 1,
                       (const float *)(const void *)a, lda, (const float *)(const void *)b, ldb, 0,
                       (float *)(void *)c, n);
    else
        w->blas->dgemm(ROW_MAJOR, w->a.order, w->b.order, m, n, k, 1,
                       (const double *)(const void *)a, lda, (const double *)(const void *)b, ldb,
                       0, (double *)(void *)c, n);
}

/* The second operand of matrix number i. */
static const char *second(work *w, int64_t i)
{
    const lun_product *p = w->p;
    const int64_t at = lun__layout_offset(&p->b.batch, i);
    if (w->b.ld)
        return (const char *)p->b.data + at * w->size;
    if (at != w->b_at)
        pack(&p->b, p->dtype, at, p->inner, p->columns, w->packed_b);
    w->b_at = at;
    return w->packed_b;
}

static lun_status multiply(work *w, int64_t i)
{
    const lun_product *p = w->p;
    const lun_services *s = w->blas->services;
    const char *b = second(w, i);
    const int64_t all = p->count * p->rows;
    for (int64_t row = 0; row < p->rows; row += w->rows) {
        const int64_t rows = p->rows - row < w->rows ? p->rows - row : w->rows;
        const int64_t at = lun__layout_offset(&p->a.batch, i) + row * p->a.row;
        const char *a = w->a.ld ? (const char *)p->a.data + at * w->size : w->packed_a;
        if (lun__backend_stop_requested(s))
            return lun__vendor_library_fail(s, LUN_ECANCEL, "interrupted");
        if (!w->a.ld)
            pack(&p->a, p->dtype, at, rows, p->inner, w->packed_a);
        call(w, a, b, (char *)p->c + (i * p->rows + row) * p->columns * w->size, rows);
        if (s->tick && w->rows < all)
            s->tick(s->tick_ctx, "matmul", (i * p->rows + row + rows) * p->columns,
                    all * p->columns);
    }
    return LUN_OK;
}

static lun_status blas_begin(void *state, const lun_work *asked, lun_work_mark *mark)
{
    const lun_blas *blas = state;
    const lun_product *p = asked->is.product;
    int64_t bytes_a, bytes_b;
    (void)mark;
    if (asked->kind != LUN_WORK_PRODUCT)
        return lun__vendor_library_fail(blas->services, LUN_EBACKEND,
                                        "internal: a BLAS does matrix products alone");
    work w = work_of(blas, p);
    (void)scratch_of(&w, &bytes_a, &bytes_b);
    w.packed_a = p->scratch;
    w.packed_b = p->scratch ? (char *)p->scratch + bytes_a : NULL;
    lun_status s = LUN_OK;
    for (int64_t i = 0; s == LUN_OK && i < p->count; i++)
        s = multiply(&w, i);
    return s;
}

const lun_backend lun__backend_blas = {
    .name = "blas",
    .devices = blas_devices,
    .open = blas_open,
    .close = blas_close,
    .takes = blas_takes,
    .begin = blas_begin,
    .wait = lun__backend_ended_at_once,
};
