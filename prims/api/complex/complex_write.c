/* complex_write.c - complex arrays made of elements of the host, and written into: the real parts
 * and the imaginary ones apart. */
#include "api/array/elements.h"
#include "api/complex/complex_array.h"

#include <stdlib.h>
#include <string.h>

lun_status lun__complex_write_tensor(lun_engine *e, const void *data, int rank,
                                     const int64_t *shape, lun_dtype t, lun_array **out)
{
    int64_t extents[LUN_MAX_RANK + 1] = {0};
    lun_array *lanes = NULL;
    for (int k = 0; k < rank && k < LUN_MAX_RANK; k++)
        extents[k] = shape[k];
    if (rank >= LUN_MAX_RANK || rank < 0)
        return lun__fail(e, LUN_ESHAPE, "complex arrays have at most %d axes, got %d",
                         LUN_MAX_RANK - 1, rank);
    extents[rank] = 2;
    lun_status s = lun_tensor(e, data, rank + 1, extents, lun_complex_part(t), &lanes);
    if (s == LUN_OK)
        s = lun_complex_of(e, lanes, out);
    lun_release(lanes);
    return s;
}

lun_status lun__complex_write_full(lun_engine *e, int rank, const int64_t *shape, lun_dtype t,
                                   lun_value x, lun_array **out)
{
    lun_array *parts[2] = {NULL, NULL};
    lun_status s = lun_full(e, rank, shape, lun_complex_part(t), x, &parts[0]);
    if (s == LUN_OK)
        s = lun_full(e, rank, shape, lun_complex_part(t), (lun_value){.dtype = LUN_I64}, &parts[1]);
    if (s == LUN_OK)
        s = lun_complex(e, parts[0], parts[1], out);
    lun_release(parts[0]);
    lun_release(parts[1]);
    return s;
}

/* The windows on the parts of a, both to be released. */
static lun_status parts_of(lun_engine *e, lun_array *a, lun_array *part[2])
{
    part[0] = part[1] = NULL;
    lun_status s = lun_real(e, a, &part[0]);
    return s == LUN_OK ? lun_imag(e, a, &part[1]) : s;
}

/* Every second element from `from` on, so many. */
static void part_out(char *to, const char *from, size_t size, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * size, from + 2 * (size_t)i * size, size);
}

lun_status lun__complex_write_pairs(lun_engine *e, lun_array *a, const void *host, int64_t first,
                                    int64_t count)
{
    enum { PIECE = 4096 }; /* elements at a time */
    const size_t size = (size_t)lun_dtype_size(lun_complex_part(lun_dtype_of(a)));
    lun_array *part[2] = {NULL, NULL};
    char *buffer = malloc(PIECE * size);
    lun_status s = buffer ? lun__read_check(e, a, first, count) : lun__fail_nomem(e);
    if (s == LUN_OK)
        s = parts_of(e, a, part);
    for (int64_t at = 0; s == LUN_OK && at < count; at += PIECE) {
        const int64_t n = count - at < PIECE ? count - at : PIECE;
        for (size_t k = 0; s == LUN_OK && k < 2; k++) {
            part_out(buffer, (const char *)host + (2 * (size_t)at + k) * size, size, n);
            s = lun_write(e, part[k], buffer, first + at, n);
        }
    }
    lun_release(part[0]);
    lun_release(part[1]);
    free(buffer);
    return s;
}

lun_status lun__complex_write_number(lun_engine *e, lun_array *a, int64_t index, lun_value x)
{
    lun_array *part[2];
    const lun_value zero = {.dtype = LUN_I64};
    lun_status s = parts_of(e, a, part);
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = index == LUN__EVERY_ELEMENT ? lun_fill(e, part[k], k ? zero : x)
                                        : lun_set(e, part[k], index, k ? zero : x);
    lun_release(part[0]);
    lun_release(part[1]);
    return s;
}
