/* products.c - products of matrices; see products.h.  Small ones, which packing would make slower,
 * are plain loops in the same order. */
#include "algorithms/linear/products.h"

#include <string.h>

#include "algorithms/linear/vectors.h"
#include "ir/combine_order.h"
#include "product/block_product.h"

enum { FEW = 20000, COLUMNS = 128 }; /* products of numbers; columns at a time */

static lun_product described(bool is_double, lun_operand a, lun_operand b, int64_t rows,
                             int64_t columns, int64_t inner)
{
    const lun_dtype t = is_double ? LUN_F64 : LUN_F32;
    return (lun_product){.dtype = t,
                         .rows = rows,
                         .columns = columns,
                         .inner = inner,
                         .count = 1,
                         .a = {.data = a.data, .dtype = t, .row = a.row, .column = a.column},
                         .b = {.data = b.data, .dtype = t, .row = b.row, .column = b.column}};
}

static bool is_small(const lun_operand *b, int64_t rows, int64_t columns, int64_t inner)
{
    return b->column == 1 && rows * columns * inner <= FEW;
}

int64_t lun__products_room(bool is_double, int threads, int64_t rows, int64_t columns,
                           int64_t inner)
{
    const lun_operand a = {.row = inner, .column = 1}, b = {.row = columns, .column = 1};
    const lun_product p = described(is_double, a, b, rows, columns, inner);
    return lun__block_product_room(lun__isa_here(), threads, &p);
}

#define SMALL(T, X)                                                                                \
    static void small_##X(lun_operand a, lun_operand b, T *c, int64_t rows, int64_t columns,       \
                          int64_t inner)                                                           \
    {                                                                                              \
        const lun_isa isa = lun__isa_here();                                                       \
        for (int64_t i = 0; i < rows; i++)                                                         \
            for (int64_t j = 0, width; j < columns; j += width) {                                  \
                T sum[COLUMNS], *to = c + i * columns + j;                                         \
                width = columns - j < COLUMNS ? columns - j : COLUMNS;                             \
                for (int64_t p = 0; p < inner; p += LUN_ORDER_BLOCK) {                             \
                    const int64_t k = inner - p < LUN_ORDER_BLOCK ? inner - p : LUN_ORDER_BLOCK;   \
                    memset(sum, 0, (size_t)width * sizeof *sum);                                   \
                    lun__vectors_chain_##X(isa, sum, (const T *)a.data + i * a.row + p * a.column, \
                                           a.column, (const T *)b.data + p * b.row + j, b.row, k,  \
                                           width);                                                 \
                    for (int64_t q = 0; q < width; q++)                                            \
                        to[q] = p ? to[q] + sum[q] : sum[q];                                       \
                }                                                                                  \
            }                                                                                      \
    }
SMALL(double, f64)
SMALL(float, f32)

void lun__products_run(const lun_services *services, const lun_team *team, bool is_double,
                       lun_operand a, lun_operand b, void *c, int64_t rows, int64_t columns,
                       int64_t inner, void *room)
{
    if (is_small(&b, rows, columns, inner)) {
        if (is_double)
            small_f64(a, b, c, rows, columns, inner);
        else
            small_f32(a, b, c, rows, columns, inner);
        return;
    }
    lun_services quiet = *services; /* other threads than the caller's report nothing */
    lun_product p = described(is_double, a, b, rows, columns, inner);
    quiet.tick = NULL;
    p.c = c;
    p.scratch = lun__block_product_room(lun__isa_here(), team->threads, &p) ? room : NULL;
    lun__block_product_run(&quiet, lun__isa_here(), team, &p, NULL);
}
