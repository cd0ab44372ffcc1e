/* padded.h - which part of a padded array the indices of a kernel read, and which elements of the
 * array that is made of.  Private to prims/. */
#ifndef LUN_PADDED_H
#define LUN_PADDED_H

#include "base/layout/pad_rows.h"
#include "plan/plan.h"
#include "spread/spread.h"

/* Rows along the first axis of a padded array, as one themselves. */
typedef struct lun_padded_part {
    lun_padding pad; /* of the rows of the array that they are made of */
    int64_t first;   /* their first element's number in the padded array; so many are they */
    int64_t count;
    lun_interval under; /* elements of the array */
} lun_padded_part;

/* Elements of the PAD that slot i reads, from the first to the last one, for those indices. */
lun_interval lun__padded_read(const lun_lowered *l, int i, lun_interval indices);
/* The elements of the array of n, a PAD, that its elements `of` are made of: whole slices along its
 * first axis. */
lun_interval lun__padded_under(const lun_node *n, lun_interval of);
/* What all slots on n, a PAD, read for those indices. */
lun_padded_part lun__padded_part(const lun_lowered *l, const lun_node *n, lun_interval indices);

#endif
