/* piece.h - a piece of the text, whole rows of it: its fields, and what they are by columns. Within
 * interp/csv. Knows neither where the text comes from nor what becomes of the columns. */
#ifndef LUN_CSV_PIECE_H
#define LUN_CSV_PIECE_H

#include "csv/csv.h"
#include "csv/number.h"

/* LUN__CSV_MARGIN bytes are readable before and after the text, those after it are 0; ends[-1]
 * is there. */
typedef struct lun__csv_piece {
    char *text;
    int64_t length; /* it ends with a newline */
    bool added;     /* which is not in the file */
    int64_t width;  /* fields of a row; 0: the text is a header, of any width */
    int64_t rows;
    uint32_t *ends;    /* where fields end: at a comma or a newline; as many as bytes at most */
    bool strays_known; /* quotes inside of fields without quotes have been seen to (structure.c) */
} lun__csv_piece;

/* Finds the fields; p->rows is what is expected, and of a header p->width is found out. False:
 * *fault says what is wrong first, its place counted from the text's begin. */
bool lun__csv_split(lun__csv_piece *p, lun__csv_fault *fault);

/* The first byte that is 0 or no UTF-8 begins with, -1: there is none. */
int64_t lun__csv_no_text(const char *text, int64_t length);

/* Field i of a piece; of the last column its carriage return is not a part. */
static inline const char *lun__csv_field(const lun__csv_piece *p, int64_t i, bool last,
                                         const char **end)
{
    const char *start = p->text + (uint32_t)(p->ends[i - 1] + 1);
    *end = p->text + p->ends[i];
    if (last && *end > start && (*end)[-1] == '\r')
        --*end;
    return start;
}

/* What a column is, as far as it has been seen; flags of what its fields are. */
enum {
    LUN__CSV_INTS = 1,       /* integers, as 64 bits each */
    LUN__CSV_SIGNS = 2,      /* some have a sign */
    LUN__CSV_BEYOND = 4,     /* some need u64 */
    LUN__CSV_MINUS_ZERO = 8, /* some are -0, written as 0 */
    LUN__CSV_FLOATS = 16,    /* all are written as floats */
    LUN__CSV_BOOLS = 32,
    LUN__CSV_OTHERS = 64 /* text: nothing is written */
};

/* Writes the fields of a column to `to` and says what they are: as numbers for I64, U64 (these may
 * turn out to be floats, and are written so) and F64, as truth values for BOOL. */
unsigned lun__csv_convert(const lun__csv_piece *p, int64_t column, lun__csv_kind as, void *to);
/* What the first fields of a column are, at most `most`. */
unsigned lun__csv_sample(const lun__csv_piece *p, int64_t column, int64_t most);
/* What a column is that has all of these fields. */
lun__csv_kind lun__csv_kind_of(unsigned seen);
/* The fields of a column; doubled quotes are made single in the text. */
void lun__csv_texts(lun__csv_piece *p, int64_t column, lun__text *to);

#endif
