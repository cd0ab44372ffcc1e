/* products.h - products of matrices on the way to a factor: with the bits of matmul, and memory
 * that the caller has. */
#ifndef LUN_PRODUCTS_H
#define LUN_PRODUCTS_H

#include "host/host.h"

/* Element (i, j) is data[i * row + j * column]. */
typedef struct lun_operand {
    const void *data;
    int64_t row, column;
} lun_operand;

/* Bytes that a product of rows x inner and inner x columns needs, by so many threads. */
int64_t lun__products_room(bool is_double, int threads, int64_t rows, int64_t columns,
                           int64_t inner);
/* c, row-major, of f64 or f32.  room: so many bytes as lun__products_room says, for the threads of
 * the team. */
void lun__products_run(const lun_services *services, const lun_team *team, bool is_double,
                       lun_operand a, lun_operand b, void *c, int64_t rows, int64_t columns,
                       int64_t inner, void *room);

#endif
