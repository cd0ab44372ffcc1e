/* parse_column.c - the fields of one column of a piece, one after the other: as integers as long as
 * they are, else as floats, else as text; those that are missing are marked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv/piece.h"
#include "csv/words.h"

/* A column that is converted. */
typedef struct work {
    const lun__csv_piece *p;
    const lun__csv_how *how;
    int64_t column;
    bool last;    /* of the piece */
    bool foreign; /* numbers are written in another notation */
    char quote;
    lun__csv_holes *holes;
    unsigned char *map; /* of the holes, from the piece's first row on; NULL: not asked for yet */
    int64_t row;
    unsigned seen;
} work;

static work begin(const lun__csv_piece *p, int64_t column, const lun__csv_how *how)
{
    return (work){.p = p,
                  .how = how,
                  .column = column,
                  .last = column == p->width - 1,
                  .foreign = lun__csv_words_is_foreign(p->rules),
                  .quote = p->rules->quote};
}

/* ---- single fields --------------------------------------------------------------------------- */

/* The text within the quotes, if the field is quoted. */
static inline const char *bare(const char *p, const char **end, char quote)
{
    if (p < *end && *p == quote) {
        --*end;
        return p + 1;
    }
    return p;
}

lun__csv_sort lun__csv_column_sort_of(const char *p, const char *end)
{
    enum { DATE = 10 }; /* bytes */
    int64_t x;
    bool zoned;
    p = lun__csv_words_strip(p, &end);
    if (end - p < DATE || p[4] != '-' || p[7] != '-')
        return LUN__CSV_IS_TEXT;
    const lun_string s = {p, end - p};
    if (!lun_time_scan(s.length == DATE ? LUN_DATE : LUN_TIMESTAMP, NULL, s, &x, &zoned))
        return LUN__CSV_IS_TEXT;
    return s.length == DATE ? LUN__CSV_IS_DATE : zoned ? LUN__CSV_IS_ZONED : LUN__CSV_IS_STAMP;
}

/* The value of field i, EMPTY if it is missing. */
static lun__csv_value value_at(const work *w, int64_t i)
{
    const char *end, *start = lun__csv_piece_field(w->p, i, w->last, &end);
    start = bare(start, &end, w->quote);
    if (w->how->missing && lun__csv_words_is_missing(w->how->missing, start, end))
        return (lun__csv_value){.sort = LUN__CSV_IS_EMPTY};
    lun__csv_value v = w->foreign ? lun__csv_words_foreign(w->p->rules, start, end)
                                  : lun__csv_number_value(start, end);
    if (v.sort != LUN__CSV_IS_TEXT)
        return v;
    v.word = w->how->missing ? 0 : lun__csv_words_flag(start, end);
    if (v.word)
        v.sort = LUN__CSV_IS_EMPTY;
    else if (!w->how->undated)
        v.sort = lun__csv_column_sort_of(start, end);
    return v;
}

/* Makes the map of holes, if no thread has. */
static unsigned char *map_of(lun__csv_holes *h)
{
    unsigned char *map = atomic_load(&h->map), *mine;
    if (map)
        return map;
    mine = calloc((size_t)h->rows + 1, 1);
    if (mine && !atomic_compare_exchange_strong(&h->map, &map, mine)) {
        free(mine);
        return map;
    }
    return mine;
}

/* Row r of the piece is missing, as v says. */
static void leave_out(work *w, int64_t r, lun__csv_value v)
{
    w->seen |= v.word;
    if (!w->map) {
        unsigned char *map = map_of(w->holes);
        if (!map) {
            w->seen |= LUN__CSV_FULL;
            return;
        }
        w->map = map + w->row;
    }
    w->map[r] = 1;
    w->seen |= LUN__CSV_HOLES;
}

