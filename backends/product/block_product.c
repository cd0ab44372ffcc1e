/* block_product.c - a matrix product by blocks; see block_product.h.
 *
 * Of 256 values of k and up to 2048 columns at a time, b is packed into panels as wide as a tile,
 * which all threads read; then each thread takes blocks of rows, packs a's into its second-level
 * cache, and runs the tiles over all panels.  Operands that are read a few times only are not
 * packed where tiles can read them in their layout.  What one packs is read through strides and
 * converted, so layouts and dtypes cost no pass of their own. */
#include "product/block.h"

enum {
    COLUMNS = 2048, /* of b that are packed at a time */
    ROWS = 144,     /* of a in a block, at most; and at least, where threads need more blocks: */
    ROWS_LEAST = 48,
    PANEL_BYTES = 4096 << 10, /* of whole rows in work: half of a second-level cache, about; */
    PANEL_LEAST = 48,         /* so many at least, */
    PANEL_MOST = 16384 << 10, /* but, unless a tile is that high, no more bytes */
    SHARES = 4,               /* blocks for each thread, about */
    FEW_PANELS = 4,           /* of b, for which a is not packed */
    LOCAL = 16 << 10,         /* bytes of scratch that are taken from the stack */
    ALONE_NS = 100000,        /* a product that one thread does */
    TOGETHER = 64 << 20       /* sums of products from which one of a batch is for all threads */
};

