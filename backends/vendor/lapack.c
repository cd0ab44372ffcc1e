/* lapack.c - factors of real matrices of F32 and F64 by LAPACK's Fortran interface (dgetrf, dpotrf,
 * dsyevd, dgesdd), which is opened at run time; see lapack.h.
 *
 * Operands and results stand as the rows LU, CHOLESKY, EIGEN and SVD of table/algorithms.def say,
 * by rows; LAPACK's matrices stand by columns, so it is given transposes.  Of each vector the entry
 * of the greatest modulus, the first of equals, is positive, as of the engine's own.  A call is one
 * matrix, between which a run can be stopped.  Complex matrices are not taken, nor are those whose
 * work space the interface's ints do not count. */
#include "vendor/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vendor/vendor_library.h"

enum { MOST = 30000, PADDED = 64 }; /* rows or columns; numbers that blocks of work take for each */

typedef void getrf_fn(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
typedef void potrf_fn(const char *triangle, const int *n, void *a, const int *lda, int *info,
                      size_t length);
typedef void syevd_fn(const char *what, const char *triangle, const int *n, void *a, const int *lda,
                      void *values, void *work, const int *room, int *numbers, const int *count,
                      int *info, size_t length, size_t length_too);
typedef void gesdd_fn(const char *what, const int *m, const int *n, void *a, const int *lda,
                      void *values, void *u, const int *ldu, void *vt, const int *ldvt, void *work,
                      const int *room, int *numbers, int *info, size_t length);

/* Of f32 and of f64. */
typedef struct functions {
    getrf_fn *getrf;
    potrf_fn *potrf;
    syevd_fn *syevd;
    gesdd_fn *gesdd;
} functions;

typedef struct lun_lapack {
    const lun_services *services;
    functions of[2];
    char name[128];
    const char *path;
} lun_lapack;

/* ---- the library ----------------------------------------------------------------------------- */

static lun_status lapack_open(const lun_services *services, const lun_opening *how, void **state,
                              lun_abilities *out)
{
    lun_library library;
    (void)how;
    if (!lun__vendor_library_open(services, LUN_LIBRARY_LAPACK, &library))
        return LUN_EBACKEND;
    lun_lapack *l = calloc(1, sizeof *l);
    if (!l)
        return lun__vendor_library_fail(services, LUN_ENOMEM, "out of memory");
    l->services = services;
    l->path = library.path;
    for (int k = 0; k < 2; k++) {
        functions *f = &l->of[k];
        lun__vendor_library_find(&library, k ? "dgetrf_" : "sgetrf_", &f->getrf);
        lun__vendor_library_find(&library, k ? "dpotrf_" : "spotrf_", &f->potrf);
        lun__vendor_library_find(&library, k ? "dsyevd_" : "ssyevd_", &f->syevd);
        lun__vendor_library_find(&library, k ? "dgesdd_" : "sgesdd_", &f->gesdd);
    }
    lun__vendor_library_name(&library, LUN_LIBRARY_LAPACK, l->name);
    *out = (lun_abilities){.shares = false};
    *state = l;
    return LUN_OK;
}

static void lapack_close(void *state)
{
    free(state);
}

static int lapack_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    const lun_lapack *l = state;
    (void)services;
    if (l && room > 0) {
        rows[0] = (lun_device){.kind = "cpu", .backend = "lapack"};
        snprintf(rows[0].name, sizeof rows[0].name, "%s", l->name);
        snprintf(rows[0].machine, sizeof rows[0].machine, "%s", l->path);
    }
    return l ? 1 : 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Matrices of rows x columns, one after the other; scratch memory: a matrix, `vectors` more
 * numbers, `room` of work and `ints`. */
typedef struct batch {
    const lun_lapack *lapack;
    const functions *by;
    lun_algorithm_run *r;
    int rows, columns, least;   /* least: of the two */
    int64_t count, given, made; /* matrices, numbers of one and of its result */
    int64_t vectors, room, ints;
    int64_t size; /* bytes of a number */
    bool values;  /* alone, of EIGEN and SVD */
} batch;

/* False: it is left to the engine. */
static bool batch_of(const lun_lapack *lapack, lun_algorithm_run *r, batch *b)
{
    const bool is_svd = r->which == LUN_ALGORITHM_SVD;
    const int64_t n = r->segment, m = is_svd ? (int64_t)r->option[1] : n;
    const bool is_complex = is_svd ? r->option[0] & LUN_PARTS : r->option[1];
    if (is_complex || n < 1 || m < 1 || n > MOST || m > MOST)
        return false;
    const int64_t k = n < m ? n : m;
    *b = (batch){.lapack = lapack,
                 .r = r,
                 .by = lapack ? &lapack->of[lun__dtype_is_double(r->out[0].dtype)] : NULL,
                 .rows = (int)m,
                 .columns = (int)n,
                 .least = (int)k,
                 .given = m * n,
                 .count = r->in[0].n / (m * n),
                 .size = lun__dtype_get(r->out[0].dtype)->bytes,
                 .values = r->option[0] & 1};
    b->made = r->out[0].n / (b->count ? b->count : 1);
    switch (r->which) {
    case LUN_ALGORITHM_LU:
        b->ints = n;
        return true;
    case LUN_ALGORITHM_CHOLESKY:
        return true;
    case LUN_ALGORITHM_EIGEN:
        b->room = b->values ? 2 * n + 1 : 1 + 6 * n + 2 * n * n;
        b->ints = 3 + 5 * n;
        return b->room <= INT32_MAX;
    case LUN_ALGORITHM_SVD:
        b->vectors = b->values ? 0 : n * k;
        b->room = 4 * k * k + 7 * k + PADDED * (m + n) + (m > n ? m : n);
        b->ints = 8 * k;
        return b->room <= INT32_MAX;
    default:
        return false;
    }
}

static bool lapack_takes(void *state, const lun_work *asked, int64_t *scratch)
{
    batch b;
    *scratch = 0;
    if (asked->kind != LUN_WORK_ALGORITHM || !batch_of(state, asked->is.algorithm, &b))
        return false;
    *scratch = (b.given + b.vectors + b.room) * b.size + (b.ints + 2) * (int64_t)sizeof(int);
    return true;
}

static double number_at(const batch *b, const void *x, int64_t i)
{
    return b->size == sizeof(double) ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void set_number(const batch *b, void *x, int64_t i, double value)
{
    if (b->size == sizeof(double))
        ((double *)x)[i] = value;
    else
        ((float *)x)[i] = (float)value;
}

/* Whether all that is read is a finite number: of a symmetric matrix the lower triangle. */
static bool all_finite(const batch *b, const void *x)
{
    const bool half = b->r->which == LUN_ALGORITHM_EIGEN;
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < (half ? i + 1 : b->columns); j++)
            if (!isfinite(number_at(b, x, i * b->columns + j)))
                return false;
    return true;
}

/* rows x columns, by rows, to the transpose. */
static void transpose(const batch *b, const void *from, int64_t rows, int64_t columns, void *to)
{
    enum { TILE = 32 };
    for (int64_t i0 = 0; i0 < rows; i0 += TILE)
        for (int64_t j0 = 0; j0 < columns; j0 += TILE)
            for (int64_t i = i0; i < rows && i < i0 + TILE; i++)
                for (int64_t j = j0; j < columns && j < j0 + TILE; j++)
                    memcpy((char *)to + (j * rows + i) * b->size,
                           (const char *)from + (i * columns + j) * b->size, (size_t)b->size);
}

/* Whether the entry of the greatest modulus, of n `step` apart, is negative. */
static bool is_turned(const batch *b, const void *x, int64_t n, int64_t step)
{
    double most = 0;
    bool negative = false;
    for (int64_t i = 0; i < n; i++) {
        const double value = number_at(b, x, i * step);
        if (fabs(value) > most) {
            most = fabs(value);
            negative = value < 0;
        }
    }
    return negative;
}

static void turn(const batch *b, void *x, int64_t n, int64_t step)
{
    for (int64_t i = 0; i < n; i++)
        set_number(b, x, i * step, 0 - number_at(b, x, i * step));
}

static void *number_of(const batch *b, void *x, int64_t i)
{
    return (char *)x + i * b->size;
}

/* ---- of one matrix: 0, or what the algorithm fails with -------------------------------------- */

static int64_t one_lu(const batch *b, const void *in, void *out, void *a, int *ints)
{
    const int64_t n = b->columns;
    int info = 0;
    transpose(b, in, n, n, a);
    b->by->getrf(&b->columns, &b->columns, a, &b->columns, ints, &info);
    transpose(b, a, n, n, out);
    void *rows = number_of(b, out, n * n), *swaps = number_of(b, rows, n);
    for (int64_t i = 0; i < n; i++)
        set_number(b, rows, i, (double)i);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = ints[i] - 1;
        const double here = number_at(b, rows, i), there = number_at(b, rows, at);
        set_number(b, rows, i, there);
        set_number(b, rows, at, here);
        set_number(b, swaps, i, (double)at);
    }
    return 0; /* a pivot that is 0 is found by what uses it */
}

