/* assign.c - the values of a loop's rounds stored into elements of arrays; see assign.h.  Knows of
 * a function only its front end's result. */
#include "api/loop/assign.h"

#include <stdlib.h>
#include <string.h>

#include "api/array/elements.h"
#include "api/write/owner_scatter.h"
#include "api/write/scatter.h"
#include "launch/trap.h"
#include "lunarray_bind.h"

/* The part of b whose stores are within the array: first[] and count[] along its axes, and the
 * layout of the elements that it stores to. */
static void store_range(const lun_box *b, const lun_front_window *w, int64_t *first, int64_t *count,
                        lun_layout *to)
{
    lun_layout at;
    bool none = b->empty;
    lun__array_layout(w->array, &at);
    *to = (lun_layout){.rank = b->rank, .offset = at.offset};
    for (int k = 0; k < at.rank; k++) {
        int p = w->at[k].param;
        int64_t low = w->at[k].shift - 1, extent = p < 0 ? 1 : b->at.extent[p], high;
        if (p >= 0 && __builtin_add_overflow(low, b->first[p], &low))
            low = INT64_MIN / 2; /* outside every array */
        int64_t skip = low < 0 ? -low : 0;
        if (__builtin_add_overflow(low, extent, &high) || high > at.extent[k])
            high = at.extent[k];
        none |= high <= low + skip;
        if (none)
            break;
        to->offset += at.stride[k] * (low + skip);
        if (p < 0)
            continue;
        first[p] = skip;
        count[p] = high - low - skip;
        to->stride[p] = at.stride[k];
    }
    for (int p = 0; none && p < b->rank; p++)
        first[p] = count[p] = 0;
    memcpy(to->extent, count, (size_t)b->rank * sizeof *count);
}

static bool is_all(const lun_array *a, const lun_layout *l)
{
    lun_layout own;
    size_t n = (size_t)l->rank * sizeof *l->extent;
    lun__array_layout(a, &own);
    return own.rank == l->rank && own.offset == l->offset && !memcmp(own.extent, l->extent, n) &&
           !memcmp(own.stride, l->stride, n);
}

/* The assignment to one array. A scattered store goes to owners at locations, or to the elements
 * themselves, or, where it may fail or they are strided, to a copy that then replaces them. */
typedef struct assignment {
    const lun_front_store *store;
    lun_array *target, *part; /* direct: a window, and its new elements */
    lun_array *index, *value;
    lun_owner_scatter *owners;
    lun_target to;
    lun_scatter scatter;
    void *copy, *indices, *values; /* owned */
    bool joins;                    /* the copy is another assignment's, to the same array */
} assignment;

/* A window of the store's array, and its new elements: the part of value that is within. */
static lun_status direct(lun_engine *e, const lun_box *b, lun_array *value, assignment *a)
{
    int64_t first[LUN_MAX_RANK] = {0}, count[LUN_MAX_RANK] = {0};
    const lun_front_window *w = &a->store->to;
    lun_layout to;
    lun_status s = LUN_OK;
    store_range(b, w, first, count, &to);
    lun_retain(a->value = value);
    if (is_all(w->array, &to)) /* it takes the memory of value */
        lun_retain(a->target = w->array);
    else
        s = lun__array_window(e, w->array, &to, &a->target);
    if (s == LUN_OK)
        s = lun_window(e, value, b->rank, first, count, NULL, &a->part);
    return s == LUN_OK ? lun_storable(e, a->target, a->part) : s;
}

lun_status lun__assign_cast(lun_engine *e, const lun_front_store *to, lun_array *value,
                            lun_array **out)
{
    if (to->how == LUN_COMBINING_NONE)
        return lun_cast(e, value, lun_dtype_of(to->to.array), out);
    lun_dtype t = lun_dtype_of(value);
    return lun_cast(e, value, lun__dtype_is_integer(t) ? LUN_I64 : t, out);
}

