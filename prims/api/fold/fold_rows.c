/* fold_rows.c - an outer-axis reduction by a function, with rows at several locations: the tree of
 * adjacent pairs of ir/combine_order.h as an expression of the first, second, ... rows of
 * groups. So each location combines its rows, and elements do not move. Knows no location. */
#include "api/fold/lazy.h"

enum { GROUP = 8 /* rows that a kernel combines, a power of two */ };

typedef struct rows {
    lun_engine *e;
    lun_function *f;
    const lun_ir_function *body;
    int64_t width; /* elements of a row */
} rows;

/* *x = f(*x, y); y is released. */
static lun_status combine(const rows *r, lun_node **x, lun_node *y)
{
    lun_node *in[2] = {*x, y}, *n = NULL;
    const lun_status s = lun__node_call(r->e, r->f, r->body, in, 2, 2, (lun_dtype)y->dtype, y, &n);
    lun__node_release(r->e, y);
    if (s != LUN_OK)
        return s;
    lun__node_release(r->e, *x);
    *x = n;
    return LUN_OK;
}

/* list[0] = the `count` rows, or groups of them, combined by pairs; the others are released. */
static lun_status join(const rows *r, lun_node **list, int count)
{
    lun_status s = LUN_OK;
    for (; s == LUN_OK && count > 1; count = count / 2 + count % 2)
        for (int k = 0; s == LUN_OK && 2 * k < count; k++) {
            if (2 * k + 1 < count) {
                lun_node *other = list[2 * k + 1];
                list[2 * k + 1] = NULL;
                s = combine(r, &list[2 * k], other);
            }
            if (k) {
                list[k] = list[2 * k];
                list[2 * k] = NULL;
            }
        }
    return s;
}

static void drop(const rows *r, lun_node **list, int count)
{
    for (int k = 0; k < count; k++) {
        lun__node_release(r->e, list[k]);
        list[k] = NULL;
    }
}

/* Rows first, first + step, ... of x. If they were combined already they are read from memory, not
 * computed again. */
static lun_status rows_of(const rows *r, lun_node *x, bool combined, int64_t first, int64_t step,
                          int64_t count, lun_node **out)
{
    const lun_layout at = {.rank = 2,
                           .offset = first * r->width,
                           .extent = {count, r->width},
                           .stride = {step * r->width, 1}};
    return (combined ? lun__view_node : lun__view)(r->e, x, &at, out);
}

/* *tail = the last `count` rows of x, from number `first` on, combined with *tail, which is NULL or
 * a row behind them; NULL: there are none. */
static lun_status join_tail(const rows *r, lun_node *x, bool combined, int64_t first, int count,
                            lun_node **tail)
{
    lun_node *list[GROUP + 1] = {NULL};
    lun_status s = LUN_OK;
    int n = 0;
    for (; s == LUN_OK && n < count; n++)
        s = rows_of(r, x, combined, first + n, 1, 1, &list[n]);
    if (s == LUN_OK && *tail) {
        list[n++] = *tail;
        *tail = NULL;
    }
    if (s == LUN_OK)
        s = join(r, list, n);
    if (s == LUN_OK) {
        *tail = list[0];
        list[0] = NULL;
    }
    drop(r, list, GROUP + 1);
    return s;
}

/* *x = its `count` groups of rows, each of them combined. */
static lun_status join_groups(const rows *r, lun_node **x, bool combined, int64_t count)
{
    lun_node *list[GROUP] = {NULL};
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < GROUP; k++)
        s = rows_of(r, *x, combined, k, GROUP, count, &list[k]);
    if (s == LUN_OK)
        s = join(r, list, GROUP);
    if (s == LUN_OK) {
        lun__node_release(r->e, *x);
        *x = list[0];
        list[0] = NULL;
    }
    drop(r, list, GROUP);
    return s;
}

/* *tail = f(first, *tail). */
static lun_status begin_with(const rows *r, lun_node *first, lun_node **tail)
{
    const lun_layout all = {.rank = 2, .extent = {1, r->width}};
    lun_node *start = NULL, *last = *tail;
    lun_status s = lun__view(r->e, first, &all, &start);
    if (s != LUN_OK)
        return s;
    *tail = start;
    return combine(r, tail, last);
}

lun_status lun__fold_rows(lun_engine *e, lun_function *f, const lun_ir_function *body, lun_node *a,
                          lun_node *first, int64_t length, lun_node **out)
{
    const rows r = {e, f, body, a->n / length};
    lun_node *x = lun__node_retain(a), *tail = NULL;
    lun_status s = LUN_OK;
    bool combined = false;
    int64_t count = length;
    while (s == LUN_OK && count > GROUP) {
        const int64_t groups = count / GROUP;
        s = join_tail(&r, x, combined, groups * GROUP, (int)(count % GROUP), &tail);
        if (s == LUN_OK)
            s = join_groups(&r, &x, combined, groups);
        combined = true;
        count = groups;
    }
    if (s == LUN_OK)
        s = join_tail(&r, x, combined, 0, (int)count, &tail);
    if (s == LUN_OK && first)
        s = begin_with(&r, first, &tail);
    lun__node_release(e, x);
    if (s == LUN_OK)
        *out = tail;
    else
        lun__node_release(e, tail);
    return s;
}
