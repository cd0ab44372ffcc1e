/* rotations.h - plane rotations of rows of vectors, kept until there are many, then applied to some
 * columns at a time, several sweeps one behind the other, so that rows stay in the nearest cache
 * (Van Zee, van de Geijn, Quintana-Orti: Restructuring the tridiagonal and bidiagonal QR algorithms
 * for performance, 2014).  Columns do not know of each other, and rotations change their places
 * only with those of other rows: neither how many are kept nor threads are part of what a row
 * becomes. */
#ifndef LUN_ROTATIONS_H
#define LUN_ROTATIONS_H

#include "host/host.h"
#include "isa/isa.h"

enum { LUN_ROTATIONS_SWEEPS = 32 }; /* that are kept */

/* Rows of vectors, and the rotations that are still to be applied to them.  Element j of row i
 * stands at z[(j / width * rows + i) * width + j % width]. */
typedef struct lun_rotations {
    const lun_services *services;
    const lun_team *team; /* NULL: one thread */
    lun_isa isa;
    int64_t rows, columns, width, count; /* of a block; of rotations */
    void *z, *list;                      /* lun__rotations_elements of them; of rotations */
} lun_rotations;

/* For no rotations: so many rows and columns. */
lun_rotations lun__rotations_of(int64_t rows, int64_t columns);
int64_t lun__rotations_elements(int64_t rows, int64_t columns);
int64_t lun__rotations_list_elements(int64_t rows);

/* add: row x becomes c x + s y, row y becomes c y - s x.  flush: all that were added are applied.
 * take: the rows are the columns of the row-major `from`.  give: element j of row i to
 * to[i * row + j * column]. */
#define LUN_ROTATIONS_OF(T, X)                                                     \
    typedef struct lun_rotation_##X {                                              \
        T c, s;                                                                    \
        int32_t x, y;                                                              \
    } lun_rotation_##X;                                                            \
    void lun__rotations_add_##X(lun_rotations *r, int64_t x, int64_t y, T c, T s); \
    void lun__rotations_flush_##X(lun_rotations *r);                               \
    void lun__rotations_take_##X(lun_rotations *r, const T *from);                 \
    void lun__rotations_give_##X(const lun_rotations *r, int64_t i, T *to, int64_t column);
LUN_ROTATIONS_OF(double, f64)
LUN_ROTATIONS_OF(float, f32)
#undef LUN_ROTATIONS_OF

#endif
