/* read.c - CSV text to columns: pieces of rows on all threads. The kind of a column is guessed from
 * its first rows, and known when all are read: columns of integers that turn out to be floats are
 * converted, those that turn out to be text are read again. Texts become codes in the dictionary of
 * the buffer that their piece is in, and the dictionaries of a column one at the end. See csv.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv/csv_state.h"
#include "csv/join_texts.h"

enum {
    SAMPLE = 1000, /* rows for a guess */
    BATCH = 48,    /* pieces between two checks of the stop */
    TEXTS = 256,   /* fields of text that are looked up together */
    TIMES = LUN__CSV_DATES | LUN__CSV_STAMPS | LUN__CSV_ZONED,
    /* flags that say what a column is */
    KNOWN = TIMES | LUN__CSV_INTS | LUN__CSV_FLOATS | LUN__CSV_BOOLS | LUN__CSV_OTHERS
};

/* A column to be read. */
typedef struct target {
    lun__csv_wanted *wanted;
    lun__csv_kind kind;
    bool due;       /* to be read in this run */
    uint32_t *seen; /* its flags in each piece */
    void *memory;
    unsigned char *valid;
    lun__csv_holes holes;
    lun__csv_dictionary *dictionaries; /* of text: LUN__CSV_BUFFERS, of which pieces use some */
    unsigned char *owner;              /* the number of each piece's */
} target;

typedef struct run {
    lun__csv *c;
    target *targets;
    int64_t count; /* of targets */
    int64_t first; /* first piece of this batch */
    int64_t batch;
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
    if (lun__csv_buffer_fetch(&c->pool, buffer, cut[0].at, cut[1].at - cut[0].at,
                              c->cuts.added && k == c->cuts.count - 1, p, fault))
        return false;
    int64_t rows = p->rows;
    if (!lun__csv_fields_split(p, fault)) {
        fault->at += cut[0].at;
        return false;
    }
    if (p->rows == rows)
        return true;
    fault->what = LUN__CSV_STRAY; /* such quotes made the count of newlines wrong */
    fault->at = cut[0].at;
    return false;
}

/* Encodes a column of text of piece `piece`, which is p and in that buffer. */
static void encode(target *t, lun__csv_piece *p, int64_t piece, const lun__csv_cut *cut, int buffer,
                   lun__csv_fault *fault)
{
    lun__csv_text texts[TEXTS];
    lun__csv_dictionary *d = &t->dictionaries[buffer];
    uint32_t *codes = (uint32_t *)t->memory + cut->row;
    bool gaps = false;
    t->owner[piece] = (unsigned char)buffer;
    for (int64_t r = 0, some; r < p->rows; r += some) {
        some = p->rows - r < TEXTS ? p->rows - r : TEXTS;
        lun__csv_column_texts(p, t->wanted->column, &t->wanted->how, r, some, texts);
        if (!lun__csv_dictionary_add(d, texts, some, codes + r, &gaps)) {
            (void)lun__csv_state_refuse(fault, lun__csv_dictionary_full(d));
            return;
        }
    }
    t->seen[piece] = gaps ? LUN__CSV_HOLES : 0;
}

/* Whether fields with these flags may be none of the kind that they must be. */
static bool may_misfit(unsigned seen, const lun__csv_how *how)
{
    const bool bounded = how->low != (how->kind == LUN__CSV_U64 ? 0 : INT64_MIN) ||
                         how->high < (how->kind == LUN__CSV_U64 ? UINT64_MAX : INT64_MAX);
    seen &= LUN__CSV_WORDS - 1;
    if (!how->forced)
        return false;
    if (how->kind >= LUN__CSV_DATE)
        return seen & LUN__CSV_OTHERS;
    if (how->kind == LUN__CSV_BOOL)
        return seen & ~(unsigned)(LUN__CSV_BOOLS | LUN__CSV_HOLES);
    if (how->kind == LUN__CSV_F64)
        return seen & (LUN__CSV_OTHERS | LUN__CSV_BOOLS | TIMES);
    return bounded ||
           seen & ~(unsigned)(LUN__CSV_INTS | LUN__CSV_HOLES | LUN__CSV_ZEROS |
                              (how->kind == LUN__CSV_U64 ? LUN__CSV_BEYOND
                                                         : LUN__CSV_SIGNS | LUN__CSV_MINUS_ZERO));
}

