/* product.c - a matrix product by blocks; see product.h.
 *
 * Of 256 values of k and up to 2048 columns at a time, b is packed into panels as wide as a tile,
 * which all threads read; then each thread takes blocks of rows, packs a's into its second-level
 * cache, and runs the tiles over all panels.  Operands that are read a few times only are not
 * packed where tiles can read them as they stand.  What one packs is read through strides and
 * converted, so layouts and dtypes cost no pass of their own. */
#include "product/product.h"

#include <stdatomic.h>
#include <string.h>

#include "product/tile.h"

enum {
    INNER = 256,    /* values of k in a sum: part of what a product is */
    COLUMNS = 2048, /* of b that are packed at a time */
    ROWS = 144,     /* of a in a block, at most; and at least, where threads want more blocks: */
    ROWS_LEAST = 48,
    SHARES = 4,     /* blocks for each thread, about */
    FEW_PANELS = 4, /* of b, for which a is not packed */
    LINE = 64,
    LOCAL = 16 << 10,    /* bytes of scratch that are taken from the stack */
    ALONE_NS = 100000,   /* a product that one thread does */
    TOGETHER = 64 << 20, /* sums of products from which one of a batch is for all threads */
    TILE_BYTES = LUN_TILE_MOST * 128 /* of the largest tile */
};

/* How a product is cut, and what that takes. */
typedef struct plan {
    const lun_tiles *t;
    int workers;
    bool batches;                 /* a worker does whole products */
    bool direct_a, direct_b;      /* read as they stand */
    bool same_a, same_b;          /* of the dtype that the tiles take */
    int64_t wide;                 /* columns of a panel */
    int64_t inner, columns, rows; /* of a slice and a block, at most */
    int64_t panel_bytes, block_bytes, stage_bytes, raw_bytes;
    int64_t worker_bytes, bytes; /* bytes: all */
} plan;

/* A product, or those of a batch that one worker does. */
typedef struct run {
    const lun_services *services;
    const lun_product *p;
    const lun_team *team;
    const plan *plan;
    int workers;
    char *panels, *own;         /* scratch: of all; of worker 0, the others follow */
    const char *a, *b;          /* the first elements of the operands, */
    char *c;                    /* and of the result */
    int64_t k0, k, j0, columns; /* the slice */
    int64_t row_blocks, shares; /* tasks: so many blocks of rows, each in so many parts */
    int64_t slices, slice;
    atomic_llong next;
    bool ticks;
} run;

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

