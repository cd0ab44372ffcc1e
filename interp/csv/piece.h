/* piece.h - a piece of the text, whole rows of it: its fields, and their kinds by columns. Within
 * interp/csv. */
#ifndef LUN_CSV_PIECE_H
#define LUN_CSV_PIECE_H

#include <stdatomic.h>

#include "csv/csv.h"
#include "csv/dictionary.h"
#include "csv/number.h"

/* The missing elements of a column of `rows` rows, a byte for each row that is 1 where one is; made
 * by the first thread that sees one. */
typedef struct lun__csv_holes {
    _Atomic(unsigned char *) map;
    int64_t rows;
} lun__csv_holes;

/* LUN__CSV_MARGIN bytes are readable before and after the text, those after it are 0; ends[-1]
 * exists. */
typedef struct lun__csv_piece {
    char *text;
    int64_t length; /* it ends with a newline */
    bool added;     /* which is not in the file */
    char separator; /* of fields */
    const lun__csv_rules *rules;
    int64_t width; /* fields of a row; 0: the text is a header, of any width */
    int64_t rows;
    uint32_t *ends;    /* where fields end: at a separator or a newline */
    bool strays_known; /* the cuts allow for quotes inside of fields without quotes, and for lines
                          that are no rows */
    bool returns;      /* lines end in carriage returns: these and line feeds are exchanged */
    bool odd;          /* some lines are left out, as bytes 0, or some rows are filled up */
    int64_t skipped;   /* rows left out for their number of fields */
} lun__csv_piece;

/* Finds the fields of p->rows rows; of a header also p->width. False: *fault is the first fault,
 * its position from the beginning of the text. */
bool lun__csv_fields_split(lun__csv_piece *p, lun__csv_fault *fault);
/* Counts whole rows, at most `most`: p->rows, in p->length bytes. all: the text ends with the
 * piece. False: *fault, as above. */
bool lun__csv_fields_count(lun__csv_piece *p, int64_t most, bool all, lun__csv_fault *fault);
/* Whether rows are only found one after the other: by rules that newlines and quotes alone do not
 * tell. */
static inline bool lun__csv_piece_in_order(const lun__csv_rules *r)
{
    return r->comment_length || r->escape != LUN__CSV_NONE || r->ragged || r->most >= 0;
}

/* The first byte that is 0 or begins no UTF-8 character, -1: there is none. */
int64_t lun__csv_utf8_no_text(const char *text, int64_t length);

/* Where a field of a piece that is odd begins: behind lines that are left out, and not behind its
 * end where the row is filled up. */
static inline const char *lun__csv_piece_odd_start(const char *start, const char *end)
{
    while (start < end && !*start)
        start++;
    return start < end ? start : end;
}

/* Field i of a piece; in the last column without the carriage return. */
static inline const char *lun__csv_piece_field(const lun__csv_piece *p, int64_t i, bool last,
                                               const char **end)
{
    const char *start = p->text + (uint32_t)(p->ends[i - 1] + 1);
    *end = p->text + p->ends[i];
    if (__builtin_expect(p->odd, 0))
        start = lun__csv_piece_odd_start(start, *end);
    if (last && *end > start && (*end)[-1] == '\r')
        --*end;
    return start;
}

/* Writes the fields of a column to `to`, which has row `row` of the column first, and returns their
 * flags: numbers for I64, U64 (which may turn out to be floats, and are written so) and F64, truth
 * values for BOOL; anything where one is missing. If they are not of that kind, the flags of them
 * all, or some with LUN__CSV_OTHERS. */
unsigned lun__csv_column_convert(const lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                                 lun__csv_kind as, void *to, lun__csv_holes *holes, int64_t row);
/* The flags of the first fields of a column, at most `most`; those behind one that is text may be
 * left out. */
unsigned lun__csv_column_sample(const lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                                int64_t most);
/* What a text that is no number is: by ISO 8601 a date, a time of a date, or a text. */
lun__csv_sort lun__csv_column_sort_of(const char *p, const char *end);
/* Finds the first field of a column that is not of the kind that it must be; false: all are. */
bool lun__csv_column_misfit(const lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                            lun__csv_fault *fault);
/* Fields of a column from row `first` on; doubled quotes become single ones in the text. */
void lun__csv_column_texts(lun__csv_piece *p, int64_t column, const lun__csv_how *how,
                           int64_t first, int64_t count, lun__csv_text *to);

#endif
