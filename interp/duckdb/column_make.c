/* column_make.c - columns that are complete as arrays of the engine's: texts by codes and values,
 * others as an array of Arrow's C interface; see column.h.
 *
 * Invariant: an array that went out owns the column's memory, `held`, until it is released; refs
 * counts its parts, atomically. */
#include "duckdb/column.h"

#include <stdlib.h>
#include <string.h>

#include "lunarray_arrow.h"

typedef lun__duckdb_column column;

typedef struct held {
    int refs;
    struct ArrowSchema schema;
    struct ArrowArray parts[2]; /* the rows; what is several the engine copies, and counts */
    int count, at;
    bool borrows; /* the column's memory */
    const void *buffers[3];
    unsigned char *data;
    uint64_t *valid;
    char *heap, *name;
    char format[16];
} held;

static void end(held *h)
{
    if (__atomic_sub_fetch(&h->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (!h->borrows) {
        free(h->data);
        free(h->valid);
        free(h->heap);
        free(h->name);
    }
    free(h);
}

static void release_array(struct ArrowArray *a)
{
    a->release = NULL;
    end(a->private_data);
}

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    held *h = s->private_data;
    *out = h->schema;
    out->release = release_schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    held *h = s->private_data;
    *out = (struct ArrowArray){.release = NULL};
    if (h->at == h->count)
        return 0;
    *out = h->parts[h->at++];
    out->release = release_array;
    out->private_data = h;
    __atomic_add_fetch(&h->refs, 1, __ATOMIC_RELAXED);
    return 0;
}

static void release_stream(struct ArrowArrayStream *s)
{
    s->release = NULL;
}

/* Gives memory that a column does not need back. */
static void *fitted(void *memory, int64_t bytes)
{
    void *less = memory ? realloc(memory, (size_t)bytes + 16) : NULL;
    return less ? less : memory;
}

/* Takes what the column has: for good, or as long as the call lasts. */
static void take(held *h, column *c, bool copied)
{
    h->name = c->name;
    h->heap = c->heap;
    h->data = copied ? c->data : fitted(c->data, (c->rows + 7) / 8 * c->bits + 8);
    h->valid = copied || !c->nulls ? c->valid : fitted(c->valid, (c->rows + 7) / 8);
    h->borrows = copied;
    if (!copied) {
        c->name = c->heap = NULL;
        c->data = NULL;
        c->valid = NULL;
    }
}

/* What an array is made of; NULL: no memory. */
static held *hold(column *c, bool copied)
{
    held *h = lun__duckdb_column_reserve(c, 1) ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL;
    copied = copied && c->rows > 1; /* a single row the engine does not copy */
    h->refs = 1;
    take(h, c, copied);
    memcpy(h->format, c->format, sizeof h->format);
    if (c->way == LUN__DUCKDB_HUGE && c->beyond >= 0)
        h->format[0] = 'L';
    h->schema = (struct ArrowSchema){.format = h->format, .name = h->name, .flags = 2};
    h->buffers[0] = c->nulls ? h->valid : NULL;
    h->buffers[1] = h->data;
    h->buffers[2] = h->heap ? h->heap : "";
    h->count = 1 + copied;
    h->parts[0] = (struct ArrowArray){.length = c->rows,
                                      .null_count = c->nulls,
                                      .n_buffers = 2 + (c->way == LUN__DUCKDB_BYTES),
                                      .buffers = h->buffers};
    if (c->way == LUN__DUCKDB_NOTHING)
        h->parts[0].n_buffers = 0;
    if (h->count == 2) {
        struct ArrowArray *rest = &h->parts[1];
        *rest = h->parts[0];
        h->parts[0].length = rest->offset = c->rows / 2;
        rest->length -= rest->offset;
        rest->null_count = h->parts[0].null_count = c->nulls ? -1 : 0;
    }
    return h;
}

static bool make_arrow(lun_engine *e, column *c, const char *options, bool copied, lun_array **out,
                       lun__duckdb_fault *f)
{
    held *h = hold(c, copied);
    if (!h)
        return lun__duckdb_fault_engine(f, LUN_ENOMEM);
    struct ArrowArrayStream in = {.get_schema = get_schema,
                                  .get_next = get_next,
                                  .release = release_stream,
                                  .private_data = h};
    lun_table *t = NULL;
    lun_status s = lun_from_arrow_stream(e, &in, options, &t);
    if (s == LUN_EARG || s == LUN_EDTYPE) {
        lun__duckdb_fault_of(f, s == LUN_EARG ? "format" : "unsupported", "%s",
                             lun_error_from(e, 1));
        end(h);
        return false;
    }
    if (s == LUN_OK)
        s = lun_table_column(e, t, lun_table_name(t, 0), out);
    lun_table_release(t);
    end(h);
    return s == LUN_OK || lun__duckdb_fault_engine(f, s);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A Vector of codes in so many bytes. */
static lun_status make_codes(lun_engine *e, const column *c, int bytes, lun_array **out)
{
    static const lun_dtype dtypes[] = {[1] = LUN_U8, [2] = LUN_U16, [4] = LUN_U32};
    const uint32_t *from = (const uint32_t *)(const void *)c->data;
    lun_blank *b = NULL;
    void *to;
    lun_status s = lun_blank_new(e, c->rows, bytes, &b, &to);
    if (s != LUN_OK)
        return s;
    for (int64_t k = 0; k < c->rows; k++) {
        if (bytes == 1)
            ((uint8_t *)to)[k] = (uint8_t)from[k];
        else if (bytes == 2)
            ((uint16_t *)to)[k] = (uint16_t)from[k];
        else
            ((uint32_t *)to)[k] = from[k];
    }
    s = lun_blank_vector(e, b, dtypes[bytes], out);
    if (s != LUN_OK)
        lun_blank_drop(e, b);
    return s;
}

static lun_status make_validity(lun_engine *e, const column *c, lun_array **out)
{
    lun_blank *b = NULL;
    void *to;
    if (!c->nulls)
        return LUN_OK;
    lun_status s = lun_blank_new(e, c->rows, 1, &b, &to);
    if (s != LUN_OK)
        return s;
    for (int64_t k = 0; k < c->rows; k++)
        ((bool *)to)[k] = c->valid[k / 64] >> k % 64 & 1;
    s = lun_blank_vector(e, b, LUN_BOOL, out);
    if (s != LUN_OK)
        lun_blank_drop(e, b);
    return s;
}

static bool make_texts(lun_engine *e, column *c, lun_array **out, lun__duckdb_fault *f)
{
    lun_text_made values = lun__csv_dictionary_values(&c->dictionary);
    const int bytes = values.count <= UINT8_MAX ? 1 : values.count <= UINT16_MAX ? 2 : 4;
    lun_array *codes = NULL, *valid = NULL;
    lun_status s = make_codes(e, c, bytes, &codes);
    if (s == LUN_OK)
        s = make_validity(e, c, &valid);
    if (s == LUN_OK)
        s = lun_text_of_codes(e, codes, valid, &values, out);
    for (int32_t k = 0; k < values.buffer_count; k++)
        free(values.buffers[k].bytes); /* the engine has not taken them */
    free(values.buffers);
    free(values.views);
    lun_release(codes);
    lun_release(valid);
    return s == LUN_OK || lun__duckdb_fault_engine(f, s);
}

bool lun__duckdb_column_make(lun_engine *e, column *c, const char *options, bool copied,
                             lun_array **out, lun__duckdb_fault *f)
{
    if (c->way == LUN__DUCKDB_BYTES && !(options && strstr(options, "blobs")))
        return lun__duckdb_fault_of(f, "unsupported",
                                    "column '%.200s' is %s: {blobs = \"hex\"} or \"base64\" makes "
                                    "it text",
                                    c->name, c->type == LUN__DUCKDB_BLOB ? "BLOB" : "GEOMETRY");
    const bool are_texts = c->way == LUN__DUCKDB_TEXTS || c->way == LUN__DUCKDB_CODES;
    return are_texts ? make_texts(e, c, out, f) : make_arrow(e, c, options, copied, out, f);
}
