/* fft.c - Fourier transforms.
 *
 * Invariant: the engine keeps the tables of roots of the transforms that were asked for last, the
 * last one first, of at most KEPT bytes together, and a part of the memory limit; a table that is
 * longer is not kept. */
#include "api/data/fft.h"

#include <stdlib.h>

#include "lunarray_bind.h"

enum { TABLES = 8, KEPT = 1 << 27, SHARE = 8 };

typedef struct table {
    int64_t n;
    bool real;
    lun_node *roots; /* a reference; NULL: there is none */
} table;

struct lun_fft_tables {
    table list[TABLES];
};

/* ---- tables ---------------------------------------------------------------------------------- */

static int64_t bytes_of(const lun_node *n)
{
    return n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

void lun__fft_forget(lun_engine *e)
{
    for (int k = 0; e->fft_tables && k < TABLES; k++)
        lun__node_release(e, e->fft_tables->list[k].roots);
    free(e->fft_tables);
    e->fft_tables = NULL;
}

static lun_status new_roots(lun_engine *e, int64_t n, bool real, lun_dtype t, lun_node **out)
{
    const uint64_t options[] = {(uint64_t)n, real};
    const int64_t size = 2 * lun__passes_plan(n, real).size;
    lun_node *zero = NULL;
    lun_status s = lun__typed_number(e, t, 0, &zero);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_TWIDDLES, &zero, n, options, t, 1, &size,
                                     NULL, out);
    lun__node_release(e, zero);
    return s;
}

/* Puts `t`, whose reference it takes, before the others. */
static void keep(lun_engine *e, table t)
{
    const int64_t limit = e->account->limit / SHARE;
    const int64_t most = limit && limit < KEPT ? limit : KEPT;
    if (!e->fft_tables)
        e->fft_tables = calloc(1, sizeof *e->fft_tables);
    if (!e->fft_tables || bytes_of(t.roots) > most) {
        lun__node_release(e, t.roots);
        return;
    }
    int64_t bytes = 0;
    for (int k = 0; k < TABLES && t.roots; k++) {
        table *at = &e->fft_tables->list[k];
        const table next = *at;
        bytes += bytes_of(t.roots);
        if (bytes > most)
            lun__node_release(e, t.roots);
        *at = bytes > most ? (table){0} : t;
        t = next;
    }
    lun__node_release(e, t.roots);
}

/* The table of a transform: one that is kept, or a new one. */
static lun_status roots_of(lun_engine *e, int64_t n, bool real, lun_dtype t, lun_node **out)
{
    struct lun_fft_tables *all = e->fft_tables;
    for (int k = 0; all && k < TABLES; k++) {
        const table found = all->list[k];
        if (!found.roots || found.n != n || found.real != real || found.roots->dtype != t)
            continue;
        for (int i = k; i > 0; i--)
            all->list[i] = all->list[i - 1];
        all->list[0] = found;
        *out = lun__node_retain(found.roots);
        return LUN_OK;
    }
    const lun_status s = new_roots(e, n, real, t, out);
    if (s == LUN_OK)
        keep(e, (table){n, real, lun__node_retain(*out)});
    return s;
}

/* ---- transforms ------------------------------------------------------------------------------ */

lun_status lun__fft_node(lun_engine *e, lun_node *in, int flags, int axis, int64_t n,
                         lun_node **out)
{
    const int kind = flags & LUN_FOURIER_KIND;
    const bool to_real = kind == LUN_FOURIER_TO_REAL, half = kind == LUN_FOURIER_HALF;
    const bool of_real = half || kind == LUN_FOURIER_OF_REAL;
    int64_t shape[LUN_MAX_RANK];
    uint64_t options[] = {(uint64_t)flags, 1};
    int rank = in->rank - !of_real;
    lun__node_shape(in, shape);
    for (int k = axis + 1; k < rank; k++)
        options[1] *= (uint64_t)shape[k];
    shape[axis] = half ? n / 2 + 1 : n;
    if (!to_real)
        shape[rank++] = 2;
    if (rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "an array has at most %d axes", LUN_MAX_RANK);
    lun_node *operands[] = {in, NULL};
    lun_status s = roots_of(e, n, half || to_real, (lun_dtype)in->dtype, &operands[1]);
    if (s == LUN_OK)
        s = lun__fold_node_algorithm(e, LUN_ALGORITHM_FOURIER, operands, n, options,
                                     (lun_dtype)in->dtype, rank, shape, NULL, out);
    lun__node_release(e, operands[1]);
    return s;
}

lun_status lun_fourier(lun_engine *e, lun_array *a, int flags, int axis, int64_t n, lun_array **out)
{
    LUN_NEED(e, a && out && n > 0 && n <= LUN_PASSES_LONGEST);
    lun_node *in = NULL, *x = NULL;
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK)
        s = lun__array_node(e, a, LUN_DTYPE_COUNT, &in);
    if (s == LUN_OK)
        s = lun__fft_node(e, in, flags, axis, n, &x);
    lun__node_release(e, in);
    return s == LUN_OK ? lun__array(e, x, false, out) : s;
}
