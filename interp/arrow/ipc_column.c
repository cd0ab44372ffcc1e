/* ipc_column.c - a column of a file as an array of the engine's: its buffers are read and
 * unpacked by all threads, and go in as a stream of Arrow's C interface, which checks the
 * elements.
 *
 * Invariant: `column` lives until the last array on it is released; refs counts these, and its
 * maker, atomically. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_load.h"

/* An array that goes in: rows of one batch, and the values that its codes mean. */
typedef struct piece {
    struct ArrowArray array;
    const void **buffers;
    int64_t dictionary; /* number of its dictionary among those that are read; -1: none */
} piece;

/* The values of a dictionary as it is for some batches. */
typedef struct values {
    int64_t first, count; /* loads: the values and what extends them */
    int64_t from, upto;   /* messages among which these are the last ones */
    lun_ipc_load joined;
    struct ArrowArray array;
    const void **buffers;
} values;

typedef struct column {
    int refs;
    bool nested; /* no array can have it: the engine says why, of a struct with it alone */
    struct ArrowSchema outer, *inner;
    lun_ipc *file;
    lun_ipc_field *field;
    lun_ipc_load *loads; /* of batches, then of dictionaries */
    int64_t count, room, batches;
    piece *pieces;
    values *dictionaries;
    int64_t dictionary_count, at; /* at: the next piece that is asked for */
    int64_t bytes, rows;
    lun_ipc_library library;
} column;

static void end(column *c)
{
    if (__atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL))
        return;
    for (int64_t k = 0; k < c->count; k++)
        lun__ipc_load_free(&c->loads[k]);
    for (int64_t k = 0; c->pieces && k < 2 * c->batches; k++)
        free(c->pieces[k].buffers);
    for (int64_t k = 0; c->dictionaries && k < c->dictionary_count; k++) {
        lun__ipc_load_free(&c->dictionaries[k].joined);
        free(c->dictionaries[k].buffers);
    }
    free(c->dictionaries);
    free(c->pieces);
    free(c->loads);
    free(c);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static lun_ipc_load *add_load(column *c, lun_file_fault *f)
{
    if (c->count == c->room) {
        const int64_t room = c->room ? 2 * c->room : 16;
        lun_ipc_load *more = realloc(c->loads, (size_t)room * sizeof *more);
        if (!more) {
            (void)lun__file_fault_of(f, LUN_ENOMEM);
            return NULL;
        }
        c->loads = more;
        c->room = room;
    }
    lun_ipc_load *l = &c->loads[c->count++];
    *l = (lun_ipc_load){.rows = 0};
    return l;
}

/* Opens the library of a codec, if there is one. */
static bool open_codec(column *c, int codec, lun_file_fault *f)
{
    if (codec == LUN_IPC_NONE || (c->library.function[0] && c->library.codec == codec))
        return true;
    if (c->library.function[0])
        return lun__file_fault(f, "unsupported", "batches of different compressions");
    return lun__ipc_codec_open(c->file->engine, codec, &c->library, f);
}

static bool plan_batches(column *c, int64_t most, lun_file_fault *f)
{
    const lun_ipc_field *field = c->field;
    for (int64_t k = 0; k < c->file->batches.count && c->rows < most; k++) {
        const lun_ipc_batch *b = &c->file->batches.list[k];
        const int64_t left = most - c->rows;
        const lun_ipc_part part = {b,
                                   field->schema.format,
                                   field->schema.name,
                                   field->node,
                                   field->fixed,
                                   field->views,
                                   b->rows < left ? b->rows : left};
        lun_ipc_load *l = open_codec(c, b->codec, f) ? add_load(c, f) : NULL;
        if (!l || !lun__ipc_load_plan(c->file, &part, l, &c->bytes, f))
            return false;
        c->batches++;
        c->rows += part.rows;
    }
    return true;
}

/* Plans the dictionary that the first `upto` messages leave: a dictionary and those that extend it;
 * its number in *out. */