/* The flags of a value. */
static unsigned flags_of(lun__csv_value v)
{
    static const unsigned others[] = {
        [LUN__CSV_IS_EMPTY] = LUN__CSV_HOLES, [LUN__CSV_IS_TRUE] = LUN__CSV_BOOLS,
        [LUN__CSV_IS_FALSE] = LUN__CSV_BOOLS, [LUN__CSV_IS_TEXT] = LUN__CSV_OTHERS,
        [LUN__CSV_IS_DATE] = LUN__CSV_DATES,  [LUN__CSV_IS_STAMP] = LUN__CSV_STAMPS,
        [LUN__CSV_IS_ZONED] = LUN__CSV_ZONED};
    if (v.sort >= LUN__CSV_IS_EMPTY)
        return others[v.sort] | v.word;
    unsigned seen = v.zeros ? LUN__CSV_ZEROS : 0;
    if (v.sort == LUN__CSV_IS_FLOAT)
        return seen | LUN__CSV_FLOATS | (v.real ? LUN__CSV_REAL : 0);
    return seen | LUN__CSV_INTS | (v.sign ? LUN__CSV_SIGNS : 0) |
           (v.sort == LUN__CSV_IS_BEYOND ? LUN__CSV_BEYOND : 0) |
           (v.minus && v.as.bits == 0 ? LUN__CSV_MINUS_ZERO : 0);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A field that is not only digits; false: the column is no integers. */
static bool odd_integer(work *w, int64_t i, int64_t r, uint64_t *to)
{
    lun__csv_value v = value_at(w, i);
    *to = v.as.bits;
    if (v.sort == LUN__CSV_IS_EMPTY) {
        *to = 0;
        leave_out(w, r, v);
        return true;
    }
    if (v.sort != LUN__CSV_IS_INTEGER && v.sort != LUN__CSV_IS_BEYOND)
        return false;
    w->seen |= flags_of(v);
    return true;
}

/* False: they are not all integers of one dtype. */
static bool integers(work *w, uint64_t *to)
{
    const lun__csv_piece *p = w->p;
    const bool last = w->last, plain = !w->how->missing;
    unsigned zero = 0, zeros = 0, some = 0;
    bool signs = false;
    int64_t i = w->column;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        const char *end, *start = lun__csv_piece_field(p, i, last, &end);
        uint64_t x;
        bool minus = *start == '-';
        if (plain && lun__csv_number_digits(start + minus, end, &x)) {
            to[r] = minus ? -x : x;
            some = 1;
            signs |= minus;
            zero |= minus && x == 0;
            zeros |= start[minus] == '0' && end - start - minus > 1;
        } else if (!odd_integer(w, i, r, &to[r])) {
            return false;
        }
    }
    w->seen |= (signs ? LUN__CSV_SIGNS : 0) | (zero ? LUN__CSV_MINUS_ZERO : 0) |
               (zeros ? LUN__CSV_ZEROS : 0) | (some ? LUN__CSV_INTS : 0);
    return !(w->seen & LUN__CSV_BEYOND && w->seen & LUN__CSV_SIGNS);
}

/* A field that is not in the plain form of a float, or the first ones, as long as no real one was
 * met. */
static bool odd_float(work *w, int64_t i, int64_t r, double *to)
{
    lun__csv_value v = value_at(w, i);
    if (v.sort > LUN__CSV_IS_EMPTY)
        return false;
    *to = NAN;
    if (v.sort == LUN__CSV_IS_EMPTY)
        leave_out(w, r, v);
    else
        *to = lun__csv_number_of(v);
    w->seen |= flags_of(v) & (LUN__CSV_ZEROS | LUN__CSV_REAL);
    return true;
}

/* False: they are not all numbers. */
static bool floats(work *w, double *to)
{
    const lun__csv_piece *p = w->p;
    const bool last = w->last, plain = !w->how->missing && !w->foreign;
    int64_t i = w->column;
    w->seen = 0;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        const char *end, *start = lun__csv_piece_field(p, i, last, &end);
        if (start == end) {
            to[r] = NAN;
            leave_out(w, r, (lun__csv_value){0});
        } else if (!(plain && w->seen & LUN__CSV_REAL &&
                     lun__csv_number_float(start, end, &to[r])) &&
                   !odd_float(w, i, r, &to[r])) {
            return false;
        }
    }
    w->seen |= LUN__CSV_FLOATS;
    return true;
}

/* False: they are not all truth values. */
static bool truths(work *w, unsigned char *to)
{
    const lun__csv_piece *p = w->p;
    int64_t i = w->column;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        const lun__csv_value v = value_at(w, i);
        to[r] = v.sort == LUN__CSV_IS_TRUE;
        if (v.sort == LUN__CSV_IS_EMPTY)
            leave_out(w, r, v);
        else if (v.sort != LUN__CSV_IS_TRUE && v.sort != LUN__CSV_IS_FALSE)
            return false;
        else
            w->seen |= LUN__CSV_BOOLS;
    }
    return true;
}