/* Converts a column of piece `piece`, which is p; *fault is set if a field does not fit. */
static void convert(target *t, const lun__csv_piece *p, int64_t piece, const lun__csv_cut *cut,
                    lun__csv_fault *fault)
{
    const lun__csv_wanted *w = t->wanted;
    lun__csv_fault found;
    char *to = (char *)t->memory + cut->row * lun__csv_kind_bytes(t->kind);
    unsigned seen =
        lun__csv_column_convert(p, w->column, &w->how, t->kind, to, &t->holes, cut->row);
    t->seen[piece] = seen;
    if (seen & LUN__CSV_FULL)
        (void)lun__csv_state_refuse(fault, LUN__CSV_MEMORY);
    else if (may_misfit(seen, &w->how) && lun__csv_column_misfit(p, w->column, &w->how, &found)) {
        found.at += cut->at;
        if (!fault->what || found.at < fault->at)
            *fault = found;
    }
}

/* Converts the columns of piece `k` of a batch. */
static void read_piece(void *of, int64_t k)
{
    run *r = of;
    lun__csv_piece p;
    const int64_t piece = r->first + k;
    const lun__csv_cut *cut = &r->c->cuts.list[piece];
    int buffer = lun__csv_buffer_take(&r->c->pool);
    bool ok = fetch_piece(r->c, buffer, piece, &p, &r->faults[k]);
    for (int64_t i = 0; ok && i < r->count; i++) {
        target *t = &r->targets[i];
        if (t->due && t->kind != LUN__CSV_TEXT)
            convert(t, &p, piece, cut, &r->faults[k]);
    }
    ok = ok && !r->faults[k].what;
    for (int64_t i = 0; ok && i < r->count; i++) {
        target *t = &r->targets[i];
        if (t->due && t->kind == LUN__CSV_TEXT)
            encode(t, &p, piece, cut, buffer, &r->faults[k]);
    }
    lun__csv_buffer_give(&r->c->pool, buffer);
}

/* Says what the texts that were read take; false: *fault. */
static bool tell_memory(const run *r, lun__csv_fault *fault)
{
    const lun__csv_services *s = r->c->pool.services;
    int64_t bytes = 0;
    for (int64_t i = 0; i < r->count; i++)
        for (int b = 0; r->targets[i].dictionaries && b < LUN__CSV_BUFFERS; b++)
            bytes += lun__csv_dictionary_bytes(&r->targets[i].dictionaries[b]);
    return s->memory(s->ctx, bytes) || lun__csv_state_refuse(fault, LUN__CSV_REFUSED);
}

/* Reads all due columns; false: *fault is the first fault of the text. */
static bool read_pieces(run *r, lun__csv_fault *fault)
{
    const lun__csv_services *s = r->c->pool.services;
    bool ok = true;
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
        if (ok && s->progress)
            s->progress(s->ctx, r->c->cuts.list[r->first + r->batch].at, r->c->end);
        if (ok && s->stop(s->ctx))
            ok = lun__csv_state_refuse(fault, LUN__CSV_REFUSED);
        ok = ok && tell_memory(r, fault);
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
    if (t->kind == LUN__CSV_TEXT && !t->dictionaries) {
        t->dictionaries = calloc(LUN__CSV_BUFFERS, sizeof *t->dictionaries);
        t->owner = calloc((size_t)r->c->cuts.count + 1, 1);
        if (!t->dictionaries || !t->owner)
            return lun__csv_state_refuse(fault, LUN__CSV_MEMORY);
    }
    return s->column(s->ctx, i, t->kind, rows_of(r->c), &t->memory) ||
           lun__csv_state_refuse(fault, LUN__CSV_REFUSED);
}

