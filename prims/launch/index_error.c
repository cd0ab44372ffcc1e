/* index_error.c - which index of a take is out of range: a kernel says only that there is one, so
 * the indices are looked through once more. */
#include "launch/trap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/failure.h"
#include "graph/take_nodes.h"
#include "graph/walk.h"

enum { PIECE = 1024 };

/* Elements first .. first + count - 1 of n into host. */
static bool elements(lun_engine *e, lun_run_range *run, lun_node *n, int64_t first, int64_t count,
                     void *host)
{
    bool done = false;
    if (n->kind == LUN_NODE_NUMBER) {
        lun__dtype_cell_fill((lun_dtype)n->dtype, n->cell, host, count);
        return true;
    }
    if (n->kind != LUN_NODE_LEAF && run(e, n, first, count, host, &done) != LUN_OK)
        return false;
    if (done)
        return true;
    if (n->kind == LUN_NODE_NUMBER)
        return elements(e, run, n, first, count, host);
    return lun__mirror_read(e, n->storage, n->offset + first, count, host) == LUN_OK;
}

/* The number, in the indices' flat order, of the first one that is out of range; -1: there is none,
 * or that cannot be said. */
static int64_t first_outside(lun_engine *e, lun_run_range *run, const lun_taking *t)
{
    int64_t index[PIECE];
    for (int64_t at = 0, n = t->index->n; at < n; at += PIECE) {
        int64_t some = n - at < PIECE ? n - at : PIECE;
        if (!elements(e, run, t->index, at, some, index))
            return -1;
        for (int64_t k = 0; k < some; k++)
            if (lun__take_nodes_index(t, index[k]) < 0 && !(t->lenient && index[k] == t->none))
                return at + k;
    }
    return -1;
}

/* What the indices were made of if they are u64: those beyond i64 became its largest number. */
static lun_node *unsigned_index(const lun_node *index)
{
    const lun_node *least = index->kind == LUN_NODE_CAST ? index->in[0] : NULL;
    if (!least || least->kind != LUN_NODE_OP || least->op != LUN_OP_MIN ||
        !lun__dtype_is_wide_unsigned((lun_dtype)least->dtype))
        return NULL;
    return least->in[least->in[0]->kind == LUN_NODE_NUMBER];
}

/* The text of the index that is element `at` of t's. */
static bool name_index(lun_engine *e, lun_run_range *run, const lun_taking *t, int64_t at,
                       char *text, size_t room)
{
    lun_node *as = unsigned_index(t->index);
    uint64_t cell = 0;
    if (!elements(e, run, as ? as : t->index, at, 1, &cell))
        return false;
    if (as)
        snprintf(text, room, "%llu", (unsigned long long)cell);
    else
        snprintf(text, room, "%lld", (long long)cell);
    return true;
}

/* Fails with the first index of t that is out of range; false: there is none. */
static bool explain_index(lun_engine *e, lun_run_range *run, const lun_taking *t)
{
    char index[32];
    int64_t number = 0, at = first_outside(e, run, t);
    if (at < 0 || !name_index(e, run, t, at, index, sizeof index) ||
        !elements(e, run, t->number, at, 1, &number))
        return false;
    lun__fail(e, LUN_EBOUNDS,
              "index %s (number " LUN_NTH_LONG ") is out of range for axis " LUN_NTH
              " of length %lld%s",
              index, (long long)(number / t->inner % t->count), t->axis, (long long)t->length,
              t->first ? "" : ", counted from 0");
    return true;
}

/* The takes of a graph, with references. */
typedef struct takes {
    lun_node **at;
    int count, room;
} takes;

static bool enter(const void *ctx, const lun_node *user, int k, const lun_node *in)
{
    (void)ctx, (void)k, (void)in;
    return !lun__node_ready(user);
}

static bool collect(void *ctx, lun_node *n, const lun_node *user)
{
    takes *t = ctx;
    lun_taking spare;
    (void)user;
    if (!lun__take_node_of(n, &spare))
        return true;
    if (!lun__grow(&t->at, t->count, &t->room, sizeof *t->at))
        return false;
    t->at[t->count++] = lun__node_retain(n);
    return true;
}

void lun__index_error(lun_engine *e, lun_node *const *roots, int count, lun_run_range *run)
{
    takes t = {0};
    const lun_visitor v = {LUN_WALK_MARK, enter, collect, &t};
    const char *where = e->error_where;
    lun_taking one;
    bool found = !e->error_is_index;
    if (found)
        return;
    e->error_is_index = false;
    uint64_t walk = ++e->walk;
    for (int i = 0; i < count; i++)
        (void)lun__walk(walk, roots[i], &v);
    for (int i = 0; i < t.count; i++) {
        found = found || (lun__take_node_of(t.at[i], &one) && explain_index(e, run, &one));
        lun__node_release(e, t.at[i]);
    }
    free(t.at);
    if (!found)
        lun__fail(e, LUN_EBOUNDS, "an index is out of range");
    e->error_where = where;
}
