/* reach.c - what the rounds of a loop reach of arrays, as far as that is known from its function
 * without running it: elements whose indices are a loop's variable times a number, plus a number.
 * Knows no rank. */
#include <stdlib.h>
#include <string.h>

#include "api/spmd/wanted.h"
#include "base/sized.h"
#include "ir/affine.h"

/* Numbers that a function captures besides for each array whose gathers are known. */
enum { MOST_GATHERS = 16 };
static const int64_t MOST = INT64_C(1) << 60; /* of what is added to an index */

/* The body's values, and what has been found. */
typedef struct reaching {
    const lun_boxed *b;
    lun_ir_affine *values; /* by instruction of the body */
    int spare;             /* numbers that the function may still capture */
    lun_reach *list;
    int length;
} reaching;

static void add(reaching *r, const lun_front_window *w, bool assigned)
{
    const int k = lun__boxed_number(r->b->loop, w->array);
    if (k < 0)
        return;
    lun_reach *x = &r->list[r->length++];
    *x = (lun_reach){.size = sizeof *x, .array = k, .assigned = assigned};
    for (int d = 0; d < LUN_MAX_RANK; d++) {
        x->param[d] = w->at[d].param;
        x->factor[d] = w->at[d].param >= 0;
        x->shift[d] = w->at[d].shift;
    }
}

/* ---- gathers whose indices are known --------------------------------------------------------- */

/* The least and the most of what v's term of parameter p comes to in the whole loop; false: they
 * are too large to tell. */
static bool ends(const reaching *r, int64_t factor, int p, int64_t *low, int64_t *high)
{
    int64_t first = r->b->whole.first[p], last;
    if (__builtin_add_overflow(first, r->b->whole.at.extent[p] - 1, &last) ||
        __builtin_mul_overflow(first, factor, low) || __builtin_mul_overflow(last, factor, high))
        return false;
    if (factor < 0) {
        const int64_t other = *low;
        *low = *high;
        *high = other;
    }
    return true;
}

/* The axis that a parameter's factor counts, and how far: the one with the nearest stride. */
static bool take_factor(int64_t factor, int rank, const int64_t *stride, int *axis, int64_t *by)
{
    for (int d = 0; d < rank; d++)
        if (stride[d] && factor % stride[d] == 0) {
            *axis = d;
            *by = factor / stride[d];
            return true;
        }
    return false;
}