static int64_t rounded(int64_t n, int64_t to)
{
    return lun__block_parts(n, to) * to;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static double sums(const lun_product *p)
{
    return (double)p->rows * (double)p->columns * (double)p->inner;
}

static double guess_ns(const lun_tiles *t, const lun_product *p)
{
    return t->each_ns * sums(p) * (double)p->count;
}

bool lun__block_product_alone(lun_isa isa, const lun_product *p)
{
    return guess_ns(lun__block_product_tiles(isa, p->dtype), p) < ALONE_NS;
}

/* A batch over one b is one product of more rows, where the rows of a follow one another. */
static lun_product simplified(const lun_product *p)
{
    lun_product q = *p;
    lun_layout a = lun__layout_simplified(&p->a.batch), b = lun__layout_simplified(&p->b.batch);
    if (p->count > 1 && a.rank == 1 && b.rank == 1 && b.stride[0] == 0 &&
        a.stride[0] == p->rows * p->a.row) {
        q.rows *= p->count;
        q.count = 1;
    }
    return q;
}

/* Rows of a block: few enough that each thread gets some, and of whole rows that they stay near a
 * core. */
static int64_t rows_of(const lun_product_plan *x, const lun_product *p)
{
    const int64_t high = x->t->rows;
    int64_t rows = lun__block_less(rounded(p->rows, high), ROWS / high * high);
    if (x->workers > 1 && !x->batches) {
        int64_t fair = rounded(lun__block_parts(p->rows, (int64_t)SHARES * x->workers), high);
        rows = lun__block_less(rows, fair < ROWS_LEAST ? ROWS_LEAST : fair);
    }
    if (!x->by_rows)
        return rows;
    const int64_t bytes = p->pitch * x->t->size, most = PANEL_MOST / bytes / high * high;
    int64_t in_cache = PANEL_BYTES / bytes;
    in_cache =
        lun__block_less(rounded(in_cache < PANEL_LEAST ? PANEL_LEAST : in_cache, high), most);
    return lun__block_less(rows, in_cache < high ? high : in_cache);
}

static lun_product_plan plan_of(lun_isa isa, int threads, const lun_product *p)
{
    const lun_tiles *t = lun__block_product_tiles(isa, p->dtype);
    lun_product_plan x = {.t = t, .workers = 1, .wide = 2 * t->vector, .by_rows = p->pitch > 0};
    double most = guess_ns(t, p) / (ALONE_NS / 4);
    x.workers = most < threads && !x.by_rows ? (int)most : threads;
    x.workers = x.workers < 1 ? 1 : x.workers;
    x.batches = x.workers > 1 && p->count > 1 && sums(p) < TOGETHER;
    x.same_a = lun__block_same(p->a.dtype, p->dtype);
    x.same_b = lun__block_same(p->b.dtype, p->dtype);
    x.direct_a = x.same_a && p->columns <= FEW_PANELS * x.wide;
    x.direct_b = x.same_b && p->b.column == 1 && p->rows <= 2 * t->rows && !x.by_rows;
    x.inner = lun__block_less(p->inner, LUN_PRODUCT_INNER);
    x.columns = rounded(p->columns, t->vector);
    if (!x.by_rows)
        x.columns = lun__block_less(x.columns, COLUMNS);
    x.rows = rows_of(&x, p);
    if (x.by_rows && !x.batches) /* each worker has memory for a block of whole rows */
        x.workers = (int)lun__block_less(x.workers, lun__block_parts(p->rows, x.rows));
    const int64_t segments = x.wide > t->rows ? x.wide : t->rows, segment = LUN_PRODUCT_LINE;
    const int64_t packed = x.by_rows ? p->inner : x.inner;
    x.panel_bytes = rounded((x.direct_b ? x.wide : x.columns) * packed * t->size, segment);
    x.block_bytes = x.direct_a ? 0 : rounded(x.rows * x.inner * t->size, segment);
    x.stage_bytes = rounded(x.wide * x.inner * t->size, segment);
    x.raw_bytes = x.same_a && x.same_b ? 0 : rounded(segments * x.inner * 8, segment);
    x.rows_bytes = x.by_rows ? rounded(x.rows * p->pitch * t->size, segment) : 0;
    x.worker_bytes = x.block_bytes + x.stage_bytes + x.raw_bytes + x.rows_bytes;
    if (x.batches)
        x.worker_bytes += x.panel_bytes;
    x.bytes = x.workers * x.worker_bytes + (x.batches ? 0 : x.panel_bytes) + segment;
    return x;
}

int64_t lun__block_product_room(lun_isa isa, int threads, const lun_product *p)
{
    lun_product q = simplified(p);
    int64_t bytes = plan_of(isa, threads, &q).bytes;
    return bytes <= LOCAL ? 0 : bytes;
}

/* ---- slices ---------------------------------------------------------------------------------- */

static void work_on_panels(void *ctx, int worker)
{
    lun_product_work *r = ctx;
    const int64_t count = lun__block_panels(r);
    for (int64_t q; (q = atomic_fetch_add(&r->next, 1)) < count;)
        if (!lun__backend_stop_requested(r->services))
            lun__block_pack_panel(r, lun__block_own(r, worker), q);
}

/* The calling thread says how far it is. */
static void report(const lun_product_work *r, int64_t task)
{
    const lun_services *s = r->services;
    const int64_t tasks = r->row_blocks * r->shares, total = r->p->rows * r->p->columns;
    double done = ((double)r->slice + (double)(task + 1) / (double)tasks) / (double)r->slices;
    if (r->ticks && s->tick)
        s->tick(s->tick_ctx, "matmul", (int64_t)(done * (double)total), total);
}

/* Task number t is part t % shares of block t / shares. */
static void work_on_rows(void *ctx, int worker)
{
    lun_product_work *r = ctx;
    char *own = lun__block_own(r, worker);
    const int64_t count = r->row_blocks * r->shares, panels = lun__block_panels(r);
    int64_t packed = -1;
    for (int64_t task; (task = atomic_fetch_add(&r->next, 1)) < count;) {
        const int64_t block = task / r->shares, share = task % r->shares;
        const int64_t i0 = block * r->plan->rows,
                      i1 = lun__block_less(i0 + r->plan->rows, r->p->rows);
        if (packed != block && !r->plan->direct_a)
            lun__block_pack_rows(r, own, i0, i1);
        packed = block;
        for (int64_t q = panels * share / r->shares; q < panels * (share + 1) / r->shares; q++)
            if (!lun__backend_stop_requested(r->services))
                lun__block_panel(r, own, i0, i1, q);
        if (worker == 0)
            report(r, task);
    }
}

/* Product number n of the batch. */
static void run_one(lun_product_work *r, int64_t n)
{
    const lun_product_plan *x = r->plan;
    const lun_product *p = r->p;
    const int64_t size = x->t->size;
    r->a = (const char *)p->a.data +
           lun__layout_offset(&p->a.batch, n) * lun__dtype_get(p->a.dtype)->bytes;
    r->b = (const char *)p->b.data +
           lun__layout_offset(&p->b.batch, n) * lun__dtype_get(p->b.dtype)->bytes;
    r->c = p->c ? (char *)p->c + n * p->rows * p->columns * size : NULL;
    r->c_row = p->columns;
    r->number = n;
    r->row_blocks = lun__block_parts(p->rows, x->rows);
    r->slices =
        lun__block_parts(p->columns, COLUMNS) * lun__block_parts(p->inner, LUN_PRODUCT_INNER);
    r->slice = 0;
    if (x->by_rows) {
        lun__product_rows(r);
        return;
    }
    for (r->j0 = 0; r->j0 < p->columns; r->j0 += COLUMNS)
        for (r->k0 = 0; r->k0 < p->inner; r->k0 += LUN_PRODUCT_INNER, r->slice++) {
            if (lun__backend_stop_requested(r->services))
                return;
            r->columns = lun__block_less(COLUMNS, p->columns - r->j0);
            r->k = lun__block_less(LUN_PRODUCT_INNER, p->inner - r->k0);
            r->shares = 1;
            if (r->row_blocks < (int64_t)SHARES * r->workers && r->workers > 1)
                r->shares =
                    lun__block_less(lun__block_parts((int64_t)SHARES * r->workers, r->row_blocks),
                                    lun__block_panels(r));
            lun__block_together(r, x->direct_b ? 1 : lun__block_panels(r), work_on_panels);
            lun__block_together(r, r->row_blocks * r->shares, work_on_rows);
        }
}

/* ---- batches --------------------------------------------------------------------------------- */

/* A worker's run of its own. */
static void work_on_products(void *ctx, int worker)
{
    lun_product_work *all = ctx;
    const lun_services *s = all->services;
    lun_product_work r = {.services = s,
                          .p = all->p,
                          .plan = all->plan,
                          .take = all->take,
                          .workers = 1,
                          .first = worker,
                          .ended = all->ended};
    r.panels = all->own + worker * all->plan->worker_bytes;
    r.own = r.panels + all->plan->panel_bytes;
    for (int64_t n; (n = atomic_fetch_add(&all->next, 1)) < all->p->count;) {
        if (lun__block_ended(all))
            continue;
        run_one(&r, n);
        if (worker == 0 && s->tick)
            s->tick(s->tick_ctx, "matmul", n + 1, all->p->count);
    }
}

static void run_all(lun_product_work *r)
{
    if (r->plan->batches) {
        lun__block_together(r, r->p->count, work_on_products);
        return;
    }
    r->ticks = r->p->count == 1;
    for (int64_t n = 0; n < r->p->count && !lun__block_ended(r); n++)
        run_one(r, n);
}

lun_status lun__block_product_run(const lun_services *services, lun_isa isa, const lun_team *team,
                                  const lun_product *given, const lun_host_rows *take)
{
    _Alignas(LUN_PRODUCT_LINE) char local[LOCAL];
    const lun_product p = simplified(given);
    const lun_product_plan x = plan_of(isa, team->threads, &p);
    char *scratch = given->scratch ? given->scratch : local;
    scratch += -(uintptr_t)scratch % LUN_PRODUCT_LINE;
    atomic_int ended = 0;
    lun_product_work r = {.services = services,
                          .p = &p,
                          .team = team,
                          .plan = &x,
                          .take = take,
                          .workers = x.workers,
                          .ended = &ended};
    r.panels = scratch;
    r.own = scratch + (x.batches ? 0 : x.panel_bytes);
    run_all(&r);
    return lun__backend_stop_requested(services) ? LUN_ECANCEL : LUN_OK;
}

const lun_tiles *lun__block_product_tiles(lun_isa isa, lun_dtype t)
{
    int kind = lun__dtype_is_double(t) ? 1 : lun__dtype_is_float(t) ? 0 : 2;
#ifdef __x86_64__
    if (isa == LUN_ISA_AVX512)
        return &lun__tiles_avx512[kind];
    if (isa == LUN_ISA_AVX2)
        return &lun__tiles_avx2[kind];
#endif
    (void)isa;
    return &lun__tiles_base[kind];
}
