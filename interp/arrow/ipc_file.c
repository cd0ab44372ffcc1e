/* ipc_file.c - opens files and streams of Arrow's: the schema, and where batches are.
 *
 * A stream is messages; a message is
 *   0  4  FF FF FF FF (absent before Arrow 0.15)
 *   4  4  bytes of the description; 0: the stream ends here
 *   8  n  the description, a FlatBuffer (Message.fbs), and zeros
 *      m  the body: buffers
 * A file is "ARROW1" and two zeros, such a stream, the footer, a FlatBuffer (File.fbs), its length
 * in 4 bytes, "ARROW1".
 *
 * Field numbers: Message: version 0, header_type 1, header 2, bodyLength 3.  RecordBatch: length 0,
 * nodes 1, buffers 2, compression 3, variadicBufferCounts 4.  DictionaryBatch: id 0, data 1,
 * isDelta 2.  BodyCompression: codec 0, method 1.  Footer: version 0, schema 1, dictionaries 2,
 * recordBatches 3.  Block, a struct: offset 0, metaDataLength 8, bodyLength 16. */
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_state.h"

enum { SCHEMA = 1, DICTIONARY, ROWS };
enum { V4 = 3, V5 = 4 };
enum { PREFIX = 8, BLOCK = 24, TAIL = 10 };

static bool read_at(lun_ipc *x, int64_t at, int64_t n, void *to, lun_file_fault *f)
{
    if (at < 0 || n < 0 || n > x->source.size || at > x->source.size - n)
        return lun__file_fault(f, "short",
                               "the file is cut short: %lld bytes at byte %lld are wanted, "
                               "it has %lld",
                               (long long)n, (long long)at, (long long)x->source.size);
    return !n || lun__file_fault_read(f, x->source.read(x->source.ctx, at, n, to));
}

