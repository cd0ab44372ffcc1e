/* tile.h - the innermost part of a matrix product: a few rows times a few vectors of columns, held
 * in registers; and conversion of elements on their way there.  Compiled once per instruction set.
 * Private to product/. */
#ifndef LUN_TILE_H
#define LUN_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "table/dtype.h"

enum { LUN_TILE_MOST = 12 }; /* rows of a tile, at most */

/* c[i][j] = s, or c[i][j] + s if `add`, where s = fma(a[i][k - 1], b[k - 1][j], ... fma(a[i][0],
 * b[0][j], 0)): integers wrap.  a[i][p] is at a + i * a_row + p * a_step, b[p][j] at b + p *
 * b_step + j, c[i][j] at c + i * c_row + j, in elements. */
typedef void lun_tile_fn(int64_t k, const void *a, int64_t a_row, int64_t a_step, const void *b,
                         int64_t b_step, void *c, int64_t c_row, bool add);

/* The tiles of one dtype. */
typedef struct lun_tiles {
    int size;         /* bytes of an element */
    int rows, vector; /* rows of the largest tile; columns of a vector */
    double each_ns;   /* about, for a product of two elements and its sum */
    /* by rows, 1, 2, 4, 8 and `rows`, else NULL; by vectors of columns, less 1 */
    lun_tile_fn *tile[LUN_TILE_MOST + 1][2];
    /* n elements of dtype `from` as the tiles' own. */
    void (*convert)(lun_dtype from, const void *x, void *to, int64_t n);
} lun_tiles;

/* Tiles of F32, F64 or the 64-bit integers for an instruction set. */
const lun_tiles *lun__block_product_tiles(lun_isa isa, lun_dtype t);

/* By F32, F64, integers (tile.c). */
extern const lun_tiles lun__tiles_base[3];
#ifdef __x86_64__
extern const lun_tiles lun__tiles_avx2[3], lun__tiles_avx512[3];
#endif

#endif
