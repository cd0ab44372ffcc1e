/* array.c - array handles: made, released, queried. Nodes are graph/node.c's, reading and writing
 * are read_elements.c's, copy_on_write.c's, write.c's.
 *
 * Invariant: a handle in use has refs > 0 and is a plain array (node, no parent), a window (parent,
 * which is no window; `at`) or a weak number (no node). An unused handle has refs 0 and lies in the
 * list of its engine, linked by `parent`. A freed handle keeps its memory until the last reference
 * goes, and no node. */
#include "api/array/array.h"
#include "eval/eval.h"
#include "graph/walk.h"
#include "lunarray_bind.h"
#include "text/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB_HANDLES = 128 };

typedef struct slab {
    lun_array handles[SLAB_HANDLES];
    struct slab *next;
} slab;

static lun_array *take(lun_engine *e)
{
    if (!lun__account_take_object(e->account, sizeof(lun_array)))
        return NULL;
    if (!e->spare_handles) {
        slab *s = aligned_alloc(_Alignof(slab), sizeof *s);
        if (!s) {
            lun__account_give(e->account, sizeof(lun_array));
            return NULL;
        }
        memset(s, 0, sizeof *s); /* unused handles have no references */
        s->next = e->handle_slabs;
        e->handle_slabs = s;
        for (int i = 0; i < SLAB_HANDLES; i++) {
            s->handles[i].parent = e->spare_handles;
            e->spare_handles = &s->handles[i];
        }
    }
    lun_array *a = e->spare_handles;
    e->spare_handles = a->parent;
    a->refs = 1;
    a->weak = a->freed = a->made = a->wraps = 0;
    a->engine = e;
    a->parent = NULL;
    a->shown = NULL;
    a->viewed = a->bare = a->readonly = false;
    a->valid = NULL;
    a->logical = 0;
    a->texts = NULL;
    a->label = NULL;
    a->born = e->looks;
    return a;
}

/* Adds a to the list of unused handles. */
static void give(lun_array *a)
{
    a->refs = 0;
    lun__account_give(a->engine->account, sizeof *a);
    a->parent = a->engine->spare_handles;
    a->engine->spare_handles = a;
}

/* Gives back what a, which is no window, has by its logical dtype. */
static void end_logical(lun_array *a)
{
    if (a->logical == LUN_RECORD)
        a->engine->kinds[LUN_KIND_RECORD]->end(a);
    else if (a->logical)
        lun__text_pool_release(a->texts);
    a->texts = NULL;
}

void lun__arrays_end(lun_engine *e)
{
    for (slab *s = e->handle_slabs; s; s = s->next)
        for (int i = 0; i < SLAB_HANDLES; i++) {
            lun_array *a = &s->handles[i];
            if (a->refs > 0) {
                lun__account_object_free(e->account, a->label);
                lun__node_release(e, a->node);
                lun__node_release(e, a->shown);
                end_logical(a);
            }
            a->node = a->shown = NULL;
            a->label = NULL;
            a->logical = 0;
        }
}

const char *lun__array_label_of(const lun_engine *e, const lun_node *n)
{
    if (!e->labels)
        return NULL;
    for (const slab *s = e->handle_slabs; s; s = s->next)
        for (int i = 0; i < SLAB_HANDLES; i++) {
            const lun_array *a = &s->handles[i];
            if (a->refs <= 0 || !a->label || !a->node)
                continue;
            if (a->node == n || (n->kind == LUN_NODE_LEAF && a->node->kind == LUN_NODE_LEAF &&
                                 a->node->storage == n->storage))
                return a->label;
        }
    return NULL;
}

void lun__arrays_close(lun_engine *e)
{
    slab *s = e->handle_slabs;
    while (s) {
        slab *next = s->next;
        free(s);
        s = next;
    }
}

