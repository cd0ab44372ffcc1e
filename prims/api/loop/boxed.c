/* boxed.c - the function of a loop on parts of arrays, compiled, and what it reads at the loop's
 * indices; see boxed.h.  Knows no rank. */
#include "api/loop/boxed.h"

#include <string.h>

#include "base/sized.h"

static lun_status check(lun_engine *e, lun_function *f, const lun_part_loop *loop)
{
    if (!f || !f->front.specialise || f->front.in_place)
        return lun__fail(e, LUN_EARG,
                         "a loop on parts of arrays takes a function of the host's "
                         "language");
    if (loop->count < 0 || loop->count > LUN_FRONT_ARRAYS)
        return lun__fail(e, LUN_EARG, "the function captures %d arrays: %d is the most",
                         loop->count, (int)LUN_FRONT_ARRAYS);
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < loop->count; k++)
        s = lun__array_usable(e, loop->arrays[k]);
    return s;
}

lun_status lun__boxed_open(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                           lun_boxed *out)
{
    lun_array *unused[LUN_MAX_RANK];
    *out = (lun_boxed){.loop = &out->own};
    lun__sized_take(&out->own, loop, sizeof *loop);
    loop = &out->own;
    lun_status s = check(e, f, loop);
    if (s == LUN_OK)
        s = lun__generate_box_make(e, loop->rank, loop->whole_first, loop->whole_extent,
                                   &out->whole, unused);
    if (s != LUN_OK)
        return s;
    for (int k = 0; k < loop->rank; k++)
        lun_release(unused[k]);
    s = lun__generate_box_make(e, loop->rank, loop->first, loop->extent, &out->box, out->index);
    if (s == LUN_OK) {
        s = lun__generate_box_prepare(e, f, &out->whole, out->index, true, &out->r);
        if (s != LUN_OK)
            lun__boxed_close(out);
    }
    return s;
}

void lun__boxed_close(lun_boxed *b)
{
    for (int k = 0; k < b->loop->rank; k++)
        lun_release(b->index[k]);
}

int lun__boxed_number(const lun_part_loop *loop, const lun_array *a)
{
    for (int k = 0; k < loop->count; k++)
        if (loop->arrays[k] == a)
            return k;
    return -1;
}

const lun_part *lun__boxed_computed(const lun_part *parts, int count, int k)
{
    for (int i = 0; i < count; i++)
        if (parts[i].array == k && parts[i].computed)
            return &parts[i];
    return NULL;
}

/* ---- reads at the loop's indices ------------------------------------------------------------- */

/* Of axis d of w's array: the first index, from 0, that the rounds read, and how many. */
static void read_range(const lun_boxed *b, const lun_front_window *w, int d, int64_t n,
                       int64_t *first, int64_t *count)
{
    const int p = w->at[d].param;
    int64_t low = w->at[d].shift - 1, high;
    if (p >= 0 && __builtin_add_overflow(low, b->box.first[p], &low))
        low = INT64_MAX / 2; /* beyond any array */
    if (__builtin_add_overflow(low, p < 0 ? 1 : b->box.at.extent[p], &high) || high > n)
        high = n;
    *first = low < 0 ? 0 : low;
    *count = high > *first ? high - *first : 0;
}

/* Whether a box has all elements that the rounds read of w; *none: they read none. */
static bool has(const lun_boxed *b, const lun_front_window *w, const lun_part *x, bool *none)
{
    int64_t shape[LUN_MAX_RANK], box[LUN_MAX_RANK], first, count;
    bool all = true;
    const int rank = lun_shape(w->array, shape);
    *none = b->box.empty;
    if (x && lun_shape(x->elements, box) != rank)
        return false;
    for (int d = 0; d < rank; d++) {
        read_range(b, w, d, shape[d], &first, &count);
        *none |= count == 0;
        all &= x && first >= x->first[d] && first - x->first[d] <= box[d] - count;
    }
    return all || *none;
}

/* A window that is not read stays on the stand-in. */
static lun_status take_box(lun_engine *e, const lun_boxed *b, const lun_part *parts, int count,
                           lun_front_window *w)
{
    const int k = lun__boxed_number(b->loop, w->array);
    int64_t shape[LUN_MAX_RANK];
    bool none = false;
    if (k < 0)
        return LUN_OK;
    for (int i = 0; i < count; i++) {
        const lun_part *x = &parts[i];
        if (x->array != k || x->computed || !has(b, w, x, &none))
            continue;
        const int rank = lun_shape(w->array, shape);
        w->array = x->elements;
        for (int d = 0; d < rank; d++)
            w->at[d].shift -= x->first[d];
        return LUN_OK;
    }
    (void)has(b, w, NULL, &none);
    return none ? LUN_OK : lun__fail(e, LUN_EARG, "no part has the elements that the loop reads");
}

lun_status lun__boxed_windows(lun_engine *e, lun_boxed *b, const lun_part *parts, int count)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < b->r.window_count; k++) {
        b->windows[k] = b->r.windows[k];
        s = take_box(e, b, parts, count, &b->windows[k]);
    }
    b->r.windows = b->windows;
    return s;
}

lun_status lun__boxed_window(lun_engine *e, const lun_boxed *b, int k, lun_node **out)
{
    const lun_ir *body = b->r.function->body;
    return lun__generate_box_window(e, &b->box, &b->windows[k],
                                    (lun_dtype)body->args[b->box.rank + k], out);
}
