/* aliases.c - read-only views, and whether two arrays show elements of the same memory. */
#include <stdlib.h>
#include <string.h>

#include "api/array/array.h"

lun_status lun_readonly(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    lun_layout l;
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && a->weak)
        s = lun__fail(e, LUN_EARG, "array expected, got a number");
    if (s == LUN_OK && lun_dtype_kind(lun__array_logical(a)) == LUN_KIND_RECORD)
        s = lun__array_refuse_logical(e, a);
    if (s != LUN_OK)
        return s;
    lun__array_layout(a, &l);
    s = lun__array_window(e, a, &l, out);
    if (s == LUN_OK)
        (*out)->readonly = true;
    return s;
}

bool lun_is_readonly(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), false);
    return a->readonly;
}

/* The offsets of l, between low and high, in a set of bits; with `ask` instead: whether one of them
 * is in the set. */
static bool each_offset(const lun_layout *l, int64_t low, int64_t high, uint8_t *bits, bool ask)
{
    enum { PIECE = 512 };
    int64_t at[PIECE];
    const int64_t n = lun__layout_count(l);
    for (int64_t first = 0; first < n; first += PIECE) {
        const int64_t some = n - first < PIECE ? n - first : PIECE;
        lun__strided_offsets(l, first, some, at);
        for (int64_t i = 0; i < some; i++) {
            const int64_t bit = at[i] - low;
            if (at[i] < low || at[i] > high)
                continue;
            if (ask && bits[bit >> 3] >> (bit & 7) & 1)
                return true;
            bits[bit >> 3] |= (uint8_t)(!ask << (bit & 7));
        }
    }
    return false;
}

/* Whether two layouts have an offset in common. */
static lun_status share_offset(lun_engine *e, const lun_layout *p, const lun_layout *q, bool *out)
{
    int64_t low[2], high[2];
    *out = false;
    if (!lun__layout_count(p) || !lun__layout_count(q) ||
        !lun__layout_range(p, &low[0], &high[0]) || !lun__layout_range(q, &low[1], &high[1]))
        return LUN_OK;
    const int64_t from = low[0] > low[1] ? low[0] : low[1];
    const int64_t to = high[0] < high[1] ? high[0] : high[1];
    if (from > to)
        return LUN_OK;
    if (lun__layout_is_permutation(p) && lun__layout_is_permutation(q)) {
        *out = true; /* both fill their ranges */
        return LUN_OK;
    }
    uint8_t *bits = calloc((size_t)((to - from) / 8 + 1), 1);
    if (!bits)
        return lun__fail_nomem(e);
    each_offset(p, from, to, bits, false);
    *out = each_offset(q, from, to, bits, true);
    free(bits);
    return LUN_OK;
}

/* The bytes of the host's own memory from the first to behind the last of a's elements; false: it
 * has none there. */
static bool wrapped_range(const lun_array *a, uintptr_t *from, uintptr_t *to)
{
    const lun_array *top = lun__array_top(a);
    const lun_node *n = top->node;
    int64_t low, high;
    lun_layout l;
    lun__array_layout(a, &l);
    if (!top->wraps || n->kind != LUN_NODE_LEAF || !lun__layout_count(&l) ||
        !lun__layout_range(&l, &low, &high))
        return false;
    const uintptr_t size = (uintptr_t)lun__dtype_get((lun_dtype)n->dtype)->bytes;
    *from = (uintptr_t)n->storage->data + (uintptr_t)(n->offset + low) * size;
    *to = (uintptr_t)n->storage->data + (uintptr_t)(n->offset + high + 1) * size;
    return true;
}

lun_status lun_aliases(lun_engine *e, const lun_array *a, const lun_array *b, bool *out)
{
    LUN_NEED(e, a && b && out);
    lun_layout p, q;
    uintptr_t from[2], to[2];
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK)
        s = lun__array_present(e, b);
    if (s != LUN_OK)
        return s;
    *out = false;
    if (a->weak || b->weak)
        return LUN_OK;
    if (lun__array_top(a) != lun__array_top(b)) {
        *out = wrapped_range(a, &from[0], &to[0]) && wrapped_range(b, &from[1], &to[1]) &&
               from[0] < to[1] && from[1] < to[0];
        return LUN_OK;
    }
    lun__array_layout(a, &p);
    lun__array_layout(b, &q);
    return share_offset(e, &p, &q, out);
}
