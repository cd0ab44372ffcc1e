/* csv_open.c - opens CSV text: its header, and the bytes of its rows. Knows no columns. */
#include <stdlib.h>
#include <string.h>

#include "csv/csv_state.h"

enum {
    HEAD = 64 << 10, /* bytes in which the header is sought at first */
    TAIL = 4096      /* bytes of blank lines at the end that are read together */
};
#define PIECE (INT64_C(256) << 10) /* bytes */

/* Finds the end of the text without blank lines: the first newline after the last byte that is not
 * blank. Tabs that separate fields are not. */
static bool find_end(lun__csv *c, lun__csv_fault *fault)
{
    const lun__csv_services *s = c->pool.services;
    int64_t end = s->size, newline = -1;
    char part[TAIL];
    for (bool blank = true; end > 0 && blank;) {
        int64_t n = end < TAIL ? end : TAIL;
        fault->error = s->read(s->ctx, end - n, n, part);
        if (fault->error)
            return fault->what = LUN__CSV_UNREAD, false;
        for (; n > 0 && blank; n -= blank) {
            char x = part[n - 1];
            blank = x == ' ' || (x == '\t' && c->pool.separator != '\t') || x == '\n' || x == '\r';
            newline = x == (c->pool.returns ? '\r' : '\n') ? end - 1 : newline;
            end -= blank;
        }
    }
    c->end = newline < 0 ? s->size : newline + 1;
    c->added = c->unended = newline < 0;
    return true;
}

/* Whether the first line p is a row: its fields are numbers, none of them in quotes, but not 0, 1,
 * 2 and so on, unless the rules say. */
static bool is_nameless(const lun__csv_rules *r, const lun__csv_piece *p)
{
    const lun__csv_how how = {0};
    bool counted = true;
    if (r->header != LUN__CSV_NAMES_OR_NUMBERS)
        return r->header == LUN__CSV_NO_NAMES;
    for (int64_t k = 0; k < p->width; k++) {
        const char *end, *start = lun__csv_piece_field(p, k, k == p->width - 1, &end);
        unsigned seen = lun__csv_column_sample(p, k, &how, 1);
        uint64_t x;
        if (!(seen & (LUN__CSV_INTS | LUN__CSV_FLOATS)) || *start == r->quote)
            return false;
        counted = counted && lun__csv_number_digits(start, end, &x) && x == (uint64_t)k;
    }
    return !counted;
}

/* Keeps the names of the header p. */
static bool keep_names(lun__csv *c, lun__csv_piece *p)
{
    const lun__csv_how how = {0};
    int64_t at = 0;
    c->width = p->width;
    p->rows = 1;
    c->nameless = is_nameless(&c->pool.rules, p);
    c->header = malloc((size_t)p->length);
    c->names_at = calloc((size_t)p->width + 1, sizeof *c->names_at);
    if (!c->header || !c->names_at)
        return false;
    for (int64_t k = 0; k < p->width; k++) {
        lun__csv_text name;
        lun__csv_column_texts(p, k, &how, 0, 1, &name);
        if (name.at)
            memcpy(c->header + at, name.at, name.length);
        at += name.length;
        c->names_at[k + 1] = at;
    }
    return true;
}

/* What separates the fields of a header, so many bytes of text that begin with it. */
static char find_separator(const lun__csv_pool *d, const char *text, int64_t length)
{
    static const char others[] = ";\t|";
    int64_t count[sizeof others] = {0};
    bool inside = false;
    for (int64_t i = 0; i < length && (inside || text[i] != '\n'); i++) {
        const char *found = inside || !text[i] ? NULL : strchr(others, text[i]);
        inside ^= text[i] == d->rules.quote;
        if (!inside && text[i] == ',')
            return ',';
        if (found)
            count[found - others]++;
    }
    size_t most = 0;
    for (size_t k = 1; k < sizeof others - 1; k++)
        most = count[k] > count[most] ? k : most;
    return count[most] ? others[most] : ',';
}

