/* read.c - CSV text to columns: pieces of rows on all threads. The kind of a column is guessed from
 * its first rows, and known when all are read: columns of integers that turn out to be floats are
 * converted, those that turn out to be text are read again. See csv.h. */
#include <stdlib.h>
#include <string.h>

#include "csv/csv_state.h"

enum {
    SAMPLE = 1000, /* rows for a guess */
    BATCH = 48     /* pieces between two checks of the stop */
};

/* A column to be read. */
typedef struct target {
    int64_t column;
    lun__csv_kind kind;
    bool due;            /* to be read in this run */
    unsigned char *seen; /* its flags in each piece */
    void *memory;
} target;

typedef struct run {
    lun__csv *c;
    target *targets;
    int64_t count, texts; /* of targets; of those which are text, and due */
    int64_t first;        /* first piece of this batch */
    int64_t batch;
    int buffers[BATCH];     /* buffers of pieces kept for their texts */
    lun__texts_part *parts; /* of each column of text that is due, one for each piece of a batch */
    lun__csv_piece pieces[BATCH];
    lun__csv_fault faults[BATCH];
} run;

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Reads piece `k` of the text into p. */
static bool fetch_piece(lun__csv *c, int buffer, int64_t k, lun__csv_piece *p,
                        lun__csv_fault *fault)
{
    uint32_t wanted;
    const lun__csv_cut *cut = &c->cuts.list[k];
    *p = (lun__csv_piece){.width = c->width,
                          .rows = cut[1].row - cut[0].row,
                          .ends = &wanted,
                          .strays_known = c->cuts.exact};
    if (lun__csv_fetch(&c->pool, buffer, cut[0].at, cut[1].at - cut[0].at,
                       c->cuts.added && k == c->cuts.count - 1, p, fault))
        return false;
    int64_t rows = p->rows;
    if (!lun__csv_split(p, fault)) {
        fault->at += cut[0].at;
        return false;
    }
    if (p->rows == rows)
        return true;
    fault->what = LUN__CSV_STRAY; /* such quotes made the count of newlines wrong */
    fault->at = cut[0].at;
    return false;
}

/* Packs the columns of text of piece `k` of a batch into its buffer. */
static bool pack_texts(run *r, int64_t k)
{
    lun__csv_piece *p = &r->pieces[k];
    const lun__csv_buffer *buffer = &r->c->pool.buffers[r->buffers[k]];
    size_t bytes = lun__texts_room(p->rows, 3) * (size_t)r->texts + (size_t)p->length;
    lun__texts_part *part = r->parts + k;
    if (!lun__csv_text_room(&r->c->pool, r->buffers[k], p->rows, (int64_t)bytes))
        return lun__csv_refuse(&r->faults[k], LUN__CSV_MEMORY);
    char *to = buffer->packed;
    for (int64_t i = 0; i < r->count; i++) {
        if (!r->targets[i].due || r->targets[i].kind != LUN__CSV_TEXT)
            continue;
        lun__csv_texts(p, r->targets[i].column, buffer->texts);
        lun__texts_pack(buffer->texts, r->c->cuts.list[r->first + k].row, p->rows, to, part);
        to += lun__texts_size(part);
        part += BATCH;
    }
    return true;
}

/* Converts the columns of piece `k` of a batch; its buffer stays taken if it has texts. */
static void read_piece(void *of, int64_t k)
{
    run *r = of;
    lun__csv_piece *p = &r->pieces[k];
    const int64_t piece = r->first + k, row = r->c->cuts.list[piece].row;
    int buffer = r->buffers[k] = lun__csv_buffer_take(&r->c->pool);
    bool ok = fetch_piece(r->c, buffer, piece, p, &r->faults[k]);
    for (int64_t i = 0; ok && i < r->count; i++) {
        target *t = &r->targets[i];
        if (!t->due || t->kind == LUN__CSV_TEXT)
            continue;
        size_t size = t->kind == LUN__CSV_BOOL ? 1 : 8;
        t->seen[piece] = (unsigned char)lun__csv_convert(p, t->column, t->kind,
                                                         (char *)t->memory + (size_t)row * size);
    }
    ok = ok && (!r->texts || pack_texts(r, k));
    if (!ok || !r->texts) {
        lun__csv_buffer_give(&r->c->pool, buffer);
        r->buffers[k] = -1;
    }
}