/* floor(a / b), b > 0 */
static int64_t floored(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The indices along each axis of a place, from its row-major number: no other ones lie within the
 * array in all rounds of the loop. */
static bool split(const reaching *r, const lun_ir_affine *v, int rank, const int64_t *shape,
                  lun_reach *x)
{
    int64_t stride[LUN_MAX_RANK], low[LUN_MAX_RANK] = {0}, high[LUN_MAX_RANK] = {0};
    int64_t rest = v->shift, least = 0;
    stride[rank - 1] = 1;
    for (int d = rank - 1; d > 0; d--)
        stride[d - 1] = stride[d] * shape[d];
    for (int p = 0; p < r->b->whole.rank; p++) {
        int d;
        int64_t by;
        if (!v->factor[p])
            continue;
        if (!take_factor(v->factor[p], rank, stride, &d, &by) || x->factor[d] ||
            !ends(r, by, p, &low[d], &high[d]))
            return false;
        x->param[d] = p;
        x->factor[d] = by;
    }
    for (int d = 1; d < rank; d++) {
        int64_t part;
        if (__builtin_mul_overflow(low[d], stride[d], &part) ||
            __builtin_add_overflow(least, part, &least))
            return false;
    }
    for (int d = 0; d < rank; d++) {
        int64_t sum;
        if (__builtin_add_overflow(rest, least, &sum) || !stride[d])
            return false;
        const int64_t at = floored(sum, stride[d]);
        x->shift[d] = at + 1;
        rest -= at * stride[d];
        least -= d + 1 < rank ? low[d + 1] * stride[d + 1] : 0;
        if (low[d] < -at || high[d] > shape[d] - 1 - at)
            return false;
    }
    return true;
}

/* What a gather at that place of a stand-in reaches.  Of one axis rounds that do not come to it may
 * have indices beyond its ends. */
static bool reach(const reaching *r, const lun_ir_affine *v, const lun_array *of, lun_reach *x)
{
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(of, shape);
    if (!v->known || r->b->whole.empty)
        return false;
    for (int d = 0; d < LUN_MAX_RANK; d++)
        x->param[d] = -1;
    if (rank > 1)
        return split(r, v, rank, shape, x);
    for (int p = 0; p < r->b->whole.rank; p++) {
        if (v->factor[p] && x->factor[0])
            return false;
        x->param[0] = v->factor[p] ? p : x->param[0];
        x->factor[0] += v->factor[p];
    }
    int64_t low = 0, high = 0;
    if (v->shift < -MOST || v->shift > MOST ||
        (x->factor[0] && !ends(r, x->factor[0], x->param[0], &low, &high)))
        return false;
    x->shift[0] = v->shift + 1;
    return low > -MOST && high < MOST;
}

/* Adds the gathers from slot k, if all are known and count the same axes alike. */
static bool add_gathers(reaching *r, int k)
{
    const lun_ir *body = r->b->r.function->body;
    const int before = r->length;
    int params = 0;
    bool well = true;
    for (int i = 0; well && i < body->count; i++) {
        if (body->ins[i].kind != LUN_IR_GATHER || body->ins[i].imm != k)
            continue;
        lun_reach *x = &r->list[r->length], *first = &r->list[before];
        *x = (lun_reach){.size = sizeof *x,
                         .array = lun__boxed_number(r->b->loop, r->b->r.array[k]),
                         .computed = true};
        well = r->length - before < MOST_GATHERS && r->length < LUN_MAX_REACHES - LUN_MAX_OUTPUTS &&
               reach(r, &r->values[body->ins[i].a], r->b->r.array[k], x) &&
               !memcmp(x->param, first->param, sizeof x->param) &&
               !memcmp(x->factor, first->factor, sizeof x->factor);
        r->length++;
    }
    for (int d = 0; well && d < LUN_MAX_RANK; d++)
        params += r->length > before && r->list[before].factor[d] != 0;
    well &= r->length - before + params <= r->spare;
    if (well)
        r->spare -= r->length - before + params;
    else
        r->length = before;
    return well;
}

/* What each value of the body is, as the function is called now. */
static lun_status find_values(lun_engine *e, reaching *r)
{
    const lun_boxed *b = r->b;
    const lun_ir *body = b->r.function->body;
    const int from = b->box.rank + b->r.window_count;
    bool known[LUN_FRONT_SCALARS + LUN_FRONT_WINDOWS + LUN_MAX_RANK] = {false};
    int64_t value[LUN_FRONT_SCALARS + LUN_FRONT_WINDOWS + LUN_MAX_RANK];
    for (int k = 0; k < b->r.scalars; k++) {
        known[from + k] = true;
        value[from + k] = (int64_t)lun__dtype_cell_from_value(b->r.scalar_dtype[k], b->r.scalar[k]);
    }
    r->values = malloc(((size_t)body->count + 1) * sizeof *r->values);
    if (!r->values)
        return lun__fail_nomem(e);
    lun__ir_affine(body, &(lun_ir_given){b->box.rank, known, value}, r->values);
    return LUN_OK;
}

lun_status lun__reach_of_slot(lun_engine *e, const lun_boxed *b, int k, lun_reach *list,
                              int *length)
{
    reaching r = {.b = b, .spare = LUN_FRONT_SCALARS, .list = list};
    const lun_status s = find_values(e, &r);
    if (s == LUN_OK)
        (void)add_gathers(&r, k);
    free(r.values);
    *length = r.length;
    return s;
}

/* How it reads each stand-in at computed indices. */
static lun_status find_computed(lun_engine *e, reaching *r, lun_computed *computed)
{
    const lun_boxed *b = r->b;
    lun_search found;
    lun_status s = lun__wanted_search(e, b, NULL, 0, NULL, &found);
    for (int k = 0; k < b->loop->count; k++)
        computed[k] = LUN_COMPUTED_NONE;
    if (s == LUN_OK)
        s = find_values(e, r);
    for (int k = 0; s == LUN_OK && k < b->r.arrays; k++) {
        if (!found.of[k].apart)
            continue;
        lun_computed *of = &computed[lun__boxed_number(b->loop, b->r.array[k])];
        *of = found.of[k].known   ? LUN_COMPUTED_ALL
              : add_gathers(r, k) ? LUN_COMPUTED_BOX
                                  : LUN_COMPUTED_SOME;
    }
    lun__ir_free(&found.body);
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

lun_status lun_loop_reach(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                          lun_reach *list, int *length, lun_computed *computed)
{
    LUN_NEED(e,
             LUN_HAS(loop, count) && LUN_HAS(list, shift) && length && (computed || !loop->count));
    lun_boxed b;
    lun_reach own[LUN_MAX_REACHES];
    reaching r = {.b = &b, .list = own};
    *length = 0;
    lun_status s = lun__boxed_open(e, f, loop, &b);
    if (s != LUN_OK)
        return s;
    r.spare = LUN_FRONT_SCALARS - b.r.scalars;
    for (int k = 0; k < b.r.window_count; k++)
        add(&r, &b.r.windows[k], false);
    s = find_computed(e, &r, computed);
    for (int k = 0; k < b.r.store_count; k++)
        if (!b.r.stores[k].scattered)
            add(&r, &b.r.stores[k].to, true);
    lun__sized_give_list(list, own, r.length, sizeof *own);
    *length = r.length;
    free(r.values);
    lun__boxed_close(&b);
    return s;
}
