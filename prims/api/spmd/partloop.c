/* partloop.c - the rounds of a loop on parts of arrays: run, and what they assign noted, since some
 * of it belongs elsewhere.  Knows no rank. */
#include <stdio.h>
#include <stdlib.h>

#include "api/loop/assign.h"
#include "api/spmd/wanted.h"
#include "base/sized.h"
#include "ir/remap_gathers.h"

/* ---- elements at computed indices ------------------------------------------------------------ */

/* The body on what there is of arrays, as its function owns it. */
typedef struct on_parts {
    lun_ir_function f;
    lun_ir body;
} on_parts;

static void release(void *ctx)
{
    on_parts *x = ctx;
    lun__ir_free(&x->body);
    free(x);
}

/* Which of the loop's variables the places in a box are counted by. */
static void set_params(const lun_reach *x, lun_ir_fetched *of)
{
    for (int d = 0; d < LUN_MAX_RANK; d++)
        if (x->factor[d])
            of->param[of->params++] = x->param[d];
}

/* Whether the body of b gathers from parts: then of[] tells, by slot, how they have elements. */
static lun_status find_parts(lun_engine *e, const lun_boxed *b, const lun_part *parts, int count,
                             lun_ir_fetched *of, bool *any)
{
    lun_reach list[LUN_MAX_REACHES];
    lun_status s = LUN_OK;
    *any = false;
    for (int k = 0; s == LUN_OK && k < b->r.arrays; k++) {
        const int number = lun__boxed_number(b->loop, b->r.array[k]);
        const lun_part *x = number < 0 ? NULL : lun__boxed_computed(parts, count, number);
        of[k] = (lun_ir_fetched){.how = !x           ? LUN_HAS_ALL
                                        : x->step[0] ? LUN_HAS_BOX
                                        : x->words   ? LUN_HAS_BITMAP
                                                     : LUN_HAS_RANGE};
        *any |= x != NULL;
        int length = 0;
        if (of[k].how != LUN_HAS_BOX)
            continue;
        s = lun__reach_of_slot(e, b, k, list, &length);
        if (s == LUN_OK && !length)
            s = lun__fail(e, LUN_EARG, "a box of elements at indices that are not known");
        if (s == LUN_OK)
            set_params(&list[0], &of[k]);
    }
    return s;
}

static lun_status add_number(lun_engine *e, lun_front_result *r, int64_t x)
{
    if (r->scalars == LUN_FRONT_SCALARS)
        return lun__fail(e, LUN_ELIMIT, "the function captures too much");
    r->scalar_dtype[r->scalars] = LUN_I64;
    r->scalar[r->scalars++] = (lun_value){LUN_I64, {.i = x}};
    return LUN_OK;
}

/* The numbers by which the gathers from slot k find elements in box x: how far one more of each
 * param leads, then where each gather begins. */
static lun_status capture_box(lun_engine *e, lun_boxed *b, int k, const lun_part *x)
{
    lun_reach list[LUN_MAX_REACHES];
    int64_t shape[LUN_MAX_RANK], stride[LUN_MAX_RANK];
    const int rank = lun_shape(b->r.array[k], shape);
    int length;
    lun_status s = lun__reach_of_slot(e, b, k, list, &length);
    stride[rank - 1] = 1;
    for (int d = rank - 1; d > 0; d--)
        stride[d - 1] = stride[d] * x->count[d];
    for (int d = 0; s == LUN_OK && d < rank; d++)
        if (list[0].factor[d])
            s = add_number(e, &b->r, list[0].factor[d] / x->step[d] * stride[d]);
    for (int i = 0; s == LUN_OK && i < length; i++) {
        int64_t at = 0;
        for (int d = 0; d < rank; d++)
            at += (list[i].shift[d] - 1 - x->first[d]) / x->step[d] * stride[d];
        s = add_number(e, &b->r, at);
    }
    return s;
}

