/* arrow_out.c - columns that go out as Arrow's arrays: numbers, codes and values of texts without a
 * copy, validities and bools packed into bits.
 *
 * Invariant: a lun_arrow_column is changed by nobody once it is made; its references, which arrays
 * and lists of columns have, are counted atomically.  What it holds is the storage of the elements
 * (store/export.h), values of a pool of texts, and blocks of its own. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/table/arrow_out.h"
#include "api/text/text_array.h"
#include "lunarray_bind.h"
#include "store/export.h"

struct lun_arrow_column {
    int refs;
    int64_t length, nulls;
    const char *format; /* of static lifetime */
    int buffers;
    const void **buffer;
    uint8_t *bits;  /* the validity; NULL: nothing is missing */
    void *block[2]; /* of its own */
    lun_export *held;
    lun_text_held texts;
    lun_arrow_column *dictionary;
};

/* Buffers of no elements, which some consumers want to be somewhere. */
static const int64_t nothing[2];

enum { ALIGNED = 64 };

/* A block of zeros. */
static void *new_block(int64_t bytes)
{
    const size_t room = ((size_t)bytes + ALIGNED) / ALIGNED * ALIGNED;
    void *block = aligned_alloc(ALIGNED, room);
    return block ? memset(block, 0, room) : NULL;
}

static void drop(lun_arrow_column *c)
{
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL))
        return;
    drop(c->dictionary); /* which has none */
    if (c->held)
        lun__export_end(c->held);
    lun__text_held_end(&c->texts);
    free(c->bits);
    free(c->block[0]);
    free(c->block[1]);
    free(c->buffer);
    free(c);
}

/* ---- a column -------------------------------------------------------------------------------- */

/* One with so many buffers, of which the first is the validity. */
static lun_arrow_column *new_column(int64_t length, int buffers)
{
    lun_arrow_column *c = calloc(1, sizeof *c);
    if (c)
        *c = (lun_arrow_column){.refs = 1,
                                .length = length,
                                .buffers = buffers,
                                .buffer = calloc((size_t)buffers, sizeof *c->buffer)};
    if (c && c->buffer)
        return c;
    free(c);
    return NULL;
}

/* Bits of bytes that are 0 or 1; how many are 0. */
static int64_t pack(const uint8_t *bytes, int64_t n, uint8_t *bits)
{
    int64_t zeros = 0;
    for (int64_t k = 0; k < n; k++) {
        bits[k / 8] |= (uint8_t)(bytes[k] << k % 8);
        zeros += !bytes[k];
    }
    return zeros;
}

/* The bits of bools, in *bits; *zeros: how many are false. */
static lun_status pack_array(lun_engine *e, lun_array *bools, uint8_t **bits, int64_t *zeros)
{
    const void *bytes;
    lun_status s = lun_data(e, bools, &bytes);
    if (s != LUN_OK)
        return s;
    *bits = new_block((lun_size(bools) + 7) / 8);
    if (!*bits)
        return lun__fail_nomem(e);
    *zeros = pack(bytes, lun_size(bools), *bits);
    return LUN_OK;
}

static lun_status add_validity(lun_engine *e, lun_array *valid, lun_arrow_column *c)
{
    lun_status s = valid ? pack_array(e, valid, &c->bits, &c->nulls) : LUN_OK;
    if (!c->nulls) {
        free(c->bits);
        c->bits = NULL;
    }
    c->buffer[0] = c->bits;
    return s;
}

/* Holds the elements of a, a Vector of rank 1, for the column; copies them where neighbours are
 * apart or there are none in memory. */
