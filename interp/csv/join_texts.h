/* join_texts.h - a column of text whose pieces have codes of dictionaries of their own. Within
 * interp/csv and what reads columns by it. */
#ifndef LUN_CSV_JOIN_TEXTS_H
#define LUN_CSV_JOIN_TEXTS_H

#include "csv/buffer_pool.h"

typedef struct lun__csv_coded {
    lun__csv_dictionary *dictionaries; /* LUN__CSV_BUFFERS, of which pieces use some */
    const unsigned char *owner;        /* the number of each piece's */
    const lun__csv_cut *cuts;          /* the rows of the pieces; one more is the end */
    int64_t pieces;
    uint32_t *codes; /* of all rows: the memory of the column */
    bool missing;    /* some are 0 */
} lun__csv_coded;

/* Makes the dictionaries one, gives its values to the services as wanted column k, and writes codes
 * and validity. False: *fault. */
bool lun__csv_join_texts(const lun__csv_services *s, int64_t k, const lun__csv_coded *c,
                         lun__csv_fault *fault);

#endif
