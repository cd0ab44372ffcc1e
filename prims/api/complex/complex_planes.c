/* complex_planes.c - complex matrices as real ones, an axis of whose is the parts, and back. */
#include "api/complex/complex_array.h"

/* The parts of an array of rank 2 or more, real or complex, along an axis with so many behind it;
 * any other array as it is. */
lun_status lun__complex_planes(lun_engine *e, lun_array *a, int behind, lun_array **out)
{
    int64_t shape[LUN_MAX_RANK];
    const int rank = a->weak ? 0 : lun_shape(a, shape);
    if (rank < 2) {
        lun_retain(*out = a);
        return LUN_OK;
    }
    lun_array *part[2] = {NULL, NULL};
    lun_status s = lun_real(e, a, &part[0]);
    if (s == LUN_OK)
        s = lun_imag(e, a, &part[1]);
    if (s == LUN_OK)
        s = lun_stack(e, part, 2, rank - behind, out);
    lun_release(part[0]);
    lun_release(part[1]);
    return s;
}

/* The complex array whose parts lie along an axis of two; takes `planes`. */
lun_status lun__complex_planes_joined(lun_engine *e, lun_array *planes, int axis, lun_array **out)
{
    lun_array *part[2] = {NULL, NULL};
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < 2; k++)
        s = lun_select(e, planes, axis, k, &part[k]);
    if (s == LUN_OK)
        s = lun_complex(e, part[0], part[1], out);
    lun_release(part[0]);
    lun_release(part[1]);
    lun_release(planes);
    return s;
}
