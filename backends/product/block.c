/* block.c - the parts of a product that every order of blocks needs; see block.h.
 *
 * What one packs is read through strides and converted, so layouts and dtypes cost no pass of their
 * own. */
#include "product/block.h"

#include <string.h>

enum { TILE_BYTES = LUN_TILE_MOST * 128 /* of the largest tile */ };

bool lun__block_same(lun_dtype a, lun_dtype b)
{
    return a == b || (lun__dtype_is_integer(a) && lun__dtype_is_integer(b) &&
                      lun__dtype_get(a)->bytes == lun__dtype_get(b)->bytes);
}

/* ---- packing --------------------------------------------------------------------------------- */

/* to[p * pitch + i], p < k, is element p of segment i; from `segments` on 0.  Segments begin
 * `segment` elements apart at `from`, their elements are `step` apart. */
static void pack(const lun_product_work *r, char *own, const lun_matrix *m, const char *from,
                 int64_t segments, int64_t segment, int64_t k, int64_t step, int64_t pitch,
                 char *to)
{
    const lun_product_plan *x = r->plan;
    const int64_t size = x->t->size;
    const bool same = lun__block_same(m->dtype, r->p->dtype);
    char *dense = pitch == segments ? to : own + x->block_bytes;
    char *raw = same ? dense : own + x->block_bytes + x->stage_bytes;
    const lun_layout l = {.rank = 2, .extent = {k, segments}, .stride = {step, segment}};
    lun__strided_read(&l, from, lun__dtype_get(m->dtype)->bytes, 0, k * segments, raw);
    if (!same)
        x->t->convert(m->dtype, raw, dense, k * segments);
    for (int64_t p = 0; dense != to && p < k; p++) {
        memcpy(to + p * pitch * size, dense + p * segments * size, (size_t)(segments * size));
        memset(to + (p * pitch + segments) * size, 0, (size_t)((pitch - segments) * size));
    }
}

/* A panel of b: its columns, and how tiles read it. */
typedef struct panel {
    int64_t first, width; /* columns of the slice */
    int vectors;
    bool stands; /* as it is in b */
    char *at;
} panel;

static panel panel_at(const lun_product_work *r, int64_t q)
{
    const lun_product_plan *x = r->plan;
    panel n = {.first = q * x->wide};
    n.width = lun__block_less(x->wide, r->columns - n.first);
    n.vectors = n.width > x->t->vector ? 2 : 1;
    n.stands = x->direct_b && n.width == n.vectors * x->t->vector;
    n.at = r->panels + (x->direct_b ? 0 : n.first * r->k * x->t->size);
    return n;
}

static const char *b_at(const lun_product_work *r, int64_t j)
{
    const lun_matrix *b = &r->p->b;
    return r->b + (r->k0 * b->row + j * b->column) * lun__dtype_get(b->dtype)->bytes;
}

void lun__block_pack_panel(const lun_product_work *r, char *own, int64_t q)
{
    const lun_matrix *b = &r->p->b;
    panel n = panel_at(r, q);
    if (!n.stands)
        pack(r, own, b, b_at(r, r->j0 + n.first), n.width, b->column, r->k, b->row,
             n.vectors * r->plan->t->vector, n.at);
}

static const char *a_at(const lun_product_work *r, int64_t i)
{
    const lun_matrix *a = &r->p->a;
    return r->a + (i * a->row + r->k0 * a->column) * lun__dtype_get(a->dtype)->bytes;
}

/* Rows i0 .. i1 - 1 of a into a worker's block, by panels as high as a tile. */
void lun__block_pack_rows(const lun_product_work *r, char *own, int64_t i0, int64_t i1)
{
    const lun_matrix *a = &r->p->a;
    const lun_tiles *t = r->plan->t;
    for (int64_t i = i0; i < i1; i += t->rows) {
        int64_t rows = lun__block_less(t->rows, i1 - i);
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
    _Alignas(LUN_PRODUCT_LINE) char all[TILE_BYTES];
    const int64_t segment = pitch * size;
    memset(all, 0, sizeof all);
    for (int i = 0; add && i < rows; i++)
        memcpy(all + i * segment, c + i * c_bytes, (size_t)bytes);
    tile(k, a, a_row, a_step, b, pitch, all, pitch, add);
    for (int i = 0; i < rows; i++)
        memcpy(c + i * c_bytes, all + i * segment, (size_t)bytes);
}

/* Rows i0 .. i1 - 1 times panel q. */
void lun__block_panel(const lun_product_work *r, const char *own, int64_t i0, int64_t i1, int64_t q)
{
    const lun_product_plan *x = r->plan;
    const lun_tiles *t = x->t;
    const panel n = panel_at(r, q);
    const int64_t pitch = n.vectors * t->vector, j = r->j0 + n.first, size = t->size;
    const char *b = n.stands ? b_at(r, j) : n.at;
    const int64_t b_step = n.stands ? r->p->b.row : pitch;
    const bool add = r->k0 > 0;
    for (int64_t i = i0, rows; i < i1; i += rows) {
        int64_t high = lun__block_less(t->rows, i1 - i0 - (i - i0) / t->rows * t->rows);
        int64_t within = (i - i0) % t->rows;
        rows = fitting(t, lun__block_less(high - within, i1 - i));
        const char *a = x->direct_a ? a_at(r, i) : own + ((i - i0 - within) * r->k + within) * size;
        int64_t a_row = x->direct_a ? r->p->a.row : 1, a_step = x->direct_a ? r->p->a.column : high;
        char *c = r->c + ((i - r->top) * r->c_row + j) * size;
        lun_tile_fn *tile = t->tile[rows][n.vectors - 1];
        if (n.width == pitch)
            tile(r->k, a, a_row, a_step, b, b_step, c, r->c_row, add);
        else
            run_part(tile, (int)rows, r->k, a, a_row, a_step, b, pitch, c, r->c_row * size,
                     n.width * size, t->size, add);
    }
}

/* ---- workers --------------------------------------------------------------------------------- */

void lun__block_together(lun_product_work *r, int64_t tasks, void (*work)(void *ctx, int worker))
{
    int workers = tasks < r->workers ? (int)tasks : r->workers;
    atomic_store(&r->next, 0);
    if (workers > 1)
        r->team->parallel(r->team, r, workers, work);
    else
        work(r, 0);
}
