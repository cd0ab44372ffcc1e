/* fftw.c - Fourier transforms of F64 by FFTW's guru interface, which is opened at run time; see
 * fftw.h.
 *
 * Lines stand in arrays as the algorithm FOURIER has them (table/algorithms.def): groups of lines
 * side by side, which FFTW reads and writes in place through strides.  Its planner, of which the
 * process has one, is used under the loading lock, and estimates: it does not time.  Groups are
 * transformed some at a time, between which a run can be stopped.  A line that is cut or filled
 * with zeros is not taken. */
#include "vendor/fftw.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loading_lock.h"
#include "table/passes.h"
#include "vendor/vendor_library.h"

enum { FORWARD = -1, BACKWARD = 1 };                               /* of fftw3.h, */
enum { UNALIGNED = 1 << 1, PRESERVE = 1 << 4, ESTIMATE = 1 << 6 }; /* as these and the next are */
enum { NUMBERS = 1 << 24 };                                        /* of a call, about */

typedef struct extent {
    ptrdiff_t n, from, to; /* how many, and apart by so many numbers of operand and result */
} extent;

typedef void *complex_fn(int rank, const extent *dims, int more, const extent *lines, void *in,
                         void *out, int sign, unsigned flags);
typedef void *half_fn(int rank, const extent *dims, int more, const extent *lines, void *in,
                      void *out, unsigned flags);
typedef void plan_fn(void *plan);

typedef struct lun_fftw {
    const lun_services *services;
    complex_fn *complex;
    half_fn *to_half, *of_half;
    plan_fn *execute, *destroy;
    char name[128];
    const char *path;
} lun_fftw;

/* ---- the library ----------------------------------------------------------------------------- */

/* "FFTW 3.3.10" of "fftw-3.3.10-sse2-avx". */
static void name_of(const lun_library *library, char name[128])
{
    char version[32] = "";
    const char *text = lun__library_symbol(library->handle, "fftw_version");
    if (text && sscanf(text, "fftw-%31[0-9.]", version) == 1)
        snprintf(name, 128, "FFTW %s", version);
    else
        snprintf(name, 128, "FFTW");
}

static lun_status fftw_open(const lun_services *services, const lun_opening *how, void **state,
                            lun_abilities *out)
{
    lun_library library;
    (void)how;
    if (!lun__vendor_library_open(services, LUN_LIBRARY_FFTW, &library))
        return LUN_EBACKEND;
    lun_fftw *f = calloc(1, sizeof *f);
    if (!f)
        return lun__vendor_library_fail(services, LUN_ENOMEM, "out of memory");
    f->services = services;
    f->path = library.path;
    lun__vendor_library_find(&library, "fftw_plan_guru64_dft", &f->complex);
    lun__vendor_library_find(&library, "fftw_plan_guru64_dft_r2c", &f->to_half);
    lun__vendor_library_find(&library, "fftw_plan_guru64_dft_c2r", &f->of_half);
    lun__vendor_library_find(&library, "fftw_execute", &f->execute);
    lun__vendor_library_find(&library, "fftw_destroy_plan", &f->destroy);
    name_of(&library, f->name);
    *out = (lun_abilities){.shares = false};
    *state = f;
    return LUN_OK;
}

static void fftw_close(void *state)
{
    free(state);
}

static int fftw_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    const lun_fftw *f = state;
    (void)services;
    if (f && room > 0) {
        rows[0] = (lun_device){.kind = "cpu", .backend = "fftw"};
        snprintf(rows[0].name, sizeof rows[0].name, "%s", f->name);
        snprintf(rows[0].machine, sizeof rows[0].machine, "%s", f->path);
    }
    return f ? 1 : 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Numbers, of one or two elements, that a line has in operand and result, as they stand there;
 * `inner` lines side by side make a group, of which there are `groups`. */
typedef struct lines {
    int kind;
    bool inverse;
    int64_t n, given, results, inner, groups;
    int of, to; /* elements of a number */
    double by;  /* what results are divided by; 0: by nothing */
} lines;

static lines lines_of(const lun_algorithm_run *r)
{
    const uint64_t flags = r->option[0];
    lines l = {.kind = (int)(flags & LUN_FOURIER_KIND),
               .inverse = flags & LUN_FOURIER_INVERSE,
               .n = r->segment,
               .inner = (int64_t)r->option[1]};
    l.of = l.kind == LUN_FOURIER_OF_REAL || l.kind == LUN_FOURIER_HALF ? 1 : 2;
    l.to = l.kind == LUN_FOURIER_TO_REAL ? 1 : 2;
    l.given = l.kind == LUN_FOURIER_TO_REAL ? l.n / 2 + 1 : l.n;
    l.results = l.kind == LUN_FOURIER_HALF ? l.n / 2 + 1 : l.n;
    if (l.n > 0 && l.inner > 0)
        l.groups = r->out[0].n / (l.results * l.inner * l.to);
    l.by = flags & LUN_FOURIER_BY_LENGTH ? (double)l.n
           : flags & LUN_FOURIER_BY_ROOT ? sqrt((double)l.n)
                                         : 0;
    return l;
}

