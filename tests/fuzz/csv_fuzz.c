/* csv_fuzz.c - for libFuzzer: any bytes are CSV text, which the reader splits and converts, in
 * pieces of a size that the first byte says, by rules that the second one chooses; what one piece
 * gives, several give. Knows nothing of Lua. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv/csv.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { MOST = 64 }; /* columns */

/* What a reading has given. */
typedef struct result {
    const unsigned char *text;
    void *memory[MOST], *valid[MOST], *codes[MOST];
    lun_text_made texts[MOST];
    int bytes[MOST];
    int64_t count; /* of rows, as memory is asked for */
    lun__csv_kind kinds[MOST];
    int64_t rows;
    lun__csv_fault fault;
    bool ok;
} result;

static int read_text(void *ctx, int64_t at, int64_t count, void *to)
{
    memcpy(to, ((result *)ctx)->text + at, (size_t)count);
    return 0;
}

static void share(void *ctx, int64_t count, void *of, void (*task)(void *of, int64_t k))
{
    (void)ctx;
    for (int64_t k = count - 1; k >= 0; k--)
        task(of, k);
}

static bool stop(void *ctx)
{
    (void)ctx;
    return false;
}

static bool column(void *ctx, int64_t k, lun__csv_kind kind, int64_t rows, void **memory)
{
    result *r = ctx;
    free(r->memory[k]);
    r->memory[k] = *memory = calloc((size_t)rows + 1, kind == LUN__CSV_BOOL ? 1 : 8);
    r->count = rows;
    return r->memory[k] != NULL;
}

static bool validity(void *ctx, int64_t k, int64_t rows, void **memory)
{
    result *r = ctx;
    free(r->valid[k]);
    r->valid[k] = *memory = calloc((size_t)rows + 1, 1);
    return r->valid[k] != NULL;
}

static void free_values(lun_text_made *v)
{
    for (int32_t k = 0; k < v->buffer_count; k++)
        free(v->buffers[k].bytes);
    free(v->buffers);
    free(v->views);
}

static bool texts(void *ctx, int64_t k, lun_text_made *values, int bytes, void **codes)
{
    result *r = ctx;
    r->texts[k] = *values;
    r->bytes[k] = bytes;
    r->codes[k] = bytes == 4 ? NULL : calloc((size_t)r->count + 1, (size_t)bytes);
    *codes = bytes == 4 ? *codes : r->codes[k];
    return *codes != NULL;
}

static bool memory(void *ctx, int64_t bytes)
{
    (void)ctx;
    return bytes >= 0;
}

/* In place of the codes of a column of text the hash of each row's text. */
static void hash_texts(result *r, int64_t k)
{
    int64_t *hashes = calloc((size_t)r->rows + 1, sizeof *hashes);
    const char *from = r->codes[k] ? r->codes[k] : r->memory[k];
    for (int64_t i = 0; hashes && i < r->rows; i++) {
        uint32_t code = 0;
        memcpy(&code, from + i * r->bytes[k], (size_t)r->bytes[k]);
        const lun_text_view *v = code ? &r->texts[k].views[code - 1] : NULL;
        const char *text = !v ? ""
                           : v->length <= 12
                               ? v->as.in_place
                               : r->texts[k].buffers[v->as.far.buffer].bytes + v->as.far.offset;
        uint64_t sum = code > 0;
        for (int32_t c = 0; v && c < v->length; c++)
            sum = sum * 31 + (unsigned char)text[c] + 1;
        hashes[i] = (int64_t)sum;
    }
    free(r->memory[k]);
    r->memory[k] = hashes;
}

/* The rules of RFC 4180, with those changed whose bits are set. */
static lun__csv_rules rules_of(unsigned char bits)
{
    lun__csv_rules r = LUN__CSV_RULES;
    if (bits & 1) {
        r.comment = "#";
        r.comment_length = 1;
    }
    r.escape = bits & 2 ? '\\' : LUN__CSV_NONE;
    r.ragged = bits & 4 ? LUN__CSV_FILL : bits & 8 ? LUN__CSV_SKIP : LUN__CSV_REFUSE;
    r.most = bits & 16 ? 3 : -1;
    r.trim = bits & 32;
    r.skip = bits & 64 ? 1 : 0;
    if (bits & 128) {
        r.quote = '\'';
        r.decimal = ',';
        r.thousands = '.';
        r.separator = ';';
        r.header = LUN__CSV_NO_NAMES;
    }
    return r;
}

static void read_all(const unsigned char *text, size_t size, int64_t piece, unsigned char bits,
                     result *r)
{
    lun__csv_services s = {.ctx = r,
                           .size = (int64_t)size,
                           .piece = piece,
                           .read = read_text,
                           .share = share,
                           .stop = stop,
                           .column = column,
                           .validity = validity,
                           .texts = texts,
                           .memory = memory};
    const lun__csv_rules rules = rules_of(bits);
    lun__csv_wanted wanted[MOST] = {0};
    memset(r, 0, sizeof *r);
    r->text = text;
    lun__csv *c = lun__csv_open(&s, &rules, &r->fault);
    if (!c)
        return;
    int64_t count = lun__csv_width(c) < MOST ? lun__csv_width(c) : MOST;
    for (int64_t k = 0; k < count; k++)
        wanted[k].column = k;
    r->ok = lun__csv_read(c, wanted, count, &r->rows, &r->fault);
    for (int64_t k = 0; k < count; k++) {
        r->kinds[k] = wanted[k].kind;
        if (r->ok && r->kinds[k] == LUN__CSV_TEXT)
            hash_texts(r, k);
        free_values(&r->texts[k]);
        free(r->codes[k]);
    }
    lun__csv_close(c);
}

static void compare(const result *a, const result *b)
{
    if (a->ok != b->ok || a->rows != b->rows || a->fault.what != b->fault.what ||
        a->fault.at != b->fault.at || a->fault.line != b->fault.line)
        abort();
    for (int k = 0; a->ok && k < MOST && a->memory[k]; k++) {
        size_t bytes = (size_t)a->rows * (a->kinds[k] == LUN__CSV_BOOL ? 1 : 8);
        if (a->kinds[k] != b->kinds[k] || memcmp(a->memory[k], b->memory[k], bytes) != 0)
            abort();
        if (!a->valid[k] != !b->valid[k] ||
            (a->valid[k] && memcmp(a->valid[k], b->valid[k], (size_t)a->rows) != 0))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    result whole, parts;
    if (size < 2)
        return 0;
    read_all(data + 2, size - 2, 0, data[1], &whole);
    read_all(data + 2, size - 2, data[0] + 1, data[1], &parts);
    compare(&whole, &parts);
    for (int k = 0; k < MOST; k++) {
        free(whole.memory[k]);
        free(parts.memory[k]);
        free(whole.valid[k]);
        free(parts.valid[k]);
    }
    return 0;
}
