/* arrow_stream.c - tables as Arrow's streams, out and in.
 *
 * Invariant: a stream that went out holds columns that need no engine (arrow_out.h), and where it
 * is; one thread at a time uses it, any. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/table/arrow_in.h"
#include "api/table/arrow_out.h"
#include "base/grow.h"
#include "lunarray_bind.h"

/* ---- out ------------------------------------------------------------------------------------- */

typedef struct stream_out {
    lun_arrow_columns *columns;
    int64_t at, step; /* the first row of the next batch; rows of one */
    bool begun;
} stream_out;

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const stream_out *x = s->private_data;
    return lun__arrow_out_schema(x->columns, out) ? 0 : ENOMEM;
}

/* A table without rows has one batch of none. */
static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    stream_out *x = s->private_data;
    const int64_t left = x->columns->rows - x->at, n = left < x->step ? left : x->step;
    if (!left && x->begun) {
        *out = (struct ArrowArray){.release = NULL};
        return 0;
    }
    if (!lun__arrow_out_rows(x->columns, x->at, n, out))
        return ENOMEM;
    x->at += n;
    x->begun = true;
    return 0;
}

/* Nothing but memory can be missing. */
static const char *get_last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "out of memory";
}

static void release_stream(struct ArrowArrayStream *s)
{
    stream_out *x = s->private_data;
    lun__arrow_out_end(x->columns);
    free(x);
    s->release = NULL;
}

lun_status lun_to_arrow_stream(lun_engine *e, lun_table *t, const char *options,
                               struct ArrowArrayStream *out)
{
    LUN_NEED(e, t && out);
    lun_arrow_options o;
    lun_status s = lun__arrow_form_options(e, options, true, &o);
    stream_out *x = s == LUN_OK ? calloc(1, sizeof *x) : NULL;
    if (s == LUN_OK)
        s = x ? lun__arrow_out_columns(e, t, &o, &x->columns) : lun__fail_nomem(e);
    if (s != LUN_OK) {
        free(x);
        return s;
    }
    x->step = o.rows ? o.rows : INT64_MAX;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_stream,
                                     .private_data = x};
    return LUN_OK;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* LUN_EIO with what the producer says of its failure. */
static lun_status fail_stream(lun_engine *e, struct ArrowArrayStream *in, int code)
{
    const char *text = in->get_last_error ? in->get_last_error(in) : NULL;
    return lun__fail(e, code == ENOMEM ? LUN_ENOMEM : LUN_EIO,
                     "the Arrow stream ends with an error: %.2000s",
                     text && *text ? text : strerror(code));
}

/* All batches of a stream. */
static lun_status read_batches(lun_engine *e, struct ArrowArrayStream *in, lun_arrow_batches *b)
{
    lun_status s = LUN_OK;
    while (s == LUN_OK) {
        struct ArrowArray next = {.release = NULL};
        if (!lun__grow(&b->array, b->count, &b->room, sizeof *b->array))
            return lun__fail_nomem(e);
        const int code = in->get_next(in, &next);
        if (code)
            return fail_stream(e, in, code);
        if (!next.release)
            break;
        b->array[b->count++] = next;
        s = lun_host_check(e);
    }
    return s;
}

/* A stream of no struct is that of one column. */
static lun_status make_table(lun_engine *e, const struct ArrowSchema *s, lun_arrow_batches *b,
                             const lun_arrow_options *o, lun_table **out)
{
    if (!s->format || !strcmp(s->format, "+s"))
        return lun__arrow_in_table(e, s, b, o, out);
    const char *name = s->name && *s->name ? s->name : "value";
    const lun_arrow_source from = {s, name, b, -1, o};
    lun_array *column;
    lun_status status = lun__arrow_in_column(e, &from, &column);
    if (status != LUN_OK)
        return status;
    status = lun_table_make(e, &name, &column, 1, out);
    lun_release(column);
    return status;
}

lun_status lun_from_arrow_stream(lun_engine *e, struct ArrowArrayStream *in, const char *options,
                                 lun_table **out)
{
    LUN_NEED(e, in && out);
    lun_arrow_options o;
    struct ArrowSchema schema = {.release = NULL};
    if (!in->release)
        return lun__fail(e, LUN_EARG, "the stream is released already: it can be taken once");
    lun_status s = lun__arrow_form_options(e, options, false, &o);
    if (s != LUN_OK)
        return s;
    const int code = in->get_schema(in, &schema);
    if (code)
        return fail_stream(e, in, code);
    lun_arrow_batches *b = calloc(1, sizeof *b);
    if (b)
        *b = (lun_arrow_batches){.refs = 1, .taken = true};
    s = b ? read_batches(e, in, b) : lun__fail_nomem(e);
    if (s == LUN_OK)
        s = make_table(e, &schema, b, &o, out);
    lun__arrow_in_end(b);
    if (schema.release)
        schema.release(&schema);
    if (s == LUN_OK)
        in->release(in);
    return s;
}
