/* product_rows.c - a product whose rows are finished block by block, for kernels that follow: all
 * of b is packed at once, then each thread makes a block of whole rows over all of k, which it
 * hands on while they are in its cache. */
#include "product/block.h"

static int64_t slices_of(const lun_product_work *w)
{
    return lun__block_parts(w->p->inner, LUN_PRODUCT_INNER);
}

/* Slice s of all of w; what one worker changes is its own. */
static lun_product_work slice_of(const lun_product_work *w, int64_t s)
{
    const lun_product_plan *x = w->plan;
    lun_product_work own = {.services = w->services,
                            .p = w->p,
                            .plan = x,
                            .a = w->a,
                            .b = w->b,
                            .c = w->c,
                            .c_row = w->c_row,
                            .columns = w->p->columns};
    own.k0 = s * LUN_PRODUCT_INNER;
    own.k = lun__block_less(LUN_PRODUCT_INNER, w->p->inner - own.k0);
    own.panels = w->panels + own.k0 * x->columns * x->t->size;
    return own;
}

/* Task number t is panel t % panels of slice t / panels. */
static void work_on_panels(void *ctx, int worker)
{
    lun_product_work *w = ctx;
    const int64_t panels = lun__block_panels(w), count = slices_of(w) * panels;
    for (int64_t task; (task = atomic_fetch_add(&w->next, 1)) < count;) {
        if (lun__block_ended(w))
            continue;
        const lun_product_work own = slice_of(w, task / panels);
        lun__block_pack_panel(&own, lun__block_own(w, worker), task % panels);
    }
}

/* Rows i0 .. i1 - 1 into `to`, or where they belong. */
static void make_rows(const lun_product_work *w, char *scratch, int64_t i0, int64_t i1, char *to)
{
    const int64_t slices = slices_of(w), panels = lun__block_panels(w);
    for (int64_t s = 0; s < slices; s++) {
        lun_product_work own = slice_of(w, s);
        if (!w->p->c) {
            own.c = to;
            own.top = i0;
            own.c_row = w->p->pitch;
        }
        if (!w->plan->direct_a)
            lun__block_pack_rows(&own, scratch, i0, i1);
        for (int64_t q = 0; q < panels; q++)
            if (!lun__block_ended(w))
                lun__block_panel(&own, scratch, i0, i1, q);
    }
}

/* The calling thread says how far it is. */
static void report(const lun_product_work *w, int64_t rows)
{
    const lun_services *s = w->services;
    const int64_t row = w->p->columns;
    if (w->ticks && s->tick)
        s->tick(s->tick_ctx, "matmul", rows * row, w->p->rows * row);
}

static void work_on_rows(void *ctx, int worker)
{
    lun_product_work *w = ctx;
    const lun_product_plan *x = w->plan;
    char *own = lun__block_own(w, worker);
    char *rows = own + x->block_bytes + x->stage_bytes + x->raw_bytes;
    for (int64_t task; (task = atomic_fetch_add(&w->next, 1)) < w->row_blocks;) {
        if (lun__block_ended(w))
            continue;
        const int64_t i0 = task * x->rows, i1 = lun__block_less(i0 + x->rows, w->p->rows);
        make_rows(w, own, i0, i1, rows);
        if (!lun__block_ended(w) &&
            !w->take->take(w->take->ctx, w->first + worker, w->number * w->p->rows + i0, i1 - i0,
                           w->p->c ? NULL : rows))
            atomic_store(w->ended, 1);
        if (worker == 0)
            report(w, i1);
    }
}

void lun__product_rows(lun_product_work *w)
{
    w->columns = w->p->columns;
    lun__block_together(w, slices_of(w) * lun__block_panels(w), work_on_panels);
    lun__block_together(w, w->row_blocks, work_on_rows);
}
