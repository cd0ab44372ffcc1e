/* text_apply.c - functions of texts: computed once for each value of a pool, which gives a table
 * of results; the elements are those of the table at the codes. */
#include "api/text/text_array.h"
#include "store/pool.h"
#include "text/text_functions.h"

#include <stdatomic.h>
#include <stdlib.h>

/* From so many values on what is there to add more is given back. */
enum { MANY = 100000 };

/* A function being computed of the values of a pool: by code its numbers or truths, or, of texts,
 * the codes of its results in a pool of their own. */
typedef struct table {
    lun_engine *e;
    const lun_text_function *f;
    lun_text_pool *of, *made;
    int64_t n;
    int64_t *numbers;     /* of floats their bits */
    bool *truths, *there; /* there: of numbers */
    uint32_t *codes;
    bool moved, gaps; /* some result has another code than its value; some has none */
    const lun_text_call *call;
    atomic_bool failed;
} table;

static lun_status put_text(table *t, lun_text_call *c, int64_t code)
{
    lun_status s = LUN_OK;
    t->codes[code] = 0;
    if (c->out.failed)
        return lun__fail_nomem(t->e);
    if (!c->missing)
        s = lun__text_pool_add(t->e, t->made, lun__strbuf_text(&c->out), (int64_t)c->out.length,
                               &t->codes[code]);
    t->moved = t->moved || t->codes[code] != (uint32_t)code;
    t->gaps = t->gaps || c->missing;
    return s;
}

static void run(const table *t, lun_text_call *c, int64_t code)
{
    lun__strbuf_clear(&c->out);
    c->missing = false;
    c->s = lun__text_pool_at(t->of, (uint32_t)code, &c->n);
    t->f->run(c);
}

static lun_status compute_texts(table *t, lun_text_call *c)
{
    lun_status s = LUN_OK;
    for (int64_t code = 1; s == LUN_OK && code <= t->n; code++) {
        run(t, c, code);
        s = put_text(t, c, code);
    }
    return s;
}

enum { TASK = 8192 }; /* values that one task computes numbers of */

static void number_task(void *of, int64_t k)
{
    table *t = of;
    lun_text_call c = *t->call;
    const int64_t end = (k + 1) * TASK < t->n ? (k + 1) * TASK : t->n;
    c.out = (lun_strbuf)LUN_STRBUF_INIT;
    for (int64_t code = k * TASK + 1; code <= end; code++) {
        run(t, &c, code);
        if (t->truths)
            t->truths[code] = c.result != 0;
        else if (!c.missing)
            t->numbers[code] = c.result;
        if (t->there)
            t->there[code] = !c.missing;
        if (c.out.failed)
            atomic_store(&t->failed, true);
    }
    lun__strbuf_free(&c.out);
}

static lun_status compute(table *t, lun_text_call *c)
{
    if (t->codes)
        return compute_texts(t, c);
    t->call = c;
    lun_host_share(t->e, (t->n + TASK - 1) / TASK, t, number_task);
    for (int64_t code = 1; t->there && code <= t->n; code++)
        t->gaps = t->gaps || !t->there[code];
    return t->failed ? lun__fail_nomem(t->e) : LUN_OK;
}

/* Room for the results. */
static lun_status start(table *t)
{
    const size_t n = (size_t)t->n + 1;
    const lun_text_result r = t->f->result;
    if (r == LUN_TEXT_RESULT_I64 || r == LUN_TEXT_RESULT_F64) {
        t->there = calloc(n, sizeof *t->there);
        t->numbers = t->there ? calloc(n, sizeof *t->numbers) : NULL;
    } else if (r == LUN_TEXT_RESULT_BOOL) {
        t->truths = calloc(n, sizeof *t->truths);
    } else {
        t->codes = calloc(n, sizeof *t->codes);
    }
    if (!t->numbers && !t->truths && !t->codes)
        return lun__fail_nomem(t->e);
    return t->codes ? lun__text_pool_new(t->e, &t->made) : LUN_OK;
}

/* The texts of the results at the codes `slots`. */
static lun_status texts(table *t, lun_array *slots, lun_array *valid, lun_array **out)
{
    lun_array *codes = NULL, *there = NULL, *zero = NULL;
    lun_status s = LUN_OK;
    if (t->moved)
        s = lun__text_array_recoded(t->e, t->codes, t->n, lun__text_pool_count(t->made), slots,
                                    &codes);
    else
        lun_retain(codes = slots);
    if (s == LUN_OK && t->gaps) {
        s = lun_integer(t->e, 0, &zero);
        if (s == LUN_OK)
            s = lun_ne(t->e, codes, zero, &there);
    }
    if (s == LUN_OK)
        s = lun__text_array(t->e, codes, there ? there : valid, t->made, out);
    lun_release(codes);
    lun_release(there);
    lun_release(zero);
    return s;
}