static bool plan_dictionary(column *c, int64_t upto, int64_t *out, lun_file_fault *f)
{
    const lun_ipc_batch *list = c->file->dictionaries.list;
    const struct ArrowSchema *s = c->field->schema.dictionary;
    int64_t first = upto, last = upto;
    while (last > 0 && list[last - 1].id != c->field->id)
        last--;
    for (first = last; first > 0 && (list[first - 1].id != c->field->id || list[first - 1].delta);)
        first--;
    first--;
    if (first < 0)
        return lun__file_fault(f, "format", "column '%s': its dictionary is missing",
                               c->field->schema.name);
    const values *known = c->dictionaries + c->dictionary_count - 1;
    if (c->dictionary_count && known->from == first && known->upto == last) {
        *out = c->dictionary_count - 1;
        return true;
    }
    values v = {.first = c->count, .from = first, .upto = last};
    for (int64_t k = first; k < last; k++) {
        const lun_ipc_part part = {&list[k], s->format, c->field->schema.name, 0,
                                   0,        0,         list[k].rows};
        if (list[k].id != c->field->id)
            continue;
        lun_ipc_load *l = open_codec(c, list[k].codec, f) ? add_load(c, f) : NULL;
        if (!l || !lun__ipc_load_plan(c->file, &part, l, &c->bytes, f))
            return false;
        v.count++;
    }
    c->dictionaries[c->dictionary_count] = v;
    *out = c->dictionary_count++;
    return true;
}

/* Makes room for pieces, two of each batch, and plans their dictionaries. */
static bool plan_pieces(column *c, lun_file_fault *f)
{
    c->pieces = calloc((size_t)(2 * c->batches + 1), sizeof *c->pieces);
    c->dictionaries = calloc((size_t)c->batches + 1, sizeof *c->dictionaries);
    if (!c->pieces || !c->dictionaries)
        return lun__file_fault_of(f, LUN_ENOMEM);
    for (int64_t k = 0; k < c->batches; k++) {
        c->pieces[k].dictionary = -1;
        if (c->field->coded && c->field->schema.dictionary &&
            !plan_dictionary(c, c->file->batches.list[k].dictionaries, &c->pieces[k].dictionary, f))
            return false;
    }
    return true;
}

/* ---- loading --------------------------------------------------------------------------------- */

static void run(void *ctx, int64_t k)
{
    lun__ipc_load_run(&((column *)ctx)->loads[k]);
}

/* Notes what is wrong with the first load that failed; true: none did. */
static bool check_loads(const column *c, lun_file_fault *f)
{
    for (int64_t k = 0; k < c->count; k++) {
        const lun_ipc_load *l = &c->loads[k];
        if (l->reason)
            return lun__file_fault_read(f, l->reason);
        if (l->wrong && !strcmp(l->wrong, "memory"))
            return lun__file_fault_of(f, LUN_ENOMEM);
        if (l->wrong)
            return lun__file_fault(f, "format", "column '%s': %s", c->field->schema.name, l->wrong);
    }
    return true;
}

/* All loads, some at a time, between which the engine may be stopped. */
static bool load(column *c, lun_file_fault *f)
{
    enum { SOME = 64 };
    lun_engine *e = c->file->engine;
    for (int64_t k = 0; k < c->count; k++)
        c->loads[k].library = &c->library;
    column part = *c;
    for (int64_t first = 0; first < c->count; first += SOME) {
        part.loads = c->loads + first;
        lun_host_share(e, c->count - first < SOME ? c->count - first : SOME, &part, run);
        const lun_status s = lun_host_check(e);
        if (s != LUN_OK)
            return lun__file_fault_of(f, s);
    }
    return check_loads(c, f);
}

static void release_array(struct ArrowArray *a)
{
    column *c = a->private_data;
    a->release = NULL;
    end(c);
}

/* Of an array within another one, which owns it. */
static void release_inner(struct ArrowArray *a)
{
    a->release = NULL;
}

static bool make_dictionary(column *c, values *v, lun_file_fault *f)
{
    const lun_ipc_load *l = &c->loads[v->first];
    if (v->count > 1) {
        if (!lun__ipc_load_fits(l, v->count))
            return lun__file_fault(f, "unsupported", "column '%s': a dictionary of more than 2 GB",
                                   c->field->schema.name);
        if (!lun__ipc_load_join(&c->loads[v->first], v->count, &v->joined, &c->bytes))
            return lun__file_fault_of(f, LUN_ENOMEM);
        l = &v->joined;
    }
    v->buffers = calloc((size_t)l->count + 2, sizeof *v->buffers);
    if (!v->buffers)
        return lun__file_fault_of(f, LUN_ENOMEM);
    lun__ipc_load_array(l, v->buffers, &v->array);
    v->array.release = release_inner;
    return true;
}

/* Arrays of the pieces.  The rows of an only batch are two arrays: what is several the engine
 * copies into memory that its limit counts. */
