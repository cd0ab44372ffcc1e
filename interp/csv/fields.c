/* fields.c - the fields of a piece of text: where each ends. A piece without quotes is split at
 * every separator and newline of a bit mask; one with quotes, or with a fault, is scanned from one
 * such character to the next, by all rules. Lines that are no rows become bytes 0, which no text
 * has. */
#include "csv/mask.h"
#include "csv/piece.h"

/* ---- without quotes -------------------------------------------------------------------------- */

/* Whether every row has its fields, and every carriage return belongs to a newline. */
static bool is_regular(const lun__csv_piece *p, int64_t returns)
{
    const uint32_t *last = p->ends + p->width - 1;
    if (p->returns && returns)
        return false;
    for (int64_t r = 0; r < p->rows; r++, last += p->width) {
        if (p->text[*last] != '\n')
            return false;
        if (*last && p->text[*last - 1] == '\r' && !(p->added && r == p->rows - 1))
            returns--;
    }
    return returns == 0;
}

/* True if this is a piece of the expected rows without quotes; else it must be scanned. */
static bool split_plain(lun__csv_piece *p)
{
    uint32_t *out = p->ends;
    const int64_t most = p->rows * p->width;
    int64_t returns = 0;
    for (int64_t i = 0; i < p->length; i += 64) {
        lun__csv_mask m = lun__csv_mask_look(p->text + i, p->separator, p->rules->quote);
        if (m.quotes || out - p->ends > most)
            return false;
        for (uint64_t bits = m.returns; bits; bits &= bits - 1)
            returns++;
        for (uint64_t bits = m.separators | m.newlines; bits; bits &= bits - 1)
            *out++ = (uint32_t)(i + __builtin_ctzll(bits));
    }
    return out - p->ends == most && is_regular(p, returns);
}

/* ---- by all rules ---------------------------------------------------------------------------- */

typedef struct walk {
    lun__csv_piece *p;
    lun__csv_fault *fault;
    int64_t row, start;     /* where the row and the field begin */
    int64_t opened, closed; /* the last quotes that open and close */
    int64_t literal;        /* the byte after an escape */
    int64_t column, rows, most;
    uint32_t *out;
    bool inside, comment, done;
    bool counts; /* rows alone: the ends of their fields are not kept */
    bool all;    /* the piece's last byte ends a row */
} walk;

static bool fail(walk *w, lun__csv_what what, int64_t at)
{
    *w->fault = (lun__csv_fault){.what = what, .at = at, .column = w->column};
    return false;
}

static bool only_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p == end;
}

/* A quote outside of quotes. */
static bool stray_quote(walk *w, int64_t at)
{
    const char *text = w->p->text;
    if (at == w->start) {
        w->opened = at;
        w->inside = true;
        return true;
    }
    if (w->closed == at - 1) { /* a doubled one */
        w->inside = true;
        return true;
    }
    if (w->closed >= w->start)
        return fail(w, LUN__CSV_AFTER_QUOTE, w->closed + 1);
    if (only_blanks(text + w->start, text + at))
        return fail(w, LUN__CSV_LATE_QUOTE, at);
    return w->p->strays_known || fail(w, LUN__CSV_STRAY, at);
}

/* The next row begins at byte `at`. */
static void begin_row(walk *w, int64_t at)
{
    const lun__csv_piece *p = w->p;
    const lun__csv_rules *r = p->rules;
    int64_t length = (int64_t)r->comment_length;
    w->row = w->start = at;
    w->column = 0;
    w->comment =
        length && at + length <= p->length && memcmp(p->text + at, r->comment, (size_t)length) == 0;
    if (w->counts)
        w->out = p->ends;
}

/* The line that ends at `at` is no row. */
static void drop_line(walk *w, int64_t at)
{
    w->out -= w->column;
    w->p->odd = true;
    memset(w->p->text + w->row, 0, (size_t)(at + 1 - w->row));
    begin_row(w, at + 1);
}

static bool end_field(walk *w, int64_t at)
{
    *w->out++ = (uint32_t)at;
    w->column++;
    w->start = at + 1;
    return true;
}

/* A row of other than the expected number of fields; *keep: it is one nevertheless. */
static bool mend_row(walk *w, int64_t at, bool *keep)
{
    lun__csv_piece *p = w->p;
    const bool blank = w->column == 1 && only_blanks(p->text + w->row, p->text + at);
    *keep = false;
    if (blank && !p->strays_known)
        return fail(w, LUN__CSV_STRAY, w->row);
    if (!blank && p->rules->ragged == LUN__CSV_FILL && w->column < p->width) {
        p->odd = *keep = true;
        for (; w->column < p->width; w->column++)
            *w->out++ = (uint32_t)at;
    } else if (!blank && p->rules->ragged != LUN__CSV_SKIP) {
        *w->fault = (lun__csv_fault){
            .what = LUN__CSV_RAGGED, .at = w->row, .column = -1, .fields = w->column};
        return false;
    } else {
        p->skipped += !blank;
    }
    return true;
}

