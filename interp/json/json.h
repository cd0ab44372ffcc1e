/* json.h - JSON text (RFC 8259) to columns and columns to JSON text: the functions of
 * interp/json.
 *
 * Bytes, threads and the memory of columns come from the services of csv/csv.h. Knows neither Lua
 * nor arrays nor files. */
#ifndef LUN_JSON_H
#define LUN_JSON_H

#include "column/gather.h"
#include "json/token.h"

typedef enum lun__json_form {
    LUN__JSON_LINES, /* an object a line */
    LUN__JSON_TABLE, /* a list of objects, or an object of lists */
} lun__json_form;

typedef struct lun__json_fault {
    lun__json_what what;
    int64_t at, line, column; /* byte, from 0; from 1, characters */
    int64_t piece;            /* the number of its piece */
    int error;                /* UNREAD: the result of services.read */
    lun__col_fault value;     /* VALUE */
} lun__json_fault;

/* Adds the rows of a source to g, pieces from *pieces on, at most `most` (-1: all). False:
 * *fault. */
bool lun__json_read(const lun__csv_services *s, lun__json_form form, int64_t most,
                    const lun__col_wishes *wishes, lun__col_gather *g, int64_t *pieces,
                    lun__json_fault *fault);
/* Sets line and column of a fault from its byte. */
void lun__json_read_place(const lun__csv_services *s, lun__json_fault *fault);

/* ---- writing --------------------------------------------------------------------------------- */

/* How elements are written. */
typedef enum lun__json_shape {
    LUN__JSON_ROWS,  /* an object and a line feed each */
    LUN__JSON_ITEMS, /* objects of a list */
    LUN__JSON_VALUES /* the elements of one column */
} lun__json_shape;

/* Bytes that lun__json_write_rows may write for rows first .. last - 1; false: beyond a size_t. */
bool lun__json_write_bound(const lun__csv_column *columns, const lun_string *names, int64_t count,
                           int64_t first, int64_t last, size_t *bytes);
/* Writes these rows; the end. begun: others stand before them. *odd grows by the floats that are
 * written as null. Texts of columns of DURATION are written as they are. */
char *lun__json_write_rows(char *to, lun__json_shape shape, const lun__csv_column *columns,
                           const lun_string *names, int64_t count, int64_t first, int64_t last,
                           bool begun, int64_t *odd);

#endif
