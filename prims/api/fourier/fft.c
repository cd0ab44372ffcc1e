/* fft.c - Fourier transforms.
 *
 * Invariant: the engine keeps the tables of roots of the transforms that were asked for last, the
 * last one first, of at most KEPT bytes together, and a part of the memory limit; a table that is
 * longer is not kept. */
#include "api/fourier/fft.h"

#include <stdlib.h>

#include "base/sized.h"
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

/* ---- arrays ---------------------------------------------------------------------------------- */

/* A call: the array, its shape, the options as they are used. */
typedef struct call {
    lun_engine *e;
    lun_array *a;
    bool complex;
    int rank, axis, norm;
    int64_t n, extent;
} call;

/* half: a's axis has n/2 + 1 elements. */
static lun_status begin(lun_engine *e, lun_array *a, const lun_fft_options *options, bool half,
                        call *c)
{
    lun_fft_options o = {.axis = -1};
    int64_t shape[LUN_MAX_RANK];
    char text[96];
    if (options)
        lun__sized_take(&o, options, sizeof o);
    *c = (call){.e = e, .a = a, .norm = o.norm};
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    c->complex = lun_complex_part(lun_dtype_of(a)) != LUN_DTYPE_COUNT;
    if (!c->complex)
        LUN_NO_MISSING(e, a);
    c->rank = lun_is_weak(a) ? 0 : lun_shape(a, shape);
    if (!c->rank)
        return lun__fail(e, LUN_ESHAPE, "an array with an axis expected, got %s",
                         lun_is_weak(a) ? "a number" : lun__array_describe(a, text));
    if (o.axis < -c->rank || o.axis >= c->rank)
        return lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " is out of range: %s has %d", o.axis,
                         lun__array_describe(a, text), c->rank);
    c->axis = o.axis < 0 ? o.axis + c->rank : o.axis;
    c->extent = shape[c->axis];
    c->n = o.n ? o.n : half ? 2 * (c->extent - 1) : c->extent;
    if (c->extent == 0 || c->n < 1)
        return lun__fail(e, LUN_ESHAPE, "an axis of length 0 has no transform");
    if (c->n > LUN_PASSES_LONGEST)
        return lun__fail(e, LUN_ESHAPE, "%lld elements are too many for a transform",
                         (long long)c->n);
    if (o.norm < LUN_NORM_BACKWARD || o.norm > LUN_NORM_FORWARD)
        return lun__fail(e, LUN_EARG, "there is no norm %d", o.norm);
    return LUN_OK;
}

/* What results are divided by. */
static int scale(int norm, bool inverse)
{
    if (norm == LUN_NORM_ORTHO)
        return LUN_FOURIER_BY_ROOT;
    return (norm == LUN_NORM_BACKWARD) == inverse ? LUN_FOURIER_BY_LENGTH : 0;
}

/* The elements as the algorithm takes them: complex numbers as pairs, real ones as floats. */
static lun_status operand(const call *c, bool real, lun_array **out)
{
    lun_array *zero = NULL, *floats = NULL, *z = NULL;
    if (c->complex)
        return lun_complex_lanes(c->e, c->a, out);
    const lun_dtype own = lun_dtype_of(c->a);
    const bool single = lun__dtype_is_float(own) && lun__dtype_get(own)->bytes == sizeof(float);
    const lun_dtype t = single ? LUN_F32 : LUN_F64;
    if (real)
        return lun_cast(c->e, c->a, t, out);
    lun_status s = lun_number(c->e, 0, &zero);
    if (s == LUN_OK)
        s = lun_cast(c->e, c->a, t, &floats);
    if (s == LUN_OK)
        s = lun_complex(c->e, floats, zero, &z);
    if (s == LUN_OK)
        s = lun_complex_lanes(c->e, z, out);
    lun_release(zero);
    lun_release(floats);
    lun_release(z);
    return s;
}

static lun_status transformed(const call *c, int flags, lun_array **out)
{
    const int kind = flags & LUN_FOURIER_KIND;
    lun_array *x = NULL, *y = NULL;
    lun_node *in = NULL, *n = NULL;
    lun_status s = operand(c, kind == LUN_FOURIER_OF_REAL || kind == LUN_FOURIER_HALF, &x);
    if (s == LUN_OK)
        s = lun__array_node(c->e, x, LUN_DTYPE_COUNT, &in);
    if (s == LUN_OK)
        s = lun__fft_node(c->e, in, flags, c->axis, c->n, &n);
    if (s == LUN_OK)
        s = lun__array(c->e, n, false, &y);
    if (s == LUN_OK && kind != LUN_FOURIER_TO_REAL) {
        s = lun_complex_of(c->e, y, out);
        lun_release(y);
    } else if (s == LUN_OK)
        *out = y;
    lun__node_release(c->e, in);
    lun_release(x);
    return s;
}

/* What a function does: the kind of the algorithm, whether that is the inverse, and results are
 * divided as those of inverses are; whether it takes, or gives, the conjugates. */
typedef struct form {
    int kind;
    bool inverse, divided, of_conjugate, conjugate;
} form;

static lun_status transform(lun_engine *e, lun_array *a, const lun_fft_options *options, form f,
                            lun_array **out)
{
    char text[96];
    call c;
    LUN_NEED(e, a && out);
    lun_status s = begin(e, a, options, f.kind == LUN_FOURIER_TO_REAL, &c);
    if (s != LUN_OK)
        return s;
    if (c.complex && f.kind == LUN_FOURIER_HALF)
        return lun__fail(e, LUN_EDTYPE,
                         "real numbers expected, got %s: take fft, or the array's real()",
                         lun__array_describe(a, text));
    lun_array *before = NULL, *after = NULL;
    if (f.of_conjugate)
        s = lun_conj(e, a, &before);
    c.a = f.of_conjugate ? before : a;
    if (f.kind == LUN_FOURIER_COMPLEX && !c.complex)
        f.kind = LUN_FOURIER_OF_REAL;
    const int flags = f.kind | (f.inverse ? LUN_FOURIER_INVERSE : 0) | scale(c.norm, f.divided);
    if (s == LUN_OK)
        s = transformed(&c, flags, &after);
    if (s == LUN_OK && f.conjugate)
        s = lun_conj(e, after, out);
    else if (s == LUN_OK)
        lun_retain(*out = after);
    lun_release(before);
    lun_release(after);
    return s;
}

#define TRANSFORM(name, ...)                                                           \
    lun_status lun_##name(lun_engine *e, lun_array *a, const lun_fft_options *options, \
                          lun_array **out)                                             \
    {                                                                                  \
        return transform(e, a, options, (form){__VA_ARGS__}, out);                     \
    }
TRANSFORM(fft, .kind = LUN_FOURIER_COMPLEX)
TRANSFORM(ifft, .kind = LUN_FOURIER_COMPLEX, .inverse = true, .divided = true)
TRANSFORM(rfft, .kind = LUN_FOURIER_HALF)
TRANSFORM(irfft, .kind = LUN_FOURIER_TO_REAL, .inverse = true, .divided = true)
TRANSFORM(hfft, .kind = LUN_FOURIER_TO_REAL, .inverse = true, .of_conjugate = true)
TRANSFORM(ihfft, .kind = LUN_FOURIER_HALF, .divided = true, .conjugate = true)
