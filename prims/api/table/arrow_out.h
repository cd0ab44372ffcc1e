/* arrow_out.h - columns that go out as Arrow's arrays. */
#ifndef LUN_ARROW_OUT_H
#define LUN_ARROW_OUT_H

#include "api/table/arrow_form.h"
#include "api/table/table.h"

/* What the arrays that show a column hold: it needs no engine, and ends with the last of them, on
 * whatever thread. */
typedef struct lun_arrow_column lun_arrow_column;

/* The columns of a table, evaluated. */
typedef struct lun_arrow_columns {
    int64_t width, rows;
    char **names;
    lun_arrow_column **columns;
} lun_arrow_columns;
lun_status lun__arrow_out_columns(lun_engine *e, const lun_table *t, const lun_arrow_options *o,
                                  lun_arrow_columns **out);
/* On any thread; NULL is allowed. */
void lun__arrow_out_end(lun_arrow_columns *c);
/* False: no memory, and *out is not set. */
bool lun__arrow_out_schema(const lun_arrow_columns *c, struct ArrowSchema *out);
/* The rows first .. first + n - 1 as a struct array. */
bool lun__arrow_out_rows(const lun_arrow_columns *c, int64_t first, int64_t n,
                         struct ArrowArray *out);

#endif
