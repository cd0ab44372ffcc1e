/* piece.h - a piece of the text, whole rows of it: its fields, and their kinds by columns. Within
 * interp/csv. */
#ifndef LUN_CSV_PIECE_H
#define LUN_CSV_PIECE_H

#include "csv/csv.h"
#include "csv/number.h"

/* LUN__CSV_MARGIN bytes are readable before and after the text, those after it are 0; ends[-1]
 * exists. */
typedef struct lun__csv_piece {
    char *text;
    int64_t length; /* it ends with a newline */
    bool added;     /* which is not in the file */
    char separator; /* of fields */
    int64_t width;  /* fields of a row; 0: the text is a header, of any width */
    int64_t rows;
    uint32_t *ends;    /* where fields end: at a separator or a newline; as many as bytes at most */
    bool strays_known; /* the cuts allow for quotes inside of fields without quotes */
} lun__csv_piece;

/* Finds the fields of p->rows rows; of a header also p->width. False: *fault is the first fault,
 * its position from the beginning of the text. */
bool lun__csv_split(lun__csv_piece *p, lun__csv_fault *fault);

/* The first byte that is 0 or begins no UTF-8 character, -1: there is none. */
int64_t lun__csv_no_text(const char *text, int64_t length);

/* Field i of a piece; in the last column without the carriage return. */
static inline const char *lun__csv_field(const lun__csv_piece *p, int64_t i, bool last,
                                         const char **end)
{
    const char *start = p->text + (uint32_t)(p->ends[i - 1] + 1);
    *end = p->text + p->ends[i];
    if (last && *end > start && (*end)[-1] == '\r')
        --*end;
    return start;
}

/* The kinds of fields seen in a column, as flags. */
enum {
    LUN__CSV_INTS = 1,       /* integers, as 64 bits each */
    LUN__CSV_SIGNS = 2,      /* some have a sign */
    LUN__CSV_BEYOND = 4,     /* some need u64 */
    LUN__CSV_MINUS_ZERO = 8, /* some are -0, written as 0 */
    LUN__CSV_FLOATS = 16,    /* all are written as floats */
    LUN__CSV_BOOLS = 32,
    LUN__CSV_OTHERS = 64 /* text: nothing is written */
};

/* Writes the fields of a column to `to` and returns their flags: numbers for I64, U64 (which may
 * turn out to be floats, and are written so) and F64, truth values for BOOL. */
unsigned lun__csv_convert(const lun__csv_piece *p, int64_t column, lun__csv_kind as, void *to);
/* The flags of the first fields of a column, at most `most`. */
unsigned lun__csv_sample(const lun__csv_piece *p, int64_t column, int64_t most);
/* The kind of a column with these flags. */
lun__csv_kind lun__csv_kind_of(unsigned seen);
/* The fields of a column; doubled quotes become single ones in the text. */
void lun__csv_texts(lun__csv_piece *p, int64_t column, lun__text *to);

#endif
