/* twiddles.c - the row twiddles: the table of roots of a Fourier transform (table/passes.h). */
#include <string.h>

#include "algorithms/fourier/roots.h"
#include "algorithms/fourier/run_passes.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"

enum { PART = 1 << 12 }; /* numbers of a part: no part of what is computed */

/* A run of the row: roots of the passes, of twice the length, of all. */
typedef struct twiddles {
    const lun_services *services;
    const lun_team *team;
    lun_algorithm_run *r;
    lun_passes_plan plan;
    bool is_double;
    lun_roots passes, chirp, halves;
} twiddles;

static void put(const twiddles *t, const lun_roots *roots, int64_t k, int64_t at)
{
    if (t->is_double)
        lun__roots_f64(roots, k, (double *)t->r->out[0].data + 2 * at);
    else
        lun__roots_f32(roots, k, (float *)t->r->out[0].data + 2 * at);
}

static void do_roots(void *ctx, int64_t part, int worker)
{
    (void)worker;
    const twiddles *t = ctx;
    const lun_passes_plan *p = &t->plan;
    const int64_t end = (part + 1) * PART < p->size ? (part + 1) * PART : p->size;
    for (int64_t at = part * PART; at < end; at++) {
        const int64_t k = at - p->chirp;
        if (at < p->chirp)
            put(t, &t->passes, lun__passes_root(&p->passes, at), at);
        else if (at < p->filter)
            put(t, &t->chirp, (int64_t)((unsigned __int128)k * (uint64_t)k % (uint64_t)(2 * p->m)),
                at);
        else if (at >= p->halves && p->half)
            put(t, &t->halves, at - p->halves, at);
    }
}

#define FILTER(T, X)                                                                   \
    /* The transform of the conjugate chirp, whose parts are divided by the length. */ \
    static void filter_##X(const twiddles *t, T *from, T *other)                       \
    {                                                                                  \
        const lun_passes_plan *p = &t->plan;                                           \
        T *table = t->r->out[0].data, *filter = table + 2 * p->filter;                 \
        const int64_t n = p->passes.n;                                                 \
        memset(from, 0, 2 * (size_t)n * sizeof(T));                                    \
        for (int64_t k = 0; k < p->m; k++)                                             \
            for (int i = 0; i < 2; i++) {                                              \
                const T x = table[2 * (p->chirp + k) + i];                             \
                from[2 * k + i] = from[2 * ((n - k) % n) + i] = i ? -x : x;            \
            }                                                                          \
        const lun_run_passes how = {.services = t->services,                           \
                                    .team = t->team,                                   \
                                    .isa = lun__isa_here(),                            \
                                    .is_double = t->is_double,                         \
                                    .lines = 1,                                        \
                                    .passes = &p->passes,                              \
                                    .table = table};                                   \
        T *const to[] = {other, from};                                                 \
        const T *made = lun__run_passes(&how, from, (void *const *)to);                \
        for (int64_t k = 0; k < 2 * n; k++)                                            \
            filter[k] = made[k] / (T)n;                                                \
    }
FILTER(double, f64)
FILTER(float, f32)

/* Doubles of scratch memory of the roots; of them those before the second and the third ones. */
static int64_t room(const lun_passes_plan *p, int64_t *second, int64_t *third)
{
    *second = lun__roots_room(p->passes.n);
    *third = *second + (p->chirped ? lun__roots_room(2 * p->m) : 0);
    return *third + (p->half ? lun__roots_room(p->n) : 0);
}

int64_t lun__twiddles_room(const lun_algorithm_run *r, int threads)
{
    (void)threads;
    int64_t second, third;
    const lun_passes_plan p = lun__passes_plan((int64_t)r->option[0], r->option[1]);
    const int64_t size = lun__dtype_is_double(r->out[0].dtype) ? sizeof(double) : sizeof(float);
    return room(&p, &second, &third) * (int64_t)sizeof(double) +
           (p.chirped ? 4 * p.passes.n * size : 0);
}

lun_status lun__twiddles_run(const lun_services *services, const lun_team *team,
                             lun_algorithm_run *r)
{
    int64_t second, third;
    twiddles t = {.services = services, .team = team, .r = r};
    double *memory = r->scratch;
    t.plan = lun__passes_plan((int64_t)r->option[0], r->option[1]);
    t.is_double = lun__dtype_is_double(r->out[0].dtype);
    double *buffer = memory + room(&t.plan, &second, &third);
    t.passes = lun__roots_of(t.plan.passes.n, memory);
    if (t.plan.chirped)
        t.chirp = lun__roots_of(2 * t.plan.m, memory + second);
    if (t.plan.half)
        t.halves = lun__roots_of(t.plan.n, memory + third);
    memset(r->out[0].data, 0, (size_t)(t.is_double ? sizeof(double) : sizeof(float)));
    if (!lun__work_parts(services, team, (t.plan.size + PART - 1) / PART, &t, do_roots))
        return LUN_ECANCEL;
    if (t.plan.chirped && t.is_double)
        filter_f64(&t, buffer, buffer + 2 * t.plan.passes.n);
    else if (t.plan.chirped)
        filter_f32(&t, (float *)buffer, (float *)buffer + 2 * t.plan.passes.n);
    return lun__backend_stop_requested(services) ? LUN_ECANCEL : LUN_OK;
}