/* Indices and values in the dtypes in which they are scattered. */
static lun_status scattered(lun_engine *e, lun_array *index, lun_array *value, assignment *a)
{
    lun_array *to = a->store->to.array;
    LUN_NO_MISSING(e, to);
    lun_status s = lun__write_check(e, to);
    if (s == LUN_OK)
        s = lun_cast(e, index, LUN_I64, &a->index);
    return s == LUN_OK ? lun__assign_cast(e, a->store, value, &a->value) : s;
}

static bool is_number(lun_array *a)
{
    return lun__array_top(a)->node->kind == LUN_NODE_NUMBER;
}

/* a's elements, evaluated, densely; of a number `n` copies of it; *owned: memory for them, if they
 * need any. */
static lun_status elements(lun_engine *e, lun_array *a, int64_t n, void **owned, const void **out)
{
    if (!is_number(a))
        return lun_data(e, a, out);
    *out = *owned = malloc((size_t)(n * lun__dtype_get(lun_dtype_of(a))->bytes));
    return *owned ? lun_read(e, a, *owned, 0, n) : lun__fail_nomem(e);
}

static lun_status copy_of(lun_engine *e, lun_array *a, void **out)
{
    int64_t n = lun_size(a);
    *out = malloc((size_t)(n * lun__dtype_get(lun_dtype_of(a))->bytes) + 1);
    return *out ? lun_read(e, a, *out, 0, n) : lun__fail_nomem(e);
}

/* The copy of a's array that an earlier assignment has; NULL: none. */
static void *copied(const assignment *all, const assignment *a)
{
    for (const assignment *x = all; x < a; x++)
        if (x->copy && x->store->to.array == a->store->to.array)
            return x->copy;
    return NULL;
}

static lun_status does_not_fit(lun_engine *e, const lun_front_result *r, const assignment *a,
                               int64_t bad)
{
    return lun__trap_fail_note(e, LUN_EBOUNDS, r->notes[a->store->note],
                               &(lun_value){LUN_I64, {.i = bad}});
}

/* The same as ready, on a set of locations; it leaves a->owners NULL if host memory is written. */
static lun_status ready_owners(lun_engine *e, const lun_front_result *r, assignment *a)
{
    lun_array *to = a->store->to.array;
    int64_t bad;
    bool fits = true;
    lun_status s = lun__write_hold(e, to);
    if (s != LUN_OK || a->index->viewed || a->value->viewed)
        return s;
    const lun_scatter how = {.dtype = lun_dtype_of(to),
                             .from = lun_dtype_of(a->value),
                             .count = lun_size(a->index),
                             .how = a->store->how,
                             .behind = a->store->behind,
                             .exact = a->store->note >= 0};
    lun_owner_write what = {.array = lun__array_base(to)->node,
                            .index = a->index->node,
                            .value = a->value->node,
                            .how = &how};
    lun__array_layout(to, &what.at);
    what.at.offset += what.array->offset;
    s = lun__owner_scatter_open(e, &what, &a->owners, &fits, &bad);
    return s == LUN_OK && !fits ? does_not_fit(e, r, a, bad) : s;
}

/* Does all of a scattered store that may fail; no element has changed after it. */
static lun_status ready(lun_engine *e, const lun_front_result *r, const assignment *all,
                        assignment *a)
{
    lun_array *to = a->store->to.array;
    const void *indices = NULL, *values = NULL;
    int64_t n = lun_size(a->index), bad;
    bool exact = a->store->note >= 0;
    lun_status s = e->set_count ? ready_owners(e, r, a) : LUN_OK;
    if (s != LUN_OK || a->owners)
        return s;
    s = elements(e, a->index, n, &a->indices, &indices);
    if (s == LUN_OK)
        s = elements(e, a->value, is_number(a->value) && n > 0 ? 1 : n, &a->values, &values);
    if (s == LUN_OK)
        s = lun__write_target_of(e, to, &a->to);
    if (s == LUN_OK) {
        a->copy = copied(all, a);
        a->joins = a->copy != NULL;
    }
    if (s == LUN_OK && !a->copy && (exact || !a->to.dense))
        s = copy_of(e, to, &a->copy);
    if (s != LUN_OK)
        return s;
    a->scatter = (lun_scatter){.elements = a->copy,
                               .dtype = lun_dtype_of(to),
                               .span = lun_size(to),
                               .index = indices,
                               .values = values,
                               .step = !is_number(a->value),
                               .from = lun_dtype_of(a->value),
                               .count = n,
                               .how = a->store->how,
                               .behind = a->store->behind,
                               .exact = exact};
    if (!a->copy)
        a->scatter.elements = a->to.data + a->to.at.offset * a->to.size;
    else if (lun__scatter(e, &a->scatter, &bad) < n)
        return does_not_fit(e, r, a, bad);
    return LUN_OK;
}

