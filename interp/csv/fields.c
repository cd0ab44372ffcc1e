/* fields.c - the fields of a piece of text: where each ends. A piece without quotes is split at
 * every separator and newline of a bit mask; one with quotes, or with a fault, is scanned from one
 * such character to the next, by all rules. */
#include "csv/mask.h"
#include "csv/piece.h"

/* ---- without quotes -------------------------------------------------------------------------- */

/* Whether every row has its fields, and every carriage return belongs to a newline. */
static bool is_regular(const lun__csv_piece *p, int64_t returns)
{
    const uint32_t *last = p->ends + p->width - 1;
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
    int64_t returns = 0;
    for (int64_t i = 0; i < p->length; i += 64) {
        lun__csv_mask m = lun__csv_look(p->text + i, p->separator);
        if (m.quotes)
            return false;
        for (uint64_t bits = m.returns; bits; bits &= bits - 1)
            returns++;
        for (uint64_t bits = m.separators | m.newlines; bits; bits &= bits - 1)
            *out++ = (uint32_t)(i + __builtin_ctzll(bits));
    }
    return out - p->ends == p->rows * p->width && is_regular(p, returns);
}

/* ---- by all rules ---------------------------------------------------------------------------- */

typedef struct walk {
    lun__csv_piece *p;
    lun__csv_fault *fault;
    int64_t row, start;     /* where the row and the field begin */
    int64_t opened, closed; /* the last quotes that open and close */
    int64_t column, rows;
    uint32_t *out;
    bool inside, done;
} walk;

static bool fail(walk *w, lun__csv_what what, int64_t at)
{
    *w->fault = (lun__csv_fault){.what = what, .at = at, .column = w->column};
    return false;
}

static bool only_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
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

static bool end_field(walk *w, int64_t at)
{
    *w->out++ = (uint32_t)at;
    w->column++;
    w->start = at + 1;
    return true;
}

static bool end_row(walk *w, int64_t at)
{
    lun__csv_piece *p = w->p;
    end_field(w, at);
    if (p->width == 0) {
        p->width = w->column;
        p->length = at + 1;
        w->done = true;
    } else if (w->column != p->width) {
        *w->fault = (lun__csv_fault){
            .what = LUN__CSV_RAGGED, .at = w->row, .column = -1, .fields = w->column};
        return false;
    }
    w->rows++;
    w->row = at + 1;
    w->column = 0;
    return true;
}

static bool meet_return(walk *w, int64_t at)
{
    const lun__csv_piece *p = w->p;
    bool ends = at + 1 < p->length && p->text[at + 1] == '\n';
    if (!ends || (p->added && at + 2 == p->length))
        return fail(w, LUN__CSV_RETURN, at);
    return true;
}

static bool meet(walk *w, int64_t at)
{
    const char c = w->p->text[at];
    if (w->inside) {
        w->inside = c != '"';
        w->closed = at;
        return true;
    }
    if (c == '"')
        return stray_quote(w, at);
    int64_t before = at - (c == '\n' && at > w->start && w->p->text[at - 1] == '\r');
    if (w->closed >= w->start && w->closed != before - 1)
        return fail(w, LUN__CSV_AFTER_QUOTE, w->closed + 1);
    return c == w->p->separator ? end_field(w, at)
           : c == '\n'          ? end_row(w, at)
                                : meet_return(w, at);
}

/* Scans up to the byte `limit`, which is no text, if it is not negative. */
static bool split_exact(lun__csv_piece *p, int64_t limit, lun__csv_fault *fault)
{
    walk w = {.p = p, .fault = fault, .out = p->ends, .opened = -1, .closed = -2};
    int64_t stop = limit < 0 ? p->length : limit;
    for (int64_t i = 0; i < stop && !w.done; i += 64) {
        lun__csv_mask m = lun__csv_look(p->text + i, p->separator);
        uint64_t bits = m.separators | m.quotes | m.newlines | m.returns;
        if (stop - i < 64)
            bits &= lun__csv_first(stop - i);
        for (; bits && !w.done; bits &= bits - 1) {
            int64_t at = i + __builtin_ctzll(bits);
            if (w.inside && p->text[at] != '"')
                continue;
            if (!meet(&w, at))
                return false;
        }
    }
    if (w.done || (limit < 0 && !w.inside && w.row == p->length)) {
        p->rows = w.rows;
        return true;
    }
    if (limit < 0)
        return fail(&w, LUN__CSV_OPEN_QUOTE, w.opened);
    fail(&w, p->text[limit] ? LUN__CSV_ENCODING : LUN__CSV_NUL, limit);
    fault->byte = (unsigned char)p->text[limit];
    return false;
}

bool lun__csv_split(lun__csv_piece *p, lun__csv_fault *fault)
{
    int64_t limit = lun__csv_no_text(p->text, p->length);
    const char *nul = limit >= 0 && p->width == 0 ? memchr(p->text, 0, (size_t)p->length) : NULL;
    if (nul) /* UTF-16, or no text at all, whatever comes before */
        limit = nul - p->text;
    if (limit < 0 && p->width && split_plain(p))
        return true;
    return split_exact(p, limit, fault);
}
