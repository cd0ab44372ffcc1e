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

int64_t lun__reflections_room(const lun_reflections *r, int threads, int64_t m, int64_t k,
                              int64_t orthogonal, int64_t behind)
{
    const int lanes = r->lanes;
    int64_t most = 0;
    m *= lanes;
    k *= lanes;
    for (int64_t p = 0; p < k; p += BLOCK) {
        const int64_t width = block_width(k, p);
        for (int which = 0; which < 2; which++) {
            const int64_t columns = which ? orthogonal - p / lanes : behind - (p + width) / lanes;
            const int64_t sizes[3][3] = {
                {width, columns, m - p}, {width, columns, width}, {m - p, columns, width}};
            for (int i = 0; columns > 0 && i < 3; i++) {
                const int64_t bytes = lun__products_room(r->is_double, threads, sizes[i][0],
                                                         sizes[i][1], sizes[i][2]);
                most = bytes > most ? bytes : most;
            }
        }
    }
    return most;
}

#define OF "algorithms/linear/reflections_of.h"
#include "algorithms/parts/both_floats.h"