static bool fftw_takes(void *state, const lun_work *asked, int64_t *scratch)
{
    const lun_algorithm_run *r = asked->is.algorithm;
    (void)state;
    *scratch = 0;
    if (asked->kind != LUN_WORK_ALGORITHM || r->which != LUN_ALGORITHM_FOURIER ||
        !lun__dtype_is_double(r->out[0].dtype))
        return false;
    const lines l = lines_of(r);
    return l.groups > 0 && r->in[0].n == l.groups * l.given * l.inner * l.of;
}

/* Groups first .. first + count - 1. */
static bool transform(const lun_fftw *f, const lines *l, int64_t count, double *in, double *out)
{
    const extent line = {l->n, l->inner, l->inner};
    const extent all[] = {{count, l->given * l->inner, l->results * l->inner}, {l->inner, 1, 1}};
    const unsigned flags = ESTIMATE | UNALIGNED | PRESERVE;
    lun__loading_lock_begin();
    void *plan = l->kind == LUN_FOURIER_COMPLEX
                     ? f->complex(1, &line, 2, all, in, out, l->inverse ? BACKWARD : FORWARD, flags)
                 : l->kind == LUN_FOURIER_TO_REAL ? f->of_half(1, &line, 2, all, in, out, flags)
                                                  : f->to_half(1, &line, 2, all, in, out, flags);
    lun__loading_lock_end();
    if (!plan)
        return false;
    f->execute(plan);
    lun__loading_lock_begin();
    f->destroy(plan);
    lun__loading_lock_end();
    return true;
}

/* Of real numbers FFTW gives a half: the others are its conjugates, and so is an inverse. */
static void complete(const lines *l, int64_t count, double *out)
{
    const int64_t row = 2 * l->inner;
    for (int64_t g = 0; g < count; g++) {
        double *at = out + g * l->n * row;
        for (int64_t k = 0; l->inverse && k <= l->n / 2; k++)
            for (int64_t i = 1; i < row; i += 2)
                at[k * row + i] = -at[k * row + i];
        for (int64_t k = l->n / 2 + 1; k < l->n; k++)
            for (int64_t i = 0; i < row; i++) {
                const double x = at[(l->n - k) * row + i];
                at[k * row + i] = i % 2 ? -x : x;
            }
    }
}

static void divide(const lines *l, int64_t count, double *out)
{
    const int64_t n = count * l->results * l->inner * l->to;
    for (int64_t i = 0; l->by != 0 && i < n; i++)
        out[i] /= l->by;
}

static lun_status fftw_begin(void *state, const lun_work *asked, lun_work_mark *mark)
{
    const lun_fftw *f = state;
    const lun_services *s = f->services;
    const lun_algorithm_run *r = asked->is.algorithm;
    int64_t ignored;
    (void)mark;
    if (!fftw_takes(state, asked, &ignored))
        return lun__vendor_library_fail(s, LUN_EBACKEND,
                                        "internal: FFTW does Fourier transforms alone");
    const lines l = lines_of(r);
    const int64_t group = l.n * l.inner, some = group < NUMBERS ? NUMBERS / group : 1;
    for (int64_t first = 0; first < l.groups; first += some) {
        const int64_t count = l.groups - first < some ? l.groups - first : some;
        double *out = (double *)r->out[0].data + first * l.results * l.inner * l.to;
        if (lun__backend_stop_requested(s))
            return lun__vendor_library_fail(s, LUN_ECANCEL, "interrupted");
        if (!transform(f, &l, count, (double *)r->in[0].data + first * l.given * l.inner * l.of,
                       out))
            return lun__vendor_library_fail(s, LUN_EBACKEND,
                                            "FFTW has no plan for the transform, or no memory");
        if (l.kind == LUN_FOURIER_OF_REAL)
            complete(&l, count, out);
        divide(&l, count, out);
        if (s->tick && some < l.groups)
            s->tick(s->tick_ctx, "fft", (first + count) * group, l.groups * group);
    }
    return LUN_OK;
}

const lun_backend lun__backend_fftw = {
    .name = "fftw",
    .devices = fftw_devices,
    .open = fftw_open,
    .close = fftw_close,
    .takes = fftw_takes,
    .begin = fftw_begin,
    .wait = lun__backend_ended_at_once,
};