static int64_t one_cholesky(const batch *b, const void *in, void *out)
{
    const int64_t n = b->columns;
    int info = 0;
    transpose(b, in, n, n, out);
    for (int64_t i = 0; i < n; i++)
        memset(number_of(b, out, i * n), 0, (size_t)(i * b->size));
    b->by->potrf("L", &b->columns, out, &b->columns, &info, 1);
    return info;
}

static int64_t one_eigen(const batch *b, const void *in, void *out, void *a, int *ints)
{
    const int64_t n = b->columns;
    const int room = (int)b->room, count = (int)b->ints;
    void *vectors = b->values ? a : number_of(b, out, n), *work = number_of(b, a, b->given);
    int info = 0;
    if (!all_finite(b, in))
        return -1;
    memcpy(vectors, in, (size_t)(n * n * b->size));
    b->by->syevd(b->values ? "N" : "V", "U", &b->columns, vectors, &b->columns, out, work, &room,
                 ints, &count, &info, 1, 1);
    for (int64_t i = 0; i < n && !b->values; i++)
        if (is_turned(b, number_of(b, vectors, i * n), n, 1))
            turn(b, number_of(b, vectors, i * n), n, 1);
    return info ? 1 : 0;
}

/* The left vectors of the transpose, which stands in memory, are the right ones. */
static int64_t one_svd(const batch *b, const void *in, void *out, void *a, int *ints)
{
    const int64_t k = b->least, m = b->rows, n = b->columns;
    const int room = (int)b->room;
    void *right = number_of(b, a, b->given), *work = number_of(b, right, b->vectors);
    void *values = b->values ? out : number_of(b, out, m * k);
    int info = 0;
    if (!all_finite(b, in))
        return -1;
    memcpy(a, in, (size_t)(b->given * b->size));
    b->by->gesdd(b->values ? "N" : "S", &b->columns, &b->rows, a, &b->columns, values, right,
                 &b->columns, out, &b->least, work, &room, ints, &info, 1);
    for (int64_t j = 0; j < k && !b->values; j++)
        if (is_turned(b, number_of(b, right, j * n), n, 1)) {
            turn(b, number_of(b, right, j * n), n, 1);
            turn(b, number_of(b, out, j), m, k);
        }
    if (!b->values)
        transpose(b, right, k, n, number_of(b, values, k));
    return info ? 1 : 0;
}