static bool end_row(walk *w, int64_t at)
{
    lun__csv_piece *p = w->p;
    bool keep = true;
    end_field(w, at);
    if (p->width == 0) {
        p->width = w->column;
        p->length = at + 1;
        w->done = true;
    } else if (w->column != p->width && !mend_row(w, at, &keep)) {
        return false;
    }
    if (!keep) {
        drop_line(w, at);
        return true;
    }
    w->rows++;
    w->done |= w->rows == w->most;
    begin_row(w, at + 1);
    return true;
}

static bool meet_return(walk *w, int64_t at)
{
    const lun__csv_piece *p = w->p;
    bool ends = !p->returns && at + 1 < p->length && p->text[at + 1] == '\n';
    if (!w->all && at + 1 == p->length && !p->returns)
        return true; /* the row goes on */
    if (ends && !(p->added && at + 2 == p->length))
        return true;
    fail(w, LUN__CSV_RETURN, at);
    w->fault->byte = p->returns ? '\n' : '\r';
    return false;
}

static bool meet(walk *w, int64_t at)
{
    const lun__csv_piece *p = w->p;
    const char c = p->text[at], quote = p->rules->quote;
    if (at == w->literal && !(w->all && at == p->length - 1))
        return true;
    if (w->comment) {
        if (c == '\n')
            drop_line(w, at);
        return true;
    }
    if (c == p->rules->escape) {
        w->literal = at + 1;
        return true;
    }
    if (w->inside) {
        w->inside = c != quote;
        w->closed = c == quote ? at : w->closed;
        return true;
    }
    if (c == quote)
        return stray_quote(w, at);
    int64_t before = at - (c == '\n' && at > w->start && p->text[at - 1] == '\r');
    if (w->closed >= w->start && w->closed != before - 1)
        return fail(w, LUN__CSV_AFTER_QUOTE, w->closed + 1);
    return c == p->separator ? end_field(w, at) : c == '\n' ? end_row(w, at) : meet_return(w, at);
}

/* Scans up to byte `stop`. */
static bool scan(walk *w, int64_t stop)
{
    const lun__csv_piece *p = w->p;
    const lun__csv_rules *r = p->rules;
    begin_row(w, 0);
    for (int64_t i = 0; i < stop && !w->done; i += 64) {
        lun__csv_mask m = lun__csv_mask_look(p->text + i, p->separator, r->quote);
        uint64_t bits = m.separators | m.quotes | m.newlines | m.returns;
        if (r->escape != LUN__CSV_NONE)
            bits |= lun__csv_mask_equal(lun__csv_mask_load(p->text + i), r->escape);
        if (stop - i < 64)
            bits &= lun__csv_mask_first(stop - i);
        for (; bits && !w->done; bits &= bits - 1)
            if (!meet(w, i + __builtin_ctzll(bits)))
                return false;
    }
    return true;
}

static bool no_text(walk *w, int64_t limit)
{
    const char *p = w->p->text + limit;
    fail(w, *p ? LUN__CSV_ENCODING : LUN__CSV_NUL, limit);
    w->fault->byte = (unsigned char)*p;
    return false;
}

/* Scans up to the byte `limit`, which is no text, if it is not negative. */
static bool split_exact(lun__csv_piece *p, int64_t limit, lun__csv_fault *fault)
{
    walk w = {.p = p, .fault = fault, .out = p->ends, .opened = -1, .closed = -2, .literal = -1};
    w.most = p->width ? -1 : 1;
    w.all = p->width || p->added;
    if (!scan(&w, limit < 0 ? p->length : limit))
        return false;
    if (w.done || (limit < 0 && !w.inside && w.row == p->length)) {
        p->rows = w.rows;
        return true;
    }
    return limit < 0 ? fail(&w, LUN__CSV_OPEN_QUOTE, w.opened) : no_text(&w, limit);
}

bool lun__csv_fields_split(lun__csv_piece *p, lun__csv_fault *fault)
{
    int64_t limit = lun__csv_utf8_no_text(p->text, p->length);
    const char *nul = limit >= 0 && p->width == 0 ? memchr(p->text, 0, (size_t)p->length) : NULL;
    if (nul) /* UTF-16, or no text at all, whatever comes before */
        limit = nul - p->text;
    const lun__csv_rules *r = p->rules; /* of which newlines and separators tell nothing */
    const bool plain = !r->comment_length && r->escape == LUN__CSV_NONE && !r->ragged;
    if (limit < 0 && p->width && plain && split_plain(p))
        return true;
    return split_exact(p, limit, fault);
}

bool lun__csv_fields_count(lun__csv_piece *p, int64_t most, bool all, lun__csv_fault *fault)
{
    walk w = {.p = p,
              .fault = fault,
              .out = p->ends,
              .opened = -1,
              .closed = -2,
              .literal = -1,
              .most = most,
              .counts = true,
              .all = all};
    int64_t limit = lun__csv_utf8_no_text(p->text, p->length);
    const bool cut = limit >= 0 && !all && limit + 4 > p->length; /* a character may go on */
    bool ok = most == 0 || scan(&w, limit < 0 ? p->length : limit);
    if (ok && !w.done && limit >= 0 && !cut && most)
        ok = no_text(&w, limit);
    if (ok && !w.done && all && most && w.inside)
        ok = fail(&w, LUN__CSV_OPEN_QUOTE, w.opened);
    p->rows = w.rows;
    p->length = w.row;
    return ok;
}