/* b's function captures what there is of them. */
static lun_status capture(lun_engine *e, lun_boxed *b, const lun_part *parts, int count,
                          const lun_ir_fetched *of)
{
    lun_front_result *r = &b->r;
    lun_status s = LUN_OK;
    for (int k = 0, n = r->arrays; s == LUN_OK && k < n; k++) {
        if (of[k].how == LUN_HAS_ALL)
            continue;
        const lun_part *x =
            lun__boxed_computed(parts, count, lun__boxed_number(b->loop, r->array[k]));
        if (of[k].how == LUN_HAS_BITMAP) {
            if (r->arrays == LUN_FRONT_ARRAYS)
                return lun__fail(e, LUN_ELIMIT, "the function captures too much");
            r->array[r->arrays++] = x->words;
        } else {
            s = of[k].how == LUN_HAS_BOX ? capture_box(e, b, k, x) : add_number(e, r, x->from);
        }
    }
    for (int k = 0; s == LUN_OK && k < b->r.arrays; k++) { /* the stand-ins have been looked at */
        const int number = lun__boxed_number(b->loop, r->array[k]);
        if (number >= 0 && lun__boxed_computed(parts, count, number))
            r->array[k] = lun__boxed_computed(parts, count, number)->elements;
    }
    return s;
}

static lun_status make_body(lun_engine *e, const lun_ir_function *f, lun_ir_fetched *of,
                            on_parts *x)
{
    int32_t *map = malloc(((size_t)f->body->count + 1) * sizeof *map);
    lun__ir_init(&x->body);
    lun_status s = map ? lun__remap_fetch(f->body, of, &x->body, map) : LUN_ENOMEM;
    if (s == LUN_OK) {
        x->f = *f;
        x->f.body = &x->body;
        x->f.types = NULL;
        x->f.used_by = NULL;
        for (int k = 0; k < f->outputs; k++)
            x->f.output[k] = map[f->output[k]];
        lun__function_ref_number(e, &x->f);
    }
    free(map);
    return s == LUN_OK ? LUN_OK : lun__fail_nomem(e);
}

/* b->r on parts; *out: its function then, a reference. */
static lun_status on_these(lun_engine *e, lun_function *f, lun_boxed *b, const lun_part *parts,
                           int count, lun_function **out)
{
    lun_ir_fetched of[LUN_FRONT_ARRAYS];
    bool any = false;
    lun_status s = lun__boxed_windows(e, b, parts, count);
    *out = f;
    lun_function_retain(f);
    if (s == LUN_OK)
        s = find_parts(e, b, parts, count, of, &any);
    if (s != LUN_OK || !any)
        return s;
    on_parts *x = calloc(1, sizeof *x);
    if (!x)
        return lun__fail_nomem(e);
    const lun_front front = {.ctx = x, .release = release};
    lun_function *made = NULL;
    s = make_body(e, b->r.function, of, x);
    if (s == LUN_OK)
        s = capture(e, b, parts, count, of);
    if (s == LUN_OK)
        s = lun__make_function(e, LUN_OP_COUNT, NULL, &front, &made);
    if (s != LUN_OK) {
        release(x);
        return s;
    }
    b->r.function = &x->f;
    lun_function_release(f);
    *out = made;
    return LUN_OK;
}

/* ---- what is assigned ------------------------------------------------------------------------ */

/* Where the elements stand in value that its rounds assign, and which elements they are. */
static void reach(const lun_boxed *b, const lun_front_window *w, const lun_array *value,
                  lun_logged *x, lun_layout *at)
{
    int64_t shape[LUN_MAX_RANK];
    lun_layout from;
    lun__array_layout(value, &from);
    *at = (lun_layout){.rank = lun_shape(w->array, shape), .offset = from.offset};
    for (int d = 0; d < at->rank; d++) {
        const int p = w->at[d].param;
        int64_t low = w->at[d].shift - 1, high;
        if (p >= 0 && __builtin_add_overflow(low, b->box.first[p], &low))
            low = INT64_MAX / 2; /* beyond any array */
        const int64_t skip = low < 0 ? -low : 0;
        if (__builtin_add_overflow(low, p < 0 ? 1 : b->box.at.extent[p], &high) || high > shape[d])
            high = shape[d];
        x->first[d] = low + skip;
        x->count[d] = b->box.empty || high < low + skip ? 0 : high - low - skip;
        at->extent[d] = x->count[d];
        at->stride[d] = p < 0 ? 0 : from.stride[p];
        at->offset += p < 0 || !x->count[d] ? 0 : from.stride[p] * skip;
    }
}

