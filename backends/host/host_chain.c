/* host_chain.c - chains on the host: a worker takes some rows at a time through all kernels; see
 * backend.h, host.h and links.h. */
#include <stdlib.h>

#include "host/links.h"

enum {
    CACHE_BYTES = 256 << 10, /* of rows in work, where the machine's caches are not known */
    ROWS_MOST = 64,
    SHARES = 8 /* chunks for each worker, at least */
};

static size_t size_of(lun_dtype t)
{
    return (size_t)lun__dtype_get(t)->bytes;
}

/* ---- cut and memory -------------------------------------------------------------------------- */

/* Whether an earlier stage reads the memory that slot i of stage k reads. */
static bool is_known(const lun_chain *c, const lun_host_kernel *kernels, int k, int i)
{
    const lun_launch *l = c->stages[k].launch;
    bool known = false;
    if (l->streams && l->streams[i].read)
        return false;
    for (int j = 0; j < k && !known; j++)
        for (int s = 0; s < kernels[j].ir->slot_count && !known; s++)
            known = c->stages[j].slots[s].array < 0 &&
                    kernels[j].ir->slots[s].role == LUN_SLOT_IN && c->stages[j].launch->segment &&
                    c->stages[j].launch->slots[s] == l->slots[i];
    return known;
}

/* Bytes of a row that are read more than once, or may be, about: they shall stay in the caches. */
static int64_t row_bytes(const lun_chain *c, const lun_host_kernel *kernels)
{
    int64_t bytes = 0;
    for (int i = 0; i < c->array_count; i++)
        if (!c->arrays[i].narrow && c->arrays[i].read)
            bytes += (int64_t)size_of(c->arrays[i].dtype);
    for (int k = 0; k < c->count; k++)
        for (int i = 0; c->stages[k].launch->segment && i < kernels[k].ir->slot_count; i++)
            if (c->stages[k].slots[i].array < 0 && kernels[k].ir->slots[i].role == LUN_SLOT_IN &&
                !is_known(c, kernels, k, i))
                bytes += (int64_t)size_of((lun_dtype)kernels[k].ir->slots[i].dtype);
    return (bytes ? bytes : 1) * c->segment;
}

static void make_cut(lun__run *r, const lun_team *team, lun__links *l)
{
    const lun_chain *c = l->chain;
    const int64_t count = l->end - l->first, cache = team->chunk_bytes;
    int64_t cost = 0, rows = (cache > 0 ? cache : CACHE_BYTES) / row_bytes(c, l->kernels);
    for (int k = 0; k < c->count; k++)
        cost += l->kernels[k].cost * (c->stages[k].launch->segment ? c->segment : 1);
    double most =
        lun__split_guess(cost, count, c->bytes / (c->rows - c->first) * count) / LUN_WORKER_NS;
    int64_t workers = most < team->threads ? (int64_t)most : team->threads;
    if (l->headed) /* which cuts the rows itself, and is worth all threads */
        workers = team->threads;
    else if (workers > 1 && rows > count / (workers * SHARES))
        rows = count / (workers * SHARES);
    l->rows = rows < 1 ? 1 : rows > ROWS_MOST ? ROWS_MOST : rows;
    lun__split_make(&(lun_cut_work){.count = count * c->segment, .bytes = c->bytes, .cost = 1},
                    &(lun_team){.threads = 1, .cache_bytes = team->cache_bytes}, &r->cut);
    r->cut.chunk = l->rows * c->segment;
    r->cut.chunks = lun__split_divide(count, l->rows);
    r->cut.batch = 1;
    r->cut.in_order = false;
    if (workers > r->cut.chunks && !l->headed)
        workers = r->cut.chunks;
    r->cut.workers = workers < 1 ? 1 : (int)workers;
}

/* Takes bytes of a worker's memory. */
static size_t take(lun__links *l, size_t bytes)
{
    size_t at = l->bytes;
    l->bytes += lun__links_rounded(bytes);
    return at;
}

/* Plans a worker's memory.  False: there are too many bytes to count. */
static bool plan_memory(lun__links *l)
{
    const lun_chain *c = l->chain;
    size_t slots = 0, results = 0, spare = 0;
    const size_t rows = (size_t)lun__order_blocks(l->rows);
    const size_t longest = (size_t)l->whole > rows ? (size_t)l->whole : rows;
    for (int k = 0; k < c->count; k++) {
        const lun_ir *ir = l->kernels[k].ir;
        const int64_t each = c->stages[k].launch->segment ? c->segment : 1;
        size_t sizes = 0;
        for (int i = 0; i < ir->slot_count; i++)
            sizes += lun__links_rounded(longest * size_of((lun_dtype)ir->slots[i].dtype));
        spare = sizes > spare ? sizes : spare;
        slots = (size_t)ir->slot_count > slots ? (size_t)ir->slot_count : slots;
        results = (size_t)ir->result_count > results ? (size_t)ir->result_count : results;
        size_t feeds = lun__staging_bytes(ir, c->stages[k].launch, l->rows * each + LUN_BLOCK);
        if (feeds == SIZE_MAX)
            return false;
        l->feeds[k] = take(l, feeds);
    }
    l->slots = take(l, slots * sizeof(void *));
    l->cells = take(l, results * (size_t)l->rows * sizeof(uint64_t));
    l->chunks = take(l, results * (size_t)(c->segment / LUN_CHUNK + 1) * sizeof(uint64_t));
    l->spare = take(l, spare);
    for (int i = 0; i < c->array_count; i++) {
        const lun_chain_array *a = &c->arrays[i];
        size_t elements = a->narrow ? rows : (size_t)(l->rows * l->whole);
        l->arrays[i] = lun__links_hold(l, i) ? take(l, elements * size_of(a->dtype)) : 0;
    }
    return true;
}

