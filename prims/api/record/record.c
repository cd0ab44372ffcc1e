/* record.c - arrays of records: on a host's structs, or of an array for each field.
 *
 * Invariant: an array of dtype LUN_RECORD is no window; its node is zeros of its shape, for that
 * alone, and its elements are those of record->field, arrays of the same extents (and those of the
 * field behind them).  What does not know records finds them refused by lun__array_present. */
#include <stdlib.h>
#include <string.h>

#include "api/record/record.h"
#include "lunarray_bind.h"

/* ---- made ------------------------------------------------------------------------------------ */

static void end(lun_array *a)
{
    if (!a->record)
        return;
    for (int k = 0; k < a->record->type->count; k++)
        lun_release(a->record->field[k]);
    free(a->record->type);
    free(a->record->field);
    free(a->record);
    a->record = NULL;
}

/* Records of r, of which nothing is checked, without fields yet. */
static lun_status begin(lun_engine *e, const lun_struct *r, int rank, const int64_t *shape,
                        lun_array **out)
{
    lun_array *a;
    lun_status s = lun_full(e, rank, shape, LUN_U8, (lun_value){.dtype = LUN_I64}, &a);
    if (s != LUN_OK)
        return s;
    struct lun__record *record = malloc(sizeof *record);
    lun_struct *type = lun__struct_copy(r);
    lun_array **field = calloc((size_t)r->count, sizeof(lun_array *));
    if (!record || !type || !field) {
        free(record);
        free(type);
        free(field);
        lun_release(a);
        return lun__fail_nomem(e);
    }
    *record = (struct lun__record){type, field};
    a->logical = LUN_RECORD;
    a->record = record;
    *out = a;
    return LUN_OK;
}

/* LUN_ESHAPE, LUN_EDTYPE: a is not the array of field f of records of r with such extents. */
static lun_status check_array(lun_engine *e, const lun_struct *r, const lun_field *f, int rank,
                              const int64_t *shape, lun_array *a)
{
    int64_t own[LUN_MAX_RANK], wanted[LUN_MAX_RANK];
    char text[96];
    const bool records = lun_dtype_of(a) == LUN_RECORD;
    if (!records) {
        lun_status s = lun__array_present(e, a);
        if (s != LUN_OK)
            return s;
    }
    if (rank + f->rank > LUN_MAX_RANK)
        return lun__fail(e, LUN_ESHAPE, "field '%s' of %s has more than %d axes", f->name, r->name,
                         LUN_MAX_RANK);
    memcpy(wanted, shape, (size_t)rank * sizeof *shape);
    memcpy(wanted + rank, f->extent, (size_t)f->rank * sizeof *shape);
    if (lun_shape(a, own) != rank + f->rank ||
        memcmp(own, wanted, (size_t)(rank + f->rank) * sizeof *own) != 0)
        return lun__fail(e, LUN_ESHAPE, "field '%s' of %s: %s has another shape", f->name, r->name,
                         lun__array_describe(a, text));
    const lun_struct *in = records ? a->record->type : NULL;
    if (f->record ? !in || strcmp(in->name, f->record->name) != 0 || in->count != f->record->count
                  : lun_dtype_of(a) != f->dtype)
        return lun__fail(e, LUN_EDTYPE, "field '%s' of %s: %s, not %s", f->name, r->name,
                         in ? in->name : lun__array_describe(a, text),
                         f->record ? f->record->name : lun_dtype_name(f->dtype));
    return LUN_OK;
}

lun_status lun_records_of(lun_engine *e, const lun_struct *r, int rank, const int64_t *shape,
                          lun_array *const *fields, lun_array **out)
{
    LUN_NEED(e, out && r && fields && (rank <= 0 || shape));
    lun_array *a;
    lun_status s = lun__struct_check(e, r);
    if (s == LUN_OK)
        s = begin(e, r, rank, shape, &a);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < r->count; k++) {
        if (!fields[k] || lun_engine_of(fields[k]) != e || lun_is_freed(fields[k]))
            s = lun__array_present(e, fields[k]);
        else
            s = check_array(e, r, &r->fields[k], rank, shape, fields[k]);
        if (s == LUN_OK)
            lun_retain(a->record->field[k] = fields[k]);
    }
    if (s == LUN_OK)
        *out = a;
    else
        lun_release(a);
    return s;
}

/* ---- on a host's memory ---------------------------------------------------------------------- */

/* The host's memory, which is its own again when the last field has ended. */
typedef struct memory {
    int refs;
    void *data;
    void (*release)(void *data, void *ctx);
    void *ctx;
} memory;