/* Changes the arrays, whole ones before elements of them. */
static lun_status commit(lun_engine *e, assignment *all, int count)
{
    lun_scatter *scatters[LUN_MAX_OUTPUTS];
    int waiting = 0;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < count; k++)
        if (!all[k].store->scattered)
            s = lun_store(e, all[k].target, all[k].part);
    for (int k = 0; s == LUN_OK && k < count; k++) {
        assignment *a = &all[k];
        if (!a->index || a->joins)
            continue;
        if (a->owners)
            s = lun__owner_scatter_write(a->owners, lun__array_base(a->store->to.array)->node);
        else if (a->copy)
            lun__write_target_put(e, &a->to, 0, lun_size(a->store->to.array), a->copy);
        else
            scatters[waiting++] = &a->scatter;
    }
    if (s == LUN_OK)
        lun__scatter_all(e, scatters, waiting);
    return s;
}

static void end_assignment(assignment *a)
{
    if (!a->joins)
        free(a->copy);
    lun__owner_scatter_close(a->owners);
    free(a->indices);
    free(a->values);
    lun_release(a->part);
    lun_release(a->target);
    lun_release(a->index);
    lun_release(a->value);
}

lun_status lun__assign(lun_engine *e, const lun_box *b, const lun_front_result *r,
                       lun_array *const *values)
{
    assignment all[LUN_MAX_OUTPUTS] = {0};
    lun_array *todo[LUN_MAX_OUTPUTS] = {NULL};
    int n = r->store_count, output = 0, wanted = 0;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < n; k++) {
        assignment *a = &all[k];
        a->store = &r->stores[k];
        s = a->store->scattered ? scattered(e, values[output], values[output + 1], a)
                                : direct(e, b, values[output], a);
        output += s == LUN_OK && a->index;
        if (s == LUN_OK && a->index)
            todo[wanted++] = a->index;
        output += s == LUN_OK;
        if (s == LUN_OK && !(a->index && is_number(a->value)))
            todo[wanted++] = a->value;
    }
    if (s == LUN_OK)
        s = lun_eval(e, todo, wanted);
    for (int k = 0; s == LUN_OK && k < n; k++)
        if (all[k].index)
            s = ready(e, r, all, &all[k]);
    if (s == LUN_OK)
        s = commit(e, all, n);
    for (int k = 0; k < n; k++)
        end_assignment(&all[k]);
    return s;
}

lun_status lun__assign_numbers(lun_engine *e, const lun_box *b, const lun_front_result *r,
                               lun_array **values)
{
    lun_status s = LUN_OK;
    for (int k = 0, output = 0; s == LUN_OK && k < r->store_count; k++) {
        output += r->stores[k].scattered;
        const lun_ir_ins *ins = &r->function->body->ins[r->function->output[output]];
        if (r->stores[k].scattered && ins->kind == LUN_IR_CONST) {
            const lun_dtype t = (lun_dtype)ins->dtype;
            const lun_value x = lun__dtype_cell_to_value(t, (uint64_t)ins->imm);
            lun_array *number;
            s = lun_full(e, b->rank, b->at.extent, t, x, &number);
            if (s == LUN_OK) {
                lun_release(values[output]);
                values[output] = number;
            }
        }
        output++;
    }
    return s;
}
