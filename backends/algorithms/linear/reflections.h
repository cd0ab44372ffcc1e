/* reflections.h - products of Householder's reflections in blocks of 32: 1 - V T V' (Schreiber and
 * Van Loan: A storage-efficient WY representation, 1989). */
#ifndef LUN_REFLECTIONS_H
#define LUN_REFLECTIONS_H

#include "host/host.h"
#include "isa/isa.h"

enum { LUN_REFLECTIONS = 32 }; /* of a block: part of the bits of what is made of them */

/* Reflections of vectors of m elements.  Invariant: row j of `v` has the vector of reflection j,
 * zeros before element j; block p / 32 of `t` is the triangle of the reflections from p on, with
 * zeros below.
 *
 * Two lanes: complex vectors of m / 2 numbers, the parts of each side by side, in matrices two
 * rows.  A reflection 1 - tau v v' is two real ones, of v and of i v, which are at right angles:
 * both have zeros before the element of the first. */
typedef struct lun_reflections {
    const lun_services *services;
    const lun_team *team;
    int64_t m;
    int lanes;
    lun_isa isa;
    bool is_double;
    void *v, *t; /* rows of m elements; (reflections + 32) * 32 */
    /* 64 and m for each column of what is transformed, and lun__reflections_room */
    void *w, *product, *room;
} lun_reflections;

/* Bytes that products need of k reflections of vectors of m numbers by so many threads, applied to
 * matrices of so many columns: all of an orthogonal one; the columns behind each block, or -1. */
int64_t lun__reflections_room(const lun_reflections *r, int threads, int64_t m, int64_t k,
                              int64_t orthogonal, int64_t behind);

/* column: column j of the triangle of the block from p on, whose columns before are there.
 * triangles: all of k reflections, whose taus are given, one for all lanes.  transform: rows from p
 * on, columns from `first` on of c, which has `all` of them, become c - V T V' c by the block of
 * `width` reflections from p on, or turned, c - V T' V' c.  orthogonal: the first columns of the
 * product of k reflections, row-major, not finished if the run is to stop.  turn: complex columns
 * of c times numbers, each `step` elements on; of one lane nothing. */
#define LUN_REFLECTIONS_OF(T, X)                                                               \
    void lun__reflections_column_##X(const lun_reflections *r, int64_t p, int64_t j, T tau);   \
    void lun__reflections_triangles_##X(const lun_reflections *r, int64_t k, const T *tau);    \
    void lun__reflections_transform_##X(const lun_reflections *r, int64_t p, int64_t width,    \
                                        bool turned, T *c, int64_t first, int64_t all);        \
    void lun__reflections_orthogonal_##X(const lun_reflections *r, int64_t k, int64_t columns, \
                                         T *out);                                              \
    void lun__reflections_turn_##X(const lun_reflections *r, int64_t columns, const T *by,     \
                                   int64_t step, T *c);
LUN_REFLECTIONS_OF(double, f64)
LUN_REFLECTIONS_OF(float, f32)
#undef LUN_REFLECTIONS_OF

#endif
