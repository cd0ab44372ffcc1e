/* block.h - how a product is cut, and the parts that every order of blocks needs: panels of b and
 * blocks of a packed, a block of rows times a panel.  Private to product/.
 *
 * Invariant of packed memory: element (p, i) of a panel of b as wide as `pitch` is at p * pitch
 * + i, zero beyond its columns; a block of a has panels of as many rows as a tile, the last of
 * fewer, element (i, p) of a panel of h rows at p * h + i. Panels of a slice are complete before
 * a worker reads them, and constant then; a block is its worker's own. */
#ifndef LUN_BLOCK_H
#define LUN_BLOCK_H

#include <stdatomic.h>

#include "ir/combine_order.h"
#include "product/block_product.h"
#include "product/tile.h"

enum {
    LUN_PRODUCT_INNER = LUN_ORDER_BLOCK, /* values of k in a sum: part of what a product is */
    LUN_PRODUCT_LINE = 64                /* bytes */
};

/* How a product is cut, and what that takes. */
typedef struct lun_product_plan {
    const lun_tiles *t;
    int workers;
    bool batches;                 /* a worker does whole products */
    bool by_rows;                 /* whole rows are made, see lun_product.pitch */
    bool direct_a, direct_b;      /* read without packing */
    bool same_a, same_b;          /* of the dtype that the tiles take */
    int64_t wide;                 /* columns of a panel */
    int64_t inner, columns, rows; /* of a slice and a block, at most */
    int64_t panel_bytes, block_bytes, stage_bytes, raw_bytes, rows_bytes;
    int64_t worker_bytes, bytes; /* bytes: all */
} lun_product_plan;

/* A product, or those of a batch that one worker does. */
typedef struct lun_product_work {
    const lun_services *services;
    const lun_product *p;
    const lun_team *team;
    const lun_product_plan *plan;
    const lun_host_rows *take;  /* of by_rows */
    int workers, first;         /* its workers, their numbers beginning with `first` */
    char *panels, *own;         /* scratch: of all; of worker 0, the others follow */
    const char *a, *b;          /* the first elements of the operands */
    char *c;                    /* of the result: row `top`; */
    int64_t top, c_row;         /* elements from a row to the next */
    int64_t k0, k, j0, columns; /* the slice */
    int64_t row_blocks, shares; /* tasks: so many blocks of rows, each in so many parts */
    int64_t slices, slice;
    int64_t number; /* which product of a batch it is */
    atomic_llong next;
    atomic_int *ended; /* nothing more is needed */
    bool ticks;
} lun_product_work;

static inline int64_t lun__block_less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t lun__block_parts(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

/* Panels of the slice. */
static inline int64_t lun__block_panels(const lun_product_work *w)
{
    return lun__block_parts(w->columns, w->plan->wide);
}

/* Worker's own memory, of this work's. */
static inline char *lun__block_own(const lun_product_work *w, int worker)
{
    return w->own + worker * w->plan->worker_bytes;
}

/* Whether what is left need not be done. */
static inline bool lun__block_ended(const lun_product_work *w)
{
    return lun__backend_stop_requested(w->services) ||
           atomic_load_explicit(w->ended, memory_order_relaxed);
}

/* Integers of 64 bits are the same to tiles, signed or not. */
bool lun__block_same(lun_dtype a, lun_dtype b);
/* Packs panel q of the slice. */
void lun__block_pack_panel(const lun_product_work *w, char *own, int64_t q);
/* Rows i0 .. i1 - 1 of a into a worker's block, by panels as high as a tile. */
void lun__block_pack_rows(const lun_product_work *w, char *own, int64_t i0, int64_t i1);
/* Rows i0 .. i1 - 1 times panel q. */
void lun__block_panel(const lun_product_work *w, const char *own, int64_t i0, int64_t i1,
                      int64_t q);
/* Calls work for workers 0 .., of which there are as many as there are tasks for, with w->next 0 at
 * first. */
void lun__block_together(lun_product_work *w, int64_t tasks, void (*work)(void *ctx, int worker));
/* product_rows.c: all of product number w->number, each block of whole rows handed to w->take. */
void lun__product_rows(lun_product_work *w);

#endif
