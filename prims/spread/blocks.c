/* blocks.c - grids of ranks over the axes of an array, and the boxes of elements that they give;
 * see lunarray_bind.h. */

#include <string.h>

#include "spread/spread.h"

/* ---- the grid -------------------------------------------------------------------------------- */

typedef struct search {
    int count; /* axes that are blocked */
    int64_t n[LUN_MAX_RANK];
    int p[LUN_MAX_RANK], best[LUN_MAX_RANK];
    bool found;
} search;

/* Whether the sum of p[d] / n[d] is less than that of the best grid: exactly. */
static bool is_less(const search *s)
{
    __extension__ __int128 sum = 0;
    for (int d = 0; d < s->count; d++) {
        __extension__ __int128 others = s->p[d] - s->best[d];
        for (int k = 0; k < s->count; k++)
            if (k != d && s->n[k] > 1)
                others *= s->n[k];
        sum += others;
    }
    return sum < 0;
}

/* All grids of `left` ranks over the axes from d on. */
static void try_axis(search *s, int d, int left)
{
    if (d == s->count - 1) {
        s->p[d] = left;
        if (!s->found || is_less(s))
            memcpy(s->best, s->p, sizeof s->p);
        s->found = true;
        return;
    }
    for (int p = 1; p <= left; p++)
        if (left % p == 0) {
            s->p[d] = p;
            try_axis(s, d + 1, left / p);
        }
}

void lun__blocks_grid(lun_blocks *b, const bool *blocked)
{
    search s = {.count = 0};
    for (int d = 0; d < b->rank; d++)
        if (blocked[d])
            s.n[s.count++] = b->extent[d];
    try_axis(&s, 0, b->npes);
    for (int d = 0, k = 0; d < b->rank; d++)
        b->grid[d] = blocked[d] ? s.best[k++] : 1;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static int64_t bound(const lun_blocks *b, int d, int k)
{
    return lun__spread_bound((lun_spread_rule)b->rule, b->extent[d], b->grid[d], k);
}

void lun_blocks_box(const lun_blocks *b, int pe, int64_t *first, int64_t *count)
{
    for (int d = 0; d < b->rank; pe /= b->grid[d++]) {
        const int k = pe % b->grid[d];
        first[d] = bound(b, d, k);
        count[d] = bound(b, d, k + 1) - first[d];
    }
}

int lun_blocks_home(const lun_blocks *b, const int64_t *index, int64_t *inside)
{
    int pe = 0, step = 1;
    for (int d = 0; d < b->rank; step *= b->grid[d++]) {
        int low = 0, high = b->grid[d] - 1;
        while (low < high) { /* the first part that ends behind it */
            const int middle = low + (high - low) / 2;
            if (bound(b, d, middle + 1) <= index[d])
                low = middle + 1;
            else
                high = middle;
        }
        pe += low * step;
        inside[d] = index[d] - bound(b, d, low);
    }
    return pe;
}
