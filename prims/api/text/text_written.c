/* text_written.c - elements of any dtype to texts, by a function that writes one. Where elements
 * repeat, those of dtypes in which equal ones are alike are written once and stand under their
 * codes, others are written each and their texts looked up; where they do not repeat, all are
 * written, one behind the other. */
#include <stdlib.h>
#include <string.h>

#include "api/calc/calc.h"
#include "api/text/text_array.h"

enum {
    SAMPLE = 60000,   /* elements by which it is decided whether they repeat */
    TASK = 4096,      /* elements that one task writes */
    PIECE = 64 * TASK /* elements written before their texts go into the pool */
};

/* Elements being written, of which task k writes those from k * TASK on. */
typedef struct writing {
    const lun__text_writer *by;
    const char *x;
    int64_t count;
    int32_t *length;
    lun_strbuf *to; /* of each task */
} writing;

static void write_task(void *of, int64_t k)
{
    const writing *w = of;
    lun_strbuf *to = &w->to[k];
    const int64_t end = (k + 1) * TASK < w->count ? (k + 1) * TASK : w->count;
    lun__strbuf_clear(to);
    for (int64_t i = k * TASK; i < end && !to->failed; i++) {
        const size_t before = to->length;
        w->by->write(w->by, w->x + i * w->by->size, to);
        w->length[i] = (int32_t)(to->length - before);
    }
}

/* The texts of a piece into the pool; code: NULL: each is a value of its own. */
static lun_status pool_piece(lun_engine *e, const writing *w, lun_text_pool *pool, uint32_t *code)
{
    const char *at = NULL;
    lun_status s = LUN_OK;
    for (int64_t i = 0; s == LUN_OK && i < w->count; i++) {
        if (i % TASK == 0) {
            if (w->to[i / TASK].failed)
                return lun__fail_nomem(e);
            at = lun__strbuf_text(&w->to[i / TASK]);
        }
        s = code ? lun__text_pool_add(e, pool, at, w->length[i], &code[i])
                 : lun__text_pool_append(e, pool, at, w->length[i]);
        at += w->length[i];
    }
    return s;
}

/* The texts of the elements of an array into the pool. */
static lun_status pool_all(lun_engine *e, lun_array *a, writing *w, lun_text_pool *pool,
                           uint32_t *code)
{
    const int64_t n = lun_size(a);
    char *x = malloc(PIECE * (size_t)w->by->size);
    w->x = x;
    w->length = malloc(PIECE * sizeof *w->length);
    w->to = calloc(PIECE / TASK, sizeof *w->to);
    lun_status s = x && w->length && w->to ? LUN_OK : lun__fail_nomem(e);
    for (int64_t at = 0; s == LUN_OK && at < n; at += PIECE) {
        w->count = n - at < PIECE ? n - at : PIECE;
        s = lun_read(e, a, x, at, w->count);
        if (s != LUN_OK)
            break;
        lun_host_share(e, (w->count + TASK - 1) / TASK, w, write_task);
        s = pool_piece(e, w, pool, code ? code + at : NULL);
        if (s == LUN_OK)
            s = lun_host_check(e);
    }
    for (int k = 0; w->to && k < PIECE / TASK; k++)
        lun__strbuf_free(&w->to[k]);
    free(w->to);
    free(w->length);
    free(x);
    return s;
}

/* The texts of elements, each of which has its own. */
static lun_status texts_each(lun_engine *e, lun_array *x, writing *w, lun_array **out)
{
    lun_text_pool *pool = NULL;
    lun_array *codes = NULL, *codes32 = NULL;
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    lun_status s = lun__text_pool_new(e, &pool);
    if (s == LUN_OK)
        s = pool_all(e, x, w, pool, NULL);
    if (s == LUN_OK)
        s = lun_range(e, one, one, lun_size(x), LUN_I64, &codes);
    if (s == LUN_OK)
        s = lun_cast(e, codes, LUN_U32, &codes32);
    if (s == LUN_OK)
        s = lun__text_array(e, codes32, NULL, pool, out);
    lun_release(codes);
    lun_release(codes32);
    lun__text_pool_release(pool);
    return s;
}

/* The codes in the dtype that is wide enough. */
static void narrow(uint32_t *code, int64_t n, int size)
{
    char *to = (char *)code;
    for (int64_t i = 0; size < (int)sizeof *code && i < n; i++) {
        const uint32_t one = code[i];
        memcpy(to + i * size, &one, (size_t)size);
    }
}

