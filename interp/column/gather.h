/* gather.h - pieces of rows, from several threads, made columns of all rows. Within interp/.
 * Knows no Lua.
 *
 * Invariant: pieces are added in any order, each under the number that says its place; the lock
 * is held while the columns' list changes. Dictionary k of a column is used by one thread at a
 * time, the one that has buffer k. Between lun__col_gather_settle and _finish nothing is added. */
#ifndef LUN_COLUMN_GATHER_H
#define LUN_COLUMN_GATHER_H

#include "column/cells.h"

typedef struct lun__col_gather lun__col_gather;

/* NULL: no memory. The wishes live as long. */
lun__col_gather *lun__col_gather_new(const lun__col_wishes *wishes);
void lun__col_gather_end(lun__col_gather *g);
/* Makes room for pieces up to number `count` - 1; from one thread. False: no memory. */
bool lun__col_gather_room(lun__col_gather *g, int64_t count);
/* Adds a piece, which is empty then; its texts become codes in the dictionaries of that buffer.
 * False: *fault. */
bool lun__col_gather_add(lun__col_gather *g, int64_t number, int buffer, lun__col_cells *c,
                         lun__col_fault *fault);
/* What pieces and texts take; the rows of the pieces so far. */
int64_t lun__col_gather_bytes(lun__col_gather *g);
int64_t lun__col_gather_rows(const lun__col_gather *g);
/* The first fault of the pieces together, by number and place; *number: of its piece. whole: all
 * rows are there, so that it is known which integers their columns do not hold. True: there is no
 * fault. Wanted columns come in the order of the wishes, others in that of their first
 * appearance. */
bool lun__col_gather_settle(lun__col_gather *g, const lun__csv_services *s, bool whole,
                            int64_t *number, lun__col_fault *fault);
int64_t lun__col_gather_width(const lun__col_gather *g);
const char *lun__col_gather_name(const lun__col_gather *g, int64_t column, size_t *length);
/* The place of a column's wish; -1: none. */
int64_t lun__col_gather_wish(const lun__col_gather *g, int64_t column);
/* Makes the columns, all of `rows`; wanted[k]: kind and missing are set. False: *fault. */
bool lun__col_gather_finish(lun__col_gather *g, const lun__csv_services *s, lun__csv_wanted *wanted,
                            lun__col_fault *fault);

#endif
