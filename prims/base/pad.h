/* pad.h - an array with elements beyond its ends, of which only the array is in memory: a rule for
 * each axis says what stands there.  Pure: knows no dtype but an element's size, no node.
 *
 * Element (i1, ..., ir) of the padded array, 0 <= ik < extent[k], is element ik - before[k] of the
 * array along each axis where 0 <= ik - before[k] < inner[k]; else what the axis' rule says.  The
 * array itself is dense, row-major. */
#ifndef LUN_PAD_H
#define LUN_PAD_H

#include "base/layout.h"

typedef enum lun_pad_rule {
    LUN_PAD_VALUE,  /* `value`, whatever the other axes say */
    LUN_PAD_WRAP,   /* the array again and again; inner > 0 */
    LUN_PAD_NEAREST /* the nearest element; inner > 0 */
} lun_pad_rule;

typedef struct lun_padding {
    int rank; /* > 0 */
    int64_t extent[LUN_LAYOUT_RANK], inner[LUN_LAYOUT_RANK], before[LUN_LAYOUT_RANK];
    uint8_t rule[LUN_LAYOUT_RANK];
    uint64_t value; /* its first bytes are the element */
} lun_padding;

/* The index in the array that stands for index i of axis k, counted from the array's first one; -1:
 * the value. */
int64_t lun__pad_source(const lun_padding *p, int k, int64_t i);
/* Elements first .. first + count - 1, in flat order, of a layout over the flat numbers of the
 * padded array, to contiguous memory; base: the array's element 0; size: bytes of an element, 1, 2,
 * 4 or 8.  From any thread. */
void lun__pad_read(const lun_padding *p, const lun_layout *l, const void *base, int size,
                   int64_t first, int64_t count, void *to);

#endif