lun_status lun__array(lun_engine *e, lun_node *n, bool made, lun_array **out)
{
    lun_array *a = take(e);
    lun_status s = a ? LUN_OK : lun__fail_nomem(e);
    if (s == LUN_OK && n && !lun__node_ready(n))
        s = lun__evaluate_early(e, n);
    if (s != LUN_OK) {
        lun__node_release(e, n);
        if (a)
            give(a);
        return s;
    }
    a->node = n;
    a->made = made;
    *out = a;
    return LUN_OK;
}

lun_status lun__array_viewed(lun_engine *e, lun_node *n, const lun_layout *l, bool made,
                             lun_array **out)
{
    lun_status s = lun__array(e, n, made, out);
    if (s != LUN_OK)
        return s;
    (*out)->viewed = true;
    (*out)->at = *l;
    return LUN_OK;
}

lun_status lun__array_window(lun_engine *e, lun_array *a, const lun_layout *l, lun_array **out)
{
    lun_status s = lun__array_viewed(e, NULL, l, true, out);
    if (s != LUN_OK)
        return s;
    (*out)->bare = a->bare;
    (*out)->readonly = a->readonly;
    (*out)->parent = lun__array_base(a);
    lun_retain((*out)->parent);
    return LUN_OK;
}

void lun__array_layout(const lun_array *a, lun_layout *out)
{
    int64_t shape[LUN_MAX_RANK];
    if (a->viewed) {
        *out = a->at;
        return;
    }
    lun__node_shape(a->node, shape);
    *out = lun__layout_right(a->node->rank, shape);
}

void lun_retain(lun_array *a)
{
    if (a)
        __atomic_add_fetch(&a->refs, 1, __ATOMIC_RELAXED);
}

static bool is_last(lun_array *a)
{
    return !__atomic_sub_fetch(&a->refs, 1, __ATOMIC_ACQ_REL);
}

/* Gives back a, which has no references; a reference that it had, NULL: it has none. */
static lun_array *end_one(lun_array *a)
{
    lun_array *parent = a->parent;
    lun__node_release(a->engine, a->node);
    lun__node_release(a->engine, a->shown);
    end_logical(a);
    if (a->label) {
        a->engine->labels--;
        lun__account_object_free(a->engine->account, a->label);
    }
    give(a);
    return parent;
}

/* a has no references. */
static void end(void *object)
{
    lun_array *a = object;
    do {                             /* a View may hold the last reference to its parent */
        lun_array *valid = a->valid; /* neither a window nor with a validity */
        a = end_one(a);
        if (valid && is_last(valid))
            end_one(valid);
    } while (a && is_last(a));
}

void lun_release(lun_array *a)
{
    if (!a || !is_last(a))
        return;
    LUN_RELEASES(a->engine, &a->later, end, a);
    end(a);
}

/* LUN_EFREED or LUN_EARG unless a is an array of e. */
static lun_status ours(lun_engine *e, const lun_array *a)
{
    if (!e)
        return LUN_EARG;
    if (!a)
        return lun__fail(e, LUN_EARG, "no array given (NULL)");
    if (a->engine != e)
        return lun__fail(e, LUN_EARG, "the array belongs to another engine");
    for (const lun_array *p = a; p; p = p->parent)
        if (p->freed)
            return lun__fail(e, LUN_EFREED, "attempt to use a freed %s",
                             p->viewed ? "View" : "Vector");
    return LUN_OK;
}

/* Whether the length is known; of a window it is, since making one needs it. */
static inline bool measured(const lun_array *a)
{
    return !a->node || !lun__node_is_unknown(a->node);
}

/* Evaluates a, whose length is not known. */
static lun_status measure(const lun_array *a)
{
    lun_node *n = lun__node_retain(a->node);
    lun_status s = lun__eval(a->engine, &n, 1);
    lun__node_release(a->engine, n);
    return s;
}

lun_status lun_free(lun_engine *e, lun_array *a)
{
    LUN_NEED(e, true);
    lun_status s = ours(e, a);
    if (s != LUN_OK)
        return s;
    lun__node_release(e, a->node);
    a->node = NULL;
    a->freed = 1;
    if (a->valid && is_last(a->valid))
        end_one(a->valid);
    a->valid = NULL;
    end_logical(a);
    return LUN_OK;
}

