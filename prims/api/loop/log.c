/* log.c - logs of the assignments of several loops, stored in the order of one loop. */
#include <stdlib.h>

#include "base/sized.h"
#include "ir/ir.h"
#include "lunarray_bind.h"

#include "api/write/scatter.h"
#include "engine/state.h"
#include "launch/trap.h"

/* The rest of one log: values from number `at` on. */
typedef struct cursor {
    const int64_t *round;
    int64_t at, count;
    lun_scatter scatter;
} cursor;

static lun_status open(lun_engine *e, const lun_logged *log, lun_array *to, cursor *c)
{
    const void *rounds, *places, *values;
    const int64_t n = lun_size(log->places);
    const bool fits = lun__dtype_is_index(lun_dtype_of(log->rounds)) &&
                      lun__dtype_is_index(lun_dtype_of(log->places));
    lun_status s = lun_data(e, log->rounds, &rounds);
    if (s == LUN_OK)
        s = lun_data(e, log->places, &places);
    if (s == LUN_OK)
        s = lun_data(e, log->values, &values);
    if (s != LUN_OK)
        return s;
    if (!fits || lun_size(log->rounds) != n || lun_size(log->values) != n ||
        (log->how == LUN_COMBINING_NONE && lun_dtype_of(log->values) != lun_dtype_of(to)))
        return lun__fail(e, LUN_EARG, "rounds, places and values of a log do not fit");
    *c = (cursor){.round = rounds, .count = n};
    c->scatter = (lun_scatter){.dtype = lun_dtype_of(to),
                               .span = lun_size(to),
                               .index = places,
                               .values = values,
                               .step = 1,
                               .from = lun_dtype_of(log->values),
                               .how = (lun_combining)log->how,
                               .behind = log->behind,
                               .exact = log->note[0] != 0};
    for (int64_t i = 0; i < n; i++)
        if (c->scatter.index[i] < 0 || c->scatter.index[i] >= c->scatter.span)
            return lun__fail(e, LUN_EARG, "a log names an element that is not there");
    return LUN_OK;
}

/* Values of c's next rounds, up to `last`. */
static lun_status store_rounds(lun_engine *e, cursor *c, int64_t last, const char *note)
{
    lun_scatter part = c->scatter;
    const int64_t from = c->at;
    int64_t bad;
    while (c->at < c->count && c->round[c->at] <= last)
        c->at++;
    part.index += from;
    part.values = (const char *)part.values + from * lun__dtype_get(part.from)->bytes;
    part.count = c->at - from;
    if (lun__scatter(e, &part, &bad) == part.count)
        return LUN_OK;
    return lun__trap_fail_note(e, LUN_EBOUNDS, note, &(lun_value){LUN_I64, {.i = bad}});
}

/* The log with the earliest next round, -1: all are at their ends. */
static int earliest(const cursor *all, int count)
{
    int next = -1;
    for (int k = 0; k < count; k++)
        if (all[k].at < all[k].count &&
            (next < 0 || all[k].round[all[k].at] < all[next].round[all[next].at]))
            next = k;
    return next;
}

/* The last round of log `next` before those of another one. */
static int64_t last_of(const cursor *all, int count, int next)
{
    int64_t last = INT64_MAX;
    for (int k = 0; k < count; k++) {
        if (k == next || all[k].at == all[k].count)
            continue;
        const int64_t own = all[k].round[all[k].at] - (k < next);
        last = own < last ? own : last;
    }
    return last;
}

/* Round by round; those of one round in the order of the logs. */
static lun_status store_all(lun_engine *e, cursor *all, const lun_logged *logs, int count)
{
    lun_status s = LUN_OK;
    int k;
    while (s == LUN_OK && (k = earliest(all, count)) >= 0)
        s = store_rounds(e, &all[k], last_of(all, count, k), logs[k].note);
    return s;
}

lun_status lun_store_logged(lun_engine *e, lun_array *to, const lun_logged *given, int count,
                            lun_array **out)
{
    LUN_NEED(e, to && count >= 0 && (!count || LUN_HAS(given, values)) && out);
    const int64_t n = lun_size(to);
    const int size = lun__dtype_get(lun_dtype_of(to))->bytes;
    cursor *all = calloc((size_t)count + 1, sizeof *all);
    lun_blank *blank = NULL;
    void *elements = NULL;
    lun_logged *logs = lun__sized_take_list(given, count, sizeof *logs);
    lun_status s = all && logs ? LUN_OK : lun__fail_nomem(e);
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = open(e, &logs[k], to, &all[k]);
    if (s == LUN_OK)
        s = lun_blank_new(e, n, size, &blank, &elements);
    if (s == LUN_OK)
        s = lun_read(e, to, elements, 0, n);
    for (int k = 0; s == LUN_OK && k < count; k++)
        all[k].scatter.elements = elements;
    if (s == LUN_OK)
        s = store_all(e, all, logs, count);
    if (s == LUN_OK)
        s = lun_blank_vector(e, blank, lun_dtype_of(to), out);
    if (s != LUN_OK)
        lun_blank_drop(e, blank);
    free(logs);
    free(all);
    return s;
}
