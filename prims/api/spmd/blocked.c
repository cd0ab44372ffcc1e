/* blocked.c - arrays of which each rank has a box of elements: made, distributed, gathered, and
 * where elements are.  How others reach them is shared.c's, how they are cut spread/blocks.c's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/spmd/shared.h"
#include "base/layout/layout.h"
#include "base/sized.h"
#include "spread/spread.h"

/* ---- cutting --------------------------------------------------------------------------------- */

static lun_status rule_of(lun_engine *e, const char *name, int blocked, int *rule)
{
    *rule = blocked > 1 ? LUN_SPREAD_BALANCED : LUN_SPREAD_CEILING;
    if (!name)
        return LUN_OK;
    for (*rule = LUN_SPREAD_REMAINDER; *rule <= LUN_SPREAD_BALANCED; ++*rule)
        if (strcmp(lun__spread_rule_name((lun_spread_rule)*rule), name) == 0)
            return LUN_OK;
    return lun__fail(e, LUN_EARG, "'%s' is no rule: ceiling, balanced, remainder", name);
}

lun_status lun_blocks_cut(lun_engine *e, const lun_blocking *given, int npes, lun_blocks *cut)
{
    LUN_NEED(e, LUN_HAS(given, blocked) && LUN_HAS(cut, grid) && npes > 0);
    lun_blocking how_all = {0}, *how = &how_all;
    lun_blocks blocks = {.size = sizeof blocks, .npes = npes}, *out = &blocks;
    lun__sized_take(how, given, sizeof *how);
    int64_t size = 1;
    int blocked = 0;
    if (how->rank < 1 || how->rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "a blocked array has 1 to %d axes, not %d", LUN_MAX_RANK,
                         how->rank);
    out->rank = how->rank;
    for (int d = 0; d < how->rank; d++) {
        const int64_t n = how->extent[d];
        if (n < 0 || __builtin_mul_overflow(size, n > 1 ? n : 1, &size))
            return lun__fail(e, LUN_ERANGE, "extent %lld of axis " LUN_NTH " is %s", (long long)n,
                             d, n < 0 ? "negative" : "too large");
        out->extent[d] = n;
        blocked += how->blocked[d];
    }
    if (!blocked)
        return lun__fail(e, LUN_EARG, "no axis is blocked");
    lun_status s = rule_of(e, how->rule, blocked, &out->rule);
    if (s != LUN_OK)
        return s;
    lun__blocks_grid(out, how->blocked);
    lun__sized_give(cut, out, sizeof *out);
    return LUN_OK;
}

/* What must be the same on all ranks. */
static void describe(const lun_blocks *b, lun_dtype t, char *shape, size_t shape_room,
                     char *options, size_t room)
{
    int at = snprintf(shape, shape_room, "%s[", lun_dtype_name(t)), to = 0;
    for (int d = 0; d < b->rank; d++) {
        at += snprintf(shape + at, shape_room - (size_t)at, "%s%lld", d ? ", " : "",
                       (long long)b->extent[d]);
        to += snprintf(options + to, room - (size_t)to, "%d,", b->grid[d]);
    }
    snprintf(shape + at, shape_room - (size_t)at, "]");
    snprintf(options + to, room - (size_t)to, "%d", b->rule);
}

/* A blocked array with a part, which is taken over. */
static lun_status make(lun_engine *e, const char *verb, const lun_blocks *b, lun_array *part,
                       lun_shared **out)
{
    char shape[32 + 24 * LUN_MAX_RANK], options[16 + 12 * LUN_MAX_RANK], doing[64 + sizeof shape];
    const lun_dtype t = lun_dtype_of(part);
    describe(b, t, shape, sizeof shape, options, sizeof options);
    snprintf(doing, sizeof doing, "%s %s", verb, shape);
    const lun_shared_step step = {doing, "a blocked array", options};
    return lun__shared_make(
        e, (lun_shared){.dtype = t, .kind = LUN_SHARED_BLOCKED, .own = part, .blocks = *b}, &step,
        out);
}

lun_status lun_spmd_blocked(lun_engine *e, lun_dtype t, const lun_blocking *how, lun_shared **out)
{
    LUN_NEED(e, out);
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    lun_blocks b = {.size = sizeof b};
    lun_array *virtual = NULL, *part = NULL;
    lun_status s = lun_blocks_cut(e, how, lun_spmd_npes(e), &b);
    if (s != LUN_OK)
        return s;
    lun_blocks_box(&b, lun_spmd_mype(e), first, count);
    s = lun_full(e, b.rank, count, t, (lun_value){LUN_I64, {0}}, &virtual);
    if (s == LUN_OK)
        s = lun_copy(e, virtual, &part);
    lun_release(virtual);
    return s == LUN_OK ? make(e, "makes a blocked", &b, part, out) : s;
}

