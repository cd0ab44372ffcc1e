/* column_transpose.h - neighbouring columns of a table of rows that stand evenly, read together. */
#ifndef LUN_COLUMN_TRANSPOSE_H
#define LUN_COLUMN_TRANSPOSE_H

#include <stdbool.h>
#include <stdint.h>

/* to[c][i] = from[i * row + c] for c < columns <= row, i < n; elements of `size` bytes, 1, 2, 4 or
 * 8, at any address; memory does not overlap.  False, and nothing done, where that is no faster
 * than one column after the other. */
bool lun__column_transpose(int size, const void *from, int64_t row, int64_t n, int columns,
                           void *const *to);
/* Whether that takes no longer than reading the rows: they are short, and shuffles split them. */
bool lun__column_transpose_fast(int size, int64_t row);

#endif
