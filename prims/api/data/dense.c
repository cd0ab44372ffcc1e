/* dense.c - factors of matrices, and what is solved with them.
 *
 * Complex matrices are computed as real ones: a batch of two, the real and the imaginary parts, or
 * matrices of twice as many rows, two for the parts of each row. */
#include "api/fold/lazy.h"

/* Numbers none of which is missing, real or complex. */
#define NUMBERS(e, a)                                       \
    do {                                                    \
        if (lun_is_freed(a) || !lun__array_is_complex((a))) \
            LUN_NO_MISSING(e, a);                           \
    } while (0)

/* ---- of matrices ----------------------------------------------------------------------------- */

/* Matrices as a node, in the dtype that they are computed in; their shape. */
static lun_status real_matrices(lun_engine *e, lun_array *a, lun_node **out, int *rank,
                                int64_t *shape)
{
    char text[96];
    *rank = a->weak ? 0 : lun_shape(a, shape);
    if (*rank < 2)
        return lun__fail(e, LUN_ESHAPE, "a matrix expected, got %s",
                         a->weak ? "a number" : lun__array_describe(a, text));
    const lun_dtype own = lun_dtype_of(a);
    const bool small = lun__dtype_is_float(own) && !lun__dtype_is_double(own);
    lun_node *n = NULL;
    lun_status s = lun__array_node(e, a, LUN_DTYPE_COUNT, &n);
    if (s == LUN_OK)
        s = lun__convert(e, n, small ? LUN_F32 : LUN_F64, out);
    lun__node_release(e, n);
    return s;
}

/* How the parts of complex matrices lie, by the axes behind that of the parts: the columns, or the
 * rows and the columns. */
enum { REAL = 0, ROWS = 1, PLANES = 2 };

static int parts_of(lun_array *a, lun_algorithm which)
{
    if (lun_is_freed(a) || !lun__array_is_complex(a))
        return REAL;
    switch (which) {
    case LUN_ALGORITHM_LU:
    case LUN_ALGORITHM_DETERMINANT:
    case LUN_ALGORITHM_CHOLESKY:
        return PLANES;
    case LUN_ALGORITHM_QR:
    case LUN_ALGORITHM_EIGEN:
    case LUN_ALGORITHM_SVD:
    case LUN_ALGORITHM_EIGEN_GENERAL:
        return ROWS;
    default:
        return REAL;
    }
}

/* The axis of the rows. */
static int axis_of_rows(int rank, int parts)
{
    return parts == ROWS ? rank - 3 : rank - 2;
}

/* The same, with the parts of complex ones; rank and shape have their axis, too. */
static lun_status matrices(lun_engine *e, lun_array *a, int parts, lun_node **out, int *rank,
                           int64_t *shape)
{
    lun_array *planes = NULL;
    lun_status s = parts ? lun__array_present(e, a) : lun__array_usable(e, a);
    if (s == LUN_OK && parts)
        s = e->kinds[LUN_KIND_COMPLEX]->planes(e, a, parts, &planes);
    if (s == LUN_OK)
        s = real_matrices(e, planes ? planes : a, out, rank, shape);
    lun_release(planes);
    return s;
}

static lun_status square(lun_engine *e, int64_t rows, int64_t columns)
{
    if (rows == columns && rows > 0)
        return LUN_OK;
    if (rows == columns)
        return lun__fail(e, LUN_ESHAPE, "matrix is empty");
    return lun__fail(e, LUN_ESHAPE, "matrix of shape %lld x %lld is not square", (long long)rows,
                     (long long)columns);
}

/* What of_one gives for each matrix: a row, or an element; two rows, or two and twice as many. */
enum { ROW = -1, ELEMENT = -2, TWO_ROWS = -3, TWICE = -4 };

/* The array of a node; complex, where `axis` is that of the parts, or real, -1. */
static lun_status array_of(lun_engine *e, lun_node *n, int axis, lun_array **out)
{
    lun_array *planes;
    if (axis < 0)
        return lun__array(e, n, false, out);
    const lun_status s = lun__array(e, n, false, &planes);
    return s == LUN_OK ? e->kinds[LUN_KIND_COMPLEX]->of_planes(e, planes, axis, out) : s;
}

