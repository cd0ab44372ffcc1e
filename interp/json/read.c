/* read.c - JSON text to pieces of rows, on all threads. Lines are cut where a line feed stands, of
 * which no text has one; a list of objects is walked through once for the commas between them, by
 * quotes and brackets alone: what these do not tell the piece finds that has it. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "csv/buffer_pool.h"
#include "json/rows.h"

enum {
    BATCH = 48,       /* pieces between two checks of the stop */
    SLACK = 16 << 10, /* bytes behind a piece in which its last line ends, most of the time */
    WALK = 256 << 10  /* bytes that are looked through at a time */
};
#define PIECE (INT64_C(256) << 10) /* bytes */

typedef struct reading {
    const lun__csv_services *s;
    const lun__col_wishes *wishes;
    lun__col_gather *g;
    lun__csv_pool pool;
    int64_t start, size;   /* bytes before the text (its byte order mark); of all */
    int64_t piece, pieces; /* bytes, or -1: by cuts; how many */
    int64_t *cuts;         /* of a list: where pieces begin, and the end */
    bool list, columns;
    int64_t most, first; /* rows; the number of the first piece */
    int64_t batch;       /* first piece of a batch */
    lun__json_fault faults[BATCH];
} reading;

static bool fail(lun__json_fault *f, lun__json_what what, int64_t at)
{
    *f = (lun__json_fault){.what = what, .at = at};
    return false;
}

