/* accuracy.h - how far the elementwise functions are from the true values: what the parts of the
 * measurement share. functions.c has the functions and their true values, judge.c counts units of
 * the last place, variants.c computes, main.c chooses the arguments, report.c writes the page. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "lunarray.h"

typedef long double extended;

typedef struct function {
    const char *name;
    lun_op op;
    int arity;
    double from, to;  /* where it bends: half of the arguments of f64 come from there */
    double low, high; /* beyond, there are only special values */
    int (*exact1)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    int (*exact2)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
    extended (*wide1)(extended);
    extended (*wide2)(extended, extended);
    float (*f1)(float);
    double (*d1)(double);
    float (*f2)(float, float);
    double (*d2)(double, double);
} function;

extern const function functions[];
extern const int function_count;

/* The value at x, y correctly rounded to 64 bits. */
extended exact_by_mpfr(const function *f, double x, double y);

/* What computes: the sequences of math/functions.def, which have the same bits on every machine,
 * and the C library. */
typedef enum variant { V1, PRECISE, VARIANTS } variant;

enum { BLOCK = 1 << 14 };

/* out = f of n numbers, a multiple of 64; y: of functions of two. */
void compute_f32(variant v, const function *f, const float *x, const float *y, float *out, int n);
void compute_f64(variant v, const function *f, const double *x, const double *y, double *out,
                 int n);
/* The same by an engine on a backend: "openmp", "reference" or "opencl"; false: there is none. */
bool compute_by_engine(const char *backend, const function *f, lun_dtype t, const void *x,
                       const void *y, void *out, int n);

/* The largest error seen, and where. */
typedef struct worst {
    double ulp, at[2];
    double wrong_at[2]; /* the first place where it is wrong in kind: NaN, infinity, sign of zero */
    int64_t wrong, seen;
} worst;

/* Errors of n results (a multiple of 8) against true values good to f64; x, y: the arguments. */
void judge_f32(worst *w, const float *x, const float *y, const double *exact, const float *got,
               int n);
/* Error in ULP of f32 or f64; infinite: wrong in kind. */
double error_in_ulp(extended exact, double got, bool is_double);
void note(worst *w, double ulp, double x, double y);
void merge(worst *into, const worst *from);

/* What is measured, and what came of it. */
enum { MOST_FUNCTIONS = 64, OTHERS = 64 };
typedef struct measurement {
    double share;          /* of all arguments that are to be taken */
    double pairs, samples; /* arguments: f32 of two, f64 */
    uint64_t stride;       /* f32: every stride-th, fewer for the C library */
    bool measured[MOST_FUNCTIONS];
    worst table[MOST_FUNCTIONS][2][VARIANTS];
    double screen_error[2]; /* of what screens f32 and f64, in their ULP */
} measurement;

/* Writes the page to standard output; gives how often the promise is not kept. */
int report(const measurement *m, double seconds);

#endif