static bool make_pieces(column *c, lun_file_fault *f)
{
    for (int64_t k = 0; k < c->dictionary_count; k++)
        if (!make_dictionary(c, &c->dictionaries[k], f))
            return false;
    for (int64_t k = 0; k < c->batches; k++) {
        piece *p = &c->pieces[k];
        p->buffers = calloc((size_t)c->loads[k].count + 2, sizeof *p->buffers);
        if (!p->buffers)
            return lun__file_fault_of(f, LUN_ENOMEM);
        lun__ipc_load_array(&c->loads[k], p->buffers, &p->array);
        p->array.private_data = c;
        p->array.release = release_array;
        if (p->dictionary >= 0)
            p->array.dictionary = &c->dictionaries[p->dictionary].array;
    }
    if (c->batches == 1 && c->rows > 1) {
        struct ArrowArray *a = &c->pieces[0].array, *rest = &c->pieces[1].array;
        *rest = *a;
        a->length = rest->offset = c->rows / 2;
        rest->length -= a->length;
    }
    return true;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const column *c = s->private_data;
    *out = c->nested ? c->outer : c->field->schema;
    out->release = release_schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    column *c = s->private_data;
    const int64_t count = c->batches == 1 && c->rows > 1 ? 2 : c->batches;
    *out = (struct ArrowArray){.release = NULL};
    if (c->at == count)
        return 0;
    *out = c->pieces[c->at++].array;
    __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
    return 0;
}

static void release_stream(struct ArrowArrayStream *s)
{
    s->release = NULL;
}

/* The array that a stream of the pieces comes to. */
static bool import(column *c, const char *options, lun_array **out, lun_file_fault *f)
{
    lun_engine *e = c->file->engine;
    struct ArrowArrayStream in = {.get_schema = get_schema,
                                  .get_next = get_next,
                                  .release = release_stream,
                                  .private_data = c};
    lun_table *t = NULL;
    lun_status s = lun_from_arrow_stream(e, &in, options, &t);
    if (s == LUN_EARG || s == LUN_EDTYPE)
        return lun__file_fault(f, s == LUN_EARG ? "format" : "unsupported", "%s",
                               lun_error_from(e, 1));
    if (s == LUN_OK)
        s = lun_table_column(e, t, lun_table_name(t, 0), out);
    lun_table_release(t);
    return s == LUN_OK || lun__file_fault_of(f, s);
}

/* Counts what is read, and in the end gives back what the engine has not kept. */
static bool load_counted(column *c, const char *options, lun_array **out, lun_file_fault *f)
{
    lun_engine *e = c->file->engine;
    const int64_t bytes = c->bytes;
    if (!lun_memory_take(e, bytes)) {
        char text[128];
        snprintf(text, sizeof text, "memory limit reached: a column of the file takes %lld bytes",
                 (long long)bytes);
        return lun__file_fault_of(f, lun_fail(e, LUN_ELIMIT, text));
    }
    const bool good = load(c, f) && make_pieces(c, f) && import(c, options, out, f);
    lun_memory_give(e, bytes);
    return good;
}

bool lun__ipc_column(lun_engine *e, lun_ipc *x, int64_t k, int64_t most, const char *options,
                     lun_array **out, lun_file_fault *f)
{
    (void)e;
    *f = (lun_file_fault){.status = LUN_OK};
    column *c = calloc(1, sizeof *c);
    if (!c)
        return lun__file_fault_of(f, LUN_ENOMEM);
    *c = (column){.refs = 1, .file = x, .field = &x->fields[k]};
    int64_t width;
    const struct ArrowSchema *s = c->field->schema.dictionary;
    s = s ? s : &c->field->schema;
    c->nested = lun__ipc_schema_way(s->format, &width) == LUN_IPC_NESTED;
    c->inner = &c->field->schema;
    c->outer = (struct ArrowSchema){.format = "+s", .n_children = 1, .children = &c->inner};
    const bool good = c->nested ? import(c, options, out, f)
                                : plan_batches(c, most, f) && plan_pieces(c, f) &&
                                      load_counted(c, options, out, f);
    end(c);
    return good;
}

int64_t lun__ipc_column_place(const lun_ipc *x, int64_t k)
{
    const lun_ipc_field *field = &x->fields[k];
    const lun_ipc_batch *b = x->batches.list;
    lun_file_fault f = {.status = LUN_OK};
    lun_ipc_load l;
    int64_t bytes = 0, at = -1;
    if (x->batches.count != 1 || b->codec != LUN_IPC_NONE || field->schema.dictionary ||
        !strchr("cCsSiIlLefg", *field->schema.format) || field->schema.format[1])
        return -1;
    const lun_ipc_part part = {b,           field->schema.format, field->schema.name,
                               field->node, field->fixed,         field->views,
                               b->rows};
    if (lun__ipc_load_plan(x, &part, &l, &bytes, &f) && !l.nulls && l.rows)
        at = l.buffer[1].at;
    lun__ipc_load_free(&l);
    return at;
}