lun_status lun__array_present(lun_engine *e, const lun_array *a)
{
    lun_status s = ours(e, a);
    if (s == LUN_OK && a->logical == LUN_RECORD)
        return lun__array_refuse_logical(e, a);
    return s != LUN_OK || measured(a) ? s : measure(a);
}

/* How many elements of a, which has a validity, are there. */
static lun_status count_there(lun_engine *e, const lun_array *a, int64_t *count)
{
    const lun_array *valid = lun__array_top(a)->valid;
    const lun_layout *at = a->viewed ? &a->at : NULL;
    lun_node *shown = NULL, *numbers = NULL, *sum = NULL;
    lun_status s = LUN_OK;
    if (at)
        s = lun__view(e, valid->node, at, &shown);
    else
        shown = lun__node_retain(valid->node);
    if (s == LUN_OK)
        s = lun__node_cast(e, shown, LUN_I64, &numbers);
    if (s == LUN_OK)
        s = lun__fold_node_reduce(e, LUN_OP_ADD, NULL, NULL, numbers, NULL, LUN_I64, &sum);
    if (s == LUN_OK)
        s = lun__eval(e, &sum, 1);
    if (s == LUN_OK && sum->kind == LUN_NODE_NUMBER)
        *count = (int64_t)sum->cell;
    else if (s == LUN_OK)
        s = lun__mirror_read(e, sum->storage, sum->offset, 1, count);
    lun__node_release(e, shown);
    lun__node_release(e, numbers);
    lun__node_release(e, sum);
    return s;
}

lun_status lun__array_refuse_logical(lun_engine *e, const lun_array *a)
{
    const lun_dtype t = lun__array_logical(a);
    return lun__fail(e, LUN_EDTYPE, "%s; %s", lun_dtype_name(t), lun__dtype_instead(t));
}

/* LUN_EARG if elements of a are missing. */
static lun_status refuse_gaps(lun_engine *e, const lun_array *a)
{
    int64_t there = 0;
    const int64_t n = lun_size(a);
    lun_status s = lun__array_has_validity(a) && n ? count_there(e, a, &there) : LUN_OK;
    if (s != LUN_OK || !lun__array_has_validity(a) || there == n)
        return s;
    return lun__fail(e, LUN_EARG,
                     "takes no missing elements: %lld of %lld are; use fillna, dropna or cast "
                     "\"f64\"",
                     (long long)(n - there), (long long)n);
}

bool lun__array_some_complex(lun_array *const *all, int count)
{
    bool some = false;
    for (int k = 0; k < count; k++)
        some = some || (all[k] && !lun_is_freed(all[k]) && lun__array_is_complex(all[k]));
    return some;
}

lun_status lun__array_refuse_gaps(lun_engine *e)
{
    return lun__fail(e, LUN_EDTYPE, "no element of a complex array is missing: write a NaN");
}

lun_status lun__array_refuse_missing(lun_engine *e, const lun_array *a)
{
    return lun__array_logical(a) ? lun__array_refuse_logical(e, a) : refuse_gaps(e, a);
}

lun_status lun__array_usable(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK && lun__array_logical(a))
        return lun__array_refuse_logical(e, a);
    return s == LUN_OK ? lun__array_readable(e, a) : s;
}

lun_status lun__array_readable(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK || !lun__array_has_parts(a))
        return s;
    if (lun__array_is_coded(a))
        return lun__array_refuse_logical(e, a);
    return !lun__array_has_validity(a) || lun__dtype_is_float(lun__array_stored_dtype(a))
               ? LUN_OK
               : refuse_gaps(e, a);
}

