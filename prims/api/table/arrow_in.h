/* arrow_in.h - Arrow's arrays that come in as columns. */
#ifndef LUN_ARROW_IN_H
#define LUN_ARROW_IN_H

#include "api/table/arrow_form.h"
#include "api/table/table.h"

/* Struct arrays of one schema, one after the other.  `refs` counts the users of their memory,
 * atomically; the last one releases those that are the engine's (`taken`) and frees the list. */
typedef struct lun_arrow_batches {
    int refs;
    bool taken;
    int count, room;
    struct ArrowArray *array;
} lun_arrow_batches;
/* On any thread; NULL is allowed. */
void lun__arrow_in_end(lun_arrow_batches *b);

/* Arrays of one schema, of which each contributes rows: those of struct arrays, or arrays that are
 * columns themselves. */
typedef struct lun_arrow_source {
    const struct ArrowSchema *schema;
    const char *name;
    lun_arrow_batches *batches;
    int64_t child; /* of the struct arrays; -1: they are the column */
    const lun_arrow_options *options;
} lun_arrow_source;
/* Makes the column.  What it fails with names column and row. */
lun_status lun__arrow_in_column(lun_engine *e, const lun_arrow_source *from, lun_array **out);
/* The table of batches of a struct schema. */
lun_status lun__arrow_in_table(lun_engine *e, const struct ArrowSchema *s, lun_arrow_batches *b,
                               const lun_arrow_options *o, lun_table **out);

#endif
