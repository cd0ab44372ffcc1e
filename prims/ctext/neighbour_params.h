/* neighbour_params.h - the elements around an index that a C text reads: get(x, -1, 0).  Finds them
 * and what to write instead. */
#ifndef LUN_NEIGHBOUR_PARAMS_H
#define LUN_NEIGHBOUR_PARAMS_H

#include "base/strbuf.h"
#include "ctext/edits.h"
#include "ctext/token/names.h"
#include "ctext/token/signature.h"
#include "ir/ir.h"

typedef struct lun_cneighbours {
    lun_neighbour *at; /* owned; each once, number k is called lun_around_<k> in the text */
    int count;
    bool replaced[LUN_MAX_PARAMS]; /* parameters of the entry that stand in get(...) alone */
} lun_cneighbours;

/* Fills an empty *out, whose `at` is to be freed in every case, and edits the text.  x is a
 * parameter of the entry, its element or written as a pointer; the offsets, one for each axis, are
 * sums, differences and products of integers.  A text that defines get itself has no neighbours.
 * LUN_EARG with what is wrong and where in error; LUN_ENOMEM. */
lun_status lun__cneighbours_find(lun_cneighbours *out, lun_cedits *edits, const lun_csource *s,
                                 const lun_cunits *units, const lun_cnames *names, int entry,
                                 lun_strbuf *error);

#endif