lun_status lun__array_constant(lun_engine *e, lun_dtype t, lun_value v, lun_node **out)
{
    lun_status s = lun__fail_check_value(e, v);
    if (s != LUN_OK)
        return s;
    if (!lun__dtype_value_fits(t, v)) {
        char text[LUN_NUMBER_TEXT];
        if (lun__dtype_value_is_float(v))
            return lun__fail(e, LUN_ERANGE, "number %s does not fit into dtype %s",
                             lun__strbuf_number(v.as.d, text), lun_dtype_name(t));
        if (lun__dtype_value_is_bool(v))
            return lun__fail(e, LUN_EDTYPE, "a boolean does not fit into dtype %s",
                             lun_dtype_name(t));
        return lun__fail(e, LUN_ERANGE, "number %lld does not fit into dtype %s", (long long)v.as.i,
                         lun_dtype_name(t));
    }
    return lun__node_number(e, t, lun__dtype_cell_from_value(t, v), 0, NULL, out);
}

/* The node of a, a window of an expression: kept, so that it is computed once. */
static lun_status window_node(lun_engine *e, lun_array *a, lun_node *whole, lun_node **out)
{
    if (!a->node) {
        lun_status s = lun__view(e, whole, &a->at, &a->node);
        if (s != LUN_OK)
            return s;
        a->born = e->looks;
    }
    lun__array_used(e, a);
    *out = lun__node_retain(a->node);
    return LUN_OK;
}

lun_status lun__array_node(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out)
{
    lun_status s = lun__array_usable(e, a);
    return s == LUN_OK ? lun__array_slots(e, a, t, out) : s;
}

lun_status lun__array_slots(lun_engine *e, lun_array *a, lun_dtype t, lun_node **out)
{
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    if (a->weak)
        return lun__array_constant(e, t == LUN_DTYPE_COUNT ? a->number.dtype : t, a->number, out);
    const lun_array *top = lun__array_top(a);
    lun__array_used(e, top);
    if (a->parent && !lun__node_ready(top->node))
        return window_node(e, a, top->node, out);
    if (a->parent) { /* it is evaluated, or has another array's elements */
        lun__node_release(e, a->node);
        a->node = NULL;
    }
    if (a->viewed)
        return lun__view(e, top->node, &a->at, out);
    *out = lun__node_retain(a->node);
    return LUN_OK;
}

lun_status lun__array_root(lun_engine *e, lun_array *a, lun_node **out)
{
    lun_status s = ours(e, a);
    if (s != LUN_OK)
        return s;
    if (!measured(a)) {
        *out = lun__node_retain(a->node);
        return LUN_OK;
    }
    bool shown = a->parent && lun__node_ready(a->parent->node);
    lun_array *of = shown ? a->parent : a;
    if (of->parent || !of->viewed)
        return lun__array_slots(e, of, LUN_DTYPE_COUNT, out);
    lun__array_used(e, of);
    *out = lun__node_retain(of->node);
    return LUN_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

lun_engine *lun_engine_of(const lun_array *a)
{
    return a ? a->engine : NULL;
}

bool lun_is_weak(const lun_array *a)
{
    return a && a->weak;
}

static bool is_freed(const lun_array *a)
{
    for (; a; a = a->parent)
        if (a->freed)
            return true;
    return false;
}

bool lun_is_freed(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), false);
    return is_freed(a);
}

static lun_dtype dtype_of(const lun_array *a)
{
    if (is_freed(a))
        return LUN_DTYPE_COUNT;
    return lun__array_logical(a) ? lun__array_logical(a) : lun__array_stored_dtype(a);
}

lun_dtype lun__array_stored_dtype(const lun_array *a)
{
    return a->weak ? a->number.dtype : (lun_dtype)lun__array_top(a)->node->dtype;
}

bool lun_is_logical(const lun_array *a)
{
    return a && lun__array_logical(a);
}

bool lun__array_some_logical(lun_array *const *all, int count)
{
    for (int k = 0; k < count; k++)
        if (all[k] && !lun_is_freed(all[k]) && lun__array_logical(all[k]))
            return true;
    return false;
}

lun_dtype lun_dtype_of(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), LUN_DTYPE_COUNT);
    return dtype_of(a);
}

bool lun_is_measured(const lun_array *a)
{
    if (!a)
        return true;
    LUN_NEED_OR(a->engine, false);
    return measured(a);
}