/* Passes on the texts of a batch, and releases the buffers. */
static bool hand_on(run *r, bool ok, lun__csv_fault *fault)
{
    const lun__csv_services *s = r->c->pool.services;
    const lun__texts_part *parts = r->parts;
    for (int64_t i = 0; ok && r->texts && i < r->count; i++) {
        if (!r->targets[i].due || r->targets[i].kind != LUN__CSV_TEXT)
            continue;
        if (!s->texts(s->ctx, i, parts, r->batch))
            ok = lun__csv_refuse(fault, LUN__CSV_REFUSED);
        parts += BATCH;
    }
    for (int64_t k = 0; k < r->batch; k++)
        if (r->buffers[k] >= 0)
            lun__csv_buffer_give(&r->c->pool, r->buffers[k]);
    return ok;
}

/* Reads all due columns; false: *fault is the first fault of the text. */
static bool read_pieces(run *r, lun__csv_fault *fault)
{
    const lun__csv_services *s = r->c->pool.services;
    bool ok = true;
    r->texts = 0;
    for (int64_t i = 0; i < r->count; i++)
        r->texts += r->targets[i].due && r->targets[i].kind == LUN__CSV_TEXT;
    free(r->parts);
    r->parts = calloc((size_t)r->texts + 1, BATCH * sizeof *r->parts);
    if (!r->parts)
        return lun__csv_refuse(fault, LUN__CSV_MEMORY);
    for (r->first = 0; ok && r->first < r->c->cuts.count; r->first += r->batch) {
        int64_t left = r->c->cuts.count - r->first;
        r->batch = left < BATCH ? left : BATCH;
        memset(r->faults, 0, sizeof r->faults);
        s->share(s->ctx, r->batch, r, read_piece);
        for (int64_t k = 0; ok && k < r->batch; k++)
            if (r->faults[k].what) {
                *fault = r->faults[k];
                ok = false;
            }
        if (ok && s->stop(s->ctx))
            ok = lun__csv_refuse(fault, LUN__CSV_REFUSED);
        ok = hand_on(r, ok, fault);
    }
    return ok;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static int64_t rows_of(const lun__csv *c)
{
    return c->cuts.list[c->cuts.count].row;
}

/* Requests the memory of a column. */
static bool ask(run *r, int64_t i, lun__csv_fault *fault)
{
    const lun__csv_services *s = r->c->pool.services;
    target *t = &r->targets[i];
    t->memory = NULL;
    return s->column(s->ctx, i, t->kind, rows_of(r->c), &t->memory) ||
           lun__csv_refuse(fault, LUN__CSV_REFUSED);
}

/* Guesses the kinds of columns, and requests their memory. */
static bool guess(run *r, lun__csv_fault *fault)
{
    lun__csv_piece p;
    int buffer = lun__csv_buffer_take(&r->c->pool);
    bool ok = r->c->cuts.count == 0 || fetch_piece(r->c, buffer, 0, &p, fault);
    for (int64_t i = 0; ok && i < r->count; i++) {
        target *t = &r->targets[i];
        t->due = true;
        t->kind = LUN__CSV_I64;
        if (r->c->cuts.count)
            t->kind = lun__csv_kind_of(lun__csv_sample(&p, t->column, SAMPLE));
        ok = ask(r, i, fault);
    }
    lun__csv_buffer_give(&r->c->pool, buffer);
    return ok;
}

typedef struct conversion {
    const run *r;
    const target *t;
} conversion;

/* Converts the integers of a piece of a column that has floats elsewhere. */
static void to_floats(void *of, int64_t k)
{
    const conversion *c = of;
    const lun__csv_cut *cut = &c->r->c->cuts.list[k];
    if (!(c->t->seen[k] & LUN__CSV_INTS))
        return;
    char *p = (char *)c->t->memory + cut[0].row * 8;
    for (int64_t n = cut[1].row - cut[0].row; n > 0; n--, p += 8) {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        double y = c->t->seen[k] & LUN__CSV_BEYOND ? (double)x : (double)(int64_t)x;
        memcpy(p, &y, sizeof y);
    }
}

/* Settles the kinds of the columns; `due` stay those that must be read again. Their number. */
static int64_t settle(run *r)
{
    const lun__csv_services *s = r->c->pool.services;
    int64_t due = 0;
    for (int64_t i = 0; i < r->count; i++) {
        target *t = &r->targets[i];
        unsigned seen = 0, ints = 0;
        for (int64_t k = 0; k < r->c->cuts.count; k++) {
            seen |= t->seen[k];
            ints |= t->seen[k] & LUN__CSV_INTS;
        }
        bool known = !t->due || t->kind == LUN__CSV_TEXT || t->kind == LUN__CSV_F64;
        lun__csv_kind kind = lun__csv_kind_of(seen);
        t->due = false;
        if (known && !(t->kind == LUN__CSV_F64 && kind == LUN__CSV_TEXT))
            continue;
        if (kind == LUN__CSV_F64 && !(seen & LUN__CSV_MINUS_ZERO))
            s->share(s->ctx, r->c->cuts.count, &(conversion){r, t}, to_floats);
        t->due =
            kind == LUN__CSV_TEXT || (kind == LUN__CSV_F64 && ints && seen & LUN__CSV_MINUS_ZERO);
        t->kind = kind;
        due += t->due;
    }
    return due;
}

static bool read_all(run *r, lun__csv_fault *fault)
{
    if (!guess(r, fault) || !read_pieces(r, fault))
        return false;
    if (settle(r) == 0)
        return true;
    for (int64_t i = 0; i < r->count; i++)
        if (r->targets[i].due && r->targets[i].kind == LUN__CSV_TEXT && !ask(r, i, fault))
            return false;
    return read_pieces(r, fault);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A run for these columns; false if there is no memory. */
static bool prepare(run *r, const int64_t *wanted)
{
    for (int64_t i = 0; i < r->count; i++) {
        target *t = &r->targets[i];
        free(t->seen);
        *t = (target){.column = wanted[i], .seen = calloc((size_t)r->c->cuts.count + 1, 1)};
        if (!t->seen)
            return false;
    }
    return true;
}

static bool try_reading(run *r, const int64_t *wanted, bool exact, lun__csv_fault *fault)
{
    lun__csv *c = r->c;
    lun__csv_cuts *cuts = &c->cuts;
    if (!cuts->known || cuts->exact != exact) {
        *cuts = (lun__csv_cuts){
            .list = cuts->list, .start = c->start, .end = c->end, .added = c->added};
        if (!lun__csv_cut_text(&c->pool, cuts, exact, fault))
            return false;
        cuts->known = true;
    }
    if (!prepare(r, wanted))
        return lun__csv_refuse(fault, LUN__CSV_MEMORY);
    if (!read_all(r, fault))
        return false;
    *fault = cuts->open;
    return !fault->what;
}

bool lun__csv_read(lun__csv *c, const int64_t *wanted, int64_t count, lun__csv_kind *kinds,
                   int64_t *rows, lun__csv_fault *fault)
{
    *fault = (lun__csv_fault){.column = -1};
    run *r = calloc(1, sizeof *r);
    target *targets = calloc((size_t)count + 1, sizeof *targets);
    bool ok = r && targets;
    if (ok) {
        *r = (run){.c = c, .targets = targets, .count = count};
        ok = try_reading(r, wanted, c->cuts.known && c->cuts.exact, fault);
        if (!ok && fault->what == LUN__CSV_STRAY)
            ok = try_reading(r, wanted, true, fault);
        *rows = ok ? rows_of(c) : 0;
    } else {
        fault->what = LUN__CSV_MEMORY;
    }
    for (int64_t i = 0; targets && i < count; i++) {
        kinds[i] = targets[i].kind;
        free(targets[i].seen);
    }
    free(targets);
    free(r ? r->parts : NULL);
    free(r);
    if (!ok && fault->what < LUN__CSV_UNREAD)
        fault->line = lun__csv_lines(&c->pool, fault->at) + 1;
    return ok;
}