static int64_t one(const batch *b, int64_t i)
{
    const void *in = (const char *)b->r->in[0].data + i * b->given * b->size;
    void *out = (char *)b->r->out[0].data + i * b->made * b->size, *a = b->r->scratch;
    int *ints = (int *)number_of(b, a, b->given + b->vectors + b->room);
    switch (b->r->which) {
    case LUN_ALGORITHM_LU:
        return one_lu(b, in, out, a, ints);
    case LUN_ALGORITHM_CHOLESKY:
        return one_cholesky(b, in, out);
    case LUN_ALGORITHM_EIGEN:
        return one_eigen(b, in, out, a, ints);
    default:
        return one_svd(b, in, out, a, ints);
    }
}

static lun_status lapack_begin(void *state, const lun_work *asked, lun_work_mark *mark)
{
    const lun_lapack *l = state;
    const lun_services *s = l->services;
    batch b;
    (void)mark;
    if (asked->kind != LUN_WORK_ALGORITHM || !batch_of(l, asked->is.algorithm, &b))
        return lun__vendor_library_fail(s, LUN_EBACKEND,
                                        "internal: LAPACK makes factors of real matrices alone");
    b.r->matrix = 0;
    for (int64_t i = 0; i < b.count; i++) {
        if (lun__backend_stop_requested(s))
            return lun__vendor_library_fail(s, LUN_ECANCEL, "interrupted");
        const int64_t failed = one(&b, i);
        if (failed) {
            b.r->matrix = i + 1;
            b.r->failed = failed;
            b.r->matrices = b.count;
            return LUN_EARG;
        }
        if (s->tick && b.count > 1)
            s->tick(s->tick_ctx, "linalg", i + 1, b.count);
    }
    return LUN_OK;
}

const lun_backend lun__backend_lapack = {
    .name = "lapack",
    .devices = lapack_devices,
    .open = lapack_open,
    .close = lapack_close,
    .takes = lapack_takes,
    .begin = lapack_begin,
    .wait = lun__backend_ended_at_once,
};