static bool fail_column(lun__json_fault *f, lun__col_what what)
{
    *f = (lun__json_fault){.what = LUN__JSON_VALUE, .value = {.what = what}};
    return false;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Reads bytes from .. to - 1 into a buffer. */
static bool fetch(reading *r, int buffer, int64_t from, int64_t to, char **text, lun__json_fault *f)
{
    lun__csv_piece p = {0};
    lun__csv_fault fault;
    const lun__csv_what what =
        lun__csv_buffer_fetch(&r->pool, buffer, from, to - from, false, &p, &fault);
    *text = p.text;
    if (what == LUN__CSV_FINE)
        return true;
    if (what == LUN__CSV_MEMORY)
        return fail_column(f, LUN__COL_MEMORY);
    fail(f, what == LUN__CSV_LONG ? LUN__JSON_LONG : LUN__JSON_UNREAD, from);
    f->error = fault.error;
    return false;
}

/* The lines that begin in bytes from .. to - 1, of which the last may end behind them: *text and
 * its *length at *at. */
static bool fetch_lines(reading *r, int buffer, int64_t from, int64_t to, char **text, int64_t *at,
                        int64_t *length, lun__json_fault *f)
{
    const int64_t before = from > r->start; /* the byte that says whether a line begins at from */
    *length = 0;
    for (int64_t slack = SLACK;; slack *= 4) {
        const int64_t end = r->size - to > slack ? to + slack : r->size;
        if (!fetch(r, buffer, from - before, end, text, f))
            return false;
        char *stop = *text + (end - from + before), *begin = *text;
        if (before) {
            begin = memchr(begin, '\n', (size_t)(to - from));
            if (!begin)
                return true; /* of a line that began before */
            begin++;
        }
        char *last = *text + (to - from + before) - 1;
        char *newline = memchr(last, '\n', (size_t)(stop - last));
        if (!newline && end < r->size)
            continue;
        *at = from - before + (begin - *text);
        *length = (newline ? newline + 1 : stop) - begin;
        *text = begin;
        return true;
    }
}

/* Parses the rows of a piece. */
static void parse(const reading *r, lun__json_piece *p, int64_t k, int64_t length,
                  lun__json_fault *f)
{
    const int64_t wrong = lun__csv_utf8_no_text(p->text, length);
    const bool odd = wrong >= 0 && p->text[wrong] != '\0';
    bool ok = r->columns ? lun__json_rows_columns(p)
              : r->list  ? lun__json_rows_list(p, k == 0, k == r->pieces - 1)
                         : lun__json_rows_lines(p);
    if (odd && p->t.at - p->text >= wrong) {
        fail(f, LUN__JSON_ENCODING, p->at + wrong);
    } else if (!ok) {
        fail(f, p->t.what, p->at + (p->t.at - p->text));
        f->value = p->fault;
    }
    f->piece = r->first + k;
}

/* Piece k of a batch: its rows are read and added. */
static void read_piece(void *of, int64_t k)
{
    reading *r = of;
    lun__json_fault *f = &r->faults[k];
    lun__json_piece p = {.cells.wishes = r->wishes, .most = r->most};
    p.services = r->columns ? r->s : NULL;
    const int64_t number = r->batch + k;
    int64_t length;
    const int buffer = lun__csv_buffer_take(&r->pool);
    bool ok;
    if (r->cuts) {
        p.at = r->cuts[number];
        length = r->cuts[number + 1] - p.at;
        ok = fetch(r, buffer, p.at, p.at + length, &p.text, f);
    } else {
        const int64_t from = r->start + number * r->piece;
        const int64_t to = r->size - from > r->piece ? from + r->piece : r->size;
        ok = fetch_lines(r, buffer, from, to, &p.text, &p.at, &length, f);
    }
    if (ok && length) {
        memset(p.text + length, 0, LUN__CSV_MARGIN); /* what is behind a line is another piece's */
        p.t.at = p.cells.text = p.text;
        p.t.end = p.text + length;
        parse(r, &p, number, length, f);
        lun__col_fault other; /* rows before a fault may have one that comes first */
        if (!lun__col_gather_add(r->g, r->first + number, buffer, &p.cells, &other) && !f->what) {
            f->what = LUN__JSON_VALUE;
            f->value = other;
        }
    }
    lun__csv_buffer_give(&r->pool, buffer);
    lun__col_cells_end(&p.cells);
}

/* Reads all pieces; rows are counted where some are enough. */
static bool read_pieces(reading *r, lun__json_fault *f)
{
    const lun__csv_services *s = r->s;
    const int64_t most = r->most, had = lun__col_gather_rows(r->g), together = most < 0 ? BATCH : 1;
    if (!lun__col_gather_room(r->g, r->first + r->pieces))
        return fail_column(f, LUN__COL_MEMORY);
    for (r->batch = 0; r->batch < r->pieces; r->batch += together) {
        const int64_t left = r->pieces - r->batch, count = left < together ? left : together;
        memset(r->faults, 0, sizeof r->faults);
        if (most >= 0)
            r->most = most - (lun__col_gather_rows(r->g) - had);
        if (r->most == 0)
            break;
        if (r->columns)
            read_piece(r, 0); /* on this thread, which may ask for the stop */
        else
            s->share(s->ctx, count, r, read_piece);
        for (int64_t k = 0; k < count; k++)
            if (r->faults[k].what) {
                *f = r->faults[k];
                return false;
            }
        if (s->stop(s->ctx) || !s->memory(s->ctx, lun__col_gather_bytes(r->g)))
            return fail_column(f, LUN__COL_REFUSED);
    }
    return true;
}

/* ---- cuts of a list -------------------------------------------------------------------------- */

/* A walk over a text by its quotes and brackets. */
typedef struct walk {
    int64_t depth;
    bool inside, escaped; /* a text; behind its backslash */
} walk;

/* Where the next comma between elements of the list stands at or behind byte `from` of the text;
 * length: there is none. The walk goes on behind it. */
static int64_t find_comma(walk *w, const char *text, int64_t length, int64_t begin, int64_t from)
{
    for (int64_t k = begin; k < length; k++) {
        const char c = text[k];
        if (w->inside) {
            w->inside = c != '"' || w->escaped;
            w->escaped = c == '\\' && !w->escaped;
            continue;
        }
        switch (c) {
        case '"':
            w->inside = true;
            break;
        case '{':
        case '[':
            w->depth++;
            break;
        case '}':
        case ']':
            w->depth--;
            break;
        case ',':
            if (w->depth == 1 && k >= from)
                return k;
            break;
        default:
            break;
        }
    }
    return length;
}

static bool add_cut(reading *r, int64_t *room, int64_t at)
{
    if (r->pieces + 2 > *room) {
        *room = 2 * *room + 16;
        int64_t *cuts = realloc(r->cuts, (size_t)*room * sizeof *cuts);
        if (!cuts)
            return false;
        r->cuts = cuts;
    }
    r->cuts[r->pieces++] = at;
    return true;
}

/* Cuts the list that begins at byte `at`, its bracket, into pieces. */
static bool cut_list(reading *r, int64_t at, lun__json_fault *f)
{
    walk w = {0};
    int64_t room = 0, due = at + PIECE;
    const int buffer = lun__csv_buffer_take(&r->pool);
    bool ok = add_cut(r, &room, at + 1) || fail_column(f, LUN__COL_MEMORY);
    for (int64_t from = at, to; ok && from < r->size; from = to) {
        char *text;
        to = r->size - from > WALK ? from + WALK : r->size;
        ok = fetch(r, buffer, from, to, &text, f);
        for (int64_t k = 0, next; ok && k < to - from; k = next + 1) {
            next = find_comma(&w, text, to - from, k, due - from);
            if (next == to - from)
                continue;
            due = from + next + 1 + PIECE;
            ok = add_cut(r, &room, from + next + 1) || fail_column(f, LUN__COL_MEMORY);
        }
        if (ok && r->s->stop(r->s->ctx))
            ok = fail_column(f, LUN__COL_REFUSED);
    }
    lun__csv_buffer_give(&r->pool, buffer);
    if (ok)
        r->cuts[r->pieces] = r->size;
    return ok;
}

/* The first byte that is no blank, from `at` on; -1: there is none, or *f is set. */
static int64_t find_value(reading *r, int64_t at, char *first, lun__json_fault *f)
{
    int64_t found = -1;
    const int buffer = lun__csv_buffer_take(&r->pool);
    for (int64_t to; found < 0 && !f->what && at < r->size; at = to) {
        char *text;
        to = r->size - at > WALK ? at + WALK : r->size;
        if (!fetch(r, buffer, at, to, &text, f))
            break;
        const int64_t blanks = (int64_t)strspn(text, " \t\r\n");
        if (blanks < to - at) {
            found = at + blanks;
            *first = text[blanks];
        }
    }
    lun__csv_buffer_give(&r->pool, buffer);
    return found;
}

/* Finds out how the text is read. */
static bool begin(reading *r, lun__json_form form, lun__json_fault *f)
{
    char first = '\0';
    const int64_t at = find_value(r, r->start, &first, f);
    if (f->what)
        return false;
    if (form == LUN__JSON_LINES) {
        r->piece = r->s->piece > 0 ? r->s->piece : PIECE;
        r->pieces = (r->size - r->start + r->piece - 1) / r->piece;
        return true;
    }
    if (at < 0)
        return fail(f, LUN__JSON_EMPTY, r->size);
    r->list = first == '[';
    r->columns = first == '{';
    if (r->list)
        return cut_list(r, at, f);
    int64_t room = 0;
    if (!add_cut(r, &room, at))
        return fail_column(f, LUN__COL_MEMORY);
    r->cuts[1] = r->size;
    return r->columns || (unsigned char)first >= 0x80 || fail(f, LUN__JSON_NO_TABLE, at);
}

bool lun__json_read(const lun__csv_services *s, lun__json_form form, int64_t most,
                    const lun__col_wishes *wishes, lun__col_gather *g, int64_t *pieces,
                    lun__json_fault *fault)
{
    char mark[3] = {0};
    *fault = (lun__json_fault){0};
    reading *r = calloc(1, sizeof *r);
    if (!r)
        return fail_column(fault, LUN__COL_MEMORY);
    *r = (reading){.s = s, .wishes = wishes, .g = g, .size = s->size, .most = most};
    r->pool.services = s;
    r->pool.piece = PIECE;
    r->first = *pieces;
    const int64_t n = s->size < 3 ? s->size : 3;
    fault->error = n ? s->read(s->ctx, 0, n, mark) : 0;
    bool ok = !fault->error || fail(fault, LUN__JSON_UNREAD, 0);
    if (memcmp(mark, "\357\273\277", 3) == 0)
        r->start = 3;
    ok = ok && begin(r, form, fault) && read_pieces(r, fault);
    *pieces = r->first + r->pieces;
    lun__csv_buffer_clear(&r->pool);
    free(r->cuts);
    free(r);
    return ok;
}

void lun__json_read_place(const lun__csv_services *s, lun__json_fault *fault)
{
    enum { SOME = 64 << 10 };
    char *text = malloc(SOME);
    int64_t line = 1, column = 1;
    for (int64_t from = 0, n; text && from < fault->at; from += n) {
        n = fault->at - from < SOME ? fault->at - from : SOME;
        if (s->read(s->ctx, from, n, text))
            break;
        if (from == 0 && n >= 3 && memcmp(text, "\357\273\277", 3) == 0)
            column = 0; /* its byte order mark is none */
        for (int64_t k = 0; k < n; k++) {
            if (text[k] == '\n') {
                line++;
                column = 1;
            } else {
                column += (text[k] & 0xC0) != 0x80;
            }
        }
    }
    free(text);
    fault->line = line;
    fault->column = column;
}
