/* ipc_write.c - batches of Arrow's C stream interface as a file or a stream of Arrow's, laid out as
 * ipc_file.c says, version 5: a batch for each, of which bodies begin at multiples of 64 bytes, and
 * buffers in them.
 *
 * Texts come as views, or codes of views; they go out as offsets and bytes, of 4 bytes unless a
 * batch has more than 2^31 - 1 of them. */
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_state.h"

enum { ALIGNED = 64, STATED = 8, PREFIX = 8, NODE = 16, BLOCK = 24 };
enum { SCHEMA = 1, DICTIONARY, ROWS };
enum { V5 = 4, BUFFERS = 3 };

/* A buffer that goes out: `own` is to be freed. */
typedef struct piece {
    const void *bytes;
    void *own;
    int64_t size;
} piece;

typedef struct column {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array; /* the rows that are written now */
    bool text, wide, coded;         /* wide: offsets of 8 bytes; coded: codes go out */
    int count;
    piece piece[BUFFERS];
    bool failed;
} column;

/* Where a message is in the file. */
typedef struct block {
    int64_t at, head, body;
} block;

typedef struct blocks {
    block *list;
    int64_t count, room;
} blocks;

typedef struct writer {
    lun_engine *engine;
    const lun_ipc_form *form;
    const lun_ipc_sink *to;
    lun_file_fault *fault;
    lun_ipc_library library;
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    int64_t count, room, at; /* at: bytes written */
    column *columns;
    int64_t width;
    blocks dictionaries, rows;
} writer;

static bool no_memory(writer *w)
{
    return lun__file_fault_of(w->fault, LUN_ENOMEM);
}

static bool put_bytes(writer *w, const void *bytes, int64_t n)
{
    w->at += n;
    if (!n || w->to->write(w->to->ctx, bytes, n))
        return true;
    w->fault->reason = -1; /* errno says which */
    return false;
}

static int64_t padding(int64_t n)
{
    return (ALIGNED - n % ALIGNED) % ALIGNED;
}