/* Where the first line that is no comment begins, of so many bytes of text. */
static int64_t first_line(const lun__csv_rules *r, const char *text, int64_t length)
{
    const int64_t n = (int64_t)r->comment_length;
    int64_t at = 0;
    while (n && at + n <= length && memcmp(text + at, r->comment, (size_t)n) == 0) {
        const char *newline = memchr(text + at, '\n', (size_t)(length - at));
        at = newline ? newline + 1 - text : length;
    }
    return at;
}

/* Whether lines end in carriage returns: the first line does, which begins with the text. */
static bool ends_in_return(const lun__csv_rules *r, const char *text, int64_t length)
{
    bool inside = false;
    for (int64_t i = 0; i < length; i++) {
        inside ^= text[i] == r->quote;
        if (!inside && (text[i] == '\n' || text[i] == '\r'))
            return text[i] == '\r' && i + 1 < length && text[i + 1] != '\n';
    }
    return false;
}

/* Reads the header from byte `from` on, seeking its end in more and more bytes. */
static bool read_header(lun__csv *c, int64_t from, lun__csv_fault *fault)
{
    uint32_t wanted;
    int buffer = lun__csv_buffer_take(&c->pool);
    int64_t length = HEAD, left = c->end - from;
    bool found = false, more = true;
    for (; more; length *= 4) {
        bool all = length >= left;
        lun__csv_piece p = {.ends = &wanted, .strays_known = true};
        if (lun__csv_buffer_fetch(&c->pool, buffer, from, all ? left : length, all && c->added, &p,
                                  fault))
            break;
        int64_t first = first_line(&c->pool.rules, p.text, p.length);
        if (!c->pool.rules.separator)
            c->pool.separator = p.separator =
                find_separator(&c->pool, p.text + first, p.length - first);
        found = lun__csv_fields_split(&p, fault);
        more = !found && !all && (fault->what == LUN__CSV_OPEN_QUOTE || fault->at + 4 > length);
        if (found && !keep_names(c, &p))
            found = lun__csv_state_refuse(fault, LUN__CSV_MEMORY);
        else if (found)
            c->start = from + (c->nameless ? 0 : p.length);
        else
            fault->at += from;
    }
    if (found && c->start > c->end) { /* it ends with the newline that was added */
        c->start = c->end;
        c->added = false;
    }
    lun__csv_buffer_give(&c->pool, buffer);
    return found;
}

/* Finds out what ends lines, by the bytes from `from` on. */
static bool find_returns(lun__csv *c, int64_t from, lun__csv_fault *fault)
{
    int64_t length = HEAD, left = c->end - from;
    int buffer = lun__csv_buffer_take(&c->pool);
    lun__csv_piece p = {0};
    length = length < left ? length : left;
    bool ok =
        lun__csv_buffer_fetch(&c->pool, buffer, from, length, false, &p, fault) == LUN__CSV_FINE;
    if (ok)
        c->pool.returns = ends_in_return(&c->pool.rules, p.text, p.length);
    lun__csv_buffer_give(&c->pool, buffer);
    return ok;
}

/* Moves *from behind the next `count` lines, whatever ends them; at most to the end of the text. */
static bool skip_lines(lun__csv *c, int64_t count, int64_t *from, lun__csv_fault *fault)
{
    int buffer = lun__csv_buffer_take(&c->pool);
    bool ok = true;
    while (ok && count > 0 && *from < c->end) {
        lun__csv_piece p = {0};
        int64_t length = HEAD, left = c->end - *from, at = 0;
        length = length < left ? length : left;
        ok = lun__csv_buffer_fetch(&c->pool, buffer, *from, length, false, &p, fault) ==
             LUN__CSV_FINE;
        for (; ok && count > 0 && at < length; at++) {
            if (p.text[at] == '\r' && at + 1 == length && length < left && at > 0)
                break; /* a line feed may follow */
            count -= p.text[at] == '\n' || (p.text[at] == '\r' && p.text[at + 1] != '\n');
        }
        *from += at;
    }
    lun__csv_buffer_give(&c->pool, buffer);
    return ok;
}

