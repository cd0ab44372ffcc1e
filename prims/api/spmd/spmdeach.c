/* spmdeach.c - lun_spmd_each: C text called for the rounds whose element of a blocked array a rank
 * has.  What arrays become is lent.c's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/loop/inplace.h"
#include "api/spmd/lent.h"
#include "base/sized.h"

/* ---- rounds ---------------------------------------------------------------------------------- */

static lun_status check_loop(lun_engine *e, const lun_spmd_loop *l)
{
    bool used[LUN_MAX_RANK] = {false};
    if (!l->owner || l->owner->kind != LUN_SHARED_BLOCKED)
        return lun__fail(e, LUN_EARG, "the owner is a blocked array");
    if (l->rank < 1 || l->rank > LUN_MAX_RANK || (!l->indexed && l->rank != l->owner->blocks.rank))
        return lun__fail(e, LUN_ESHAPE, "a loop of rank %d over an owner of rank %d", l->rank,
                         l->owner->blocks.rank);
    for (int k = 0; k < l->rank; k++)
        if (l->extent[k] < 0 || l->first[k] < 0 || l->first[k] > LUN_MOST_ELEMENTS ||
            l->extent[k] > LUN_MOST_ELEMENTS)
            return lun__fail(e, LUN_ERANGE,
                             "axis " LUN_NTH " of the loop: %lld indices from " LUN_NTH_LONG " on",
                             k, (long long)l->extent[k], (long long)l->first[k]);
    for (int d = 0; l->indexed && d < l->owner->blocks.rank; d++) {
        const int p = l->variable[d];
        if (p < -1 || p >= l->rank || (p >= 0 && used[p]))
            return lun__fail(e, LUN_EARG,
                             "axis " LUN_NTH " of the owner: index " LUN_NTH
                             " of the loop is not there "
                             "or used twice",
                             d, p);
        used[p < 0 ? 0 : p] |= p >= 0;
    }
    return LUN_OK;
}

/* The rounds whose index along axis d of the owner is of low .. high: of r. */
static bool cut(const lun_spmd_loop *l, int d, int64_t low, int64_t high, lun_elements *r)
{
    const int p = l->indexed ? l->variable[d] : d;
    int64_t c = l->indexed ? l->factor[d] : 1, from = low, to = high;
    if (__builtin_sub_overflow(low, l->indexed ? l->offset[d] : 0, &from) ||
        __builtin_sub_overflow(high, l->indexed ? l->offset[d] : 0, &to))
        return false;
    if (p < 0 || c == 0)
        return from <= 0 && to >= 0;
    if (c < 0) {
        const int64_t least = -to;
        to = -from;
        from = least;
        c = -c;
    }
    from = from > 0 ? (from - 1) / c + 1 : -(-from / c);
    to = to >= 0 ? to / c : -((-to - 1) / c + 1);
    const int64_t end = r->first[p] + r->count[p];
    r->first[p] = from > r->first[p] ? from : r->first[p];
    r->count[p] = (to + 1 < end ? to + 1 : end) - r->first[p];
    return r->count[p] > 0;
}

/* The rounds whose element of the owner is in b; false: none. */
static bool rounds_of(const lun_spmd_loop *l, const lun_elements *b, lun_elements *out)
{
    *out = (lun_elements){.rank = l->rank};
    memcpy(out->first, l->first, sizeof out->first);
    memcpy(out->count, l->extent, sizeof out->count);
    bool any = true;
    for (int d = 0; any && d < b->rank; d++)
        any = b->count[d] > 0 && cut(l, d, b->first[d], b->first[d] + b->count[d] - 1, out);
    for (int k = 0; k < l->rank; k++)
        out->count[k] = any ? out->count[k] : 0;
    return any && lun__elements_count(out) > 0;
}

/* All rounds have an element of the owner. */
static lun_status check_owner(lun_engine *e, const lun_spmd_loop *l)
{
    const lun_elements all = lun__elements_all(l->owner);
    lun_elements asked = {.rank = l->rank}, found;
    memcpy(asked.count, l->extent, sizeof asked.count);
    (void)rounds_of(l, &all, &found);
    if (lun__elements_count(&asked) == 0 ||
        lun__elements_count(&found) == lun__elements_count(&asked))
        return LUN_OK;
    return lun__fail(e, LUN_ERANGE, "some indices of the loop have no element of the owner");
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Which of them f writes, behind its indices; f is C text of a loop. */
static lun_status take_written(lun_engine *e, const lun_function *f, int rank, lun_lending *l)
{
    lun_ir_function *made = NULL;
    if (!f || !f->front.in_place)
        return lun__fail(e, LUN_EARG, "a loop over ranks takes C text without a result");
    lun__fail_clear(e);
    lun_status s = f->front.in_place(f->front.ctx, rank, &made, &e->error);
    if (s != LUN_OK)
        return s == LUN_ENOMEM && !e->error.length ? lun__fail_nomem(e) : s;
    for (int p = 0; p < made->params; p++)
        if (made->param[p].pointer && made->param[p].written && made->param[p].of < l->count)
            l->lent[made->param[p].of].written = true;
    return LUN_OK;
}

/* Arguments of the caller's size, as this library has them. */
static void copy_args(const lun_spmd_arg *given, int count, lun_spmd_arg *to)
{
    const size_t size = count && given->size ? given->size : sizeof *to;
    for (int k = 0; k < count; k++) {
        to[k] = (lun_spmd_arg){.size = sizeof *to};
        lun__sized_take(&to[k], (const lun_spmd_arg *)((const char *)given + (size_t)k * size),
                        sizeof *to);
    }
}

static lun_status take_args(lun_engine *e, const lun_spmd_arg *args, lun_lending *l)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < l->count; k++) {
        if (!args[k].blocked) {
            s = lun__array_usable(e, args[k].array);
            continue;
        }
        if (args[k].blocked->kind != LUN_SHARED_BLOCKED)
            return lun__fail(e, LUN_EARG, "argument " LUN_NTH " is shared, but not blocked", k);
        for (int i = 0; i < k; i++)
            if (args[i].blocked == args[k].blocked)
                return lun__fail(e, LUN_EARG, "arguments " LUN_NTH " and " LUN_NTH " are one array",
                                 i, k);
        l->lent[k] = (lun_lent){.of = args[k].blocked, .reach = args[k].reach};
    }
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