/* Of one operand, a result of so many rows more than columns, or one of those. */
static lun_status of_one(lun_engine *e, lun_array *a, lun_algorithm which, int64_t more,
                         uint64_t option, int64_t to, const char *const *notes, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = 3, axis = -1;
    lun_node *in = NULL, *n = NULL;
    const int parts = parts_of(a, which);
    lun_status s = matrices(e, a, parts, &in, &rank, shape);
    const int at = axis_of_rows(rank, parts);
    if (s == LUN_OK)
        s = square(e, shape[at] - more, shape[rank - 1]);
    if (s == LUN_OK) {
        const uint64_t options[] = {option, parts != REAL};
        const int64_t rows = shape[rank - 1];
        if (to == ELEMENT && parts)
            axis = rank - 3;
        else if (to >= 0 && parts)
            axis = rank - 1 - parts;
        else if (parts) /* a real result */
            shape[--rank - 1] = rows;
        shape[at] = to == TWO_ROWS ? 2 : to == TWICE ? 2 * rows + 2 : to < 0 ? rows : rows + to;
        rank += to == ROW || to == ELEMENT ? (int)to : 0;
        s = lun__fold_node_algorithm(e, which, &in, rows, options, (lun_dtype)in->dtype, rank,
                                     shape, notes, &n);
    }
    lun__node_release(e, in);
    return s == LUN_OK ? array_of(e, n, axis, out) : s;
}

/* What solves with a: right sides b of the same batches. */
static lun_status of_two(lun_engine *e, lun_array *a, lun_array *b, lun_algorithm which,
                         int64_t more, uint64_t option, const char *const *notes, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK], right[LUN_MAX_RANK];
    int rank, right_rank = 0;
    lun_node *in[2] = {NULL, NULL}, *cast[2] = {NULL, NULL}, *n = NULL;
    const bool complex = !lun_is_freed(a) && !lun_is_freed(b) &&
                         (lun__array_is_complex(a) || lun__array_is_complex(b));
    const int parts = complex ? PLANES : REAL;
    lun_status s = matrices(e, a, parts, &in[0], &rank, shape);
    if (s == LUN_OK)
        s = square(e, shape[rank - 2] - more, shape[rank - 1]);
    if (s == LUN_OK)
        s = matrices(e, b, parts, &in[1], &right_rank, right);
    bool fits = s == LUN_OK && rank == right_rank && right[rank - 2] == shape[rank - 1];
    for (int k = 0; fits && k < rank - 2; k++)
        fits = right[k] == shape[k];
    if (s == LUN_OK && !fits)
        s = lun__fail(e, LUN_ESHAPE, "right sides do not fit matrices of %lld rows",
                      (long long)shape[rank - 1]);
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = lun__convert(e, in[k],
                         lun__dtype_common((lun_dtype)in[0]->dtype, (lun_dtype)in[1]->dtype),
                         &cast[k]);
    const uint64_t options[] = {option, complex};
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, which, cast, shape[rank - 1], options,
                                     (lun_dtype)cast[0]->dtype, rank, right, notes, &n);
    lun_node *all[] = {in[0], in[1], cast[0], cast[1]};
    for (int k = 0; k < 4; k++)
        lun__node_release(e, all[k]);
    return s == LUN_OK ? array_of(e, n, complex ? rank - 3 : -1, out) : s;
}

/* Of one operand of any rows and columns, as many as option[1] and the segment: a result of so many
 * rows and columns. */
static lun_status of_oblong(lun_engine *e, lun_array *a, lun_algorithm which, int flags,
                            const char *const *notes,
                            void (*sizes)(int flags, int64_t *rows, int64_t *columns),
                            lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = 3, axis = -1;
    lun_node *in = NULL, *n = NULL;
    const int parts = parts_of(a, which);
    lun_status s = matrices(e, a, parts, &in, &rank, shape);
    const int at = axis_of_rows(rank, parts);
    if (s == LUN_OK && shape[at] * shape[rank - 1] == 0)
        s = lun__fail(e, LUN_ESHAPE, "matrix is empty");
    if (s == LUN_OK) {
        const uint64_t of[] = {(uint64_t)flags | (parts ? LUN_PARTS : 0), (uint64_t)shape[at]};
        const int64_t columns = shape[rank - 1];
        sizes(flags, &shape[at], &shape[rank - 1]);
        axis = parts ? rank - 2 : -1;
        if (parts && which == LUN_ALGORITHM_SVD && flags) { /* real values */
            shape[rank - 2] = shape[rank - 1];
            rank--;
            axis = -1;
        }
        s = lun__fold_node_algorithm(e, which, &in, columns, of, (lun_dtype)in->dtype, rank, shape,
                                     notes, &n);
    }
    lun__node_release(e, in);
    return s == LUN_OK ? array_of(e, n, axis, out) : s;
}

/* The failure of one matrix and of one of several: the pivot, the matrix, how many there are. */
static const char *const singular[] = {"matrix is singular (pivot %lld is 0)"};
static const char *const one_singular[] = {
    "matrix %2$lld of %3$lld is singular (pivot %1$lld is 0)"};
static const char *const not_definite[] = {"matrix is not positive definite (leading minor %lld)"};
static const char *const one_not_definite[] = {
    "matrix %2$lld of %3$lld is not positive definite (leading minor %1$lld)"};

static const char *const no_eigenvalues[] = {"eigenvalues did not converge",
                                             "matrix contains NaN or infinity"};
static const char *const one_no_eigenvalues[] = {
    "eigenvalues of matrix %2$lld of %3$lld did not converge",
    "matrix %2$lld of %3$lld contains NaN or infinity"};

