/* roots.h - roots of unity, w(k, n) = cos(2 pi k/n) - i sin(2 pi k/n), both parts correctly
 * rounded, with no function of a library.  A part that is 0 is 0 of the cosine, -0 of the other. */
#ifndef LUN_ROOTS_H
#define LUN_ROOTS_H

#include <stdint.h>

/* The roots of one n.  `low` and `high` hold sines and cosines in two doubles each. */
typedef struct lun_roots {
    int64_t n, block; /* 0: there is no table */
    const double *low, *high;
} lun_roots;

/* How many doubles the tables of n need; the roots, with these in `memory`. */
int64_t lun__roots_room(int64_t n);
lun_roots lun__roots_of(int64_t n, double *memory);
/* w(k, n), 0 <= k < n. */
void lun__roots_f64(const lun_roots *r, int64_t k, double w[2]);
void lun__roots_f32(const lun_roots *r, int64_t k, float w[2]);

#endif