static lun_dtype dtype_of(lun__csv_kind kind)
{
    return kind == LUN__CSV_DATE ? LUN_DATE : kind == LUN__CSV_STAMP ? LUN_TIMESTAMP : LUN_DURATION;
}

/* The time that field i is by its column's format; false: it is none, or missing. */
static bool time_at(const work *w, int64_t i, lun__csv_kind as, int64_t *x, bool *zoned)
{
    const char *end, *start = lun__csv_piece_field(w->p, i, w->last, &end);
    start = bare(start, &end, w->quote);
    if (w->how->missing && lun__csv_words_is_missing(w->how->missing, start, end))
        return false;
    start = lun__csv_words_strip(start, &end);
    if (!w->how->forced && as == LUN__CSV_STAMP && end - start <= (int64_t)sizeof "2012-01-31" - 1)
        return false;
    return lun_time_scan(dtype_of(as), w->how->format, (lun_string){start, end - start}, x, zoned);
}

/* False: they are not all of that kind. */
static bool times(work *w, lun__csv_kind as, void *to)
{
    int64_t i = w->column;
    for (int64_t r = 0; r < w->p->rows; r++, i += w->p->width) {
        int64_t x = 0;
        bool zoned = false;
        lun__csv_value v;
        if (time_at(w, i, as, &x, &zoned))
            w->seen |= zoned                  ? LUN__CSV_ZONED
                       : as == LUN__CSV_STAMP ? LUN__CSV_STAMPS
                                              : LUN__CSV_DATES;
        else if ((v = value_at(w, i)).sort == LUN__CSV_IS_EMPTY)
            leave_out(w, r, v);
        else
            return false;
        if (as == LUN__CSV_DATE)
            ((int32_t *)to)[r] = (int32_t)x;
        else
            ((int64_t *)to)[r] = x;
    }
    return true;
}

unsigned lun__csv_column_convert(const lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                                 lun__csv_kind as, void *to, lun__csv_holes *holes, int64_t row)
{
    work w = begin(p, column, how);
    bool ok;
    w.holes = holes;
    w.row = row;
    if (as == LUN__CSV_BOOL)
        ok = truths(&w, to);
    else if (as >= LUN__CSV_DATE)
        ok = times(&w, as, to);
    else
        ok = (as != LUN__CSV_F64 && integers(&w, to)) || floats(&w, to);
    if (!ok && as >= LUN__CSV_DATE && how->forced)
        return w.seen | LUN__CSV_OTHERS; /* what they are by another format says nothing */
    return ok || w.seen & LUN__CSV_FULL ? w.seen : lun__csv_column_sample(p, column, how, p->rows);
}

unsigned lun__csv_column_sample(const lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                                int64_t most)
{
    const work w = begin(p, column, how);
    unsigned seen = 0;
    for (int64_t r = 0; r < p->rows && r < most && !(seen & LUN__CSV_OTHERS); r++) {
        seen |= flags_of(value_at(&w, r * p->width + column));
    }
    return seen;
}

lun__csv_kind lun__csv_column_kind(unsigned seen)
{
    const bool numbers = seen & (LUN__CSV_INTS | LUN__CSV_FLOATS);
    const int sorts = numbers + !!(seen & LUN__CSV_BOOLS) + !!(seen & LUN__CSV_DATES) +
                      !!(seen & LUN__CSV_STAMPS) + !!(seen & LUN__CSV_ZONED);
    if (seen & LUN__CSV_OTHERS || sorts > 1 || !seen)
        return LUN__CSV_TEXT;
    if (seen & LUN__CSV_DATES)
        return LUN__CSV_DATE;
    if (seen & (LUN__CSV_STAMPS | LUN__CSV_ZONED))
        return LUN__CSV_STAMP;
    if (seen & LUN__CSV_BOOLS)
        return LUN__CSV_BOOL;
    if (seen & LUN__CSV_ZEROS && !(seen & LUN__CSV_REAL))
        return LUN__CSV_TEXT;
    if (!numbers || seen & LUN__CSV_FLOATS || (seen & LUN__CSV_BEYOND && seen & LUN__CSV_SIGNS))
        return LUN__CSV_F64;
    return seen & LUN__CSV_BEYOND ? LUN__CSV_U64 : LUN__CSV_I64;
}

/* ---- fields of a certain kind ---------------------------------------------------------------- */