static lun_status hold(lun_engine *e, lun_array *a, lun_arrow_column *c)
{
    const void *data;
    int64_t strides[LUN_MAX_RANK] = {0};
    lun_array *own = NULL;
    lun__exports_collect(e);
    lun_status s = lun_data_strided(e, a, &data, strides);
    const bool fits = s == LUN_OK && lun__array_top(a)->node->kind == LUN_NODE_LEAF &&
                      (c->length < 2 || strides[0] == 1);
    if (s == LUN_OK && !fits) {
        s = lun_copy(e, a, &own);
        if (s == LUN_OK)
            s = lun_data_strided(e, own, &data, strides);
        e->stats.bytes_copied += c->length * lun_dtype_size(lun_dtype_of(a));
    }
    lun_export *x = s == LUN_OK ? calloc(1, sizeof *x) : NULL;
    if (s == LUN_OK)
        s = x ? lun__export_begin(e, lun__array_top(own ? own : a)->node->storage, x)
              : lun__fail_nomem(e);
    if (s == LUN_OK) {
        c->held = x;
        c->buffer[1] = data ? data : nothing;
    } else {
        free(x);
    }
    lun_release(own);
    return s;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The buffers of views: the views, those of the values, their sizes. */
static void set_views(lun_arrow_column *c, const void *views)
{
    const lun_text_held *h = &c->texts;
    c->buffer[1] = views;
    for (int k = 0; k < h->buffers; k++)
        c->buffer[2 + k] = h->buffer[k];
    c->buffer[2 + h->buffers] = h->buffers ? h->used : nothing;
    c->format = "vu";
}

/* A column of views with room for the buffers of a pool, which it holds. */
static lun_status new_views(lun_engine *e, int64_t length, const lun_text_pool *t,
                            lun_arrow_column **out)
{
    lun_text_held held;
    lun_status s = lun__text_held(e, t, &held);
    if (s != LUN_OK)
        return s;
    lun_arrow_column *c = new_column(length, held.buffers + 3);
    if (!c) {
        lun__text_held_end(&held);
        return lun__fail_nomem(e);
    }
    c->texts = held;
    *out = c;
    return LUN_OK;
}

/* The codes, and the pool as their dictionary, whose entry 0 is the null. */
static lun_status put_dictionary(lun_engine *e, lun_array *codes, const lun_text_pool *t,
                                 lun_arrow_column **out)
{
    lun_arrow_column *c = new_column(lun_size(codes), 2);
    *out = c;
    lun_status s = c ? new_views(e, (int64_t)lun__text_pool_count(t) + 1, t, &c->dictionary)
                     : lun__fail_nomem(e);
    if (s == LUN_OK) {
        set_views(c->dictionary, c->dictionary->texts.view);
        s = hold(e, codes, c);
    }
    if (s == LUN_OK)
        c->format = lun__arrow_form_of(lun_dtype_of(codes));
    return s;
}

static uint32_t code_at(const char *codes, int size, int64_t k)
{
    uint32_t code = 0;
    memcpy(&code, codes + k * size, (size_t)size);
    return code;
}

/* Whether the codes go on by one from the first, so that the rows are the values as they stand. */
static bool is_run(const char *codes, int size, int64_t n)
{
    const uint32_t first = n ? code_at(codes, size, 0) : 0;
    int64_t k = 0;
    while (k < n && code_at(codes, size, k) == first + k)
        k++;
    return first && k == n;
}

/* A view for each row. */
static lun_status put_views(lun_engine *e, lun_array *codes, const lun_text_pool *t,
                            lun_arrow_column **out)
{
    const int64_t n = lun_size(codes);
    const int size = lun_dtype_size(lun_dtype_of(codes));
    const void *at;
    lun_status s = new_views(e, n, t, out);
    if (s == LUN_OK)
        s = lun_data(e, codes, &at);
    if (s != LUN_OK)
        return s;
    if (is_run(at, size, n)) {
        set_views(*out, (*out)->texts.view + code_at(at, size, 0));
        return LUN_OK;
    }
    lun_text_view *views = new_block(n * (int64_t)sizeof *views);
    if (!views)
        return lun__fail_nomem(e);
    for (int64_t k = 0; k < n; k++)
        if (code_at(at, size, k)) /* else it stays an empty text */
            views[k] = (*out)->texts.view[code_at(at, size, k)];
    (*out)->block[0] = views;
    e->stats.bytes_copied += n * (int64_t)sizeof *views;
    set_views(*out, views);
    return LUN_OK;
}

/* Bytes of all rows. */
static int64_t count_bytes(const char *codes, int size, int64_t n, const lun_text_pool *t)
{
    int64_t all = 0, length;
    for (int64_t k = 0; k < n; k++)
        if (code_at(codes, size, k)) {
            (void)lun__text_pool_at(t, code_at(codes, size, k), &length);
            all += length;
        }
    return all;
}

/* Offsets of 4 or 8 bytes, and bytes. */
static lun_status put_offsets(lun_engine *e, lun_array *codes, const lun_text_pool *t, bool wide,
                              lun_arrow_column **out)
{
    const int64_t n = lun_size(codes);
    const int size = lun_dtype_size(lun_dtype_of(codes)), step = wide ? 8 : 4;
    const void *at;
    lun_arrow_column *c = *out = new_column(n, 3);
    lun_status s = c ? lun_data(e, codes, &at) : lun__fail_nomem(e);
    if (s != LUN_OK)
        return s;
    const int64_t bytes = count_bytes(at, size, n, t);
    if (!wide && bytes > INT32_MAX)
        return lun__fail(e, LUN_ERANGE,
                         "%lld bytes of texts are too many for utf8: take "
                         "{text = \"large_utf8\"}",
                         (long long)bytes);
    char *offsets = c->block[0] = new_block((n + 1) * step), *to = c->block[1] = new_block(bytes);
    if (!offsets || !to)
        return lun__fail_nomem(e);
    int64_t used = 0, length;
    for (int64_t k = 0; k < n; k++) {
        const uint32_t code = code_at(at, size, k);
        if (code) {
            const char *text = lun__text_pool_at(t, code, &length);
            memcpy(to + used, text, (size_t)length);
            used += length;
        }
        memcpy(offsets + (k + 1) * step, &used, (size_t)step); /* the low bytes */
    }
    c->buffer[1] = offsets;
    c->buffer[2] = to;
    c->format = wide ? "U" : "u";
    e->stats.bytes_copied += bytes;
    return LUN_OK;
}

/* Codes that count the values in use alone, where the pool has far more. */
static lun_status compact(lun_engine *e, lun_array *a, lun_array **codes, lun_array **levels)
{
    lun_array *wide, *values, *narrow;
    lun_status s = lun_text_codes(e, a, &wide, &values);
    if (s != LUN_OK)
        return s;
    const int64_t most = lun__text_pool_count(lun__text_array_pool(values));
    s = lun_cast(e, wide, lun__text_array_codes(most), &narrow);
    lun_release(wide);
    if (s == LUN_OK)
        s = lun_eval(e, &narrow, 1);
    if (s != LUN_OK) {
        lun_release(values);
        return s;
    }
    e->stats.bytes_copied += lun_size(a) * lun_dtype_size(lun_dtype_of(narrow));
    lun_release(*codes);
    *codes = narrow;
    *levels = values;
    return LUN_OK;
}

static lun_status put_texts(lun_engine *e, lun_array *a, lun_array **codes,
                            const lun_arrow_options *o, lun_arrow_column **out)
{
    enum { MANY = 1000, TIMES = 8 };
    const lun_text_pool *t = lun__text_array_pool(a);
    const int64_t values = lun__text_pool_count(t);
    lun_array *levels = NULL;
    if (o->text == LUN_ARROW_LARGE_UTF8 || o->text == LUN_ARROW_UTF8)
        return put_offsets(e, *codes, t, o->text == LUN_ARROW_LARGE_UTF8, out);
    if (o->text || !lun__text_pool_distinct(t))
        return put_views(e, *codes, t, out);
    lun_status s = LUN_OK;
    if (values > MANY && values / TIMES > lun_size(a))
        s = compact(e, a, codes, &levels);
    if (s == LUN_OK)
        s = put_dictionary(e, *codes, levels ? lun__text_array_pool(levels) : t, out);
    lun_release(levels);
    return s;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The slots of a, evaluated with the validity. */
static lun_status put_slots(lun_engine *e, lun_array *a, lun_array **slots, lun_array *valid,
                            const lun_arrow_options *o, lun_arrow_column **out)
{
    const lun_dtype t = lun_dtype_of(a);
    int64_t zeros;
    lun_status s = lun_eval(e, (lun_array *[]){*slots, valid}, valid ? 2 : 1);
    if (s != LUN_OK)
        return s;
    if (lun_dtype_kind(t) == LUN_KIND_TEXT) {
        s = put_texts(e, a, slots, o, out);
    } else {
        lun_arrow_column *c = *out = new_column(lun_size(a), 2);
        uint8_t *bits = NULL;
        if (!c)
            return lun__fail_nomem(e);
        c->format = lun__arrow_form_of(t);
        if (lun_dtype_kind(t) == LUN_KIND_BOOL) {
            s = pack_array(e, *slots, &bits, &zeros);
            c->buffer[1] = c->block[0] = bits;
        } else {
            s = hold(e, *slots, c);
        }
    }
    return s == LUN_OK ? add_validity(e, valid, *out) : s;
}

static lun_status put_column(lun_engine *e, lun_array *a, const char *name,
                             const lun_arrow_options *o, lun_arrow_column **out)
{
    int64_t shape[LUN_MAX_RANK];
    lun_array *slots, *valid;
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    if (lun_shape(a, shape) != 1)
        return lun__fail(e, LUN_ESHAPE, "column '%s': a column is of rank 1", name);
    if (!lun__arrow_form_of(lun_dtype_of(a)))
        return lun__fail(e, LUN_EDTYPE, "column '%s': Arrow has no %s: %s", name,
                         lun_dtype_name(lun_dtype_of(a)),
                         lun__array_is_complex(a) ? "take real() and imag()" : "cast it to f32");
    if (lun__array_has_parts(a)) {
        s = lun__validity_parts(e, a, false, &slots, &valid);
    } else { /* itself: memory that it wraps is not copied */
        lun_retain(slots = a);
        valid = NULL;
    }
    if (s != LUN_OK)
        return s;
    s = put_slots(e, a, &slots, valid, o, out);
    if (s != LUN_OK) {
        drop(*out);
        *out = NULL;
    }
    lun_release(slots);
    lun_release(valid);
    return s;
}

void lun__arrow_out_end(lun_arrow_columns *c)
{
    for (int64_t k = 0; c && k < c->width; k++) {
        free(c->names[k]);
        drop(c->columns[k]);
    }
    if (c) {
        free(c->names);
        free(c->columns);
    }
    free(c);
}

lun_status lun__arrow_out_columns(lun_engine *e, const lun_table *t, const lun_arrow_options *o,
                                  lun_arrow_columns **out)
{
    lun_arrow_columns *c = calloc(1, sizeof *c);
    if (!c)
        return lun__fail_nomem(e);
    *c = (lun_arrow_columns){.rows = t->rows,
                             .names = calloc((size_t)t->width + 1, sizeof *c->names),
                             .columns = calloc((size_t)t->width + 1, sizeof(lun_arrow_column *))};
    lun_status s = c->names && c->columns ? LUN_OK : lun__fail_nomem(e);
    for (int64_t k = 0; s == LUN_OK && k < t->width; k++) {
        c->width = k + 1;
        c->names[k] = strdup(t->names[k]);
        s = c->names[k] ? put_column(e, t->columns[k], t->names[k], o, &c->columns[k])
                        : lun__fail_nomem(e);
    }
    if (s == LUN_OK)
        *out = c;
    else
        lun__arrow_out_end(c);
    return s;
}

/* ---- schemas --------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t k = 0; k < s->n_children; k++) {
        if (s->children[k] && s->children[k]->release)
            s->children[k]->release(s->children[k]);
        free(s->children[k]);
    }
    free(s->children);
    if (s->dictionary && s->dictionary->release)
        s->dictionary->release(s->dictionary);
    free(s->dictionary);
    free(s->private_data); /* the name */
    s->release = NULL;
}

/* A schema without children; format has static lifetime. */
static bool start_schema(const char *format, const char *name, struct ArrowSchema *out)
{
    char *own = strdup(name);
    *out = (struct ArrowSchema){.format = format,
                                .name = own,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = release_schema,
                                .private_data = own};
    return own;
}

static bool put_schema(const lun_arrow_column *c, const char *name, struct ArrowSchema *out)
{
    bool good = start_schema(c->format, name, out);
    if (good && c->dictionary) {
        out->dictionary = calloc(1, sizeof *out->dictionary);
        good = out->dictionary && start_schema(c->dictionary->format, "", out->dictionary);
    }
    return good;
}

bool lun__arrow_out_schema(const lun_arrow_columns *c, struct ArrowSchema *out)
{
    bool good = start_schema("+s", "", out);
    out->flags = 0;
    out->children = calloc((size_t)c->width + 1, sizeof *out->children);
    good = good && out->children;
    for (int64_t k = 0; good && k < c->width; k++) {
        out->n_children = k + 1;
        out->children[k] = calloc(1, sizeof **out->children);
        good = out->children[k] && put_schema(c->columns[k], c->names[k], out->children[k]);
    }
    if (!good)
        release_schema(out);
    return good;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* private_data: the column; NULL of a struct. */
static void release_array(struct ArrowArray *a)
{
    for (int64_t k = 0; k < a->n_children; k++) {
        if (a->children[k] && a->children[k]->release)
            a->children[k]->release(a->children[k]);
        free(a->children[k]);
    }
    free(a->children);
    if (a->dictionary && a->dictionary->release)
        a->dictionary->release(a->dictionary);
    free(a->dictionary);
    if (a->private_data)
        drop(a->private_data);
    else
        free(a->buffers); /* of a struct */
    a->release = NULL;
}

static int64_t count_nulls(const lun_arrow_column *c, int64_t first, int64_t n)
{
    int64_t nulls = 0;
    if (!c->bits || n == c->length)
        return c->bits ? c->nulls : 0;
    for (int64_t k = first; k < first + n; k++)
        nulls += !(c->bits[k / 8] >> k % 8 & 1);
    return nulls;
}

static bool put_array(lun_arrow_column *c, int64_t first, int64_t n, struct ArrowArray *out)
{
    __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
    *out = (struct ArrowArray){.length = n,
                               .null_count = count_nulls(c, first, n),
                               .offset = first,
                               .n_buffers = c->buffers,
                               .buffers = c->buffer,
                               .release = release_array,
                               .private_data = c};
    if (!c->dictionary)
        return true;
    out->dictionary = calloc(1, sizeof *out->dictionary);
    return out->dictionary && put_array(c->dictionary, 0, c->dictionary->length, out->dictionary);
}

bool lun__arrow_out_rows(const lun_arrow_columns *c, int64_t first, int64_t n,
                         struct ArrowArray *out)
{
    *out = (struct ArrowArray){.length = n,
                               .n_buffers = 1,
                               .buffers = calloc(1, sizeof *out->buffers),
                               .children = calloc((size_t)c->width + 1, sizeof *out->children),
                               .release = release_array};
    bool good = out->buffers && out->children;
    for (int64_t k = 0; good && k < c->width; k++) {
        out->n_children = k + 1;
        out->children[k] = calloc(1, sizeof **out->children);
        good = out->children[k] && put_array(c->columns[k], first, n, out->children[k]);
    }
    if (!good)
        release_array(out);
    return good;
}

/* ---- the interface --------------------------------------------------------------------------- */

lun_status lun_to_arrow(lun_engine *e, lun_table *t, struct ArrowSchema *s, struct ArrowArray *a)
{
    LUN_NEED(e, t && s && a);
    const lun_arrow_options none = {.rows = 0};
    struct ArrowSchema schema;
    lun_arrow_columns *c;
    lun_status status = lun__arrow_out_columns(e, t, &none, &c);
    if (status != LUN_OK)
        return status;
    if (!lun__arrow_out_schema(c, &schema)) {
        status = lun__fail_nomem(e);
    } else if (!lun__arrow_out_rows(c, 0, c->rows, a)) {
        schema.release(&schema);
        status = lun__fail_nomem(e);
    } else {
        *s = schema;
    }
    lun__arrow_out_end(c);
    return status;
}

lun_status lun_array_to_arrow(lun_engine *e, lun_array *a, struct ArrowSchema *s,
                              struct ArrowArray *x)
{
    LUN_NEED(e, s && x);
    const lun_arrow_options none = {.rows = 0};
    struct ArrowSchema schema;
    struct ArrowArray array;
    lun_arrow_column *c = NULL;
    lun_status status = put_column(e, a, "value", &none, &c);
    if (status != LUN_OK)
        return status;
    if (!put_schema(c, "", &schema)) {
        release_schema(&schema);
        status = lun__fail_nomem(e);
    } else if (!put_array(c, 0, c->length, &array)) {
        release_schema(&schema);
        release_array(&array);
        status = lun__fail_nomem(e);
    } else {
        *s = schema;
        *x = array;
    }
    drop(c);
    return status;
}