static const char *const no_singular_values[] = {"singular values did not converge",
                                                 "matrix contains NaN or infinity"};
static const char *const one_no_singular_values[] = {
    "singular values of matrix %2$lld of %3$lld did not converge",
    "matrix %2$lld of %3$lld contains NaN or infinity"};

static bool several(lun_array *a)
{
    int64_t shape[LUN_MAX_RANK];
    return !a->weak && lun_shape(a, shape) > 2;
}

lun_status lun_lu(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    NUMBERS(e, a);
    return of_one(e, a, LUN_ALGORITHM_LU, 0, 0, 2, NULL, out);
}

lun_status lun_lu_solve(lun_engine *e, lun_array *lu, lun_array *b, lun_array **out)
{
    LUN_NEED(e, lu && b && out);
    NUMBERS(e, lu);
    NUMBERS(e, b);
    return of_two(e, lu, b, LUN_ALGORITHM_SOLVED, 2, 0, several(lu) ? one_singular : singular, out);
}

lun_status lun_lu_det(lun_engine *e, lun_array *lu, int what, lun_array **out)
{
    LUN_NEED(e, lu && out && what >= 0 && what <= LUN_LOGARITHM);
    NUMBERS(e, lu);
    lun_array *moduli = NULL, *logarithms = NULL;
    lun_status s = LUN_OK;
    if (what == LUN_SIGN && !lun_is_freed(lu) && lun__array_is_complex(lu))
        return lun__array_refuse_logical(e, lu);
    if (what == LUN_LOGARITHM)
        s = lun_abs(e, lu, &moduli);
    if (moduli)
        s = lun_log(e, moduli, &logarithms);
    if (s == LUN_OK)
        s = of_one(e, logarithms ? logarithms : lu, LUN_ALGORITHM_DETERMINANT, 2, (uint64_t)what,
                   ELEMENT, NULL, out);
    lun_release(moduli);
    lun_release(logarithms);
    return s;
}

lun_status lun_cholesky(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    NUMBERS(e, a);
    return of_one(e, a, LUN_ALGORITHM_CHOLESKY, 0, 0, 0,
                  several(a) ? one_not_definite : not_definite, out);
}

lun_status lun_solve_triangular(lun_engine *e, lun_array *t, lun_array *b, int flags,
                                lun_array **out)
{
    LUN_NEED(e, t && b && out && flags >= 0 && flags < 2 * LUN_TRANSPOSED);
    NUMBERS(e, t);
    NUMBERS(e, b);
    return of_two(e, t, b, LUN_ALGORITHM_TRIANGULAR, 0, (uint64_t)flags,
                  several(t) ? one_singular : singular, out);
}

lun_status lun_eigh(lun_engine *e, lun_array *a, int flags, lun_array **out)
{
    LUN_NEED(e, a && out && flags >= 0 && flags <= LUN_VALUES);
    NUMBERS(e, a);
    return of_one(e, a, LUN_ALGORITHM_EIGEN, 0, (uint64_t)flags, flags ? ROW : 1,
                  several(a) ? one_no_eigenvalues : no_eigenvalues, out);
}

lun_status lun_eig(lun_engine *e, lun_array *a, int flags, lun_array **out)
{
    LUN_NEED(e, a && out && flags >= 0 && flags <= LUN_VALUES);
    NUMBERS(e, a);
    return of_one(e, a, LUN_ALGORITHM_EIGEN_GENERAL, 0, (uint64_t)flags, flags ? TWO_ROWS : TWICE,
                  several(a) ? one_no_eigenvalues : no_eigenvalues, out);
}

static void sizes_of_qr(int flags, int64_t *rows, int64_t *columns)
{
    const int64_t m = *rows, n = *columns, least = m < n ? m : n;
    *rows = flags & LUN_TRIANGULAR ? n : m + n;
    *columns = flags == LUN_COMPLETE ? m : least;
}

lun_status lun_qr(lun_engine *e, lun_array *a, int flags, lun_array **out)
{
    LUN_NEED(e, a && out && flags >= 0 && flags <= LUN_TRIANGULAR);
    NUMBERS(e, a);
    return of_oblong(e, a, LUN_ALGORITHM_QR, flags, NULL, sizes_of_qr, out);
}

static void sizes_of_svd(int flags, int64_t *rows, int64_t *columns)
{
    const int64_t m = *rows, n = *columns;
    *rows = flags ? 1 : m + n + 1;
    *columns = m < n ? m : n;
}

lun_status lun_svd(lun_engine *e, lun_array *a, int flags, lun_array **out)
{
    LUN_NEED(e, a && out && flags >= 0 && flags <= LUN_VALUES);
    NUMBERS(e, a);
    return of_oblong(e, a, LUN_ALGORITHM_SVD, flags,
                     several(a) ? one_no_singular_values : no_singular_values, sizes_of_svd, out);
}