/* Whether field i is of the kind that its column must be. */
static bool fits(const work *w, int64_t i)
{
    const lun__csv_how *how = w->how;
    const lun__csv_value v = value_at(w, i);
    int64_t time;
    bool zoned;
    if (v.sort == LUN__CSV_IS_EMPTY)
        return true;
    if (how->kind >= LUN__CSV_DATE)
        return time_at(w, i, how->kind, &time, &zoned);
    if (how->kind == LUN__CSV_BOOL)
        return v.sort == LUN__CSV_IS_TRUE || v.sort == LUN__CSV_IS_FALSE;
    if (how->kind == LUN__CSV_F64)
        return v.sort < LUN__CSV_IS_EMPTY;
    if (v.sort == LUN__CSV_IS_BEYOND)
        return how->kind == LUN__CSV_U64 && v.as.bits <= how->high;
    if (v.sort != LUN__CSV_IS_INTEGER)
        return false;
    int64_t x = (int64_t)v.as.bits;
    return x >= how->low && (x < 0 || (uint64_t)x <= how->high);
}

bool lun__csv_column_misfit(const lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                            lun__csv_fault *fault)
{
    const work w = begin(p, column, how);
    for (int64_t r = 0; r < p->rows; r++) {
        const char *end, *start = lun__csv_piece_field(p, r * p->width + column, w.last, &end);
        if (fits(&w, r * p->width + column))
            continue;
        *fault = (lun__csv_fault){.what = LUN__CSV_MISFIT, .at = start - p->text, .column = column};
        start = bare(start, &end, w.quote);
        int64_t length = end - start, kept = sizeof fault->field - 1;
        kept = kept < length ? kept : length;
        while (kept > 0 && kept < length && (start[kept] & 0xC0) == 0x80)
            kept--; /* whole characters */
        memcpy(fault->field, start, (size_t)kept);
        return true;
    }
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Makes single quotes of doubled ones, and takes escapes off; returns the new end. */
static char *single(const lun__csv_piece *p, char *at, const char *end, bool quoted)
{
    const char escape = p->rules->escape, quote = p->rules->quote;
    char *to = at;
    for (; at < end; at++) {
        if (*at == escape && at + 1 < end)
            at++;
        else if (quoted && *at == quote && at + 1 < end)
            at++;
        *to++ = *at;
    }
    return to;
}

static void exchange(char *p, const char *end)
{
    for (; p < end; p++)
        *p = (char)(*p == '\r' ? '\n' : *p == '\n' ? '\r' : *p);
}

/* Whether the text of a column is missing: an empty field without quotes, or a word. */
static bool is_gap(const lun__csv_how *how, const char *start, const char *end, bool quoted)
{
    if (start == end && !quoted)
        return true;
    return how->missing && start < end && lun__csv_words_is_one(how->missing, start, end);
}

/* The text of the field start .. end, by all rules. */
static lun__csv_text odd_text(const lun__csv_piece *p, const lun__csv_how *how, const char *start,
                              const char *end)
{
    const char *field = start;
    start = bare(field, &end, p->rules->quote);
    const bool quoted = start != field;
    char *first = p->text + (start - p->text);
    const bool doubled = quoted && memchr(start, p->rules->quote, (size_t)(end - start)) != NULL;
    if (p->rules->escape != LUN__CSV_NONE || doubled)
        end = single(p, first, end, quoted);
    if (p->returns)
        exchange(first, end);
    if (p->rules->trim)
        start = lun__csv_words_strip(start, &end);
    if (is_gap(how, start, end, quoted))
        return (lun__csv_text){NULL, 0};
    return (lun__csv_text){start, (uint32_t)(end - start)};
}

void lun__csv_column_texts(lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                           int64_t first, int64_t count, lun__csv_text *to)
{
    const lun__csv_rules *rules = p->rules;
    const bool last = column == p->width - 1;
    const bool odd = rules->escape != LUN__CSV_NONE || p->returns || rules->trim || how->missing;
    int64_t i = column + first * p->width;
    for (int64_t r = 0; r < count; r++, i += p->width) {
        const char *end, *start = lun__csv_piece_field(p, i, last, &end);
        if (start == end)
            to[r] = (lun__csv_text){NULL, 0};
        else if (odd || *start == rules->quote)
            to[r] = odd_text(p, how, start, end);
        else
            to[r] = (lun__csv_text){start, (uint32_t)(end - start)};
    }
}
