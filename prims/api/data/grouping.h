/* grouping.h - groups of rows, as the files of lun_grouping and lun_join share them. Private to
 * prims/.
 *
 * Invariant of a lun_grouping: codes has an element for each row, evaluated or an expression, below
 * `groups`; keys is NULL if the groups were made of codes. It owns all its arrays, and nothing of
 * it changes after it is made but firsts, filled at the first need. */
#ifndef LUN_GROUPING_H
#define LUN_GROUPING_H

#include "api/array/api.h"
#include "table/aggregate.h"

struct lun_grouping {
    lun_engine *engine;
    int64_t rows, groups, gap; /* gap: the first group without rows, or -1 */
    lun_array *codes;          /* i32, from 0 on, by row */
    lun_array *firsts;         /* the first row of each group, from 1 on; NULL: not asked for */
    lun_array **keys;          /* an element for each group: by key; NULL: made of codes */
    int key_count;
};

/* Handles that are released together. */
typedef struct lun_handles {
    int count;
    lun_array *at[32];
} lun_handles;

/* The next free entry. */
static inline lun_array **lun__grouping_handle(lun_handles *h)
{
    return &h->at[h->count++];
}

void lun__codes_handles_release(lun_handles *h);

/* op on two arrays, or on one and a number. */
lun_status lun__codes_op(lun_engine *e, lun_op op, lun_array *a, lun_array *b, lun_array **out);
lun_status lun__codes_with(lun_engine *e, lun_op op, lun_array *a, int64_t x, lun_array **out);

/* The codes of keys, i32, and how many there are.  Evaluates the keys. */
lun_status lun__codes(lun_engine *e, lun_array *const *keys, int count, lun_array **out,
                      int64_t *groups);
/* For each group an element of dtype t, or a row of them if x has rows; which: see
 * table/aggregate.h; means: of the groups, or NULL. */
lun_status lun__codes_aggregate(lun_engine *e, lun_array *codes, int64_t groups, unsigned which,
                                lun_array *x, lun_array *means, lun_dtype t, lun_array **out);
/* The elements of x, a Vector of 64-bit numbers, by code, those of a code in order. */
lun_status lun__codes_sorted(lun_engine *e, lun_array *codes, int64_t groups, lun_array *x,
                             lun_array **out);
/* The rows by code, counted from `first` on. */
lun_status lun__codes_arranged(lun_engine *e, lun_array *codes, int64_t first, lun_array **out);
/* Vectors of one length: LUN_EARG or LUN_ESHAPE if they are none. */
lun_status lun__codes_keys_check(lun_engine *e, lun_array *const *keys, int count, int64_t *rows);

#endif
