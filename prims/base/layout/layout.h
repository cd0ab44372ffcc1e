/* layout.h - where the elements of an array of any rank stand: extents, strides, arithmetic on
 * them, and copies between a layout and contiguous memory.  Pure: of a dtype an element's size is
 * all that counts.
 *
 * Element (i1, ..., ir), 0 <= ik < extent[k], stands `offset` + i1 * stride[0] + ... elements from
 * the base.  Flat order is row-major in the indices: element number f of the layout.  Strides may
 * be 0 or negative; the product of the extents is within int64_t.  One description of this kind is
 * closed under slicing, permuting and selecting (Paek, Hoeflinger, Padua 2002: Efficient and
 * precise array access analysis).
 */
#ifndef LUN_LAYOUT_H
#define LUN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { LUN_LAYOUT_RANK = 8 };

typedef struct lun_layout {
    int rank;
    int64_t offset;
    int64_t extent[LUN_LAYOUT_RANK], stride[LUN_LAYOUT_RANK];
} lun_layout;

/* Right (row-major) and left (column-major) layouts without gaps, offset 0. */
lun_layout lun__layout_right(int rank, const int64_t *extent);
lun_layout lun__layout_left(int rank, const int64_t *extent);

/* Elements: the product of the extents, 1 for rank 0. */
int64_t lun__layout_count(const lun_layout *l);
/* Whether element f stands at offset + f for all f. */
bool lun__layout_is_dense(const lun_layout *l);
/* Whether each element stands at an offset of its own: exact for up to two axes; for more, as far
 * as is easily seen: sorted by stride, each axis steps over all that the smaller ones reach. */
bool lun__layout_is_injective(const lun_layout *l);
/* Whether the elements, in some order of the axes, fill offset .. offset + count - 1. */
bool lun__layout_is_permutation(const lun_layout *l);
/* The lowest and highest offsets that are used; count > 0.  False: beyond int64_t. */
bool lun__layout_range(const lun_layout *l, int64_t *low, int64_t *high);
/* The same of elements first .. last: of several rows those of all of these rows. */
bool lun__layout_range_of(const lun_layout *l, int64_t first, int64_t last, int64_t *low,
                          int64_t *high);

/* The same elements in the same flat order with as few axes as can say it: extents of 1 dropped,
 * neighbours merged where stride[k] = stride[k + 1] * extent[k + 1].  Rank 1, extent 0 and stride 1
 * if there are none; rank 1, extent 1 and stride 1 if there is one. */
lun_layout lun__layout_simplified(const lun_layout *l);
/* Whether segments of `segment` elements each, in flat order, stand evenly: elements of one
 * *along apart, segments *step apart. */
bool lun__layout_segments(const lun_layout *l, int64_t segment, int64_t *step, int64_t *along);
/* The same elements in the same flat order under other extents (their product is the count) and in
 * *out; false if no strides say it. */
bool lun__layout_reshaped(const lun_layout *l, int rank, const int64_t *extent, lun_layout *out);
/* Elements of the last axis, if these stand side by side or are one, repeated, and make a line that
 * is worth a kernel's call; 0: not so, or there is no other axis. */
int64_t lun__layout_line(const lun_layout *l);
/* Elements which, which + count, which + 2 * count, ... in flat order, 0 <= which < count, which
 * divides their number.  False if no strides say them. */
bool lun__layout_every(const lun_layout *l, int64_t count, int64_t which, lun_layout *out);
/* `inner` gives the offsets of elements, `outer` picks elements of inner by their flat number: *out
 * picks offsets.  False if no strides say it, and where strides say it only because steps into
 * different axes happen to make up for one another, which takes three axes of inner. */
bool lun__layout_composed(const lun_layout *inner, const lun_layout *outer, lun_layout *out);

/* Elements along the axes that have a stride: at different offsets, if the layout is injective but
 * for axes of stride 0. */
int64_t lun__layout_distinct(const lun_layout *l);
/* Whether elements k * segment .. (k + 1) * segment - 1 stand side by side for all k; segment >
 * 0. */
bool lun__layout_in_segments(const lun_layout *l, int64_t segment);

/* Offset of element f, 0 <= f < count. */
int64_t lun__layout_offset(const lun_layout *l, int64_t f);

/* Elements first .. first + count - 1, in flat order, from the layout at `base` (offset is added
 * here) to contiguous memory; size: bytes of an element, 1, 2, 4 or 8.  Memory does not overlap.
 * From any thread.  Of a layout that runs across memory, a window should have many rows, since
 * neighbours in memory belong to neighbouring rows: 64 rows of 256 elements (a layout of its own,
 * cut out by offset and extents) take about two thirds of the time of 16 rows of 8192. */
void lun__strided_read(const lun_layout *l, const void *base, int size, int64_t first,
                       int64_t count, void *to);
/* The inverse: contiguous elements into the layout.  Of elements at one offset any one stays. */
void lun__strided_write(const lun_layout *l, void *base, int size, int64_t first, int64_t count,
                        const void *from);
/* Elements first .. first + count - 1 of one layout into the offsets of the same elements of
 * another.  As above. */
void lun__strided_copy(const lun_layout *from, const void *from_base, const lun_layout *to,
                       void *to_base, int size, int64_t first, int64_t count);
/* The offsets of elements first .. first + count - 1. */
void lun__strided_offsets(const lun_layout *l, int64_t first, int64_t count, int64_t *to);

#endif