static bool put_zeros(writer *w, int64_t n)
{
    static const char zeros[ALIGNED];
    return put_bytes(w, zeros, n);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The view of element k of an array of views, or of codes of them. */
static lun_text_view view_of(const struct ArrowArray *a, int64_t width, int64_t k,
                             const struct ArrowArray **views)
{
    uint64_t at = (uint64_t)(a->offset + k);
    lun_text_view v;
    *views = a;
    if (a->dictionary) {
        const char *codes = a->buffers[1];
        uint64_t code = 0;
        memcpy(&code, codes + at * (uint64_t)width, (size_t)width);
        *views = a->dictionary;
        at = code;
    }
    memcpy(&v, (const char *)(*views)->buffers[1] + at * sizeof v, sizeof v);
    return v;
}

static bool is_there(const struct ArrowArray *a, int64_t k)
{
    const uint8_t *bits = a->null_count ? a->buffers[0] : NULL;
    const int64_t at = a->offset + k;
    return !bits || bits[at / 8] >> at % 8 & 1;
}

/* Bytes of all texts of an array. */
static int64_t count_bytes(const struct ArrowArray *a, int64_t width)
{
    const struct ArrowArray *views;
    int64_t bytes = 0;
    for (int64_t k = 0; k < a->length; k++)
        bytes += is_there(a, k) ? view_of(a, width, k, &views).length : 0;
    return bytes;
}

/* Offsets and bytes of the texts of an array. */
static bool spell(column *c, const struct ArrowArray *a, int64_t width)
{
    const int step = c->wide ? 8 : 4;
    const int64_t n = a->length, bytes = count_bytes(a, width);
    char *offsets = calloc((size_t)n + 1, (size_t)step), *to = malloc((size_t)bytes + 1);
    int64_t used = 0;
    c->piece[1] = (piece){offsets, offsets, (n + 1) * step};
    c->piece[2] = (piece){to, to, bytes};
    c->count = BUFFERS;
    for (int64_t k = 0; offsets && to && k < n; k++) {
        const struct ArrowArray *views;
        if (is_there(a, k)) {
            const lun_text_view v = view_of(a, width, k, &views);
            const char *text = v.as.in_place;
            if (v.length > (int32_t)sizeof v.as.in_place)
                text = (const char *)views->buffers[2 + v.as.far.buffer] + v.as.far.offset;
            memcpy(to + used, text, (size_t)v.length);
            used += v.length;
        }
        memcpy(offsets + (k + 1) * step, &used, (size_t)step); /* the low bytes */
    }
    return offsets && to;
}

/* ---- buffers of a column --------------------------------------------------------------------- */

static bool pack(const lun_ipc_library *l, piece *p)
{
    const int64_t bound = lun__ipc_codec_bound(l, p->size);
    char *to = malloc((size_t)bound + STATED);
    if (!to)
        return false;
    int64_t made = lun__ipc_codec_pack(l, p->bytes, p->size, to + STATED, bound);
    int64_t stated = p->size;
    if (made < 0 || made >= p->size) { /* as it stands */
        made = p->size;
        stated = -1;
        if (made > bound) {
            free(to);
            return false;
        }
        memcpy(to + STATED, p->bytes, (size_t)made);
    }
    memcpy(to, &stated, sizeof stated);
    free(p->own);
    *p = (piece){to, to, made + STATED};
    return true;
}

/* The buffers of the rows of a column. */
static bool prepare(column *c, const struct ArrowArray *a)
{
    int64_t width;
    const bool texts = c->text && (!c->coded || a->dictionary == NULL);
    const lun_ipc_way way = lun__ipc_schema_way(c->schema->format, &width);
    const char *data = a->n_buffers > 1 ? a->buffers[1] : NULL;
    c->count = 2;
    c->piece[0] = (piece){.bytes = NULL};
    if (a->null_count) /* batches begin at multiples of 8 rows */
        c->piece[0] =
            (piece){(const char *)a->buffers[0] + a->offset / 8, NULL, (a->length + 7) / 8};
    if (texts)
        return spell(c, a, width);
    if (way == LUN_IPC_BITS)
        c->piece[1] = (piece){data + a->offset / 8, NULL, (a->length + 7) / 8};
    else
        c->piece[1] = (piece){data + a->offset * width, NULL, a->length * width};
    return true;
}

typedef struct batch_work {
    column *columns;
    const lun_ipc_library *library;
    bool packs;
} batch_work;

/* Task: the buffers of column k. */
static void prepare_one(void *ctx, int64_t k)
{
    const batch_work *w = ctx;
    column *c = &w->columns[k];
    c->failed = !prepare(c, c->array);
    for (int i = 0; w->packs && i < c->count && !c->failed; i++)
        c->failed = c->piece[i].size && !pack(w->library, &c->piece[i]);
}

static void free_pieces(column *c)
{
    for (int k = 0; k < BUFFERS; k++) {
        free(c->piece[k].own);
        c->piece[k] = (piece){.bytes = NULL};
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A message whose header is of a kind; where the offset of the header is. */
static int64_t start_message(lun_flatbuffer_made *m, int kind, int64_t body)
{
    static const uint8_t fields[] = {2, 1, 4, 8};
    int64_t at[4];
    lun__flatbuffer_start(m);
    lun__flatbuffer_put_table(m, 0, fields, 4, at);
    lun__flatbuffer_put(m, at[0], 2, V5);
    lun__flatbuffer_put(m, at[1], 1, kind);
    lun__flatbuffer_put(m, at[3], 8, body);
    return at[2];
}

/* Writes a description with its prefix, so that what follows is aligned; *head: their bytes. */
static bool put_message(writer *w, const lun_flatbuffer_made *m, int64_t *head)
{
    uint8_t prefix[PREFIX];
    lun_flatbuffer_made p = {prefix, PREFIX, PREFIX, false};
    if (m->failed)
        return no_memory(w);
    const int64_t pad = padding(w->at + PREFIX + m->size);
    *head = PREFIX + m->size + pad;
    lun__flatbuffer_put(&p, 0, 4, -1);
    lun__flatbuffer_put(&p, 4, 4, m->size + pad);
    return put_bytes(w, prefix, PREFIX) && put_bytes(w, m->bytes, m->size) && put_zeros(w, pad);
}

/* The table of an integer type. */
static void put_integer(lun_flatbuffer_made *m, int64_t from, const char *format)
{
    static const uint8_t fields[] = {4, 1};
    int64_t at[2], width;
    (void)lun__ipc_schema_way(format, &width);
    lun__flatbuffer_put_table(m, from, fields, 2, at);
    lun__flatbuffer_put(m, at[0], 4, 8 * width);
    lun__flatbuffer_put(m, at[1], 1, *format >= 'a');
}

/* The table of a type that columns go out as, and its number, at `which`. */
static void put_type(lun_flatbuffer_made *m, int64_t which, int64_t from, const char *format)
{
    enum {
        INTEGER = 2,
        FLOAT,
        UTF8 = 5,
        BOOL,
        DATE = 8,
        TIMESTAMP = 10,
        DURATION = 18,
        LARGE = 20
    };
    static const uint8_t unit[] = {2};
    int64_t at[1];
    const bool is_time = *format == 't', is_float = strchr("efg", *format);
    const int type = is_time          ? (format[1] == 'd'   ? DATE
                                         : format[1] == 's' ? TIMESTAMP
                                                            : DURATION)
                     : is_float       ? FLOAT
                     : *format == 'b' ? BOOL
                     : *format == 'u' ? UTF8
                     : *format == 'U' ? LARGE
                                      : INTEGER;
    lun__flatbuffer_put(m, which, 1, type);
    if (type == INTEGER) {
        put_integer(m, from, format);
        return;
    }
    lun__flatbuffer_put_table(m, from, unit, is_time || is_float, at);
    if (is_float)
        lun__flatbuffer_put(m, at[0], 2, *format - 'e');
    else if (is_time) /* days 0, microseconds 2 */
        lun__flatbuffer_put(m, at[0], 2, type == DATE ? 0 : 2);
}

static void put_field(lun_flatbuffer_made *m, const column *c, int64_t k, int64_t from)
{
    const uint8_t fields[] = {4, 1, 1, 4, c->coded ? 4 : 0, 4};
    static const uint8_t encoding[] = {8, 4};
    const char *text = c->wide ? "U" : "u";
    int64_t at[6], code[2];
    lun__flatbuffer_put_table(m, from, fields, 6, at);
    lun__flatbuffer_put_text(m, at[0], c->schema->name);
    lun__flatbuffer_put(m, at[1], 1, 1); /* nullable */
    put_type(m, at[2], at[3], c->text ? text : c->schema->format);
    if (c->coded) {
        lun__flatbuffer_put_table(m, at[4], encoding, 2, code);
        lun__flatbuffer_put(m, code[0], 8, k);
        put_integer(m, code[1], c->schema->format);
    }
    (void)lun__flatbuffer_put_vector(m, at[5], 0, 4);
}

static void put_schema(const writer *w, lun_flatbuffer_made *m, int64_t from)
{
    static const uint8_t fields[] = {2, 4};
    int64_t at[2];
    lun__flatbuffer_put_table(m, from, fields, 2, at);
    const int64_t list = lun__flatbuffer_put_vector(m, at[1], w->width, 4);
    for (int64_t k = 0; k < w->width; k++)
        put_field(m, &w->columns[k], k, list + 4 * k);
}

/* The description of rows of some columns, whose buffers are prepared; bytes of the body. */
static int64_t put_rows(const writer *w, const column *list, int64_t n, int64_t rows,
                        lun_flatbuffer_made *m, int64_t from)
{
    static const uint8_t codec[] = {1, 1};
    const bool packs = w->form->codec != LUN_IPC_NONE;
    const uint8_t fields[] = {8, 4, 4, packs ? 4 : 0};
    int64_t at[4], how[2], body = 0, count = 0;
    for (int64_t k = 0; k < n; k++)
        count += list[k].count;
    lun__flatbuffer_put_table(m, from, fields, 4, at);
    lun__flatbuffer_put(m, at[0], 8, rows);
    int64_t node = lun__flatbuffer_put_vector(m, at[1], n, NODE);
    int64_t buffer = lun__flatbuffer_put_vector(m, at[2], count, NODE);
    if (packs) {
        lun__flatbuffer_put_table(m, at[3], codec, 2, how);
        lun__flatbuffer_put(m, how[0], 1, w->form->codec);
    }
    for (int64_t k = 0; k < n; k++, node += NODE) {
        lun__flatbuffer_put(m, node, 8, rows);
        lun__flatbuffer_put(m, node + 8, 8, list[k].array->null_count);
        for (int i = 0; i < list[k].count; i++, buffer += NODE) {
            const int64_t size = list[k].piece[i].size;
            lun__flatbuffer_put(m, buffer, 8, body);
            lun__flatbuffer_put(m, buffer + 8, 8, size);
            body += size + padding(size);
        }
    }
    return body;
}

static bool put_body(writer *w, const column *list, int64_t n)
{
    bool good = true;
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; good && i < list[k].count; i++) {
            const piece *p = &list[k].piece[i];
            good = put_bytes(w, p->bytes, p->size) && put_zeros(w, padding(p->size));
        }
    return good;
}

static bool note_block(writer *w, blocks *b, block added)
{
    if (b->count == b->room) {
        const int64_t room = b->room ? 2 * b->room : 16;
        block *more = realloc(b->list, (size_t)room * sizeof *more);
        if (!more)
            return no_memory(w);
        b->list = more;
        b->room = room;
    }
    b->list[b->count++] = added;
    return true;
}

/* Writes rows of columns whose arrays are set; kind DICTIONARY: of one, the values of dictionary
 * `id`. */
static bool put_batch(writer *w, column *list, int64_t n, int64_t rows, int kind, int64_t id)
{
    static const uint8_t fields[] = {8, 4};
    batch_work work = {list, &w->library, w->form->codec != LUN_IPC_NONE};
    lun_flatbuffer_made m;
    int64_t at[2];
    bool good = true;
    lun_host_share(w->engine, n, &work, prepare_one);
    for (int64_t k = 0; k < n; k++)
        good = good && !list[k].failed;
    if (!good)
        (void)no_memory(w);
    int64_t from = start_message(&m, kind, 0);
    if (kind == DICTIONARY) {
        lun__flatbuffer_put_table(&m, from, fields, 2, at);
        lun__flatbuffer_put(&m, at[0], 8, id);
        from = at[1];
    }
    block b = {.at = w->at};
    b.body = put_rows(w, list, n, rows, &m, from);
    if (!m.failed) { /* field 3 of the message, now that it is known */
        lun_flatbuffer made = {m.bytes, m.size, false};
        const lun_flatbuffer_table t = lun__flatbuffer_root(&made);
        lun__flatbuffer_put(&m, t.at + lun__flatbuffer_number(&made, t.fields + 4 + 2 * 3, 2), 8,
                            b.body);
    }
    good = good && put_message(w, &m, &b.head) && put_body(w, list, n) &&
           note_block(w, kind == ROWS ? &w->rows : &w->dictionaries, b);
    for (int64_t k = 0; k < n; k++)
        free_pieces(&list[k]);
    lun__flatbuffer_end(&m);
    return good;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool put_start(writer *w)
{
    lun_flatbuffer_made m;
    int64_t head;
    if (!w->form->stream && !put_bytes(w, "ARROW1\0\0", PREFIX))
        return false;
    put_schema(w, &m, start_message(&m, SCHEMA, 0));
    const bool good = put_message(w, &m, &head);
    lun__flatbuffer_end(&m);
    return good;
}

static void put_blocks(lun_flatbuffer_made *m, int64_t from, const blocks *b)
{
    int64_t at = lun__flatbuffer_put_vector(m, from, b->count, BLOCK);
    for (int64_t k = 0; k < b->count; k++, at += BLOCK) {
        lun__flatbuffer_put(m, at, 8, b->list[k].at);
        lun__flatbuffer_put(m, at + 8, 4, b->list[k].head);
        lun__flatbuffer_put(m, at + 16, 8, b->list[k].body);
    }
}

static bool put_end(writer *w)
{
    static const uint8_t fields[] = {2, 4, 4, 4};
    static const uint8_t mark[PREFIX] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    uint8_t length[4];
    lun_flatbuffer_made m, n = {length, 4, 4, false};
    int64_t at[4];
    if (!put_bytes(w, mark, PREFIX) || w->form->stream)
        return !w->fault->reason;
    lun__flatbuffer_start(&m);
    lun__flatbuffer_put_table(&m, 0, fields, 4, at);
    lun__flatbuffer_put(&m, at[0], 2, V5);
    put_schema(w, &m, at[1]);
    put_blocks(&m, at[2], &w->dictionaries);
    put_blocks(&m, at[3], &w->rows);
    lun__flatbuffer_put(&n, 0, 4, m.size);
    const bool good = m.failed ? no_memory(w)
                               : put_bytes(w, m.bytes, m.size) && put_bytes(w, length, 4) &&
                                     put_bytes(w, "ARROW1", 6);
    lun__flatbuffer_end(&m);
    return good;
}

/* All batches of the stream, which share the memory of its columns. */
static bool take_batches(writer *w, struct ArrowArrayStream *in)
{
    for (;;) {
        struct ArrowArray next = {.release = NULL};
        if (w->count == w->room) {
            const int64_t room = w->room ? 2 * w->room : 16;
            struct ArrowArray *more = realloc(w->batches, (size_t)room * sizeof *more);
            if (!more)
                return no_memory(w);
            w->batches = more;
            w->room = room;
        }
        if (in->get_next(in, &next))
            return no_memory(w);
        if (!next.release)
            return true;
        w->batches[w->count++] = next;
    }
}

/* How each column goes out. */
static bool take_columns(writer *w)
{
    w->width = w->schema.n_children;
    w->columns = calloc((size_t)w->width + 1, sizeof *w->columns);
    if (!w->columns)
        return no_memory(w);
    for (int64_t k = 0; k < w->width; k++) {
        column *c = &w->columns[k];
        const struct ArrowSchema *s = c->schema = w->schema.children[k];
        int64_t width;
        (void)lun__ipc_schema_way(s->format, &width);
        c->text = s->dictionary || *s->format == 'v';
        c->coded = s->dictionary && w->form->codes;
        for (int64_t b = 0; c->text && b < w->count; b++) {
            const struct ArrowArray *a = w->batches[b].children[k];
            const int64_t bytes = c->coded ? count_bytes(a->dictionary, 0) : count_bytes(a, width);
            c->wide = c->wide || bytes > INT32_MAX;
            if (c->coded)
                break;
        }
    }
    return true;
}

static bool put_dictionaries(writer *w)
{
    bool good = true;
    for (int64_t k = 0; good && k < w->width; k++) {
        column values = w->columns[k];
        if (!values.coded || !w->count)
            continue;
        values.array = w->batches[0].children[k]->dictionary;
        good = put_batch(w, &values, 1, values.array->length, DICTIONARY, k);
    }
    return good;
}

static bool write_all(writer *w, struct ArrowArrayStream *in)
{
    if (in->get_schema(in, &w->schema))
        return no_memory(w);
    bool good = lun__ipc_codec_open(w->engine, w->form->codec, &w->library, w->fault) &&
                take_batches(w, in) && take_columns(w) && put_start(w) && put_dictionaries(w);
    for (int64_t b = 0; good && b < w->count; b++) {
        for (int64_t k = 0; k < w->width; k++)
            w->columns[k].array = w->batches[b].children[k];
        good = put_batch(w, w->columns, w->width, w->batches[b].length, ROWS, 0);
        const lun_status s = good ? lun_host_check(w->engine) : LUN_OK;
        good = good && (s == LUN_OK || lun__file_fault_of(w->fault, s));
    }
    return good && put_end(w);
}

bool lun__ipc_write(lun_engine *e, struct ArrowArrayStream *in, const lun_ipc_form *form,
                    const lun_ipc_sink *to, lun_file_fault *f)
{
    writer w = {.engine = e, .form = form, .to = to, .fault = f};
    *f = (lun_file_fault){.status = LUN_OK};
    const bool good = write_all(&w, in);
    for (int64_t b = 0; b < w.count; b++)
        w.batches[b].release(&w.batches[b]);
    if (w.schema.release)
        w.schema.release(&w.schema);
    free(w.batches);
    free(w.columns);
    free(w.dictionaries.list);
    free(w.rows.list);
    return good;
}
