/* variants.c - what computes the functions: vector functions for each instruction set, the C
 * library's, and engines on a backend. */
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

typedef void (*any_fn)(void);

#define CALLS(TARGET, NAME, VEC, ELEM, LANES)                                             \
    __attribute__((target(TARGET))) static void NAME(any_fn fn, int arity, ELEM *out,     \
                                                     const ELEM *x, const ELEM *y, int n) \
    {                                                                                     \
        for (int i = 0; i < n; i += LANES) {                                              \
            VEC a, b, r;                                                                  \
            memcpy(&a, x + i, sizeof a);                                                  \
            if (arity == 1) {                                                             \
                r = ((VEC(*)(VEC))fn)(a);                                                 \
            } else {                                                                      \
                memcpy(&b, y + i, sizeof b);                                              \
                r = ((VEC(*)(VEC, VEC))fn)(a, b);                                         \
            }                                                                             \
            memcpy(out + i, &r, sizeof r);                                                \
        }                                                                                 \
    }
CALLS("sse2", base_f32, __m128, float, 4)
CALLS("sse2", base_f64, __m128d, double, 2)
CALLS("avx2", avx2_f32, __m256, float, 8)
CALLS("avx2", avx2_f64, __m256d, double, 4)
CALLS("avx512f", avx512_f32, __m512, float, 16)
CALLS("avx512f", avx512_f64, __m512d, double, 8)

/* The table's entry; NULL: the C library's function is used. */
static any_fn entry(variant v, const function *f, lun_dtype t)
{
    static const lun_isa isa[] = {
        [AVX512] = LUN_ISA_AVX512, [AVX2] = LUN_ISA_AVX2, [BASE] = LUN_ISA_BASE};
    any_fn fn = NULL;
    if (v <= BASE)
        memcpy(&fn, &lun__vecmath(isa[v], LUN_MATH_FAST)[lun__vecmath_index(f->op, t)], sizeof fn);
    return fn;
}

/* ---- engines --------------------------------------------------------------------------------- */

static lun_engine *opencl;
static char device[128];

static void check(lun_engine *e, lun_status s, const char *what)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "accuracy: %s: %s\n", what, lun_error(e));
    exit(1);
}

static void run(lun_engine *e, const function *f, lun_dtype t, const void *x, const void *y,
                void *out, int n)
{
    lun_array *in[2] = {NULL, NULL}, *r;
    check(e, lun_vector(e, x, n, t, &in[0]), f->name);
    if (f->arity == 2)
        check(e, lun_vector(e, y, n, t, &in[1]), f->name);
    check(e, lun_apply(e, f->op, in, f->arity, &r), f->name);
    check(e, lun_read(e, r, out, 0, n), f->name);
    lun_release(r);
    lun_release(in[0]);
    lun_release(in[1]);
}

void compute_by_engine(const char *backend, const function *f, lun_dtype t, const void *x,
                       const void *y, void *out, int n)
{
    lun_config c = {.size = sizeof c, .backend = backend, .jit = LUN_JIT_SYNC, .cache_dir = ""};
    lun_engine *e;
    check(NULL, lun_open(&c, &e), backend);
    run(e, f, t, x, y, out, n);
    lun_close(e);
}

bool variant_open(variant v)
{
    lun_config c = {.size = sizeof c, .backend = "opencl", .cache_dir = ""};
    lun_device rows[16] = {{.size = sizeof rows[0]}};
    if (v <= BASE)
        return (int)lun__vecmath_isa_here() >= (int)LUN_ISA_AVX512 - (int)v;
    if (v == OPENCL && !opencl && lun_open(&c, &opencl) != LUN_OK)
        return false;
    for (int i = lun_devices(opencl, rows, 16) - 1; v == OPENCL && i >= 0; i--)
        if (i < 16 && !strcmp(rows[i].backend, "opencl"))
            snprintf(device, sizeof device, "%s", rows[i].name);
    return true;
}

void variants_close(void)
{
    lun_close(opencl);
}

const char *variant_device(void)
{
    return device;
}

/* ---- computing ------------------------------------------------------------------------------- */

void compute_f32(variant v, const function *f, const float *x, const float *y, float *out, int n)
{
    any_fn fn = entry(v, f, LUN_F32);
    if (v == OPENCL)
        run(opencl, f, LUN_F32, x, y, out, n);
    else if (fn && v == AVX512)
        avx512_f32(fn, f->arity, out, x, y, n);
    else if (fn && v == AVX2)
        avx2_f32(fn, f->arity, out, x, y, n);
    else if (fn)
        base_f32(fn, f->arity, out, x, y, n);
    else if (f->op == LUN_OP_SQRT)
        for (int i = 0; i < n; i++)
            out[i] = sqrtf(x[i]);
    else
        for (int i = 0; i < n; i++)
            out[i] = f->arity == 1 ? f->f1(x[i]) : f->f2(x[i], y[i]);
}

void compute_f64(variant v, const function *f, const double *x, const double *y, double *out, int n)
{
    any_fn fn = entry(v, f, LUN_F64);
    if (v == OPENCL)
        run(opencl, f, LUN_F64, x, y, out, n);
    else if (fn && v == AVX512)
        avx512_f64(fn, f->arity, out, x, y, n);
    else if (fn && v == AVX2)
        avx2_f64(fn, f->arity, out, x, y, n);
    else if (fn)
        base_f64(fn, f->arity, out, x, y, n);
    else if (f->op == LUN_OP_SQRT)
        for (int i = 0; i < n; i++)
            out[i] = sqrt(x[i]);
    else
        for (int i = 0; i < n; i++)
            out[i] = f->arity == 1 ? f->d1(x[i]) : f->d2(x[i], y[i]);
}