static void let_go(void *field, void *of)
{
    memory *m = of;
    (void)field;
    if (__atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (m->release)
        m->release(m->data, m->ctx);
    free(m);
}

/* Elements of dtype t from `first` on, which are `apart` of them apart, in n structs of `step`
 * bytes, as field f has them. */
static lun_status wrap_elements(lun_engine *e, memory *m, char *first, int64_t n, size_t step,
                                const lun_field *f, lun_dtype t, int64_t apart, lun_array **out)
{
    const int64_t shape[3] = {n, f->extent[0], f->extent[1]};
    const int64_t stride[3] = {(int64_t)step / lun_dtype_size(t),
                               (f->rank == 2 ? f->extent[1] : 1) * apart, apart};
    __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
    lun_status s = lun_wrap_strided(e, first, 1 + f->rank, shape, stride, t, let_go, m, out);
    if (s != LUN_OK)
        __atomic_sub_fetch(&m->refs, 1, __ATOMIC_RELAXED);
    return s;
}

/* The array of field f of n structs of `step` bytes, the first of which begins at `at`. */
static lun_status wrap_field(lun_engine *e, memory *m, char *at, int64_t n, size_t step,
                             const lun_field *f, lun_array **out)
{
    char *first = (char *)((uintptr_t)at + f->offset); /* n may be 0 and at NULL */
    const lun_dtype part = lun_complex_part(f->dtype);
    lun_array *re = NULL, *im = NULL;
    if (part == LUN_DTYPE_COUNT)
        return wrap_elements(e, m, first, n, step, f, f->dtype, 1, out);
    char *second = (char *)((uintptr_t)first + (size_t)lun_dtype_size(part));
    lun_status s = wrap_elements(e, m, first, n, step, f, part, 2, &re);
    if (s == LUN_OK)
        s = wrap_elements(e, m, second, n, step, f, part, 2, &im);
    if (s == LUN_OK)
        s = lun_complex_joined(e, re, im, out);
    lun_release(re);
    lun_release(im);
    return s;
}

/* Records of r, which has been checked and is at most so deep as that allows. */
static lun_status wrap(lun_engine *e, memory *m, char *at, int64_t n, size_t step,
                       const lun_struct *r, lun_array **out)
{
    lun_array *a;
    lun_status s = begin(e, r, 1, &n, &a);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < r->count; k++) {
        const lun_field *f = &r->fields[k];
        if (f->record)
            s = wrap(e, m, (char *)((uintptr_t)at + f->offset), n, step, f->record,
                     &a->record->field[k]);
        else
            s = wrap_field(e, m, at, n, step, f, &a->record->field[k]);
    }
    if (s == LUN_OK)
        *out = a;
    else
        lun_release(a);
    return s;
}

lun_status lun_wrap_records(lun_engine *e, void *data, int64_t n, const lun_struct *r,
                            void (*release)(void *data, void *ctx), void *ctx, lun_array **out)
{
    LUN_NEED(e, out && r);
    lun_status s = lun__struct_check(e, r);
    if (s != LUN_OK)
        return s;
    if (n < 0)
        return lun__fail(e, LUN_EARG, "the length is negative: %lld", (long long)n);
    if (n && !data)
        return lun__fail(e, LUN_EARG, "the data of %lld records is missing (NULL)", (long long)n);
    if (n > PTRDIFF_MAX / (int64_t)r->bytes)
        return lun__fail(e, LUN_ERANGE, "%lld records of %zu bytes are more than can be addressed",
                         (long long)n, r->bytes);
    memory *m = malloc(sizeof *m);
    if (!m)
        return lun__fail_nomem(e);
    *m = (memory){.refs = 1, .data = data, .ctx = ctx};
    s = wrap(e, m, data, n, r->bytes, r, out);
    if (s == LUN_OK)
        m->release = release; /* set last: after a failure the memory is still the caller's */
    let_go(NULL, m);
    return s;
}

/* ---- asked ----------------------------------------------------------------------------------- */

const lun_struct *lun_record_struct(const lun_array *a)
{
    LUN_NEED_OR(lun_engine_of(a), NULL);
    return a->logical == LUN_RECORD && a->record ? a->record->type : NULL;
}

lun_status lun_record_field(lun_engine *e, lun_array *records, const char *name, lun_array **out)
{
    LUN_NEED(e, out && name);
    if (!records || lun_engine_of(records) != e || lun_is_freed(records))
        return lun__array_present(e, records);
    lun_array *a = records;
    for (const char *at = name;; at++) {
        const size_t length = strcspn(at, ".");
        if (a->logical != LUN_RECORD)
            return lun__fail(e, LUN_EDTYPE, "records expected, got %s, which has no field '%.60s'",
                             lun_dtype_name(lun_dtype_of(a)), at);
        const lun_struct *type = a->record->type;
        int k = 0;
        while (k < type->count &&
               (strncmp(type->fields[k].name, at, length) != 0 || type->fields[k].name[length]))
            k++;
        if (k == type->count)
            return lun__fail(e, LUN_EARG, "%s has no field '%.*s'", type->name,
                             (int)(length < 60 ? length : 60), at);
        a = a->record->field[k];
        at += length;
        if (!*at)
            break;
    }
    lun_retain(*out = a);
    return LUN_OK;
}

static lun_status cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    (void)t;
    (void)out;
    (void)a;
    return lun__fail(e, LUN_EDTYPE, "record; %s", lun__dtype_instead(LUN_RECORD));
}

const lun_logical_kind lun__record_kind = {.cast = cast, .end = end};
