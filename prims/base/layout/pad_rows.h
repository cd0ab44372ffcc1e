/* pad_rows.h - an array with elements beyond its ends, of which only the array is in memory: a rule
 * for each axis says what stands there.  Pure: of a dtype an element's size is all that counts.
 *
 * Element (i1, ..., ir) of the padded array, 0 <= ik < extent[k], is element ik - before[k] of the
 * array along each axis where 0 <= ik - before[k] < inner[k]; else what the axis' rule says.  The
 * array itself is dense, row-major. */
#ifndef LUN_PAD_ROWS_H
#define LUN_PAD_ROWS_H

#include "base/layout/layout.h"

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
/* A layout over the flat numbers of the padded array that is a box of it, as what stencils read. */
typedef struct lun_pad_box {
    bool is; /* a box: else nothing below counts */
    /* along each axis `count` indices from `first` on, counted from the array's first one */
    int64_t first[LUN_LAYOUT_RANK], count[LUN_LAYOUT_RANK];
} lun_pad_box;
lun_pad_box lun__pad_box(const lun_padding *p, const lun_layout *l);

/* Elements first .. first + count - 1, in flat order, of a layout over the flat numbers of the
 * padded array, whose box is `b`, to contiguous memory; base: the array's element 0; size: bytes of
 * an element, 1, 2, 4 or 8.  From any thread. */
void lun__pad_read(const lun_padding *p, const lun_layout *l, const lun_pad_box *b,
                   const void *base, int size, int64_t first, int64_t count, void *to);

/* How elements of a box from `first` on stand in the array itself: `count` of them (0: they do not)
 * side by side from its element `offset` on, but for those that stand beyond the ends of a
 * segment: of each `segment` elements, of which `first` is number `column`, numbers low .. high
 * - 1 are right. */
typedef struct lun_pad_run {
    int64_t count, offset, segment, column, low, high;
} lun_pad_run;
lun_pad_run lun__pad_run(const lun_padding *p, const lun_pad_box *b, int64_t first);
/* Elements first, first + segment, ... of a box within such a run, `count` in number. */
void lun__pad_column(const lun_padding *p, const lun_pad_box *b, const void *base, int size,
                     int64_t first, int64_t count, void *to);

#endif