/* The results at the codes `slots`, missing where the validity is false. */
static lun_status results(table *t, lun_array *slots, lun_array *valid, lun_array **out)
{
    lun_array *all = NULL, *there = NULL;
    const lun_dtype dtype = t->f->result == LUN_TEXT_RESULT_F64 ? LUN_F64 : LUN_I64;
    if (t->codes)
        return texts(t, slots, valid, out);
    if (t->truths)
        return lun__text_array_mask(t->e, t->truths, t->n, slots, out);
    lun_status s = lun__text_array_by_code(t->e, t->numbers, t->n, dtype, slots, &all);
    if (s == LUN_OK && t->gaps)
        s = lun__text_array_mask(t->e, t->there, t->n, slots, &there);
    if (s == LUN_OK && (there || valid))
        s = lun_with_parts(t->e, all, there ? there : valid, out);
    else if (s == LUN_OK)
        lun_retain(*out = all);
    lun_release(all);
    lun_release(there);
    return s;
}

/* The call of f; LUN_EARG unless its texts are UTF-8. */
static lun_status call_of(lun_engine *e, const lun_text_function *f, const lun_string *texts,
                          const int64_t *numbers, lun_text_call *c)
{
    *c = (lun_text_call){.out = LUN_STRBUF_INIT};
    for (int k = 0; k < f->info.texts; k++) {
        c->text[k] = texts[k];
        if (!lun__utf8_valid(texts[k].data, texts[k].length))
            return lun__fail(e, LUN_EARG, "text " LUN_NTH " of %s is not UTF-8", k, f->info.name);
    }
    for (int k = 0; k < f->info.numbers; k++)
        c->number[k] = numbers[k];
    return LUN_OK;
}

lun_status lun_text_call_function(lun_engine *e, int which, lun_array *a, const lun_string *texts,
                                  const int64_t *numbers, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *slots, *valid;
    lun_text_call c;
    table t = {.e = e, .f = lun__text_functions_row(which)};
    if (!t.f)
        return lun__fail(e, LUN_EARG, "no such function of texts: %d", which);
    lun_status s = lun__text_array_check(e, a);
    if (s == LUN_OK)
        s = call_of(e, t.f, texts, numbers, &c);
    if (s == LUN_OK)
        s = lun__validity_parts(e, a, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    t.of = lun__text_array_pool(a);
    t.n = lun__text_pool_count(t.of);
    s = start(&t);
    if (s == LUN_OK)
        s = compute(&t, &c);
    if (s == LUN_OK && t.made && lun__text_pool_count(t.made) > MANY)
        lun__text_pool_trim(t.made);
    lun__pool_press(e->pool, lun__text_pool_bytes(t.made));
    if (s == LUN_OK)
        s = results(&t, slots, valid, out);
    lun__strbuf_free(&c.out);
    lun__text_pool_release(t.made);
    free(t.numbers);
    free(t.truths);
    free(t.there);
    free(t.codes);
    lun_release(slots);
    lun_release(valid);
    return s;
}

/* ---- by other means -------------------------------------------------------------------------- */

lun_status lun_text_values(lun_engine *e, lun_array *a, int64_t first, int64_t n,
                           lun_string *values, int64_t *all)
{
    LUN_NEED(e, all && (values || !n));
    lun_status s = lun__text_array_check(e, a);
    if (s != LUN_OK)
        return s;
    const lun_text_pool *t = lun__text_array_pool(a);
    *all = lun__text_pool_count(t);
    if (first < 0 || n < 0 || first > *all || n > *all - first)
        return lun__fail(e, LUN_ERANGE, "there are %lld values", (long long)*all);
    for (int64_t k = 0; k < n; k++)
        values[k].data = lun__text_pool_at(t, (uint32_t)(first + k + 1), &values[k].length);
    return LUN_OK;
}

lun_status lun_text_memory(lun_engine *e, lun_array *a, int64_t *bytes)
{
    LUN_NEED(e, bytes);
    lun_array *codes;
    lun_status s = lun_text_slots(e, a, &codes);
    if (s != LUN_OK)
        return s;
    *bytes = lun_size(codes) * lun__dtype_get(lun_dtype_of(codes))->bytes +
             lun__text_pool_bytes(lun__text_array_pool(a));
    lun_release(codes);
    return LUN_OK;
}

lun_status lun_text_slots(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, out);
    lun_array *valid;
    lun_status s = lun__text_array_check(e, a);
    if (s == LUN_OK)
        s = lun__validity_parts(e, a, false, out, &valid);
    if (s == LUN_OK)
        lun_release(valid);
    return s;
}
