/* variants.c - what computes the functions: the sequences, the C library, and engines on a
 * backend. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "reference/instruction_loops.h"

/* ---- engines --------------------------------------------------------------------------------- */

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

bool compute_by_engine(const char *backend, const function *f, lun_dtype t, const void *x,
                       const void *y, void *out, int n)
{
    lun_config c = {.size = sizeof c, .backend = backend, .jit = LUN_JIT_SYNC, .cache_dir = ""};
    lun_engine *e;
    if (lun_open(&c, &e) != LUN_OK)
        return false;
    run(e, f, t, x, y, out, n);
    lun_close(e);
    return true;
}

/* ---- computing ------------------------------------------------------------------------------- */

/* The sequence, or the loop of an operation that needs none; NULL: the C library's. */
static lun_loop_op loop_of(variant v, const function *f, lun_dtype t)
{
    const lun_loops *loops = lun__interpreter_loops(lun__isa_here());
    lun_loop_op math = lun__instruction_loops_math(loops, 0, (lun_op)f->op, t);
    return v == PRECISE ? NULL : math ? math : loops->of[t]->op[f->op];
}

void compute_f32(variant v, const function *f, const float *x, const float *y, float *out, int n)
{
    lun_loop_op loop = loop_of(v, f, LUN_F32);
    if (loop)
        loop(out, x, y, y, n);
    else if (f->op == LUN_OP_SQRT)
        for (int i = 0; i < n; i++)
            out[i] = sqrtf(x[i]);
    else
        for (int i = 0; i < n; i++)
            out[i] = f->arity == 1 ? f->f1(x[i]) : f->f2(x[i], y[i]);
}

void compute_f64(variant v, const function *f, const double *x, const double *y, double *out, int n)
{
    lun_loop_op loop = loop_of(v, f, LUN_F64);
    if (loop)
        loop(out, x, y, y, n);
    else if (f->op == LUN_OP_SQRT)
        for (int i = 0; i < n; i++)
            out[i] = sqrt(x[i]);
    else
        for (int i = 0; i < n; i++)
            out[i] = f->arity == 1 ? f->d1(x[i]) : f->d2(x[i], y[i]);
}