static bool open_text(lun__csv *c, lun__csv_fault *fault)
{
    const lun__csv_services *s = c->pool.services;
    const lun__csv_rules *r = &c->pool.rules;
    char mark[3] = {0};
    int64_t n = s->size < 3 ? s->size : 3;
    fault->error = n ? s->read(s->ctx, 0, n, mark) : 0;
    if (fault->error)
        return fault->what = LUN__CSV_UNREAD, false;
    int64_t from = memcmp(mark, "\357\273\277", 3) == 0 ? 3 : 0;
    c->end = s->size;
    if (!skip_lines(c, r->skip, &from, fault))
        return false;
    if (s->size <= from)
        return lun__csv_state_refuse(fault, LUN__CSV_EMPTY);
    if (!find_returns(c, from, fault))
        return false;
    c->pool.separator = r->separator;
    if (!find_end(c, fault))
        return false;
    if (c->end <= from)
        return lun__csv_state_refuse(fault, LUN__CSV_EMPTY);
    if (!read_header(c, from, fault))
        return false;
    c->cuts.exact = lun__csv_piece_in_order(r);
    lun__csv_rewind(c);
    if (r->separator || c->pool.separator != '\t')
        return true;
    free(c->header); /* rows of empty fields at the end are rows */
    free(c->names_at);
    c->header = NULL;
    c->names_at = NULL;
    if (!find_end(c, fault) || !read_header(c, from, fault))
        return false;
    lun__csv_rewind(c);
    return true;
}

lun__csv *lun__csv_open(const lun__csv_services *services, const lun__csv_rules *rules,
                        lun__csv_fault *fault)
{
    lun__csv *c = calloc(1, sizeof *c);
    *fault = (lun__csv_fault){.column = -1};
    if (!c) {
        fault->what = LUN__CSV_MEMORY;
        return NULL;
    }
    c->pool.services = services;
    c->pool.rules = *rules;
    c->pool.piece = services->piece > 0 ? services->piece : PIECE;
    if (open_text(c, fault))
        return c;
    if (fault->what != LUN__CSV_UNREAD)
        fault->line = lun__csv_split_text_lines(&c->pool, fault->at) + 1;
    lun__csv_close(c);
    return NULL;
}

void lun__csv_close(lun__csv *c)
{
    if (!c)
        return;
    lun__csv_buffer_clear(&c->pool);
    free(c->cuts.list);
    free(c->header);
    free(c->names_at);
    free(c);
}

/* ---- rows in turn ---------------------------------------------------------------------------- */

void lun__csv_rewind(lun__csv *c)
{
    c->from = c->start;
    c->most = c->left = c->pool.rules.most;
    c->cuts.known = false;
}

bool lun__csv_next(lun__csv *c, int64_t rows)
{
    const lun__csv_cuts *cuts = &c->cuts;
    if (cuts->known) {
        c->from = cuts->end;
        c->left -= c->left < 0 ? 0 : cuts->list[cuts->count].row;
    }
    c->most = c->left < 0 || rows < c->left ? rows : c->left;
    c->cuts.known = false;
    return c->from < c->end && c->most != 0;
}

void lun__csv_place(const lun__csv *c, int64_t *at, int64_t *size)
{
    *at = c->from;
    *size = c->end;
}

int64_t lun__csv_width(const lun__csv *c)
{
    return c->width;
}

const char *lun__csv_name(const lun__csv *c, int64_t column, size_t *length)
{
    *length = (size_t)(c->names_at[column + 1] - c->names_at[column]);
    return c->header + c->names_at[column];
}

bool lun__csv_is_nameless(const lun__csv *c)
{
    return c->nameless;
}

char lun__csv_separator(const lun__csv *c)
{
    return c->pool.separator;
}

bool lun__csv_is_unended(const lun__csv *c)
{
    return c->unended;
}

int64_t lun__csv_skipped(const lun__csv *c)
{
    return c->cuts.skipped;
}