static int64_t rounded(int64_t n, int64_t to)
{
    return parts(n, to) * to;
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

bool lun__product_alone(lun_isa isa, const lun_product *p)
{
    return guess_ns(lun__tiles(isa, p->dtype), p) < ALONE_NS;
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

/* Integers of 64 bits are the same to tiles, signed or not. */
static bool is_same(lun_dtype a, lun_dtype b)
{
    return a == b || (lun__dtype_is_integer(a) && lun__dtype_is_integer(b) &&
                      lun__dtype_get(a)->bytes == lun__dtype_get(b)->bytes);
}

static plan plan_of(lun_isa isa, int threads, const lun_product *p)
{
    const lun_tiles *t = lun__tiles(isa, p->dtype);
    plan x = {.t = t, .workers = 1, .wide = 2 * t->vector};
    double most = guess_ns(t, p) / (ALONE_NS / 4);
    x.workers = most < threads ? (int)most : threads;
    x.workers = x.workers < 1 ? 1 : x.workers;
    x.batches = x.workers > 1 && p->count > 1 && sums(p) < TOGETHER;
    x.same_a = is_same(p->a.dtype, p->dtype);
    x.same_b = is_same(p->b.dtype, p->dtype);
    x.direct_a = x.same_a && p->columns <= FEW_PANELS * x.wide;
    x.direct_b = x.same_b && p->b.column == 1 && p->rows <= 2 * t->rows;
    x.inner = less(p->inner, INNER);
    x.columns = less(rounded(p->columns, t->vector), COLUMNS);
    x.rows = less(rounded(p->rows, t->rows), ROWS / t->rows * t->rows);
    if (x.workers > 1 && !x.batches) {
        int64_t fair = rounded(parts(p->rows, (int64_t)SHARES * x.workers), t->rows);
        fair = fair < ROWS_LEAST ? ROWS_LEAST : fair;
        x.rows = less(x.rows, fair);
    }
    int64_t lines = x.wide > t->rows ? x.wide : t->rows;
    x.panel_bytes = rounded((x.direct_b ? x.wide : x.columns) * x.inner * t->size, LINE);
    x.block_bytes = x.direct_a ? 0 : rounded(x.rows * x.inner * t->size, LINE);
    x.stage_bytes = rounded(x.wide * x.inner * t->size, LINE);
    x.raw_bytes = x.same_a && x.same_b ? 0 : rounded(lines * x.inner * 8, LINE);
    x.worker_bytes = x.block_bytes + x.stage_bytes + x.raw_bytes;
    if (x.batches)
        x.worker_bytes += x.panel_bytes;
    x.bytes = x.workers * x.worker_bytes + (x.batches ? 0 : x.panel_bytes) + LINE;
    return x;
}

int64_t lun__product_room(lun_isa isa, int threads, const lun_product *p)
{
    lun_product q = simplified(p);
    int64_t bytes = plan_of(isa, threads, &q).bytes;
    return bytes <= LOCAL ? 0 : bytes;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* to[p * pitch + i], p < k, is element p of line i; from `lines` on 0.  Lines begin `line` elements
 * apart at `from`, their elements stand `step` apart. */
static void pack(const run *r, char *own, const lun_matrix *m, const char *from, int64_t lines,
                 int64_t line, int64_t k, int64_t step, int64_t pitch, char *to)
{
    const plan *x = r->plan;
    const int64_t size = x->t->size;
    const bool same = is_same(m->dtype, r->p->dtype);
    char *dense = pitch == lines ? to : own + x->block_bytes;
    char *raw = same ? dense : own + x->block_bytes + x->stage_bytes;
    const lun_layout l = {.rank = 2, .extent = {k, lines}, .stride = {step, line}};
    lun__layout_read(&l, from, lun__dtype_get(m->dtype)->bytes, 0, k * lines, raw);
    if (!same)
        x->t->convert(m->dtype, raw, dense, k * lines);
    for (int64_t p = 0; dense != to && p < k; p++) {
        memcpy(to + p * pitch * size, dense + p * lines * size, (size_t)(lines * size));
        memset(to + (p * pitch + lines) * size, 0, (size_t)((pitch - lines) * size));
    }
}

/* A panel of b: its columns, and how tiles read it. */
typedef struct panel {
    int64_t first, width; /* columns of the slice */
    int vectors;
    bool stands; /* as it is in b */
    char *at;
} panel;

static panel panel_at(const run *r, int64_t q)
{
    const plan *x = r->plan;
    panel n = {.first = q * x->wide};
    n.width = less(x->wide, r->columns - n.first);
    n.vectors = n.width > x->t->vector ? 2 : 1;
    n.stands = x->direct_b && n.width == n.vectors * x->t->vector;
    n.at = r->panels + (x->direct_b ? 0 : n.first * r->k * x->t->size);
    return n;
}

static const char *b_at(const run *r, int64_t j)
{
    const lun_matrix *b = &r->p->b;
    return r->b + (r->k0 * b->row + j * b->column) * lun__dtype_get(b->dtype)->bytes;
}

static void pack_panel(const run *r, char *own, int64_t q)
{
    const lun_matrix *b = &r->p->b;
    panel n = panel_at(r, q);
    if (!n.stands)
        pack(r, own, b, b_at(r, r->j0 + n.first), n.width, b->column, r->k, b->row,
             n.vectors * r->plan->t->vector, n.at);
}

static const char *a_at(const run *r, int64_t i)
{
    const lun_matrix *a = &r->p->a;
    return r->a + (i * a->row + r->k0 * a->column) * lun__dtype_get(a->dtype)->bytes;
}

/* Rows i0 .. i1 - 1 of a into a worker's block, by panels as high as a tile. */
static void pack_rows(const run *r, char *own, int64_t i0, int64_t i1)
{
    const lun_matrix *a = &r->p->a;
    const lun_tiles *t = r->plan->t;
    for (int64_t i = i0; i < i1; i += t->rows) {
        int64_t rows = less(t->rows, i1 - i);
        pack(r, own, a, a_at(r, i), rows, a->row, r->k, a->column, rows,
             own + (i - i0) * r->k * t->size);
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The rows of the largest tile that so many hold. */
static int fitting(const lun_tiles *t, int64_t rows)
{
    int n = rows < t->rows ? (int)rows : t->rows;
    while (!t->tile[n][0])
        n--;
    return n;
}

/* A tile of which only `width` columns are the result's. */
static void run_part(lun_tile_fn *tile, int rows, int64_t k, const char *a, int64_t a_row,
                     int64_t a_step, const char *b, int64_t pitch, char *c, int64_t c_bytes,
                     int64_t bytes, int size, bool add)
{
    _Alignas(LINE) char all[TILE_BYTES];
    const int64_t line = pitch * size;
    memset(all, 0, sizeof all);
    for (int i = 0; add && i < rows; i++)
        memcpy(all + i * line, c + i * c_bytes, (size_t)bytes);
    tile(k, a, a_row, a_step, b, pitch, all, pitch, add);
    for (int i = 0; i < rows; i++)
        memcpy(c + i * c_bytes, all + i * line, (size_t)bytes);
}

/* Rows i0 .. i1 - 1 times panel q. */
static void run_panel(const run *r, const char *own, int64_t i0, int64_t i1, int64_t q)
{
    const plan *x = r->plan;
    const lun_tiles *t = x->t;
    const panel n = panel_at(r, q);
    const int64_t pitch = n.vectors * t->vector, j = r->j0 + n.first, size = t->size;
    const char *b = n.stands ? b_at(r, j) : n.at;
    const int64_t b_step = n.stands ? r->p->b.row : pitch, columns = r->p->columns;
    const bool add = r->k0 > 0;
    for (int64_t i = i0, rows; i < i1; i += rows) {
        int64_t high = less(t->rows, i1 - i0 - (i - i0) / t->rows * t->rows);
        int64_t within = (i - i0) % t->rows;
        rows = fitting(t, less(high - within, i1 - i));
        const char *a = x->direct_a ? a_at(r, i) : own + ((i - i0 - within) * r->k + within) * size;
        int64_t a_row = x->direct_a ? r->p->a.row : 1, a_step = x->direct_a ? r->p->a.column : high;
        char *c = r->c + (i * columns + j) * size;
        lun_tile_fn *tile = t->tile[rows][n.vectors - 1];
        if (n.width == pitch)
            tile(r->k, a, a_row, a_step, b, b_step, c, columns, add);
        else
            run_part(tile, (int)rows, r->k, a, a_row, a_step, b, pitch, c, columns * size,
                     n.width * size, t->size, add);
    }
}

/* ---- slices ---------------------------------------------------------------------------------- */

static int64_t panels_of(const run *r)
{
    return parts(r->columns, r->plan->wide);
}

static char *own_of(const run *r, int worker)
{
    return r->own + worker * r->plan->worker_bytes;
}

static void work_on_panels(void *ctx, int worker)
{
    run *r = ctx;
    const int64_t count = panels_of(r);
    for (int64_t q; (q = atomic_fetch_add(&r->next, 1)) < count;)
        if (!lun__stop_wanted(r->services))
            pack_panel(r, own_of(r, worker), q);
}

/* The calling thread says how far it is. */
static void tell(const run *r, int64_t task)
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
    run *r = ctx;
    char *own = own_of(r, worker);
    const int64_t count = r->row_blocks * r->shares, panels = panels_of(r);
    int64_t packed = -1;
    for (int64_t task; (task = atomic_fetch_add(&r->next, 1)) < count;) {
        const int64_t block = task / r->shares, share = task % r->shares;
        const int64_t i0 = block * r->plan->rows, i1 = less(i0 + r->plan->rows, r->p->rows);
        if (packed != block && !r->plan->direct_a)
            pack_rows(r, own, i0, i1);
        packed = block;
        for (int64_t q = panels * share / r->shares; q < panels * (share + 1) / r->shares; q++)
            if (!lun__stop_wanted(r->services))
                run_panel(r, own, i0, i1, q);
        if (worker == 0)
            tell(r, task);
    }
}

static void together(run *r, int64_t tasks, void (*work)(void *ctx, int worker))
{
    int workers = tasks < r->workers ? (int)tasks : r->workers;
    atomic_store(&r->next, 0);
    if (workers > 1)
        r->team->parallel(r->team, r, workers, work);
    else
        work(r, 0);
}

/* Product number n of the batch. */
static void run_one(run *r, int64_t n)
{
    const plan *x = r->plan;
    const lun_product *p = r->p;
    const int64_t size = x->t->size;
    r->a = (const char *)p->a.data +
           lun__layout_place(&p->a.batch, n) * lun__dtype_get(p->a.dtype)->bytes;
    r->b = (const char *)p->b.data +
           lun__layout_place(&p->b.batch, n) * lun__dtype_get(p->b.dtype)->bytes;
    r->c = (char *)p->c + n * p->rows * p->columns * size;
    r->row_blocks = parts(p->rows, x->rows);
    r->slices = parts(p->columns, COLUMNS) * parts(p->inner, INNER);
    r->slice = 0;
    for (r->j0 = 0; r->j0 < p->columns; r->j0 += COLUMNS)
        for (r->k0 = 0; r->k0 < p->inner; r->k0 += INNER, r->slice++) {
            if (lun__stop_wanted(r->services))
                return;
            r->columns = less(COLUMNS, p->columns - r->j0);
            r->k = less(INNER, p->inner - r->k0);
            r->shares = 1;
            if (r->row_blocks < (int64_t)SHARES * r->workers && r->workers > 1)
                r->shares = less(parts((int64_t)SHARES * r->workers, r->row_blocks), panels_of(r));
            together(r, x->direct_b ? 1 : panels_of(r), work_on_panels);
            together(r, r->row_blocks * r->shares, work_on_rows);
        }
}

/* ---- batches --------------------------------------------------------------------------------- */

/* A worker's run of its own. */
static void work_on_products(void *ctx, int worker)
{
    run *all = ctx;
    const lun_services *s = all->services;
    run r = {.services = s, .p = all->p, .plan = all->plan, .workers = 1};
    r.panels = all->own + worker * all->plan->worker_bytes;
    r.own = r.panels + all->plan->panel_bytes;
    for (int64_t n; (n = atomic_fetch_add(&all->next, 1)) < all->p->count;) {
        if (lun__stop_wanted(s))
            continue;
        run_one(&r, n);
        if (worker == 0 && s->tick)
            s->tick(s->tick_ctx, "matmul", n + 1, all->p->count);
    }
}

static void run_all(run *r)
{
    if (r->plan->batches) {
        together(r, r->p->count, work_on_products);
        return;
    }
    r->ticks = r->p->count == 1;
    for (int64_t n = 0; n < r->p->count && !lun__stop_wanted(r->services); n++)
        run_one(r, n);
}

lun_status lun__product_run(const lun_services *services, lun_isa isa, const lun_team *team,
                            const lun_product *given)
{
    _Alignas(LINE) char local[LOCAL];
    const lun_product p = simplified(given);
    const plan x = plan_of(isa, team->threads, &p);
    char *scratch = given->scratch ? given->scratch : local;
    scratch += -(uintptr_t)scratch % LINE;
    run r = {.services = services, .p = &p, .team = team, .plan = &x, .workers = x.workers};
    r.panels = scratch;
    r.own = scratch + (x.batches ? 0 : x.panel_bytes);
    run_all(&r);
    return lun__stop_wanted(services) ? LUN_ECANCEL : LUN_OK;
}

const lun_tiles *lun__tiles(lun_isa isa, lun_dtype t)
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