static bool damaged(lun_file_fault *f, int64_t at)
{
    return lun__file_fault(f, "format", "the message at byte %lld is damaged", (long long)at);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A message: its place, what it describes, and its body. */
typedef struct message {
    int64_t at, body, body_size;
    int kind; /* 0: the end of the stream */
    lun_flatbuffer *flat;
    lun_flatbuffer_table header;
} message;

/* Bytes of the source as a FlatBuffer of its own memory; NULL: *f. */
static lun_flatbuffer *read_flat(lun_ipc *x, int64_t at, int64_t n, lun_file_fault *f)
{
    if (n < 0 || n > x->source.size) {
        (void)read_at(x, at, n < 0 ? INT64_MAX : n, NULL, f);
        return NULL;
    }
    lun_flatbuffer *flat = malloc(sizeof *flat + (size_t)n);
    if (!flat) {
        (void)lun__file_fault_of(f, LUN_ENOMEM);
        return NULL;
    }
    *flat = (lun_flatbuffer){.bytes = (const uint8_t *)(flat + 1), .size = n};
    if (read_at(x, at, n, flat + 1, f))
        return flat;
    free(flat);
    return NULL;
}

/* The message at byte `at`, whose memory is the caller's if this succeeds. */
static bool read_message(lun_ipc *x, int64_t at, message *m, lun_file_fault *f)
{
    uint8_t prefix[PREFIX] = {0};
    *m = (message){.at = at};
    if (!read_at(x, at, 4, prefix, f))
        return false;
    lun_flatbuffer head = {prefix, PREFIX, false};
    int64_t from = at + 4, n = lun__flatbuffer_number(&head, 0, 4);
    if (n == -1) {
        if (!read_at(x, from, 4, prefix + 4, f))
            return false;
        from += 4;
        n = lun__flatbuffer_number(&head, 4, 4);
    }
    m->body = from + n;
    if (!n)
        return true;
    if (n < 0)
        return damaged(f, at);
    m->flat = read_flat(x, from, n, f);
    if (!m->flat)
        return false;
    const lun_flatbuffer_table t = lun__flatbuffer_root(m->flat);
    const int64_t version = lun__flatbuffer_field(t, 0, 2, 0);
    m->kind = (int)lun__flatbuffer_field(t, 1, 1, 0);
    m->header = lun__flatbuffer_child(t, 2);
    m->body_size = lun__flatbuffer_field(t, 3, 8, 0);
    x->version = (int)version;
    if (m->flat->bad || !m->header.at || m->body_size < 0)
        (void)damaged(f, at);
    else if (version != V4 && version != V5)
        (void)lun__file_fault(f, "unsupported", "version %lld of Arrow's format; 4 and 5 are read",
                              (long long)version + 1);
    else if (m->body_size > x->source.size - m->body)
        (void)read_at(x, m->body, m->body_size, NULL, f);
    else
        return true;
    free(m->flat);
    return false;
}

/* ---- batches --------------------------------------------------------------------------------- */

static lun_ipc_batch *add_batch(lun_ipc_batches *list)
{
    if (list->count == list->room) {
        const int64_t room = list->room ? list->room * 2 : 16;
        lun_ipc_batch *more = realloc(list->list, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        list->list = more;
        list->room = room;
    }
    return &list->list[list->count];
}

/* What a message says of rows, or of the values of a dictionary. */
static bool take_rows(const message *m, lun_flatbuffer_table rows, lun_ipc_batch *b,
                      lun_file_fault *f)
{
    const lun_flatbuffer_table codec = lun__flatbuffer_child(rows, 3);
    *b = (lun_ipc_batch){.flat = m->flat,
                         .at = m->body,
                         .size = m->body_size,
                         .rows = lun__flatbuffer_field(rows, 0, 8, 0),
                         .nodes = lun__flatbuffer_vector(rows, 1, 16),
                         .buffers = lun__flatbuffer_vector(rows, 2, 16),
                         .variadic = lun__flatbuffer_vector(rows, 4, 8),
                         .codec =
                             codec.at ? (int)lun__flatbuffer_field(codec, 0, 1, 0) : LUN_IPC_NONE};
    if (m->flat->bad || !rows.at || b->rows < 0)
        return damaged(f, m->at);
    if (b->codec < LUN_IPC_NONE || b->codec > LUN_IPC_ZSTD ||
        (codec.at && lun__flatbuffer_field(codec, 1, 1, 0)) ||
        (codec.at && b->codec == LUN_IPC_NONE))
        return lun__file_fault(f, "unsupported", "a compression that is neither lz4 nor zstd");
    return true;
}

/* Adds a message of rows or of a dictionary, whose memory is the file's from now on. */
static bool add_message(lun_ipc *x, message *m, lun_file_fault *f)
{
    const bool is_rows = m->kind == ROWS;
    lun_ipc_batches *list = is_rows ? &x->batches : &x->dictionaries;
    lun_ipc_batch *b = m->kind == ROWS || m->kind == DICTIONARY ? add_batch(list) : NULL;
    bool good = false;
    if (m->kind != ROWS && m->kind != DICTIONARY)
        (void)lun__file_fault(f, "format", "the message at byte %lld is none of rows",
                              (long long)m->at);
    else if (!b)
        (void)lun__file_fault_of(f, LUN_ENOMEM);
    else
        good = take_rows(m, is_rows ? m->header : lun__flatbuffer_child(m->header, 1), b, f);
    if (!good) {
        free(m->flat);
        return false;
    }
    list->count++;
    b->dictionaries = x->dictionaries.count;
    if (!is_rows) {
        b->id = lun__flatbuffer_field(m->header, 0, 8, 0);
        b->delta = lun__flatbuffer_field(m->header, 2, 1, 0);
    } else if (__builtin_add_overflow(x->rows, b->rows, &x->rows) || x->rows > INT64_MAX / 64) {
        return damaged(f, m->at);
    }
    return !m->flat->bad || damaged(f, m->at);
}

/* ---- streams and files ----------------------------------------------------------------------- */

/* Whether the source may begin with a message. */
static bool may_be_stream(const lun_ipc *x, const uint8_t *first)
{
    lun_flatbuffer head = {first, PREFIX, false};
    const int64_t n = lun__flatbuffer_number(&head, 0, 4);
    return x->source.size < PREFIX || n == -1 || (n > 0 && n <= x->source.size);
}

/* The schema that a stream begins with; *at: where the next message is. */
static bool read_schema(lun_ipc *x, int64_t *at, lun_file_fault *f)
{
    message m;
    if (!read_message(x, *at, &m, f))
        return false;
    const bool good = m.kind == SCHEMA ? lun__ipc_schema_read(x, m.header, f)
                                       : lun__file_fault(f, "format",
                                                         "no file of Arrow's: it does not "
                                                         "begin with a schema");
    free(m.flat);
    *at = m.body + m.body_size;
    return good;
}

static bool read_stream(lun_ipc *x, lun_file_fault *f)
{
    int64_t at = 0;
    if (!read_schema(x, &at, f))
        return false;
    for (;;) {
        message m;
        if (at == x->source.size)
            return lun__file_fault(f, "short",
                                   "the stream is cut short: it has no mark of its end");
        if (!read_message(x, at, &m, f))
            return false;
        if (!m.kind)
            break;
        if (!add_message(x, &m, f))
            return false;
        at = m.body + m.body_size;
        const lun_status s = lun_host_check(x->engine);
        if (s != LUN_OK)
            return lun__file_fault_of(f, s);
    }
    at += PREFIX;
    return at >= x->source.size ||
           lun__file_fault(f, "long", "%lld bytes are behind the end of the stream",
                           (long long)(x->source.size - at));
}

/* The messages of a footer's blocks, which stand before byte `end`. */
static bool read_blocks(lun_ipc *x, lun_flatbuffer_vector blocks, int kind, int64_t end,
                        lun_file_fault *f)
{
    for (int64_t k = 0; k < blocks.count; k++) {
        const int64_t block = blocks.at + k * BLOCK;
        const int64_t at = lun__flatbuffer_number(blocks.in, block, 8);
        const int64_t head = lun__flatbuffer_number(blocks.in, block + 8, 4);
        const int64_t size = lun__flatbuffer_number(blocks.in, block + 16, 8);
        message m;
        if (blocks.in->bad || at < PREFIX || head < PREFIX || size < 0 || head > end ||
            size > end || at > end - head - size)
            return lun__file_fault(f, "format", "the footer is damaged");
        if (!read_message(x, at, &m, f))
            return false;
        if (m.kind != kind || m.body != at + head || m.body_size != size) {
            free(m.flat);
            return damaged(f, at);
        }
        const lun_status s = lun_host_check(x->engine);
        if (!add_message(x, &m, f) || s != LUN_OK)
            return lun__file_fault_of(f, s);
    }
    return true;
}

static bool read_footer(lun_ipc *x, lun_flatbuffer *flat, int64_t end, lun_file_fault *f)
{
    const lun_flatbuffer_table t = lun__flatbuffer_root(flat);
    x->version = (int)lun__flatbuffer_field(t, 0, 2, 0);
    const lun_flatbuffer_table schema = lun__flatbuffer_child(t, 1);
    if (flat->bad || !schema.at)
        return lun__file_fault(f, "format", "the footer is damaged");
    return lun__ipc_schema_read(x, schema, f) &&
           read_blocks(x, lun__flatbuffer_vector(t, 2, BLOCK), DICTIONARY, end, f) &&
           read_blocks(x, lun__flatbuffer_vector(t, 3, BLOCK), ROWS, end, f) &&
           (!flat->bad || lun__file_fault(f, "format", "the footer is damaged"));
}

static bool read_file(lun_ipc *x, lun_file_fault *f)
{
    uint8_t tail[TAIL];
    const int64_t size = x->source.size;
    if (size < 2 * PREFIX + TAIL || !read_at(x, size - TAIL, TAIL, tail, f) ||
        memcmp(tail + 4, "ARROW1", 6) != 0)
        return lun__file_fault(f, "short",
                               "the file is cut short: it does not end as files of "
                               "Arrow's do");
    lun_flatbuffer length = {tail, 4, false};
    const int64_t n = lun__flatbuffer_number(&length, 0, 4), at = size - TAIL - n;
    if (n <= 0 || at < PREFIX)
        return lun__file_fault(f, "format", "the footer is damaged");
    lun_flatbuffer *flat = read_flat(x, at, n, f);
    const bool good = flat && read_footer(x, flat, at, f);
    free(flat);
    return good;
}

lun_ipc *lun__ipc_file_open(lun_engine *e, const lun_ipc_source *s, lun_file_fault *f)
{
    char magic[PREFIX] = "";
    *f = (lun_file_fault){.status = LUN_OK};
    lun_ipc *x = calloc(1, sizeof *x);
    if (!x) {
        (void)lun__file_fault_of(f, LUN_ENOMEM);
        return NULL;
    }
    x->engine = e;
    x->source = *s;
    bool good = read_at(x, 0, s->size < PREFIX ? s->size : PREFIX, magic, f);
    if (good && !memcmp(magic, "FEA1", 4))
        good = lun__file_fault(f, "unsupported",
                               "a Feather file of version 1: convert it, as by "
                               "pyarrow.feather.write_feather(t, path, version=2)");
    else if (good && s->size == 0)
        good = lun__file_fault(f, "short", "the file is empty");
    else if (good && memcmp(magic, "ARROW1", 6) == 0)
        good = read_file(x, f);
    else if (good)
        good = may_be_stream(x, (const uint8_t *)magic)
                   ? read_stream(x, f)
                   : lun__file_fault(f, "format", "no file or stream of Arrow's");
    if (good)
        return x;
    lun__ipc_file_close(x);
    return NULL;
}

void lun__ipc_file_close(lun_ipc *x)
{
    if (!x)
        return;
    for (int64_t k = 0; k < x->width; k++)
        lun__ipc_schema_free(&x->fields[k].schema);
    for (int64_t k = 0; k < x->batches.count; k++)
        free(x->batches.list[k].flat);
    for (int64_t k = 0; k < x->dictionaries.count; k++)
        free(x->dictionaries.list[k].flat);
    free(x->batches.list);
    free(x->dictionaries.list);
    free(x->fields);
    free(x);
}

int64_t lun__ipc_file_width(const lun_ipc *x)
{
    return x->width;
}

int64_t lun__ipc_file_rows(const lun_ipc *x)
{
    return x->rows;
}

const char *lun__ipc_file_name(const lun_ipc *x, int64_t k)
{
    return x->fields[k].schema.name;
}