lun_status lun_measure(lun_engine *e, lun_array *a)
{
    LUN_NEED(e, true);
    return lun__array_present(e, a);
}

static int shape_of(const lun_array *a, int64_t shape[LUN_MAX_RANK])
{
    if (a->weak || is_freed(a))
        return 0;
    if (!measured(a) && measure(a) != LUN_OK) {
        shape[0] = -1;
        return 1;
    }
    if (a->viewed) {
        memcpy(shape, a->at.extent, (size_t)a->at.rank * sizeof *shape);
        return a->at.rank;
    }
    lun__node_shape(a->node, shape);
    return a->node->rank;
}

int lun_shape(const lun_array *a, int64_t shape[LUN_MAX_RANK])
{
    LUN_NEED_OR(lun_engine_of(a), 0);
    return shape ? shape_of(a, shape) : 0;
}

int64_t lun_length(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), 0);
    int64_t shape[LUN_MAX_RANK] = {1};
    if (is_freed(a))
        return 0;
    shape_of(a, shape);
    return shape[0];
}

int64_t lun_size(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), 0);
    int64_t shape[LUN_MAX_RANK], n = 1;
    if (is_freed(a))
        return 0;
    int rank = shape_of(a, shape);
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}

lun_class lun_class_of(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), LUN_SCALAR);
    if (a->weak || is_freed(a))
        return LUN_SCALAR;
    if (a->parent)
        return LUN_VIEW;
    if (a->viewed && lun__array_is_complex(a) && a->at.rank == 1 && a->made)
        return LUN_VECTOR; /* of lanes */
    if (a->viewed)
        return a->made || a->node->kind == LUN_NODE_LEAF ? LUN_VIEW : LUN_COMPOSITION;
    if (a->node->rank == 0)
        return LUN_SCALAR;
    if (a->node->kind == LUN_NODE_LEAF || a->made)
        return a->node->rank > 1 ? LUN_VIEW : LUN_VECTOR;
    return LUN_COMPOSITION;
}

bool lun_is_virtual(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), false);
    if (a->weak || is_freed(a))
        return false;
    const lun_node *n = lun__array_top(a)->node;
    return lun__node_is(n, LUN_IS_VIRTUAL) && n->rank > 0;
}

const char *lun_device_of(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), "");
    const lun_array *whole = lun__array_top(a);
    if (whole->node && whole->node->storage)
        return lun__mirror_location(whole->engine, whole->node->storage);
    return lun_backend_name(whole->engine);
}

const char *lun__array_describe(const lun_array *a, char buf[96])
{
    int64_t shape[LUN_MAX_RANK];
    int rank = shape_of(a, shape);
    const char *label = lun__array_label(a);
    size_t at = (size_t)snprintf(buf, 96, "%s%s%s%s[", label ? "'" : "", label ? label : "",
                                 label ? "' " : "", lun_dtype_name(dtype_of(a)));
    for (int i = 0; i < rank && at < 80; i++)
        at += (size_t)snprintf(buf + at, 96 - at, i ? ", %lld" : "%lld", (long long)shape[i]);
    snprintf(buf + (at < 94 ? at : 94), 2, "]");
    return buf;
}

/* ---- over the graph -------------------------------------------------------------------------- */

static bool count_waiting(void *count, lun_node *n, const lun_node *user)
{
    (void)user;
    *(int64_t *)count += !lun__node_ready(n) && !lun__node_is(n, LUN_IS_SOURCE) &&
                         n->kind != LUN_NODE_RESHAPE && lun__node_works(n);
    return true;
}

int64_t lun_pending(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), 0);
    if (a->weak || is_freed(a))
        return 0;
    const lun_array *top = lun__array_top(a);
    bool by_itself = a->node && !lun__node_ready(top->node);
    int64_t count = 0;
    lun__walk(++a->engine->walk, by_itself ? a->node : top->node,
              &(lun_visitor){LUN_WALK_MARK, NULL, count_waiting, &count});
    return count;
}