/* What must be the same on all ranks. */
static void describe(const lun_spmd_loop *l, int count, char *to, size_t room)
{
    int at = snprintf(to, room, "%d arguments", count);
    for (int k = 0; k < l->rank && k < LUN_MAX_RANK; k++)
        at += snprintf(to + at, room - (size_t)at, ", %lld + %lld", (long long)l->first[k],
                       (long long)l->extent[k]);
}

/* This rank's rounds, on copies. */
static lun_status run(lun_engine *e, lun_function *f, const lun_spmd_loop *loop,
                      const lun_spmd_arg *args, const lun_lending *l)
{
    const lun_elements mine = lun__elements_of(loop->owner, l->mype);
    lun_array *given[LUN_MAX_OPERANDS], *index[LUN_MAX_RANK];
    lun_elements rounds;
    lun_box b;
    (void)rounds_of(loop, &mine, &rounds);
    for (int k = 0; k < loop->rank; k++)
        rounds.first[k]++; /* which the text counts from 0 */
    for (int k = 0; k < l->count; k++)
        given[k] = l->lent[k].of ? l->lent[k].whole : args[k].array;
    lun_status s = lun__generate_box_make(e, loop->rank, rounds.first, rounds.count, &b, index);
    if (s != LUN_OK)
        return s;
    s = lun__inplace_each(e, f, &b, given, l->count, false);
    for (int k = 0; k < loop->rank; k++)
        lun_release(index[k]);
    return s;
}

static lun_status prepare(lun_engine *e, const lun_function *f, const lun_spmd_loop *loop,
                          const lun_spmd_arg *args, lun_lending *l)
{
    lun_status s = check_loop(e, loop);
    if (s == LUN_OK)
        s = check_owner(e, loop);
    if (s == LUN_OK)
        s = take_args(e, args, l);
    if (s == LUN_OK)
        s = take_written(e, f, loop->rank, l);
    return s == LUN_OK ? lun__lend(l) : s;
}

/* The steps of a loop: an agreement on it; then what rounds may use moves, the rounds run, and what
 * they have changed goes back.  Requests for elements wait until that is stored. */
static lun_status share(lun_engine *e, lun_function *f, const lun_spmd_loop *loop,
                        const lun_spmd_arg *args, lun_lending *l)
{
    char options[64 + 48 * LUN_MAX_RANK];
    int64_t none = 0;
    lun_status ran = prepare(e, f, loop, args, l);
    describe(loop, l->count, options, sizeof options);
    if (ran == LUN_OK)
        ran = lun__lent_give(l);
    lun_status s = lun__lent_agree(
        l, &(lun_said){sizeof(lun_said), "shares a loop", "a shared loop", options}, ran, &none);
    if (s == LUN_OK)
        s = lun_spmd_hold(e, true);
    if (s == LUN_OK)
        s = lun__lent_fetch(l);
    return s == LUN_OK ? lun__lent_back(l, run(e, f, loop, args, l)) : s;
}

lun_status lun_spmd_each(lun_engine *e, lun_function *f, const lun_spmd_loop *given,
                         const lun_spmd_arg *args_given, int count)
{
    LUN_NEED(e, given && count >= 0 && count <= LUN_MAX_OPERANDS && (args_given || !count));
    lun_spmd_arg args[LUN_MAX_OPERANDS];
    copy_args(args_given, count, args);
    lun_spmd_loop loop = {.size = sizeof loop};
    lun__sized_take(&loop, given, sizeof loop);
    lun_lending *l = calloc(1, sizeof *l);
    if (!l)
        return lun__fail_nomem(e);
    *l = (lun_lending){.e = e, .npes = lun_spmd_npes(e), .mype = lun_spmd_mype(e), .count = count};
    lun_status s = share(e, f, &loop, args, l);
    const lun_status held = lun_spmd_hold(e, false);
    lun__lent_end(l);
    free(l);
    return s == LUN_OK ? held : s;
}
