/* csv_state.h - a text whose header has been read. Within interp/csv. */
#ifndef LUN_CSV_STATE_H
#define LUN_CSV_STATE_H

#include "csv/buffer_pool.h"

struct lun__csv {
    lun__csv_desk desk;
    lun__csv_cuts cuts;
    int64_t width, start, end; /* fields of a row; bytes of all rows */
    bool added;                /* a newline at the end, which is not in the file */
    char *header;              /* names, one after the other */
    int64_t *places;           /* where each begins in it, and where the last one ends */
};

/* Says that this is wrong, at no place of the text; false. */
static inline bool lun__csv_refuse(lun__csv_fault *fault, lun__csv_what what)
{
    *fault = (lun__csv_fault){.what = what, .column = -1};
    return false;
}

#endif
