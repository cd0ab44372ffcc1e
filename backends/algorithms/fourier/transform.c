/* transform.c - the row fourier: Fourier transforms of lines, by passes (table/passes.h).  Lines
 * that stand side by side are taken some at a time, to which each pass applies as one; blocks of
 * such lines are shared among threads, of one long line its passes. */
#include <math.h>
#include <string.h>

#include "algorithms/fourier/butterflies.h"
#include "algorithms/fourier/run_passes.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"

/* Lines side by side that are taken at once, at most and where they are long; bytes of one buffer
 * that remain near; numbers from which a block's passes are shared; numbers of a part;
 * elements of a step's part. */
enum { WIDTH = 16, LEAST = 4, NEAR = 1 << 18, LONG = 1 << 15, GRAIN = 4096, ROWS = 1 << 12 };

/* A run.  Of lines side by side (`inner`) there are `outer` groups, cut into `blocks` each. */
typedef struct transform {
    const lun_services *services;
    const lun_team *team, *shares; /* shares: NULL, or those who share one block */
    lun_algorithm_run *r;
    lun_passes_plan plan;
    int64_t given, results; /* elements of a line: of the operand, of the result */
    int64_t inner, outer, width, blocks, grain;
    int64_t numbers; /* of one buffer */
    int kind;
    bool inverse, is_double;
    lun_isa isa;
    double by; /* what results are divided by; 0: by nothing */
} transform;

/* Numbers that an element of an array has: real ones one. */
static int64_t parts_of(int kind, bool result)
{
    return kind == (result ? LUN_FOURIER_TO_REAL : LUN_FOURIER_HALF) ||
                   (!result && kind == LUN_FOURIER_OF_REAL)
               ? 1
               : 2;
}

static transform open_run(const lun_algorithm_run *r)
{
    const uint64_t flags = r->option[0];
    transform t = {.kind = (int)(flags & LUN_FOURIER_KIND), .inner = (int64_t)r->option[1]};
    t.inner = t.inner ? t.inner : 1; /* an array without elements */
    const bool real = t.kind == LUN_FOURIER_HALF || t.kind == LUN_FOURIER_TO_REAL;
    t.plan = lun__passes_plan(r->segment, real);
    t.is_double = lun__dtype_is_double(r->out[0].dtype);
    t.inverse = flags & LUN_FOURIER_INVERSE;
    t.isa = lun__isa_here();
    t.results = t.kind == LUN_FOURIER_HALF ? r->segment / 2 + 1 : r->segment;
    t.outer = r->out[0].n / (t.results * t.inner * parts_of(t.kind, true));
    t.given = t.outer ? r->in[0].n / (t.outer * t.inner * parts_of(t.kind, false)) : 0;
    const int64_t most = t.plan.m > t.plan.passes.n ? t.plan.m : t.plan.passes.n;
    const int64_t bytes = 2 * (t.is_double ? (int64_t)sizeof(double) : (int64_t)sizeof(float));
    t.width = WIDTH;
    while (t.width > LEAST && most * bytes * t.width > NEAR)
        t.width /= 2;
    t.width = t.width < t.inner ? t.width : t.inner;
    t.blocks = (t.inner + t.width - 1) / t.width;
    t.numbers = most * t.width;
    t.grain = 1 + GRAIN / t.numbers;
    if (flags & LUN_FOURIER_BY_LENGTH)
        t.by = (double)r->segment;
    if (flags & LUN_FOURIER_BY_ROOT)
        t.by = sqrt((double)r->segment);
    return t;
}

#define T       double
#define NAME(x) x##_f64
#include "algorithms/fourier/transform_of.h"
#undef T
#undef NAME
#define T       float
#define NAME(x) x##_f32
#include "algorithms/fourier/transform_of.h"

static void several(void *ctx, int64_t part, int worker)
{
    const transform *t = ctx;
    const int64_t all = t->outer * t->blocks;
    for (int64_t k = part * t->grain; k < all && k < (part + 1) * t->grain; k++)
        (t->is_double ? one_block_f64 : one_block_f32)(t, k, worker);
}

/* Whether each block is shared by all threads: there are fewer of them, and they are long. */
static bool is_shared(const transform *t, int threads)
{
    return t->numbers >= LONG && t->outer * t->blocks < threads;
}

int64_t lun__fourier_room(const lun_algorithm_run *r, int threads)
{
    const transform t = open_run(r);
    const int64_t size = t.is_double ? sizeof(double) : sizeof(float);
    return (is_shared(&t, threads) ? 1 : threads) * 4 * t.numbers * size;
}

lun_status lun__fourier_run(const lun_services *services, const lun_team *team,
                            lun_algorithm_run *r)
{
    transform t = open_run(r);
    t.services = services;
    t.r = r;
    const int64_t parts = (t.outer * t.blocks + t.grain - 1) / t.grain;
    const bool shared = is_shared(&t, team->threads);
    t.shares = shared ? team : NULL;
    for (int64_t part = 0; shared && part < parts; part++)
        several(&t, part, 0);
    if (!shared)
        lun__work_parts(services, team, parts, &t, several);
    return lun__backend_stop_requested(services) ? LUN_ECANCEL : LUN_OK;
}