/* The texts of elements, under one code where they are the same. */
static lun_status texts_of(lun_engine *e, lun_array *x, writing *w, lun_array **out)
{
    const int64_t n = lun_size(x);
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(x, shape);
    lun_text_pool *pool = NULL;
    lun_array *codes = NULL, *shaped = NULL;
    uint32_t *code =
        (uint64_t)n < SIZE_MAX / sizeof *code ? malloc((size_t)(n + 1) * sizeof *code) : NULL;
    lun_status s = code ? lun__text_pool_new(e, &pool) : lun__fail_nomem(e);
    if (s == LUN_OK)
        s = pool_all(e, x, w, pool, code);
    const lun_dtype t = lun__text_array_codes(lun__text_pool_count(pool));
    if (s == LUN_OK) {
        narrow(code, n, lun_dtype_size(t));
        s = lun_vector(e, code, n, t, &codes);
    }
    if (s == LUN_OK)
        s = lun_reshape(e, codes, rank, shape, &shaped);
    if (s == LUN_OK)
        s = lun__text_array(e, shaped, NULL, pool, out);
    free(code);
    lun_release(codes);
    lun_release(shaped);
    lun__text_pool_release(pool);
    return s;
}

/* Whether more than half of the first elements of a Vector are different; true of few. */
static lun_status seldom_repeats(lun_engine *e, lun_array *slots, bool *out)
{
    const int64_t n = lun_size(slots), some = n < SAMPLE ? n : SAMPLE;
    lun_array *first = NULL, *values = NULL, *counts = NULL;
    int64_t shape[LUN_MAX_RANK];
    *out = false;
    if (lun_shape(slots, shape) != 1 || n < SAMPLE)
        return LUN_OK;
    lun_status s = lun_slice(e, slots, 0, some, 1, &first);
    if (s == LUN_OK)
        s = lun_unique(e, first, &values, &counts);
    if (s == LUN_OK)
        s = lun_eval(e, &values, 1);
    *out = s == LUN_OK && lun_size(values) > some / 2;
    lun_release(first);
    lun_release(values);
    lun_release(counts);
    return s;
}

/* The texts of elements that repeat. */
static lun_array *texts_by_level(lun__calc *c, lun_array *slots, writing *w)
{
    lun_array *values = NULL, *counts = NULL, *at = NULL, *texts = NULL, *x = NULL;
    lun_status s = LUN_OK;
    if (lun_size(slots) > 0) {
        s = lun_unique(c->e, slots, &values, &counts);
        lun__calc_take(c, s, values);
        lun__calc_take(c, s, counts);
        s = c->s == LUN_OK ? lun_searchsorted(c->e, values, slots, 0, 0, &at) : c->s;
        lun__calc_take(c, s, at);
    } else {
        lun_retain(at = values = slots);
        lun__calc_take(c, LUN_OK, at);
    }
    s = c->s == LUN_OK ? texts_of(c->e, values, w, &texts) : c->s;
    lun__calc_take(c, s, texts);
    s = c->s == LUN_OK ? lun_take(c->e, texts, at, 0, NULL, &x) : c->s;
    return lun__calc_take(c, s, x);
}

lun_status lun__text_written(lun_engine *e, lun_array *a, const lun__text_writer *by,
                             lun_array **out)
{
    writing w = {.by = by};
    lun__calc c = {.e = e};
    lun_array *x = NULL, *slots = NULL, *valid = NULL;
    bool each = false;
    c.s = lun_missing_parts(e, a, &slots, &valid);
    if (c.s == LUN_OK)
        c.s = seldom_repeats(e, slots, &each);
    if (c.s == LUN_OK && !each && by->ordered) {
        x = texts_by_level(&c, slots, &w);
    } else if (c.s == LUN_OK) {
        lun_status s = each ? texts_each(e, slots, &w, &x) : texts_of(e, slots, &w, &x);
        x = lun__calc_take(&c, s, x);
    }
    if (c.s == LUN_OK && valid) {
        lun_array *gaps = lun__calc_op(&c, LUN_OP_LNOT, valid, NULL), *made = NULL;
        lun_status s = c.s == LUN_OK ? lun_with_missing(e, x, gaps, &made) : c.s;
        x = lun__calc_take(&c, s, made);
    }
    lun_release(slots);
    lun_release(valid);
    return lun__calc_end(&c, x, out);
}
