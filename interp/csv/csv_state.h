/* csv_state.h - a CSV text whose header is read. Within interp/csv.
 *
 * Invariant: between calls nothing changes but the cuts, found by the first reading of the rows
 * from `from` on, and the buffers of the pool, none of which is taken. A call of lun__csv_read has
 * the text to itself; its threads share it through services.read only. */
#ifndef LUN_CSV_STATE_H
#define LUN_CSV_STATE_H

#include "csv/buffer_pool.h"

struct lun__csv {
    lun__csv_pool pool;
    lun__csv_cuts cuts;
    int64_t width, start, end; /* fields of a row; bytes of all rows */
    int64_t from, most, left;  /* rows in turn: where they begin, how many, of all from there */
    bool added;                /* a newline at the end, which is not in the file */
    bool unended;              /* the same, a header alone included */
    bool nameless;             /* the first line is a row */
    char *header;              /* names, one after the other */
    int64_t *names_at;         /* offset of each in it, and of the end of the last one */
};

/* Sets a fault without a position in the text; returns false. */
static inline bool lun__csv_state_refuse(lun__csv_fault *fault, lun__csv_what what)
{
    *fault = (lun__csv_fault){.what = what, .column = -1};
    return false;
}

#endif
