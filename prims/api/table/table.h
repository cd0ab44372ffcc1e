/* table.h - lun_table from inside: names and columns of one length. */
#ifndef LUN_TABLE_H
#define LUN_TABLE_H

#include "api/array/array.h"

/* Invariant: names are UTF-8, different and not empty; columns are of rank 1 and have `rows`
 * elements; the table holds a reference to each. */
struct lun_table {
    int refs;
    lun_engine *engine;
    int64_t width, rows;
    char **names;
    lun_array **columns;
};

/* The name of column k from 0, a new text, whose source calls it `name`, which may be NULL, and
 * before which columns have the names `taken`: an empty one is c and its number, a second x is x_2.
 * NULL: no memory. */
char *lun__table_name(const char *name, int64_t k, char *const *taken);

#endif