lun_status lun_spmd_distribute(lun_engine *e, lun_array *a, int axis, const char *rule,
                               lun_shared **out)
{
    LUN_NEED(e, a && out);
    lun_blocking how = {.size = sizeof how, .rule = rule};
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    lun_blocks b = {.size = sizeof b};
    lun_array *window = NULL, *part = NULL;
    how.rank = lun_shape(a, how.extent);
    const int at = axis < 0 ? axis + how.rank : axis;
    if (at < 0 || at >= how.rank)
        return lun__fail(e, LUN_ESHAPE,
                         axis < 0 ? "axis %d of an array of rank %d"
                                  : "axis " LUN_NTH " of an array of rank %d",
                         axis, how.rank);
    how.blocked[at] = true;
    lun_status s = lun_blocks_cut(e, &how, lun_spmd_npes(e), &b);
    if (s != LUN_OK)
        return s;
    lun_blocks_box(&b, lun_spmd_mype(e), first, count);
    s = lun_window(e, a, b.rank, first, count, NULL, &window);
    if (s == LUN_OK)
        s = lun_copy(e, window, &part);
    lun_release(window);
    return s == LUN_OK ? make(e, "distributes", &b, part, out) : s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Everyone's parts, one after the other, to where their elements belong. */
static void place_all(const lun_blocks *b, int size, const char *parts, char *all)
{
    const lun_layout whole = lun__layout_right(b->rank, b->extent);
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    for (int pe = 0; pe < b->npes; pe++) {
        lun_layout box = whole;
        lun_blocks_box(b, pe, first, count);
        for (int d = 0; d < b->rank; d++) {
            box.extent[d] = count[d];
            box.offset += first[d] * whole.stride[d];
        }
        const int64_t n = lun__layout_count(&box);
        lun__strided_write(&box, all, size, 0, n, parts);
        parts += n * size;
    }
}

lun_status lun_blocks_gather(lun_engine *e, const lun_said *said, const lun_blocks *b,
                             lun_array *part, lun_array **out)
{
    LUN_NEED(e, (!said || LUN_HAS(said, noun)) && LUN_HAS(b, grid) && part && out);
    const lun_dtype t = lun_dtype_of(part);
    const int size = lun_dtype_size(t);
    const lun_layout whole = lun__layout_right(b->rank, b->extent);
    int64_t *counts = NULL;
    void *parts = NULL;
    const void *own;
    lun_status s = lun_data(e, part, &own);
    if (s == LUN_OK)
        s = lun_spmd_gather_said(e, said, own, lun_size(part) * size, &counts, &parts);
    if (s != LUN_OK)
        return s;
    char *all = malloc((size_t)(lun__layout_count(&whole) * size) + 1);
    if (all)
        place_all(b, size, parts, all);
    s = all ? lun_tensor(e, all, b->rank, b->extent, t, out) : lun__fail_nomem(e);
    free(all);
    free(counts);
    free(parts);
    return s;
}

/* LUN_EARG unless s is a blocked array. */
static lun_status check(lun_engine *e, const lun_shared *s)
{
    LUN_NEED(e, s);
    if (s->kind != LUN_SHARED_BLOCKED)
        return lun__fail(e, LUN_EARG, "the shared array is not blocked");
    return LUN_OK;
}

lun_status lun_spmd_whole(lun_engine *e, lun_shared *s, lun_array **out)
{
    LUN_NEED(e, out);
    char shape[32 + 24 * LUN_MAX_RANK], options[16 + 12 * LUN_MAX_RANK], doing[64 + sizeof shape];
    lun_status status = check(e, s);
    if (status != LUN_OK)
        return status;
    describe(&s->blocks, s->dtype, shape, sizeof shape, options, sizeof options);
    snprintf(doing, sizeof doing, "gathers %s", shape);
    return lun_blocks_gather(e, &(lun_said){sizeof(lun_said), doing, "a gather", options},
                             &s->blocks, s->own, out);
}

/* ---- where elements are ---------------------------------------------------------------------- */

lun_status lun_spmd_home(lun_engine *e, const lun_shared *s, const int64_t *index, int *pe,
                         int64_t *place)
{
    LUN_NEED(e, index && pe && place);
    int64_t inside[LUN_MAX_RANK], first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    lun_status status = check(e, s);
    if (status != LUN_OK)
        return status;
    for (int d = 0; d < s->blocks.rank; d++)
        if (index[d] < 0 || index[d] >= s->blocks.extent[d])
            return lun__fail(e, LUN_ERANGE,
                             "index " LUN_NTH_LONG " is out of range for axis " LUN_NTH
                             " (length %lld)",
                             (long long)index[d], d, (long long)s->blocks.extent[d]);
    *pe = lun_blocks_home(&s->blocks, index, inside);
    lun_blocks_box(&s->blocks, *pe, first, count);
    *place = 0;
    for (int d = 0; d < s->blocks.rank; d++)
        *place = *place * count[d] + inside[d];
    return LUN_OK;
}

lun_status lun_spmd_blksize(lun_engine *e, const lun_shared *s, int axis, int pe,
                            int64_t *first_or_NULL, int64_t *count_or_NULL)
{
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    lun_status status = check(e, s);
    if (status == LUN_OK)
        status = lun__shared_check_pe(e, pe);
    if (status == LUN_OK && (axis < 0 || axis >= s->blocks.rank))
        status = lun__fail(e, LUN_ESHAPE, "axis " LUN_NTH " of a blocked array of rank %d", axis,
                           s->blocks.rank);
    if (status != LUN_OK)
        return status;
    lun_blocks_box(&s->blocks, pe, first, count);
    if (first_or_NULL)
        *first_or_NULL = first[axis];
    if (count_or_NULL)
        *count_or_NULL = count[axis];
    return LUN_OK;
}

lun_status lun_spmd_localsize(lun_engine *e, const lun_shared *s, int pe, int64_t *bytes)
{
    LUN_NEED(e, s && bytes);
    lun_status status = lun__shared_check_pe(e, pe);
    if (status == LUN_OK)
        *bytes = lun__shared_size(s, pe) * lun_dtype_size(s->dtype);
    return status;
}