/* The next entry of the list, for a store whose outputs are from values[*output] on. */
static lun_status note(lun_engine *e, const lun_boxed *b, const lun_front_store *to,
                       lun_array *const *values, int *output, lun_logged *x)
{
    lun_array *value = NULL;
    lun_layout at;
    *x = (lun_logged){.size = sizeof *x,
                      .array = lun__boxed_number(b->loop, to->to.array),
                      .boxed = !to->scattered};
    lun_status s = LUN_OK;
    if (to->scattered) {
        x->how = (int)to->how;
        x->behind = to->behind;
        if (to->note >= 0) /* a longer one is cut */
            snprintf(x->note, sizeof x->note, "%s", b->r.notes[to->note]);
        s = lun_cast(e, values[(*output)++], LUN_I64, &x->places);
    }
    if (s == LUN_OK)
        s = lun__assign_cast(e, to, values[(*output)++], &value);
    if (s == LUN_OK)
        s = lun_eval(e, x->places ? (lun_array *[]){x->places, value} : &value, x->places ? 2 : 1);
    if (s == LUN_OK && to->scattered) {
        x->values = value;
        return LUN_OK;
    }
    if (s == LUN_OK) {
        reach(b, &to->to, value, x, &at);
        s = lun__array_window(e, value, &at, &x->values);
    }
    lun_release(value);
    return s;
}

static lun_status note_all(lun_engine *e, const lun_boxed *b, lun_array **values, int results,
                           lun_logged *list, int *length)
{
    lun_front_store own[LUN_MAX_OUTPUTS];
    lun_array *theirs[LUN_MAX_OUTPUTS];
    lun_front_result rest = b->r;
    int further = 0;
    rest.stores = own;
    rest.store_count = 0;
    lun_status s = lun__assign_numbers(e, &b->box, &b->r, values);
    if (s == LUN_OK)
        s = lun_eval(e, values, results); /* by one kernel */
    for (int k = 0, output = 0; s == LUN_OK && k < b->r.store_count; k++) {
        const lun_front_store *to = &b->r.stores[k];
        if (lun__boxed_number(b->loop, to->to.array) >= 0) {
            s = note(e, b, to, values, &output, &list[(*length)++]);
            continue;
        }
        own[rest.store_count++] = *to; /* an array that is here alone */
        if (to->scattered)
            theirs[further++] = values[output++];
        theirs[further++] = values[output++];
    }
    return s == LUN_OK && further ? lun__assign(e, &b->box, &rest, theirs) : s;
}

void lun_logged_release(lun_logged *list, int length)
{
    for (int k = 0; k < length && LUN_HAS(list, values); k++) {
        const lun_logged *x = (const lun_logged *)((const char *)list + (size_t)k * list->size);
        lun_release(x->places);
        lun_release(x->values);
    }
}

lun_status lun_loop_run(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                        const lun_part *given, int count, lun_logged *list, int *length)
{
    LUN_NEED(e, LUN_HAS(loop, count) && (!count || LUN_HAS(given, words)) && count >= 0 &&
                    LUN_HAS(list, values) && length);
    lun_logged own[LUN_MAX_OUTPUTS];
    lun_array *values[LUN_MAX_OUTPUTS];
    lun_function *on = NULL;
    lun_boxed b;
    int results = 0, logged = 0;
    *length = 0;
    lun_part *parts = lun__sized_take_list(given, count, sizeof *parts);
    lun_status s = parts ? lun__boxed_open(e, f, loop, &b) : lun__fail_nomem(e);
    if (s != LUN_OK) {
        free(parts);
        return s;
    }
    s = on_these(e, f, &b, parts, count, &on);
    if (s == LUN_OK)
        s = lun__generate_box_apply(e, on, &b.box, b.index, &b.r, values, LUN_MAX_OUTPUTS,
                                    &results);
    if (s != LUN_OK)
        results = 0;
    if (s == LUN_OK)
        s = note_all(e, &b, values, results, own, &logged);
    if (s == LUN_OK) {
        lun__sized_give_list(list, own, logged, sizeof *own);
        *length = logged;
    } else {
        lun_logged_release(own, logged);
    }
    for (int k = 0; k < results; k++)
        lun_release(values[k]);
    lun_function_release(on);
    lun__boxed_close(&b);
    free(parts);
    return s;
}