/* What a column is taken for at first: I64 where a later field may still make it anything. */
static lun__csv_kind guess_kind(const lun__csv *c, const lun__csv_piece *p, const target *t)
{
    const lun__csv_wanted *w = t->wanted;
    if (w->how.forced)
        return w->how.kind;
    if (w->how.seen & KNOWN)
        return lun__csv_column_kind(w->how.seen);
    if (c->cuts.count == 0)
        return lun__csv_column_kind(0);
    unsigned seen = lun__csv_column_sample(p, w->column, &w->how, SAMPLE);
    if (seen & (LUN__CSV_OTHERS | LUN__CSV_BOOLS | TIMES))
        return lun__csv_column_kind(seen);
    return seen & LUN__CSV_REAL ? LUN__CSV_F64 : LUN__CSV_I64;
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
        t->kind = guess_kind(r->c, &p, t);
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

/* What a column is, by the flags of its pieces; it is due where it must be read again. */
static void settle_one(run *r, target *t)
{
    const lun__csv_services *s = r->c->pool.services;
    unsigned seen = t->wanted->how.seen;
    for (int64_t k = 0; k < r->c->cuts.count; k++)
        seen |= t->seen[k];
    const lun__csv_kind kind = t->wanted->how.forced ? t->kind : lun__csv_column_kind(seen);
    const bool ints = t->kind == LUN__CSV_I64 || t->kind == LUN__CSV_U64;
    const bool lost = seen & LUN__CSV_INTS && seen & LUN__CSV_MINUS_ZERO;
    t->wanted->seen = seen;
    t->due = kind == LUN__CSV_TEXT || (kind > LUN__CSV_F64 && t->kind != kind) ||
             (kind == LUN__CSV_F64 && ints && lost);
    if (kind == LUN__CSV_F64 && ints && !lost)
        s->share(s->ctx, r->c->cuts.count, &(conversion){r, t}, to_floats);
    t->kind = kind;
}

/* Settles the kinds of the columns; how many must be read again. */
static int64_t settle(run *r)
{
    int64_t due = 0;
    for (int64_t i = 0; i < r->count; i++) {
        target *t = &r->targets[i];
        if (t->kind == LUN__CSV_TEXT) {
            t->wanted->seen = t->wanted->how.seen | (rows_of(r->c) ? LUN__CSV_OTHERS : 0);
            t->due = false;
        } else {
            settle_one(r, t);
        }
        due += t->due;
    }
    return due;
}

/* ---- missing elements ------------------------------------------------------------------------ */

/* Makes the validity of a piece, and what stands for the elements that are missing. */
static void fill_holes(void *of, int64_t k)
{
    const conversion *c = of;
    const target *t = c->t;
    const lun__csv_cut *cut = &c->r->c->cuts.list[k];
    const unsigned char *map = t->holes.map;
    const double nothing = NAN;
    const int64_t bytes = lun__csv_kind_bytes(t->kind);
    for (int64_t row = cut[0].row; row < cut[1].row; row++) {
        t->valid[row] = !map[row];
        if (!map[row])
            continue;
        memset((char *)t->memory + row * bytes, 0, (size_t)bytes);
        if (t->kind == LUN__CSV_F64)
            memcpy((char *)t->memory + row * 8, &nothing, 8);
    }
}

static bool mark_missing(run *r, lun__csv_fault *fault)
{
    const lun__csv_services *s = r->c->pool.services;
    for (int64_t i = 0; i < r->count; i++) {
        target *t = &r->targets[i];
        void *memory = NULL;
        t->wanted->missing = t->kind != LUN__CSV_TEXT && t->holes.map;
        if (!t->wanted->missing)
            continue;
        if (!s->validity(s->ctx, i, rows_of(r->c), &memory))
            return lun__csv_state_refuse(fault, LUN__CSV_REFUSED);
        t->valid = memory;
        s->share(s->ctx, r->c->cuts.count, &(conversion){r, t}, fill_holes);
    }
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Finishes target i, a column of text. */
static bool end_texts(run *r, int64_t i, target *t, lun__csv_fault *fault)
{
    unsigned seen = 0;
    for (int64_t k = 0; k < r->c->cuts.count; k++)
        seen |= t->seen[k];
    t->wanted->missing = seen & LUN__CSV_HOLES;
    const lun__csv_coded coded = {.dictionaries = t->dictionaries,
                                  .owner = t->owner,
                                  .cuts = r->c->cuts.list,
                                  .pieces = r->c->cuts.count,
                                  .codes = t->memory,
                                  .missing = t->wanted->missing};
    return lun__csv_join_texts(r->c->pool.services, i, &coded, fault);
}

static bool finish(run *r, lun__csv_fault *fault)
{
    bool ok = mark_missing(r, fault);
    for (int64_t i = 0; ok && i < r->count; i++)
        if (r->targets[i].kind == LUN__CSV_TEXT)
            ok = end_texts(r, i, &r->targets[i], fault) && tell_memory(r, fault);
    return ok;
}

/* Refuses times with and without an offset from UTC in a column that must be of times. */
static bool check_offsets(const run *r, lun__csv_fault *fault)
{
    for (int64_t i = 0; i < r->count; i++) {
        const lun__csv_wanted *w = r->targets[i].wanted;
        if (w->how.forced && w->how.kind == LUN__CSV_STAMP && w->seen & LUN__CSV_STAMPS &&
            w->seen & LUN__CSV_ZONED) {
            *fault = (lun__csv_fault){.what = LUN__CSV_OFFSETS, .column = w->column};
            return false;
        }
    }
    return true;
}

static bool read_all(run *r, lun__csv_fault *fault)
{
    if (!guess(r, fault) || !read_pieces(r, fault))
        return false;
    const int64_t due = settle(r);
    if (!check_offsets(r, fault))
        return false;
    if (due == 0)
        return finish(r, fault);
    for (int64_t i = 0; i < r->count; i++) {
        const target *t = &r->targets[i];
        if (t->due && t->kind > LUN__CSV_F64 && !ask(r, i, fault))
            return false;
    }
    return read_pieces(r, fault) && finish(r, fault);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void end_target(target *t)
{
    free(t->seen);
    free(atomic_load(&t->holes.map));
    for (int b = 0; t->dictionaries && b < LUN__CSV_BUFFERS; b++)
        lun__csv_dictionary_end(&t->dictionaries[b]);
    free(t->dictionaries);
    free(t->owner);
    t->dictionaries = NULL;
    t->owner = NULL;
    t->seen = NULL;
    atomic_store(&t->holes.map, NULL);
}

/* A run for these columns; false if there is no memory. */
static bool prepare(run *r, lun__csv_wanted *wanted)
{
    for (int64_t i = 0; i < r->count; i++) {
        target *t = &r->targets[i];
        end_target(t);
        t->wanted = &wanted[i];
        t->memory = NULL;
        t->holes.rows = rows_of(r->c);
        t->seen = calloc((size_t)r->c->cuts.count + 1, sizeof *t->seen);
        if (!t->seen)
            return false;
    }
    return true;
}

static bool try_reading(run *r, lun__csv_wanted *wanted, bool exact, lun__csv_fault *fault)
{
    lun__csv *c = r->c;
    lun__csv_cuts *cuts = &c->cuts;
    if (!cuts->known || cuts->exact != exact) {
        *cuts = (lun__csv_cuts){.list = cuts->list,
                                .start = c->from,
                                .end = c->end,
                                .most = c->most,
                                .row_bytes = cuts->row_bytes,
                                .added = c->added,
                                .width = c->width};
        if (!lun__csv_split_text(&c->pool, cuts, exact, fault))
            return false;
        cuts->known = true;
    }
    if (!prepare(r, wanted))
        return lun__csv_state_refuse(fault, LUN__CSV_MEMORY);
    return read_all(r, fault);
}

bool lun__csv_read(lun__csv *c, lun__csv_wanted *wanted, int64_t count, int64_t *rows,
                   lun__csv_fault *fault)
{
    *fault = (lun__csv_fault){.column = -1};
    run *r = calloc(1, sizeof *r);
    target *targets = calloc((size_t)count + 1, sizeof *targets);
    bool ok = r && targets;
    if (ok) {
        *r = (run){.c = c, .targets = targets, .count = count};
        ok = try_reading(r, wanted, c->cuts.exact, fault);
        if (!ok && fault->what == LUN__CSV_STRAY)
            ok = try_reading(r, wanted, true, fault);
        *rows = ok ? rows_of(c) : 0;
    } else {
        fault->what = LUN__CSV_MEMORY;
    }
    for (int64_t i = 0; targets && i < count; i++) {
        wanted[i].kind = targets[i].kind;
        end_target(&targets[i]);
    }
    free(targets);
    free(r);
    if (!ok && fault->what < LUN__CSV_UNREAD)
        fault->line = lun__csv_split_text_lines(&c->pool, fault->at) + 1;
    return ok;
}