/* ---- workers --------------------------------------------------------------------------------- */

/* The rows of chunk k. */
static void run_chunk(lun__run *r, int64_t k, lun_worker *w)
{
    const lun__links *l = r->links;
    const int64_t row = l->first + k * l->rows;
    lun__links_run(r, w, k, row, l->end - row < l->rows ? l->end - row : l->rows, NULL);
}

/* Rows that a product has made: as many at a time as stay in the cache.  The run counts rows as
 * numbers of chunks. */
static bool take_rows(void *ctx, int worker, int64_t first, int64_t count, void *rows)
{
    lun__run *r = ctx;
    const lun__links *l = r->links;
    const size_t segment = (size_t)l->whole * size_of(l->chain->arrays[0].dtype);
    lun_worker w = lun__work_begin(r, worker);
    for (int64_t at = 0, some; at < count; at += some) {
        some = count - at < l->rows ? count - at : l->rows;
        const void *given = rows ? (char *)rows + (size_t)at * segment : NULL;
        if (lun__work_finished(r, first + at) ||
            !lun__links_run(r, &w, first + at, first + at, some, given))
            return false;
    }
    lun__work_fence(r);
    return true;
}

typedef struct maker {
    lun_host_make *make;
    void *ctx;
} maker;

static lun_status drive(lun__run *r, const lun_team *team, const void *ctx)
{
    const maker *m = ctx;
    return m->make(m->ctx, team, &(lun_host_rows){take_rows, r});
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void keep_failure(const lun__run *r, lun_chain *chain)
{
    if (atomic_load(&r->trapped) == INT64_MAX)
        return;
    chain->failed = (int)(r->trap >> 32);
    chain->stages[chain->failed].launch->trap = (int)(r->trap & INT32_MAX);
    chain->stages[chain->failed].launch->trap_value = r->trap_value;
}

static lun_status run_rows(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_chain *chain, int64_t first, int64_t count,
                           const maker *m)
{
    lun__links l = {.chain = chain,
                    .kernels = kernels,
                    .first = first,
                    .end = first + count,
                    .whole = lun__order_blocks(chain->segment),
                    .headed = m != NULL};
    lun__run r = {.services = services,
                  .ir = kernels[0].ir,
                  .launch = chain->stages[0].launch,
                  .end = chain->rows * chain->segment,
                  .chain = run_chunk,
                  .links = &l,
                  .drive = m ? drive : NULL,
                  .driver = m,
                  .trapped = INT64_MAX,
                  .trap_lock = ATOMIC_FLAG_INIT};
    size_t scratch = 0;
    chain->failed = 0;
    l.arrays = calloc((size_t)(chain->array_count + chain->count), sizeof *l.arrays);
    if (!l.arrays)
        return LUN_ENOMEM;
    l.feeds = l.arrays + chain->array_count;
    for (int k = 0; k < chain->count; k++)
        scratch = kernels[k].exec->scratch > scratch ? kernels[k].exec->scratch : scratch;
    make_cut(&r, team, &l);
    r.scratch_step = lun__links_rounded(scratch);
    lun_status s = LUN_ENOMEM;
    if (plan_memory(&l) &&
        !__builtin_mul_overflow(r.scratch_step, (size_t)r.cut.workers, &scratch)) {
        r.table_step = l.bytes;
        s = lun__host_run_go(&r, team, scratch);
    }
    keep_failure(&r, chain);
    free(l.arrays);
    return s;
}

lun_status lun__host_chain(const lun_services *services, const lun_host_kernel *kernels,
                           const lun_team *team, lun_chain *chain, int64_t first, int64_t count)
{
    return run_rows(services, kernels, team, chain, first, count, NULL);
}

lun_status lun__host_chain_product(const lun_services *services, const lun_host_kernel *kernels,
                                   const lun_team *team, lun_chain *chain, lun_host_make *make,
                                   void *ctx)
{
    const maker m = {make, ctx};
    return run_rows(services, kernels, team, chain, 0, chain->rows, &m);
}
