/* plane.h - two axes of a layout at a time, copied to or from rows of contiguous memory: what
 * strided.c cuts the windows of layouts into.  Knows no layout.  Private to base/. */
#ifndef LUN_PLANE_H
#define LUN_PLANE_H

#include <stdbool.h>
#include <stdint.h>

/* Element (r, c), r < rows, c < n, stands at r * row + c * step on the strided side and at
 * r * pitch + c on the packed one, in elements.  rows and n > 0. */
typedef struct lun_plane {
    int size; /* bytes of an element: 1, 2, 4, 8 */
    int64_t rows, n;
    int64_t row, step, pitch;
} lun_plane;

/* Memory does not overlap; elements may stand at any address. */
void lun__plane_read(const lun_plane *p, void *packed, const void *strided);
void lun__plane_write(const lun_plane *p, void *strided, const void *packed);

/* to[r * to_pitch + c] = from[c * from_pitch + r] for r < rows, c < n.  False, and nothing done,
 * where either number is too small for it. */
bool lun__transpose(int size, int64_t rows, int64_t n, void *to, int64_t to_pitch, const void *from,
                    int64_t from_pitch);

/* to[i] = from[i * step] for the first i < n, where shuffles do it: how many, 0 where they do not.
 * from[n * step] is not read. */
int64_t lun__deinterleave(int size, int64_t step, int64_t n, void *to, const void *from);

#endif
