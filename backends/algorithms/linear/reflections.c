/* reflections.c - products of Householder's reflections; see reflections.h. */
#include "algorithms/linear/reflections.h"

#include <string.h>

#include "algorithms/linear/products.h"
#include "algorithms/linear/vectors.h"

enum { BLOCK = LUN_REFLECTIONS };

static int64_t block_width(int64_t k, int64_t p)
{
    return k - p < BLOCK ? k - p : BLOCK;
}

int64_t lun__reflections_room(bool is_double, int threads, int64_t m, int64_t k, int64_t orthogonal,
                              int64_t behind)
{
    int64_t most = 0;
    for (int64_t p = 0; p < k; p += BLOCK) {
        const int64_t width = block_width(k, p);
        for (int which = 0; which < 2; which++) {
            const int64_t columns = which ? orthogonal - p : behind - p - width;
            const int64_t sizes[3][3] = {
                {width, columns, m - p}, {width, columns, width}, {m - p, columns, width}};
            for (int i = 0; columns > 0 && i < 3; i++) {
                const int64_t bytes =
                    lun__products_room(is_double, threads, sizes[i][0], sizes[i][1], sizes[i][2]);
                most = bytes > most ? bytes : most;
            }
        }
    }
    return most;
}

#define OF "algorithms/linear/reflections_of.h"
#include "algorithms/linear/both_floats.h"
