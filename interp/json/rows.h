/* rows.h - objects and lists of JSON text as rows of columns. Within interp/json. */
#ifndef LUN_JSON_ROWS_H
#define LUN_JSON_ROWS_H

#include "json/token.h"

/* A piece of a source, whole rows of it. */
typedef struct lun__json_piece {
    lun__json_text t;
    char *text;                        /* whose escapes are resolved in place */
    int64_t at;                        /* of the text in its source */
    int64_t most;                      /* rows that are read; -1: all */
    const lun__csv_services *services; /* asked for the stop, on the calling thread; or NULL */
    lun__col_cells cells;
    lun__col_fault fault; /* where t.what is LUN__JSON_VALUE */
} lun__json_piece;

/* An object a line. False: p->t.what. */
bool lun__json_rows_lines(lun__json_piece *p);
/* Objects of a list, with commas behind them; last: the piece has the end of the list and of the
 * text. */
bool lun__json_rows_list(lun__json_piece *p, bool first, bool last);
/* An object of lists, the whole text. */
bool lun__json_rows_columns(lun__json_piece *p);

#endif
