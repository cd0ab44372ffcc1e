/* select.h - the elements at given indices of a segment in order, without sorting all of it: its
 * elements are counted by a digit of their keys, and those whose digit occurs at such an index are
 * taken, in the order of the segment, and sorted.
 *
 * The order is that of sort.h, so what is found does not depend on threads.  Private to
 * algorithms/. */
#ifndef LUN_SELECT_H
#define LUN_SELECT_H

#include "algorithms/sort/sort_digit.h"

typedef struct lun_selection {
    lun_sort_segment
        segment; /* of sort_parts.h: services, team, the segment; made by lun__select_count */
    lun_sorter sorter;
    int64_t n, nans; /* out: elements that are NaN, which come last */
    /* out, by digit: elements before it, of all and of those taken; whether it is taken */
    int64_t starts[LUN_DIGITS + 1], taken[LUN_DIGITS + 1];
    uint8_t wanted[LUN_DIGITS];
    void *elements;   /* out: those taken; NULL: they are too many */
    int64_t *indices; /* then the index in the segment of each, if asked for */
    int64_t count;    /* how many */
} lun_selection;

/* Whether it pays for a segment of so many elements. */
bool lun__select_pays(lun_dtype t, int64_t segment);
/* Elements of a segment that are taken at most: sorting the segment does no more than sorting so
 * many. */
static inline int64_t lun__select_most(int64_t segment)
{
    return segment / 2;
}

/* Bytes of scratch memory that a selection of at most `most` elements by at most so many threads
 * needs. */
int64_t lun__select_room(lun_dtype t, int64_t n, int64_t most, bool placed, int threads);
/* Counts a segment's elements.  LUN_OK or LUN_ECANCEL. */
lun_status lun__select_count(const lun_services *services, const lun_team *team, lun_dtype t,
                             bool descending, const void *from, int64_t n, void *scratch,
                             lun_selection *out);
/* Asks for the element at index i in order; for all before it, too, if `below`. */
void lun__select_want(lun_selection *x, int64_t i, bool below);
/* Takes what was asked for, unless that is more than `most`.  LUN_OK or LUN_ECANCEL. */
lun_status lun__select_take(lun_selection *x, int64_t most, bool placed);
/* The index, among those taken and sorted, of the element at index i of the segment in order. */
int64_t lun__select_at(const lun_selection *x, int64_t i);

#endif
