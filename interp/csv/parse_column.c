/* parse_column.c - the fields of one column of a piece, one after the other: as integers as long as
 * they are, else as floats, else as text. */
#include <math.h>
#include <string.h>

#include "csv/piece.h"

/* The text within the quotes, if the field is quoted. */
static inline const char *bare(const char *p, const char **end)
{
    if (p < *end && *p == '"') {
        --*end;
        return p + 1;
    }
    return p;
}

static lun__csv_value value_at(const lun__csv_piece *p, int64_t i, bool last)
{
    const char *end, *start = lun__csv_field(p, i, last, &end);
    start = bare(start, &end);
    return lun__csv_value_of(start, end);
}

/* A field that is not only digits; false: it is no integer, or the column needs floats for it. */
static bool odd_integer(lun__csv_value v, uint64_t *to, unsigned *seen)
{
    if (v.sort != LUN__CSV_IS_INTEGER && v.sort != LUN__CSV_IS_BEYOND)
        return false;
    *to = v.as.bits;
    *seen |= v.sign ? LUN__CSV_SIGNS : 0;
    *seen |= v.sort == LUN__CSV_IS_BEYOND ? LUN__CSV_BEYOND : 0;
    *seen |= v.minus && v.as.bits == 0 ? LUN__CSV_MINUS_ZERO : 0;
    return true;
}

/* 0: they are not all integers of one dtype. */
static unsigned integers(const lun__csv_piece *p, int64_t column, uint64_t *to)
{
    const bool last = column == p->width - 1;
    unsigned seen = LUN__CSV_INTS, zero = 0;
    bool signs = false;
    int64_t i = column;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        const char *end, *start = lun__csv_field(p, i, last, &end);
        uint64_t x;
        bool minus = *start == '-';
        if (lun__csv_digits(start + minus, end, &x)) {
            to[r] = minus ? -x : x;
            signs |= minus;
            zero |= minus && x == 0;
        } else if (!odd_integer(value_at(p, i, last), &to[r], &seen)) {
            return 0;
        }
    }
    seen |= (signs ? LUN__CSV_SIGNS : 0) | (zero ? LUN__CSV_MINUS_ZERO : 0);
    return seen & LUN__CSV_BEYOND && seen & LUN__CSV_SIGNS ? 0 : seen;
}

static unsigned floats(const lun__csv_piece *p, int64_t column, double *to)
{
    const bool last = column == p->width - 1;
    int64_t i = column;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        const char *end, *start = lun__csv_field(p, i, last, &end);
        if (start == end) {
            to[r] = NAN;
        } else if (!lun__csv_float(start, end, &to[r])) {
            lun__csv_value v = value_at(p, i, last);
            if (v.sort > LUN__CSV_IS_EMPTY)
                return LUN__CSV_OTHERS;
            to[r] = lun__csv_number_of(v);
        }
    }
    return LUN__CSV_FLOATS;
}

static unsigned truths(const lun__csv_piece *p, int64_t column, unsigned char *to)
{
    const bool last = column == p->width - 1;
    int64_t i = column;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        lun__csv_sort sort = value_at(p, i, last).sort;
        if (sort != LUN__CSV_IS_TRUE && sort != LUN__CSV_IS_FALSE)
            return LUN__CSV_OTHERS;
        to[r] = sort == LUN__CSV_IS_TRUE;
    }
    return LUN__CSV_BOOLS;
}

unsigned lun__csv_convert(const lun__csv_piece *p, int64_t column, lun__csv_kind as, void *to)
{
    unsigned seen = 0;
    if (as == LUN__CSV_BOOL)
        return truths(p, column, to);
    if (as != LUN__CSV_F64)
        seen = integers(p, column, to);
    return seen ? seen : floats(p, column, to);
}

unsigned lun__csv_sample(const lun__csv_piece *p, int64_t column, int64_t most)
{
    unsigned seen = 0;
    uint64_t x;
    for (int64_t r = 0; r < p->rows && r < most; r++) {
        lun__csv_value v = value_at(p, r * p->width + column, column == p->width - 1);
        if (odd_integer(v, &x, &seen))
            seen |= LUN__CSV_INTS;
        else if (v.sort == LUN__CSV_IS_FLOAT || v.sort == LUN__CSV_IS_EMPTY)
            seen |= LUN__CSV_FLOATS;
        else
            seen |= v.sort == LUN__CSV_IS_TEXT ? LUN__CSV_OTHERS : LUN__CSV_BOOLS;
    }
    return seen;
}

lun__csv_kind lun__csv_kind_of(unsigned seen)
{
    bool numbers = seen & (LUN__CSV_INTS | LUN__CSV_FLOATS);
    if (seen & LUN__CSV_OTHERS || (seen & LUN__CSV_BOOLS && numbers))
        return LUN__CSV_TEXT;
    if (seen & LUN__CSV_BOOLS)
        return LUN__CSV_BOOL;
    if (seen & LUN__CSV_FLOATS || (seen & LUN__CSV_BEYOND && seen & LUN__CSV_SIGNS))
        return LUN__CSV_F64;
    return seen & LUN__CSV_BEYOND ? LUN__CSV_U64 : LUN__CSV_I64;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Replaces doubled quotes by single ones; returns the new end. */
static char *single(char *p, const char *end)
{
    char *to = p;
    for (; p < end; p++) {
        *to++ = *p;
        p += *p == '"';
    }
    return to;
}

void lun__csv_texts(lun__csv_piece *p, int64_t column, lun__text *to)
{
    const bool last = column == p->width - 1;
    int64_t i = column;
    for (int64_t r = 0; r < p->rows; r++, i += p->width) {
        const char *end, *field = lun__csv_field(p, i, last, &end), *start = bare(field, &end);
        if (start != field && memchr(start, '"', (size_t)(end - start)))
            end = single(p->text + (start - p->text), end);
        size_t length = (size_t)(end - start);
        to[r] = (lun__text){start, (uint32_t)length, lun__text_hash(start, length)};
    }
}
